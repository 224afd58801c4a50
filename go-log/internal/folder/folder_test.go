package folder_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"equiproof-log/internal/folder"
	"equiproof-log/internal/logtest"
)

// An entry that is there keeps its index: at once, after a new start, and where many send it at the same moment.
func TestAnEntryIsThereOnce(t *testing.T) {
	path := logtest.Filled(t, 300)
	log := logtest.Open(t, path)
	before := map[int]uint64{}
	for number := 250; number < 300; number++ {
		before[number], _ = log.Submit(logtest.Entry(number))()
	}
	_ = log.Close()
	log = logtest.Open(t, path)
	var senders sync.WaitGroup
	var lock sync.Mutex
	found := map[int]map[uint64]bool{}
	for range 8 {
		senders.Go(func() {
			for number := 250; number < 350; number++ {
				index, err := log.Submit(logtest.Entry(number))()
				if err != nil {
					t.Error(err)
				}
				lock.Lock()
				if found[number] == nil {
					found[number] = map[uint64]bool{}
				}
				found[number][index] = true
				lock.Unlock()
			}
		})
	}
	senders.Wait()
	for number, indexes := range found {
		if len(indexes) != 1 || number < 300 && !indexes[before[number]] {
			t.Errorf("entry %d has the indexes %v", number, indexes)
		}
	}
	logtest.Publish(t, log)
	if log.Size() != 350 {
		t.Errorf("%d entries, want 350", log.Size())
	}
}

// Only one program writes a folder.
func TestTwoWriters(t *testing.T) {
	path := logtest.Folder(t)
	logtest.Open(t, path)
	_, err := folder.Open(context.Background(), path, "")
	if err == nil || !strings.Contains(err.Error(), "another program writes this log") {
		t.Errorf("%v", err)
	}
}

// Another key than the log's own signs nothing.
func TestAnotherKey(t *testing.T) {
	path := logtest.Folder(t)
	other, _ := logtest.Key(t, logtest.Origin)
	_, err := folder.Open(context.Background(), path, other)
	if err == nil || !strings.Contains(err.Error(), "not the key of this log") {
		t.Errorf("%v", err)
	}
}

// alter changes a file of a log.
func alter(t *testing.T, path, file string, change func([]byte) []byte) {
	t.Helper()
	place := filepath.Join(path, file)
	data, err := os.ReadFile(place)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(place, change(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

func flipped(data []byte) []byte {
	made := bytes.Clone(data)
	made[len(made)/2] ^= 1
	return made
}

func shorter(data []byte) []byte { return data[:len(data)-1] }

// Any file that is cut short, altered or missing is found at the start, and named.
func TestDamage(t *testing.T) {
	files := []string{
		"tile/0/000", "tile/0/001.p/44", "tile/1/000.p/1", "tile/entries/000", "tile/entries/001.p/44", ".state/treeState",
		"checkpoint",
	}
	path := logtest.Filled(t, 300)
	for _, file := range files {
		for name, change := range map[string]func([]byte) []byte{"flipped": flipped, "shorter": shorter} {
			t.Run(name+" "+file, func(t *testing.T) {
				copied := copied(t, path)
				alter(t, copied, file, change)
				if _, err := folder.Open(context.Background(), copied, ""); err == nil || strings.Contains(err.Error(), "\n") ||
					!strings.Contains(err.Error(), copied) || !strings.Contains(err.Error(), "damaged") {
					t.Errorf("%v", err)
				}
				if err := os.Remove(filepath.Join(copied, file)); err != nil {
					t.Fatal(err)
				}
				if _, err := folder.Open(context.Background(), copied, ""); err == nil {
					t.Error("opened without it")
				}
			})
		}
	}
}

// Partial tiles go once the checkpoint covers the full ones; those of the checkpoint itself stay.
func TestPartialTiles(t *testing.T) {
	log := logtest.Open(t, logtest.Folder(t))
	for to := 50; to <= 550; to += 50 {
		logtest.Add(t, log, to-50, to)
		logtest.Publish(t, log)
	}
	found, err := filepath.Glob(filepath.Join(log.Path(), "tile", "*", "*.p", "*"))
	if err != nil || len(found) != 2+2 {
		t.Errorf("%q, %v", found, err)
	}
	for _, file := range []string{"tile/entries/002.p/38", "tile/0/002.p/38", "tile/1/000.p/2"} {
		fileOf(t, log.Path(), file)
	}
}

func fileOf(t *testing.T, path, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path, file))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// An older checkpoint of the same log is no harm: what it lacks is signed again, and is the same.
func TestAnOldCheckpoint(t *testing.T) {
	path := logtest.Filled(t, 5)
	old := fileOf(t, path, "checkpoint")
	log := logtest.Open(t, path)
	logtest.Add(t, log, 5, 300)
	logtest.Publish(t, log)
	newest := log.Published().Data
	_ = log.Close()
	alter(t, path, "checkpoint", func([]byte) []byte { return old })
	log = logtest.Open(t, path)
	logtest.Publish(t, log)
	if !bytes.Equal(log.Published().Data, newest) {
		t.Errorf("%s, want %s", log.Published().Data, newest)
	}
}

// Tiles of an older copy below a newer checkpoint, and a checkpoint of another history, would be a fork.
func TestForks(t *testing.T) {
	path := logtest.Filled(t, 5)
	older, other := copied(t, path), copied(t, path)
	newer := extended(t, path, 5, 9)
	alter(t, older, "checkpoint", func([]byte) []byte { return newer })
	isFork(t, older, "from an older copy")
	extended(t, other, 6, 20)
	alter(t, other, "checkpoint", func([]byte) []byte { return newer })
	isFork(t, other, "of another history")
}

// Tiles that change under a running log, so that they are no continuation of what was signed, are not signed.
func TestATileThatChangesUnderTheLog(t *testing.T) {
	path := logtest.Filled(t, 5)
	log := logtest.Open(t, path)
	alter(t, path, "tile/0/000.p/5", flipped)
	logtest.Add(t, log, 5, 6)
	if _, err := log.Next(context.Background()); err == nil || !strings.Contains(err.Error(), "no continuation") {
		t.Errorf("%v", err)
	}
}

func copied(t *testing.T, path string) string {
	t.Helper()
	made := logtest.Place(t)
	if err := os.CopyFS(made, os.DirFS(path)); err != nil {
		t.Fatal(err)
	}
	return made
}

// extended appends entries to a log and returns its checkpoint.
func extended(t *testing.T, path string, from, to int) []byte {
	t.Helper()
	log := logtest.Open(t, path)
	for number := from; number < to; number++ {
		if _, err := log.Submit(logtest.Entry(number))(); err != nil {
			t.Fatal(err)
		}
	}
	logtest.Publish(t, log)
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	return log.Published().Data
}

func isFork(t *testing.T, path, why string) {
	t.Helper()
	_, err := folder.Open(context.Background(), path, "")
	var fork folder.ForkError
	if !errors.As(err, &fork) || !strings.Contains(err.Error(), why) {
		t.Errorf("%v, want a fork: %s", err, why)
	}
}
