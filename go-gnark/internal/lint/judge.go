package lint

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/constraint"
)

// Judge returns an error for a compiled system that leaves a wire to the prover. It needs no solution: whether a row
// determines a wire is asked at a point as good as random, where a slope that is not zero everywhere is not zero. What
// only an honest solution shows, as a factor that is zero there, is left to the tests of the relation.
//
// Refused are any but one public input and one commitment, a public wire in the commitment, a wire in no row that says
// something (but for the commitment's mask), a sparse form without a place for that mask, a wire that inputs, committed wires and the challenge do not determine, a
// wire of a challenged row that can be chosen when the challenge is known, and identities that too many challenges satisfy.
func Judge(compiled constraint.ConstraintSystem) error {
	s, err := Read(compiled)
	if err != nil {
		return err
	}
	if s.First != nil {
		return errors.New("lint: two commitments of a circuit of no kept model")
	}
	return s.judge()
}

// judge is what Judge and JudgeKept ask of a system.
func (s *System) judge() error {
	if s.Public != 2 {
		return fmt.Errorf("lint: %d public inputs, want the digest only", s.Public-1)
	}
	if s.Challenge == 0 {
		return errors.New("lint: no commitment, want one")
	}
	if s.Committed[0] < s.Public {
		return fmt.Errorf("lint: public wire %d is in the commitment", s.Committed[0])
	}
	if s.Sparse() && !s.masked {
		return errors.New("lint: the last row is of the commitment, whose mask has its place there")
	}
	for _, wire := range s.Unused() {
		if !slices.Contains(s.masks(), wire) {
			return fmt.Errorf("lint: wire %d is in no constraint", wire)
		}
	}
	if uncovered := s.Uncovered(); len(uncovered) > 0 {
		return fmt.Errorf("lint: wire %d of a challenged constraint is not committed", uncovered[0])
	}
	steep, known := s.steep(s.generic()), slices.Clone(s.Committed)
	for wire := 1; wire < s.Public+s.Secret; wire++ {
		known = append(known, wire)
	}
	for _, wire := range s.loose(steep, known, true) {
		if !s.after(wire) {
			return fmt.Errorf("lint: wire %d is neither committed nor determined before the challenge", wire)
		}
	}
	if loose := s.loose(steep, append(known, s.Challenge), false); len(loose) > 0 {
		return fmt.Errorf("lint: wire %d is not determined", loose[0])
	}
	return s.limited()
}

// maxDegree is that of the identities of a key, so that a false one holds for less than 2^-204 of the challenges. Shapes of
// package shape stay below it (docs/soundness.md).
const maxDegree = 1 << 49

// limited returns an error for identities of a higher degree in the challenge.
func (s *System) limited() error {
	degrees, err := s.Degrees()
	if err != nil {
		return fmt.Errorf("lint: %w", err)
	}
	for _, degree := range degrees {
		if degree > maxDegree {
			return fmt.Errorf("lint: an identity is of degree %d in the challenge, at most %d", degree, maxDegree)
		}
	}
	return nil
}

// masks are the wires that may be masks of the commitments, which gnark makes last of all that each commits to: none where
// that is an input, nor in the sparse form, whose prover draws masks of its own.
func (s *System) masks() (found []int) {
	if s.Sparse() {
		return nil
	}
	lists := [][]int{s.Committed}
	if s.First != nil {
		lists = append(lists, s.First.Committed)
	}
	for _, list := range lists {
		if last := list[len(list)-1]; last >= s.Public+s.Secret {
			found = append(found, last)
		}
	}
	return found
}

// generic returns a value as good as random for every wire, the same each time, and one for the constant one.
func (s *System) generic() []fr.Element {
	random := rand.New(rand.NewPCG(1, 2))
	values := make([]fr.Element, s.Wires())
	values[0].SetOne()
	for wire := 1; wire < len(values); wire++ {
		var factor fr.Element
		factor.SetUint64(random.Uint64())
		values[wire].SetUint64(random.Uint64()).Mul(&values[wire], &factor)
	}
	return values
}
