// Package note reads signed notes: a text with Ed25519 signatures below it, as C2SP describes them
// (https://c2sp.org/signed-note). Twin of verifier/notes.py.
//
// A note is text that ends with a line break, an empty line, and lines of "— NAME BASE64". The base64 holds four bytes of the
// key's hash, and the signature. A key is one line, NAME+HASH+BASE64. Names are visible ASCII only, so that no two of them
// look alike.
package note

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"equiproof/verify/tables"
	"equiproof/verify/text"
)

// MaxBytes is the length of the longest note, or list of keys.
const MaxBytes = 1 << 16

const (
	maxSignatures = 64
	keyHash       = 4
	algorithm     = 1 // Ed25519
	cosignature   = 4 // of a witness, with a time (https://c2sp.org/tlog-cosignature)
	private       = "PRIVATE+KEY+"
)

var name = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@:/-]{0,63}$`)

// Key is the name and the public key of a signer; Line is how it was written.
type Key struct {
	Name, Line string
	public     [ed25519.PublicKeySize]byte
	identifier [keyHash]byte
	cosigner   [keyHash]byte
}

// Public is the public key.
func (k *Key) Public() [ed25519.PublicKeySize]byte { return k.public }

// Note is a text and the signatures below it, none of them verified.
type Note struct {
	Text       string
	signatures []signature
}

// signature is one line below a note.
type signature struct {
	name       string
	identifier [keyHash]byte
	bytes      []byte
}

// Parse reads a signed note. Nothing is verified. All signatures are of Ed25519.
func Parse(data []byte) (*Note, error) { return parse(data, false) }

// ParseAny reads a note whose signatures may be of any kind, such as a checkpoint with cosignatures.
func ParseAny(data []byte) (*Note, error) { return parse(data, true) }

func parse(data []byte, anyKind bool) (*Note, error) {
	if len(data) > MaxBytes {
		return nil, errors.New(tables.Say("note.too_long", MaxBytes))
	}
	if !utf8.Valid(data) {
		return nil, errors.New(tables.Say("note.not_utf8"))
	}
	whole := string(data)
	at := strings.LastIndex(whole, "\n\n")
	if at < 0 || !strings.HasSuffix(whole[at+2:], "\n") {
		return nil, errors.New(tables.Say("note.malformed"))
	}
	lines := strings.Split(strings.TrimSuffix(whole[at+2:], "\n"), "\n")
	if len(lines) > maxSignatures {
		return nil, errors.New(tables.Say("note.too_many_signatures", maxSignatures))
	}
	note := &Note{Text: whole[:at+1]}
	control := func(sign rune) bool { return sign < ' ' && sign != '\n' }
	if strings.TrimFunc(note.Text, text.IsBlank) == "" || strings.ContainsFunc(note.Text, control) {
		return nil, errors.New(tables.Say("note.text_malformed"))
	}
	for _, line := range lines {
		one, err := parseSignature(line, anyKind)
		if err != nil {
			return nil, err
		}
		note.signatures = append(note.signatures, one)
	}
	return note, nil
}

func parseSignature(line string, anyKind bool) (signature, error) {
	dash, rest, _ := strings.Cut(line, " ")
	signer, encoded, _ := strings.Cut(rest, " ")
	data := Base64(encoded)
	if dash != "—" || !anyKind && len(data) != keyHash+ed25519.SignatureSize {
		return signature{}, errors.New(tables.Say("note.line_not_ed25519"))
	}
	if len(data) <= keyHash {
		return signature{}, errors.New(tables.Say("note.line_not_signature"))
	}
	return signature{signer, [keyHash]byte(data), data[keyHash:]}, CheckName(signer)
}

// ParseKey reads a verifier key, "NAME+HASH+BASE64".
func ParseKey(line string) (*Key, error) { return parseKey(line, algorithm) }

// ParseWitness reads the key of a witness, which may be one for cosignatures alone.
func ParseWitness(line string) (*Key, error) { return parseKey(line, algorithm, cosignature) }

func parseKey(line string, kinds ...byte) (*Key, error) {
	if strings.HasPrefix(line, private) {
		return nil, errors.New(tables.Say("note.secret_key"))
	}
	parts := strings.SplitN(line, "+", 3)
	data := Base64(parts[len(parts)-1])
	if len(parts) != 3 || len(data) != 1+ed25519.PublicKeySize || !bytes.Contains(kinds, data[:1]) {
		return nil, errors.New(tables.Say("note.not_ed25519_key"))
	}
	if err := CheckName(parts[0]); err != nil {
		return nil, err
	}
	public := [ed25519.PublicKeySize]byte(data[1:])
	if start := identifierOf(parts[0], data[0], public); hex.EncodeToString(start[:]) != parts[1] {
		return nil, errors.New(tables.Say("note.verifier_key_damaged"))
	}
	return &Key{parts[0], line, public, identifierOf(parts[0], algorithm, public),
		identifierOf(parts[0], cosignature, public)}, nil
}

// identifierOf is the hash by which signatures of a kind name a key.
func identifierOf(name string, kind byte, public [ed25519.PublicKeySize]byte) [keyHash]byte {
	sum := sha256.Sum256(append(append([]byte(name+"\n"), kind), public[:]...))
	return [keyHash]byte(sum[:keyHash])
}

// ParseKeys reads verifier keys, one a line, without empty lines and those that begin with "#". It refuses a name or a public
// key that stands there twice, and no key at all; `where` is named in errors.
func ParseKeys(lines, where string) ([]*Key, error) { return parseKeys(lines, where, ParseKey) }

// ParseWitnesses reads the keys of witnesses as ParseKeys does.
func ParseWitnesses(lines, where string) ([]*Key, error) {
	return parseKeys(lines, where, ParseWitness)
}

func parseKeys(lines, where string, parse func(line string) (*Key, error)) ([]*Key, error) {
	var keys []*Key
	for number, line := range splitLines(lines) {
		trimmed := strings.TrimFunc(line, text.IsBlank)
		if trimmed == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, err := parse(trimmed)
		if err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", where, number+1, err)
		}
		keys = append(keys, key)
	}
	if err := Distinct(keys); err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	return keys, nil
}

// Distinct refuses no key, and a name or a public key that stands there twice: one person with two names must not count as
// two.
func Distinct(keys []*Key) error {
	if len(keys) == 0 {
		return errors.New(tables.Say("note.no_verifier_key"))
	}
	points := map[any]bool{}
	for _, key := range keys {
		if points[key.Name] || points[key.public] {
			return errors.New(tables.Say("note.signer_twice"))
		}
		points[key.Name], points[key.public] = true, true
	}
	return nil
}

// Signed says whether a note has a signature under a key; one that does not hold is an error.
func (k *Key) Signed(note *Note) (bool, error) {
	ok := false
	for _, line := range note.signatures {
		if line.name != k.Name || line.identifier != k.identifier {
			continue
		}
		if !ed25519.Verify(k.public[:], []byte(note.Text), line.bytes) {
			return false, errors.New(tables.Say("note.signature_wrong", k.Name))
		}
		ok = true
	}
	return ok, nil
}

// Cosigned returns the cosignatures below a note that name a key, each a time and a signature, unverified.
func (k *Key) Cosigned(note *Note) (signatures [][]byte) {
	for _, line := range note.signatures {
		if line.name == k.Name && line.identifier == k.cosigner {
			signatures = append(signatures, line.bytes)
		}
	}
	return signatures
}

// Holds says whether a signature over a message holds under a key.
func (k *Key) Holds(message, signature []byte) bool {
	return ed25519.Verify(k.public[:], message, signature)
}

// Base64 reads base64 in its one spelling; of anything else it makes nothing, which no key, signature or hash is.
func Base64(text string) []byte {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil || !bytes.Equal(base64.StdEncoding.AppendEncode(nil, data), []byte(text)) {
		return nil
	}
	return data
}

// CheckName refuses what is no name of a signer.
func CheckName(text string) error {
	if !name.MatchString(text) {
		return errors.New(tables.Say("note.signer_name_malformed"))
	}
	return nil
}

// splitLines splits text where Python's splitlines does.
func splitLines(text string) []string {
	ends := strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\x1c", "\n", "\x1d", "\n", "\x1e", "\n",
		"\u0085", "\n", "\u2028", "\n", "\u2029", "\n")
	return strings.Split(ends.Replace(text), "\n")
}
