package check

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark-crypto/ecc/bn254/fp"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr/pedersen"
	groth16bn254 "github.com/consensys/gnark/backend/groth16/bn254"
	"github.com/consensys/gnark/constraint"

	"equiproof/verify/tables"
)

// Lengths of proofs: A, B, C, the commitments behind their count, and one proof of knowledge. Those about a kept model have two
// commitments.
const (
	ProofBytes     = 2*g1Bytes + g2Bytes + countBytes + g1Bytes + g1Bytes
	KeptProofBytes = ProofBytes + g1Bytes
)

// Widths of the parts of a key or a proof.
const (
	sizeBytes  = 8
	countBytes = 4
	g1Bytes    = 32
	g2Bytes    = 64
)

// part is a point, a field element, or a number, a list's length mostly, which is always the same.
type part struct {
	at, width int
	count     byte
	element   bool
}

// number says whether the part is a number.
func (p part) number() bool { return !p.element && (p.width == countBytes || p.width == sizeBytes) }

// layout is the parts of the keys and proofs of circuits with so many commitments.
type layout struct {
	commitments          int
	key, proof           []part
	keyBytes, proofBytes int
}

// The layouts that there are: of most circuits, and of those of kept models.
var (
	ordinary = newLayout(1)
	keeping  = newLayout(2)
)

// newLayout lays out a key as six points, a point for the constant, the statement digest and the hash of each commitment, for
// each commitment a list of the inputs that its hash takes, and for each commitment its key; each list starts with its length. A
// second commitment hashes the hash of the first, which is the input behind the digest.
func newLayout(commitments int) *layout {
	l := &layout{commitments: commitments}
	into := func(parts *[]part, end *int, next part) {
		next.at = *end
		*parts, *end = append(*parts, next), *end+next.width
	}
	key := func(next part) { into(&l.key, &l.keyBytes, next) }
	proof := func(next part) { into(&l.proof, &l.proofBytes, next) }
	for _, width := range []int{g1Bytes, g1Bytes, g2Bytes, g2Bytes, g1Bytes, g2Bytes} {
		key(part{width: width})
	}
	inputs := 1 + publicInputs + commitments
	key(part{width: countBytes, count: byte(inputs)})
	for range inputs {
		key(part{width: g1Bytes})
	}
	key(part{width: countBytes, count: byte(commitments)})
	for earlier := range commitments {
		key(part{width: countBytes, count: byte(earlier)})
		for i := range earlier {
			key(part{width: sizeBytes, count: byte(1 + publicInputs + i)})
		}
	}
	key(part{width: countBytes, count: byte(commitments)})
	for range 2 * commitments {
		key(part{width: g2Bytes})
	}
	for _, width := range []int{g1Bytes, g2Bytes, g1Bytes} {
		proof(part{width: width})
	}
	proof(part{width: countBytes, count: byte(commitments)})
	for range commitments + 1 {
		proof(part{width: g1Bytes})
	}
	return l
}

// groth16Verifying is a verifying key that passed all checks.
type groth16Verifying struct {
	*layout
	key   *groth16bn254.VerifyingKey
	first []byte // the first commitment that proofs have, of a kept model; nil for others
}

func loadGroth16(data []byte) (verifyingKey, error) {
	return ordinary.load(data)
}

// load refuses, among others, points at infinity, gamma = delta, generators, and a number of inputs or commitments other than
// the layout's.
func (l *layout) load(data []byte) (*groth16Verifying, error) {
	// What gnark takes for granted of a key, as which inputs a hash takes, is asked before it reads a byte.
	if _, err := readParts(data, l.keyBytes, l.key); err != nil {
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
	if err := checkKey(key, l.commitments); err != nil {
		return nil, &reasoned{DegenerateKey, err}
	}
	return &groth16Verifying{layout: l, key: key}, nil
}

// groth16Claim is a proof whose bytes passed every check of a reader, with the statement digest that it is to hold for.
type groth16Claim struct {
	proof groth16bn254.Proof
	input fr.Element
}

// read reads a proof from bytes in its one form, and then the statement digest. Of a kept model it refuses another first commitment
// than the link's.
func (v *groth16Verifying) read(digest, data []byte) (*groth16Claim, error) {
	curvePoints, err := readParts(data, v.proofBytes, v.proof)
	if err != nil {
		return nil, fmt.Errorf("proof: %w", err)
	}
	knowledge := 2 + v.commitments
	claim := &groth16Claim{proof: groth16bn254.Proof{
		Ar: curvePoints.g1[0], Bs: curvePoints.g2[0], Krs: curvePoints.g1[1],
		Commitments: curvePoints.g1[2:knowledge], CommitmentPok: curvePoints.g1[knowledge],
	}}
	if err := sameBytes(&claim.proof, data); err != nil {
		return nil, err
	}
	if claim.input, err = statement(digest); err != nil {
		return nil, err
	}
	if first := data[2*g1Bytes+g2Bytes+countBytes:][:g1Bytes]; v.first != nil && !bytes.Equal(first, v.first) {
		return nil, errAnotherPoint
	}
	return claim, nil
}

func (v *groth16Verifying) verify(digest, proof []byte) error {
	claim, err := v.read(digest, proof)
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
		if !v.opened(proof) {
			reason = CommitmentNotOpened
		}
		return &reasoned{reason, fmt.Errorf("%w: %w", ErrRefused, err)}
	}
	return nil
}

// opened says whether the proof of knowledge holds, which is one for all commitments: e(D_1, -sigma_1 G) e(f D_2, -sigma_2 G)
// e(pok, G) = 1, where f follows from the hashes of both.
func (v *groth16Verifying) opened(proof *groth16bn254.Proof) bool {
	factor := folding(challenges(proof.Commitments))
	return pedersen.BatchVerifyMultiVk(v.key.CommitmentKeys, proof.Commitments, []bn254.G1Affine{proof.CommitmentPok}, factor) == nil
}

// challenges returns the hash of each commitment to the field; each takes those of the commitments before it, too.
func challenges(commitments []bn254.G1Affine) []fr.Element {
	var found []fr.Element
	for i := range commitments {
		data := commitments[i].Marshal()
		for _, earlier := range found {
			data = append(data, earlier.Marshal()...)
		}
		found = append(found, hashed(data, constraint.CommitmentDst))
	}
	return found
}

// folding returns the factor f of the second commitment in the proof of knowledge, which the hashes of both decide.
func folding(challenges []fr.Element) fr.Element {
	var data []byte
	for _, challenge := range challenges {
		data = append(data, challenge.Marshal()...)
	}
	return hashed(data, foldDomain)
}

// foldDomain is the tag of folding, as gnark has it.
const foldDomain = "G16-BSB22"

// hashed returns the hash of bytes to the field under a tag.
func hashed(data []byte, domain string) fr.Element {
	elements, err := fr.Hash(data, []byte(domain), 1)
	if err != nil {
		panic(err) // only for a domain that is too long
	}
	return elements[0]
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
		} else if !p.number() {
			if err := curvePoints.read(piece); err != nil {
				return nil, fmt.Errorf("point at byte %d: %w", p.at, err)
			}
		} else if last := len(piece) - 1; piece[last] != p.count || !bytes.Equal(piece[:last], make([]byte, last)) {
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
func checkKey(key *groth16bn254.VerifyingKey, commitments int) error {
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
	// One for the constant, one for the statement digest, one for each commitment's hash.
	inputs := 1 + publicInputs + commitments
	if len(key.G1.K) != inputs || len(key.CommitmentKeys) != commitments || len(key.PublicAndCommitmentCommitted) != commitments {
		return fmt.Errorf("%d input points and %d commitments, want %d and %d", len(key.G1.K), len(key.CommitmentKeys), inputs, commitments)
	}
	for i := range key.G1.K {
		if key.G1.K[i].IsInfinity() {
			return errors.New(tables.Say("key.input_infinite", i))
		}
	}
	for i, commitment := range key.CommitmentKeys {
		// With sigma = 1 or -1, the commitment or its negative would be its own proof of knowledge.
		known := upToSign(commitment.G, commitment.GSigmaNeg)
		for _, other := range key.CommitmentKeys[:i] {
			// With one sigma, or two up to sign, the second commitment could move what the first one is of: that of another model.
			known = known || upToSign(commitment.GSigmaNeg, other.GSigmaNeg) || !commitment.G.Equal(&other.G)
		}
		if commitment.G.IsInfinity() || commitment.GSigmaNeg.IsInfinity() || known {
			return errors.New(tables.Say("key.commitment_degenerate"))
		}
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
