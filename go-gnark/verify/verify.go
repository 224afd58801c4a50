// Package verify verifies certificates for a relying party, without Python. Twin of verifier/verify.py.
//
// Verify accepts a certificate that passes nine steps. (1) It parses strictly. (2) Its key is trusted, and of the set-up kind
// and the proof system that the certificate states; where others took part in it, the policy says by what it is trusted. (3)
// It names the trusted model commitment. (4) It states the spec digest that is recomputed from the trusted spec, (5) and the
// domain digest, recomputed over the full product of the sensitive values. (6) The key's shape fits this spec; label and
// radius are in range; under a kept key there is a link of this key, commitment and spec, whose own key is trusted, and the
// certificate shows what the link shows. (7) Its words and units follow from its numbers. (8) It meets the policy, in what this asks
// of keys also with the link's. (9) The proofs hold: the link's under its key, and the certificate's for the recomputed statement
// digest under the key, about the link's model.
//
// The caller MUST get the commitment document from a source that is the same for every customer, and trust the keys, or say
// by Pins what came with the certificate itself. Of such a key no transcript is required, since what it says of its set-up
// is nobody's word.
//
// Everything that is compared here is public or the caller's own, so no comparison takes care to need constant time.
package verify

import (
	"bytes"
	"encoding/hex"
	"math/big"
	"slices"

	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/policy"
	"equiproof/verify/reading"
	"equiproof/verify/spec"
	"equiproof/verify/statement"
	"equiproof/verify/tables"
	"equiproof/verify/text"
	"equiproof/verify/verdict"
)

// Verifier verifies certificates about one committed model under some keys. Pins says which of both are known from elsewhere
// than the certificate. Link is the one that the owner published for a kept key, whose certificates are refused without it.
type Verifier struct {
	Commitment *document.Commitment
	Keys       *Store
	Pins       policy.Pins
	Link       *document.Link
}

// Verified is a certificate that passed every step. Made lists the checks that were made, NotMade those that are left to the
// relying party.
type Verified struct {
	Statement *statement.Statement
	Spec      *spec.Spec
	Key       *document.Key
	LinkKey   *document.LinkKey // of a kept model, else nil
	Reading   *canonical.Object
	Identity  string // the certificate's name: its statement digest. Anyone can re-randomise the proof's bytes
	Made      []string
	NotMade   []string
	Pins      policy.Pins
	Answer    string // what a box certificate says together with a refusal, "" for any other
}

// Verify returns what was verified, or why not.
func (v *Verifier) Verify(certificate *document.Certificate, requirement policy.Policy) (*Verified, error) {
	candidate, err := v.Judge(certificate, requirement)
	if err != nil {
		return nil, err
	}
	return candidate.Prove()
}

// Judged is a certificate that passed every step but the last.
type Judged struct {
	Verified
	key           *TrustedKey
	link          *linked // nil without one
	digest, proof []byte
}

// Judge makes every check but that of the proof (2) to (8).
func (v *Verifier) Judge(certificate *document.Certificate, requirement policy.Policy) (*Judged, error) {
	return v.judge(&certificate.Proven, requirement, &matter{
		fits: v.checkDomain,
		words: func(s *spec.Spec, t *statement.Statement) *canonical.Object {
			return reading.Of(s, t.Label, t.RadiusSquared)
		},
		coverage: coverage,
		meets:    withQuery(certificate.Query),
		needs:    neededOfDecision,
	})
}

// matter is what differs between kinds of statements: the checks of their rows and of their key's shape (5) (6), their words
// (7), what is said of them, what is checked by the policy and beside it, and which checks are needed (8).
type matter struct {
	fits     func(claim *statement.Statement, shape document.Shape) error
	words    func(s *spec.Spec, claim *statement.Statement) *canonical.Object
	coverage func(facts *policy.Facts) []string
	meets    func(facts *policy.Facts, requirement policy.Policy) ([]string, error)
	needs    func(s *spec.Spec) []policy.Check
}

// judge makes every check but that of the proof (2) to (8).
func (v *Verifier) judge(certificate *document.Proven, requirement policy.Policy, differences *matter) (*Judged, error) {
	key, err := v.key(certificate)
	if err != nil {
		return nil, err
	}
	claim := certificate.Statement
	if err := v.checkStatement(claim, key.Document.Shape, differences); err != nil {
		return nil, err
	}
	link, err := v.linked(claim, key)
	if err != nil {
		return nil, err
	}
	words := differences.words(v.Commitment.Spec, claim)
	if !bytes.Equal(canonical.Bytes(words), canonical.Bytes(certificate.Reading)) {
		return nil, refuse("words-differ", tables.Say("certificate.words_differ"))
	}
	own := &policy.Facts{Statement: link.stated(claim), Spec: v.Commitment.Spec, Key: key.Document, Signatures: key.Signatures,
		Link: link.facts(), Pins: v.Pins, FileDigest: v.Commitment.FileDigest}
	facts := own.PinnedBy(requirement.Covers())
	if err := requireTranscript(facts, requirement); err != nil {
		return nil, err
	}
	checks, err := differences.meets(facts, requirement)
	if err != nil {
		return nil, err
	}
	digest := facts.Statement.Digest(key.Document.Shape.Scheme, key.Document.Shape.Digest)
	checks = slices.Concat(proofs(facts), []string{modelInWords(facts)}, differences.coverage(facts), checks)
	judged := &Judged{Verified{
		Statement: facts.Statement, Spec: facts.Spec, Key: key.Document, Reading: words, Identity: hex.EncodeToString(digest),
		Made: checks, NotMade: leftOpen(facts, requirement, differences.needs(facts.Spec)), Pins: facts.Pins,
	}, key, link, digest, certificate.Proof}
	if link != nil {
		judged.LinkKey = link.key.Document
	}
	return judged, nil
}

// proofs says which proofs are checked, and under which keys.
func proofs(facts *policy.Facts) []string {
	lines := []string{tables.Say("checked.proof", keyInWords(&facts.Key.KeyRecord, facts.Pins))}
	if facts.Link != nil {
		lines = append(lines, tables.Say("checked.link", keyInWords(&facts.Link.Key.KeyRecord, facts.Pins)))
	}
	return lines
}

// key returns the trusted key that the certificate names (2).
func (v *Verifier) key(certificate *document.Proven) (*TrustedKey, error) {
	key, err := v.Keys.Find(certificate.Fingerprint)
	if err != nil {
		return nil, err
	}
	if key.Document.Setup != certificate.Setup {
		return nil, verdict.New(verdict.Untrusted, "setup-differs",
			tables.Say("certificate.setup_differs", certificate.Setup, key.Document.Setup))
	}
	if key.Document.ProofSystem != certificate.ProofSystem {
		return nil, verdict.New(verdict.Untrusted, "proof-system-differs",
			tables.Say("certificate.proof_system_differs", certificate.ProofSystem, key.Document.ProofSystem))
	}
	return key, nil
}

// checkStatement recomputes everything that follows from the trusted spec (3) to (6).
func (v *Verifier) checkStatement(claim *statement.Statement, shape document.Shape, differences *matter) error {
	s := v.Commitment.Spec
	if statement.Hex(claim.ModelCommitment) != v.Commitment.ModelCommitment {
		return refuse("model-differs", tables.Say("certificate.model_differs"))
	}
	if claim.SpecDigest.Cmp(s.Digest) != 0 {
		return refuse("spec-differs", tables.Say("certificate.spec_differs"))
	}
	if err := differences.fits(claim, shape); err != nil {
		return err
	}
	if claim.Label >= len(s.Labels) {
		return refuse("unknown-label", tables.Say("certificate.label_unknown", claim.Label, len(s.Labels)))
	}
	return checkSizes(s, claim, shape)
}

// checkSizes compares radius and gain with the spec and with the key's shape (6). A statement about a box has neither.
func checkSizes(s *spec.Spec, claim *statement.Statement, shape document.Shape) error {
	if claim.RadiusSquared > s.MaxRadiusSquared() {
		return refuse("radius-too-large", tables.Say("certificate.radius_too_large"))
	}
	if !s.ShowsRadius(claim.RadiusSquared) {
		return refuse("not-a-level", tables.Say("certificate.radius_no_level"))
	}
	if gain := claim.Gain; gain != nil && !shape.HoldsGain(gain.Least) {
		return refuse("gain-too-large", tables.Say("gain.beyond_shape"))
	}
	if gain := claim.Gain; gain != nil && !s.ShowsGain(gain.Least, gain.FractionBits) {
		return refuse("not-a-level", tables.Say("gain.no_level"))
	}
	return nil
}

// checkDomain compares the table of sensitive values, and the ranges, with the spec's (5), and the key's shape (6).
func (v *Verifier) checkDomain(claim *statement.Statement, shape document.Shape) error {
	s := v.Commitment.Spec
	if claim.DomainDigest.Cmp(v.Commitment.DomainDigest) != 0 {
		return refuse("domain-differs", tables.Say("certificate.domain_differs"))
	}
	if shape.Ranges() != s.UseRanges {
		return refuse("ranges-differ", tables.Say("key.reach_differs", reach(shape.Ranges()), reach(s.UseRanges)))
	}
	if !shape.Fits(s) {
		return refuse("shape-differs", tables.Say("key.shape_unfit", text.Cut(shape.Name(), 80)))
	}
	return nil
}

// requireTranscript refuses a key of others unless the policy names its transcript or signers (2): metadata is anybody's
// word. A key that is not pinned is treated as one that its sender may have made, so what it says of others is not needed.
func requireTranscript(facts *policy.Facts, requirement policy.Policy) error {
	if !facts.Pins.Key || requirement.Covers()[policy.AboutTranscript] {
		return nil
	}
	for _, key := range facts.Keys() {
		if key.Setup != document.SingleParty {
			return verdict.New(verdict.Untrusted, "no-transcript", tables.Say("policy.key_of_others", key.Maker()))
		}
	}
	return nil
}

// withQuery checks the statement against the policy, and the data that the owner disclosed, nil for none, against their
// commitment (8).
func withQuery(disclosed *document.Query) func(facts *policy.Facts, requirement policy.Policy) ([]string, error) {
	return func(facts *policy.Facts, requirement policy.Policy) ([]string, error) {
		checks, err := requirement.Check(facts)
		if err != nil || disclosed == nil {
			return checks, err
		}
		own, err := policy.ForQuery{Query: disclosed, Source: tables.Say("present.certificate_itself")}.Check(facts)
		return append(checks, own...), err
	}
}

// Radius is the radius that holds for real-valued queries and neighbors, in the spec's units.
func (v *Verified) Radius() *big.Rat { return v.Spec.RadiusOfAny(v.Statement.RadiusSquared) }

// Sentence is the statement in one sentence.
func (v *Verified) Sentence() string {
	if v.Statement.BoxCommitment != nil {
		return reading.BoxSentence(v.Reading)
	}
	if gain := v.Statement.Gain; gain != nil {
		return reading.GainSentence(v.Reading, gain.Least.Sign())
	}
	return reading.Sentence(v.Reading)
}

func refuse(reason, message string) error {
	return verdict.New(verdict.Unproven, reason, message)
}
