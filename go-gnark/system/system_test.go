package system_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math/big"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark-crypto/ecc/bn254/fp"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr/pedersen"
	groth16bn254 "github.com/consensys/gnark/backend/groth16/bn254"
	"github.com/consensys/gnark/logger"

	"equiproof/check"
	"equiproof/gadget/bounded"
	"equiproof/internal/oracle"
	"equiproof/relation"
	"equiproof/shape"
	"equiproof/system"
)

func init() { logger.Disable() }

// tiny is the smallest shape: one neuron, one logit, two slices, four regions.
func tiny() *shape.Shape {
	return &shape.Shape{
		Architecture: shape.Architecture{
			BiasBits: []int{35, 52}, Hidden: []int{1}, Logits: 1, Plain: 1, Sensitive: 1, WeightBits: []int{16, 16},
		},
		Capacity: 4, Format: "equiproof-shape", InputBits: 18, InputFractionBits: 10, RadiusBits: 29, Scheme: "traversal",
		Slices: 2, Version: 2,
	}
}

func written(t testing.TB, s *shape.Shape) []byte {
	t.Helper()
	document, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// constant returns the wires of a network that always decides 1, in the order of the layout, and the statement's digest.
func constant(s *shape.Shape) ([]*big.Int, *big.Int) { return idle(s, new(big.Int)) }

// idle is constant for a network whose last weight is this one: its only neuron never has another value than zero.
func idle(s *shape.Shape, last *big.Int) ([]*big.Int, *big.Int) {
	zero, one, radius := new(big.Int), big.NewInt(1), big.NewInt(1_000_000)
	blinding := big.NewInt(77)
	var wires []*big.Int
	for _, segment := range relation.Layout(s) {
		for i := range segment.Length {
			value := zero
			switch segment.Name {
			case "biases.2", "label", "pattern": // a pre-activation of zero is active
				value = one
			case "weights.2":
				value = last
			case "neighbor":
				value = big.NewInt(int64(i)) // one neuron: each row names itself
			case "radius_squared":
				value = radius
			case "model_blinding", "query_blinding":
				value = blinding
			}
			wires = append(wires, value)
		}
	}
	spec, context, version := zero, zero, big.NewInt(2)
	weight, input := oracle.Signed{Value: zero, Bits: 16}, oracle.Signed{Value: zero, Bits: 18}
	model := oracle.Pack(weight, weight, oracle.Signed{Value: zero, Bits: 35}, oracle.Signed{Value: last, Bits: 16},
		oracle.Signed{Value: one, Bits: 52})
	return wires, oracle.Hash(
		oracle.Tag("equiproof.statement"), version, oracle.Tag("traversal"), s.Digest(),
		oracle.Hash(append([]*big.Int{oracle.Tag("equiproof.model"), version, one, s.Architecture.Digest(), spec, blinding}, model...)...),
		spec,
		oracle.Hash(append([]*big.Int{oracle.Tag("equiproof.domain"), version, one, one, big.NewInt(2), big.NewInt(10), big.NewInt(18), one},
			oracle.Pack(input, input)...)...),
		oracle.Hash(append([]*big.Int{oracle.Tag("equiproof.query"), version, one, big.NewInt(18), one, blinding}, oracle.Pack(input)...)...),
		one, radius, context,
	)
}

// encoded writes a witness file.
func encoded(document []byte, digest *big.Int, wires []*big.Int) []byte {
	head := sha256.Sum256(document)
	data := append([]byte("EPWIT\x01"), head[:]...)
	for _, wire := range append([]*big.Int{digest}, wires...) {
		data = append(data, wire.FillBytes(make([]byte, fr.Bytes))...)
	}
	return data
}

// proven is one set-up of the tiny shape with a proof that holds, shared by all tests of a proof system.
type proven struct {
	document      []byte
	keys          *system.Keys
	prover        *system.Prover
	verifier      *check.Verifier
	wires         []*big.Int
	digest, proof []byte
}

var made = map[string]func() (*proven, error){
	system.Groth16.Name(): sync.OnceValues(func() (*proven, error) { return provenBy(system.Groth16) }),
	system.Plonk.Name():   sync.OnceValues(func() (*proven, error) { return provenBy(system.Plonk) }),
}

func provenBy(proofSystem system.ProofSystem) (*proven, error) {
	s := tiny()
	document, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	wires, digest := constant(s)
	p := &proven{document: document, wires: wires, digest: digest.FillBytes(make([]byte, fr.Bytes))}
	if p.keys, err = proofSystem.Setup(relation.New(s)); err != nil {
		return nil, err
	}
	if p.prover, err = proofSystem.Load(document, p.keys.Proving); err != nil {
		return nil, err
	}
	if p.verifier, err = proofSystem.LoadVerifier(p.keys.Verifying); err != nil {
		return nil, err
	}
	p.proof, err = p.prover.Prove(encoded(document, digest, wires))
	return p, err
}

func shared(t testing.TB) *proven {
	t.Helper()
	return sharedBy(t, system.Groth16)
}

func sharedBy(t testing.TB, proofSystem system.ProofSystem) *proven {
	t.Helper()
	p, err := made[proofSystem.Name()]()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A proof of the honest witness holds for its statement's digest, and its length is that of every proof.
func TestProofHolds(t *testing.T) {
	p := shared(t)
	if len(p.proof) != check.ProofBytes {
		t.Errorf("%d bytes, want %d", len(p.proof), check.ProofBytes)
	}
	if err := p.verifier.Verify(p.digest, p.proof); err != nil {
		t.Error(err)
	}
}

// The prover's constraint system, when compiled again, equals that of the keys; another shape has a different one.
func TestSystemDigest(t *testing.T) {
	p := shared(t)
	if digest, err := p.prover.SystemDigest(); err != nil || digest != p.keys.SystemDigest {
		t.Errorf("%x, %v, want %x", digest, err, p.keys.SystemDigest)
	}
	larger := tiny()
	larger.Capacity = 8
	compiled, err := system.Groth16.Compile(relation.New(larger))
	if err != nil {
		t.Fatal(err)
	}
	if digest, err := system.Digest(compiled); err != nil || digest == p.keys.SystemDigest {
		t.Errorf("the same digest for another shape, %v", err)
	}
}

// A proof does not hold for another statement, which is a refusal and no other error.
func TestAnotherDigestIsRefused(t *testing.T) {
	p := shared(t)
	for _, other := range []*big.Int{new(big.Int), big.NewInt(1), new(big.Int).Add(new(big.Int).SetBytes(p.digest), big.NewInt(1))} {
		if err := p.verifier.Verify(other.FillBytes(make([]byte, fr.Bytes)), p.proof); !errors.Is(err, check.ErrRefused) {
			t.Errorf("digest %v: %v", other, err)
		}
	}
}

// A digest that is not the canonical encoding of a field element is malformed: the order, the digest plus the order, the
// largest number of 32 bytes, other lengths.
func TestNonCanonicalDigests(t *testing.T) {
	p := shared(t)
	wrapped := new(big.Int).Add(new(big.Int).SetBytes(p.digest), fr.Modulus())
	for name, digest := range map[string][]byte{
		"the order": fr.Modulus().Bytes(), "digest + order": wrapped.Bytes(), "2^256 - 1": bytes.Repeat([]byte{0xff}, 32),
		"short": p.digest[1:], "long": append([]byte{0}, p.digest...), "none": nil,
	} {
		if err := p.verifier.Verify(digest, p.proof); err == nil || errors.Is(err, check.ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A proof of another length is malformed.
func TestProofsOfOtherLengths(t *testing.T) {
	p := shared(t)
	for _, length := range []int{0, 1, 32, 128, 132, len(p.proof) - 1} {
		if err := p.verifier.Verify(p.digest, p.proof[:length]); err == nil || errors.Is(err, check.ErrRefused) {
			t.Errorf("%d bytes: %v", length, err)
		}
	}
	for _, more := range [][]byte{{0}, make([]byte, 32), p.proof} {
		if err := p.verifier.Verify(p.digest, append(bytes.Clone(p.proof), more...)); err == nil || errors.Is(err, check.ErrRefused) {
			t.Errorf("%d bytes more: %v", len(more), err)
		}
	}
}

// A proof with any bit flipped is refused or malformed: one bit of every byte, and all bits of the bytes with flags.
func TestFlippedBits(t *testing.T) {
	p := shared(t)
	flip := func(at, bit int) {
		proof := bytes.Clone(p.proof)
		proof[at] ^= 1 << bit
		if err := p.verifier.Verify(p.digest, proof); err == nil {
			t.Errorf("byte %d, bit %d: verified", at, bit)
		}
	}
	for at := range p.proof {
		flip(at, at%8)
	}
	for _, at := range []int{0, 32, 96, 128, 129, 130, 131, 132, 164} {
		for bit := range 8 {
			flip(at, bit)
		}
	}
}

// A proof with points at infinity in place of its own is refused.
func TestProofsOfNothing(t *testing.T) {
	p := shared(t)
	for _, parts := range [][][2]int{{{0, 32}}, {{32, 96}}, {{96, 128}}, {{132, 164}}, {{164, 196}}, {{132, 164}, {164, 196}}, {{0, 32}, {32, 96}, {96, 128}, {132, 164}, {164, 196}}} {
		proof := bytes.Clone(p.proof)
		for _, part := range parts {
			clear(proof[part[0]:part[1]])
			proof[part[0]] = 0x40 // compressed infinity
		}
		if err := p.verifier.Verify(p.digest, proof); err == nil {
			t.Errorf("infinity at %v: verified", parts)
		}
	}
}

// A witness of a false statement has no proof (ErrUnsatisfied); an unreadable witness is a different error.
func TestFalseStatementsHaveNoProof(t *testing.T) {
	p := shared(t)
	digest := new(big.Int).SetBytes(p.digest)
	offset := 0
	for _, segment := range relation.Layout(tiny()) {
		if value, changed := map[string]int64{"radius_squared": 3, "biases.2": 3, "neighbor": 1, "slice": 3}[segment.Name]; changed {
			wires := append([]*big.Int{}, p.wires...)
			wires[offset] = big.NewInt(value)
			if _, err := p.prover.Prove(encoded(p.document, digest, wires)); !errors.Is(err, system.ErrUnsatisfied) {
				t.Errorf("%s: %v", segment.Name, err)
			}
		}
		offset += segment.Length
	}
	if _, err := p.prover.Prove(encoded(p.document, new(big.Int).Add(digest, big.NewInt(1)), p.wires)); !errors.Is(err, system.ErrUnsatisfied) {
		t.Errorf("another digest: %v", err)
	}
	honest := encoded(p.document, digest, p.wires)
	for name, data := range map[string][]byte{"none": nil, "short": honest[1:], "another shape's": encoded([]byte("{}"), digest, p.wires)} {
		if _, err := p.prover.Prove(data); err == nil || errors.Is(err, system.ErrUnsatisfied) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A proof under one key does not hold under another key of the same shape.
func TestKeysOfAnotherSetUp(t *testing.T) {
	p := shared(t)
	other, err := system.Groth16.Setup(relation.New(tiny()))
	if err != nil {
		t.Fatal(err)
	}
	if other.SystemDigest != p.keys.SystemDigest {
		t.Error("two set-ups of one shape have different systems")
	}
	verifier, err := system.Groth16.LoadVerifier(other.Verifying)
	if err != nil {
		t.Fatal(err)
	}
	if err := verifier.Verify(p.digest, p.proof); !errors.Is(err, check.ErrRefused) {
		t.Errorf("%v", err)
	}
}

// changedKey returns the verifying key with a change made to it.
func changedKey(t testing.TB, change func(key *groth16bn254.VerifyingKey)) []byte {
	t.Helper()
	key := new(groth16bn254.VerifyingKey)
	if _, err := key.ReadFrom(bytes.NewReader(shared(t).keys.Verifying)); err != nil {
		t.Fatal(err)
	}
	change(key)
	var out bytes.Buffer
	if _, err := key.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Keys that no honest set-up writes are refused, and the error states what is wrong with them.
func TestDegenerateKeysAreRefused(t *testing.T) {
	_, _, g1, g2 := bn254.Generators()
	var none1 bn254.G1Affine
	var none2, minusG2 bn254.G2Affine
	var minusG1 bn254.G1Affine
	minusG1.Neg(&g1)
	minusG2.Neg(&g2)
	for _, degenerate := range []struct {
		name, want string
		change     func(key *groth16bn254.VerifyingKey)
	}{
		{"gamma = delta", "gamma equals delta", func(k *groth16bn254.VerifyingKey) { k.G2.Gamma = k.G2.Delta }},
		{"delta = gamma", "gamma equals delta", func(k *groth16bn254.VerifyingKey) { k.G2.Delta = k.G2.Gamma }},
		{"both generators", "gamma equals delta", func(k *groth16bn254.VerifyingKey) { k.G2.Delta, k.G2.Gamma = g2, g2 }},
		{"gamma = -delta", "gamma equals delta or its negative", func(k *groth16bn254.VerifyingKey) { k.G2.Gamma.Neg(&k.G2.Delta) }},
		{"beta -generator", "beta", func(k *groth16bn254.VerifyingKey) { k.G2.Beta = minusG2 }},
		{"delta -generator", "delta", func(k *groth16bn254.VerifyingKey) { k.G2.Delta = minusG2 }},
		{"alpha -generator", "alpha", func(k *groth16bn254.VerifyingKey) { k.G1.Alpha = minusG1 }},
		{"beta infinite", "beta", func(k *groth16bn254.VerifyingKey) { k.G2.Beta = none2 }},
		{"gamma infinite", "gamma", func(k *groth16bn254.VerifyingKey) { k.G2.Gamma = none2 }},
		{"delta infinite", "delta", func(k *groth16bn254.VerifyingKey) { k.G2.Delta = none2 }},
		{"beta generator", "beta", func(k *groth16bn254.VerifyingKey) { k.G2.Beta = g2 }},
		{"delta generator", "delta", func(k *groth16bn254.VerifyingKey) { k.G2.Delta = g2 }},
		{"alpha infinite", "alpha", func(k *groth16bn254.VerifyingKey) { k.G1.Alpha = none1 }},
		{"alpha generator", "alpha", func(k *groth16bn254.VerifyingKey) { k.G1.Alpha = g1 }},
		{"constant infinite", "input point 0", func(k *groth16bn254.VerifyingKey) { k.G1.K[0] = none1 }},
		{"digest unbound", "input point 1", func(k *groth16bn254.VerifyingKey) { k.G1.K[1] = none1 }},
		{"challenge unbound", "input point 2", func(k *groth16bn254.VerifyingKey) { k.G1.K[2] = none1 }},
		{"no commitment", "0 commitments", func(k *groth16bn254.VerifyingKey) {
			k.CommitmentKeys, k.PublicAndCommitmentCommitted = nil, [][]int{}
		}},
		{"two commitments", "2 commitments", func(k *groth16bn254.VerifyingKey) {
			k.CommitmentKeys = append(k.CommitmentKeys, k.CommitmentKeys[0])
			k.PublicAndCommitmentCommitted = append(k.PublicAndCommitmentCommitted, []int{})
			k.G1.K = append(k.G1.K, k.G1.K[1])
		}},
		{"two inputs", "4 input points", func(k *groth16bn254.VerifyingKey) { k.G1.K = append(k.G1.K, k.G1.K[1]) }},
		{"no input", "2 input points", func(k *groth16bn254.VerifyingKey) { k.G1.K = k.G1.K[:2] }},
		{"commitment G infinite", "commitment", func(k *groth16bn254.VerifyingKey) { k.CommitmentKeys[0].G = none2 }},
		{"commitment sigma infinite", "commitment", func(k *groth16bn254.VerifyingKey) { k.CommitmentKeys[0].GSigmaNeg = none2 }},
		{"commitment sigma = -1", "commitment", func(k *groth16bn254.VerifyingKey) {
			k.CommitmentKeys[0] = pedersen.VerifyingKey{G: g2, GSigmaNeg: g2}
		}},
	} {
		_, err := system.Groth16.LoadVerifier(changedKey(t, degenerate.change))
		// Other numbers of points show in the length already.
		if err == nil || !strings.Contains(err.Error(), degenerate.want) && !strings.Contains(err.Error(), "bytes, want") {
			t.Errorf("%s: %v", degenerate.name, err)
		}
	}
}

// Gamma may be the generator: ceremonies leave it there.
func TestGammaOfACeremony(t *testing.T) {
	_, _, _, g2 := bn254.Generators()
	if _, err := system.Groth16.LoadVerifier(changedKey(t, func(k *groth16bn254.VerifyingKey) { k.G2.Gamma = g2 })); err != nil {
		t.Error(err)
	}
}

// With sigma = 1 the commitment is its own proof of knowledge, and any point passes for a commitment: such a key is refused.
func TestCommitmentKeyOfSigmaOne(t *testing.T) {
	key := changedKey(t, func(k *groth16bn254.VerifyingKey) { k.CommitmentKeys[0].GSigmaNeg.Neg(&k.CommitmentKeys[0].G) })
	if _, err := system.Groth16.LoadVerifier(key); err == nil || !strings.Contains(err.Error(), "commitment") {
		t.Errorf("%v", err)
	}
}

// An invalid verifying key is refused: empty, too short, too long, or with points off their curve or outside their subgroup.
func TestKeysThatCannotBeRead(t *testing.T) {
	key := shared(t).keys.Verifying
	if _, err := system.Groth16.LoadVerifier(key); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"none": nil, "short": key[:len(key)-1], "long": append(bytes.Clone(key), 0), "huge": make([]byte, 1<<20),
		"zeros": make([]byte, len(key)),
	} {
		if _, err := system.Groth16.LoadVerifier(data); err == nil {
			t.Errorf("%s: read", name)
		}
	}
	refused := 0
	for at := 1; at < len(key); at += 16 {
		other := bytes.Clone(key)
		other[at] ^= 1
		if _, err := system.Groth16.LoadVerifier(other); err != nil {
			refused++
		}
	}
	// Half of all x are on G1's curve; on G2's half, and of those next to none are in the subgroup.
	if refused < 20 {
		t.Errorf("%d of 33 keys with a flipped bit were refused", refused)
	}
}

// A proving key of too many or too few bytes is refused.
func TestProvingKeysThatCannotBeRead(t *testing.T) {
	p := shared(t)
	for name, proving := range map[string][]byte{
		"none": nil, "short": p.keys.Proving[:len(p.keys.Proving)-1], "long": append(bytes.Clone(p.keys.Proving), 0),
	} {
		if _, err := system.Groth16.Load(p.document, proving); err == nil {
			t.Errorf("%s: read", name)
		}
	}
	if _, err := system.Groth16.Load([]byte("{}"), p.keys.Proving); err == nil {
		t.Error("a shape of nothing was loaded")
	}
}

// outgrown compiles a shape of n hidden layers whose first biases have so many bits, and expects it to be refused.
func outgrown(t *testing.T, n, bits int) *bounded.OverflowError {
	t.Helper()
	s := tiny()
	s.Architecture.Hidden, s.Architecture.BiasBits, s.Architecture.WeightBits = nil, []int{bits}, []int{16}
	for range n {
		s.Architecture.WeightBits = append(s.Architecture.WeightBits, 16)
		s.Architecture.Hidden = append(s.Architecture.Hidden, 2)
		s.Architecture.BiasBits = append(s.Architecture.BiasBits, 52)
	}
	if _, err := shape.Parse(written(t, s)); err != nil {
		t.Fatal(err)
	}
	_, err := system.Groth16.Compile(relation.New(s))
	var overflow *bounded.OverflowError
	if !errors.As(err, &overflow) || !strings.HasPrefix(err.Error(), "shape: ") || strings.Contains(err.Error(), "\n") {
		t.Fatalf("%d layers, %d bits: %v", n, bits, err)
	}
	return overflow
}

// A shape whose values could pass 2^250 does not compile, and the error names the place and the width on one line.
func TestValuesThatOutgrowTheField(t *testing.T) {
	if overflow := outgrown(t, 1, 250); overflow.Where != "layer 1" || overflow.Bits <= 250 {
		t.Errorf("%v", overflow)
	}
	// The deeper, the wider: squares outgrow the field first, as the distance to a facet or a decision hyperplane.
	if overflow := outgrown(t, 2, 124); overflow.Where != "layer 2, distance to a facet" || overflow.Bits <= 250 {
		t.Errorf("%v", overflow)
	}
}

// Also where the forms themselves outgrow the field, before their squares do, the error names the layer.
func TestFormsThatOutgrowTheField(t *testing.T) {
	if overflow := outgrown(t, 8, 35); !strings.Contains(overflow.Where, "layer") {
		t.Errorf("%v", overflow)
	}
}

// A shape whose rows are the centres alone, with no padding, has its proof like any other.
func TestCapacityOfTheSlicesAlone(t *testing.T) {
	s := tiny()
	s.Capacity = 2
	document := written(t, s)
	keys, err := system.Groth16.Setup(relation.New(s))
	if err != nil {
		t.Fatal(err)
	}
	prover, err := system.Groth16.Load(document, keys.Proving)
	if err != nil {
		t.Fatal(err)
	}
	wires, digest := constant(s)
	if _, err := prover.Prove(encoded(document, digest, wires)); err != nil {
		t.Error(err)
	}
}

// allocated measures how many bytes a call allocates.
func allocated(call func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	call()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// count is a length that a crafted key or proof claims; with 2^32 - 1 the process would run out of memory.
const count = 1 << 19

// In a proof with uncompressed points, the forger chooses the bytes that are read as the number of commitments. Such a proof
// is refused before anything is allocated for it.
func TestProofsCannotClaimLengths(t *testing.T) {
	p := shared(t)
	_, _, g1, g2 := bn254.Generators()
	a, b, krs := g1.RawBytes(), g2.Bytes(), startingWithOne().RawBytes()
	forged := append(append(append([]byte{}, a[:]...), b[:]...), krs[:]...)
	forged = binary.BigEndian.AppendUint32(forged, count)
	if len(forged) != check.ProofBytes || !bytes.Equal(forged[128:132], []byte{0, 0, 0, 1}) {
		t.Fatalf("%d bytes, %x", len(forged), forged[128:132])
	}
	used := allocated(func() {
		if err := p.verifier.Verify(p.digest, forged); err == nil || errors.Is(err, check.ErrRefused) {
			t.Error(err)
		}
	})
	if used > 1<<20 {
		t.Errorf("%d bytes were allocated for a proof of %d", used, len(forged))
	}
}

// startingWithOne returns a point whose uncompressed form starts with the bytes 0, 0, 0, 1.
func startingWithOne() *bn254.G1Affine {
	x := new(big.Int).Lsh(big.NewInt(1), 224)
	three := fp.NewElement(3)
	for {
		var point bn254.G1Affine
		var square fp.Element
		point.X.SetBigInt(x)
		square.Square(&point.X).Mul(&square, &point.X).Add(&square, &three)
		if point.Y.Sqrt(&square) != nil {
			return &point
		}
		x.Add(x, big.NewInt(1))
	}
}

// endingWithThree returns a point whose uncompressed form has the bytes 0, 0, 0, 3 at the start of its second half.
func endingWithThree() *bn254.G1Affine {
	order := fp.Modulus()
	ninth := new(big.Int).Sub(order, big.NewInt(1))
	ninth.Div(ninth, big.NewInt(9)) // 9 divides the order less one, 27 does not
	third := new(big.Int).ModInverse(big.NewInt(3), ninth)
	var root fp.Element // of order 9, being a power of no cube
	for g := uint64(2); ; g++ {
		var cube fp.Element
		root.SetUint64(g)
		root.Exp(root, ninth)
		if cube.Square(&root).Mul(&cube, &root); !cube.IsOne() {
			break
		}
	}
	three := fp.NewElement(3)
	for y := new(big.Int).Lsh(big.NewInt(3), 224); ; y.Add(y, big.NewInt(1)) {
		var point bn254.G1Affine
		var want fp.Element
		point.Y.SetBigInt(y)
		want.Square(&point.Y).Sub(&want, &three)
		point.X.Exp(want, third)
		for range 9 {
			if point.IsOnCurve() {
				return &point
			}
			point.X.Mul(&point.X, &root)
		}
	}
}

// In a verifying key with uncompressed points, the lengths are at other places than expected. Such a key is refused before
// anything is allocated for it.
func TestKeysCannotMoveTheirLengths(t *testing.T) {
	_, _, g1, g2 := bn254.Generators()
	one, two, three := g1.RawBytes(), g2.Bytes(), endingWithThree().RawBytes()
	var key []byte
	for _, point := range [][]byte{one[:], one[:], two[:], two[:], three[:], two[:]} { // alpha, beta, beta, gamma, delta, delta
		key = append(key, point...)
	}
	key = binary.BigEndian.AppendUint32(key, count)
	key = append(key, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1)
	key = append(key, make([]byte, 528-len(key))...)
	if !bytes.Equal(key[288:292], []byte{0, 0, 0, 3}) || !bytes.Equal(key[388:400], []byte{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1}) {
		t.Fatalf("%x", key)
	}
	used := allocated(func() {
		if _, err := system.Groth16.LoadVerifier(key); err == nil {
			t.Error("read")
		}
	})
	if used > 1<<20 {
		t.Errorf("%d bytes were allocated for a key of %d", used, len(key))
	}
}

// A verifying key that claims more input points or committed inputs than its bytes hold is refused before anything is
// allocated for them.
func TestKeysCannotClaimLengths(t *testing.T) {
	for _, at := range []int{288, 388, 392, 396} {
		key := bytes.Clone(shared(t).keys.Verifying)
		binary.BigEndian.PutUint32(key[at:], count)
		used := allocated(func() {
			if _, err := system.Groth16.LoadVerifier(key); err == nil {
				t.Errorf("length at %d: read", at)
			}
		})
		if used > 1<<20 {
			t.Errorf("length at %d: %d bytes were allocated for a key of %d", at, used, len(key))
		}
	}
}

// A key whose commitment hash would include public inputs that do not exist is refused when it is loaded, so that no
// verification panics.
func TestKeysCommittingToInputs(t *testing.T) {
	for _, committed := range [][]int{{1}, {0}, {7}, {1 << 40}} {
		data := changedKey(t, func(key *groth16bn254.VerifyingKey) { key.PublicAndCommitmentCommitted = [][]int{committed} })
		if _, err := system.Groth16.LoadVerifier(data); err == nil {
			t.Errorf("%v was loaded", committed)
		}
	}
}

// Verification never panics, whatever the bytes of the proof and the digest, and succeeds only for the proof's own digest.
func FuzzVerify(f *testing.F) { fuzzVerify(f, system.Groth16) }

func fuzzVerify(f *testing.F, proofSystem system.ProofSystem) {
	f.Helper()
	p := sharedBy(f, proofSystem)
	f.Add(p.digest, p.proof)
	f.Add(p.digest[:31], p.proof[:100])
	f.Fuzz(func(t *testing.T, digest, proof []byte) {
		if len(proof) > 1<<10 || len(digest) > 1<<10 {
			return
		}
		if err := p.verifier.Verify(digest, proof); err == nil && !bytes.Equal(digest, p.digest) {
			t.Errorf("%x holds for %x", proof, digest)
		}
	})
}

// Loading a verifying key never panics, and a loaded key verifies without a panic.
func FuzzLoadVerifier(f *testing.F) {
	p := shared(f)
	f.Add(p.keys.Verifying)
	f.Add(changedKey(f, func(key *groth16bn254.VerifyingKey) { key.G2.Gamma = key.G2.Delta }))
	f.Fuzz(func(_ *testing.T, key []byte) {
		if verifier, err := system.Groth16.LoadVerifier(key); err == nil {
			_ = verifier.Verify(p.digest, p.proof)
		}
	})
}
