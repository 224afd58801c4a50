package ceremony

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr/fft"
	"github.com/consensys/gnark-crypto/ecc/bn254/kzg"

	"equiproof/system"
)

// The Lagrange form, from the smallest domain on, is that of the powers: element i is L_i(tau), by its definition
// L_i(x) = w^i (x^n - 1) / (n (x - w^i)).
func TestLagrangeForm(t *testing.T) {
	var secrets [3]fr.Element
	for i := range secrets {
		secrets[i].SetUint64(uint64(i + 12345))
	}
	for power := minPower; power <= 5; power++ {
		n := 1 << power
		powers := ones(n)
		if err := update(powers, secrets); err != nil {
			t.Fatal(err)
		}
		data := must[[]byte](t)(written(powers))
		form := must[[]byte](t)(LagrangeForm(power, data))
		if err := CheckLagrange(power, data, form); err != nil {
			t.Errorf("2^%d: %v", power, err)
		}
		if !bytes.Equal(form, defined(n, secrets).written()) {
			t.Errorf("2^%d: another form", power)
		}
	}
}

// defined computes a Lagrange form from the secrets.
func defined(n int, secrets [3]fr.Element) *form {
	domain := fft.NewDomain(uint64(n))
	one, root := fr.One(), fr.One()
	values := [3][]fr.Element{}
	for range n {
		var numerator, denominator fr.Element
		numerator.Exp(secrets[0], big.NewInt(int64(n))).Sub(&numerator, &one)
		denominator.Sub(&secrets[0], &root).Inverse(&denominator)
		numerator.Mul(&numerator, &root).Mul(&numerator, &domain.CardinalityInv).Mul(&numerator, &denominator)
		for i, factor := range []*fr.Element{&one, &secrets[1], &secrets[2]} {
			var value fr.Element
			values[i] = append(values[i], *value.Mul(&numerator, factor))
		}
		root.Mul(&root, &domain.Generator)
	}
	_, _, g1, g2 := bn254.Generators()
	in1 := func(scalars []fr.Element) []bn254.G1Affine { return bn254.BatchScalarMultiplicationG1(&g1, scalars) }
	return &form{in1(values[0]), in1(values[1]), in1(values[2]), bn254.BatchScalarMultiplicationG2(&g2, values[0])}
}

// A form with one point changed or two swapped is refused, in every list; and that of other powers.
func TestOtherLagrangeForms(t *testing.T) {
	powers := finished(t, tiny)
	honest := must[[]byte](t)(LagrangeForm(tiny, powers))
	attacks := map[string]func(f *form){
		"alpha for beta":      func(f *form) { f.alpha, f.beta = f.beta, f.alpha },
		"tau in G2 doubled":   func(f *form) { twice(&f.tau2[7]) },
		"tau in G2 swapped":   func(f *form) { f.tau2[0], f.tau2[1] = f.tau2[1], f.tau2[0] },
		"beta swapped":        func(f *form) { f.beta[3], f.beta[5] = f.beta[5], f.beta[3] },
		"all points of alpha": func(f *form) { twice(pointers(f.alpha)...) },
	}
	for i := range 1 << tiny {
		attacks["tau at "+string(rune('0'+i))] = func(f *form) { twice(&f.tau[i]) }
		attacks["alpha at "+string(rune('0'+i))] = func(f *form) { f.alpha[i] = f.alpha[(i+1)%8] }
		attacks["beta at "+string(rune('0'+i))] = func(f *form) { f.beta[i].Neg(&f.beta[i]) }
	}
	for name, attack := range attacks {
		form := must[*form](t)(readForm(1<<tiny, honest))
		attack(form)
		refused(t, name, Lagrange, CheckLagrange(tiny, powers, form.written()))
	}
	refused(t, "other powers", Lagrange, CheckLagrange(tiny, finished(t, tiny), honest))
	form := must[*form](t)(readForm(1<<tiny, honest))
	form.tau2[2] = outside(form.tau2[2])
	refused(t, "outside", Subgroup, CheckLagrange(tiny, powers, form.written()))
}

// A form of another length, or with bytes that are no point, is malformed.
func TestMalformedLagrangeForms(t *testing.T) {
	powers := finished(t, tiny)
	honest := must[[]byte](t)(LagrangeForm(tiny, powers))
	for _, form := range [][]byte{nil, honest[1:], append(bytes.Clone(honest), 0), append(bytes.Clone(honest), honest...)} {
		malformed(t, "length", CheckLagrange(tiny, powers, form))
	}
	for _, at := range []int{0, rawG1Bytes, len(honest) / 2, len(honest) - rawG2Bytes} {
		for _, width := range []int{32, 64} {
			form := bytes.Clone(honest)
			copy(form[at/rawG1Bytes*rawG1Bytes:], bytes.Repeat([]byte{0xff}, width))
			malformed(t, "no point", CheckLagrange(tiny, powers, form))
			form = bytes.Clone(honest)
			form[at+31] ^= 1
			malformed(t, "off the curve", CheckLagrange(tiny, powers, form))
		}
	}
	form := bytes.Clone(honest)
	var point bn254.G1Affine
	must[int](t)(point.SetBytes(honest[:rawG1Bytes]))
	compressed := point.Bytes()
	copy(form, compressed[:])
	malformed(t, "compressed", CheckLagrange(tiny, powers, form))
	form = bytes.Clone(honest)
	clear(form[:rawG1Bytes])
	malformed(t, "at infinity", CheckLagrange(tiny, powers, form))
}

// The SRS for PLONK holds the domain, [tau]_2, the first powers, and their Lagrange form.
func TestSRS(t *testing.T) {
	powers := finished(t, tiny)
	commons := must[*Commons](t)(readPowers(1<<tiny, powers, whole(1<<tiny)))
	for power := tiny; power >= 2; power-- {
		few, n := must[[]byte](t)(CutPowers(tiny, powers, power)), 1<<power
		canonical, form := readSRS(t, n, commons, must[[]byte](t)(SRS(power, few)))
		if !canonical.Pk.G1[n+2].Equal(&commons.G1.Tau[n+2]) {
			t.Errorf("%d: other powers", n)
		}
		commitsAlike(t, canonical, form)
	}
	for _, power := range []int{-1, 0, 1, tiny + 1, 1 << 40} {
		_, err := SRS(power, powers)
		malformed(t, "power", err)
	}
	_, err := SRS(1, must[[]byte](t)(CutPowers(tiny, powers, 1)))
	malformed(t, "too few powers", err)
}

// readSRS reads the two lists of points that stand behind the domain's size and [tau]_2.
func readSRS(t *testing.T, n int, commons *Commons, data []byte) (canonical, form *kzg.SRS) {
	t.Helper()
	inG2 := commons.G2.Tau[1].Bytes()
	if want := append(binary.BigEndian.AppendUint64(nil, uint64(n)), inG2[:]...); !bytes.HasPrefix(data, want) {
		t.Error("another domain or another tau")
	}
	points := make([]bn254.G1Affine, 2*n+3)
	data = data[sizeBytes+g2Bytes:]
	if len(data) != rawG1Bytes*len(points) {
		t.Fatalf("%d bytes of points", len(data))
	}
	for i := range points {
		if _, err := points[i].SetBytes(data[rawG1Bytes*i : rawG1Bytes*(i+1)]); err != nil {
			t.Fatal(err)
		}
	}
	_, _, g1, g2 := bn254.Generators()
	key := kzg.VerifyingKey{G1: g1, G2: [2]bn254.G2Affine{g2, commons.G2.Tau[1]}}
	for i := range key.G2 {
		key.Lines[i] = bn254.PrecomputeLines(key.G2[i])
	}
	with := func(points []bn254.G1Affine) *kzg.SRS { return &kzg.SRS{Pk: kzg.ProvingKey{G1: points}, Vk: key} }
	return with(points[:n+3]), with(points[n+3:])
}

// commitsAlike compares the commitments to a polynomial by its coefficients and by its values, and opens the first.
func commitsAlike(t *testing.T, srs, form *kzg.SRS) {
	t.Helper()
	values := make([]fr.Element, len(form.Pk.G1))
	for i := range values {
		values[i].SetUint64(uint64(i*i + 1))
	}
	coefficients := system.Interpolated(values)
	left := must[bn254.G1Affine](t)(kzg.Commit(coefficients, srs.Pk))
	right := must[bn254.G1Affine](t)(kzg.Commit(values, form.Pk))
	if !left.Equal(&right) {
		t.Error("the commitments differ")
	}
	proof := must[kzg.OpeningProof](t)(kzg.Open(coefficients, values[1], srs.Pk))
	if err := kzg.Verify(&left, &proof, values[1], srs.Vk); err != nil {
		t.Error(err)
	}
}
