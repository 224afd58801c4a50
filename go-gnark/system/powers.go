package system

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark-crypto/ecc/bn254/fp"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr/fft"
	"github.com/consensys/gnark-crypto/ecc/bn254/kzg"
	"github.com/consensys/gnark-crypto/utils"

	"equiproof/check"
)

// powers are the powers of one secret tau as points, and the values of a domain's Lagrange polynomials at tau.
type powers struct{ canonical, lagrange kzg.SRS }

// powersFor returns fresh powers for a domain, or those that are given.
func powersFor(size int, given []byte) (*powers, error) {
	if len(given) == 0 {
		return freshPowers(size)
	}
	return readPowers(size, given)
}

// readPowers reads the powers of others: the domain's size in 8 bytes, tau G2 compressed, then in raw form size + 3 powers
// tau^i G1, and the size Lagrange values times G1. All of it is checked: of wrong powers, proofs could show the witness.
func readPowers(size int, data []byte) (*powers, error) {
	const head = longBytes + bn254.SizeOfG2AffineCompressed
	if want := head + rawG1Bytes*(2*size+BlindingPowers); len(data) != want {
		return nil, fmt.Errorf("powers: %d bytes, want %d", len(data), want)
	}
	if binary.BigEndian.Uint64(data) != uint64(size) {
		return nil, fmt.Errorf("powers: of another domain, want one of %d", size)
	}
	tau, err := check.ReadTau(data[longBytes:head])
	if err != nil {
		return nil, fmt.Errorf("powers: %w", err)
	}
	split := head + rawG1Bytes*(size+BlindingPowers)
	canonical, err := readRawPoints(data[head:split])
	if err != nil {
		return nil, fmt.Errorf("powers: %w", err)
	}
	lagrange, err := readRawPoints(data[split:])
	if err != nil {
		return nil, fmt.Errorf("powers: %w", err)
	}
	if err := checkPowers(tau, canonical, lagrange); err != nil {
		return nil, fmt.Errorf("powers: %w", err)
	}
	vk := check.KZGKey(tau)
	return &powers{kzg.SRS{Pk: kzg.ProvingKey{G1: canonical}, Vk: vk}, kzg.SRS{Pk: kzg.ProvingKey{G1: lagrange}, Vk: vk}}, nil
}

// WritePowers writes powers as a set-up takes them: size + 3 powers of tau, and the size values of the Lagrange form.
func WritePowers(tau bn254.G2Affine, canonical, lagrange []bn254.G1Affine) []byte {
	out := binary.BigEndian.AppendUint64(nil, uint64(len(lagrange)))
	inG2 := tau.Bytes()
	out = append(out, inG2[:]...)
	return append(append(out, rawPoints(canonical)...), rawPoints(lagrange)...)
}

// checkPowers refuses points that are not on the curve, not the powers of the one tau, or not the Lagrange values at it. A
// false ratio passes the random sums with probability 2^-254.
func checkPowers(tau bn254.G2Affine, canonical, lagrange []bn254.G1Affine) error {
	_, _, g1, g2 := bn254.Generators()
	for _, list := range [][]bn254.G1Affine{canonical, lagrange} {
		for i := range list {
			if list[i].IsInfinity() || !list[i].IsOnCurve() {
				return fmt.Errorf("point %d is not on the curve", i)
			}
		}
	}
	if !canonical[0].Equal(&g1) {
		return errors.New("the first power is not the generator")
	}
	factors, err := randomElements(len(canonical) - 1)
	if err != nil {
		return err
	}
	var low, high bn254.G1Affine
	if _, err := low.MultiExp(canonical[:len(factors)], factors, ecc.MultiExpConfig{}); err != nil {
		return err
	}
	if _, err := high.MultiExp(canonical[1:], factors, ecc.MultiExpConfig{}); err != nil {
		return err
	}
	high.Neg(&high)
	if same, err := bn254.PairingCheck([]bn254.G1Affine{low, high}, []bn254.G2Affine{tau, g2}); err != nil || !same {
		return errors.New("not the powers of one secret")
	}
	// One polynomial, by its values and by its coefficients.
	values := factors[:len(lagrange)]
	if _, err := low.MultiExp(lagrange, values, ecc.MultiExpConfig{}); err != nil {
		return err
	}
	if _, err := high.MultiExp(canonical[:len(values)], Interpolated(values), ecc.MultiExpConfig{}); err != nil {
		return err
	}
	if !low.Equal(&high) {
		return errors.New("not the Lagrange form of these powers")
	}
	return nil
}

// Interpolated returns the coefficients of the polynomial with these values on the domain.
func Interpolated(values []fr.Element) []fr.Element {
	coefficients := slices.Clone(values)
	fft.NewDomain(uint64(len(values))).FFTInverse(coefficients, fft.DIF)
	utils.BitReverse(coefficients)
	return coefficients
}

func randomElements(count int) ([]fr.Element, error) {
	drawn := make([]fr.Element, count)
	for i := range drawn {
		if _, err := drawn[i].SetRandom(); err != nil {
			return nil, err
		}
	}
	return drawn, nil
}

// lagrangeAt returns the values of a domain's Lagrange polynomials at a point outside it, as points:
// L_i(t) = w^i (t^n - 1) / (n (t - w^i)).
func lagrangeAt(size int, at fr.Element) []bn254.G1Affine {
	domain := fft.NewDomain(uint64(size), fft.WithoutPrecompute())
	values, power := make([]fr.Element, size), fr.One()
	for i := range values {
		values[i].Sub(&at, &power)
		power.Mul(&power, &domain.Generator)
	}
	values = fr.BatchInvert(values)
	one, factor := fr.One(), domain.CardinalityInv
	var vanishing fr.Element
	vanishing.Exp(at, big.NewInt(int64(size))).Sub(&vanishing, &one)
	factor.Mul(&factor, &vanishing)
	for i := range values {
		values[i].Mul(&values[i], &factor)
		factor.Mul(&factor, &domain.Generator)
	}
	_, _, g1, _ := bn254.Generators()
	return bn254.BatchScalarMultiplicationG1(&g1, values)
}

// rawPoints writes points uncompressed; one at infinity is all zero.
func rawPoints(points []bn254.G1Affine) []byte {
	out := make([]byte, 0, rawG1Bytes*len(points))
	for i := range points {
		raw := points[i].RawBytes()
		out = append(out, raw[:]...)
	}
	return out
}

// readRawPoints reads coordinates below the field's modulus. Whether the points are on the curve is not checked.
func readRawPoints(data []byte) ([]bn254.G1Affine, error) {
	points := make([]bn254.G1Affine, len(data)/rawG1Bytes)
	for i := range points {
		raw := data[i*rawG1Bytes : (i+1)*rawG1Bytes]
		if points[i].X.SetBytesCanonical(raw[:fp.Bytes]) != nil || points[i].Y.SetBytesCanonical(raw[fp.Bytes:]) != nil {
			return nil, fmt.Errorf("point %d is not in uncompressed form", i)
		}
	}
	return points, nil
}
