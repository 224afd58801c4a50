package adversary

import (
	"math/big"
	"strings"
	"testing"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/backend/witness"
	"github.com/consensys/gnark/constraint"
	"github.com/consensys/gnark/frontend"
	"github.com/consensys/gnark/frontend/cs/r1cs"
	"github.com/consensys/gnark/logger"

	"equiproof/gadget/bounded"
	"equiproof/internal/lint"
)

// Circuit is a compiled circuit under attack.
type Circuit struct {
	Compiled constraint.ConstraintSystem
	Prover   *Prover
}

// Open prepares a compiled system.
func Open(t testing.TB, compiled constraint.ConstraintSystem) *Circuit {
	t.Helper()
	system, err := lint.Read(compiled)
	if err != nil {
		t.Fatal(err)
	}
	prover, err := NewProver(system)
	if err != nil {
		t.Fatal(err)
	}
	return &Circuit{Compiled: compiled, Prover: prover}
}

// gadget is a circuit around one gadget, all of whose wires are private.
type gadget struct {
	Wires  []frontend.Variable
	define func(a *bounded.Arith, wires []frontend.Variable)
}

func (g *gadget) Define(api frontend.API) error {
	g.define(bounded.New(api), g.Wires)
	return nil
}

// Try compiles a circuit of the given number of wires around a gadget.
func Try(wires int, define func(a *bounded.Arith, wires []frontend.Variable)) (constraint.ConstraintSystem, error) {
	logger.Disable()
	circuit := &gadget{Wires: make([]frontend.Variable, wires), define: define}
	return frontend.Compile(ecc.BN254.ScalarField(), r1cs.NewBuilder, circuit)
}

// Compile is Try for a circuit that compiles, opened for attack.
func Compile(t testing.TB, wires int, define func(a *bounded.Arith, wires []frontend.Variable)) *Circuit {
	t.Helper()
	compiled, err := Try(wires, define)
	if err != nil {
		t.Fatal(err)
	}
	return Open(t, compiled)
}

// Elements reads integers (int, *big.Int) modulo the field's order.
func Elements(values ...any) []fr.Element {
	elements := make([]fr.Element, len(values))
	for i, value := range values {
		if _, err := elements[i].SetInterface(value); err != nil {
			panic(err)
		}
	}
	return elements
}

// Integers turns integers into the arguments of Elements.
func Integers(values ...*big.Int) []any {
	arguments := make([]any, len(values))
	for i, value := range values {
		arguments[i] = value
	}
	return arguments
}

// Accepts fails the test unless gnark's solver and the cheating prover both satisfy the circuit with these values.
func (c *Circuit) Accepts(t testing.TB, name string, values ...any) {
	t.Helper()
	if err := c.IsSolved(Elements(values...)); err != nil {
		t.Errorf("%s: refused: %v", name, err)
	}
	if attempt := c.Prover.Solve(Elements(values...), nil); len(attempt.Violated) > 0 {
		t.Errorf("%s: rows %v do not hold", name, attempt.Violated)
	}
}

// Refuses fails the test if gnark's solver satisfies the circuit with these values, or if the cheating prover does, who
// has no hint to refuse them.
func (c *Circuit) Refuses(t testing.TB, name string, values ...any) {
	t.Helper()
	if err := c.IsSolved(Elements(values...)); err == nil {
		t.Errorf("%s: accepted", name)
	}
	if attempt := c.Prover.Solve(Elements(values...), nil); len(attempt.Violated) == 0 {
		t.Errorf("%s: every row holds", name)
	}
}

// IsSolved asks gnark's solver whether inputs, public ones first, extend to a solution.
func (c *Circuit) IsSolved(inputs []fr.Element) error {
	full, err := witness.New(ecc.BN254.ScalarField())
	if err != nil {
		return err
	}
	values := make(chan any, len(inputs))
	for _, input := range inputs {
		values <- input
	}
	close(values)
	if err := full.Fill(c.Prover.System.Public-1, c.Prover.System.Secret, values); err != nil {
		return err
	}
	return c.Compiled.IsSolved(full)
}

// Force is the change by which the hints of a name return the given values, one after another, before going on as usual.
func Force(p *Prover, name string, values []fr.Element) Change {
	return func(wire int, origin Origin, value *fr.Element) {
		if origin == Hint && len(values) > 0 && strings.HasSuffix(p.Hints[wire], name) {
			*value, values = values[0], values[1:]
		}
	}
}
