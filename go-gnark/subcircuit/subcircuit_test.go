package subcircuit_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/consensys/gnark/constraint"

	"equiproof/internal/adversary"
	"equiproof/internal/oracle"
	"equiproof/internal/turns"
	"equiproof/relation"
	"equiproof/shape"
	"equiproof/subcircuit"
	"equiproof/system"
)

var update = flag.Bool("update", false, "write the files of testdata anew")

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

// lie is another value of one wire, which breaks the gadget's rule.
type lie struct {
	wire  string
	at    int // from the end where it is negative
	value func(c *alone, honest int64) int64
}

// lies breaks the rule of each sub-circuit whose honest wires the tests compute; lies about the others are vectors.
var lies = map[string][]lie{
	"inference": {{"pattern", 0, flipped}, {"label", 0, flipped}},
	"polytope":  {{"value", 0, larger}, {"norm_squared", 0, larger}, {"value", -1, smaller}},
	"distance":  {{"excess", 0, larger}},
	"neighbor":  {{"neighbor", 0, exactly(0)}, {"neighbor", 0, exactly(1 << 20)}, {"slice", 0, exactly(1)}},
	"boundary":  {{"norm_squared", 0, near(0)}, {"norm_squared", -1, near(-1)}},
	"order":     {{"norm_squared", 0, near(0)}, {"norm_squared", -1, near(-1)}},
	"minimum":   {{"radii", 0, exactly(8)}, {"radius_squared", 0, exactly(8)}},
	"commitment": {
		{"query", 0, exactly(1)}, {"model_blinding", 0, exactly(1)}, {"table", 0, larger}, {"spec_digest", 0, larger},
	},
	"digest": {{"radius_squared", 0, exactly(10)}, {"label", 0, exactly(2)}},
}

func flipped(_ *alone, bit int64) int64 { return 1 - bit }

func larger(_ *alone, honest int64) int64 { return honest + 1 }

func smaller(_ *alone, honest int64) int64 { return honest - 1 }

func exactly(value int64) func(*alone, int64) int64 {
	return func(*alone, int64) int64 { return value }
}

// near returns a squared norm by which a hyperplane, counted from the end where negative, is nearer than any radius of at
// least 1.
func near(at int) func(c *alone, honest int64) int64 {
	return func(c *alone, _ int64) int64 {
		values := c.wires["value"]
		value := values[(at+len(values))%len(values)].Int64()
		return value*value + 1
	}
}

// Every sub-circuit refuses what breaks its own rule, under the digest that goes with it: the refusal is the rows'.
func TestWiresThatBreakTheRuleAreRefused(t *testing.T) {
	each(t, func(t *testing.T, c *alone) {
		if c.name == "order" {
			c.wires["crossed"] = bits(make([]bool, len(c.wires["crossed"]))...) // nothing is crossed; all is far
		}
		for _, lie := range lies[c.name] {
			if len(c.wires[lie.wire]) == 0 {
				continue // a statement about a box has no query and no radius; lies about it are vectors
			}
			at := (lie.at + len(c.wires[lie.wire])) % len(c.wires[lie.wire])
			c.refusedWith(t, lie.wire, at, lie.value(c, c.wires[lie.wire][at].Int64()))
		}
	})
}

// A facet may be near where it is crossed itself, and not where another one is.
func TestOnlyACrossedFacetMayBeNear(t *testing.T) {
	c := open(t, "order", shapes()["two layers"])
	last := len(c.wires["crossed"]) - 1
	c.wires["norm_squared"][last] = big.NewInt(near(last)(c, 0))
	marks := make([]bool, last+1)
	marks[last] = true
	c.wires["crossed"] = bits(marks...)
	if err := c.IsSolved(c.inputs(t)); err != nil {
		t.Error(err)
	}
	marks[last], marks[last-1] = false, true
	c.wires["crossed"] = bits(marks...)
	c.refused(t, "another facet is crossed")
}

// free reports whether the output of a hint, by name, is free: the commitment's mask and its challenge are.
func free(hint string) bool {
	return strings.HasSuffix(hint, "Randomize") || strings.HasSuffix(hint, "Placeholder")
}

// The lint holds for every sub-circuit as for the relation: the digest is the one public input, every wire is used, no
// wire can be changed alone, everything that rows leave open is in the one commitment, and nothing else is challenged.
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
		if uncovered := lints.Uncovered(); len(uncovered) > 0 {
			t.Errorf("wires %v of challenged rows are not committed", uncovered)
		}
	})
}

// The commitment of gadgets whose products are argued at its challenge contains the instance: every wire that the public
// digest is made equal to. Challenges of one instance are none of another's.
func TestChallengesAreOfTheInstance(t *testing.T) {
	for base, gadget := range bases(t) {
		// A leaf's products are argued where categories can be open.
		if !slices.Contains([]string{"bounds", "leaf", "cover", "gains"}, gadget) && !strings.HasPrefix(base, "chain_values") {
			continue
		}
		system := based(t, base).Prover.System
		stated := adversary.Stated(system)
		for _, wire := range stated {
			if _, committed := slices.BinarySearch(system.Committed, wire); !committed {
				t.Errorf("%s: wire %d of the digest is not committed", base, wire)
			}
		}
		if len(stated) < 2 {
			t.Errorf("%s: the public digest is made equal to %d terms", base, len(stated))
		}
	}
}

// counts returns how many private wires and how many constraints a sub-circuit has.
func counts(t *testing.T, name string, s *shape.Shape) (wires, constraints string) {
	t.Helper()
	circuit, err := subcircuit.New(name, s)
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := system.Groth16.Compile(circuit)
	if err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(relation.Length(circuit.Layout())), strconv.Itoa(compiled.GetNbConstraints())
}

// The constraint counts are those of testdata/constraints.csv: a change of a gadget shows where the gadget is alone.
func TestConstraintCounts(t *testing.T) {
	rows := [][]string{{"gadget", "inputs", "hidden", "logits", "slices", "capacity", "wires", "constraints"}}
	for _, s := range []*shape.Shape{
		oracle.ShapeOf(18, 2, []int{4, 2}, 1, 18, 2, 32), oracle.ShapeOf(13, 10, []int{8, 2}, 1, 18, 10, 128),
		oracle.ShapeOf(18, 2, []int{4, 3, 2}, 3, 18, 2, 32),
	} {
		walk := subcircuit.Names(s)
		others := subcircuit.Names(under(shape.Branching, s))
		others = slices.DeleteFunc(others, func(name string) bool { return slices.Contains(walk, name) })
		for number, name := range slices.Concat(walk, others) {
			if number == len(walk) {
				s = under(shape.Branching, s)
			}
			wires, constraints := counts(t, name, s)
			a := s.Architecture
			rows = append(rows, []string{
				name, fmt.Sprintf("%d+%d", a.Plain, a.Sensitive), strings.Trim(strings.ReplaceAll(fmt.Sprint(a.Hidden), " ", "x"), "[]"),
				strconv.Itoa(a.Logits), strconv.Itoa(s.Slices), strconv.Itoa(s.Capacity),
				wires, constraints,
			})
		}
	}
	pinned(t, "constraints.csv", rows)
}

// The constraint counts of gadgets of scheme `trees` are those of testdata/scores.csv.
func TestConstraintCountsOfScores(t *testing.T) {
	rows := [][]string{{"relation", "gadget", "inputs", "predicates", "nodes", "slots", "rows", "capacity", "wires", "constraints"}}
	for _, s := range []*shape.Shape{
		oracle.AdditiveShape(19, 1, [2]int{45, 5}, 40, 32),
		under(shape.AddingRanges, oracle.AdditiveShape(19, 1, [2]int{45, 5}, 40, 32)),
		oracle.EnsembleShape(19, 1, [2]int{45, 1}, [2]int{20, 126}, 45, 120, 8),
	} {
		for _, name := range subcircuit.Names(s) {
			wires, constraints := counts(t, name, s)
			a := s.Architecture
			rows = append(rows, []string{
				s.Scheme, name, fmt.Sprintf("%d+%d", a.Plain, a.Sensitive), fmt.Sprintf("%d+%d", a.Predicates[0], a.Predicates[1]),
				strings.Trim(strings.ReplaceAll(fmt.Sprint(a.Nodes), " ", "x"), "[]"), strconv.Itoa(s.Slots), strconv.Itoa(s.Rows),
				strconv.Itoa(s.Capacity), wires, constraints,
			})
		}
	}
	pinned(t, "scores.csv", rows)
}

// The constraint counts of gadgets of boxes are those of testdata/boxes.csv.
func TestConstraintCountsOfBoxes(t *testing.T) {
	rows := [][]string{{"relation", "gadget", "inputs", "predicates", "hidden", "capacity", "categories", "wires", "constraints"}}
	sized := func(scheme string, s *shape.Shape, categories int) *shape.Shape {
		s = under(scheme, s)
		for i := range categories {
			s.OneHot = append(s.OneHot, shape.Choice{First: 1 + 4*i, High: 1448, Low: 0, Values: 4})
		}
		return s
	}
	for _, s := range []*shape.Shape{
		sized(shape.AddingBox, oracle.AdditiveShape(19, 1, [2]int{45, 5}, 0, 1), 2),
		sized(shape.GrowingBox, oracle.EnsembleShape(19, 1, [2]int{45, 1}, [2]int{20, 126}, 45, 120, 1), 0),
		sized(shape.GrowingBox, oracle.EnsembleShape(19, 1, [2]int{45, 1}, [2]int{20, 126}, 45, 120, 1), 2),
		sized(shape.BranchingBox, oracle.ShapeOf(13, 1, []int{16, 8}, 1, 18, 2, 16), 1),
		sized(shape.BranchingBox, oracle.ShapeOf(13, 1, []int{16, 8}, 1, 18, 2, 16), 0),
	} {
		for _, name := range subcircuit.Names(s) {
			wires, constraints := counts(t, name, s)
			a := s.Architecture
			of := func(numbers []int, by string) string {
				return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", by), "[]")
			}
			rows = append(rows, []string{
				s.Scheme, name, fmt.Sprintf("%d+%d", a.Plain, a.Sensitive), of(a.Predicates, "+"), of(a.Hidden, "x"),
				strconv.Itoa(s.Capacity), strconv.Itoa(len(s.OneHot)), wires, constraints,
			})
		}
	}
	pinned(t, "boxes.csv", rows)
}

// pinned holds rows to those of a file of testdata.
func pinned(t *testing.T, name string, rows [][]string) {
	t.Helper()
	var found bytes.Buffer
	if err := csv.NewWriter(&found).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", name)
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
		t.Errorf("%s has changed; found:\n%s\nwant:\n%s", name, &found, want)
	}
}

// A document is read in its one canonical form, and selects the circuit of its gadget and shape.
func TestParse(t *testing.T) {
	s := shapes()["smallest"]
	inner, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	document := fmt.Sprintf(`{"format":"equiproof-circuit","gadget":"minimum","shape":%s,"version":2}`, inner)
	if !subcircuit.Is([]byte(document)) || subcircuit.Is(inner) {
		t.Error("Is confuses the document of a sub-circuit with that of a shape")
	}
	circuit, err := subcircuit.Parse([]byte(document))
	if err != nil || relation.Length(circuit.Layout()) != 1+1+s.Slices || len(circuit.Wires) != 1+1+s.Slices {
		t.Fatalf("%v, %v", circuit, err)
	}
	for _, other := range []string{
		document + " ", strings.Replace(document, "minimum", "maximum", 1), strings.Replace(document, "minimum", "", 1),
		document[:len(document)-2] + "1}", strings.Replace(document, `"slices":2`, `"slices":1`, 1),
		strings.Replace(document, "equiproof-circuit", "equiproof-circles", 1),
		strings.Replace(document, `"version":2}`, `"version":2,"weights":0}`, 1), string(inner), "",
	} {
		if _, err := subcircuit.Parse([]byte(other)); err == nil || !strings.HasPrefix(err.Error(), "circuit: ") {
			t.Errorf("%.60s: %v", other, err)
		}
	}
	if _, err := subcircuit.Parse(make([]byte, 1<<17+1)); err == nil || !strings.Contains(err.Error(), "at most 131072") {
		t.Errorf("a document that is too long: %v", err)
	}
}

// A shape of a kept model has no sub-circuits: they open the model, or read it without its link.
func TestKeptModelsHaveNoSubCircuits(t *testing.T) {
	for _, s := range []*shape.Shape{
		oracle.ShapeOf(2, 1, []int{2, 2}, 1, 18, 2, 4), oracle.EnsembleShape(2, 1, [2]int{3, 1}, [2]int{2, 6}, 3, 5, 4),
	} {
		for _, gadget := range subcircuit.Names(s) {
			kept := *s
			kept.Model = shape.Kept
			if _, err := subcircuit.New(gadget, s); err != nil {
				t.Errorf("%s: %v", gadget, err)
			}
			if _, err := subcircuit.New(gadget, &kept); err == nil || !strings.HasPrefix(err.Error(), "circuit: leave out model") {
				t.Errorf("%s: %v", gadget, err)
			}
		}
	}
}

// Relation `gain` has no sub-circuits, although its shapes are well-formed: not even those that every scheme has.
func TestGainsHaveNoSubCircuits(t *testing.T) {
	s := oracle.ShapeOf(2, 1, []int{2, 2}, 1, 18, 2, 4)
	s.Scheme = shape.Gaining
	inner, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := shape.Parse(inner); err != nil {
		t.Fatal(err)
	}
	if names := subcircuit.Names(s); len(names) > 0 {
		t.Errorf("there are %v", names)
	}
	for _, gadget := range []string{"commitment", "digest", "minimum", "first_bounds", "relaxation", "bounds", "tree", "leaf", "inference"} {
		document := fmt.Sprintf(`{"format":"equiproof-circuit","gadget":%q,"shape":%s,"version":2}`, gadget, inner)
		if _, err := subcircuit.Parse([]byte(document)); err == nil || !strings.HasPrefix(err.Error(), "circuit: ") {
			t.Errorf("%s: %v", gadget, err)
		}
	}
}

// resolving are the wires by which nodes become rows, and rowNames those that say what these are.
var (
	resolving = []string{
		"node_slot", "node_side", "node_live", "node_before", "low_reference", "high_reference", "stay_reference", "cross_reference",
	}
	rowNames = []string{
		"root_value", "root_row", "row_id", "row_slot", "stay_value", "cross_value", "stay_row", "cross_row", "row_root",
	}
)

// existing lists the wires that exist according to the proof, and that the digest does not bind.
var existing = map[string][]string{
	"neighbor": {"neighbor"},
	"commitment": {
		"weights", "biases", "query", "table", "range_low", "range_high", "model_blinding", "query_blinding",
		"box_low", "box_high", "box_blinding",
		"columns", "thresholds", "jumps", "bias", "node_predicate", "node_low", "node_high", "node_missing", "node_value",
	},
	"first_bounds": {"first_radii"},
	"bounds":       {"negative_weight", "positive", "negative", "rest", "kappa", "constant", "coefficients", "radius", "least"},
	"tree":         {"key", "digit"},
	"predicates":   {"at", "absent", "away", "end", "beyond", "sensitive_at"},
	"chain":        {"used", "multiplier", "taken", "level", "slot_open", "gain", "value_stayed", "value_crossed", "least"},
	"nodes":        resolving,
	"rows":         slices.Concat(resolving, rowNames, []string{"free", "way", "charge", "stay", "cross"}),
	"leaf":         {"of_slice", "multiplier", "leaf_lower", "excess", "constant", "coefficients", "cut", "negative_cut", "negative", "least"},
	"sides":        {"low_at", "high_at", "absent", "away", "sensitive_at"},
	"levels":       {"same_column", "lowers"},
	"gains":        {"gain"},
	"falls":        {"first_least", "negative_weight"},
}

// The digest binds exactly the wires of the instance.
func TestTheDigestBindsTheInstance(t *testing.T) {
	each(t, func(t *testing.T, c *alone) {
		turns.Take(t)
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

// The digests of instances are those of testdata/digests.csv: each wire is bound in its place, with its own width. Those of
// gadgets whose honest wires come from a search stand in the vectors.
func TestInstanceDigests(t *testing.T) {
	rows := [][]string{{"shape", "gadget", "digest"}}
	for _, label := range slices.Sorted(maps.Keys(shapes())) {
		s := shapes()[label]
		for _, name := range subcircuit.Names(s) {
			if computed(t, name, s) {
				c := open(t, name, s)
				for _, wires := range c.wires {
					if len(wires) > 0 {
						wires[0] = new(big.Int).Add(wires[0], big.NewInt(1)) // so that no run reads the same backwards
					}
				}
				digest := c.inputs(t)[0]
				rows = append(rows, []string{label, name, digest.Text(16)})
			}
		}
	}
	pinned(t, "digests.csv", rows)
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
		oracle.Tag("equiproof.circuit"), big.NewInt(2), oracle.Tag("minimum"), s.Digest(), big.NewInt(1), c.wires["blinding"][0],
	}, oracle.Pack(values...)...)...)
	if found := c.inputs(t)[0]; found.BigInt(new(big.Int)).Cmp(want) != 0 {
		t.Errorf("%v, want %v", found.String(), want)
	}
}
