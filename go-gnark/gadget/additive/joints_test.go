package additive_test

import (
	"math/big"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/additive"
	"equiproof/gadget/bounded"
	"equiproof/internal/adversary"
)

// halves returns n / 2 modulo the field's order.
func halves(n int64) *big.Int {
	return new(big.Int).Mod(new(big.Int).Mul(half, big.NewInt(n)), fr.Modulus())
}

// Two slots are joined where their columns are one, and only there, whatever goes with it.
func TestJointsFollowColumns(t *testing.T) {
	two := room{2, 2, 2}
	circuit := facts(t, two)
	one := two.fill([]predicate{{0, 2, 1, 5, false}, {0, 5, 1, -5, false}})
	other := two.fill([]predicate{{0, 2, 1, 5, false}, {1, 5, 1, -5, false}})
	joint := two.at(joined, 0)
	of := func(given []any, facts ...any) []any { return adversary.Join(given, facts) }
	together, apart := []any{4, 1, 0, 0, 1, 21, 0, 0, 0, 0}, []any{4, 0, 0, 0, 1, 25, 0, 0, 0, 1}
	circuit.Accepts(t, "one column", of(one, together...)...)
	circuit.Accepts(t, "two columns", of(other, apart...)...)
	circuit.Refuses(t, "one column in two", of(with(one, joint, 0), apart...)...)
	circuit.Refuses(t, "two columns in one", of(with(other, joint, 1), together...)...)
	circuit.Refuses(t, "one joint twice", of(with(one, joint, 2), 4, 2, 0, 0, 1, 17, 0, 0, 0, -1)...)
}

// The slots of a column stand as its predicates do: parts of lives that add up to as many make no other order.
func TestLivesAreWhole(t *testing.T) {
	two := room{2, 2, 2}
	circuit := facts(t, two)
	honest := two.fill([]predicate{{0, 2, 1, 5, false}, {0, 5, 1, -5, false}})
	// A slot has the number V + 1 + j less V times its life: 2 and 1 in turn.
	swapped := with(honest, two.at(gaps, 0), 25, two.at(gaps, 1), 4, two.at(steps, 0), -5, two.at(steps, 1), 5,
		two.at(lives, 0), half, two.at(lives, 1), halves(3))
	circuit.Refuses(t, "the farther one first", adversary.Join(swapped, 25, 1, 0, 0, 1, -21, 0, 0, 0, 0)...)
}

// A predicate's number is one more than its slot; a dead one has none.
func TestNumbersOfPredicates(t *testing.T) {
	circuit := adversary.Compile(t, six.wires()+6, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		numbers := six.read(a, take).Numbers()
		if len(numbers) != 6 {
			t.Fatalf("%d numbers of six predicates", len(numbers))
		}
		for i, wire := range take.Take(6) {
			a.API().AssertIsEqual(numbers[i], wire)
		}
	})
	circuit.Accepts(t, "the fourth is dead", adversary.Join(six.fill(crowd), 1, 2, 3, 0, 4, 5)...)
}

// Stated slots are joined as those of predicates are: the first and the last one have no neighbor beyond.
func TestStatedSlotsAreJoined(t *testing.T) {
	circuit := adversary.Compile(t, 3+3+3+2+15, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		var gap2 []bounded.Int
		for _, wire := range take.Take(3) {
			gap2 = append(gap2, a.Unsigned(wire, 8))
		}
		side, step, same := take.Bits(a, 3), take.Signed(a, 3, 4), take.Bits(a, 2)
		slots := additive.StatedSlots(a, nil, gap2, side, step, same)
		for j := range 3 {
			equal(a, take, slots.Facts(j)...)
		}
	})
	of := func(given ...any) []any { return given }
	circuit.Accepts(t, "above, and one alone", of(4, 25, 9, 1, 1, 1, 1, -2, 3, 1, 0, 4, 1, 0, 0, 1, 21, 0, 0, 0, 0, 9, 0, 0, 0, 1)...)
	circuit.Accepts(t, "below and around", of(25, 4, 9, 0, 0, 1, 1, -2, 3, 1, 1, 21, 0, 1, 0, 0, 4, 0, 0, 1, 1, 9, 0, 0, 0, 0)...)
	circuit.Accepts(t, "all alone", of(4, 25, 9, 1, 0, 1, 1, -2, 3, 0, 0, 4, 0, 0, 0, 1, 25, 0, 0, 0, 1, 9, 0, 0, 0, 1)...)
	circuit.Refuses(t, "a gap that falls", of(25, 4, 9, 1, 1, 1, 1, -2, 3, 1, 0, 25, 1, 0, 0, 1, -21, 0, 0, 0, 0, 9, 0, 0, 0, 1)...)
}
