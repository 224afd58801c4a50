// Package product multiplies many rows by few matrices, by identities over the circuit's own randomness.
//
// m rows of h numbers times an h by d matrix M take m h d constraints; that claimed results Y are X M takes one identity,
//
//	sum over i, j of t^(d i + j) Y_ij = sum over k of (sum over i of t^(d i) X_ik) (sum over j of t^j M_kj),
//
// where t is a challenge that nobody knew when X, Y and M were chosen: h + m d constraints, once h (d - 1) for all
// products with a matrix, and once h (m - 1) for all products of the same rows. If Y is not X M, the identity is a
// polynomial in t of degree below m d that is not zero, since each entry of Y has a power of its own, and holds for fewer
// than m d of the field's elements (Freivalds, with powers of one challenge for both random vectors). Nothing cancels
// between entries, and identities are not added up.
//
// Of a matrix only the polynomials of its rows count. So matrices that follow from others, row by row, cost no products of
// their entries: see Scaled and Chosen.
package product

import (
	"fmt"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
)

// Argument collects all products of a circuit. The challenge is derived from the circuit's one commitment, which range
// checks and lookups share.
type Argument struct {
	statement frontend.Variable
	matrices  []*Matrix
	blocks    []*Block
	claims    []*Claim
}

// New begins the argument of a circuit, to be made once. The statement's digest, as the circuit computes it, goes into the
// commitment, too: challenges of one statement are none of another's.
func New(a *bounded.Arith, statement frontend.Variable) *Argument {
	g := &Argument{statement: statement}
	a.Argue(g.committed, g.assert)
	return g
}

// Matrix is a matrix that rows are multiplied by, entry (k, j) for input k and result j.
type Matrix struct {
	columns int
	wires   []frontend.Variable // what its rows are made of, beyond those of other matrices
	made    func(e *evaluation) []frontend.Variable
	images  []frontend.Variable // its rows' polynomials, behind the challenge
}

// Block is rows that are multiplied together.
type Block struct {
	rows   [][]bounded.Int
	images map[int][]frontend.Variable // its columns' polynomials in t^d, by d
}

// Claim is that rows of results are the sum of a block's products with a matrix, over its terms.
type Claim struct {
	columns int
	terms   []Term
	results [][]frontend.Variable
}

// Term is a block times a matrix.
type Term struct {
	Rows *Block
	By   *Matrix
}

func (g *Argument) add(m *Matrix) *Matrix {
	g.matrices = append(g.matrices, m)
	return m
}

// Matrix makes a matrix of its rows, of which there is at least one, with at least one entry.
func (g *Argument) Matrix(rows [][]bounded.Int) *Matrix {
	m := &Matrix{columns: len(rows[0])}
	for _, row := range rows {
		m.wires = append(m.wires, bare(row)...)
	}
	m.made = func(e *evaluation) []frontend.Variable {
		images := make([]frontend.Variable, len(rows))
		for k, row := range rows {
			images[k] = polynomial(e.api, bare(row), e.challenge)
		}
		return images
	}
	return g.add(m)
}

// Scaled makes the matrix whose row k is factors[k] times that of another one, with last[k] added in the last column, where
// there are such. Cost: one constraint per row, two with last.
func (g *Argument) Scaled(of *Matrix, factors, last []bounded.Int) *Matrix {
	m := &Matrix{columns: of.columns, wires: append(bare(factors), bare(last)...)}
	m.made = func(e *evaluation) []frontend.Variable {
		images := make([]frontend.Variable, len(factors))
		for k, image := range e.rows(of) {
			images[k] = e.api.Mul(factors[k].Wire(), image)
			if len(last) > 0 {
				images[k] = e.api.Add(images[k], e.api.Mul(last[k].Wire(), e.power(of.columns-1)))
			}
		}
		return images
	}
	return g.add(m)
}

// Chosen makes a matrix the one of several that is chosen. Precondition: the choices are bits, of which exactly one is set,
// which is not checked here. Outside it: a mixture. Cost: per row one constraint less than there are matrices.
func (g *Argument) Chosen(among []*Matrix, choices []bounded.Int) *Matrix {
	m := &Matrix{columns: among[0].columns, wires: bare(choices)}
	// Of bits of which one is set the first need not be multiplied: where it is set all others are 0.
	m.made = func(e *evaluation) []frontend.Variable {
		images := append([]frontend.Variable{}, e.rows(among[0])...)
		for s := 1; s < len(among); s++ {
			for k, image := range e.rows(among[s]) {
				images[k] = e.api.Add(images[k], e.api.Mul(choices[s].Wire(), e.api.Sub(image, e.rows(among[0])[k])))
			}
		}
		return images
	}
	return g.add(m)
}

// Block makes a block of its rows, of which there is at least one.
func (g *Argument) Block(rows ...[]bounded.Int) *Block {
	b := &Block{rows: rows, images: map[int][]frontend.Variable{}}
	g.blocks = append(g.blocks, b)
	return b
}

// Claim begins a claim over terms of blocks of equally many rows; the results of each row are to be given, in order.
func (g *Argument) Claim(terms ...Term) *Claim {
	c := &Claim{columns: terms[0].By.columns, terms: terms}
	g.claims = append(g.claims, c)
	return c
}

// Row claims the results of the next row (R-B-BACKWARD).
//
// Relation: the results are the next row of the sum of all terms, for all but a negligible share of challenges, once every
// row of the blocks has its results. Precondition: all wires are made before the challenge is. Outside it: the compiler
// refuses wires that are made later. Cost: d constraints; a claim takes h more for each term.
func (c *Claim) Row(results []frontend.Variable) {
	if len(results) != c.columns {
		panic(fmt.Sprintf("%d results of %d columns", len(results), c.columns))
	}
	c.results = append(c.results, results)
}

// committed lists every wire of the identities, and the statement's digest.
func (g *Argument) committed() []frontend.Variable {
	wires := []frontend.Variable{g.statement}
	for _, m := range g.matrices {
		wires = append(wires, m.wires...)
	}
	for _, b := range g.blocks {
		for _, row := range b.rows {
			wires = append(wires, bare(row)...)
		}
	}
	for _, c := range g.claims {
		for _, results := range c.results {
			wires = append(wires, results...)
		}
	}
	return wires
}

// assert makes the identities constraints.
func (g *Argument) assert(api frontend.API, challenge frontend.Variable) error {
	e := &evaluation{api: api, challenge: challenge, powers: map[int]frontend.Variable{0: 1, 1: challenge}}
	for _, c := range g.claims {
		e.assert(c)
	}
	return nil
}

// bare returns the wires of integers.
func bare(values []bounded.Int) []frontend.Variable {
	wires := make([]frontend.Variable, len(values))
	for i, value := range values {
		wires[i] = value.Wire()
	}
	return wires
}
