package relation_test

import (
	"bytes"
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"equiproof/internal/oracle"
	"equiproof/internal/turns"
	"equiproof/relation"
	"equiproof/shape"
	"equiproof/system"
)

var update = flag.Bool("update", false, "write testdata/*.csv anew: go test ./relation -run 'ConstraintCounts|Degrees' -update")

// measured are shapes of the sizes that the benchmarks use: the data sets' 20, 23 and 14 inputs, two, ten and 53 slices.
func measured() []*shape.Shape {
	return []*shape.Shape{
		oracle.ShapeOf(18, 2, []int{4, 2}, 1, 18, 2, 32),
		oracle.ShapeOf(18, 2, []int{2, 4}, 1, 18, 2, 32),
		oracle.ShapeOf(18, 2, []int{8, 2}, 1, 18, 2, 32),
		oracle.ShapeOf(18, 2, []int{8, 2}, 1, 18, 2, 128),
		oracle.ShapeOf(13, 1, []int{4, 2}, 1, 18, 2, 32),
		oracle.ShapeOf(13, 10, []int{8, 2}, 1, 18, 10, 128),
		oracle.ShapeOf(13, 10, []int{8, 2}, 1, 18, 53, 128),
		oracle.ShapeOf(18, 2, []int{4, 2}, 2, 18, 2, 32),
		oracle.ShapeOf(18, 2, []int{4, 2}, 3, 18, 2, 32),
		oracle.ShapeOf(18, 2, []int{4, 3, 2}, 1, 18, 2, 32),
	}
}

// parts are what constraints may be for: the gadgets, the widths of private numbers, the slices' table, and what all range
// checks share.
var parts = []string{
	"range", "commitment", "digest", "polytope", "inference", "distance", "order", "boundary", "neighbor", "slices",
	system.RangeTable,
}

// The constraint counts of the shapes match testdata/constraints.csv, and those of their parts match testdata/parts.csv,
// so that no change of the circuit goes unnoticed.
func TestConstraintCounts(t *testing.T) {
	head := []string{"inputs", "hidden", "logits", "slices", "capacity"}
	counts := [][]string{append(slices.Clone(head), "wires", "constraints")}
	split := [][]string{append(slices.Clone(head), parts...)}
	for _, s := range measured() {
		if another(s, relation.New(s)) {
			counts, split = append(counts, nil), append(split, nil)
			continue
		}
		d, err := system.Groth16.Describe(relation.New(s))
		if err != nil {
			t.Fatal(err)
		}
		a := s.Architecture
		row := []string{
			fmt.Sprintf("%d+%d", a.Plain, a.Sensitive), strings.Trim(strings.ReplaceAll(fmt.Sprint(a.Hidden), " ", "x"), "[]"),
			strconv.Itoa(a.Logits), strconv.Itoa(s.Slices), strconv.Itoa(s.Capacity),
		}
		counts = append(counts, append(slices.Clone(row), strconv.Itoa(relation.Wires(s)), strconv.Itoa(d.Constraints)))
		split = append(split, append(row, counted(t, d, parts)...))
	}
	pinned(t, "constraints.csv", counts)
	pinned(t, "parts.csv", split)
}

// counted lists the constraints of the named parts; there must be no others, and they must sum to the total.
func counted(t *testing.T, d *system.Description, names []string) (counts []string) {
	t.Helper()
	sum := 0
	for _, name := range names {
		at := slices.IndexFunc(d.Parts, func(p system.Part) bool { return p.Name == name })
		if at < 0 {
			t.Fatalf("no constraints of %s in %v", name, d.Parts)
		}
		sum += d.Parts[at].Constraints
		counts = append(counts, strconv.Itoa(d.Parts[at].Constraints))
	}
	if sum != d.Constraints || len(d.Parts) != len(names) {
		t.Errorf("%d constraints, the parts have %d: %v", d.Constraints, sum, d.Parts)
	}
	return counts
}

// manyWires are so many of a circuit that its compilation takes a part of a second.
const manyWires = 1500

// large says whether the wires of a circuit are so many that its tests have turns.
func large(circuit relation.Circuit) bool {
	wires := 0
	for _, segment := range circuit.Layout() {
		wires += segment.Length
	}
	return wires >= manyWires
}

// another says whether a large circuit has its row in a table on another day. The circuits of a shape under several schemes
// have theirs on the same day, as tables share what they compile.
func another(s *shape.Shape, circuit relation.Circuit) bool {
	name := fmt.Sprint(s.Architecture, s.Slices, s.Capacity, s.Slots, s.Rows)
	return !*update && large(circuit) && !turns.Today(name)
}

// pinned compares a table with a file of testdata, or writes it anew. A row that is nil is another day's.
func pinned(t *testing.T, name string, rows [][]string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		var written bytes.Buffer
		if err := csv.NewWriter(&written).WriteAll(rows); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, written.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(want) {
		t.Errorf("%s has %d rows, found %d", name, len(want), len(rows))
	}
	for i := range min(len(rows), len(want)) {
		if rows[i] != nil && !slices.Equal(rows[i], want[i]) {
			t.Errorf("%s has changed in row %d; found:\n%s\nwant:\n%s", name, i+1, rows[i], want[i])
		}
	}
}

// A shape has one constraint system: compiling it again gives the same bytes.
func TestCompilingIsDeterministic(t *testing.T) {
	s := shapes()["three logits"]
	var digests [2][32]byte
	for i := range digests {
		compiled, err := system.Groth16.Compile(relation.New(s))
		if err != nil {
			t.Fatal(err)
		}
		if digests[i], err = system.Digest(compiled); err != nil {
			t.Fatal(err)
		}
	}
	if digests[0] != digests[1] {
		t.Errorf("%x and %x", digests[0], digests[1])
	}
}
