package system_test

import (
	"math/big"
	"slices"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/frontend"

	"equiproof/check"
	"equiproof/gadget/bounded"
	"equiproof/gadget/kept"
	"equiproof/internal/turns"
	"equiproof/relation"
	"equiproof/system"
)

// C-outside: where the first commitment is not of the model commitment, an owner takes any model for certificates, learns the challenge,
// finds words of their widths with the same value there by lattice reduction, and commits to those. All holds. In the circuit that keys
// are made for, the model commitment is in the first commitment, so that other words move the challenge.
func TestModelCommitmentOutside(t *testing.T) {
	turns.Take(t)
	outside := func() relation.Circuit {
		c := newToy().(*toy)
		c.show = func(a *bounded.Arith, words []frontend.Variable, model, blinding frontend.Variable) (frontend.Variable, error) {
			return kept.Shown(a, blinding, kept.Value(a, words, model, committed(a, words...)))
		}
		return c
	}
	if _, _, err := system.Groth16.Judged(outside()); err == nil {
		t.Error("the lint accepts the circuit")
	}
	k := bypassed(t, outside, newToyLink)
	o := honestOwner(t)
	point, err := k.prover.Point(elements(o.inCertificates...), o.mask)
	if err != nil {
		t.Fatal(err)
	}
	r, err := check.Challenge(point)
	if err != nil {
		t.Fatal(err)
	}
	o.words = colliding(o.inCertificates, integer(r))
	if slices.EqualFunc(o.words, o.inCertificates, func(x, y *big.Int) bool { return x.Cmp(y) == 0 }) {
		t.Fatal("no other words")
	}
	for i, word := range o.words {
		if word.Sign() < 0 || word.BitLen() > toyBits {
			t.Fatalf("word %d is %v", i, word)
		}
	}
	o.model = toyModel(o.words, o.opening)

	// The link is of the committed words, the certificate of the others.
	o.points = func() []byte { return point }
	link := must(t)(o.publish(k))
	query := toyQuery(1)
	proof := mustBytes(t)(k.prover.ProveKept(o.witness(integer(r), query), o.mask))
	if err := k.accepts(o.model, link, query, proof); err != nil {
		t.Errorf("refused, so that this shows nothing: %v", err)
	}

	// The same words where C is inside
	honest := toyOf(t)
	o.points = nil
	inside := must(t)(o.publish(honest))
	refusedFor(t, "C inside", honest.accepts(o.model, inside, query, mustBytes(t)(o.certify(honest, query))), check.PairingsDiffer)
}

// colliding returns other words with the same value at r, a short vector of the lattice of all d with the sum of d_i r^(n-1-i) zero
// modulo the field's order away.
func colliding(words []*big.Int, r *big.Int) []*big.Int {
	n := len(words)
	basis := make([][]*big.Int, n)
	for i := range basis {
		basis[i] = make([]*big.Int, n)
		for j := range basis[i] {
			basis[i][j] = new(big.Int)
		}
		basis[i][i].SetInt64(1)
	}
	// The last word is multiplied by 1: it makes up for one more of each other.
	basis[n-1][n-1].Set(fr.Modulus())
	for i := range n - 1 {
		power := new(big.Int).Exp(r, big.NewInt(int64(n-1-i)), fr.Modulus())
		basis[i][n-1].Neg(power)
	}
	reduce(basis)
	for _, vector := range basis {
		changed := make([]*big.Int, n)
		fits := true
		for _, sign := range []int64{1, -1} {
			fits = true
			for i := range changed {
				changed[i] = new(big.Int).Mul(vector[i], big.NewInt(sign))
				changed[i].Add(changed[i], words[i])
				fits = fits && changed[i].Sign() >= 0 && changed[i].BitLen() <= toyBits
			}
			if fits {
				return changed
			}
		}
	}
	return words
}

// lattice is a basis with its Gram-Schmidt coefficients as integers: det[i+1] is the determinant of the first i+1 rows' inner
// products, and part[k][j] / det[j+1] the coefficient of row k along row j.
type lattice struct {
	rows [][]*big.Int
	det  []*big.Int
	part [][]*big.Int
}

// reduce reduces a lattice's basis by the algorithm of Lenstra, Lenstra and Lovasz with a factor of 3/4, in integers alone
// (B. de Weger, Solving exponential Diophantine equations using lattice basis reduction algorithms, 1987).
func reduce(basis [][]*big.Int) {
	l := &lattice{rows: basis, det: []*big.Int{big.NewInt(1)}}
	for k := range basis {
		l.begin(k)
	}
	for k := 1; k < len(basis); {
		l.shorten(k, k-1)
		// det[k+1] det[k-1] >= 3/4 det[k]^2 - part^2
		bound, part := times2(l.det[k], l.det[k]), times2(l.part[k][k-1], l.part[k][k-1])
		bound.Mul(bound, big.NewInt(3)).Sub(bound, part.Mul(part, big.NewInt(4)))
		if have := times2(l.det[k+1], l.det[k-1]); have.Mul(have, big.NewInt(4)).Cmp(bound) >= 0 {
			for j := k - 2; j >= 0; j-- {
				l.shorten(k, j)
			}
			k++
			continue
		}
		l.exchange(k)
		k = max(k-1, 1)
	}
}

func times2(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) }

// begin works out the coefficients of a row along those before it.
func (l *lattice) begin(k int) {
	part := make([]*big.Int, k)
	for j := range k + 1 {
		u := new(big.Int)
		for c := range l.rows[k] {
			u.Add(u, times2(l.rows[k][c], l.rows[j][c]))
		}
		for i := range j {
			other := part
			if j < k {
				other = l.part[j]
			}
			u.Mul(u, l.det[i+1]).Sub(u, times2(part[i], other[i])).Quo(u, l.det[i])
		}
		if j < k {
			part[j] = u
		} else {
			l.det = append(l.det, u)
		}
	}
	l.part = append(l.part, part)
}

// shorten subtracts from row k the multiple of row j that leaves the smallest coefficient.
func (l *lattice) shorten(k, j int) {
	twice, length := new(big.Int).Lsh(l.part[k][j], 1), l.det[j+1]
	factor := new(big.Int).Div(twice.Add(twice, length), new(big.Int).Lsh(length, 1)) // rounded to the nearest
	if factor.Sign() == 0 {
		return
	}
	for c := range l.rows[k] {
		l.rows[k][c].Sub(l.rows[k][c], times2(factor, l.rows[j][c]))
	}
	l.part[k][j].Sub(l.part[k][j], times2(factor, length))
	for i := range j {
		l.part[k][i].Sub(l.part[k][i], times2(factor, l.part[j][i]))
	}
}

// exchange exchanges row k with the one before it.
func (l *lattice) exchange(k int) {
	l.rows[k], l.rows[k-1] = l.rows[k-1], l.rows[k]
	for j := range k - 1 {
		l.part[k][j], l.part[k-1][j] = l.part[k-1][j], l.part[k][j]
	}
	part := l.part[k][k-1]
	length := times2(l.det[k-1], l.det[k+1])
	length.Add(length, times2(part, part)).Quo(length, l.det[k])
	for i := k + 1; i < len(l.rows); i++ {
		old := l.part[i][k]
		l.part[i][k] = times2(l.det[k+1], l.part[i][k-1])
		l.part[i][k].Sub(l.part[i][k], times2(part, old)).Quo(l.part[i][k], l.det[k])
		l.part[i][k-1] = times2(length, old)
		l.part[i][k-1].Add(l.part[i][k-1], times2(part, l.part[i][k])).Quo(l.part[i][k-1], l.det[k+1])
	}
	l.det[k] = length
}
