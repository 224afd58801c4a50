package witness_test

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"

	"equiproof/relation"
	"equiproof/shape"
	"equiproof/witness"
)

const document = `{"architecture":{"bias_bits":[35,52],"hidden":[1],"logits":1,"plain":1,"sensitive":1,"weight_bits":[16,16]},` +
	`"capacity":4,"format":"equiproof-shape","input_bits":18,"input_fraction_bits":10,"radius_bits":29,` +
	`"scheme":"traversal","slices":2,"version":2}`

// parsed returns the shape, and a witness of it whose wires are 1, 2, 3 and so on, the digest first.
func parsed(t testing.TB) (*shape.Shape, []byte) {
	t.Helper()
	s, err := shape.Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	head := sha256.Sum256([]byte(document))
	data := append([]byte("EPWIT\x01"), head[:]...)
	for i := range 1 + relation.Wires(s) {
		var element fr.Element
		element.SetUint64(uint64(i + 1))
		encoded := element.Bytes()
		data = append(data, encoded[:]...)
	}
	return s, data
}

// A witness is read wire by wire, the digest first, big-endian.
func TestParse(t *testing.T) {
	s, data := parsed(t)
	circuit := relation.New(s)
	if err := witness.Parse(circuit, []byte(document), data); err != nil {
		t.Fatal(err)
	}
	for i, wire := range append([]any{circuit.Digest}, anys(circuit)...) {
		if element := wire.(fr.Element); element.Uint64() != uint64(i+1) || !element.IsUint64() {
			t.Errorf("wire %d is %v", i, element.String())
		}
	}
}

func anys(circuit *relation.Traversal) []any {
	var wires []any
	for _, wire := range circuit.Wires {
		wires = append(wires, wire)
	}
	return wires
}

// A wrong length, magic, version or shape is refused, and so is any wire that is not below the field's order.
func TestOnlyItsOwnFormIsRead(t *testing.T) {
	s, data := parsed(t)
	changed := func(at int, value byte) []byte {
		other := bytes.Clone(data)
		other[at] = value
		return other
	}
	for name, other := range map[string][]byte{
		"nothing": nil, "short": data[:len(data)-1], "long": append(bytes.Clone(data), 0), "a wire less": data[:len(data)-32],
		"a wire more": append(bytes.Clone(data), make([]byte, 32)...), "the head only": data[:38], "magic": changed(0, 'e'),
		"version": changed(5, 2), "another shape": changed(6, data[6]^1), "end of the shape's hash": changed(37, data[37]^1),
	} {
		if err := witness.Parse(relation.New(s), []byte(document), other); err == nil || !strings.HasPrefix(err.Error(), "witness: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := witness.Parse(relation.New(s), []byte(document+" "), data); err == nil {
		t.Error("a witness of another document was read")
	}
	order := fr.Modulus()
	for at := 38; at < len(data); at += 32 {
		other := bytes.Clone(data)
		order.FillBytes(other[at : at+32])
		if err := witness.Parse(relation.New(s), []byte(document), other); err == nil || !strings.Contains(err.Error(), "order") {
			t.Errorf("the order itself at %d: %v", at, err)
		}
		copy(other[at:], bytes.Repeat([]byte{0xff}, 32))
		if err := witness.Parse(relation.New(s), []byte(document), other); err == nil {
			t.Errorf("2^256 - 1 at %d was read", at)
		}
	}
}

// Parsing never panics, whatever the bytes, and reads the length of its shape only.
func FuzzParse(f *testing.F) {
	s, data := parsed(f)
	f.Add(data)
	f.Add(data[:50])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, bytes []byte) {
		circuit := relation.New(s)
		err := witness.Parse(circuit, []byte(document), bytes)
		if err == nil && (len(bytes) != len(data) || circuit.Digest == nil || len(circuit.Wires) != relation.Wires(s)) {
			t.Errorf("%d bytes were read", len(bytes))
		}
	})
}
