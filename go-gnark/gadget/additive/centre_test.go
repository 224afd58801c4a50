package additive_test

import (
	"testing"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/additive"
	"equiproof/gadget/bounded"
	"equiproof/gadget/member"
	"equiproof/internal/adversary"
)

// signed reads a label's bit as sigma, 1 or -1.
func signed(a *bounded.Arith, take *adversary.Wires) bounded.Int {
	label := a.Bit(take.Take(1)[0])
	return a.Sub(a.Add(label, label), a.Constant(1))
}

// The base is sigma times bias and jumps that the query passes, with the worst slice's; a step is what crossing adds: the jump
// ahead, or what the one behind takes away.
func TestCentre(t *testing.T) {
	circuit := adversary.Compile(t, 2+3+3+1+4, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		sigma := signed(a, take)
		m := additive.Model{Bias: take.Signed(a, 1, 6)[0], Jumps: take.Signed(a, 3, 4), Plain: 3}
		var oriented []additive.Oriented
		for _, side := range take.Bits(a, 3) {
			oriented = append(oriented, additive.NewOriented(side, a.Constant(0), 1))
		}
		centre := additive.NewCentre(a, m, sigma, oriented, take.Signed(a, 1, 5)[0])
		equal(a, take, append([]bounded.Int{centre.Base}, centre.Steps...)...)
		if lo, hi := centre.Base.Bounds(); lo.Int64() != -32-3*8-16 || hi.Int64() != 32+3*8+15 {
			t.Errorf("the base lies in [%v, %v]", lo, hi)
		}
		for _, step := range centre.Steps {
			if lo, hi := step.Bounds(); lo.Int64() != -8 || hi.Int64() != 8 {
				t.Errorf("a step lies in [%v, %v]", lo, hi)
			}
		}
	})
	for name, of := range map[string][]any{
		"label 1":              {1, 9, 5, -6, 7, 1, 0, 0, -4, 9 - 6 + 7 - 4, 5, 6, -7},
		"label 0":              {0, 9, 5, -6, 7, 1, 0, 0, -4, -9 + 6 - 7 - 4, -5, -6, 7},
		"all ahead":            {1, -32, 5, -8, 7, 1, 1, 1, 15, -32 + 15, 5, -8, 7},
		"all behind":           {1, 31, 5, -8, 7, 0, 0, 0, 15, 31 + 4 + 15, -5, 8, -7},
		"all behind, label 0":  {0, -32, -8, -8, -8, 0, 0, 0, 15, 32 + 24 + 15, -8, -8, -8},
		"the first one behind": {1, 0, 5, -6, 7, 0, 1, 1, 0, 5, -5, -6, 7},
	} {
		circuit.Accepts(t, name, of...)
		for place := 9; place < 13; place++ {
			circuit.Refuses(t, name+", another result", with(of, place, of[place].(int)+1)...)
		}
		circuit.Refuses(t, name+", the other label", with(of, 0, 1-of[0].(int))...)
		circuit.Refuses(t, name+", half a side", with(of, 3+2, half)...)
	}
}

// sliced compiles two plain columns with two sensitive ones, of which there are three slices and three predicates; what the
// worst slice adds has six signed bits.
func sliced(t *testing.T) *adversary.Circuit {
	sizes := small(1, 3)
	sizes.PlainColumns = 2
	return adversary.Compile(t, 13+2+6+1+9+9+1+1, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		m, query := modelOf(a, take, sizes), take.Signed(a, 2, 5)
		table := [][]bounded.Int{take.Signed(a, 2, 5), take.Signed(a, 2, 5), take.Signed(a, 2, 5)}
		inputs := additive.NewInputs(member.New(a), query, table)
		sigma := signed(a, take)
		worst := additive.Slices(a, m, inputs, sigma, take.Take(9), take.Take(9), take.Take(1)[0], 6)
		equal(a, take, worst)
		if lo, hi := worst.Bounds(); lo.Int64() != -32 || hi.Int64() != 31 {
			t.Errorf("the worst slice lies in [%v, %v]", lo, hi)
		}
	})
}

// triple is three slices (1, -3), (4, 6), (-5, 2) of the columns 2 and 3, with thresholds 1 of column 2, and 2 and 5 of
// column 3, and jumps 3, -4 and 6: they add 0, 3 - 4 + 6 = 5 and 0.
var triple = []any{
	0, 2, 3, 3, -9, 1, 2, 5, 7, 3, -4, 6, 20, 11, -12, 1, -3, 4, 6, -5, 2, 1,
	1, -3, -3, 4, 6, 6, -5, 2, 2, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0,
}

// What is claimed of the worst slice is at most what each adds, by each slice's own values.
func TestSlices(t *testing.T) {
	circuit := sliced(t)
	const label, at, side, worst, out = 21, 22, 31, 40, 41
	circuit.Accepts(t, "the worst", triple...)
	circuit.Accepts(t, "less", with(triple, worst, -32, out, -32)...)
	other := with(triple, label, 0)
	circuit.Accepts(t, "the other label's worst", with(other, worst, -5, out, -5)...)
	circuit.Refuses(t, "more than the other label's worst", with(other, worst, -4, out, -4)...)
	last := with(triple, 20, 3, at+7, 3, at+8, 3, side+7, 0)
	circuit.Accepts(t, "the last slice is the worst", with(last, worst, -4, out, -4)...)
	first := with(triple, 16, 3, at+1, 3, at+2, 3, side+1, 0)
	circuit.Accepts(t, "the first slice is the worst", with(first, worst, -4, out, -4)...)
	for name, lie := range map[string][]any{
		"more than the worst":                 with(triple, worst, 1, out, 1),
		"more than the last one":              with(last, worst, -3, out, -3),
		"more than the first one":             with(first, worst, -3, out, -3),
		"what one slice adds":                 with(triple, worst, 5, out, 5),
		"beyond the width":                    with(triple, worst, -33, out, -33),
		"half":                                with(triple, worst, half, out, half),
		"another result":                      with(triple, out, -1),
		"a value of the slice's other column": with(triple, at, -3),
		"a value of the first slice":          with(last, at+7, -3, side+7, 1),
		"a value of the second slice":         with(first, at+1, 6),
		"a value of the query":                with(triple, at+6, -12),
		"a value of nobody":                   with(triple, at+8, 3),
		"a jump that a slice does not pass":   with(triple, side+8, 0),
		"a jump at its threshold":             with(triple, side+7, 0, worst, -4, out, -4),
		"a jump that a slice passes left out": with(first, side+1, 1),
		"half a jump":                         with(triple, side+4, half),
		"a jump twice":                        with(triple, side+5, -1, at+5, 6),
		"two slices' values exchanged":        with(triple, at+1, 2, at+2, 2, at+7, -3, at+8, -3),
	} {
		circuit.Refuses(t, name, lie...)
	}
}

// Passing a sensitive predicate adds its jump for label 1 and takes it away for label 0; the interval holds both ends of both.
func TestSensitiveSteps(t *testing.T) {
	circuit := adversary.Compile(t, 1+4+2, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		sigma := signed(a, take)
		m := additive.Model{Jumps: take.Signed(a, 4, 4), Plain: 2}
		steps := additive.SensitiveSteps(a, m, sigma)
		equal(a, take, steps...)
		for _, step := range steps {
			if lo, hi := step.Bounds(); lo.Int64() != -8 || hi.Int64() != 8 {
				t.Errorf("a step lies in [%v, %v]", lo, hi)
			}
		}
	})
	circuit.Accepts(t, "label 1", 1, 5, 6, 7, -8, 7, -8)
	circuit.Accepts(t, "label 0", 0, 5, 6, 7, -8, -7, 8)
	for place := 5; place < 7; place++ {
		lie := []any{1, 5, 6, 7, -8, 7, -8}
		circuit.Refuses(t, "another step", with(lie, place, lie[place].(int)+1)...)
		circuit.Refuses(t, "the other label's step", with(lie, place, -lie[place].(int))...)
	}
}
