package tables

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
)

var (
	// sentenceID is an area and what the sentence says of it.
	sentenceID = regexp.MustCompile(`^[a-z]+(_[a-z]+)*\.[a-z0-9]+(_[a-z0-9]+)*$`)
	// placeholder is a named place of a sentence.
	placeholder = regexp.MustCompile(`{([a-z]+(?:_[a-z]+)*)}`)
)

// sentence is one of messages.json or written.json, read: the texts around its places, of which there is one more than places,
// and for each place which of a call's values it gets. A call gives values in the order of the English text.
type sentence struct {
	texts  []string
	values []int
}

// parse reads a sentence whose values come in the order of its own places. The rules are those of equiproof/circuits/tables.py.
func parse(id, text string) (sentence, error) {
	texts, names := split(text)
	made := sentence{texts: texts}
	for at := range names {
		made.values = append(made.values, at)
	}
	switch {
	case !sentenceID.MatchString(id):
		return made, errors.New("want an id such as policy.radius_too_small")
	case text == "" || strings.TrimSpace(text) != text:
		return made, errors.New("want a text without blanks at its ends")
	case strings.ContainsAny(strings.Join(texts, ""), "{}"):
		return made, errors.New("a brace that belongs to no place, such as {radius}")
	case len(slices.Compact(slices.Sorted(slices.Values(names)))) < len(names):
		return made, errors.New("two places have the same name")
	}
	return made, nil
}

// split returns the texts around the places of a sentence, and the names of these.
func split(text string) (texts, names []string) {
	end := 0
	for _, place := range placeholder.FindAllStringSubmatchIndex(text, -1) {
		names = append(names, text[place[2]:place[3]])
		texts = append(texts, text[end:place[0]])
		end = place[1]
	}
	return append(texts, text[end:]), names
}

// parseAll reads the sentences of one language.
func parseAll(texts map[string]string) (map[string]sentence, error) {
	all := make(map[string]sentence, len(texts))
	for _, id := range slices.Sorted(maps.Keys(texts)) {
		said, err := parse(id, texts[id])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", id, err)
		}
		all[id] = said
	}
	return all, nil
}

// parseLanguages reads the sentences of every language. Each has the same ones, with the same places.
func parseLanguages(texts map[string]map[string]string) (map[string]map[string]sentence, error) {
	if err := sameSentences(texts); err != nil {
		return nil, err
	}
	all := map[string]map[string]sentence{}
	for _, language := range Languages {
		sentences, err := parseAll(texts[language])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", language, err)
		}
		for _, id := range slices.Sorted(maps.Keys(sentences)) {
			_, names := split(texts[language][id])
			_, order := split(texts[Languages[0]][id])
			for at, name := range names {
				sentences[id].values[at] = slices.Index(order, name)
			}
			if len(names) != len(order) || slices.Contains(sentences[id].values, -1) {
				return nil, fmt.Errorf("%s: %s: other places than in English", language, id)
			}
		}
		all[language] = sentences
	}
	return all, nil
}

// places is how many values the sentence takes.
func (s sentence) places() int { return len(s.values) }

// fill returns a sentence with its values. They are written as fmt.Sprint writes them and are not read again, whatever they
// hold.
func (s sentence) fill(table, id string, values []any) string {
	if len(values) != s.places() || s.texts == nil {
		panic(fmt.Sprintf("%s: %s takes %d values, not %d", table, id, s.places(), len(values)))
	}
	var line strings.Builder
	for at, which := range s.values {
		line.WriteString(s.texts[at])
		fmt.Fprint(&line, values[which])
	}
	line.WriteString(s.texts[len(values)])
	return line.String()
}

// spoken is the language of Say; "" is English.
var spoken atomic.Value

// Speak has Say speak a language from now on, in the whole program: a command calls it once, before it says anything. Whoever
// calls this as a library does not, so that it gets English.
func Speak(language string) error {
	if known.messages[language] == nil {
		return fmt.Errorf("messages.json: no language %q", language)
	}
	spoken.Store(language)
	return nil
}

// Spoken is the language that is spoken.
func Spoken() string {
	if language, chosen := spoken.Load().(string); chosen {
		return language
	}
	return Languages[0]
}

// messages are the sentences of the language that is spoken.
func messages() map[string]sentence { return known.messages[Spoken()] }

// Say returns a sentence of messages.json in the language that is spoken, with its values in the order of the places in
// English. The id and the number of values are part of the source text, and a test holds every call against the table, so a
// mistake there is a panic.
func Say(id string, values ...any) string {
	said, there := messages()[id]
	if !there {
		panic("messages.json: no sentence " + id)
	}
	return said.fill("messages.json", id, values)
}

// Written returns a sentence of written.json, a part of a document or a help, which has no other language than English. The
// words of a certificate are computed again and compared, so that they never depend on a reader. Mistakes are as those of Say.
func Written(id string, values ...any) string {
	said, there := known.written[id]
	if !there {
		panic("written.json: no sentence " + id)
	}
	return said.fill("written.json", id, values)
}

// Line names something by a sentence of messages.json without places: a check that a policy makes.
type Line struct{ id string }

// Named is the line of a sentence. Mistakes are as those of Say.
func Named(id string) Line {
	known.messages[Languages[0]][id].fill("messages.json", id, nil)
	return Line{id}
}

// Text is the sentence in the language that is spoken.
func (l Line) Text() string { return messages()[l.id].fill("messages.json", l.id, nil) }
