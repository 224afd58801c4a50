package system_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/consensys/gnark/constraint"
	"github.com/consensys/gnark/frontend"

	"equiproof/internal/lint"
	"equiproof/internal/oracle"
	"equiproof/internal/turns"
	"equiproof/relation"
	"equiproof/shape"
	"equiproof/subcircuit"
	"equiproof/system"
)

// proofSystems are all that there are.
var proofSystems = []system.ProofSystem{system.Groth16, system.Plonk}

// randomShape draws layers, logits, columns, slices, widths and a capacity.
func randomShape(random *rand.Rand) *shape.Shape {
	hidden := make([]int, 1+random.IntN(3))
	for i := range hidden {
		hidden[i] = 1 + random.IntN(4)
	}
	slices := 2 + random.IntN(4)
	capacity := 2
	for capacity < slices {
		capacity *= 2
	}
	s := oracle.ShapeOf(1+random.IntN(5), 1+random.IntN(3), hidden, 1+random.IntN(4), 6+random.IntN(19), slices,
		capacity<<random.IntN(3))
	for l := range s.Architecture.WeightBits {
		s.Architecture.WeightBits[l] = 2 + random.IntN(15)
	}
	s.RadiusBits = 1 + random.IntN(29)
	return s
}

// everyCircuit returns the makers of a shape's circuits: the relation's, and every gadget's alone.
func everyCircuit(s *shape.Shape) []func() (relation.Circuit, error) {
	makers := []func() (relation.Circuit, error){func() (relation.Circuit, error) {
		if s.Branches() {
			return relation.NewBranch(s)
		}
		return relation.New(s), nil
	}}
	for _, name := range subcircuit.Names(s) {
		makers = append(makers, func() (relation.Circuit, error) { return subcircuit.New(name, s) })
	}
	return makers
}

// compiled returns the system of a circuit, or nil if its values do not fit the field.
func compiled(t *testing.T, proofSystem system.ProofSystem, s *shape.Shape, make func() (relation.Circuit, error)) constraint.ConstraintSystem {
	t.Helper()
	circuit, err := make()
	if err == nil {
		var found constraint.ConstraintSystem
		if found, err = proofSystem.Compile(circuit); err == nil {
			return found
		}
	}
	if !strings.Contains(err.Error(), "bits") {
		t.Fatalf("%+v: %v", s, err)
	}
	return nil
}

// No shape's system leaves a wire for the prover to choose, in the relation or in a single gadget of any scheme.
func TestRandomShapesPassTheLint(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 5))
	judged := map[string]int{shape.Traversing: 0, shape.Branching: 0, shape.Ranging: 0}
	taken := 0
	for number := range randomShapes {
		walk := randomShape(random)
		if !turns.Today(fmt.Sprint("random shape ", number)) {
			continue
		}
		taken++
		for scheme := range judged {
			s := *walk
			s.Scheme = scheme
			if s.Branches() {
				s.Capacity = 2 * s.Capacity // room for a split
			}
			for _, make := range everyCircuit(&s) {
				for _, proofSystem := range proofSystems {
					found := compiled(t, proofSystem, &s, make)
					if found == nil {
						continue
					}
					judged[scheme]++
					if err := lint.Judge(found); err != nil {
						t.Errorf("%s, %+v: %v", proofSystem.Name(), s, err)
					}
				}
			}
		}
	}
	for scheme, systems := range judged {
		if taken == randomShapes && systems < 14*taken { // the relation and at least seven gadgets of nearly every shape, in two forms
			t.Errorf("%d systems of %d shapes of scheme %s were judged", systems, randomShapes, scheme)
		}
	}
}

// Nor does a gadget of a statement about a box, with one column and with a category.
func TestGadgetsOfBoxesPassTheLint(t *testing.T) {
	t.Parallel()
	for _, plain := range []int{1, 4} {
		shapes := []*shape.Shape{
			oracle.AdditiveShape(plain, 1, [2]int{3, 1}, 0, 1), oracle.AdditiveShape(plain, 1, [2]int{1, 0}, 0, 1),
			oracle.EnsembleShape(plain, 1, [2]int{3, 1}, [2]int{2, 4}, 2, 3, 2), oracle.ShapeOf(plain, 1, []int{2, 1}, 3, 18, 2, 4),
		}
		for i, scheme := range []string{shape.AddingBox, shape.AddingBox, shape.GrowingBox, shape.BranchingBox} {
			s := shapes[i]
			if s.Scheme = scheme; plain > 1 {
				s.OneHot = []shape.Choice{{First: 1, High: 1448, Low: 0, Values: 2}}
			}
			for _, name := range subcircuit.Names(s) {
				for _, proofSystem := range proofSystems {
					found := compiled(t, proofSystem, s, func() (relation.Circuit, error) { return subcircuit.New(name, s) })
					if found == nil {
						t.Fatalf("%s of %s does not fit the field", name, scheme)
					}
					if err := lint.Judge(found); err != nil {
						t.Errorf("%s, %s of %s, %d columns: %v", proofSystem.Name(), name, scheme, plain, err)
					}
				}
			}
		}
	}
}

// careless is the relation with an unconstrained private wire.
type careless struct {
	*relation.Traversal
	More frontend.Variable
}

// No key is made for a system that the lint refuses.
func TestSetupRefusesALooseWire(t *testing.T) {
	for _, proofSystem := range proofSystems {
		loose := &careless{Traversal: relation.New(tiny())}
		if _, err := proofSystem.Setup(loose); err == nil || !strings.HasPrefix(err.Error(), "lint: wire ") {
			t.Errorf("%s: %v", proofSystem.Name(), err)
		}
	}
}
