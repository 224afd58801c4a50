package additive_test

import (
	"math/big"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/additive"
	"equiproof/gadget/bounded"
	"equiproof/gadget/digest"
	"equiproof/internal/adversary"
	"equiproof/internal/oracle"
)

// columnsOf makes slots of which no more than the columns is known.
func columnsOf(a *bounded.Arith, same []bounded.Int) *additive.Slots {
	return additive.Joined(a, make([]bounded.Int, len(same)+1), same)
}

// covered compiles leaves over slots that are only joined or not: the statement, the slots' joints, then by leaf its life and
// its signs in absolute orientation.
func covered(t *testing.T, slots, leaves int) *adversary.Circuit {
	return adversary.Compile(t, 1+slots-1+leaves*(1+slots), func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		statement := take.Take(1)[0]
		joined := columnsOf(a, take.Bits(a, slots-1))
		var boxes []additive.Box
		for range leaves {
			live := a.Bit(take.Take(1)[0])
			signs := take.Take(slots)
			var square []frontend.Variable
			for _, sign := range signs {
				_, _, none := a.Sign(sign)
				square = append(square, a.API().Sub(1, none.Wire()))
			}
			boxes = append(boxes, additive.NewBox(live, signs, signs, square))
		}
		joined.Cover(a, statement, boxes)
	})
}

// over lists a leaf: its life, and where it is above (1), not above (-1) or either (0).
func over(signs ...any) []any { return append([]any{1}, signs...) }

// all lists the wires of joints and leaves.
func all(joints []any, leaves ...[]any) []any {
	given := append([]any{77}, joints...)
	for _, of := range leaves {
		given = append(given, of...)
	}
	return given
}

// Leaves that hold each cell once cover: of one column of three thresholds, where "above two of them" is one cell.
func TestCoverOfOneColumn(t *testing.T) {
	circuit, one := covered(t, 3, 4), []any{1, 1}
	nothing := []any{0, 0, 0, 0}
	circuit.Accepts(t, "everything", all(one, over(0, 0, 0), nothing, nothing, nothing)...)
	circuit.Accepts(t, "halves", all(one, over(0, -1, -1), nothing, over(1, 1, 0), nothing)...)
	circuit.Accepts(t, "every cell", all(one, over(-1, -1, -1), over(1, -1, -1), over(1, 1, -1), over(1, 1, 1))...)
	circuit.Accepts(t, "a leaf that is not live", all(one, over(0, 0, 0), []any{0, 1, 1, 1}, nothing, nothing)...)
	for name, leaves := range map[string][][]any{
		"nothing":              {nothing, nothing, nothing, nothing},
		"twice":                {over(0, 0, 0), over(0, 0, 0), nothing, nothing},
		"a cell left out":      {over(0, -1, -1), over(1, 1, 1), nothing, nothing},
		"the first left out":   {over(1, 0, 0), nothing, nothing, nothing},
		"the last left out":    {over(0, 0, -1), nothing, nothing, nothing},
		"a cell twice":         {over(0, 0, -1), over(1, 1, 0), nothing, nothing},
		"one twice, one never": {over(-1, -1, -1), over(1, -1, -1), over(1, 1, -1), over(1, 1, -1)},
		"a cell too many":      {over(0, 0, 0), over(1, 1, 1), nothing, nothing},
		"not above all":        {over(-1, -1, -1), over(1, 0, -1), nothing, nothing},
	} {
		circuit.Refuses(t, name, all(one, leaves...)...)
	}
}

// Of several columns cells multiply: two thresholds that are joined have three cells, two that are not four.
func TestCoverOfTwoColumns(t *testing.T) {
	circuit := covered(t, 3, 4)
	apart, nothing := []any{1, 0}, []any{0, 0, 0, 0}
	circuit.Accepts(t, "split by the second column", all(apart, over(0, 0, 1), over(0, 0, -1), nothing, nothing)...)
	circuit.Accepts(t, "split by both", all(apart, over(0, -1, 1), over(1, 1, 0), over(0, -1, -1), nothing)...)
	circuit.Accepts(t, "split three ways", all(apart, over(-1, -1, 0), over(1, -1, 0), over(1, 1, 1), over(1, 1, -1))...)
	circuit.Refuses(t, "a corner left out", all(apart, over(0, -1, 1), over(1, 1, 1), over(0, -1, -1), nothing)...)
	circuit.Refuses(t, "cells of the other joint", all([]any{0, 1}, over(0, -1, 1), over(1, 1, 0), over(0, -1, -1), nothing)...)
	circuit.Refuses(t, "three of four", all([]any{0, 0}, over(-1, -1, 0), over(1, -1, 0), over(1, 1, 0), nothing)...)
	circuit.Accepts(t, "four of four", all([]any{0, 0}, over(-1, -1, 0), over(1, -1, 0), over(1, 1, 0), over(-1, 1, 0))...)
	circuit.Refuses(t, "a column for another", all([]any{0, 0}, over(1, 0, 0), over(0, -1, 0), nothing, nothing)...)
	circuit.Refuses(t, "a column for another, first and last", all([]any{0, 0}, over(1, 0, 0), over(0, 0, -1), nothing, nothing)...)
}

// Slots behind the block of a challenge have weights of their own: what is missing there is missed, and not taken for what is
// there twice.
func TestCoverBehindTheFirstChallenge(t *testing.T) {
	slots := additive.Block + 2
	circuit := covered(t, slots, 2)
	joints := make([]any, slots-1)
	nothing := make([]any, slots)
	for i := range nothing {
		nothing[i] = 0
	}
	for i := range joints {
		joints[i] = 0
	}
	split := func(j int, above any) []any { return over(with(nothing, j, above)...) }
	for _, j := range []int{0, additive.Block - 1, additive.Block, additive.Block + 1} {
		circuit.Accepts(t, "halves", all(joints, split(j, 1), split(j, -1))...)
		circuit.Refuses(t, "one half twice", all(joints, split(j, 1), split(j, 1))...)
		other := (j + 1) % slots
		circuit.Refuses(t, "halves of two", all(joints, split(j, 1), split(other, -1))...)
		circuit.Refuses(t, "halves of two, a block apart", all(joints, split(j, 1), split((j+additive.Block)%slots, -1))...)
	}
}

// Every wire of the identity is in the commitment before the challenge is known, and the statement with them.
func TestCoverIsCommitted(t *testing.T) {
	circuit := covered(t, 3, 4)
	if uncovered := circuit.Prover.System.Uncovered(); len(uncovered) > 0 {
		t.Errorf("wires %v of challenged rows are not committed", uncovered)
	}
	committed := map[int]bool{}
	for _, wire := range circuit.Prover.System.Committed {
		committed[wire] = true
	}
	for wire := range 1 + 2 + 4*4 {
		if !committed[wire+circuit.Prover.System.Public] {
			t.Errorf("wire %d can be changed alone when the challenge is known", wire)
		}
	}
}

// The weights of a block are a challenge to the powers of two: the first block's is t, each further one's is hashed from t, by
// its number.
func TestWeightsOfBlocks(t *testing.T) {
	circuit := adversary.Compile(t, 2, func(a *bounded.Arith, wires []frontend.Variable) {
		api := a.API()
		weights, err := columnsOf(a, make([]bounded.Int, 2*additive.Block)).Weights(api, wires[0])
		if err != nil {
			t.Fatal(err)
		}
		for block := range 3 {
			power := wires[0]
			if block > 0 {
				if power, err = digest.Hash(api, digest.Tag("equiproof.cover"), block, wires[0]); err != nil {
					t.Fatal(err)
				}
			}
			for j := block * additive.Block; j < min(len(weights), (block+1)*additive.Block); j++ {
				api.AssertIsEqual(weights[j], power)
				power = api.Mul(power, power)
			}
		}
		a.Unsigned(wires[1], 5)
	})
	circuit.Accepts(t, "any challenge", 123456789, 0)
}

// A slice weighs a power of rho, which is hashed from the challenge by a number that no block of slots has.
func TestPowersOfSlices(t *testing.T) {
	for slots, number := range map[int]int{1: 1, additive.Block: 1, additive.Block + 1: 2, 3 * additive.Block: 3} {
		circuit := adversary.Compile(t, 5, func(a *bounded.Arith, wires []frontend.Variable) {
			a.Unsigned(wires[0], 2)
			powers, all, err := columnsOf(a, make([]bounded.Int, slots-1)).Powers(a.API(), wires[0], 3)
			if err != nil || len(powers) != 3 {
				t.Fatalf("%d powers: %v", len(powers), err)
			}
			for i, power := range append(powers, all) {
				a.API().AssertIsEqual(power, wires[1+i])
			}
		})
		rho := oracle.Hash(digest.Tag("equiproof.cover"), big.NewInt(int64(number)), big.NewInt(3))
		square := new(big.Int).Mod(new(big.Int).Mul(rho, rho), fr.Modulus())
		all := new(big.Int).Mod(new(big.Int).Add(big.NewInt(1), new(big.Int).Add(rho, square)), fr.Modulus())
		circuit.Accepts(t, "powers", 3, 1, rho, square, all)
		circuit.Refuses(t, "rho + 1", 3, 1, new(big.Int).Add(rho, big.NewInt(1)), square, all)
		circuit.Refuses(t, "another square", 3, 1, rho, rho, all)
		circuit.Refuses(t, "another sum", 3, 1, rho, square, rho)
		circuit.Refuses(t, "another first one", 3, rho, rho, square, all)
	}
}
