package ceremony

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark-crypto/ecc/bn254/mpcsetup"
	groth16 "github.com/consensys/gnark/backend/groth16/bn254/mpcsetup"
)

// maxCommitments is how many commitments a circuit may have: each has a tag of one byte of its own.
const maxCommitments = 255

// Widths of the numbers in front of lists, and of the number of commitments.
const (
	listBytes  = 4
	countBytes = 2
)

// layout is what the lengths in a step of a key follow from. All steps of a key have the same.
type layout struct {
	private, z int
	committed  []int
}

func (l layout) equal(other layout) bool {
	return l.private == other.private && l.z == other.z && slices.Equal(l.committed, other.committed)
}

func layoutOf(p *groth16.Phase2) layout {
	l := layout{private: len(p.Parameters.G1.PKK), z: len(p.Parameters.G1.Z)}
	for _, basis := range p.Parameters.G1.SigmaCKK {
		l.committed = append(l.committed, len(basis))
	}
	return l
}

// ContributeKey multiplies the secrets of a key by random numbers that nobody keeps.
func ContributeKey(previous []byte) ([]byte, error) {
	p, err := readKeyStep(previous)
	if err != nil {
		return nil, fmt.Errorf("previous step: %w", err)
	}
	p.Contribute()
	return writtenKeyStep(p)
}

// VerifyKey returns nil for a step that follows the previous one, which was verified before or is the origin.
func VerifyKey(previous, step []byte) error {
	before, err := readKeyStep(previous)
	if err != nil {
		return fmt.Errorf("previous step: %w", err)
	}
	after, err := readKeyStep(step)
	if err != nil {
		return fmt.Errorf("step: %w", err)
	}
	if !layoutOf(before).equal(layoutOf(after)) {
		return errors.New("step: made for another circuit than the previous one")
	}
	digest := sha256.Sum256(previous)
	// An absent challenge, which gnark would fill in, is another one.
	if !bytes.Equal(after.Challenge, digest[:]) {
		return refuse(Challenge, "it does not name the previous step")
	}
	return followsKey(before, after)
}

// followsKey refuses a step that does not follow another one. gnark judges; what it refuses is looked at for the reason.
func followsKey(before, after *groth16.Phase2) error {
	secrets := secretsOf(before, after)
	for _, s := range secrets {
		if upToSign(s.previous, s.next) {
			return refuse(NotRerandomised, "%s is as it was before", s.name)
		}
	}
	err := before.Verify(after)
	if err == nil {
		if err := distinct(after); err != nil {
			return err
		}
		return unrelated(secrets)
	}
	for _, s := range secrets {
		if err := s.judge(after.Challenge); err != nil {
			return err
		}
	}
	return fmt.Errorf("step: %w", err)
}

// secret is what a party multiplied: its proof, and all the points that show it.
type secret struct {
	name             string
	proof            *mpcsetup.UpdateProof
	tag              byte
	previous, next   *bn254.G2Affine
	previous1, next1 *bn254.G1Affine
	updates          []mpcsetup.ValueUpdate
}

func secretsOf(before, after *groth16.Phase2) []secret {
	b, a := &before.Parameters, &after.Parameters
	secrets := []secret{{
		"delta", &after.Delta, groth16.DST_DELTA, &b.G2.Delta, &a.G2.Delta, &b.G1.Delta, &a.G1.Delta, []mpcsetup.ValueUpdate{
			{Previous: &b.G2.Delta, Next: &a.G2.Delta},
			{Previous: &b.G1.Delta, Next: &a.G1.Delta},
			// These are divided by delta.
			{Previous: a.G1.Z, Next: b.G1.Z},
			{Previous: a.G1.PKK, Next: b.G1.PKK},
		},
	}}
	for i := range b.G2.Sigma {
		previous, next := finite(b.G1.SigmaCKK[i], a.G1.SigmaCKK[i])
		secrets = append(secrets, secret{
			sigmaName(i), &after.Sigmas[i], groth16.DST_SIGMA + byte(i), &b.G2.Sigma[i], &a.G2.Sigma[i],
			previous, next, []mpcsetup.ValueUpdate{
				{Previous: &b.G2.Sigma[i], Next: &a.G2.Sigma[i]},
				{Previous: b.G1.SigmaCKK[i], Next: a.G1.SigmaCKK[i]},
			},
		})
	}
	return secrets
}

// finite returns the first point that is not at infinity, and the one in its place; of none the points at infinity.
func finite(previous, next []bn254.G1Affine) (*bn254.G1Affine, *bn254.G1Affine) {
	for i := range previous {
		if !previous[i].IsInfinity() {
			return &previous[i], &next[i]
		}
	}
	return new(bn254.G1Affine), new(bn254.G1Affine)
}

// distinct refuses secrets of a key that everybody knows, or of which two are equal or opposite, whoever made them so and in how
// many steps. What follows a step multiplies each by a number of its own: then no reader of keys would see it any more.
func distinct(p *groth16.Phase2) error {
	_, _, _, g2 := bn254.Generators()
	points, names := []*bn254.G2Affine{&p.Parameters.G2.Delta}, []string{"delta"}
	for i := range p.Parameters.G2.Sigma {
		points, names = append(points, &p.Parameters.G2.Sigma[i]), append(names, sigmaName(i))
	}
	for j := range points {
		if upToSign(points[j], &g2) {
			return refuse(NotRerandomised, "%s is 1 or -1", names[j])
		}
		for i := range j {
			if upToSign(points[i], points[j]) {
				return refuse(RelatedSecrets, "%s is %s, or its negative", names[i], names[j])
			}
		}
	}
	return nil
}

func sigmaName(i int) string { return fmt.Sprintf("sigma %d", i) }

// unrelated refuses a step that multiplied two secrets by numbers of which one follows from the other: equal, opposite or
// inverse ones. The argument of soundness takes all secrets to be independent, and of these relations the points tell. An
// honest party meets none of them but with a probability of some 2^-250.
func unrelated(secrets []secret) error {
	for j := range secrets {
		for i := range j {
			one, other := &secrets[i], &secrets[j]
			if one.next1.IsInfinity() {
				continue
			}
			// For factors x and y of secrets s and t, these are the pairings of x s with t, s with y t, x s with y t, s with t.
			var known [4]bn254.GT
			for at, points := range []struct {
				first  *bn254.G1Affine
				second *bn254.G2Affine
			}{{one.next1, other.previous}, {one.previous1, other.next}, {one.next1, other.next}, {one.previous1, other.previous}} {
				pairing, err := bn254.Pair([]bn254.G1Affine{*points.first}, []bn254.G2Affine{*points.second})
				if err != nil {
					return fmt.Errorf("pairing: %w", err)
				}
				known[at] = pairing
			}
			if inverseOrEqual(&known[0], &known[1]) || inverseOrEqual(&known[2], &known[3]) {
				return refuse(RelatedSecrets, "%s and %s were multiplied by related numbers", one.name, other.name)
			}
		}
	}
	return nil
}

// inverseOrEqual reports whether two results of pairings are equal, or each other's inverses.
func inverseOrEqual(p, q *bn254.GT) bool {
	var product bn254.GT
	return p.Equal(q) || product.Mul(p, q).IsOne()
}

// judge refuses a proof that fits none of the points, as one that is wrong by itself, and points that it does not fit.
func (s *secret) judge(challenge []byte) error {
	fit := 0
	for _, update := range s.updates {
		if s.proof.Verify(challenge, s.tag, update) == nil {
			fit++
		}
	}
	switch fit {
	case len(s.updates):
		return nil
	case 0:
		return refuse(ProofOfKnowledge, "the party does not show that it knows what %s was multiplied by", s.name)
	default:
		return refuse(Ratio, "not all points were multiplied by one %s", s.name)
	}
}

// readKeyStep reads a step of a key, or an origin, which has no challenge. Points of wires that no constraint names are at
// infinity; whether others are shows in their ratio to the step before.
func readKeyStep(data []byte) (*groth16.Phase2, error) {
	r := &reader{data: data}
	commitments := r.count(countBytes)
	if r.err == nil && commitments > maxCommitments {
		return nil, fmt.Errorf("%d commitments, at most %d", commitments, maxCommitments)
	}
	p := new(groth16.Phase2)
	delta := r.g1("delta", 1, encoding{})
	p.Parameters.G1.PKK = r.counted("K")
	p.Parameters.G1.Z = r.counted("Z")
	delta2 := r.g2("delta in G2", 1, encoding{})
	p.Parameters.G1.SigmaCKK = make([][]bn254.G1Affine, commitments)
	for i := range p.Parameters.G1.SigmaCKK {
		p.Parameters.G1.SigmaCKK[i] = r.counted("sigma's basis")
	}
	p.Parameters.G2.Sigma = r.g2("sigma", commitments, encoding{})
	r.proof(&p.Delta)
	p.Sigmas = make([]mpcsetup.UpdateProof, commitments)
	for i := range p.Sigmas {
		r.proof(&p.Sigmas[i])
	}
	if len(r.data) == 1 && r.data[0] == 0 {
		r.take("the challenge", 1)
	} else {
		p.Challenge = r.challenge()
	}
	if err := r.end(); err != nil {
		return nil, err
	}
	p.Parameters.G1.Delta, p.Parameters.G2.Delta = delta[0], delta2[0]
	return p, nil
}

// count reads a number of so many bytes.
func (r *reader) count(width int) int {
	taken := r.take("a count", width)
	if r.err != nil {
		return 0
	}
	return int(binary.BigEndian.Uint32(append(make([]byte, listBytes-width), taken...)))
}

// counted reads points of G1 behind their number.
func (r *reader) counted(name string) []bn254.G1Affine {
	return r.g1(name, r.count(listBytes), encoding{infinite: true})
}

func writtenKeyStep(p *groth16.Phase2) ([]byte, error) {
	var out bytes.Buffer
	if _, err := p.WriteTo(&out); err != nil {
		return nil, fmt.Errorf("write step: %w", err)
	}
	return out.Bytes(), nil
}
