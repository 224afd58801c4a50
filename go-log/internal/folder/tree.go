package folder

import (
	"context"
	"fmt"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/tessera/client"
)

// Head is a size of the tree and its root.
type Head struct {
	Size uint64
	Root []byte
}

// headAt computes the root of the tree's first entries from its tiles.
func (l *Log) headAt(ctx context.Context, size uint64) (Head, error) {
	if size == 0 {
		return Head{0, rfc6962.DefaultHasher.EmptyRoot()}, nil
	}
	nodes, err := client.FetchRangeNodes(ctx, size, l.reader.ReadTile)
	if err != nil {
		return Head{}, err
	}
	tree, err := ranges.NewRange(0, size, nodes)
	if err != nil {
		return Head{}, err
	}
	root, err := tree.GetRootHash(nil)
	return Head{size, root}, err
}

// Consistency is the proof that a tree's first entries, so many, are those of an older tree (RFC 9162, 2.1.4).
func (l *Log) Consistency(ctx context.Context, older, newer uint64) ([][]byte, error) {
	if older == 0 || older == newer {
		return nil, nil
	}
	builder, err := client.NewProofBuilder(ctx, newer, l.reader.ReadTile)
	if err != nil {
		return nil, err
	}
	return builder.ConsistencyProof(ctx, older, newer)
}

// continues refuses a head that is no continuation of one that was signed before: whatever happened to the tiles meanwhile,
// no fork is signed.
func (l *Log) continues(ctx context.Context, older, newer Head) error {
	path, err := l.Consistency(ctx, older.Size, newer.Size)
	if err == nil {
		err = proof.VerifyConsistency(rfc6962.DefaultHasher, older.Size, newer.Size, path, older.Root, newer.Root)
	}
	if err != nil {
		return fmt.Errorf("%s: the tiles are no continuation of the checkpoint of %d entries; nothing was signed; a new start "+
			"of the log names the file that is damaged", l.path, older.Size)
	}
	return nil
}
