// Package logtest makes keys, entries and logs for tests.
package logtest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"equiproof-log/internal/folder"
)

// Origin is the name of every log of these tests.
const Origin = "lender.example/log"

// Entry returns one of many different entries.
func Entry(number int) []byte {
	sum := sha256.Sum256(fmt.Append(nil, number))
	return fmt.Appendf(nil, `{"format":"equiproof-entry","kind":"decision","receipt":"%x","version":1}`, sum)
}

// Key writes a new signing key, and returns its file and its verifier key.
func Key(t testing.TB, name string) (file, line string) {
	t.Helper()
	secret, line, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "signing.key")
	if err := os.WriteFile(file, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, line
}

// Folder makes the folder of an empty log.
func Folder(t testing.TB) string {
	t.Helper()
	file, _ := Key(t, Origin)
	path := Place(t)
	if _, err := folder.Init(context.Background(), path, Origin, file); err != nil {
		t.Fatal(err)
	}
	return path
}

// Place returns where a log may be made. It is removed with the test, over a log's last writes: a storage that is told to stop ends
// what it has begun, and says nothing when it has.
func Place(t testing.TB) string {
	t.Helper()
	above, err := os.MkdirTemp("", "log")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for until := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			err := os.RemoveAll(above)
			if err == nil {
				return
			}
			if time.Now().After(until) {
				t.Error(err)
				return
			}
		}
	})
	return filepath.Join(above, "log")
}

// Open opens a folder until the test ends.
func Open(t testing.TB, path string) *folder.Log {
	t.Helper()
	log, err := folder.Open(context.Background(), path, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	return log
}

// Filled makes a log of so many entries, published and closed.
func Filled(t testing.TB, entries int) string {
	t.Helper()
	path := Folder(t)
	log := Open(t, path)
	Add(t, log, 0, entries)
	Publish(t, log)
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// Add appends the entries from one number to before another.
func Add(t testing.TB, log *folder.Log, from, to int) {
	t.Helper()
	var waits []func() (uint64, error)
	for number := from; number < to; number++ {
		waits = append(waits, log.Submit(Entry(number)))
	}
	for _, wait := range waits {
		if _, err := wait(); err != nil {
			t.Fatal(err)
		}
	}
}

// Publish signs and publishes everything that was added.
func Publish(t testing.TB, log *folder.Log) {
	t.Helper()
	next, err := log.Next(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Publish(next, nil); err != nil {
		t.Fatal(err)
	}
}
