package ceremony

import (
	"bytes"
	"fmt"
	"math/bits"

	"github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark-crypto/ecc/bn254/kzg"
)

// SRS returns the first powers of tau of checked powers as PLONK takes them, uncompressed as gnark writes them: so many of
// them, and the Lagrange form over the largest domain that is not larger.
func SRS(power int, powers []byte, size int) (canonical, lagrange []byte, err error) {
	n, err := domain(power)
	if err != nil {
		return nil, nil, err
	}
	if size < 2 || size > 2*n-1 {
		return nil, nil, fmt.Errorf("%d powers, want from 2 to %d", size, 2*n-1)
	}
	c, err := readPowers(n, powers, extent{size, 2, 0})
	if err != nil {
		return nil, nil, err
	}
	_, _, g1, g2 := bn254.Generators()
	key := kzg.VerifyingKey{G1: g1, G2: [2]bn254.G2Affine{g2, c.G2.Tau[1]}}
	for i := range key.G2 {
		key.Lines[i] = bn254.PrecomputeLines(key.G2[i])
	}
	form, err := kzg.ToLagrangeG1(c.G1.Tau[:1<<(bits.Len(uint(size))-1)])
	if err != nil {
		return nil, nil, fmt.Errorf("form: %w", err)
	}
	if canonical, err = writtenSRS(c.G1.Tau, key); err != nil {
		return nil, nil, err
	}
	lagrange, err = writtenSRS(form, key)
	return canonical, lagrange, err
}

func writtenSRS(points []bn254.G1Affine, key kzg.VerifyingKey) ([]byte, error) {
	var out bytes.Buffer
	srs := kzg.SRS{Pk: kzg.ProvingKey{G1: points}, Vk: key}
	if _, err := srs.WriteRawTo(&out); err != nil {
		return nil, fmt.Errorf("write SRS: %w", err)
	}
	return out.Bytes(), nil
}
