package additive_test

import (
	"testing"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/additive"
	"equiproof/gadget/bounded"
	"equiproof/gadget/member"
	"equiproof/internal/adversary"
	"equiproof/shape"
)

// twoHomes are the categories of these tests, behind a number.
var twoHomes = []shape.Choice{{First: 1, Values: 2, Low: -1, High: 2}, {First: 3, Values: 2, Low: -1, High: 2}}

// person is the sizes of a model of a number and both homes, with a predicate for each of their four columns.
var person = additive.Sizes{
	PlainColumns: 5, SensitiveColumns: 1, PlainPredicates: 4, SensitivePredicates: 1, InputBits: 5, JumpBits: 4, BiasBits: 6,
}

// gaining compiles what a label gains at least in a box with two categories.
//
// Wires: least and largest ends, whether either home is free, the model; of each plain predicate the ends of its column, whether that is
// a free home's, both sides, whether the next one is of its column, and whether it is taken; what each home's column adds, the least
// that either home does, and what the label gains.
func gaining(t *testing.T) *adversary.Circuit {
	return adversary.Compile(t, 2*5+2+16+7*4+4+2+1, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		low, high := take.Signed(a, 5, 5), take.Signed(a, 5, 5)
		people := additive.NewPeople(a, low, high, twoHomes, take.Take(2))
		m := modelOf(a, take, person)
		equal(a, take, people.Least(a, member.New(a), m, a.Constant(1), gainBits, additive.PeopleWires{
			Low: take.Take(4), High: take.Take(4), Loose: take.Take(4), SideLow: take.Take(4), SideHigh: take.Take(4),
			Same: take.Take(4), Taken: take.Take(4), Gain: take.Take(4), Least: take.Take(2),
		}))
	})
}

// Of each free home counts the least that one of its allowed values adds, and that of both homes together.
func TestTwoCategories(t *testing.T) {
	circuit := gaining(t)
	jumps := []int{5, -3, 2, 7}
	// in lists the wires of a box in which both homes are free, and some of their values allowed.
	in := func(allowed [4]bool, least ...any) []any {
		low, high, sides, gains := []any{0, -1, -1, -1, -1}, []any{0}, []any{}, []any{}
		for column, is := range allowed {
			end, side, gain := 2, 0, jumps[column]
			if !is {
				end, side, gain = -1, 1, 0
			}
			high, sides, gains = append(high, end), append(sides, side), append(gains, gain)
		}
		model := []any{1, 2, 3, 4, 5, 0, 0, 0, 0, 0, 5, -3, 2, 7, 0, 1}
		none, all := []any{0, 0, 0, 0}, []any{1, 1, 1, 1}
		return adversary.Join(low, high, 1, 1, model, low[1:], high[1:], all, all, sides, none, none, gains, least)
	}
	all, first, second := [4]bool{true, true, true, true}, [4]bool{true, false, true, true}, [4]bool{true, true, false, true}
	circuit.Accepts(t, "the worse value of each", in(all, -3, 2, 1-3+2)...)
	circuit.Accepts(t, "less than that of either", in(all, -4, 0, 1-4+0)...)
	circuit.Accepts(t, "the width of a least", in(all, -512, 2, 1-512+2)...)
	circuit.Accepts(t, "the last value is not allowed", in(first, 5, 2, 1+5+2)...)
	circuit.Accepts(t, "the first one is not", in(second, -3, 7, 1-3+7)...)
	circuit.Refuses(t, "more than the first home's", in(all, -2, 2, 1-2+2)...)
	circuit.Refuses(t, "more than the second home's", in(all, -3, 3, 1-3+3)...)
	circuit.Refuses(t, "the leasts exchanged", in(all, 2, -3, 1+2-3)...)
	circuit.Refuses(t, "the first home counts for nothing", in(all, -3, 2, 1+2)...)
	circuit.Refuses(t, "the second one does", in(all, -3, 2, 1-3)...)
	circuit.Refuses(t, "more than the only value allowed", in(first, 6, 2, 1+6+2)...)
	circuit.Refuses(t, "the value that is not allowed", in(second, -3, 2, 1-3+7)...)
	circuit.Refuses(t, "one less than the width", in(all, -513, 2, 1-513+2)...)
	circuit.Refuses(t, "nobody has the first home", in([4]bool{false, false, true, true}, 7, 2, 1+7+2)...)
	circuit.Refuses(t, "nobody has the second one", in([4]bool{true, true, false, false}, -3, 7, 1-3+7)...)
}

// Nobody in a box has the integer of a missing value, unless all of them lack it, whichever column it is.
func TestLargestEndsAreStated(t *testing.T) {
	sizes := small(2, 1)
	sizes.PlainColumns, sizes.SensitiveColumns = 2, 1
	circuit := adversary.Compile(t, 10+2*2+1+4*2+2*2, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		m := modelOf(a, take, sizes)
		low, high, argument := take.Signed(a, 2, 5), take.Signed(a, 2, 5), member.New(a)
		inputs := additive.NewInputs(argument, low, [][]bounded.Int{take.Signed(a, 1, 5)})
		w := additive.BesideWires{Low: take.Take(2), High: take.Take(2), SideLow: take.Take(2), SideHigh: take.Take(2)}
		inputs.Miss(a, argument, 5, take.Take(2), take.Take(2))
		additive.NewPeople(a, low, high, nil, nil).Around(a, argument, m, inputs, 5, w)
	})
	// Each column has a predicate at 3; of a column that is missing nobody is near it.
	of := func(low, high [2]int, missing ...any) []any {
		side := func(end int) int {
			if end <= 3 {
				return 1
			}
			return 0
		}
		ends := []any{low[0], low[1], high[0], high[1]}
		sides := []any{side(low[0]), side(low[1]), side(high[0]), side(high[1])}
		return adversary.Join(0, 1, 2, 3, 3, 0, 1, 1, 0, 0, ends, 0, ends, sides, missing, missing)
	}
	circuit.Accepts(t, "nobody lacks anything", of([2]int{0, 0}, [2]int{14, 14}, 0, 0)...)
	circuit.Accepts(t, "all lack the first one", of([2]int{15, 0}, [2]int{15, 14}, 1, 0)...)
	circuit.Accepts(t, "all lack the second one", of([2]int{0, 15}, [2]int{14, 15}, 0, 1)...)
	circuit.Refuses(t, "some lack the first one", of([2]int{0, 0}, [2]int{15, 14}, 0, 0)...)
	circuit.Refuses(t, "some lack the second one", of([2]int{0, 0}, [2]int{14, 15}, 0, 0)...)
	circuit.Refuses(t, "all are said to lack what some state", of([2]int{0, 0}, [2]int{15, 14}, 1, 0)...)
	circuit.Refuses(t, "and of the second one", of([2]int{0, 0}, [2]int{14, 15}, 0, 1)...)
}
