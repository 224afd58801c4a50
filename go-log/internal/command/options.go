package command

import (
	"fmt"
	"strings"

	"equiproof/verify/tables"
	"equiproof/verify/text"
)

// option is one option; its value has a name in the help, and is "" for a flag of one letter.
type option struct {
	name, value, help string
	repeated          bool
}

// word is the option as it is written.
func (o option) word() string {
	if o.value == "" {
		return "-" + o.name
	}
	return "--" + o.name
}

var (
	origin   = option{name: "origin", value: "NAME", help: "The log's name, which is its key's."}
	newKey   = option{name: "key", value: "FILE", help: "The log's signing key, from `equiproof identity new`. It stays where it is."}
	key      = option{name: "key", value: "FILE", help: "The log's signing key, where it is no more where it was."}
	cosigner = option{name: "witness", value: "URL:KEY", repeated: true, help: "A witness: its address and verifier key. Repeat the " +
		"option for each."}
	listen = option{name: "listen", value: "127.0.0.1:PORT", help: "Serve at this loopback address; port 0 takes a free one."}
	socket = option{name: "socket", value: "PATH", help: "Serve at this Unix socket."}
	host   = option{name: "host", value: "NAME", repeated: true, help: "A name by which a web server of yours asks /add for " +
		"others, beside this machine's own. Repeat the option for each."}
	aloud   = option{name: "v", help: tables.Written("option.verbose")}
	logFile = option{name: "log", value: "FILE", help: tables.Written("option.step_log")}
)

// misuse is a fault in the words of the command.
type misuse string

func (m misuse) Error() string { return string(m) }

// given is what stands on the command line.
type given struct {
	words  []string
	values map[string][]string
}

// read reads the words of a command. Options may stand before and behind other words, with their value behind a blank or a
// sign of equality; of one that stands there twice, the last counts.
func read(words []string, known []option) (*given, error) {
	g := &given{values: map[string][]string{}}
	for at := 0; at < len(words); at++ {
		word := words[at]
		if word == "--" {
			g.words = append(g.words, words[at+1:]...)
			break
		}
		if len(word) < 2 || word[0] != '-' {
			g.words = append(g.words, word)
			continue
		}
		name, value, valued := strings.Cut(word, "=")
		one := named(name, known)
		if one == nil {
			return nil, misuse(fmt.Sprintf("No such option: %s.", text.Cut(name, 40)))
		}
		switch {
		case one.value == "" && valued:
			return nil, misuse(fmt.Sprintf("Option '%s' takes no argument.", name))
		case one.value != "" && !valued:
			if at++; at == len(words) {
				return nil, misuse(fmt.Sprintf("Option '%s' requires an argument.", name))
			}
			value = words[at]
		}
		if !one.repeated {
			g.values[one.name] = nil
		}
		g.values[one.name] = append(g.values[one.name], value)
	}
	return g, nil
}

func named(word string, known []option) *option {
	for at := range known {
		if known[at].word() == word {
			return &known[at]
		}
	}
	return nil
}

// flag says whether an option without a value is given.
func (g *given) flag(name string) bool { return len(g.values[name]) > 0 }

// text is the value of an option, "" for one that is not given.
func (g *given) text(name string) string {
	if values := g.values[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}
