package system_test

import (
	"bytes"
	"math/bits"
	"slices"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254"
	groth16mpc "github.com/consensys/gnark/backend/groth16/bn254/mpcsetup"
	"github.com/consensys/gnark/constraint"
	cs "github.com/consensys/gnark/constraint/bn254"

	"equiproof/ceremony"
	"equiproof/internal/turns"
	"equiproof/relation"
	"equiproof/system"
)

// conducted makes the key of a circuit by a ceremony of two parties in phase 2.
func conducted(t *testing.T, circuit func() relation.Circuit) *system.Keys {
	t.Helper()
	description, err := system.Groth16.Describe(circuit())
	if err != nil {
		t.Fatal(err)
	}
	power := bits.Len(uint(description.Constraints - 1))
	step := mustBytes(t)(ceremony.ContributePowers(power, nil))
	powers := mustBytes(t)(ceremony.FinishPowers(power, step, []byte("beacon")))
	form := mustBytes(t)(ceremony.LagrangeForm(power, powers))
	last := mustBytes(t)(ceremony.StartKey(circuit(), power, powers, form))
	for range 2 {
		step := mustBytes(t)(ceremony.ContributeKey(last))
		if err := ceremony.VerifyKey(last, step); err != nil {
			t.Fatal(err)
		}
		last = step
	}
	keys, err := ceremony.FinishKey(circuit(), power, powers, form, last, []byte("beacon"))
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// Keys of a kept model and of its links that ceremonies made are laid out as those of a set-up: the link and certificates hold, and not
// under the keys of a set-up. In the first list's basis no point is at infinity and no two are equal up to sign, as the argument of
// soundness needs it; each basis has its sigma.
func TestKeptKeysOfCeremonies(t *testing.T) {
	turns.Take(t)
	keys, linkKeys := conducted(t, newToy), conducted(t, newToyLink)
	made := toyOf(t)
	if len(keys.Verifying) != 700 || len(keys.Proving) != len(made.keys.Proving) || len(linkKeys.Proving) != len(made.linkKeys.Proving) {
		t.Error("the keys are not laid out as those of a set-up")
	}
	k, err := loadToy(keys, linkKeys, newToy, newToyLink)
	if err != nil {
		t.Fatal(err)
	}
	p := publishedBy(t, k)
	if err := k.accepts(p.model, p.link, toyQuery(1), p.proof); err != nil {
		t.Error(err)
	}
	other := &toyKeys{certificates: made.certificates, links: k.links}
	if err := other.accepts(p.model, p.link, toyQuery(1), p.proof); err == nil {
		t.Error("a certificate holds under another key")
	}
	other = &toyKeys{certificates: k.certificates, links: made.links}
	if err := other.accepts(p.model, p.link, toyQuery(1), p.proof); err == nil {
		t.Error("a link holds under another key")
	}
	read := readKeys(t, keys)
	seen := map[bn254.G1Affine]bool{}
	basis := read.proving.CommitmentKeys[0].Basis
	for _, point := range basis {
		seen[point] = true
		seen[*point.Neg(&point)] = true
	}
	if len(seen) != 2*len(basis) || seen[bn254.G1Affine{}] {
		t.Errorf("%d points of the first basis are different up to sign, of %d", len(seen)/2, len(basis))
	}
	for i := range read.proving.CommitmentKeys {
		key := &read.proving.CommitmentKeys[i]
		for j := range key.Basis {
			if err := read.verifying.CommitmentKeys[i].Verify(key.Basis[j], key.BasisExpSigma[j]); err != nil {
				t.Fatalf("commitment %d, point %d: %v", i, j, err)
			}
		}
	}
}

// alpha-is-minus-beta: parties of phase 1 that conspire can make such powers, which every check passes. The masks of both commitments
// have points all the same, since their rows are m * 1 = m: they are beta + 1 or alpha + 1 times a Lagrange value.
func TestAlphaIsMinusBeta(t *testing.T) {
	turns.Take(t)
	compiled, err := system.Groth16.Compile(newToy())
	if err != nil {
		t.Fatal(err)
	}
	r1cs := compiled.(*cs.R1CS)
	power := bits.Len(uint(r1cs.GetNbConstraints() - 1))
	step := mustBytes(t)(ceremony.ContributePowers(power, nil))
	commons := new(groth16mpc.SrsCommons)
	if _, err := commons.ReadFrom(bytes.NewReader(mustBytes(t)(ceremony.FinishPowers(power, step, []byte("beacon"))))); err != nil {
		t.Fatal(err)
	}
	for i, point := range commons.G1.BetaTau {
		commons.G1.AlphaTau[i].Neg(&point)
	}
	var out bytes.Buffer
	if _, err := commons.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	if err := ceremony.CheckPowers(power, out.Bytes()); err != nil {
		t.Fatal(err)
	}
	form := mustBytes(t)(ceremony.LagrangeForm(power, out.Bytes()))
	phase := new(groth16mpc.Phase2)
	phase.Initialize(r1cs, commons)
	first := mustBytes(t)(ceremony.StartKey(newToy(), power, out.Bytes(), form))
	out.Reset()
	if _, err := phase.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, out.Bytes()) {
		t.Error("gnark initialises to another origin")
	}
	commitments := r1cs.CommitmentInfo.(constraint.Groth16Commitments)
	if len(commitments) != 2 {
		t.Fatalf("%d commitments", len(commitments))
	}
	for i, commitment := range commitments {
		basis := phase.Parameters.G1.SigmaCKK[i]
		// The mask is the wire of the highest number in its list, and points of a basis are in the order of wires.
		if !slices.IsSorted(commitment.PrivateCommitted) || len(basis) != len(commitment.PrivateCommitted) {
			t.Fatal("the basis is in another order")
		}
		if basis[len(basis)-1].IsInfinity() {
			t.Errorf("the mask of commitment %d has no point", i)
		}
	}
}
