package ceremony

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark/backend/groth16"
	cs "github.com/consensys/gnark/constraint/bn254"

	"equiproof/check"
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
	n, err := fitting(compiled, power)
	if err != nil {
		return nil, err
	}
	c, err := readPowers(n, powers, extent{2*n - 1, 1, 0})
	if err != nil {
		return nil, err
	}
	f, err := readForm(n, lagrange)
	if err != nil {
		return nil, err
	}
	p, _, err := origin(compiled, f)
	if err != nil {
		return nil, err
	}
	p.Parameters.G1.Z = vanishing(c.G1.Tau)
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
	if relation.Words(circuit) > 0 {
		_, err = check.LoadKept(keys.Verifying)
	} else {
		_, err = system.Groth16.LoadVerifier(keys.Verifying)
	}
	if err != nil {
		return nil, err
	}
	return keys, nil
}

func seal(compiled *cs.R1CS, power int, powers, lagrange, last, beacon []byte) (
	groth16.ProvingKey, groth16.VerifyingKey, error,
) {
	n, err := fitting(compiled, power)
	if err != nil {
		return nil, nil, err
	}
	c, err := readPowers(n, powers, extent{1, 1, 1})
	if err != nil {
		return nil, nil, err
	}
	f, err := readForm(n, lagrange)
	if err != nil {
		return nil, nil, err
	}
	p, err := readKeyStep(last)
	if err != nil {
		return nil, nil, fmt.Errorf("step: %w", err)
	}
	first, fixed, err := origin(compiled, f)
	if err != nil {
		return nil, nil, err
	}
	wanted := layoutOf(first)
	wanted.z = n - 1
	if !layoutOf(p).equal(wanted) || len(p.Challenge) == 0 {
		return nil, nil, errors.New("step: not one of this circuit's key")
	}
	// The beacon's numbers are public: of two secrets with a known ratio, the key's have a known one, too, and it is not 1.
	if err := distinct(p); err != nil {
		return nil, nil, fmt.Errorf("step: %w", err)
	}
	// Of these gnark takes the first point, and the domain's size.
	c.G1.AlphaTau = append(c.G1.AlphaTau, make([]bn254.G1Affine, n-1)...)
	pk, vk := p.Seal(c, fixed, beacon)
	return pk, vk, nil
}

// fitting returns the size of a circuit's domain; powers for another one are an error.
func fitting(compiled *cs.R1CS, power int) (int, error) {
	if wanted := circuitPower(compiled.GetNbConstraints()); power != wanted {
		return 0, fmt.Errorf("powers for 2^%d, want 2^%d for this circuit", power, wanted)
	}
	return domain(power)
}

// circuitPower returns the power of two that a circuit's domain has as many elements as.
func circuitPower(constraints int) int {
	return max(minPower, bits.Len(uint(constraints-1)))
}
