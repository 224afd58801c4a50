package service

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"equiproof-log/internal/entry"
	"equiproof-log/internal/folder"
	"equiproof-log/internal/logtest"
)

func served(t *testing.T, entries int) (*folder.Log, string) {
	t.Helper()
	log := logtest.Open(t, logtest.Filled(t, entries))
	server := httptest.NewServer(Server(log, []string{"log.example"}).Handler)
	t.Cleanup(server.Close)
	return log, server.URL
}

func get(t *testing.T, address string) (*http.Response, []byte) {
	t.Helper()
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, body
}

func post(t *testing.T, address string, body []byte, headers ...string) (int, string) {
	t.Helper()
	request, err := http.NewRequest(http.MethodPost, address+"/add", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(headers); at += 2 {
		request.Header.Set(headers[at], headers[at+1])
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	said, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(said)
}

// Files are served as they are, and may be kept for ever; the checkpoint may not.
func TestFiles(t *testing.T) {
	log, address := served(t, 300)
	for _, name := range []string{"tile/0/000", "tile/0/001.p/44", "tile/1/000.p/1", "tile/entries/000", "tile/entries/001.p/44"} {
		answer, body := get(t, address+"/"+name)
		want, err := os.ReadFile(filepath.Join(log.Path(), name))
		if err != nil || answer.StatusCode != http.StatusOK || !bytes.Equal(body, want) {
			t.Errorf("%s: %d, %v", name, answer.StatusCode, err)
		}
		if kept := answer.Header.Get("Cache-Control"); !strings.Contains(kept, "immutable") {
			t.Errorf("%s: %s", name, kept)
		}
	}
	answer, body := get(t, address+"/checkpoint")
	if !bytes.Equal(body, log.Published().Data) || answer.Header.Get("Cache-Control") != "no-cache" ||
		answer.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("%v %s", answer.Header, body)
	}
}

// Nothing else is served: no other spelling, no file of the writer's, and no tile that the checkpoint does not cover.
func TestNoOtherFiles(t *testing.T) {
	log, address := served(t, 300)
	logtest.Add(t, log, 300, 600)
	for _, name := range []string{
		"", "tile/0/001", "tile/0/002.p/88", "tile/entries/001", "tile/0/000.p/256", "tile/0/000.p/0", "tile/0/0", "tile/00/000",
		"tile/0/x000/000", "tile/0/000/", "tile/0/.state", ".state/log", "tile/..%2f.state/log", "tile/0/..%2f..%2f.state%2flog",
		"tile/7/000.p/1", "tile/2/000", "tile/2/000.p/1", "tile/0/999999999999", "tile/0/x999/x999/x999/x999/x999/x999/999",
	} {
		if answer, body := get(t, address+"/"+name); answer.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d %.80q", name, answer.StatusCode, body)
		}
	}
}

// An entry is answered with its index and name, the same one again with the same; any number of clients may send.
func TestAdding(t *testing.T) {
	log, address := served(t, 5)
	var senders sync.WaitGroup
	var lock sync.Mutex
	said := map[int]string{}
	for range 4 {
		senders.Go(func() {
			for number := range 30 {
				status, answer := post(t, address, logtest.Entry(number))
				lock.Lock()
				if before := said[number]; status != http.StatusOK || before != "" && before != answer {
					t.Errorf("entry %d: %d %s, before %s", number, status, answer, before)
				}
				said[number] = answer
				lock.Unlock()
			}
		})
	}
	senders.Wait()
	index, _ := log.Submit(logtest.Entry(4))()
	if want := fmt.Sprintf(`{"index":%d,"name":"%s"}`, index, entry.NameOf(logtest.Entry(4))); said[4] != want || index > 4 {
		t.Errorf("%s, want %s", said[4], want)
	}
	logtest.Publish(t, log)
	if log.Size() != 30 {
		t.Errorf("%d entries", log.Size())
	}
}

// Several entries come in one request: each gets its own answer in its place, and one that is none keeps no other out.
func TestAddingTogether(t *testing.T) {
	log, address := served(t, 5)
	sent := [][]byte{logtest.Entry(2), logtest.Entry(7), []byte("{}"), logtest.Entry(8), logtest.Entry(7), nil}
	status, said := post(t, address, bytes.Join(sent, []byte{'\n'}))
	answers := strings.Split(said, "\n")
	if status != http.StatusOK || len(answers) != len(sent) {
		t.Fatalf("%d %s", status, said)
	}
	for at, data := range sent {
		want := `{"error":"entry: `
		if len(data) > 2 {
			index, _ := log.Submit(data)()
			want = fmt.Sprintf(`{"index":%d,"name":"%s"}`, index, entry.NameOf(data))
		}
		if !strings.HasPrefix(answers[at], want) {
			t.Errorf("%d: %s, want %s", at, answers[at], want)
		}
	}
	logtest.Publish(t, log)
	if log.Size() != 7 {
		t.Errorf("%d entries", log.Size())
	}
}

// As many as one request may have are written; one more, and nothing is.
func TestTooManyTogether(t *testing.T) {
	log, address := served(t, 0)
	var many [][]byte
	for number := range maxTogether + 1 {
		many = append(many, logtest.Entry(number))
	}
	status, said := post(t, address, bytes.Join(many, []byte{'\n'}))
	if status != http.StatusRequestEntityTooLarge || strings.Count(said, "\n") != 1 || log.Entries() != 0 {
		t.Errorf("%d %q, %d entries", status, said, log.Entries())
	}
	if status, _ := post(t, address, bytes.Join(many[1:], []byte{'\n'})); status != http.StatusOK || log.Entries() != maxTogether {
		t.Errorf("%d, %d entries", status, log.Entries())
	}
}

// What is no entry is refused in one line, and nothing is added.
func TestRefused(t *testing.T) {
	log, address := served(t, 5)
	for body, want := range map[string]int{
		"":                             http.StatusBadRequest,
		"{}":                           http.StatusBadRequest,
		string(logtest.Entry(9)) + " ": http.StatusBadRequest,
		strings.Repeat("x", 1<<16):     http.StatusRequestEntityTooLarge,
		strings.Repeat("x", 1<<16-1):   http.StatusBadRequest,
	} {
		status, said := post(t, address, []byte(body))
		if status != want || strings.Count(said, "\n") != 1 {
			t.Errorf("%.40q: %d %q", body, status, said)
		}
	}
	if status, _ := post(t, address, logtest.Entry(9), "Origin", "https://anywhere.example"); status != http.StatusForbidden {
		t.Errorf("a page of the web: %d", status)
	}
	logtest.Publish(t, log)
	if log.Size() != 5 {
		t.Errorf("%d entries", log.Size())
	}
}

// raw sends an entry in words that no client would, and returns the line of the answer's status.
func raw(t *testing.T, network, place, words string) string {
	t.Helper()
	wire, err := net.Dial(network, place)
	if err != nil {
		t.Fatal(err)
	}
	defer wire.Close()
	body := logtest.Entry(9)
	fmt.Fprintf(wire, "%sContent-Length: %d\r\nConnection: close\r\n\r\n%s", words, len(body), body)
	said, _ := io.ReadAll(wire)
	line, _, _ := strings.Cut(string(said), "\r\n")
	return strings.TrimPrefix(strings.TrimPrefix(line, "HTTP/1.1 "), "HTTP/1.0 ")
}

// A name that was made to point at this machine is not one of its own: nothing is added under it, however it is spelled. Who
// reads may use any name.
func TestOtherNamesForThisMachine(t *testing.T) {
	log, address := served(t, 5)
	place := strings.TrimPrefix(address, "http://")
	_, port, _ := net.SplitHostPort(place)
	for _, host := range []string{
		"evil.example", "evil.example:" + port, "127.0.0.1.evil.example", "localhost.evil.example:" + port, "evil-localhost",
		"localhost.", "log.example.evil.example", "notlog.example", "127.0.0.1@evil.example", "10.0.0.1:" + port, "0.0.0.0",
		"0:" + port, "2130706433", "0x7f.1", "[::]", "[fe80::1]:" + port, "[::1", "::1]", "", ":" + port, "*",
	} {
		if said := raw(t, "tcp", place, "POST /add HTTP/1.1\r\nHost: "+host+"\r\n"); said[:2] != "42" && said[:2] != "40" {
			t.Errorf("%q: %s", host, said)
		}
	}
	for _, words := range []string{
		"POST /add HTTP/1.0\r\n",
		"POST http://127.0.0.1/add HTTP/1.1\r\nHost: evil.example\r\n",
		"POST http://evil.example/add HTTP/1.1\r\nHost: 127.0.0.1\r\n",
		"POST /add HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n",
		"POST /add HTTP/1.1\r\nX-Forwarded-Host: 127.0.0.1\r\nHost: evil.example\r\n",
		"POST /add HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: null\r\n",
	} {
		if said := raw(t, "tcp", place, words); said[:1] != "4" {
			t.Errorf("%q: %s", words, said)
		}
	}
	logtest.Publish(t, log)
	if log.Size() != 5 {
		t.Errorf("%d entries", log.Size())
	}
	for _, host := range []string{
		place, "127.0.0.1", "127.9.9.9:1", "localhost:" + port, "LocalHost", "[::1]:" + port, "[::1]", "log.example", "LOG.example:443",
	} {
		if said := raw(t, "tcp", place, "POST /add HTTP/1.1\r\nHost: "+host+"\r\n"); said != "200 OK" {
			t.Errorf("%q: %s", host, said)
		}
	}
	if said := raw(t, "tcp", place, "GET /checkpoint HTTP/1.1\r\nHost: anywhere.example\r\n"); said != "200 OK" {
		t.Error(said)
	}
}

// At a socket, which browsers do not know, any name will do.
func TestNamesAtASocket(t *testing.T) {
	log := logtest.Open(t, logtest.Filled(t, 1))
	path := filepath.Join(t.TempDir(), "socket")
	listener, err := ListenAt(path)
	if err != nil {
		t.Fatal(err)
	}
	server := Server(log, nil)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	if said := raw(t, "unix", path, "POST /add HTTP/1.1\r\nHost: anywhere.example\r\n"); said != "200 OK" {
		t.Error(said)
	}
}

// What cannot be a host's name is refused at once: it would never be asked for.
func TestNamesOfHosts(t *testing.T) {
	for _, host := range []string{"", "*", "log.example:80", "http://log.example", "a b", "-a", "a/", "é.example"} {
		if err := Names([]string{"log.example", host}); err == nil || !strings.Contains(err.Error(), "without a port") {
			t.Errorf("%q: %v", host, err)
		}
	}
	if err := Names([]string{"log.example", "a"}); err != nil {
		t.Error(err)
	}
}

// It listens on this machine alone.
func TestListening(t *testing.T) {
	for _, address := range []string{"0.0.0.0:8080", "192.0.2.1:80", ":80", "localhost:80", "127.0.0.1", "127.0.0.1:x", "[::]:80"} {
		if _, err := Listen(address); err == nil || !strings.Contains(err.Error(), "want an address of this machine") {
			t.Errorf("%s: %v", address, err)
		}
	}
	first, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if _, err := Listen(first.Addr().String()); err == nil || !strings.Contains(err.Error(), "address already in use") {
		t.Errorf("%v", err)
	}
}

// A socket is this user's alone; one that nobody answers at is replaced, and nothing else is.
func TestASocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	first, err := ListenAt(path)
	if err != nil {
		t.Fatal(err)
	}
	if about, err := os.Stat(path); err != nil || about.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", about.Mode(), err)
	}
	if _, err := ListenAt(path); err == nil || !strings.Contains(err.Error(), "another program answers there") {
		t.Errorf("%v", err)
	}
	first.(*net.UnixListener).SetUnlinkOnClose(false)
	_ = first.Close()
	second, err := ListenAt(path)
	if err != nil {
		t.Fatal(err)
	}
	_ = second.Close()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ListenAt(path); err == nil || !strings.Contains(err.Error(), "no socket") {
		t.Errorf("%v", err)
	}
}
