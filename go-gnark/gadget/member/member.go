// Package member proves that numbers, or tuples of them, are among given ones, by sums of fractions over the circuit's own
// randomness.
//
// With E = k_0 + k_1 g + k_2 g^2 .. for a tuple k, queries are rows if and only if
//
//	sum over queries of 1 / (X - E) = sum over rows of m / (X - E)
//
// holds as an identity in X and g for some numbers m: else a query that is no row leaves a pole, since there are fewer
// queries than the field's order. X is the challenge t and g = t^(2^n), with 2^n above the number of rows and queries: so
// no two monomials of the identity, once it is cleared of fractions, become one power of t. Rows may repeat.
package member

import (
	"math/big"

	"github.com/consensys/gnark/constraint/solver"
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
)

func init() { solver.RegisterHint(multiplicities) }

// Argument collects sets that share a challenge, which is derived from the circuit's one commitment.
type Argument struct {
	api  frontend.API
	sets []*Set
}

// New begins an argument for the current part of the circuit.
func New(a *bounded.Arith) *Argument {
	g := &Argument{api: a.API()}
	a.Argue(g.committed, g.assert)
	return g
}

// Tuple is numbers that belong together.
type Tuple struct {
	words []frontend.Variable
	image frontend.Variable // E, behind the challenge
}

// NewTuple makes a tuple; all tuples of a set are of one length.
func NewTuple(words ...frontend.Variable) *Tuple { return &Tuple{words: words} }

// Term is a multiple of a tuple.
type Term struct {
	Factor *big.Int
	Of     *Tuple
}

// Set is the rows that queries must be among.
type Set struct {
	api     frontend.API
	rows    []*Tuple
	queries [][]Term
	counts  []frontend.Variable
}

// Set makes a set, to be queried at least once.
func (g *Argument) Set() *Set {
	s := &Set{api: g.api}
	g.sets = append(g.sets, s)
	return s
}

// Insert adds a row. Cost: one constraint, and one for each word but the first that is no constant.
func (s *Set) Insert(row *Tuple) { s.rows = append(s.rows, row) }

// Query makes a sum of tuples one of the rows (R-B-SPLIT, R-B-ROOT, R-B-RELAXATION).
//
// Relation: a row of the set equals the sum, word by word, for all but a negligible share of challenges. Precondition: all
// wires are made before the challenge is. Outside it: the compiler refuses wires that are made later. Cost: one constraint,
// and for each tuple that is new one for each word but the first that is no constant.
func (s *Set) Query(sum ...Term) { s.queries = append(s.queries, sum) }

// committed lists every wire of the identities, and makes the numbers m.
func (g *Argument) committed() []frontend.Variable {
	var wires []frontend.Variable
	for _, s := range g.sets {
		given := []frontend.Variable{len(s.rows), len(s.rows[0].words)}
		for _, row := range s.rows {
			given, wires = append(given, row.words...), append(wires, variable(g.api, row.words)...)
		}
		for _, query := range s.queries {
			for w := range s.rows[0].words {
				word := frontend.Variable(0)
				for _, term := range query {
					word = g.api.Add(word, g.api.Mul(term.Of.words[w], term.Factor))
				}
				given, wires = append(given, word), append(wires, variable(g.api, []frontend.Variable{word})...)
			}
		}
		counts, err := g.api.Compiler().NewHint(multiplicities, len(s.rows), given...)
		if err != nil {
			panic(err)
		}
		s.counts = counts
		wires = append(wires, counts...)
	}
	return wires
}

// assert makes the identities constraints.
func (g *Argument) assert(api frontend.API, challenge frontend.Variable) error {
	total, words := 0, 1
	for _, s := range g.sets {
		total, words = total+len(s.rows)+len(s.queries), max(words, len(s.rows[0].words))
	}
	base := challenge
	if words > 1 {
		// Cleared of fractions, the identity has a degree in X below this number, so that no power of X becomes one of g.
		for range big.NewInt(int64(total)).BitLen() {
			base = api.Mul(base, base)
		}
	}
	for _, s := range g.sets {
		asked, given := []frontend.Variable{0, 0}, []frontend.Variable{0, 0}
		for _, query := range s.queries {
			image := frontend.Variable(0)
			for _, term := range query {
				image = api.Add(image, api.Mul(term.Of.at(api, base), term.Factor))
			}
			asked = append(asked, api.Inverse(api.Sub(challenge, image)))
		}
		for i, row := range s.rows {
			// A challenge that is a row leaves m = 0 and any quotient. It is then a root of the identity, and counted as one.
			given = append(given, api.DivUnchecked(s.counts[i], api.Sub(challenge, row.at(api, base))))
		}
		api.AssertIsEqual(api.Add(asked[0], asked[1], asked[2:]...), api.Add(given[0], given[1], given[2:]...))
	}
	return nil
}

// at returns E.
func (t *Tuple) at(api frontend.API, base frontend.Variable) frontend.Variable {
	if t.image == nil {
		last := len(t.words) - 1
		t.image = t.words[last]
		for w := last - 1; w >= 0; w-- {
			t.image = api.Add(api.Mul(t.image, base), t.words[w])
		}
	}
	return t.image
}

// variable leaves constants out.
func variable(api frontend.API, words []frontend.Variable) []frontend.Variable {
	var found []frontend.Variable
	for _, word := range words {
		if _, constant := api.Compiler().ConstantValue(word); !constant {
			found = append(found, word)
		}
	}
	return found
}

// multiplicities counts for each row the queries that are equal to it, and leaves out what is no row: that has no proof.
// Of equal rows the first one counts. Given are the number of rows and of words, the rows, and the queries.
func multiplicities(_ *big.Int, inputs, outputs []*big.Int) error {
	rows, words := int(inputs[0].Int64()), int(inputs[1].Int64())
	inputs = inputs[2:]
	tuple := func(at int) string {
		var text []byte
		for _, word := range inputs[at*words : (at+1)*words] {
			text = append(word.Append(text, 62), ' ')
		}
		return string(text)
	}
	asked := map[string]int64{}
	for at := rows; at < len(inputs)/words; at++ {
		asked[tuple(at)]++
	}
	for at := range rows {
		row := tuple(at)
		outputs[at].SetInt64(asked[row])
		delete(asked, row)
	}
	return nil
}
