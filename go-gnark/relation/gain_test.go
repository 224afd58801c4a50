package relation_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"equiproof/internal/oracle"
	"equiproof/relation"
	"equiproof/shape"
	"equiproof/system"
)

// gainOf compiles a shape under relation `gain`.
func gainOf(t *testing.T, s *shape.Shape) *relation.Gain {
	t.Helper()
	circuit, err := relation.NewGain(with(shape.Gaining, s))
	if err != nil {
		t.Fatal(err)
	}
	return circuit
}

// The constraint counts of relation `gain` for shapes that the benchmarks use, by parts, and those of scheme `branch` for the
// same network, two slices and as many leaves, are those of testdata/gain.csv. They never double.
func TestGainConstraintCounts(t *testing.T) {
	t.Parallel()
	rows := [][]string{append([]string{"inputs", "hidden", "slices", "capacity", "branch", "constraints"}, branchParts...)}
	for _, s := range []*shape.Shape{
		oracle.ShapeOf(18, 2, []int{8, 2}, 1, 18, 2, 4),
		oracle.ShapeOf(18, 2, []int{8, 2}, 1, 18, 2, 64),
		oracle.ShapeOf(13, 10, []int{8, 2}, 1, 18, 2, 64),
		oracle.ShapeOf(20, 1, []int{8}, 1, 18, 2, 32),
		oracle.ShapeOf(18, 2, []int{4, 3, 2}, 1, 18, 2, 32),
		oracle.ShapeOf(18, 2, []int{64, 64}, 1, 18, 2, 8),
		oracle.ShapeOf(18, 2, []int{100, 50}, 1, 18, 2, 8),
	} {
		if another(s, gainOf(t, s)) {
			rows = append(rows, nil)
			continue
		}
		branch := described(t, with(shape.Branching, s)).Constraints
		d, err := system.Groth16.Describe(gainOf(t, s))
		if err != nil {
			t.Fatal(err)
		}
		if d.Constraints >= 2*branch {
			t.Errorf("%v: %d constraints, twice those of scheme branch are %d", sizes(s), d.Constraints, 2*branch)
		}
		row := append(sizes(s), strconv.Itoa(branch), strconv.Itoa(d.Constraints))
		rows = append(rows, append(row, counted(t, d, branchParts)...))
	}
	pinned(t, "gain.csv", rows)
}

// The circuits of several shapes, deep ones with roundings among them, compile, leave no wire to the prover, have one
// commitment, and use every wire of their layout.
func TestGainCircuitsAreJudged(t *testing.T) {
	for name, s := range map[string]*shape.Shape{
		"one neuron":   oracle.ShapeOf(2, 1, []int{1}, 1, 18, 2, 2),
		"one layer":    oracle.ShapeOf(2, 1, []int{3}, 1, 18, 2, 4),
		"two layers":   oracle.ShapeOf(3, 1, []int{3, 2}, 1, 18, 2, 4),
		"two logits":   oracle.ShapeOf(2, 2, []int{2, 1}, 2, 18, 2, 4),
		"three logits": oracle.ShapeOf(2, 2, []int{2}, 3, 18, 2, 4),
		"three layers": oracle.ShapeOf(2, 1, []int{2, 1, 2}, 2, 18, 2, 8),
		"nine layers":  oracle.ShapeOf(2, 1, []int{2, 2, 2, 2, 2, 2, 2, 2, 2}, 3, 18, 2, 4),
		"many neurons": oracle.ShapeOf(2, 1, []int{150}, 1, 18, 2, 4),
	} {
		t.Run(name, func(t *testing.T) { judged(t, gainOf(t, s)) })
	}
}

// Wires have the names of scheme `branch`: those of the bounds of its shape, with roundings and widths of the pair, those of the
// tree and the leaves of the pair's.
func TestGainLayout(t *testing.T) {
	s := with(shape.Gaining, oracle.ShapeOf(3, 2, []int{3, 2}, 3, 18, 2, 8))
	lengths := map[string]int{}
	for _, segment := range gainOf(t, s).Layout() {
		lengths[segment.Name] += segment.Length
	}
	for name, want := range map[string]int{
		"least_gain": 1, "logit_fraction_bits": 1, "table": 4, "first_radii": 3, "low.1": 6, "upper.2": 4, "chosen_slice": 8,
		"signs": 8 * 10, "key": 7, "multiplier": 8 * 2, "leaf_lower.1": 8 * 2 * 6, "coefficients.2.0": 2 * 2 * 2 * 5,
		"coefficients.3.0": 8 * 2 * 7, "of_slice": 0, "range_low": 0,
	} {
		if lengths[name] != want {
			t.Errorf("%s: %d wires, want %d", name, lengths[name], want)
		}
	}
	branch, err := relation.NewBranch(with(shape.Branching, oracle.ShapeOf(3, 2, []int{3, 2}, 3, 18, 2, 8)))
	if err != nil {
		t.Fatal(err)
	}
	names := func(layout []relation.Segment) (found []string) {
		for _, segment := range layout {
			if !strings.HasPrefix(segment.Name, "least_") && segment.Name != "logit_fraction_bits" {
				found = append(found, segment.Name)
			}
		}
		return found
	}
	if found, want := names(gainOf(t, s).Layout()), names(branch.Layout()); !slices.Equal(found, want) {
		t.Errorf("%v, want %v", found, want)
	}
}

// A network whose pair the field does not hold has no circuit, and the refusal is one line.
func TestGainsThatAreTooDeep(t *testing.T) {
	s := with(shape.Gaining, oracle.ShapeOf(13, 1, slices.Repeat([]int{5}, 14), 1, 18, 2, 4))
	if _, err := relation.NewGain(s); err == nil || !strings.HasPrefix(err.Error(), "shape: layer ") {
		t.Errorf("%v", err)
	}
}
