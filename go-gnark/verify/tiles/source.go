// Package tiles reads the entries of a log from its files (https://c2sp.org/tlog-tiles), in a folder or over HTTP. Twin of
// equiproof/register/source.py, and of what register/tiles.py reads of entries.
//
// Every read is bounded in bytes and in time. Nothing here is believed: whoever reads entries hashes them up to the root of
// a signed checkpoint.
package tiles

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"equiproof/verify/present"
	"equiproof/verify/tables"
)

// Error is about a log that cannot be read or reached.
type Error struct {
	message string
	absent  bool // the log has no such file
}

func (e *Error) Error() string { return e.message }

func failed(message string) error {
	return &Error{message: message}
}

// source is where a log's files are. Its read returns a file of at most `most` bytes.
type source interface {
	name() string
	read(path string, most int) ([]byte, error)
}

// sourceOf returns the source of a log by its folder or its URL.
func sourceOf(place string) (source, error) {
	if !strings.Contains(place, "://") {
		return folder(filepath.Clean(place)), nil
	}
	server, err := newWeb(place)
	return server, err
}

// folder is a log on this machine.
type folder string

func (f folder) name() string { return string(f) }

func (f folder) read(path string, most int) ([]byte, error) {
	data, err := present.ReadRegular(filepath.Join(string(f), path), most)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, absent(f, path)
	case errors.Is(err, present.ErrIrregular):
		return nil, failed(err.Error())
	case err != nil:
		return nil, failed(fmt.Sprintf("%s: %s: %s", f, path, present.Strerror(err)))
	}
	return bounded(f, path, data, most)
}

func absent(from source, path string) error {
	return &Error{fmt.Sprintf("%s: no file %s", from.name(), path), true}
}

// bounded refuses a file that has too many bytes.
func bounded(from source, path string, data []byte, most int) ([]byte, error) {
	if len(data) > most {
		return nil, failed(tables.Say("source.too_long", from.name(), path, most))
	}
	return data, nil
}

// Wrong is the error about a file of a log, which is named.
func Wrong(where string, err error) error { return failed(where + ": " + err.Error()) }
