package command

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"equiproof/verify"
	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/many"
	"equiproof/verify/present"
	"equiproof/verify/tables"
	"equiproof/verify/text"
	"equiproof/verify/verdict"
)

// Of the options, those that go with one certificate only, and those that go with many only.
var (
	forOne  = append(onlyOfOne(tables.Policies()), "verbose", "receipt")
	forMany = []string{"jobs", "out", "force"}
)

// onlyOfOne are the options of policies that Python's command for many certificates has not.
func onlyOfOne(rows []tables.PolicyRow) (names []string) {
	rows = slices.DeleteFunc(rows, func(row tables.PolicyRow) bool {
		return row.Argument == "" || slices.Contains(row.Commands, "verify-many")
	})
	for _, one := range verifyOptions(rows) {
		names = append(names, one.name)
	}
	return names
}

// ended is a run that some certificates did not pass: the exit code. All has been said.
type ended int

func (e ended) Error() string { return fmt.Sprintf("ended with %d", int(e)) }

// withMany refuses options that do not go with one certificate, or with many; single are those that go with one only.
func (g *given) withMany(single []string) error {
	names, why := forMany, "needs --many"
	if g.has("many") {
		names, why = single, "does not go with --many"
	}
	for _, name := range names {
		if g.has(name) {
			return misuse(fmt.Sprintf("Option '--%s' %s.", name, why))
		}
	}
	return nil
}

// checkMany refuses what withMany refuses, and many certificates without what they are verified with.
func (g *given) checkMany() error {
	if err := g.withMany(forOne); err != nil {
		return err
	}
	for _, name := range []string{"commitment", "keys"} {
		if g.has("many") && !g.has(name) {
			return misuse(fmt.Sprintf("Missing option '--%s'.", name))
		}
	}
	return nil
}

// trustedMany reads what many certificates are verified with, on so many threads, once it is sure that the results can be written.
func (g *given) trustedMany(s streams) (*many.Demands, error) {
	threads, err := g.jobs()
	if err != nil {
		return nil, err
	}
	if err := refuseTaken(g.text("out"), g.has("force")); err != nil {
		return nil, err
	}
	proof, err := g.ownLogProof()
	if err != nil {
		return nil, err
	}
	terms, err := g.demands(s, nil, append([]byte{}, proof...))
	if err != nil {
		return nil, err
	}
	return &many.Demands{Commitment: terms.commitment, Keys: terms.keys, Policy: terms.policy, Threads: threads,
		LogProof: proof}, nil
}

// links are the one that an option names, or where a key needs one all those in the commitment's folder, by their key.
func (g *given) links(keys *verify.Store) (map[string]*document.Link, error) {
	link, err := readOption(g, "link", document.ReadLink)
	switch {
	case err != nil:
		return nil, err
	case link != nil:
		return map[string]*document.Link{link.Key: link}, nil
	case !keys.NeedsLinks():
		return nil, nil
	}
	return present.LinksIn(filepath.Dir(g.text("commitment")))
}

// severally verifies many certificates. A file that is broken is one of the results, not the end.
func severally(s streams, g *given) error {
	if err := g.speak(); err != nil {
		return err
	}
	defer tables.Speak(tables.Languages[0])
	run, err := g.trustedMany(s)
	if err != nil {
		return err
	}
	if run.Links, err = g.links(run.Keys); err != nil {
		return err
	}
	return judgeAll(s, g, run)
}

// judgeAll verifies all that the options name, and writes and prints what was found.
func judgeAll(s streams, g *given, run *many.Demands) error {
	out := g.text("out")
	source, err := many.Open(g.text("many"))
	if err != nil {
		return err
	}
	summary, progress := &many.Summary{Boxes: run.Boxes}, newProgress(s, source.Total, g.has("json"))
	err = writeWhole(out, g.has("force"), func(lines io.Writer) error {
		err := run.Each(source, func(rows []many.Row, done int64) error {
			summary.Add(rows)
			progress.tell(done)
			return writeRows(lines, rows)
		})
		if err == nil && summary.Total() == 0 {
			err = summary.Nothing(source.Path)
		}
		return err
	})
	progress.end()
	if err != nil {
		return err
	}
	result := summary.Text(out)
	if g.has("json") {
		result = jsonText(summary.Document(out))
	}
	if err := s.print(result); err != nil {
		return err
	}
	if code := summary.ExitCode(); code != verdict.OK {
		return ended(code)
	}
	return nil
}

// jobs is on how many threads certificates are verified; 0 is one per core.
func (g *given) jobs() (int, error) {
	typed := g.value("jobs")
	if typed == nil {
		return 0, nil
	}
	count, err := strconv.Atoi(*typed)
	if err != nil || count < -1 || count == 0 {
		return 0, fmt.Errorf("--jobs: want at least 1, or -1 for one per processor, not %s", text.Cut(*typed, 40))
	}
	return max(count, 0), nil
}

func writeRows(lines io.Writer, rows []many.Row) error {
	for at := range rows {
		if _, err := lines.Write(append(compact(rows[at].Document()), '\n')); err != nil {
			return err
		}
	}
	return nil
}

// refuseTaken refuses a file that exists, unless by force, and a folder.
func refuseTaken(path string, force bool) error {
	info, err := os.Stat(path)
	switch {
	case path == "" || err != nil:
		return nil
	case info.IsDir():
		return fmt.Errorf("%s: Is a directory", path)
	case !force:
		return fmt.Errorf("%s exists; name another file, or overwrite it with --force", path)
	}
	return nil
}

// writeWhole writes a file whole or not at all, and never over another one unless by force; without a path it writes nowhere.
func writeWhole(path string, force bool, write func(out io.Writer) error) (err error) {
	if path == "" {
		return write(io.Discard)
	}
	token := make([]byte, 8)
	if _, err := rand.Read(token); err != nil {
		return err
	}
	draft := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+hex.EncodeToString(token))
	file, err := os.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("%s: %s", path, present.Strerror(err))
	}
	defer os.Remove(draft)
	buffered := bufio.NewWriter(file)
	err = write(buffered)
	if err == nil {
		err = buffered.Flush()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	if force {
		return os.Rename(draft, path)
	}
	if err := os.Link(draft, path); errors.Is(err, os.ErrExist) {
		return refuseTaken(path, false)
	} else if err != nil {
		return fmt.Errorf("%s: %s", path, present.Strerror(err))
	}
	return nil
}

// progress tells a terminal how much is done.
type progress struct {
	out   io.Writer
	total int64
	shown int64
}

// newProgress tells nobody unless there is a terminal to tell.
func newProgress(s streams, total int64, quiet bool) *progress {
	if quiet || width(s.err) == unbroken {
		return &progress{}
	}
	return &progress{out: s.err, total: max(total, 1), shown: -1}
}

func (p *progress) tell(done int64) {
	if share := 100 * done / max(p.total, 1); p.out != nil && share != p.shown {
		p.shown = share
		fmt.Fprintf(p.out, "\rverifying %3d %%", min(share, 100))
	}
}

// end leaves the line empty.
func (p *progress) end() {
	if p.out != nil {
		fmt.Fprintf(p.out, "\r%15s\r", "")
	}
}

// compact writes a document without blanks, its entries in their order.
func compact(object *canonical.Object) []byte {
	out := []byte{'{'}
	for at, name := range object.Names() {
		if at > 0 {
			out = append(out, ',')
		}
		out = append(append(out, canonical.Bytes(name)...), ':')
		out = append(out, canonical.Bytes(object.Get(name))...)
	}
	return append(out, '}')
}
