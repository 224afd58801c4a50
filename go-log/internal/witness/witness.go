// Package witness has a log's checkpoints signed by witnesses (https://c2sp.org/tlog-witness), each of which signs only what
// continues the checkpoint that it signed before.
package witness

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	cosignatures "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"

	"equiproof-log/internal/folder"
)

const (
	maxAnswer  = 1 << 16
	sizeAnswer = "text/x.tlog.size"
)

// Witness is one witness, and what the log knows of it.
type Witness struct {
	address  string
	verifier note.Verifier
	size     uint64    // of the checkpoint that it signed last, as far as the log knows
	time     time.Time // of its signature below that one
	failures int
	due      time.Time // when it is asked again after a failure
	said     string
}

// Parse reads URL:KEY, the address before /add-checkpoint and the verifier key.
func Parse(words string) (*Witness, error) {
	for at := range words {
		if words[at] != ':' {
			continue
		}
		// Names may hold colons, but the hash in a key tells where the name begins.
		verifier, err := verifierOf(words[at+1:])
		if err != nil {
			continue
		}
		address, err := url.Parse(words[:at])
		if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
			return nil, fmt.Errorf("--witness: %s is no address such as https://witness.example", words[:at])
		}
		return &Witness{address: address.JoinPath("add-checkpoint").String(), verifier: verifier}, nil
	}
	return nil, errors.New("--witness: want URL:KEY, an address and the witness's verifier key")
}

// verifierOf reads a verifier key, of a signer or of a witness alone.
func verifierOf(line string) (note.Verifier, error) {
	if _, err := note.NewVerifier(line); err == nil {
		return cosignatures.NewVerifierForCosignatureV1(line)
	}
	verifier, err := cosignatures.NewVerifierForCosignatureV1(line)
	if err != nil {
		return nil, err
	}
	if want := fmt.Sprintf("%s+%08x+", verifier.Name(), verifier.KeyHash()); !strings.HasPrefix(line, want) {
		return nil, errors.New("a damaged verifier key")
	}
	return verifier, nil
}

// Name is the witness's.
func (w *Witness) Name() string { return w.verifier.Name() }

// remember takes over what the witness signed of a checkpoint, if it did.
func (w *Witness) remember(published folder.Published) {
	w.size = published.Size
	if opened, err := note.Open(published.Data, note.VerifierList(w.verifier)); err == nil {
		w.time, _ = cosignatures.CoSigV1Timestamp(opened.Sigs[0])
	}
}

// cosign asks for the signature of a checkpoint, and returns its line. A witness that has seen more of the log than there is,
// or another history, is a folder.ForkError.
func (w *Witness) cosign(ctx context.Context, client *http.Client, log *folder.Log, next folder.Published) (string, error) {
	for range 2 {
		status, kind, body, err := w.post(ctx, client, log, next)
		if err != nil {
			return "", err
		}
		switch {
		case status == http.StatusOK:
			return w.signature(next, body)
		case status == http.StatusConflict && kind == sizeAnswer:
			size, err := strconv.ParseUint(strings.TrimSuffix(body, "\n"), 10, 64)
			if err != nil {
				return "", errors.New("its answer names no size")
			}
			if size > next.Size {
				return "", folder.ForkError(fmt.Sprintf("witness %s has seen %d entries and %s holds %d: the folder was put back "+
					"from an older copy; to append here would fork the log", w.Name(), size, log.Path(), next.Size))
			}
			w.size = size
		case status == http.StatusUnprocessableEntity:
			return "", folder.ForkError(fmt.Sprintf("witness %s knows another history of this log than %s: to append here would "+
				"fork the log", w.Name(), log.Path()))
		default:
			return "", fmt.Errorf("it answered %d %s", status, firstLine(body))
		}
	}
	return "", errors.New("it answered 409 twice")
}

// post sends a checkpoint with the proof that it continues what the witness signed last.
func (w *Witness) post(
	ctx context.Context, client *http.Client, log *folder.Log, next folder.Published,
) (status int, kind, body string, err error) {
	path, err := log.Consistency(ctx, w.size, next.Size)
	if err != nil {
		return 0, "", "", err
	}
	var request strings.Builder
	fmt.Fprintf(&request, "old %d\n", w.size)
	for _, hash := range path {
		request.WriteString(base64.StdEncoding.EncodeToString(hash) + "\n")
	}
	request.WriteString("\n" + string(next.Data))
	sent, err := http.NewRequestWithContext(ctx, http.MethodPost, w.address, strings.NewReader(request.String()))
	if err != nil {
		return 0, "", "", err
	}
	sent.Header.Set("Content-Type", "text/plain; charset=utf-8")
	answer, err := client.Do(sent)
	if err != nil {
		return 0, "", "", offline(err)
	}
	defer answer.Body.Close()
	read, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	return answer.StatusCode, answer.Header.Get("Content-Type"), string(read), err
}

// signature is the witness's line among those of an answer.
func (w *Witness) signature(next folder.Published, body string) (string, error) {
	opened, err := note.Open([]byte(string(next.Data)+body), note.VerifierList(w.verifier))
	if err != nil {
		return "", errors.New("its answer holds no signature of its key")
	}
	time, err := cosignatures.CoSigV1Timestamp(opened.Sigs[0])
	if err != nil || time.Unix() <= 0 {
		return "", errors.New("its signature names no time")
	}
	w.size, w.time = next.Size, time
	return fmt.Sprintf("— %s %s\n", opened.Sigs[0].Name, opened.Sigs[0].Base64), nil
}

// offline is why there was no answer, in a word of the system.
func offline(err error) error {
	var number syscall.Errno
	if errors.As(err, &number) {
		return fmt.Errorf("offline: %w", number)
	}
	var failed *url.Error
	if errors.As(err, &failed) {
		if failed.Timeout() {
			return errors.New("offline: no answer in time")
		}
		return fmt.Errorf("offline: %w", failed.Err)
	}
	return err
}

func firstLine(body string) string {
	line, _, _ := strings.Cut(body, "\n")
	return line
}
