// Package folder keeps a log in a folder: tiles as static files (https://c2sp.org/tlog-tiles), written by tessera, with one
// writer, no entry twice, and signed checkpoints each of which continues the one before.
package folder

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"time"

	"github.com/transparency-dev/tessera"
	"github.com/transparency-dev/tessera/storage/posix"
	"golang.org/x/mod/sumdb/note"

	"equiproof-log/internal/entry"
)

const (
	// BatchEntries is how many entries are written together. Entries that come while others are written may change their
	// order: tessera's batches overtake each other.
	BatchEntries = 4096
	batchAge     = 5 * time.Millisecond
	// never keeps tessera from publishing checkpoints and from removing partial tiles: Publish does both.
	never = math.MaxInt64
)

// ForkError is a log that must not go on: what it would sign contradicts what was signed before.
type ForkError string

func (e ForkError) Error() string { return string(e) }

// Log is the open folder of a log, of which this process is the one writer.
type Log struct {
	path   string
	about  about
	signer note.Signer
	lock   *os.File
	cancel context.CancelFunc
	add    tessera.AddFn
	reader tessera.LogReader

	adding  sync.Mutex
	known   *names
	pending map[entry.Name]func() (uint64, error)
	broken  error
	failed  chan struct{}
	grown   chan struct{}

	publishing sync.Mutex
	published  Published
}

// Open makes this process the one writer of a folder, and compares every file of the log with the others first. keyFile is
// the signing key, "" for the one that the folder names.
func Open(ctx context.Context, path, keyFile string) (*Log, error) {
	about, err := readAbout(path)
	if err != nil {
		return nil, err
	}
	if keyFile == "" {
		keyFile = about.keyFile
	}
	signer, line, err := readSigner(keyFile)
	if err != nil {
		return nil, err
	}
	if line != about.line {
		return nil, fmt.Errorf("%s: not the key of this log, which is %s", keyFile, about.line)
	}
	held, err := lock(path)
	if err != nil {
		return nil, err
	}
	made := &Log{
		path: path, about: about, signer: signer, lock: held, cancel: func() {},
		pending: map[entry.Name]func() (uint64, error){}, failed: make(chan struct{}), grown: make(chan struct{}, 1),
	}
	if err := made.start(ctx); err != nil {
		made.Close()
		return nil, err
	}
	return made, nil
}

// start checks the folder and opens the storage.
func (l *Log) start(ctx context.Context) (err error) {
	if err := errors.Join(sweep(l.path), syncFolders(l.path)); err != nil {
		return err
	}
	if l.published, err = readCheckpoint(l.path, l.about.verifier); err != nil {
		return err
	}
	tree, err := readTree(l.path)
	if err != nil {
		return err
	}
	if tree.Size < l.published.Size {
		return ForkError(fmt.Sprintf("%s: the tiles hold %d entries and the checkpoint says %d: the folder was put back from an "+
			"older copy; to append here would fork the log", l.path, tree.Size, l.published.Size))
	}
	found, err := checkTiles(ctx, l.path, tree.Size, tree.Size, l.published.Size)
	if err != nil {
		return err
	}
	if string(found.roots[tree.Size]) != string(tree.Root) {
		return damaged(l.path, treeFile, "it has another root than the tiles")
	}
	if string(found.roots[l.published.Size]) != string(l.published.Root) {
		return ForkError(fmt.Sprintf("%s: the checkpoint of %d entries is of another history than the tiles; "+
			"to append here would fork the log", l.path, l.published.Size))
	}
	l.known = found.known
	// Canceled by Close alone: an order to stop must not end the storage under entries that wait.
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	l.cancel = cancel
	l.add, l.reader, err = open(running, l.path, l.signer)
	return err
}

// open opens tessera's storage of a folder, and makes it where there is none.
func open(ctx context.Context, path string, signer note.Signer) (tessera.AddFn, tessera.LogReader, error) {
	driver, err := posix.New(ctx, posix.Config{Path: path})
	if err != nil {
		return nil, nil, err
	}
	options := tessera.NewAppendOptions().WithCheckpointSigner(signer).WithBatching(BatchEntries, batchAge).
		WithCheckpointInterval(never).WithCheckpointRepublishInterval(0).WithGarbageCollectionInterval(0)
	appender, _, reader, err := tessera.NewAppender(ctx, driver, options)
	if err != nil {
		return nil, nil, err
	}
	return appender.Add, reader, nil
}

// Submit sets an entry on its way and returns what waits for its index: the entry is then on the disk, a part of the tree.
// Of an entry that is there or on its way, that is the same index, and nothing is added. The entry was checked before.
func (l *Log) Submit(data []byte) func() (uint64, error) {
	name := entry.NameOf(data)
	l.adding.Lock()
	defer l.adding.Unlock()
	if index, there := l.known.find(name); there {
		return func() (uint64, error) { return index, nil }
	}
	if l.broken != nil {
		return func() (uint64, error) { return 0, l.broken }
	}
	if wait, there := l.pending[name]; there {
		return wait
	}
	future := l.add(context.Background(), tessera.NewEntry(data))
	wait := sync.OnceValues(func() (uint64, error) { return l.settle(name, future) })
	l.pending[name] = wait
	return wait
}

// settle waits for an entry's index. After a failure nothing more is added: the entry may be on the disk all the same, and
// only a new start finds out.
func (l *Log) settle(name entry.Name, future tessera.IndexFuture) (uint64, error) {
	index, err := future()
	l.adding.Lock()
	defer l.adding.Unlock()
	delete(l.pending, name)
	if err != nil {
		if l.broken == nil {
			l.broken = fmt.Errorf("%s: an entry could not be written: %w; mend that and start the log again", l.path, cause(err))
			close(l.failed)
		}
		return 0, l.broken
	}
	l.known.put(name, index.Index)
	select {
	case l.grown <- struct{}{}:
	default:
	}
	return index.Index, nil
}

// Failed is closed once an entry could not be written.
func (l *Log) Failed() <-chan struct{} { return l.failed }

// Broken is why entries are taken no more, nil while they are.
func (l *Log) Broken() error {
	l.adding.Lock()
	defer l.adding.Unlock()
	return l.broken
}

// Grown has a value after entries were added.
func (l *Log) Grown() <-chan struct{} { return l.grown }

// Size is how many entries the checkpoint that is published has.
func (l *Log) Size() uint64 { return l.Published().Size }

// Entries is how many entries are on the disk.
func (l *Log) Entries() int {
	l.adding.Lock()
	defer l.adding.Unlock()
	return l.known.count
}

// Path is the log's folder.
func (l *Log) Path() string { return l.path }

// Close ends the writing of a folder.
func (l *Log) Close() error {
	l.cancel()
	return errors.Join(l.lock.Close())
}
