package relation_test

import (
	"fmt"
	"strconv"
	"testing"

	"equiproof/internal/oracle"
	"equiproof/relation"
	"equiproof/shape"
	"equiproof/system"
)

// boxParts are what constraints of relation `additive-box` may be for.
var boxParts = []string{
	"range", "commitment", "digest", "box", "predicates", "slices", "levels", "gains", "close", system.RangeTable,
}

// boxOf returns the shape of an additive model on a box, with a category of so many values each from the column 1 on.
func boxOf(plain, sensitive int, predicates [2]int, categories ...int) *shape.Shape {
	s := oracle.AdditiveShape(plain, sensitive, predicates, 0, 1)
	s.Scheme, s.Slots = shape.AddingBox, 0
	return choosing(s, categories...)
}

// The constraint counts of shapes of additive models on boxes, by parts, are those of testdata/box.csv.
func TestBoxConstraintCounts(t *testing.T) {
	rows := [][]string{append([]string{"inputs", "predicates", "categories", "constraints"}, boxParts...)}
	for _, s := range []*shape.Shape{
		boxOf(13, 1, [2]int{50, 1}, 4),
		boxOf(19, 1, [2]int{45, 5}, 4, 3),
		boxOf(19, 1, [2]int{200, 2}, 4, 3),
	} {
		d, err := system.Groth16.Describe(relation.NewBox(s))
		if err != nil {
			t.Fatal(err)
		}
		a := s.Architecture
		row := []string{
			fmt.Sprintf("%d+%d", a.Plain, a.Sensitive), fmt.Sprintf("%d+%d", a.Predicates[0], a.Predicates[1]),
			strconv.Itoa(len(s.OneHot)), strconv.Itoa(d.Constraints),
		}
		rows = append(rows, append(row, counted(t, d, boxParts)...))
	}
	pinned(t, "box.csv", rows)
}

// boxTreesParts are what constraints of relation `trees-box` may be for; where there are categories, so are gains.
var boxTreesParts = append([]string{"box"}, treesParts...)

// boxTreesOf returns the shape of an ensemble on a box.
func boxTreesOf(plain, sensitive int, predicates, nodes [2]int, slots, rows, capacity int) *shape.Shape {
	return with(shape.GrowingBox, oracle.EnsembleShape(plain, sensitive, predicates, nodes, slots, rows, capacity))
}

// choosing returns a shape of a box with a category of so many values each from the column 1 on.
func choosing(s *shape.Shape, categories ...int) *shape.Shape {
	first := 1
	for _, values := range categories {
		s.OneHot = append(s.OneHot, shape.Choice{First: first, High: 1448, Low: 0, Values: values})
		first += values
	}
	return s
}

// The constraint counts of shapes of ensembles on boxes, by parts, are those of testdata/box_trees.csv.
func TestBoxTreesConstraintCounts(t *testing.T) {
	rows := [][]string{append([]string{
		"inputs", "predicates", "nodes", "slots", "rows", "capacity", "categories", "constraints",
	}, append(boxTreesParts, "gains")...)}
	for _, s := range []*shape.Shape{
		boxTreesOf(19, 1, [2]int{45, 1}, [2]int{20, 126}, 45, 120, 1),
		boxTreesOf(13, 1, [2]int{144, 1}, [2]int{100, 695}, 40, 176, 1),
		boxTreesOf(13, 1, [2]int{144, 1}, [2]int{100, 695}, 40, 176, 4),
		choosing(boxTreesOf(19, 1, [2]int{45, 1}, [2]int{20, 126}, 45, 120, 1), 4, 3),
		choosing(boxTreesOf(13, 1, [2]int{144, 1}, [2]int{100, 695}, 40, 176, 4), 4, 3),
	} {
		if another(s, relation.NewBoxTrees(s)) {
			rows = append(rows, nil)
			continue
		}
		d, err := system.Groth16.Describe(relation.NewBoxTrees(s))
		if err != nil {
			t.Fatal(err)
		}
		a := s.Architecture
		row := []string{
			fmt.Sprintf("%d+%d", a.Plain, a.Sensitive), fmt.Sprintf("%d+%d", a.Predicates[0], a.Predicates[1]),
			fmt.Sprintf("%dx%d", a.Nodes[0], a.Nodes[1]), strconv.Itoa(s.Slots), strconv.Itoa(s.Rows),
			strconv.Itoa(s.Capacity), strconv.Itoa(len(s.OneHot)), strconv.Itoa(d.Constraints),
		}
		if len(s.OneHot) == 0 {
			row = append(append(row, counted(t, d, boxTreesParts)...), "0")
		} else {
			row = append(row, counted(t, d, append(boxTreesParts, "gains"))...)
		}
		rows = append(rows, row)
	}
	pinned(t, "box_trees.csv", rows)
}

// The circuits of several shapes of ensembles on boxes compile, leave no wire to the prover, and have one commitment.
func TestBoxTreesCircuitsAreJudged(t *testing.T) {
	missing := boxTreesOf(3, 1, [2]int{4, 1}, [2]int{2, 5}, 3, 4, 2)
	missing.Architecture.Missing = true
	sets := boxTreesOf(4, 1, [2]int{4, 1}, [2]int{2, 5}, 3, 4, 1)
	sets.Architecture.Categories = []shape.Category{{First: 1, High: 1448, Low: 0, Sets: 2, Values: 3}}
	for name, s := range map[string]*shape.Shape{
		"one node":       boxTreesOf(1, 1, [2]int{1, 0}, [2]int{1, 1}, 1, 1, 1),
		"several leaves": boxTreesOf(2, 1, [2]int{4, 2}, [2]int{3, 6}, 3, 5, 4),
		"missing values": missing,
		"sets":           sets,
		"a category":     choosing(boxTreesOf(3, 1, [2]int{4, 1}, [2]int{2, 5}, 3, 4, 2), 2),
		"two categories": choosing(boxTreesOf(7, 1, [2]int{4, 0}, [2]int{2, 5}, 4, 4, 1), 3, 2),
	} {
		t.Run(name, func(t *testing.T) { judged(t, relation.NewBoxTrees(s)) })
	}
}

// testdata/box_trees_degrees.csv has the largest degree, in the challenge, of the identities of each argument, in the order of the
// circuit: as those of relation `trees`, with the set of ends behind that of inputs and, where there are categories, the set of their
// columns and the sums of their values behind the slots. docs/soundness.md derives the error from them.
func TestDegreesOfEnsemblesOnBoxes(t *testing.T) {
	rows := [][]string{{"predicates", "nodes", "slots", "rows", "capacity", "categories", "degrees"}}
	for _, s := range []*shape.Shape{
		boxTreesOf(3, 1, [2]int{7, 1}, [2]int{2, 6}, 6, 4, 4),
		boxTreesOf(13, 1, [2]int{144, 1}, [2]int{100, 695}, 40, 176, 1),
		choosing(boxTreesOf(13, 1, [2]int{144, 1}, [2]int{100, 695}, 40, 176, 1), 4, 3),
	} {
		if another(s, relation.NewBoxTrees(s)) {
			rows = append(rows, nil)
			continue
		}
		a := s.Architecture
		rows = append(rows, []string{
			fmt.Sprint(a.Predicates), fmt.Sprint(a.Nodes), strconv.Itoa(s.Slots), strconv.Itoa(s.Rows), strconv.Itoa(s.Capacity),
			strconv.Itoa(len(s.OneHot)), fmt.Sprint(degreesOf(t, relation.NewBoxTrees(s))),
		})
	}
	pinned(t, "box_trees_degrees.csv", rows)
}

// The circuits of several shapes of boxes compile, leave no wire to the prover, and have one commitment.
func TestBoxCircuitsAreJudged(t *testing.T) {
	for name, s := range map[string]*shape.Shape{
		"one predicate":          boxOf(1, 1, [2]int{1, 0}),
		"sensitive columns":      boxOf(2, 3, [2]int{4, 4}),
		"a category":             boxOf(3, 1, [2]int{5, 1}, 2),
		"categories, one behind": boxOf(8, 2, [2]int{9, 2}, 3, 2),
	} {
		t.Run(name, func(t *testing.T) { judged(t, relation.NewBox(s)) })
	}
}

// testdata/box_degrees.csv has the largest degree, in the challenge, of the identities of each argument: range checks, the set of
// the table where there are sensitive predicates, that of the ends, and what values add. docs/soundness.md derives the error from them.
func TestDegreesOfBoxes(t *testing.T) {
	rows := [][]string{{"plain", "predicates", "categories", "degrees"}}
	for _, s := range []*shape.Shape{
		boxOf(3, 1, [2]int{7, 1}, 2), boxOf(19, 1, [2]int{45, 5}, 4, 3), boxOf(19, 1, [2]int{200, 0}),
	} {
		rows = append(rows, []string{
			strconv.Itoa(s.Architecture.Plain), fmt.Sprint(s.Architecture.Predicates), strconv.Itoa(len(s.OneHot)),
			fmt.Sprint(degreesOf(t, relation.NewBox(s))),
		})
	}
	pinned(t, "box_degrees.csv", rows)
}
