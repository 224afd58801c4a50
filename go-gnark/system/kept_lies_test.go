package system_test

import (
	"bytes"
	"errors"
	"math/big"
	"slices"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark-crypto/ecc/bn254/fp"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/backend/groth16"
	groth16bn254 "github.com/consensys/gnark/backend/groth16/bn254"
	"github.com/consensys/gnark/frontend"

	"equiproof/check"
	"equiproof/gadget/bounded"
	"equiproof/gadget/kept"
	"equiproof/internal/turns"
	"equiproof/relation"
	"equiproof/system"
)

// refusedFor expects a refusal for one of the reasons, "" for one without a name.
func refusedFor(t *testing.T, what string, err error, reason check.Reason) {
	t.Helper()
	if !errors.Is(err, check.ErrRefused) || check.ReasonOf(err) != reason {
		t.Errorf("%s: %v (%q), want a refusal (%q)", what, err, check.ReasonOf(err), reason)
	}
}

// malformedFor expects an error about bytes.
func malformedFor(t *testing.T, what string, err error, reason check.Reason) {
	t.Helper()
	if err == nil || errors.Is(err, check.ErrRefused) || check.ReasonOf(err) != reason {
		t.Errorf("%s: %v (%q), want malformed bytes (%q)", what, err, check.ReasonOf(err), reason)
	}
}

// Whoever owns a model and lies about it proves both halves as well as can be, and shows the certificate beside a link of the lie
// and beside the honest one. The toy does decide the query for each of these models, so that only link and point refuse.
func TestLiesOfOwners(t *testing.T) {
	p := publishedBy(t, toyOf(t))
	query := toyQuery(1)
	for name, lie := range map[string]func(o *owner){
		"another-word":                        func(o *owner) { o.inCertificates = with(o.words, 1, 7) },
		"another-word that nothing else sees": func(o *owner) { o.inCertificates = with(o.words, toyWords-4, 7) },
		"last word":                           func(o *owner) { o.inCertificates = with(o.words, toyWords-1, 7) },
		"words-swapped":                       func(o *owner) { o.inCertificates = with(o.words, 1, o.words[2].Int64(), o.words[1].Int64()) },
		"sum-kept": func(o *owner) {
			o.inCertificates = with(o.words, toyColumns, o.words[toyColumns].Int64()+1, o.words[toyColumns+1].Int64()-1)
		},
		"another-C": func(o *owner) { o.model = random(t) },
		"another-E": func(o *owner) { o.linkBlinding = random(t) },
		"another-r": func(o *owner) { o.at = random(t) },
	} {
		t.Run(name, func(t *testing.T) {
			o := *p.owner
			lie(&o)
			link := must(t)(o.publish(p.toyKeys))
			proof := mustBytes(t)(o.certify(p.toyKeys, query))
			if err := p.accepts(p.model, link, query, proof); !errors.Is(err, check.ErrRefused) {
				t.Errorf("beside its own link: %v", err)
			}
			// Where only the link lies, certificates are honest.
			err := p.accepts(p.model, p.link, query, proof)
			if honest := name == "another-E" || name == "another-r"; honest != (err == nil) || !honest && !errors.Is(err, check.ErrRefused) {
				t.Errorf("beside the honest link: %v", err)
			}
		})
	}
}

// word-of-no-width: a word above its width is in no link. Certificates do not look at widths.
func TestWordOfNoWidth(t *testing.T) {
	k := toyOf(t)
	o := honestOwner(t)
	o.words = slices.Clone(o.words)
	o.words[toyWords-4] = big.NewInt(1 << toyBits)
	o.inCertificates, o.model = o.words, toyModel(o.words, o.opening)
	if _, err := o.publish(k); !errors.Is(err, system.ErrUnsatisfied) {
		t.Errorf("a link: %v", err)
	}
	if _, err := o.certify(k, toyQuery(1)); err != nil {
		t.Errorf("a certificate: %v", err)
	}
}

// A verifier that knows C asks for a link of C; one of the owner's other model, or of the same one at another point, is none.
func TestLinksOfSomethingElse(t *testing.T) {
	p := publishedBy(t, toyOf(t))
	query := toyQuery(1)

	// another-C: all of another model, honest in itself
	other := honestOwner(t)
	link := must(t)(other.publish(p.toyKeys))
	proof := mustBytes(t)(other.certify(p.toyKeys, query))
	if err := p.accepts(other.model, link, query, proof); err != nil {
		t.Error(err)
	}
	refusedFor(t, "another-C", p.accepts(p.model, link, query, proof), check.PairingsDiffer)

	// link-of-another-point: the same model under another mask
	remasked := *p.owner
	remasked.mask = element(random(t))
	again := must(t)(remasked.publish(p.toyKeys))
	proofAgain := mustBytes(t)(remasked.certify(p.toyKeys, query))
	if err := p.accepts(p.model, again, query, proofAgain); err != nil {
		t.Error(err)
	}
	refusedFor(t, "link-of-another-point", p.accepts(p.model, again, query, p.proof), check.FirstCommitmentDiffers)
	refusedFor(t, "link-of-another-point", p.accepts(p.model, p.link, query, proofAgain), check.FirstCommitmentDiffers)
	moved := p.link
	moved.Point = again.Point
	refusedFor(t, "the point of another link", p.accepts(p.model, moved, query, proofAgain), check.PairingsDiffer)
	moved = p.link
	moved.Shown = again.Shown
	refusedFor(t, "Y-of-another", p.accepts(p.model, moved, query, p.proof), check.PairingsDiffer)

	// Y-above-p: the same number of the field, in other bytes
	moved = p.link
	moved.Shown = new(big.Int).Add(new(big.Int).SetBytes(p.link.Shown), fr.Modulus()).FillBytes(make([]byte, fr.Bytes))
	malformedFor(t, "Y-above-p", p.accepts(p.model, moved, query, p.proof), check.BadElement)
	moved.Shown = p.link.Shown[1:]
	malformedFor(t, "Y of 31 bytes", p.accepts(p.model, moved, query, p.proof), check.BadElement)

	// Points in other bytes
	for name, test := range map[string]struct {
		point  []byte
		reason check.Reason
	}{
		"short": {p.link.Point[1:], check.WrongLength}, "none": {nil, check.WrongLength},
		"uncompressed":  {append([]byte{p.link.Point[0] & 0x3f}, p.link.Point[1:]...), check.PointNotCanonical},
		"off the curve": {offCurve(), check.OffCurve},
	} {
		moved = p.link
		moved.Point = test.point
		malformedFor(t, name, p.accepts(p.model, moved, query, p.proof), test.reason)
	}
	moved = p.link
	moved.Point = negated(t, p.link.Point)
	refusedFor(t, "the negative point", p.accepts(p.model, moved, query, p.proof), check.PairingsDiffer)
}

// offCurve is an x that no point of the curve has, compressed.
func offCurve() []byte {
	data := make([]byte, 32)
	data[0], data[31] = 0x80, 4 // 4^3 + 3 is no square
	return data
}

func negated(t *testing.T, data []byte) []byte {
	t.Helper()
	point := affine(t, data)
	point.Neg(&point)
	compressed := point.Bytes()
	return compressed[:]
}

func affine(t *testing.T, data []byte) (point bn254.G1Affine) {
	t.Helper()
	if _, err := point.SetBytes(data); err != nil {
		t.Fatal(err)
	}
	return point
}

// no-link: a kept key is no ordinary one, so that a certificate under it is checked beside an open link or not at all; and the
// other way round.
func TestNoLink(t *testing.T) {
	k := toyOf(t)
	_, err := check.Load(check.Groth16, k.keys.Verifying)
	malformedFor(t, "no-link", err, check.WrongLength)
	_, err = check.LoadKept(k.linkKeys.Verifying)
	malformedFor(t, "an ordinary key", err, check.WrongLength)
	data := encoded([]byte("toy"), big.NewInt(0), make([]*big.Int, 0))
	if _, err := k.prover.Prove(data); !errors.Is(err, system.ErrNoMask) {
		t.Error(err)
	}
	if err := k.prover.Check(data); !errors.Is(err, system.ErrNoMask) {
		t.Error(err)
	}
	if _, err := k.linker.ProveKept(data, fr.One()); err == nil {
		t.Error("a proof about a kept model under an ordinary key")
	}
	if _, err := k.linker.Point(nil, fr.One()); err == nil {
		t.Error("a point under an ordinary key")
	}
	if _, err := k.prover.Point(make([]fr.Element, toyWords), fr.One()); err == nil {
		t.Error("a point without the model commitment")
	}
}

// A witness is checked without a key at the challenge that the key leads to, and at no other.
func TestCheckKept(t *testing.T) {
	p := publishedBy(t, toyOf(t))
	c1, err := check.Challenge(p.link.Point)
	if err != nil {
		t.Fatal(err)
	}
	data := p.witness(integer(c1), toyQuery(1))
	if err := p.prover.CheckKept(data, c1); err != nil {
		t.Error(err)
	}
	if err := p.prover.CheckKept(data, fr.One()); !errors.Is(err, system.ErrUnsatisfied) {
		t.Errorf("another challenge: %v", err)
	}
	if err := p.prover.CheckKept(p.witness(integer(c1), toyQuery(1<<toyInputs)), c1); err == nil {
		t.Error("a query out of its width")
	}
}

// replacedAt returns bytes with others in their place.
func replacedAt(data []byte, at int, with []byte) []byte {
	changed := slices.Clone(data)
	copy(changed[at:], with)
	return changed
}

// spoiltProofs are the proofs that somebody makes of seen ones, with the reason why each is refused, or why its bytes are.
func spoiltProofs(t *testing.T, p *published, others [][]byte) map[string]struct {
	proof  []byte
	reason check.Reason
} {
	t.Helper()
	first, second, knowledge := p.proof[firstAt:secondAt], p.proof[secondAt:knowledgeAt], p.proof[knowledgeAt:]
	sum := affine(t, knowledge)
	other := affine(t, others[0][knowledgeAt:])
	sum.Add(&sum, &other)
	added := sum.Bytes()
	return map[string]struct {
		proof  []byte
		reason check.Reason
	}{
		"points-exchanged":           {replacedAt(replacedAt(p.proof, firstAt, second), secondAt, first), check.FirstCommitmentDiffers},
		"the first point twice":      {replacedAt(p.proof, secondAt, first), check.CommitmentNotOpened},
		"count-1":                    {replacedAt(p.proof, firstAt-4, []byte{0, 0, 0, 1}), check.WrongCount},
		"count-3":                    {replacedAt(p.proof, firstAt-4, []byte{0, 0, 0, 3}), check.WrongCount},
		"count-3 with three":         {slices.Concat(p.proof[:firstAt-4], []byte{0, 0, 0, 3}, first, second, second, knowledge), check.WrongLength},
		"196 bytes":                  {slices.Concat(p.proof[:firstAt-4], []byte{0, 0, 0, 1}, first, knowledge), check.WrongLength},
		"pok-of-another-certificate": {replacedAt(p.proof, knowledgeAt, others[0][knowledgeAt:]), check.CommitmentNotOpened},
		"pok-summed":                 {replacedAt(p.proof, knowledgeAt, added[:]), check.CommitmentNotOpened},
		"D2-of-another":              {replacedAt(p.proof, secondAt, others[0][secondAt:knowledgeAt]), check.CommitmentNotOpened},
		"D2-and-pok-of-another":      {replacedAt(p.proof, secondAt, others[0][secondAt:]), check.PairingsDiffer},
		"A-B-C-of-another":           {replacedAt(p.proof, 0, others[0][:firstAt-4]), check.PairingsDiffer},
		"another digest's":           {others[0], check.PairingsDiffer},
		"pok of zero":                {replacedAt(p.proof, knowledgeAt, append([]byte{0x40}, make([]byte, 31)...)), check.CommitmentNotOpened},
		"D2 of zero":                 {replacedAt(p.proof, secondAt, append([]byte{0x40}, make([]byte, 31)...)), check.CommitmentNotOpened},
	}
}

// What somebody makes of the bytes of seen certificates beside one link is refused, or malformed.
func TestRecombinedProofs(t *testing.T) {
	p := publishedBy(t, toyOf(t))
	verifier, err := p.open(p.model, p.link)
	if err != nil {
		t.Fatal(err)
	}
	digest := toyDigest(p.model, p.link, toyQuery(1))
	others := [][]byte{mustBytes(t)(p.certify(p.toyKeys, toyQuery(2)))}
	for name, test := range spoiltProofs(t, p, others) {
		err := verifier.Verify(digest, test.proof)
		if err == nil || check.ReasonOf(err) != test.reason {
			t.Errorf("%s: %v (%q), want %q", name, err, check.ReasonOf(err), test.reason)
		}
	}
	// 228 bytes under an ordinary key
	malformedFor(t, "228 bytes", p.links.Verify(digest, p.proof), check.WrongLength)
}

// parsed reads a proof as gnark does.
func parsed(t *testing.T, data []byte) *groth16bn254.Proof {
	t.Helper()
	proof := new(groth16bn254.Proof)
	if _, err := proof.ReadFrom(bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	return proof
}

// pok-recombined: f_i D2_i - f_j D2_j, of two certificates beside one D1, opens beside any other D1 whose opening one knows, as zero.
// So the proof of knowledge shows no knowledge of D1's words; the equation of the circuit refuses what is made of it, and the link
// refuses its first commitment.
func TestRecombinedKnowledge(t *testing.T) {
	p := publishedBy(t, toyOf(t))
	query := toyQuery(1)
	one, two := parsed(t, p.proof), parsed(t, mustBytes(t)(p.certify(p.toyKeys, toyQuery(2))))
	scaled := func(proof *groth16bn254.Proof) (point bn254.G1Affine) {
		point.ScalarMultiplication(&proof.Commitments[1], integer(gnarksFold(t, proof)))
		return point
	}
	made := *one
	left, right := scaled(one), scaled(two)
	var second, knowledge bn254.G1Affine
	second.Sub(&left, &right)
	knowledge.Sub(&one.CommitmentPok, &two.CommitmentPok)
	made.Commitments = []bn254.G1Affine{{}, second}
	made.CommitmentPok = *knowledge.ScalarMultiplication(&knowledge, integer(gnarksFold(t, &made)))
	var out bytes.Buffer
	if _, err := made.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	refusedFor(t, "beside the link", p.accepts(p.model, p.link, query, out.Bytes()), check.FirstCommitmentDiffers)
	key := new(groth16bn254.VerifyingKey)
	if _, err := key.ReadFrom(bytes.NewReader(p.keys.Verifying)); err != nil {
		t.Fatal(err)
	}
	var digest fr.Element
	digest.SetBytes(toyDigest(p.model, p.link, query))
	if err := groth16bn254.Verify(&made, key, fr.Vector{digest}); err == nil || err.Error() != "pairing doesn't match" {
		t.Errorf("%v, want that only the circuit's equation fails", err)
	}
}

// gnarksFold is the factor of a proof's second commitment in its proof of knowledge, by the formula alone.
func gnarksFold(t *testing.T, proof *groth16bn254.Proof) fr.Element {
	t.Helper()
	hash := func(domain string, parts ...[]byte) fr.Element {
		found, err := fr.Hash(slices.Concat(parts...), []byte(domain), 1)
		if err != nil {
			t.Fatal(err)
		}
		return found[0]
	}
	c1 := hash("bsb22-commitment", proof.Commitments[0].Marshal())
	c2 := hash("bsb22-commitment", proof.Commitments[1].Marshal(), c1.Marshal())
	return hash("G16-BSB22", c1.Marshal(), c2.Marshal())
}

// unjudged makes keys of a circuit without asking the lint.
func unjudged(t *testing.T, circuit relation.Circuit) *system.Keys {
	t.Helper()
	compiled, err := system.Groth16.Compile(circuit)
	if err != nil {
		t.Fatal(err)
	}
	pk, vk, err := groth16.Setup(compiled)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := system.Stored(&system.Description{}, pk, vk)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// bypassed makes keys of the toy with another way to show its model, and of a link, neither of which the lint has seen.
func bypassed(t *testing.T, circuit, link func() relation.Circuit) *toyKeys {
	t.Helper()
	k, err := loadToy(unjudged(t, circuit()), unjudged(t, link()), circuit, link)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// without returns words with one that counts for nothing.
func without(words []frontend.Variable, at int) []frontend.Variable {
	changed := slices.Clone(words)
	changed[at] = 0
	return changed
}

// no-row-of-y and last-word-alone, seen from outside: where the polynomials of certificate and link have no row for a word, the word is
// another one in certificates than the one that opens C, and all holds. Words that no row shows at all have one point, too. The lint
// makes no such key.
func TestLiesWithoutARowOfThePolynomial(t *testing.T) {
	turns.Take(t)
	for name, at := range map[string]int{"no-row-of-y": 1, "no-row-of-y, nothing else sees it": 16, "last-word-alone": toyWords - 1} {
		t.Run(name, func(t *testing.T) {
			circuit := func() relation.Circuit {
				c := newToy().(*toy)
				c.show = func(a *bounded.Arith, words []frontend.Variable, model, blinding frontend.Variable) (frontend.Variable, error) {
					challenge := committed(a, listed(words, model)...)
					return kept.Shown(a, blinding, kept.Value(a, without(words, at), model, challenge))
				}
				return c
			}
			if _, _, err := system.Groth16.Judged(circuit()); err == nil {
				t.Error("the lint accepts the circuit")
			}
			k := bypassed(t, circuit, func() relation.Circuit {
				c := newToyLink().(*toyLink)
				c.seen = func(words []frontend.Variable) []frontend.Variable { return without(words, at) }
				return c
			})
			o := honestOwner(t)
			o.seen = func(words []*big.Int) []*big.Int { return with(words, at, 0) }
			honest := mustBytes(t)(o.point(k))
			o.inCertificates = with(o.words, at, 9)
			link := must(t)(o.publish(k))
			if err := k.accepts(o.model, link, toyQuery(1), mustBytes(t)(o.certify(k, toyQuery(1)))); err != nil {
				t.Errorf("refused, so that this shows nothing: %v", err)
			}
			if one := bytes.Equal(honest, link.Point); one != (at >= 16) {
				t.Errorf("both models have one point: %v", one)
			}
		})
	}
}

// another word beside y, seen from outside: where a certificate's circuit adds a word to the polynomial's value, words of which only a sum
// opens the model commitment hold beside the honest link. The lint makes no such key.
func TestAnotherWordBesideTheValue(t *testing.T) {
	turns.Take(t)
	circuit := func() relation.Circuit {
		c := newToy().(*toy)
		c.show = showAnotherWord
		return c
	}
	if _, _, err := system.Groth16.Judged(circuit()); err == nil {
		t.Error("the lint accepts the circuit")
	}
	k, err := loadToy(unjudged(t, circuit()), toyOf(t).linkKeys, circuit, newToyLink)
	if err != nil {
		t.Fatal(err)
	}
	o := honestOwner(t)
	last := toyWords - 1
	o.inCertificates = with(o.words, last, o.words[last].Int64()-o.words[toyColumns].Int64())
	o.seen = func([]*big.Int) []*big.Int { return o.words }
	link := must(t)(o.publish(k))
	if err := k.accepts(o.model, link, toyQuery(1), mustBytes(t)(o.certify(k, toyQuery(1)))); err != nil {
		t.Errorf("refused, so that this shows nothing: %v", err)
	}
}

// Who has seen a certificate makes another one of the same statement, as of every Groth16 proof, and of no other statement: its
// commitments stay as they are.
func TestRerandomised(t *testing.T) {
	p := publishedBy(t, toyOf(t))
	proof := parsed(t, p.proof)
	factor := element(random(t))
	proof.Ar = inG1Of(proof.Ar, factor)
	proof.Bs.ScalarMultiplication(&proof.Bs, integer(over(factor)))
	var out bytes.Buffer
	if _, err := proof.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(out.Bytes(), p.proof) {
		t.Fatal("the same proof")
	}
	if err := p.accepts(p.model, p.link, toyQuery(1), out.Bytes()); err != nil {
		t.Error(err)
	}
	refusedFor(t, "another statement", p.accepts(p.model, p.link, toyQuery(2), out.Bytes()), check.PairingsDiffer)
}

// TestFirstBasisIsIndependent: no two points of the first basis are equal up to sign, and none is at infinity, in an honest key.
func TestFirstBasisIsIndependent(t *testing.T) {
	pk := new(groth16bn254.ProvingKey)
	if _, err := pk.UnsafeReadFrom(bytes.NewReader(toyOf(t).keys.Proving)); err != nil {
		t.Fatal(err)
	}
	seen := map[fp.Element]bool{}
	for i, point := range pk.CommitmentKeys[0].Basis {
		if point.IsInfinity() || seen[point.X] {
			t.Errorf("point %d is at infinity or stands there already", i)
		}
		seen[point.X] = true
	}
	if len(seen) != toyWords+2 {
		t.Errorf("%d points, want one for each word, the model commitment and the mask", len(seen))
	}
}
