package folder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/mod/sumdb/note"
)

// Init makes the folder of an empty log, whole or not at all, and returns the log's verifier key. The signing key stays where
// it is; the folder holds its place.
func Init(ctx context.Context, path, origin, keyFile string) (line string, err error) {
	path = filepath.Clean(path)
	signer, line, err := readSigner(keyFile)
	if err != nil {
		return "", err
	}
	if signer.Name() != origin {
		return "", fmt.Errorf("%s: the key of %s, not of %s: the log's origin is the name of its key",
			keyFile, signer.Name(), origin)
	}
	if _, err := os.Lstat(path); err == nil {
		return "", fmt.Errorf("%s: already there; name a folder that is not", path)
	}
	place, err := filepath.Abs(keyFile)
	if err != nil {
		return "", err
	}
	key, err := os.MkdirTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return "", plain(err)
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(key)
		}
	}()
	if err := fill(ctx, key, signer, line, place); err != nil {
		return "", err
	}
	if err := os.Rename(key, path); err != nil {
		return "", plain(err)
	}
	return line, syncFolder(filepath.Dir(path))
}

// fill makes the files of an empty log.
func fill(ctx context.Context, path string, signer note.Signer, line, place string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if _, _, err := open(ctx, path, signer); err != nil {
		return plain(err)
	}
	about := about{line: line, keyFile: place}
	return errors.Join(os.Chmod(path, 0o755), replace(filepath.Join(path, aboutFile), []byte(about.text())))
}
