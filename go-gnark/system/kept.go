package system

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	gnark "github.com/consensys/gnark/backend/witness"
	"github.com/consensys/gnark/constraint"
	cs "github.com/consensys/gnark/constraint/bn254"
	"github.com/consensys/gnark/constraint/solver"
	fcs "github.com/consensys/gnark/frontend/cs"
)

// ErrNoMask says that a proof about a kept model needs the mask of its commitment, which only its owner has.
var ErrNoMask = errors.New("give the mask of the kept model: its commitment is one point in all proofs")

// keptMask stands for the mask of a kept model's commitment. The prover is given it; nothing else knows it.
func keptMask(*big.Int, []*big.Int, []*big.Int) error { return ErrNoMask }

func init() { solver.RegisterHint(keptMask) }

// keepMask gives the mask of the first of two commitments a hint of its own; of other systems nothing changes. Both masks have
// one hint of gnark's without inputs, called in any order: what gave the first one a value by its name would fix the second one,
// too, and proofs would hide nothing.
func keepMask(compiled *cs.R1CS) error {
	commitments := compiled.CommitmentInfo.(constraint.Groth16Commitments)
	if len(commitments) != 2 {
		return nil
	}
	first := commitments[0].PrivateCommitted
	if len(first) == 0 {
		return errors.New("the first commitment is of no private wire")
	}
	mask := uint32(first[len(first)-1])
	for _, packed := range compiled.Instructions {
		blueprint, ok := compiled.Blueprints[packed.BlueprintID].(*constraint.BlueprintGenericHint)
		if !ok {
			continue
		}
		instruction := packed.Unpack(&compiled.System)
		var hint constraint.HintMapping
		blueprint.DecompressHint(&hint, instruction)
		if hint.OutputRange.Start == mask && hint.OutputRange.End == mask+1 && len(hint.Inputs) == 0 {
			// As gnark stores a hint: the length of all, its number, and the inputs.
			const number = 1
			instruction.Calldata[number] = uint32(solver.GetHintID(keptMask))
			compiled.MHintsDependencies[solver.GetHintID(keptMask)] = solver.GetHintName(keptMask)
			return nil
		}
	}
	return fmt.Errorf("the last wire of the first commitment, %d, is no mask", mask)
}

// masked is the option that gives the kept mask its value.
func masked(mask fr.Element) solver.Option {
	return solver.OverrideHint(solver.GetHintID(keptMask), func(_ *big.Int, _, outputs []*big.Int) error {
		mask.BigInt(outputs[0])
		return nil
	})
}

// keeps says whether a system is of a kept model.
func keeps(compiled constraint.ConstraintSystem) bool {
	return len(compiled.GetCommitments().CommitmentIndexes()) == 2
}

// CheckKept is Check for a circuit of a kept model. What the circuit shows of the model depends on the challenge of the first
// commitment, which follows from a key: the caller says what it is, and the other one is random.
func (c *Checker) CheckKept(data []byte, first fr.Element) error {
	var full gnark.Witness
	last := new(big.Int)
	if err := drawChallenge(nil, nil, []*big.Int{last}); err != nil {
		return err
	}
	late, err := c.readLate(data)
	switch {
	case err != nil:
		return err
	case late != nil:
		var challenge fr.Element
		full, err = late.at(*challenge.SetBigInt(last))
	default:
		full, err = c.read(data)
	}
	if err != nil {
		return err
	}
	drawn := solver.OverrideHint(solver.GetHintID(fcs.Bsb22CommitmentComputePlaceholder),
		func(_ *big.Int, inputs, outputs []*big.Int) error {
			if inputs[0].Sign() == 0 { // the number of the commitment
				first.BigInt(outputs[0])
				return nil
			}
			outputs[0].Set(last)
			return nil
		})
	// The mask is in no row but its own, so any will do.
	if err := c.compiled.IsSolved(full, drawn, masked(fr.One())); err != nil {
		return unsatisfied(err)
	}
	return nil
}

// Point returns the commitment to a kept model, compressed: the same in every proof under this key. What is committed to is the
// words in their order and the model commitment behind them.
func (p *Prover) Point(committed []fr.Element, mask fr.Element) ([]byte, error) {
	key, ok := p.key.(*groth16Proving)
	if !ok || !keeps(p.compiled) {
		return nil, errors.New("the key is of no kept model")
	}
	point, err := key.CommitmentKeys[0].Commit(append(append([]fr.Element{}, committed...), mask))
	if err != nil {
		return nil, fmt.Errorf("%d numbers are committed to, want %d", len(committed), len(key.CommitmentKeys[0].Basis)-1)
	}
	compressed := point.Bytes()
	return compressed[:], nil
}

// ProveKept is Prove for a circuit of a kept model: the mask is that of Point.
func (p *Prover) ProveKept(data []byte, mask fr.Element) ([]byte, error) {
	key, ok := p.key.(*groth16Proving)
	if !ok || !keeps(p.compiled) {
		return nil, errors.New("the key is of no kept model")
	}
	late, err := p.readLate(data)
	if err != nil {
		return nil, err
	}
	if late != nil {
		return key.proveLate(p.compiled, late, mask)
	}
	full, err := p.read(data)
	if err != nil {
		return nil, err
	}
	return key.proveWith(p.compiled, full, masked(mask))
}
