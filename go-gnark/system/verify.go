package system

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	groth16bn254 "github.com/consensys/gnark/backend/groth16/bn254"
)

// ProofBytes is the length of every proof: A, B, C, one commitment with its count, and its proof of knowledge.
const ProofBytes = 32 + 64 + 32 + 4 + 32 + 32

// keyBytes is the length of every verifying key: six points, then 3 input points, one empty list of committed inputs and
// one commitment key, each list behind its length.
const keyBytes = 32 + 32 + 64 + 64 + 32 + 64 + 4 + 3*32 + 4 + 4 + 4 + 2*64

// keyCounts are the lengths that stand inside a verifying key, by their place.
var keyCounts = map[int]byte{288: 3, 388: 1, 392: 0, 396: 1}

// Where points start in verifying keys and in proofs.
var (
	keyPoints   = []int{0, 32, 64, 128, 192, 224, 292, 324, 356, 400, 464}
	proofPoints = []int{0, 32, 96, 132, 164}
)

// Verifier is a loaded verifying key that was found sane.
type Verifier struct{ key *groth16bn254.VerifyingKey }

// LoadVerifier reads a verifying key and refuses what no honest set-up writes: points off their curve or out of their
// subgroup, points at infinity, gamma = delta, generators, or another number of inputs or commitments than one.
func LoadVerifier(data []byte) (*Verifier, error) {
	if len(data) != keyBytes {
		return nil, fmt.Errorf("verifying key: %d bytes, want %d", len(data), keyBytes)
	}
	if !compressed(data, keyPoints) {
		return nil, errors.New("verifying key: not in canonical form")
	}
	for at, count := range keyCounts {
		// The reader reserves memory for whatever the key says.
		if !bytes.Equal(data[at:at+4], []byte{0, 0, 0, count}) {
			return nil, fmt.Errorf("verifying key: want a length of %d at byte %d", count, at)
		}
	}
	key := new(groth16bn254.VerifyingKey)
	reader := bytes.NewReader(data)
	if _, err := key.ReadFrom(reader); err != nil {
		return nil, fmt.Errorf("verifying key: %w", err)
	}
	if reader.Len() != 0 {
		return nil, errors.New("verifying key: bytes left over")
	}
	if err := checkKey(key); err != nil {
		return nil, fmt.Errorf("verifying key: %w", err)
	}
	return &Verifier{key: key}, nil
}

// Verify returns nil if the proof holds for the statement digest, ErrRefused if it does not, and another error for bytes
// that are no proof or no digest.
func (v *Verifier) Verify(digest, proof []byte) error {
	if len(proof) != ProofBytes {
		return fmt.Errorf("proof: %d bytes, want %d", len(proof), ProofBytes)
	}
	if count := proof[128:132]; !bytes.Equal(count, []byte{0, 0, 0, 1}) {
		return errors.New("proof: want exactly one commitment")
	}
	if !compressed(proof, proofPoints) {
		return errors.New("proof: not in canonical form")
	}
	parsed := new(groth16bn254.Proof)
	if _, err := parsed.ReadFrom(bytes.NewReader(proof)); err != nil {
		return fmt.Errorf("proof: %w", err)
	}
	var again bytes.Buffer
	if _, err := parsed.WriteTo(&again); err != nil || !bytes.Equal(again.Bytes(), proof) {
		return errors.New("proof: not in canonical form")
	}
	var statement fr.Element
	if err := statement.SetBytesCanonical(digest); err != nil {
		return errors.New("statement digest: not below the field's order")
	}
	if err := groth16bn254.Verify(parsed, v.key, fr.Vector{statement}); err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return nil
}

// compressed says whether every point is spelled compressed. The reader takes the longer spelling too: the lengths behind it
// would then be read from bytes of the sender's choice, and memory reserved for whatever they say.
func compressed(data []byte, points []int) bool {
	for _, at := range points {
		if data[at]>>6 == 0 {
			return false
		}
	}
	return true
}

// checkKey refuses degenerate keys: each of these let somebody prove anything in a deployed system.
func checkKey(key *groth16bn254.VerifyingKey) error {
	_, _, g1, g2 := bn254.Generators()
	if upToSign(key.G2.Gamma, key.G2.Delta) {
		return errors.New("gamma equals delta or its negative: the second phase of its set-up was never run")
	}
	for name, point := range map[string]bn254.G2Affine{"beta": key.G2.Beta, "delta": key.G2.Delta} {
		if point.IsInfinity() || upToSign(point, g2) {
			return fmt.Errorf("%s is the point at infinity or the generator, or its negative", name)
		}
	}
	// Ceremonies set gamma to the generator, which is sound as long as delta is not known.
	if key.G2.Gamma.IsInfinity() {
		return errors.New("gamma is the point at infinity")
	}
	var negative bn254.G1Affine
	negative.Neg(&g1)
	if key.G1.Alpha.IsInfinity() || key.G1.Alpha.Equal(&g1) || key.G1.Alpha.Equal(&negative) {
		return errors.New("alpha is the point at infinity or the generator, or its negative")
	}
	// One for the constant, one for the statement digest, one for the commitment's hash.
	if len(key.G1.K) != 3 || len(key.CommitmentKeys) != 1 || len(key.PublicAndCommitmentCommitted) != 1 {
		return fmt.Errorf("%d input points and %d commitments, want 3 and 1", len(key.G1.K), len(key.CommitmentKeys))
	}
	for i := range key.G1.K {
		if key.G1.K[i].IsInfinity() {
			return fmt.Errorf("input point %d is at infinity: nothing binds that input", i)
		}
	}
	commitment := key.CommitmentKeys[0]
	// sigma = 1 or -1: the commitment, or its negative, would be its own proof of knowledge.
	known := upToSign(commitment.G, commitment.GSigmaNeg)
	if commitment.G.IsInfinity() || commitment.GSigmaNeg.IsInfinity() || known {
		return errors.New("the commitment's key is degenerate")
	}
	return nil
}

// upToSign says whether two points are equal or each other's negatives: what one forges, the other does with a sign.
func upToSign(p, q bn254.G2Affine) bool {
	var negative bn254.G2Affine
	negative.Neg(&q)
	return p.Equal(&q) || p.Equal(&negative)
}
