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

// multiplied compiles rows of two numbers and what they are times a 2 by 3 matrix: the statement, the matrix, and then each
// row with its results. Range checks and a lookup stand beside it.
func multiplied(t *testing.T, rows int) *adversary.Circuit {
	wires := 1 + inputs*results + rows*(inputs+results)
	return adversary.Compile(t, wires, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		table := a.Table()
		table.Insert(take.Rest[1])
		a.API().AssertIsEqual(table.Lookup(0)[0], take.Rest[1])
		argument := product.New(a, take.Take(1)[0])
		var matrix [][]bounded.Int
		for range inputs {
			matrix = append(matrix, take.Signed(a, results, 8))
		}
		m := argument.Matrix(matrix)
		for range rows {
			m.Multiply(a, take.Signed(a, inputs, 8), take.Take(results))
		}
	})
}

var statement, matrix = 77, []any{1, 2, 3, -4, 5, -6}

// Results are those of the product, row by row: (7, -8) and (-1, 1) times [1 2 3; -4 5 -6].
func TestProducts(t *testing.T) {
	circuit := multiplied(t, 2)
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
		"nothing":                       {7, -8, 0, 0, 0, -1, 1, 0, 0, 0},
		"the results of a zero row":     {0, 0, 39, -26, 69, -1, 1, -5, 3, -9},
		"all errors of all rows cancel": {7, -8, 40, -27, 69, -1, 1, -6, 4, -9},
	} {
		circuit.Refuses(t, name, adversary.Join(statement, matrix, row)...)
	}
}

// A row costs an identity, whatever the matrix's size: h + d constraints and their lookups' none, and the matrix h (d - 1)
// once.
func TestCost(t *testing.T) {
	counts := make([]int, 5)
	for rows := range counts {
		compiled, err := adversary.Try(1+inputs*results+4*(inputs+results), func(a *bounded.Arith, wires []frontend.Variable) {
			take := &adversary.Wires{Rest: wires}
			argument := product.New(a, take.Take(1)[0])
			m := argument.Matrix([][]bounded.Int{take.Signed(a, results, 8), take.Signed(a, results, 8)})
			for row := range 4 {
				x, y := take.Signed(a, inputs, 8), take.Take(results)
				if row < rows {
					m.Multiply(a, x, y)
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		counts[rows] = compiled.GetNbConstraints()
	}
	first := inputs*(results-1) + inputs + results
	for rows, count := range counts[1:] {
		if want := counts[0] + first + rows*(inputs+results); count != want {
			t.Errorf("%d rows: %d constraints, want %d", rows+1, count, want)
		}
	}
}

// The bounds of results are those that the same sums of products have.
func TestBounds(t *testing.T) {
	adversary.Compile(t, 1+6+2+3, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		argument := product.New(a, take.Take(1)[0])
		var rows [][]bounded.Int
		for range inputs {
			rows = append(rows, append(take.Signed(a, 2, 8), a.Unsigned(take.Take(1)[0], 20)))
		}
		x := []bounded.Int{a.Unsigned(take.Take(1)[0], 5), take.Signed(a, 1, 9)[0]}
		for j, found := range argument.Matrix(rows).Multiply(a, x, take.Take(results)) {
			lo, hi := found.Bounds()
			least, most := a.Dot(x, []bounded.Int{rows[0][j], rows[1][j]}).Bounds()
			if lo.Cmp(least) != 0 || hi.Cmp(most) != 0 {
				t.Errorf("column %d: [%v, %v], want [%v, %v]", j, lo, hi, least, most)
			}
		}
	})
}

// There is one commitment, shared with range checks and a lookup, and every wire of the identities is in it, the matrix
// and the statement included; so no wire of a challenged row can be chosen when the challenge is known.
func TestEveryWireIsCommitted(t *testing.T) {
	circuit := multiplied(t, 2)
	system := circuit.Prover.System
	honest := adversary.Elements(adversary.Join(statement, matrix, 7, -8, 39, -26, 69, -1, 1, -5, 3, -9)...)
	for wire := 1; wire < system.Public+system.Secret; wire++ {
		if _, committed := slices.BinarySearch(system.Committed, wire); !committed {
			t.Errorf("wire %d is not committed", wire)
		}
	}
	if uncovered := system.Uncovered(circuit.Prover.Solve(honest, nil).Values); len(uncovered) > 0 {
		t.Errorf("wires %v of challenged rows are not committed", uncovered)
	}
	if found := system.Compiled.CommitmentInfo.(constraint.Groth16Commitments); len(found) != 1 {
		t.Errorf("%d commitments", len(found))
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
	if uncovered := circuit.Prover.System.Uncovered(found.Values); !slices.Equal(uncovered, []int{2}) {
		t.Errorf("uncovered %v, want the second wire", uncovered)
	}
}
