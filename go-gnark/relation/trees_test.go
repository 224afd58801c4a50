package relation_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"

	"equiproof/internal/adversary"
	"equiproof/internal/oracle"
	"equiproof/relation"
	"equiproof/shape"
	"equiproof/system"
)

// treesParts are what constraints of relation `trees` may be for.
var treesParts = []string{
	"range", "commitment", "digest", "predicates", "slices", "slots", "nodes", "leaf", "rows", "cover", system.RangeTable,
}

// The constraint counts of shapes of ensembles, by parts, are those of testdata/trees.csv, and with ranges those of
// testdata/trees_ranges.csv.
func TestTreesConstraintCounts(t *testing.T) {
	parts := func(t *testing.T, name string, parts []string, shapes ...*shape.Shape) {
		rows := [][]string{append([]string{
			"inputs", "predicates", "nodes", "slots", "rows", "capacity", "constraints",
		}, parts...)}
		for _, s := range shapes {
			if another(s, relation.NewTrees(s)) {
				rows = append(rows, nil)
				continue
			}
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
			rows = append(rows, append(row, counted(t, d, parts)...))
		}
		pinned(t, name, rows)
	}
	parts(t, "trees.csv", treesParts,
		oracle.EnsembleShape(19, 1, [2]int{45, 1}, [2]int{20, 126}, 48-3, 120, 8),
		oracle.EnsembleShape(13, 1, [2]int{144, 1}, [2]int{100, 695}, 80, 288, 16),
		oracle.EnsembleShape(13, 1, [2]int{232, 1}, [2]int{100, 1437}, 120, 480, 32),
		oracle.EnsembleShape(13, 1, [2]int{236, 1}, [2]int{200, 1376}, 120, 576, 32),
		oracle.EnsembleShape(13, 1, [2]int{628, 1}, [2]int{300, 11748}, 192, 640, 8),
	)
	parts(t, "trees_ranges.csv", append([]string{"ranges"}, treesParts...),
		inRanges(oracle.EnsembleShape(19, 1, [2]int{45, 1}, [2]int{20, 126}, 48-3, 120, 8)),
		inRanges(oracle.EnsembleShape(13, 1, [2]int{144, 1}, [2]int{100, 695}, 80, 288, 16)),
	)
}

// testdata/trees_degrees.csv has the largest degree, in the challenge, of the identities of each argument: range checks, the
// sets of the nodes and slots, the sets of the leaves, charges, marks, and the coverage, in the order of the circuit.
func TestDegreesOfEnsembles(t *testing.T) {
	rows := [][]string{{"scheme", "predicates", "nodes", "slots", "rows", "capacity", "degrees"}}
	for _, s := range []*shape.Shape{
		oracle.EnsembleShape(3, 1, [2]int{7, 1}, [2]int{2, 6}, 6, 4, 4),
		oracle.EnsembleShape(19, 1, [2]int{45, 1}, [2]int{20, 126}, 40, 120, 8),
		oracle.EnsembleShape(3, 1, [2]int{44, 0}, [2]int{2, 6}, 42, 4, 2), // a second challenge
		inRanges(oracle.EnsembleShape(19, 1, [2]int{45, 1}, [2]int{20, 126}, 40, 120, 8)),
	} {
		if another(s, relation.NewTrees(s)) {
			rows = append(rows, nil)
			continue
		}
		a := s.Architecture
		rows = append(rows, []string{
			s.Scheme, fmt.Sprint(a.Predicates), fmt.Sprint(a.Nodes), strconv.Itoa(s.Slots), strconv.Itoa(s.Rows), strconv.Itoa(s.Capacity),
			fmt.Sprint(degreesOf(t, relation.NewTrees(s))),
		})
	}
	pinned(t, "trees_degrees.csv", rows)
}

// The circuits of several shapes of ensembles compile, leave no wire to the prover, and have one commitment.
func TestEnsembleCircuitsAreJudged(t *testing.T) {
	many := oracle.EnsembleShape(2, 3, [2]int{3, 5}, [2]int{2, 5}, 3, 4, 2)
	many.Slices = 53
	for name, s := range map[string]*shape.Shape{
		"one node":             oracle.EnsembleShape(1, 1, [2]int{1, 0}, [2]int{1, 1}, 1, 1, 1),
		"no child is a node":   oracle.EnsembleShape(2, 1, [2]int{3, 1}, [2]int{4, 4}, 2, 3, 2),
		"one tree":             oracle.EnsembleShape(2, 1, [2]int{3, 1}, [2]int{1, 9}, 3, 9, 4),
		"no sensitive one":     oracle.EnsembleShape(2, 1, [2]int{3, 0}, [2]int{2, 5}, 3, 4, 2),
		"sensitive columns":    many,
		"a block and one slot": oracle.EnsembleShape(3, 1, [2]int{44, 2}, [2]int{3, 7}, 41, 5, 2),
		"one range":            inRanges(oracle.EnsembleShape(1, 1, [2]int{1, 0}, [2]int{1, 1}, 1, 1, 1)),
		"ranges":               inRanges(oracle.EnsembleShape(3, 2, [2]int{4, 2}, [2]int{2, 5}, 3, 4, 2)),
	} {
		t.Run(name, func(t *testing.T) {
			judged(t, relation.NewTrees(s))
		})
	}
}

// The counts of sets that a prover gives are held: one more of some row makes no query a row that is none, and of honest
// wires one count more and another one less are refused.
func TestCountsOfEnsemblesAreHeld(t *testing.T) {
	eachComposed(t, func(t *testing.T, c *composed) {
		if !c.Shape.Grows() || c.Shape.Ranges() {
			t.Skip("these lies are told of an ensemble without ranges")
		}
		circuit := circuitOf(t, &c.Shape)
		var counts []int
		for wire, hint := range circuit.Prover.Hints {
			if strings.HasSuffix(hint, ".multiplicities") {
				counts = append(counts, wire)
			}
		}
		slices.Sort(counts)
		lies := map[string]*witnessed{"honest": c.Witnesses[0]}
		for _, of := range c.Witnesses {
			if slices.Contains([]string{"no-row-with-a-value", "an-empty-row-of-no-id", "a-better-value"}, of.Name) {
				lies[of.Name] = of
			}
		}
		if len(counts) == 0 || strings.HasSuffix(t.Name(), "/ensemble") && len(lies) != 4 {
			t.Fatalf("%d witnesses, %d counts", len(lies), len(counts))
		}
		for name, of := range lies {
			inputs := c.inputs(t, of)
			for at := 0; at < len(counts); at += 1 + len(counts)/60 {
				other := counts[(at+7)%len(counts)] // not of the row beside it, which may be equal
				change := func(wire int, origin adversary.Origin, value *fr.Element) {
					one := fr.One()
					switch {
					case origin == adversary.Hint && wire == counts[at]:
						value.Add(value, &one)
					case origin == adversary.Hint && wire == other && name == "honest":
						value.Sub(value, &one)
					}
				}
				if len(circuit.Prover.Solve(inputs, change).Violated) == 0 {
					t.Errorf("%s: count %d is of one's own choice", name, at)
				}
			}
		}
	})
}
