package ceremony

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/big"

	"github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark-crypto/ecc/bn254/mpcsetup"
	groth16 "github.com/consensys/gnark/backend/groth16/bn254/mpcsetup"
)

// proofBytes is the length of a proof of knowledge: a point of each group.
const proofBytes = g1Bytes + g2Bytes

// challengeBytes is the length of the previous step's digest, which follows its length in one byte.
const challengeBytes = sha256.Size

// tauStep is one step of the powers of tau: the powers after it, and proofs that its party knows what they were multiplied
// by. gnark's own type for it, Phase1, gives no access to its powers; the bytes are the same.
type tauStep struct {
	proofs    [3]mpcsetup.UpdateProof // of tau, alpha and beta
	commons   *Commons
	challenge []byte // SHA-256 of the previous step; none in the start
}

// tags separate the proofs of a step.
var tags = [3]byte{groth16.DST_TAU, groth16.DST_ALPHA, groth16.DST_BETA}

var secretNames = [3]string{"tau", "alpha", "beta"}

// sealing separates the beacon's numbers from those of the second phase; gnark's word for it.
const sealing = "Groth16 MPC Setup - Phase 1"

func tauStepBytes(n int) int { return 3*proofBytes + commonsBytes(n) + 1 + challengeBytes }

// ContributePowers multiplies tau, alpha and beta by random numbers that nobody keeps. Without a previous step it starts
// from 1, which holds no secret.
func ContributePowers(power int, previous []byte) ([]byte, error) {
	step, previous, err := previousPowers(power, previous)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(previous)
	step.challenge = digest[:]
	var secrets [3]fr.Element
	for i := range secrets {
		step.proofs[i] = mpcsetup.UpdateValues(&secrets[i], step.challenge, tags[i])
	}
	if err := update(step.commons, secrets); err != nil {
		return nil, err
	}
	clear(secrets[:])
	return step.written()
}

// VerifyPowers returns nil for a step that follows the previous one, which was verified before; without a previous one, for
// a first step.
func VerifyPowers(power int, previous, step []byte) error {
	n, err := domain(power)
	if err != nil {
		return err
	}
	before, previous, err := anchors(n, previous)
	if err != nil {
		return fmt.Errorf("previous step: %w", err)
	}
	after, err := readTauStep(n, step)
	if err != nil {
		return fmt.Errorf("step: %w", err)
	}
	digest := sha256.Sum256(previous)
	return after.follows(before, digest[:])
}

// FinishPowers multiplies by numbers that follow from the last step and a beacon which was drawn after it, and returns the
// powers. The last step was verified before.
func FinishPowers(power int, last, beacon []byte) ([]byte, error) {
	n, err := domain(power)
	if err != nil {
		return nil, err
	}
	step, err := readTauStep(n, last)
	if err != nil {
		return nil, fmt.Errorf("step: %w", err)
	}
	digest := sha256.Sum256(last)
	drawn := mpcsetup.BeaconContributions(digest[:], []byte(sealing), beacon, len(secretNames))
	if err := update(step.commons, [3]fr.Element(drawn)); err != nil {
		return nil, err
	}
	return written(step.commons)
}

// previousPowers reads a step to go on from, and returns its bytes as well: those of the start where there is none.
func previousPowers(power int, previous []byte) (*tauStep, []byte, error) {
	n, err := domain(power)
	if err != nil {
		return nil, nil, err
	}
	if len(previous) == 0 {
		step := &tauStep{commons: ones(n)}
		data, err := step.written()
		return step, data, err
	}
	step, err := readTauStep(n, previous)
	if err != nil {
		return nil, nil, fmt.Errorf("previous step: %w", err)
	}
	return step, previous, nil
}

// ones are the powers of tau = alpha = beta = 1.
func ones(n int) *Commons {
	_, _, g1, g2 := bn254.Generators()
	c := new(Commons)
	c.G2.Beta = g2
	c.G2.Tau = repeated(g2, n)
	c.G1.Tau, c.G1.AlphaTau, c.G1.BetaTau = repeated(g1, 2*n-1), repeated(g1, n), repeated(g1, n)
	return c
}

func repeated[T any](value T, n int) []T {
	values := make([]T, n)
	for i := range values {
		values[i] = value
	}
	return values
}

// readTauStep reads a step for a domain of n elements. One without a challenge is refused: gnark would fill it in.
func readTauStep(n int, data []byte) (*tauStep, error) {
	if len(data) == tauStepBytes(n)-challengeBytes && data[len(data)-1] == 0 {
		return nil, refuse(Challenge, "it does not name the previous step")
	}
	if len(data) != tauStepBytes(n) {
		return nil, fmt.Errorf("%d bytes, want %d for a domain of %d", len(data), tauStepBytes(n), n)
	}
	r := &reader{data: data}
	step := new(tauStep)
	for i := range step.proofs {
		r.proof(&step.proofs[i])
	}
	step.commons = r.commons(n, whole(n))
	step.challenge = r.challenge()
	return step, r.end()
}

// proof reads a proof of knowledge, whose points may be at infinity: verifying refuses it then.
func (r *reader) proof(proof *mpcsetup.UpdateProof) {
	data := r.data
	r.g1("a proof of knowledge", 1, encoding{infinite: true})
	r.g2("a proof of knowledge", 1, encoding{infinite: true})
	if r.err == nil {
		_, r.err = proof.ReadFrom(bytes.NewReader(data[:proofBytes]))
	}
}

// challenge reads the digest of the previous step.
func (r *reader) challenge() []byte {
	if length := r.take("the challenge", 1); r.err == nil && length[0] != challengeBytes {
		r.err = fmt.Errorf("a challenge of %d bytes, want %d", length[0], challengeBytes)
	}
	return r.take("the challenge", challengeBytes)
}

func (s *tauStep) written() ([]byte, error) {
	var out bytes.Buffer
	out.Grow(tauStepBytes(len(s.commons.G2.Tau)))
	for i := range s.proofs {
		if _, err := s.proofs[i].WriteTo(&out); err != nil {
			return nil, fmt.Errorf("write step: %w", err)
		}
	}
	if _, err := s.commons.WriteTo(&out); err != nil {
		return nil, fmt.Errorf("write step: %w", err)
	}
	out.WriteByte(byte(len(s.challenge)))
	out.Write(s.challenge)
	return out.Bytes(), nil
}

// anchors returns of a verified step what the next one is compared with, and its bytes: the first of its powers.
func anchors(n int, previous []byte) (*Commons, []byte, error) {
	if len(previous) == 0 {
		step := &tauStep{commons: ones(n)}
		data, err := step.written()
		return step.commons, data, err
	}
	if len(previous) != tauStepBytes(n) {
		return nil, nil, fmt.Errorf("%d bytes, want %d for a domain of %d", len(previous), tauStepBytes(n), n)
	}
	r := &reader{data: previous[3*proofBytes:]}
	commons := r.commons(n, extent{2, 1, 1})
	return commons, previous, r.err
}

// update multiplies tau, alpha and beta by numbers other than zero.
func update(c *Commons, secrets [3]fr.Element) error {
	n := len(c.G2.Tau)
	powers := make([]fr.Element, len(c.G1.Tau))
	powers[0].SetOne()
	for i := 1; i < len(powers); i++ {
		powers[i].Mul(&powers[i-1], &secrets[0])
	}
	defer clear(powers)
	var factor big.Int
	c.G2.Beta.ScalarMultiplication(&c.G2.Beta, secrets[2].BigInt(&factor))
	return parallel(len(powers), func(i int) error {
		var scalar big.Int
		c.G1.Tau[i].ScalarMultiplication(&c.G1.Tau[i], powers[i].BigInt(&scalar))
		if i >= n {
			return nil
		}
		c.G2.Tau[i].ScalarMultiplication(&c.G2.Tau[i], &scalar)
		var scaled fr.Element
		c.G1.AlphaTau[i].ScalarMultiplication(&c.G1.AlphaTau[i], scaled.Mul(&powers[i], &secrets[1]).BigInt(&scalar))
		c.G1.BetaTau[i].ScalarMultiplication(&c.G1.BetaTau[i], scaled.Mul(&powers[i], &secrets[2]).BigInt(&scalar))
		return nil
	})
}

// follows refuses a step that does not follow a verified one of this digest.
func (s *tauStep) follows(before *Commons, digest []byte) error {
	if !bytes.Equal(s.challenge, digest) {
		return refuse(Challenge, "it does not name the previous step")
	}
	was, is := firsts(before), firsts(s.commons)
	for i, name := range secretNames {
		if upToSign(was[i], is[i]) {
			return refuse(NotRerandomised, "%s is as it was before", name)
		}
	}
	if err := consistent(s.commons); err != nil {
		return err
	}
	for i, name := range secretNames {
		if s.proofs[i].Verify(digest, tags[i], mpcsetup.ValueUpdate{Previous: was[i], Next: is[i]}) != nil {
			return refuse(ProofOfKnowledge, "the party does not show that it knows what %s was multiplied by", name)
		}
	}
	return nil
}

// firsts returns tau, alpha and beta in G1. All other points of consistent powers follow from them.
func firsts(c *Commons) [3]*bn254.G1Affine {
	return [3]*bn254.G1Affine{&c.G1.Tau[1], &c.G1.AlphaTau[0], &c.G1.BetaTau[0]}
}
