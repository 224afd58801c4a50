package system

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/consensys/gnark-crypto/ecc/bn254/fp"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr/fft"
	"github.com/consensys/gnark/constraint"
	cs "github.com/consensys/gnark/constraint/bn254"
)

// Widths of what a proving key consists of: its points are uncompressed.
const (
	rawG1Bytes = 2 * fp.Bytes
	rawG2Bytes = 2 * rawG1Bytes
	longBytes  = 8
	countBytes = 4
)

// checkProving refuses bytes that are not laid out as the set-up of a constraint system lays out its proving key: another
// domain, lists of other lengths, compressed points, missing or extra bytes. gnark's reader allocates as much memory as a
// key claims to need, and its prover takes the lengths for granted; both would end the process. The points' values are not
// checked: wrong ones give a proof that does not hold.
func checkProving(data []byte, compiled *cs.R1CS) error {
	domain, err := domainHeader(uint64(compiled.GetNbConstraints()))
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(data, domain) {
		return errors.New("made for another number of constraints")
	}
	commitments := compiled.CommitmentInfo.(constraint.Groth16Commitments)
	wires := compiled.GetNbPublicVariables() + compiled.GetNbSecretVariables() + compiled.NbInternalVariables
	private := wires - compiled.GetNbPublicVariables() - len(commitments)
	for _, commitment := range commitments {
		private -= len(commitment.PrivateCommitted)
	}
	k := &keyReader{data: data[len(domain):]}
	for _, name := range []string{"alpha", "beta", "delta"} {
		k.points(name, rawG1Bytes, 1)
	}
	a, b := k.list("A", rawG1Bytes), k.list("B", rawG1Bytes)
	k.exactly("Z", rawG1Bytes, int(binary.BigEndian.Uint64(domain))-1)
	k.exactly("K", rawG1Bytes, private)
	k.points("beta in G2", rawG2Bytes, 1)
	k.points("delta in G2", rawG2Bytes, 1)
	k.exactly("B in G2", rawG2Bytes, b)
	k.number("wires", longBytes, wires)
	k.number("points of A at infinity", longBytes, wires-a)
	k.number("points of B at infinity", longBytes, wires-b)
	k.marks("A", wires, wires-a)
	k.marks("B", wires, wires-b)
	k.number("commitments", countBytes, len(commitments))
	for _, commitment := range commitments {
		k.exactly("commitment basis", rawG1Bytes, len(commitment.PrivateCommitted))
		k.exactly("commitment proof basis", rawG1Bytes, len(commitment.PrivateCommitted))
	}
	if k.err == nil && len(k.data) != 0 {
		return errors.New("extra bytes at the end")
	}
	return k.err
}

// domainHeader returns the first bytes of every proving key for so many constraints: the domain of its polynomials.
func domainHeader(constraints uint64) ([]byte, error) {
	var header bytes.Buffer
	if _, err := fft.NewDomain(constraints, fft.WithoutPrecompute()).WriteTo(&header); err != nil {
		return nil, fmt.Errorf("write domain: %w", err)
	}
	// A set-up writes that the reader is to compute the domain's tables.
	header.Bytes()[header.Len()-1] = 1
	return header.Bytes(), nil
}

// keyReader walks through the bytes of a proving key without reading a point; it stops at the first error.
type keyReader struct {
	data []byte
	err  error
}

// take returns the next bytes, or nothing where fewer are left.
func (k *keyReader) take(name string, length int) []byte {
	if k.err == nil && len(k.data) < length {
		k.err = fmt.Errorf("ends within %s", name)
	}
	if k.err != nil {
		return nil
	}
	taken := k.data[:length]
	k.data = k.data[length:]
	return taken
}

// points passes over so many points, none of them compressed: those are shorter, and would move all that follows.
func (k *keyReader) points(name string, width, count int) {
	for data := k.take(name, width*count); len(data) > 0; data = data[width:] {
		if data[0]>>6 != 0 {
			k.err = fmt.Errorf("a point of %s is not in uncompressed form", name)
			return
		}
	}
}

// list passes over a list of points behind its length, which it returns.
func (k *keyReader) list(name string, width int) int {
	head := k.take(name, countBytes)
	if head == nil {
		return 0
	}
	count := int(binary.BigEndian.Uint32(head))
	k.points(name, width, count)
	return count
}

// exactly passes over a list of points of a known length.
func (k *keyReader) exactly(name string, width, want int) {
	if count := k.list(name, width); k.err == nil && count != want {
		k.err = fmt.Errorf("%d points of %s, want %d", count, name, want)
	}
}

// number passes over a number of a known value.
func (k *keyReader) number(name string, width, want int) {
	taken := append(make([]byte, longBytes-width), k.take(name, width)...)
	if k.err == nil && (want < 0 || binary.BigEndian.Uint64(taken) != uint64(want)) {
		k.err = fmt.Errorf("another number of %s than the circuit's", name)
	}
}

// marks passes over one byte a wire, of which so many are 1 and the others 0.
func (k *keyReader) marks(name string, wires, want int) {
	taken := k.take(name, wires)
	if k.err == nil && (bytes.Count(taken, []byte{1}) != want || bytes.Count(taken, []byte{0}) != wires-want) {
		k.err = fmt.Errorf("the marks of points at infinity do not fit the points of %s", name)
	}
}
