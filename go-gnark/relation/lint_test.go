package relation_test

import (
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"equiproof/internal/adversary"
	"equiproof/internal/lint"
	"equiproof/internal/turns"
	"equiproof/relation"
	"equiproof/shape"
	"equiproof/system"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
)

// proofSystems are those whose forms of each circuit are linted.
var proofSystems = []system.ProofSystem{system.Groth16, system.Plonk}

// judged reports what lint finds in a circuit, in the form of every proof system. Large ones have turns.
func judged(t *testing.T, circuit relation.Circuit) {
	t.Helper()
	if large(circuit) {
		turns.Take(t)
	}
	for _, proofSystem := range proofSystems {
		compiled, err := proofSystem.Compile(circuit)
		if err != nil {
			t.Fatal(err)
		}
		if err := lint.Judge(compiled); err != nil {
			t.Errorf("%s: %v", proofSystem.Name(), err)
		}
	}
}

// linted is a compiled system with an honest solution of it.
type linted struct {
	*opened
	shape  *shape.Shape // of links, that of their certificates
	links  bool
	inputs []fr.Element // the public digest and the private wires
	values []fr.Element
}

// lintedShapes runs a test for honest solutions of every scheme: of problems of scheme `traversal`, and of the witnesses of
// scheme `branch`, with ranges and without; each in the form of every proof system, and with a kept model and its link.
func lintedShapes(t *testing.T, test func(t *testing.T, l *linted)) {
	solved := func(t *testing.T, s *shape.Shape, inputs []fr.Element) {
		for _, proofSystem := range proofSystems {
			t.Run(proofSystem.Name(), func(t *testing.T) {
				circuit := circuitUnder(t, proofSystem, s)
				test(t, &linted{circuit, s, false, inputs, honest(t, circuit.Circuit, inputs)})
			})
		}
	}
	each(t, func(t *testing.T, p *problem) {
		e := p.evidence(p.closure())
		solved(t, p.shape, e.inputs(e.digest()))
	})
	eachComposed(t, func(t *testing.T, c *composed) {
		solved(t, &c.Shape, c.inputs(t, c.Witnesses[0]))
	})
	eachKept(t, func(t *testing.T, s *shape.Shape, w told) {
		t.Run("kept", func(t *testing.T) {
			turns.Take(t)
			circuit := circuitOf(t, s)
			inputs := elementsOf(w.keptStatement(t, s), w.in(t, circuit.layout))
			attempt := circuit.Prover.Solve(inputs, firstChallenge(circuit.Prover, atR))
			if len(attempt.Violated) > 0 {
				t.Fatalf("honest: rows %v do not hold", attempt.Violated)
			}
			test(t, &linted{circuit, s, false, inputs, attempt.Values})
		})
		t.Run("link", func(t *testing.T) {
			turns.Take(t)
			circuit := linksOf(t, shape.LinkOf(s))
			digest, wires := w.link(t, s, atR, big.NewInt(99))
			inputs := elementsOf(digest, wires)
			test(t, &linted{circuit, s, true, inputs, honest(t, circuit.Circuit, inputs)})
		})
	})
}

// elementsOf lists a digest and wires.
func elementsOf(digest *big.Int, wires []*big.Int) []fr.Element {
	return adversary.Elements(adversary.Integers(append([]*big.Int{digest}, wires...)...)...)
}

// keeps says whether the circuit is that of certificates of a kept model.
func (l *linted) keeps() bool { return l.Prover.System.First != nil }

// segment returns the segment of the layout to which a wire belongs.
func (l *linted) segment(wire int) string {
	wire -= l.Prover.System.Public
	for _, segment := range l.layout {
		if wire < segment.Length {
			return segment.Name
		}
		wire -= segment.Length
	}
	return ""
}

// given lists the wires that the prover gives: the digest and the private ones.
func (l *linted) given() []int {
	wires := make([]int, l.Prover.System.Public+l.Prover.System.Secret-1)
	for i := range wires {
		wires[i] = i + 1
	}
	return wires
}

// Every wire, including the statement's digest, occurs in a row that constrains it; only masks of commitments do not, of which
// the sparse form has no wire.
func TestEveryWireIsUsed(t *testing.T) {
	lintedShapes(t, func(t *testing.T, l *linted) {
		if l.Prover.System.Public != 2 {
			t.Errorf("%d public inputs, want the digest only", l.Prover.System.Public-1)
		}
		unused := l.Prover.System.Unused()
		if l.Prover.System.Sparse() {
			if len(unused) > 0 {
				t.Errorf("wires %v are in no row", unused)
			}
			return
		}
		var hints []string
		for _, wire := range unused {
			name := l.Prover.Hints[wire]
			hints = append(hints, name[strings.LastIndexByte(name, '.')+1:])
		}
		want := []string{"Randomize"}
		if l.keeps() {
			want = []string{"keptMask", "Randomize"}
		}
		if !slices.Equal(hints, want) {
			t.Errorf("wires %v of hints %q are in no row, want those of %q", unused, hints, want)
		}
	})
}

// No single wire of an honest solution can be changed: neither an input, nor an output of a hint or a row. Only the
// commitment's mask is free, by design.
func TestNoWireIsFree(t *testing.T) {
	lintedShapes(t, func(t *testing.T, l *linted) {
		all := make([]int, l.Prover.System.Wires()-1)
		for i := range all {
			all[i] = i + 1
		}
		for _, wire := range l.Prover.System.Free(l.values, all) {
			if !adversary.Drawn(l.Prover.Hints[wire]) {
				t.Errorf("wire %d of %q%q can be changed alone", wire, l.segment(wire), l.Prover.Hints[wire])
			}
		}
	})
}

// Everything is fixed before the challenge is known: whatever hints and lookups choose, and rows leave open, is in the
// commitment; inputs and committed wires determine all other wires through rows without the challenge.
func TestWhatRowsLeaveOpenIsCommitted(t *testing.T) {
	lintedShapes(t, func(t *testing.T, l *linted) {
		system := l.Prover.System
		for _, wire := range system.Loose(l.values, l.given(), true) {
			_, committed := slices.BinarySearch(system.Committed, wire)
			if chosen := l.Prover.Origins[wire] != adversary.Solved; chosen && !committed && wire < system.Challenge {
				t.Errorf("wire %d of hint %q is neither determined nor committed", wire, l.Prover.Hints[wire])
			}
		}
		for _, wire := range system.Loose(l.values, append(l.given(), system.Committed...), true) {
			if wire < system.Challenge {
				t.Errorf("wire %d of %q is not determined", wire, l.Prover.Hints[wire])
			}
		}
	})
}

// Inputs, committed wires and the challenge determine every wire.
func TestNothingIsLoose(t *testing.T) {
	lintedShapes(t, func(t *testing.T, l *linted) {
		system := l.Prover.System
		for _, wire := range system.Loose(l.values, append(append(l.given(), system.Committed...), system.Challenge), false) {
			t.Errorf("wire %d of %q is loose", wire, l.Prover.Hints[wire])
		}
	})
}

// There is one commitment, of a kept model two, of no public wire. They contain every wire of the challenged identities.
func TestChallengedIdentitiesAreCommitted(t *testing.T) {
	lintedShapes(t, func(t *testing.T, l *linted) {
		system := l.Prover.System
		want := map[bool]int{false: 1, true: 2}[l.keeps()]
		if commitments := len(system.Compiled.CommitmentInfo.CommitmentIndexes()); commitments != want {
			t.Errorf("%d commitments, want %d", commitments, want)
		}
		if system.Committed[0] < system.Public {
			t.Errorf("public wire %d is committed", system.Committed[0])
		}
		if uncovered := l.Prover.System.Uncovered(); len(uncovered) > 0 {
			t.Errorf("wires %v of challenged rows are not committed", uncovered)
		}
	})
}

// The commitment of scheme `branch`, whose products are argued at its challenge, contains the statement: every wire that the
// public digest is made equal to. Challenges of one statement are none of another's.
func TestChallengesAreOfTheStatement(t *testing.T) {
	lintedShapes(t, func(t *testing.T, l *linted) {
		if l.shape.Scheme == shape.Traversing || l.links {
			t.Skip("scheme traversal and links have no products")
		}
		stated := adversary.Stated(l.Prover.System)
		for _, wire := range stated {
			if _, committed := slices.BinarySearch(l.Prover.System.Committed, wire); !committed {
				t.Errorf("wire %d of the statement's digest is not committed", wire)
			}
		}
		least := 2
		if l.Prover.System.Sparse() {
			least = 1 // the one wire that is the sum of the others
		}
		if len(stated) < least {
			t.Errorf("the public digest is made equal to %d terms", len(stated))
		}
	})
}

// underChallenge names the runs of wires, up to a dot, that lookups, sets and products make challenged identities of.
var underChallenge = []string{
	"neighbor", "pattern", "slice", "crossed_first",
	"key", "digit", "signs", "chosen_slice", "of_slice", "multiplier", "excess", "leaf_lower", "lower", "upper", "offset",
	"coefficients", "constant",
	"at", "end", "sensitive_at", "slot_column", "slot_gap2", "slot_side", "slot_step", "slot_live", "same", "leaf_live",
	"node_value", "node_predicate", "node_slot", "node_side", "node_live", "node_before", "low_reference", "high_reference",
	"root_value", "root_row", "row_id", "row_slot", "row_root", "stay_reference", "cross_reference", "stay_value", "cross_value",
	"stay_row", "cross_row", "serves", "charged", "free", "way", "charge", "stay", "cross",
	"slot_open", "gain", "value_stayed", "value_crossed", "negative_part", "node_child",
	"node_word", "row_number", "row_side", "stay_node", "stay_behind", "cross_node", "cross_behind",
	"passed_id", "passed_number", "passed_side", "passed_value", "passed_node", "passed_behind", "passed_row", "passed_other",
}

// held lists the wires that the commitment holds: those in it, and in the sparse form, where a sum is a wire of its own, those
// whose sums are in it.
func (l *linted) held() map[int]bool {
	system, held := l.Prover.System, map[int]bool{}
	for _, wire := range system.Committed {
		held[wire] = true
	}
	for _, row := range slices.Backward(system.Rows) {
		sum := 0
		for _, term := range row.O {
			sum = max(sum, term.Wire)
		}
		if system.Sparse() && len(row.L) == 0 && held[sum] && sum < system.Challenge {
			for _, term := range row.O {
				held[term.Wire] = true
			}
		}
	}
	return held
}

// The commitment covers the queries of the lookups, the entries of their tables and the limbs of all range checks: every
// neighbor, every pattern, every looked-up slice and value, and all outputs of the hints behind them. Of scheme `branch` it
// covers the keys and signs of the tree, slopes and multipliers, and all factors and results of the products.
func TestCommitmentCoversTheLookups(t *testing.T) {
	lintedShapes(t, func(t *testing.T, l *linted) {
		committed := l.held()
		for _, wire := range l.given() {
			name, _, _ := strings.Cut(l.segment(wire), ".")
			// There they are in range checks and products only.
			if l.links || name == "multiplier" && !l.shape.Branches() && !l.shape.Gains() || name == "free" && l.shape.Branches() {
				continue
			}
			if slices.Contains(underChallenge, name) && !committed[wire] {
				t.Errorf("%s: wire %d is not committed", name, wire)
			}
		}
		hints := map[string]int{}
		for wire, name := range l.Prover.Hints {
			short := name[strings.LastIndexByte(name, '.')+1:]
			hints[short]++
			switch short {
			case "DecomposeHint", "countHint", "Randomize", "multiplicities":
				if !committed[wire] {
					t.Errorf("%s: wire %d is not committed", short, wire)
				}
			}
		}
		for wire, origin := range l.Prover.Origins {
			if origin == adversary.Lookup && !committed[wire] {
				t.Errorf("lookup: wire %d is not committed", wire)
			}
		}
		want := []string{"Bsb22CommitmentComputePlaceholder", "DecomposeHint", "Randomize", "countHint"}
		if l.Prover.System.Sparse() {
			want = []string{"Bsb22CommitmentComputePlaceholder", "DecomposeHint", "batchDivBySubHint", "countHint"}
		}
		if l.keeps() {
			want = append(want, "keptMask")
		}
		switch {
		case l.links && !l.shape.Visits():
		case l.shape.Scheme != shape.Traversing:
			want = append(want, "multiplicities")
		case l.shape.Architecture.Hidden[0] > 1:
			want = append(want, "nBits") // one crossed facet needs no splitting
		}
		slices.Sort(want)
		if found := slices.Sorted(maps.Keys(hints)); !slices.Equal(found, want) {
			t.Errorf("hints %v, want those that are known: %v", found, want)
		}
	})
}
