// Package digest hashes with Poseidon2 and packs integers into field elements without loss.
package digest

import (
	"math/big"

	"github.com/consensys/gnark/frontend"
	"github.com/consensys/gnark/std/hash"
	"github.com/consensys/gnark/std/permutation/poseidon2"

	"equiproof/gadget/bounded"
)

// The width of Poseidon2, and its rounds with the designers' margin at 128 bits; gnark's default, 6 and 50, has none
// (scripts/poseidon2_parameters.py).
const (
	width         = 2
	fullRounds    = 8
	partialRounds = 56
)

// packBits is how many bits of packed integers one field element carries.
const packBits = 248

// Tag returns a domain tag as a field element: its ASCII bytes, big-endian.
func Tag(text string) *big.Int { return new(big.Int).SetBytes([]byte(text)) }

// Hash returns Poseidon2 (width 2, Merkle-Damgard, IV 0) of the elements.
//
// Relation: the result is the hash. Precondition: the caller puts a tag and a length first, since nothing is padded.
// Outside it: digests of a list and of a longer list may be extended into each other. Cost: 216 constraints an
// element; leading constants are free.
func Hash(api frontend.API, elements ...frontend.Variable) (frontend.Variable, error) {
	permutation, err := poseidon2.NewPoseidon2FromParameters(api, width, fullRounds, partialRounds)
	if err != nil {
		return nil, err
	}
	hasher := hash.NewMerkleDamgardHasher(api, permutation, 0)
	hasher.Write(elements...)
	return hasher.Sum(), nil
}

// Pack writes integers into as few field elements as fit 248 bits each.
//
// Relation: the elements are a function of the integers, and an injective one, because each integer is shifted to
// [0, hi - lo] by its proven bounds and takes the bits of that interval. Precondition: the bounds are constants of the
// shape. Outside it: nothing, an Int has no other bounds. Cost: none.
func Pack(api frontend.API, values []bounded.Int) []frontend.Variable {
	var packed []frontend.Variable
	used := packBits
	for _, value := range values {
		lo, hi := value.Bounds()
		width := new(big.Int).Sub(hi, lo).BitLen()
		if used+width > packBits {
			packed = append(packed, frontend.Variable(0))
			used = 0
		}
		shifted := api.Sub(value.Wire(), lo)
		last := len(packed) - 1
		packed[last] = api.Add(packed[last], api.Mul(shifted, new(big.Int).Lsh(big.NewInt(1), uint(used))))
		used += width
	}
	return packed
}
