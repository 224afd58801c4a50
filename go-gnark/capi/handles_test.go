package main

import (
	"bytes"
	"slices"
	"sync"
	"testing"
)

// A handle finds its value until it is dropped, once, and its number is never used again.
func TestHandlesAreUsedOnce(t *testing.T) {
	kept := table{values: map[uint64]any{}}
	first := kept.put("first")
	if first == 0 || kept.get(first) != "first" {
		t.Fatalf("handle %d finds %v", first, kept.get(first))
	}
	if !kept.drop(first) || kept.drop(first) || kept.get(first) != nil {
		t.Error("a handle was dropped twice, or found its value afterwards")
	}
	if second := kept.put("second"); second == first || kept.get(first) != nil {
		t.Error("a number was used again")
	}
	if kept.get(0) != nil || kept.drop(0) {
		t.Error("zero is a handle")
	}
}

// Many callers can create handles at the same time, and each gets its own.
func TestHandlesFromManyCallers(t *testing.T) {
	kept := table{values: map[uint64]any{}}
	var callers sync.WaitGroup
	for i := range 50 {
		callers.Go(func() {
			if handle := kept.put(i); kept.get(handle) != i || !kept.drop(handle) {
				t.Errorf("caller %d was given another's handle", i)
			}
		})
	}
	callers.Wait()
	if len(kept.values) > 0 {
		t.Errorf("%d values are left", len(kept.values))
	}
}

// Frames are byte strings, each preceded by its length in eight big-endian bytes.
func TestFrames(t *testing.T) {
	want := []byte{0, 0, 0, 0, 0, 0, 0, 2, 'a', 'b', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 'c'}
	if frame := frames([]byte("ab"), nil, []byte("c")); !bytes.Equal(frame, want) {
		t.Errorf("%v", frame)
	}
}

// Splitting undoes joining; a part that ends before its length is an error, whatever the length.
func TestUnframed(t *testing.T) {
	for _, parts := range [][][]byte{nil, {[]byte("ab")}, {[]byte("ab"), {}, []byte("c")}} {
		split, err := unframed(frames(parts...))
		if err != nil || !slices.EqualFunc(split, parts, bytes.Equal) {
			t.Errorf("%v, %v, want %v", split, err, parts)
		}
	}
	whole := frames([]byte("ab"), []byte("c"))
	for _, data := range [][]byte{
		whole[:len(whole)-1], whole[:9], whole[:3], bytes.Repeat([]byte{0xff}, 8), append([]byte{0x80}, whole[1:]...),
	} {
		if split, err := unframed(data); err == nil {
			t.Errorf("%v was split into %v", data, split)
		}
	}
}
