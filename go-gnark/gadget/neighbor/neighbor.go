// Package neighbor proves that regions are in a set, and that regions differ in one bit.
package neighbor

import (
	"math/big"

	"github.com/consensys/gnark/frontend"
	"github.com/consensys/gnark/std/lookup/logderivlookup"

	"equiproof/gadget/bounded"
)

// Set is the set of regions of a proof: a lookup table from row to key, where a key is slice * 2^N + pattern.
// Rows may repeat: a set has no order and no multiplicity.
type Set struct {
	a       *bounded.Arith
	keys    []frontend.Variable
	pattern [][]bounded.Int
	table   logderivlookup.Table
}

// New makes the set of the given rows. Keys are injective since slices are below the shape's and patterns are bits.
func New(a *bounded.Arith, slices []bounded.Int, patterns [][]bounded.Int) *Set {
	defer a.Part("neighbor")()
	set := &Set{a: a, pattern: patterns, table: a.Table()}
	for row, pattern := range patterns {
		// A key is an Int: a shape whose keys outgrow the field, so that two would be one, does not compile.
		key := a.Scale(power(len(pattern)), slices[row])
		for i, bit := range pattern {
			key = a.Add(key, a.Scale(power(i), bit))
		}
		set.keys = append(set.keys, key.Wire())
		set.table.Insert(key.Wire())
	}
	return set
}

// Assert makes the region across facet i of a row a member of the set, wherever that facet is crossed (R-NEIGHBOR).
//
// Relation: crossed = 0, or the row `at` has the slice of `row` and its pattern with exactly bit i flipped.
// Precondition: crossed is a bit; `at` is any wire, an index outside the table has no proof. Where nothing is crossed,
// `at` names a row equal to `row`. Cost: one product and one lookup.
func (s *Set) Assert(row, i int, crossed bounded.Int, at frontend.Variable) {
	a := s.a
	defer a.Part("neighbor")()
	// Across the facet a bit of 0 adds its power to the key, and one of 1 takes it away.
	turned := a.Sub(a.Constant(1), a.Scale(big.NewInt(2), s.pattern[row][i]))
	step := a.Scale(power(i), a.Mul(crossed, turned))
	found := s.table.Lookup(at)[0]
	a.API().AssertIsEqual(found, a.API().Add(s.keys[row], step.Wire()))
}

func power(i int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(i)) }
