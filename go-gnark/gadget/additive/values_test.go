package additive_test

import (
	"testing"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/additive"
	"equiproof/gadget/bounded"
	"equiproof/internal/adversary"
	"equiproof/shape"
)

// homes has a slot of a number, two of one home and one of the other, and a phantom, in the columns of the boxes of falls_test.go.
var (
	homes = room{4, 5, width}
	asked = homes.fill([]predicate{{0, 0, 1, 3, false}, {1, 0, 1, 5, false}, {1, 0, 1, -9, false}, {2, 0, 1, -2, false}})
)

// gainBits is how wide gains are in these tests; they have one fractional bit.
const gainBits = 10

// valued compiles what the homes add to a leaf, and which slots lead to levels.
//
// Wires: those of falling up to whether the home is free, the slots, whether each is open, its sign, its charge; of both homes what they
// add, how many of their slots are stayed, and crossed; what both add at least, the sum, and which slots are heads.
func valued(t *testing.T) *adversary.Circuit {
	return adversary.Compile(t, 2*width+1+homes.wires()+3*5+3*2+1+1+5, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		low, high := take.Signed(a, width, 8), take.Signed(a, width, 8)
		people := additive.NewPeople(a, low, high, []shape.Choice{home}, take.Take(1))
		slots := homes.read(a, take)
		values := people.Values(a, slots, width, 1, gainBits, take.Take(5))
		signs := slots.ReadSigns(a, 1, take.Take(5))
		least := values.Assert(a, signs, take.Take(5), additive.ValueWires{
			Gain: take.Take(2), Stayed: take.Take(2), Crossed: take.Take(2), Least: take.Take(1),
		})
		facts := []bounded.Int{least}
		for j := range 5 {
			facts = append(facts, slots.Facts(j)[4])
		}
		equal(a, take, facts...)
	})
}

// Slots of an open home, what is charged for each, and the heads that are left: owning adds 2 (5 - 9) - 2, renting -2 2 + 3.
var (
	loose   = []any{0, 1, 1, 1, 0}
	charged = []any{1, 2, 0, -3, 0}
	heads   = []any{1, 0, 0, 0, 1}
)

// inLeaf lists the wires behind the slots: signs, then of both homes gains, stayed and crossed slots, and the least.
func inLeaf(signs []any, of ...any) []any {
	return adversary.Join(loose, signs, charged, of, of[len(of)-1], heads)
}

// No home adds less than is said: of those that somebody in the leaf can have.
func TestValuesAddAtLeast(t *testing.T) {
	circuit := valued(t)
	of := func(box, leaf []any) []any { return adversary.Join(box, asked, leaf) }
	everybody := []any{0, 0, 0, 0, 0}
	circuit.Accepts(t, "the worse home", of(open, inLeaf(everybody, -10, -1, 0, 0, 0, 0, -10))...)
	circuit.Accepts(t, "less than that", of(open, inLeaf(everybody, -10, -1, 0, 0, 0, 0, -400))...)
	circuit.Accepts(t, "the width of a least", of(open, inLeaf(everybody, -10, -1, 0, 0, 0, 0, -512))...)
	circuit.Refuses(t, "one more than the worse home", of(open, inLeaf(everybody, -10, -1, 0, 0, 0, 0, -9))...)
	circuit.Refuses(t, "the better home", of(open, inLeaf(everybody, -10, -1, 0, 0, 0, 0, -1))...)
	circuit.Refuses(t, "one less than the width", of(open, inLeaf(everybody, -10, -1, 0, 0, 0, 0, -513))...)
	circuit.Accepts(t, "a home that nobody in the box can have", of(renting, inLeaf(everybody, -10, -1, 0, 0, 0, 0, -1))...)
	circuit.Refuses(t, "more than the one that is left", of(renting, inLeaf(everybody, -10, -1, 0, 0, 0, 0, 0))...)

	stayed, upper, above := []any{0, -1, -1, 0, 0}, []any{0, 0, -1, 0, 0}, []any{0, 1, 0, 0, 0}
	rented, staying, both := []any{0, 0, 0, 1, 0}, []any{0, 0, 0, -1, 0}, []any{0, 1, 0, 1, 0}
	circuit.Accepts(t, "nobody owns", of(open, inLeaf(stayed, -10, -1, 2, 0, 0, 0, -1))...)
	circuit.Refuses(t, "and renting adds more", of(open, inLeaf(stayed, -10, -1, 2, 0, 0, 0, 0))...)
	circuit.Accepts(t, "nobody owns by the upper slot", of(open, inLeaf(upper, -10, -1, 1, 0, 0, 0, -1))...)
	circuit.Accepts(t, "everybody owns", of(open, inLeaf(above, -10, -1, 0, 0, 1, 0, -10))...)
	circuit.Refuses(t, "and renting adds more than that", of(open, inLeaf(above, -10, -1, 0, 0, 1, 0, -9))...)
	circuit.Accepts(t, "everybody rents", of(open, inLeaf(rented, -10, -1, 0, 0, 0, 1, -1))...)
	circuit.Accepts(t, "nobody rents", of(open, inLeaf(staying, -10, -1, 0, 1, 0, 0, -10))...)
	circuit.Refuses(t, "and owning adds more", of(open, inLeaf(staying, -10, -1, 0, 1, 0, 0, -9))...)
	circuit.Accepts(t, "nobody is there, so anything is added", of(open, inLeaf(both, -10, -1, 0, 0, 1, 1, 511))...)
	circuit.Refuses(t, "of a width", of(open, inLeaf(both, -10, -1, 0, 0, 1, 1, 512))...)
}

// Gains and counts are those of the slots of a home, and of no other one.
func TestSumsOfValues(t *testing.T) {
	circuit := valued(t)
	of := func(leaf []any) []any { return adversary.Join(open, asked, leaf) }
	everybody, rented, stayed := []any{0, 0, 0, 0, 0}, []any{0, 0, 0, 1, 0}, []any{0, -1, -1, 0, 0}
	circuit.Refuses(t, "a gain too large", of(inLeaf(everybody, -9, -1, 0, 0, 0, 0, -9))...)
	circuit.Refuses(t, "gains that are shared", of(inLeaf(everybody, -6, -5, 0, 0, 0, 0, -6))...)
	circuit.Refuses(t, "gains that are exchanged", of(inLeaf(rented, -1, -10, 0, 0, 0, 1, -10))...)
	circuit.Refuses(t, "stayed, and no slot is", of(inLeaf(everybody, -10, -1, 1, 0, 0, 0, -1))...)
	circuit.Refuses(t, "crossed, and no slot is", of(inLeaf(everybody, -10, -1, 0, 0, 0, 1, -1))...)
	circuit.Refuses(t, "crossed by the other home", of(inLeaf(rented, -10, -1, 0, 0, 1, 0, -10))...)
	circuit.Refuses(t, "stayed by the other home", of(inLeaf(stayed, -10, -1, 0, 2, 0, 0, -10))...)
	circuit.Refuses(t, "one more is stayed, and one less crossed", of(inLeaf(rented, -10, -1, 1, 0, 0, 0, -1))...)
	circuit.Refuses(t, "half of one is crossed", of(inLeaf(rented, -10, -1, 0, 0, 0, half, -1))...)
}

// Which slots are open follows from their columns; levels of these count for nothing, those of others do.
func TestSlotsOfOpenCategories(t *testing.T) {
	circuit := valued(t)
	with := func(box, loose []any, of ...any) []any {
		heads := []any{1, 1, 0, 1, 1}
		for j := range heads {
			if heads[j] == 1 && loose[j] == 1 {
				heads[j] = 0
			}
		}
		return adversary.Join(box, asked, loose, []any{0, 0, 0, 0, 0}, charged, of, of[len(of)-1], heads)
	}
	circuit.Accepts(t, "as they are", with(open, loose, -10, -1, 0, 0, 0, 0, -10)...)
	circuit.Accepts(t, "a settled home's levels count", with(owning, []any{0, 0, 0, 0, 0}, 0, 0, 0, 0, 0, 0, 0)...)
	circuit.Refuses(t, "and it adds nothing besides", with(owning, []any{0, 0, 0, 0, 0}, 0, 0, 0, 0, 0, 0, -1)...)
	circuit.Refuses(t, "a slot is left out", with(open, []any{0, 1, 0, 1, 0}, 8, -1, 0, 0, 0, 0, -1)...)
	circuit.Refuses(t, "a home is left out", with(open, []any{0, 0, 0, 1, 0}, 0, -1, 0, 0, 0, 0, -1)...)
	circuit.Refuses(t, "a number is of a home", with(open, []any{1, 1, 1, 1, 0}, -10, -1, 0, 0, 0, 0, -10)...)
	circuit.Refuses(t, "a phantom is", with(open, []any{0, 1, 1, 1, 1}, -10, -1, 0, 0, 0, 0, -10)...)
	circuit.Refuses(t, "a settled home is open", with(owning, loose, -10, -1, 0, 0, 0, 0, 0)...)
	circuit.Refuses(t, "half of one is left out", with(open, []any{0, 1, half, 1, 0}, -1, -1, 0, 0, 0, 0, -1)...)
}
