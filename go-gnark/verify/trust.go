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
}

// NewKey returns a key whose bytes come from `where`, and its metadata from the file `name` beside them. Bytes of another key
// are malformed.
func NewKey(metadata *document.Key, verifying, signatures []byte, where, name string) (*TrustedKey, error) {
	if sum := sha256.Sum256(verifying); hex.EncodeToString(sum[:]) != metadata.VerifyingKey {
		return nil, verdict.New(verdict.Malformed, "key-bytes-differ", tables.Say("key.name_differs", where, name))
	}
	return &TrustedKey{metadata, signatures, sync.OnceValues(func() (*check.Verifier, error) {
		return loaded(metadata.ProofSystem, verifying)
	})}, nil
}

// loaded reads a verifying key; one that no honest set-up writes is not trusted.
func loaded(name string, verifying []byte) (*check.Verifier, error) {
	checker, err := check.Load(name, verifying)
	if err != nil {
		return nil, verdict.New(verdict.Untrusted, string(check.ReasonOf(err)), err.Error())
	}
	return checker, nil
}

// Store is the keys that a relying party trusts.
type Store map[string]*TrustedKey

// NewStore returns the store of some keys.
func NewStore(keys ...*TrustedKey) Store {
	store := Store{}
	for _, key := range keys {
		store[key.Document.Fingerprint] = key
	}
	return store
}

// Find returns the key of a fingerprint.
func (s Store) Find(fingerprint string) (*TrustedKey, error) {
	if key, ok := s[fingerprint]; ok {
		return key, nil
	}
	return nil, verdict.New(verdict.Untrusted, "key-not-trusted",
		tables.Say("key.not_trusted", text.Cut(fingerprint, 16), len(s)))
}
