package check

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark-crypto/ecc/bn254/fp"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	groth16bn254 "github.com/consensys/gnark/backend/groth16/bn254"

	"equiproof/verify/tables"
)

// ProofBytes is the length of every proof: A, B, C, one commitment with its count, and its proof of knowledge.
const ProofBytes = 32 + 64 + 32 + 4 + 32 + 32

// keyBytes is the length of every verifying key: six points, then 3 input points, one empty list of committed inputs and
// one commitment key; each list starts with its length.
const keyBytes = 32 + 32 + 64 + 64 + 32 + 64 + 4 + 3*32 + 4 + 4 + 4 + 2*64

// Widths of the parts of a key or a proof.
const (
	sizeBytes  = 8
	countBytes = 4
	g1Bytes    = 32
	g2Bytes    = 64
)

// part is a point, a field element, or a list length, which is always the same count.
type part struct {
	at, width int
	count     byte
	element   bool
}

var keyParts = []part{
	{at: 0, width: g1Bytes}, {at: 32, width: g1Bytes}, {at: 64, width: g2Bytes}, {at: 128, width: g2Bytes},
	{at: 192, width: g1Bytes}, {at: 224, width: g2Bytes},
	{at: 288, width: countBytes, count: 3},
	{at: 292, width: g1Bytes}, {at: 324, width: g1Bytes}, {at: 356, width: g1Bytes},
	{at: 388, width: countBytes, count: 1}, {at: 392, width: countBytes}, {at: 396, width: countBytes, count: 1},
	{at: 400, width: g2Bytes}, {at: 464, width: g2Bytes},
}

var proofParts = []part{
	{at: 0, width: g1Bytes}, {at: 32, width: g2Bytes}, {at: 96, width: g1Bytes},
	{at: 128, width: countBytes, count: 1},
	{at: 132, width: g1Bytes}, {at: 164, width: g1Bytes},
}

// groth16Verifying is a verifying key that passed all checks.
type groth16Verifying struct{ key *groth16bn254.VerifyingKey }

// loadGroth16 refuses, among others, points at infinity, gamma = delta, generators, and a number of inputs or commitments
// other than one.
func loadGroth16(data []byte) (verifyingKey, error) {
	if _, err := readParts(data, keyBytes, keyParts); err != nil {
		return nil, err
	}
	key := new(groth16bn254.VerifyingKey)
	reader := bytes.NewReader(data)
	if _, err := key.ReadFrom(reader); err != nil {
		return nil, err
	}
	if reader.Len() != 0 {
		return nil, because(WrongLength, "extra bytes at the end")
	}
	if err := checkKey(key); err != nil {
		return nil, &reasoned{DegenerateKey, err}
	}
	return &groth16Verifying{key: key}, nil
}

// groth16Claim is a proof whose bytes passed every check of a reader, with the statement digest that it is to hold for.
type groth16Claim struct {
	proof groth16bn254.Proof
	input fr.Element
}

// readGroth16 reads a proof from bytes in its one form, and then the statement digest.
func readGroth16(digest, data []byte) (*groth16Claim, error) {
	curvePoints, err := readParts(data, ProofBytes, proofParts)
	if err != nil {
		return nil, fmt.Errorf("proof: %w", err)
	}
	claim := &groth16Claim{proof: groth16bn254.Proof{
		Ar: curvePoints.g1[0], Bs: curvePoints.g2[0], Krs: curvePoints.g1[1], Commitments: curvePoints.g1[2:3], CommitmentPok: curvePoints.g1[3],
	}}
	if err := sameBytes(&claim.proof, data); err != nil {
		return nil, err
	}
	claim.input, err = statement(digest)
	return claim, err
}

func (v *groth16Verifying) verify(digest, proof []byte) error {
	claim, err := readGroth16(digest, proof)
	if err != nil {
		return err
	}
	return v.judge(claim)
}

// judge checks both equations of one proof.
func (v *groth16Verifying) judge(claim *groth16Claim) error {
	proof := &claim.proof
	if err := groth16bn254.Verify(proof, v.key, fr.Vector{claim.input}); err != nil {
		reason := PairingsDiffer
		if v.key.CommitmentKeys[0].Verify(proof.Commitments[0], proof.CommitmentPok) != nil {
			reason = CommitmentNotOpened
		}
		return &reasoned{reason, fmt.Errorf("%w: %w", ErrRefused, err)}
	}
	return nil
}

// points are those of a file, by group in their order.
type points struct {
	g1 []bn254.G1Affine
	g2 []bn254.G2Affine
}

// readParts reads the points of a file. It refuses a wrong length, a wrong count, elements above the field's order, and
// points that are not in canonical form, on their curve and in their subgroup. gnark's reader alone would allocate as much
// memory as a count claims. It would also read uncompressed points, and then take the counts from bytes that the sender
// chose.
func readParts(data []byte, length int, parts []part) (*points, error) {
	if len(data) != length {
		return nil, because(WrongLength, fmt.Sprintf("%d bytes, want %d", len(data), length))
	}
	curvePoints := new(points)
	for _, p := range parts {
		piece := data[p.at : p.at+p.width]
		if p.element {
			if err := new(fr.Element).SetBytesCanonical(piece); err != nil {
				return nil, because(BadElement, tables.Say("value.named_not_below_order", fmt.Sprint("value at byte ", p.at)))
			}
		} else if p.width != countBytes {
			if err := curvePoints.read(piece); err != nil {
				return nil, fmt.Errorf("point at byte %d: %w", p.at, err)
			}
		} else if !bytes.Equal(piece, []byte{0, 0, 0, p.count}) {
			return nil, because(WrongCount, fmt.Sprintf("wrong count at byte %d, want %d", p.at, p.count))
		}
	}
	return curvePoints, nil
}

// read reads one more point. It refuses one that is not in canonical compressed form, on its curve and in its subgroup.
func (p *points) read(data []byte) error {
	const uncompressed, infinite = 0, 1
	flag, coordinates := data[0]>>6, bytes.Clone(data)
	coordinates[0] &= 0x3f
	if flag == uncompressed || flag == infinite && !bytes.Equal(coordinates, make([]byte, len(data))) {
		return because(PointNotCanonical, "not in canonical form")
	}
	for ; len(coordinates) > 0; coordinates = coordinates[fp.Bytes:] {
		if err := new(fp.Element).SetBytesCanonical(coordinates[:fp.Bytes]); err != nil {
			return because(CoordinateTooLarge, "a coordinate is not below the field's modulus")
		}
	}
	decoder := bn254.NewDecoder(bytes.NewReader(data), bn254.NoSubgroupChecks())
	if len(data) == g1Bytes {
		// The order of G1's curve is prime: every point on it is in the group.
		var point bn254.G1Affine
		if err := decoder.Decode(&point); err != nil {
			return because(OffCurve, "not on the curve")
		}
		p.g1 = append(p.g1, point)
		return nil
	}
	var point bn254.G2Affine
	if err := decoder.Decode(&point); err != nil {
		return because(OffCurve, "not on the curve")
	}
	if !point.IsInSubGroup() {
		return because(OutsideSubgroup, "not in the subgroup of prime order")
	}
	p.g2 = append(p.g2, point)
	return nil
}

// checkKey refuses degenerate keys. Each of these made forged proofs possible in a deployed system.
func checkKey(key *groth16bn254.VerifyingKey) error {
	_, _, g1, g2 := bn254.Generators()
	if upToSign(key.G2.Gamma, key.G2.Delta) {
		return errors.New(tables.Say("key.gamma_delta"))
	}
	for name, point := range map[string]bn254.G2Affine{"beta": key.G2.Beta, "delta": key.G2.Delta} {
		if point.IsInfinity() || upToSign(point, g2) {
			return errors.New(tables.Say("key.point_degenerate", name))
		}
	}
	// Ceremonies set gamma to the generator, which is sound as long as the discrete logarithm of delta is unknown.
	if key.G2.Gamma.IsInfinity() {
		return errors.New(tables.Say("key.gamma_infinite"))
	}
	var negative bn254.G1Affine
	negative.Neg(&g1)
	if key.G1.Alpha.IsInfinity() || key.G1.Alpha.Equal(&g1) || key.G1.Alpha.Equal(&negative) {
		return errors.New(tables.Say("key.alpha_degenerate"))
	}
	// One for the constant, one for the statement digest, one for the commitment's hash.
	if len(key.G1.K) != 3 || len(key.CommitmentKeys) != 1 || len(key.PublicAndCommitmentCommitted) != 1 {
		return fmt.Errorf("%d input points and %d commitments, want 3 and 1", len(key.G1.K), len(key.CommitmentKeys))
	}
	for i := range key.G1.K {
		if key.G1.K[i].IsInfinity() {
			return errors.New(tables.Say("key.input_infinite", i))
		}
	}
	commitment := key.CommitmentKeys[0]
	// With sigma = 1 or -1, the commitment or its negative would be its own proof of knowledge.
	ok := upToSign(commitment.G, commitment.GSigmaNeg)
	if commitment.G.IsInfinity() || commitment.GSigmaNeg.IsInfinity() || ok {
		return errors.New(tables.Say("key.commitment_degenerate"))
	}
	return nil
}

// upToSign reports whether two points are equal or each other's negatives. A forgery for one is, up to a sign, a forgery
// for the other.
func upToSign(p, q bn254.G2Affine) bool {
	var negative bn254.G2Affine
	negative.Neg(&q)
	return p.Equal(&q) || p.Equal(&negative)
}
