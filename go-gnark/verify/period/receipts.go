package period

import (
	"bytes"
	"container/heap"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"slices"

	"equiproof/verify/merkle"
	"equiproof/verify/present"
	"equiproof/verify/tiles"
)

const (
	recordBytes = merkle.HashSize + 8

	// runLength is how many records are sorted at once, runRead how many of a sorted run are read at once, and walkRead of
	// all. What fits into mostInMemory bytes needs no file.
	runLength    = 1 << 14
	runRead      = 1 << 5
	walkRead     = 1 << 10
	mostInMemory = 1 << 20
)

// record is a receipt's digest, and behind it the number of its entry, highest byte first: so records of one digest sort as
// the log does.
type record [recordBytes]byte

func recordOf(number int64, digest []byte) (made record) {
	copy(made[:], digest)
	binary.BigEndian.PutUint64(made[merkle.HashSize:], uint64(number))
	return made
}

func (r *record) number() int64 { return int64(binary.BigEndian.Uint64(r[merkle.HashSize:])) }

func (r *record) digest() []byte { return r[:merkle.HashSize] }

// records are kept in the order in which they are added: in memory, and more of them in a temporary file, which has no name
// once it is open and ends with the process.
type records struct {
	length int64
	buffer []byte
	file   *os.File
}

// add adds one behind the others.
func (r *records) add(one record) error {
	r.buffer = append(r.buffer, one[:]...)
	r.length++
	if len(r.buffer) < mostInMemory {
		return nil
	}
	return r.write()
}

// write moves what is in memory to the file.
func (r *records) write() error {
	if r.file == nil {
		file, err := os.CreateTemp("", "equiproof-")
		if err != nil {
			return full(err)
		}
		if err := os.Remove(file.Name()); err != nil {
			return full(errors.Join(err, file.Close()))
		}
		r.file = file
	}
	if _, err := r.file.Write(r.buffer); err != nil {
		return full(err)
	}
	r.buffer = r.buffer[:0]
	return nil
}

// read returns so many from a place on, fewer before the place `last`.
func (r *records) read(first, last, count int64) ([]record, error) {
	data, at := make([]byte, min(count, last-first)*recordBytes), first*recordBytes
	if r.file != nil && len(r.buffer) > 0 {
		if err := r.write(); err != nil {
			return nil, err
		}
	}
	if r.file == nil {
		copy(data, r.buffer[at:])
	} else if _, err := r.file.ReadAt(data, at); err != nil {
		return nil, full(err)
	}
	found := make([]record, 0, len(data)/recordBytes)
	for ; len(data) > 0; data = data[recordBytes:] {
		found = append(found, record(data[:recordBytes]))
	}
	return found, nil
}

// full is the error about the folder of temporary files.
func full(err error) error {
	var failure *fs.PathError
	if errors.As(err, &failure) {
		return tiles.Wrong(os.TempDir(), errors.New(present.Sentence(failure.Err.Error())))
	}
	return tiles.Wrong(os.TempDir(), err)
}

// run is a part of some records, which are read a few at a time.
type run struct {
	of          *records
	place, last int64
	read        []record
}

// next moves to the next record; false at the end.
func (r *run) next(count int64) (bool, error) {
	if len(r.read) > 1 {
		r.read = r.read[1:]
		return true, nil
	}
	if r.place >= r.last {
		return false, nil
	}
	var err error
	r.read, err = r.of.read(r.place, r.last, count)
	r.place += int64(len(r.read))
	return err == nil, err
}

// walk calls for each of the records, in their order.
func (r *records) walk(call func(one *record) bool) error {
	all := &run{of: r, last: r.length}
	for {
		if more, err := all.next(walkRead); err != nil || !more || !call(&all.read[0]) {
			return err
		}
	}
}

// doubled is all receipts of a log, sorted a run at a time and merged at the end, for those that stand there twice: whatever
// digests an owner chooses, each record is written once and read once (E. H. Friend, Sorting on electronic computer systems,
// Journal of the ACM 3 (1956)).
type doubled struct {
	runs records
	run  []record
}

func (d *doubled) add(one record) error {
	d.run = append(d.run, one)
	if len(d.run) < runLength {
		return nil
	}
	return d.write()
}

// write sorts what was added, and writes it as a run.
func (d *doubled) write() error {
	slices.SortFunc(d.run, compareRecords)
	for _, one := range d.run {
		if err := d.runs.add(one); err != nil {
			return err
		}
	}
	d.run = d.run[:0]
	return nil
}

func compareRecords(left, right record) int { return bytes.Compare(left[:], right[:]) }

// pairs calls for each receipt that was there before, with its entry and the first entry of the same one.
func (d *doubled) pairs(call func(again, before int64)) error {
	if err := d.write(); err != nil {
		return err
	}
	var waiting merged
	for first := int64(0); first < d.runs.length; first += runLength {
		one := &run{of: &d.runs, place: first, last: min(first+runLength, d.runs.length)}
		if _, err := one.next(runRead); err != nil {
			return err
		}
		waiting = append(waiting, one)
	}
	heap.Init(&waiting)
	var before record
	for begun := false; len(waiting) > 0; begun = true {
		one := waiting[0].read[0]
		if begun && bytes.Equal(before.digest(), one.digest()) {
			call(one.number(), before.number())
		} else {
			before = one
		}
		more, err := waiting[0].next(runRead)
		if err != nil {
			return err
		}
		if more {
			heap.Fix(&waiting, 0)
		} else {
			heap.Pop(&waiting)
		}
	}
	return nil
}

// merged are runs, the one with the least record first.
type merged []*run

func (m merged) Len() int           { return len(m) }
func (m merged) Less(i, j int) bool { return compareRecords(m[i].read[0], m[j].read[0]) < 0 }
func (m merged) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *merged) Push(one any)      { *m = append(*m, one.(*run)) }
func (m *merged) Pop() any {
	last := (*m)[len(*m)-1]
	*m = (*m)[:len(*m)-1]
	return last
}
