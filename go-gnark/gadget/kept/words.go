package kept

import (
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/backward"
	"equiproof/gadget/bounded"
)

// Signed types words as integers of so many signed bits, as the link holds them (R-L-RANGE).
//
// Relation: none; no constraint. Precondition: that of bounded.Assumed. Outside it: unsound. Cost: none.
func Signed(a *bounded.Arith, words []frontend.Variable, bits int) []bounded.Int {
	half := new(big.Int).Lsh(big.NewInt(1), uint(bits-1))
	typed := make([]bounded.Int, len(words))
	for i, word := range words {
		typed[i] = a.Assumed(word, new(big.Int).Neg(half), new(big.Int).Sub(half, big.NewInt(1)))
	}
	return typed
}

// Split types weights and their negative parts, words both, as backward.NewSplit types weights and which of them are negative
// (R-L-DERIVED); the positive part is the weight and its negative part together.
//
// Relation: none; no constraint. Precondition: that of bounded.Assumed, and that the link makes the parts by backward.NewSplit.
// Outside it: unsound. Cost: none.
func Split(a *bounded.Arith, weights, negative []frontend.Variable, bits int) (lambda []bounded.Int, s backward.Split) {
	half := new(big.Int).Lsh(big.NewInt(1), uint(bits-1))
	for i, minus := range negative {
		s.Negative = append(s.Negative, a.Assumed(minus, new(big.Int), half))
		s.Positive = append(s.Positive, a.Assumed(a.API().Add(weights[i], minus), new(big.Int), new(big.Int).Sub(half, big.NewInt(1))))
	}
	return Signed(a, weights, bits), s
}
