package ceremony

import (
	"fmt"

	"github.com/consensys/gnark-crypto/ecc/bn254/kzg"

	"equiproof/system"
)

// SRS returns the powers that the set-up of PLONK takes for the domain of checked powers: the first of them, with the
// Lagrange form over the domain. A circuit with a smaller one takes powers that were cut to it.
func SRS(power int, powers []byte) ([]byte, error) {
	n, err := domain(power)
	if err != nil {
		return nil, err
	}
	size := n + system.BlindingPowers
	if size > 2*n-1 {
		return nil, fmt.Errorf("a domain of %d has %d powers, want %d", n, 2*n-1, size)
	}
	c, err := readPowers(n, powers, extent{size, 2, 0})
	if err != nil {
		return nil, err
	}
	form, err := kzg.ToLagrangeG1(c.G1.Tau[:n])
	if err != nil {
		return nil, fmt.Errorf("form: %w", err)
	}
	return system.WritePowers(c.G2.Tau[1], c.G1.Tau, form), nil
}
