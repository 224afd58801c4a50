package relation_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"equiproof/internal/adversary"
	"equiproof/internal/oracle"
	"equiproof/internal/turns"
	"equiproof/relation"
	"equiproof/shape"
	"equiproof/system"
)

// constraintsOf counts the constraints of a circuit.
func constraintsOf(t *testing.T, circuit relation.Circuit) int {
	t.Helper()
	d, err := system.Groth16.Describe(circuit)
	if err != nil {
		t.Fatal(err)
	}
	return d.Constraints
}

// testdata/kept.csv has the constraints of shapes whose model is opened and of the same ones with a kept model, the words of the model,
// and the constraints of links, which are proven once.
func TestKeptConstraintCounts(t *testing.T) {
	t.Parallel()
	rows := [][]string{{"scheme", "inputs", "model", "capacity", "opened", "kept", "words", "link"}}
	for _, s := range []*shape.Shape{
		with(shape.Branching, oracle.ShapeOf(18, 2, []int{4, 2}, 1, 18, 2, 8)),
		with(shape.Branching, oracle.ShapeOf(18, 2, []int{16, 8}, 1, 18, 2, 32)),
		with(shape.Branching, oracle.ShapeOf(18, 2, []int{100, 50}, 1, 18, 2, 8)),
		with(shape.Branching, oracle.ShapeOf(18, 2, []int{100, 50}, 1, 18, 2, 32)),
		with(shape.Branching, oracle.ShapeOf(11, 2, []int{100, 100}, 1, 18, 2, 16)),
		with(shape.Ranging, oracle.ShapeOf(18, 2, []int{16, 8}, 1, 18, 2, 32)),
		with(shape.Gaining, oracle.ShapeOf(18, 2, []int{16, 8}, 1, 18, 2, 32)),
		oracle.ShapeOf(18, 2, []int{4, 2}, 1, 18, 2, 32),
		oracle.AdditiveShape(13, 1, [2]int{28, 1}, 28, 32),
		oracle.AdditiveShape(13, 1, [2]int{806, 1}, 208, 32),
		oracle.EnsembleShape(13, 1, [2]int{112, 1}, [2]int{100, 698}, 80, 288, 16),
		oracle.EnsembleShape(13, 1, [2]int{179, 1}, [2]int{100, 1452}, 120, 480, 32),
		oracle.EnsembleShape(13, 1, [2]int{244, 1}, [2]int{300, 8990}, 192, 640, 8),
		inRanges(oracle.EnsembleShape(13, 1, [2]int{112, 1}, [2]int{100, 698}, 80, 288, 16)),
	} {
		if another(s, selected(t, s)) {
			rows = append(rows, nil)
			continue
		}
		a, kept := s.Architecture, selected(t, keptShape(s))
		model := strings.Trim(strings.ReplaceAll(fmt.Sprint(a.Hidden), " ", "x"), "[]")
		if len(a.Predicates) > 0 {
			model = fmt.Sprintf("%d+%d", a.Predicates[0], a.Predicates[1])
		}
		if len(a.Nodes) > 0 {
			model += fmt.Sprintf(" %dx%d", a.Nodes[0], a.Nodes[1])
		}
		rows = append(rows, []string{
			s.Scheme, fmt.Sprintf("%d+%d", a.Plain, a.Sensitive), model, strconv.Itoa(s.Capacity),
			strconv.Itoa(constraintsOf(t, selected(t, s))), strconv.Itoa(constraintsOf(t, kept)), strconv.Itoa(relation.Words(kept)),
			strconv.Itoa(constraintsOf(t, relation.NewLink(shape.LinkOf(s)))),
		})
	}
	pinned(t, "kept.csv", rows)
}

// keptShapes are shapes of every relation that has a kept form, deep ones with roundings among them, with missing values and sets.
func keptShapes() map[string]*shape.Shape {
	missing := oracle.EnsembleShape(4, 1, [2]int{3, 1}, [2]int{2, 5}, 3, 4, 2)
	missing.Architecture.Missing = true
	sets := oracle.EnsembleShape(4, 1, [2]int{4, 1}, [2]int{2, 5}, 3, 4, 2)
	sets.Architecture.Categories = []shape.Category{{First: 1, High: 1448, Low: 0, Sets: 2, Values: 3}}
	both := *sets
	both.Architecture.Missing = true
	absent := oracle.AdditiveShape(4, 1, [2]int{3, 1}, 3, 2)
	absent.Architecture.Missing = true
	return map[string]*shape.Shape{
		"traversal":                oracle.ShapeOf(2, 1, []int{2, 2}, 1, 18, 2, 8),
		"traversal, one neuron":    oracle.ShapeOf(2, 1, []int{1}, 1, 18, 2, 4),
		"branch, one layer":        with(shape.Branching, oracle.ShapeOf(2, 1, []int{1}, 1, 18, 2, 4)),
		"branch, three logits":     with(shape.Branching, oracle.ShapeOf(2, 2, []int{2}, 3, 18, 3, 4)),
		"branch, nine layers":      with(shape.Branching, oracle.ShapeOf(2, 1, []int{2, 2, 2, 2, 2, 2, 2, 2, 2}, 1, 18, 2, 4)),
		"branch, many slices":      with(shape.Branching, oracle.ShapeOf(2, 1, []int{2, 1}, 1, 18, 5, 8)),
		"ranges, nine layers":      ranging(oracle.ShapeOf(2, 1, []int{2, 2, 2, 2, 2, 2, 2, 2, 2}, 3, 18, 2, 4)),
		"gain, one neuron":         with(shape.Gaining, oracle.ShapeOf(2, 1, []int{1}, 1, 18, 2, 2)),
		"gain, three layers":       with(shape.Gaining, oracle.ShapeOf(2, 1, []int{2, 1, 2}, 2, 18, 2, 8)),
		"additive":                 oracle.AdditiveShape(3, 1, [2]int{4, 2}, 3, 4),
		"additive, one predicate":  oracle.AdditiveShape(1, 1, [2]int{1, 0}, 1, 1),
		"additive, ranges":         inRanges(oracle.AdditiveShape(3, 1, [2]int{4, 2}, 3, 4)),
		"additive, missing values": absent,
		"trees, one node":          oracle.EnsembleShape(1, 1, [2]int{1, 0}, [2]int{1, 1}, 1, 1, 1),
		"trees":                    oracle.EnsembleShape(2, 1, [2]int{3, 1}, [2]int{2, 6}, 3, 5, 4),
		"trees, no child is one":   oracle.EnsembleShape(2, 1, [2]int{3, 1}, [2]int{4, 4}, 2, 3, 2),
		"trees, ranges":            inRanges(oracle.EnsembleShape(3, 2, [2]int{4, 2}, [2]int{2, 5}, 3, 4, 2)),
		"trees, missing values":    missing,
		"trees, sets":              sets,
		"trees, sets, missing":     &both,
	}
}

// testdata/visited.csv has the constraints of ensembles whose certificates visit nodes, with room for so many passed ones, the words of
// the model, and the constraints of links. Those of certificates that resolve every node are in kept.csv.
func TestVisitedConstraintCounts(t *testing.T) {
	t.Parallel()
	rows := [][]string{{"inputs", "predicates", "nodes", "slots", "rows", "capacity", "passed", "constraints", "words", "link"}}
	links := map[string]string{}
	for _, s := range []*shape.Shape{
		passing(oracle.EnsembleShape(13, 1, [2]int{112, 1}, [2]int{100, 698}, 80, 288, 16), 305),
		passing(oracle.EnsembleShape(13, 1, [2]int{179, 1}, [2]int{100, 1452}, 120, 480, 32), 501),
		passing(oracle.EnsembleShape(13, 1, [2]int{244, 1}, [2]int{300, 8990}, 192, 640, 8), 1910),
		passing(oracle.EnsembleShape(13, 1, [2]int{244, 1}, [2]int{300, 8990}, 192, 640, 8), 1989),
		passing(oracle.EnsembleShape(13, 1, [2]int{863, 1}, [2]int{42, 27805}, 192, 640, 8), 1799),
		passing(oracle.EnsembleShape(13, 1, [2]int{863, 1}, [2]int{42, 27805}, 192, 640, 8), 2192),
	} {
		if another(s, selected(t, s)) {
			rows = append(rows, nil)
			continue
		}
		a, nodes := s.Architecture, fmt.Sprintf("%dx%d", s.Architecture.Nodes[0], s.Architecture.Nodes[1])
		if links[nodes] == "" {
			links[nodes] = strconv.Itoa(constraintsOf(t, relation.NewLink(shape.LinkOf(s))))
		}
		rows = append(rows, []string{
			fmt.Sprintf("%d+%d", a.Plain, a.Sensitive), fmt.Sprintf("%d+%d", a.Predicates[0], a.Predicates[1]), nodes,
			strconv.Itoa(s.Slots), strconv.Itoa(s.Rows), strconv.Itoa(s.Capacity), strconv.Itoa(s.Passed),
			strconv.Itoa(constraintsOf(t, selected(t, s))), strconv.Itoa(relation.Words(selected(t, s))), links[nodes],
		})
	}
	pinned(t, "visited.csv", rows)
}

// passing is the shape of a kept ensemble whose certificates visit nodes, with room for so many passed ones.
func passing(s *shape.Shape, passed int) *shape.Shape {
	visiting := keptShape(s)
	visiting.Passed = passed
	return visiting
}

// visitingShapes are shapes of ensembles that visit nodes, of every kind.
func visitingShapes() map[string]*shape.Shape {
	found := map[string]*shape.Shape{}
	for name, s := range keptShapes() {
		if s.Grows() {
			found[name+", visited"] = passing(s, min(2, s.Architecture.Nodes[1]))
		}
	}
	return found
}

// The circuits of kept models and of their links leave no wire to the prover; those of links have one commitment. As seen proofs help
// nobody where digest and challenge stand apart (docs/soundness.md), TestDigestAndChallengeStandApart, they do in both.
func TestKeptCircuitsAreJudged(t *testing.T) {
	shapes := visitingShapes()
	for name, s := range keptShapes() {
		shapes[name] = keptShape(s)
	}
	for name, s := range shapes {
		for kind, circuit := range map[string]relation.Circuit{
			"certificates": selected(t, s), "links": relation.NewLink(shape.LinkOf(s)),
		} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				turns.Take(t)
				compiled, _, err := system.Groth16.Judged(circuit)
				if err != nil {
					t.Fatal(err)
				}
				opened := adversary.Open(t, compiled).Prover.System
				if (opened.First != nil) != (kind == "certificates") {
					t.Errorf("the first of two commitments is %v", opened.First)
				}
				const digest = 1
				if !adversary.Apart(opened, digest) || !adversary.Apart(opened, opened.Challenge) {
					t.Errorf("digest apart %v, challenge apart %v", adversary.Apart(opened, digest), adversary.Apart(opened, opened.Challenge))
				}
			})
		}
	}
}

// There are no kept models, and so no links, under PLONK: the refusal says what to use.
func TestKeptModelsAreOfGroth16(t *testing.T) {
	s := with(shape.Branching, oracle.ShapeOf(2, 1, []int{2, 2}, 1, 18, 2, 4))
	for _, circuit := range []relation.Circuit{selected(t, keptShape(s)), relation.NewLink(shape.LinkOf(s))} {
		if _, err := system.Plonk.Compile(circuit); err == nil || !strings.HasPrefix(err.Error(), "use groth16-bn254, or leave out model: ") {
			t.Errorf("%v", err)
		}
	}
	if relation.Words(selected(t, s)) != 0 {
		t.Error("a shape whose model is opened has words")
	}
}

// The identities at the last challenge are those of the same shape whose model is opened, of no higher degree: that of the range checks
// falls with their number. What follows from the first challenge is in none of them.
func TestDegreesOfKeptModels(t *testing.T) {
	for name, s := range keptShapes() {
		opened, kept := identities(t, s), identities(t, keptShape(s))
		if len(kept) != len(opened) {
			t.Errorf("%s: %d identities, want %d", name, len(kept), len(opened))
			continue
		}
		for i := range kept {
			if kept[i] > opened[i] || i > 0 && kept[i] != opened[i] {
				t.Errorf("%s: identity %d is of degree %d, of an opened model %d", name, i, kept[i], opened[i])
			}
		}
	}
}

// No identity of an ensemble that visits nodes is of a higher degree than the highest of one that resolves every node, if there is room
// for no more rows and passed nodes than nodes.
func TestDegreesOfVisitedEnsembles(t *testing.T) {
	s := passing(oracle.EnsembleShape(19, 1, [2]int{45, 1}, [2]int{20, 126}, 40, 60, 8), 66)
	whole := *s
	whole.Passed = 0
	if visited, kept := slices.Max(identities(t, s)), slices.Max(identities(t, &whole)); visited > kept {
		t.Errorf("an identity of degree %d, of a circuit that resolves every node at most %d", visited, kept)
	}
}
