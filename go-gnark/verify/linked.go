package verify

import (
	"encoding/hex"
	"errors"
	"math/big"
	"sync"

	"equiproof/check"
	"equiproof/verify/document"
	"equiproof/verify/policy"
	"equiproof/verify/statement"
	"equiproof/verify/tables"
	"equiproof/verify/text"
	"equiproof/verify/verdict"
)

// linked is a link that belongs to a trusted key and to the commitment, under a trusted key of its own; it is not proven yet. Twin of
// verifier/linked.py.
type linked struct {
	document       *document.Link
	key            *TrustedLinkKey
	certificateKey *TrustedKey
}

// linked returns the link of a certificate that states a claim under a key; nil under a key that needs none (6).
func (v *Verifier) linked(claim *statement.Statement, key *TrustedKey) (*linked, error) {
	switch kept := key.Document.Shape.Kept(); {
	case !kept && claim.Shown == nil:
		return nil, nil
	case !kept:
		return nil, refuse("form-differs", tables.Say("link.form_ordinary"))
	case claim.Shown == nil:
		return nil, refuse("form-differs", tables.Say("link.form_kept"))
	case v.Link == nil:
		return nil, refuse("no-link", tables.Say("link.missing", text.Cut(key.Document.Fingerprint, 16)))
	}
	own, err := v.linkKey()
	if err != nil {
		return nil, err
	}
	link := &linked{v.Link, own, key}
	if err := link.belongs(v.Commitment); err != nil {
		return nil, err
	}
	if claim.Shown.Cmp(v.Link.Shown) != 0 {
		return nil, refuse("shown-differs", tables.Say("link.shown_differs"))
	}
	return link, nil
}

// linkKey returns the trusted key that the link names.
func (v *Verifier) linkKey() (*TrustedLinkKey, error) {
	key, err := v.Keys.findLinkKey(v.Link.Fingerprint)
	if err != nil {
		return nil, err
	}
	if key.Document.Setup != v.Link.Setup {
		return nil, verdict.New(verdict.Untrusted, "setup-differs",
			tables.Say("link.setup_differs", v.Link.Setup, key.Document.Setup))
	}
	if key.Document.ProofSystem != v.Link.ProofSystem {
		return nil, verdict.New(verdict.Untrusted, "proof-system-differs",
			tables.Say("link.proof_system_differs", v.Link.ProofSystem, key.Document.ProofSystem))
	}
	return key, nil
}

// belongs refuses a link of another certificate key, commitment or spec, and keys for models of different architectures or for inputs
// of different widths.
func (l *linked) belongs(commitment *document.Commitment) error {
	link, required := l.document, l.certificateKey.Document
	if link.Key != required.Fingerprint {
		return refuse("link-of-another-key",
			tables.Say("link.other_key", text.Cut(required.Fingerprint, 16), text.Cut(link.Key, 16)))
	}
	if statement.Hex(link.ModelCommitment) != commitment.ModelCommitment {
		return refuse("link-of-another-model", tables.Say("link.other_model"))
	}
	if link.SpecDigest.Cmp(commitment.Spec.Digest) != 0 {
		return refuse("link-of-another-spec", tables.Say("link.other_spec"))
	}
	shape := l.key.Document.Shape
	if !shape.HasArchitecture(required.Shape) {
		return refuse("link-of-another-architecture", tables.Say("link.other_architecture"))
	}
	if own := required.Shape.InputBits(); shape.InputBits != own {
		return refuse("link-of-other-input-bits", tables.Say("link.other_input_bits", shape.InputBits, own))
	}
	return nil
}

// stated is a claim whose digest is taken with what the link shows, whatever the certificate states.
func (l *linked) stated(claim *statement.Statement) *statement.Statement {
	if l == nil {
		return claim
	}
	own := *claim
	own.Shown = l.document.Shown
	return &own
}

// facts are what a policy judges of the link, nil without one.
func (l *linked) facts() *policy.LinkFacts {
	if l == nil {
		return nil
	}
	return &policy.LinkFacts{Key: l.key.Document, Signatures: l.key.Signatures}
}

// linkClaim is what is presented as the proof of a link, and all that it is about.
type linkClaim struct {
	certificateKey, linkKey string // the digests of both verifying keys
	fingerprint             string // of the certificates' key
	shape                   string // the digest of that of links
	commitment, spec        string
	point, shown, proof     string
}

// claim is the link as a check of proofs takes it, the zero value without one.
func (l *linked) claim() linkClaim {
	if l == nil {
		return linkClaim{}
	}
	link := l.document
	return linkClaim{
		certificateKey: l.certificateKey.Document.VerifyingKey, linkKey: l.key.Document.VerifyingKey,
		fingerprint: l.certificateKey.Document.Fingerprint, shape: l.key.Document.Shape.Digest.String(),
		commitment: statement.Hex(link.ModelCommitment), spec: statement.Hex(link.SpecDigest),
		point: string(link.Point), shown: statement.Hex(link.Shown), proof: string(link.Proof),
	}
}

// keptLinks is how many links that hold are kept for the process.
const keptLinks = 64

// opened are links that hold, with what checks certificates beside each. What a policy asks of the keys is asked of every certificate.
var opened = struct {
	sync.Mutex
	beside map[linkClaim]*check.Verifier
}{beside: map[linkClaim]*check.Verifier{}}

// open checks the proof of a link, once for the process, and returns what checks certificates beside it.
func (l *linked) open() (*check.Verifier, error) {
	claim := l.claim()
	opened.Lock()
	defer opened.Unlock()
	if beside, known := opened.beside[claim]; known {
		return beside, nil
	}
	beside, err := l.check()
	if err != nil {
		return nil, err
	}
	remember(claim, beside)
	return beside, nil
}

// remember keeps what checks certificates beside a link that holds, for which opened is locked; where there is no more room, it alone.
func remember(claim linkClaim, beside *check.Verifier) {
	if len(opened.beside) == keptLinks {
		clear(opened.beside)
	}
	opened.beside[claim] = beside
}

// check checks the proof of a link.
func (l *linked) check() (*check.Verifier, error) {
	links, err := loaded(l.document.ProofSystem, l.key.verifying)
	if err != nil {
		return nil, err
	}
	kept, err := check.LoadKept(l.certificateKey.verifying)
	if err != nil {
		return nil, verdict.New(verdict.Untrusted, string(check.ReasonOf(err)), err.Error())
	}
	about := &statement.Link{
		Shape: l.key.Document.Shape.Digest, ModelCommitment: l.document.ModelCommitment, SpecDigest: l.document.SpecDigest,
		Key: keyElement(l.certificateKey.Document.Fingerprint),
	}
	link := check.Link{Point: l.document.Point, Shown: statement.Bytes(l.document.Shown), Proof: l.document.Proof}
	beside, err := kept.Open(links, link, about.Digest)
	switch {
	case err == nil:
		return beside.Verifier(), nil // digests are taken with what the link shows: stated
	case errors.Is(err, check.ErrRefused):
		return nil, refuse("link-fails", tables.Say("link.proof_refused", refusalOf(err)))
	}
	return nil, verdict.New(verdict.Malformed, string(check.ReasonOf(err)), tables.Say("link.proof_wrong", err))
}

// keyElement is the element of a key's fingerprint, which is a digest of 32 bytes in hexadecimal.
func keyElement(fingerprint string) *big.Int {
	var digest [32]byte
	if _, err := hex.Decode(digest[:], []byte(fingerprint)); err != nil {
		panic(err)
	}
	return statement.KeyElement(digest)
}
