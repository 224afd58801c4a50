package ceremony

import (
	"bytes"
	"fmt"
	"math/big"
	"math/bits"

	"github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr/fft"
	"github.com/consensys/gnark-crypto/ecc/bn254/kzg"

	"equiproof/system"
)

// form is the Lagrange form of powers: the Lagrange polynomials of the domain at tau, in both groups, and in G1 times alpha
// and times beta. A file of it has no header: these lists in order, uncompressed.
type form struct {
	tau, alpha, beta []bn254.G1Affine
	tau2             []bn254.G2Affine
}

func formBytes(n int) int { return n * (3*rawG1Bytes + rawG2Bytes) }

// LagrangeForm computes the Lagrange form of checked powers.
func LagrangeForm(power int, powers []byte) ([]byte, error) {
	n, err := domain(power)
	if err != nil {
		return nil, err
	}
	c, err := readPowers(n, powers, extent{n, n, n})
	if err != nil {
		return nil, err
	}
	var f form
	for _, vector := range []struct {
		to   *[]bn254.G1Affine
		from []bn254.G1Affine
	}{{&f.tau, c.G1.Tau}, {&f.alpha, c.G1.AlphaTau}, {&f.beta, c.G1.BetaTau}} {
		if *vector.to, err = kzg.ToLagrangeG1(vector.from); err != nil {
			return nil, fmt.Errorf("form: %w", err)
		}
	}
	if f.tau2, err = lagrangeG2(c.G2.Tau); err != nil {
		return nil, err
	}
	return f.written(), nil
}

func (f *form) written() []byte {
	var out bytes.Buffer
	out.Grow(formBytes(len(f.tau)))
	for _, points := range [][]bn254.G1Affine{f.tau, f.alpha, f.beta} {
		for i := range points {
			data := points[i].RawBytes()
			out.Write(data[:])
		}
	}
	for i := range f.tau2 {
		data := f.tau2[i].RawBytes()
		out.Write(data[:])
	}
	return out.Bytes()
}

// readForm reads a Lagrange form for a domain of n elements.
func readForm(n int, data []byte) (*form, error) {
	if len(data) != formBytes(n) {
		return nil, fmt.Errorf("form: %d bytes, want %d for a domain of %d", len(data), formBytes(n), n)
	}
	r := &reader{data: data}
	raw := encoding{raw: true}
	f := &form{
		tau:   list[bn254.G1Affine](r, "tau", n, n, rawG1Bytes, raw),
		alpha: list[bn254.G1Affine](r, "alpha", n, n, rawG1Bytes, raw),
		beta:  list[bn254.G1Affine](r, "beta", n, n, rawG1Bytes, raw),
		tau2:  list[bn254.G2Affine](r, "tau in G2", n, n, rawG2Bytes, raw),
	}
	if err := r.end(); err != nil {
		return nil, fmt.Errorf("form: %w", err)
	}
	return f, nil
}

// CheckLagrange returns nil for the Lagrange form of checked powers.
//
// For random weights w, sum w_i L_i(tau) is the value at tau of the polynomial with value w_i at the domain's element i. Its
// coefficients are the inverse transform of w, so that the powers of tau give the same sum; another form does with
// probability 2^-128.
func CheckLagrange(power int, powers, data []byte) error {
	n, err := domain(power)
	if err != nil {
		return err
	}
	c, err := readPowers(n, powers, extent{n, n, n})
	if err != nil {
		return err
	}
	f, err := readForm(n, data)
	if err != nil {
		return err
	}
	values, err := weights(len(f.tau))
	if err != nil {
		return err
	}
	coefficients := system.Interpolated(values)
	for _, vector := range []struct {
		name         string
		form, powers []bn254.G1Affine
	}{{"tau in G1", f.tau, c.G1.Tau}, {"alpha", f.alpha, c.G1.AlphaTau}, {"beta", f.beta, c.G1.BetaTau}} {
		if err := sameSum[bn254.G1Affine](vector.name, vector.form, vector.powers, values, coefficients); err != nil {
			return err
		}
	}
	return sameSum[bn254.G2Affine]("tau in G2", f.tau2, c.G2.Tau, values, coefficients)
}

// summed is a pointer to a point that sums can be compared of.
type summed[T any] interface {
	multiExp[T]
	Equal(*T) bool
}

// sameSum refuses a list of the Lagrange form whose weighted sum is not that of the powers.
func sameSum[T any, P summed[T]](name string, form, powers []T, values, coefficients []fr.Element) error {
	left, err := weighted[T, P](form, values)
	if err != nil {
		return err
	}
	right, err := weighted[T, P](powers, coefficients)
	if err != nil {
		return err
	}
	if !P(&left).Equal(&right) {
		return refuse(Lagrange, "it is not the Lagrange form of these powers: %s", name)
	}
	return nil
}

// lagrangeG2 is kzg.ToLagrangeG1 for the other group: the inverse transform over points, by decimation in frequency.
func lagrangeG2(powers []bn254.G2Affine) ([]bn254.G2Affine, error) {
	n := len(powers)
	points := make([]bn254.G2Jac, n)
	for i := range points {
		points[i].FromAffine(&powers[i])
	}
	d := fft.NewDomain(uint64(n))
	factors := make([]big.Int, n/2) // powers of the root's inverse
	power := fr.One()
	for i := range factors {
		power.BigInt(&factors[i])
		power.Mul(&power, &d.GeneratorInv)
	}
	for half := n / 2; half > 0; half /= 2 {
		if err := stage(points, factors, half); err != nil {
			return nil, err
		}
	}
	var inverse big.Int
	d.CardinalityInv.BigInt(&inverse)
	form := make([]bn254.G2Affine, n)
	shift := bits.UintSize - bits.TrailingZeros(uint(n))
	return form, parallel(n, func(i int) error {
		var point bn254.G2Jac
		point.ScalarMultiplication(&points[bits.Reverse(uint(i))>>shift], &inverse)
		form[i].FromJacobian(&point)
		return nil
	})
}

// stage does all butterflies of one stage: in each block of 2 half points, (a, b) becomes (a + b, (a - b) w^j).
func stage(points []bn254.G2Jac, factors []big.Int, half int) error {
	stride := len(factors) / half
	return parallel(len(factors), func(i int) error {
		block, j := i/half, i%half
		a, b := &points[2*half*block+j], &points[2*half*block+j+half]
		difference := *a
		difference.SubAssign(b)
		a.AddAssign(b)
		if *b = difference; j > 0 {
			b.ScalarMultiplication(&difference, &factors[j*stride])
		}
		return nil
	})
}
