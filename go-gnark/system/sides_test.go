package system

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark/constraint"
	cs "github.com/consensys/gnark/constraint/bn254"
	"github.com/consensys/gnark/frontend"
	"github.com/consensys/gnark/frontend/cs/r1cs"

	"equiproof/internal/oracle"
	"equiproof/relation"
	"equiproof/shape"
)

// onTheRight counts the wires that occur in a right factor.
func onTheRight(rows []constraint.R1C) int {
	wires := map[uint32]bool{}
	for _, row := range rows {
		for _, term := range row.R {
			wires[term.VID] = true
		}
	}
	return len(wires)
}

// others lists all instructions except constraints: hints with their inputs, including the commitment's.
func others(system *cs.R1CS) (stored [][]uint32) {
	for _, packed := range system.Instructions {
		if _, ok := system.Blueprints[packed.BlueprintID].(*constraint.BlueprintGenericR1C); !ok {
			stored = append(stored, slices.Clone(packed.Unpack(&system.System).Calldata))
		}
	}
	return stored
}

// Exchanging factors keeps every constraint, as left * right or as right * left, in its place, what is committed and how
// wires are computed, and lowers the number of wires of right factors by a tenth at least on every relation; doing it again
// changes nothing.
func TestExchangedFactorsSayTheSame(t *testing.T) {
	s := oracle.ShapeOf(6, 2, []int{4, 2}, 1, 18, 2, 8)
	branch, err := relation.NewBranch(s)
	if err != nil {
		t.Fatal(err)
	}
	kept := *s
	kept.Scheme = shape.Ranging
	ranges, err := relation.NewBranch(&kept)
	if err != nil {
		t.Fatal(err)
	}
	for name, circuit := range map[string]relation.Circuit{
		"traversal": relation.New(s), "branch": branch, "branch-ranges": ranges,
	} {
		compiled, err := frontend.Compile(ecc.BN254.ScalarField(), r1cs.NewBuilder, circuit)
		if err != nil {
			t.Fatal(err)
		}
		system := compiled.(*cs.R1CS)
		before, committed, rest := system.GetR1Cs(), fmt.Sprint(system.CommitmentInfo), others(system)
		balance(system)
		after := system.GetR1Cs()
		for i, row := range after {
			was := before[i]
			same := slices.Equal(row.L, was.L) && slices.Equal(row.R, was.R)
			turned := slices.Equal(row.L, was.R) && slices.Equal(row.R, was.L)
			if !(same || turned) || !slices.Equal(row.O, was.O) {
				t.Fatalf("%s: constraint %d is another one: %v was %v", name, i, row, was)
			}
		}
		if len(before) != len(after) || 10*onTheRight(after) > 9*onTheRight(before) {
			t.Errorf("%s: %d wires on the right, %d before", name, onTheRight(after), onTheRight(before))
		}
		if len(rest) == 0 || !reflect.DeepEqual(rest, others(system)) || committed != fmt.Sprint(system.CommitmentInfo) {
			t.Errorf("%s: the commitment or a hint changed", name)
		}
		balance(system)
		again := system.GetR1Cs()
		for i, row := range again {
			if !slices.Equal(row.L, after[i].L) {
				t.Errorf("%s: constraint %d changed again", name, i)
			}
		}
	}
}
