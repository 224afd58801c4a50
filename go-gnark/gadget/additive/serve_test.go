package additive_test

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/additive"
	"equiproof/gadget/bounded"
	"equiproof/gadget/digest"
	"equiproof/internal/adversary"
	"equiproof/internal/oracle"
)

// serving compiles one plain slot and two sensitive ones, with three slices: the slot's wires, two sensitive steps, the sides of
// the first, second and third slice, then by leaf its life, its signs and the slices that it serves. Leaves must cover.
func serving(t *testing.T, leaves int) *adversary.Circuit {
	return adversary.Compile(t, alone.wires()+2+6+leaves*7, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		slots := alone.read(a, take)
		slots.Append(a, take.Signed(a, 2, 8))
		sides := [][]bounded.Int{take.Bits(a, 2), take.Bits(a, 2), take.Bits(a, 2)}
		var boxes []additive.Box
		for range leaves {
			signs := slots.ReadSigns(a, take.Take(1)[0], take.Take(3))
			slots.Serve(a, signs, take.Take(3), sides)
			boxes = append(boxes, signs.Box)
		}
		slots.Cover(a, 77, boxes)
	})
}

// served lists the wires: the first slice stays below the first sensitive threshold only, the second below the second only, the
// third passes both. A leaf is its life, three signs and three slices.
func served(leaves ...[]any) []any {
	given := alone.fill([]predicate{{column: 0, gap: 3, side: 1, step: 5}})
	given = append(given, 4, -6, 1, 0, 0, 1, 0, 0)
	for _, of := range leaves {
		given = append(given, of...)
	}
	return given
}

// A slice is served by leaves of its own side of each sensitive threshold, or of either.
func TestServe(t *testing.T) {
	circuit := serving(t, 2)
	dead, all := []any{0, 0, 0, 0, 0, 0, 0}, []any{1, 0, 0, 0, 1, 1, 1}
	rest := func(slices ...any) []any { return append([]any{1, 0, 0, 0}, slices...) }
	for name, of := range map[string][][]any{
		"everything":                 {all, dead},
		"the other one":              {dead, all},
		"nothing, but live":          {all, {1, 0, 0, 0, 0, 0, 0}},
		"nothing, with a sign":       {all, {1, 0, 1, -1, 0, 0, 0}},
		"across the first threshold": {{1, 0, 1, 0, 0, 1, 1}, rest(1, 0, 0)},
		"this side of the first one": {{1, 0, -1, 0, 1, 0, 0}, rest(0, 1, 1)},
		"across the second one":      {{1, 0, 0, 1, 1, 0, 1}, rest(0, 1, 0)},
		"this side of the second":    {{1, 0, 0, -1, 0, 1, 0}, rest(1, 0, 1)},
		"across the first alone":     {{1, 0, 1, -1, 0, 1, 0}, rest(1, 0, 1)},
		"across both":                {{1, 0, 1, 1, 0, 0, 1}, rest(1, 1, 0)},
		"a dead one's signs":         {all, {0, 1, 1, -1, 0, 0, 0}},
	} {
		circuit.Accepts(t, name, served(of...)...)
	}
	for name, lie := range map[string][][]any{
		"the first slice is not across":        {{1, 0, 1, 0, 1, 1, 1}, dead},
		"nor is it with the second alone":      {{1, 0, 1, 0, 1, 1, 0}, rest(0, 0, 1)},
		"the second slice is across":           {{1, 0, -1, 0, 1, 1, 0}, rest(0, 0, 1)},
		"the third slice is across":            {{1, 0, -1, 0, 1, 0, 1}, rest(0, 1, 0)},
		"the second is not across the second":  {{1, 0, 0, 1, 1, 1, 1}, dead},
		"the first is across the second":       {{1, 0, 0, -1, 1, 1, 0}, rest(0, 0, 1)},
		"the third is across the second":       {{1, 0, 0, -1, 0, 1, 1}, rest(1, 0, 0)},
		"nothing is this side of both":         {{1, 0, -1, -1, 1, 0, 0}, rest(0, 1, 1)},
		"a slice of a dead leaf":               {{0, 0, 0, 0, 1, 0, 0}, rest(0, 1, 1)},
		"the last slice of a dead leaf":        {{0, 0, 0, 0, 0, 0, 1}, rest(1, 1, 0)},
		"all slices of a dead leaf":            {{0, 0, 0, 0, 1, 1, 1}, dead},
		"a slice by halves":                    {rest(half, 1, 1), rest(half, 0, 0)},
		"the last slice by halves":             {rest(1, 1, half), rest(0, 0, half)},
		"a slice twice, less once":             {rest(2, 1, 1), rest(-1, 0, 0)},
		"the last slice twice, less once":      {rest(1, 1, 2), rest(0, 0, -1)},
		"slices of a dead leaf that cancel":    {{0, 0, 0, 0, 1, -1, 0}, rest(0, 2, 1)},
		"slices of the wrong side that cancel": {{1, 0, -1, 0, 1, 1, -1}, rest(0, 0, 2)},
	} {
		circuit.Refuses(t, name, served(lie...)...)
	}
}

// Every slice has each cell once: what one slice lacks, another does not make up for.
func TestCoverOfSlices(t *testing.T) {
	circuit := serving(t, 4)
	dead := []any{0, 0, 0, 0, 0, 0, 0}
	leaf := func(sign any, slices ...any) []any { return append([]any{1, sign, 0, 0}, slices...) }
	for name, of := range map[string][][]any{
		"all at once":          {leaf(0, 1, 1, 1), dead, dead, dead},
		"slice by slice":       {leaf(0, 1, 0, 0), leaf(0, 0, 1, 0), leaf(0, 0, 0, 1), dead},
		"cell by cell":         {leaf(1, 1, 1, 1), leaf(-1, 1, 1, 1), dead, dead},
		"one slice by cells":   {leaf(1, 0, 1, 0), leaf(-1, 0, 1, 0), leaf(0, 1, 0, 1), dead},
		"the last one by them": {leaf(1, 0, 0, 1), dead, leaf(-1, 0, 0, 1), leaf(0, 1, 1, 0)},
	} {
		circuit.Accepts(t, name, served(of...)...)
	}
	for name, lie := range map[string][][]any{
		"no slice":                             {dead, dead, dead, dead},
		"the first left out":                   {leaf(0, 0, 1, 1), dead, dead, dead},
		"the second left out":                  {leaf(0, 1, 0, 1), dead, dead, dead},
		"the last left out":                    {leaf(0, 1, 1, 0), dead, dead, dead},
		"the first twice":                      {leaf(0, 1, 1, 1), leaf(0, 1, 0, 0), dead, dead},
		"the last twice":                       {leaf(0, 1, 1, 1), leaf(0, 0, 0, 1), dead, dead},
		"the first for the last":               {leaf(0, 1, 1, 0), leaf(0, 1, 0, 0), dead, dead},
		"the second for the first":             {leaf(0, 0, 1, 1), leaf(0, 0, 1, 0), dead, dead},
		"a cell of one slice left out":         {leaf(1, 1, 1, 1), leaf(-1, 1, 0, 1), dead, dead},
		"a cell of one slice for another's":    {leaf(1, 1, 1, 1), leaf(-1, 1, 0, 1), leaf(-1, 1, 0, 0), dead},
		"a cell of one slice for another cell": {leaf(1, 1, 1, 1), leaf(-1, 1, 0, 1), leaf(1, 0, 1, 0), dead},
	} {
		circuit.Refuses(t, name, served(lie...)...)
	}
}

// Every wire of the identity is in the commitment, and of each leaf its life, the sign of its plain slot and its slices.
func TestCoverOfSlicesIsCommitted(t *testing.T) {
	circuit := serving(t, 2)
	system := circuit.Prover.System
	if uncovered := system.Uncovered(); len(uncovered) > 0 {
		t.Errorf("wires %v of challenged rows are not committed", uncovered)
	}
	for leaf := range 2 {
		for _, place := range []int{0, 1, 4, 5, 6} {
			wire := system.Public + alone.wires() + 2 + 6 + 7*leaf + place
			if !slices.Contains(system.Committed, wire) {
				t.Errorf("wire %d of leaf %d can be changed alone when the challenge is known", place, leaf)
			}
		}
	}
}

// Rho follows the challenge: half of one slice and half of another are everything where the weight of the slot is -1 / rho, and
// nothing but another rho keeps a challenge from being that.
func TestRhoFollowsTheChallenge(t *testing.T) {
	circuit := adversary.Compile(t, 4, func(a *bounded.Arith, wires []frontend.Variable) {
		joined := additive.Joined(a, make([]bounded.Int, 1), nil)
		var boxes []additive.Box
		for leaf, sign := range []int{1, -1} {
			served := wires[2*leaf : 2*leaf+2]
			for _, slice := range served {
				a.Bit(slice)
			}
			one := []frontend.Variable{sign}
			boxes = append(boxes, additive.NewBox(a.Constant(1), one, one, []frontend.Variable{1}).Serving(served))
		}
		joined.Cover(a, 77, boxes)
	})
	circuit.Accepts(t, "both halves of both", 1, 1, 1, 1)
	circuit.Refuses(t, "a half of each", 1, 0, 0, 1)
	for _, constant := range []int64{0, 1} {
		rho := oracle.Hash(digest.Tag("equiproof.cover"), big.NewInt(1), big.NewInt(constant))
		weight := new(big.Int).ModInverse(new(big.Int).Neg(rho), fr.Modulus())
		change := func(wire int, _ adversary.Origin, value *fr.Element) {
			if strings.HasSuffix(circuit.Prover.Hints[wire], "Placeholder") {
				value.SetBigInt(weight)
			}
		}
		if len(circuit.Prover.Solve(adversary.Elements(1, 0, 0, 1), change).Violated) == 0 {
			t.Errorf("rho of the constant %d: every row holds", constant)
		}
	}
}

// A sensitive slot is live, alone in its column, on side 1 and at no distance; its step is its own.
func TestSensitiveSlots(t *testing.T) {
	circuit := adversary.Compile(t, alone.wires()+2+16, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		slots := alone.read(a, take)
		slots.Append(a, take.Signed(a, 2, 8))
		facts := slots.Sensitive()
		if len(facts) != 2 {
			t.Fatalf("%d sensitive slots", len(facts))
		}
		for _, of := range facts {
			equal(a, take, of...)
			if lo, hi := of[1].Bounds(); lo.Int64() != -128 || hi.Int64() != 127 {
				t.Errorf("a step lies in [%v, %v]", lo, hi)
			}
		}
	})
	given := alone.fill([]predicate{{column: 0, gap: 3, side: 0, step: 5}})
	circuit.Accepts(t, "two", adversary.Join(given, 7, -9, 1, 7, 0, 0, 0, 0, 0, 1, 1, -9, 0, 0, 0, 0, 0, 1)...)
}
