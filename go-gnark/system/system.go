// Package system compiles constraint systems, makes their keys, and makes proofs over BN254, by one of several proof systems.
// Package check checks them.
package system

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/big"
	"runtime"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	gnark "github.com/consensys/gnark/backend/witness"
	"github.com/consensys/gnark/constraint"
	cs "github.com/consensys/gnark/constraint/bn254"
	"github.com/consensys/gnark/constraint/solver"
	"github.com/consensys/gnark/frontend"
	fcs "github.com/consensys/gnark/frontend/cs"

	"equiproof/check"
	"equiproof/gadget/bounded"
	"equiproof/internal/lint"
	"equiproof/relation"
	"equiproof/shape"
	"equiproof/subcircuit"
	"equiproof/witness"
)

// ErrUnsatisfied says that a witness does not satisfy the relation: there is no proof of it.
var ErrUnsatisfied = errors.New("the witness does not satisfy the relation")

// Select returns the circuit of a document: the relation of a shape, that of links or of tables, or one gadget of a shape alone.
func Select(document []byte) (relation.Circuit, error) {
	if subcircuit.Is(document) {
		return subcircuit.Parse(document)
	}
	if shape.IsLink(document) {
		l, err := shape.ParseLink(document)
		if err != nil {
			return nil, err
		}
		return relation.NewLink(l), nil
	}
	if shape.IsTable(document) {
		t, err := shape.ParseTable(document)
		if err != nil {
			return nil, err
		}
		return relation.NewTable(t), nil
	}
	s, err := shape.Parse(document)
	if err != nil {
		return nil, err
	}
	switch {
	case s.Branches():
		return relation.NewBranch(s)
	case s.Gains():
		return relation.NewGain(s)
	case s.Scheme == shape.GrowingBox:
		return relation.NewBoxTrees(s), nil
	case s.Grows():
		return relation.NewTrees(s), nil
	case s.Adds():
		return relation.NewAdditive(s), nil
	case s.Boxes():
		return relation.NewBox(s), nil
	}
	return relation.New(s), nil
}

// method is what one proof system does in its own way. A further one is one implementation, and its name in Named.
type method interface {
	// takes refuses a circuit that the method has no keys for.
	takes(circuit relation.Circuit) error
	// builder makes the constraint systems that the method proves.
	builder() frontend.NewBuilder
	// finish changes a compiled system before anything is made of it.
	finish(compiled constraint.ConstraintSystem) error
	// setup makes the keys of a judged system: from powers, if any are given, or from randomness of its own.
	setup(compiled constraint.ConstraintSystem, powers []byte) (proving, verifying []byte, err error)
	// leastKey is how many bytes a proving key has for each private wire of its circuit, at least.
	leastKey() int
	// load reads a proving key of a system. Only the layout is checked, and all of it.
	load(compiled constraint.ConstraintSystem, proving []byte) (provingKey, error)
}

type provingKey interface {
	prove(compiled constraint.ConstraintSystem, full gnark.Witness) ([]byte, error)
}

// ProofSystem is a way to prove circuits. All of them take the same circuits, witnesses and statement digests; each has
// keys and proofs of its own.
type ProofSystem struct {
	name   string
	method method
}

// The proof systems, by the names that keys and certificates have for them.
var (
	Groth16 = ProofSystem{check.Groth16, groth16Method{}}
	Plonk   = ProofSystem{check.Plonk, plonkMethod{}}
)

// Named returns the proof system of a name.
func Named(name string) (ProofSystem, error) {
	for _, known := range []ProofSystem{Groth16, Plonk} {
		if known.name == name {
			return known, nil
		}
	}
	return ProofSystem{}, fmt.Errorf("unknown proof system %.40q", name)
}

// Name is the name of the proof system.
func (p ProofSystem) Name() string { return p.name }

// Compile builds a constraint system. A shape whose values could outgrow the field is an error.
func (p ProofSystem) Compile(circuit relation.Circuit) (constraint.ConstraintSystem, error) {
	if err := p.method.takes(circuit); err != nil {
		return nil, err
	}
	compiled, err := frontend.Compile(ecc.BN254.ScalarField(), p.method.builder(), circuit)
	var overflow *bounded.OverflowError
	if errors.As(err, &overflow) {
		return nil, fmt.Errorf("shape: %w", overflow)
	}
	if err != nil {
		return nil, err
	}
	return compiled, p.method.finish(compiled)
}

// Description is what there is to know of a constraint system.
type Description struct {
	Constraints  int
	SystemDigest [sha256.Size]byte
	Widths       []bounded.Width
	Parts        []Part
}

// Describe compiles a circuit and describes its constraint system.
func (p ProofSystem) Describe(circuit relation.Circuit) (*Description, error) {
	_, description, err := p.described(circuit)
	return description, err
}

func (p ProofSystem) described(circuit relation.Circuit) (constraint.ConstraintSystem, *Description, error) {
	compiled, err := p.Compile(circuit)
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

// Setup makes the keys of a circuit on this machine; one whose system leaves a wire to the prover is an error. Whoever runs
// it could forge proofs under them.
func (p ProofSystem) Setup(circuit relation.Circuit) (*Keys, error) { return p.SetupFrom(circuit, nil) }

// SetupFrom makes the keys of a circuit as Setup does, from powers that others made, which are checked first: nobody here
// could forge proofs under them. Without powers it is Setup.
func (p ProofSystem) SetupFrom(circuit relation.Circuit, powers []byte) (*Keys, error) {
	compiled, description, err := p.Judged(circuit)
	if err != nil {
		return nil, err
	}
	// What judging left behind is more than a set-up needs.
	runtime.GC()
	proving, verifying, err := p.method.setup(compiled, powers)
	if err != nil {
		return nil, fmt.Errorf("set-up: %w", err)
	}
	return &Keys{Description: *description, Proving: proving, Verifying: verifying}, nil
}

// Judged compiles and describes a circuit that keys may be made for; one whose system leaves a wire to the prover is an
// error.
func (p ProofSystem) Judged(circuit relation.Circuit) (constraint.ConstraintSystem, *Description, error) {
	compiled, description, err := p.described(circuit)
	if err != nil {
		return nil, nil, err
	}
	// What compiling left behind is more than judging needs.
	runtime.GC()
	if later, ok := circuit.(relation.Later); ok {
		return compiled, description, lint.JudgeLate(compiled, later.Words())
	}
	if words := relation.Words(circuit); words > 0 {
		return compiled, description, lint.JudgeKept(compiled, words)
	}
	return compiled, description, lint.Judge(compiled)
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
	circuit  func() (relation.Circuit, error) // a new copy
	compiled constraint.ConstraintSystem
}

// NewChecker compiles the circuit of a document.
func (p ProofSystem) NewChecker(document []byte) (*Checker, error) {
	return p.checker(document, func() (relation.Circuit, error) { return Select(document) })
}

func (p ProofSystem) checker(document []byte, circuit func() (relation.Circuit, error)) (*Checker, error) {
	first, err := circuit()
	if err != nil {
		return nil, err
	}
	compiled, err := p.Compile(first)
	if err != nil {
		return nil, err
	}
	return &Checker{document: document, circuit: circuit, compiled: compiled}, nil
}

// Check returns nil for a witness that satisfies the circuit, and ErrUnsatisfied for one that does not.
func (c *Checker) Check(data []byte) error {
	if keeps(c.compiled) {
		return ErrNoMask
	}
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
	return solver.OverrideHint(solver.GetHintID(fcs.Bsb22CommitmentComputePlaceholder), drawChallenge)
}

func drawChallenge(_ *big.Int, _, outputs []*big.Int) error {
	var drawn fr.Element
	if _, err := drawn.SetRandom(); err != nil {
		return err
	}
	drawn.BigInt(outputs[0])
	return nil
}

// SystemDigest is the digest of the constraint system.
func (c *Checker) SystemDigest() ([sha256.Size]byte, error) { return Digest(c.compiled) }

// read assigns a witness to a new copy of the circuit.
func (c *Checker) read(data []byte) (gnark.Witness, error) {
	circuit, err := c.circuit()
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
	key provingKey
}

// Load compiles the circuit of a document and reads a proving key for it. The caller vouches for the key's points by their
// digest: of a key that others made, only the layout is checked.
func (p ProofSystem) Load(document, proving []byte) (*Prover, error) {
	return p.load(document, proving, func() (relation.Circuit, error) { return Select(document) })
}

func (p ProofSystem) load(document, proving []byte, circuit func() (relation.Circuit, error)) (*Prover, error) {
	first, err := circuit()
	if err != nil {
		return nil, err
	}
	// A document that comes with a key makes no more work than the length of the key allows.
	if wires := relation.Length(first.Layout()); len(proving)/p.method.leastKey() < wires {
		return nil, fmt.Errorf("proving key: %d bytes, too few for %d private wires", len(proving), wires)
	}
	checker, err := p.checker(document, circuit)
	if err != nil {
		return nil, err
	}
	key, err := p.method.load(checker.compiled, proving)
	if err != nil {
		return nil, fmt.Errorf("proving key: %w", err)
	}
	return &Prover{Checker: checker, key: key}, nil
}

// Prove makes a proof of a witness, or says that there is none.
func (p *Prover) Prove(data []byte) ([]byte, error) {
	if keeps(p.compiled) {
		return nil, ErrNoMask
	}
	full, err := p.read(data)
	if err != nil {
		return nil, err
	}
	return p.key.prove(p.compiled, full)
}

// unsatisfied names the constraint that failed, and not the solver's text: that shows the values on both sides.
func unsatisfied(err error) error {
	var failed *cs.UnsatisfiedConstraintError
	if errors.As(err, &failed) {
		return fmt.Errorf("%w: constraint %d", ErrUnsatisfied, failed.CID)
	}
	return ErrUnsatisfied
}

// LoadVerifier reads a verifying key of the proof system, as check.Load does.
func (p ProofSystem) LoadVerifier(verifying []byte) (*check.Verifier, error) {
	return check.Load(p.name, verifying)
}

// made writes a proof, or says that there is none.
func made(proof io.WriterTo, err error) ([]byte, error) {
	if err != nil {
		return nil, unsatisfied(err)
	}
	var out bytes.Buffer
	if _, err := proof.WriteTo(&out); err != nil {
		return nil, fmt.Errorf("write proof: %w", err)
	}
	return out.Bytes(), nil
}
