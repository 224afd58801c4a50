// Package check checks proofs over BN254 under the verifying keys of several proof systems. It knows nothing of circuits.
package check

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"

	"equiproof/verify/tables"
)

// ErrRefused says that a proof does not hold for a statement under a key.
var ErrRefused = errors.New("the proof does not hold")

// The proof systems, by the names that keys and certificates have for them.
const (
	Groth16 = "groth16-bn254"
	Plonk   = "plonk-bn254"
)

// loaders read verifying keys, and refuse those that no honest set-up writes.
var loaders = map[string]func(verifying []byte) (verifyingKey, error){Groth16: loadGroth16, Plonk: loadPlonk}

// verifyingKey is a key of one proof system that passed all checks.
type verifyingKey interface {
	// verify refuses malformed bytes of a proof before those of the statement digest.
	verify(digest, proof []byte) error
	// verifyBatch writes for each claim what verify returns for it, on at most so many threads.
	verifyBatch(claims []Claim, verdicts []error, threads int)
}

// Verifier is a loaded verifying key that passed all checks.
type Verifier struct{ key verifyingKey }

// Load reads a verifying key of a proof system and refuses one that no honest set-up writes: with points off their curve or
// outside their subgroup, or degenerate ones.
func Load(proofSystem string, verifying []byte) (*Verifier, error) {
	load, ok := loaders[proofSystem]
	if !ok {
		return nil, fmt.Errorf("unknown proof system %.40q", proofSystem)
	}
	key, err := load(verifying)
	if err != nil {
		return nil, fmt.Errorf("verifying key: %w", err)
	}
	return &Verifier{key: key}, nil
}

// Verify returns nil if the proof holds for the statement digest, ErrRefused if it does not, and another error for
// malformed bytes. ReasonOf returns the reason of both kinds of error.
func (v *Verifier) Verify(digest, proof []byte) error { return v.key.verify(digest, proof) }

// errUnchecked is the verdict on a proof before it is checked.
var errUnchecked = errors.New("internal error: the proof was not checked")

// Claim says that a proof holds for a statement digest. Neither has been looked at.
type Claim struct{ Digest, Proof []byte }

// VerifyBatch returns for each claim what Verify returns for it, nil where the proof holds. It runs on at most so many
// threads, or on all cores if that is 0.
func (v *Verifier) VerifyBatch(claims []Claim, threads int) []error {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	// Nil says that a proof holds, so that it must not be what stands there by default.
	verdicts := make([]error, len(claims))
	for i := range verdicts {
		verdicts[i] = errUnchecked
	}
	v.key.verifyBatch(claims, verdicts, threads)
	return verdicts
}

// statement reads a statement digest.
func statement(digest []byte) (element fr.Element, err error) {
	if err := element.SetBytesCanonical(digest); err != nil {
		return element, because(BadElement, tables.Say("value.named_not_below_order", "statement digest"))
	}
	return element, nil
}

// readWriter is a proof of one of gnark's proof systems.
type readWriter interface {
	io.ReaderFrom
	io.WriterTo
}

// read reads a proof from bytes in its one form, and then the statement digest.
func read(proof []byte, parsed readWriter, length int, parts []part, digest []byte) (fr.Element, error) {
	if _, err := readParts(proof, length, parts); err != nil {
		return fr.Element{}, fmt.Errorf("proof: %w", err)
	}
	if _, err := parsed.ReadFrom(bytes.NewReader(proof)); err != nil {
		return fr.Element{}, fmt.Errorf("proof: %w", err)
	}
	if err := sameBytes(parsed, proof); err != nil {
		return fr.Element{}, err
	}
	return statement(digest)
}

// sameBytes refuses a proof that would be written as other bytes than those that it was read from.
func sameBytes(parsed io.WriterTo, proof []byte) error {
	var again bytes.Buffer
	if _, err := parsed.WriteTo(&again); err != nil || !bytes.Equal(again.Bytes(), proof) {
		return because(PointNotCanonical, "proof: not in canonical form")
	}
	return nil
}
