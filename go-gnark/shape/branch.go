package shape

import (
	"fmt"
	"math/big"
)

// The choices of scheme `branch` that are the same for every shape: q, the fractional bits of slopes and multipliers; how
// many bits a coefficient over hidden neurons keeps where squares would outgrow the field; and what the field holds.
const (
	FractionBits = 8
	keptBits     = 52
	fieldBits    = 250
)

// Form is the roundings and widths of forms of one top layer L, for a neuron's bounds, or for margins behind the last
// hidden layer; lists go by layer j = 1 .. L - 1.
type Form struct {
	Rounding    []int // k
	SplitBits   []int // of P and Q; the excess, in leaves, has FractionBits more
	Coarse      int   // kc
	RadiusBits  int   // of r; 0 for margins where kc = 0
	RestBits    int   // of rho; 0 where kc = 0
	CutBits     int   // signed, of what margins take off each column with ranges; 0 without
	LeastBits   int   // signed, of the least coefficient of a category on a box; 0 where the statement is about a ball
	ScaledBound int   // shift of R-B-BOUND: (sum of k) - q (L - 1)
}

// Branch is the numbers of a shape of scheme `branch` (docs/adr/0008-branch-and-bound-in-integers.md).
type Branch struct {
	BoundBits       []int  // signed, of l and u of each hidden layer
	OffsetBits      []int  // of T
	FirstRadiusBits int    // of r of layer 1
	FirstLeastBits  int    // signed, of the least weight of a category in layer 1, or of the least of the negated ones
	Forms           []Form // L = 2 .. H + 1
}

// wide says which numbers pass 2^250, and whether rounding the final coefficients can help.
type wide struct {
	what  string
	bits  int
	radii bool
}

func (w *wide) Error() string {
	return fmt.Sprintf("shape: %s take %d bits, the field holds %d", w.what, w.bits, fieldBits)
}

// Branch derives roundings and widths by interval arithmetic over every pattern; sizes that the field does not hold are
// refused, naming the layer.
func (s *Shape) Branch() (*Branch, error) {
	first := s.Architecture.WeightBits[0]
	b := &Branch{FirstRadiusBits: s.rootBits(power(first - 1)), FirstLeastBits: first + 1}
	for _, limit := range s.valueLimits()[:len(s.Architecture.Hidden)] {
		b.BoundBits = append(b.BoundBits, limit.BitLen()+2)
		b.OffsetBits = append(b.OffsetBits, limit.BitLen()+2+FractionBits)
	}
	for top := 2; top <= len(s.Architecture.Hidden)+1; top++ {
		form, err := s.form(top)
		if err != nil {
			return nil, err
		}
		b.Forms = append(b.Forms, *form)
	}
	return b, nil
}

// form chooses the roundings of a top layer: none if the field holds every number; else below the top layer so that
// coefficients keep keptBits, and the least of the final ones that fits.
func (s *Shape) form(top int) (*Form, error) {
	form := &Form{Rounding: make([]int, top-1)}
	if s.measure(form, top) == nil {
		return form, nil
	}
	for j := top - 2; j >= 1; j-- {
		form.Rounding[j-1] = max(0, s.limit(form, top, j).BitLen()-keptBits)
	}
	for {
		fault := s.measure(form, top)
		if fault == nil {
			return form, nil
		}
		// Only squares shrink with kc, which is never as large as the field.
		if !fault.radii || form.Coarse == fieldBits {
			return nil, fault
		}
		form.Coarse++
	}
}

// fewSlices is up to how many slices leaves take the lines of theirs by products: three constraints per neuron, as many as
// looking up a line and a matrix of its own take.
const fewSlices = 4

// LooksUpSlices says whether leaves look up the lines of their slices in a table.
func (s *Shape) LooksUpSlices() bool { return s.Slices > fewSlices }

// start returns the limits of lambda and kappa over the layer below the top, and the bit that signs add to slopes.
func (s *Shape) start(top int) (coefficient, constant *big.Int, signs int) {
	a, factor := &s.Architecture, 0
	if top == len(a.Hidden)+1 {
		signs, factor = 1, FractionBits
		if a.Logits > 1 {
			factor++ // the difference of two rows
		}
	}
	return power(a.WeightBits[top-1] - 1 + factor), power(a.BiasBits[top-1] - 1 + factor), signs
}

// limit returns the largest coefficient over a layer before it is rounded.
func (s *Shape) limit(form *Form, top, layer int) *big.Int {
	coefficient, _, signs := s.start(top)
	for j := top - 1; j > layer; j-- {
		split := ceilShift(coefficient, form.Rounding[j-1]).BitLen()
		coefficient = power(FractionBits + split + signs + s.Architecture.WeightBits[j-1] - 1)
		coefficient.Mul(coefficient, big.NewInt(int64(s.Architecture.Hidden[j-1])))
	}
	return coefficient
}

// measure runs the backward pass on limits of magnitudes and fills in the widths.
func (s *Shape) measure(form *Form, top int) *wide {
	a, values := &s.Architecture, s.valueLimits()
	coefficient, constant, signs := s.start(top)
	form.SplitBits, form.ScaledBound = make([]int, top-1), -FractionBits*(top-1)
	for j := top - 1; j >= 1; j-- {
		k, size := form.Rounding[j-1], big.NewInt(int64(a.Hidden[j-1]))
		form.ScaledBound += k
		coefficient, constant = ceilShift(coefficient, k), ceilShift(constant, k)
		split := coefficient.BitLen()
		form.SplitBits[j-1] = split
		// On: 2^q lambda - beta; off: beta; free: A P - K Q.
		slope := power(FractionBits + split + signs)
		// Q is up to P - lambda, so that it has one more bit than P where lambda is not split (leaves).
		offset := power(values[j-1].BitLen() + 2 + FractionBits + split + signs)
		each := new(big.Int).Lsh(slope, uint(a.BiasBits[j-1]-1))
		each.Add(each, offset).Mul(each, size)
		constant.Lsh(constant, FractionBits).Add(constant, each)
		coefficient = slope.Lsh(slope, uint(a.WeightBits[j-1]-1)).Mul(slope, size)
		if fault := fits(constant, fmt.Sprintf("layer %d: constants over layer %d", top, j)); fault != nil {
			return fault
		}
	}
	return s.measureEnd(form, top, coefficient, constant)
}

// measureEnd is measure for the form over the inputs.
func (s *Shape) measureEnd(form *Form, top int, coefficient, constant *big.Int) *wide {
	a := &s.Architecture
	centre := new(big.Int).Lsh(coefficient, uint(s.InputBits-1))
	centre.Mul(centre, big.NewInt(int64(a.Plain+a.Sensitive))).Add(centre, constant)
	leaf := top > len(a.Hidden)
	if s.Boxes() {
		// A form falls by its coefficients times how far apart both ends are; a category by its least one, which is as wide.
		form.LeastBits = coefficient.BitLen() + 1
		fall := power(form.LeastBits + s.InputBits)
		return s.measureSides(form, top, centre.Add(centre, fall.Mul(fall, big.NewInt(int64(a.Plain)))))
	}
	if leaf && s.Ranges() {
		// A coefficient can be taken off as a whole; a column lies at most 2^input_bits from the ends of its range.
		form.CutBits = coefficient.BitLen() + 1
		most := power(form.CutBits - 1 + s.InputBits)
		centre.Add(centre, most.Mul(most, big.NewInt(int64(a.Plain))))
		coefficient = new(big.Int).Add(coefficient, power(form.CutBits-1))
	}
	form.RadiusBits, form.RestBits = s.rootBits(ceilShift(coefficient, form.Coarse)), 0
	squared, rest := form.RadiusBits, big.NewInt(1)
	if form.Coarse > 0 {
		form.RestBits = s.rootBits(power(form.Coarse - 1))
		rest = power(form.RestBits)
	}
	if leaf && form.Coarse == 0 {
		// Without a radius of its own the centre is squared.
		squared, form.RadiusBits = max(squared, centre.BitLen()), 0
	}
	if fault := fits(power(2*squared), fmt.Sprintf("layer %d: squared radii", top)); fault != nil {
		fault.radii = true
		return fault
	}
	return s.measureSides(form, top, centre.Add(centre, power(form.Coarse+form.RadiusBits)).Add(centre, rest))
}

// measureSides is measure for what a form is compared with, at its value at the centre and as far as it reaches.
func (s *Shape) measureSides(form *Form, top int, side *big.Int) *wide {
	a, values := &s.Architecture, s.valueLimits()
	if top <= len(a.Hidden) {
		// A bound is compared at the scale of the form, or the form at that of the bound.
		side.Lsh(side, uint(max(form.ScaledBound, 0)))
		if bound := power(values[top-1].BitLen() + 1 + max(-form.ScaledBound, 0)); bound.Cmp(side) > 0 {
			side = bound
		}
		side.Lsh(side, 1)
		offset := power(values[top-1].BitLen() + 4 + FractionBits)
		if fault := fits(offset, fmt.Sprintf("layer %d: relaxations", top)); fault != nil {
			return fault
		}
	}
	return fits(side, fmt.Sprintf("layer %d: values at the centre", top))
}

// valueLimits returns the largest magnitude of the pre-activations of each layer, over all patterns.
func (s *Shape) valueLimits() []*big.Int {
	a, largest := &s.Architecture, power(s.InputBits-1)
	var limits []*big.Int
	for l, layer := range s.Layers() {
		next := new(big.Int).Lsh(largest, uint(a.WeightBits[l]-1))
		largest = next.Mul(next, big.NewInt(int64(layer[1]))).Add(next, power(a.BiasBits[l]-1))
		limits = append(limits, largest)
	}
	return limits
}

// rootBits returns the width of the least r with r^2 >= R2 |c|^2, for n_x coefficients up to a limit.
func (s *Shape) rootBits(coefficient *big.Int) int {
	squares := new(big.Int).Mul(coefficient, coefficient)
	largest := power(s.RadiusBits)
	squares.Mul(squares, largest.Sub(largest, big.NewInt(1))).Mul(squares, big.NewInt(int64(s.Architecture.Plain)))
	return (squares.BitLen()+1)/2 + 1
}

func fits(value *big.Int, what string) *wide {
	if value.Cmp(power(fieldBits)) <= 0 {
		return nil
	}
	return &wide{what: what, bits: value.BitLen()}
}

func power(n int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(n)) }

// ceilShift returns value / 2^bits, rounded up.
func ceilShift(value *big.Int, bits int) *big.Int {
	top := new(big.Int).Add(value, power(bits))
	return top.Sub(top, big.NewInt(1)).Rsh(top, uint(bits))
}
