package subcircuit_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"

	"equiproof/internal/adversary"
	"equiproof/internal/lint"
	"equiproof/shape"
)

// set gives a wire another value.
func (c *alone) set(name string, at int, value int64) {
	values := append([]*big.Int{}, c.wires[name]...)
	values[at] = big.NewInt(value)
	c.wires[name] = values
}

// accepted fails the test unless the wires as they are have a solution.
func (c *alone) accepted(t *testing.T, label string) {
	t.Helper()
	if err := c.IsSolved(c.inputs(t)); err != nil {
		t.Errorf("%s: refused: %v", label, err)
	}
}

// recommit makes the stated commitment that of the model's numbers, as the circuit computes it.
func (c *alone) recommit(t *testing.T) {
	t.Helper()
	attempt := c.Prover.Solve(c.inputs(t), nil)
	stated := adversary.Elements(c.wires["model_commitment"][0])[0]
	for _, number := range attempt.Violated {
		row := c.Prover.System.Rows[number]
		var product fr.Element
		left, right := lint.Sum(row.L, attempt.Values), lint.Sum(row.R, attempt.Values)
		if product.Mul(&left, &right); product.Equal(&stated) {
			found := lint.Sum(row.O, attempt.Values)
			c.wires["model_commitment"] = []*big.Int{found.BigInt(new(big.Int))}
			return
		}
	}
	t.Fatal("no row holds the commitment")
}

// The second tree of the base is constant: dead nodes above the leaf of value 0. It may be worth as much as any leaf.
func TestConstantTreesAreWorthTheirLeaf(t *testing.T) {
	for _, name := range []string{"nodes", "rows"} {
		for _, value := range []int64{3, 1<<(shape.JumpBits-1) - 1, -1 << (shape.JumpBits - 1)} {
			c := based(t, name)
			c.set("node_value", 7, value)
			c.set("low_reference", 7, value)
			c.set("low_reference", 1, value)
			c.set("root_value", 1, value)
			if name == "rows" {
				c.set("score", 0, c.wires["score"][0].Int64()+value<<shape.ValueBits)
			}
			label := fmt.Sprint(name, " with a tree of ", value)
			c.accepted(t, label)
			c.set("root_value", 1, 0)
			c.refused(t, label+" that counts nothing")
		}
	}
}

// Numbers of a committed ensemble are as wide as the shape says, and no wider.
func TestNumbersOfEnsemblesHaveTheirWidths(t *testing.T) {
	c := based(t, "commitment_trees")
	jump, threshold, bias := int64(1)<<(shape.JumpBits-1), int64(1)<<17, int64(1)<<(shape.ScoreBiasBits-1)
	for name, ends := range map[string][2]int64{
		"node_predicate": {0, 6}, "node_low": {0, 1}, "node_high": {0, 1}, "node_value": {-jump, jump - 1},
		"columns": {0, 2}, "thresholds": {-threshold, threshold - 1}, "jumps": {-jump, jump - 1}, "bias": {-bias, bias - 1},
	} {
		honest, model := c.wires[name], c.wires["model_commitment"]
		for i, end := range ends {
			c.wires["model_commitment"] = model
			c.set(name, 0, end)
			if c.wires[name][0].Cmp(honest[0]) != 0 {
				c.recommit(t)
			}
			c.accepted(t, fmt.Sprint(name, " of ", end))
			c.set(name, 0, end+int64(2*i-1))
			c.recommit(t)
			c.refused(t, fmt.Sprint(name, " of ", end+int64(2*i-1)))
		}
		c.wires[name], c.wires["model_commitment"] = honest, model
	}
	c.set("columns", 6, 4) // the one sensitive column is 3
	c.recommit(t)
	c.refused(t, "a column behind the last")
	c.set("columns", 6, 2)
	c.recommit(t)
	c.refused(t, "a plain column of a sensitive predicate")
}
