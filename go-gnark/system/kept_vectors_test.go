package system_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"maps"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"

	"equiproof/check"
	"equiproof/internal/turns"
)

var update = flag.Bool("update", false, "write tests/vectors/kept.json anew: go test ./system -run VectorsOfKeptModels -update")

// hexadecimal is bytes, written in hexadecimal.
type hexadecimal []byte

func (h hexadecimal) MarshalText() ([]byte, error) { return []byte(hex.EncodeToString(h)), nil }

func (h *hexadecimal) UnmarshalText(text []byte) (err error) {
	*h, err = hex.DecodeString(string(text))
	return err
}

// keptFiles are all that a verifier takes: keys, what it knows of the model, a link, and a certificate's digest and proof.
type keptFiles struct {
	Key       hexadecimal `json:"key,omitempty"`
	Point     hexadecimal `json:"point,omitempty"`
	Shown     hexadecimal `json:"shown,omitempty"`
	LinkProof hexadecimal `json:"link_proof,omitempty"`
	Model     hexadecimal `json:"model,omitempty"`
	Digest    hexadecimal `json:"digest,omitempty"`
	Proof     hexadecimal `json:"proof,omitempty"`
}

// keptCase differs from the base in what it has of its own.
type keptCase struct {
	Name    string `json:"name"`
	Verdict string `json:"verdict"`
	Reason  string `json:"reason,omitempty"`
	keptFiles
}

// keptVectors are the file tests/vectors/kept.json: all about the toy of this folder.
type keptVectors struct {
	LinkKey hexadecimal `json:"link_key"`
	Base    keptFiles   `json:"base"`
	Folding []folding   `json:"folding"`
	Cases   []keptCase  `json:"cases"`
}

// folding is the challenges of two commitments and their factor.
type folding struct {
	Commitments []hexadecimal `json:"commitments"`
	Challenges  []hexadecimal `json:"challenges"`
	Factor      hexadecimal   `json:"factor"`
}

func (v *keptVectors) files(own keptFiles) keptFiles {
	base := v.Base
	for from, to := range map[*hexadecimal]*hexadecimal{
		&own.Key: &base.Key, &own.Point: &base.Point, &own.Shown: &base.Shown, &own.LinkProof: &base.LinkProof, &own.Model: &base.Model,
		&own.Digest: &base.Digest, &own.Proof: &base.Proof,
	} {
		if *from != nil {
			*to = *from
		}
	}
	return base
}

// judged is the verdict on files: nil, or why they are malformed or refused.
func (v *keptVectors) judged(t *testing.T, own keptFiles) error {
	t.Helper()
	f := v.files(own)
	links, err := check.Load(check.Groth16, v.LinkKey)
	if err != nil {
		t.Fatal(err)
	}
	certificates, err := check.LoadKept(f.Key)
	if err != nil {
		return err
	}
	toy := &toyKeys{certificates: certificates, links: links}
	verifier, err := toy.open(new(big.Int).SetBytes(f.Model), check.Link{Point: f.Point, Shown: f.Shown, Proof: f.LinkProof})
	if err != nil {
		return err
	}
	return verifier.Verify(f.Digest, f.Proof)
}

func verdictOn(err error) string {
	switch {
	case err == nil:
		return "accept"
	case errors.Is(err, check.ErrRefused):
		return "reject"
	}
	return "malformed"
}

// writtenVectors makes keys, a link and certificates anew, and lies about them, each with the verdict that has to be.
func writtenVectors(t *testing.T) *keptVectors {
	p := publishedBy(t, toyOf(t))
	other := mustBytes(t)(p.certify(p.toyKeys, toyQuery(2)))
	v := &keptVectors{LinkKey: p.linkKeys.Verifying, Base: keptFiles{
		Key: p.keys.Verifying, Point: p.link.Point, Shown: p.link.Shown, LinkProof: p.link.Proof, Model: inBytes(p.model),
		Digest: toyDigest(p.model, p.link, toyQuery(1)), Proof: p.proof,
	}}
	add := func(name, verdict string, reason check.Reason, files keptFiles) {
		v.Cases = append(v.Cases, keptCase{name, verdict, string(reason), files})
	}
	add("honest", "accept", "", keptFiles{})
	add("another certificate", "accept", "", keptFiles{Digest: toyDigest(p.model, p.link, toyQuery(2)), Proof: other})
	add("another digest", "reject", check.PairingsDiffer, keptFiles{Digest: toyDigest(p.model, p.link, toyQuery(2))})
	add("a digest above the order", "malformed", check.BadElement, keptFiles{Digest: bytes.Repeat([]byte{0xff}, fr.Bytes)})
	keys := spoiltKeys(t, p.keys.Verifying)
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		add(name, "malformed", keys[name].reason, keptFiles{Key: keys[name].key})
	}
	add("528 bytes for a key", "malformed", check.WrongLength, keptFiles{Key: p.linkKeys.Verifying})
	proofs := spoiltProofs(t, p, [][]byte{other})
	for _, name := range slices.Sorted(maps.Keys(proofs)) {
		verdict := "reject"
		if reason := proofs[name].reason; reason == check.WrongLength || reason == check.WrongCount {
			verdict = "malformed"
		}
		add(name, verdict, proofs[name].reason, keptFiles{Proof: proofs[name].proof})
	}
	remasked := *p.owner
	remasked.mask = element(random(t))
	again := must(t)(remasked.publish(p.toyKeys))
	add("link-of-another-point", "reject", check.FirstCommitmentDiffers, keptFiles{Point: again.Point, Shown: again.Shown, LinkProof: again.Proof})
	add("the point of another link", "reject", check.PairingsDiffer, keptFiles{Point: again.Point})
	add("Y-of-another", "reject", check.PairingsDiffer, keptFiles{Shown: again.Shown})
	above := new(big.Int).Add(new(big.Int).SetBytes(p.link.Shown), fr.Modulus()).FillBytes(make([]byte, fr.Bytes))
	add("Y-above-p", "malformed", check.BadElement, keptFiles{Shown: above})
	add("Y of 31 bytes", "malformed", check.BadElement, keptFiles{Shown: p.link.Shown[1:]})
	add("another-C", "reject", check.PairingsDiffer, keptFiles{Model: inBytes(random(t))})
	add("a point of 31 bytes", "malformed", check.WrongLength, keptFiles{Point: p.link.Point[1:]})
	add("a point off the curve", "malformed", check.OffCurve, keptFiles{Point: offCurve()})
	add("the negative point", "reject", check.PairingsDiffer, keptFiles{Point: negated(t, p.link.Point)})
	add("a link's proof of 228 bytes", "malformed", check.WrongLength, keptFiles{LinkProof: p.proof})
	v.Folding = append(v.Folding, foldingOf(t, p.proof), foldingOf(t, other))
	return v
}

// foldingOf is what gnark makes of the two commitments of a proof.
func foldingOf(t *testing.T, data []byte) folding {
	t.Helper()
	proof := parsed(t, data)
	factor := gnarksFold(t, proof)
	c1, err := check.Challenge(data[firstAt:secondAt])
	if err != nil {
		t.Fatal(err)
	}
	c2, err := fr.Hash(slices.Concat(proof.Commitments[1].Marshal(), c1.Marshal()), []byte("bsb22-commitment"), 1)
	if err != nil {
		t.Fatal(err)
	}
	return folding{[]hexadecimal{data[firstAt:secondAt], data[secondAt:knowledgeAt]}, []hexadecimal{c1.Marshal(), c2[0].Marshal()},
		factor.Marshal()}
}

// tests/vectors/kept.json has keys, a link, certificates and lies of a toy, with the verdict and the reason that every program
// reports. It has the factors of folded proofs of knowledge, too.
func TestVectorsOfKeptModels(t *testing.T) {
	path := filepath.Join(vectors, "kept.json")
	if *update {
		text, err := json.MarshalIndent(writtenVectors(t), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(text, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	v := new(keptVectors)
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatal(err)
	}
	verdicts := map[string]int{}
	for _, c := range v.Cases {
		err := v.judged(t, c.keptFiles)
		if verdictOn(err) != c.Verdict || string(check.ReasonOf(err)) != c.Reason {
			t.Errorf("%s: %v (%q), want %s (%q)", c.Name, err, check.ReasonOf(err), c.Verdict, c.Reason)
		}
		verdicts[c.Verdict]++
	}
	if verdicts["accept"] < 2 || verdicts["reject"] < 10 || verdicts["malformed"] < 20 {
		t.Error(verdicts)
	}
}

// Many certificates of one model at once have the verdicts that each has alone: with one false one, malformed ones, one of another
// point, and several on several threads.
func TestBatchesOfKeptModels(t *testing.T) {
	turns.Take(t)
	p := publishedBy(t, toyOf(t))
	verifier, err := p.open(p.model, p.link)
	if err != nil {
		t.Fatal(err)
	}
	var good []check.Claim
	for number := range int64(3) {
		query := toyQuery(number)
		good = append(good, check.Claim{Digest: toyDigest(p.model, p.link, query), Proof: mustBytes(t)(p.certify(p.toyKeys, query))})
	}
	spoilt := spoiltProofs(t, p, [][]byte{good[2].Proof})
	names := slices.Sorted(maps.Keys(spoilt))
	claims := func(n int) (found []check.Claim) {
		for i := range n {
			found = append(found, good[i%len(good)])
		}
		return found
	}
	for _, size := range []int{0, 1, 2, 33, 100} {
		if holding := compared(t, verifier, claims(size), 2); len(holding) != size {
			t.Errorf("%d of %d hold", len(holding), size)
		}
	}
	remasked := *p.owner
	remasked.mask = element(random(t))
	moved := check.Claim{Digest: good[0].Digest, Proof: mustBytes(t)(remasked.certify(p.toyKeys, toyQuery(0)))}
	all := claims(100)
	all[57] = moved
	refusing(t, verifier, all, 2, 57)
	digest := toyDigest(p.model, p.link, toyQuery(1))
	for _, name := range names {
		all := claims(40)
		all[7] = check.Claim{Digest: digest, Proof: spoilt[name].proof}
		refusing(t, verifier, all, 1, 7)
	}
	draw := rand.New(rand.NewPCG(7, 7))
	all = claims(90)
	for i := range all {
		if draw.IntN(9) == 0 {
			all[i] = check.Claim{Digest: digest, Proof: spoilt[names[draw.IntN(len(names))]].proof}
		}
	}
	compared(t, verifier, all, 3)
}
