package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"equiproof/verify/document"
	"equiproof/verify/note"
	"equiproof/verify/tables"
	"equiproof/verify/text"
)

// ProofSystemIs requires a proof system of the trusted key.
type ProofSystemIs struct{ ProofSystem string }

var _ = register("ProofSystemIs", func(system string) (Policy, error) { return ProofSystemIs{system}, nil })

// Covers is no check.
func (ProofSystemIs) Covers() Covered { return Covered{} }

// Check compares with the trusted key's own record; a link's key has always that of the certificate's.
func (p ProofSystemIs) Check(facts *Facts) ([]string, error) {
	if facts.Key.ProofSystem != p.ProofSystem {
		return nil, refused("other-proof-system",
			tables.Say("policy.proof_system_differs", facts.Key.ProofSystem, p.ProofSystem))
	}
	return []string{tables.Say("checked.proof_system", p.ProofSystem)}, nil
}

// SetupIs requires a kind of set-up, such as a ceremony; it refuses a key that is not pinned, whatever it says of itself.
type SetupIs struct{ Setup string }

var _ = register("SetupIs", func(setup string) (Policy, error) { return SetupIs{setup}, nil })

// Covers is the set-up; requiring a single party does not remove the risk that it brings.
func (s SetupIs) Covers() Covered {
	if s.Setup == document.SingleParty {
		return Covered{}
	}
	return covering(AboutSetup)
}

// Check compares with the own record of each trusted key.
func (s SetupIs) Check(facts *Facts) ([]string, error) {
	if !facts.Pins.Key {
		return nil, refused("other-setup", tables.Say("policy.setup_of_key_that_came"))
	}
	for _, key := range facts.Keys() {
		if key.Setup != s.Setup {
			return nil, refused("other-setup", tables.Say("policy.setup_differs", key.Setup, s.Setup))
		}
	}
	return []string{tables.Say("checked.setup", s.Setup)}, nil
}

// KeyIs requires the certificate's key by its fingerprint, which pins a key that came with the certificate. The key of a link is not
// pinned by it.
type KeyIs struct{ Fingerprint string }

var _ = register("KeyIs", func(fingerprint string) (Policy, error) { return KeyIs{fingerprint}, nil })

// Covers is the key.
func (KeyIs) Covers() Covered { return covering(AboutKey) }

// Check compares fingerprints.
func (k KeyIs) Check(facts *Facts) ([]string, error) {
	if facts.Key.Fingerprint != k.Fingerprint {
		return nil, refused("other-key",
			tables.Say("policy.key_differs", text.Cut(facts.Key.Fingerprint, 16), text.Cut(k.Fingerprint, 16)))
	}
	return []string{tables.Say("checked.required_key")}, nil
}

// TranscriptIs requires the key that a transcript makes, by the transcript digest that `equiproof keys check` printed. It
// covers the ceremony, or the powers of a universal set-up, and the proving and verifying key, and is computed anew from the key's
// metadata. A certificate that comes with a link is refused, since one digest names one of two keys.
type TranscriptIs struct{ Digest string }

var _ = register("TranscriptIs", func(digest string) (Policy, error) { return TranscriptIs{digest}, nil })

// Covers is the keys, their set-up and their transcript.
func (TranscriptIs) Covers() Covered {
	return covering(AboutKey, AboutLinkKey, AboutSetup, AboutTranscript)
}

// Check compares digests; a key of a single party has none.
func (t TranscriptIs) Check(facts *Facts) ([]string, error) {
	for _, key := range facts.Keys() {
		if digest := key.Transcript; digest != t.Digest || digest == "" {
			own := tables.Say("key.without_transcript")
			if digest != "" {
				own = tables.Say("key.transcript_is", fmt.Sprintf("%.16s", digest))
			}
			return nil, refused("other-transcript", tables.Say("policy.transcript_differs", own, text.Cut(t.Digest, 16)))
		}
	}
	return []string{tables.Say("checked.transcript", facts.Key.Maker(), text.Cut(t.Digest, 16))}, nil
}

// SignedBy requires that at least so many of these signers state that they checked the transcript of the key's set-up.
type SignedBy struct {
	Keys  []*note.Key
	Least int
}

var _ = register("SignedBy", itself[SignedBy])

// Covers is the keys, their set-up and their transcript.
func (SignedBy) Covers() Covered {
	return covering(AboutKey, AboutLinkKey, AboutSetup, AboutTranscript)
}

// Check verifies the signatures that came with each key; each must be of the text about this very key.
func (s SignedBy) Check(facts *Facts) (all []string, err error) {
	for _, key := range facts.Keys() {
		line, err := s.signed(key)
		if err != nil {
			return nil, err
		}
		all = append(all, line)
	}
	return all, nil
}

// signed says who signed that they checked a key.
func (s SignedBy) signed(key KeyFacts) (string, error) {
	if key.Transcript == "" {
		return "", refused("too-few-signers", tables.Say("policy.setup_without_transcript"))
	}
	signers, err := s.who(key)
	if err != nil {
		return "", refused("too-few-signers", "signatures.note of the key: "+err.Error())
	}
	if len(signers) < s.Least {
		return "", refused("too-few-signers", tables.Say("policy.signers_too_few", len(signers), len(s.Keys), s.Least))
	}
	slices.Sort(signers)
	return tables.Say("checked.signatures", key.Maker(), strings.Join(signers, ", ")), nil
}

// who lists those of the signers whose signature stands there. Signatures under other keys mean nothing and are passed over.
func (s SignedBy) who(key KeyFacts) (signers []string, err error) {
	if len(key.Signatures) == 0 {
		return nil, nil
	}
	signatures, err := note.Parse(key.Signatures)
	if err != nil {
		return nil, err
	}
	if signatures.Text != key.Attestation() {
		return nil, errors.New(tables.Say("present.of_another_key"))
	}
	for _, signer := range s.Keys {
		own, err := signer.Signed(signatures)
		if err != nil {
			return nil, err
		}
		if own {
			signers = append(signers, signer.Name)
		}
	}
	return signers, nil
}

// Contributors are the names of those who contributed to a key's ceremony, shortened: the longest name, and how many.
func Contributors(key *document.KeyRecord, longest, most int) string {
	var contributors []string
	for _, signer := range key.Signers[:min(most, len(key.Signers))] {
		name, _, _ := strings.Cut(signer, "+")
		contributors = append(contributors, text.Cut(text.Plain(name), longest))
	}
	if more := len(key.Signers) - most; more > 0 {
		return strings.Join(contributors, ", ") + " " + tables.Say("word.more", more)
	}
	return strings.Join(contributors, ", ")
}
