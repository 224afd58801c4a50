package verify

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"equiproof/check"
	"equiproof/verify/document"
	"equiproof/verify/tables"
	"equiproof/verify/text"
	"equiproof/verify/verdict"
)

// TrustedKey is a verifying key with its metadata; its bytes are those that the metadata names. Signatures is the unread note
// of those who checked the key's transcript. Twin of verifier/trust.py.
type TrustedKey struct {
	Document   *document.Key
	Signatures []byte
	load       func() (*check.Verifier, error)
	verifying  []byte
}

// TrustedLinkKey is such a key for links.
type TrustedLinkKey struct {
	Document   *document.LinkKey
	Signatures []byte
	verifying  []byte
}

// NewKey returns a key whose bytes come from `where`, and its metadata from the file `name` beside them. Bytes of another key
// are malformed.
func NewKey(metadata *document.Key, verifying, signatures []byte, where, name string) (*TrustedKey, error) {
	return &TrustedKey{metadata, signatures, sync.OnceValues(func() (*check.Verifier, error) {
		return loaded(metadata.ProofSystem, verifying)
	}), verifying}, ofMetadata(&metadata.KeyRecord, verifying, where, name)
}

// NewLinkKey does for a key for links what NewKey does.
func NewLinkKey(metadata *document.LinkKey, verifying, signatures []byte, where, name string) (*TrustedLinkKey, error) {
	return &TrustedLinkKey{metadata, signatures, verifying}, ofMetadata(&metadata.KeyRecord, verifying, where, name)
}

// ofMetadata refuses bytes of another key than that of its metadata.
func ofMetadata(metadata *document.KeyRecord, verifying []byte, where, name string) error {
	if sum := sha256.Sum256(verifying); hex.EncodeToString(sum[:]) != metadata.VerifyingKey {
		return verdict.New(verdict.Malformed, "key-bytes-differ", tables.Say("key.name_differs", where, name))
	}
	return nil
}

// loaded reads a verifying key; one that no honest set-up writes is not trusted.
func loaded(name string, verifying []byte) (*check.Verifier, error) {
	checker, err := check.Load(name, verifying)
	if err != nil {
		return nil, verdict.New(verdict.Untrusted, string(check.ReasonOf(err)), err.Error())
	}
	return checker, nil
}

// Store is the keys that a relying party trusts: those for certificates, and those for links.
type Store struct {
	keys     map[string]*TrustedKey
	linkKeys map[string]*TrustedLinkKey
}

// NewStore returns the store of some keys for certificates.
func NewStore(keys ...*TrustedKey) *Store {
	store := &Store{map[string]*TrustedKey{}, map[string]*TrustedLinkKey{}}
	for _, key := range keys {
		store.keys[key.Document.Fingerprint] = key
	}
	return store
}

// With adds keys for links.
func (s *Store) With(keys ...*TrustedLinkKey) *Store {
	for _, key := range keys {
		s.linkKeys[key.Document.Fingerprint] = key
	}
	return s
}

// NeedsLinks says whether a certificate under one of the keys needs a link.
func (s *Store) NeedsLinks() bool {
	for _, key := range s.keys {
		if key.Document.Shape.Kept() {
			return true
		}
	}
	return false
}

// Has says whether the key of a fingerprint is trusted; without a store, none is.
func (s *Store) Has(fingerprint string) bool { return s != nil && s.keys[fingerprint] != nil }

// Find returns the key of a fingerprint.
func (s *Store) Find(fingerprint string) (*TrustedKey, error) {
	if key, ok := s.keys[fingerprint]; ok {
		return key, nil
	}
	return nil, verdict.New(verdict.Untrusted, "key-not-trusted",
		tables.Say("key.not_trusted", text.Cut(fingerprint, 16), len(s.keys)))
}

// findLinkKey returns the key for links of a fingerprint.
func (s *Store) findLinkKey(fingerprint string) (*TrustedLinkKey, error) {
	if key, ok := s.linkKeys[fingerprint]; ok {
		return key, nil
	}
	return nil, verdict.New(verdict.Untrusted, "key-not-trusted",
		tables.Say("link.key_not_trusted", text.Cut(fingerprint, 16), len(s.linkKeys)))
}
