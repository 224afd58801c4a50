package canonical

import (
	"bytes"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"equiproof/verify/tables"
	"equiproof/verify/text"
	"equiproof/verify/verdict"
)

// The limits of a document. Longer integers take quadratic time, and Python turns no more digits into one either
// (sys.int_info). The depth is half of Python's recursion limit: no document needs a tenth of it, and the recursion of this
// package stays far from the end of its stack.
const (
	maxIntegerDigits = 4300
	maxDepth         = 500
)

// numberPattern is a number of JSON at the beginning of the bytes. It may end before the number does, as in 01 or 1.x, so
// number checks the byte behind it.
var numberPattern = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`)

var escapes = map[byte]rune{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// reader reads JSON (RFC 8259) byte by byte, so that nothing is built of a document before its form is known. After an error
// the place where it stands means nothing.
type reader struct {
	data    []byte
	at      int
	where   string
	depth   int
	inexact bool // an integer beyond 2^53, which has no canonical form
}

// start is what a value begins with, or what is wanted of it.
type start int

const (
	isNothing start = iota
	isObject
	isArray
	isText
	isNumber
	isFlag
	isNull
	isInteger      // wanted alone
	isTextOrNumber // wanted alone
)

// String is the name of the type.
func (s start) String() string {
	switch s {
	case isObject:
		return tables.Say("type.object")
	case isArray:
		return tables.Say("type.list")
	case isText:
		return tables.Say("type.text")
	case isNumber:
		return tables.Say("type.number")
	case isFlag:
		return tables.Say("type.flag")
	case isInteger:
		return tables.Say("type.integer")
	case isTextOrNumber:
		return tables.Say("type.text_or_number")
	}
	return tables.Say("type.null")
}

// wrong is the error of a value that its field does not allow.
func (r *reader) wrong(path, message string) error {
	said := r.where + ": " + text.Plain(message)
	if path != "" {
		said = tables.Say("format.field_wrong", r.where, text.Plain(path), text.Plain(message))
	}
	return verdict.New(verdict.Malformed, "wrong-fields", said)
}

// broken is the error of bytes that are no JSON.
func (r *reader) broken(message string) error {
	problem := tables.Say("format.at_byte", message, r.at)
	return verdict.New(verdict.Malformed, "not-json", tables.Say("format.not_json", r.where, problem))
}

// start says what the next value begins with, without passing it.
func (r *reader) start() (start, error) {
	r.blanks()
	switch sign := r.sign(); {
	case sign == '{':
		return isObject, nil
	case sign == '[':
		return isArray, nil
	case sign == '"':
		return isText, nil
	case sign == 't' || sign == 'f':
		return isFlag, nil
	case sign == 'n':
		return isNull, nil
	case sign == '-' || sign >= '0' && sign <= '9':
		return isNumber, nil
	}
	return isNothing, r.broken(tables.Say("format.want_value"))
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
func (r *reader) pass(sign byte) error {
	if !r.passed(sign) {
		return r.broken(tables.Say("format.want_sign", string(sign)))
	}
	return nil
}

// each passes a list or an object, and calls for each entry.
func (r *reader) each(open, end byte, entry func() error) error {
	if r.depth++; r.depth > maxDepth {
		return r.broken(tables.Say("format.want_depth"))
	}
	if err := r.pass(open); err != nil {
		return err
	}
	for more := !r.passed(end); more; {
		if end == '}' && r.sign() != '"' {
			return r.noName()
		}
		if err := entry(); err != nil {
			return err
		}
		if more = !r.passed(end); more {
			if err := r.pass(','); err != nil {
				return err
			}
			r.blanks()
		}
	}
	r.depth--
	return nil
}

// noName is the error of an entry of an object that does not begin with its name.
func (r *reader) noName() error {
	if _, err := r.start(); err != nil {
		return err
	}
	return r.pass('"')
}

// name passes the name of an entry and the colon behind it.
func (r *reader) name(kind Kind, path string) (string, error) {
	value, err := kind.read(r, path)
	if err != nil {
		return "", err
	}
	return value.(string), r.pass(':')
}

// end passes a whole document's end.
func (r *reader) end() error {
	if r.blanks(); r.at < len(r.data) {
		return r.broken(tables.Say("format.want_end"))
	}
	return nil
}

// word passes true, false or null.
func (r *reader) word() (Value, error) {
	for word, value := range map[string]Value{"true": true, "false": false, "null": nil} {
		if bytes.HasPrefix(r.data[r.at:], []byte(word)) {
			r.at += len(word)
			return value, nil
		}
	}
	return nil, r.broken(tables.Say("format.want_value"))
}

// number passes a number: an integer of any size, or a float64 where it has a fraction or an exponent.
func (r *reader) number(path string) (Value, error) {
	parts := numberPattern.FindSubmatch(r.data[r.at:])
	if parts == nil {
		return nil, r.broken(tables.Say("format.want_number"))
	}
	digits, fraction, exponent := parts[0], parts[2], parts[3]
	behind := r.data[r.at+len(digits):]
	if len(behind) > 0 && (behind[0] >= '0' && behind[0] <= '9' || behind[0] == '.' && len(fraction) == 0 ||
		(behind[0]|0x20) == 'e' && len(exponent) == 0) {
		return nil, r.broken(tables.Say("format.want_number"))
	}
	r.at += len(digits)
	if len(fraction) == 0 && len(exponent) == 0 {
		if len(digits) > maxIntegerDigits {
			return nil, r.wrong(path, tables.Say("value.too_large"))
		}
		integer, _ := new(big.Int).SetString(string(digits), 10)
		r.inexact = r.inexact || !exact(integer)
		return integer, nil
	}
	value, err := strconv.ParseFloat(string(digits), 64)
	if err != nil || math.IsInf(value, 0) {
		return nil, r.wrong(path, tables.Say("value.too_large"))
	}
	return value, nil
}

// text passes a text.
func (r *reader) text() (string, error) { return r.characters(false) }

// skipText passes a text where another kind of value is wanted: it need not be UTF-8, since msgspec, which reads for Python,
// does not decode it either.
func (r *reader) skipText() error {
	_, err := r.characters(true)
	return err
}

func (r *reader) characters(skipped bool) (string, error) {
	if r.sign() != '"' {
		return "", r.broken(tables.Say("format.want_text"))
	}
	r.at++
	var characters []byte
	for {
		from := r.at
		for r.at < len(r.data) && r.data[r.at] >= ' ' && r.data[r.at] != '"' && r.data[r.at] != '\\' {
			r.at++
		}
		run := r.data[from:r.at]
		if !skipped && !utf8.Valid(run) {
			return "", r.broken(tables.Say("format.want_utf8"))
		}
		characters = append(characters, run...)
		sign := r.sign()
		r.at++
		if sign == '"' {
			return string(characters), nil
		}
		if sign != '\\' {
			return "", r.broken(tables.Say("format.want_text_end"))
		}
		character, err := r.escape()
		if err != nil {
			return "", err
		}
		characters = utf8.AppendRune(characters, character)
	}
}

// escape passes what stands behind a backslash.
func (r *reader) escape() (rune, error) {
	sign := r.sign()
	r.at++
	if sign != 'u' {
		plain, ok := escapes[sign]
		if !ok {
			return 0, r.broken(tables.Say("format.want_escape"))
		}
		return plain, nil
	}
	first, err := r.unit()
	if err != nil || !utf16.IsSurrogate(first) {
		return first, err
	}
	second := rune(0)
	if bytes.HasPrefix(r.data[r.at:], []byte(`\u`)) {
		r.at += 2
		if second, err = r.unit(); err != nil {
			return 0, err
		}
	}
	// DecodeRune returns RuneError for anything but a whole pair, and no pair stands for that character: it is U+FFFD, in
	// the basic plane.
	character := utf16.DecodeRune(first, second)
	if character == utf8.RuneError {
		return 0, r.broken(tables.Say("format.want_pair"))
	}
	return character, nil
}

// unit passes four hexadecimal digits.
func (r *reader) unit() (rune, error) {
	if len(r.data)-r.at < 4 {
		return 0, r.broken(tables.Say("format.want_escape"))
	}
	value, err := strconv.ParseUint(string(r.data[r.at:r.at+4]), 16, 16)
	if err != nil {
		return 0, r.broken(tables.Say("format.want_escape"))
	}
	r.at += 4
	return rune(value), nil
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
