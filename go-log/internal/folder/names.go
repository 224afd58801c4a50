package folder

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"equiproof-log/internal/entry"
)

const (
	markBytes = 16
	// placeBytes has the index of an entry and one more: 0 is a free slot.
	placeBytes = 5
	chunkMarks = 1 << 12
	firstSlots = 1 << 10
)

// names is where the tree has each entry, by its name, in some 25 bytes for an entry: a log has many more entries than its
// writer has memory for their names. A name is kept as a mark, half of its hash under a secret that each start draws: nobody
// can look for two names of one mark, and that two meet by chance is less likely than 1 in 2^64 in a log of 2^32 entries.
// Marks lie in chunks, by the entry's index, which are never moved; slots point to them.
type names struct {
	secret [sha256.Size]byte
	chunks []*[chunkMarks]mark
	slots  [][placeBytes]byte
	count  int
}

type mark [markBytes]byte

func newNames() *names {
	made := &names{slots: make([][placeBytes]byte, firstSlots)}
	_, _ = rand.Read(made.secret[:]) // which ends the program rather than fail
	return made
}

// find returns the index of an entry, if it is there.
func (n *names) find(name entry.Name) (uint64, bool) {
	return indexIn(n.slots[n.slot(n.mark(name))])
}

// put notes the index of an entry; of one that is there, the first index counts.
func (n *names) put(name entry.Name, index uint64) {
	made := n.mark(name)
	slot := n.slot(made)
	if _, there := indexIn(n.slots[slot]); there {
		return
	}
	for uint64(len(n.chunks)) <= index/chunkMarks {
		n.chunks = append(n.chunks, new([chunkMarks]mark))
	}
	*n.at(index) = made
	n.slots[slot] = slotOf(index)
	n.count++
	if 4*n.count > 3*len(n.slots) {
		n.grow()
	}
}

// grow doubles the slots.
func (n *names) grow() {
	before := n.slots
	n.slots = make([][placeBytes]byte, 2*len(before))
	for _, one := range before {
		if index, there := indexIn(one); there {
			n.slots[n.slot(*n.at(index))] = one
		}
	}
}

// slot is where a mark is, or the free slot where it would be.
func (n *names) slot(looked mark) uint64 {
	last := uint64(len(n.slots) - 1)
	slot := binary.LittleEndian.Uint64(looked[:]) & last
	for {
		index, there := indexIn(n.slots[slot])
		if !there || *n.at(index) == looked {
			return slot
		}
		slot = (slot + 1) & last
	}
}

func (n *names) mark(name entry.Name) mark {
	sum := sha256.Sum256(slices.Concat(n.secret[:], name[:]))
	return mark(sum[:markBytes])
}

func (n *names) at(index uint64) *mark { return &n.chunks[index/chunkMarks][index%chunkMarks] }

// slotOf is a slot that points to the entry at an index.
func slotOf(index uint64) (slot [placeBytes]byte) {
	var wide [8]byte
	binary.LittleEndian.PutUint64(wide[:], index+1)
	copy(slot[:], wide[:])
	return slot
}

// indexIn is the index that a slot points to, unless it is free.
func indexIn(slot [placeBytes]byte) (uint64, bool) {
	var wide [8]byte
	copy(wide[:], slot[:])
	next := binary.LittleEndian.Uint64(wide[:])
	return next - 1, next != 0
}
