// Package text makes untrusted text safe for one line of a message. Twin of circuits/text.py, and of how Python quotes text.
package text

import (
	"fmt"
	"strings"
	"unicode"
)

const maxCharacters = 1000

// Plain returns text as one line of bounded length, with characters that nobody sees as escapes.
func Plain(text string) string {
	var line strings.Builder
	for _, sign := range Cut(strings.Join(strings.FieldsFunc(text, IsBlank), " "), maxCharacters) {
		line.WriteString(shown(sign))
	}
	return Cut(line.String(), maxCharacters)
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
