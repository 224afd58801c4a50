package witness

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	cosignatures "github.com/transparency-dev/formats/note"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/note"

	"equiproof-log/internal/folder"
	"equiproof-log/internal/logtest"
)

// other is a witness of these tests: it remembers what it signed last, and signs only what continues that.
type other struct {
	t      *testing.T
	signer *cosignatures.Signer
	line   string

	lock    sync.Mutex
	offline bool
	size    uint64
	root    []byte
	asked   int
}

func newOther(t *testing.T, name string) (*other, string) {
	t.Helper()
	secret, line, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := cosignatures.NewSignerForCosignatureV1(secret)
	if err != nil {
		t.Fatal(err)
	}
	made := &other{t: t, signer: signer, line: line}
	server := httptest.NewServer(made)
	t.Cleanup(server.Close)
	return made, server.URL + ":" + line
}

func (o *other) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.lock.Lock()
	defer o.lock.Unlock()
	o.asked++
	if o.offline {
		http.Error(w, "closed today\nand tomorrow", http.StatusInternalServerError)
		return
	}
	body, _ := io.ReadAll(r.Body)
	head, checkpoint, _ := strings.Cut(string(body), "\n\n")
	lines := strings.Split(head, "\n")
	if lines[0] != fmt.Sprintf("old %d", o.size) {
		w.Header().Set("Content-Type", "text/x.tlog.size")
		w.WriteHeader(http.StatusConflict)
		fmt.Fprintf(w, "%d\n", o.size)
		return
	}
	var path [][]byte
	for _, line := range lines[1:] {
		hash, _ := base64.StdEncoding.DecodeString(line)
		path = append(path, hash)
	}
	text, _, _ := strings.Cut(checkpoint, "\n\n")
	fields := strings.Split(text, "\n")
	var size uint64
	_, _ = fmt.Sscan(fields[1], &size)
	root, _ := base64.StdEncoding.DecodeString(fields[2])
	if err := proof.VerifyConsistency(rfc6962.DefaultHasher, o.size, size, path, o.root, root); o.size > 0 && err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	o.size, o.root = size, root
	signed, _ := note.Sign(&note.Note{Text: text + "\n"}, o.signer)
	_, below, _ := strings.Cut(string(signed), "\n\n")
	fmt.Fprint(w, "— someone.else AAAAAAAAAAAA\n"+below)
}

// cosigned says whether the published checkpoint of a log has a witness's signature.
func cosigned(log *folder.Log, by *other) bool {
	_, err := note.Open(log.Published().Data, note.VerifierList(by.signer.Verifier()))
	return err == nil
}

func group(t *testing.T, log *folder.Log, words ...string) (*Group, *[]string) {
	t.Helper()
	var found []*Witness
	for _, one := range words {
		parsed, err := Parse(one)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, parsed)
	}
	said := new([]string)
	return NewGroup(log, found, func(line string) { *said = append(*said, line) }), said
}

func round(t *testing.T, g *Group) {
	t.Helper()
	if err := g.Round(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// Two witnesses sign each checkpoint; one that does not answer is named once, asked again, and does not stop the log.
func TestAWitnessThatIsOffline(t *testing.T) {
	log := logtest.Open(t, logtest.Folder(t))
	first, firstWords := newOther(t, "w1.example")
	second, secondWords := newOther(t, "w2.example/witness:1")
	g, said := group(t, log, firstWords, secondWords)
	for _, to := range []int{3, 300, 301} {
		logtest.Add(t, log, int(log.Size()), to)
		round(t, g)
		if !cosigned(log, first) || !cosigned(log, second) || log.Size() != uint64(to) {
			t.Fatalf("%d entries: %s", to, log.Published().Data)
		}
	}
	second.offline = true
	logtest.Add(t, log, 301, 400)
	round(t, g)
	logtest.Add(t, log, 400, 401)
	round(t, g)
	if !cosigned(log, first) || cosigned(log, second) || log.Size() != 401 {
		t.Errorf("%s", log.Published().Data)
	}
	want := "witness w2.example/witness:1: it answered 500 closed today; the log goes on, and asks again"
	if len(*said) != 1 || (*said)[0] != want {
		t.Errorf("%q", *said)
	}
	second.offline = false
	g.witnesses[1].due = time.Now()
	round(t, g)
	if !cosigned(log, first) || !cosigned(log, second) || len(*said) != 2 {
		t.Errorf("%q: %s", *said, log.Published().Data)
	}
	asked := first.asked
	round(t, g)
	if first.asked != asked {
		t.Error("asked again for a checkpoint that it signed a moment ago")
	}
	g.witnesses[0].time = time.Now().Add(-renewal)
	round(t, g)
	if first.asked == asked {
		t.Error("not asked for a newer signature")
	}
}

// A witness where nobody listens is named with the system's word.
func TestAWitnessThatIsNotThere(t *testing.T) {
	log := logtest.Open(t, logtest.Folder(t))
	_, line := logtest.Key(t, "w1.example")
	g, said := group(t, log, "http://127.0.0.1:1:"+line)
	logtest.Add(t, log, 0, 3)
	round(t, g)
	if len(*said) != 1 || !strings.Contains((*said)[0], "offline: connection refused") || log.Size() != 3 {
		t.Errorf("%q", *said)
	}
}

// After a new start, the log asks on from what stands in the folder; a size that the witness corrects is taken over.
func TestANewStart(t *testing.T) {
	path := logtest.Folder(t)
	log := logtest.Open(t, path)
	by, words := newOther(t, "w1.example")
	g, _ := group(t, log, words)
	logtest.Add(t, log, 0, 10)
	round(t, g)
	logtest.Add(t, log, 10, 20)
	logtest.Publish(t, log)
	_ = log.Close()
	log = logtest.Open(t, path)
	g, said := group(t, log, words)
	round(t, g)
	if !cosigned(log, by) || len(*said) != 0 || by.asked != 3 {
		t.Errorf("asked %d times, %q", by.asked, *said)
	}
	logtest.Publish(t, log)
	if !cosigned(log, by) {
		t.Error("published again without the witness's signature")
	}
}

// A folder put back from an older copy is found by the witness, whether it has grown since or not: nothing is published.
func TestAFolderThatWentBack(t *testing.T) {
	path := logtest.Filled(t, 5)
	older := logtest.Place(t)
	if err := os.CopyFS(older, os.DirFS(path)); err != nil {
		t.Fatal(err)
	}
	log := logtest.Open(t, path)
	_, words := newOther(t, "w1.example")
	g, _ := group(t, log, words)
	logtest.Add(t, log, 5, 9)
	round(t, g)
	log = logtest.Open(t, older)
	g, _ = group(t, log, words)
	for _, why := range []string{"has seen 9 entries and " + older + " holds 5", "knows another history"} {
		var fork folder.ForkError
		if err := g.Round(context.Background()); !errors.As(err, &fork) || !strings.Contains(err.Error(), why) {
			t.Errorf("%v, want %s", err, why)
		}
		if log.Size() != 5 {
			t.Errorf("published %d entries", log.Size())
		}
		for number := 100; number < 120; number++ {
			if _, err := log.Submit(logtest.Entry(number))(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// An answer without a signature of the witness's key is none.
func TestASignatureOfSomebodyElse(t *testing.T) {
	log := logtest.Open(t, logtest.Folder(t))
	_, words := newOther(t, "w1.example")
	_, another := logtest.Key(t, "w1.example")
	address, _, _ := strings.Cut(words, ":w1")
	g, said := group(t, log, address+":"+another)
	logtest.Add(t, log, 0, 3)
	round(t, g)
	if len(*said) != 1 || !strings.Contains((*said)[0], "no signature of its key") {
		t.Errorf("%q", *said)
	}
}

func TestWordsOfAWitness(t *testing.T) {
	_, line := logtest.Key(t, "w:1")
	for words, why := range map[string]string{
		"http://127.0.0.1:8080":  "want URL:KEY",
		"127.0.0.1:" + line:      "no address",
		"ftp://a:" + line:        "no address",
		"http://a:" + line + "x": "want URL:KEY",
	} {
		if _, err := Parse(words); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", words, err)
		}
	}
	for _, words := range []string{"http://127.0.0.1:8080:" + line, "https://w.example/a:" + line} {
		if found, err := Parse(words); err != nil || found.Name() != "w:1" {
			t.Errorf("%s: %v", words, err)
		}
	}
}
