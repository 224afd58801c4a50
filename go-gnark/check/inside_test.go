package check

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
)

// fold-is-gnark's: challenges of two commitments and the factor of the second in the proof of knowledge are those of the vectors, which
// hold under gnark's own check.
func TestFolding(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "tests", "vectors", "kept.json"))
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Folding []struct {
			Commitments, Challenges []string
			Factor                  string
		}
	}
	if err := json.Unmarshal(text, &vectors); err != nil || len(vectors.Folding) < 2 {
		t.Fatal(err, len(vectors.Folding))
	}
	for _, want := range vectors.Folding {
		var commitments []bn254.G1Affine
		for _, written := range want.Commitments {
			data, err := hex.DecodeString(written)
			var point bn254.G1Affine
			if _, bad := point.SetBytes(data); err != nil || bad != nil {
				t.Fatal(err, bad)
			}
			commitments = append(commitments, point)
		}
		found := challenges(commitments)
		for i := range found {
			if written := hex.EncodeToString(found[i].Marshal()); written != want.Challenges[i] {
				t.Errorf("challenge %d: %s, want %s", i, written, want.Challenges[i])
			}
		}
		factor := folding(found)
		if written := hex.EncodeToString(factor.Marshal()); written != want.Factor {
			t.Errorf("factor %s, want %s", written, want.Factor)
		}
	}
}

// Random numbers are below 2^128, fill it, and no two of them are the same, in one draw or in two.
func TestRandomNumbers(t *testing.T) {
	numbers, longest := map[fr.Element]bool{}, 0
	for range 2 {
		for _, number := range randoms(500) {
			numbers[number] = true
			bits := number.Bits()
			if bits[2] != 0 || bits[3] != 0 {
				t.Fatalf("%s is not below 2^128", number.String())
			}
			longest = max(longest, number.BitLen())
		}
	}
	if len(numbers) != 1000 || longest < 120 {
		t.Errorf("%d different numbers of at most %d bits", len(numbers), longest)
	}
}

// A panic on another goroutine is raised where it can be recovered, and every call is made once otherwise.
func TestParallel(t *testing.T) {
	for _, threads := range []int{1, 2, 100} {
		var calls [50]atomic.Int32
		parallel(len(calls), threads, func(i int) { calls[i].Add(1) })
		for i := range calls {
			if calls[i].Load() != 1 {
				t.Errorf("%d threads: %d calls of %d", threads, calls[i].Load(), i)
			}
		}
		func() {
			defer func() {
				if recover() != "here" {
					t.Errorf("%d threads: no panic", threads)
				}
			}()
			parallel(5, threads, func(i int) {
				if i == 3 {
					panic("here")
				}
			})
		}()
	}
	parallel(0, 4, func(int) { t.Error("called") })
}
