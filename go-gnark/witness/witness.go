// Package witness reads the prover's assignment and refuses what its layout would not write.
package witness

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"

	"equiproof/relation"
	"equiproof/shape"
)

// magic opens a witness; its last byte is the format's version.
var magic = []byte("EPWIT\x01")

// Parse reads: magic, SHA-256 of the shape's document, then 32 big-endian bytes per wire, the statement digest first.
func Parse(s *shape.Shape, shapeDocument, data []byte) (*relation.Traversal, error) {
	circuit := relation.New(s)
	head := sha256.Sum256(shapeDocument)
	prefix := append(append([]byte{}, magic...), head[:]...)
	if want := len(prefix) + fr.Bytes*(1+len(circuit.Wires)); len(data) != want {
		return nil, fmt.Errorf("witness: %d bytes, want %d", len(data), want)
	}
	if !bytes.Equal(data[:len(prefix)], prefix) {
		return nil, errors.New("witness: made for another shape or format")
	}
	data = data[len(prefix):]
	for i := -1; i < len(circuit.Wires); i++ {
		var element fr.Element
		if err := element.SetBytesCanonical(data[:fr.Bytes]); err != nil {
			return nil, fmt.Errorf("witness: wire %d is not below the field's order", i)
		}
		data = data[fr.Bytes:]
		if i < 0 {
			circuit.Digest = element
		} else {
			circuit.Wires[i] = element
		}
	}
	return circuit, nil
}
