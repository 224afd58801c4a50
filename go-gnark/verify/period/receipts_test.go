package period

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"testing"
)

// TestManyReceipts adds more receipts than are sorted at once, and than stay in memory: all come back in their order, and those
// that are there twice are found, wherever the other one is.
func TestManyReceipts(t *testing.T) {
	const size = 2*runLength + 7000
	again := map[int64]int64{20: 3, runLength + 1: 5, size - 1: 5, 2*runLength + 3: runLength + 9}
	var all records
	var seen doubled
	for number := int64(0); number < size; number++ {
		first, ok := again[number]
		if !ok {
			first = number
		}
		one := recordOf(number, digestOf(first))
		if err := all.add(one); err != nil {
			t.Fatal(err)
		}
		if err := seen.add(one); err != nil {
			t.Fatal(err)
		}
	}
	if all.file == nil || seen.runs.file == nil {
		t.Fatal("all of them stayed in memory")
	}
	found := map[int64]int64{}
	if err := seen.pairs(func(later, before int64) { found[later] = before }); err != nil {
		t.Fatal(err)
	}
	if len(found) != len(again) {
		t.Fatalf("%d doubled receipts, want %d", len(found), len(again))
	}
	for later, before := range again {
		if found[later] != before {
			t.Errorf("%d: first at %d, want %d", later, found[later], before)
		}
	}
	at := int64(0)
	err := all.walk(func(one *record) bool {
		if one.number() != at {
			t.Fatalf("entry %d at place %d", one.number(), at)
		}
		at++
		return true
	})
	if err != nil || at != size {
		t.Fatalf("%d of %d receipts: %v", at, size, err)
	}
	last, err := all.read(size-2, size, 5)
	if err != nil || len(last) != 2 || !slices.Equal(last[0].digest(), digestOf(size-2)) {
		t.Fatalf("%d at the end: %v", len(last), err)
	}
}

// TestAFullFolder names the folder of temporary files where there is none.
func TestAFullFolder(t *testing.T) {
	t.Setenv("TMPDIR", "/no/such/folder")
	var all records
	for number := int64(0); ; number++ {
		if err := all.add(recordOf(number, digestOf(number))); err != nil {
			if want := "/no/such/folder: No such file or directory"; err.Error() != want {
				t.Fatalf("%q, want %q", err, want)
			}
			return
		}
	}
}

func digestOf(number int64) []byte {
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(number)))
	return sum[:]
}
