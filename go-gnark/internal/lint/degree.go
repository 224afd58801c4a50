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
// A number hashed from the challenge counts as one more challenge, and the degree is that in both. Left out is the row that states the
// public input, where that follows from the challenge: it is a hash on both sides, and no identity.
func (s *System) Degrees() ([]uint64, error) {
	d := &degrees{s, make([]fraction, s.Wires()), make([]bool, s.Wires()), make([]bool, s.Wires())}
	for wire := range d.known {
		d.known[wire] = !s.after(wire)
	}
	d.alone[0] = true
	d.know(s.Challenge, fraction{above: 1}, true)
	var identities []uint64
	for number, row := range s.Rows {
		if !s.Challenged(number) || s.Late && has(slices.Concat(row.L, row.R, row.O), digestWire) {
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
	for _, wire := range row.wires() {
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
	if unknown == 0 {
		both := left.times(right)
		return max(both.above+out.below, out.above+both.below), true, nil
	}
	// slope * x = rest, for the wire x that the row makes.
	rest := d.fractions(row.O, alone, unknown)
	var slope []fraction
	leftHas, rightHas := has(row.L, unknown), has(row.R, unknown)
	switch {
	case leftHas && rightHas:
		return 0, false, fmt.Errorf("wire %d does not stand alone", unknown)
	case leftHas:
		slope = append(slope, right)
	case rightHas:
		slope = append(slope, left)
	}
	if has(row.O, unknown) {
		slope = append(slope, fraction{})
	}
	left, right = d.sum(without(row.L, unknown), alone), d.sum(without(row.R, unknown), alone)
	if len(without(row.L, unknown)) > 0 && len(without(row.R, unknown)) > 0 {
		rest = append(rest, left.times(right))
	}
	d.know(unknown, added(rest).over(added(slope)), alone)
	return 0, false, nil
}

// has says whether a wire is among the terms.
func has(terms []Term, wire int) bool {
	return slices.ContainsFunc(terms, func(t Term) bool { return t.Wire == wire })
}

// without returns the terms of other wires.
func without(terms []Term, wire int) (others []Term) {
	for _, term := range terms {
		if term.Wire != wire {
			others = append(others, term)
		}
	}
	return others
}

// sum is the degrees of a linear expression of known wires.
func (d *degrees) sum(terms []Term, alone bool) fraction { return added(d.fractions(terms, alone, -1)) }

// fractions lists the degrees of terms but those of one wire. Beside other wires, a number hashed from the challenge counts as
// one more challenge.
func (d *degrees) fractions(terms []Term, alone bool, but int) (found []fraction) {
	for _, term := range without(terms, but) {
		of := d.wires[term.Wire]
		if of.above >= hashed && !alone {
			of = fraction{above: 1}
		}
		found = append(found, of)
	}
	return found
}

// added is the degrees of a sum, over the product of all denominators.
func added(fractions []fraction) (total fraction) {
	for _, of := range fractions {
		total.below += of.below
	}
	for _, of := range fractions {
		total.above = max(total.above, min(of.above+total.below-of.below, hashed))
	}
	return total
}
