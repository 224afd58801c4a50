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

// treesParts are what constraints of relation `trees` may be for.
var treesParts = []string{
	"range", "commitment", "digest", "predicates", "slices", "slots", "nodes", "leaf", "rows", "cover", system.RangeTable,
}

// The constraint counts of shapes of ensembles, by parts, are those of testdata/trees.csv.
func TestTreesConstraintCounts(t *testing.T) {
	rows := [][]string{append([]string{
		"inputs", "predicates", "nodes", "slots", "rows", "capacity", "constraints",
	}, treesParts...)}
	for _, s := range []*shape.Shape{
		oracle.EnsembleShape(19, 1, [2]int{45, 1}, [2]int{20, 126}, 48-3, 120, 8),
		oracle.EnsembleShape(13, 1, [2]int{144, 1}, [2]int{100, 695}, 80, 288, 16),
		oracle.EnsembleShape(13, 1, [2]int{232, 1}, [2]int{100, 1437}, 120, 480, 32),
		oracle.EnsembleShape(13, 1, [2]int{236, 1}, [2]int{200, 1376}, 120, 576, 32),
		oracle.EnsembleShape(13, 1, [2]int{628, 1}, [2]int{300, 11748}, 192, 640, 8),
	} {
		d, err := system.Groth16.Describe(relation.NewTrees(s))
		if err != nil {
			t.Fatal(err)
		}
		a := s.Architecture
		row := []string{
			fmt.Sprintf("%d+%d", a.Plain, a.Sensitive), fmt.Sprintf("%d+%d", a.Predicates[0], a.Predicates[1]),
			fmt.Sprintf("%dx%d", a.Nodes[0], a.Nodes[1]), strconv.Itoa(s.Slots), strconv.Itoa(s.Rows),
			strconv.Itoa(s.Capacity), strconv.Itoa(d.Constraints),
		}
		rows = append(rows, append(row, counted(t, d, treesParts)...))
	}
	pinned(t, "trees.csv", rows)
}

// testdata/trees_degrees.csv has the largest degree, in the challenge, of the identities of each argument: range checks, the
// sets of the nodes and slots, the sets of the leaves, charges, marks, and the coverage, in the order of the circuit.
func TestDegreesOfEnsembles(t *testing.T) {
	rows := [][]string{{"predicates", "nodes", "slots", "rows", "capacity", "degrees"}}
	for _, s := range []*shape.Shape{
		oracle.EnsembleShape(3, 1, [2]int{7, 1}, [2]int{2, 6}, 6, 4, 4),
		oracle.EnsembleShape(19, 1, [2]int{45, 1}, [2]int{20, 126}, 40, 120, 8),
		oracle.EnsembleShape(3, 1, [2]int{44, 0}, [2]int{2, 6}, 42, 4, 2), // a second challenge
	} {
		a := s.Architecture
		rows = append(rows, []string{
			fmt.Sprint(a.Predicates), fmt.Sprint(a.Nodes), strconv.Itoa(s.Slots), strconv.Itoa(s.Rows), strconv.Itoa(s.Capacity),
			fmt.Sprint(degreesOf(t, relation.NewTrees(s))),
		})
	}
	pinned(t, "trees_degrees.csv", rows)
}
