package subcircuit_test

import (
	"encoding/json"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"equiproof/internal/adversary"
	"equiproof/shape"
	"equiproof/subcircuit"
	"equiproof/system"
)

// vectors is the folder of vectors that other programs share (tests/vectors/README.md).
var vectors = filepath.Join("..", "..", "tests", "vectors")

// branching are the sub-circuits of scheme `branch` alone. Their honest wires are the vectors' bases: a search found them.
var branching = []string{"first_bounds", "relaxation", "bounds", "tree", "leaf"}

// vector is what the vectors of a sub-circuit have, or a base of theirs.
type vector struct {
	Base, Verdict string
	Circuit       struct {
		Gadget string
		Shape  shape.Shape
	}
	Wires map[string][]string
}

func read(t testing.TB, name string) *vector {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(vectors, name))
	if err != nil {
		t.Fatal(err)
	}
	v := new(vector)
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

// integers reads decimal wires.
func (v *vector) integers(t testing.TB) map[string][]*big.Int {
	t.Helper()
	wires := map[string][]*big.Int{}
	for name, texts := range v.Wires {
		for _, text := range texts {
			value, ok := new(big.Int).SetString(text, 10)
			if !ok {
				t.Fatalf("%s holds %q", name, text)
			}
			wires[name] = append(wires[name], value)
		}
	}
	return wires
}

// based compiles the circuit of a base, with its wires.
func based(t testing.TB, name string) *alone {
	t.Helper()
	base := read(t, filepath.Join("base", name+".json"))
	circuit, err := subcircuit.New(base.Circuit.Gadget, &base.Circuit.Shape)
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := system.Compile(circuit)
	if err != nil {
		t.Fatal(err)
	}
	return &alone{adversary.Open(t, compiled), name, circuit.Layout(), base.integers(t)}
}

// Every vector of a sub-circuit is accepted, or refused by a row of the gadget, as its folder says.
func TestVectors(t *testing.T) {
	circuits, count := map[string]*alone{}, map[string]int{}
	for _, verdict := range []string{"accept", "reject"} {
		paths, err := filepath.Glob(filepath.Join(vectors, verdict, "circuit-*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			name := filepath.Base(path)
			v := read(t, filepath.Join(verdict, name))
			if circuits[v.Base] == nil {
				circuits[v.Base] = based(t, v.Base)
			}
			c := *circuits[v.Base]
			c.wires = maps.Clone(c.wires)
			maps.Copy(c.wires, v.integers(t))
			count[v.Base+" "+verdict]++
			if verdict == "reject" {
				c.refused(t, name)
			} else if err := c.IsSolved(c.inputs(t)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	for _, name := range branching {
		if count[name+" accept"] == 0 || count[name+" reject"] == 0 {
			t.Errorf("%s: %d vectors are accepted, %d refused", name, count[name+" accept"], count[name+" reject"])
		}
	}
}

// A gadget of another scheme than the shape's, bounds of deeper layers where there are none, and shapes that the field does
// not hold have no circuit.
func TestGadgetsAreOfShapes(t *testing.T) {
	walk := shapes()["three logits"]
	tree := *walk
	tree.Scheme = shape.Branching
	deep := *shapes()["two layers"]
	deep.Scheme, deep.Architecture.BiasBits = shape.Branching, []int{240, 240, 240}
	for want, of := range map[string]struct {
		gadget string
		shape  *shape.Shape
	}{
		`gadget "tree" is of scheme branch`: {"tree", walk}, `gadget "order" is of scheme traversal`: {"order", &tree},
		"the shape has one hidden layer": {"bounds", &tree}, "layer 2: ": {"relaxation", &deep},
	} {
		if _, err := subcircuit.New(of.gadget, of.shape); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", of.gadget, err, want)
		}
	}
	if _, err := subcircuit.New("minimum", &tree); err != nil {
		t.Error(err)
	}
}
