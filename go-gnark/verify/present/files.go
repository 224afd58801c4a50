// Package present finds what came together: a certificate and its companions, from a bundle, a folder, or the files beside a
// certificate. Twin of verifier/presented.py, and of what verifier/trust.py reads from folders.
package present

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"equiproof/verify"
	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/tables"
	"equiproof/verify/verdict"
)

// Names of a key's files.
const (
	keyFile        = "key.json"
	linkKeyFile    = "link-key.json"
	verifyingFile  = "verifying.key"
	signaturesFile = "signatures.note"
)

// ErrIrregular says that a path is a pipe, a device or a folder.
var ErrIrregular = errors.New("not a regular file")

// Read reads a file's bytes; of a file that is too long, one byte more than `most`.
func Read(path string, most int) ([]byte, error) {
	data, err := readAtMost(path, most)
	if err != nil {
		return nil, unreadable(path, err)
	}
	return data, nil
}

// ReadRegular reads a file of a store: a pipe would wait for its writer and a device may never end, so that both stay
// unopened.
func ReadRegular(path string, most int) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", path, ErrIrregular)
	}
	return readAtMost(path, most)
}

// ReadStored reads such a file; what goes wrong is an error of a verification.
func ReadStored(path string, most int) ([]byte, error) {
	data, err := ReadRegular(path, most)
	if err != nil {
		return nil, unreadable(path, err)
	}
	return data, nil
}

func readAtMost(path string, most int) ([]byte, error) {
	stream, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	return io.ReadAll(io.LimitReader(stream, int64(most)+1))
}

// unreadable is the error about a file that cannot be read.
func unreadable(path string, err error) error {
	message := path + ": " + Strerror(err)
	if errors.Is(err, ErrIrregular) {
		message = err.Error()
	} else if what := remedy(err); what != "" {
		message = what + ": " + message
	}
	return &verdict.Error{Kind: verdict.Malformed, Reason: "unreadable", Message: message}
}

// remedy says what to do about an error of the system, "" where nothing is known; in English, as the system speaks.
func remedy(err error) string {
	switch {
	case errors.Is(err, syscall.ENOENT):
		return tables.Written("system.not_there")
	case errors.Is(err, syscall.EISDIR):
		return tables.Written("system.is_a_folder")
	case errors.Is(err, syscall.ENOTDIR):
		return tables.Written("system.not_a_folder")
	case errors.Is(err, syscall.EACCES):
		return tables.Written("system.not_permitted")
	case errors.Is(err, syscall.ELOOP):
		return tables.Written("system.is_a_loop")
	}
	return ""
}

// Strerror says what is wrong with a file in the words of the system, as Python writes them.
func Strerror(err error) string {
	if inner := new(fs.PathError); errors.As(err, &inner) {
		return Sentence(inner.Err.Error())
	}
	return err.Error()
}

// Sentence begins words of the system with a capital, as Python writes them.
func Sentence(message string) string { return strings.ToUpper(message[:1]) + message[1:] }

// readKey reads a key folder, whose metadata have this name.
func readKey(folder, name string) (*verify.TrustedKey, error) {
	return readFolder(folder, name, document.ReadKey, verify.NewKey)
}

// readLinkKey does the same for a key for links.
func readLinkKey(folder, name string) (*verify.TrustedLinkKey, error) {
	return readFolder(folder, name, document.ReadLinkKey, verify.NewLinkKey)
}

// readFolder reads a key folder, whose metadata have this name.
func readFolder[M, K any](
	folder, name string, read func(data []byte, where string) (M, error),
	of func(metadata M, verifying, signatures []byte, where, name string) (K, error),
) (key K, err error) {
	path := filepath.Join(folder, name)
	data, err := ReadStored(path, canonical.MaxBytes)
	if err != nil {
		return key, err
	}
	metadata, err := read(data, path)
	if err != nil {
		return key, err
	}
	at := filepath.Join(folder, verifyingFile)
	verifying, err := ReadStored(at, document.MaxKeyBytes)
	if err != nil {
		return key, err
	}
	var signatures []byte
	note := filepath.Join(folder, signaturesFile)
	if _, err := os.Stat(note); err == nil {
		if signatures, err = ReadStored(note, document.MaxSignatureBytes); err != nil {
			return key, err
		}
	}
	return of(metadata, verifying, signatures, at, name)
}

// ReceiptOf is the receipt in an applicant's folder with its log proof, nil for none.
func ReceiptOf(folder string) (*document.Receipt, []byte, error) {
	beside, err := look(folder)
	if err != nil {
		return nil, nil, err
	}
	path, err := beside.one("equiproof-receipt", tables.Say("present.kind_receipts"), tables.Say("present.keep_matching_one"))
	if err != nil || path == "" {
		return nil, nil, err
	}
	data, err := Read(path, canonical.MaxBytes)
	if err != nil {
		return nil, nil, err
	}
	receipt, err := document.ReadReceipt(data, "receipt")
	return receipt, LogProofOf(path), err
}

// OpenedBoxOf is the opened box in a folder of one box certificate, nil for none.
func OpenedBoxOf(folder string) (*document.OpenedBox, error) {
	beside, err := look(folder)
	if err != nil {
		return nil, err
	}
	kinds, wayOut := tables.Say("present.kind_opened_boxes"), tables.Say("present.keep_matching_one")
	path, err := beside.one("equiproof-opened-box", kinds, wayOut)
	if err != nil || path == "" {
		return nil, err
	}
	data, err := Read(path, canonical.MaxBytes)
	if err != nil {
		return nil, err
	}
	return document.ReadOpenedBox(data, "opened box")
}

// OpenStore trusts every key in a folder, or the folder itself; no key or a broken one is malformed. Hidden folders are
// unfinished keys.
func OpenStore(folder string) (*verify.Store, error) {
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return nil, verdict.New(verdict.Malformed, "no-keys", tables.Say("key.no_such_folder", folder))
	}
	keys, err := inStore(folder, keyFile, readKey)
	if err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		return nil, verdict.New(verdict.Malformed, "no-keys", tables.Say("key.folder_empty", folder))
	}
	linkKeys, err := inStore(folder, linkKeyFile, readLinkKey)
	if err != nil {
		return nil, err
	}
	return verify.NewStore(keys...).With(linkKeys...), nil
}

// inStore reads the keys of a store, or the folder itself, whose metadata have this name.
func inStore[K any](store, name string, read func(folder, name string) (K, error)) (keys []K, err error) {
	folders := []string{store}
	if !isFile(filepath.Join(store, name)) {
		if folders, err = below(store, name); err != nil {
			return nil, err
		}
	}
	for _, one := range folders {
		key, err := read(one, name)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// below lists the key folders of a store whose metadata have this name, in the order of the folders' names.
func below(store, name string) ([]string, error) {
	entries, err := os.ReadDir(store)
	if err != nil {
		return nil, unreadable(store, err)
	}
	var folders []string
	for _, entry := range entries {
		path := filepath.Join(store, entry.Name())
		if _, err := os.Lstat(filepath.Join(path, name)); err == nil && !strings.HasPrefix(entry.Name(), ".") {
			folders = append(folders, path)
		}
	}
	return folders, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
