package member_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/member"
	"equiproof/internal/adversary"
)

var one = big.NewInt(1)

// pairs compiles two queries among three rows of two words, the second of which is constant, (7, 8): two rows, and queries x and
// x + 3 y of two tuples.
func pairs(t *testing.T) *adversary.Circuit {
	return adversary.Compile(t, 8, func(a *bounded.Arith, wires []frontend.Variable) {
		a.Unsigned(wires[0], 9) // range checks share the commitment
		set := member.New(a).Set()
		set.Insert(member.NewTuple(wires[:2]...))
		set.Insert(member.NewTuple(7, 8))
		set.Insert(member.NewTuple(wires[2:4]...))
		x, y := member.NewTuple(wires[4:6]...), member.NewTuple(wires[6:8]...)
		set.Query(member.Term{Factor: one, Of: x})
		set.Query(member.Term{Factor: one, Of: x}, member.Term{Factor: big.NewInt(3), Of: y})
	})
}

// A query passes if it is a row, word by word; rows may repeat.
func TestQueriesAreRows(t *testing.T) {
	circuit := pairs(t)
	for name, values := range map[string][]any{
		"the constant row, and the third": {1, 2, 10, 11, 7, 8, 1, 1},
		"twice the first":                 {1, 2, 10, 11, 1, 2, 0, 0},
		"equal rows":                      {7, 8, 7, 8, 7, 8, 0, 0},
		"zeros":                           {0, 0, 3, -3, 0, 0, 1, -1},
	} {
		circuit.Accepts(t, name, values...)
	}
	for name, values := range map[string][]any{
		"no row":                          {1, 2, 10, 11, 7, 9, 0, 0},
		"words swapped":                   {1, 2, 10, 11, 8, 7, 0, 0},
		"words of two rows":               {1, 2, 10, 11, 7, 2, 0, 0},
		"the sum of two rows":             {1, 2, 10, 11, 8, 10, 0, 0},
		"a sum that is no row":            {1, 2, 10, 11, 7, 8, 1, 2},
		"both wrong, with the sum of two": {1, 2, 10, 11, 2, 3, 3, 3},
		"a row and its negative":          {1, 2, 10, 11, -1, -2, 0, 0},
	} {
		circuit.Refuses(t, name, values...)
	}
}

// Counts that are wrong are refused, also where the wrong ones add up to the right number.
func TestCountsAreHeld(t *testing.T) {
	circuit := pairs(t)
	honest := adversary.Elements(1, 2, 10, 11, 7, 8, 1, 1)
	for _, counts := range [][]any{{0, 1, 1}, {1, 1, 0}, {0, 2, 0}, {0, 0, 0}, {1, 1, 1}, {0, 1, 2}, {-1, 2, 1}} {
		attempt := circuit.Prover.Solve(honest, adversary.Force(circuit.Prover, "multiplicities", adversary.Elements(counts...)))
		if right := fmt.Sprint(counts) == "[0 1 1]"; right != (len(attempt.Violated) == 0) {
			t.Errorf("counts %v: rows %v do not hold", counts, attempt.Violated)
		}
	}
}

// Each word of a query counts, whatever the counts are that the prover gives: a query that shares one word with a row is not
// that row.
func TestEveryWordCounts(t *testing.T) {
	circuit := pairs(t)
	for name, values := range map[string][]any{
		"the first word of a row":             {1, 2, 10, 11, 7, 9, 0, 0},
		"the second word of a row":            {1, 2, 10, 11, 6, 8, 0, 0},
		"the first word of one not constant":  {7, 2, 10, 11, 7, 9, 0, 0},
		"the second word of one not constant": {1, 8, 10, 11, 6, 8, 0, 0},
	} {
		for _, counts := range [][]any{{0, 2, 0}, {2, 0, 0}, {1, 1, 0}} {
			change := adversary.Force(circuit.Prover, "multiplicities", adversary.Elements(counts...))
			if attempt := circuit.Prover.Solve(adversary.Elements(values...), change); len(attempt.Violated) == 0 {
				t.Errorf("%s: every row holds", name)
			}
		}
	}
}

// The second word has a power of the challenge t that is above the number of rows and queries. With a lower one, tuples that
// are no rows would have poles of rows: 1 / (t - (k + l g)) for g = t, where the row is a multiple, and for g = t^2, where it
// has the roots of two rows of one word as its own.
func TestPowerOfTheSecondWord(t *testing.T) {
	circuit := adversary.Compile(t, 6, func(a *bounded.Arith, wires []frontend.Variable) {
		a.Unsigned(1, 9)
		set := member.New(a).Set()
		set.Insert(member.NewTuple(wires[:2]...))
		set.Insert(member.NewTuple(wires[2:4]...))
		set.Query(member.Term{Factor: one, Of: member.NewTuple(wires[4:]...)})
	})
	third := new(big.Int).ModInverse(big.NewInt(3), fr.Modulus())
	product := new(big.Int).Mul(big.NewInt(2), third)
	for name, lie := range map[string]struct{ values, counts []any }{
		"g = t: 1 / (t - 1) is 2 / (2 t - 2)": {[]any{2, -1, 0, 0, 1, 0}, []any{2, 0}},
		"g = t^2: -3 / (t^2 - 3 t + 2) is 3 / (t - 1) - 3 / (t - 2)": {
			[]any{1, 0, 2, 0, product, third}, []any{3, -3},
		},
	} {
		change := adversary.Force(circuit.Prover, "multiplicities", adversary.Elements(lie.counts...))
		if attempt := circuit.Prover.Solve(adversary.Elements(lie.values...), change); len(attempt.Violated) == 0 {
			t.Errorf("%s: every row holds", name)
		}
	}
}

// There is one commitment, with rows, queries and counts; no wire of a challenged row can be chosen when the challenge is known.
func TestEveryWireIsCommitted(t *testing.T) {
	circuit := pairs(t)
	if uncovered := circuit.Prover.System.Uncovered(); len(uncovered) > 0 {
		t.Errorf("wires %v of challenged rows are not committed", uncovered)
	}
}

// A query of one word costs one constraint, whatever the number of rows; a row one.
func TestCost(t *testing.T) {
	count := func(rows, queries int) int {
		compiled, err := adversary.Try(4, func(a *bounded.Arith, wires []frontend.Variable) {
			set := member.New(a).Set()
			for row := range rows {
				set.Insert(member.NewTuple(row))
			}
			for _, wire := range wires[:queries] {
				set.Query(member.Term{Factor: one, Of: member.NewTuple(wire)})
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		return compiled.GetNbConstraints()
	}
	if base := count(5, 1); count(5, 4) != base+3 || count(12, 1) != base+7 {
		t.Errorf("%d constraints, %d for 3 queries more, %d for 7 rows more", base, count(5, 4), count(12, 1))
	}
}
