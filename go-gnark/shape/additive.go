package shape

import (
	"errors"
	"fmt"
	"math/big"
)

// The widths of an additive model's numbers, signed, and the most predicates that it has.
const (
	JumpBits      = 16
	ScoreBiasBits = 24
	maxPredicates = 4096
)

// Adds says whether the model is additive and the evidence is leaves over its live predicates.
func (s *Shape) Adds() bool { return s.Scheme == Adding || s.Scheme == AddingRanges }

// Additive is the numbers of a shape of an additive model (docs/relation-trees.md).
type Additive struct {
	Plain, Sensitive int // P_x and P_s
	Scale            int // r, the fractional bits of lambda
	MultiplierBits   int // of lambda, unsigned
	WorstBits        int // of what sensitive predicates add on the worst slice, signed
}

// Additive derives the widths of a shape of an additive model. With r = radius_bits, lambda = 1 never decides a leaf that
// lambda = 0 proves: lambda D and lambda R2 are then below 2^r. The largest lambda makes any crossing cost more than all
// predicates together can change.
func (s *Shape) Additive() *Additive {
	plain, sensitive := s.Architecture.Predicates[0], s.Architecture.Predicates[1]
	return &Additive{
		Plain: plain, Sensitive: sensitive, Scale: s.RadiusBits,
		MultiplierBits: s.RadiusBits + JumpBits + big.NewInt(int64(plain+sensitive)).BitLen(),
		WorstBits:      JumpBits + big.NewInt(int64(sensitive)).BitLen(),
	}
}

// checkAdditive refuses sizes of an additive model that make no circuit, naming the field.
func (s *Shape) checkAdditive() error {
	return errors.Join(s.checkPredicates(), in("number of nodes", len(s.Architecture.Nodes), 0, 0), in("rows", s.Rows, 0, 0),
		in("number of categories", len(s.Architecture.Categories), 0, 0))
}

// checkPredicates refuses sizes of a model of scheme `trees` that make no circuit, but for those of nodes.
func (s *Shape) checkPredicates() error {
	if err := s.checkScore(); err != nil {
		return err
	}
	err := in("slots", s.Slots, 1, s.Architecture.Predicates[0])
	if s.Scheme == GrowingBox {
		return errors.Join(err, s.checkChoices())
	}
	return errors.Join(err, in("one_hot", len(s.OneHot), 0, 0))
}

// checkScore refuses sizes of predicates that make no circuit.
func (s *Shape) checkScore() error {
	if s.Format != "equiproof-shape" || s.Version != 2 {
		return fmt.Errorf("shape: %s version %d is not known", s.Format, s.Version)
	}
	return errors.Join(s.checkSizes(1), s.Architecture.checkPredicates())
}

// checkPredicates refuses the architecture of a model with predicates that makes no circuit, but for nodes and categories.
func (a *Architecture) checkPredicates() error {
	if len(a.Predicates) != 2 || len(a.WeightBits) != 1 || len(a.BiasBits) != 1 {
		return errors.New("shape: want two numbers of predicates, one of weight_bits and one of bias_bits")
	}
	return errors.Join(
		in("number of hidden layers", len(a.Hidden), 0, 0), in("logits", a.Logits, 1, 1),
		in("weight_bits", a.WeightBits[0], JumpBits, JumpBits), in("bias_bits", a.BiasBits[0], ScoreBiasBits, ScoreBiasBits),
		in("predicates", a.Predicates[0], 1, maxPredicates), in("sensitive predicates", a.Predicates[1], 0, maxPredicates),
		in("number of predicates", a.Predicates[0]+a.Predicates[1], 1, maxPredicates),
	)
}
