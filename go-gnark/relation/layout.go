// Package relation builds the circuit of a statement out of the gadgets; docs/relation.md says the same in words.
package relation

import (
	"fmt"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/shape"
)

// Segment names a run of private wires.
type Segment struct {
	Name   string `json:"name"`
	Length int    `json:"length"`
}

// Circuit is a circuit whose one public wire is a digest, and whose private wires have names.
type Circuit interface {
	frontend.Circuit
	// Inputs returns the public digest and the private wires, to be assigned.
	Inputs() (digest *frontend.Variable, wires []frontend.Variable)
	// Layout names the private wires in order.
	Layout() []Segment
	// Widths lists the places of the circuit with the widest integer that each can hold; known once it is compiled.
	Widths() []bounded.Width
	// Record says which constraints are for which part; known once it is compiled.
	Record() bounded.Record
}

// opened names the private wires of what a statement speaks of, which every scheme has first.
func opened(s *shape.Shape) []Segment {
	if s.Boxes() {
		return openedBox(s)
	}
	segments := append(ModelLayout(s), Segment{"model_blinding", 1})
	if s.Keeps() {
		segments = append(WordLayout(s), Segment{"model_commitment", 1}, Segment{"link_blinding", 1})
	}
	segments = append(segments,
		Segment{"spec_digest", 1},
		Segment{"table", s.Slices * s.Architecture.Sensitive},
		Segment{"query", s.Architecture.Plain},
		Segment{"query_blinding", 1},
		Segment{"label", s.Architecture.Logits},
		Segment{"radius_squared", 1},
		Segment{"context_digest", 1},
	)
	if s.Gains() {
		segments = append(segments, Segment{"least_gain", 1}, Segment{"logit_fraction_bits", 1})
	}
	return append(segments, RangeLayout(s)...)
}

// networkLayout names the wires of a network.
func networkLayout(s *shape.Shape) (segments []Segment) {
	for l, size := range s.Layers() {
		segments = append(segments,
			Segment{fmt.Sprintf("weights.%d", l+1), size[0] * size[1]},
			Segment{fmt.Sprintf("biases.%d", l+1), size[0]})
	}
	return segments
}

// RangeLayout names the wires of the ranges of the n_x columns, of which a shape without ranges has none.
func RangeLayout(s *shape.Shape) []Segment {
	if !s.Ranges() {
		return nil
	}
	return []Segment{{"range_low", s.Architecture.Plain}, {"range_high", s.Architecture.Plain}}
}

// Layout names the private wires of a shape in order. The prover's layout must be the same list.
func Layout(s *shape.Shape) []Segment {
	n, first := s.Neurons(), s.Architecture.Hidden[0]
	return append(opened(s),
		Segment{"slice", s.Capacity - s.Slices},
		Segment{"pattern", s.Capacity * n},
		Segment{"crossed_first", s.Slices * first},
		Segment{"crossed_deeper", s.Capacity * (n - first)},
		Segment{"neighbor", s.Capacity * n},
	)
}

// Wires is the number of private wires.
func Wires(s *shape.Shape) int { return Length(Layout(s)) }

// Length is the number of wires of a layout.
func Length(layout []Segment) int {
	total := 0
	for _, segment := range layout {
		total += segment.Length
	}
	return total
}

// Take cuts wires into the named segments of their layout.
func Take(layout []Segment, wires []frontend.Variable) map[string][]frontend.Variable {
	segments := map[string][]frontend.Variable{}
	for _, segment := range layout {
		segments[segment.Name], wires = wires[:segment.Length], wires[segment.Length:]
	}
	return segments
}
