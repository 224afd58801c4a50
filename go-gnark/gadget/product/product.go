// Package product multiplies many rows by few matrices, by identities over the circuit's own randomness.
//
// A row x times an h by d matrix M takes h d constraints; that claimed results y are x M takes one identity,
//
//	sum over j of t^j y_j = sum over i of x_i (sum over j of t^j M_ij),
//
// where t is a challenge that nobody knew when x, y and M were chosen: h + d constraints a row, and h (d - 1) once for
// all rows of a matrix. If y is not x M, the identity is a polynomial in t of degree below d that is not zero, and holds
// for fewer than d of the field's elements (Freivalds, with powers of one challenge for a random vector). Both sides stand
// for one row and powers of t tell columns apart; no rows are added up, so that nothing could cancel between them.
package product

import (
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
)

// Argument collects all products of a circuit. The challenge is derived from the circuit's one commitment, which range
// checks and lookups share.
type Argument struct {
	statement frontend.Variable
	matrices  []*Matrix
}

// New begins the argument of a circuit, to be made once. The statement's digest, as the circuit computes it, goes into the
// commitment, too: challenges of one statement are none of another's.
func New(a *bounded.Arith, statement frontend.Variable) *Argument {
	g := &Argument{statement: statement}
	a.Argue(g.committed, g.assert)
	return g
}

// Matrix is a matrix that rows are multiplied by, entry (i, j) for input i and result j.
type Matrix struct {
	rows, columns [][]bounded.Int
	products      []product
}

// product is the claim results = x M.
type product struct {
	x       []bounded.Int
	results []frontend.Variable
}

// Matrix makes a matrix of its rows, of which there is at least one, with at least one entry.
func (g *Argument) Matrix(rows [][]bounded.Int) *Matrix {
	m := &Matrix{rows: rows, columns: make([][]bounded.Int, len(rows[0]))}
	for _, row := range rows {
		for j, entry := range row {
			m.columns[j] = append(m.columns[j], entry)
		}
	}
	g.matrices = append(g.matrices, m)
	return m
}

// Multiply makes results = x M and returns them with the bounds that follow (R-B-BACKWARD).
//
// Relation: the results are x M, for all but a negligible share of challenges. Precondition: all wires are made before
// the challenge is. Outside it: the compiler refuses wires that are made later. Cost: h + d constraints, and of all
// products with one matrix together h (d - 1).
func (m *Matrix) Multiply(a *bounded.Arith, x []bounded.Int, results []frontend.Variable) []bounded.Int {
	typed := a.Multiplied(results, x, m.columns)
	m.products = append(m.products, product{x, results})
	return typed
}

// committed lists every wire of the identities, and the statement's digest.
func (g *Argument) committed() []frontend.Variable {
	wires := []frontend.Variable{g.statement}
	for _, m := range g.matrices {
		for _, row := range m.rows {
			wires = append(wires, bare(row)...)
		}
		for _, p := range m.products {
			wires = append(append(wires, bare(p.x)...), p.results...)
		}
	}
	return wires
}

// assert makes the identities constraints.
func (g *Argument) assert(api frontend.API, challenge frontend.Variable) error {
	for _, m := range g.matrices {
		if len(m.products) == 0 {
			continue
		}
		images := make([]frontend.Variable, len(m.rows))
		for i, row := range m.rows {
			images[i] = polynomial(api, bare(row), challenge)
		}
		for _, p := range m.products {
			terms := make([]frontend.Variable, len(images))
			for i, image := range images {
				terms[i] = api.Mul(p.x[i].Wire(), image)
			}
			sum := api.Add(frontend.Variable(0), terms[0], terms[1:]...)
			api.AssertIsEqual(sum, polynomial(api, p.results, challenge))
		}
	}
	return nil
}

// polynomial returns the value of a polynomial, its lowest coefficient first.
func polynomial(api frontend.API, coefficients []frontend.Variable, at frontend.Variable) frontend.Variable {
	value := coefficients[len(coefficients)-1]
	for j := len(coefficients) - 2; j >= 0; j-- {
		value = api.Add(api.Mul(value, at), coefficients[j])
	}
	return value
}

// bare returns the wires of integers.
func bare(values []bounded.Int) []frontend.Variable {
	wires := make([]frontend.Variable, len(values))
	for i, value := range values {
		wires[i] = value.Wire()
	}
	return wires
}
