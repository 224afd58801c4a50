package ceremony

import (
	"math/big"
	"math/bits"
	"slices"

	"github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark-crypto/ecc/bn254/mpcsetup"
	groth16 "github.com/consensys/gnark/backend/groth16/bn254/mpcsetup"
	"github.com/consensys/gnark/constraint"
	cs "github.com/consensys/gnark/constraint/bn254"
)

// evaluations are a circuit's polynomials at tau, a point for each wire: A, B and B in G2 of the proving key, and
// K = beta A + alpha B + C, which the second phase divides by delta or gamma.
type evaluations struct {
	a, b, k []bn254.G1Affine
	b2      []bn254.G2Affine
}

// evaluate computes what gnark's Phase2.Initialize does, from the Lagrange form instead of the powers.
func evaluate(circuit *cs.R1CS, f *form) (*evaluations, error) {
	internal, secret, public := circuit.GetNbVariables()
	wires := internal + secret + public
	left, right, out := columns(circuit, wires)
	a, b, k := make([]bn254.G1Jac, wires), make([]bn254.G1Jac, wires), make([]bn254.G1Jac, wires)
	b2 := make([]bn254.G2Affine, wires)
	err := parallel(wires, func(wire int) error {
		l, r := grouped(left.of(wire)), grouped(right.of(wire))
		a[wire] = sumOf[bn254.G1Affine, bn254.G1Jac](circuit, l, f.tau)
		b[wire] = sumOf[bn254.G1Affine, bn254.G1Jac](circuit, r, f.tau)
		k[wire] = sumOf[bn254.G1Affine, bn254.G1Jac](circuit, l, f.beta)
		alpha := sumOf[bn254.G1Affine, bn254.G1Jac](circuit, r, f.alpha)
		c := sumOf[bn254.G1Affine, bn254.G1Jac](circuit, grouped(out.of(wire)), f.tau)
		k[wire].AddAssign(&alpha).AddAssign(&c)
		inG2 := sumOf[bn254.G2Affine, bn254.G2Jac](circuit, r, f.tau2)
		b2[wire].FromJacobian(&inG2)
		return nil
	})
	return &evaluations{
		bn254.BatchJacobianToAffineG1(a), bn254.BatchJacobianToAffineG1(b), bn254.BatchJacobianToAffineG1(k), b2,
	}, err
}

// term is an entry of a column: the constraint, and the number of its coefficient.
type term struct{ row, coefficient int }

// column holds the terms of each wire in one list, from starts[wire] to starts[wire+1].
type column struct {
	starts []int
	terms  []term
}

func (c *column) of(wire int) []term { return c.terms[c.starts[wire]:c.starts[wire+1]] }

// columns turns a circuit's constraints into the columns of its three matrices.
func columns(circuit *cs.R1CS, wires int) (left, right, out *column) {
	var rows [3][]constraint.LinearExpression
	it := circuit.GetR1CIterator()
	for row := it.Next(); row != nil; row = it.Next() {
		for i, expression := range []constraint.LinearExpression{row.L, row.R, row.O} {
			rows[i] = append(rows[i], slices.Clone(expression))
		}
	}
	return transposed(rows[0], wires), transposed(rows[1], wires), transposed(rows[2], wires)
}

func transposed(rows []constraint.LinearExpression, wires int) *column {
	c := &column{starts: make([]int, wires+1)}
	for _, row := range rows {
		for _, t := range row {
			c.starts[t.WireID()+1]++
		}
	}
	for wire := range wires {
		c.starts[wire+1] += c.starts[wire]
	}
	c.terms = make([]term, c.starts[wires])
	next := slices.Clone(c.starts)
	for i, row := range rows {
		for _, t := range row {
			c.terms[next[t.WireID()]] = term{i, t.CoeffID()}
			next[t.WireID()]++
		}
	}
	return c
}

// grouped sorts terms by coefficient, so that sums multiply once for each.
func grouped(terms []term) []term {
	slices.SortStableFunc(terms, func(left, right term) int { return left.coefficient - right.coefficient })
	return terms
}

// jacobian is a pointer to a point in coordinates that add fast.
type jacobian[A, J any] interface {
	*J
	AddMixed(*A) *J
	AddAssign(*J) *J
	SubAssign(*J) *J
	ScalarMultiplication(*J, *big.Int) *J
}

// sumOf adds up the points of grouped terms, each times its coefficient.
func sumOf[A, J any, P jacobian[A, J]](circuit *cs.R1CS, terms []term, points []A) (sum J) {
	for len(terms) > 0 {
		coefficient, same := terms[0].coefficient, 1
		for same < len(terms) && terms[same].coefficient == coefficient {
			same++
		}
		var part J
		for _, t := range terms[:same] {
			P(&part).AddMixed(&points[t.row])
		}
		terms = terms[same:]
		part = scaled[A, J, P](circuit, coefficient, part)
		P(&sum).AddAssign(&part)
	}
	return sum
}

// scaled returns a point times a coefficient: the shorter one of a number and its negative, since most are 1 or short.
func scaled[A, J any, P jacobian[A, J]](circuit *cs.R1CS, coefficient int, point J) (product J) {
	var number, negative big.Int
	circuit.Coefficients[coefficient].BigInt(&number)
	negated := negative.Sub(fr.Modulus(), &number).BitLen() < number.BitLen()
	if negated {
		number.Set(&negative)
	}
	if product = point; number.BitLen() != 1 {
		P(&product).ScalarMultiplication(&point, &number)
	}
	if negated {
		var zero J
		P(&zero).SubAssign(&product)
		return zero
	}
	return product
}

// origin returns the second phase before anybody contributed, but for Z, and what it does not change, as gnark's Initialize
// does.
func origin(circuit *cs.R1CS, f *form) (*groth16.Phase2, *groth16.Phase2Evaluations, error) {
	evaluation, err := evaluate(circuit, f)
	if err != nil {
		return nil, nil, err
	}
	commitments := circuit.CommitmentInfo.(constraint.Groth16Commitments)
	public := circuit.GetNbPublicVariables()
	fixed := new(groth16.Phase2Evaluations)
	fixed.G1.A, fixed.G1.B, fixed.G2.B = evaluation.a, evaluation.b, evaluation.b2
	fixed.PublicAndCommitmentCommitted = commitments.GetPublicAndCommitmentCommitted(commitments.CommitmentIndexes(), public)
	fixed.G1.CKK = make([][]bn254.G1Affine, len(commitments))

	_, _, g1, g2 := bn254.Generators()
	p := new(groth16.Phase2)
	p.Parameters.G1.Delta, p.Parameters.G2.Delta = g1, g2
	p.Parameters.G2.Sigma = repeated(g2, len(commitments))
	p.Parameters.G1.SigmaCKK = make([][]bn254.G1Affine, len(commitments))
	p.Sigmas = make([]mpcsetup.UpdateProof, len(commitments))

	roles := rolesOf(commitments)
	for wire, point := range evaluation.k {
		switch role, special := roles[wire]; {
		case !special && wire >= public:
			p.Parameters.G1.PKK = append(p.Parameters.G1.PKK, point)
		case !special || role == challenged:
			fixed.G1.VKK = append(fixed.G1.VKK, point)
		default:
			fixed.G1.CKK[role] = append(fixed.G1.CKK[role], point)
		}
	}
	for i := range commitments {
		p.Parameters.G1.SigmaCKK[i] = slices.Clone(fixed.G1.CKK[i])
	}
	return p, fixed, nil
}

// challenged is the role of a wire that holds a commitment's hash: it is an input of the verifier.
const challenged = -1

// rolesOf returns which private wires are committed, with the number of their commitment, and which hold a hash.
func rolesOf(commitments constraint.Groth16Commitments) map[int]int {
	roles := map[int]int{}
	for i, commitment := range commitments {
		for _, wire := range commitment.PrivateCommitted {
			roles[wire] = i
		}
		roles[commitment.CommitmentIndex] = challenged
	}
	return roles
}

// vanishing returns Z, tau^i (tau^n - 1) for i < n-1, in the order of gnark's Initialize: a bit reversal of n points.
func vanishing(tau []bn254.G1Affine) []bn254.G1Affine {
	n := (len(tau) + 1) / 2
	z := make([]bn254.G1Affine, n)
	shift := bits.UintSize - bits.TrailingZeros(uint(n))
	for i := range n - 1 {
		z[bits.Reverse(uint(i))>>shift].Sub(&tau[i+n], &tau[i])
	}
	return z[:n-1]
}
