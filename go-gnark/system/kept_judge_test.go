package system_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/consensys/gnark/constraint"
	cs "github.com/consensys/gnark/constraint/bn254"
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/kept"
	"equiproof/internal/lint"
	"equiproof/relation"
	"equiproof/system"
)

// committed commits as the circuit of a kept model does, to other wires.
func committed(a *bounded.Arith, wires ...frontend.Variable) frontend.Variable {
	challenge, err := a.API().(frontend.Committer).Commit(wires...)
	if err != nil {
		panic(err)
	}
	return challenge
}

// listed returns words and what is behind them.
func listed(words []frontend.Variable, more ...frontend.Variable) []frontend.Variable {
	return append(slices.Clone(words), more...)
}

// shows are ways of a circuit to show its model, each with one fault but the first, and what the lint says of it.
var shows = map[string]struct {
	want  string
	plain bool
	show  func(a *bounded.Arith, words []frontend.Variable, model, blinding frontend.Variable) (frontend.Variable, error)
}{
	"honest": {"", false, kept.Show},
	"C-outside": {"want 20 words, the model commitment and a mask", false,
		func(a *bounded.Arith, words []frontend.Variable, model, blinding frontend.Variable) (frontend.Variable, error) {
			return kept.Shown(a, blinding, kept.Value(a, words, model, committed(a, words...)))
		}},
	"first-list-has-more": {"the first commitment is of 23 wires, want 20 words", false,
		func(a *bounded.Arith, words []frontend.Variable, model, blinding frontend.Variable) (frontend.Variable, error) {
			return kept.Shown(a, blinding, kept.Value(a, words, model, committed(a, listed(words, model, blinding)...)))
		}},
	"another wire for C": {"the first commitment is of wire 23, want private input 20", false,
		func(a *bounded.Arith, words []frontend.Variable, model, blinding frontend.Variable) (frontend.Variable, error) {
			return kept.Shown(a, model, kept.Value(a, words, blinding, committed(a, listed(words, blinding)...)))
		}},
	"word-in-the-second-commitment": {"the first commitment is of 21 wires, want 20 words", false,
		func(a *bounded.Arith, words []frontend.Variable, model, blinding frontend.Variable) (frontend.Variable, error) {
			return kept.Shown(a, blinding, kept.Value(a, words, model, committed(a, listed(words[1:], model)...)))
		}},
	"second-hash-without-c1": {"the second commitment hashes wires [], want the first one's challenge", true, kept.Show},
	"no-row-of-y": {"the first challenge is in 19 rows, want one for each of 20 words", false,
		func(a *bounded.Arith, words []frontend.Variable, model, blinding frontend.Variable) (frontend.Variable, error) {
			challenge := committed(a, listed(words, model)...)
			return kept.Shown(a, blinding, kept.Value(a, words[1:], model, challenge))
		}},
	"two words in one row of y": {"of the first commitment is in no side of a row the only one of it", false,
		func(a *bounded.Arith, words []frontend.Variable, model, blinding frontend.Variable) (frontend.Variable, error) {
			challenge := committed(a, listed(words, model)...)
			together := slices.Clone(words)
			together[10], together[11] = a.API().Add(words[10], words[11]), 0
			return kept.Shown(a, blinding, kept.Value(a, together, model, challenge))
		}},
	"words-swapped in y": {"is not that of word 2 in the first challenge's polynomial", false,
		func(a *bounded.Arith, words []frontend.Variable, model, blinding frontend.Variable) (frontend.Variable, error) {
			challenge := committed(a, listed(words, model)...)
			other := slices.Clone(words)
			other[1], other[2] = words[2], words[1]
			return kept.Shown(a, blinding, kept.Value(a, other, model, challenge))
		}},
	"y without C": {"is not that of word 0 in the first challenge's polynomial", false,
		func(a *bounded.Arith, words []frontend.Variable, model, blinding frontend.Variable) (frontend.Variable, error) {
			challenge := committed(a, listed(words, model)...)
			return kept.Shown(a, blinding, kept.Value(a, words, a.API().Add(words[0], words[1]), challenge))
		}},
	"a word twice in y": {"is not that of word 5 in the first challenge's polynomial", false,
		func(a *bounded.Arith, words []frontend.Variable, model, blinding frontend.Variable) (frontend.Variable, error) {
			challenge := committed(a, listed(words, model)...)
			other := slices.Clone(words)
			other[4] = a.API().Mul(words[4], 2)
			return kept.Shown(a, blinding, kept.Value(a, other, model, challenge))
		}},
	"last-word-alone": {"of the first commitment is in no side of a row the only one of it", false,
		func(a *bounded.Arith, words []frontend.Variable, model, blinding frontend.Variable) (frontend.Variable, error) {
			challenge := committed(a, listed(words, model)...)
			other := slices.Clone(words)
			other[len(other)-1] = 0
			return kept.Shown(a, blinding, kept.Value(a, other, model, challenge))
		}},
	"last-word-alone, in a row of its own": {"without its last word", false,
		func(a *bounded.Arith, words []frontend.Variable, model, blinding frontend.Variable) (frontend.Variable, error) {
			challenge := committed(a, listed(words, model)...)
			other := slices.Clone(words)
			last := len(other) - 1
			a.API().AssertIsDifferent(words[last], 0)
			other[last] = 0
			return kept.Shown(a, blinding, kept.Value(a, other, model, challenge))
		}},
	"last word twice": {"without its last word", false,
		func(a *bounded.Arith, words []frontend.Variable, model, blinding frontend.Variable) (frontend.Variable, error) {
			challenge := committed(a, listed(words, model)...)
			value := kept.Value(a, words, model, challenge)
			return kept.Shown(a, blinding, a.API().Add(value, words[len(words)-1]))
		}},
	"y in no row": {"is in no row", false,
		func(a *bounded.Arith, words []frontend.Variable, model, blinding frontend.Variable) (frontend.Variable, error) {
			challenge := committed(a, listed(words, model)...)
			kept.Value(a, words, model, challenge)
			a.API().AssertIsDifferent(words[len(words)-1], 0)
			return kept.Shown(a, blinding, 7)
		}},
	"c1 elsewhere": {"the first challenge is in 21 rows", false,
		func(a *bounded.Arith, words []frontend.Variable, model, blinding frontend.Variable) (frontend.Variable, error) {
			challenge := committed(a, listed(words, model)...)
			a.API().AssertIsDifferent(challenge, blinding)
			return kept.Shown(a, blinding, kept.Value(a, words, model, challenge))
		}},
	"a part of y elsewhere": {"of the first challenge's polynomial stands elsewhere, too", false,
		func(a *bounded.Arith, words []frontend.Variable, model, blinding frontend.Variable) (frontend.Variable, error) {
			challenge := committed(a, listed(words, model)...)
			half := kept.Value(a, words[:4], model, challenge)
			a.API().AssertIsDifferent(half, blinding)
			return kept.Shown(a, blinding, kept.Value(a, words[4:], half, challenge))
		}},
	"another word beside y": {"holds wire 5 beside the first challenge's polynomial", false, showAnotherWord},
	"y for a challenge": {"asserts something of what follows from the first challenge", false,
		func(a *bounded.Arith, words []frontend.Variable, model, blinding frontend.Variable) (frontend.Variable, error) {
			value := kept.Value(a, words, model, committed(a, listed(words, model)...))
			// blinding^2 = 9 as an identity in y: holds for a blinding that is chosen when y is known
			a.API().AssertIsEqual(a.API().Mul(value, blinding, blinding), a.API().Mul(9, value))
			return kept.Shown(a, blinding, value)
		}},
	"y in a product that nothing sees": {"follows from the first challenge, and is in no further row", false,
		func(a *bounded.Arith, words []frontend.Variable, model, blinding frontend.Variable) (frontend.Variable, error) {
			a.API().Mul(kept.Value(a, words, model, committed(a, listed(words, model)...)), blinding)
			return kept.Shown(a, blinding, 7)
		}},
	"Y in no digest": {"follows from the first challenge, and is in no further row", false,
		func(a *bounded.Arith, words []frontend.Variable, model, blinding frontend.Variable) (frontend.Variable, error) {
			_, err := kept.Show(a, words, model, blinding)
			return 7, err
		}},
	"Y compared with a number of the prover's": {"asserts something of what follows from the first challenge", false,
		func(a *bounded.Arith, words []frontend.Variable, model, blinding frontend.Variable) (frontend.Variable, error) {
			shown, err := kept.Show(a, words, model, blinding)
			a.API().AssertIsEqual(shown, a.API().Mul(blinding, blinding))
			return 7, err
		}},
}

// showAnotherWord shows the value of the polynomial with one more word. The last word, which is nowhere the only one then, is in a
// row of its own.
func showAnotherWord(a *bounded.Arith, words []frontend.Variable, model, blinding frontend.Variable) (frontend.Variable, error) {
	a.API().AssertIsDifferent(words[len(words)-1], 0)
	value := kept.Value(a, words, model, committed(a, listed(words, model)...))
	return kept.Shown(a, blinding, a.API().Add(value, words[toyColumns]))
}

// showing is the toy with another way to show its model.
func showing(name string) *toy {
	circuit := newToy().(*toy)
	circuit.show, circuit.plain = shows[name].show, shows[name].plain
	return circuit
}

// No key is made for a circuit whose first commitment, its polynomial or the hash of the second one is not as a link relies on.
func TestJudgeOfKeptModels(t *testing.T) {
	for name, test := range shows {
		t.Run(name, func(t *testing.T) {
			_, _, err := system.Groth16.Judged(showing(name))
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

// unkept is the circuit of a kept model that does not say so.
type unkept struct{ relation.Circuit }

// A circuit has two commitments if and only if it is of a kept model; PLONK proves none.
func TestTwoCommitmentsAreOfKeptModels(t *testing.T) {
	if _, _, err := system.Groth16.Judged(&unkept{newToy()}); err == nil || !strings.Contains(err.Error(), "two commitments of a circuit of no kept model") {
		t.Error(err)
	}
	one := newToy().(*toy)
	one.show = func(a *bounded.Arith, words []frontend.Variable, model, blinding frontend.Variable) (frontend.Variable, error) {
		return kept.Shown(a, blinding, kept.Value(a, words, model, 5))
	}
	if _, _, err := system.Groth16.Judged(one); err == nil || !strings.Contains(err.Error(), "want two for a kept model") {
		t.Error(err)
	}
	if _, err := system.Plonk.Setup(newToy()); err == nil || !strings.Contains(err.Error(), "use groth16-bn254, or leave out model") {
		t.Error(err)
	}
}

// edited compiles the toy and changes what the system says of its commitments.
func edited(t *testing.T, change func(compiled *cs.R1CS, first, second *constraint.Groth16Commitment)) constraint.ConstraintSystem {
	t.Helper()
	compiled, err := system.Groth16.Compile(newToy())
	if err != nil {
		t.Fatal(err)
	}
	commitments := slices.Clone(compiled.(*cs.R1CS).CommitmentInfo.(constraint.Groth16Commitments))
	change(compiled.(*cs.R1CS), &commitments[0], &commitments[1])
	compiled.(*cs.R1CS).CommitmentInfo = commitments
	return compiled
}

// What gnark's compiler makes of commitments is not taken on trust.
func TestJudgeOfCommitmentsThatNoCompilerMakes(t *testing.T) {
	for name, test := range map[string]struct {
		want   string
		change func(compiled *cs.R1CS, first, second *constraint.Groth16Commitment)
	}{
		"second-hash-without-c1": {"the second commitment hashes wires []", func(_ *cs.R1CS, _, second *constraint.Groth16Commitment) {
			second.PublicAndCommitmentCommitted = nil
		}},
		"the digest under the second hash": {"the second commitment hashes wires [1 ", func(_ *cs.R1CS, first, second *constraint.Groth16Commitment) {
			second.PublicAndCommitmentCommitted, second.NbPublicCommitted = []int{1, first.CommitmentIndex}, 1
		}},
		"the digest under the first hash": {"the first commitment hashes wires [1], too", func(_ *cs.R1CS, first, _ *constraint.Groth16Commitment) {
			first.PublicAndCommitmentCommitted, first.NbPublicCommitted = []int{1}, 1
		}},
		"a word in both": {"wire 4 is in both commitments", func(_ *cs.R1CS, _, second *constraint.Groth16Commitment) {
			second.PrivateCommitted = append([]int{4}, second.PrivateCommitted...)
		}},
		"no mask in the second": {"stands in other rows than its own", func(_ *cs.R1CS, _, second *constraint.Groth16Commitment) {
			second.PrivateCommitted = []int{toyWords + 2 + 2}
		}},
		"a word for a mask": {"the first commitment is of 21 wires", func(_ *cs.R1CS, first, _ *constraint.Groth16Commitment) {
			first.PrivateCommitted = first.PrivateCommitted[:toyWords+1]
		}},
		"an input for a mask": {"1 commitments end with a mask, want both", func(_ *cs.R1CS, first, _ *constraint.Groth16Commitment) {
			first.PrivateCommitted = append(slices.Clone(first.PrivateCommitted[:toyWords+1]), 2+toyWords+1)
		}},
		"a mask in a row of its own form": {"stands in other rows than its own", func(compiled *cs.R1CS, first, _ *constraint.Groth16Commitment) {
			mask := uint32(first.PrivateCommitted[toyWords+1])
			for _, packed := range compiled.Instructions {
				if _, ok := compiled.Blueprints[packed.BlueprintID].(*constraint.BlueprintGenericR1C); !ok {
					continue
				}
				data := packed.Unpack(&compiled.System).Calldata
				for i := 5; i < len(data); i += 2 { // behind the head, a coefficient and a wire each
					if data[i] == mask {
						// m * m = m
						data[5], data[7] = mask, mask
						return
					}
				}
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if err := lint.JudgeKept(edited(t, test.change), toyWords); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
	if err := lint.JudgeKept(edited(t, func(*cs.R1CS, *constraint.Groth16Commitment, *constraint.Groth16Commitment) {}), toyWords); err != nil {
		t.Error(err)
	}
}

// gnark's compiler makes two masks, each by a hint without inputs and in one row m * 1 = m; the first one's hint is the owner's, the
// second one's is random.
func TestMasksOfKeptModels(t *testing.T) {
	compiled, err := system.Groth16.Compile(newToy())
	if err != nil {
		t.Fatal(err)
	}
	r1cs := compiled.(*cs.R1CS)
	var hints []string
	var wires []int
	for _, packed := range r1cs.Instructions {
		if blueprint, ok := r1cs.Blueprints[packed.BlueprintID].(*constraint.BlueprintGenericHint); ok {
			var hint constraint.HintMapping
			if blueprint.DecompressHint(&hint, packed.Unpack(&r1cs.System)); len(hint.Inputs) == 0 {
				name := r1cs.MHintsDependencies[hint.HintID]
				hints, wires = append(hints, name[strings.LastIndex(name, ".")+1:]), append(wires, int(hint.OutputRange.Start))
			}
		}
	}
	if !slices.Equal(hints, []string{"keptMask", "Randomize"}) {
		t.Errorf("hints without inputs: %v", hints)
	}
	for i, commitment := range r1cs.CommitmentInfo.(constraint.Groth16Commitments) {
		if last := commitment.PrivateCommitted[len(commitment.PrivateCommitted)-1]; last != wires[i] {
			t.Errorf("commitment %d: mask %d, the hint's wire is %d", i, last, wires[i])
		}
		rows := 0
		for _, row := range r1cs.GetR1Cs() {
			for _, side := range []constraint.LinearExpression{row.L, row.R, row.O} {
				if slices.ContainsFunc(side, func(term constraint.Term) bool { return term.WireID() == wires[i] }) {
					rows++
				}
			}
		}
		if rows != 2 {
			t.Errorf("mask %d stands in %d sides of rows, want one and its own", i, rows)
		}
	}
}
