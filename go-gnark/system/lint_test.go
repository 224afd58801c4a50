package system_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/consensys/gnark/frontend"

	"equiproof/internal/lint"
	"equiproof/internal/oracle"
	"equiproof/relation"
	"equiproof/shape"
	"equiproof/subcircuit"
	"equiproof/system"
)

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
	s.Architecture.WeightBits = 2 + random.IntN(15)
	s.RadiusBits = 1 + random.IntN(29)
	return s
}

// No shape's system leaves a wire to the prover: neither the relation's, nor a gadget's alone.
func TestRandomShapesPassTheLint(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	judged := 0
	for range randomShapes {
		s := randomShape(random)
		circuits := []relation.Circuit{relation.New(s)}
		for _, name := range []string{"inference", "polytope", "neighbor", "order", "commitment"} {
			circuit, err := subcircuit.New(name, s)
			if err != nil {
				t.Fatal(err)
			}
			circuits = append(circuits, circuit)
		}
		for _, circuit := range circuits {
			compiled, err := system.Compile(circuit)
			if err != nil {
				if !strings.Contains(err.Error(), "bits") {
					t.Fatalf("%+v: %v", s, err)
				}
				continue // too wide for the field: there is no system to judge
			}
			judged++
			if err := lint.Judge(compiled); err != nil {
				t.Errorf("%T of %+v: %v", circuit, s, err)
			}
		}
	}
	if judged < 5*randomShapes {
		t.Errorf("%d systems of %d shapes were judged", judged, randomShapes)
	}
}

// careless is the relation with a private wire that nothing holds.
type careless struct {
	*relation.Traversal
	More frontend.Variable
}

// No key is made for a system that the lint refuses.
func TestSetupRefusesALooseWire(t *testing.T) {
	loose := &careless{Traversal: relation.New(tiny())}
	if _, err := system.Setup(loose); err == nil || !strings.HasPrefix(err.Error(), "lint: wire ") {
		t.Errorf("%v", err)
	}
}
