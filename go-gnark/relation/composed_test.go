package relation_test

import (
	"encoding/json"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"

	"equiproof/internal/adversary"
	"equiproof/shape"
	"equiproof/system"
)

// composed is the witnesses of one shape of scheme `branch` or relation `gain`, which tests/vectors/generate/composed.py writes, of
// an additive model or of an ensemble, by additive.py and trees.py beside it: honest ones, the first with all wires, and lies.
type composed struct {
	Shape     shape.Shape
	Witnesses []*witnessed
}

// witnessed is private wires, those that are not the first witness's, with the public input that goes with them; of a lie the
// rule that it breaks, too.
type witnessed struct {
	Name, Rule, Digest string
	Wires              map[string]string
}

// eachComposed runs a test for the witnesses of every shape.
func eachComposed(t *testing.T, test func(t *testing.T, c *composed)) {
	paths, err := filepath.Glob(filepath.Join("testdata", "*", "*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no witnesses: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".json"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			c := new(composed)
			if err := json.Unmarshal(text, c); err != nil {
				t.Fatal(err)
			}
			test(t, c)
		})
	}
}

// inputs lists the public digest and all wires of a witness in the layout's order.
func (c *composed) inputs(t testing.TB, of *witnessed) []fr.Element {
	t.Helper()
	numbers := strings.Fields(of.Digest)
	for _, segment := range circuitOf(t, &c.Shape).layout {
		text, own := of.Wires[segment.Name]
		if !own {
			text = c.Witnesses[0].Wires[segment.Name]
		}
		values := strings.Fields(text)
		if len(values) != segment.Length {
			t.Fatalf("%s: %d values for %d wires of %s", of.Name, len(values), segment.Length, segment.Name)
		}
		numbers = append(numbers, values...)
	}
	values := make([]any, len(numbers))
	for i, number := range numbers {
		value, ok := new(big.Int).SetString(number, 10)
		if !ok {
			t.Fatalf("%s holds %q", of.Name, number)
		}
		values[i] = value
	}
	return adversary.Elements(values...)
}

// The honest witnesses of every shape, which break no rule, are accepted, for gnark's solver and row by row.
func TestComposedHonestIsAccepted(t *testing.T) {
	eachComposed(t, func(t *testing.T, c *composed) {
		circuit := circuitOf(t, &c.Shape)
		for _, of := range c.Witnesses {
			if of.Rule != "" {
				continue
			}
			inputs := c.inputs(t, of)
			if err := circuit.IsSolved(inputs); err != nil {
				t.Errorf("%s: refused: %v", of.Name, err)
			}
			if violated := circuit.Prover.Solve(inputs, nil).Violated; len(violated) > 0 {
				t.Errorf("%s: rows %v do not hold", of.Name, violated)
			}
		}
	})
}

// partsOf says which parts of the circuit hold a rule; R-RANGE is everywhere.
var partsOf = map[string][]string{
	"R-RANGE":        append([]string{"ranges", "predicates", "sets", "gains", "box"}, branchParts...),
	"R-STATEMENT":    {"digest"},
	"R-B-FIRST":      {"interval", "radius"},
	"R-B-RELAXATION": {"relaxation"},
	"R-B-BACKWARD":   {"range", "backward", "product"},
	"R-B-RADIUS":     {"radius"},
	"R-B-BOUND":      {"interval"},
	"R-B-KEY":        {"tree"},
	"R-B-ROOT":       {"tree"},
	"R-B-SPLIT":      {"tree"},
	"R-B-LEAF":       {"leaf", "radius", "product"},
	"R-B-RANGES":     {"ranges"},
	"R-B-CUT":        {"ranges"},
	"R-T-ORDER":      {"predicates"},
	"R-T-SIDE":       {"predicates", "slices"},
	"R-T-DEAD":       {"predicates"},
	"R-T-MISSING":    {"predicates"},
	"R-T-SETS":       {"sets"},
	"R-T-SLICES":     {"slices"},
	"R-T-CAPACITY":   {"slots"},
	"R-T-SLOT":       {"predicates", "slots"}, // lookups count for the part that begins the argument
	"R-T-NODE":       {"nodes", "predicates"}, // as those of R-T-SLOT
	"R-T-RESOLVE":    {"nodes", "predicates"},
	"R-T-LEAF":       {"leaf", "rows"},
	"R-T-CHARGE":     {"rows"},
	"R-T-CHAIN":      {"leaf"},
	"R-T-CLOSE":      {"leaf"},
	"R-T-COVER":      {"leaf", "cover"},
	"R-X-ENDS":       {"box", "predicates"},
	"R-X-CATEGORY":   {"box"},
	"R-X-SIDE":       {"predicates"},
	"R-X-LEVEL":      {"levels"},
	"R-X-GAIN":       {"gains"},
	"R-X-FALL":       {"box"},
	"R-X-FIRST":      {"interval"},
	"R-X-CLOSE":      {"close"},
}

// Every lie is refused, by gnark's solver and by rows of one part of the circuit alone, one that holds the rule that the lie
// breaks. Where these are range checks, what all of them share may refuse it, too, or alone.
func TestComposedLiesAreRefused(t *testing.T) {
	t.Parallel()
	eachComposed(t, func(t *testing.T, c *composed) {
		circuit := circuitOf(t, &c.Shape)
		for _, lie := range c.Witnesses {
			if lie.Rule == "" {
				continue
			}
			inputs := c.inputs(t, lie)
			if err := circuit.IsSolved(inputs); err == nil {
				t.Errorf("%s (%s): accepted", lie.Name, lie.Rule)
				continue
			}
			refusing := map[string]bool{}
			for _, row := range circuit.Prover.Solve(inputs, nil).Violated {
				refusing[circuit.parts[row]] = true
			}
			if len(refusing) > 1 {
				delete(refusing, system.RangeTable)
			}
			found := slices.Collect(maps.Keys(refusing))
			if len(found) != 1 || found[0] != system.RangeTable && !slices.Contains(partsOf[lie.Rule], found[0]) {
				t.Errorf("%s (%s): refused by %q, want one of %q", lie.Name, lie.Rule, found, partsOf[lie.Rule])
			}
		}
	})
}
