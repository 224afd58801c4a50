package relation

import "equiproof/shape"

// predicateLayout names the wires of the predicates as the query and the slices see them.
func predicateLayout(s *shape.Shape) []Segment {
	plain, sensitive := s.Architecture.Predicates[0], s.Architecture.Predicates[1]
	segments := []Segment{{"at", plain}, {"side", plain}, {"dead", plain}}
	if s.Architecture.Missing {
		segments = append(segments, Segment{"absent", s.Architecture.Plain}, Segment{"away", plain})
	}
	if s.Ranges() || s.Architecture.Sets() > 0 {
		segments = append(segments, Segment{"end", plain}, Segment{"beyond", plain})
	}
	if sensitive > 0 {
		segments = append(segments,
			Segment{"sensitive_at", s.Slices * sensitive}, Segment{"side_of_slice", s.Slices * sensitive})
	}
	return segments
}

// AdditiveLayout names the private wires of a shape of an additive model in order.
func AdditiveLayout(s *shape.Shape) []Segment {
	segments := append(opened(s), predicateLayout(s)...)
	if s.Architecture.Predicates[1] > 0 {
		segments = append(segments, Segment{"worst", 1})
	}
	return append(segments,
		Segment{"slot_column", s.Slots}, Segment{"slot_gap2", s.Slots}, Segment{"slot_side", s.Slots},
		Segment{"slot_step", s.Slots}, Segment{"slot_live", s.Slots}, Segment{"same", s.Slots - 1},
		Segment{"leaf_live", s.Capacity}, Segment{"used", s.Capacity}, Segment{"multiplier", s.Capacity},
		Segment{"signs", s.Capacity * s.Slots}, Segment{"taken", s.Capacity * s.Slots},
		Segment{"level", s.Capacity * s.Slots})
}

// ModelLayout names the wires of the committed model.
func ModelLayout(s *shape.Shape) []Segment {
	switch {
	case len(s.Architecture.Nodes) > 0:
		return append(scoreLayout(s), nodeLayout(s)...)
	case len(s.Architecture.Predicates) > 0:
		return scoreLayout(s)
	}
	return networkLayout(s)
}

// scoreLayout names the wires of the predicates and the bias.
func scoreLayout(s *shape.Shape) []Segment {
	all := s.Architecture.Predicates[0] + s.Architecture.Predicates[1]
	return []Segment{{"columns", all}, {"thresholds", all}, {"jumps", all}, {"bias", 1}}
}
