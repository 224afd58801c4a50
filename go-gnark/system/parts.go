package system

import (
	"errors"
	"maps"
	"slices"

	"github.com/consensys/gnark/constraint"
	cs "github.com/consensys/gnark/constraint/bn254"

	"equiproof/gadget/bounded"
)

// RangeTable is the part of what all range checks share: the entries of their table, the sum over all limbs, and the mask of
// the commitment.
const RangeTable = "range table"

// Part is how many constraints a part of a circuit takes.
type Part struct {
	Name        string `json:"part"`
	Constraints int    `json:"constraints"`
}

// Parts counts the constraints of a compiled circuit by part. Every constraint is counted once: the numbers add up to all.
func Parts(compiled constraint.ConstraintSystem, record bounded.Record) ([]Part, error) {
	names, err := RowParts(compiled, record)
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for _, name := range names {
		counts[name]++
	}
	var parts []Part
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, Part{name, counts[name]})
	}
	return parts, nil
}

// RowParts names the part of each constraint of a compiled circuit, in order.
//
// A range check counts for the part that asked for it, with the limbs that the shared table is asked for; a lookup table
// counts for the part that made it, with all of its lookups.
func RowParts(compiled constraint.ConstraintSystem, record bounded.Record) ([]string, error) {
	system, ok := compiled.(*cs.R1CS)
	if !ok || len(record.Marks) == 0 {
		return nil, errors.New("no record of this constraint system")
	}
	if system.Type == constraint.SystemSparseR1CS {
		return sparseParts(system, record), nil
	}
	reader := newDeferred(system, record)
	rows := system.GetR1CIterator()
	var names []string
	for i, mark := range record.Marks[:len(record.Marks)-1] {
		for range record.Marks[i+1].Row - mark.Row {
			rows.Next()
			names = append(names, mark.Part)
		}
	}
	for row := rows.Next(); row != nil; row = rows.Next() {
		names = append(names, reader.part(row))
	}
	return names, nil
}

// deferred reads the constraints behind the circuit's own. They are, in this order: one per range check, which splits its
// number into limbs; behind the challenge, one argument for all range checks and one for each lookup table. The challenge
// of each argument but the first is a power of the commitment's.
type deferred struct {
	system    *cs.R1CS
	own       int            // wires of the circuit's own constraints
	checks    []string       // the parts of the range checks that are still to come
	limbs     map[int]string // the parts that the limbs were split for
	arguments []string       // the current argument's part and those to come
	first     int            // the commitment's challenge; of a kept model, the second one's
	challenge int            // that of the current argument, 0 before all
}

func newDeferred(system *cs.R1CS, record bounded.Record) *deferred {
	d := &deferred{system: system, own: record.Wires, checks: record.Checks, limbs: map[int]string{}}
	if len(record.Checks) > 0 {
		d.arguments = append(d.arguments, RangeTable)
	}
	d.arguments = append(d.arguments, record.Tables...)
	if found, ok := system.CommitmentInfo.(constraint.Groth16Commitments); ok && len(found) > 0 {
		d.first = found[len(found)-1].CommitmentIndex
	}
	return d
}

// part returns what the next constraint is for.
func (d *deferred) part(row *constraint.R1C) string {
	if len(d.checks) > 0 {
		part := d.checks[0]
		d.checks = d.checks[1:]
		for _, wire := range d.wires(row.L, row.R, row.O) {
			if wire >= d.own {
				d.limbs[wire] = part
			}
		}
		return part
	}
	d.begin(row)
	if len(d.arguments) == 0 {
		return bounded.Rest
	}
	if d.arguments[0] == RangeTable {
		for _, wire := range d.wires(row.L, row.R, row.O) {
			if part, found := d.limbs[wire]; found {
				return part
			}
		}
	}
	return d.arguments[0]
}

// begin goes on to the next argument, if there is one, where a constraint makes its challenge: the product of the first and the
// last one.
func (d *deferred) begin(row *constraint.R1C) {
	if d.challenge == 0 {
		d.challenge = d.first
		return
	}
	left, right, out := d.wires(row.L), d.wires(row.R), d.wires(row.O)
	if len(d.arguments) > 1 && len(left) == 1 && len(out) == 1 && same(slices.Concat(left, right), []int{d.first, d.challenge}) {
		d.arguments, d.challenge = d.arguments[1:], out[0]
	}
}

// same says whether two lists hold the same numbers.
func same(left, right []int) bool {
	return slices.Equal(slices.Sorted(slices.Values(left)), slices.Sorted(slices.Values(right)))
}

// wires lists the wires of linear expressions, without those whose coefficient is zero.
func (d *deferred) wires(expressions ...constraint.LinearExpression) []int {
	var found []int
	for _, expression := range expressions {
		for _, term := range expression {
			if coefficient := d.system.Coefficients[term.CID]; !coefficient.IsZero() {
				found = append(found, term.WireID())
			}
		}
	}
	return found
}
