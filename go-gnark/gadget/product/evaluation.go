package product

import (
	"fmt"

	"github.com/consensys/gnark/frontend"
)

// evaluation is the identities at the challenge.
type evaluation struct {
	api       frontend.API
	challenge frontend.Variable
	powers    map[int]frontend.Variable
}

// power returns t^n.
func (e *evaluation) power(n int) frontend.Variable {
	if _, found := e.powers[n]; !found {
		e.powers[n] = e.api.Mul(e.power(n/2), e.power(n-n/2))
	}
	return e.powers[n]
}

// rows returns the polynomials of a matrix's rows.
func (e *evaluation) rows(m *Matrix) []frontend.Variable {
	if m.images == nil {
		m.images = m.made(e)
	}
	return m.images
}

// columns returns the polynomials of a block's columns in t^d.
func (e *evaluation) columns(b *Block, d int) []frontend.Variable {
	if b.images[d] == nil {
		images := make([]frontend.Variable, len(b.rows[0]))
		for k := range images {
			column := make([]frontend.Variable, len(b.rows))
			for i, row := range b.rows {
				column[i] = row[k].Wire()
			}
			images[k] = polynomial(e.api, column, e.power(d))
		}
		b.images[d] = images
	}
	return b.images[d]
}

// assert makes the identity of a claim a constraint.
func (e *evaluation) assert(c *Claim) {
	products := []frontend.Variable{0, 0}
	for _, term := range c.terms {
		if len(c.results) != len(term.Rows.rows) {
			panic(fmt.Sprintf("results of %d rows, want %d", len(c.results), len(term.Rows.rows)))
		}
		images := e.rows(term.By)
		for k, column := range e.columns(term.Rows, c.columns) {
			products = append(products, e.api.Mul(column, images[k]))
		}
	}
	sum := e.api.Add(products[0], products[1], products[2:]...)
	values := make([]frontend.Variable, len(c.results))
	for i, results := range c.results {
		values[i] = polynomial(e.api, results, e.challenge)
	}
	e.api.AssertIsEqual(sum, polynomial(e.api, values, e.power(c.columns)))
}

// polynomial returns the value of a polynomial, its lowest coefficient first.
func polynomial(api frontend.API, coefficients []frontend.Variable, at frontend.Variable) frontend.Variable {
	value := coefficients[len(coefficients)-1]
	for j := len(coefficients) - 2; j >= 0; j-- {
		value = api.Add(api.Mul(value, at), coefficients[j])
	}
	return value
}
