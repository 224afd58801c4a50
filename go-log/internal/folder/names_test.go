package folder

import (
	"encoding/binary"
	"runtime"
	"testing"

	"equiproof-log/internal/entry"
)

// nameOf is one of many names.
func nameOf(number uint64) entry.Name {
	return entry.NameOf(binary.LittleEndian.AppendUint64(nil, number))
}

// Every name has the index that it was given first, in whatever order they came, and no other name has one.
func TestNamesAreFound(t *testing.T) {
	const count = 3 * chunkMarks
	known := newNames()
	for number := range uint64(count) {
		index := number ^ 255 // the order of entries that overtake each other
		known.put(nameOf(index), index)
	}
	for number := range uint64(count) {
		known.put(nameOf(number), count+number)
	}
	if known.count != count {
		t.Fatalf("%d names, want %d", known.count, count)
	}
	for number := range uint64(count) {
		if index, there := known.find(nameOf(number)); !there || index != number {
			t.Fatalf("name %d: %d, %v", number, index, there)
		}
		if index, there := known.find(nameOf(count + number)); there {
			t.Fatalf("name %d was never put: %d", count+number, index)
		}
	}
}

// Names with one slot are told apart, also at the end of the slots, where the search goes on at their begin.
func TestNamesOfOneSlot(t *testing.T) {
	known := newNames()
	last := uint64(len(known.slots) - 1)
	var same []uint64
	for number := uint64(0); len(same) < 4; number++ {
		made := known.mark(nameOf(number))
		if binary.LittleEndian.Uint64(made[:])&last == last {
			same = append(same, number)
		}
	}
	for _, number := range same[:3] {
		known.put(nameOf(number), number)
	}
	for _, number := range same[:3] {
		if index, there := known.find(nameOf(number)); !there || index != number {
			t.Errorf("name %d: %d, %v", number, index, there)
		}
	}
	if index, there := known.find(nameOf(same[3])); there {
		t.Errorf("a name that was never put: %d", index)
	}
}

// An entry costs at most 32 bytes, also just after the slots were doubled: twice that, with what the garbage collector leaves,
// is less than 1 MB for 10,000 entries.
func TestNamesAreSmall(t *testing.T) {
	const most = 32
	for _, count := range []uint64{3<<16 + 2, 1 << 18} {
		before := held()
		known := newNames()
		for number := range count {
			known.put(nameOf(number), number)
		}
		if each := (held() - before) / count; each > most {
			t.Errorf("%d bytes for each of %d entries, want at most %d", each, count, most)
		}
		runtime.KeepAlive(known)
	}
}

// held is how much is in use.
func held() uint64 {
	runtime.GC()
	var found runtime.MemStats
	runtime.ReadMemStats(&found)
	return found.HeapAlloc
}
