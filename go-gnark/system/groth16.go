package system

import (
	"bytes"
	"fmt"
	"io"

	"github.com/consensys/gnark/backend"
	"github.com/consensys/gnark/backend/groth16"
	groth16bn254 "github.com/consensys/gnark/backend/groth16/bn254"
	gnark "github.com/consensys/gnark/backend/witness"
	"github.com/consensys/gnark/constraint"
	cs "github.com/consensys/gnark/constraint/bn254"
	"github.com/consensys/gnark/constraint/solver"
	"github.com/consensys/gnark/frontend"
	"github.com/consensys/gnark/frontend/cs/r1cs"

	"equiproof/relation"
)

// groth16Method is Groth16: a set-up for each circuit, the smallest proofs and the fastest prover.
type groth16Method struct{}

func (groth16Method) takes(relation.Circuit) error { return nil }

func (groth16Method) builder() frontend.NewBuilder { return r1cs.NewBuilder[constraint.U64] }

func (groth16Method) finish(compiled constraint.ConstraintSystem) error {
	balance(compiled.(*cs.R1CS))
	return keepMask(compiled.(*cs.R1CS))
}

func (groth16Method) setup(compiled constraint.ConstraintSystem, powers []byte) (proving, verifying []byte, err error) {
	if len(powers) > 0 {
		return nil, nil, fmt.Errorf("powers alone make no key of %s", Groth16.name)
	}
	pk, vk, err := groth16.Setup(compiled)
	if err != nil {
		return nil, nil, err
	}
	return written(pk, vk)
}

func written(pk groth16.ProvingKey, vk groth16.VerifyingKey) (proving, verifying []byte, err error) {
	if proving, err = exactly(pk.WriteRawTo); err != nil {
		return nil, nil, fmt.Errorf("write proving key: %w", err)
	}
	if verifying, err = exactly(vk.WriteTo); err != nil {
		return nil, nil, fmt.Errorf("write verifying key: %w", err)
	}
	return proving, verifying, nil
}

// exactly returns what is written, in no more memory than it takes: keys have gigabytes, and a buffer that grows has
// several times as much. So it is written twice.
func exactly(write func(io.Writer) (int64, error)) ([]byte, error) {
	size, err := write(io.Discard)
	if err != nil {
		return nil, err
	}
	buffer := bytes.NewBuffer(make([]byte, 0, size))
	_, err = write(buffer)
	return buffer.Bytes(), err
}

// Stored returns keys that were made elsewhere, for the judged circuit of a description, as they are stored.
func Stored(description *Description, pk groth16.ProvingKey, vk groth16.VerifyingKey) (*Keys, error) {
	proving, verifying, err := written(pk, vk)
	if err != nil {
		return nil, err
	}
	return &Keys{Description: *description, Proving: proving, Verifying: verifying}, nil
}

// leastKey is the bytes of a point, and whether each of two more is at infinity.
func (groth16Method) leastKey() int { return rawG1Bytes + 2 }

func (groth16Method) load(compiled constraint.ConstraintSystem, proving []byte) (provingKey, error) {
	if err := checkProving(proving, compiled.(*cs.R1CS)); err != nil {
		return nil, err
	}
	key := new(groth16bn254.ProvingKey)
	if _, err := key.UnsafeReadFrom(bytes.NewReader(proving)); err != nil {
		return nil, err
	}
	return (*groth16Proving)(key), nil
}

type groth16Proving groth16bn254.ProvingKey

func (k *groth16Proving) prove(compiled constraint.ConstraintSystem, full gnark.Witness) ([]byte, error) {
	return k.proveWith(compiled, full)
}

func (k *groth16Proving) proveWith(compiled constraint.ConstraintSystem, full gnark.Witness, options ...solver.Option) ([]byte, error) {
	proof, err := groth16.Prove(compiled, (*groth16bn254.ProvingKey)(k), full, backend.WithSolverOptions(options...))
	return made(proof, err)
}
