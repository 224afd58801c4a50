package system_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark/constraint"
	"github.com/consensys/gnark/frontend"
	"github.com/consensys/gnark/frontend/cs/r1cs"

	"equiproof/gadget/bounded"
	"equiproof/system"
)

// work is what a circuit does for one part.
type work struct{ products, checks, lookups, identities, nested int }

// parts is a circuit that does work for two parts, each with a lookup table of four entries if it looks anything up.
type parts struct {
	X, Y   frontend.Variable
	first  work
	second work
	record bounded.Record
}

func (c *parts) Define(api frontend.API) error {
	a := bounded.New(api)
	c.do(a, "first", c.first)
	c.do(a, "second", c.second)
	api.AssertIsEqual(api.Mul(c.X, c.X), c.Y)
	c.record = a.Record()
	return nil
}

func (c *parts) do(a *bounded.Arith, name string, w work) {
	defer a.Part(name)()
	for range w.products {
		a.API().Mul(c.X, c.Y)
	}
	for range w.checks {
		a.Unsigned(c.X, 20)
	}
	if w.lookups > 0 {
		table := a.Table()
		for range 4 {
			table.Insert(c.X)
		}
		for range w.lookups {
			table.Lookup(c.Y)
		}
	}
	for range w.identities {
		committed := func() []frontend.Variable { return []frontend.Variable{c.X, c.Y} }
		a.Argue(committed, func(api frontend.API, challenge frontend.Variable) error {
			api.AssertIsEqual(api.Mul(c.X, challenge), api.Mul(c.Y, challenge))
			return nil
		})
	}
	if w.nested > 0 {
		c.do(a, "nested", work{products: w.nested})
		a.API().Mul(c.Y, c.Y)
	}
}

// counted compiles a circuit of two parts and returns its constraints by part.
func counted(t *testing.T, first, second work) map[string]int {
	t.Helper()
	circuit := &parts{first: first, second: second}
	compiled, err := frontend.Compile(ecc.BN254.ScalarField(), r1cs.NewBuilder, circuit)
	if err != nil {
		t.Fatal(err)
	}
	return summed(t, compiled, circuit.record)
}

// summed returns the constraints of a compiled circuit by part, which add up to all of them.
func summed(t *testing.T, compiled constraint.ConstraintSystem, record bounded.Record) map[string]int {
	t.Helper()
	found, err := system.Parts(compiled, record)
	if err != nil {
		t.Fatal(err)
	}
	counts, sum := map[string]int{}, 0
	for _, part := range found {
		counts[part.Name] = part.Constraints
		sum += part.Constraints
	}
	if sum != compiled.GetNbConstraints() {
		t.Errorf("the parts have %d constraints, the circuit %d: %v", sum, compiled.GetNbConstraints(), counts)
	}
	return counts
}

// A part's own constraints are its products, without those of an inner part; constraints of no part are the rest.
func TestPartsCountTheirOwnConstraints(t *testing.T) {
	found := counted(t, work{products: 3}, work{products: 2, nested: 5})
	if want := map[string]int{"first": 3, "second": 3, "nested": 5, bounded.Rest: 2}; !maps.Equal(found, want) {
		t.Errorf("found %v, want %v", found, want)
	}
}

// A range check counts for the part that requests it, in any order of requests: one constraint for its split, one for each
// limb, and one more if the limbs hold more bits than are checked. The shared constraints do not grow with it.
func TestPartsHaveTheirRangeChecks(t *testing.T) {
	before := counted(t, work{checks: 5}, work{checks: 5})
	limbs := before["first"]/5 - 1
	if before["first"] != before["second"] || before["first"] != 5*(1+limbs) || limbs < 2 {
		t.Fatalf("five checks each: %v", before)
	}
	for _, at := range []struct {
		first, second work
		grown         string
	}{{work{checks: 6}, work{checks: 5}, "first"}, {work{checks: 5}, work{checks: 6}, "second"}} {
		want := maps.Clone(before)
		want[at.grown] += 1 + limbs
		if found := counted(t, at.first, at.second); !maps.Equal(found, want) {
			t.Errorf("one more for the %s: found %v, want %v", at.grown, found, want)
		}
	}
	if entries := before[system.RangeTable] - 2; entries < 4 || entries&(entries-1) != 0 {
		t.Errorf("%d entries besides the mask and the sum, want a power of two", entries)
	}
}

// grows requires, for circuits with more work of a part than before, this many more constraints of the part, no more of
// other parts, and a rest of two.
func grows(t *testing.T, what string, before map[string]int, more map[string][2]work, constraints int) {
	t.Helper()
	for name, parts := range more {
		want := maps.Clone(before)
		want[name] += constraints
		if found := counted(t, parts[0], parts[1]); !maps.Equal(found, want) {
			t.Errorf("%s for the %s: found %v, want %v", what, name, found, want)
		}
	}
	if before[bounded.Rest] != 2 {
		t.Errorf("%s: %v, want a rest of two", what, before)
	}
}

// A lookup counts for the part that made the table, behind range checks as without them: two constraints each.
func TestPartsHaveTheirLookups(t *testing.T) {
	for _, checks := range []int{0, 3} {
		before := counted(t, work{checks: checks, lookups: 2}, work{lookups: 2})
		grows(t, fmt.Sprintf("%d checks, five lookups more", checks), before, map[string][2]work{
			"first":  {{checks: checks, lookups: 7}, {lookups: 2}},
			"second": {{checks: checks, lookups: 2}, {lookups: 7}},
		}, 2*5)
	}
}

// Identities count for the part that argues them, among lookup tables and behind range checks: three constraints here, and
// one for the challenge.
func TestPartsHaveTheirIdentities(t *testing.T) {
	for _, checks := range []int{0, 3} {
		before := counted(t, work{checks: checks, lookups: 2, identities: 1}, work{lookups: 2, identities: 2})
		grows(t, fmt.Sprintf("%d checks, three identities more", checks), before, map[string][2]work{
			"first":  {{checks: checks, lookups: 2, identities: 4}, {lookups: 2, identities: 2}},
			"second": {{checks: checks, lookups: 2, identities: 1}, {lookups: 2, identities: 5}},
		}, 4*3)
	}
}

// Every described circuit assigns each of its constraints to a part, and the parts add up to the total.
func TestDescriptionsHaveParts(t *testing.T) {
	for _, document := range [][]byte{
		written(t, tiny()),
		[]byte(`{"format":"equiproof-circuit","gadget":"neighbor","shape":` + string(written(t, tiny())) + `,"version":2}`),
	} {
		for _, proofSystem := range proofSystems {
			circuit, err := system.Select(document)
			if err != nil {
				t.Fatal(err)
			}
			description, err := proofSystem.Describe(circuit)
			if err != nil {
				t.Fatal(err)
			}
			sum := 0
			for _, part := range description.Parts {
				sum += part.Constraints
				if part.Name == bounded.Rest {
					t.Errorf("%s: %d constraints are for no part", proofSystem.Name(), part.Constraints)
				}
			}
			if sum != description.Constraints {
				t.Errorf("%s: %d constraints, by parts %d", proofSystem.Name(), description.Constraints, sum)
			}
		}
	}
}
