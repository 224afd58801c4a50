package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"equiproof-log/internal/entry"
	"equiproof-log/internal/folder"
	"equiproof-log/internal/steps"
)

// initialise makes the folder of a log.
func initialise(ctx context.Context, s streams, g *given) error {
	if err := g.alone(); err != nil {
		return err
	}
	for _, one := range []option{origin, newKey} {
		if g.text(one.name) == "" {
			return misuse(fmt.Sprintf("Missing option '--%s'.", one.name))
		}
	}
	begun := time.Now()
	line, err := folder.Init(ctx, g.words[0], g.text(origin.name), g.text(newKey.name))
	if err != nil {
		return err
	}
	s.steps.Note("making the folder", begun)
	return s.print(line + "\n")
}

// checkpoint prints the signed checkpoint.
func checkpoint(_ context.Context, s streams, g *given) error {
	if err := g.alone(); err != nil {
		return err
	}
	begun := time.Now()
	data, err := folder.Checkpoint(g.words[0])
	if err != nil {
		return err
	}
	s.steps.Note("reading the checkpoint", begun)
	return s.print(string(data))
}

// alone refuses words behind the folder.
func (g *given) alone() error {
	if len(g.words) > 1 {
		return misuse(fmt.Sprintf("Got unexpected extra argument (%s).", g.words[1]))
	}
	return nil
}

// add appends entries.
func add(ctx context.Context, s streams, g *given) (err error) {
	if len(g.words) < 2 {
		return misuse("Missing argument 'ENTRY'.")
	}
	sources, err := sources(g.words[1:])
	if err != nil {
		return err
	}
	log, group, err := opened(ctx, s, g)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	err = appendAll(ctx, s, log, sources)
	// What was appended before a failure is in the tree, and is published now or by the next writer.
	if last := group.Round(context.WithoutCancel(ctx)); err == nil {
		err = last
	}
	return err
}

// sources reads and checks the entries of files; nil stands for standard input, which is read while appending.
func sources(words []string) ([][]byte, error) {
	contents := make([][]byte, len(words))
	for at, word := range words {
		if word == "-" {
			continue
		}
		data, err := readEntry(word)
		if err != nil {
			return nil, err
		}
		if err := entry.Check(data, word); err != nil {
			return nil, err
		}
		contents[at] = data
	}
	return contents, nil
}

// readEntry reads a file, of one that is too long a byte more than an entry has.
func readEntry(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		var failed *os.PathError
		if errors.As(err, &failed) {
			err = fmt.Errorf("%s: %w", failed.Path, failed.Err)
		}
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, entry.MaxBytes+1))
}

// appendAll appends what the sources hold, in their order.
func appendAll(ctx context.Context, s streams, log *folder.Log, sources [][]byte) error {
	w := &writing{log: log, out: bufio.NewWriter(s.out), steps: s.steps, begun: time.Now()}
	defer func() { s.steps.Note("appending", w.begun, "entries", w.done) }()
	for _, data := range sources {
		err := error(nil)
		if data != nil {
			err = w.add(data)
		} else {
			err = w.lines(ctx, s.in)
		}
		if err != nil {
			return errors.Join(err, w.flush())
		}
	}
	return w.flush()
}

// writing is checked entries that are not on their way yet.
type writing struct {
	log     *folder.Log
	out     *bufio.Writer
	entries [][]byte
	steps   *steps.Steps
	begun   time.Time
	done    int
}

// lines appends one entry a line.
func (w *writing) lines(ctx context.Context, in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 1<<16), entry.MaxBytes+2)
	for number := 1; lines.Scan(); number++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		data := append([]byte(nil), lines.Bytes()...)
		if err := entry.Check(data, fmt.Sprintf("-: line %d", number)); err != nil {
			return err
		}
		if err := w.add(data); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("-: a line longer than %d bytes", entry.MaxBytes)
	}
	return lines.Err()
}

// add takes an entry; every so many, all are written.
func (w *writing) add(data []byte) error {
	w.entries = append(w.entries, data)
	if len(w.entries) < folder.BatchEntries {
		return nil
	}
	return w.flush()
}

// flush sends all entries on their way at once, so that they keep their order, waits for them, and says their indexes.
func (w *writing) flush() error {
	if w.done > 0 {
		w.steps.Often("appending", w.begun, "entries", w.done)
	}
	waits := make([]func() (uint64, error), len(w.entries))
	for at, data := range w.entries {
		waits[at] = w.log.Submit(data)
	}
	for at, wait := range waits {
		index, err := wait()
		if err != nil {
			w.entries = nil
			return errors.Join(err, w.out.Flush())
		}
		fmt.Fprintf(w.out, "%d %s\n", index, entry.NameOf(w.entries[at]))
		w.done++
	}
	w.entries = w.entries[:0]
	if err := w.out.Flush(); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}
