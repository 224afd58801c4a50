package tlog

import (
	"bytes"
	"errors"
	"strings"

	"equiproof/verify/merkle"
	"equiproof/verify/note"
	"equiproof/verify/tables"
)

// MaxProofBytes is the length of the longest log proof.
const MaxProofBytes = 1 << 16

const (
	firstLine = "c2sp.org/tlog-proof@v1"
	extraLine = "extra "
	indexLine = "index "
)

// Proof is the parts of a log proof, unjudged: Entry stands at Index, and Path leads from it to the root of the Checkpoint.
type Proof struct {
	Entry      []byte
	Index      uint64
	Path       []merkle.Hash
	Checkpoint []byte
}

// ReadProof reads a log proof, of which there is one spelling. The checkpoint is not read.
func ReadProof(data []byte) (*Proof, error) {
	if len(data) > MaxProofBytes {
		return nil, errors.New(tables.Say("log_proof.too_long", MaxProofBytes))
	}
	head, checkpoint, _ := bytes.Cut(data, []byte("\n\n"))
	lines := strings.Split(string(head), "\n")
	if lines[0] != firstLine || len(checkpoint) == 0 {
		return nil, errors.New(tables.Say("log_proof.malformed", firstLine))
	}
	proof := &Proof{Checkpoint: checkpoint}
	lines = lines[1:]
	if len(lines) > 0 && strings.HasPrefix(lines[0], extraLine) {
		if proof.Entry = note.Base64(lines[0][len(extraLine):]); len(proof.Entry) == 0 {
			return nil, errors.New(tables.Say("log_proof.extra_line_not_base64"))
		}
		lines = lines[1:]
	}
	ok := false
	if len(lines) > 0 && strings.HasPrefix(lines[0], indexLine) {
		proof.Index, ok = readNumber(lines[0][len(indexLine):])
	}
	if !ok {
		return nil, errors.New(tables.Say("log_proof.index_missing"))
	}
	var err error
	proof.Path, err = readPath(lines[1:])
	return proof, err
}

func readPath(lines []string) (path []merkle.Hash, err error) {
	if len(lines) > merkle.MaxPath {
		return nil, errors.New(tables.Say("log_proof.too_many_hashes", merkle.MaxPath))
	}
	for _, line := range lines {
		hash := note.Base64(line)
		if len(hash) != merkle.HashSize {
			return nil, errors.New(tables.Say("log_proof.line_not_hash", merkle.HashSize))
		}
		path = append(path, merkle.Hash(hash))
	}
	return path, nil
}
