package subcircuit_test

import (
	"encoding/json"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"equiproof/internal/adversary"
	"equiproof/shape"
	"equiproof/subcircuit"
	"equiproof/system"
)

// vectors is the folder of vectors that other programs share (tests/vectors/README.md).
var vectors = filepath.Join("..", "..", "tests", "vectors")

// vector is what the vectors of a sub-circuit have, or a base of theirs.
type vector struct {
	Base, Verdict, Digest string
	Circuit               struct {
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

// bases names the gadget of each base that holds wires of a sub-circuit.
func bases(t testing.TB) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, path := range listed(t, "base", "*.json") {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		if gadget := read(t, path).Circuit.Gadget; gadget != "" {
			found[name] = gadget
		}
	}
	return found
}

// listed names the vectors' files of a folder.
func listed(t testing.TB, folder, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(vectors, folder, pattern))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files %s in %s: %v", pattern, folder, err)
	}
	for i, path := range paths {
		paths[i] = filepath.Join(folder, filepath.Base(path))
	}
	return paths
}

// based compiles the circuit of a base, with its wires.
func based(t testing.TB, name string) *alone {
	t.Helper()
	base := read(t, filepath.Join("base", name+".json"))
	circuit, err := subcircuit.New(base.Circuit.Gadget, &base.Circuit.Shape)
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := system.Groth16.Compile(circuit)
	if err != nil {
		t.Fatal(err)
	}
	return &alone{adversary.Open(t, compiled), base.Circuit.Gadget, circuit.Layout(), base.integers(t)}
}

// judged names the circuits' vectors of one verdict.
func judged(t testing.TB, verdict string) []string { return listed(t, verdict, "circuit-*.json") }

// Every vector of a sub-circuit is accepted under the digest that it states, or refused by a row of the gadget, according to
// its folder.
func TestVectors(t *testing.T) {
	circuits := map[string]*alone{}
	for _, verdict := range []string{"accept", "reject"} {
		for _, name := range judged(t, verdict) {
			v := read(t, name)
			if circuits[v.Base] == nil {
				circuits[v.Base] = based(t, v.Base)
			}
			c := *circuits[v.Base]
			c.wires = maps.Clone(c.wires)
			maps.Copy(c.wires, v.integers(t))
			if verdict == "reject" {
				c.refused(t, name)
				continue
			}
			digest, ok := new(big.Int).SetString(v.Digest, 16)
			if !ok {
				t.Fatalf("%s states the digest %q", name, v.Digest)
			}
			inputs := c.inputs(t)
			inputs[0].SetBigInt(digest)
			if err := c.IsSolved(inputs); err != nil {
				t.Errorf("%s: refused: %v", name, err)
			}
		}
	}
}

// untested lists what the tests lack for a sub-circuit: wires that it accepts, and wires that it refuses, either computed
// here or vectors.
func untested(t testing.TB, name string, s *shape.Shape) (lacks []string) {
	t.Helper()
	gadgets, vectors := bases(t), map[string]bool{}
	for _, verdict := range []string{"accept", "reject"} {
		for _, path := range judged(t, verdict) {
			vectors[verdict+" "+gadgets[read(t, path).Base]] = true
		}
	}
	if !vectors["accept "+name] && !computed(t, name, s) {
		lacks = append(lacks, "valid instance")
	}
	if !vectors["reject "+name] && len(lies[name]) == 0 {
		lacks = append(lacks, "invalid instance")
	}
	return lacks
}

// Every sub-circuit of the table has a valid and an invalid instance.
func TestEverySubCircuitHasInstances(t *testing.T) {
	for label, s := range shapes() {
		for _, name := range subcircuit.Names(s) {
			for _, missing := range untested(t, name, s) {
				t.Errorf("%s of %s has no %s: add wires to honest and lies, or vectors", name, label, missing)
			}
		}
	}
}

// A sub-circuit that is added to the table without instances is noticed, whatever its scheme.
func TestASubCircuitWithoutInstancesIsNoticed(t *testing.T) {
	want := []string{"valid instance", "invalid instance"}
	for scheme, s := range map[string]*shape.Shape{
		"": shapes()["smallest"], shape.Traversing: shapes()["smallest"], shape.Branching: shapes()["a tree"],
		shape.Growing: shapes()["ensemble"],
	} {
		name := "added " + scheme
		subcircuit.Add(t, name, scheme)
		if !slices.Contains(subcircuit.Names(s), name) {
			t.Errorf("%q is not among the names", name)
		}
		if found := untested(t, name, s); !slices.Equal(found, want) {
			t.Errorf("%q lacks %v, want %v", name, found, want)
		}
	}
}

// Every sub-circuit exists only for the shapes of its scheme, and bounds of deeper layers only for shapes with such layers.
// Shapes whose values do not fit the field have no circuit.
func TestGadgetsAreOfShapes(t *testing.T) {
	three := shapes()["three logits"]
	tree := under(shape.Branching, three)
	deep := *shapes()["a tree"]
	deep.Architecture.BiasBits = []int{240, 240, 240}
	settled := under(shape.AddingBox, shapes()["additive box"])
	settled.OneHot = nil
	score := "predicates, centre, slots, chain, cover"
	walk, branch := "inference, polytope, distance, neighbor, boundary, order", "first_bounds, relaxation, tree, leaf"
	for want, of := range map[string]struct {
		gadget string
		shape  *shape.Shape
	}{
		`no gadget "tree"; it has ` + walk + ", minimum, commitment, digest":     {"tree", three},
		`no gadget "order"; it has ` + branch + ", minimum, commitment, digest":  {"order", tree},
		`no gadget "bounds"; it has ` + branch + ", minimum, commitment, digest": {"bounds", tree},
		`no gadget "radius"; it has `:                                            {"radius", tree}, "layer 2: ": {"relaxation", &deep},
		`no gadget "leaf"; it has ` + score + ", nodes, rows, minimum, commitment, digest": {"leaf", shapes()["ensemble"]},
		`no gadget "rows"; it has ` + score + ", minimum, commitment, digest":              {"rows", shapes()["additive"]},
		`no gadget "centre"; it has people, sides, levels, gains, commitment, digest`:      {"centre", shapes()["additive box"]},
		`no gadget "gains"; it has people, sides, levels, commitment, digest`:              {"gains", settled},
		`no gadget "levels"; it has centre, slots, chain, cover, nodes, rows, people, s`:   {"levels", shapes()["ensemble box"]},
		`no gadget "first_bounds"; it has relaxation, bounds, tree, leaf, people, falls, `: {"first_bounds", shapes()["network box"]},
	} {
		if _, err := subcircuit.New(of.gadget, of.shape); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", of.gadget, err, want)
		}
	}
}
