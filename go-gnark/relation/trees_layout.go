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
	segments := append(append(opened(s), predicateLayout(s)...),
		Segment{"slot_column", s.Slots}, Segment{"slot_gap2", s.Slots}, Segment{"slot_side", s.Slots},
		Segment{"slot_step", s.Slots}, Segment{"slot_live", s.Slots}, Segment{"same", s.Slots - 1})
	segments = append(append(segments, resolvedLayout(s)...),
		Segment{"leaf_live", s.Capacity}, Segment{"used", s.Capacity}, Segment{"multiplier", s.Capacity})
	return append(segments, servedLayout(s)...)
}

// resolvedLayout names the wires of the nodes as the query sees them, and of the rows.
func resolvedLayout(s *shape.Shape) []Segment {
	if s.Visits() {
		return visitedLayout(s)
	}
	trees, nodes := s.Architecture.Nodes[0], s.Architecture.Nodes[1]
	segments := []Segment{{"node_slot", nodes}, {"node_side", nodes}, {"node_live", nodes}}
	if !s.Keeps() {
		segments = append(segments, beforeLayout(s)...)
	}
	return append(segments, []Segment{
		{"low_reference", nodes}, {"high_reference", nodes},
		{"root_value", trees}, {"root_row", trees},
		{"row_id", s.Rows}, {"row_slot", s.Rows},
		{"stay_reference", s.Rows}, {"cross_reference", s.Rows},
		{"stay_value", s.Rows}, {"cross_value", s.Rows},
		{"stay_row", s.Rows}, {"cross_row", s.Rows}, {"row_root", s.Rows},
	}...)
}

// beforeLayout names the wires of how many children before each node but the first are nodes.
func beforeLayout(s *shape.Shape) []Segment {
	return []Segment{{"node_before", s.Architecture.Nodes[1] - 1}}
}

// servedLayout names the wires of what leaves have of slices, slots and rows.
func servedLayout(s *shape.Shape) []Segment {
	slots := s.Capacity * (s.Slots + s.Architecture.Predicates[1])
	return []Segment{
		{"serves", s.Capacity * s.Slices},
		{"signs", slots}, {"taken", slots}, {"level", slots}, {"charged", slots},
		{"free", s.Capacity * s.Rows}, {"way", s.Capacity * s.Rows}, {"charge", s.Capacity * s.Rows},
		{"stay", s.Capacity * s.Rows}, {"cross", s.Capacity * s.Rows},
	}
}
