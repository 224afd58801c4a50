package lint

import (
	"fmt"
	"slices"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/constraint"
)

// Sparse says whether the system has the form that PLONK proves: rows qL a + qR b + qO c + qM a b + qC = 0 of three wires.
func (s *System) Sparse() bool { return s.Compiled.Type == constraint.SystemSparseR1CS }

// readSparse reads the form that PLONK proves. Each row reads here (qM a) * b = -(qL a + qR b + qO c + qC), so that every
// check sees both forms alike. The rows that commit a wire or receive the challenge say nothing of wires, and are empty.
func (s *System) readSparse() error {
	s.Public++
	s.shift = 1
	commitments, ok := s.Compiled.CommitmentInfo.(constraint.PlonkCommitments)
	if !ok || len(commitments) > 1 {
		return fmt.Errorf("lint: %d commitments, want at most one", len(commitments))
	}
	kinds := map[int]constraint.CommitmentConstraint{}
	for _, commitment := range commitments {
		for _, row := range commitment.Committed {
			kinds[row] = constraint.COMMITTED
		}
		kinds[commitment.CommitmentIndex] = constraint.COMMITMENT
	}
	for i, row := range s.Compiled.GetSparseR1Cs() {
		s.masked = row.Commitment == constraint.NOT
		if row.Commitment != kinds[i] {
			return fmt.Errorf("lint: row %d is of another kind than its place in the commitment", i)
		}
		if row.Commitment == constraint.NOT {
			s.Rows = append(s.Rows, s.sparse(row))
			continue
		}
		wire, err := s.named(row)
		if err != nil {
			return fmt.Errorf("lint: row %d %w", i, err)
		}
		if s.Rows = append(s.Rows, Row{}); row.Commitment == constraint.COMMITTED {
			s.Committed = append(s.Committed, wire)
		} else {
			s.Challenge = wire
		}
	}
	slices.Sort(s.Committed)
	s.Committed = slices.Compact(s.Committed)
	return nil
}

// named returns the wire that a row of the commitment is about: the row says that this wire, up to its sign, is what the
// prover commits to, or the challenge. Of a multiple, the challenge would be another one.
func (s *System) named(row constraint.SparseR1C) (int, error) {
	qL, minus := s.Coefficient(row.QL), fr.NewElement(1)
	minus.Neg(&minus)
	for _, other := range []uint32{row.QR, row.QO, row.QM, row.QC} {
		if coefficient := s.Coefficient(other); !coefficient.IsZero() {
			return 0, fmt.Errorf("of the commitment is about more than one wire")
		}
	}
	if qL.IsZero() || row.Commitment == constraint.COMMITMENT && !qL.Equal(&minus) {
		return 0, fmt.Errorf("of the commitment does not give its wire")
	}
	return s.Wire(int(row.XA)), nil
}

// sparse returns the view of a row.
func (s *System) sparse(row constraint.SparseR1C) Row {
	a, b, c := s.Wire(int(row.XA)), s.Wire(int(row.XB)), s.Wire(int(row.XC))
	view := Row{O: s.negative([]Term{
		{a, s.Coefficient(row.QL)}, {b, s.Coefficient(row.QR)}, {c, s.Coefficient(row.QO)}, {0, s.Coefficient(row.QC)},
	})}
	if qM := s.Coefficient(row.QM); !qM.IsZero() {
		one := fr.One()
		view.L, view.R = []Term{{a, qM}}, []Term{{b, &one}}
	}
	return view
}

// negative returns the sum of terms with the other sign, each wire once, and none with a coefficient of zero.
func (s *System) negative(terms []Term) (found []Term) {
	for i, term := range terms {
		if has(terms[:i], term.Wire) {
			continue
		}
		var sum fr.Element
		for _, other := range terms[i:] {
			if other.Wire == term.Wire {
				sum.Add(&sum, other.Coefficient)
			}
		}
		if !sum.IsZero() {
			found = append(found, Term{term.Wire, sum.Neg(&sum)})
		}
	}
	return found
}
