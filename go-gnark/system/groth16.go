// Package system compiles constraint systems and makes and checks Groth16 proofs over BN254.
package system

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/big"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/backend/groth16"
	groth16bn254 "github.com/consensys/gnark/backend/groth16/bn254"
	gnark "github.com/consensys/gnark/backend/witness"
	"github.com/consensys/gnark/constraint"
	cs "github.com/consensys/gnark/constraint/bn254"
	"github.com/consensys/gnark/constraint/solver"
	"github.com/consensys/gnark/frontend"
	fcs "github.com/consensys/gnark/frontend/cs"
	"github.com/consensys/gnark/frontend/cs/r1cs"

	"equiproof/gadget/bounded"
	"equiproof/internal/lint"
	"equiproof/relation"
	"equiproof/shape"
	"equiproof/subcircuit"
	"equiproof/witness"
)

// ErrUnsatisfied says that a witness does not satisfy the relation: there is no proof of it.
var ErrUnsatisfied = errors.New("the witness does not satisfy the relation")

// ErrRefused says that a proof does not hold for a statement under a key.
var ErrRefused = errors.New("the proof does not hold")

// Select returns the circuit of a document: the relation of a shape, or one gadget of it alone.
func Select(document []byte) (relation.Circuit, error) {
	if subcircuit.Is(document) {
		return subcircuit.Parse(document)
	}
	s, err := shape.Parse(document)
	if err != nil {
		return nil, err
	}
	if s.Branches() {
		return relation.NewBranch(s)
	}
	return relation.New(s), nil
}

// Compile builds a constraint system. A shape whose values could outgrow the field is an error.
func Compile(circuit relation.Circuit) (constraint.ConstraintSystem, error) {
	compiled, err := frontend.Compile(ecc.BN254.ScalarField(), r1cs.NewBuilder, circuit)
	var overflow *bounded.OverflowError
	if errors.As(err, &overflow) {
		return nil, fmt.Errorf("shape: %w", overflow)
	}
	if err != nil {
		return nil, err
	}
	balance(compiled.(*cs.R1CS))
	return compiled, nil
}

// Description is what there is to know of a constraint system.
type Description struct {
	Constraints  int
	SystemDigest [sha256.Size]byte
	Widths       []bounded.Width
	Parts        []Part
}

// Describe compiles a circuit and describes its constraint system.
func Describe(circuit relation.Circuit) (*Description, error) {
	_, description, err := described(circuit)
	return description, err
}

func described(circuit relation.Circuit) (constraint.ConstraintSystem, *Description, error) {
	compiled, err := Compile(circuit)
	if err != nil {
		return nil, nil, err
	}
	digest, err := Digest(compiled)
	if err != nil {
		return nil, nil, err
	}
	parts, err := Parts(compiled, circuit.Record())
	if err != nil {
		return nil, nil, err
	}
	return compiled, &Description{compiled.GetNbConstraints(), digest, circuit.Widths(), parts}, nil
}

// Keys are a circuit's keys as they are stored, with the system that they belong to.
type Keys struct {
	Description
	Proving, Verifying []byte
}

// Setup makes the keys of a circuit; one whose system leaves a wire to the prover is an error. Whoever runs it could forge
// proofs under them.
func Setup(circuit relation.Circuit) (*Keys, error) {
	compiled, description, err := Judged(circuit)
	if err != nil {
		return nil, err
	}
	pk, vk, err := groth16.Setup(compiled)
	if err != nil {
		return nil, fmt.Errorf("set-up: %w", err)
	}
	return Stored(description, pk, vk)
}

// Judged compiles and describes a circuit that keys may be made for; one whose system leaves a wire to the prover is an
// error.
func Judged(circuit relation.Circuit) (constraint.ConstraintSystem, *Description, error) {
	compiled, description, err := described(circuit)
	if err != nil {
		return nil, nil, err
	}
	return compiled, description, lint.Judge(compiled)
}

// Stored returns keys as they are stored.
func Stored(description *Description, pk groth16.ProvingKey, vk groth16.VerifyingKey) (*Keys, error) {
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

// Checker is a circuit, compiled from its document, that says of witnesses whether they satisfy it. It needs no key.
type Checker struct {
	document []byte
	compiled constraint.ConstraintSystem
}

// NewChecker compiles the circuit of a document.
func NewChecker(document []byte) (*Checker, error) {
	circuit, err := Select(document)
	if err != nil {
		return nil, err
	}
	return checker(document, circuit)
}

func checker(document []byte, circuit relation.Circuit) (*Checker, error) {
	compiled, err := Compile(circuit)
	if err != nil {
		return nil, err
	}
	return &Checker{document: document, compiled: compiled}, nil
}

// Check returns nil for a witness that satisfies the circuit, and ErrUnsatisfied for one that does not.
func (c *Checker) Check(data []byte) error {
	full, err := c.read(data)
	if err != nil {
		return err
	}
	if err := c.compiled.IsSolved(full, challenge()); err != nil {
		return unsatisfied(err)
	}
	return nil
}

// challenge draws the commitment's challenge. A proof takes it from the hash of a commitment; where none is made, a random
// one that nobody knew when the witness was written is as good.
func challenge() solver.Option {
	return solver.OverrideHint(solver.GetHintID(fcs.Bsb22CommitmentComputePlaceholder),
		func(_ *big.Int, _, outputs []*big.Int) error {
			var drawn fr.Element
			if _, err := drawn.SetRandom(); err != nil {
				return err
			}
			drawn.BigInt(outputs[0])
			return nil
		})
}

// SystemDigest is the digest of the constraint system.
func (c *Checker) SystemDigest() ([sha256.Size]byte, error) { return Digest(c.compiled) }

// read assigns a witness to a new copy of the circuit.
func (c *Checker) read(data []byte) (gnark.Witness, error) {
	circuit, err := Select(c.document)
	if err != nil {
		return nil, err
	}
	if err := witness.Parse(circuit, c.document, data); err != nil {
		return nil, err
	}
	full, err := frontend.NewWitness(circuit, ecc.BN254.ScalarField())
	if err != nil {
		return nil, fmt.Errorf("witness: %w", err)
	}
	return full, nil
}

// Prover is a loaded proving key with its constraint system, compiled anew from the document.
type Prover struct {
	*Checker
	key *groth16bn254.ProvingKey
}

// Load compiles the circuit of a document and reads a proving key for it. The caller vouches for the key's points by their
// digest: of a key that others made, only the layout is checked.
func Load(document, proving []byte) (*Prover, error) {
	circuit, err := Select(document)
	if err != nil {
		return nil, err
	}
	if err := checkLength(circuit, proving); err != nil {
		return nil, fmt.Errorf("proving key: %w", err)
	}
	checker, err := checker(document, circuit)
	if err != nil {
		return nil, err
	}
	if err := checkProving(proving, checker.compiled.(*cs.R1CS)); err != nil {
		return nil, fmt.Errorf("proving key: %w", err)
	}
	key := new(groth16bn254.ProvingKey)
	if _, err := key.UnsafeReadFrom(bytes.NewReader(proving)); err != nil {
		return nil, fmt.Errorf("proving key: %w", err)
	}
	return &Prover{Checker: checker, key: key}, nil
}

// unsatisfied names the constraint that failed, and not the solver's text: that shows the values on both sides.
func unsatisfied(err error) error {
	var failed *cs.UnsatisfiedConstraintError
	if errors.As(err, &failed) {
		return fmt.Errorf("%w: constraint %d", ErrUnsatisfied, failed.CID)
	}
	return ErrUnsatisfied
}

// Prove makes a proof of a witness, or says that there is none.
func (p *Prover) Prove(data []byte) ([]byte, error) {
	full, err := p.read(data)
	if err != nil {
		return nil, err
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
