package tables

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

var (
	// sentenceID is an area and what the sentence says of it.
	sentenceID = regexp.MustCompile(`^[a-z]+(_[a-z]+)*\.[a-z0-9]+(_[a-z0-9]+)*$`)
	// placeholder is a named place of a sentence.
	placeholder = regexp.MustCompile(`{([a-z]+(?:_[a-z]+)*)}`)
)

// sentence is one of messages.json, read: the texts around its places, of which there is one more than places.
type sentence []string

// parse reads a sentence. The rules are those of equiproof/circuits/tables.py.
func parse(id, text string) (sentence, error) {
	made, names, end := sentence{}, map[string]bool{}, 0
	for _, found := range placeholder.FindAllStringSubmatchIndex(text, -1) {
		names[text[found[2]:found[3]]] = true
		made = append(made, text[end:found[0]])
		end = found[1]
	}
	made = append(made, text[end:])
	switch {
	case !sentenceID.MatchString(id):
		return nil, errors.New("want an id such as policy.radius_too_small")
	case text == "" || strings.TrimSpace(text) != text:
		return nil, errors.New("want a text without blanks at its ends")
	case strings.ContainsAny(strings.Join(made, ""), "{}"):
		return nil, errors.New("a brace that belongs to no place, such as {radius}")
	case len(names) < len(made)-1:
		return nil, errors.New("two places have the same name")
	}
	return made, nil
}

// places is how many values the sentence takes.
func (s sentence) places() int { return len(s) - 1 }

// Say returns a sentence of messages.json with its values, in the order of their places. They are written as fmt.Sprint writes
// them and are not read again, whatever they hold. The id and the number of values are part of the source text, and a test
// holds every call against the table, so a mistake there is a panic.
func Say(id string, values ...any) string {
	said, there := known.messages[id]
	if !there {
		panic("messages.json: no sentence " + id)
	}
	if len(values) != said.places() {
		panic(fmt.Sprintf("messages.json: %s takes %d values, not %d", id, said.places(), len(values)))
	}
	return said.filled(values)
}

// filled is the sentence with a value for each place.
func (s sentence) filled(values []any) string {
	var line strings.Builder
	for at, value := range values {
		line.WriteString(s[at])
		fmt.Fprint(&line, value)
	}
	line.WriteString(s[len(values)])
	return line.String()
}

// placesOf are the names of a sentence's places, in their order.
func placesOf(text string) (names []string) {
	for _, match := range placeholder.FindAllStringSubmatch(text, -1) {
		names = append(names, match[1])
	}
	return names
}
