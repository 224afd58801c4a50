package shape

import (
	"errors"
	"math/big"
)

// maxChoices is the most categories whose values a box can leave open.
const maxChoices = 256

// Choice is a plain feature with one column a value, as a box knows it: in the column of the value that somebody has stands
// High, in the others Low.
type Choice struct {
	First  int `json:"first"`
	High   int `json:"high"`
	Low    int `json:"low"`
	Values int `json:"values"`
}

// Boxes says whether the statement is about everybody in a box, and not about a ball.
func (s *Shape) Boxes() bool {
	return s.Scheme == AddingBox || s.Scheme == GrowingBox || s.Scheme == BranchingBox
}

// Values is how many values the categories have that a box can leave open.
func (s *Shape) Values() int {
	total := 0
	for _, c := range s.OneHot {
		total += c.Values
	}
	return total
}

// Box is the numbers of a shape of an additive model that is decided on a box (docs/relation-box.md).
type Box struct {
	Plain, Sensitive int // P_x and P_s
	WorstBits        int // of what sensitive predicates add on the worst slice, signed
	GainBits         int // of what the values of a category add, signed
}

// Box derives the widths of a shape of an additive model on a box.
func (s *Shape) Box() *Box {
	plain, sensitive := s.Architecture.Predicates[0], s.Architecture.Predicates[1]
	return &Box{
		Plain: plain, Sensitive: sensitive,
		WorstBits: JumpBits + big.NewInt(int64(sensitive)).BitLen(),
		GainBits:  JumpBits + big.NewInt(int64(plain)).BitLen(),
	}
}

// checkBox refuses sizes of an additive model on a box that make no circuit, naming the field.
func (s *Shape) checkBox() error {
	if err := errors.Join(s.checkScore(), s.checkChoices()); err != nil {
		return err
	}
	return errors.Join(
		in("number of nodes", len(s.Architecture.Nodes), 0, 0), in("rows", s.Rows, 0, 0),
		in("categories with sets", len(s.Architecture.Categories), 0, 0),
		in("capacity", s.Capacity, 1, 1), in("slots", s.Slots, 0, 0),
	)
}

// checkChoices refuses categories that are not of the plain columns, one behind the other.
func (s *Shape) checkChoices() error {
	behind, half := 0, 1<<(s.InputBits-1)
	for _, c := range s.OneHot {
		err := errors.Join(in("first column of a category", c.First, behind, s.Architecture.Plain-1),
			in("values of a category", c.Values, 2, s.Architecture.Plain-c.First),
			in("low of a category", c.Low, -half, half-2), in("high of a category", c.High, c.Low+1, half-1))
		if err != nil {
			return err
		}
		behind = c.First + c.Values
	}
	return in("number of categories", len(s.OneHot), 0, maxChoices)
}
