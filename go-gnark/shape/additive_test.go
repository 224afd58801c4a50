package shape_test

import (
	"encoding/json"
	"strings"
	"testing"

	"equiproof/internal/oracle"
	"equiproof/shape"
)

// What a scheme is about follows from its name.
func TestSchemes(t *testing.T) {
	for scheme, want := range map[string][4]bool{
		shape.Traversing: {}, shape.Branching: {true, false, false}, shape.Ranging: {true, false, true},
		shape.Adding: {false, true, false}, shape.AddingRanges: {false, true, true}, "additive-": {},
		shape.Growing: {false, false, false, true}, shape.GrowingRanges: {false, false, true, true},
	} {
		s := &shape.Shape{Scheme: scheme}
		if flags := [4]bool{s.Branches(), s.Adds(), s.Ranges(), s.Grows()}; flags != want {
			t.Errorf("%s: branches, adds, ranges, grows are %v, want %v", scheme, flags, want)
		}
	}
}

// r is the width of the radius. Lambda has 16 bits more, and the bit length of the number of predicates; the worst slice the
// bit length of that of the sensitive ones, above those of a jump.
func TestWidthsOfAdditiveModels(t *testing.T) {
	for _, c := range []struct {
		plain, sensitive, multiplier, worst int
	}{{1, 0, 29 + 16 + 1, 16}, {45, 5, 29 + 16 + 6, 16 + 3}, {63, 0, 29 + 16 + 6, 16}, {60, 4, 29 + 16 + 7, 16 + 3}} {
		s := oracle.AdditiveShape(3, 1, [2]int{c.plain, c.sensitive}, 1, 1)
		want := shape.Additive{
			Plain: c.plain, Sensitive: c.sensitive, Scale: 29, MultiplierBits: c.multiplier, WorstBits: c.worst,
		}
		if widths := *s.Additive(); widths != want {
			t.Errorf("%+v, want %+v", widths, want)
		}
	}
}

// additive returns the canonical document of a changed shape.
func additive(t *testing.T, change func(s *shape.Shape)) []byte {
	t.Helper()
	s := oracle.AdditiveShape(3, 1, [2]int{7, 1}, 6, 8)
	change(s)
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Sizes of additive models that have a circuit, at their limits.
func TestAdditiveShapes(t *testing.T) {
	for name, change := range map[string]func(s *shape.Shape){
		"as it is":               func(*shape.Shape) {},
		"ranges":                 func(s *shape.Shape) { s.Scheme = shape.AddingRanges },
		"as many slots as there": func(s *shape.Shape) { s.Slots = 7 },
		"one slot, one leaf":     func(s *shape.Shape) { s.Slots, s.Capacity = 1, 1 },
		"no sensitive predicate": func(s *shape.Shape) { s.Architecture.Predicates = []int{7, 0} },
		"one plain predicate":    func(s *shape.Shape) { s.Architecture.Predicates, s.Slots = []int{1, 4095}, 1 },
		"the most predicates":    func(s *shape.Shape) { s.Architecture.Predicates = []int{4096, 0} },
	} {
		if s, err := shape.Parse(additive(t, change)); err != nil || !s.Adds() {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Sizes of additive models that make no circuit are refused in one line for each, naming the field.
func TestAdditiveSizesAreChecked(t *testing.T) {
	for name, change := range map[string]func(s *shape.Shape){
		"equiproof-shape version 1 is not known":        func(s *shape.Shape) { s.Version = 1 },
		"shape: other version 2":                        func(s *shape.Shape) { s.Format = "other" },
		"scheme additives is not known":                 func(s *shape.Shape) { s.Scheme = "additives" },
		"number of hidden layers is 1":                  func(s *shape.Shape) { s.Architecture.Hidden = []int{2} },
		"logits is 2":                                   func(s *shape.Shape) { s.Architecture.Logits = 2 },
		"logits is 0":                                   func(s *shape.Shape) { s.Architecture.Logits = 0 },
		"weight_bits is 15":                             func(s *shape.Shape) { s.Architecture.WeightBits = []int{15} },
		"weight_bits is 17":                             func(s *shape.Shape) { s.Architecture.WeightBits = []int{17} },
		"bias_bits is 23":                               func(s *shape.Shape) { s.Architecture.BiasBits = []int{23} },
		"bias_bits is 25":                               func(s *shape.Shape) { s.Architecture.BiasBits = []int{25} },
		"want two numbers of predicates":                func(s *shape.Shape) { s.Architecture.Predicates = []int{7} },
		"two numbers of predicates, one of weight_bits": func(s *shape.Shape) { s.Architecture.Predicates = []int{7, 1, 1} },
		"want two numbers of predicates, one":           func(s *shape.Shape) { s.Architecture.Predicates = nil },
		"one of weight_bits and one of bias_bits":       func(s *shape.Shape) { s.Architecture.WeightBits = []int{16, 16} },
		"of weight_bits and one of bias_bits":           func(s *shape.Shape) { s.Architecture.BiasBits = []int{24, 24} },
		"and one of bias_bits":                          func(s *shape.Shape) { s.Architecture.BiasBits = []int{} },
		"predicates is 0, want 1":                       func(s *shape.Shape) { s.Architecture.Predicates = []int{0, 1} },
		"predicates is -1, want 1":                      func(s *shape.Shape) { s.Architecture.Predicates = []int{-1, 5} },
		"sensitive predicates is -1":                    func(s *shape.Shape) { s.Architecture.Predicates = []int{7, -1} },
		"sensitive predicates is 4097":                  func(s *shape.Shape) { s.Architecture.Predicates = []int{7, 4097} },
		"predicates is 4097":                            func(s *shape.Shape) { s.Architecture.Predicates = []int{4097, 0} },
		"number of predicates is 4097":                  func(s *shape.Shape) { s.Architecture.Predicates = []int{4096, 1} },
		"slots is 0":                                    func(s *shape.Shape) { s.Slots = 0 },
		"slots is -1":                                   func(s *shape.Shape) { s.Slots = -1 },
		"slots is 8, want 1 to 7":                       func(s *shape.Shape) { s.Slots = 8 },
		"capacity is 0":                                 func(s *shape.Shape) { s.Capacity = 0 },
		"capacity is 6, want a power of two":            func(s *shape.Shape) { s.Capacity = 6 },
		"plain is 0":                                    func(s *shape.Shape) { s.Architecture.Plain = 0 },
		"sensitive is 0":                                func(s *shape.Shape) { s.Architecture.Sensitive = 0 },
		"slices is 1":                                   func(s *shape.Shape) { s.Slices = 1 },
		"input_bits is 1":                               func(s *shape.Shape) { s.InputBits = 1 },
		"radius_bits is 0":                              func(s *shape.Shape) { s.RadiusBits = 0 },
	} {
		if _, err := shape.Parse(additive(t, change)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A network has neither predicates nor slots.
func TestNetworksHaveNoPredicates(t *testing.T) {
	for _, change := range []func(s *shape.Shape){
		func(s *shape.Shape) { s.Slots = 1 }, func(s *shape.Shape) { s.Architecture.Predicates = []int{1, 0} },
	} {
		for _, scheme := range []string{shape.Traversing, shape.Branching, shape.Ranging} {
			s := oracle.ShapeOf(3, 1, []int{2}, 1, 18, 2, 4)
			s.Scheme = scheme
			change(s)
			text, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := shape.Parse(text); err == nil {
				t.Errorf("%s is read with predicates or slots", scheme)
			}
		}
	}
}
