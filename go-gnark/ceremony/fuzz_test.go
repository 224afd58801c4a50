package ceremony

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// hostileBytes is what judging bytes of a tiny ceremony may allocate, whatever they claim.
const hostileBytes = 64 << 20

// bounded calls a function, which must not panic nor allocate more than hostile bytes may cost, nor return an error that
// has more than one line or a reason that is in no table.
func bounded(t *testing.T, call func() error) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := call()
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > hostileBytes {
		t.Errorf("%d bytes allocated", used)
	}
	if err == nil {
		return
	}
	inOneLine(t, "hostile bytes", err)
	var refusal *Refusal
	if errors.As(err, &refusal) && !slices.Contains(Reasons, refusal.Reason) {
		t.Errorf("%q is in no table", refusal.Reason)
	}
}

// mutated returns bytes with a few of them replaced from a place on, and cut or repeated to a length.
func mutated(honest []byte, at uint32, replaced []byte, length uint32) []byte {
	data := bytes.Clone(honest)
	if len(data) > 0 {
		copy(data[int(at)%len(data):], replaced)
	}
	for length := int(length % (2 << 16)); len(data) != length; {
		if len(data) > length {
			return data[:length]
		}
		if len(data) == 0 {
			return data
		}
		data = append(data, data[:min(len(data), length-len(data))]...)
	}
	return data
}

// seeds are changes that any format is sensitive to: none, a cut, a repetition, and numbers that claim much.
func seeds(f *testing.F, length int, places ...int) {
	f.Helper()
	f.Add(uint32(0), []byte{}, uint32(length))
	f.Add(uint32(0), []byte{}, uint32(length-1))
	f.Add(uint32(0), []byte{}, uint32(length+1))
	f.Add(uint32(0), []byte{}, uint32(0))
	for _, at := range append(places, length-33, length-1) {
		for _, replaced := range [][]byte{bytes.Repeat([]byte{0xff}, 8), {0}, {0x40}, bytes.Repeat([]byte{0}, 64)} {
			f.Add(uint32(at), replaced, uint32(length))
		}
	}
}

// Hostile steps of powers, and hostile powers, end in an error and nothing else; what is accepted is the honest step.
func FuzzPowers(f *testing.F) {
	c := newChain(f)
	powers := must[[]byte](f)(FinishPowers(tiny, c.second, beacon))
	seeds(f, len(c.second), 0, proofBytes, 3*proofBytes, 3*proofBytes+sizeBytes)
	f.Fuzz(func(t *testing.T, at uint32, replaced []byte, length uint32) {
		step := mutated(c.second, at, replaced, length)
		bounded(t, func() error {
			err := VerifyPowers(tiny, c.first, step)
			if err == nil && !bytes.Equal(step, c.second) {
				t.Error("another step is accepted")
			}
			return err
		})
		bounded(t, func() error { return VerifyPowers(tiny, step, c.second) })
		bounded(t, func() error { _, err := ContributePowers(tiny, step); return err })
		other := mutated(powers, at, replaced, length)
		bounded(t, func() error {
			err := CheckPowers(tiny, other)
			if err == nil && !bytes.Equal(other, powers) {
				t.Error("other powers are accepted")
			}
			return err
		})
		bounded(t, func() error { _, err := CutPowers(tiny, other, tiny-1); return err })
		bounded(t, func() error { _, err := SRS(tiny, other); return err })
	})
}

// Hostile steps of a key end in an error and nothing else; what is accepted is the honest step.
func FuzzKeyStep(f *testing.F) {
	c := newKeyChain(f)
	seeds(f, len(c.second), 0, countBytes, countBytes+g1Bytes, countBytes+g1Bytes+listBytes)
	f.Fuzz(func(t *testing.T, at uint32, replaced []byte, length uint32) {
		step := mutated(c.second, at, replaced, length)
		bounded(t, func() error {
			err := VerifyKey(c.first, step)
			if err == nil && !bytes.Equal(step, c.second) {
				t.Error("another step is accepted")
			}
			return err
		})
		bounded(t, func() error { return VerifyKey(step, c.second) })
		bounded(t, func() error { _, err := ContributeKey(step); return err })
	})
}

// Hostile Lagrange forms end in an error and nothing else, also where they were not checked before they are used.
func FuzzLagrange(f *testing.F) {
	circuit := compiled(f, 1, 2)
	power := circuitPower(circuit.GetNbConstraints())
	powers := finished(f, power)
	honest := must[[]byte](f)(LagrangeForm(power, powers))
	step := keySteps(f, must[[]byte](f)(start(circuit, power, powers, honest)), 1)[0]
	seeds(f, len(honest), 0, rawG1Bytes, len(honest)-rawG2Bytes)
	f.Fuzz(func(t *testing.T, at uint32, replaced []byte, length uint32) {
		form := mutated(honest, at, replaced, length)
		bounded(t, func() error {
			err := CheckLagrange(power, powers, form)
			if err == nil && !bytes.Equal(form, honest) {
				t.Error("another form is accepted")
			}
			return err
		})
		bounded(t, func() error { _, err := start(circuit, power, powers, form); return err })
		bounded(t, func() error { _, _, err := seal(circuit, power, powers, form, step, beacon); return err })
	})
}

// Hostile .ptau files end in an error and nothing else; what is accepted are the honest powers.
func FuzzPtau(f *testing.F) {
	powers := finished(f, tiny)
	honest := ptau(ptauSections(must[*Commons](f)(readPowers(1<<tiny, powers, whole(1<<tiny)))))
	seeds(f, len(honest), 0, 4, 8, 12, 16, 24, 60, 68, 72, 80)
	f.Fuzz(func(t *testing.T, at uint32, replaced []byte, length uint32) {
		path := filepath.Join(t.TempDir(), "powers.ptau")
		if err := os.WriteFile(path, mutated(honest, at, replaced, length), 0o600); err != nil {
			t.Fatal(err)
		}
		bounded(t, func() error {
			power, output, err := ImportPowers(path, 0)
			if err == nil && (power != tiny || !bytes.Equal(output, powers)) {
				t.Error("other powers are imported")
			}
			return err
		})
	})
}
