package canonical

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"equiproof/verify/text"
	"equiproof/verify/verdict"
)

// The limits of a document: longer integers and deeper values are none of ours.
const (
	longestInteger = 4300
	deepest        = 500
)

// number is a number of JSON: what stands behind its match is looked at by whoever reads on.
var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`)

var escapes = map[byte]rune{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// reader reads JSON (RFC 8259) byte by byte, so that nothing is built of a document before its form is known. A failure is
// a panic with an error of package verdict, which read turns into an error.
type reader struct {
	data    []byte
	at      int
	where   string
	depth   int
	inexact bool // an integer beyond 2^53, which has no canonical form
}

// start is what a value begins with.
type start string

const (
	isObject start = "object"
	isArray  start = "array"
	isText   start = "text"
	isNumber start = "number"
	isFlag   start = "true or false"
	isNull   start = "null"
)

// wrong ends the reading with the error of a value that its field does not allow.
func (r *reader) wrong(path, format string, words ...any) {
	message := fmt.Sprintf(format, words...)
	if path != "" {
		message = "field " + path + ": " + message
	}
	panic(verdict.New(verdict.Malformed, "wrong-fields", "%s: %s", r.where, text.Plain(message)))
}

// broken ends the reading with the error of bytes that are no JSON.
func (r *reader) broken(message string) {
	panic(verdict.New(verdict.Malformed, "not-json", "%s: not valid JSON: %s (byte %d)", r.where, message, r.at))
}

// start says what the next value begins with, without passing it.
func (r *reader) start() start {
	r.blanks()
	switch sign := r.sign(); {
	case sign == '{':
		return isObject
	case sign == '[':
		return isArray
	case sign == '"':
		return isText
	case sign == 't' || sign == 'f':
		return isFlag
	case sign == 'n':
		return isNull
	case sign == '-' || sign >= '0' && sign <= '9':
		return isNumber
	}
	r.broken("a value was expected")
	return ""
}

// passed passes a sign if it comes next, and says whether it did.
func (r *reader) passed(sign byte) bool {
	r.blanks()
	if r.sign() != sign {
		return false
	}
	r.at++
	return true
}

// pass passes a sign that must come next.
func (r *reader) pass(sign byte) {
	if !r.passed(sign) {
		r.broken(string(sign) + " was expected")
	}
}

// enter and leave count how deep values stand in each other.
func (r *reader) enter() {
	if r.depth++; r.depth > deepest {
		r.broken("it is nested too deep")
	}
}

func (r *reader) leave() { r.depth-- }

// end passes a whole document's end.
func (r *reader) end() {
	if r.blanks(); r.at < len(r.data) {
		r.broken("it goes on behind its end")
	}
}

// word passes true, false or null.
func (r *reader) word() Value {
	for word, value := range map[string]Value{"true": true, "false": false, "null": nil} {
		if bytes.HasPrefix(r.data[r.at:], []byte(word)) {
			r.at += len(word)
			return value
		}
	}
	r.broken("a value was expected")
	return nil
}

// number passes a number: an integer of any size, or a float64 where it has a fraction or an exponent.
func (r *reader) number(path string) Value {
	found := number.FindSubmatch(r.data[r.at:])
	if found == nil {
		r.broken("a number is malformed")
	}
	behind := r.data[r.at+len(found[0]):]
	if len(behind) > 0 && (behind[0] >= '0' && behind[0] <= '9' || behind[0] == '.' && len(found[2]) == 0 ||
		(behind[0]|0x20) == 'e' && len(found[3]) == 0) {
		r.broken("a number is malformed")
	}
	r.at += len(found[0])
	if len(found[2]) == 0 && len(found[3]) == 0 {
		if len(found[0]) > longestInteger {
			r.wrong(path, "this number is too large")
		}
		integer, _ := new(big.Int).SetString(string(found[0]), 10)
		r.inexact = r.inexact || !exact(integer)
		return integer
	}
	value, err := strconv.ParseFloat(string(found[0]), 64)
	if err != nil || math.IsInf(value, 0) {
		r.wrong(path, "this number is too large")
	}
	return value
}

// text passes a text.
func (r *reader) text() string { return r.characters(false) }

// skipText passes a text that nobody reads: it need not be UTF-8.
func (r *reader) skipText() { r.characters(true) }

func (r *reader) characters(skipped bool) string {
	if r.sign() != '"' {
		r.broken("a text was expected")
	}
	r.at++
	var found []byte
	for {
		from := r.at
		for r.at < len(r.data) && r.data[r.at] >= ' ' && r.data[r.at] != '"' && r.data[r.at] != '\\' {
			r.at++
		}
		run := r.data[from:r.at]
		if !skipped && !utf8.Valid(run) {
			r.broken("a text is not UTF-8")
		}
		found = append(found, run...)
		sign := r.sign()
		r.at++
		if sign == '"' {
			return string(found)
		}
		if sign != '\\' {
			r.broken("a text holds a control character or has no end")
		}
		found = utf8.AppendRune(found, r.escape())
	}
}

// escape passes what stands behind a backslash.
func (r *reader) escape() rune {
	sign := r.sign()
	r.at++
	if sign != 'u' {
		plain, known := escapes[sign]
		if !known {
			r.broken("a text holds an unknown escape")
		}
		return plain
	}
	first := r.unit()
	if !utf16.IsSurrogate(first) {
		return first
	}
	second := rune(0)
	if bytes.HasPrefix(r.data[r.at:], []byte(`\u`)) {
		r.at += 2
		second = r.unit()
	}
	// Of anything but a whole pair, DecodeRune makes the sign for what cannot be read, which is no surrogate's.
	both := utf16.DecodeRune(first, second)
	if both == utf8.RuneError {
		r.broken("a text holds half of a surrogate pair")
	}
	return both
}

// unit passes four hexadecimal digits.
func (r *reader) unit() rune {
	if len(r.data)-r.at < 4 {
		r.broken("a text holds an unknown escape")
	}
	value, err := strconv.ParseUint(string(r.data[r.at:r.at+4]), 16, 16)
	if err != nil {
		r.broken("a text holds an unknown escape")
	}
	r.at += 4
	return rune(value)
}

func (r *reader) blanks() {
	for r.at < len(r.data) && bytes.IndexByte([]byte(" \t\n\r"), r.data[r.at]) >= 0 {
		r.at++
	}
}

// sign is the next byte; behind the end it is zero, which begins nothing.
func (r *reader) sign() byte {
	if r.at >= len(r.data) {
		return 0
	}
	return r.data[r.at]
}
