package lint_test

import (
	"math/big"
	"slices"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/constraint/solver"
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/internal/adversary"
	"equiproof/internal/lint"
)

// double is a hint whose output need not be constrained.
func double(_ *big.Int, inputs, outputs []*big.Int) error {
	outputs[0].Lsh(inputs[0], 1)
	return nil
}

func init() { solver.RegisterHint(double) }

// solved returns a system with the solution of its inputs.
func solved(t *testing.T, wires int, values []any, define func(a *bounded.Arith, wires []frontend.Variable)) (*lint.System, []fr.Element) {
	t.Helper()
	circuit := adversary.Compile(t, wires, define)
	attempt := circuit.Prover.Solve(adversary.Elements(values...), nil)
	if len(attempt.Violated) > 0 {
		t.Fatalf("rows %v do not hold", attempt.Violated)
	}
	return circuit.Prover.System, attempt.Values
}

// An input that no constraint uses is found: wire 2, the second of the inputs.
func TestUnusedInputIsFound(t *testing.T) {
	system, values := solved(t, 3, []any{4, 5, 4}, func(a *bounded.Arith, wires []frontend.Variable) {
		a.API().AssertIsEqual(wires[0], wires[2])
	})
	if unused := system.Unused(); !slices.Equal(unused, []int{2}) {
		t.Errorf("unused %v", unused)
	}
	if free := system.Free(values, []int{1, 2, 3}); !slices.Equal(free, []int{2}) {
		t.Errorf("free %v", free)
	}
}

// An input that is only compared with itself is found.
func TestTautologyIsNoUse(t *testing.T) {
	system, values := solved(t, 2, []any{1, 5}, func(a *bounded.Arith, wires []frontend.Variable) {
		a.API().AssertIsBoolean(wires[0])
		a.API().AssertIsEqual(wires[1], wires[1])
	})
	if unused := system.Unused(); !slices.Equal(unused, []int{2}) {
		t.Errorf("unused %v", unused)
	}
	if free := system.Free(values, []int{1, 2}); !slices.Contains(free, 1) || !slices.Contains(free, 2) {
		t.Errorf("free %v: a bit is free to be the other, too", free)
	}
}

// A hint's output that is assigned but not constrained is found, in a product with zero and in no row at all.
func TestUnconstrainedHintIsFound(t *testing.T) {
	system, values := solved(t, 3, []any{4, 0, 0}, func(a *bounded.Arith, wires []frontend.Variable) {
		found, err := a.API().Compiler().NewHint(double, 1, wires[0])
		if err != nil {
			t.Fatal(err)
		}
		a.API().AssertIsEqual(a.API().Mul(found[0], wires[1]), wires[2])
		a.API().AssertIsBoolean(wires[1])
		a.API().AssertIsEqual(wires[0], 4)
	})
	if loose := system.Loose(values, []int{1, 2, 3}, true); !slices.Equal(loose, []int{4}) {
		t.Errorf("loose %v", loose)
	}
	if free := system.Free(values, []int{1, 2, 3, 4}); !slices.Contains(free, 4) {
		t.Errorf("free %v", free)
	}
}

// A wire of a challenged identity that is not committed is found, since it could be chosen after the challenge is known.
func TestUncommittedWireOfAnIdentityIsFound(t *testing.T) {
	for _, leave := range []bool{false, true} {
		system, _ := solved(t, 2, []any{3, 6}, func(a *bounded.Arith, wires []frontend.Variable) {
			found, err := a.API().Compiler().NewHint(double, 1, wires[0])
			if err != nil {
				t.Fatal(err)
			}
			committed := []frontend.Variable{wires[0], wires[1]}
			if !leave {
				committed = append(committed, found[0])
			}
			challenge, err := a.API().(frontend.Committer).Commit(committed...)
			if err != nil {
				t.Fatal(err)
			}
			// (2 x - y) r = 0 with 2 x of the hint.
			a.API().AssertIsEqual(a.API().Mul(found[0], challenge), a.API().Mul(wires[1], challenge))
		})
		if uncovered := system.Uncovered(); leave != slices.Equal(uncovered, []int{3}) || !leave && len(uncovered) > 0 {
			t.Errorf("left out is %v, uncovered %v", leave, uncovered)
		}
	}
}

// A system with two commitments is refused.
func TestTwoCommitmentsAreRefused(t *testing.T) {
	compiled, err := adversary.Try(2, func(a *bounded.Arith, wires []frontend.Variable) {
		for _, wire := range wires {
			challenge, err := a.API().(frontend.Committer).Commit(wire)
			if err != nil {
				t.Fatal(err)
			}
			a.API().AssertIsDifferent(challenge, wire)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lint.Read(compiled); err == nil {
		t.Error("two commitments were read")
	}
}
