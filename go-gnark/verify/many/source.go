package many

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"equiproof/verify/bundle"
	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/present"
	"equiproof/verify/tables"
	"equiproof/verify/verdict"
)

// A chunk has at most so many certificates, and so many bytes of files or lines unless a single one has more.
const (
	maxCertificates = 256
	maxBytes        = 32 << 20
)

const bundleSuffix = ".equiproof"

// certificateFile is the certificate of a folder that one applicant got.
const certificateFile = "certificate.json"

// Source is a folder of certificates and bundles, or a file with one certificate a line. Of a folder, the files named
// *.equiproof and *.json count, and certificate.json of the folders in it, but for what is hidden. Total is the size of
// all: files, or bytes.
type Source struct {
	Path  string
	Total int64
	files []string // of a folder
}

// entry is one file of a folder, still to be read, or one line.
type entry struct {
	name, path string
	line       []byte
	size       int64 // what it adds to the progress
	memory     int64 // its bytes in memory
}

// ownFolder is the folder that is one applicant's, "" for a file among many and for a line.
func (e *entry) ownFolder() string {
	if e.path == "" || !strings.Contains(e.name, "/") {
		return ""
	}
	return filepath.Dir(e.path)
}

// bytes are those of the line, or of the file.
func (e *entry) bytes() ([]byte, error) {
	if e.path == "" {
		return e.line, nil
	}
	data, err := present.ReadRegular(e.path, bundle.MaxBytes)
	if err != nil {
		return nil, verdict.New(verdict.Malformed, "unreadable", present.Strerror(err))
	}
	return data, nil
}

// isBundle says whether a file is a bundle, by its name or its bytes.
func (e *entry) isBundle(data []byte) bool {
	return e.path != "" && (filepath.Ext(e.path) == bundleSuffix || document.IsArchive(data))
}

// isOther says whether a file is one of ours that is neither of a kind nor broken.
func (e *entry) isOther(data []byte, kind string) bool {
	found := document.KindOf(data)
	return e.isBundle(data) || found != "" && found != kind || document.IsContext(data)
}

// Open looks how much there is; a folder without such files is an error.
func Open(path string) (*Source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	if !info.IsDir() {
		return &Source{Path: path, Total: info.Size()}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	source := &Source{Path: path}
	for _, one := range entries {
		if name := counted(path, one.Name()); name != "" {
			source.files = append(source.files, name)
		}
	}
	if source.Total = int64(len(source.files)); source.Total == 0 {
		return nil, verdict.New(verdict.Malformed, "unreadable", tables.Say("many.folder_empty", path, bundleSuffix))
	}
	return source, nil
}

// counted is what counts of an entry of a folder: the file itself, the certificate of a folder, or nothing.
func counted(path, name string) string {
	if strings.HasPrefix(name, ".") {
		return ""
	}
	if strings.HasSuffix(name, ".json") || strings.HasSuffix(name, bundleSuffix) {
		return name
	}
	inside := name + "/" + certificateFile
	if _, err := os.Stat(filepath.Join(path, inside)); err != nil {
		return ""
	}
	return inside
}

// chunks calls for everything in chunks, in the order of the names or of the lines, until an error.
func (s *Source) chunks(call func(chunk []entry) error) error {
	var batch []entry
	size := int64(0)
	add := func(one entry) error {
		if len(batch) > 0 && (len(batch) == maxCertificates || size+one.memory > maxBytes) {
			if err := call(batch); err != nil {
				return err
			}
			batch, size = nil, 0
		}
		batch, size = append(batch, one), size+one.memory
		return nil
	}
	if err := s.each(add); err != nil {
		return err
	}
	if len(batch) == 0 {
		return nil
	}
	return call(batch)
}

// each calls for every file, or for every line that is not blank.
func (s *Source) each(add func(one entry) error) error {
	if s.files == nil {
		return s.lines(add)
	}
	for _, name := range s.files {
		path, size := filepath.Join(s.Path, name), int64(0)
		if info, err := os.Stat(path); err == nil {
			size = min(info.Size(), bundle.MaxBytes+1)
		}
		if err := add(entry{name: shown(name), path: path, size: 1, memory: size}); err != nil {
			return err
		}
	}
	return nil
}

func (s *Source) lines(add func(one entry) error) error {
	stream, err := os.Open(s.Path)
	if err != nil {
		return unreadable(s.Path, err)
	}
	defer stream.Close()
	reader := bufio.NewReaderSize(stream, 1<<16)
	for number := 1; ; number++ {
		line, size, err := readLine(reader)
		if size == 0 && err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return unreadable(s.Path, err)
		}
		if number == 1 && document.IsArchive(line) {
			return verdict.New(verdict.Malformed, "other-format", tables.Say("many.bundle_in_lines", s.Path))
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		name := fmt.Sprintf("%s:%d", shown(filepath.Base(s.Path)), number)
		if err := add(entry{name: name, line: line, size: size, memory: int64(len(line))}); err != nil {
			return err
		}
	}
}

// readLine returns a line without its end, and its length with it; of a longer one than a document, the start.
func readLine(reader *bufio.Reader) (line []byte, size int64, err error) {
	for {
		part, err := reader.ReadSlice('\n')
		size += int64(len(part))
		if room := canonical.MaxBytes + 2 - len(line); room > 0 {
			line = append(line, part[:min(room, len(part))]...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSuffix(line, []byte("\n")), size, err
		}
	}
}

// shown is a file's name as text that can be written, also where its bytes are none.
func shown(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	var text strings.Builder
	for len(name) > 0 {
		sign, size := utf8.DecodeRuneInString(name)
		if sign == utf8.RuneError && size == 1 {
			fmt.Fprintf(&text, `\x%02x`, name[0])
		} else {
			text.WriteRune(sign)
		}
		name = name[size:]
	}
	return text.String()
}
