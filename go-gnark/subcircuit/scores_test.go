package subcircuit_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"

	"equiproof/internal/adversary"
	"equiproof/internal/lint"
	"equiproof/internal/oracle"
	"equiproof/shape"
	"equiproof/subcircuit"
	"equiproof/system"
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

// Wires have the order in which circuits/score_gadgets.py lists them: what is the relation's own stands as there.
func TestWiresOfScoresStandInTheirOrder(t *testing.T) {
	predicates := "blinding columns thresholds table query radius_squared side dead side_of_slice at sensitive_at"
	for _, one := range [][3]string{
		{"additive", "predicates", predicates},
		{"additive", "centre", "blinding jumps bias label side side_of_slice worst step base"},
		{"ensemble", "predicates", predicates},
		{"ensemble", "centre", "blinding jumps bias label side step base sensitive_step"},
		{"ensemble", "cover", "blinding side_of_slice slot_side same leaf_live serves signs"},
	} {
		circuit, err := subcircuit.New(one[1], shapes()[one[0]])
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, segment := range circuit.Layout() {
			names = append(names, segment.Name)
		}
		if found := strings.Join(names, " "); found != one[2] {
			t.Errorf("%s of %s has the wires %s, want %s", one[1], one[0], found, one[2])
		}
	}
}

// Scores that no sensitive column enters have every sub-circuit, too; there, slices have no sides.
func TestScoresWithoutSensitivePredicatesHaveCircuits(t *testing.T) {
	for label, s := range map[string]*shape.Shape{
		"additive": oracle.AdditiveShape(2, 1, [2]int{3, 0}, 2, 2),
		"ensemble": oracle.EnsembleShape(2, 1, [2]int{3, 0}, [2]int{2, 4}, 2, 3, 2),
	} {
		for _, name := range subcircuit.Names(s) {
			circuit, err := subcircuit.New(name, s)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := system.Groth16.Compile(circuit); err != nil {
				t.Errorf("%s of %s: %v", name, label, err)
			}
			for _, segment := range circuit.Layout() {
				if slices.Contains([]string{"side_of_slice", "sensitive_at", "worst"}, segment.Name) && segment.Length > 0 {
					t.Errorf("%s of %s has %s", name, label, segment.Name)
				}
			}
		}
	}
}

// A row whose staying child is another row has that row's value.
func TestRowsHaveTheValuesOfTheirStayingChildren(t *testing.T) {
	c := based(t, "rows")
	// The staying child of the second row, whose slot is stayed, is the fifth, which now charges the first slot nothing.
	c.set("charge", 4, 0)
	c.set("charged", 0, 32)
	score := c.wires["score"][0].Int64()
	c.set("score", 0, score+1<<shape.ValueBits)
	c.refused(t, "a parent that is worth what the row was worth before")
	c.set("stay", 1, -1<<shape.ValueBits)
	c.set("score", 0, score)
	c.accepted(t, "a parent that is worth less, too")
}

// Rows of a slot that is crossed have the values of their crossing children; a sign is -1, 0 or 1, of a slot without rows, too.
func TestRowsFollowSigns(t *testing.T) {
	c := based(t, "rows")
	c.set("signs", 3, 2)
	c.refused(t, "a sign of 2")
	c.set("signs", 3, 1)
	c.accepted(t, "a crossed slot without rows")
	c.set("signs", 1, 1)
	c.refused(t, "a crossed slot whose rows stay")
	// The second and the fourth row are of the second slot; the fourth is a child of the first.
	c.set("way", 1, 1)
	c.set("way", 3, 1)
	c.set("cross", 0, 4<<shape.ValueBits)
	c.set("score", 0, c.wires["score"][0].Int64()+(4-9)<<shape.ValueBits)
	c.accepted(t, "a crossed slot")
	c.set("signs", 1, -1)
	c.refused(t, "a stayed slot whose rows cross")
}
