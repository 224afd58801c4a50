package main

import (
	"encoding/binary"
	"errors"
	"sync"
)

var (
	errNoHandle = errors.New("no such handle, or it was freed")
	errFrame    = errors.New("a part ends before its length")
)

// handles keeps Go values alive for a foreign caller, who holds numbers only. A number is never used twice.
var handles = table{values: map[uint64]any{}}

type table struct {
	mu     sync.Mutex
	next   uint64
	values map[uint64]any
}

func (t *table) put(value any) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next++
	t.values[t.next] = value
	return t.next
}

func (t *table) get(handle uint64) any {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.values[handle]
}

func (t *table) drop(handle uint64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok := t.values[handle]
	delete(t.values, handle)
	return ok
}

// frames joins byte strings, each behind its length in eight big-endian bytes.
func frames(parts ...[]byte) []byte {
	length := lengthBytes * len(parts)
	for _, part := range parts {
		length += len(part)
	}
	out := make([]byte, 0, length)
	for _, part := range parts {
		out = binary.BigEndian.AppendUint64(out, uint64(len(part)))
		out = append(out, part...)
	}
	return out
}

// lengthBytes is how many bytes give the length of a frame.
const lengthBytes = 8

// unframed splits what frames joined.
func unframed(data []byte) (parts [][]byte, err error) {
	for len(data) > 0 {
		if len(data) < lengthBytes {
			return nil, errFrame
		}
		length := binary.BigEndian.Uint64(data)
		data = data[lengthBytes:]
		if length > uint64(len(data)) {
			return nil, errFrame
		}
		parts, data = append(parts, data[:length]), data[length:]
	}
	return parts, nil
}
