// Package steps writes what a command does, step by step with its time, as `equiproof` does: as lines of a log file, and on
// standard error. Lines hold names of steps, counts and kinds. They hold no value of an option, no path and no message of
// an error.
package steps

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"equiproof/verify/tables"
)

// FirstLine begins every log file, also those that Python's commands write.
const FirstLine = "# equiproof log, version 1\n"

const often = 10 * time.Second

// Steps are those of one command. The zero value writes nothing.
type Steps struct {
	command string
	file    *os.File
	aloud   io.Writer
	begun   time.Time
	last    time.Time // when Often wrote
}

// Begin opens the log file, unless path is "". Each step is said at aloud, unless that is nil.
func Begin(command, path string, aloud io.Writer) (*Steps, error) {
	s := &Steps{command: command, aloud: aloud, begun: time.Now()}
	if path == "" {
		return s, nil
	}
	var err error
	s.file, err = open(path)
	return s, err
}

// open opens a log file to append to it. One is made, for this user alone, where there is none.
func open(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err.(*os.PathError).Err)
	}
	about, err := file.Stat()
	start := make([]byte, len(FirstLine))
	if err == nil && about.Mode().IsRegular() {
		if about.Size() == 0 {
			_, _ = file.WriteString(FirstLine)
		}
		_, _ = file.ReadAt(start, 0)
	}
	if string(start) != FirstLine {
		_ = file.Close()
		return nil, errors.New(tables.Say("option.step_log_of_others", path))
	}
	return file, nil
}

// Note writes a step that began at a moment; names and values follow, each value a number or a word of ours.
func (s *Steps) Note(step string, begun time.Time, more ...any) {
	seconds := fmt.Sprintf("%.2f", time.Since(begun).Seconds())
	notes, line := []string{seconds + " s"}, ""
	for at := 0; at+1 < len(more); at += 2 {
		notes = append(notes, fmt.Sprint(more[at], " ", more[at+1]))
		line += fmt.Sprintf(" %s=%v", more[at], more[at+1])
	}
	if s.aloud != nil {
		fmt.Fprintf(s.aloud, "equiproof-log: %s: %s: %s\n", s.command, step, strings.Join(notes, ", "))
	}
	if s.file != nil {
		// A log that cannot be written any more ends nothing.
		_, _ = fmt.Fprintf(s.file, "time=%s pid=%d command=%q step=%s seconds=%s%s\n",
			time.Now().UTC().Format("2006-01-02T15:04:05Z"), os.Getpid(), "log "+s.command, quoted(step), seconds, line)
	}
}

// Often writes a step that comes again and again, at the first time and then once in ten seconds at most. A command has one
// such step at a time.
func (s *Steps) Often(step string, begun time.Time, more ...any) {
	if now := time.Now(); now.Sub(s.last) >= often {
		s.last = now
		s.Note(step, begun, more...)
	}
}

// End writes the exit code, and closes the log file.
func (s *Steps) End(code int) {
	s.Note("end", s.begun, "exit", code)
	if s.file != nil {
		_ = s.file.Close()
	}
}

func quoted(step string) string {
	if strings.Contains(step, " ") {
		return `"` + step + `"`
	}
	return step
}
