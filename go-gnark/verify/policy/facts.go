package policy

import (
	"maps"

	"equiproof/verify/document"
	"equiproof/verify/spec"
	"equiproof/verify/statement"
)

// Pins says which parts the relying party has from elsewhere than from whoever handed over the certificate. A part that is
// not pinned came with the certificate itself: it is used, and nobody's word stands behind it. Key is about both keys where a link
// shows that the model is the committed one: one of them does not pin the other.
type Pins struct{ Commitment, Key bool }

// Facts are what a policy judges: a statement whose parts were recomputed, the spec and the key, and which are pinned.
// Signatures is the unread note of those who checked the key's transcript. Link is the key of the link that a certificate of a kept
// model comes with: whatever is required of a key is required of both. Covered are the checks of all policies that are required together
// with the one that judges.
type Facts struct {
	Statement  *statement.Statement
	Spec       *spec.Spec
	Key        *document.Key
	Signatures []byte
	Link       *LinkFacts // nil without a link
	Pins       Pins
	Covered    Covered
	FileDigest string // SHA-256 of the commitment file
}

// LinkFacts are the key of a link, and the note of those who checked its transcript.
type LinkFacts struct {
	Key        *document.LinkKey
	Signatures []byte
}

// PinnedBy are the facts with what a policy that makes checks covers and pins: by fingerprint, transcript or signers. Where there is a
// link, its key has to be pinned, too.
func (f *Facts) PinnedBy(covers Covered) *Facts {
	pinned := *f
	keys := covers[AboutKey] && (f.Link == nil || covers[AboutLinkKey])
	pinned.Pins = Pins{f.Pins.Commitment || covers[AboutCommitment], f.Pins.Key || keys}
	pinned.Covered = maps.Clone(covers)
	maps.Copy(pinned.Covered, f.Covered)
	return &pinned
}

// KeyFacts are a key, and the note of those who checked its transcript.
type KeyFacts struct {
	*document.KeyRecord
	Signatures []byte
}

// Keys are all keys that the certificate rests on.
func (f *Facts) Keys() []KeyFacts {
	keys := []KeyFacts{{&f.Key.KeyRecord, f.Signatures}}
	if f.Link != nil {
		keys = append(keys, KeyFacts{&f.Link.Key.KeyRecord, f.Link.Signatures})
	}
	return keys
}
