package bundle

import (
	"encoding/binary"
	"hash/crc32"
	"strings"

	"equiproof/verify/document"
	"equiproof/verify/tables"
	"equiproof/verify/text"
	"equiproof/verify/verdict"
)

// MaxBytes is the length of the longest bundle.
const MaxBytes = 8 << 20

const (
	maxEntries = 32
	localMark  = "PK\x03\x04"
	centerMark = "PK\x01\x02"
	endMark    = "PK\x05\x06"
	sizesAt    = 14 // of the checksum, two lengths of the content, and those of name and extra fields
	nameAt     = 30
	unpackedBy = 20 // version 2.0
	madeBy     = 3<<8 | unpackedBy
	readable   = 0o600 << 16
	firstDay   = 1<<5 | 1 // 1980-01-01
)

// file is a name in ASCII and a content.
type file struct {
	name    string
	content []byte
}

// entries returns the files of an archive of which there is one spelling only: nothing is compressed, every entry has the
// same date, attributes and flags, and there is nothing before, between or behind entries and directory. Any other bytes are
// malformed. Nothing is unpacked: contents are parts of the data, whatever lengths an entry states. Twin of
// verifier/archive.py.
func entries(data []byte, where string) ([]file, error) {
	if len(data) > MaxBytes {
		return nil, wrong("too-long", tables.Say("format.too_long", where, MaxBytes))
	}
	if !document.IsArchive(data) {
		return nil, wrong("not-a-bundle", tables.Say("archive.not_a_zip", where, tables.Say("word.a_bundle")))
	}
	var files []file
	at := 0
	for strings.HasPrefix(string(data[at:min(at+len(localMark), len(data))]), localMark) {
		if len(files) == maxEntries {
			return nil, wrong("wrong-files", tables.Say("archive.too_many_files", where, maxEntries))
		}
		next, err := entry(data, at, where)
		if err != nil {
			return nil, err
		}
		files = append(files, next)
		at += len(header(next)) + len(next.content)
	}
	if string(data[at:]) != string(directory(files)) {
		return nil, otherwise(where, tables.Say("archive.directory_wrong", at))
	}
	return files, nil
}

// entry returns the file at a place; its header must be the one that goes with its name and its content.
func entry(data []byte, at int, where string) (file, error) {
	if at+nameAt > len(data) {
		return file{}, otherwise(where, tables.Say("archive.entry_cut_off", at))
	}
	stored := int64(binary.LittleEndian.Uint32(data[at+sizesAt+4:]))
	tail := data[at+nameAt:]
	nameEnd := min(int(binary.LittleEndian.Uint16(data[at+sizesAt+12:])), len(tail))
	name, rest := string(tail[:nameEnd]), tail[nameEnd:]
	if strings.ContainsFunc(name, func(sign rune) bool { return sign > 0x7f }) {
		return file{}, otherwise(where, tables.Say("archive.name_not_ascii", at+nameAt))
	}
	label := text.Repr(text.Cut(text.Plain(name), 40))
	if stored > int64(len(rest)) {
		return file{}, otherwise(where, tables.Say("archive.file_length_wrong", label, stored, len(rest)))
	}
	content := file{name, rest[:stored]}
	if !strings.HasPrefix(string(data[at:at+nameAt+nameEnd]), string(header(content))) {
		return file{}, otherwise(where, tables.Say("archive.file_not_plain", label))
	}
	return content, nil
}

// fields are what both headers of an entry state.
func fields(out []byte, f file) []byte {
	for _, number := range []uint16{unpackedBy, 0, 0, 0, firstDay} {
		out = binary.LittleEndian.AppendUint16(out, number)
	}
	out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(f.content))
	out = binary.LittleEndian.AppendUint32(out, uint32(len(f.content)))
	out = binary.LittleEndian.AppendUint32(out, uint32(len(f.content)))
	out = binary.LittleEndian.AppendUint16(out, uint16(len(f.name)))
	return binary.LittleEndian.AppendUint16(out, 0)
}

// header is what stands before an entry's content.
func header(f file) []byte { return append(fields([]byte(localMark), f), f.name...) }

// directory is what stands behind all entries: a record of each with its place, and the end.
func directory(files []file) []byte {
	var records []byte
	place := 0
	for _, f := range files {
		records = binary.LittleEndian.AppendUint16(append(records, centerMark...), madeBy)
		records = fields(records, f)
		for range 3 {
			records = binary.LittleEndian.AppendUint16(records, 0)
		}
		records = binary.LittleEndian.AppendUint32(records, readable)
		records = binary.LittleEndian.AppendUint32(records, uint32(place))
		records = append(records, f.name...)
		place += len(header(f)) + len(f.content)
	}
	end := []byte(endMark)
	for _, number := range []uint16{0, 0, uint16(len(files)), uint16(len(files))} {
		end = binary.LittleEndian.AppendUint16(end, number)
	}
	end = binary.LittleEndian.AppendUint32(end, uint32(len(records)))
	end = binary.LittleEndian.AppendUint32(end, uint32(place))
	return append(append(records, end...), 0, 0)
}

// otherwise is the error of an archive that is spelled otherwise.
func otherwise(where, message string) error {
	return wrong("not-canonical", tables.Say("archive.use_as_received", where, message))
}

func wrong(reason, message string) error {
	return verdict.New(verdict.Malformed, reason, message)
}
