package system_test

import (
	"slices"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"

	"equiproof/internal/lint"
	"equiproof/relation"
	"equiproof/system"
)

// apart says whether a wire stands in a side of a row beside committed wires, the constant and nothing else: then the sum of its points
// and of those of wires that are in no commitment is never zero.
func apart(s *lint.System, wire int) bool {
	for _, row := range s.Rows {
		for _, side := range [][]lint.Term{row.L, row.R, row.O} {
			has, others := false, false
			for _, term := range side {
				_, committed := slices.BinarySearch(s.Committed, term.Wire)
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

// The argument about those who have seen certificates and links of others asks of circuits that neither the statement digest nor the last
// challenge is a sum of wires that proofs may choose freely.
func TestDigestAndChallengeStandApart(t *testing.T) {
	for name, circuit := range map[string]func() relation.Circuit{"certificates": newToy, "links": newToyLink} {
		compiled, err := system.Groth16.Compile(circuit())
		if err != nil {
			t.Fatal(err)
		}
		s, err := lint.Read(compiled)
		if err != nil {
			t.Fatal(err)
		}
		const digest = 1
		if !apart(s, digest) || !apart(s, s.Challenge) {
			t.Errorf("%s: digest %v, challenge %v", name, apart(s, digest), apart(s, s.Challenge))
		}
	}
	// (digest + wire 5) * 1 = 7: what changes the digest is made up for by the wire.
	var one fr.Element
	one.SetOne()
	term := func(wire int) lint.Term { return lint.Term{Wire: wire, Coefficient: one} }
	sum := &lint.System{Rows: []lint.Row{{L: []lint.Term{term(1), term(5)}, R: []lint.Term{term(0)}, O: []lint.Term{term(0)}}}}
	if apart(sum, 1) {
		t.Error("a digest that is only seen in a sum stands apart")
	}
	if sum.Committed = []int{5}; !apart(sum, 1) {
		t.Error("a digest beside a committed wire does not stand apart")
	}
}
