package folder

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

const maxCheckpointBytes = 1 << 16

// checkpointText is the text of a checkpoint (https://c2sp.org/tlog-checkpoint).
func checkpointText(origin string, head Head) string {
	return fmt.Sprintf("%s\n%d\n%s\n", origin, head.Size, base64.StdEncoding.EncodeToString(head.Root))
}

// parseCheckpoint reads the text of a checkpoint in its one spelling.
func parseCheckpoint(text, origin string) (Head, error) {
	lines := strings.Split(text, "\n")
	if len(lines) != 4 || lines[0] != origin {
		return Head{}, errors.New("it is not about this log")
	}
	size, wrongSize := strconv.ParseUint(lines[1], 10, 64)
	root, wrongRoot := base64.StdEncoding.DecodeString(lines[2])
	head := Head{size, root}
	if wrongSize != nil || wrongRoot != nil || len(root) != hashBytes || checkpointText(origin, head) != text {
		return Head{}, errors.New("it does not say a size and a root")
	}
	return head, nil
}

// Published is a checkpoint as it stands in the folder: what it says, and its bytes, signed by the log and by witnesses.
type Published struct {
	Head
	Data []byte
}

// readCheckpoint reads the checkpoint of a folder, and verifies the log's signature.
func readCheckpoint(path string, verifier note.Verifier) (Published, error) {
	data, err := os.ReadFile(filepath.Join(path, checkpointFile))
	if errors.Is(err, fs.ErrNotExist) {
		return Published{}, fmt.Errorf("%s: missing; put back the newest one that you have: without it the log does not know "+
			"what it signed", filepath.Join(path, checkpointFile))
	}
	if err != nil {
		return Published{}, plain(err)
	}
	if len(data) > maxCheckpointBytes {
		return Published{}, damaged(path, checkpointFile, "it is too long")
	}
	opened, err := note.Open(data, note.VerifierList(verifier))
	if err != nil {
		return Published{}, damaged(path, checkpointFile, "this log did not sign it")
	}
	head, err := parseCheckpoint(opened.Text, verifier.Name())
	if err != nil {
		return Published{}, damaged(path, checkpointFile, err.Error())
	}
	return Published{head, data}, nil
}

// merged returns the lines below a checkpoint with new ones of witnesses: of one key, the new line counts.
func (p Published) merged(lines []string) []byte {
	head, below, _ := bytes.Cut(p.Data, []byte("\n\n"))
	at := map[string]int{}
	var all []string
	for _, line := range append(slices.Collect(strings.Lines(string(below))), lines...) {
		if place, ok := at[signedBy(line)]; ok {
			all[place] = line
			continue
		}
		at[signedBy(line)] = len(all)
		all = append(all, line)
	}
	return []byte(string(head) + "\n\n" + strings.Join(all, ""))
}

// signedBy is what a signature line says of its key: the name, and the bytes of its hash.
func signedBy(line string) string {
	name, signature, _ := strings.Cut(strings.TrimPrefix(line, "— "), " ")
	data, _ := base64.StdEncoding.DecodeString(strings.TrimSuffix(signature, "\n"))
	return name + " " + string(data[:min(len(data), 4)])
}

// Checkpoint returns the checkpoint of a folder after verifying the log's signature. It takes no lock.
func Checkpoint(path string) ([]byte, error) {
	about, err := readAbout(path)
	if err != nil {
		return nil, err
	}
	published, err := readCheckpoint(path, about.verifier)
	return published.Data, err
}
