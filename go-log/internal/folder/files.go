package folder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/mod/sumdb/note"

	"equiproof/verify/tables"
)

// The files of a log beside its tiles. What begins with a dot is the writer's own.
const (
	checkpointFile = "checkpoint"
	stateFolder    = ".state"
	aboutFile      = stateFolder + "/log"
	lockFile       = stateFolder + "/writer.lock"
	treeFile       = stateFolder + "/treeState"
)

const maxKeyBytes = 1 << 10

// about is what the folder says of its log: the key that others verify with, and where the signing key lies.
type about struct {
	verifier note.Verifier
	line     string // the verifier key as it is published
	keyFile  string
}

// readAbout reads what a folder says of its log.
func readAbout(path string) (about, error) {
	data, err := os.ReadFile(filepath.Join(path, aboutFile))
	if errors.Is(err, fs.ErrNotExist) {
		return about{}, fmt.Errorf("%s: not the folder of a log; `equiproof-log init` makes one", path)
	}
	if err != nil {
		return about{}, plain(err)
	}
	lines := strings.Split(string(data), "\n")
	if len(lines) != 3 || lines[2] != "" || lines[1] == "" {
		return about{}, damaged(path, aboutFile, "want a verifier key and the place of the signing key, a line each")
	}
	verifier, err := note.NewVerifier(lines[0])
	if err != nil {
		return about{}, damaged(path, aboutFile, "its first line is no verifier key")
	}
	return about{verifier, lines[0], lines[1]}, nil
}

func (a about) text() string { return a.line + "\n" + a.keyFile + "\n" }

// readSigner reads a signing key, as `equiproof identity new` writes it.
func readSigner(path string) (note.Signer, string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, "", plain(err)
	}
	line := strings.TrimSuffix(string(data), "\n")
	if len(data) > maxKeyBytes || strings.Contains(line, "\n") {
		return nil, "", errors.New(path + ": " + tables.Say("note.not_signing_key"))
	}
	signer, err := note.NewSigner(line)
	if err != nil {
		return nil, "", errors.New(path + ": " + tables.Say("note.not_signing_key"))
	}
	public, err := publicOf(line)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	if verifier, err := note.NewVerifier(public); err != nil || verifier.KeyHash() != signer.KeyHash() {
		return nil, "", fmt.Errorf("%s: a damaged signing key: its parts do not belong together", path)
	}
	return signer, public, nil
}

// treeState is how many entries are in the tree, and its root, as the storage wrote them last.
type treeState struct {
	Size uint64 `json:"size"`
	Root []byte `json:"root"`
}

func readTree(path string) (treeState, error) {
	data, err := os.ReadFile(filepath.Join(path, treeFile))
	if err != nil {
		return treeState{}, plain(err)
	}
	var state treeState
	if json.Unmarshal(data, &state) != nil || len(state.Root) != hashBytes {
		return treeState{}, damaged(path, treeFile, "it does not say how many entries there are")
	}
	return state, nil
}

// lock makes this process the one writer of a folder, until it ends.
func lock(path string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(path, lockFile), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, plain(err)
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = fmt.Errorf("%s: another program writes this log; stop it first, or send the entry to it", path)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// sweep removes what a writer that was killed left of a checkpoint that it had not written whole.
func sweep(path string) error {
	leftovers, err := filepath.Glob(filepath.Join(path, checkpointFile+".*"))
	for _, one := range leftovers {
		err = errors.Join(err, os.Remove(one))
	}
	return plain(err)
}

// replace writes a file whole or not at all, and returns once it is on the disk.
func replace(path string, data []byte) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return plain(err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	_, err = file.Write(data)
	err = errors.Join(err, file.Chmod(0o644), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, cause(err))
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolders returns once the names in a folder and all below it are on the disk. A writer that was killed may have left some
// that are not, and what was read of them would be acknowledged and signed without being safe.
func syncFolders(path string) error {
	err := filepath.WalkDir(path, func(one string, about fs.DirEntry, err error) error {
		if err == nil && about.IsDir() {
			err = syncFolder(one)
		}
		return err
	})
	return plain(err)
}

// syncFolder returns once the names in a folder are on the disk.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return plain(err)
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// damaged is the error of a file that is not what the log wrote.
func damaged(path, file, why string) error {
	return fmt.Errorf("%s: damaged: %s; put this file back from a copy", filepath.Join(path, file), why)
}

// plain is an error of the system with the file in front, as Python's front end writes it.
func plain(err error) error {
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return fmt.Errorf("%s: %w", failed.Path, failed.Err)
	}
	return err
}

// cause is the reason of the system behind an error; tessera passes it on as the last part of a text.
func cause(err error) error {
	var number syscall.Errno
	if errors.As(err, &number) {
		return number
	}
	parts := strings.Split(err.Error(), ": ")
	return errors.New(parts[len(parts)-1])
}
