package relation_test

import (
	"fmt"
	"strconv"
	"testing"

	"equiproof/internal/lint"
	"equiproof/internal/oracle"
	"equiproof/relation"
	"equiproof/shape"
	"equiproof/system"
)

// additiveParts are what constraints of relation `additive` may be for.
var additiveParts = []string{
	"range", "commitment", "digest", "predicates", "slices", "slots", "leaf", "cover", system.RangeTable,
}

// inRanges returns the shape of the relation with ranges of an additive model or an ensemble.
func inRanges(s *shape.Shape) *shape.Shape {
	s.Scheme = map[string]string{shape.Adding: shape.AddingRanges, shape.Growing: shape.GrowingRanges}[s.Scheme]
	return s
}

// The constraint counts of shapes of additive models, by parts, are those of testdata/additive.csv, and with ranges those of
// testdata/additive_ranges.csv.
func TestAdditiveConstraintCounts(t *testing.T) {
	parts := func(t *testing.T, name string, parts []string, shapes ...*shape.Shape) {
		rows := [][]string{append([]string{"inputs", "predicates", "slots", "capacity", "constraints"}, parts...)}
		for _, s := range shapes {
			if another(s, relation.NewAdditive(s)) {
				rows = append(rows, nil)
				continue
			}
			d, err := system.Groth16.Describe(relation.NewAdditive(s))
			if err != nil {
				t.Fatal(err)
			}
			a := s.Architecture
			row := []string{
				fmt.Sprintf("%d+%d", a.Plain, a.Sensitive), fmt.Sprintf("%d+%d", a.Predicates[0], a.Predicates[1]),
				strconv.Itoa(s.Slots), strconv.Itoa(s.Capacity), strconv.Itoa(d.Constraints),
			}
			rows = append(rows, append(row, counted(t, d, parts)...))
		}
		pinned(t, name, rows)
	}
	parts(t, "additive.csv", additiveParts,
		oracle.AdditiveShape(19, 1, [2]int{45, 5}, 40, 8),
		oracle.AdditiveShape(19, 1, [2]int{45, 5}, 40, 32),
		oracle.AdditiveShape(13, 1, [2]int{50, 1}, 24, 32),
		oracle.AdditiveShape(19, 1, [2]int{200, 2}, 80, 32),
	)
	parts(t, "additive_ranges.csv", append([]string{"ranges"}, additiveParts...),
		inRanges(oracle.AdditiveShape(19, 1, [2]int{45, 5}, 40, 32)),
		inRanges(oracle.AdditiveShape(19, 1, [2]int{200, 2}, 80, 32)),
	)
}

// The circuits of several additive shapes compile, leave no wire to the prover, and have one commitment.
func TestAdditiveCircuitsAreJudged(t *testing.T) {
	for name, s := range map[string]*shape.Shape{
		"one predicate":      oracle.AdditiveShape(1, 1, [2]int{1, 0}, 1, 1),
		"two columns":        oracle.AdditiveShape(2, 1, [2]int{3, 1}, 3, 2),
		"sensitive columns":  oracle.AdditiveShape(2, 3, [2]int{4, 4}, 2, 4),
		"a second challenge": oracle.AdditiveShape(3, 1, [2]int{44, 0}, 42, 2),
		"one range":          inRanges(oracle.AdditiveShape(1, 1, [2]int{1, 0}, 1, 1)),
		"ranges":             inRanges(oracle.AdditiveShape(3, 2, [2]int{4, 2}, 3, 2)),
	} {
		t.Run(name, func(t *testing.T) {
			judged(t, relation.NewAdditive(s))
		})
	}
}

// testdata/additive_degrees.csv has the largest degree, in the challenge, of the identities of each argument: range checks,
// the sets of inputs and of slots, and the coverage. docs/soundness.md derives the error from them.
func TestDegreesOfAdditiveModels(t *testing.T) {
	rows := [][]string{{"scheme", "plain", "predicates", "slots", "capacity", "range checks", "inputs' set", "slots' set", "cover"}}
	for _, s := range []*shape.Shape{
		oracle.AdditiveShape(3, 1, [2]int{7, 1}, 6, 8),
		oracle.AdditiveShape(19, 1, [2]int{45, 5}, 40, 32),
		oracle.AdditiveShape(3, 1, [2]int{44, 0}, 42, 2), // a second challenge
		inRanges(oracle.AdditiveShape(19, 1, [2]int{45, 5}, 40, 32)),
	} {
		if another(s, relation.NewAdditive(s)) {
			rows = append(rows, nil)
			continue
		}
		degrees := degreesOf(t, relation.NewAdditive(s))
		row := []string{
			s.Scheme, strconv.Itoa(s.Architecture.Plain), fmt.Sprint(s.Architecture.Predicates), strconv.Itoa(s.Slots), strconv.Itoa(s.Capacity),
		}
		for _, degree := range degrees {
			row = append(row, strconv.FormatUint(degree, 10))
		}
		rows = append(rows, row)
	}
	pinned(t, "additive_degrees.csv", rows)
}

// degreesOf returns the largest degree of the identities of each argument of a circuit.
func degreesOf(t *testing.T, circuit relation.Circuit) []uint64 {
	t.Helper()
	compiled, err := system.Groth16.Compile(circuit)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := lint.Read(compiled)
	if err != nil {
		t.Fatal(err)
	}
	degrees, err := opened.Degrees()
	if err != nil {
		t.Fatal(err)
	}
	return degrees
}
