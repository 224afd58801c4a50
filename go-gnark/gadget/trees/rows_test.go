package trees_test

import "testing"

// A row is a node with its slot and references, or empty; a reference is a value, or a row.
func TestRowsAreNodes(t *testing.T) {
	circuit, w := four.compile(t), filledChain(t, four)
	empty, other := int64(5), int64(2)
	circuit.Accepts(t, "honest", w.given...)
	circuit.Accepts(t, "rows in another order", w.with(
		"id", 0, other, "slot", 0, 2, "stay", 0, -6, "cross", 0, 5, "stay_value", 0, -6, "stay_row", 0, 0, "cross_value", 0, 5,
		"id", 1, 1, "slot", 1, 1, "stay", 1, 4*span, "cross", 1, -7, "stay_value", 1, 0, "stay_row", 1, 3, "cross_value", 1, -7,
		"root_row", 0, 2, "root_row", 1, 1)...)
	again := w.with("id", 3, 4, "slot", 3, 2, "stay", 3, 9, "cross", 3, -32, "stay_value", 3, 9, "cross_value", 3, -32)
	circuit.Accepts(t, "a node in two rows", again...)
	for name, lie := range map[string][]any{
		"the slot of another node":          w.with("slot", 2, 1),
		"the staying child of another node": w.with("stay", 2, -6, "stay_value", 2, -6),
		"the crossing child of another":     w.with("cross", 2, 5, "cross_value", 2, 5),
		"children that change places":       w.with("stay", 2, -32, "cross", 2, 9, "stay_value", 2, -32, "cross_value", 2, 9),
		"an empty row with a slot":          w.with("slot", 3, 1),
		"an empty row with a value":         w.with("stay", 3, 31, "stay_value", 3, 31),
		"an empty row with a child":         w.with("cross", 3, 4*span, "cross_row", 3, 3),
		"a row of id 0":                     w.with("id", 3, 0),
		"a row behind the empty one":        w.with("id", 3, empty+1),
		"half a row":                        w.with("id", 3, half),
		"a value beside a row":              w.with("stay_value", 0, 1),
		"a value that is another":           w.with("cross_value", 0, -6),
		"a value as a row":                  w.with("cross_value", 0, 0, "cross_row", 0, 3),
		"a child without a row":             w.with("stay_row", 0, 0),
		"the row of another node":           w.with("stay_row", 0, 2),
		"an empty row as a child":           w.with("stay_row", 0, 4),
		"a row behind the last":             w.with("stay_row", 0, 5),
		"a reference as a wide value":       w.with("stay_value", 0, 4*span, "stay_row", 0, 0),
		"a reference as a shifted row":      w.with("stay_value", 0, 2*span, "stay_row", 0, 2),
	} {
		circuit.Refuses(t, name, lie...)
	}
}

// Each tree begins in one row, by a value or a row, and is counted once.
func TestRootsAreMarked(t *testing.T) {
	circuit, w := four.compile(t), filledChain(t, four)
	twice := []any{"id", 3, 2, "slot", 3, 2, "stay", 3, -6, "cross", 3, 5, "stay_value", 3, -6, "cross_value", 3, 5}
	circuit.Accepts(t, "the other row of the same node", w.with(append(twice, "mark", 1, 0, "mark", 3, 1, "root_row", 1, 4)...)...)
	for name, lie := range map[string][]any{
		"a tree that is left out":           w.with("mark", 0, 0),
		"a row that counts, of no root":     w.with("mark", 2, 1),
		"an empty row that counts":          w.with("mark", 3, 1),
		"a mark at another row":             w.with("mark", 1, 0, "mark", 2, 1),
		"marks of both rows of a node":      w.with(append(twice, "mark", 3, 1)...),
		"marks that add up by 2 and 0":      w.with("mark", 0, 2, "mark", 1, 0),
		"marks 2 and -1 of one node":        w.with(append(twice, "mark", 1, 2, "mark", 3, -1)...),
		"half a mark on both rows":          w.with(append(twice, "mark", 1, half, "mark", 3, half)...),
		"a root by the row of another node": w.with("root_row", 0, 2, "mark", 0, 0),
		"a root without a row":              w.with("root_row", 0, 0, "mark", 0, 0),
		"a root with a value of its own":    w.with("root_row", 1, 0, "root_value", 1, 31, "mark", 1, 0, "constant", 0, 31<<fraction),
	} {
		circuit.Refuses(t, name, lie...)
	}
}

// Trees that begin with a leaf, or with dead nodes above one, add its value under either label.
func TestConstantTrees(t *testing.T) {
	dead := chain
	dead.facts = []fact{{1, 1, 0}, {0, 0, 0}, {0, 1, 0}}
	circuit := four.compile(t)
	for _, sigma := range []int64{1, -1} {
		w, _ := four.fill(dead, sigma)
		if got := w.get("constant", 0); got != -6*sigma<<fraction || len(w.rows) != 1 {
			t.Fatalf("constant %d of %d rows", got, len(w.rows))
		}
		circuit.Accepts(t, "a tree behind a dead root", w.given...)
		circuit.Refuses(t, "its crossing value", w.with("root_value", 1, 5, "constant", 0, 5*sigma<<fraction)...)
		circuit.Refuses(t, "half of it", w.with("constant", 0, -3*sigma<<fraction)...)
		circuit.Refuses(t, "unscaled", w.with("constant", 0, -6*sigma)...)
		circuit.Refuses(t, "marked all the same", w.with("mark", 1, 1)...)
	}
}
