// Package text makes untrusted text safe for one line of a message. Twin of circuits/text.py, and of how Python quotes text.
package text

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

const (
	maxCharacters = 1000
	// longestLine is the most characters of a line that refuses something: 400 with the name of the program before it.
	longestLine = 380
	// longestValue is the most characters of one value in a sentence.
	longestValue = 40
	cut          = " ... "
)

// Plain returns text as one line of bounded length, with characters that nobody sees as escapes.
func Plain(text string) string {
	var line strings.Builder
	for _, sign := range Cut(strings.Join(strings.FieldsFunc(text, IsBlank), " "), maxCharacters) {
		line.WriteString(shown(sign))
	}
	return Cut(line.String(), maxCharacters)
}

// Brief returns text as one line of at most 380 characters: what is too long is cut out of its middle, since a remedy stands at
// the beginning of a line or at its end. Words are left out whole, unless one is longer than a quarter of the line.
func Brief(text string) string {
	var shownLine strings.Builder
	for _, sign := range strings.Join(strings.FieldsFunc(text, IsBlank), " ") {
		shownLine.WriteString(shown(sign))
	}
	line := []rune(shownLine.String())
	if len(line) <= longestLine {
		return string(line)
	}
	const kept, most = longestLine - len(cut), longestLine / 4
	const first = kept * 2 / 3
	head, tail := line[:first], line[len(line)-(kept-first):]
	for at := first - 1; at >= first-most; at-- {
		if head[at] == ' ' {
			head = head[:at]
			break
		}
	}
	if after := slices.Index(tail[:most], ' '); after >= 0 {
		tail = tail[after+1:]
	}
	return string(head) + cut + string(tail)
}

// Shortened returns text of at most 40 characters: what is too long has ... in its middle.
func Shortened(text string) string {
	signs := []rune(text)
	if len(signs) <= longestValue {
		return text
	}
	return string(signs[:24]) + "..." + string(signs[len(signs)-(longestValue-27):])
}

// Cut returns the first characters of a text.
func Cut(text string, most int) string {
	count := 0
	for at := range text {
		if count == most {
			return text[:at]
		}
		count++
	}
	return text
}

// Repr returns text between quotation marks, as Python's repr writes it.
func Repr(text string) string {
	quote := "'"
	if strings.Contains(text, "'") && !strings.Contains(text, `"`) {
		quote = `"`
	}
	var line strings.Builder
	for _, sign := range text {
		switch {
		case string(sign) == quote || sign == '\\':
			line.WriteString(`\` + string(sign))
		case sign == '\n':
			line.WriteString(`\n`)
		case sign == '\r':
			line.WriteString(`\r`)
		case sign == '\t':
			line.WriteString(`\t`)
		default:
			line.WriteString(shown(sign))
		}
	}
	return quote + line.String() + quote
}

// IsBlank says whether Python's split and strip take a character for a blank.
func IsBlank(sign rune) bool { return unicode.IsSpace(sign) || sign >= 0x1c && sign <= 0x1f }

// shown is a character, or its escape where nobody sees it.
func shown(sign rune) string {
	if unicode.IsPrint(sign) {
		return string(sign)
	}
	return Escape(sign)
}

// Escape writes a character as Python's ascii does.
func Escape(sign rune) string {
	switch {
	case sign >= ' ' && sign < 0x7f:
		return string(sign)
	case sign <= 0xff:
		return fmt.Sprintf(`\x%02x`, sign)
	case sign <= 0xffff:
		return fmt.Sprintf(`\u%04x`, sign)
	}
	return fmt.Sprintf(`\U%08x`, sign)
}
