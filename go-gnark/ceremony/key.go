package ceremony

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/consensys/gnark/backend/groth16"
	cs "github.com/consensys/gnark/constraint/bn254"

	"equiproof/relation"
	"equiproof/system"
)

// StartKey returns the origin of a circuit's key, which holds no secret but those of the powers. Powers and form are for
// the circuit's domain, and were checked.
func StartKey(circuit relation.Circuit, power int, powers, lagrange []byte) ([]byte, error) {
	compiled, _, err := system.Groth16.Judged(circuit)
	if err != nil {
		return nil, err
	}
	return start(compiled.(*cs.R1CS), power, powers, lagrange)
}

func start(compiled *cs.R1CS, power int, powers, lagrange []byte) ([]byte, error) {
	c, f, err := fitting(compiled, power, powers, lagrange)
	if err != nil {
		return nil, err
	}
	p, _, err := origin(compiled, c, f)
	if err != nil {
		return nil, err
	}
	return writtenKeyStep(p)
}

// FinishKey multiplies a key's secrets by numbers that follow from the last step and a beacon which was drawn after it, and
// returns the key. Powers, form and last step were checked.
func FinishKey(circuit relation.Circuit, power int, powers, lagrange, last, beacon []byte) (*system.Keys, error) {
	compiled, description, err := system.Groth16.Judged(circuit)
	if err != nil {
		return nil, err
	}
	pk, vk, err := seal(compiled.(*cs.R1CS), power, powers, lagrange, last, beacon)
	if err != nil {
		return nil, err
	}
	keys, err := system.Stored(description, pk, vk)
	if err != nil {
		return nil, err
	}
	// No ceremony makes what every verifier would refuse, as a gamma that equals delta, unless a step was not checked.
	if _, err := system.Groth16.LoadVerifier(keys.Verifying); err != nil {
		return nil, err
	}
	return keys, nil
}

func seal(compiled *cs.R1CS, power int, powers, lagrange, last, beacon []byte) (
	groth16.ProvingKey, groth16.VerifyingKey, error,
) {
	c, f, err := fitting(compiled, power, powers, lagrange)
	if err != nil {
		return nil, nil, err
	}
	p, err := readKeyStep(last)
	if err != nil {
		return nil, nil, fmt.Errorf("step: %w", err)
	}
	first, fixed, err := origin(compiled, c, f)
	if err != nil {
		return nil, nil, err
	}
	if !layoutOf(first).equal(layoutOf(p)) || len(p.Challenge) == 0 {
		return nil, nil, errors.New("step: not one of this circuit's key")
	}
	pk, vk := p.Seal(c, fixed, beacon)
	return pk, vk, nil
}

// fitting reads powers and their Lagrange form, which are of the circuit's own domain.
func fitting(compiled *cs.R1CS, power int, powers, lagrange []byte) (*Commons, *form, error) {
	if wanted := circuitPower(compiled.GetNbConstraints()); power != wanted {
		return nil, nil, fmt.Errorf("powers for 2^%d, want 2^%d for this circuit", power, wanted)
	}
	c, err := readPowers(power, powers)
	if err != nil {
		return nil, nil, err
	}
	f, err := readForm(len(c.G2.Tau), lagrange)
	return c, f, err
}

// circuitPower returns the power of two that a circuit's domain has as many elements as.
func circuitPower(constraints int) int {
	return max(minPower, bits.Len(uint(constraints-1)))
}
