package ceremony

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math/big"
	"slices"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark-crypto/ecc/bn254/mpcsetup"
	groth16 "github.com/consensys/gnark/backend/groth16/bn254/mpcsetup"
)

// keyChain is the origin of a small key with two commitments, an honest first step and an honest second one.
type keyChain struct{ origin, first, second []byte }

func newKeyChain(t testing.TB) keyChain {
	t.Helper()
	circuit := compiled(t, 2, 2)
	power := circuitPower(circuit.GetNbConstraints())
	powers := finished(t, power)
	form := must[[]byte](t)(LagrangeForm(power, powers))
	first := must[[]byte](t)(start(circuit, power, powers, form))
	steps := keySteps(t, first, 2)
	return keyChain{first, steps[0], steps[1]}
}

// altered returns the second step with a change, which keeps its challenge.
func (c keyChain) altered(t testing.TB, change func(p *groth16.Phase2)) []byte {
	t.Helper()
	step := must[*groth16.Phase2](t)(readKeyStep(c.second))
	change(step)
	return must[[]byte](t)(writtenKeyStep(step))
}

// multiplied returns a step after the first one with these secrets, delta first, and honest proofs that they are known.
func (c keyChain) multiplied(t testing.TB, secrets ...fr.Element) []byte {
	t.Helper()
	p := must[*groth16.Phase2](t)(readKeyStep(c.first))
	digest := sha256.Sum256(c.first)
	p.Challenge = digest[:]
	var factor big.Int
	p.Delta = mpcsetup.UpdateValues(&secrets[0], p.Challenge, groth16.DST_DELTA)
	scale(secrets[0].BigInt(&factor), &p.Parameters.G1.Delta)
	p.Parameters.G2.Delta.ScalarMultiplication(&p.Parameters.G2.Delta, &factor)
	var inverse fr.Element
	inverse.Inverse(&secrets[0]).BigInt(&factor)
	scale(&factor, pointers(p.Parameters.G1.Z)...)
	scale(&factor, pointers(p.Parameters.G1.PKK)...)
	for i := range p.Sigmas {
		p.Sigmas[i] = mpcsetup.UpdateValues(&secrets[i+1], p.Challenge, groth16.DST_SIGMA+byte(i))
		sigma := &p.Parameters.G2.Sigma[i]
		sigma.ScalarMultiplication(sigma, secrets[i+1].BigInt(&factor))
		scale(&factor, pointers(p.Parameters.G1.SigmaCKK[i])...)
	}
	return must[[]byte](t)(writtenKeyStep(p))
}

func scale(factor *big.Int, points ...*bn254.G1Affine) {
	for _, point := range points {
		point.ScalarMultiplication(point, factor)
	}
}

// A party that does not know what it multiplied delta or a sigma by is refused.
func TestKeysNeedProofsOfKnowledge(t *testing.T) {
	c := newKeyChain(t)
	forged := map[string]func(p *groth16.Phase2){
		"another delta": func(p *groth16.Phase2) { p.Delta = mpcsetup.UpdateValues(nil, p.Challenge, groth16.DST_DELTA) },
		"another step":  func(p *groth16.Phase2) { p.Delta = mpcsetup.UpdateValues(nil, []byte("x"), groth16.DST_DELTA) },
		"another kind":  func(p *groth16.Phase2) { p.Delta = p.Sigmas[0] },
		"no delta":      func(p *groth16.Phase2) { p.Delta = mpcsetup.UpdateProof{} },
		"no sigma":      func(p *groth16.Phase2) { p.Sigmas[1] = mpcsetup.UpdateProof{} },
		"swapped":       func(p *groth16.Phase2) { p.Sigmas[0], p.Sigmas[1] = p.Sigmas[1], p.Sigmas[0] },
		"another sigma": func(p *groth16.Phase2) {
			p.Sigmas[1] = mpcsetup.UpdateValues(nil, p.Challenge, groth16.DST_SIGMA+1)
		},
		"sigma multiplied once more": func(p *groth16.Phase2) {
			twice(pointers(p.Parameters.G1.SigmaCKK[1])...)
			twice(&p.Parameters.G2.Sigma[1])
		},
		"delta multiplied once more": func(p *groth16.Phase2) {
			half := new(big.Int).ModInverse(big.NewInt(2), fr.Modulus())
			twice(&p.Parameters.G2.Delta)
			twice(&p.Parameters.G1.Delta)
			scale(half, pointers(p.Parameters.G1.Z)...)
			scale(half, pointers(p.Parameters.G1.PKK)...)
		},
	}
	for name, forge := range forged {
		refused(t, name, ProofOfKnowledge, VerifyKey(c.first, c.altered(t, forge)))
	}
}

// One point that was not multiplied as the others is refused, in every list.
func TestKeysOfOneRatio(t *testing.T) {
	c := newKeyChain(t)
	p := must[*groth16.Phase2](t)(readKeyStep(c.second))
	attacks := map[string]func(p *groth16.Phase2){
		"delta":       func(p *groth16.Phase2) { twice(&p.Parameters.G1.Delta) },
		"delta in G2": func(p *groth16.Phase2) { twice(&p.Parameters.G2.Delta) },
		"sigma":       func(p *groth16.Phase2) { twice(&p.Parameters.G2.Sigma[0]) },
		"a sigma's basis, at infinity": func(p *groth16.Phase2) {
			p.Parameters.G1.SigmaCKK[1][0] = bn254.G1Affine{}
		},
		"Z at infinity": func(p *groth16.Phase2) { p.Parameters.G1.Z[0] = bn254.G1Affine{} },
		"K at infinity": func(p *groth16.Phase2) { p.Parameters.G1.PKK[1] = bn254.G1Affine{} },
		"K swapped": func(p *groth16.Phase2) {
			k := p.Parameters.G1.PKK
			k[0], k[len(k)-1] = k[len(k)-1], k[0]
		},
		// The wire of no constraint is the first private one: its point is at infinity.
		"K of an unused wire": func(p *groth16.Phase2) {
			_, _, g1, _ := bn254.Generators()
			p.Parameters.G1.PKK[slices.IndexFunc(p.Parameters.G1.PKK, func(k bn254.G1Affine) bool { return k.IsInfinity() })] = g1
		},
	}
	for name, length := range map[string]int{
		"Z": len(p.Parameters.G1.Z), "K": len(p.Parameters.G1.PKK), "basis": len(p.Parameters.G1.SigmaCKK[1]),
	} {
		for _, i := range []int{0, length - 1} {
			attacks[name+" at "+big.NewInt(int64(i)).String()] = func(p *groth16.Phase2) {
				list := map[string][]bn254.G1Affine{
					"Z": p.Parameters.G1.Z, "K": p.Parameters.G1.PKK, "basis": p.Parameters.G1.SigmaCKK[1],
				}[name]
				list[i].Add(&list[i], &p.Parameters.G1.Delta)
			}
		}
	}
	for name, attack := range attacks {
		refused(t, name, Ratio, VerifyKey(c.first, c.altered(t, attack)))
	}
}

// A point of the twist outside the subgroup is refused before it meets a secret.
func TestKeysInTheSubgroup(t *testing.T) {
	c := newKeyChain(t)
	for name, attack := range map[string]func(p *groth16.Phase2){
		"delta": func(p *groth16.Phase2) { p.Parameters.G2.Delta = outside(p.Parameters.G2.Delta) },
		"sigma": func(p *groth16.Phase2) { p.Parameters.G2.Sigma[1] = outside(p.Parameters.G2.Sigma[1]) },
	} {
		step := c.altered(t, attack)
		refused(t, name, Subgroup, VerifyKey(c.first, step))
		_, err := ContributeKey(step)
		refused(t, name, Subgroup, err)
	}
}

// A delta or a sigma that was multiplied by 1 or -1 is as it was, whoever proves it.
func TestKeysAreRerandomised(t *testing.T) {
	c := newKeyChain(t)
	known := make([]fr.Element, 3)
	for i := range known {
		known[i].SetUint64(uint64(i + 5))
	}
	if err := VerifyKey(c.first, c.multiplied(t, known...)); err != nil {
		t.Errorf("an honest step: %v", err)
	}
	for i := range known {
		secrets := slices.Clone(known)
		secrets[i].SetOne()
		refused(t, "by 1", NotRerandomised, VerifyKey(c.first, c.multiplied(t, secrets...)))
		secrets[i].Neg(&secrets[i])
		refused(t, "by -1", NotRerandomised, VerifyKey(c.first, c.multiplied(t, secrets...)))
	}
}

// Two secrets that were multiplied by equal, opposite or inverse numbers are related, whoever proves that the numbers are known.
func TestSecretsOfKeysAreUnrelated(t *testing.T) {
	c := newKeyChain(t)
	relations := map[string]func(*fr.Element){
		"equal":            func(*fr.Element) {},
		"opposite":         func(x *fr.Element) { x.Neg(x) },
		"inverse":          func(x *fr.Element) { x.Inverse(x) },
		"opposite inverse": func(x *fr.Element) { x.Inverse(x).Neg(x) },
	}
	for name, relate := range relations {
		for _, pair := range [][2]int{{0, 1}, {0, 2}, {1, 2}} {
			secrets := make([]fr.Element, 3)
			for i := range secrets {
				secrets[i].SetUint64(uint64(i + 5))
			}
			secrets[pair[1]] = secrets[pair[0]]
			relate(&secrets[pair[1]])
			refused(t, name, RelatedSecrets, VerifyKey(c.first, c.multiplied(t, secrets...)))
		}
	}
}

// factors are what a party multiplies delta and both sigmas by: one number divided by another.
func factors(fractions ...[2]int64) []fr.Element {
	secrets := make([]fr.Element, len(fractions))
	for i, fraction := range fractions {
		var divisor fr.Element
		divisor.SetInt64(fraction[1])
		secrets[i].SetInt64(fraction[0])
		secrets[i].Div(&secrets[i], &divisor)
	}
	return secrets
}

// endings are steps behind one that made delta 2 and the sigmas 3 and 5, whose numbers are unrelated: what they make is not.
var endings = []struct {
	name   string
	last   []fr.Element
	reason Reason
}{
	{"one-number-for-both-sigmas", factors([2]int64{7, 1}, [2]int64{11, 1}, [2]int64{11, 1}), RelatedSecrets},
	{"last-contributor: sigma-shared", factors([2]int64{7, 1}, [2]int64{10, 1}, [2]int64{6, 1}), RelatedSecrets},
	{"last-contributor: sigma-opposite", factors([2]int64{7, 1}, [2]int64{10, 1}, [2]int64{-6, 1}), RelatedSecrets},
	{"last-contributor: delta-shared", factors([2]int64{6, 1}, [2]int64{4, 1}, [2]int64{7, 1}), RelatedSecrets},
	{"last-contributor: sigma-generator of the first", factors([2]int64{7, 1}, [2]int64{1, 3}, [2]int64{11, 1}), NotRerandomised},
	{"last-contributor: sigma-generator of the second", factors([2]int64{7, 1}, [2]int64{11, 1}, [2]int64{-1, 5}), NotRerandomised},
	{"last-contributor: delta-generator", factors([2]int64{-1, 2}, [2]int64{7, 1}, [2]int64{11, 1}), NotRerandomised},
}

// Parties that conspire can make two secrets equal or opposite, or one of them 1 or -1, by steps that each change all of them: the
// last step is refused. Any other numbers are not, though those who chose them know their ratio: one honest party is against that.
func TestLastContributor(t *testing.T) {
	c := newKeyChain(t)
	c.first = c.origin
	c.first = c.multiplied(t, factors([2]int64{2, 1}, [2]int64{3, 1}, [2]int64{5, 1})...)
	if err := VerifyKey(c.origin, c.first); err != nil {
		t.Fatalf("a step of known numbers: %v", err)
	}
	for _, ending := range endings {
		refused(t, ending.name, ending.reason, VerifyKey(c.first, c.multiplied(t, ending.last...)))
	}
	if err := VerifyKey(c.first, c.multiplied(t, factors([2]int64{6, 1}, [2]int64{7, 1}, [2]int64{11, 1})...)); err != nil {
		t.Errorf("an honest second step: %v", err)
	}
}

// The beacon multiplies both sigmas by public numbers. So parties that made them equal know the ratio of the key's, which is not 1,
// and no reader of keys sees it: no key is made from such a step, even where nobody verified it.
func TestBeaconHidesNoRelation(t *testing.T) {
	c := newKeyChain(t)
	circuit := compiled(t, 2, 2)
	power := circuitPower(circuit.GetNbConstraints())
	powers := finished(t, power)
	form := must[[]byte](t)(LagrangeForm(power, powers))
	c.first = must[[]byte](t)(start(circuit, power, powers, form))
	c.first = c.multiplied(t, factors([2]int64{2, 1}, [2]int64{3, 1}, [2]int64{5, 1})...)
	for _, ending := range endings[1:] {
		_, _, err := seal(circuit, power, powers, form, c.multiplied(t, ending.last...), beacon)
		refused(t, ending.name, ending.reason, err)
	}
	last := c.multiplied(t, endings[1].last...)
	digest := sha256.Sum256(last)
	drawn := mpcsetup.BeaconContributions(digest[:], []byte("Groth16 MPC Setup - Phase2"), beacon, 3)
	sealed := must[*groth16.Phase2](t)(readKeyStep(last))
	for i := range sealed.Parameters.G2.Sigma {
		var factor big.Int
		sealed.Parameters.G2.Sigma[i].ScalarMultiplication(&sealed.Parameters.G2.Sigma[i], drawn[i+1].BigInt(&factor))
	}
	if err := distinct(sealed); err != nil {
		t.Errorf("the key shows the relation: %v", err)
	}
}

// TestContributionsAreIndependent: each of our own steps draws a number for delta and one for each sigma, none of them twice, up to
// sign: the points of the proofs of knowledge are these numbers times one generator.
func TestContributionsAreIndependent(t *testing.T) {
	c := newKeyChain(t)
	seen := map[bn254.G1Affine]bool{}
	count := 0
	for _, step := range [][]byte{c.first, c.second, must[[]byte](t)(ContributeKey(c.first)), must[[]byte](t)(ContributeKey(c.first))} {
		read := must[*groth16.Phase2](t)(readKeyStep(step))
		for _, proof := range append([]mpcsetup.UpdateProof{read.Delta}, read.Sigmas...) {
			var point bn254.G1Affine
			must[int](t)(point.SetBytes(bytesOf(t, &proof)[:g1Bytes]))
			seen[point] = true
			seen[*point.Neg(&point)] = true
			count++
		}
	}
	if count != 12 || len(seen) != 2*count {
		t.Errorf("%d numbers of %d are different up to sign", len(seen)/2, count)
	}
}

// A step names the one before it, and only the origin names none.
func TestKeysNameThePreviousStep(t *testing.T) {
	c := newKeyChain(t)
	refused(t, "another step", Challenge, VerifyKey(c.origin, c.second))
	refused(t, "the same step", Challenge, VerifyKey(c.second, c.second))
	refused(t, "the origin again", Challenge, VerifyKey(c.origin, c.origin))
	absent := append(bytes.Clone(c.second[:len(c.second)-1-challengeBytes]), 0)
	refused(t, "absent", Challenge, VerifyKey(c.first, absent))
	changed := bytes.Clone(c.second)
	changed[len(changed)-1] ^= 1
	refused(t, "changed", Challenge, VerifyKey(c.first, changed))
}

// Steps of another length or layout are malformed, and no count in them is believed.
func TestKeysOfOtherLengths(t *testing.T) {
	c := newKeyChain(t)
	for cut := 0; cut < len(c.second); cut += 7 {
		malformed(t, "cut", VerifyKey(c.first, c.second[:cut]))
	}
	for _, step := range [][]byte{nil, append(bytes.Clone(c.second), 0), append(bytes.Clone(c.origin), 0), c.second[1:]} {
		malformed(t, "length", VerifyKey(c.first, step))
		_, err := ContributeKey(step)
		malformed(t, "length", err)
	}
	p := must[*groth16.Phase2](t)(readKeyStep(c.second))
	private := countBytes + g1Bytes
	z := private + listBytes + g1Bytes*len(p.Parameters.G1.PKK)
	for _, at := range []int{private, z, z + listBytes + g1Bytes*len(p.Parameters.G1.Z) + g2Bytes} {
		for _, count := range []uint32{0, 1, 1 << 20, 1 << 31, 1<<32 - 1} {
			step := bytes.Clone(c.second)
			binary.BigEndian.PutUint32(step[at:], count)
			malformed(t, "count", VerifyKey(c.first, step))
		}
	}
	for _, count := range []uint16{0, 1, 3, 256, 1<<16 - 1} {
		step := bytes.Clone(c.second)
		binary.BigEndian.PutUint16(step, count)
		malformed(t, "commitments", VerifyKey(c.first, step))
	}
}

// What gnark would not contribute to, or would write in another way, is malformed.
func TestKeysThatGnarkDoesNotWrite(t *testing.T) {
	c := newKeyChain(t)
	_, err := ContributeKey(append(bytes.Clone(c.origin[:len(c.origin)-1]), 1))
	malformed(t, "a challenge that is not there", err)
	p := must[*groth16.Phase2](t)(readKeyStep(c.origin))
	p.Parameters.G2.Sigma = repeated(p.Parameters.G2.Sigma[0], maxCommitments+1)
	p.Parameters.G1.SigmaCKK = repeated(p.Parameters.G1.SigmaCKK[0], maxCommitments+1)
	p.Sigmas = make([]mpcsetup.UpdateProof, maxCommitments+1)
	_, err = ContributeKey(must[[]byte](t)(writtenKeyStep(p)))
	malformed(t, "too many commitments", err)
}

// A step of another circuit is malformed as the next one, and as the last.
func TestKeysOfAnotherCircuit(t *testing.T) {
	c := newKeyChain(t)
	circuit := compiled(t, 2, 3)
	power := circuitPower(circuit.GetNbConstraints())
	powers := finished(t, power)
	form := must[[]byte](t)(LagrangeForm(power, powers))
	other := keySteps(t, must[[]byte](t)(start(circuit, power, powers, form)), 1)[0]
	malformed(t, "next", VerifyKey(c.first, other))
	_, _, err := seal(circuit, power, powers, form, c.second, beacon)
	malformed(t, "last", err)
	_, _, err = seal(circuit, power, powers, form, must[[]byte](t)(start(circuit, power, powers, form)), beacon)
	malformed(t, "the origin", err)
	for _, wrong := range []int{power - 1, power + 1} {
		other := finished(t, wrong)
		_, err = start(circuit, wrong, other, must[[]byte](t)(LagrangeForm(wrong, other)))
		malformed(t, "power", err)
	}
	_, err = start(circuit, power, powers, form[1:])
	malformed(t, "form", err)
	_, err = start(circuit, power, powers[1:], form)
	malformed(t, "powers", err)
}

// A point that is off its curve or written in a second way is malformed, in every list; so are delta and sigma at infinity.
func TestKeysInCanonicalForm(t *testing.T) {
	c := newKeyChain(t)
	p := must[*groth16.Phase2](t)(readKeyStep(c.second))
	z := countBytes + g1Bytes + listBytes + g1Bytes*len(p.Parameters.G1.PKK)
	delta2 := z + listBytes + g1Bytes*len(p.Parameters.G1.Z)
	for name, at := range map[string][2]int{
		"delta": {countBytes, g1Bytes}, "K": {z - g1Bytes, g1Bytes}, "Z": {z + listBytes, g1Bytes},
		"delta in G2": {delta2, g2Bytes}, "sigma": {len(c.second) - 1 - challengeBytes - 3*proofBytes - g2Bytes, g2Bytes},
	} {
		for kind, wrong := range wrongPoints(c.second[at[0] : at[0]+at[1]]) {
			if kind == "at infinity" && at[1] == g1Bytes && name != "delta" {
				continue // allowed there: the ratio tells
			}
			step := slices.Concat(c.second[:at[0]], wrong, c.second[at[0]+at[1]:])
			malformed(t, name+" "+kind, VerifyKey(c.first, step))
		}
	}
}
