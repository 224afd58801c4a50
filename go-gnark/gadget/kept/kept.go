// Package kept commits to a model's words in a commitment of their own, which is one point in all certificates under a key,
// and gives what links that point to the model commitment.
package kept

import (
	"errors"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/digest"
)

// version is that of the digest of what is shown; it changes with any change of its contents.
const version = 1

// Show returns what a certificate shows of its model's words.
//
// Relation: the first commitment of the circuit is of the words and of the model commitment, and the result is Shown of the
// words' Value at the challenge of that commitment. Precondition: the words in their order, then the model commitment, are the
// circuit's first private wires, nothing was committed to before, and the result is in the statement digest. Outside it: a word,
// or the model commitment, could be chosen when the challenge is known, or for each certificate anew; lint.JudgeKept refuses
// such circuits. Cost: one constraint a word, the mask's, and that of Shown.
func Show(a *bounded.Arith, words []frontend.Variable, model, blinding frontend.Variable) (frontend.Variable, error) {
	defer a.Part("kept model")()
	committer, ok := a.API().(frontend.Committer)
	if !ok {
		return nil, errors.New("no commitment in this proof system")
	}
	challenge, err := committer.Commit(append(append([]frontend.Variable{}, words...), model)...)
	if err != nil {
		return nil, err
	}
	return Shown(a, blinding, Value(a, words, model, challenge))
}

// Value returns the polynomial with the model commitment C and the words as coefficients, at r:
// C r^n + word_1 r^(n-1) + .. + word_n (R-K-POLY, R-L-POLY).
//
// Relation: as said. Precondition: C and the words were fixed before r was known. Outside it: other words have the same
// value, and short ones are quickly found by lattice reduction. Cost: one constraint a word, in which it stands alone, the last
// word in none.
func Value(a *bounded.Arith, words []frontend.Variable, model, r frontend.Variable) frontend.Variable {
	value := model
	for _, word := range words {
		value = a.API().Add(a.API().Mul(value, r), word)
	}
	return value
}

// Shown returns the digest of a value and what hides it, hash("equiproof.link", 1, blinding, value) (R-K-SHOWN, R-L-SHOWN).
//
// Relation: the result is the digest. Precondition: the blinding is uniform and kept, one for each model and key. Outside it:
// whoever guesses the model can tell. Cost: 432 constraints.
func Shown(a *bounded.Arith, blinding, value frontend.Variable) (frontend.Variable, error) {
	return digest.Hash(a.API(), digest.Tag("equiproof.link"), version, blinding, value)
}
