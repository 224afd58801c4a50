package oracle

import (
	"math/big"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr/poseidon2"
	"github.com/consensys/gnark-crypto/hash"
)

// Hash is gnark-crypto's Poseidon2, with 8 full and 56 partial rounds, of integers modulo the field's order.
func Hash(elements ...*big.Int) *big.Int {
	hasher := hash.NewMerkleDamgardHasher(poseidon2.NewPermutation(2, 8, 56), make([]byte, fr.Bytes))
	for _, element := range elements {
		var reduced fr.Element
		reduced.SetBigInt(element)
		bytes := reduced.Bytes()
		if _, err := hasher.Write(bytes[:]); err != nil {
			panic(err)
		}
	}
	return new(big.Int).SetBytes(hasher.Sum(nil))
}

// Tag is a domain tag as an integer.
func Tag(text string) *big.Int { return new(big.Int).SetBytes([]byte(text)) }

// Signed is an integer that stands for `Bits` signed bits.
type Signed struct {
	Value *big.Int
	Bits  int
}

// Pack writes signed integers into 248-bit elements. An integer out of its width is packed as the circuit would pack
// it: it spills over into its neighbors.
func Pack(values ...Signed) []*big.Int {
	var packed []*big.Int
	used := 248
	for _, value := range values {
		if used+value.Bits > 248 {
			packed, used = append(packed, new(big.Int)), 0
		}
		shifted := new(big.Int).Lsh(big.NewInt(1), uint(value.Bits-1))
		shifted.Add(shifted, value.Value).Lsh(shifted, uint(used))
		last := packed[len(packed)-1]
		last.Add(last, shifted).Mod(last, fr.Modulus())
		used += value.Bits
	}
	return packed
}
