package document

import (
	"encoding/hex"
	"fmt"

	"equiproof/verify/canonical"
	"equiproof/verify/verdict"
)

// MaxKeyBytes and MaxSignatureBytes are the lengths of the longest verifying key and the longest note that are read.
const (
	MaxKeyBytes       = 1 << 12
	MaxSignatureBytes = 1 << 16
)

var powersKind = canonical.Document(
	canonical.Required("origin", canonical.OneOf(Ceremony, "imported")),
	canonical.Required("source", canonical.Text()),
	canonical.Required("digest", canonical.Text()),
)

var ceremonyKind = canonical.Document(
	canonical.Required("powers", powersKind),
	canonical.Required("start", canonical.Text()),
	canonical.Required("steps", canonical.ListOf(canonical.Text())),
	canonical.Required("beacon", canonical.Document(
		canonical.Required("source", canonical.Text()),
		canonical.Required("round", canonical.Integer()),
		canonical.Required("value", canonical.Text()),
	)),
	canonical.Required("signers", canonical.ListOf(canonical.Text())),
)

var keyKind = marked(
	canonical.Required("shape", shapeKind),
	canonical.Required("setup", canonical.OneOf(SetupKinds...)),
	canonical.Required("proof_system", canonical.OneOf(ProofSystems...)),
	canonical.Required("system_digest", canonical.Text()),
	canonical.Required("constraints", canonical.Integer()),
	canonical.Required("verifying_key", canonical.Text()),
	canonical.Required("proving_key", canonical.Text()),
	canonical.Required("tools", tools),
	canonical.Optional("ceremony", ceremonyKind),
	canonical.Optional("powers", powersKind),
)

// madeBy is, by kind of set-up, the field that says how others took part: there in keys of this kind, and in no others.
var madeBy = []struct{ kind, field string }{{Ceremony, "ceremony"}, {Universal, "powers"}}

// Key is the metadata of a key.
type Key struct {
	Shape                      Shape
	Setup, ProofSystem         string
	VerifyingKey               string   // the SHA-256 of verifying.key, in hexadecimal
	Fingerprint                string   // the name by which certificates and policies know the key
	Transcript                 string   // the digest of everything that a ceremony fixes, "" for a key without one
	PowersOrigin, PowersSource string   // of the powers of tau, "" for a key without
	Signers                    []string // verifier keys of those who contributed to a ceremony
}

// ReadKey reads key metadata; a model without a circuit is refused, and a kind of set-up without how it was made.
func ReadKey(data []byte, where string) (*Key, error) {
	object, err := read(data, keyKind, "equiproof-key", where)
	if err != nil {
		return nil, err
	}
	shape := newShape(object.Object("shape"))
	if err := shape.check(where); err != nil {
		return nil, err
	}
	if err := checkOrigin(object, where); err != nil {
		return nil, err
	}
	key := &Key{
		Shape: shape, Setup: object.Text("setup"), ProofSystem: object.Text("proof_system"),
		VerifyingKey: object.Text("verifying_key"), Fingerprint: digits("equiproof.key.v2", object),
		Transcript: transcript(object),
	}
	powers := object.Object("powers")
	if ceremony := object.Object("ceremony"); ceremony != nil {
		powers, key.Signers = ceremony.Object("powers"), ceremony.Texts("signers")
	}
	if powers != nil {
		key.PowersOrigin, key.PowersSource = powers.Text("origin"), powers.Text("source")
	}
	return key, nil
}

// checkOrigin refuses a kind of set-up without how it was made, or with how keys of another kind are.
func checkOrigin(object *canonical.Object, where string) error {
	setup := object.Text("setup")
	for _, made := range madeBy {
		there := object.Has(made.field)
		if there && setup != made.kind {
			return verdict.New(verdict.Malformed, "wrong-fields",
				"%s: field %s: the set-up is %s, so there was none", where, made.field, setup)
		}
		if !there && setup == made.kind {
			return verdict.New(verdict.Malformed, "no-transcript",
				"%s: field %s: missing, so no transcript comes with this %s set-up to check it by", where, made.field, made.kind)
		}
	}
	if setup == Universal && object.Text("proof_system") == ProofSystems[0] {
		return verdict.New(verdict.Malformed, "wrong-fields",
			"%s: field setup: powers alone make no key of %s", where, ProofSystems[0])
	}
	return nil
}

// transcript is the digest of everything that a ceremony fixes. It covers the digests of both keys: one that covered the
// steps alone would fit any key, put beside them.
func transcript(object *canonical.Object) string {
	for _, made := range madeBy {
		if object.Has(made.field) {
			fixed := canonical.NewObject()
			for _, name := range []string{made.field, "proving_key", "shape", "system_digest", "verifying_key"} {
				fixed.Set(name, object.Get(name))
			}
			return digits("equiproof.transcript.v2", fixed)
		}
	}
	return ""
}

func digits(domain string, value canonical.Value) string {
	sum := canonical.Tagged(domain, canonical.Bytes(value))
	return hex.EncodeToString(sum[:])
}

// Maker is what made the key, as a noun in a sentence.
func (k *Key) Maker() string {
	if k.Setup == Ceremony {
		return k.Setup
	}
	return k.Setup + " set-up"
}

// Attestation is the text that somebody signs who has checked the transcript of this key.
func (k *Key) Attestation() string {
	return fmt.Sprintf("equiproof-key-checked/v2\nfingerprint %s\ntranscript %s\n", k.Fingerprint, k.Transcript)
}
