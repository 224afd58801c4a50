package kept

import (
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/additive"
	"equiproof/gadget/bounded"
	"equiproof/gadget/trees"
	"equiproof/shape"
)

// Model types the words of predicates, a column and a threshold each, of their jumps, and of the bias, as additive.NewModel types those
// of a model that is opened (R-L-RANGE); the link has their order.
//
// Relation: none; no constraint. Precondition: that of bounded.Assumed, and that the link types the model by additive.NewModel. Outside
// it: unsound. Cost: none.
func Model(a *bounded.Arith, s additive.Sizes, predicates, jumps []frontend.Variable, bias frontend.Variable) additive.Model {
	m := additive.Model{
		Jumps: Signed(a, jumps, s.JumpBits), Bias: Signed(a, []frontend.Variable{bias}, s.BiasBits)[0], Plain: s.PlainPredicates,
	}
	for p := range jumps {
		m.Columns = append(m.Columns, unsigned(a, predicates[2*p:2*p+1], s.PlainColumns+s.SensitiveColumns)...)
		m.Thresholds = append(m.Thresholds, Signed(a, predicates[2*p+1:2*p+2], s.InputBits)...)
	}
	return m
}

// Nodes types the words of an ensemble's nodes as trees.NewNodes types those of a model that is opened (R-L-RANGE), with the places of
// both children of each in children (R-L-DERIVED).
//
// Relation: none; no constraint. Precondition: that of bounded.Assumed, and that the link types the nodes by trees.NewNodes and finds the
// places by their Places. Outside it: unsound. Cost: none.
func Nodes(a *bounded.Arith, s trees.Sizes, predicates, missing, values, children []frontend.Variable) trees.Nodes {
	places := make([][2]frontend.Variable, len(predicates))
	for i := range places {
		places[i] = [2]frontend.Variable{children[2*i], children[2*i+1]}
	}
	return trees.PlacedNodes(s, unsigned(a, predicates, max(2, s.Predicates)), unsigned(a, missing, 2), Signed(a, values, s.ValueBits), places)
}

// Sets types the words that say what is in the sets of an architecture as additive.NewSets does (R-L-RANGE).
//
// Relation: none; no constraint. Precondition: that of bounded.Assumed, and that the link types them by additive.NewSets. Outside it:
// unsound. Cost: none.
func Sets(a *bounded.Arith, of *shape.Architecture, members []frontend.Variable) additive.Sets {
	return additive.TypedSets(of, unsigned(a, members, 2))
}

// unsigned types words as integers from 0 to n - 1.
func unsigned(a *bounded.Arith, words []frontend.Variable, n int) []bounded.Int {
	typed := make([]bounded.Int, len(words))
	for i, word := range words {
		typed[i] = a.Assumed(word, new(big.Int), big.NewInt(int64(n-1)))
	}
	return typed
}
