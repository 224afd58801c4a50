package folder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/tessera/api"
	"github.com/transparency-dev/tessera/api/layout"

	"equiproof-log/internal/entry"
)

const (
	hashBytes = 32
	tileBits  = 8
)

var ranges = compact.RangeFactory{Hash: rfc6962.DefaultHasher.HashChildren}

// scan reads a whole log again: every entry, every tile over them, and the root.
type scan struct {
	path   string
	size   uint64
	tree   *compact.Range
	levels [][]byte // the hashes of each level that are in no full tile yet
	done   []uint64 // how many full tiles of each level were compared
	known  *names
	roots  map[uint64][]byte // the roots that are asked for, by size
}

// checkTiles compares the tiles of a log of so many entries with the entries, hash by hash. It returns the entries' indexes by
// name, and the roots of the sizes that are asked for. Any file that is missing, cut short or altered is an error that names
// it.
func checkTiles(ctx context.Context, path string, size uint64, asked ...uint64) (*scan, error) {
	s := &scan{
		path: path, size: size, tree: ranges.NewEmptyRange(0),
		known: newNames(), roots: map[uint64][]byte{},
	}
	for _, one := range asked {
		s.roots[one] = rfc6962.DefaultHasher.EmptyRoot()
	}
	for index := uint64(0); index<<tileBits < size; index++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := s.bundle(index); err != nil {
			return nil, err
		}
	}
	for level, hashes := range s.levels {
		if len(hashes) > 0 {
			if err := s.compare(level, s.done[level], hashes); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// bundle reads the entries of one file.
func (s *scan) bundle(index uint64) error {
	partial := layout.PartialTileSize(0, index, s.size)
	file := layout.EntriesPath(index, partial)
	data, err := s.read(file)
	if err != nil {
		return err
	}
	var bundle api.EntryBundle
	want := int(partial)
	if want == 0 {
		want = layout.EntryBundleWidth
	}
	if err := bundle.UnmarshalText(data); err != nil || len(bundle.Entries) != want {
		return damaged(s.path, file, fmt.Sprintf("it does not hold %d entries", want))
	}
	for at, one := range bundle.Entries {
		if err := s.leaf(index<<tileBits+uint64(at), one); err != nil {
			return err
		}
	}
	return nil
}

// leaf adds an entry to the tree. Of one that stands there twice, which this program never writes, the first index counts.
func (s *scan) leaf(index uint64, data []byte) error {
	s.known.put(entry.NameOf(data), index)
	var failure error
	err := s.tree.Append(rfc6962.DefaultHasher.HashLeaf(data), func(id compact.NodeID, hash []byte) {
		if id.Level%tileBits == 0 && failure == nil {
			failure = s.node(int(id.Level/tileBits), hash)
		}
	})
	if err = errors.Join(err, failure); err != nil {
		return err
	}
	if _, asked := s.roots[index+1]; asked {
		s.roots[index+1], err = s.tree.GetRootHash(nil)
	}
	return err
}

// node adds a hash to its tile, which is compared once it is full.
func (s *scan) node(level int, hash []byte) error {
	if level == len(s.levels) {
		s.levels, s.done = append(s.levels, nil), append(s.done, 0)
	}
	s.levels[level] = append(s.levels[level], hash...)
	if len(s.levels[level]) < layout.TileWidth*hashBytes {
		return nil
	}
	err := s.compare(level, s.done[level], s.levels[level])
	s.levels[level] = s.levels[level][:0]
	s.done[level]++
	return err
}

// compare refuses a tile that has other hashes than these.
func (s *scan) compare(level int, index uint64, hashes []byte) error {
	file := layout.TilePath(uint64(level), index, uint8(len(hashes)/hashBytes%layout.TileWidth))
	tile, err := s.read(file)
	if err != nil {
		return err
	}
	if len(tile) != len(hashes) {
		return damaged(s.path, file, "it has "+strconv.Itoa(len(tile))+" bytes instead of "+strconv.Itoa(len(hashes)))
	}
	if !bytes.Equal(tile, hashes) {
		return damaged(s.path, file, "it is not what the entries below it hash to (or one of these is damaged)")
	}
	return nil
}

// read reads a file of the tree. A partial one may be gone where the full one is there.
func (s *scan) read(file string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(s.path, file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, damaged(s.path, file, "it is missing")
	}
	if err != nil {
		return nil, plain(err)
	}
	return data, nil
}
