package command

import (
	"encoding/json"
	"math/big"
	"strings"
	"unicode/utf8"

	"equiproof/verify/canonical"
)

// widest is the longest line on a terminal, and unbroken that of a text that goes elsewhere.
const (
	widest   = 100
	unbroken = 100_000
)

// wrap breaks a text into lines at blanks; a word that is longer than a line is cut. No text has no line.
func wrap(text string, width int, first, rest string) (lines []string) {
	line, length, indent := "", 0, first
	for _, word := range strings.FieldsFunc(text, func(sign rune) bool { return strings.ContainsRune(" \t\n\v\f\r", sign) }) {
		room := width - utf8.RuneCountInString(indent)
		size := utf8.RuneCountInString(word)
		if length > 0 && length+1+size > room {
			lines, line, length, indent = append(lines, indent+line), "", 0, rest
			room = width - utf8.RuneCountInString(indent)
		}
		for ; size > room && room > 0; size = utf8.RuneCountInString(word) {
			cut := string([]rune(word)[:room])
			lines, word, indent = append(lines, indent+cut), strings.TrimPrefix(word, cut), rest
			room = width - utf8.RuneCountInString(indent)
		}
		if length > 0 {
			line, length = line+" ", length+1
		}
		line, length = line+word, length+size
	}
	if line != "" {
		lines = append(lines, indent+line)
	}
	return lines
}

// jsonText writes a document on one line, its entries in their order, as Python's json does.
func jsonText(value canonical.Value) string {
	switch form := value.(type) {
	case *canonical.Object:
		var parts []string
		for _, name := range form.Names() {
			parts = append(parts, jsonText(name)+": "+jsonText(form.Get(name)))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []canonical.Value:
		var parts []string
		for _, part := range form {
			parts = append(parts, jsonText(part))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *big.Int:
		return form.String()
	case string:
		return string(canonical.Bytes(form))
	}
	plain, err := json.Marshal(value)
	if err != nil {
		panic(err) // true, false and null always marshal
	}
	return string(plain)
}
