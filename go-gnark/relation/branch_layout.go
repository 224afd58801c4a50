package relation

import (
	"fmt"
	"slices"

	"equiproof/gadget/tree"
	"equiproof/shape"
)

// BranchLayout names the private wires of a shape of scheme `branch` in order.
//
// Passes of the bounds of layer L stand by slice, then by neuron, the lower bound's before the upper one's; those of the
// margins, L = H + 1, by leaf, then by margin.
func BranchLayout(s *shape.Shape, b *shape.Branch) []Segment {
	segments := opened(s)
	if len(s.OneHot) > 0 {
		segments = append(segments, Segment{"free", len(s.OneHot)})
	}
	return slices.Concat(segments, boundsLayout(s, b), leavesLayout(s, b))
}

// boundsLayout names the wires of every slice's bounds and lines, and of the passes that prove them.
func boundsLayout(s *shape.Shape, b *shape.Branch) []Segment {
	a := &s.Architecture
	hidden, first := len(a.Hidden), 2
	var segments []Segment
	if !s.Boxes() {
		segments = append(segments, Segment{"first_radii", a.Hidden[0]})
	} else if first = 1; len(s.OneHot) > 0 {
		segments = append(segments, Segment{"first_least", 2 * a.Hidden[0] * len(s.OneHot)})
	}
	if !s.Keeps() {
		segments = append(segments, splitLayout(s, "negative_weight", first)...)
	}
	for l, size := range a.Hidden {
		all := s.Slices * size
		segments = append(segments,
			Segment{fmt.Sprintf("low.%d", l+1), all}, Segment{fmt.Sprintf("high.%d", l+1), all},
			Segment{fmt.Sprintf("upper.%d", l+1), all}, Segment{fmt.Sprintf("offset.%d", l+1), all})
		if l+1 < hidden {
			segments = append(segments, Segment{fmt.Sprintf("lower.%d", l+1), all})
		}
	}
	for l := 2; l <= hidden; l++ {
		segments = append(segments, passes(s, b, l, 2*s.Slices*a.Hidden[l-1])...)
	}
	return segments
}

// splitLayout names wires of how the weights of hidden layers are split, from a layer on: one for each.
func splitLayout(s *shape.Shape, name string, from int) (segments []Segment) {
	layers := s.Layers()
	for l := from; l <= len(s.Architecture.Hidden); l++ {
		segments = append(segments, Segment{fmt.Sprintf("%s.%d", name, l), layers[l-1][0] * layers[l-1][1]})
	}
	return segments
}

// leavesLayout names the wires of the tree and of its leaves.
func leavesLayout(s *shape.Shape, b *shape.Branch) []Segment {
	a, n := &s.Architecture, s.Neurons()
	splits, margins := s.Capacity-s.Slices, s.Capacity*max(1, a.Logits-1)
	words := tree.Words(n, s.Slices, splits)
	segments := []Segment{
		{"chosen_slice", s.Capacity * s.Slices},
		{"signs", s.Capacity * n},
		{"key", splits * words},
		{"digit", splits * words},
	}
	if s.LooksUpSlices() {
		segments = append(segments, Segment{"of_slice", s.Capacity * (a.Sensitive + 2*n)})
	}
	segments = append(segments, Segment{"multiplier", margins})
	for j := len(a.Hidden); j >= 1; j-- {
		segments = append(segments,
			Segment{fmt.Sprintf("leaf_lower.%d", j), margins * a.Hidden[j-1]},
			Segment{fmt.Sprintf("excess.%d", j), margins * a.Hidden[j-1]})
	}
	if s.Ranges() {
		segments = append(segments, Segment{"cut", margins * a.Plain}, Segment{"negative_cut", margins * a.Plain})
	}
	return append(segments, passes(s, b, len(a.Hidden)+1, margins)...)
}

// passes names the wires of the passes of one top layer.
func passes(s *shape.Shape, b *shape.Branch, top, count int) []Segment {
	a, form, leaf := &s.Architecture, &b.Forms[top-2], top > len(s.Architecture.Hidden)
	var segments []Segment
	add := func(name string, j, length int) {
		segments = append(segments, Segment{fmt.Sprintf("%s.%d.%d", name, top, j), count * length})
	}
	for j := top - 1; j >= 1; j-- {
		size, rounded := a.Hidden[j-1], form.Rounding[j-1] > 0
		if rounded {
			add("kappa", j, 1)
		}
		switch {
		case j == top-1:
		case leaf:
			add("coefficients", j, size)
			if rounded {
				add("floor", j, size)
			}
		default:
			add("positive", j, size)
			add("negative", j, size)
			if rounded {
				add("rest", j, size)
			}
		}
		add("constant", j, 1)
	}
	add("coefficients", 0, a.Plain+a.Sensitive)
	if s.Boxes() {
		numbers := a.Plain
		for _, c := range s.OneHot {
			numbers -= c.Values
		}
		if numbers > 0 {
			add("negative", 0, numbers)
		}
		if len(s.OneHot) > 0 {
			add("least", 0, len(s.OneHot))
		}
		return segments
	}
	if leaf && form.Coarse == 0 {
		return segments
	}
	add("radius", 0, 1)
	if form.Coarse > 0 {
		add("coarse", 0, a.Plain)
		add("rest_radius", 0, 1)
	}
	return segments
}
