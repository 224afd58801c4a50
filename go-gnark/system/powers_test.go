package system_test

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"strings"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr/fft"
	"github.com/consensys/gnark-crypto/ecc/bn254/kzg"
	"github.com/consensys/gnark-crypto/utils"

	"equiproof/relation"
	"equiproof/system"
)

// powersOf writes the powers of a secret for a domain, the Lagrange values by an inverse transform of the powers.
func powersOf(t testing.TB, size int, secret *big.Int) []byte {
	t.Helper()
	srs, err := kzg.NewSRS(uint64(size+3), secret)
	if err != nil {
		t.Fatal(err)
	}
	var tau fr.Element
	tau.SetBigInt(secret)
	values := make([]fr.Element, size)
	values[0].SetOne()
	for i := 1; i < size; i++ {
		values[i].Mul(&values[i-1], &tau)
	}
	fft.NewDomain(uint64(size)).FFTInverse(values, fft.DIF)
	utils.BitReverse(values)
	_, _, g1, _ := bn254.Generators()
	out := binary.BigEndian.AppendUint64(nil, uint64(size))
	inG2 := srs.Vk.G2[1].Bytes()
	out = append(out, inG2[:]...)
	for _, list := range [][]bn254.G1Affine{srs.Pk.G1, bn254.BatchScalarMultiplicationG1(&g1, values)} {
		for i := range list {
			raw := list[i].RawBytes()
			out = append(out, raw[:]...)
		}
	}
	return out
}

const powersHead = 8 + 64

// tinySize is the domain of the tiny shape.
func tinySize(t testing.TB) int {
	t.Helper()
	return int(binary.BigEndian.Uint64(sharedBy(t, system.Plonk).keys.Verifying))
}

// Keys that are made of the powers of others prove and verify.
func TestKeysOfGivenPowers(t *testing.T) {
	p := sharedBy(t, system.Plonk)
	keys, err := system.Plonk.SetupFrom(relation.New(tiny()), powersOf(t, tinySize(t), big.NewInt(123456789)))
	if err != nil {
		t.Fatal(err)
	}
	prover, err := system.Plonk.Load(p.document, keys.Proving)
	if err != nil {
		t.Fatal(err)
	}
	proof, err := prover.Prove(encoded(p.document, new(big.Int).SetBytes(p.digest), p.wires))
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := system.Plonk.LoadVerifier(keys.Verifying)
	if err != nil {
		t.Fatal(err)
	}
	if err := verifier.Verify(p.digest, proof); err != nil {
		t.Error(err)
	}
	if p.verifier.Verify(p.digest, proof) == nil {
		t.Error("a proof holds under powers that it was not made with")
	}
}

// Powers that are not those of one secret, in both forms, make no key: proofs under them could show the witness.
func TestWrongPowersMakeNoKey(t *testing.T) {
	size := tinySize(t)
	honest, other := powersOf(t, size, big.NewInt(99991)), powersOf(t, size, big.NewInt(7))
	split := powersHead + 64*(size+3)
	infinity := make([]byte, 64)
	offCurve := append(append(make([]byte, 31), 1), append(make([]byte, 31), 1)...)
	with := func(at int, data []byte) []byte {
		changed := bytes.Clone(honest)
		copy(changed[at:], data)
		return changed
	}
	root, err := fr.Generator(4)
	if err != nil {
		t.Fatal(err)
	}
	// At such a secret nothing is blinded: what hides the witness is zero all over the domain.
	inDomain := fft.NewDomain(uint64(size)).Generator
	known := func(secret fr.Element) []byte {
		var point bn254.G2Affine
		_, _, _, g2 := bn254.Generators()
		compressed := point.ScalarMultiplication(&g2, secret.BigInt(new(big.Int))).Bytes()
		return compressed[:]
	}
	for name, powers := range map[string][]byte{
		"bytes":                          {1, 2, 3},
		"one byte less":                  honest[:len(honest)-1],
		"one byte more":                  append(bytes.Clone(honest), 0),
		"another domain's head":          with(0, binary.BigEndian.AppendUint64(nil, uint64(2*size))),
		"a secret of one":                with(8, known(fr.One())),
		"a fourth root of one":           with(8, known(root)),
		"a secret of zero":               with(8, known(fr.Element{})),
		"a secret of the domain":         powersOf(t, size, inDomain.BigInt(new(big.Int))),
		"another tau in G2":              with(8, other[8:powersHead]),
		"another first power":            with(powersHead, other[powersHead+64:powersHead+128]),
		"all powers of another":          with(powersHead, other[powersHead:split]),
		"the last power of another":      with(split-64, other[split-64:split]),
		"a power at infinity":            with(powersHead+640, infinity),
		"a power off the curve":          with(powersHead+640, offCurve),
		"another Lagrange form":          with(split, other[split:]),
		"a Lagrange value of another":    with(len(honest)-64, other[len(other)-64:]),
		"a Lagrange value at infinity":   with(split, infinity),
		"a Lagrange value off the curve": with(split+64, offCurve),
		"two Lagrange values exchanged":  with(split, append(bytes.Clone(honest[split+64:split+128]), honest[split:split+64]...)),
	} {
		if _, err := system.Plonk.SetupFrom(relation.New(tiny()), powers); err == nil || !strings.Contains(err.Error(), "powers") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := system.Groth16.SetupFrom(relation.New(tiny()), honest); err == nil {
		t.Error("powers alone made a key of Groth16")
	}
}
