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
)

const tiny = 3

// chain is an honest first step of the tiny power, and an honest second one that each attack starts from.
type chain struct{ first, second []byte }

func newChain(t testing.TB) chain {
	t.Helper()
	steps := tauSteps(t, tiny, 2)
	return chain{steps[0], steps[1]}
}

// altered returns the second step with a change, which keeps its challenge.
func (c chain) altered(t testing.TB, change func(s *tauStep)) []byte {
	t.Helper()
	step := must[*tauStep](t)(readTauStep(1<<tiny, c.second))
	change(step)
	return must[[]byte](t)(step.written())
}

// multiplied returns a step after the first one with these secrets, and honest proofs that they are known.
func (c chain) multiplied(t testing.TB, secrets [3]fr.Element) []byte {
	t.Helper()
	step := must[*tauStep](t)(readTauStep(1<<tiny, c.first))
	digest := sha256.Sum256(c.first)
	step.challenge = digest[:]
	for i := range secrets {
		step.proofs[i] = mpcsetup.UpdateValues(&secrets[i], step.challenge, tags[i])
	}
	if err := update(step.commons, secrets); err != nil {
		t.Fatal(err)
	}
	return must[[]byte](t)(step.written())
}

func twice[T any, P interface {
	*T
	ScalarMultiplication(*T, *big.Int) *T
}](points ...P) {
	for _, point := range points {
		point.ScalarMultiplication(point, big.NewInt(2))
	}
}

func pointers[T any](values []T) (list []*T) {
	for i := range values {
		list = append(list, &values[i])
	}
	return list
}

// A party that does not know what it multiplied by is refused: its proof is of another secret, of another step, of another
// kind of secret, or absent.
func TestPowersNeedProofsOfKnowledge(t *testing.T) {
	c := newChain(t)
	for i, name := range secretNames {
		for kind, forge := range map[string]func(s *tauStep) mpcsetup.UpdateProof{
			"another secret": func(s *tauStep) mpcsetup.UpdateProof { return mpcsetup.UpdateValues(nil, s.challenge, tags[i]) },
			"another step":   func(*tauStep) mpcsetup.UpdateProof { return mpcsetup.UpdateValues(nil, []byte("x"), tags[i]) },
			"another kind":   func(s *tauStep) mpcsetup.UpdateProof { return s.proofs[(i+1)%3] },
			"absent":         func(*tauStep) mpcsetup.UpdateProof { return mpcsetup.UpdateProof{} },
		} {
			step := c.altered(t, func(s *tauStep) { s.proofs[i] = forge(s) })
			refused(t, name+": "+kind, ProofOfKnowledge, VerifyPowers(tiny, c.first, step))
		}
	}
	for name, scale := range map[string]func(c *Commons){
		"alpha": func(c *Commons) { twice(pointers(c.G1.AlphaTau)...) },
		"beta":  func(c *Commons) { twice(pointers(c.G1.BetaTau)...); twice(&c.G2.Beta) },
		"tau": func(c *Commons) {
			var two, one fr.Element
			two.SetUint64(2)
			one.SetOne()
			if err := update(c, [3]fr.Element{two, one, one}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		step := c.altered(t, func(s *tauStep) { scale(s.commons) })
		refused(t, name+" multiplied once more", ProofOfKnowledge, VerifyPowers(tiny, c.first, step))
	}
}

// One point that does not belong to the others is refused, wherever it is.
func TestPowersOfOneRatio(t *testing.T) {
	c := newChain(t)
	const n = 1 << tiny
	attacks := map[string]func(c *Commons){
		"beta in G2":         func(c *Commons) { twice(&c.G2.Beta) },
		"tau in G2, others'": func(c *Commons) { copy(c.G2.Tau[1:], ones(n).G2.Tau) },
		"tau in G1, others'": func(c *Commons) { copy(c.G1.Tau[1:], ones(n).G1.Tau) },
		"swapped":            func(c *Commons) { c.G1.Tau[2], c.G1.Tau[3] = c.G1.Tau[3], c.G1.Tau[2] },
	}
	for _, i := range []int{1, 2, n - 1, n, 2*n - 2} {
		attacks["tau in G1 at "+big.NewInt(int64(i)).String()] = func(c *Commons) { twice(&c.G1.Tau[i]) }
	}
	for _, i := range []int{1, 2, n - 1} {
		attacks["tau in G2 at "+big.NewInt(int64(i)).String()] = func(c *Commons) { twice(&c.G2.Tau[i]) }
	}
	for _, i := range []int{0, 1, n - 1} {
		attacks["alpha at "+big.NewInt(int64(i)).String()] = func(c *Commons) { twice(&c.G1.AlphaTau[i]) }
		attacks["beta at "+big.NewInt(int64(i)).String()] = func(c *Commons) { twice(&c.G1.BetaTau[i]) }
	}
	powers := must[[]byte](t)(FinishPowers(tiny, c.second, beacon))
	for name, attack := range attacks {
		step := c.altered(t, func(s *tauStep) { attack(s.commons) })
		refused(t, name, Ratio, VerifyPowers(tiny, c.first, step))
		finished := must[*Commons](t)(readPowers(1<<tiny, powers, whole(1<<tiny)))
		attack(finished)
		refused(t, "finished, "+name, Ratio, CheckPowers(tiny, must[[]byte](t)(written(finished))))
	}
}

// A point of the twist outside the subgroup is refused before it meets a secret, though its pairings are right.
func TestPowersInTheSubgroup(t *testing.T) {
	c := newChain(t)
	for name, attack := range map[string]func(c *Commons){
		"first": func(c *Commons) { c.G2.Tau[1] = outside(c.G2.Tau[1]) },
		"last":  func(c *Commons) { c.G2.Tau[len(c.G2.Tau)-1] = outside(c.G2.Tau[len(c.G2.Tau)-1]) },
		"beta":  func(c *Commons) { c.G2.Beta = outside(c.G2.Beta) },
	} {
		step := c.altered(t, func(s *tauStep) { attack(s.commons) })
		refused(t, name, Subgroup, VerifyPowers(tiny, c.first, step))
		_, err := ContributePowers(tiny, step)
		refused(t, name, Subgroup, err)
		_, err = FinishPowers(tiny, step, beacon)
		refused(t, name, Subgroup, err)
		finished := must[*Commons](t)(readPowers(1<<tiny, finished(t, tiny), whole(1<<tiny)))
		attack(finished)
		refused(t, name, Subgroup, CheckPowers(tiny, must[[]byte](t)(written(finished))))
	}
	proof := bytes.Clone(c.second)
	var point bn254.G2Affine
	must[int](t)(point.SetBytes(proof[g1Bytes : g1Bytes+g2Bytes]))
	point = outside(point)
	data := point.Bytes()
	copy(proof[g1Bytes:], data[:])
	refused(t, "proof", Subgroup, VerifyPowers(tiny, c.first, proof))
}

// A secret that was multiplied by 1 or -1 is as it was, whoever proves it.
func TestPowersAreRerandomised(t *testing.T) {
	c := newChain(t)
	for i, name := range secretNames {
		var known [3]fr.Element
		for j := range known {
			known[j].SetUint64(uint64(j + 5))
		}
		if err := VerifyPowers(tiny, c.first, c.multiplied(t, known)); err != nil {
			t.Errorf("an honest step: %v", err)
		}
		known[i].SetOne()
		refused(t, name+" by 1", NotRerandomised, VerifyPowers(tiny, c.first, c.multiplied(t, known)))
		known[i].Neg(&known[i])
		refused(t, name+" by -1", NotRerandomised, VerifyPowers(tiny, c.first, c.multiplied(t, known)))
	}
	digest := sha256.Sum256(c.first)
	same := append(bytes.Clone(c.first[:len(c.first)-challengeBytes]), digest[:]...)
	refused(t, "the previous step again", NotRerandomised, VerifyPowers(tiny, c.first, same))
}

// A step names the one before it: gnark would believe one that names none.
func TestPowersNameThePreviousStep(t *testing.T) {
	c, other := newChain(t), newChain(t)
	refused(t, "another chain", Challenge, VerifyPowers(tiny, other.first, c.second))
	refused(t, "no previous step", Challenge, VerifyPowers(tiny, nil, c.second))
	refused(t, "the same step", Challenge, VerifyPowers(tiny, c.second, c.second))
	absent := append(bytes.Clone(c.second[:len(c.second)-1-challengeBytes]), 0)
	refused(t, "absent", Challenge, VerifyPowers(tiny, c.first, absent))
	_, err := ContributePowers(tiny, absent)
	refused(t, "absent", Challenge, err)
	changed := bytes.Clone(c.second)
	changed[len(changed)-1] ^= 1
	refused(t, "changed", Challenge, VerifyPowers(tiny, c.first, changed))
}

// Steps of other lengths and for other domains are malformed, whatever size they claim.
func TestPowersOfOtherLengths(t *testing.T) {
	c := newChain(t)
	for _, step := range [][]byte{nil, {0}, c.second[:len(c.second)-1], append(bytes.Clone(c.second), 0), c.second[1:]} {
		malformed(t, "length", VerifyPowers(tiny, c.first, step))
		malformed(t, "finished", CheckPowers(tiny, step))
	}
	malformed(t, "previous", VerifyPowers(tiny, c.first[1:], c.second))
	for _, power := range []int{-1, 0, tiny - 1, tiny + 1, 24, 64, 1 << 32} {
		malformed(t, "power", VerifyPowers(power, c.first, c.second))
		_, err := ContributePowers(power, c.first)
		malformed(t, "power", err)
		if power != tiny-1 && power != tiny+1 {
			_, err = ContributePowers(power, nil)
			malformed(t, "power", err)
		}
		malformed(t, "power", CheckPowers(power, finished(t, tiny)))
	}
	for _, size := range []uint64{0, 1, 1<<tiny - 1, 1 << 40, 1<<64 - 1} {
		step := bytes.Clone(c.second)
		binary.BigEndian.PutUint64(step[3*proofBytes:], size)
		malformed(t, "size", VerifyPowers(tiny, c.first, step))
	}
	length := bytes.Clone(c.second)
	length[len(length)-1-challengeBytes] = challengeBytes - 1
	malformed(t, "challenge's length", VerifyPowers(tiny, c.first, length))
}

// A point that is off its curve, at infinity, or written in a second way is malformed, in every list.
func TestPowersInCanonicalForm(t *testing.T) {
	c := newChain(t)
	const n, head = 1 << tiny, 3*proofBytes + sizeBytes
	for name, at := range map[string][2]int{
		"beta in G2": {head, g2Bytes},
		"tau in G1":  {head + g2Bytes, g1Bytes},
		"tau in G2":  {head + g2Bytes + (2*n-2)*g1Bytes, g2Bytes},
		"beta":       {head + g2Bytes + (2*n-2)*g1Bytes + (n-1)*g2Bytes, g1Bytes},
		"alpha":      {len(c.second) - 1 - challengeBytes - g1Bytes, g1Bytes},
	} {
		for kind, file := range wrongPoints(c.second[at[0] : at[0]+at[1]]) {
			step := slices.Concat(c.second[:at[0]], file, c.second[at[0]+at[1]:])
			malformed(t, name+" "+kind, VerifyPowers(tiny, c.first, step))
		}
	}
}

// wrongPoints returns byte strings of a point's length that are no point, or the same one written in a second way.
func wrongPoints(point []byte) map[string][]byte {
	infinite := make([]byte, len(point))
	infinite[0] = 1 << flagShift
	x := new(big.Int).SetBytes(append([]byte{point[0] & (1<<flagShift - 1)}, point[1:]...))
	flag := point[0] &^ (1<<flagShift - 1)
	coordinate := func(x *big.Int) []byte {
		data := x.FillBytes(make([]byte, len(point)))
		data[0] |= flag
		return data
	}
	off := new(big.Int).Set(x)
	for {
		off.Add(off, big.NewInt(1))
		if _, err := new(bn254.G1Affine).SetBytes(coordinate(off)); len(point) == g1Bytes && err != nil {
			break
		}
		if len(point) == g2Bytes && bn254.NewDecoder(bytes.NewReader(coordinate(off)), bn254.NoSubgroupChecks()).
			Decode(new(bn254.G2Affine)) != nil {
			break
		}
	}
	return map[string][]byte{
		"at infinity": infinite, "off the curve": coordinate(off), "raw": make([]byte, len(point)),
		"not below the modulus": append([]byte{flag | 0x3f}, bytes.Repeat([]byte{0xff}, len(point)-1)...),
	}
}

// Finished powers whose secrets everybody knows are refused.
func TestPowersThatNobodyChose(t *testing.T) {
	var one, five fr.Element
	one.SetOne()
	five.SetUint64(5)
	root := must[fr.Element](t)(fr.Generator(1 << tiny))
	var negative fr.Element
	negative.Neg(&one)
	for name, secrets := range map[string][3]fr.Element{
		"tau is 1": {one, five, five}, "tau is of the domain": {root, five, five}, "alpha is 1": {five, one, five},
		"beta is 1": {five, five, one}, "alpha is -1": {five, negative, five}, "beta is -1": {five, five, negative},
	} {
		powers := ones(1 << tiny)
		if err := update(powers, secrets); err != nil {
			t.Fatal(err)
		}
		refused(t, name, NotRerandomised, CheckPowers(tiny, must[[]byte](t)(written(powers))))
	}
}

// Powers that are cut are those that a smaller ceremony with the same secrets gives.
func TestPowersAreCut(t *testing.T) {
	var secrets [3]fr.Element
	for i := range secrets {
		secrets[i].SetUint64(uint64(i + 3))
	}
	large, small := ones(16), ones(4)
	for _, c := range []*Commons{large, small} {
		if err := update(c, secrets); err != nil {
			t.Fatal(err)
		}
	}
	data := must[[]byte](t)(written(large))
	if cut := must[[]byte](t)(CutPowers(4, data, 2)); !bytes.Equal(cut, must[[]byte](t)(written(small))) {
		t.Error("other powers")
	}
	if cut := must[[]byte](t)(CutPowers(4, data, 4)); !bytes.Equal(cut, data) {
		t.Error("other powers")
	}
	for _, to := range []int{0, 5, -1} {
		_, err := CutPowers(4, data, to)
		malformed(t, "cut", err)
	}
}
