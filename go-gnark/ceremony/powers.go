package ceremony

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark/backend/groth16/bn254/mpcsetup"
)

// Powers are for domains of 2^power elements: from two elements, the fewest with a ratio, to as many as fit the memory of
// a large machine.
const (
	minPower = 1
	maxPower = 23
)

// sizeBytes is the length of the domain's size in front of powers.
const sizeBytes = 8

// Commons are powers of tau: 2N-1 of tau in G1, N of tau in G2, N times alpha, N times beta, and beta in G2.
type Commons = mpcsetup.SrsCommons

// domain returns N = 2^power; a power outside the bounds is an error.
func domain(power int) (int, error) {
	if power < minPower || power > maxPower {
		return 0, fmt.Errorf("power %d is not from %d to %d", power, minPower, maxPower)
	}
	return 1 << power, nil
}

// commonsBytes is the length of powers for a domain of n elements. Neither generator is written.
func commonsBytes(n int) int {
	return sizeBytes + g2Bytes + g1Bytes*(2*n-2) + g2Bytes*(n-1) + 2*g1Bytes*n
}

// extent is how many powers are read: of tau in G1, of tau in G2, and of those times alpha and times beta.
type extent struct{ tau, tau2, others int }

// whole is all that a domain of n elements has.
func whole(n int) extent { return extent{2*n - 1, n, n} }

// readPowers reads powers for a domain of n elements as gnark writes them, or the first of them. Their ratios are not
// checked.
func readPowers(n int, data []byte, e extent) (*Commons, error) {
	if len(data) != commonsBytes(n) {
		return nil, fmt.Errorf("powers: %d bytes, want %d for a domain of %d", len(data), commonsBytes(n), n)
	}
	r := &reader{data: data}
	commons := r.commons(n, e)
	if err := r.end(); err != nil {
		return nil, fmt.Errorf("powers: %w", err)
	}
	return commons, nil
}

// commons reads powers for a domain of n elements, or the first of them. None is at infinity unless tau, alpha or beta is
// zero.
func (r *reader) commons(n int, e extent) *Commons {
	if size := r.take("the size", sizeBytes); r.err == nil && binary.BigEndian.Uint64(size) != uint64(n) {
		r.err = fmt.Errorf("a domain of %d, want %d", binary.BigEndian.Uint64(size), n)
	}
	_, _, g1, g2 := bn254.Generators()
	c := new(Commons)
	beta := r.g2("beta in G2", 1, encoding{})
	in1 := func(name string, count, of int) []bn254.G1Affine {
		return list[bn254.G1Affine](r, name, count, of, g1Bytes, encoding{})
	}
	c.G1.Tau = append([]bn254.G1Affine{g1}, in1("tau in G1", e.tau-1, 2*n-2)...)
	tau2 := list[bn254.G2Affine](r, "tau in G2", e.tau2-1, n-1, g2Bytes, encoding{})
	c.G2.Tau = append([]bn254.G2Affine{g2}, tau2...)
	c.G1.BetaTau, c.G1.AlphaTau = in1("beta", e.others, n), in1("alpha", e.others, n)
	if r.err != nil {
		return nil
	}
	c.G2.Beta = beta[0]
	return c
}

func written(c *Commons) ([]byte, error) {
	var out bytes.Buffer
	out.Grow(commonsBytes(len(c.G2.Tau)))
	if _, err := c.WriteTo(&out); err != nil {
		return nil, fmt.Errorf("write powers: %w", err)
	}
	return out.Bytes(), nil
}

// CheckPowers returns nil for finished powers: every point is in its subgroup, they are powers of one tau times one alpha
// and one beta, and those are no trivial numbers. It cannot show that anybody contributed to them.
func CheckPowers(power int, powers []byte) error {
	n, err := domain(power)
	if err != nil {
		return err
	}
	commons, err := readPowers(n, powers, whole(n))
	if err != nil {
		return err
	}
	return checkPowers(commons)
}

func checkPowers(c *Commons) error {
	if err := consistent(c); err != nil {
		return err
	}
	return chosen(c)
}

// chosen refuses powers of secrets that everybody knows. Under others the point of a commitment's mask is not at infinity,
// so that the proofs of every key hide their witness.
func chosen(c *Commons) error {
	_, _, g1, _ := bn254.Generators()
	// For an element of the domain, and of one twice as large, the Lagrange form has points at infinity.
	last := c.G1.Tau[len(c.G2.Tau)]
	if upToSign(&last, &g1) {
		return refuse(NotRerandomised, "tau is an element of the domain")
	}
	for _, value := range []struct {
		name  string
		point *bn254.G1Affine
	}{{"alpha", &c.G1.AlphaTau[0]}, {"beta", &c.G1.BetaTau[0]}} {
		if upToSign(value.point, &g1) {
			return refuse(NotRerandomised, "%s is 1 or -1", value.name)
		}
	}
	return nil
}

// CutPowers returns the first of checked powers: those for a domain of 2^to elements.
func CutPowers(power int, powers []byte, to int) ([]byte, error) {
	from, err := domain(power)
	if err != nil {
		return nil, err
	}
	n, err := domain(to)
	if err != nil {
		return nil, err
	}
	if to > power {
		return nil, fmt.Errorf("powers for 2^%d cannot be cut to 2^%d", power, to)
	}
	commons, err := readPowers(from, powers, whole(n))
	if err != nil {
		return nil, err
	}
	return written(commons)
}
