// Package service serves a log over HTTP, to this machine only: its files as https://c2sp.org/tlog-tiles has them, and
// appending. What comes from elsewhere goes through a web server of the owner's, which decides who may append.
package service

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/transparency-dev/tessera/api/layout"

	"equiproof-log/internal/entry"
	"equiproof-log/internal/folder"
)

const (
	headerTime = 5 * time.Second
	bodyTime   = 10 * time.Second
	answerTime = 60 * time.Second
	idleTime   = 60 * time.Second
	maxHeader  = 1 << 13
	// maxAdding is how many entries wait at once; a client above it is told to try again.
	maxAdding = 1024
	// maxTogether is how many entries one request has; together they are no longer than one entry may be.
	maxTogether = 256
)

// Server returns a server for a log. Entries are taken where a request names this machine's loopback, or one of the hosts.
func Server(log *folder.Log, hosts []string) *http.Server {
	s := &service{log: log, hosts: hosts, adding: make(chan struct{}, maxAdding)}
	routes := http.NewServeMux()
	routes.HandleFunc("GET /checkpoint", s.checkpoint)
	routes.HandleFunc("GET /tile/{level}/{index...}", s.tile)
	routes.HandleFunc("POST /add", s.add)
	return &http.Server{
		Handler: routes, ReadHeaderTimeout: headerTime, ReadTimeout: bodyTime, WriteTimeout: answerTime,
		IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
	}
}

type service struct {
	log    *folder.Log
	hosts  []string
	adding chan struct{}
}

// checkpoint answers with the published checkpoint, which nobody may keep.
func (s *service) checkpoint(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(s.log.Published().Data)
}

// tile answers with a tile or the entries below one, which never change once a checkpoint covers them.
func (s *service) tile(w http.ResponseWriter, r *http.Request) {
	path, ok := filePath(r.PathValue("level"), r.PathValue("index"), s.log.Published().Size)
	if !ok {
		http.Error(w, "no such tile", http.StatusNotFound)
		return
	}
	file, err := os.Open(filepath.Join(s.log.Path(), path))
	if err != nil {
		http.Error(w, "no such tile", http.StatusNotFound)
		return
	}
	defer file.Close()
	about, err := file.Stat()
	if err != nil || !about.Mode().IsRegular() {
		http.Error(w, "no such tile", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeContent(w, r, "", about.ModTime(), file)
}

// filePath is where a tile lies. Only tiles that a tree of this size covers are known: others may still change.
func filePath(level, index string, size uint64) (string, bool) {
	above := uint64(0)
	if level != "entries" {
		parsed, err := layout.ParseTileLevel(level)
		if err != nil || parsed > 6 || strconv.FormatUint(parsed, 10) != level {
			return "", false
		}
		above = parsed
	}
	at, width, err := layout.ParseTileIndexPartial(index)
	if err != nil {
		return "", false
	}
	path := layout.TilePath(above, at, width)
	if level == "entries" {
		path = layout.EntriesPath(at, width)
	}
	if path != "tile/"+level+"/"+index {
		return "", false
	}
	hashes, first := size>>(8*above), at*layout.TileWidth
	want := uint64(width)
	if want == 0 {
		want = layout.TileWidth
	}
	return path, at <= hashes/layout.TileWidth && first+want <= hashes
}

// add appends an entry, or several with a line feed between them; the answer is sent once they are on the disk.
func (s *service) add(w http.ResponseWriter, r *http.Request) {
	// A page of the web that somebody on this machine looks at could send entries; what it sends names its origin.
	if r.Header.Get("Origin") != "" {
		http.Error(w, "pages of the web may not append", http.StatusForbidden)
		return
	}
	if !meant(r, s.hosts) {
		http.Error(w, "another host is asked for; `serve --host NAME` names those of a web server of yours", http.StatusMisdirectedRequest)
		return
	}
	select {
	case s.adding <- struct{}{}:
		defer func() { <-s.adding }()
	default:
		w.Header().Set("Retry-After", "1")
		http.Error(w, "too many entries wait; try again", http.StatusServiceUnavailable)
		return
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, entry.MaxBytes))
	if err != nil {
		unread(w, err)
		return
	}
	entries := bytes.Split(data, []byte{'\n'})
	if len(entries) > maxTogether {
		http.Error(w, fmt.Sprintf("%d entries: want at most %d", len(entries), maxTogether), http.StatusRequestEntityTooLarge)
		return
	}
	answers, err := s.added(entries)
	if err != nil {
		http.Error(w, strings.ReplaceAll(err.Error(), s.log.Path()+": ", ""), http.StatusServiceUnavailable)
		return
	}
	if len(answers) == 1 && answers[0].Error != "" {
		http.Error(w, answers[0].Error, http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(lines(answers))
}

// place is where the log has an entry, or why it is none.
type place struct {
	Index *uint64 `json:"index,omitempty"`
	Name  string  `json:"name,omitempty"`
	Error string  `json:"error,omitempty"`
}

// added sets entries on their way together and waits for them; those that are none are left out. The error is one of the
// disk: then some may be there, and asking again finds out.
func (s *service) added(entries [][]byte) ([]place, error) {
	answers, waits := make([]place, len(entries)), make([]func() (uint64, error), len(entries))
	for at, data := range entries {
		if err := entry.Check(data, "entry"); err != nil {
			answers[at].Error = err.Error()
			continue
		}
		answers[at].Name, waits[at] = entry.NameOf(data).String(), s.log.Submit(data)
	}
	for at, wait := range waits {
		if wait == nil {
			continue
		}
		index, err := wait()
		if err != nil {
			return nil, err
		}
		answers[at].Index = &index
	}
	return answers, nil
}

// lines writes answers as JSON, with a line feed between them.
func lines(answers []place) []byte {
	written := make([][]byte, len(answers))
	for at, answer := range answers {
		written[at], _ = json.Marshal(answer) // of numbers and texts, which cannot fail
	}
	return bytes.Join(written, []byte{'\n'})
}

// unread answers where an entry did not come whole.
func unread(w http.ResponseWriter, err error) {
	var long *http.MaxBytesError
	if errors.As(err, &long) {
		http.Error(w, fmt.Sprintf("entry: longer than %d bytes", entry.MaxBytes), http.StatusRequestEntityTooLarge)
		return
	}
	http.Error(w, "the entry did not come whole", http.StatusBadRequest)
}
