package system

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr/fft"
	"github.com/consensys/gnark-crypto/ecc/bn254/kzg"
	"github.com/consensys/gnark/backend"
	plonkbn254 "github.com/consensys/gnark/backend/plonk/bn254"
	gnark "github.com/consensys/gnark/backend/witness"
	"github.com/consensys/gnark/constraint"
	cs "github.com/consensys/gnark/constraint/bn254"
	"github.com/consensys/gnark/frontend"
	"github.com/consensys/gnark/frontend/cs/scs"

	"equiproof/check"
	"equiproof/relation"
)

// plonkMethod is PLONK with KZG commitments: powers of one secret serve every circuit up to a size.
type plonkMethod struct{}

// takes refuses kept models: the prover draws the mask of its commitment inside, so that no point is kept, and its challenge does not
// follow from the first commitment. Links are for certificates of kept models only.
func (plonkMethod) takes(circuit relation.Circuit) error {
	if _, links := circuit.(*relation.Link); links || relation.Words(circuit) > 0 {
		return fmt.Errorf("use %s, or leave out model: kept models and their links have no keys of %s", Groth16.name, Plonk.name)
	}
	return nil
}

func (plonkMethod) builder() frontend.NewBuilder { return scs.NewBuilder[constraint.U64] }

func (plonkMethod) finish(constraint.ConstraintSystem) error { return nil }

func (plonkMethod) setup(compiled constraint.ConstraintSystem, powers []byte) (proving, verifying []byte, err error) {
	sparse := compiled.(*cs.SparseR1CS)
	found, err := powersFor(domainSize(sparse), powers)
	if err != nil {
		return nil, nil, err
	}
	pk, vk, err := plonkbn254.Setup(sparse, found.canonical, found.lagrange)
	if err != nil {
		return nil, nil, err
	}
	verifying = check.WritePlonkKey(vk)
	if _, err := check.ReadPlonkKey(verifying); err != nil {
		return nil, nil, err
	}
	proving = append(bytes.Clone(verifying), rawPoints(pk.Kzg.G1)...)
	return append(proving, rawPoints(pk.KzgLagrange.G1)...), verifying, nil
}

// domainSize is the size of the domain of a system's polynomials: a power of two, with a row for the public input.
func domainSize(sparse *cs.SparseR1CS) int {
	rows := sparse.GetNbConstraints() + sparse.GetNbPublicVariables()
	return int(fft.NewDomain(uint64(rows), fft.WithoutPrecompute()).Cardinality)
}

// BlindingPowers is how many powers a proof needs beyond the domain, for its polynomials that hide the witness.
const BlindingPowers = 3

// freshPowers makes the powers of a secret that is forgotten.
func freshPowers(size int) (*powers, error) {
	secret, err := rand.Int(rand.Reader, fr.Modulus())
	if err != nil {
		return nil, err
	}
	canonical, err := kzg.NewSRS(uint64(size+BlindingPowers), secret)
	if err != nil {
		return nil, err
	}
	// The values of the Lagrange polynomials at the secret: much faster than the sums over the points.
	var at fr.Element
	at.SetBigInt(secret)
	return &powers{*canonical, kzg.SRS{Pk: kzg.ProvingKey{G1: lagrangeAt(size, at)}, Vk: canonical.Vk}}, nil
}

// leastKey is two points for each row: a row has room for three wires.
func (plonkMethod) leastKey() int { return 2 * rawG1Bytes / 3 }

// load reads the two lists of points, whose lengths the system gives, and the verifying key that stands before them.
func (plonkMethod) load(compiled constraint.ConstraintSystem, proving []byte) (provingKey, error) {
	sparse := compiled.(*cs.SparseR1CS)
	size := domainSize(sparse)
	if want := check.PlonkKeyBytes + rawG1Bytes*(2*size+BlindingPowers); len(proving) != want {
		return nil, fmt.Errorf("%d bytes, want %d", len(proving), want)
	}
	vk, err := check.ReadPlonkKey(proving[:check.PlonkKeyBytes])
	if err != nil {
		return nil, err
	}
	commitments := sparse.CommitmentInfo.(constraint.PlonkCommitments)
	if len(commitments) != 1 || vk.Size != uint64(size) ||
		vk.CommitmentConstraintIndexes[0] != uint64(commitments[0].CommitmentIndex) {
		return nil, errors.New("made for another constraint system")
	}
	key := &plonkbn254.ProvingKey{Vk: vk}
	split := check.PlonkKeyBytes + rawG1Bytes*(size+BlindingPowers)
	if key.Kzg.G1, err = readRawPoints(proving[check.PlonkKeyBytes:split]); err != nil {
		return nil, err
	}
	if key.KzgLagrange.G1, err = readRawPoints(proving[split:]); err != nil {
		return nil, err
	}
	return (*plonkProving)(key), nil
}

type plonkProving plonkbn254.ProvingKey

func (k *plonkProving) prove(compiled constraint.ConstraintSystem, full gnark.Witness) ([]byte, error) {
	// Without the option, the parts of the quotient would show something of the witness to who has no bound on time.
	proof, err := plonkbn254.Prove(compiled.(*cs.SparseR1CS), (*plonkbn254.ProvingKey)(k), full,
		backend.WithStatisticalZeroKnowledge())
	return made(proof, err)
}
