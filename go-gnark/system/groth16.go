// Package system compiles constraint systems and makes and checks Groth16 proofs over BN254.
package system

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark/backend/groth16"
	groth16bn254 "github.com/consensys/gnark/backend/groth16/bn254"
	"github.com/consensys/gnark/constraint"
	cs "github.com/consensys/gnark/constraint/bn254"
	"github.com/consensys/gnark/frontend"
	"github.com/consensys/gnark/frontend/cs/r1cs"

	"equiproof/gadget/bounded"
	"equiproof/relation"
	"equiproof/shape"
	"equiproof/witness"
)

// ErrUnsatisfied says that a witness does not satisfy the relation: there is no proof of it.
var ErrUnsatisfied = errors.New("the witness does not satisfy the relation")

// ErrRefused says that a proof does not hold for a statement under a key.
var ErrRefused = errors.New("the proof does not hold")

// Compile builds the constraint system of a shape. A shape whose values could outgrow the field is an error.
func Compile(s *shape.Shape) (constraint.ConstraintSystem, error) {
	return compile(relation.New(s))
}

func compile(circuit *relation.Traversal) (constraint.ConstraintSystem, error) {
	compiled, err := frontend.Compile(ecc.BN254.ScalarField(), r1cs.NewBuilder, circuit)
	var overflow *bounded.OverflowError
	if errors.As(err, &overflow) {
		return nil, fmt.Errorf("shape: %w", overflow)
	}
	return compiled, err
}

// Description is what there is to know of a shape's constraint system.
type Description struct {
	Constraints  int
	SystemDigest [sha256.Size]byte
	Widths       []bounded.Width
}

// Describe compiles a shape and describes its constraint system.
func Describe(s *shape.Shape) (*Description, error) {
	_, description, err := described(s)
	return description, err
}

func described(s *shape.Shape) (constraint.ConstraintSystem, *Description, error) {
	circuit := relation.New(s)
	compiled, err := compile(circuit)
	if err != nil {
		return nil, nil, err
	}
	digest, err := Digest(compiled)
	if err != nil {
		return nil, nil, err
	}
	return compiled, &Description{compiled.GetNbConstraints(), digest, circuit.Widths()}, nil
}

// Keys are a shape's keys as they are stored, with the system that they belong to.
type Keys struct {
	Description
	Proving, Verifying []byte
}

// Setup makes the keys of a shape. Whoever runs it could forge proofs under them.
func Setup(s *shape.Shape) (*Keys, error) {
	compiled, description, err := described(s)
	if err != nil {
		return nil, err
	}
	pk, vk, err := groth16.Setup(compiled)
	if err != nil {
		return nil, fmt.Errorf("set-up: %w", err)
	}
	var proving, verifying bytes.Buffer
	if _, err := pk.WriteRawTo(&proving); err != nil {
		return nil, fmt.Errorf("write proving key: %w", err)
	}
	if _, err := vk.WriteTo(&verifying); err != nil {
		return nil, fmt.Errorf("write verifying key: %w", err)
	}
	return &Keys{Description: *description, Proving: proving.Bytes(), Verifying: verifying.Bytes()}, nil
}

// Digest is the SHA-256 of a compiled constraint system.
func Digest(compiled constraint.ConstraintSystem) (digest [sha256.Size]byte, err error) {
	hash := sha256.New()
	if _, err = compiled.WriteTo(hash); err != nil {
		return digest, fmt.Errorf("write constraint system: %w", err)
	}
	copy(digest[:], hash.Sum(nil))
	return digest, nil
}

// Prover is a loaded proving key with its constraint system, compiled anew from the shape.
type Prover struct {
	document []byte
	shape    *shape.Shape
	compiled constraint.ConstraintSystem
	key      *groth16bn254.ProvingKey
}

// Load reads a proving key whose digest the caller has checked, and compiles its shape.
func Load(document, proving []byte) (*Prover, error) {
	s, err := shape.Parse(document)
	if err != nil {
		return nil, err
	}
	compiled, err := Compile(s)
	if err != nil {
		return nil, err
	}
	key := new(groth16bn254.ProvingKey)
	reader := bytes.NewReader(proving)
	if _, err := key.UnsafeReadFrom(reader); err != nil {
		return nil, fmt.Errorf("proving key: %w", err)
	}
	if reader.Len() != 0 {
		return nil, errors.New("proving key: bytes left over")
	}
	return &Prover{document: document, shape: s, compiled: compiled, key: key}, nil
}

// unsatisfied names the constraint that failed, and not the solver's text: that shows the values on both sides.
func unsatisfied(err error) error {
	var failed *cs.UnsatisfiedConstraintError
	if errors.As(err, &failed) {
		return fmt.Errorf("%w: constraint %d", ErrUnsatisfied, failed.CID)
	}
	return ErrUnsatisfied
}

// SystemDigest is the digest of the prover's constraint system.
func (p *Prover) SystemDigest() ([sha256.Size]byte, error) { return Digest(p.compiled) }

// Prove makes a proof of a witness, or says that there is none.
func (p *Prover) Prove(data []byte) ([]byte, error) {
	assignment, err := witness.Parse(p.shape, p.document, data)
	if err != nil {
		return nil, err
	}
	full, err := frontend.NewWitness(assignment, ecc.BN254.ScalarField())
	if err != nil {
		return nil, fmt.Errorf("witness: %w", err)
	}
	proof, err := groth16.Prove(p.compiled, p.key, full)
	if err != nil {
		return nil, unsatisfied(err)
	}
	var out bytes.Buffer
	if _, err := proof.WriteTo(&out); err != nil {
		return nil, fmt.Errorf("write proof: %w", err)
	}
	return out.Bytes(), nil
}
