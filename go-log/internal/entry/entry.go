// Package entry has what a log knows of an entry: its name, and that it is one of the eight kinds of a public register.
package entry

import (
	"crypto/sha256"
	"encoding/hex"

	"equiproof/verify/document"
)

// MaxBytes is the length of the longest entry: its length stands in two bytes.
const MaxBytes = 1<<16 - 1

// Name is the SHA-256 of an entry's bytes, by which the log knows it.
type Name [sha256.Size]byte

func (n Name) String() string { return hex.EncodeToString(n[:]) }

// NameOf returns the name of an entry.
func NameOf(data []byte) Name { return sha256.Sum256(data) }

// Check refuses bytes that are no entry in its one spelling; where names them in the error.
func Check(data []byte, where string) error {
	_, err := document.ReadEntry(data, where)
	return err
}
