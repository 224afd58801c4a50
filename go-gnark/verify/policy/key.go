package policy

import (
	"fmt"
	"slices"
	"strings"

	"equiproof/verify/document"
	"equiproof/verify/note"
	"equiproof/verify/text"
)

// ProofSystemIs requires a proof system of the trusted key.
type ProofSystemIs struct{ ProofSystem string }

// Covers is no check.
func (ProofSystemIs) Covers() Covered { return Covered{} }

// Check compares with the trusted key's own record.
func (p ProofSystemIs) Check(facts *Facts) ([]string, error) {
	if facts.Key.ProofSystem != p.ProofSystem {
		return nil, refused("other-proof-system", "the key's proof system is %s, the policy requires %s",
			facts.Key.ProofSystem, p.ProofSystem)
	}
	return []string{"the proof system is " + p.ProofSystem}, nil
}

// SetupIs requires a kind of set-up, such as a ceremony; it refuses a key that is not pinned, whatever it says of itself.
type SetupIs struct{ Setup string }

// Covers is the set-up; requiring a single party does not remove the risk that it brings.
func (s SetupIs) Covers() Covered {
	if s.Setup == document.SingleParty {
		return Covered{}
	}
	return covering(AboutSetup)
}

// Check compares with the trusted key's own record.
func (s SetupIs) Check(facts *Facts) ([]string, error) {
	if !facts.Pins.Key {
		return nil, refused("other-setup", "the key came with the certificate itself, so its kind of set-up is nobody's "+
			"word: name keys that you trust (--keys), or the key's 64 digits (--key-fingerprint)")
	}
	if facts.Key.Setup != s.Setup {
		return nil, refused("other-setup", "the key's set-up is %s, the policy requires %s", facts.Key.Setup, s.Setup)
	}
	return []string{"the key's set-up is " + facts.Key.Setup}, nil
}

// KeyIs requires one key by its fingerprint, which pins a key that came with the certificate.
type KeyIs struct{ Fingerprint string }

// Covers is the key.
func (KeyIs) Covers() Covered { return covering(AboutKey) }

// Check compares fingerprints.
func (k KeyIs) Check(facts *Facts) ([]string, error) {
	if facts.Key.Fingerprint != k.Fingerprint {
		return nil, refused("other-key", "the key is %.16s..., the policy requires %.16s...",
			facts.Key.Fingerprint, k.Fingerprint)
	}
	return []string{"the proof was made under the required key"}, nil
}

// TranscriptIs requires the key that a transcript makes, by the transcript digest that `equiproof keys check` printed. It
// covers the ceremony, or the powers of a universal set-up, and both keys, and is computed anew from the key's metadata.
type TranscriptIs struct{ Digest string }

// Covers is the key, its set-up and its transcript.
func (TranscriptIs) Covers() Covered { return covering(AboutKey, AboutSetup, AboutTranscript) }

// Check compares digests; a key of a single party has none.
func (t TranscriptIs) Check(facts *Facts) ([]string, error) {
	digest := facts.Key.Transcript
	if digest != t.Digest || digest == "" {
		own := "set-up has no transcript"
		if digest != "" {
			own = fmt.Sprintf("transcript is %.16s...", digest)
		}
		return nil, refused("other-transcript", "the key's %s, the policy requires %.16s...", own, t.Digest)
	}
	return []string{fmt.Sprintf("the key is the one that the %s %.16s... made", facts.Key.Maker(), digest)}, nil
}

// SignedBy requires that at least so many of these signers state that they checked the transcript of the key's set-up.
type SignedBy struct {
	Keys  []*note.Key
	Least int
}

// Covers is the key, its set-up and its transcript.
func (SignedBy) Covers() Covered { return covering(AboutKey, AboutSetup, AboutTranscript) }

// Check verifies the signatures that came with the key; each must be of the text about this very key.
func (s SignedBy) Check(facts *Facts) ([]string, error) {
	if facts.Key.Transcript == "" {
		return nil, refused("too-few-signers", "the key's set-up has no transcript that anybody could have checked")
	}
	signers, err := s.who(facts)
	if err != nil {
		return nil, refused("too-few-signers", "signatures.note of the key: %s", err)
	}
	if len(signers) < s.Least {
		return nil, refused("too-few-signers",
			"%d of the %d accepted signers state that they checked the key's transcript, the policy requires %d",
			len(signers), len(s.Keys), s.Least)
	}
	slices.Sort(signers)
	return []string{fmt.Sprintf("the transcript of the key's %s was checked, as signed by %s",
		facts.Key.Maker(), strings.Join(signers, ", "))}, nil
}

// who lists those of the signers whose signature stands there. Signatures under other keys mean nothing and are passed over.
func (s SignedBy) who(facts *Facts) (signers []string, err error) {
	if len(facts.Signatures) == 0 {
		return nil, nil
	}
	signatures, err := note.Parse(facts.Signatures)
	if err != nil {
		return nil, err
	}
	if signatures.Text != facts.Key.Attestation() {
		return nil, fmt.Errorf("it is about another key")
	}
	for _, key := range s.Keys {
		own, err := key.Signed(signatures)
		if err != nil {
			return nil, err
		}
		if own {
			signers = append(signers, key.Name)
		}
	}
	return signers, nil
}

// Contributors are the names of those who contributed to a key's ceremony, shortened: the longest name, and how many.
func Contributors(key *document.Key, longest, most int) string {
	var contributors []string
	for _, signer := range key.Signers[:min(most, len(key.Signers))] {
		name, _, _ := strings.Cut(signer, "+")
		contributors = append(contributors, text.Cut(text.Plain(name), longest))
	}
	if more := len(key.Signers) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(contributors, ", "), more)
	}
	return strings.Join(contributors, ", ")
}
