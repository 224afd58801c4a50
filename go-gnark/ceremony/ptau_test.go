package ceremony

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark-crypto/ecc/bn254/fp"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
)

// ptauSection is a section of a .ptau file that the tests write.
type ptauSection struct {
	kind uint32
	data []byte
}

// ptauSections returns the sections of powers, with one of contributions, which are not read, and a Lagrange section.
func ptauSections(c *Commons) []ptauSection {
	power := uint32(0)
	for 1<<power < len(c.G2.Tau) {
		power++
	}
	modulus := fp.Modulus().FillBytes(make([]byte, fp.Bytes))
	slices.Reverse(modulus)
	header := binary.LittleEndian.AppendUint32(nil, fp.Bytes)
	header = append(header, modulus...)
	header = binary.LittleEndian.AppendUint32(header, power)
	header = binary.LittleEndian.AppendUint32(header, power+2)
	return []ptauSection{
		{1, header}, {2, montgomery1(c.G1.Tau)}, {3, montgomery2(c.G2.Tau)}, {4, montgomery1(c.G1.AlphaTau)},
		{5, montgomery1(c.G1.BetaTau)}, {6, montgomery2([]bn254.G2Affine{c.G2.Beta})}, {7, []byte{0, 0, 0, 0}}, {12, nil},
	}
}

func montgomery1(points []bn254.G1Affine) (data []byte) {
	for _, p := range points {
		data = limbs(data, p.X, p.Y)
	}
	return data
}

func montgomery2(points []bn254.G2Affine) (data []byte) {
	for _, p := range points {
		data = limbs(data, p.X.A0, p.X.A1, p.Y.A0, p.Y.A1)
	}
	return data
}

func limbs(data []byte, elements ...fp.Element) []byte {
	for _, element := range elements {
		for _, limb := range element {
			data = binary.LittleEndian.AppendUint64(data, limb)
		}
	}
	return data
}

func ptau(sections []ptauSection) []byte {
	data := binary.LittleEndian.AppendUint32([]byte("ptau"), 1)
	data = binary.LittleEndian.AppendUint32(data, uint32(len(sections)))
	for _, s := range sections {
		data = binary.LittleEndian.AppendUint32(data, s.kind)
		data = binary.LittleEndian.AppendUint64(data, uint64(len(s.data)))
		data = append(data, s.data...)
	}
	return data
}

// imported writes a file and imports it.
func imported(t testing.TB, data []byte, power int) (int, []byte, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "powers.ptau")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return ImportPowers(path, power)
}

// A file gives the powers that it was written from, whole or cut, whatever the order of its sections.
func TestPtauFiles(t *testing.T) {
	powers := finished(t, tiny)
	sections := ptauSections(must[*Commons](t)(readPowers(1<<tiny, powers, whole(1<<tiny))))
	power, output, err := imported(t, ptau(sections), 0)
	if err != nil || power != tiny || !bytes.Equal(output, powers) {
		t.Errorf("power %d, %v", power, err)
	}
	slices.Reverse(sections)
	for to := minPower; to <= tiny; to++ {
		power, output, err := imported(t, ptau(sections), to)
		if err != nil || power != to || !bytes.Equal(output, must[[]byte](t)(CutPowers(tiny, powers, to))) {
			t.Errorf("power %d, want %d, %v", power, to, err)
		}
	}
	_, _, err = imported(t, ptau(sections), tiny+1)
	malformed(t, "larger than the file", err)
	_, _, err = imported(t, ptau(sections), -1)
	malformed(t, "power", err)
}

// One coordinate is known from the format's description alone: the generator's 1 in Montgomery form, R mod p.
func TestPtauGenerator(t *testing.T) {
	data := montgomery1(ones(2).G1.Tau)
	want := []byte{0x9d, 0x0d, 0x8f, 0xc5, 0x8d, 0x43, 0x5d, 0xd3, 0x3d, 0x0b, 0xc7, 0xf5, 0x28, 0xeb, 0x78, 0x0a}
	if !bytes.HasPrefix(data, want) {
		t.Errorf("%x", data[:16])
	}
}

// Points that do not belong together, or are outside their subgroup, are refused; so are powers that nobody chose.
func TestFalsePtauFiles(t *testing.T) {
	powers := finished(t, tiny)
	for name, attack := range map[string]struct {
		reason Reason
		change func(c *Commons)
	}{
		"tau in G1":         {Ratio, func(c *Commons) { twice(&c.G1.Tau[14]) }},
		"tau in G2":         {Ratio, func(c *Commons) { twice(&c.G2.Tau[7]) }},
		"alpha":             {Ratio, func(c *Commons) { twice(&c.G1.AlphaTau[3]) }},
		"beta":              {Ratio, func(c *Commons) { twice(&c.G1.BetaTau[3]) }},
		"beta in G2":        {Ratio, func(c *Commons) { twice(&c.G2.Beta) }},
		"another generator": {Ratio, func(c *Commons) { twice(pointers(c.G1.Tau)...) }},
		"another one in G2": {Ratio, func(c *Commons) { twice(pointers(c.G2.Tau)...) }},
		"two that cancel out": {Ratio, func(c *Commons) {
			twice(pointers(c.G1.Tau)...)
			half := new(big.Int).ModInverse(big.NewInt(2), fr.Modulus())
			for i := range c.G2.Tau {
				c.G2.Tau[i].ScalarMultiplication(&c.G2.Tau[i], half)
			}
		}},
		"outside":                {Subgroup, func(c *Commons) { c.G2.Tau[4] = outside(c.G2.Tau[4]) }},
		"beta outside":           {Subgroup, func(c *Commons) { c.G2.Beta = outside(c.G2.Beta) }},
		"nobody has contributed": {NotRerandomised, func(c *Commons) { *c = *ones(1 << tiny) }},
	} {
		commons := must[*Commons](t)(readPowers(1<<tiny, powers, whole(1<<tiny)))
		attack.change(commons)
		_, _, err := imported(t, ptau(ptauSections(commons)), 0)
		refused(t, name, attack.reason, err)
	}
}

// Files that are cut, that go on, whose sections claim other lengths, are absent or there twice, and those of other curves
// and versions are malformed; nothing is allocated for what they claim.
func TestMalformedPtauFiles(t *testing.T) {
	sections := ptauSections(must[*Commons](t)(readPowers(1<<tiny, finished(t, tiny), whole(1<<tiny))))
	honest := ptau(sections)
	for cut := 0; cut < len(honest); cut += 29 {
		_, _, err := imported(t, honest[:cut], 0)
		malformed(t, "cut", err)
	}
	_, _, err := imported(t, append(bytes.Clone(honest), 0), 0)
	malformed(t, "long", err)
	for i := range 6 {
		_, _, err := imported(t, ptau(slices.Delete(slices.Clone(sections), i, i+1)), 0)
		malformed(t, "absent", err)
		_, _, err = imported(t, ptau(append(slices.Clone(sections), sections[i])), 0)
		malformed(t, "twice", err)
		for _, data := range [][]byte{nil, sections[i].data[1:], append(bytes.Clone(sections[i].data), 0)} {
			other := slices.Clone(sections)
			other[i].data = data
			_, _, err = imported(t, ptau(other), 0)
			malformed(t, "length", err)
		}
	}
	many := slices.Clone(sections)
	for kind := range uint32(maxSections) {
		many = append(many, ptauSection{100 + kind, nil})
	}
	_, _, err = imported(t, ptau(many), 0)
	malformed(t, "sections", err)
	for _, field := range []struct {
		at    int
		value uint32
	}{
		{0, 0x75617471}, {4, 2}, {8, 0}, {8, 1 << 31}, {16, 1 << 31}, {20, 1}, {24, 31}, {28, 1}, {60, 0}, {60, 4}, {60, 1 << 30},
		{64, tiny - 1}, {64, 0}, {64, sourceMaximum + 1}, {64, 1 << 31},
	} {
		data := bytes.Clone(honest)
		binary.LittleEndian.PutUint32(data[field.at:], field.value)
		_, _, err := imported(t, data, 0)
		malformed(t, "header", err)
	}
}

// Coordinates that are not below the modulus, points off the curve and at infinity are malformed, in every section.
func TestPtauPoints(t *testing.T) {
	sections := ptauSections(must[*Commons](t)(readPowers(1<<tiny, finished(t, tiny), whole(1<<tiny))))
	limits := limbs(nil, modulus)
	slices.Reverse(limits)
	order := new(big.Int).SetBytes(limits)
	slices.Reverse(limits)
	for i := 1; i < 6; i++ {
		width := map[bool]int{true: rawG2Bytes, false: rawG1Bytes}[sections[i].kind == 3 || sections[i].kind == 6]
		last := sections[i].data[len(sections[i].data)-width:]
		for name, file := range map[string][]byte{
			"the same point again": wrapped(last, order),
			"infinity":             make([]byte, width), "modulus": limits, "largest": bytes.Repeat([]byte{0xff}, fp.Bytes),
			"off the curve": {sections[i].data[len(sections[i].data)-width] ^ 1},
		} {
			other := slices.Clone(sections)
			other[i].data = bytes.Clone(other[i].data)
			copy(other[i].data[len(other[i].data)-width:], file)
			_, _, err := imported(t, ptau(other), 0)
			malformed(t, name, err)
		}
	}
}

// wrapped returns a point's bytes with the modulus added to its first coordinate: arithmetic would not notice.
func wrapped(point []byte, order *big.Int) []byte {
	data := bytes.Clone(point)
	slices.Reverse(data[:fp.Bytes])
	new(big.Int).Add(order, new(big.Int).SetBytes(data[:fp.Bytes])).FillBytes(data[:fp.Bytes])
	slices.Reverse(data[:fp.Bytes])
	return data
}

// What is no regular file is not waited for.
func TestPtauPaths(t *testing.T) {
	folder := t.TempDir()
	pipe := filepath.Join(folder, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	for _, path := range []string{folder, pipe, filepath.Join(folder, "none"), "", "two\nlines", "\x00"} {
		_, _, err := ImportPowers(path, 0)
		malformed(t, path, err)
	}
}
