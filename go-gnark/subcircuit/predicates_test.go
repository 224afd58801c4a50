package subcircuit_test

import (
	"maps"
	"math/big"
	"slices"
	"testing"

	"equiproof/internal/adversary"
	"equiproof/internal/oracle"
	"equiproof/shape"
	"equiproof/subcircuit"
	"equiproof/system"
)

// made compiles a sub-circuit of a shape, with the given wires.
func made(t *testing.T, name string, s *shape.Shape, wires map[string][]int64) *alone {
	t.Helper()
	circuit, err := subcircuit.New(name, s)
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := system.Groth16.Compile(circuit)
	if err != nil {
		t.Fatal(err)
	}
	c := &alone{adversary.Open(t, compiled), name, circuit.Layout(), map[string][]*big.Int{"blinding": {big.NewInt(99)}}}
	for wire, values := range wires {
		for _, value := range values {
			c.wires[wire] = append(c.wires[wire], big.NewInt(value))
		}
	}
	return c
}

// Predicates ascend strictly by column, then by threshold, at both ends of what thresholds can be. The query is 0 everywhere.
func TestPredicatesOfScoresAscend(t *testing.T) {
	c, most := based(t, "predicates"), int64(1)<<17-1
	columns, thresholds, sides := c.wires["columns"], c.wires["thresholds"], c.wires["side"]
	for _, one := range []struct {
		label      string
		first      int // the two predicates from here on
		columns    [2]int64
		thresholds [2]int64
		right      bool
	}{
		{"the first two descend", 0, [2]int64{0, 0}, [2]int64{-10, -30}, false},
		{"the first two are equal", 0, [2]int64{0, 0}, [2]int64{-10, -10}, false},
		{"the last two of plain columns descend", 4, [2]int64{1, 1}, [2]int64{70, 15}, false},
		{"the last two of plain columns are equal", 4, [2]int64{1, 1}, [2]int64{70, 70}, false},
		{"a column behind another falls as far as it can", 3, [2]int64{0, 1}, [2]int64{most, -most - 1}, true},
		{"a lower column rises as far as it can", 3, [2]int64{1, 0}, [2]int64{-most - 1, most}, false},
	} {
		c.wires["columns"], c.wires["thresholds"], c.wires["side"] = columns, thresholds, sides
		for i := range 2 {
			c.set("columns", one.first+i, one.columns[i])
			c.set("thresholds", one.first+i, one.thresholds[i])
			c.set("side", one.first+i, map[bool]int64{true: 1}[one.thresholds[i] >= 0])
		}
		if one.right {
			c.accepted(t, one.label)
		} else {
			c.refused(t, one.label)
		}
	}
}

// Where there is one column of a kind, no predicate is compared with another: not even with one that is there to be looked up,
// a slice's value for a plain predicate, the query's or the next slice's for a sensitive one.
func TestPredicatesOfTheOnlyColumn(t *testing.T) {
	for label, s := range map[string]*shape.Shape{
		"additive": oracle.AdditiveShape(1, 1, [2]int{1, 1}, 1, 2),
		"ensemble": oracle.EnsembleShape(1, 1, [2]int{1, 1}, [2]int{2, 4}, 1, 3, 2),
	} {
		c := made(t, "predicates", s, map[string][]int64{
			"columns": {0, 1}, "thresholds": {7, 8}, "table": {-20, 1024}, "query": {9}, "radius_squared": {0}, "side": {0}, "dead": {1},
			"side_of_slice": {1, 0}, "at": {9}, "sensitive_at": {-20, 1024},
		})
		c.accepted(t, label)
		// Thresholds ascend, so that only the columns' own checks refuse two predicates of one column.
		c.set("columns", 0, 1)
		c.set("at", 0, -20)
		c.set("side", 0, 1)
		c.refused(t, label+": a plain predicate of the first slice's value")
		c.set("columns", 0, -1)
		c.refused(t, label+": a plain column below 0")
		c.wires["columns"][0] = new(big.Int).Lsh(big.NewInt(1), 250)
		c.refused(t, label+": a plain column far away")
		c.set("columns", 0, 0)
		c.set("at", 0, 9)
		c.set("side", 0, 0)
		c.accepted(t, label+", again")
		c.set("columns", 1, 0)
		c.set("sensitive_at", 0, 9)
		c.set("sensitive_at", 1, -20)
		c.set("side_of_slice", 0, 0)
		c.set("side_of_slice", 1, 1)
		c.refused(t, label+": a sensitive predicate of the query")
	}
}

// Sensitive predicates ascend, too, and each is compared with its own values and has its own sides.
func TestSensitivePredicatesOfScoresAscend(t *testing.T) {
	for label, s := range map[string]*shape.Shape{
		"additive": oracle.AdditiveShape(2, 1, [2]int{1, 2}, 1, 2),
		"ensemble": oracle.EnsembleShape(2, 1, [2]int{1, 2}, [2]int{2, 4}, 1, 3, 2),
	} {
		c := made(t, "predicates", s, map[string][]int64{
			"columns": {1, 2, 2}, "thresholds": {7, -5, 5}, "table": {0, 1024}, "query": {9, 7}, "radius_squared": {0},
			"side": {1}, "dead": {1}, "side_of_slice": {0, 1, 0, 0}, "at": {7}, "sensitive_at": {0, 0, 1024, 1024},
		})
		c.accepted(t, label)
		c.set("thresholds", 1, 5)
		c.set("side_of_slice", 0, 1)
		c.refused(t, label+" with equal thresholds of a sensitive column")
		c.set("thresholds", 2, -5)
		c.set("side_of_slice", 1, 0)
		c.refused(t, label+" with descending thresholds of a sensitive column")
	}
}

// Stated columns are plain ones: the last predicate, which is dead and no slot, has none behind them.
func TestColumnsOfSlotsArePlain(t *testing.T) {
	c := based(t, "slots")
	c.set("columns", 5, 2)
	c.accepted(t, "the last plain column")
	c.set("columns", 5, 3)
	c.refused(t, "a column behind the last")
}

// swayed is an ensemble's centre with two sensitive predicates, and the query at most the one plain threshold.
func swayed(t *testing.T) *alone {
	s := oracle.EnsembleShape(2, 1, [2]int{1, 2}, [2]int{2, 4}, 1, 3, 2)
	return made(t, "centre", s, map[string][]int64{
		"jumps": {5, 7, 11}, "bias": {100}, "label": {1}, "side": {1}, "step": {5}, "base": {100}, "sensitive_step": {7, 11},
	})
}

// The steps of an ensemble's sensitive predicates are their own jumps, in their order.
func TestSensitiveStepsOfEnsemblesAreTheirJumps(t *testing.T) {
	c := swayed(t)
	c.accepted(t, "each its own")
	c.set("sensitive_step", 0, 11)
	c.set("sensitive_step", 1, 7)
	c.refused(t, "each the other's")
}

// A predicate is dead where its own gap is at least the radius: of those of gaps 30, 10, 20, 45, 15 and 70, one may not be.
func TestDeadPredicatesAreFarThemselves(t *testing.T) {
	c := based(t, "predicates")
	c.set("radius_squared", 0, 200)
	c.set("dead", 1, 0)
	c.accepted(t, "a live predicate inside the ball")
	for _, other := range []int{0, 2} {
		c.set("dead", 1, 1)
		c.set("dead", other, 0)
		c.refused(t, "a dead predicate inside the ball, and a live one beside it")
		c.set("dead", other, 1)
	}
}

// The digests of instances of scores and of boxes are those of testdata/score_digests.csv: each wire is bound in its place. Wires are
// those of the vectors' bases, each greater by its place, so that no run is one of equal wires; and others.
func TestInstanceDigestsOfScores(t *testing.T) {
	rows, known := [][]string{{"base", "digest"}}, bases(t)
	for _, base := range slices.Sorted(maps.Keys(known)) {
		if s := read(t, "base/"+base+".json").Circuit.Shape; !s.Adds() && !s.Grows() && !s.Boxes() {
			continue
		}
		c := based(t, base)
		for _, wires := range c.wires {
			for at, old := range wires {
				wires[at] = new(big.Int).Add(old, big.NewInt(int64(at)))
			}
		}
		digest := c.inputs(t)[0]
		rows = append(rows, []string{base, digest.Text(16)})
	}
	for _, c := range []*alone{swayed(t), charged(t)} {
		digest := c.inputs(t)[0]
		rows = append(rows, []string{c.name + " of two sensitive predicates", digest.Text(16)})
	}
	pinned(t, "score_digests.csv", rows)
}
