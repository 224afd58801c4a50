package ceremony

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark-crypto/ecc/bn254"
	cs "github.com/consensys/gnark/constraint/bn254"
	"github.com/consensys/gnark/frontend"
	"github.com/consensys/gnark/frontend/cs/r1cs"
	"github.com/consensys/gnark/logger"
)

func init() { logger.Disable() }

var beacon = []byte("a number that was drawn in public")

// toy is a circuit with coefficients of all kinds, a wire in no constraint, and so many commitments.
type toy struct {
	X, Unused   frontend.Variable
	Y, Z        frontend.Variable `gnark:",secret"`
	Digest      frontend.Variable `gnark:",public"`
	commitments int
	rows        int
}

func (c *toy) Define(api frontend.API) error {
	sum := api.Add(c.X, api.Mul(c.Y, -1), api.Mul(c.Z, 2), api.Mul(c.Digest, "-123456789012345678901234567890"), 77)
	for i := range c.rows {
		sum = api.Mul(api.Add(sum, i), api.Sub(c.Y, api.Mul(sum, 3)))
	}
	api.AssertIsEqual(sum, c.Digest)
	for i := range c.commitments {
		commitment, err := api.(frontend.Committer).Commit(c.X, api.Mul(c.Y, c.Z, i+1))
		if err != nil {
			return err
		}
		api.AssertIsDifferent(commitment, c.Digest)
	}
	return nil
}

func compiled(t testing.TB, commitments, rows int) *cs.R1CS {
	t.Helper()
	circuit := &toy{commitments: commitments, rows: rows}
	system, err := frontend.Compile(ecc.BN254.ScalarField(), r1cs.NewBuilder, circuit, frontend.IgnoreUnconstrainedInputs())
	if err != nil {
		t.Fatal(err)
	}
	return system.(*cs.R1CS)
}

// must returns a value that no honest run fails to give.
func must[T any](t testing.TB) func(T, error) T {
	t.Helper()
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// tauSteps makes so many steps, each verified.
func tauSteps(t testing.TB, power, count int) [][]byte {
	t.Helper()
	var steps [][]byte
	var last []byte
	for range count {
		step := must[[]byte](t)(ContributePowers(power, last))
		if err := VerifyPowers(power, last, step); err != nil {
			t.Fatal(err)
		}
		steps, last = append(steps, step), step
	}
	return steps
}

func finished(t testing.TB, power int) []byte {
	t.Helper()
	return must[[]byte](t)(FinishPowers(power, tauSteps(t, power, 1)[0], beacon))
}

// keySteps makes so many steps after an origin, each verified.
func keySteps(t testing.TB, origin []byte, count int) [][]byte {
	t.Helper()
	steps := [][]byte{origin}
	for range count {
		last := steps[len(steps)-1]
		step := must[[]byte](t)(ContributeKey(last))
		if err := VerifyKey(last, step); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, step)
	}
	return steps[1:]
}

// refused expects a refusal with a reason, in one line.
func refused(t *testing.T, name string, reason Reason, err error) {
	t.Helper()
	var refusal *Refusal
	if !errors.As(err, &refusal) || refusal.Reason != reason {
		t.Errorf("%s: %v, want a refusal: %s", name, err, reason)
	}
	inOneLine(t, name, err)
}

// malformed expects an error that is no refusal, in one line.
func malformed(t *testing.T, name string, err error) {
	t.Helper()
	var refusal *Refusal
	if err == nil || errors.As(err, &refusal) {
		t.Errorf("%s: %v, want it to be malformed", name, err)
	}
	inOneLine(t, name, err)
}

func inOneLine(t *testing.T, name string, err error) {
	t.Helper()
	if err != nil && bytes.ContainsRune([]byte(err.Error()), '\n') {
		t.Errorf("%s: %q has more than one line", name, err)
	}
}

func bytesOf(t testing.TB, value io.WriterTo) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, err := value.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// outside adds to a point of G2 one of the twist that is not in the subgroup: pairings give the same values.
func outside(point bn254.G2Affine) bn254.G2Affine {
	var field bn254.E2
	field.SetOne()
	torsion := bn254.GeneratePointNotInG2(field)
	var sum bn254.G2Jac
	sum.FromAffine(&point)
	sum.AddAssign(&torsion)
	var moved bn254.G2Affine
	moved.FromJacobian(&sum)
	return moved
}
