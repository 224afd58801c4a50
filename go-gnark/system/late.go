package system

import (
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	gnark "github.com/consensys/gnark/backend/witness"
	"github.com/consensys/gnark/constraint"
	cs "github.com/consensys/gnark/constraint/bn254"
	"github.com/consensys/gnark/constraint/solver"
	"github.com/consensys/gnark/frontend"
	fcs "github.com/consensys/gnark/frontend/cs"

	"equiproof/relation"
	"equiproof/verify/statement"
	"equiproof/witness"
)

// lateWitness is a witness of a circuit whose public input follows from the last challenge: the bytes have in its place the digest of what
// is stated before.
type lateWitness struct {
	circuit relation.Later
	stated  fr.Element
}

// readLate assigns a witness to a new copy of a circuit of which Later is true; others have none.
func (c *Checker) readLate(data []byte) (*lateWitness, error) {
	circuit, err := c.circuit()
	if err != nil {
		return nil, err
	}
	later, ok := circuit.(relation.Later)
	if !ok {
		return nil, nil
	}
	if err := witness.Parse(later, c.document, data); err != nil {
		return nil, err
	}
	digest, _ := later.Inputs()
	return &lateWitness{later, (*digest).(fr.Element)}, nil
}

// at returns the whole witness where the last challenge is this one.
func (w *lateWitness) at(challenge fr.Element) (gnark.Witness, error) {
	digest, _ := w.circuit.Inputs()
	*digest = statement.Shown(w.stated, w.circuit.Value(challenge))
	full, err := frontend.NewWitness(w.circuit, ecc.BN254.ScalarField())
	if err != nil {
		return nil, fmt.Errorf("witness: %w", err)
	}
	return full, nil
}

// errChallenged ends a run of the solver that has reached the last challenge.
var errChallenged = errors.New("the last challenge is known")

// lastMask gives the mask of the last commitment a value.
func lastMask(compiled constraint.ConstraintSystem, mask fr.Element) (solver.Option, error) {
	for id, name := range compiled.(*cs.R1CS).MHintsDependencies {
		if strings.HasSuffix(name, ".Randomize") {
			return solver.OverrideHint(id, func(_ *big.Int, _, outputs []*big.Int) error {
				mask.BigInt(outputs[0])
				return nil
			}), nil
		}
	}
	return nil, errors.New("the last commitment has no mask")
}

// proveLate makes a proof whose public input follows from the last commitment. It draws the mask of that one itself and solves twice: up to
// the challenge, and then with the public input that follows.
func (k *groth16Proving) proveLate(compiled constraint.ConstraintSystem, late *lateWitness, mask fr.Element) ([]byte, error) {
	var own, challenge fr.Element
	if _, err := own.SetRandom(); err != nil {
		return nil, err
	}
	last, err := lastMask(compiled, own)
	if err != nil {
		return nil, err
	}
	full, err := late.at(fr.Element{})
	if err != nil {
		return nil, err
	}
	found := false
	capture := solver.OverrideHint(solver.GetHintID(fcs.Bsb22CommitmentComputePlaceholder), func(_ *big.Int, inputs, outputs []*big.Int) error {
		number := int(inputs[0].Int64())
		drawn, err := k.challenge(compiled, number, inputs[1:])
		if err != nil {
			return err
		}
		if number == len(k.CommitmentKeys)-1 {
			challenge, found = drawn, true
			return errChallenged
		}
		drawn.BigInt(outputs[0])
		return nil
	})
	if _, err := compiled.Solve(full, masked(mask), last, capture); !found {
		return nil, unsatisfied(err)
	}
	if full, err = late.at(challenge); err != nil {
		return nil, err
	}
	return k.proveWith(compiled, full, masked(mask), last)
}

// challenge returns that of a commitment, as the prover of Groth16 makes it: the hash of the point, and of the inputs that it takes, too.
func (k *groth16Proving) challenge(compiled constraint.ConstraintSystem, number int, inputs []*big.Int) (fr.Element, error) {
	hashed := len(compiled.GetCommitments().(constraint.Groth16Commitments)[number].PublicAndCommitmentCommitted)
	values := make([]fr.Element, len(inputs)-hashed)
	for i, input := range inputs[hashed:] {
		values[i].SetBigInt(input)
	}
	point, err := k.CommitmentKeys[number].Commit(values)
	if err != nil {
		return fr.Element{}, err
	}
	elements, err := fr.Hash(constraint.SerializeCommitment(point.Marshal(), inputs[:hashed], fr.Bytes), []byte(constraint.CommitmentDst), 1)
	if err != nil {
		return fr.Element{}, err
	}
	return elements[0], nil
}
