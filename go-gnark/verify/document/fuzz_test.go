package document_test

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/verdict"
)

var golden = filepath.Join("..", "..", "..", "tests", "golden")

// readers are every reader of this package.
var readers = map[string]func(data []byte) error{
	"certificate.json":  func(data []byte) error { _, err := document.ReadCertificate(data, "it"); return err },
	"gain.json":         func(data []byte) error { _, err := document.ReadGain(data, "it"); return err },
	"box.json":          func(data []byte) error { _, err := document.ReadBox(data, "it"); return err },
	"opened.json":       func(data []byte) error { _, err := document.ReadOpenedBox(data, "it"); return err },
	"commitment.json":   func(data []byte) error { _, err := document.ReadCommitment(data, "it"); return err },
	"query.json":        func(data []byte) error { _, err := document.ReadQuery(data, "it"); return err },
	"context.json":      func(data []byte) error { _, err := document.ReadContext(data, "it"); return err },
	"keys/key/key.json": func(data []byte) error { _, err := document.ReadKey(data, "it"); return err },
	"link.json":         func(data []byte) error { _, err := document.ReadLink(data, "it"); return err },

	"keys/link/link-key.json": func(data []byte) error { _, err := document.ReadLinkKey(data, "it"); return err },
}

// seeds are documents of a kind.
func seeds(f *testing.F, name string) (all [][]byte) {
	f.Helper()
	if name == "box.json" || name == "opened.json" {
		var vectors struct {
			Bases map[string]struct{ Text map[string]string }
		}
		if err := json.Unmarshal(read(f, filepath.Join(golden, "..", "vectors", "box.json")), &vectors); err != nil {
			f.Fatal(err)
		}
		for _, base := range slices.Sorted(maps.Keys(vectors.Bases)) {
			all = append(all, []byte(vectors.Bases[base].Text[name]))
		}
		return all
	}
	folders := []string{"loans", "rates", "loans-plonk"}
	switch name {
	case "gain.json":
		folders = []string{"gain", "gain-lower"}
	case "link.json", "keys/link/link-key.json":
		folders = []string{"loans-kept"}
	}
	for _, folder := range folders {
		all = append(all, read(f, filepath.Join(golden, folder, name)))
	}
	return all
}

func read(f *testing.F, path string) []byte {
	f.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	return data
}

// Whatever bytes are given, a reader reads them or says why not; a document that it takes is the one spelling of itself.
func FuzzRead(f *testing.F) {
	for name, reader := range readers {
		for _, data := range seeds(f, name) {
			if err := reader(data); err != nil {
				f.Fatal(name, err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for name, reader := range readers {
			err := reader(data)
			var refusal *verdict.Error
			if err != nil && (!errors.As(err, &refusal) || refusal.Kind != verdict.Malformed || refusal.Reason == "") {
				t.Errorf("%s: %v", name, err)
			}
			if err != nil || name == "context.json" || name == "opened.json" {
				continue
			}
			value, err := canonical.Parse(data, canonical.Anything(), "it")
			if err != nil || string(canonical.Bytes(value)) != string(data) {
				t.Errorf("%s: not canonical: %q", name, data)
			}
		}
	})
}
