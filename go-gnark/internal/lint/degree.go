package lint

import (
	"fmt"
	"slices"
)

// hashed is a degree that only a hash of the challenge has: MiMC's is 5^110.
const hashed = 1 << 62

// fraction is the degrees of numerator and denominator in the challenge.
type fraction struct{ above, below uint64 }

func (f fraction) times(g fraction) fraction {
	return fraction{min(f.above+g.above, hashed), f.below + g.below}
}

// over is f / g.
func (f fraction) over(g fraction) fraction { return f.times(fraction{g.below, g.above}) }

// degrees is those of all wires of a system.
type degrees struct {
	system *System
	wires  []fraction
	known  []bool
	alone  []bool // whether the challenge alone determines the wire
}

// Degrees returns the degree in the challenge of each identity that challenged rows assert, in the order of the rows, once
// it is cleared of all its fractions. An identity that is not zero as a polynomial holds for no more challenges than
// this: where a quotient 0 / 0 is free, the cleared identity is 0, too.
//
// A number hashed from the challenge counts as one more challenge, and the degree is that in both.
func (s *System) Degrees() ([]uint64, error) {
	d := &degrees{s, make([]fraction, s.Wires()), make([]bool, s.Wires()), make([]bool, s.Wires())}
	for wire := range d.known {
		d.known[wire] = !s.after(wire)
	}
	d.alone[0] = true
	d.know(s.Challenge, fraction{above: 1}, true)
	var identities []uint64
	for number, row := range s.Rows {
		if !s.Challenged(number) {
			continue
		}
		degree, asserted, err := d.read(row)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", number, err)
		}
		if asserted {
			identities = append(identities, degree)
		}
	}
	return identities, nil
}

func (d *degrees) know(wire int, degree fraction, alone bool) {
	d.wires[wire], d.known[wire], d.alone[wire] = degree, true, alone
}

// read learns the one wire that a row makes, or returns the degree of what it asserts.
func (d *degrees) read(row Row) (degree uint64, asserted bool, err error) {
	alone, unknown := true, 0
	for wire := range row.wires() {
		switch {
		case !d.known[wire] && unknown == 0:
			unknown = wire
		case !d.known[wire]:
			return 0, false, fmt.Errorf("it makes wires %d and %d", unknown, wire)
		default:
			alone = alone && d.alone[wire]
		}
	}
	left, right, out := d.sum(row.L, alone), d.sum(row.R, alone), d.sum(row.O, alone)
	switch made := []Term{{Wire: unknown}}; {
	case unknown == 0:
		both := left.times(right)
		return max(both.above+out.below, out.above+both.below), true, nil
	case same(row.O, made):
		d.know(unknown, left.times(right), alone)
	case same(row.L, made):
		d.know(unknown, out.over(right), alone)
	case same(row.R, made):
		d.know(unknown, out.over(left), alone)
	default:
		return 0, false, fmt.Errorf("wire %d does not stand alone", unknown)
	}
	return 0, false, nil
}

// same says whether terms are of the same wires.
func same(terms, others []Term) bool {
	return slices.EqualFunc(terms, others, func(t, o Term) bool { return t.Wire == o.Wire })
}

// sum is the degrees of a linear expression of known wires, others left out.
func (d *degrees) sum(terms []Term, alone bool) fraction {
	var total fraction
	for _, term := range terms {
		total.below += d.wires[term.Wire].below
	}
	for _, term := range terms {
		of := d.wires[term.Wire]
		total.above = max(total.above, of.above+total.below-of.below)
	}
	if total.above >= hashed && !alone {
		return fraction{above: 1}
	}
	return total
}
