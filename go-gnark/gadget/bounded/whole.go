package bounded

import (
	"fmt"
	"math/big"
	"reflect"
	"slices"

	"github.com/consensys/gnark/frontend"
)

// Floor types quotient as floor(x / 2^bits) and returns it with the remainder, from 0 to 2^bits - 1; for bits > 0.
//
// Two range checks: of the quotient to the interval that x leads to, without which it could be a fraction, and of the
// remainder.
func (a *Arith) Floor(x Int, bits int, quotient frontend.Variable) (floor, remainder Int) {
	lo, hi := new(big.Int).Rsh(x.lo, uint(bits)), new(big.Int).Rsh(x.hi, uint(bits))
	// The check may pass numbers above hi, up to the next power of two: the product below is held to the limit with these. That the
	// quotient is at most hi then follows of integers, from a remainder that is not negative.
	width := new(big.Int).Sub(hi, lo).BitLen()
	a.checker.Check(a.api.Sub(quotient, lo), width)
	top := new(big.Int).Lsh(big.NewInt(1), uint(width))
	claimed := a.make(quotient, lo, top.Add(top, lo).Sub(top, big.NewInt(1)))
	// x and 2^bits quotient are integers below 2^MaxBits, so that their difference is one, too.
	rest := a.Sub(x, a.Scale(new(big.Int).Lsh(big.NewInt(1), uint(bits)), claimed))
	return a.make(quotient, lo, hi), a.Unsigned(rest.wire, bits)
}

// Sign checks that the wire is -1, 0 or 1 and returns three bits, of which one is set: whether it is 1, -1 or 0. Two
// constraints.
func (a *Arith) Sign(wire frontend.Variable) (plus, minus, none Int) {
	square := a.api.Mul(wire, wire)
	// A square is 0 or 1 of 0, 1 and -1 alone: a field has no further roots.
	a.api.AssertIsBoolean(square)
	bit := func(wire frontend.Variable) Int { return a.make(wire, new(big.Int), big.NewInt(1)) }
	half := new(big.Int).ModInverse(big.NewInt(2), a.api.Compiler().Field())
	return bit(a.api.Mul(a.api.Add(square, wire), half)), bit(a.api.Mul(a.api.Sub(square, wire), half)),
		bit(a.api.Sub(1, square))
}

// Parts types a wire of the given signed bits with its positive and its negative part, x = positive - negative of which
// one is 0; negative is a bit that says which.
//
// The bit is 1 where x is below 0, and only there: x, or -x - 1 where the bit is set, is below 2^(bits - 1). Two constraints
// and one range check, as for x alone.
func (a *Arith) Parts(wire, negative frontend.Variable, bits int) (x, plus, minus Int) {
	a.api.AssertIsBoolean(negative)
	part := a.api.Mul(negative, wire)
	a.checker.Check(a.api.Sub(wire, a.api.Mul(part, 2), negative), bits-1)
	half := new(big.Int).Lsh(big.NewInt(1), uint(bits-1))
	most := new(big.Int).Sub(half, big.NewInt(1))
	return a.make(wire, new(big.Int).Neg(half), most), a.make(a.api.Sub(wire, part), new(big.Int), most),
		a.make(a.api.Neg(part), new(big.Int), half)
}

// Demand panics at compile time unless the proven interval of x lies in [lo, hi]: for gadgets that rely on it.
func (a *Arith) Demand(x Int, lo, hi *big.Int) {
	if x.lo.Cmp(lo) < 0 || x.hi.Cmp(hi) > 0 {
		panic(fmt.Sprintf("%s: a value of [%v, %v], want one of [%v, %v]", a.where, x.lo, x.hi, lo, hi))
	}
}

// Limits returns the bounds of x y on a constant 0, without a constraint: for what identities prove of products that no
// wire holds.
func (a *Arith) Limits(x, y Int) Int {
	lo, hi := products(x, y)
	return a.make(0, lo, hi)
}

// Hull returns bounds that hold those of all the integers, on a constant 0, without a constraint; a panic where they do not hold
// 0. Like Limits, for numbers that no wire holds.
func (a *Arith) Hull(among ...Int) Int {
	lo, hi := hull(among)
	return a.Within(0, lo, hi)
}

// Widen returns x with bounds that hold those of the others, too: for numbers that are packed or compared alike.
func (a *Arith) Widen(x Int, others ...Int) Int {
	lo, hi := hull(others)
	return a.make(x.wire, least(lo, x.lo), greatest(hi, x.hi))
}

// Select returns x where the bit is set, else y, with the bounds of both; one constraint.
//
// Precondition: the bit is 0 or 1, which is demanded of its bounds. Outside it: the circuit does not compile.
func (a *Arith) Select(bit, x, y Int) Int {
	a.Demand(bit, new(big.Int), big.NewInt(1))
	chosen := a.Add(y, a.Mul(bit, a.Sub(x, y)))
	lo, hi := hull([]Int{x, y})
	return a.make(chosen.wire, lo, hi)
}

// Claimed makes a wire equal to x, and types it so: for a wire of the prover's that spares others a long sum. One constraint.
func (a *Arith) Claimed(wire frontend.Variable, x Int) Int {
	a.api.AssertIsEqual(wire, x.wire)
	return a.make(wire, x.lo, x.hi)
}

// Positive checks that x is at least 1.
func (a *Arith) Positive(x Int) Int {
	one := big.NewInt(1)
	a.AssertNonNegative(a.Sub(x, a.Constant(1)))
	return a.make(x.wire, greatest(x.lo, one), x.hi)
}

// Same types a value that has two sets of bounds by both. Where it is not made in the same way, one constraint makes it the
// same.
func (a *Arith) Same(x, y Int) Int {
	// Linear expressions that are the same are equal without a row.
	if !reflect.DeepEqual(x.wire, y.wire) {
		a.AssertEqual(x, y)
	}
	return a.make(x.wire, greatest(x.lo, y.lo), least(x.hi, y.hi))
}

// Multiplied types wires that an identity proves to be the products of x with the columns of a matrix.
func (a *Arith) Multiplied(wires []frontend.Variable, x []Int, columns [][]Int) []Int {
	if len(wires) != len(columns) {
		panic(fmt.Sprintf("%s: %d products of %d columns", a.where, len(wires), len(columns)))
	}
	typed := make([]Int, len(wires))
	var kinds []int // columns of which none has the bounds of another
	for j, column := range columns {
		if len(column) != len(x) {
			panic(fmt.Sprintf("%s: product of %d by %d values", a.where, len(x), len(column)))
		}
		same := slices.IndexFunc(kinds, func(k int) bool { return slices.EqualFunc(columns[k], column, sameBounds) })
		if same >= 0 {
			like := typed[kinds[same]]
			typed[j] = a.make(wires[j], like.lo, like.hi)
			continue
		}
		kinds = append(kinds, j)
		lo, hi := new(big.Int), new(big.Int)
		for i := range x {
			low, high := products(x[i], column[i])
			lo.Add(lo, low)
			hi.Add(hi, high)
		}
		typed[j] = a.make(wires[j], lo, hi)
	}
	return typed
}

func sameBounds(x, y Int) bool { return x.lo.Cmp(y.lo) == 0 && x.hi.Cmp(y.hi) == 0 }
