package product_test

import (
	"slices"
	"testing"

	"github.com/consensys/gnark/constraint"
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/product"
	"equiproof/internal/adversary"
)

const inputs, results = 2, 3

// multiplied compiles rows of two numbers and what they are times a 2 by 3 matrix, row by row or together: the statement, the
// matrix, and then each row with its results. Range checks and a lookup stand beside it.
func multiplied(t *testing.T, rows int, together bool) *adversary.Circuit {
	wires := 1 + inputs*results + rows*(inputs+results)
	return adversary.Compile(t, wires, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		table := a.Table()
		table.Insert(take.Rest[1])
		a.API().AssertIsEqual(table.Lookup(0)[0], take.Rest[1])
		argument := product.New(a, take.Take(1)[0])
		var matrix, given [][]bounded.Int
		for range inputs {
			matrix = append(matrix, take.Signed(a, results, 8))
		}
		m := argument.Matrix(matrix)
		var found [][]frontend.Variable
		for range rows {
			given, found = append(given, take.Signed(a, inputs, 8)), append(found, take.Take(results))
		}
		var all *product.Claim
		if together {
			all = argument.Claim(product.Term{Rows: argument.Block(given...), By: m})
		}
		for i, row := range given {
			claim := all
			if !together {
				claim = argument.Claim(product.Term{Rows: argument.Block(row), By: m})
			}
			claim.Row(found[i])
		}
	})
}

var statement, matrix = 77, []any{1, 2, 3, -4, 5, -6}

// Results are those of the product: (7, -8) and (-1, 1) times [1 2 3; -4 5 -6].
func TestProducts(t *testing.T) {
	for _, together := range []bool{false, true} {
		circuit := multiplied(t, 2, together)
		honest := adversary.Join(statement, matrix, 7, -8, 39, -26, 69, -1, 1, -5, 3, -9)
		circuit.Accepts(t, "both", honest...)
		for at := range honest[1:] {
			wrong := slices.Clone(honest)
			wrong[at+1] = wrong[at+1].(int) + 1
			circuit.Refuses(t, "one more", wrong...)
		}
		for name, row := range map[string][]any{
			"the rows swapped":              {7, -8, -5, 3, -9, -1, 1, 39, -26, 69},
			"columns swapped":               {7, -8, -26, 39, 69, -1, 1, -5, 3, -9},
			"errors of one row cancel":      {7, -8, 40, -27, 69, -1, 1, -5, 3, -9},
			"errors of one column cancel":   {7, -8, 40, -26, 69, -1, 1, -6, 3, -9},
			"the errors of a shifted row":   {7, -8, 39, -25, 69, -1, 1, -6, 3, -9},
			"the last of a row and a first": {7, -8, 39, -26, 70, -1, 1, -6, 3, -9},
			"nothing":                       {7, -8, 0, 0, 0, -1, 1, 0, 0, 0},
			"the results of a zero row":     {0, 0, 39, -26, 69, -1, 1, -5, 3, -9},
			"all errors of all rows cancel": {7, -8, 40, -27, 69, -1, 1, -6, 4, -9},
		} {
			circuit.Refuses(t, name, adversary.Join(statement, matrix, row)...)
		}
	}
}

// followed compiles a row (7, -8) times the sum of what follows from [1 2 3; -4 5 -6]: rows times factors with numbers added in
// the last column, chosen among three such, of which the last one is the matrix itself.
func followed(t *testing.T) *adversary.Circuit {
	return adversary.Compile(t, 1+inputs*results+8+3+inputs+results, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		argument := product.New(a, take.Take(1)[0])
		var rows [][]bounded.Int
		for range inputs {
			rows = append(rows, take.Signed(a, results, 8))
		}
		whole := argument.Matrix(rows)
		first := argument.Scaled(whole, take.Signed(a, inputs, 8), take.Signed(a, inputs, 8))
		second := argument.Scaled(first, take.Signed(a, inputs, 8), nil)
		third := argument.Scaled(whole, take.Signed(a, inputs, 8), nil)
		chosen := argument.Chosen([]*product.Matrix{first, second, third}, take.Bits(a, 3))
		block := argument.Block(take.Signed(a, inputs, 8))
		argument.Claim(product.Term{Rows: block, By: chosen}, product.Term{Rows: block, By: whole}).Row(take.Take(results))
	})
}

// What follows from a matrix is multiplied by as if it were written out, and every number of it counts.
func TestMatricesThatFollow(t *testing.T) {
	circuit := followed(t)
	// By factors 2, -3 and with 10, 20 more: [2 4 16; 12 -15 38]; by 1, -1 more: [2 4 16; -12 15 -38]; by 5, 7: [5 10 15; -28 35 -42].
	given := adversary.Join(statement, matrix, 2, -3, 10, 20, 1, -1, 5, 7)
	for choice, found := range [][]any{
		{39 + 14 - 96, -26 + 28 + 120, 69 + 112 - 304}, {39 + 14 + 96, -26 + 28 - 120, 69 + 112 + 304},
		{39 + 35 + 224, -26 + 70 - 280, 69 + 105 + 336},
	} {
		chosen := []any{0, 0, 0}
		chosen[choice] = 1
		honest := adversary.Join(given, chosen, 7, -8, found)
		circuit.Accepts(t, "chosen", honest...)
		for _, at := range []int{len(honest) - 1, len(honest) - 2, len(honest) - 3} {
			wrong := slices.Clone(honest)
			wrong[at] = wrong[at].(int) + 1
			circuit.Refuses(t, "one more", wrong...)
		}
		others := adversary.Join(given, []any{chosen[2], chosen[0], chosen[1]}, 7, -8, found)
		circuit.Refuses(t, "the results of another choice", others...)
	}
	system := circuit.Prover.System
	for wire := 1; wire < system.Public+system.Secret; wire++ {
		if _, committed := slices.BinarySearch(system.Committed, wire); !committed {
			t.Errorf("wire %d is not committed", wire)
		}
	}
	if uncovered := system.Uncovered(); len(uncovered) > 0 {
		t.Errorf("wires %v of challenged rows are not committed", uncovered)
	}
}

// constraints counts those of rows times a matrix, together or one by one.
func constraints(t *testing.T, rows int, together bool) int {
	compiled, err := adversary.Try(1+inputs*results+6*(inputs+results), func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		argument := product.New(a, take.Take(1)[0])
		m := argument.Matrix([][]bounded.Int{take.Signed(a, results, 8), take.Signed(a, results, 8)})
		var all [][]bounded.Int
		for range 6 {
			all = append(all, take.Signed(a, inputs, 8))
		}
		claim := &product.Claim{}
		for i, x := range all[:rows] {
			switch {
			case !together:
				claim = argument.Claim(product.Term{Rows: argument.Block(x), By: m})
			case i == 0:
				claim = argument.Claim(product.Term{Rows: argument.Block(all[:rows]...), By: m})
			}
			claim.Row(take.Take(results))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return compiled.GetNbConstraints()
}

// A row more costs d constraints, and h for a claim of its own or for the columns of its block.
func TestCost(t *testing.T) {
	for rows := 2; rows < 6; rows++ {
		if more := constraints(t, rows+1, false) - constraints(t, rows, false); more != inputs+results {
			t.Errorf("%d rows: %d constraints more, want %d", rows+1, more, inputs+results)
		}
		if more := constraints(t, rows+1, true) - constraints(t, rows, true); more != inputs+results {
			t.Errorf("%d rows together: %d constraints more, want %d", rows+1, more, inputs+results)
		}
	}
}

// There is one commitment, shared with range checks and a lookup, and every wire of the identities is in it, the matrix
// and the statement included; so no wire of a challenged row can be chosen when the challenge is known.
func TestEveryWireIsCommitted(t *testing.T) {
	circuit := multiplied(t, 2, true)
	system := circuit.Prover.System
	for wire := 1; wire < system.Public+system.Secret; wire++ {
		if _, committed := slices.BinarySearch(system.Committed, wire); !committed {
			t.Errorf("wire %d is not committed", wire)
		}
	}
	if uncovered := system.Uncovered(); len(uncovered) > 0 {
		t.Errorf("wires %v of challenged rows are not committed", uncovered)
	}
	if found := system.Compiled.CommitmentInfo.(constraint.Groth16Commitments); len(found) != 1 {
		t.Errorf("%d commitments", len(found))
	}
}

// The challenge has to come last: whoever knows c chooses errors that it does not see, here -c^3 and 1. Products take the
// third power, since range checks and a lookup take those before. Any other challenge refuses them.
func TestAKnownChallengeHidesErrors(t *testing.T) {
	circuit := multiplied(t, 1, false)
	c := 1_000_000
	wrong := adversary.Elements(adversary.Join(statement, matrix, 7, -8, 39-c*c*c, -26+1, 69)...)
	for challenge, want := range map[int]bool{c: true, c + 1: false, -c: false} {
		known := adversary.Force(circuit.Prover, "Placeholder", adversary.Elements(challenge))
		if violated := circuit.Prover.Solve(wrong, known).Violated; (len(violated) == 0) != want {
			t.Errorf("challenge %d: rows %v do not hold", challenge, violated)
		}
	}
}

// An identity that leaves a result out of the commitment is found: here sum of t^j y_j = 0 over y_0 and y_1 of which only
// the first is committed, and y_1 = -y_0 / t passes.
func TestUncommittedResultIsFound(t *testing.T) {
	circuit := adversary.Compile(t, 3, func(a *bounded.Arith, wires []frontend.Variable) {
		a.Unsigned(wires[2], 5)
		committed := func() []frontend.Variable { return wires[:1] }
		a.Argue(committed, func(api frontend.API, challenge frontend.Variable) error {
			api.AssertIsEqual(api.Mul(challenge, wires[1]), api.Neg(wires[0]))
			return nil
		})
	})
	found := circuit.Prover.Solve(adversary.Elements(0, 0, 1), nil)
	if len(found.Violated) > 0 {
		t.Fatalf("rows %v do not hold", found.Violated)
	}
	if uncovered := circuit.Prover.System.Uncovered(); !slices.Equal(uncovered, []int{2}) {
		t.Errorf("uncovered %v, want the second wire", uncovered)
	}
}
