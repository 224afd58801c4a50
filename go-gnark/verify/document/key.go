package document

import (
	"encoding/hex"
	"fmt"

	"equiproof/verify/canonical"
	"equiproof/verify/tables"
	"equiproof/verify/verdict"
)

const keyMark = "equiproof-key"

// MaxKeyBytes and MaxSignatureBytes are the lengths of the longest verifying key and the longest note that are read.
const (
	MaxKeyBytes       = 1 << 12
	MaxSignatureBytes = 1 << 16
)

// keyFile is a file of key metadata.
type keyFile struct {
	Mark
	Shape        *canonical.Object `field:"shape"`
	Setup        string            `field:"setup"`
	ProofSystem  string            `field:"proof_system"`
	SystemDigest string            `field:"system_digest"`
	Constraints  int64             `field:"constraints"`
	VerifyingKey string            `field:"verifying_key"`
	ProvingKey   string            `field:"proving_key"`
	Tools        *canonical.Object `field:"tools"`
	Ceremony     *ceremonyInFile   `field:"ceremony"`
	Powers       *powersInFile     `field:"powers"`
}

// ceremonyInFile is the transcript of a ceremony.
type ceremonyInFile struct {
	Powers  powersInFile `field:"powers"`
	Start   string       `field:"start"`
	Steps   []string     `field:"steps"`
	Beacon  beaconInFile `field:"beacon"`
	Signers []string     `field:"signers"`
}

// powersInFile is where powers of tau come from.
type powersInFile struct {
	Origin string `field:"origin"`
	Source string `field:"source"`
	Digest string `field:"digest"`
}

type beaconInFile struct {
	Source string `field:"source"`
	Round  int64  `field:"round"`
	Value  string `field:"value"`
}

var (
	keyTable     = canonical.TableOf[keyFile](keyMark, canonical.As("tools", toolsKind))
	linkKeyTable = canonical.TableOf[keyFile]("LinkKeyDocument", canonical.As("tools", toolsKind))
)

// origin is the field that says how others took part in a kind of set-up: keys of this kind have it, and no others do.
type origin struct {
	setup, field string
	present      bool
}

// origins are those of a key, in the order in which they are checked.
func (k *keyFile) origins() []origin {
	return []origin{{Ceremony, "ceremony", k.Ceremony != nil}, {Universal, "powers", k.Powers != nil}}
}

// Key is the metadata of a key for certificates.
type Key struct {
	Shape Shape
	KeyRecord
}

// LinkKey is the metadata of a key for links, which show that kept certificates are of the committed model.
type LinkKey struct {
	Shape LinkShape
	KeyRecord
}

// KeyRecord is what metadata of keys say beside the shape.
type KeyRecord struct {
	Setup, ProofSystem         string
	VerifyingKey               string   // the SHA-256 of verifying.key, in hexadecimal
	Fingerprint                string   // the name by which certificates and policies know the key
	Transcript                 string   // the digest of everything that a ceremony fixes, "" for a key without one
	PowersOrigin, PowersSource string   // of the powers of tau, "" for a key without
	Signers                    []string // verifier keys of those who contributed to a ceremony
}

// ReadKey reads key metadata; a model without a circuit is refused, and a kind of set-up without how it was made.
func ReadKey(data []byte, where string) (*Key, error) {
	object, err := read(data, keyTable, keyMark, version, where)
	if err != nil {
		return nil, err
	}
	file := keyTable.Fields(object)
	shape := newShape(file.Shape)
	if err := shape.check(where); err != nil {
		return nil, err
	}
	record, err := file.record(object, shape.Kept(), where)
	return &Key{shape, record}, err
}

// ReadLinkKey reads the metadata of a key for links; it refuses what ReadKey does.
func ReadLinkKey(data []byte, where string) (*LinkKey, error) {
	object, err := read(data, linkKeyTable, keyMark, version, where)
	if err != nil {
		return nil, err
	}
	file := linkKeyTable.Fields(object)
	shape := newLinkShape(file.Shape)
	if err := shape.check(where); err != nil {
		return nil, err
	}
	record, err := file.record(object, true, where)
	return &LinkKey{shape, record}, err
}

// record reads what the file, as an object, says beside the shape; kept says that the key is one of a kept model or of its links.
func (k *keyFile) record(object *canonical.Object, kept bool, where string) (record KeyRecord, err error) {
	if kept && k.ProofSystem != ProofSystems[0] {
		return record, verdict.New(verdict.Malformed, "bad-shape", tables.Say("key.kept_proof_system", where, k.ProofSystem))
	}
	if err := k.checkOrigin(where); err != nil {
		return record, err
	}
	record = KeyRecord{
		Setup: k.Setup, ProofSystem: k.ProofSystem, VerifyingKey: k.VerifyingKey,
		Fingerprint: digits("equiproof.key.v2", object), Transcript: k.transcript(object),
	}
	powers := k.Powers
	if k.Ceremony != nil {
		powers, record.Signers = &k.Ceremony.Powers, k.Ceremony.Signers
	}
	if powers != nil {
		record.PowersOrigin, record.PowersSource = powers.Origin, powers.Source
	}
	return record, nil
}

// checkOrigin refuses a kind of set-up without how it was made, or with how keys of another kind are.
func (k *keyFile) checkOrigin(where string) error {
	for _, own := range k.origins() {
		if own.present && k.Setup != own.setup {
			return verdict.New(verdict.Malformed, "wrong-fields",
				tables.Say("key.digest_superfluous", where, own.field, k.Setup))
		}
		if !own.present && k.Setup == own.setup {
			return verdict.New(verdict.Malformed, "no-transcript",
				tables.Say("key.digest_missing", where, own.field, own.setup))
		}
	}
	if k.Setup == Universal && k.ProofSystem == ProofSystems[0] {
		return verdict.New(verdict.Malformed, "wrong-fields", tables.Say("key.powers_alone", where, ProofSystems[0]))
	}
	return nil
}

// transcript is the digest of everything that a ceremony fixes, of the file as an object. It covers the digests of both keys:
// one that covered the steps alone would fit any key, put beside them.
func (k *keyFile) transcript(object *canonical.Object) string {
	for _, own := range k.origins() {
		if own.present {
			fixed := canonical.NewObject()
			for _, name := range []string{own.field, "proving_key", "shape", "system_digest", "verifying_key"} {
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
func (k *KeyRecord) Maker() string {
	if k.Setup == Ceremony {
		return tables.Say("key.by_ceremony")
	}
	return tables.Say("key.by_setup", k.Setup)
}

// Attestation is the text that somebody signs who has checked the transcript of this key.
func (k *KeyRecord) Attestation() string {
	return fmt.Sprintf("equiproof-key-checked/v2\nfingerprint %s\ntranscript %s\n", k.Fingerprint, k.Transcript)
}
