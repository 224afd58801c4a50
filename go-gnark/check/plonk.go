package check

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"math/bits"

	"github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr/fft"
	"github.com/consensys/gnark-crypto/ecc/bn254/kzg"
	plonkbn254 "github.com/consensys/gnark/backend/plonk/bn254"

	"equiproof/verify/tables"
)

// PlonkProofBytes is the length of every proof of PLONK: eight points, the values that are claimed behind their count, a
// point and a value, and the one commitment behind its count.
const PlonkProofBytes = 8*g1Bytes + countBytes + claimedValues*fr.Bytes + g1Bytes + fr.Bytes + countBytes + g1Bytes

// claimedValues are those of the linearised polynomial, l, r, o, s1, s2 and the commitment's selector.
const claimedValues = 7

// PlonkKeyBytes is the length of every verifying key of PLONK.
//
// It holds no more than the circuit and the powers leave open: the size of the domain, the row of the commitment's
// challenge, nine commitments, and tau G2. All else follows from these: the domain's generator and coset, the generators of
// both groups, one public input, and the lines of the pairing, which gnark's form of the key stores beside their points, so
// that the two could differ.
const PlonkKeyBytes = plonkHead + plonkPoints*g1Bytes + g2Bytes

const (
	plonkPoints = 9
	plonkHead   = 2 * sizeBytes
)

// publicInputs is the number of public inputs of every circuit: the statement digest.
const publicInputs = 1

// maxDomainBits is that of the largest domain of the field.
const maxDomainBits = 28

var plonkProofParts = func() (parts []part) {
	at := 0
	add := func(width int, kind part) {
		kind.at, kind.width = at, width
		parts = append(parts, kind)
		at += width
	}
	for range 8 {
		add(g1Bytes, part{})
	}
	add(countBytes, part{count: claimedValues})
	for range claimedValues {
		add(fr.Bytes, part{element: true})
	}
	add(g1Bytes, part{})
	add(fr.Bytes, part{element: true})
	add(countBytes, part{count: 1})
	add(g1Bytes, part{})
	return parts
}()

var plonkKeyParts = func() (parts []part) {
	for i := range plonkPoints {
		parts = append(parts, part{at: plonkHead + i*g1Bytes, width: g1Bytes})
	}
	return append(parts, part{at: plonkHead + plonkPoints*g1Bytes, width: g2Bytes})
}()

// plonkDigests lists the commitments of a key in their stored order.
func plonkDigests(key *plonkbn254.VerifyingKey) [plonkPoints]*kzg.Digest {
	return [plonkPoints]*kzg.Digest{
		&key.S[0], &key.S[1], &key.S[2], &key.Ql, &key.Qr, &key.Qm, &key.Qo, &key.Qk, &key.Qcp[0],
	}
}

// WritePlonkKey writes a verifying key.
func WritePlonkKey(key *plonkbn254.VerifyingKey) []byte {
	out := binary.BigEndian.AppendUint64(nil, key.Size)
	out = binary.BigEndian.AppendUint64(out, key.CommitmentConstraintIndexes[0])
	for _, point := range plonkDigests(key) {
		compressed := point.Bytes()
		out = append(out, compressed[:]...)
	}
	tau := key.Kzg.G2[1].Bytes()
	return append(out, tau[:]...)
}

// ReadPlonkKey reads a key and works out all that follows from it.
func ReadPlonkKey(data []byte) (*plonkbn254.VerifyingKey, error) {
	curvePoints, err := readParts(data, PlonkKeyBytes, plonkKeyParts)
	if err != nil {
		return nil, err
	}
	size, row := binary.BigEndian.Uint64(data), binary.BigEndian.Uint64(data[sizeBytes:])
	if bits.OnesCount64(size) != 1 || size < 2 || size > 1<<maxDomainBits {
		return nil, because(DegenerateKey, tables.Say("key.domain_size_wrong"))
	}
	if row >= size-publicInputs {
		return nil, because(DegenerateKey, tables.Say("key.row_outside_domain"))
	}
	domain := fft.NewDomain(size, fft.WithoutPrecompute())
	key := &plonkbn254.VerifyingKey{
		Size: size, SizeInv: domain.CardinalityInv, Generator: domain.Generator, CosetShift: domain.FrMultiplicativeGen,
		NbPublicVariables: publicInputs, Qcp: make([]kzg.Digest, 1), CommitmentConstraintIndexes: []uint64{row},
	}
	for i, point := range plonkDigests(key) {
		*point = curvePoints.g1[i]
	}
	tau := curvePoints.g2[0]
	if err := checkTau(tau); err != nil {
		return nil, err
	}
	key.Kzg = KZGKey(tau)
	return key, checkPlonkKey(key)
}

// checkPlonkKey refuses commitments that no circuit has: polynomials that are zero where those of no circuit are.
func checkPlonkKey(key *plonkbn254.VerifyingKey) error {
	for name, point := range map[string]kzg.Digest{
		"S1": key.S[0], "S2": key.S[1], "S3": key.S[2], "Ql": key.Ql, "Qm": key.Qm, "Qo": key.Qo, "Qcp": key.Qcp[0],
	} {
		if point.IsInfinity() {
			return because(DegenerateKey, tables.Say("point.infinite", name))
		}
	}
	if key.S[0].Equal(&key.S[1]) || key.S[0].Equal(&key.S[2]) || key.S[1].Equal(&key.S[2]) {
		return because(DegenerateKey, tables.Say("key.permutation_twice"))
	}
	return nil
}

// ReadTau reads tau G2 and refuses one that checkTau refuses.
func ReadTau(data []byte) (tau bn254.G2Affine, err error) {
	curvePoints := new(points)
	if err := curvePoints.read(data); err != nil {
		return tau, err
	}
	return curvePoints.g2[0], checkTau(curvePoints.g2[0])
}

// checkTau refuses a tau that everybody knows: 0, or a fourth root of one, as powers for measurements have.
func checkTau(tau bn254.G2Affine) error {
	root, err := fr.Generator(4)
	if err != nil {
		return err
	}
	_, _, _, known := bn254.Generators()
	var factor big.Int
	root.BigInt(&factor)
	for range 4 {
		if tau.Equal(&known) {
			return because(DegenerateKey, tables.Say("key.secret_root_of_one"))
		}
		known.ScalarMultiplication(&known, &factor)
	}
	if tau.IsInfinity() {
		return because(DegenerateKey, tables.Say("key.secret_zero"))
	}
	return nil
}

// KZGKey is what checks openings under a tau; the pairing's lines are worked out here.
func KZGKey(tau bn254.G2Affine) kzg.VerifyingKey {
	_, _, g1, g2 := bn254.Generators()
	key := kzg.VerifyingKey{G1: g1, G2: [2]bn254.G2Affine{g2, tau}}
	key.Lines[0], key.Lines[1] = bn254.PrecomputeLines(g2), bn254.PrecomputeLines(tau)
	return key
}

// plonkVerifying is a verifying key that passed all checks.
type plonkVerifying struct{ key *plonkbn254.VerifyingKey }

func loadPlonk(data []byte) (verifyingKey, error) {
	key, err := ReadPlonkKey(data)
	if err != nil {
		return nil, err
	}
	return &plonkVerifying{key}, nil
}

func (v *plonkVerifying) verify(digest, proof []byte) error {
	parsed := new(plonkbn254.Proof)
	input, err := read(proof, parsed, PlonkProofBytes, plonkProofParts, digest)
	if err != nil {
		return err
	}
	if err := plonkbn254.Verify(parsed, v.key, fr.Vector{input}); err != nil {
		reason := RelationFails
		if errors.Is(err, kzg.ErrVerifyOpeningProof) {
			reason = PairingsDiffer
		}
		return &reasoned{reason, fmt.Errorf("%w: %w", ErrRefused, err)}
	}
	return nil
}

// verifyBatch checks each proof by itself: the openings are not added up.
func (v *plonkVerifying) verifyBatch(claims []Claim, verdicts []error, threads int) {
	parallel(len(claims), threads, func(i int) { verdicts[i] = v.verify(claims[i].Digest, claims[i].Proof) })
}
