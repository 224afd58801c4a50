package tiles

import (
	"encoding/binary"
	"errors"
	"fmt"

	"equiproof/verify/document"
	"equiproof/verify/tables"
)

// width is how many entries a full file of them has.
const width = 256

// lengthBytes is before each entry.
const lengthBytes = 2

// Log is a log in a folder or at a URL.
type Log struct{ from source }

// Open returns the log of a place; nothing is read yet.
func Open(place string) (*Log, error) {
	from, err := sourceOf(place)
	return &Log{from}, err
}

// Entries calls for each of the first `size` entries, with its number; an error of the call ends it.
func (l *Log) Entries(size uint64, call func(number uint64, entry []byte) error) error {
	for first := uint64(0); first < size; first += width {
		entries, err := l.bundle(first/width, int(min(width, size-first)))
		if err != nil {
			return err
		}
		for at, entry := range entries {
			if err := call(first+uint64(at), entry); err != nil {
				return err
			}
		}
	}
	return nil
}

// bundle returns the entries of one file of them, so many of which are in the tree.
func (l *Log) bundle(number uint64, count int) ([][]byte, error) {
	path := "tile/entries/" + spelled(number)
	data, err := l.read(path, count)
	if err != nil {
		return nil, err
	}
	var entries [][]byte
	for len(data) >= lengthBytes && len(entries) < count {
		end := lengthBytes + int(binary.BigEndian.Uint16(data))
		if end > len(data) {
			break
		}
		entries, data = append(entries, data[lengthBytes:end]), data[end:]
	}
	if len(entries) < count {
		return nil, failed(tables.Say("source.tile_cut_off", l.from.name(), path, len(entries), count))
	}
	return entries, nil
}

// read reads a file of so many entries; a log may drop a partial one once the full one is there.
func (l *Log) read(path string, count int) ([]byte, error) {
	const most = width * (document.MaxEntryBytes + lengthBytes)
	if count == width {
		return l.from.read(path, most)
	}
	data, err := l.from.read(fmt.Sprintf("%s.p/%d", path, count), most)
	if !isAbsent(err) {
		return data, err
	}
	if data, whole := l.from.read(path, most); !isAbsent(whole) {
		return data, whole
	}
	return nil, err
}

func isAbsent(err error) bool {
	var failure *Error
	return errors.As(err, &failure) && failure.absent
}

// spelled writes a file's number as paths have it, such as x001/x234/067.
func spelled(number uint64) string {
	path := fmt.Sprintf("%03d", number%1000)
	for number /= 1000; number > 0; number /= 1000 {
		path = fmt.Sprintf("x%03d/%s", number%1000, path)
	}
	return path
}
