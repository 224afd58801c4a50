package tiles

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"equiproof/verify/present"
	"equiproof/verify/text"
)

const (
	// connecting is how long a server may say nothing, reading how long one answer may take in all.
	connecting = 10 * time.Second
	reading    = 60 * time.Second
	maxHeaders = 1 << 16
	shownURL   = 100
)

// web is a log's URL; no redirection is followed, and no proxy is asked.
type web struct {
	shown, base string
	limit       time.Duration // of one answer
	client      *http.Client
}

func newWeb(place string) (*web, error) {
	address, err := url.Parse(place)
	if err != nil {
		return nil, failed("%s: not a URL", text.Cut(place, shownURL))
	}
	ok := address.Scheme == "http" || address.Scheme == "https" || address.Scheme == "unix"
	if !ok || address.RawQuery != "" || address.Fragment != "" || address.User != nil {
		return nil, failed("%s: want http://HOST..., https://HOST... or unix:///PATH of a socket", text.Cut(place, shownURL))
	}
	base, dialer := strings.TrimRight(place, "/"), &net.Dialer{Timeout: connecting}
	dial := dialer.DialContext
	if address.Scheme == "unix" {
		base = "http://localhost"
		dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "unix", address.Path)
		}
	}
	carrier := &http.Transport{DialContext: dial, TLSHandshakeTimeout: connecting, ResponseHeaderTimeout: connecting,
		MaxResponseHeaderBytes: maxHeaders, DisableCompression: true, MaxIdleConnsPerHost: 1}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &web{strings.TrimRight(place, "/"), base, reading, &http.Client{Transport: carrier, CheckRedirect: stay}}, nil
}

func (w *web) name() string { return w.shown }

func (w *web) read(path string, most int) ([]byte, error) {
	limited, cancel := context.WithTimeout(context.Background(), w.limit)
	defer cancel()
	request, err := http.NewRequestWithContext(limited, http.MethodGet, w.base+"/"+path, nil)
	if err != nil {
		return nil, failed("%s: not a URL", text.Cut(w.shown, shownURL))
	}
	request.Header.Set("Accept-Encoding", "identity")
	answer, err := w.client.Do(request)
	if err != nil {
		return nil, w.away(err)
	}
	defer answer.Body.Close()
	if coding := answer.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return nil, failed("%s: %s: compressed, which was not asked for", w.shown, path)
	}
	data, err := io.ReadAll(io.LimitReader(answer.Body, int64(most)+1))
	switch {
	case err != nil:
		return nil, w.away(err)
	case answer.StatusCode == http.StatusNotFound || answer.StatusCode == http.StatusGone:
		return nil, absent(w, path)
	case answer.StatusCode != http.StatusOK:
		return nil, failed("%s: %s: the server answers %d", w.shown, path, answer.StatusCode)
	}
	return bounded(w, path, data, most)
}

// away is the error about a server that does not answer.
func (w *web) away(err error) error {
	reason := "the answer broke off"
	var code syscall.Errno
	var waited net.Error
	switch {
	case errors.As(err, &code):
		reason = present.Sentence(code.Error())
	case errors.As(err, &waited) && waited.Timeout():
		reason = "no answer in time"
	case errors.As(err, new(*net.OpError)):
		reason = err.Error()
	}
	return failed("%s: the log is away: %s", w.shown, reason)
}
