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
	"equiproof/verify/tables"
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
		return nil, failed(text.Cut(place, shownURL) + ": not a URL")
	}
	ok := address.Scheme == "http" || address.Scheme == "https" || address.Scheme == "unix"
	if !ok || address.RawQuery != "" || address.Fragment != "" || address.User != nil {
		return nil, failed(tables.Say("source.address_malformed", text.Cut(place, shownURL)))
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
		return nil, failed(text.Cut(w.shown, shownURL) + ": not a URL")
	}
	request.Header.Set("Accept-Encoding", "identity")
	answer, err := w.client.Do(request)
	if err != nil {
		return nil, w.away(err)
	}
	defer answer.Body.Close()
	if coding := answer.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return nil, failed(tables.Say("source.compressed", w.shown, path))
	}
	data, err := io.ReadAll(io.LimitReader(answer.Body, int64(most)+1))
	switch {
	case err != nil:
		return nil, w.away(err)
	case answer.StatusCode == http.StatusNotFound || answer.StatusCode == http.StatusGone:
		return nil, absent(w, path)
	case answer.StatusCode != http.StatusOK:
		return nil, failed(tables.Say("source.server_answers", w.shown, path, answer.StatusCode))
	}
	return bounded(w, path, data, most)
}

// away is the error about a server that does not answer.
func (w *web) away(err error) error {
	reason := tables.Say("source.answer_broke_off")
	var code syscall.Errno
	var waited net.Error
	switch {
	case errors.As(err, &code):
		reason = present.Sentence(code.Error())
	case errors.As(err, &waited) && waited.Timeout():
		reason = tables.Say("source.no_answer_in_time")
	case errors.As(err, new(*net.OpError)):
		reason = err.Error()
	}
	return failed(tables.Say("source.log_away", w.shown, reason))
}
