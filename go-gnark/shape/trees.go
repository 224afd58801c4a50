package shape

import (
	"errors"
	"math/big"
)

// The limits on an ensemble's trees and nodes, on the rows of a proof, and the fractional bits of values and charges.
const (
	maxTrees  = 4096
	maxNodes  = 1 << 16
	ValueBits = 4
)

// Grows says whether the model is an ensemble of trees with nodes.
func (s *Shape) Grows() bool {
	return s.Scheme == Growing || s.Scheme == GrowingRanges || s.Scheme == GrowingBox
}

// Trees is the numbers of a shape of an ensemble (docs/relation-trees.md).
type Trees struct {
	Plain, Sensitive int // P_x and P_s
	Trees, Nodes     int // T and N
	Scale            int // the fractional bits of lambda
	ChargeScale      int // r: charges at scale 2^q are 2^r of them
	MultiplierBits   int // of lambda, unsigned
	GainBits         int // of what the values of a category add in a box at scale 2^q, signed
}

// Trees derives the widths of a shape of an ensemble. With q + r = radius_bits, lambda = 1 never decides a leaf that lambda
// = 0 proves. The largest lambda makes any crossing cost more than all predicates and trees together can change: a tree as
// much as two jumps. What a category adds at least has room for the negative of all that there is besides, in units of the largest
// jump: the bias, the jumps of predicates and the steps of slots, the values of rows and of constant trees, and two of each row's loss
// and charge.
func (s *Shape) Trees() *Trees {
	a := &s.Architecture
	most := a.Predicates[0] + a.Predicates[1] + 2*a.Nodes[0]
	every := 1<<(ScoreBiasBits-JumpBits) + a.Predicates[0] + a.Predicates[1] + s.Slots + a.Nodes[0] + 5*s.Rows
	return &Trees{
		Plain: a.Predicates[0], Sensitive: a.Predicates[1], Trees: a.Nodes[0], Nodes: a.Nodes[1],
		Scale: s.RadiusBits, ChargeScale: s.RadiusBits - ValueBits,
		MultiplierBits: s.RadiusBits + JumpBits + big.NewInt(int64(most)).BitLen(),
		GainBits:       JumpBits + ValueBits + big.NewInt(int64(every)).BitLen(),
	}
}

// checkTrees refuses sizes of an ensemble that make no circuit, naming the field.
func (s *Shape) checkTrees() error {
	a := &s.Architecture
	if err := s.checkPredicates(); err != nil {
		return err
	}
	if err := a.checkNodes(); err != nil {
		return err
	}
	return errors.Join(a.checkCategories(s.InputBits), in("rows", s.Rows, 1, a.Nodes[1]), in("passed", s.Passed, 0, a.Nodes[1]),
		in("radius_bits", s.RadiusBits, ValueBits, 64))
}

// checkNodes refuses numbers of trees and nodes that make no circuit.
func (a *Architecture) checkNodes() error {
	if len(a.Nodes) != 2 {
		return errors.New("shape: want two numbers of nodes")
	}
	return errors.Join(
		in("number of trees", a.Nodes[0], 1, min(maxTrees, a.Nodes[1])), in("number of nodes", a.Nodes[1], 1, maxNodes))
}
