package adversary

import (
	"slices"

	"equiproof/internal/lint"
)

// Stated lists the private wires, once for each term, of the rows that hold the public digest: what it is made equal to.
func Stated(system *lint.System) (wires []int) {
	for _, row := range system.Rows {
		terms := slices.Concat(row.L, row.R, row.O)
		if !slices.ContainsFunc(terms, func(term lint.Term) bool { return term.Wire == 1 }) {
			continue
		}
		for _, term := range terms {
			if term.Wire >= system.Public {
				wires = append(wires, term.Wire)
			}
		}
	}
	return wires
}

// Apart says whether a wire stands in a side of a row beside committed wires, the constant and nothing else: then the sum of its points
// and of those of wires that are in no commitment is never zero.
func Apart(system *lint.System, wire int) bool {
	for _, row := range system.Rows {
		for _, side := range [][]lint.Term{row.L, row.R, row.O} {
			has, others := false, false
			for _, term := range side {
				_, committed := slices.BinarySearch(system.Committed, term.Wire)
				has = has || term.Wire == wire
				others = others || term.Wire != wire && term.Wire != 0 && !committed
			}
			if has && !others {
				return true
			}
		}
	}
	return false
}
