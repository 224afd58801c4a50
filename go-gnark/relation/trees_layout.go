package relation

import "equiproof/shape"

// nodeLayout names the wires of the committed nodes of an ensemble.
func nodeLayout(s *shape.Shape) []Segment {
	trees, nodes := s.Architecture.Nodes[0], s.Architecture.Nodes[1]
	segments := []Segment{{"node_predicate", nodes}, {"node_low", nodes}, {"node_high", nodes}}
	if s.Architecture.Missing {
		segments = append(segments, Segment{"node_missing", nodes})
	}
	segments = append(segments, Segment{"node_value", nodes + trees})
	if members := s.Architecture.Members(); members > 0 {
		segments = append(segments, Segment{"sets", members})
	}
	return segments
}

// TreesLayout names the private wires of a shape of an ensemble in order.
func TreesLayout(s *shape.Shape) []Segment {
	sensitive, trees, nodes := s.Architecture.Predicates[1], s.Architecture.Nodes[0], s.Architecture.Nodes[1]
	segments := append(opened(s), predicateLayout(s)...)
	slots := s.Capacity * (s.Slots + sensitive)
	return append(segments,
		Segment{"slot_column", s.Slots}, Segment{"slot_gap2", s.Slots}, Segment{"slot_side", s.Slots},
		Segment{"slot_step", s.Slots}, Segment{"slot_live", s.Slots}, Segment{"same", s.Slots - 1},
		Segment{"node_slot", nodes}, Segment{"node_side", nodes}, Segment{"node_live", nodes},
		Segment{"node_before", nodes - 1}, Segment{"low_reference", nodes}, Segment{"high_reference", nodes},
		Segment{"root_value", trees}, Segment{"root_row", trees},
		Segment{"row_id", s.Rows}, Segment{"row_slot", s.Rows},
		Segment{"stay_reference", s.Rows}, Segment{"cross_reference", s.Rows},
		Segment{"stay_value", s.Rows}, Segment{"cross_value", s.Rows},
		Segment{"stay_row", s.Rows}, Segment{"cross_row", s.Rows}, Segment{"row_root", s.Rows},
		Segment{"leaf_live", s.Capacity}, Segment{"used", s.Capacity}, Segment{"multiplier", s.Capacity},
		Segment{"serves", s.Capacity * s.Slices},
		Segment{"signs", slots}, Segment{"taken", slots}, Segment{"level", slots}, Segment{"charged", slots},
		Segment{"free", s.Capacity * s.Rows}, Segment{"way", s.Capacity * s.Rows}, Segment{"charge", s.Capacity * s.Rows},
		Segment{"stay", s.Capacity * s.Rows}, Segment{"cross", s.Capacity * s.Rows})
}
