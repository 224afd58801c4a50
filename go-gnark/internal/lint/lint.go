// Package lint reads compiled constraint systems and looks for wires that nothing holds. gnark makes no such check: an
// input that no constraint uses is not bound by a proof at all.
package lint

import (
	"fmt"
	"maps"
	"slices"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/constraint"
	bn254 "github.com/consensys/gnark/constraint/bn254"
)

// Term is a wire with its coefficient, which is one of the compiled system's: systems have millions of terms. Wire 0 is the
// constant one.
type Term struct {
	Wire        int
	Coefficient *fr.Element
}

// Row is one constraint, L * R = O.
type Row struct{ L, R, O []Term }

// System is a compiled constraint system, open to inspection, of either of gnark's two forms. Wires are numbered: one,
// public, secret, internal.
type System struct {
	Compiled                 *bn254.R1CS // the type of both forms
	Rows                     []Row
	Public, Secret, Internal int    // Public counts the constant one
	Committed                []int  // of all commitments; of a kept model, the first one's challenge, too
	Challenge                int    // the last commitment's wire, 0 where there is none
	First                    *First // of a kept model, nil otherwise
	Late                     bool   // whether the public input may follow from the last challenge, in the one row that has it

	masked   bool // of the sparse form: whether the last row, where its prover masks the commitment, is of neither kind below
	shift    int  // how far gnark's numbers of wires are below ours: its sparse form has no wire for the constant one
	touching [][]int
}

// Read opens a compiled system. More than one commitment, but for the two of a kept model, is an error: no verifier of ours
// could check the proof.
func Read(compiled constraint.ConstraintSystem) (*System, error) {
	concrete, ok := compiled.(*bn254.R1CS)
	if !ok {
		return nil, fmt.Errorf("lint: %T is no system over BN254", compiled)
	}
	s := &System{Compiled: concrete}
	s.Internal, s.Secret, s.Public = concrete.GetNbVariables()
	read := s.readQuadratic
	if concrete.Type == constraint.SystemSparseR1CS {
		read = s.readSparse
	}
	if err := read(); err != nil {
		return nil, err
	}
	s.touch()
	return s, nil
}

// touch lists the rows of each wire, all in one array: systems have millions.
func (s *System) touch() {
	counts, total := make([]int, s.Wires()), 0
	for _, row := range s.Rows {
		for _, wire := range row.wires() {
			counts[wire]++
			total++
		}
	}
	s.touching = make([][]int, s.Wires())
	all := make([]int, total)
	for wire, count := range counts {
		s.touching[wire], all = all[:0:count], all[count:]
	}
	for i, row := range s.Rows {
		for _, wire := range row.wires() {
			s.touching[wire] = append(s.touching[wire], i)
		}
	}
}

// readQuadratic reads the form that Groth16 proves.
func (s *System) readQuadratic() error {
	commitments, ok := s.Compiled.CommitmentInfo.(constraint.Groth16Commitments)
	if !ok || len(commitments) > 2 {
		return fmt.Errorf("lint: %d commitments, want at most one, or two of a kept model", len(commitments))
	}
	for _, commitment := range commitments {
		s.Committed = slices.Concat(s.Committed, commitment.PublicAndCommitmentCommitted, commitment.PrivateCommitted)
		s.Challenge = commitment.CommitmentIndex
	}
	slices.Sort(s.Committed)
	if len(commitments) == 2 {
		if err := s.readKept(commitments[0], commitments[1]); err != nil {
			return err
		}
	}
	s.Rows = make([]Row, 0, s.Compiled.GetNbConstraints())
	rows := s.Compiled.GetR1CIterator()
	for row := rows.Next(); row != nil; row = rows.Next() {
		s.Rows = append(s.Rows, Row{s.terms(row.L), s.terms(row.R), s.terms(row.O)})
	}
	return nil
}

// Wires is the number of wires, the constant one included.
func (s *System) Wires() int { return s.Public + s.Secret + s.Internal }

// Coefficient returns a coefficient by its number in the compiled system, which nobody may change.
func (s *System) Coefficient(number uint32) *fr.Element { return &s.Compiled.Coefficients[number] }

// Wire returns our number of a wire of gnark's.
func (s *System) Wire(number int) int { return number + s.shift }

func (s *System) terms(expression constraint.LinearExpression) []Term {
	terms := make([]Term, 0, len(expression))
	for _, term := range expression {
		if coefficient := s.Coefficient(term.CID); !coefficient.IsZero() {
			terms = append(terms, Term{term.WireID(), coefficient})
		}
	}
	return terms
}

// Sum evaluates a linear expression.
func Sum(terms []Term, values []fr.Element) fr.Element {
	var sum, product fr.Element
	for i := range terms {
		if terms[i].Coefficient.IsOne() {
			sum.Add(&sum, &values[terms[i].Wire])
			continue
		}
		product.Mul(terms[i].Coefficient, &values[terms[i].Wire])
		sum.Add(&sum, &product)
	}
	return sum
}

// Holds says whether the row holds for the values of all wires.
func (r Row) Holds(values []fr.Element) bool {
	left, right, out := Sum(r.L, values), Sum(r.R, values), Sum(r.O, values)
	left.Mul(&left, &right)
	return left.Equal(&out)
}

// steep returns the wires by which the row's derivative L'R + LR' - O' is not zero.
func (r Row) steep(values []fr.Element) []int {
	left, right := Sum(r.L, values), Sum(r.R, values)
	var minus fr.Element
	minus.SetInt64(-1)
	type slope struct {
		wire  int
		value fr.Element
	}
	slopes := make([]slope, 0, len(r.L)+len(r.R)+len(r.O))
	add := func(side []Term, factor fr.Element) {
		for _, term := range side {
			one := slope{wire: term.Wire}
			one.value.Mul(term.Coefficient, &factor)
			slopes = append(slopes, one)
		}
	}
	add(r.L, right)
	add(r.R, left)
	add(r.O, minus)
	slices.SortFunc(slopes, func(a, b slope) int { return a.wire - b.wire })
	var wires []int
	for len(slopes) > 0 {
		wire, sum := slopes[0].wire, fr.Element{}
		for len(slopes) > 0 && slopes[0].wire == wire {
			sum.Add(&sum, &slopes[0].value)
			slopes = slopes[1:]
		}
		if !sum.IsZero() {
			wires = append(wires, wire)
		}
	}
	return wires
}

// wires returns the row's wires, each once, in their order.
func (r Row) wires() []int {
	found := make([]int, 0, len(r.L)+len(r.R)+len(r.O))
	for _, side := range [][]Term{r.L, r.R, r.O} {
		for _, term := range side {
			found = append(found, term.Wire)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// Unused returns the wires that occur in no row, or in tautologies x = x only.
func (s *System) Unused() []int {
	used := make([]bool, s.Wires())
	for _, row := range s.Rows {
		if !row.tautology() {
			for _, wire := range row.wires() {
				used[wire] = true
			}
		}
	}
	var unused []int
	for wire := 1; wire < len(used); wire++ {
		if !used[wire] {
			unused = append(unused, wire)
		}
	}
	return unused
}

// tautology says whether the row reads x * 1 = x or 1 * x = x.
func (r Row) tautology() bool {
	if len(r.L) != 1 || len(r.R) != 1 || len(r.O) != 1 {
		return false
	}
	var product fr.Element
	product.Mul(r.L[0].Coefficient, r.R[0].Coefficient)
	return product.Equal(r.O[0].Coefficient) &&
		(r.L[0].Wire == 0 && r.R[0].Wire == r.O[0].Wire || r.R[0].Wire == 0 && r.L[0].Wire == r.O[0].Wire)
}

// Free returns those of the wires that can be changed alone, in a full solution, without violating a row: by one, to
// its negative, to zero or one, or to a value as good as random.
func (s *System) Free(values []fr.Element, wires []int) []int {
	var free []int
	changed := slices.Clone(values)
	for _, wire := range wires {
		old := values[wire]
		var one, up, down, negative, far fr.Element
		one.SetOne()
		up.Add(&old, &one)
		down.Sub(&old, &one)
		negative.Neg(&old)
		far.SetUint64(uint64(wire)*0x9E3779B97F4A7C15).Square(&far).Add(&far, &old).Square(&far).Add(&far, &up)
		for _, other := range []fr.Element{up, down, negative, {}, one, far} {
			changed[wire] = other
			held := true
			for _, row := range s.touching[wire] {
				held = held && s.Rows[row].Holds(changed)
			}
			if held && !other.Equal(&old) {
				free = append(free, wire)
				break
			}
		}
		changed[wire] = old
	}
	return free
}

// Loose returns the wires that the rows do not determine, to first order around a solution, from those that are fixed:
// a row determines a wire when all its other wires are determined and it is not flat in this one. With challengeFree
// only the rows that hold whatever the commitment's challenge is take part.
func (s *System) Loose(values []fr.Element, fixed []int, challengeFree bool) []int {
	return s.loose(s.steep(values), fixed, challengeFree)
}

// steep returns for every row the wires in which it is not flat.
func (s *System) steep(values []fr.Element) [][]int {
	steep := make([][]int, len(s.Rows))
	for row := range steep {
		steep[row] = s.Rows[row].steep(values)
	}
	return steep
}

// loose is Loose for the wires in which each row is not flat.
func (s *System) loose(steep [][]int, fixed []int, challengeFree bool) []int {
	known := make([]bool, s.Wires())
	known[0] = true
	for _, wire := range fixed {
		known[wire] = true
	}
	queue := make([]int, len(s.Rows))
	for row := range queue {
		queue[row] = row
	}
	for len(queue) > 0 {
		row := queue[0]
		queue = queue[1:]
		unknown, count := 0, 0
		for _, wire := range steep[row] {
			if !known[wire] {
				unknown, count = wire, count+1
			}
			if count > 1 {
				break
			}
		}
		if count == 1 && !(challengeFree && s.Challenged(row)) {
			known[unknown] = true
			queue = append(queue, s.touching[unknown]...)
		}
	}
	var loose []int
	for wire, is := range known {
		if !is {
			loose = append(loose, wire)
		}
	}
	return loose
}

// Uncovered returns the wires of challenged rows that are neither committed nor the challenge or after it. A prover who
// knows the challenge could choose such wires, also those that rows without the challenge fix: a row may allow two values,
// or any value where a factor is 0.
func (s *System) Uncovered() []int {
	found := map[int]bool{}
	for i, row := range s.Rows {
		if s.Challenged(i) {
			for _, wire := range row.wires() {
				if s.Late && wire == digestWire {
					continue
				}
				if _, committed := slices.BinarySearch(s.Committed, wire); wire > 0 && !committed && !s.after(wire) {
					found[wire] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// after says whether a wire is the challenge or was made after it.
func (s *System) after(wire int) bool { return s.Challenge > 0 && wire >= s.Challenge }

// Challenged says whether a row holds wires that depend on the commitment's challenge.
func (s *System) Challenged(row int) bool {
	for _, side := range [][]Term{s.Rows[row].L, s.Rows[row].R, s.Rows[row].O} {
		for _, term := range side {
			if s.after(term.Wire) {
				return true
			}
		}
	}
	return false
}
