package period

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"equiproof/verify"
	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/note"
	"equiproof/verify/present"
	"equiproof/verify/tables"
)

// Names of a period's files.
const (
	periodFile     = "period.json"
	checkpointFile = "checkpoint"
	commitmentFile = "commitment.json"
	beaconFile     = "beacon.json"
	answersFolder  = "answers"
)

// Folder is the files of one period. Each is read when it is asked for, and bounded.
type Folder struct {
	root   string
	Period *Document
}

// Open reads what closing a period wrote.
func Open(root string) (*Folder, error) {
	root = filepath.Clean(root)
	period, err := stored(filepath.Join(root, periodFile), readDocument)
	return &Folder{root, period}, err
}

func (f *Folder) path(name string) string { return filepath.Join(f.root, name) }

// checkpoint is the log's signed one at the close.
func (f *Folder) checkpoint() ([]byte, error) {
	return present.ReadStored(f.path(checkpointFile), note.MaxBytes)
}

// commitment is that of the period's policy.
func (f *Folder) commitment() (*document.Commitment, error) {
	path := f.path(commitmentFile)
	data, err := present.Read(path, canonical.MaxBytes)
	if err != nil {
		return nil, err
	}
	commitment, err := document.ReadCommitment(data, path)
	if err == nil && commitment.FileDigest != f.Period.Policy.Commitment {
		return nil, refused(tables.Say("lot.commitment_differs", path))
	}
	return commitment, err
}

// keys are those of the period's policy, with those of its links; the links by their key.
func (f *Folder) keys() (*verify.Store, map[string]*document.Link, error) {
	store, err := f.certificateKeys()
	if err != nil {
		return nil, nil, err
	}
	links := map[string]*document.Link{}
	for place, want := range f.Period.Policy.Links {
		link, key, err := f.link(place + 1)
		if err != nil {
			return nil, nil, err
		}
		if link.FileDigest != want {
			return nil, nil, refused(tables.Say("lot.keys_differ", f.root))
		}
		links[link.Key] = link
		store = store.With(key)
	}
	return store, links, nil
}

// link is one of the links, with its own key.
func (f *Folder) link(number int) (*document.Link, *verify.TrustedLinkKey, error) {
	link, err := stored(f.path(fmt.Sprintf("link-%d.json", number)), document.ReadLink)
	if err != nil {
		return nil, nil, err
	}
	name := fmt.Sprintf("link-key-%d.json", number)
	metadata, err := stored(f.path(name), document.ReadLinkKey)
	if err != nil {
		return nil, nil, err
	}
	path := f.path(fmt.Sprintf("link-verifying-%d.key", number))
	data, err := present.ReadStored(path, document.MaxKeyBytes)
	if err != nil {
		return nil, nil, err
	}
	key, err := verify.NewLinkKey(metadata, data, nil, path, name)
	return link, key, err
}

// certificateKeys are the keys for certificates.
func (f *Folder) certificateKeys() (*verify.Store, error) {
	var keys []*verify.TrustedKey
	var names []string
	for number := 1; number <= len(f.Period.Policy.Keys); number++ {
		key, err := f.key(number)
		if err != nil {
			return nil, err
		}
		keys, names = append(keys, key), append(names, key.Document.Fingerprint)
	}
	if !slices.Equal(names, f.Period.Policy.Keys) {
		return nil, refused(tables.Say("lot.keys_differ", f.root))
	}
	return verify.NewStore(keys...), nil
}

func (f *Folder) key(number int) (*verify.TrustedKey, error) {
	name := fmt.Sprintf("key-%d.json", number)
	metadata, err := stored(f.path(name), document.ReadKey)
	if err != nil {
		return nil, err
	}
	path := f.path(fmt.Sprintf("verifying-%d.key", number))
	data, err := present.ReadStored(path, document.MaxKeyBytes)
	if err != nil {
		return nil, err
	}
	return verify.NewKey(metadata, data, nil, path, name)
}

// seals and openings are those of each party, nil where there is none yet.
func (f *Folder) seals() ([]*seal, error) { return ofParties(f, sealName, readSeal) }

func (f *Folder) openings() ([]*opening, error) { return ofParties(f, openingName, readOpening) }

func sealName(place int) string { return fmt.Sprintf("seal-%d.json", place+1) }

func openingName(place int) string { return fmt.Sprintf("opening-%d.json", place+1) }

func ofParties[T any](
	f *Folder, name func(place int) string, parse func(data []byte, where string) (*T, error),
) ([]*T, error) {
	all := make([]*T, len(f.Period.Parties))
	for place := range all {
		var err error
		if all[place], err = ifThere(f.path(name(place)), parse); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// beacon is the round that was drawn, nil before.
func (f *Folder) beacon() (*beacon, error) { return ifThere(f.path(beaconFile), readBeacon) }

// answered says whether the owner has answered.
func (f *Folder) answered() bool {
	info, err := os.Stat(f.path(answersFolder))
	return err == nil && info.IsDir()
}

// answer is the bytes of the owner's answer about a drawn receipt, and where they stand; nil where it is left out.
func (f *Folder) answer(entry int64) (data []byte, path string, err error) {
	path = filepath.Join(f.path(answersFolder), fmt.Sprintf("%d.json", entry))
	if missing(path) {
		return nil, path, nil
	}
	data, err = present.ReadStored(path, canonical.MaxBytes)
	return data, path, err
}

// ifThere reads a file that may be missing.
func ifThere[T any](path string, parse func(data []byte, where string) (*T, error)) (*T, error) {
	if missing(path) {
		return nil, nil
	}
	return stored(path, parse)
}

func missing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}

// stored reads a file with its parser.
func stored[T any](path string, parse func(data []byte, where string) (*T, error)) (*T, error) {
	data, err := present.ReadStored(path, canonical.MaxBytes)
	if err != nil {
		return nil, err
	}
	return parse(data, path)
}
