//go:build prover_checks

package system_test

import (
	"errors"
	"math/bits"
	"testing"

	"equiproof/ceremony"
	"equiproof/check"
	"equiproof/relation"
	"equiproof/system"
)

// The key of a ceremony of three parties in each phase proves and verifies as one of a set-up does; proofs do not hold under
// another key.
func TestKeyOfACeremony(t *testing.T) {
	p := shared(t)
	power := bits.Len(uint(p.keys.Constraints - 1))
	powers := manyPowers(t, power)
	form, err := ceremony.LagrangeForm(power, powers)
	if err != nil {
		t.Fatal(err)
	}
	last, err := ceremony.StartKey(relation.New(tiny()), power, powers, form)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		step, err := ceremony.ContributeKey(last)
		if err != nil {
			t.Fatal(err)
		}
		if err := ceremony.VerifyKey(last, step); err != nil {
			t.Fatal(err)
		}
		last = step
	}
	keys, err := ceremony.FinishKey(relation.New(tiny()), power, powers, form, last, []byte("beacon"))
	if err != nil {
		t.Fatal(err)
	}
	if keys.SystemDigest != p.keys.SystemDigest || len(keys.Proving) != len(p.keys.Proving) {
		t.Error("the key is not laid out as that of a set-up")
	}
	holds(t, p, keys)
}

func manyPowers(t *testing.T, power int) []byte {
	t.Helper()
	var last []byte
	for range 3 {
		step, err := ceremony.ContributePowers(power, last)
		if err != nil {
			t.Fatal(err)
		}
		if err := ceremony.VerifyPowers(power, last, step); err != nil {
			t.Fatal(err)
		}
		last = step
	}
	powers, err := ceremony.FinishPowers(power, last, []byte("beacon"))
	if err != nil {
		t.Fatal(err)
	}
	if err := ceremony.CheckPowers(power, powers); err != nil {
		t.Fatal(err)
	}
	return powers
}

func holds(t *testing.T, p *proven, keys *system.Keys) {
	t.Helper()
	prover, err := system.Groth16.Load(p.document, keys.Proving)
	if err != nil {
		t.Fatal(err)
	}
	wires, digest := constant(tiny())
	proof, err := prover.Prove(encoded(p.document, digest, wires))
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := system.Groth16.LoadVerifier(keys.Verifying)
	if err != nil {
		t.Fatal(err)
	}
	if err := verifier.Verify(p.digest, proof); err != nil {
		t.Error(err)
	}
	if err := verifier.Verify(p.digest, p.proof); !errors.Is(err, check.ErrRefused) {
		t.Errorf("a proof under another key: %v", err)
	}
	if err := p.verifier.Verify(p.digest, proof); !errors.Is(err, check.ErrRefused) {
		t.Errorf("a proof under another key: %v", err)
	}
}
