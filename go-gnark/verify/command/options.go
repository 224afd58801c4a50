// Package command is the command line of equiproof-verify: options, files, words and exit codes as `equiproof verify` has them.
package command

import (
	"fmt"
	"slices"
	"strings"

	"equiproof/verify/tables"
	"equiproof/verify/text"
)

// option is one option; of a flag, value is empty.
type option struct {
	name, value, help string
	repeated          bool
}

// options are those of `equiproof verify`, but for --checker: this program has one check.
var options = slices.Concat(
	[]option{
		{name: "commitment", value: "FILE", help: tables.Written("option.commitment")},
		{name: "keys", value: "FOLDER", help: tables.Written("option.keys")},
	},
	verifyOptions(tables.Policies()),
	[]option{
		linkOption,
		{name: "policy", value: "FILE", help: tables.Written("option.policy_file")},
		{name: "many", value: "FOLDER|JSONL", help: "Verify a folder of certificates (*.json), bundles (*.equiproof) and " +
			"folders with a certificate.json, or a file of one certificate a line, in place of FILE; needs --commitment and " +
			"--keys. Exits 1 if any is refused, otherwise 2 if any is malformed."},
		{name: "jobs", value: "NUMBER", help: "With --many: on how many threads. Default: one per processor."},
		{name: "out", value: "FILE", help: "With --many: where to write the results, a JSON object a line, one for each file."},
		{name: "force", help: "With --many: overwrite an existing --out."},
		languageOption,
		{name: "verbose", help: tables.Written("option.details")},
		{name: "json", help: tables.Written("option.json")},
		{name: "version", help: tables.Written("option.version")},
		{name: "help", help: "Show this message and exit."},
	},
)

// linkOption names the link of a kept key.
var linkOption = option{name: "link", value: "FILE",
	help: "The link of a kept key, as its owner published it. Default: the one beside certificate or commitment."}

// languageOption is the language of what is said to people; what is printed for programs is in English.
var languageOption = option{name: "language", value: "NAME", help: "The language of the answer: en or de. Default: en."}

// verifyOptions are those of policies: first those that take the place of commitment and keys, and last those about a log.
func verifyOptions(rows []tables.PolicyRow) []option {
	return policyOptions(rows, "verify", []string{"ModelIs", "KeyIs", "LinkKeyIs"}, []string{"ForReceipt", "Logged"})
}

// misuse is a fault in the words of the command.
type misuse string

func (m misuse) Error() string { return string(m) }

// given is what stands on the command line.
type given struct {
	files  []string
	values map[string][]string
}

// read reads the words of the command. Options may stand before and behind files, with their value behind a blank or a sign
// of equality; of one that stands there twice, the last counts.
func read(words []string, options []option) (*given, error) {
	g := &given{values: map[string][]string{}}
	for at := 0; at < len(words); at++ {
		word := words[at]
		if word == "--" {
			g.files = append(g.files, words[at+1:]...)
			break
		}
		if word == "-h" {
			word = "--help"
		}
		if len(word) < 2 || word[0] != '-' {
			g.files = append(g.files, word)
			continue
		}
		name, value, valued := strings.Cut(word, "=")
		match := named(name, options)
		switch {
		case match == nil:
			return nil, misuse(fmt.Sprintf("No such option: %s.", text.Cut(name, 40)))
		case match.value == "" && valued:
			return nil, misuse(fmt.Sprintf("Option '%s' does not take a value.", name))
		case match.value != "" && !valued:
			if at++; at == len(words) {
				return nil, misuse(fmt.Sprintf("Option '%s' requires an argument.", name))
			}
			value = words[at]
		}
		if !match.repeated {
			g.values[match.name] = nil
		}
		g.values[match.name] = append(g.values[match.name], value)
	}
	return g, nil
}

func named(word string, options []option) *option {
	for at := range options {
		if "--"+options[at].name == word {
			return &options[at]
		}
	}
	return nil
}

// has says whether an option is given.
func (g *given) has(name string) bool { return len(g.values[name]) > 0 }

// value is that of an option, nil for one that is not given.
func (g *given) value(name string) *string {
	if !g.has(name) {
		return nil
	}
	return &g.values[name][0]
}

// text is the value of an option, "" for one that is not given.
func (g *given) text(name string) string {
	if value := g.value(name); value != nil {
		return *value
	}
	return ""
}

// help explains the command.
func help() string { return helpOf(usage, options) }

func helpOf(usage string, options []option) string {
	var lines strings.Builder
	lines.WriteString(usage)
	for _, one := range options {
		head := strings.TrimSpace("--" + one.name + " " + one.value)
		for _, line := range wrap(one.help, helpWidth, "", "") {
			fmt.Fprintf(&lines, "  %-30s  %s\n", head, line)
			head = ""
		}
	}
	return lines.String()
}

const helpWidth = 68

const usage = `Usage: equiproof-verify [OPTIONS] FILE
       equiproof-verify [OPTIONS] --many FOLDER|JSONL
       equiproof-verify lot check [OPTIONS] FOLDER LOG
       equiproof-verify gain [OPTIONS] FILE
       equiproof-verify box [OPTIONS] FILE

Verify a certificate; say what was checked and what not. FILE is a bundle
(NAME.equiproof), a certificate, or a folder with a certificate.

What you do not give is taken from the bundle, or found beside the certificate,
and then stands first among what was not checked. Exits 0 if the certificate is
verified, 1 if it is refused, and 2 for a malformed file or wrong usage.

equiproof-verify lot check --help explains the check of an audit by lot,
equiproof-verify gain --help that of a gain certificate, and
equiproof-verify box --help that of a box certificate.

Options:
`
