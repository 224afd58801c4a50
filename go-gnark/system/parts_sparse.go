package system

import (
	"slices"
	"strings"

	"github.com/consensys/gnark/constraint"
	cs "github.com/consensys/gnark/constraint/bn254"

	"equiproof/gadget/bounded"
)

// CommittedWires is the part of the rows that commit to wires of lookups, tables and identities, and of the challenge's own row.
// Only the sparse form has such rows.
const CommittedWires = "committed wires"

// sparseParts names the part of each row of a sparse system, in order.
func sparseParts(system *cs.SparseR1CS, record bounded.Record) (names []string) {
	own := record.Marks[len(record.Marks)-1].Row
	for i, mark := range record.Marks[:len(record.Marks)-1] {
		names = append(names, slices.Repeat([]string{mark.Part}, record.Marks[i+1].Row-mark.Row)...)
	}
	reader := &sparseDeferred{system: system, checks: record.Checks, made: map[uint32]string{}, part: bounded.Rest}
	if len(record.Checks) > 0 {
		reader.arguments = append(reader.arguments, RangeTable)
	}
	reader.arguments = append(reader.arguments, record.Tables...)
	rows := 0
	for _, packed := range system.Instructions {
		instruction := packed.Unpack(&system.System)
		switch blueprint := system.Blueprints[packed.BlueprintID].(type) {
		case constraint.BlueprintHint:
			var hint constraint.HintMapping
			blueprint.DecompressHint(&hint, instruction)
			reader.hint(&hint)
		case constraint.BlueprintSparseR1C:
			if rows++; rows > own {
				var row constraint.SparseR1C
				blueprint.DecompressSparseR1C(&row, instruction)
				names = append(names, reader.row(row))
			}
		}
	}
	return names
}

// sparseDeferred reads the rows behind the circuit's own. They are, in this order: for each range check, behind the hint that
// splits its number, the sum of the limbs; a row for each committed wire, and one for the challenge; then the arguments, as
// in the other form.
type sparseDeferred struct {
	system    *cs.SparseR1CS
	checks    []string          // the parts of the range checks that are still to come
	part      string            // whose range check is being split
	made      map[uint32]string // the parts that limbs, and their differences to the challenge, were made for
	arguments []string          // the current argument's part and those to come
	first     uint32            // the commitment's challenge
	challenge uint32            // that of the current argument
	argued    bool              // whether the challenge is known
}

// hint notes whose limbs a hint makes, and where the limbs end.
func (d *sparseDeferred) hint(hint *constraint.HintMapping) {
	name := d.system.MHintsDependencies[hint.HintID]
	switch {
	case strings.HasSuffix(name, "DecomposeHint"):
		d.part, d.checks = d.checks[0], d.checks[1:]
		for wire := hint.OutputRange.Start; wire < hint.OutputRange.End; wire++ {
			d.made[wire] = d.part
		}
	case strings.HasSuffix(name, "countHint"):
		d.part = CommittedWires
	}
}

// row returns what the next row is for.
func (d *sparseDeferred) row(row constraint.SparseR1C) string {
	switch {
	case row.Commitment == constraint.COMMITTED:
		if part, found := d.made[row.XA]; found {
			return part
		}
		return CommittedWires
	case row.Commitment == constraint.COMMITMENT:
		d.first, d.challenge, d.argued = row.XA, row.XA, true
		return CommittedWires
	case !d.argued:
		return d.part
	}
	d.begin(row)
	if len(d.arguments) == 0 {
		return bounded.Rest
	}
	if d.arguments[0] == RangeTable {
		for _, wire := range []uint32{row.XA, row.XB} {
			if part, found := d.made[wire]; found {
				if d.zero(row.QM) {
					d.made[row.XC] = part
				}
				return part
			}
		}
	}
	return d.arguments[0]
}

// begin goes on to the next argument where a row makes its challenge: the product of the first and the last one.
func (d *sparseDeferred) begin(row constraint.SparseR1C) {
	product := !d.zero(row.QM) && d.zero(row.QL) && d.zero(row.QR) && d.zero(row.QC) && !d.zero(row.QO)
	if product && same([]int{int(row.XA), int(row.XB)}, []int{int(d.first), int(d.challenge)}) {
		d.arguments, d.challenge = d.arguments[1:], row.XC
	}
}

func (d *sparseDeferred) zero(coefficient uint32) bool {
	return d.system.Coefficients[coefficient].IsZero()
}
