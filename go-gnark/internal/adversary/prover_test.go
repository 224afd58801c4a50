package adversary_test

import (
	"slices"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/frontend"
	"github.com/consensys/gnark/std/lookup/logderivlookup"
	"github.com/consensys/gnark/std/rangecheck"

	"equiproof/gadget/bounded"
	"equiproof/internal/adversary"
)

// looked is a circuit with range checks, inverses, and a table that holds an input and is asked at two inputs.
func looked(t *testing.T) *adversary.Circuit {
	t.Helper()
	return adversary.Compile(t, 5, func(a *bounded.Arith, wires []frontend.Variable) {
		api := a.API()
		table := logderivlookup.New(api)
		for _, entry := range []frontend.Variable{3, wires[2], 5} {
			table.Insert(entry)
		}
		found := table.Lookup(wires[0], wires[1])
		rangecheck.New(api).Check(wires[3], 9)
		quotient := api.Div(api.Mul(found[0], wires[3]), api.Add(found[1], 1))
		api.AssertIsEqual(api.Mul(quotient, api.Add(found[1], 1)), wires[4])
		api.AssertIsEqual(api.IsZero(api.Sub(wires[3], 7)), 0)
	})
}

// What a run takes over from an honest one is what it would compute: each attempt of a prover that has been honest ends as
// that of a prover which begins with it. The attempts change every input, hint and answer of a table, one at a time.
func TestRunsAfterAnHonestOneEndAsFirstOnes(t *testing.T) {
	circuit := looked(t)
	honest := adversary.Elements(0, 1, 4, 100, 300)
	if attempt := circuit.Prover.Solve(honest, nil); len(attempt.Violated) > 0 {
		t.Fatalf("honest: rows %v do not hold", attempt.Violated)
	}
	refused := 0
	same := func(inputs []fr.Element, change func() adversary.Change) {
		t.Helper()
		first, err := adversary.NewProver(circuit.Prover.System)
		if err != nil {
			t.Fatal(err)
		}
		want, found := first.Solve(inputs, change()), circuit.Prover.Solve(inputs, change())
		if !slices.Equal(found.Values, want.Values) || !slices.Equal(found.Violated, want.Violated) {
			t.Errorf("%v: rows %v, want %v", inputs, found.Violated, want.Violated)
		}
		if len(want.Violated) > 0 {
			refused++
		}
	}
	for _, inputs := range [][]fr.Element{
		honest, adversary.Elements(0, 1, 4, 101, 303), adversary.Elements(2, 0, 4, 8, 40), adversary.Elements(1, 9, 4, 7, 1),
		adversary.Elements(-1, 1, 4, 1<<9, 300),
	} {
		same(inputs, func() adversary.Change { return nil })
		for wire := 1; wire < circuit.Prover.System.Wires(); wire++ {
			for _, added := range adversary.Elements(1, -3) {
				same(inputs, func() adversary.Change {
					return func(at int, _ adversary.Origin, value *fr.Element) {
						if at == wire {
							value.Add(value, &added)
						}
					}
				})
			}
		}
	}
	if refused < 50 {
		t.Errorf("%d attempts were refused", refused)
	}
}
