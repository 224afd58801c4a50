package system_test

import (
	"bytes"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/backend"
	"github.com/consensys/gnark/backend/groth16"
	groth16bn254 "github.com/consensys/gnark/backend/groth16/bn254"
	"github.com/consensys/gnark/constraint"
	cs "github.com/consensys/gnark/constraint/bn254"
	"github.com/consensys/gnark/constraint/solver"
	"github.com/consensys/gnark/frontend"

	"equiproof/check"
	"equiproof/internal/turns"
	"equiproof/system"
	"equiproof/witness"
)

// gnarkKeys are a toy's keys as gnark has them.
type gnarkKeys struct {
	proving   *groth16bn254.ProvingKey
	verifying *groth16bn254.VerifyingKey
}

func readKeys(t *testing.T, keys *system.Keys) *gnarkKeys {
	t.Helper()
	k := &gnarkKeys{new(groth16bn254.ProvingKey), new(groth16bn254.VerifyingKey)}
	if _, err := k.proving.UnsafeReadFrom(bytes.NewReader(keys.Proving)); err != nil {
		t.Fatal(err)
	}
	if _, err := k.verifying.ReadFrom(bytes.NewReader(keys.Verifying)); err != nil {
		t.Fatal(err)
	}
	return k
}

// signed gives the commitments of keys these sigmas, as their maker could.
func (k *gnarkKeys) signed(sigmas ...fr.Element) {
	for i := range sigmas {
		key := &k.proving.CommitmentKeys[i]
		for j := range key.Basis {
			key.BasisExpSigma[j] = inG1Of(key.Basis[j], sigmas[i])
		}
		k.verifying.CommitmentKeys[i].GSigmaNeg.ScalarMultiplication(&k.verifying.CommitmentKeys[i].G, integer(minus(sigmas[i])))
	}
}

func inG1Of(point bn254.G1Affine, factor fr.Element) (product bn254.G1Affine) {
	product.ScalarMultiplication(&point, integer(factor))
	return product
}

// forgery is what an owner makes who knows sigma2 = factor sigma1 + more: a certificate of other words than its first commitment is
// of, with the same value of the polynomial at the challenge, which is known beforehand.
//
// D1 stays the kept point. D2 has the difference of both models over the first basis, too, so that the rows see the other words; and
// the proof of knowledge needs sigma2 times that difference, which follows from the published sigma1 f_i and f_i. gnark's prover makes
// all this from a proving key with other bases: the point of the mask in the first, of the kept mask's value, is D1, and all others are
// zero; and the mask of the second commitment, which is 1, has the difference beside its own point.
func (k *gnarkKeys) forgery(t *testing.T, p *owner, other []*big.Int, query []*big.Int, factor, more fr.Element) []byte {
	t.Helper()
	key := *k.proving
	first, second := key.CommitmentKeys[0], key.CommitmentKeys[1]
	difference := func(basis []bn254.G1Affine) (sum bn254.G1Affine) {
		for i := range p.words {
			sum.Add(&sum, ptr(inG1Of(basis[i], element(new(big.Int).Sub(other[i], p.words[i])))))
		}
		return sum
	}
	committed := append(elements(append(slices.Clone(p.words), p.model)...), p.mask)
	point, err := first.Commit(committed)
	if err != nil {
		t.Fatal(err)
	}
	knowledge, err := first.ProveKnowledge(committed)
	if err != nil {
		t.Fatal(err)
	}
	moved, signed := difference(first.Basis), difference(first.BasisExpSigma)
	signed = inG1Of(signed, factor)
	signed.Add(&signed, ptr(inG1Of(moved, more)))

	zeros := make([]bn254.G1Affine, len(first.Basis))
	mask := len(zeros) - 1
	first.Basis, first.BasisExpSigma = slices.Clone(zeros), slices.Clone(zeros)
	first.Basis[mask], first.BasisExpSigma[mask] = inG1Of(point, over(p.mask)), inG1Of(knowledge, over(p.mask))
	second.Basis, second.BasisExpSigma = slices.Clone(second.Basis), slices.Clone(second.BasisExpSigma)
	last := len(second.Basis) - 1
	second.Basis[last].Add(&second.Basis[last], &moved)
	second.BasisExpSigma[last].Add(&second.BasisExpSigma[last], &signed)
	key.CommitmentKeys = slices.Clone(key.CommitmentKeys)
	key.CommitmentKeys[0], key.CommitmentKeys[1] = first, second

	compressed := point.Bytes()
	c1, err := check.Challenge(compressed[:])
	if err != nil {
		t.Fatal(err)
	}
	liar := *p
	liar.inCertificates = other
	return proved(t, &key, liar.witness(integer(c1), query), map[string]fr.Element{"keptMask": p.mask, "Randomize": fr.One()})
}

func ptr(point bn254.G1Affine) *bn254.G1Affine { return &point }

// proved makes a proof by gnark's prover, whose hints of these names have these values.
func proved(t *testing.T, key *groth16bn254.ProvingKey, data []byte, hints map[string]fr.Element) []byte {
	t.Helper()
	compiled, err := system.Groth16.Compile(newToy())
	if err != nil {
		t.Fatal(err)
	}
	circuit := newToy()
	if err := witness.Parse(circuit, []byte("toy"), data); err != nil {
		t.Fatal(err)
	}
	full, err := frontend.NewWitness(circuit, ecc.BN254.ScalarField())
	if err != nil {
		t.Fatal(err)
	}
	var options []solver.Option
	for id, name := range compiled.(*cs.R1CS).MHintsDependencies {
		if value, ok := hints[name[strings.LastIndex(name, ".")+1:]]; ok {
			options = append(options, solver.OverrideHint(id, func(_ *big.Int, _, outputs []*big.Int) error {
				value.BigInt(outputs[0])
				return nil
			}))
		}
	}
	proof, err := groth16.Prove(compiled, key, full, backend.WithSolverOptions(options...))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := proof.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// agreeing returns words of another model, whose first weight is 1, with the same value at r: another word, of no width, makes up.
func agreeing(words []*big.Int, r *big.Int) []*big.Int {
	const up = toyWords - 4
	other := with(words, 0, 1)
	power := func(at int) *big.Int { return new(big.Int).Exp(r, big.NewInt(int64(toyWords-1-at)), fr.Modulus()) }
	gone := new(big.Int).Sub(words[0], other[0])
	gone.Mul(gone, power(0)).Mul(gone, new(big.Int).ModInverse(power(up), fr.Modulus()))
	other[up] = gone.Add(gone, words[up]).Mod(gone, fr.Modulus())
	return other
}

// sigma-shared, sigma-opposite, sigma-ratio, sigma-affine: where a relation of both sigmas is known, a certificate of another model
// holds beside the honest link; where none is, the same forgery does not. That is why the argument assumes that nobody knows any, and
// not only that they differ: a reader of keys refuses the first two, and cannot see the others.
func TestKnownRelationsOfSigmas(t *testing.T) {
	turns.Take(t)
	number := func(n int64) fr.Element { return field(n) }
	far := element(random(t))
	for name, test := range map[string]struct {
		factor, more fr.Element
		holds, seen  bool // whether the relation does, and whether the reader sees it
	}{
		"sigma-shared":   {number(1), number(0), true, true},
		"sigma-opposite": {number(-1), number(0), true, true},
		"sigma-ratio 2":  {number(2), number(0), true, false},
		"sigma-ratio -3": {number(-3), number(0), true, false},
		"sigma-ratio":    {far, number(0), true, false},
		"sigma-affine":   {far, element(random(t)), true, false},
		"none":           {number(1), number(0), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			k := readKeys(t, toyOf(t).keys)
			sigma := element(random(t))
			other := element(random(t))
			if test.holds {
				other = plus(times(test.factor, sigma), test.more)
			}
			k.signed(sigma, other)
			keys, err := system.Stored(&toyOf(t).keys.Description, k.proving, k.verifying)
			if err != nil {
				t.Fatal(err)
			}
			certificates, err := check.LoadKept(keys.Verifying)
			if test.seen {
				malformedFor(t, "the key", err, check.DegenerateKey)
			} else if err != nil {
				t.Fatal(err)
			}
			o, query := honestOwner(t), toyQuery(1)
			link := must(t)(o.publish(&toyKeys{prover: loaded(t, keys), linker: toyOf(t).linker}))
			r, err := check.Challenge(link.Point)
			if err != nil {
				t.Fatal(err)
			}
			words := agreeing(o.words, integer(r))
			if words[0].Cmp(o.words[0]) == 0 || toyValue(words, o.model, integer(r)).Cmp(toyValue(o.words, o.model, integer(r))) != 0 {
				t.Fatal("no other model with this value")
			}
			proof := k.forgery(t, o, words, query, test.factor, test.more)
			if !bytes.Equal(proof[firstAt:secondAt], link.Point) {
				t.Fatal("another first commitment")
			}
			var digest fr.Element
			digest.SetBytes(toyDigest(o.model, link, query))
			if err := groth16bn254.Verify(parsed(t, proof), k.verifying, fr.Vector{digest}); test.holds != (err == nil) {
				t.Errorf("gnark: %v", err)
			}
			if test.seen {
				return
			}
			toy := &toyKeys{certificates: certificates, links: toyOf(t).links}
			if err := toy.accepts(o.model, link, query, proof); test.holds && err != nil {
				t.Error(err)
			} else if !test.holds {
				refusedFor(t, "the forgery", err, check.CommitmentNotOpened)
			}
		})
	}
}

func loaded(t *testing.T, keys *system.Keys) *system.Prover {
	t.Helper()
	prover, err := system.Groth16.LoadCircuit([]byte("toy"), keys.Proving, newToy)
	if err != nil {
		t.Fatal(err)
	}
	return prover
}

// Two set-ups of one circuit have four different sigmas and two generators: no two commitments share what only one may know.
func TestSetupsDrawEachSigma(t *testing.T) {
	turns.Take(t)
	one := readKeys(t, toyOf(t).keys)
	again, err := system.Groth16.Setup(newToy())
	if err != nil {
		t.Fatal(err)
	}
	two := readKeys(t, again)
	seen := map[bn254.G2Affine]bool{}
	for _, k := range []*gnarkKeys{one, two} {
		for i := range k.verifying.CommitmentKeys {
			point := k.verifying.CommitmentKeys[i].GSigmaNeg
			seen[point] = true
			seen[*point.Neg(&point)] = true
			// The basis has this sigma, and no other: e(f_i, -sigma G) e(sigma f_i, G) = 1.
			key := &k.proving.CommitmentKeys[i]
			if err := k.verifying.CommitmentKeys[i].Verify(key.Basis[0], key.BasisExpSigma[0]); err != nil {
				t.Error(err)
			}
		}
	}
	if len(seen) != 8 {
		t.Errorf("%d different sigmas, with their negatives", len(seen))
	}
}

// Places of a key with two commitments.
const (
	keyInputs, keyLists, keyCommitments = 288, 420, 440
	keyIndex                            = keyLists + 12
)

// sigmaAt is the place of a commitment's generator, 64 bytes before that of -sigma times it.
func sigmaAt(commitment int) int { return keyCommitments + 4 + 128*commitment }

// spoiltKeys are bytes of keys that no set-up makes, by the reason why they are malformed.
func spoiltKeys(t *testing.T, key []byte) map[string]struct {
	key    []byte
	reason check.Reason
} {
	t.Helper()
	generator, first, second := key[sigmaAt(0):][:64], key[sigmaAt(0)+64:][:64], key[sigmaAt(1)+64:][:64]
	opposite := func(data []byte) []byte {
		var point bn254.G2Affine
		if _, err := point.SetBytes(data); err != nil {
			t.Fatal(err)
		}
		point.Neg(&point)
		compressed := point.Bytes()
		return compressed[:]
	}
	infinite := append([]byte{0x40}, make([]byte, 63)...)
	spoilt := map[string]struct {
		key    []byte
		reason check.Reason
	}{
		"sigma-shared":                   {replacedAt(key, sigmaAt(1)+64, first), check.DegenerateKey},
		"sigma-shared the other way":     {replacedAt(key, sigmaAt(0)+64, second), check.DegenerateKey},
		"sigma-opposite":                 {replacedAt(key, sigmaAt(1)+64, opposite(first)), check.DegenerateKey},
		"sigma-generator of the first":   {replacedAt(key, sigmaAt(0)+64, generator), check.DegenerateKey},
		"sigma-generator of the second":  {replacedAt(key, sigmaAt(1)+64, generator), check.DegenerateKey},
		"sigma-generator, minus, second": {replacedAt(key, sigmaAt(1)+64, opposite(generator)), check.DegenerateKey},
		"sigma is zero in the second":    {replacedAt(key, sigmaAt(1)+64, infinite), check.DegenerateKey},
		"another generator":              {replacedAt(key, sigmaAt(1), opposite(generator)), check.DegenerateKey},
		"no generator":                   {replacedAt(replacedAt(key, sigmaAt(0), infinite), sigmaAt(1), infinite), check.DegenerateKey},
		"the last input is infinite":     {replacedAt(key, keyLists-32, append([]byte{0x40}, make([]byte, 31)...)), check.DegenerateKey},
		"second-hash-without-c1": {
			slices.Concat(key[:keyLists], []byte{0, 0, 0, 2}, make([]byte, 8), key[keyCommitments:]), check.WrongLength},
		"second-hash-without-c1, in 700 bytes": {replacedAt(key, keyLists+8, make([]byte, 4)), check.WrongCount},
		"the first hash takes one, too":        {replacedAt(key, keyLists+4, []byte{0, 0, 0, 1}), check.WrongCount},
		"three inputs":                         {replacedAt(key, keyInputs, []byte{0, 0, 0, 3}), check.WrongCount},
		"one commitment":                       {replacedAt(key, keyCommitments, []byte{0, 0, 0, 1}), check.WrongCount},
	}
	for name, index := range map[string][]byte{
		"index-of-c1 0": {0, 0, 0, 0, 0, 0, 0, 0}, "index-of-c1 1": {0, 0, 0, 0, 0, 0, 0, 1}, "index-of-c1 3": {0, 0, 0, 0, 0, 0, 0, 3},
		"index-of-c1 4": {0, 0, 0, 0, 0, 0, 0, 4}, "index-of-c1 2^32 + 2": {0, 0, 0, 1, 0, 0, 0, 2},
		"index-of-c1 2^56 + 2": {1, 0, 0, 0, 0, 0, 0, 2}, "index-of-c1 -1": bytes.Repeat([]byte{0xff}, 8),
	} {
		spoilt[name] = struct {
			key    []byte
			reason check.Reason
		}{replacedAt(key, keyIndex, index), check.WrongCount}
	}
	return spoilt
}

// A reader of keys refuses what no set-up makes: sigmas whose relation everybody sees, and any hash of the second commitment but
// the one that takes the first one's.
func TestSpoiltKeysOfKeptModels(t *testing.T) {
	key := toyOf(t).keys.Verifying
	if index := key[keyIndex : keyIndex+8]; !bytes.Equal(index, []byte{0, 0, 0, 0, 0, 0, 0, 2}) {
		t.Fatalf("the second hash takes input %v", index)
	}
	for name, test := range spoiltKeys(t, key) {
		_, err := check.LoadKept(test.key)
		malformedFor(t, name, err, test.reason)
	}
	if _, err := check.LoadKept(key); err != nil {
		t.Error(err)
	}
}

// mask-shared: with one mask, the difference of two models' points is that of their words, so that a guess of one of them is seen to be
// right; with a mask of each, it is not.
func TestSharedMask(t *testing.T) {
	k := toyOf(t)
	basis := readKeys(t, k.keys).proving.CommitmentKeys[0].Basis
	one, two := honestOwner(t), honestOwner(t)
	two.inCertificates, two.model = with(one.words, 5, 77), one.model
	seen := func() bool {
		left, right := affine(t, mustBytes(t)(one.point(k))), affine(t, mustBytes(t)(two.point(k)))
		left.Sub(&left, &right)
		guess := inG1Of(basis[5], element(new(big.Int).Sub(one.words[5], big.NewInt(77))))
		return left.Equal(&guess)
	}
	if seen() {
		t.Error("a guess is seen to be right, beside masks of each")
	}
	if two.mask = one.mask; !seen() {
		t.Error("the same mask hides, so that this shows nothing")
	}
}

// key-without-mask: whoever makes a key reads a number of either commitment from a proof under it, as under an ordinary key (see
// TestKeyThatReadsAWeight), and no check of keys, links or proofs notices. So nothing is proven under keys without the owner's mark.
func TestKeptKeyThatReadsANumber(t *testing.T) {
	turns.Take(t)
	compiled, err := system.Groth16.Compile(newToy())
	if err != nil {
		t.Fatal(err)
	}
	r1cs := compiled.(*cs.R1CS)
	commitments := r1cs.CommitmentInfo.(constraint.Groth16Commitments)
	o, query := honestOwner(t), toyQuery(321)
	for name, test := range map[string]struct {
		left map[int]fr.Element
		at   int
		want int64
	}{
		"the first":  {map[int]fr.Element{2 + 4: fr.One()}, firstAt, o.words[4].Int64()},
		"the second": {limbs(t, r1cs, 2+toyWords+2), secondAt, 321},
	} {
		t.Run(name, func(t *testing.T) {
			k := readKeys(t, toyOf(t).keys)
			x := drawn(t)
			left := map[int]fr.Element{1: fr.One()}
			for _, commitment := range commitments {
				left[commitment.CommitmentIndex] = fr.One()
			}
			for wire, factor := range test.left {
				left[wire] = times(factor, x)
			}
			unit := replaced(t, k.proving, k.verifying, left, commitments)
			keys, err := system.Stored(&toyOf(t).keys.Description, k.proving, k.verifying)
			if err != nil {
				t.Fatal(err)
			}
			read, err := loadToy(keys, toyOf(t).linkKeys, newToy, newToyLink)
			if err != nil {
				t.Fatal(err)
			}
			link := must(t)(o.publish(read))
			proof := mustBytes(t)(o.certify(read, query))
			if err := read.accepts(o.model, link, query, proof); err != nil {
				t.Error(err)
			}
			if seen, want := affine(t, proof[test.at:][:32]), inG1(times(unit, x, field(test.want))); !seen.Equal(&want) {
				t.Error("the number is not read")
			}
		})
	}
}
