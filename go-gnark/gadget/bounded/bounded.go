// Package bounded gives circuit values the type of an integer in a known interval.
//
// Relation: an Int is a field element that equals the residue of exactly one integer in [lo, hi].
// Precondition: none for the caller; an Int comes from a range check, a lookup, a constant, or arithmetic on other Ints; or from
// UnsafeWithin or Assumed, whose callers owe the proof.
// Outside it: an interval that could leave (-2^250, 2^250) is refused at compile time, naming the place, because
// signs would stop being decidable modulo the field's order. Cost: additions are free, a product is one constraint, a
// check of w bits a few constraints per limb of the shared table.
package bounded

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/consensys/gnark/frontend"
	"github.com/consensys/gnark/std/rangecheck"
)

// MaxBits bounds every integer's magnitude by 2^MaxBits, well below half of the field's order.
const MaxBits = 250

// OverflowError says at compile time that a shape's values could outgrow the field.
type OverflowError struct {
	Where string
	Bits  int
}

func (e *OverflowError) Error() string {
	return fmt.Sprintf("%s: values of up to %d bits, the limit is %d", e.Where, e.Bits, MaxBits)
}

// Catch returns an overflow as an error; to be deferred by a circuit's Define. It is the shape's fault, not the program's,
// and the compiler would bury it in a stack trace.
func Catch(err *error) {
	switch fault := recover().(type) {
	case nil:
	case *OverflowError:
		*err = fault
	default:
		panic(fault)
	}
}

// Int is an integer wire whose bounds are proven. The zero value is not valid.
type Int struct {
	wire   frontend.Variable
	lo, hi *big.Int
}

// Wire returns the field element.
func (x Int) Wire() frontend.Variable { return x.wire }

// Bounds returns the proven interval, both ends included.
func (x Int) Bounds() (lo, hi *big.Int) { return new(big.Int).Set(x.lo), new(big.Int).Set(x.hi) }

// Width is how many bits the largest magnitude of a place needs.
type Width struct {
	Where string `json:"where"`
	Bits  int    `json:"bits"`
}

// Arith makes and combines Ints within one circuit; Where names the place in errors.
type Arith struct {
	api      frontend.API
	checker  frontend.Rangechecker
	recorder *recorder
	where    string
	widths   *[]Width
}

// New returns the arithmetic of a circuit; all its checks share one table.
func New(api frontend.API) *Arith {
	recorder := newRecorder(api)
	checker := recordedChecker{rangecheck.New(api), recorder}
	return &Arith{api: api, checker: checker, recorder: recorder, where: "circuit", widths: new([]Width)}
}

// At returns the same arithmetic with errors naming another place.
func (a *Arith) At(format string, args ...any) *Arith {
	other := *a
	other.where = fmt.Sprintf(format, args...)
	return &other
}

// Widths lists the places where Ints were made so far, in the order of their first one, each with its widest.
func (a *Arith) Widths() []Width { return slices.Clone(*a.widths) }

// API returns the circuit's interface.
func (a *Arith) API() frontend.API { return a.api }

// Constant returns n as an Int.
func (a *Arith) Constant(n int64) Int {
	v := big.NewInt(n)
	return a.make(v, v, v)
}

// Within returns n as an Int of a wider interval. Arithmetic on it is done at compile time and costs nothing; the bounds of
// its result are those that wires of this interval would lead to.
func (a *Arith) Within(n int64, lo, hi *big.Int) Int {
	v := big.NewInt(n)
	if v.Cmp(lo) < 0 || v.Cmp(hi) > 0 {
		panic(fmt.Sprintf("%s: %d is not in [%v, %v]", a.where, n, lo, hi))
	}
	return a.make(v, lo, hi)
}

// Signed checks -2^(bits-1) <= wire < 2^(bits-1).
func (a *Arith) Signed(wire frontend.Variable, bits int) Int {
	half := new(big.Int).Lsh(big.NewInt(1), uint(bits-1))
	a.checker.Check(a.api.Add(wire, half), bits)
	return a.make(wire, new(big.Int).Neg(half), new(big.Int).Sub(half, big.NewInt(1)))
}

// Unsigned checks 0 <= wire < 2^bits.
func (a *Arith) Unsigned(wire frontend.Variable, bits int) Int {
	a.checker.Check(wire, bits)
	top := new(big.Int).Lsh(big.NewInt(1), uint(bits))
	return a.make(wire, new(big.Int), top.Sub(top, big.NewInt(1)))
}

// Below checks 0 <= wire < n, for n >= 1 that need not be a power of two.
//
// With n = 1 the check is of no bits, which gnark makes wire = 0: the wire is the one number that there is.
func (a *Arith) Below(wire frontend.Variable, n int) Int {
	if n < 1 {
		panic(fmt.Sprintf("%s: no number is below %d", a.where, n))
	}
	top := big.NewInt(int64(n - 1))
	a.checker.Check(wire, top.BitLen())
	if n&(n-1) != 0 {
		// The bits alone would admit all below the next power of two; of these only n - 1 and less leave a difference of so many
		// bits, as that of any other is negative.
		a.checker.Check(a.api.Sub(top, wire), top.BitLen())
	}
	return a.make(wire, new(big.Int), top)
}

// Bit checks that the wire is 0 or 1.
func (a *Arith) Bit(wire frontend.Variable) Int {
	a.api.AssertIsBoolean(wire)
	return a.make(wire, new(big.Int), big.NewInt(1))
}

// Bits splits an unsigned Int below 2^n into n bits, lowest first.
func (a *Arith) Bits(x Int, n int) []Int {
	if x.lo.Sign() < 0 || x.hi.BitLen() > n {
		panic(fmt.Sprintf("%s: %d bits do not hold the value", a.where, n))
	}
	split := make([]Int, n)
	// The digits are unique, as 2^n is below the field's order: no second number of n bits has the same residue.
	for i, bit := range a.api.ToBinary(x.wire, n) {
		split[i] = a.make(bit, new(big.Int), big.NewInt(1))
	}
	return split
}

// UnsafeWithin types a wire as an integer between the least and the largest that the bounds allow, without a constraint. The
// reason says in a sentence why it is one.
//
// Precondition: other constraints of the circuit leave the wire no other values. Outside it: unsound. Where the wire may be
// another element of the field, equality of Ints is not one of integers, AssertNonNegative passes negative numbers, or makes no
// constraint at all, and Pack gives two lists of integers one digest.
func (a *Arith) UnsafeWithin(wire frontend.Variable, _ string, bounds ...Int) Int {
	lo, hi := hull(bounds)
	return a.make(wire, lo, hi)
}

// Assumed types a word of a kept model as an integer from low to high, without a constraint: the link, another circuit, holds it there.
//
// Precondition: the wire is a word of the circuit's first commitment, the link's word at its place has these bounds or narrower ones,
// and nobody takes a certificate for one about a model without the link. Outside it: as UnsafeWithin.
func (a *Arith) Assumed(wire frontend.Variable, low, high *big.Int) Int {
	return a.make(wire, low, high)
}

// hull returns the least interval that holds those of all the integers.
func hull(bounds []Int) (lo, hi *big.Int) {
	lo, hi = bounds[0].lo, bounds[0].hi
	for _, x := range bounds[1:] {
		lo, hi = least(lo, x.lo), greatest(hi, x.hi)
	}
	return lo, hi
}

// Add returns the sum of its arguments.
func (a *Arith) Add(terms ...Int) Int {
	sum, lo, hi := frontend.Variable(0), new(big.Int), new(big.Int)
	for _, x := range terms {
		sum = a.api.Add(sum, x.wire)
		lo.Add(lo, x.lo)
		hi.Add(hi, x.hi)
	}
	return a.make(sum, lo, hi)
}

// Neg returns -x.
func (a *Arith) Neg(x Int) Int {
	return a.make(a.api.Neg(x.wire), new(big.Int).Neg(x.hi), new(big.Int).Neg(x.lo))
}

// Sub returns x - y.
func (a *Arith) Sub(x, y Int) Int { return a.Add(x, a.Neg(y)) }

// Scale returns n x; free.
func (a *Arith) Scale(n *big.Int, x Int) Int {
	low, high := new(big.Int).Mul(n, x.lo), new(big.Int).Mul(n, x.hi)
	return a.make(a.api.Mul(x.wire, n), least(low, high), greatest(low, high))
}

// Mul returns x y; one constraint.
func (a *Arith) Mul(x, y Int) Int {
	lo, hi := products(x, y)
	return a.make(a.api.Mul(x.wire, y.wire), lo, hi)
}

// products returns the interval of x y.
func products(x, y Int) (lo, hi *big.Int) {
	// A product is linear in each factor, so that its extremes are at the corners.
	for _, u := range []*big.Int{x.lo, x.hi} {
		for _, v := range []*big.Int{y.lo, y.hi} {
			product := new(big.Int).Mul(u, v)
			if lo == nil {
				lo, hi = product, product
			}
			lo, hi = least(lo, product), greatest(hi, product)
		}
	}
	return lo, hi
}

// Square returns x^2, which is never negative; one constraint.
func (a *Arith) Square(x Int) Int {
	// Mul takes its factors for two numbers, and their product for one that may be negative.
	square := a.Mul(x, x)
	return a.make(square.wire, new(big.Int), square.hi)
}

// Dot returns the sum of x[i] y[i].
func (a *Arith) Dot(x, y []Int) Int {
	if len(x) != len(y) {
		panic(fmt.Sprintf("%s: product of %d by %d values", a.where, len(x), len(y)))
	}
	terms := make([]Int, len(x))
	for i := range x {
		terms[i] = a.Mul(x[i], y[i])
	}
	return a.Add(terms...)
}

// AssertNonNegative makes x >= 0 a constraint: the residue fits the bits of the upper bound, which no negative
// integer above -2^MaxBits does.
func (a *Arith) AssertNonNegative(x Int) {
	switch {
	case x.hi.Sign() < 0:
		panic(fmt.Sprintf("%s: a value that is always negative is asserted not to be", a.where))
	// An upper end of 0 leaves a check of no bits, and so the one value 0.
	case x.lo.Sign() < 0:
		a.checker.Check(x.wire, x.hi.BitLen())
	}
}

// AssertEqual makes x = y a constraint.
func (a *Arith) AssertEqual(x, y Int) { a.api.AssertIsEqual(x.wire, y.wire) }

func (a *Arith) make(wire frontend.Variable, lo, hi *big.Int) Int {
	// Two integers of so many bits differ by less than the order, so that a residue stands for one of them.
	if width := max(lo.BitLen(), hi.BitLen()); width > MaxBits {
		panic(&OverflowError{Where: a.where, Bits: width})
	} else {
		a.record(width)
	}
	return Int{wire: wire, lo: lo, hi: hi}
}

func (a *Arith) record(bits int) {
	at := slices.IndexFunc(*a.widths, func(w Width) bool { return w.Where == a.where })
	if at < 0 {
		*a.widths = append(*a.widths, Width{a.where, bits})
	} else if seen := &(*a.widths)[at]; seen.Bits < bits {
		seen.Bits = bits
	}
}

func least(x, y *big.Int) *big.Int {
	if x.Cmp(y) < 0 {
		return x
	}
	return y
}

func greatest(x, y *big.Int) *big.Int {
	if x.Cmp(y) > 0 {
		return x
	}
	return y
}
