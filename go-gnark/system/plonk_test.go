package system_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fp"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"

	"equiproof/check"
	"equiproof/relation"
	"equiproof/system"
)

// plonkVerifying is the length of every verifying key of PLONK.
const plonkVerifying = 16 + 9*32 + 64

// A proof of the honest witness holds for its statement's digest and no other, and its length is that of every proof.
func TestPlonkProofHolds(t *testing.T) {
	p := sharedBy(t, system.Plonk)
	if len(p.proof) != check.PlonkProofBytes || check.PlonkProofBytes != 584 || len(p.keys.Verifying) != plonkVerifying {
		t.Errorf("a proof of %d bytes, a key of %d", len(p.proof), len(p.keys.Verifying))
	}
	if err := p.verifier.Verify(p.digest, p.proof); err != nil {
		t.Error(err)
	}
	digest := new(big.Int).SetBytes(p.digest)
	for _, other := range []*big.Int{new(big.Int), big.NewInt(1), new(big.Int).Add(digest, big.NewInt(1))} {
		if err := p.verifier.Verify(other.FillBytes(make([]byte, fr.Bytes)), p.proof); !errors.Is(err, check.ErrRefused) {
			t.Errorf("digest %v: %v", other, err)
		}
	}
	for _, other := range [][]byte{nil, p.digest[1:], fr.Modulus().Bytes(), append([]byte{0}, p.digest...)} {
		if err := p.verifier.Verify(other, p.proof); check.ReasonOf(err) != check.BadElement {
			t.Errorf("digest %x: %v", other, err)
		}
	}
}

// Two proofs of one witness have no point and, but for what follows from the circuit alone, no value in common: all that a
// proof shows is drawn anew.
func TestPlonkProofsAreBlinded(t *testing.T) {
	p := sharedBy(t, system.Plonk)
	other, err := p.prover.Prove(encoded(p.document, new(big.Int).SetBytes(p.digest), p.wires))
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(other); at += 32 {
		if at == 256 {
			at += 4
		}
		if at == 548 {
			at += 4
		}
		if bytes.Equal(other[at:at+32], p.proof[at:at+32]) {
			t.Errorf("the part at byte %d is the same in two proofs", at)
		}
	}
}

// A proof with any bit flipped is refused or malformed.
func TestPlonkFlippedBits(t *testing.T) {
	p := sharedBy(t, system.Plonk)
	for at := range p.proof {
		proof := bytes.Clone(p.proof)
		proof[at] ^= 1 << (at % 8)
		if err := p.verifier.Verify(p.digest, proof); err == nil {
			t.Errorf("byte %d: verified", at)
		}
	}
}

// A witness of a false statement has no proof.
func TestPlonkFalseStatementsHaveNoProof(t *testing.T) {
	p := sharedBy(t, system.Plonk)
	digest := new(big.Int).SetBytes(p.digest)
	for _, wire := range []int{0, len(p.wires) / 2, len(p.wires) - 1} {
		wires := append([]*big.Int{}, p.wires...)
		wires[wire] = new(big.Int).Add(wires[wire], big.NewInt(1))
		if _, err := p.prover.Prove(encoded(p.document, digest, wires)); !errors.Is(err, system.ErrUnsatisfied) {
			t.Errorf("wire %d: %v", wire, err)
		}
	}
	other := encoded(p.document, new(big.Int).Add(digest, big.NewInt(1)), p.wires)
	if _, err := p.prover.Prove(other); !errors.Is(err, system.ErrUnsatisfied) {
		t.Errorf("another digest: %v", err)
	}
}

// Keys and proofs of one proof system are none of another's, and the two have different constraint systems.
func TestProofSystemsDoNotMix(t *testing.T) {
	first, second := sharedBy(t, system.Groth16), sharedBy(t, system.Plonk)
	if first.keys.SystemDigest == second.keys.SystemDigest {
		t.Error("one digest for two constraint systems")
	}
	for i, p := range []*proven{first, second} {
		q := []*proven{second, first}[i]
		if err := p.verifier.Verify(p.digest, q.proof); check.ReasonOf(err) != check.WrongLength {
			t.Errorf("another system's proof: %v", err)
		}
		if _, err := proofSystems[i].LoadVerifier(q.keys.Verifying); check.ReasonOf(err) != check.WrongLength {
			t.Errorf("another system's verifying key: %v", err)
		}
		if _, err := proofSystems[i].Load(p.document, q.keys.Proving); err == nil {
			t.Error("another system's proving key was loaded")
		}
	}
	if _, err := system.Named("plonk"); err == nil {
		t.Error("a name that is none was found")
	}
}

// hostile loads bytes that are no proving key, within bounds.
func hostile(t *testing.T, name string, key []byte) {
	t.Helper()
	p := sharedBy(t, system.Plonk)
	used := allocated(func() {
		if _, err := system.Plonk.Load(p.document, key); err == nil || !strings.HasPrefix(err.Error(), "proving key: ") {
			t.Errorf("%s: %v", name, err)
		}
	})
	if used > hostileBytes {
		t.Errorf("%s: %d bytes allocated", name, used)
	}
}

// Bytes that are laid out in another way than the set-up of this circuit lays out its key are refused, whatever they claim.
func TestPlonkHostileProvingKeys(t *testing.T) {
	p := sharedBy(t, system.Plonk)
	key := p.keys.Proving
	for name, data := range map[string][]byte{
		"none": nil, "short": key[:len(key)-1], "long": append(bytes.Clone(key), 0), "half": key[:len(key)/2], "twice": append(bytes.Clone(key), key...),
	} {
		hostile(t, name, data)
	}
	change := func(at int, data ...byte) []byte {
		changed := bytes.Clone(key)
		copy(changed[at:], data)
		return changed
	}
	size := binary.BigEndian.Uint64(key)
	hostile(t, "a domain of 2^40", change(0, 0, 0, 1))
	hostile(t, "twice the domain", change(0, binary.BigEndian.AppendUint64(nil, 2*size)...))
	hostile(t, "no domain", change(0, make([]byte, 8)...))
	hostile(t, "another row", change(15, key[15]+1))
	hostile(t, "a compressed point", change(plonkVerifying, 0xc0))
	hostile(t, "a coordinate of the modulus", change(plonkVerifying, fp.Modulus().Bytes()...))
	hostile(t, "a coordinate of the modulus, at the end", change(len(key)-32, fp.Modulus().Bytes()...))
}

// Of a key with wrong points, the prover makes a proof that does not hold, or none; it neither panics nor hangs.
func TestPlonkWrongPoints(t *testing.T) {
	p := sharedBy(t, system.Plonk)
	witness := encoded(p.document, new(big.Int).SetBytes(p.digest), p.wires)
	size := int(binary.BigEndian.Uint64(p.keys.Proving))
	one := append(make([]byte, 31), 1)
	for name, place := range map[string]int{"a power": plonkVerifying + 64, "a Lagrange value": plonkVerifying + 64*(size+3)} {
		key := bytes.Clone(p.keys.Proving)
		copy(key[place:], append(bytes.Clone(one), one...)) // (1, 1) is not on the curve
		prover, err := system.Plonk.Load(p.document, key)
		if err != nil {
			t.Fatal(err)
		}
		if proof, err := prover.Prove(witness); err == nil {
			if err := p.verifier.Verify(p.digest, proof); err == nil {
				t.Errorf("%s: the proof holds", name)
			}
		}
	}
}

// A proof under one key does not hold under another key of the same shape.
func TestPlonkKeysOfAnotherSetUp(t *testing.T) {
	p := sharedBy(t, system.Plonk)
	other, err := system.Plonk.Setup(relation.New(tiny()))
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := system.Plonk.LoadVerifier(other.Verifying)
	if err != nil {
		t.Fatal(err)
	}
	if err := verifier.Verify(p.digest, p.proof); !errors.Is(err, check.ErrRefused) || other.SystemDigest != p.keys.SystemDigest {
		t.Errorf("%v", err)
	}
}

// Whatever the verifying key says, its domain is bounded, and points that no set-up writes are refused: tests/vectors has each
// kind. Here, no bit of a key may change and leave the proof standing.
func TestPlonkFlippedBitsOfTheKey(t *testing.T) {
	p := sharedBy(t, system.Plonk)
	for at := range p.keys.Verifying {
		key := bytes.Clone(p.keys.Verifying)
		key[at] ^= 1 << (at % 8)
		verifier, err := system.Plonk.LoadVerifier(key)
		if err == nil {
			err = verifier.Verify(p.digest, p.proof)
		}
		if err == nil {
			t.Errorf("byte %d: verified", at)
		}
	}
}

// The lines of the pairing are worked out from the points: a longer key, as gnark's own form that stores lines, is none.
func TestPlonkKeysHaveNoLines(t *testing.T) {
	key := sharedBy(t, system.Plonk).keys.Verifying
	for _, more := range []int{1, 64, 34 << 10} {
		if _, err := system.Plonk.LoadVerifier(append(bytes.Clone(key), make([]byte, more)...)); check.ReasonOf(err) != check.WrongLength {
			t.Errorf("%d bytes more: %v", more, err)
		}
	}
}

// Verification never panics, whatever the bytes of the proof and the digest, and succeeds only for the proof's own digest.
func FuzzPlonkVerify(f *testing.F) { fuzzVerify(f, system.Plonk) }

// Loading a verifying key never panics, and a loaded key verifies without a panic.
func FuzzPlonkLoadVerifier(f *testing.F) {
	p := sharedBy(f, system.Plonk)
	f.Add(p.keys.Verifying)
	f.Add(append(bytes.Repeat([]byte{0xff}, 16), p.keys.Verifying[16:]...))
	f.Fuzz(func(_ *testing.T, key []byte) {
		if verifier, err := system.Plonk.LoadVerifier(key); err == nil {
			_ = verifier.Verify(p.digest, p.proof)
		}
	})
}
