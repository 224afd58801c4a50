package tiles

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// strange answers as no log does, by the path.
func strange(answer http.ResponseWriter, request *http.Request) {
	switch request.URL.Path {
	case "/log/short":
		_, _ = answer.Write([]byte("0123456789"))
	case "/log/long":
		_, _ = answer.Write(make([]byte, 1000))
	case "/log/moved":
		http.Redirect(answer, request, "/log/short", http.StatusFound)
	case "/log/packed":
		answer.Header().Set("Content-Encoding", "gzip")
		_, _ = answer.Write([]byte("xx"))
	case "/log/broken":
		answer.Header().Set("Content-Length", "100")
		_, _ = answer.Write([]byte("x"))
	default:
		http.NotFound(answer, request)
	}
}

func TestAnswersAreBoundedAndTakenAsTheyAre(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(strange))
	defer server.Close()
	from, err := newWeb(server.URL + "/log/")
	if err != nil {
		t.Fatal(err)
	}
	for path, message := range map[string]string{
		"long": "want at most 10 bytes: it is longer", "moved": "the server answers 302", "packed": "compressed, although compression was not requested",
		"broken": "the log is away: the answer broke off", "nothing": "no file nothing",
	} {
		if data, err := from.read(path, 10); err == nil || !strings.HasSuffix(err.Error(), message) {
			t.Errorf("%s: %q, %v", path, data, err)
		}
		if data, err := from.read("short", 10); err != nil || string(data) != "0123456789" {
			t.Errorf("after %s: %q, %v", path, data, err)
		}
	}
}

// Whatever a server sends without an end, one answer has one limit of time, from the request on.
func TestAServerThatNeverComesToItsAnswer(t *testing.T) {
	for _, message := range []string{"HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\n\r\n", ""} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go endless(listener, message)
		from, err := newWeb("http://" + listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		from.limit = 100 * time.Millisecond
		if data, err := from.read("checkpoint", 1<<20); err == nil {
			t.Errorf("%q: %q", message, data)
		}
		listener.Close()
	}
}

// endless takes one request and sends the same again and again, slowly, until the client has gone.
func endless(listener net.Listener, message string) {
	connection, err := listener.Accept()
	if err != nil {
		return
	}
	defer connection.Close()
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, err := connection.Write([]byte(message)); err != nil {
			return
		}
	}
}

func TestPlacesThatAreNoLog(t *testing.T) {
	for _, place := range []string{"ftp://log", "http://user@log", "http://log?x", "http://log#x", "http://[::1"} {
		if _, err := Open(place); err == nil {
			t.Error(place)
		}
	}
}

func TestNumbersOfFiles(t *testing.T) {
	for number, name := range map[uint64]string{0: "000", 67: "067", 1234067: "x001/x234/067", 1000: "x001/000"} {
		if path := spelled(number); path != name {
			t.Errorf("%d: %s, want %s", number, path, name)
		}
	}
}
