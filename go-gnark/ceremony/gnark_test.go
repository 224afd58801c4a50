package ceremony

import (
	"bytes"
	"fmt"
	"testing"

	groth16 "github.com/consensys/gnark/backend/groth16/bn254/mpcsetup"
)

// Steps are those of gnark: it reads them, verifies them, and seals them to the same powers; and what it contributes is
// verified here.
func TestPowersAreGnarks(t *testing.T) {
	const power = 3
	ours := tauSteps(t, power, 2)
	phase := new(groth16.Phase1)
	must[int64](t)(phase.ReadFrom(bytes.NewReader(ours[1])))
	phase.Contribute()
	third := bytesOf(t, phase)
	if err := VerifyPowers(power, ours[1], third); err != nil {
		t.Error(err)
	}
	var steps []*groth16.Phase1
	for _, data := range append(ours, third) {
		step := new(groth16.Phase1)
		must[int64](t)(step.ReadFrom(bytes.NewReader(data)))
		if !bytes.Equal(bytesOf(t, step), data) {
			t.Error("gnark writes a step differently")
		}
		steps = append(steps, step)
	}
	sealed, err := groth16.VerifyPhase1(1<<power, beacon, steps...)
	if err != nil {
		t.Fatal(err)
	}
	powers := must[[]byte](t)(FinishPowers(power, third, beacon))
	if !bytes.Equal(bytesOf(t, &sealed), powers) {
		t.Error("gnark seals to other powers")
	}
	if err := CheckPowers(power, powers); err != nil {
		t.Error(err)
	}
}

// The start that the first step is bound to is gnark's.
func TestStartIsGnarks(t *testing.T) {
	step, data, err := previousPowers(2, nil)
	if err != nil || !bytes.Equal(data, bytesOf(t, groth16.NewPhase1(4))) || len(step.challenge) > 0 {
		t.Errorf("another start than gnark's, %v", err)
	}
}

// Origin, steps and keys are those of gnark, whose Initialize computes the Lagrange form by itself; for circuits without a
// commitment, with one and with two, and domains that are full or not.
func TestKeysAreGnarks(t *testing.T) {
	for _, size := range []struct{ commitments, rows int }{{0, 1}, {0, 12}, {1, 3}, {2, 20}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			circuit := compiled(t, size.commitments, size.rows)
			power := circuitPower(circuit.GetNbConstraints())
			powers := finished(t, power)
			form := must[[]byte](t)(LagrangeForm(power, powers))
			if err := CheckLagrange(power, powers, form); err != nil {
				t.Error(err)
			}
			commons := must[*Commons](t)(readPowers(1<<power, powers, whole(1<<power)))

			phase := new(groth16.Phase2)
			phase.Initialize(circuit, commons)
			first := must[[]byte](t)(start(circuit, power, powers, form))
			if !bytes.Equal(first, bytesOf(t, phase)) {
				t.Fatal("gnark initialises to another origin")
			}
			steps := keySteps(t, first, 2)
			var read []*groth16.Phase2
			for _, data := range steps {
				step := new(groth16.Phase2)
				must[int64](t)(step.ReadFrom(bytes.NewReader(data)))
				read = append(read, step)
			}
			wantedPk, wantedVk, err := groth16.VerifyPhase2(circuit, commons, beacon, read...)
			if err != nil {
				t.Fatal(err)
			}
			pk, vk, err := seal(circuit, power, powers, form, steps[1], beacon)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(bytesOf(t, pk), bytesOf(t, wantedPk)) || !bytes.Equal(bytesOf(t, vk), bytesOf(t, wantedVk)) {
				t.Error("gnark seals to another key")
			}
		})
	}
}
