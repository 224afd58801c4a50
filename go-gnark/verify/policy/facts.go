package policy

import (
	"equiproof/verify/document"
	"equiproof/verify/spec"
	"equiproof/verify/statement"
)

// Pins says which parts the relying party has from elsewhere than from whoever handed over the certificate. A part that is
// not pinned came with the certificate itself: it is used, and nobody's word stands behind it.
type Pins struct{ Commitment, Key bool }

// By are these pins and those of a policy that makes checks: by fingerprint, transcript or signers.
func (p Pins) By(covers Covered) Pins {
	return Pins{p.Commitment || covers[AboutCommitment], p.Key || covers[AboutKey]}
}

// Facts are what a policy judges: a statement whose parts were recomputed, the spec and the key, and which are pinned.
// Signatures is the unread note of those who checked the key's transcript.
type Facts struct {
	Statement  *statement.Statement
	Spec       *spec.Spec
	Key        *document.Key
	Signatures []byte
	Pins       Pins
	FileDigest string // SHA-256 of the commitment file
}
