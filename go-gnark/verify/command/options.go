// Package command is the command line of equiproof-verify: options, files, words and exit codes as `equiproof verify` has them.
package command

import (
	"fmt"
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
var options = []option{
	{name: "commitment", value: "FILE", help: tables.Say("option.commitment")},
	{name: "keys", value: "FOLDER", help: tables.Say("option.keys")},
	{name: "model-commitment", value: "DIGITS", help: tables.Say("option.model_commitment")},
	{name: "key-fingerprint", value: "DIGITS", help: tables.Say("option.key_fingerprint")},
	{name: "query", value: "FILE", help: tables.Say("option.query")},
	{name: "context", value: "FILE", help: tables.Say("option.context")},
	{name: "min-radius", value: "NUMBER", help: "Refuse certificates with a smaller radius than this, in the spec's units."},
	{name: "no-ranges", help: tables.Say("option.no_ranges")},
	{name: "ranges-within", value: "NAME=LOW:HIGH", repeated: true, help: "The values that the certified range of a numeric " +
		"feature must include, such as income=0:90000. Repeat the option for each numeric feature."},
	{name: "setup", value: "KIND", help: tables.Say("option.setup")},
	{name: "transcript", value: "DIGITS", help: "Accept a key of others by this transcript digest, which `equiproof keys " +
		"check` printed for you."},
	{name: "signed-by", value: "FILE", help: tables.Say("option.signed_by")},
	{name: "least-signers", value: "NUMBER", help: tables.Say("option.least_signers")},
	{name: "receipt", value: "FILE", help: "Your own receipt; its log proof has the same name with .tlog-proof. Default: the " +
		"one beside the certificate."},
	{name: "log-proof", value: "FILE", help: "A proof that the commitment is in a public log; with --many, one for all. Default: " +
		"the one beside the certificate."},
	{name: "log-key", value: "KEY", help: tables.Say("option.log_key")},
	{name: "witnesses", value: "FILE", help: tables.Say("option.witnesses")},
	{name: "least-witnesses", value: "NUMBER", help: tables.Say("option.least_witnesses")},
	{name: "smallest-tree", value: "NUMBER", help: tables.Say("option.least_entries")},
	{name: "max-log-age", value: "DAYS", help: tables.Say("option.max_log_age")},
	{name: "log-owner", value: "NAME", help: tables.Say("option.log_owner")},
	{name: "policy", value: "FILE", help: tables.Say("option.policy_file")},
	{name: "many", value: "FOLDER|JSONL", help: "Verify a folder of certificates (*.json), bundles (*.equiproof) and " +
		"folders with a certificate.json, or a file of one certificate a line, in place of FILE; needs --commitment and " +
		"--keys. Exits 1 if any is refused, otherwise 2 if any is malformed."},
	{name: "jobs", value: "NUMBER", help: "With --many: on how many threads. Default: one per processor."},
	{name: "out", value: "FILE", help: "With --many: where to write the results, a JSON object a line, one for each file."},
	{name: "force", help: "With --many: overwrite an existing --out."},
	{name: "language", value: "NAME", help: "The language of the answer: en or de. Default: en."},
	{name: "verbose", help: tables.Say("option.details")},
	{name: "json", help: tables.Say("option.json")},
	{name: "version", help: tables.Say("option.version")},
	{name: "help", help: "Show this message and exit."},
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

Verify a certificate; say what was checked and what not. FILE is a bundle
(NAME.equiproof), a certificate, or a folder with a certificate.

What you do not give is taken from the bundle, or found beside the certificate,
and then stands first among what was not checked. Exits 0 if the certificate is
verified, 1 if it is refused, and 2 for a malformed file or wrong usage.

equiproof-verify lot check --help explains the check of an audit by lot, and
equiproof-verify gain --help that of a gain certificate.

Options:
`
