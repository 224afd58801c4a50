// Package canonical reads JSON documents strictly, and writes their one canonical form (RFC 8785). Twin of
// circuits/canonical.py and of what msgspec and rfc8785 do for it.
package canonical

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"equiproof/verify/tables"
	"equiproof/verify/verdict"
)

// MaxBytes is the length of the longest document that is read: many times the longest of ours, and small enough to be read at
// once.
const MaxBytes = 4 << 20

// Parse reads a document of a kind, in any spelling of JSON; `where` names it in errors.
func Parse(data []byte, kind Kind, where string) (Value, error) {
	value, _, err := parse(data, kind, where)
	return value, err
}

// ParseCanonical reads a document of which there is one spelling only: doubled names, spaces, another order, 1.0 for 1 and
// integers beyond 2^53 are refused.
func ParseCanonical(data []byte, kind Kind, where string) (Value, error) {
	value, inexact, err := parse(data, kind, where)
	if err == nil && (inexact || !bytes.Equal(Bytes(value), data)) {
		err = verdict.New(verdict.Malformed, "not-canonical", tables.Say("format.not_canonical", where))
	}
	return value, err
}

func parse(data []byte, kind Kind, where string) (value Value, inexact bool, err error) {
	if len(data) > MaxBytes {
		return nil, false, verdict.New(verdict.Malformed, "too-long", tables.Say("format.too_long", where, MaxBytes))
	}
	from := &reader{data: data, where: where}
	if value, err = kind.read(from, ""); err == nil {
		err = from.end()
	}
	if err != nil {
		return nil, false, err
	}
	return value, from.inexact, nil
}

// Bytes returns the canonical form: names sorted by UTF-16 code units, texts and numbers as ECMAScript writes them.
func Bytes(value Value) []byte { return appendValue(nil, value) }

// Tagged is the SHA-256 of a domain text, a zero byte and data.
func Tagged(domain string, data []byte) [sha256.Size]byte {
	return sha256.Sum256(append([]byte(domain+"\x00"), data...))
}

// Digest hashes a document to an integer below 2^248: SHA-256 over a domain text and its canonical form, cut to 31 bytes.
func Digest(domain string, value Value) *big.Int {
	sum := Tagged(domain, Bytes(value))
	return new(big.Int).SetBytes(sum[:31]) // a field element, whatever the field: all of ours are above 2^248
}

func appendValue(out []byte, value Value) []byte {
	switch value := value.(type) {
	case nil:
		return append(out, "null"...)
	case bool:
		return strconv.AppendBool(out, value)
	case *big.Int:
		return value.Append(out, 10)
	case float64:
		return append(out, Number(value)...)
	case string:
		return appendText(out, value)
	case []Value:
		return appendList(out, value)
	case *Object:
		return appendObject(out, value)
	}
	// No document holds any other type, so this is a fault of the caller and not of a file.
	panic(errors.New("canonical: a value of no kind"))
}

func appendList(out []byte, list []Value) []byte {
	out = append(out, '[')
	for at, value := range list {
		if at > 0 {
			out = append(out, ',')
		}
		out = appendValue(out, value)
	}
	return append(out, ']')
}

func appendObject(out []byte, object *Object) []byte {
	names := slices.Clone(object.names)
	slices.SortFunc(names, Compare)
	out = append(out, '{')
	for at, name := range names {
		if at > 0 {
			out = append(out, ',')
		}
		out = append(appendText(out, name), ':')
		out = appendValue(out, object.values[name])
	}
	return append(out, '}')
}

// Compare orders names by UTF-16 code units. Without characters beyond the basic plane that is the order of the bytes.
func Compare(left, right string) int {
	beyond := func(sign rune) bool { return sign > 0xffff }
	if strings.IndexFunc(left, beyond) < 0 && strings.IndexFunc(right, beyond) < 0 {
		return strings.Compare(left, right)
	}
	return slices.Compare(utf16.Encode([]rune(left)), utf16.Encode([]rune(right)))
}

// shortEscapes are those of the characters that have one of their own.
var shortEscapes = map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}

func appendText(out []byte, text string) []byte {
	out = append(out, '"')
	for _, sign := range text {
		escape, ok := shortEscapes[sign]
		switch {
		case ok:
			out = append(out, escape...)
		case sign < ' ':
			out = append(out, `\u00`...)
			out = append(out, "0123456789abcdef"[sign>>4], "0123456789abcdef"[sign&15])
		default:
			out = utf8.AppendRune(out, sign)
		}
	}
	return append(out, '"')
}

// Number writes a number as ECMAScript does: the shortest digits that stand for it, with an exponent only where it is far
// from 1.
func Number(number float64) string {
	size := math.Abs(number)
	if size == 0 {
		return "0"
	}
	if size >= 1e-6 && size < 1e21 {
		return strconv.FormatFloat(number, 'f', -1, 64)
	}
	digits, power, _ := strings.Cut(strconv.FormatFloat(number, 'e', -1, 64), "e")
	return digits + "e" + power[:1] + strings.TrimLeft(power[1:], "0")
}
