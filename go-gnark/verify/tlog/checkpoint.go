// Package tlog reads checkpoints of a log, cosignatures of witnesses and log proofs, as C2SP describes them
// (https://c2sp.org/tlog-checkpoint, tlog-cosignature, tlog-proof). Twin of verifier/checkpoint.py and tlog_proof.py.
package tlog

import (
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"equiproof/verify/merkle"
	"equiproof/verify/note"
	"equiproof/verify/tables"
	"equiproof/verify/text"
)

const timeBytes = 8

var number = regexp.MustCompile(`^(0|[1-9][0-9]{0,18})$`)

// Unsigned is the error about a checkpoint of another log, or one that whoever must have signed it did not sign. Any other is
// about bytes that are no checkpoint.
type Unsigned string

func (u Unsigned) Error() string { return string(u) }

// Checkpoint is the state of a log, signed by it.
type Checkpoint struct {
	Origin string
	Tree   merkle.Tree
	note   *note.Note
}

// readText reads the text of a checkpoint, of which there is one spelling.
func readText(line string) (*Checkpoint, error) {
	lines := strings.Split(line, "\n")
	if len(lines) != 4 || lines[3] != "" {
		return nil, errors.New(tables.Say("checkpoint.malformed"))
	}
	if err := note.CheckName(lines[0]); err != nil {
		return nil, errors.New(tables.Say("checkpoint.origin_wrong", err))
	}
	size, ok := readNumber(lines[1])
	if !ok {
		return nil, errors.New(tables.Say("checkpoint.size_malformed", text.Repr(text.Cut(lines[1], 24))))
	}
	root := note.Base64(lines[2])
	if len(root) != merkle.HashSize {
		return nil, errors.New(tables.Say("checkpoint.root_malformed", merkle.HashSize))
	}
	if size == 0 && merkle.Hash(root) != merkle.EmptyRoot {
		return nil, errors.New(tables.Say("checkpoint.empty_log_root"))
	}
	return &Checkpoint{lines[0], merkle.Tree{Size: size, Root: merkle.Hash(root)}, nil}, nil
}

// readNumber reads a decimal number from 0 to 2^63 - 1 in its one spelling.
func readNumber(digits string) (uint64, bool) {
	if !number.MatchString(digits) {
		return 0, false
	}
	value, err := strconv.ParseUint(digits, 10, 64)
	return value, err == nil && value <= math.MaxInt64
}

// Open reads a signed checkpoint of a log; cosignatures and signatures of others are passed over.
func Open(data []byte, log *note.Key) (*Checkpoint, error) {
	signatures, err := note.ParseAny(data)
	if err != nil {
		return nil, err
	}
	checkpoint, err := readText(signatures.Text)
	if err != nil {
		return nil, err
	}
	if checkpoint.Origin != log.Name {
		return nil, Unsigned(tables.Say("checkpoint.of_other_log", checkpoint.Origin, log.Name))
	}
	own, err := log.Signed(signatures)
	if err != nil {
		return nil, Unsigned(tables.Say("checkpoint.cosignature_refused", log.Name, err))
	}
	if !own {
		return nil, Unsigned(tables.Say("checkpoint.unsigned", log.Name))
	}
	checkpoint.note = signatures
	return checkpoint, nil
}

// Cosigned returns which of the witnesses, by name, cosigned a checkpoint, and when, in POSIX seconds: of several times, the
// last. One under one of these keys that does not hold is an error; those of others are passed over.
func (c *Checkpoint) Cosigned(witnesses []*note.Key) (map[string]int64, error) {
	times := map[string]int64{}
	for _, witness := range witnesses {
		for _, data := range witness.Cosigned(c.note) {
			if len(data) != timeBytes+ed25519.SignatureSize {
				return nil, broken(witness)
			}
			time := binary.BigEndian.Uint64(data)
			message := fmt.Sprintf("cosignature/v1\ntime %d\n%s", time, c.note.Text)
			if time > math.MaxInt64 || !witness.Holds([]byte(message), data[timeBytes:]) {
				return nil, broken(witness)
			}
			times[witness.Name] = max(times[witness.Name], int64(time))
		}
	}
	return times, nil
}

func broken(witness *note.Key) error {
	return Unsigned(tables.Say("checkpoint.cosignature_wrong", witness.Name))
}
