package document

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"

	"equiproof/verify/canonical"
	"equiproof/verify/spec"
	"equiproof/verify/verdict"
)

// MaxKeyBytes and MaxSignatureBytes are the lengths of the longest verifying key and the longest note that are read.
const (
	MaxKeyBytes       = 1 << 12
	MaxSignatureBytes = 1 << 16
)

const maxLayers = 64

// maxNeurons is the most hidden neurons of a shape that has a circuit, by relation.
var maxNeurons = map[string]int{"traversal": 240, "branch": 4096, ranging: 4096}

// ranging is the relation of statements about neighbors inside ranges only.
const ranging = "branch-ranges"

var architectureKind = canonical.Document(
	canonical.Required("plain", canonical.Integer()),
	canonical.Required("sensitive", canonical.Integer()),
	canonical.Required("hidden", canonical.ListOf(canonical.Integer())),
	canonical.Required("logits", canonical.Integer()),
	canonical.Required("weight_bits", canonical.ListOf(canonical.Integer())),
	canonical.Required("bias_bits", canonical.ListOf(canonical.Integer())),
)

var shapeKind = canonical.Document(
	canonical.Required("format", canonical.Text()),
	canonical.Required("version", canonical.Integer()),
	canonical.Required("scheme", canonical.OneOf("traversal", "branch", ranging)),
	canonical.Required("architecture", architectureKind),
	canonical.Required("slices", canonical.Integer()),
	canonical.Required("input_bits", canonical.Integer()),
	canonical.Required("input_fraction_bits", canonical.Integer()),
	canonical.Required("radius_bits", canonical.Integer()),
	canonical.Required("capacity", canonical.Integer()),
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

// Shape is the constants that determine a constraint system.
type Shape struct {
	object *canonical.Object
	Scheme string
	Digest *big.Int // the digest that enters the statement, a field element
}

// ReadKey reads key metadata; layers without a circuit are refused, and a kind of set-up without how it was made.
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

func newShape(object *canonical.Object) Shape {
	return Shape{object, object.Text("scheme"), canonical.Digest("equiproof.shape.v2", object)}
}

// check refuses layers without a circuit.
func (s Shape) check(where string) error {
	architecture := s.object.Object("architecture")
	hidden, widths := architecture.Ints("hidden"), architecture.Ints("bias_bits")
	wrong := func(field, format string, words ...any) error {
		return verdict.New(verdict.Malformed, "bad-shape",
			"%s: field shape.architecture.%s: %s", where, field, fmt.Sprintf(format, words...))
	}
	if len(hidden) < 1 || len(hidden) > maxLayers {
		return wrong("hidden", "%d layers, want 1 to %d", len(hidden), maxLayers)
	}
	// Each is compared first, so that the sum of a few stays far below what an int holds.
	most, sum := maxNeurons[s.Scheme], 0
	for _, size := range hidden {
		sum += min(size, most+1)
	}
	if slices.Min(hidden) < 1 || sum > most {
		return wrong("hidden", "want sizes of at least 1 that sum to at most %d", most)
	}
	if len(widths) != len(hidden)+1 {
		return wrong("bias_bits", "%d widths, want %d", len(widths), len(hidden)+1)
	}
	return nil
}

// Ranges says whether the statement is about neighbors inside the spec's ranges only.
func (s Shape) Ranges() bool { return s.Scheme == ranging }

// Fits says whether a shape follows from a spec, in everything but the scheme, the hidden sizes and the capacity.
func (s Shape) Fits(meant *spec.Spec) bool {
	hidden := s.object.Object("architecture").Ints("hidden")
	number := canonical.IntegerValue
	architecture := canonical.NewObject().Set("plain", number(meant.PlainColumns())).
		Set("sensitive", number(meant.SensitiveColumns())).Set("hidden", canonical.ListValue(hidden, number)).
		Set("logits", number(meant.Logits)).
		Set("weight_bits", canonical.ListValue(meant.WeightWidths(hidden), number)).
		Set("bias_bits", canonical.ListValue(meant.BiasWidths(hidden), number))
	wanted := canonical.NewObject().Set("format", "equiproof-shape").Set("version", number(version)).
		Set("scheme", s.Scheme).Set("architecture", architecture).Set("slices", number(len(meant.Table))).
		Set("input_bits", number(meant.InputBits)).Set("input_fraction_bits", number(meant.InputFractionBits)).
		Set("radius_bits", number(big.NewInt(meant.MaxRadiusSquared()).BitLen())).
		Set("capacity", s.object.Get("capacity"))
	return s.Ranges() == meant.UseRanges && string(canonical.Bytes(s.object)) == string(canonical.Bytes(wanted))
}

// Name is a readable name for people, as Python writes it.
func (s Shape) Name() string {
	a := s.object.Object("architecture")
	sizes := ""
	for at, size := range a.Ints("hidden") {
		if at > 0 {
			sizes += "x"
		}
		sizes += fmt.Sprint(size)
	}
	return fmt.Sprintf("%s-%d+%d-%s-%d-s%d-k%d-%s", s.Scheme, a.Int("plain"), a.Int("sensitive"), sizes, a.Int("logits"),
		s.object.Int("slices"), s.object.Int("capacity"), fmt.Sprintf("%062x", s.Digest)[:8])
}
