package system_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark-crypto/ecc/bn254/fp"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr/pedersen"
	groth16bn254 "github.com/consensys/gnark/backend/groth16/bn254"

	"equiproof/check"
	"equiproof/system"
)

// trapdoor is a key whose secrets are known, as discrete logarithms: any proof can be made under it.
type trapdoor struct {
	alpha, beta, gamma, delta, generator, sigma int64
	inputs                                      [3]int64
}

var known = trapdoor{1001, 1002, 1003, 1004, 1008, 1009, [3]int64{1005, 1006, 1007}}

func field(number int64) (element fr.Element) {
	element.SetInt64(number)
	return element
}

func times(factors ...fr.Element) (product fr.Element) {
	product.SetOne()
	for i := range factors {
		product.Mul(&product, &factors[i])
	}
	return product
}

func plus(terms ...fr.Element) (sum fr.Element) {
	for i := range terms {
		sum.Add(&sum, &terms[i])
	}
	return sum
}

func minus(element fr.Element) fr.Element { return *element.Neg(&element) }

func over(element fr.Element) fr.Element { return *element.Inverse(&element) }

// verifier loads the key of the secrets.
func (d *trapdoor) verifier(t testing.TB) *check.Verifier {
	t.Helper()
	key := &groth16bn254.VerifyingKey{PublicAndCommitmentCommitted: [][]int{{}}}
	key.G1.Alpha, key.G1.Beta, key.G1.Delta = inG1(field(d.alpha)), inG1(field(d.beta)), inG1(field(d.delta))
	key.G2.Beta, key.G2.Gamma, key.G2.Delta = inG2(field(d.beta)), inG2(field(d.gamma)), inG2(field(d.delta))
	for _, log := range d.inputs {
		key.G1.K = append(key.G1.K, inG1(field(log)))
	}
	key.CommitmentKeys = []pedersen.VerifyingKey{{
		G: inG2(field(d.generator)), GSigmaNeg: inG2(minus(times(field(d.sigma), field(d.generator)))),
	}}
	var out bytes.Buffer
	if _, err := key.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	loaded, err := system.Groth16.LoadVerifier(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// forged is a statement digest with the discrete logarithms of a proof.
type forged struct{ digest, a, b, c, commitment, knowledge fr.Element }

// forge makes a proof that holds for a digest; the seed chooses which.
func (d *trapdoor) forge(digest, seed int64) forged {
	f := forged{digest: field(digest), a: field(11 + seed), b: field(12 + seed), commitment: field(13 + seed)}
	point := inG1(f.commitment)
	challenge, err := fr.Hash(point.Marshal(), []byte("bsb22-commitment"), 1)
	if err != nil {
		panic(err)
	}
	public := plus(field(d.inputs[0]), times(f.digest, field(d.inputs[1])), times(challenge[0], field(d.inputs[2])), f.commitment)
	rest := plus(times(f.a, f.b), minus(times(field(d.alpha), field(d.beta))), minus(times(field(d.gamma), public)))
	f.c = times(rest, over(field(d.delta)))
	f.knowledge = times(field(d.sigma), f.commitment)
	return f
}

func (f forged) claim() check.Claim {
	proof := groth16bn254.Proof{
		Ar: inG1(f.a), Bs: inG2(f.b), Krs: inG1(f.c), Commitments: []bn254.G1Affine{inG1(f.commitment)},
		CommitmentPok: inG1(f.knowledge),
	}
	var out bytes.Buffer
	if _, err := proof.WriteTo(&out); err != nil {
		panic(err)
	}
	digest := f.digest.Bytes()
	return check.Claim{Digest: digest[:], Proof: out.Bytes()}
}

// honest returns so many claims that hold, of different digests and proofs.
func honest(n int) []check.Claim {
	claims := make([]check.Claim, n)
	for i := range claims {
		claims[i] = known.forge(int64(i), int64(3*i)).claim()
	}
	return claims
}

// spoilt returns a claim that does not hold, in one of several ways, or is malformed.
func spoilt(f forged, way int) check.Claim {
	one := field(1)
	for i, part := range []*fr.Element{&f.digest, &f.a, &f.b, &f.c, &f.commitment, &f.knowledge} {
		if i == way {
			part.Add(part, &one)
		}
	}
	claim := f.claim()
	switch way {
	case 6:
		claim.Proof = claim.Proof[1:]
	case 7:
		claim.Proof[0] &= 0x3f
	case 8:
		claim.Digest = fr.Modulus().Bytes()
	case 9:
		outside := bn254.GeneratePointNotInG2(bn254.E2{A0: fp.NewElement(3), A1: fp.NewElement(5)})
		var point bn254.G2Affine
		point.FromJacobian(&outside)
		data := point.Bytes()
		copy(claim.Proof[32:], data[:])
	}
	return claim
}

const spoilings = 10

// compared checks claims at once and one by one, and expects the same verdicts, reasons and messages; it returns which claims
// hold.
func compared(t testing.TB, verifier *check.Verifier, claims []check.Claim, threads int) (holding []int) {
	t.Helper()
	found := verifier.VerifyBatch(claims, threads)
	if len(found) != len(claims) {
		t.Fatalf("%d verdicts on %d claims", len(found), len(claims))
	}
	for i, claim := range claims {
		want := verifier.Verify(claim.Digest, claim.Proof)
		same := errors.Is(found[i], check.ErrRefused) == errors.Is(want, check.ErrRefused) &&
			check.ReasonOf(found[i]) == check.ReasonOf(want) && fmt.Sprint(found[i]) == fmt.Sprint(want)
		if !same {
			t.Errorf("claim %d of %d: %v, alone %v", i, len(claims), found[i], want)
		}
		if want == nil {
			holding = append(holding, i)
		}
	}
	return holding
}

// refusing checks claims at once and expects that exactly these are refused or malformed.
func refusing(t *testing.T, verifier *check.Verifier, claims []check.Claim, threads int, want ...int) {
	t.Helper()
	var found []int
	for i, verdict := range verifier.VerifyBatch(claims, threads) {
		if verdict != nil {
			found = append(found, i)
		}
	}
	if !slices.Equal(found, want) {
		t.Errorf("%v were refused, want %v", found, want)
	}
}

// Every vector of a proof has the verdict of the single check in a batch of one, beside a copy of itself, and beside a
// proof that holds where its key is the honest one's.
func TestBatchesOfVectors(t *testing.T) {
	for _, verdict := range []string{"accept", "reject", "malformed"} {
		for _, family := range []string{"groth16", "plonk"} {
			paths, err := filepath.Glob(filepath.Join(vectors, verdict, family+"-*.json"))
			if err != nil || len(paths) == 0 {
				t.Fatal(verdict, family, err)
			}
			for _, path := range paths {
				t.Run(filepath.Base(path), func(t *testing.T) { batchesOfVector(t, readVector(t, path)) })
			}
		}
	}
}

func batchesOfVector(t *testing.T, v *proofVector) {
	base := readVector(t, filepath.Join(vectors, "base", v.Base+".json"))
	proofSystem, err := system.Named(base.ProofSystem)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := proofSystem.LoadVerifier(v.part(t, v.Key, base.Key))
	if err != nil {
		return // a key that is refused checks nothing
	}
	own := check.Claim{Digest: v.part(t, v.Digest, base.Digest), Proof: v.part(t, v.Proof, base.Proof)}
	good := check.Claim{Digest: v.part(t, base.Digest, base.Digest), Proof: v.part(t, base.Proof, base.Proof)}
	holding := compared(t, verifier, []check.Claim{own}, 1)
	if (len(holding) == 1) != (v.Verdict == "accept") {
		t.Errorf("%v holds, want %s", holding, v.Verdict)
	}
	compared(t, verifier, []check.Claim{own, own}, 1)
	compared(t, verifier, []check.Claim{good, own}, 1)
}

// No claims have no verdicts.
func TestEmptyBatches(t *testing.T) {
	for _, verifier := range []*check.Verifier{shared(t).verifier, sharedBy(t, system.Plonk).verifier} {
		for _, none := range [][]check.Claim{nil, {}} {
			if found := verifier.VerifyBatch(none, 0); len(found) != 0 {
				t.Error(found)
			}
		}
	}
}

// Proofs that hold are accepted at once, whatever the number of threads; so are copies of one proof.
func TestHonestBatches(t *testing.T) {
	verifier := known.verifier(t)
	claims := honest(70)
	for _, threads := range []int{0, 1, 2, 3, 70, 1000} {
		refusing(t, verifier, claims, threads)
	}
	for _, n := range []int{2, 3, 33, 64, 65} {
		refusing(t, verifier, claims[:n], 1)
	}
	refusing(t, verifier, slices.Repeat(claims[:1], 40), 2)
	refusing(t, verifier, slices.Repeat([]check.Claim{spoilt(known.forge(0, 0), 3)}, 3), 2, 0, 1, 2)
}

// One false or malformed proof is named at every place of a batch, in every way that it can be false, and nothing else is.
func TestBadProofIsNamed(t *testing.T) {
	verifier := known.verifier(t)
	claims := honest(25)
	for place := range claims {
		mixed := slices.Clone(claims)
		mixed[place] = spoilt(known.forge(int64(place), int64(3*place)), place%spoilings)
		refusing(t, verifier, mixed, 1+place%2, place)
	}
}

// Several bad proofs are named, up to all of them, with the messages of the single check.
func TestSeveralBadProofs(t *testing.T) {
	verifier := known.verifier(t)
	claims := honest(70)
	random := rand.New(rand.NewPCG(1, 2))
	for _, bad := range []int{2, 5, 30, 70} {
		mixed := slices.Clone(claims)
		places := random.Perm(len(claims))[:bad]
		for i, place := range places {
			mixed[place] = spoilt(known.forge(int64(place), int64(3*place)), i%spoilings)
		}
		if holding := compared(t, verifier, mixed, 0); len(holding) != len(claims)-bad {
			t.Errorf("%d hold, want %d", len(holding), len(claims)-bad)
		}
	}
}

// False proofs whose errors add up to nothing are refused: without random numbers, or with numbers that are the same for all
// proofs or both equations, or follow from a proof's place, the one equation would hold for each of these.
func TestErrorsThatCancel(t *testing.T) {
	verifier := known.verifier(t)
	off := field(5)
	c := func(f forged, by fr.Element) forged { f.c = plus(f.c, by); return f }
	pok := func(f forged, by fr.Element) forged { f.knowledge = plus(f.knowledge, by); return f }
	first, second, third := known.forge(1, 1), known.forge(2, 7), known.forge(3, 20)
	swapped, other := first, second
	swapped.knowledge, other.knowledge = second.knowledge, first.knowledge
	exchanged, back := first, second
	exchanged.c, back.c = second.c, first.c
	// In one proof: the error of the second equation, g pok, is that of the first, delta C.
	balanced := pok(c(first, off), times(off, field(known.delta), over(field(known.generator))))
	for name, bad := range map[string][]forged{
		"C":                  {c(first, off), c(second, minus(off))},
		"proof of knowledge": {pok(first, off), pok(second, minus(off))},
		"swapped":            {swapped, other},
		"C exchanged":        {exchanged, back},
		"two equations":      {balanced},
		"by place":           {c(first, field(1)), c(second, field(-2)), c(third, field(1))},
		"copies":             {c(first, off), c(first, off), c(first, times(field(-2), off))},
	} {
		for _, before := range []int{0, 1, 40} {
			claims := honest(before)
			var want []int
			for i, f := range bad {
				claims = append(claims, f.claim())
				want = append(want, before+i)
			}
			claims = append(claims, known.forge(99, 99).claim())
			t.Run(fmt.Sprintf("%s after %d", name, before), func(t *testing.T) { refusing(t, verifier, claims, 1, want...) })
		}
	}
}

// Proofs of another key are refused, and those of the key beside them accepted.
func TestBatchesOfTwoKeys(t *testing.T) {
	other := known
	other.delta++
	claims := honest(9)
	claims[2], claims[7] = other.forge(2, 2).claim(), shared(t).claim()
	refusing(t, known.verifier(t), claims, 2, 2, 7)
}

func (p *proven) claim() check.Claim { return check.Claim{Digest: p.digest, Proof: p.proof} }

// A batch that is longer than one pass has its verdicts in order.
func TestSeveralPasses(t *testing.T) {
	verifier := known.verifier(t)
	good := known.forge(1, 1).claim()
	claims := slices.Repeat([]check.Claim{{}}, 2*4096+1)
	holding := []int{0, 4095, 4096, 4097, 8191, 8192}
	for _, i := range holding {
		claims[i] = good
	}
	for i, verdict := range verifier.VerifyBatch(claims, 2) {
		if (verdict == nil) != slices.Contains(holding, i) {
			t.Fatalf("claim %d: %v", i, verdict)
		}
	}
}

// Proofs of PLONK in one call have the verdicts of the single check.
func TestBatchesOfPlonk(t *testing.T) {
	p := sharedBy(t, system.Plonk)
	good, cut := p.claim(), check.Claim{Digest: p.digest, Proof: p.proof[1:]}
	false1 := check.Claim{Digest: make([]byte, fr.Bytes), Proof: p.proof}
	if holding := compared(t, p.verifier, []check.Claim{good, cut, false1, good}, 2); !slices.Equal(holding, []int{0, 3}) {
		t.Error(holding)
	}
}

// Whatever the bytes, a batch never panics and comes to the verdicts of the single check.
func FuzzVerifyBatch(f *testing.F) {
	verifier := known.verifier(f)
	good, other := known.forge(1, 1).claim(), known.forge(2, 2).claim()
	f.Add(good.Digest, good.Proof, byte(0))
	f.Add(good.Digest[1:], other.Proof, byte(1))
	f.Add(other.Digest, good.Proof[:100], byte(2))
	f.Fuzz(func(t *testing.T, digest, proof []byte, place byte) {
		if len(proof) > 1<<10 || len(digest) > 1<<10 {
			return
		}
		claims := slices.Insert([]check.Claim{good, other}, int(place)%3, check.Claim{Digest: digest, Proof: proof})
		compared(t, verifier, claims, 1)
	})
}

func BenchmarkVerifyBatch(b *testing.B) {
	verifier := known.verifier(b)
	for _, n := range []int{1, 10, 100, 1000} {
		claims := honest(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				verifier.VerifyBatch(claims, 0)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "us/proof")
		})
	}
}
