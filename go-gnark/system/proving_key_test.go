package system_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	groth16bn254 "github.com/consensys/gnark/backend/groth16/bn254"

	"equiproof/system"
)

// hostileBytes is what loading a proving key of the tiny shape may allocate, whatever the key claims: the circuit is
// compiled, and the bytes are looked at.
const hostileBytes = 64 << 20

// refused loads bytes that are no proving key, within bounds, and returns the error.
func refused(t *testing.T, name string, key []byte) string {
	t.Helper()
	p, message := shared(t), ""
	used := allocated(func() {
		if _, err := system.Groth16.Load(p.document, key); err != nil {
			message = err.Error()
		}
	})
	if message == "" || strings.Contains(message, "\n") || !strings.HasPrefix(message, "proving key: ") {
		t.Errorf("%s: %q", name, message)
	}
	if used > hostileBytes {
		t.Errorf("%s: %d bytes allocated", name, used)
	}
	return message
}

// places returns where the proving key has its lists' lengths, and where each of its other parts starts.
func places(t testing.TB) (lengths, starts []int) {
	t.Helper()
	const header, g1, g2 = 8 + 5*32 + 1, 64, 128
	data := shared(t).keys.Proving
	at := header
	list := func(width int) {
		lengths = append(lengths, at)
		at += 4 + width*int(binary.BigEndian.Uint32(data[at:]))
	}
	skip := func(length int) {
		starts = append(starts, at)
		at += length
	}
	skip(3 * g1)
	for range 4 {
		list(g1)
	}
	skip(2 * g2)
	list(g2)
	wires := int(binary.BigEndian.Uint64(data[at:]))
	for _, length := range []int{8, 8, 8, wires, wires} {
		skip(length)
	}
	lengths = append(lengths, at)
	at += 4
	for range 2 {
		list(g1)
	}
	if at != len(data) {
		t.Fatalf("%d bytes walked of %d", at, len(data))
	}
	return lengths, starts
}

// A key that claims another domain is refused before the tables of the domain are computed: with 2^40 they would take 35 TB.
func TestProvingKeysOfAnotherDomain(t *testing.T) {
	honest := shared(t).keys.Proving
	size := binary.BigEndian.Uint64(honest)
	for _, other := range []uint64{0, 1, 3, size - 1, size / 2, 2 * size, 1 << 28, 1 << 40, 1 << 63, 1<<64 - 1} {
		key := bytes.Clone(honest)
		binary.BigEndian.PutUint64(key, other)
		if message := refused(t, "domain", key); !strings.Contains(message, "number of constraints") {
			t.Errorf("%d: %s", other, message)
		}
	}
	for at := 8; at < 169; at += 8 { // the roots of unity, and whether tables are computed
		key := bytes.Clone(honest)
		key[at] ^= 1
		refused(t, "root of unity", key)
	}
}

// A key whose lists claim another length than the circuit's is refused before anything is allocated for them.
func TestProvingKeysCannotClaimLengths(t *testing.T) {
	honest := shared(t).keys.Proving
	lengths, starts := places(t)
	for _, at := range lengths {
		length := binary.BigEndian.Uint32(honest[at:])
		for _, claimed := range []uint32{0, length - 1, length + 1, 1 << 31, 1<<32 - 1} {
			key := bytes.Clone(honest)
			binary.BigEndian.PutUint32(key[at:], claimed)
			if claimed != length {
				refused(t, "a list's length", key)
			}
		}
	}
	for _, at := range starts[2:5] { // wires, points of A and of B at infinity
		for _, claimed := range []uint64{0, 1 << 32, 1 << 40, 1<<64 - 1} {
			key := bytes.Clone(honest)
			binary.BigEndian.PutUint64(key[at:], claimed)
			refused(t, "a number", key)
		}
	}
	for _, at := range starts[5:] { // which points are at infinity: one more, one less, and no such mark
		for _, mark := range []byte{honest[at] ^ 1, 2} {
			key := bytes.Clone(honest)
			key[at] = mark
			refused(t, "a mark", key)
		}
	}
}

// A key that ends anywhere before its end, or that goes on behind it, is refused.
func TestProvingKeysOfOtherLengths(t *testing.T) {
	honest := shared(t).keys.Proving
	lengths, starts := places(t)
	cuts := []int{0, 1, 7, 8, 9, 168, len(honest) - 1}
	for _, at := range append(lengths, starts...) {
		cuts = append(cuts, at-1, at, at+1, at+4, at+5)
	}
	for _, cut := range cuts {
		refused(t, "cut", honest[:cut])
	}
	refused(t, "long", append(bytes.Clone(honest), 0))
	refused(t, "twice", append(bytes.Clone(honest), honest...))
}

// A key with compressed points is refused: in it, the lists' lengths are at places that its maker chose.
func TestProvingKeysWithCompressedPoints(t *testing.T) {
	key := new(groth16bn254.ProvingKey)
	if _, err := key.UnsafeReadFrom(bytes.NewReader(shared(t).keys.Proving)); err != nil {
		t.Fatal(err)
	}
	var compressed bytes.Buffer
	if _, err := key.WriteTo(&compressed); err != nil {
		t.Fatal(err)
	}
	refused(t, "compressed", compressed.Bytes())
	lengths, starts := places(t)
	for _, at := range []int{starts[0], starts[1], lengths[0] + 4, lengths[4] + 4, lengths[7] + 4} {
		one := bytes.Clone(shared(t).keys.Proving)
		one[at] |= 0x40
		if message := refused(t, "one point", one); !strings.Contains(message, "uncompressed") {
			t.Error(message)
		}
	}
}

// A document of a circuit that is too large for the key beside it is refused without being compiled.
func TestDocumentsTooLargeForTheirKey(t *testing.T) {
	large := tiny()
	large.Capacity, large.Architecture.Hidden[0] = 1<<14, 64
	document, err := json.Marshal(large)
	if err != nil {
		t.Fatal(err)
	}
	used := allocated(func() {
		if _, err := system.Groth16.Load(document, shared(t).keys.Proving); err == nil || !strings.Contains(err.Error(), "too few for") {
			t.Errorf("%v", err)
		}
	})
	// Listing its wires takes some memory, compiling it gigabytes.
	if used > 4*hostileBytes {
		t.Errorf("%d bytes allocated", used)
	}
}

// provesNothingWrong loads bytes as a proving key; what loads must prove without a panic, and give no proof of a lie.
func provesNothingWrong(t *testing.T, key []byte) {
	p := shared(t)
	prover, err := system.Groth16.Load(p.document, key)
	if err != nil {
		return
	}
	_, _ = prover.Prove(encoded(p.document, new(big.Int).SetBytes(p.digest), p.wires))
}

// A key with a flipped bit is refused or proves without a panic: a panic in one of gnark's own threads could not be caught.
func TestProvingKeysWithFlippedBits(t *testing.T) {
	honest := shared(t).keys.Proving
	random := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		key := bytes.Clone(honest)
		key[random.IntN(len(key))] ^= 1 << random.IntN(8)
		provesNothingWrong(t, key)
	}
}

// Loading a proving key never panics nor allocates more than its bytes are worth, and a loaded key proves without a panic.
func FuzzLoad(f *testing.F) {
	honest := shared(f).keys.Proving
	f.Add(0, uint64(1<<40), len(honest))
	lengths, _ := places(f)
	for _, at := range lengths {
		f.Add(at, uint64(1<<64-1), len(honest))
	}
	f.Fuzz(func(t *testing.T, at int, value uint64, length int) {
		if at < 0 || length < 0 || length > len(honest) || at > length-8 {
			return
		}
		key := bytes.Clone(honest[:length])
		binary.BigEndian.PutUint64(key[at:], value)
		used := allocated(func() { provesNothingWrong(t, key) })
		if used > 2*hostileBytes {
			t.Errorf("%d bytes allocated", used)
		}
	})
}
