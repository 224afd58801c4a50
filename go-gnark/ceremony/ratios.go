package ceremony

import (
	"crypto/rand"
	"fmt"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
)

// weightBytes is the width of a random weight: a false equation of sums holds with probability 2^-128.
const weightBytes = 16

// weights draws random numbers below 2^128.
func weights(n int) ([]fr.Element, error) {
	bytes := make([]byte, n*weightBytes)
	if _, err := rand.Read(bytes); err != nil {
		return nil, fmt.Errorf("draw weights: %w", err)
	}
	weights := make([]fr.Element, n)
	return weights, parallel(n, func(i int) error {
		weights[i].SetBytes(bytes[i*weightBytes : (i+1)*weightBytes])
		return nil
	})
}

// consistent refuses powers that are not those of one tau, times one alpha and one beta.
//
// With random weights w, sum w_i a_i and sum w_i a_(i+1) have the ratio of all neighbors, or the weights were unlucky. In G1
// the ratio is compared with [tau]_2, in G2 with [tau]_1: so both are the same.
func consistent(c *Commons) error {
	_, _, g1, g2 := bn254.Generators()
	w, err := weights(len(c.G1.Tau) - 1)
	if err != nil {
		return err
	}
	for _, vector := range []struct {
		name   string
		points []bn254.G1Affine
	}{{"tau in G1", c.G1.Tau}, {"alpha", c.G1.AlphaTau}, {"beta", c.G1.BetaTau}} {
		sum, next, err := neighbors[bn254.G1Affine](vector.points, w)
		if err != nil {
			return err
		}
		if equal, err := samePairing(&sum, &c.G2.Tau[1], &next, &g2); err != nil || !equal {
			return mismatch(err, "the powers of %s have no common ratio", vector.name)
		}
	}
	sum, next, err := neighbors[bn254.G2Affine](c.G2.Tau, w)
	if err != nil {
		return err
	}
	if equal, err := samePairing(&c.G1.Tau[1], &sum, &g1, &next); err != nil || !equal {
		return mismatch(err, "the powers of tau in G2 have no common ratio")
	}
	if equal, err := samePairing(&c.G1.BetaTau[0], &g2, &g1, &c.G2.Beta); err != nil || !equal {
		return mismatch(err, "beta in G1 is not beta in G2")
	}
	return nil
}

// multiExp is a pointer to a point that can be set to a weighted sum.
type multiExp[T any] interface {
	*T
	MultiExp(points []T, scalars []fr.Element, config ecc.MultiExpConfig) (*T, error)
}

// neighbors returns sum w_i a_i and sum w_i a_(i+1).
func neighbors[T any, P multiExp[T]](points []T, w []fr.Element) (sum, next T, err error) {
	if sum, err = weighted[T, P](points[:len(points)-1], w); err != nil {
		return sum, next, err
	}
	next, err = weighted[T, P](points[1:], w)
	return sum, next, err
}

// weighted returns the sum of points, each times its weight; there may be more weights.
func weighted[T any, P multiExp[T]](points []T, w []fr.Element) (sum T, err error) {
	if _, err = P(&sum).MultiExp(points, w[:len(points)], ecc.MultiExpConfig{}); err != nil {
		err = fmt.Errorf("sum of points: %w", err)
	}
	return sum, err
}

// samePairing reports whether e(a, b) = e(c, d).
func samePairing(a *bn254.G1Affine, b *bn254.G2Affine, c *bn254.G1Affine, d *bn254.G2Affine) (bool, error) {
	var negative bn254.G1Affine
	negative.Neg(c)
	return bn254.PairingCheck([]bn254.G1Affine{*a, negative}, []bn254.G2Affine{*b, *d})
}

// mismatch returns the error of a pairing, or a refusal for its ratio.
func mismatch(err error, format string, arguments ...any) error {
	if err != nil {
		return fmt.Errorf("pairing: %w", err)
	}
	return refuse(Ratio, format, arguments...)
}

// signed is a pointer to a point of either group.
type signed[T any] interface {
	*T
	Neg(*T) *T
	Equal(*T) bool
}

// upToSign reports whether two points are equal or each other's negatives.
func upToSign[T any, P signed[T]](p, q P) bool {
	var negative T
	P(&negative).Neg(q)
	return p.Equal(q) || p.Equal(&negative)
}
