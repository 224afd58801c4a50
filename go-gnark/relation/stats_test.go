package relation_test

import (
	"bytes"
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"equiproof/internal/oracle"
	"equiproof/relation"
	"equiproof/shape"
	"equiproof/system"
)

var update = flag.Bool("update", false, "write testdata/constraints.csv anew: go test ./relation -run Constraints -update")

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

// The constraint counts of the shapes are those of testdata/constraints.csv: a change of the circuit shows, and is made on
// purpose.
func TestConstraintCounts(t *testing.T) {
	rows := [][]string{{"inputs", "hidden", "logits", "slices", "capacity", "wires", "constraints"}}
	for _, s := range measured() {
		compiled, err := system.Compile(relation.New(s))
		if err != nil {
			t.Fatal(err)
		}
		a := s.Architecture
		rows = append(rows, []string{
			fmt.Sprintf("%d+%d", a.Plain, a.Sensitive), strings.Trim(strings.ReplaceAll(fmt.Sprint(a.Hidden), " ", "x"), "[]"),
			strconv.Itoa(a.Logits), strconv.Itoa(s.Slices), strconv.Itoa(s.Capacity), strconv.Itoa(relation.Wires(s)),
			strconv.Itoa(compiled.GetNbConstraints()),
		})
	}
	var found bytes.Buffer
	if err := csv.NewWriter(&found).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "constraints.csv")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, found.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(found.Bytes(), want) {
		t.Errorf("constraint counts have changed; found:\n%s\nwant:\n%s", &found, want)
	}
}

// A shape has one constraint system: compiling it again gives the same bytes.
func TestCompilingIsDeterministic(t *testing.T) {
	s := shapes()["three logits"]
	var digests [2][32]byte
	for i := range digests {
		compiled, err := system.Compile(relation.New(s))
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
