// Package witness reads the prover's assignment and refuses what its layout would not write.
package witness

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"

	"equiproof/relation"
)

// magic opens a witness; its last byte is the format's version.
var magic = []byte("EPWIT\x01")

// Parse reads an assignment into the circuit of a document: magic, SHA-256 of the document, then 32 big-endian bytes per
// wire, the public digest first.
func Parse(circuit relation.Circuit, document, data []byte) error {
	digest, wires := circuit.Inputs()
	head := sha256.Sum256(document)
	prefix := append(append([]byte{}, magic...), head[:]...)
	if want := len(prefix) + fr.Bytes*(1+len(wires)); len(data) != want {
		return fmt.Errorf("witness: %d bytes, want %d", len(data), want)
	}
	if !bytes.Equal(data[:len(prefix)], prefix) {
		return errors.New("witness: made for another shape or format")
	}
	data = data[len(prefix):]
	for i := -1; i < len(wires); i++ {
		var element fr.Element
		if err := element.SetBytesCanonical(data[:fr.Bytes]); err != nil {
			return fmt.Errorf("witness: wire %d is not below the field's order", i)
		}
		data = data[fr.Bytes:]
		if i < 0 {
			*digest = element
		} else {
			wires[i] = element
		}
	}
	return nil
}
