package verify

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"testing"

	"equiproof/verify/document"
)

// publishedLink is the link of tests/golden/loans-kept under its keys.
func publishedLink(t *testing.T) *linked {
	t.Helper()
	folder := filepath.Join("..", "..", "tests", "golden", "loans-kept")
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	metadata, err := document.ReadKey(read("keys/key/key.json"), "key.json")
	if err != nil {
		t.Fatal(err)
	}
	key, err := NewKey(metadata, read("keys/key/verifying.key"), nil, "verifying.key", "key.json")
	if err != nil {
		t.Fatal(err)
	}
	of, err := document.ReadLinkKey(read("keys/link/link-key.json"), "link-key.json")
	if err != nil {
		t.Fatal(err)
	}
	linkKey, err := NewLinkKey(of, read("keys/link/verifying.key"), nil, "verifying.key", "link-key.json")
	if err != nil {
		t.Fatal(err)
	}
	link, err := document.ReadLink(read("link.json"), "link.json")
	if err != nil {
		t.Fatal(err)
	}
	return &linked{link, linkKey, key}
}

// A link that holds is checked once for the process; with anything else in it, it is another one, which is refused, again and again.
func TestLinksThatHoldAreKept(t *testing.T) {
	link := publishedLink(t)
	first, err := link.open()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := publishedLink(t).open(); err != nil || again != first {
		t.Errorf("checked again: %v", err)
	}
	known := len(opened.beside)
	other := publishedLink(t)
	proof := other.document.Proof
	for name, lie := range map[string]func(*linked){
		"another spec":  func(l *linked) { l.document.SpecDigest.SetInt64(5) },
		"another model": func(l *linked) { l.document.ModelCommitment.SetInt64(5) },
		"another value": func(l *linked) { l.document.Shown.SetInt64(5) },
		"another key":   func(l *linked) { l.certificateKey.Document.Fingerprint = other.key.Document.Fingerprint },
		"another shape": func(l *linked) { l.key.Document.Shape.Digest.SetInt64(5) },
		"another proof": func(l *linked) { l.document.Proof = append(proof[96:128:128], proof[32:]...) },
	} {
		for range 2 {
			told := publishedLink(t)
			lie(told)
			if _, err := told.open(); err == nil {
				t.Errorf("%s: %s", name, base64.StdEncoding.EncodeToString(told.document.Proof))
			}
		}
	}
	if len(opened.beside) != known {
		t.Errorf("%d links are kept, want %d", len(opened.beside), known)
	}
}

// No more links are kept than there is room for.
func TestKeptLinksAreFew(t *testing.T) {
	link := publishedLink(t)
	if _, err := link.open(); err != nil {
		t.Fatal(err)
	}
	checker := opened.beside[link.claim()]
	for at := range 2 * keptLinks {
		remember(linkClaim{fingerprint: string(rune(at))}, checker)
	}
	if count := len(opened.beside); count > keptLinks {
		t.Errorf("%d links are kept", count)
	}
}
