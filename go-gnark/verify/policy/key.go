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
// pinned by it: that is for LinkKeyIs.
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

// LinkKeyIs requires the key of the link that a certificate of a kept model comes with, by its fingerprint, which pins it. A certificate
// without a link is refused.
type LinkKeyIs struct{ Fingerprint string }

var _ = register("LinkKeyIs", func(fingerprint string) (Policy, error) { return LinkKeyIs{fingerprint}, nil })

// Covers is the key of the link.
func (LinkKeyIs) Covers() Covered { return covering(AboutLinkKey) }

// Check compares fingerprints.
func (k LinkKeyIs) Check(facts *Facts) ([]string, error) {
	if facts.Link == nil {
		return nil, refused("other-link-key", tables.Say("policy.link_absent"))
	}
	if stated := facts.Link.Key.Fingerprint; stated != k.Fingerprint {
		return nil, refused("other-link-key",
			tables.Say("policy.link_key_differs", text.Cut(stated, 16), text.Cut(k.Fingerprint, 16)))
	}
	return []string{tables.Say("checked.required_link_key")}, nil
}

// TranscriptIs requires the key that a transcript makes, by the transcript digest that `equiproof keys check` printed. It
// covers the ceremony, or the powers of a universal set-up, and the proving and verifying key, and is computed anew from the key's
// metadata. A certificate that comes with a link rests on two keys, and is refused unless the policy also names the transcript of the
// link's key (LinkTranscriptIs), or signers who checked it.
type TranscriptIs struct{ Digest string }

var _ = register("TranscriptIs", func(digest string) (Policy, error) { return TranscriptIs{digest}, nil })

// Covers is the keys, their set-up and their transcript.
func (TranscriptIs) Covers() Covered {
	return covering(AboutKey, AboutLinkKey, AboutSetup, AboutTranscript)
}

// Check compares digests; a key of a single party has none.
func (t TranscriptIs) Check(facts *Facts) ([]string, error) {
	if !made(&facts.Key.KeyRecord, t.Digest) {
		return nil, refused(otherTranscript,
			tables.Say("policy.transcript_differs", transcript(&facts.Key.KeyRecord), text.Cut(t.Digest, 16)))
	}
	if facts.Link != nil {
		if facts.Link.Key.Transcript == "" {
			return nil, refused(otherTranscript, tables.Say("policy.link_without_transcript"))
		}
		if err := requireBoth(facts, AboutLinkTranscript); err != nil {
			return nil, err
		}
	}
	return []string{tables.Say("checked.transcript", facts.Key.Maker(), text.Cut(t.Digest, 16))}, nil
}

// LinkTranscriptIs requires the key of a link that a transcript makes, by its digest; it goes with TranscriptIs. It refuses a
// certificate without a link, and one whose own key the policy does not name by its transcript or by signers: a ceremony's link key
// beside a single party's key is a single party's proof.
type LinkTranscriptIs struct{ Digest string }

var _ = register("LinkTranscriptIs", func(digest string) (Policy, error) { return LinkTranscriptIs{digest}, nil })

// Covers is the key of the link and its transcript.
func (LinkTranscriptIs) Covers() Covered { return covering(AboutLinkKey, AboutLinkTranscript) }

// Check compares digests; a key of a single party has none.
func (t LinkTranscriptIs) Check(facts *Facts) ([]string, error) {
	if facts.Link == nil {
		return nil, refused(otherTranscript, tables.Say("policy.link_absent"))
	}
	key := &facts.Link.Key.KeyRecord
	if !made(key, t.Digest) {
		return nil, refused(otherTranscript,
			tables.Say("policy.link_transcript_differs", transcript(key), text.Cut(t.Digest, 16)))
	}
	if err := requireBoth(facts, AboutTranscript); err != nil {
		return nil, err
	}
	return []string{tables.Say("checked.link_transcript", key.Maker(), text.Cut(t.Digest, 16))}, nil
}

const otherTranscript = "other-transcript"

// made says whether a transcript made a key; an empty digest is that of a key without one, and of none that is required.
func made(key *document.KeyRecord, digest string) bool {
	return digest != "" && key.Transcript == digest
}

// transcript says which transcript a key has.
func transcript(key *document.KeyRecord) string {
	if key.Transcript == "" {
		return tables.Say("key.without_transcript")
	}
	return tables.Say("key.transcript_is", fmt.Sprintf("%.16s", key.Transcript))
}

// requireBoth refuses unless the policy makes the check of the other key's transcript, too.
func requireBoth(facts *Facts, other Check) error {
	if !facts.Covered[other] {
		return refused(otherTranscript, tables.Say("policy.transcripts_of_both"))
	}
	return nil
}

// SignedBy requires that at least so many of these signers state that they checked the transcript of the key's set-up.
type SignedBy struct {
	Keys  []*note.Key
	Least int
}

var _ = register("SignedBy", itself[SignedBy])

// Covers is the keys, their set-up and their transcript.
func (SignedBy) Covers() Covered {
	return covering(AboutKey, AboutLinkKey, AboutLinkTranscript, AboutSetup, AboutTranscript)
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
