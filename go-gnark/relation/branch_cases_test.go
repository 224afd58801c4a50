package relation_test

import (
	"encoding/json"
	"math/big"
	"os"
	"testing"

	"equiproof/internal/adversary"
	"equiproof/internal/oracle"
	"equiproof/relation"
	"equiproof/system"
)

// branchCase is a witness of the circuit of scheme `branch`, wires by segment, and whether the plaintext checker accepts
// the evidence that it was filled from.
type branchCase struct {
	Name                              string
	Plain, Sensitive, Logits, Slices  int
	InputBits, RadiusBits, WeightBits int
	Capacity                          int
	Hidden                            []int
	Wires                             map[string][]string
	Accepted                          bool
}

// The circuit accepts exactly what the plaintext checker accepts: on cases that tests/circuits/test_branch_witness.py
// writes to the file named by EQUIPROOF_BRANCH_CASES.
func TestBranchAcceptsWhatTheCheckerAccepts(t *testing.T) {
	path := os.Getenv("EQUIPROOF_BRANCH_CASES")
	if path == "" {
		t.Skip("EQUIPROOF_BRANCH_CASES names no file: tests/circuits/test_branch_witness.py makes the cases")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var cases []branchCase
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	circuits, layouts := map[string]*adversary.Circuit{}, map[string][]relation.Segment{}
	for _, c := range cases {
		s := oracle.ShapeOf(c.Plain, c.Sensitive, c.Hidden, c.Logits, c.InputBits, c.Slices, c.Capacity)
		if s.RadiusBits != c.RadiusBits || s.Architecture.WeightBits != c.WeightBits {
			t.Fatalf("%s: R2 of %d bits and weights of %d, want %d and %d", c.Name, c.RadiusBits, c.WeightBits,
				s.RadiusBits, s.Architecture.WeightBits)
		}
		key := s.Digest().String()
		if circuits[key] == nil {
			circuit, err := relation.NewBranch(s)
			if err != nil {
				t.Fatal(err)
			}
			compiled, err := system.Compile(circuit)
			if err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
			circuits[key], layouts[key] = adversary.Open(t, compiled), circuit.Layout()
		}
		e := &instance{s, map[string][]*big.Int{}}
		for name, values := range c.Wires {
			for _, text := range values {
				value, ok := new(big.Int).SetString(text, 10)
				if !ok {
					t.Fatalf("%s: %s holds %q", c.Name, name, text)
				}
				e.wires[name] = append(e.wires[name], value)
			}
		}
		values := []any{e.digest()}
		for _, segment := range layouts[key] {
			if len(e.wires[segment.Name]) != segment.Length {
				t.Fatalf("%s: %d values for %d wires of %s", c.Name, len(e.wires[segment.Name]), segment.Length, segment.Name)
			}
			values = append(values, adversary.Integers(e.wires[segment.Name]...)...)
		}
		if err := circuits[key].IsSolved(adversary.Elements(values...)); (err == nil) != c.Accepted {
			t.Errorf("%s: the circuit says %v, the checker accepts: %v", c.Name, err, c.Accepted)
		}
	}
}
