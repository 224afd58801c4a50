package lot

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math/bits"

	"equiproof/verify/tables"
)

const (
	tagSealed  = "equiproof.lot.sealed.v1\x00"
	tagNonces  = "equiproof.lot.seed.nonces.v1\x00"
	tagBeacon  = "equiproof.lot.seed.beacon.v1\x00"
	tagNumbers = "equiproof.lot.draw.v1\x00"
)

// Digest is what SHA-256 returns, and as long as every value that goes into a seed.
type Digest = [sha256.Size]byte

// Sealed returns what a party puts down before anybody opens: a digest over the period, its public key and its nonce.
func Sealed(period, party, nonce Digest) Digest { return digest(tagSealed, period, party, nonce) }

// SeedOfNonces returns the seed of a period's digest and the nonces in the order of its parties.
func SeedOfNonces(period Digest, nonces []Digest) Digest {
	return digest(tagNonces, append([]Digest{period}, nonces...)...)
}

// SeedOfBeacon returns the seed of a period's digest and the random value of a beacon's round.
func SeedOfBeacon(period, randomness Digest) Digest { return digest(tagBeacon, period, randomness) }

// Places returns the places of the drawn receipts, 0 being the period's first, in the order of the draw.
func Places(seed Digest, receipts uint64, draws int) ([]uint64, error) {
	if draws < 1 || uint64(draws) > receipts {
		return nil, errors.New(tables.Say("draw.more_than_receipts", receipts, draws))
	}
	// The first steps of a Fisher-Yates shuffle. Only what it moved is held, so that a draw of a few out of 2^32 stays small.
	stream, moves, places := numbers{seed: seed}, map[uint64]uint64{}, make([]uint64, draws)
	for done := range uint64(draws) {
		place := done + stream.below(receipts-done)
		places[done] = at(moves, place)
		moves[place] = at(moves, done)
	}
	return places, nil
}

// at returns what lies at a place of the deck: what was moved there, or else what was there from the beginning.
func at(moves map[uint64]uint64, place uint64) uint64 {
	if origin, ok := moves[place]; ok {
		return origin
	}
	return place
}

// numbers is the stream of a seed: the first 8 bytes of SHA-256 over the tag, the seed and a counter of 8 bytes.
type numbers struct {
	seed Digest
	used uint64
}

func (n *numbers) next() uint64 {
	block := sha256.Sum256(binary.BigEndian.AppendUint64(append([]byte(tagNumbers), n.seed[:]...), n.used))
	n.used++
	return binary.BigEndian.Uint64(block[:8])
}

// below returns the next number of the stream below a limit, each with the same chance: the last 2^64 modulo limit numbers are
// passed over, since they would make some remainders likelier than others.
func (n *numbers) below(limit uint64) uint64 {
	_, over := bits.Div64(1%limit, 0, limit) // 2^64 modulo the limit; the upper word must be below it, also where it is 1
	for {
		if number := n.next(); number <= ^uint64(0)-over {
			return number % limit
		}
	}
}

func digest(tag string, parts ...Digest) Digest {
	data := []byte(tag)
	for _, part := range parts {
		data = append(data, part[:]...)
	}
	return sha256.Sum256(data)
}
