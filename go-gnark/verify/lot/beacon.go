package lot

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"

	"equiproof/verify/tables"
)

// Genesis is the POSIX time of quicknet's round 1, Period the seconds between rounds.
const (
	Genesis = 1_692_803_367
	Period  = 3
)

// SignatureBytes is how long the signature of a round is.
const SignatureBytes = bls.SizeOfG1AffineCompressed

const (
	mostRounds = 1 << 36
	domain     = "BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
)

// quicknet is the network's key, a point of G2.
const quicknet = "\x83\xcf\x0f\x28\x96\xad\xee\x7e\xb8\xb5\xf0\x1f\xca\xd3\x91\x22\x12\xc4\x37\xe0\x07\x3e\x91\x1f" +
	"\xb9\x00\x22\xd3\xe7\x60\x18\x3c\x8c\x4b\x45\x0b\x6a\x0a\x6c\x3a\xc6\xa5\x77\x6a\x2d\x10\x64\x51" +
	"\x0d\x1f\xec\x75\x8c\x92\x1c\xc2\x2b\x0e\x17\xe6\x3a\xaf\x4b\xcb\x5e\xd6\x63\x04\xde\x9c\xf8\x09" +
	"\xbd\x27\x4c\xa7\x3b\xab\x4a\xf5\xa6\xe9\xc7\x6a\x4b\xc0\x9e\x76\xea\xe8\x99\x1e\xf5\xec\xe4\x5a"

// TimeOf returns when a round comes out; it fails for a number that no round has.
func TimeOf(round int64) (time.Time, error) {
	if round < 1 || round >= mostRounds {
		return time.Time{}, errors.New(tables.Say("beacon.round_out_of_bounds", round, int64(mostRounds)-1))
	}
	return time.Unix(Genesis+(round-1)*Period, 0).UTC(), nil
}

// Randomness returns the random value of a round of drand's quicknet; it fails unless quicknet signed the round.
func Randomness(round int64, signature []byte) (Digest, error) {
	if _, err := TimeOf(round); err != nil {
		return Digest{}, err
	}
	point, err := pointOf(signature)
	if err != nil {
		return Digest{}, err
	}
	var key bls.G2Affine
	if _, err := key.SetBytes([]byte(quicknet)); err != nil {
		return Digest{}, fmt.Errorf("the network's key: %w", err)
	}
	// e(signature, G2) = e(H(round), key), as one product of pairings that is 1.
	message := sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(round)))
	hashed, err := bls.HashToG1(message[:], []byte(domain))
	if err != nil {
		return Digest{}, fmt.Errorf("the hash to G1: %w", err)
	}
	hashed.Neg(&hashed)
	_, _, _, generator := bls.Generators()
	holds, err := bls.PairingCheck([]bls.G1Affine{point, hashed}, []bls.G2Affine{generator, key})
	if err != nil {
		return Digest{}, fmt.Errorf("the pairing: %w", err)
	}
	if !holds {
		return Digest{}, errors.New(tables.Say("beacon.signature_of_other_round", round))
	}
	return sha256.Sum256(signature), nil
}

// pointOf reads a signature: a point of the subgroup in its one spelling. Any other spelling of it, or points of small order
// added to it, would change the random value at somebody's will.
func pointOf(signature []byte) (bls.G1Affine, error) {
	var point bls.G1Affine
	if len(signature) != SignatureBytes {
		return point, errors.New(tables.Say("beacon.signature_length_wrong", SignatureBytes, len(signature)))
	}
	if _, err := point.SetBytes(signature); err != nil || point.Bytes() != [SignatureBytes]byte(signature) {
		return point, errors.New(tables.Say("beacon.signature_not_point"))
	}
	if point.IsInfinity() || !point.IsInSubGroup() {
		return point, errors.New(tables.Say("beacon.signature_not_in_subgroup"))
	}
	return point, nil
}
