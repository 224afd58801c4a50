package system_test

import (
	"maps"
	"testing"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark/frontend"
	"github.com/consensys/gnark/frontend/cs/scs"

	"equiproof/gadget/bounded"
	"equiproof/system"
)

// sparsely compiles a circuit of two parts in the sparse form and returns its constraints by part.
func sparsely(t *testing.T, first, second work) map[string]int {
	t.Helper()
	circuit := &parts{first: first, second: second}
	compiled, err := frontend.Compile(ecc.BN254.ScalarField(), scs.NewBuilder, circuit)
	if err != nil {
		t.Fatal(err)
	}
	return summed(t, compiled, circuit.record)
}

// In the sparse form, too, a part's own constraints are its products, without those of an inner part; those of no part are the
// rest. A product that was made before is made once.
func TestSparsePartsCountTheirOwnConstraints(t *testing.T) {
	found := sparsely(t, work{products: 1}, work{nested: 1})
	if want := map[string]int{"first": 1, "second": 1, bounded.Rest: 2}; !maps.Equal(found, want) {
		t.Errorf("found %v, want %v", found, want)
	}
}

// A range check counts for the part that requests it, in any order of requests: the sum of its limbs, and for each limb its
// commitment, its difference to the challenge and the inverse of that. The sum of the inverses is shared.
func TestSparsePartsHaveTheirRangeChecks(t *testing.T) {
	before := sparsely(t, work{checks: 5}, work{checks: 5})
	if before["first"] != before["second"] || before["first"]%5 != 0 || before["first"] < 5*4 {
		t.Fatalf("five checks each: %v", before)
	}
	each := before["first"] / 5
	for _, at := range []struct {
		first, second work
		grown         string
	}{{work{checks: 6}, work{checks: 5}, "first"}, {work{checks: 5}, work{checks: 6}, "second"}} {
		found := sparsely(t, at.first, at.second)
		shared := found[system.RangeTable] - before[system.RangeTable]
		want := maps.Clone(before)
		want[at.grown] += each
		want[system.RangeTable] += shared
		if !maps.Equal(found, want) || shared < 1 || shared > each {
			t.Errorf("one more for the %s: found %v, want %v", at.grown, found, want)
		}
	}
}

// Lookups count for the part that made the table, and identities for the part that argues them, behind range checks as without
// them; what they commit to is shared.
func TestSparsePartsHaveTheirArguments(t *testing.T) {
	for _, checks := range []int{0, 3} {
		before := sparsely(t, work{checks: checks, lookups: 2, identities: 1}, work{lookups: 2, identities: 1})
		for grown, found := range map[string]map[string]int{
			"first":  sparsely(t, work{checks: checks, lookups: 7, identities: 3}, work{lookups: 2, identities: 1}),
			"second": sparsely(t, work{checks: checks, lookups: 2, identities: 1}, work{lookups: 7, identities: 3}),
		} {
			for name, count := range found {
				if more := count - before[name]; (more > 0) != (name == grown || name == system.CommittedWires) {
					t.Errorf("%d checks, more for the %s: %v, before %v", checks, grown, found, before)
				}
			}
			if more := found[grown] - before[grown]; more < 5*3+2*3 {
				t.Errorf("%d checks: %d rows more for five lookups and two identities", checks, more)
			}
		}
	}
}
