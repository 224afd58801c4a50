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
