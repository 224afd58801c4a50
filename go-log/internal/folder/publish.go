package folder

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/transparency-dev/tessera/api/layout"
	"golang.org/x/mod/sumdb/note"
)

// Next signs the checkpoint of everything that was added, without publishing it: for witnesses. Of a tree that has not grown
// it is the published one, without the signatures of others.
func (l *Log) Next(ctx context.Context) (Published, error) {
	last := l.Published()
	size, err := l.reader.IntegratedSize(ctx)
	if err != nil {
		return Published{}, plain(err)
	}
	// The size may be read before its file's name is on the disk. A checkpoint that outlives it would look like a fork.
	if err := syncFolder(filepath.Join(l.path, stateFolder)); err != nil {
		return Published{}, err
	}
	head, err := l.headAt(ctx, size)
	if err != nil {
		return Published{}, fmt.Errorf("%s: the tiles cannot be read: %w", l.path, cause(err))
	}
	if head.Size < last.Size {
		return Published{}, ForkError(fmt.Sprintf("%s: the tiles hold %d entries and the checkpoint says %d; nothing was signed",
			l.path, head.Size, last.Size))
	}
	if err := l.continues(ctx, last.Head, head); err != nil {
		return Published{}, err
	}
	data, err := note.Sign(&note.Note{Text: checkpointText(l.about.verifier.Name(), head)}, l.signer)
	return Published{head, data}, err
}

// Publish writes a checkpoint that Next signed, with these lines of witnesses below it. Lines below the checkpoint of the same
// tree stay.
func (l *Log) Publish(next Published, cosignatures []string) error {
	l.publishing.Lock()
	defer l.publishing.Unlock()
	if next.Size == l.published.Size {
		next = l.published
	}
	next.Data = next.merged(cosignatures)
	if bytes.Equal(next.Data, l.published.Data) {
		return nil
	}
	if err := replace(filepath.Join(l.path, checkpointFile), next.Data); err != nil {
		return err
	}
	before := l.published.Size
	l.published = next
	return l.tidy(before, next.Size)
}

// tidy removes partial tiles once the published checkpoint covers the full ones, which serve older checkpoints too.
func (l *Log) tidy(before, size uint64) error {
	for level := uint64(0); size>>(tileBits*(level+1)) > 0; level++ {
		for index := before >> (tileBits * (level + 1)); index < size>>(tileBits*(level+1)); index++ {
			files := []string{layout.TilePath(level, index, 0)}
			if level == 0 {
				files = append(files, layout.EntriesPath(index, 0))
			}
			for _, file := range files {
				if err := os.RemoveAll(filepath.Join(l.path, file+".p")); err != nil {
					return plain(err)
				}
			}
		}
	}
	return nil
}

// Published is the checkpoint that stands in the folder.
func (l *Log) Published() Published {
	l.publishing.Lock()
	defer l.publishing.Unlock()
	return l.published
}

// VerifierKey is the line of the log's public key.
func (l *Log) VerifierKey() string { return l.about.line }
