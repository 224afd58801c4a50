package system_test

import (
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"

	"equiproof/internal/adversary"
	"equiproof/internal/lint"
	"equiproof/relation"
	"equiproof/system"
)

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
		if !adversary.Apart(s, digest) || !adversary.Apart(s, s.Challenge) {
			t.Errorf("%s: digest %v, challenge %v", name, adversary.Apart(s, digest), adversary.Apart(s, s.Challenge))
		}
	}
	// (digest + wire 5) * 1 = 7: what changes the digest is made up for by the wire.
	var one fr.Element
	one.SetOne()
	term := func(wire int) lint.Term { return lint.Term{Wire: wire, Coefficient: &one} }
	sum := &lint.System{Rows: []lint.Row{{L: []lint.Term{term(1), term(5)}, R: []lint.Term{term(0)}, O: []lint.Term{term(0)}}}}
	if adversary.Apart(sum, 1) {
		t.Error("a digest that is only seen in a sum stands apart")
	}
	if sum.Committed = []int{5}; !adversary.Apart(sum, 1) {
		t.Error("a digest beside a committed wire does not stand apart")
	}
}
