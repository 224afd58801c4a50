package lint

import (
	"errors"
	"fmt"
	"slices"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/constraint"
)

// First is the first of two commitments, that of a kept model, whose challenge the second one hashes.
type First struct {
	Committed []int // in gnark's order, by wire; the mask is the last
	Challenge int
}

// readKept reads the first of two commitments, of which each is a list of private wires and nothing else, but that the
// second hashes the first one's challenge.
func (s *System) readKept(first, second constraint.Groth16Commitment) error {
	if len(first.PublicAndCommitmentCommitted) > 0 {
		return fmt.Errorf("lint: the first commitment hashes wires %v, too", first.PublicAndCommitmentCommitted)
	}
	// Else the second list could be committed to before the first: both challenges would be known when words are chosen.
	if !slices.Equal(second.PublicAndCommitmentCommitted, []int{first.CommitmentIndex}) || second.NbPublicCommitted > 0 {
		return fmt.Errorf("lint: the second commitment hashes wires %v, want the first one's challenge, wire %d",
			second.PublicAndCommitmentCommitted, first.CommitmentIndex)
	}
	for i, wire := range s.Committed[1:] {
		if s.Committed[i] == wire {
			return fmt.Errorf("lint: wire %d is in both commitments", wire)
		}
	}
	s.First = &First{first.PrivateCommitted, first.CommitmentIndex}
	return nil
}

// JudgeKept is Judge for the system of a kept model of so many words. It has two commitments, both with masks in rows
// m * 1 = m of their own, and is refused unless
//
//   - the first is of the words, of the model commitment and of the mask, which are the first private wires and the hint's, and
//     of nothing else; and the second hashes the first one's challenge;
//   - each wire of the first commitment is the only one of these in one side of some row, so that its points in a key are
//     linearly independent: no point opens to two models;
//   - the rows of the first challenge are those of the polynomial that the words and the model commitment are the
//     coefficients of, and no other row holds the challenge or what the polynomial is made of before its value;
//   - what follows from the first challenge is asserted by one row, which compares it with the statement digest.
//
// That the value goes into what is shown, and this and the model commitment into the digest, is left to the relation.
func JudgeKept(compiled constraint.ConstraintSystem, words int) error {
	s, err := Read(compiled)
	if err != nil {
		return err
	}
	if s.First == nil {
		return fmt.Errorf("lint: one commitment or none, want two for a kept model")
	}
	return s.judgeKept(words)
}

// judgeKept is what JudgeKept and JudgeLate ask of a system with two commitments.
func (s *System) judgeKept(words int) error {
	if err := s.firstList(words); err != nil {
		return err
	}
	if err := s.alone(); err != nil {
		return err
	}
	if err := s.polynomial(words); err != nil {
		return err
	}
	if err := s.behindFirst(); err != nil {
		return err
	}
	return s.judge()
}

// firstList refuses a first commitment that is not of the first private wires, so many words and the model commitment, and
// of a mask; and masks that stand in rows other than their own.
func (s *System) firstList(words int) error {
	list := s.First.Committed
	if words < 1 || len(list) != words+2 {
		return fmt.Errorf("lint: the first commitment is of %d wires, want %d words, the model commitment and a mask", len(list), words)
	}
	for i, wire := range list[:words+1] {
		if wire != s.Public+i || wire >= s.Public+s.Secret {
			return fmt.Errorf("lint: the first commitment is of wire %d, want private input %d", wire, i)
		}
	}
	masks := s.masks()
	if len(masks) != 2 {
		return fmt.Errorf("lint: %d commitments end with a mask, want both", len(masks))
	}
	for _, mask := range masks {
		// In a row of another form, contributors to a ceremony could choose secrets for which its point is at infinity.
		if rows := s.touching[mask]; len(rows) != 1 || !s.Rows[rows[0]].tautology() {
			return fmt.Errorf("lint: the mask, wire %d, stands in other rows than its own", mask)
		}
	}
	return nil
}

// alone refuses a wire of the first commitment that is in no side of a row the only one of these.
//
// In a vanishing sum of d_i f_i, with f_i = beta u_i + alpha v_i + w_i, the value of the part with beta, with alpha or with
// neither at that row is d_i times a coefficient that is not zero: so d_i is zero, for each of them.
func (s *System) alone() error {
	first, found := make([]bool, s.Wires()), make([]bool, s.Wires())
	for _, wire := range s.First.Committed {
		first[wire] = true
	}
	for _, row := range s.Rows {
		for _, side := range [][]Term{row.L, row.R, row.O} {
			only, count := 0, 0
			for _, term := range side {
				if first[term.Wire] {
					only, count = term.Wire, count+1
				}
			}
			if count == 1 {
				found[only] = true
			}
		}
	}
	for _, wire := range s.First.Committed {
		if !found[wire] {
			return fmt.Errorf("lint: wire %d of the first commitment is in no side of a row the only one of it", wire)
		}
	}
	return nil
}

// polynomial follows the rows of the first challenge c: each multiplies what stands so far by c, and the next word is added,
// from the model commitment on. So c stands in one row for each word, and nothing in these rows was chosen when it was known.
// The last word stands beside the last product wherever that one goes, as the value of the polynomial.
func (s *System) polynomial(words int) error {
	list, rows := s.First.Committed, s.touching[s.First.Challenge]
	if len(rows) != words {
		return fmt.Errorf("lint: the first challenge is in %d rows, want one for each of %d words", len(rows), words)
	}
	so, product := []int{list[words]}, 0
	for i, number := range rows {
		out, ok := s.Rows[number].times(so, s.First.Challenge)
		if !ok || out < s.Public+s.Secret || out <= s.First.Challenge {
			return fmt.Errorf("lint: row %d is not that of word %d in the first challenge's polynomial", number, i)
		}
		if i > 0 && !slices.Equal(s.touching[product], []int{rows[i-1], number}) {
			return fmt.Errorf("lint: wire %d of the first challenge's polynomial stands elsewhere, too", product)
		}
		so, product = []int{list[i], out}, out
	}
	first := true
	for _, number := range s.touching[product] {
		if number == rows[words-1] {
			continue
		}
		row := s.Rows[number]
		for _, side := range [][]Term{row.L, row.R, row.O} {
			factor, last := factorOf(side, product), factorOf(side, list[words-1])
			if factor.IsZero() {
				continue
			}
			if !factor.Equal(&last) {
				return fmt.Errorf("lint: row %d holds the first challenge's polynomial without its last word", number)
			}
			// Further rows may: hashes add what they took to what they make.
			for _, term := range side {
				if first && term.Wire != list[words-1] && slices.Contains(list, term.Wire) {
					return fmt.Errorf("lint: row %d holds wire %d beside the first challenge's polynomial", number, term.Wire)
				}
			}
		}
		first = false
	}
	if first {
		return fmt.Errorf("lint: the value of the first challenge's polynomial is in no row")
	}
	return nil
}

// behindFirst refuses rows that assert something of what follows from the first challenge, but for one, which has the statement
// digest alone in one side. All others make a wire each, and each such wire is in a further row.
//
// What is asserted could be a false identity that holds at the challenge: the prover knows it, and it is the same in all proofs.
// Wires that are chosen later, as a blinding, may stand in rows that only make a wire.
func (s *System) behindFirst() error {
	made := make([]bool, s.Wires())
	made[s.First.Challenge] = true
	stated := 0
	for number, row := range s.Rows {
		if !slices.ContainsFunc(row.wires(), func(wire int) bool { return made[wire] }) {
			continue
		}
		if out, ok := s.makes(number); ok {
			if len(s.touching[out]) == 1 {
				return fmt.Errorf("lint: wire %d follows from the first challenge, and is in no further row", out)
			}
			made[out] = true
			continue
		}
		if stated++; stated > 1 || !row.states() {
			return fmt.Errorf("lint: row %d asserts something of what follows from the first challenge", number)
		}
	}
	if stated == 0 {
		return errors.New("lint: nothing that follows from the first challenge is in the statement digest")
	}
	return nil
}

// makes returns the wire that a row makes: it is alone in O, is no input, and is in no side before.
func (s *System) makes(number int) (out int, ok bool) {
	row := s.Rows[number]
	if len(row.O) != 1 {
		return 0, false
	}
	out = row.O[0].Wire
	return out, out >= s.Public+s.Secret && s.touching[out][0] == number && !has(row.L, out) && !has(row.R, out)
}

// digestWire is the public input.
const digestWire = 1

// states says whether a row has the statement digest alone in one side.
func (r Row) states() bool {
	return slices.ContainsFunc([][]Term{r.L, r.R, r.O}, func(side []Term) bool { return len(side) == 1 && side[0].Wire == digestWire })
}

// JudgeLate is JudgeKept for the system of a kept model whose public input follows from the last challenge, too. One row, and no other,
// has the digest; it is excepted from what is asked of identities, as both of its sides are hashes. That what it compares the digest
// with is the hash of what is stated and of a polynomial's value, and of nothing else, is left to the relation.
func JudgeLate(compiled constraint.ConstraintSystem, words int) error {
	s, err := Read(compiled)
	if err != nil {
		return err
	}
	if s.First == nil || s.Sparse() {
		return errors.New("lint: one commitment or none, want two for a kept model")
	}
	rows := s.touching[digestWire]
	if len(rows) != 1 || !s.Rows[rows[0]].states() || !s.Challenged(rows[0]) {
		return fmt.Errorf("lint: the digest is in %d rows, want one, of what follows from the last challenge", len(rows))
	}
	s.Late = true
	return s.judgeKept(words)
}

// times returns the wire z of a row that says (sum of these wires) * c = z, in either order of the factors.
func (r Row) times(sum []int, c int) (z int, ok bool) {
	if len(r.O) != 1 || !r.O[0].Coefficient.IsOne() {
		return 0, false
	}
	forward := plain(r.L, sum) && plain(r.R, []int{c})
	return r.O[0].Wire, forward || plain(r.L, []int{c}) && plain(r.R, sum)
}

// plain says whether terms are the sum of these wires, each once.
func plain(terms []Term, wires []int) bool {
	for _, term := range terms {
		if !term.Coefficient.IsOne() || !slices.Contains(wires, term.Wire) {
			return false
		}
	}
	return len(terms) == len(wires)
}

// factorOf returns what a wire is multiplied by in a sum, 0 where it is not in it.
func factorOf(terms []Term, wire int) (factor fr.Element) {
	for _, term := range terms {
		if term.Wire == wire {
			return *term.Coefficient
		}
	}
	return factor
}
