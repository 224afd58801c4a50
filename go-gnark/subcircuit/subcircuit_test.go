package subcircuit_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/constraint"

	"equiproof/internal/oracle"
	"equiproof/relation"
	"equiproof/shape"
	"equiproof/subcircuit"
	"equiproof/system"
)

var update = flag.Bool("update", false, "write testdata/constraints.csv anew: go test ./subcircuit -run Constraints -update")

// Every sub-circuit accepts honest wires, for gnark's solver and row by row.
func TestHonestWiresAreAccepted(t *testing.T) {
	each(t, func(t *testing.T, c *alone) {
		inputs := c.inputs(t)
		if err := c.IsSolved(inputs); err != nil {
			t.Error(err)
		}
		if violated := c.Prover.Solve(inputs, nil).Violated; len(violated) > 0 {
			t.Errorf("rows %v do not hold", violated)
		}
	})
}

// Every sub-circuit refuses what breaks its own rule, under the digest that goes with it: the refusal is the rows'. Lies of
// those of scheme `branch` are vectors.
func TestWiresThatBreakTheRuleAreRefused(t *testing.T) {
	near := func(t *testing.T, c *alone) {
		value := c.wires["value"][0].Int64()
		c.refusedWith(t, "norm_squared", 0, value*value+1)
	}
	lies := map[string]func(t *testing.T, c *alone){
		"inference": func(t *testing.T, c *alone) {
			c.refusedWith(t, "pattern", 0, 1-c.wires["pattern"][0].Int64())
			c.refusedWith(t, "label", 0, 1-c.wires["label"][0].Int64())
		},
		"polytope": func(t *testing.T, c *alone) {
			c.refusedWith(t, "value", 0, c.wires["value"][0].Int64()+1)
			c.refusedWith(t, "norm_squared", 0, c.wires["norm_squared"][0].Int64()+1)
			last := len(c.wires["value"]) - 1
			c.refusedWith(t, "value", last, c.wires["value"][last].Int64()-1)
		},
		"distance": func(t *testing.T, c *alone) { c.refusedWith(t, "excess", 0, c.wires["excess"][0].Int64()+1) },
		"neighbor": func(t *testing.T, c *alone) {
			c.refusedWith(t, "neighbor", 0, 0)
			c.refusedWith(t, "neighbor", 0, 1<<20)
			c.refusedWith(t, "slice", 0, 1)
		},
		"boundary": near,
		"order":    near,
		"minimum": func(t *testing.T, c *alone) {
			c.refusedWith(t, "radii", 0, 8)
			c.refusedWith(t, "radius_squared", 0, 8)
		},
		"commitment": func(t *testing.T, c *alone) {
			c.refusedWith(t, "query", 0, 1)
			c.refusedWith(t, "model_blinding", 0, 1)
		},
		"digest": func(t *testing.T, c *alone) {
			c.refusedWith(t, "radius_squared", 0, 10)
			c.refusedWith(t, "label", 0, 2)
		},
	}
	each(t, func(t *testing.T, c *alone) {
		if c.name == "order" {
			c.wires["crossed"] = bits(make([]bool, len(c.wires["crossed"]))...) // nothing is crossed; all is far
		}
		if lie := lies[c.name]; lie != nil {
			lie(t, c)
		}
	})
}

// A stated value that is a square root modulo the order makes any excess small: nothing but its width refuses it. Nor do
// stated norms, radii and bits go beyond theirs.
func TestStatedNumbersHaveTheirWidths(t *testing.T) {
	near := big.NewInt(1 << 20)
	for _, name := range []string{"boundary", "order"} {
		c := open(t, name, shapes()["two layers"])
		c.wires["norm_squared"][0] = near
		if name == "order" {
			c.wires["crossed"] = bits(make([]bool, len(c.wires["crossed"]))...)
		}
		square := new(big.Int).Mul(near, c.wires["radius_squared"][0])
		root := new(big.Int)
		for root.BitLen() < 100 {
			square.Add(square, big.NewInt(1))
			if root.ModSqrt(square, fr.Modulus()) == nil {
				root = new(big.Int)
			}
		}
		c.wires["value"][0] = root
		c.refused(t, name+": a root modulo the order")
	}
	c := open(t, "boundary", shapes()["two layers"])
	c.wires["value"][0], c.wires["norm_squared"][0] = new(big.Int), big.NewInt(-1)
	c.refused(t, "a negative norm")
	c.wires["norm_squared"][0], c.wires["radius_squared"][0] = big.NewInt(1), big.NewInt(-1)
	c.refused(t, "a negative radius")
	c = open(t, "order", shapes()["two layers"])
	c.wires["value"][0], c.wires["norm_squared"][0], c.wires["crossed"][0] = new(big.Int), near, big.NewInt(2)
	c.refused(t, "a mark of two")
	c = open(t, "minimum", shapes()["two layers"])
	c.wires["radii"][0] = new(big.Int).Lsh(big.NewInt(1), 29)
	c.refused(t, "a radius of a bit more")
}

// free says of a hint by name that its output is free: the commitment's mask and its challenge.
func free(hint string) bool {
	return strings.HasSuffix(hint, "Randomize") || strings.HasSuffix(hint, "Placeholder")
}

// The lint holds for every sub-circuit as for the relation: the digest is the one public input, every wire is used, no
// wire can be changed alone, all that rows leave open is in the one commitment, and nothing else is challenged.
func TestStructure(t *testing.T) {
	each(t, func(t *testing.T, c *alone) {
		lints := c.Prover.System
		if lints.Public != 2 {
			t.Errorf("%d public inputs, want the digest only", lints.Public-1)
		}
		commitments := lints.Compiled.CommitmentInfo.(constraint.Groth16Commitments)
		if len(commitments) != 1 || len(commitments[0].PublicAndCommitmentCommitted) > 0 {
			t.Fatalf("%d commitments, want one of private wires", len(commitments))
		}
		for _, wire := range lints.Unused() {
			if !strings.HasSuffix(c.Prover.Hints[wire], "Randomize") {
				t.Errorf("wire %d of %q is in no row", wire, c.Prover.Hints[wire])
			}
		}
		values := c.Prover.Solve(c.inputs(t), nil).Values
		all := make([]int, lints.Wires()-1)
		for i := range all {
			all[i] = i + 1
		}
		for _, wire := range lints.Free(values, all) {
			if !free(c.Prover.Hints[wire]) {
				t.Errorf("wire %d of %q can be changed alone", wire, c.Prover.Hints[wire])
			}
		}
		inputs := all[:lints.Public+lints.Secret-1]
		known := append(append([]int{}, inputs...), lints.Committed...)
		for _, wire := range lints.Loose(values, known, true) {
			if wire < lints.Challenge {
				t.Errorf("wire %d of %q is neither determined nor committed", wire, c.Prover.Hints[wire])
			}
		}
		if loose := lints.Loose(values, append(known, lints.Challenge), false); len(loose) > 0 {
			t.Errorf("wires %v are loose", loose)
		}
		if uncovered := lints.Uncovered(values); len(uncovered) > 0 {
			t.Errorf("wires %v of challenged rows are not committed", uncovered)
		}
	})
}

// The constraint counts are those of testdata/constraints.csv: a change of a gadget shows where the gadget is alone.
func TestConstraintCounts(t *testing.T) {
	rows := [][]string{{"gadget", "inputs", "hidden", "logits", "slices", "capacity", "wires", "constraints"}}
	for _, s := range []*shape.Shape{
		oracle.ShapeOf(18, 2, []int{4, 2}, 1, 18, 2, 32), oracle.ShapeOf(13, 10, []int{8, 2}, 1, 18, 10, 128),
		oracle.ShapeOf(18, 2, []int{4, 3, 2}, 3, 18, 2, 32),
	} {
		tree := *s
		tree.Scheme = shape.Branching
		for number, name := range slices.Concat(names, branching) {
			if number == len(names) {
				s = &tree
			}
			circuit, err := subcircuit.New(name, s)
			if err != nil {
				t.Fatal(err)
			}
			compiled, err := system.Compile(circuit)
			if err != nil {
				t.Fatal(err)
			}
			a := s.Architecture
			rows = append(rows, []string{
				name, fmt.Sprintf("%d+%d", a.Plain, a.Sensitive), strings.Trim(strings.ReplaceAll(fmt.Sprint(a.Hidden), " ", "x"), "[]"),
				strconv.Itoa(a.Logits), strconv.Itoa(s.Slices), strconv.Itoa(s.Capacity),
				strconv.Itoa(relation.Length(circuit.Layout())), strconv.Itoa(compiled.GetNbConstraints()),
			})
		}
	}
	var found bytes.Buffer
	if err := csv.NewWriter(&found).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "constraints.csv")
	if *update {
		if err := os.WriteFile(path, found.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(found.Bytes(), want) {
		t.Errorf("constraint counts have changed; found:\n%s\nwant:\n%s", &found, want)
	}
}

// A document is read in its one canonical form, and selects the circuit of its gadget and shape.
func TestParse(t *testing.T) {
	s := shapes()["smallest"]
	inner, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	document := fmt.Sprintf(`{"format":"equiproof-circuit","gadget":"minimum","shape":%s,"version":1}`, inner)
	if !subcircuit.Is([]byte(document)) || subcircuit.Is(inner) {
		t.Error("a sub-circuit's document and a shape's are not told apart")
	}
	circuit, err := subcircuit.Parse([]byte(document))
	if err != nil || relation.Length(circuit.Layout()) != 1+1+s.Slices || len(circuit.Wires) != 1+1+s.Slices {
		t.Fatalf("%v, %v", circuit, err)
	}
	for _, other := range []string{
		document + " ", strings.Replace(document, "minimum", "maximum", 1), strings.Replace(document, "minimum", "", 1),
		document[:len(document)-2] + "2}", strings.Replace(document, `"slices":2`, `"slices":1`, 1),
		strings.Replace(document, `"version":1}`, `"version":1,"weights":0}`, 1), string(inner), "",
	} {
		if _, err := subcircuit.Parse([]byte(other)); err == nil || !strings.HasPrefix(err.Error(), "circuit: ") {
			t.Errorf("%.60s: %v", other, err)
		}
	}
}

// existing are the wires of which a proof says that there are some, and which the digest does not bind.
var existing = map[string][]string{
	"neighbor":     {"neighbor"},
	"commitment":   {"weights", "biases", "query", "table", "model_blinding", "query_blinding"},
	"first_bounds": {"first_radii"},
	"bounds":       {"negative_weight", "positive", "negative", "rest", "kappa", "constant", "coefficients", "radius"},
	"tree":         {"key", "digit"},
	"leaf":         {"of_slice", "multiplier", "leaf_lower", "excess", "constant", "coefficients"},
}

// The digest binds every wire of the instance, and none of the others.
func TestTheDigestBindsTheInstance(t *testing.T) {
	each(t, func(t *testing.T, c *alone) {
		honest := c.inputs(t)[0]
		for _, segment := range c.layout {
			short, _, _ := strings.Cut(segment.Name, ".")
			bound := !slices.Contains(existing[c.name], short)
			for at, old := range c.wires[segment.Name] {
				c.wires[segment.Name][at] = new(big.Int).Add(old, big.NewInt(1))
				if found := c.inputs(t)[0]; found.Equal(&honest) == bound {
					t.Errorf("%s %d: bound %v, want %v", segment.Name, at, !bound, bound)
				}
				c.wires[segment.Name][at] = old
			}
		}
	})
}

// The digest is the hash of tag, version, name, shape, length, blinding and packed integers.
func TestTheDigestNamesGadgetAndShape(t *testing.T) {
	s := shapes()["smallest"]
	c := open(t, "minimum", s)
	var values []oracle.Signed
	for _, value := range append(c.wires["radius_squared"], c.wires["radii"]...) {
		values = append(values, oracle.Signed{Value: new(big.Int).Sub(value, big.NewInt(1<<28)), Bits: 29})
	}
	want := oracle.Hash(append([]*big.Int{
		oracle.Tag("equiproof.circuit"), big.NewInt(1), oracle.Tag("minimum"), s.Digest(), big.NewInt(1), c.wires["blinding"][0],
	}, oracle.Pack(values...)...)...)
	if found := c.inputs(t)[0]; found.BigInt(new(big.Int)).Cmp(want) != 0 {
		t.Errorf("%v, want %v", found.String(), want)
	}
}
