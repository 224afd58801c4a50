// Package words says what a verification found in words for people. Twin of verifier/words.py and the modules beside it;
// the table words.json serves all of them, and tests/vectors/words.json holds answers that all programs give.
//
// Names, labels, values and units are the owner's words: never translated, and always between the two characters of Unicode
// that isolate a text from what stands around it. In a sentence they are quoted unless they are one plain word, so that none
// can go on with the sentence. No name may hold the quotation marks.
package words

import (
	"errors"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"equiproof/verify/names"
	"equiproof/verify/number"
	"equiproof/verify/spec"
	"equiproof/verify/tables"
	"equiproof/verify/text"
)

// Languages are those of the table.
var Languages = tables.Languages

const (
	noBreak = "\u00a0"
	minus   = "\u2212"
	isolate = "\u2068"
	end     = "\u2069"
)

// Words and units that need no quotation marks, as in package names.
var (
	plainWord = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9_-]*|-?[0-9]+(\.[0-9]+)?)$`)
	plainUnit = regexp.MustCompile("^[A-Za-z%$\u00a3\u00a5\u00b0\u20ac]+(/[A-Za-z]+)?$")
	place     = regexp.MustCompile("{([a-z_]+)}")
)

// isolatedText is a text of the owner's.
var isolatedText = regexp.MustCompile(isolate + "[^" + end + "]*" + end)

// words are the sentences of one language.
type words struct {
	language  string
	sentences map[string]string
}

// speaking returns the sentences of a language; one that the table lacks is an error.
func speaking(name string) (*words, error) {
	sentences, ok := tables.Words(name)
	if !ok {
		return nil, errors.New(tables.Say("value.not_one_of", text.Repr(text.Cut(name, 20)), strings.Join(Languages, ", ")))
	}
	return &words{name, sentences}, nil
}

// Label returns one of the words around an answer, with a value filled in where it has a place; the language is known.
func Label(which, language string, value ...string) string {
	sentences, _ := tables.Words(language)
	return (&words{language, sentences}).say("label."+which, texts{"value": strings.Join(value, "")})
}

// Recourse returns the heading of a recourse: of ways, or of anything else.
func Recourse(isWay bool, language string) string {
	sentences, _ := tables.Words(language)
	return sentences[map[bool]string{true: "recourse.title", false: "recourse.title_without"}[isWay]]
}

// texts fill the places of a sentence.
type texts map[string]string

// say returns a sentence with its places filled in, each once: filled-in text is not read again.
func (l *words) say(which string, filled ...texts) string {
	return place.ReplaceAllStringFunc(l.sentences[which], func(token string) string {
		return filled[0][token[1:len(token)-1]]
	})
}

// number writes a decimal number in full, digits in groups of three.
func (l *words) number(value *big.Rat) string {
	whole, part, pointed := strings.Cut(new(big.Rat).Abs(value).FloatString(number.Places(value)), ".")
	first := (len(whole)-1)%3 + 1
	out := whole[:first]
	for at := first; at < len(whole); at += 3 {
		out += l.say("number.group") + whole[at:at+3]
	}
	if pointed {
		out += l.say("number.point") + part
	}
	if value.Sign() < 0 {
		return minus + out
	}
	return out
}

// count writes how many there are.
func (l *words) count(value int) string { return l.number(new(big.Rat).SetInt64(int64(value))) }

// day writes a day as people do; no line breaks before its month.
func (l *words) day(at time.Time) string {
	month := strings.Fields(l.say("letter.months"))[at.Month()-1]
	day := l.say("letter.date", texts{"day": strconv.Itoa(at.Day()), "month": month, "year": strconv.Itoa(at.Year())})
	return strings.Replace(day, " ", noBreak, 1)
}

// unit writes a unit as it stands behind a number, with the blank before it; nothing for no unit.
func (l *words) unit(unit string) string {
	switch {
	case unit == "":
		return ""
	case plainUnit.MatchString(unit):
		return noBreak + isolated(unit)
	}
	return noBreak + l.quoted(unit)
}

// word writes one of the owner's words as it stands in a sentence: quoted unless it is one plain word.
func (l *words) word(text string) string {
	if plainWord.MatchString(text) {
		return isolated(text)
	}
	return l.quoted(text)
}

// words writes several of the owner's words.
func (l *words) list(all []string) string {
	quotes := make([]string, len(all))
	for at, one := range all {
		quotes[at] = l.word(one)
	}
	return strings.Join(quotes, ", ")
}

// quoted writes one of the owner's words in quotation marks.
func (l *words) quoted(text string) string {
	return l.say("join.quotes", texts{"text": isolated(text)})
}

// joined writes texts as a list in a sentence, the last one behind "and" or "or".
func (l *words) joined(all []string, how string) string {
	last := len(all) - 1
	if last == 0 {
		return all[0]
	}
	return l.say("join."+how, texts{"first": strings.Join(all[:last], ", "), "last": all[last]})
}

// isolated writes a text of the owner's so that its direction of writing ends with it; pages turn the ends into <bdi>.
func isolated(text string) string { return isolate + text + end }

// ForTerminal returns a text for a terminal: of what isolates, only what holds letters that are written from the right stays.
func ForTerminal(text string) string {
	return isolatedText.ReplaceAllStringFunc(text, func(part string) string {
		return names.Isolated(strings.TrimSuffix(strings.TrimPrefix(part, isolate), end))
	})
}

// shownName is a feature's name as it is shown: its translation, or its own with underscores as blanks. It stays as it is where
// it would begin or end with a blank or hold two in a row, and where any name in this language holds a blank: then two names
// could come out alike.
func (l *words) shownName(s *spec.Spec, f *spec.Feature) string {
	own := f.NameIn(l.language)
	plain := strings.ReplaceAll(own, "_", " ")
	blank := func(other *spec.Feature) bool { return strings.Contains(other.NameIn(l.language), " ") }
	if plain != strings.Trim(plain, " ") || strings.Contains(plain, "  ") || slices.ContainsFunc(s.Features, blank) {
		return own
	}
	return plain
}
