// Package command is the command line of equiproof-log.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"equiproof-log/internal/folder"
	"equiproof-log/internal/steps"
	"equiproof/verify/text"
	"equiproof/verify/verdict"
)

// Version is that of the project.
const Version = "1.0.0rc1"

// Forked is the exit code of a log that must not go on, as circuits/exit_codes.py has it.
const Forked = 5

const program = "equiproof-log"

// streams are where a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
	steps    *steps.Steps
}

// action is one command: its options, and what it does with the words behind its name.
type action struct {
	name, usage, help string
	options           []option
	run               func(ctx context.Context, s streams, g *given) error
}

func actions() []action {
	return []action{
		{"init", "init DIR --origin NAME --key FILE", "Make the folder of an empty log, and print its verifier key.",
			[]option{origin, newKey, aloud, logFile}, initialise},
		{"append", "append DIR ENTRY...", "Append entries, each a file or - for one a line on standard input; print index and name " +
			"of each. An entry that is there keeps its index.", []option{key, cosigner, aloud, logFile}, add},
		{"serve", "serve DIR (--listen 127.0.0.1:PORT | --socket PATH)", "Serve tiles and checkpoint, and append what is posted " +
			"to /add.", []option{listen, socket, host, key, cosigner, aloud, logFile}, answer},
		{"checkpoint", "checkpoint DIR", "Print the signed checkpoint.", []option{aloud, logFile}, checkpoint},
	}
}

// Run runs the command and returns its exit code. What goes wrong is one line on the last stream.
func Run(arguments []string, in io.Reader, out, err io.Writer) (code int) {
	s := streams{in, out, err, nil}
	defer func() {
		if fault := recover(); fault != nil {
			fmt.Fprintf(err, "%s: a fault of the program: %v\n%s", program, fault, debug.Stack())
			code = verdict.Fault
		}
	}()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	return s.failed(run(ctx, s, arguments))
}

func run(ctx context.Context, s streams, arguments []string) error {
	if len(arguments) == 0 {
		return misuse("Missing command.")
	}
	switch arguments[0] {
	case "--help", "-h":
		return s.print(help())
	case "--version":
		return s.print(program + " " + Version + "\n")
	}
	for _, one := range actions() {
		if one.name == arguments[0] {
			for _, word := range arguments[1:] {
				if word == "--help" || word == "-h" {
					return s.print(help())
				}
			}
			g, err := read(arguments[1:], one.options)
			if err != nil {
				return err
			}
			if len(g.words) == 0 {
				return misuse("Missing argument 'DIR'.")
			}
			return one.noted(ctx, s, g)
		}
	}
	return misuse(fmt.Sprintf("No such command '%s'.", text.Cut(arguments[0], 40)))
}

// noted runs a command, and writes its steps where its options say.
func (a action) noted(ctx context.Context, s streams, g *given) (err error) {
	var out io.Writer
	if g.flag(aloud.name) {
		out = s.err
	}
	if s.steps, err = steps.Begin(a.name, g.text(logFile.name), out); err != nil {
		return err
	}
	code := verdict.Fault
	defer func() { s.steps.End(code) }()
	err = a.run(ctx, s, g)
	code = codeOf(err)
	return err
}

// codeOf is the exit code with which an error ends the program.
func codeOf(err error) int {
	var forked folder.ForkError
	switch {
	case err == nil:
		return verdict.OK
	case errors.As(err, &forked):
		return Forked
	case errors.Is(err, context.Canceled):
		return verdict.Interrupted
	}
	return verdict.Misused
}

// failed writes what went wrong, if anything did, and returns the exit code.
func (s streams) failed(err error) int {
	var words misuse
	code := codeOf(err)
	switch {
	case errors.As(err, &words):
		fmt.Fprintf(s.err, "%s: %s See `%s --help`.\n", program, text.Plain(err.Error()), program)
	case code == verdict.Interrupted:
		s.warn("interrupted")
	case err != nil:
		s.warn(err.Error())
	}
	return code
}

// warn writes one line about what goes wrong.
func (s streams) warn(line string) { fmt.Fprintf(s.err, "%s: %s\n", program, text.Plain(line)) }

// print writes a result.
func (s streams) print(result string) error {
	if _, err := io.WriteString(s.out, result); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

// help explains the commands.
func help() string {
	var lines strings.Builder
	lines.WriteString("Usage: equiproof-log COMMAND\n\nKeep a public log: entries under a Merkle tree, as static files, with " +
		"signed checkpoints.\n")
	for _, one := range actions() {
		fmt.Fprintf(&lines, "\n  %s\n      %s\n", one.usage, one.help)
		for _, option := range one.options {
			fmt.Fprintf(&lines, "      %s: %s\n", strings.TrimSuffix(option.word()+" "+option.value, " "), option.help)
		}
	}
	lines.WriteString("\nExits 0 when done, 2 for a file or an argument that cannot be used, 5 where going on would fork the log.\n")
	return lines.String()
}
