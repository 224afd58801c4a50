package shape_test

import (
	"encoding/json"
	"strings"
	"testing"

	"equiproof/internal/oracle"
	"equiproof/shape"
)

// growing returns the canonical document of an ensemble's shape with such trees, nodes and rows.
func growing(t *testing.T, trees, nodes, rows int) []byte {
	t.Helper()
	text, err := json.Marshal(oracle.EnsembleShape(3, 1, [2]int{7, 1}, [2]int{trees, nodes}, 6, rows, 8))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Numbers of trees, nodes and rows that have a circuit, at their limits, and those just outside, which one line refuses.
func TestTreesAreCounted(t *testing.T) {
	for _, c := range []struct {
		trees, nodes, rows int
		wrong              string
	}{
		{1, 1, 1, ""}, {4096, 4096, 1, ""}, {1, 1 << 16, 1 << 16, ""}, {4096, 1 << 16, 1, ""},
		{0, 1, 1, "number of trees is 0, want 1"}, {4097, 1 << 16, 1, "number of trees is 4097, want 1 to 4096"},
		{3, 2, 1, "number of trees is 3, want 1 to 2"}, {1, 1<<16 + 1, 1, "number of nodes is 65537, want 1 to 65536"},
		{1, 5, 0, "rows is 0"}, {1, 5, 6, "rows is 6, want 1 to 5"},
	} {
		_, err := shape.Parse(growing(t, c.trees, c.nodes, c.rows))
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%d trees, %d nodes, %d rows: %v", c.trees, c.nodes, c.rows, err)
		}
	}
}
