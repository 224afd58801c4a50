package names

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"equiproof/verify/tables"
)

// Syllables of Hangul are made of a leading consonant, a vowel and, from the second of a row on, a trailing consonant.
const (
	syllable, leading, vowel, trailing = 0xac00, 0x1100, 0x1161, 0x11a7
	leadings, vowels, trailings        = 19, 21, 28
	syllables                          = leadings * vowels * trailings
)

// forms are the normal forms by character.
type forms struct {
	decomposed map[rune][]rune
	composed   map[[2]rune]rune
	classes    map[rune]int
}

var normalForms = sync.OnceValue(func() *forms {
	file := tables.Normal()
	table := &forms{map[rune][]rune{}, map[[2]rune]rune{}, map[rune]int{}}
	for sign, parts := range file.Decomposed {
		table.decomposed[codes(sign)[0]] = codes(parts)
	}
	for pair, sign := range file.Composed {
		table.composed[[2]rune(codes(pair))] = codes(sign)[0]
	}
	for number, signs := range file.Classes {
		class, _ := strconv.Atoi(number)
		for _, sign := range codes(signs) {
			table.classes[sign] = class
		}
	}
	return table
})

// codes reads code points in hexadecimal.
func codes(text string) (signs []rune) {
	for _, digits := range strings.Fields(text) {
		code, _ := strconv.ParseInt(digits, 16, 32)
		signs = append(signs, rune(code))
	}
	return signs
}

// decomposed returns a text in normal form NFD.
func decomposed(text string) string {
	if ascii(text) {
		return text
	}
	return string(parts(text))
}

// composed returns a text in normal form NFC: each mark goes to the last letter before it, unless another mark of its class
// or above stands between them.
func composed(text string) string {
	if ascii(text) {
		return text
	}
	tables, all := normalForms(), parts(text)
	out, base, last := []rune{}, -1, 0
	for _, sign := range all {
		class := tables.classes[sign]
		if base >= 0 && (last < class || last == 0 && base == len(out)-1) {
			if whole, ok := tables.pair(out[base], sign); ok {
				out[base] = whole
				continue
			}
		}
		if class == 0 {
			base = len(out)
		}
		last = class
		out = append(out, sign)
	}
	return string(out)
}

// parts are the characters of a text in normal form NFD: marks behind a letter in the order of their classes.
func parts(text string) []rune {
	tables, all := normalForms(), []rune{}
	for _, sign := range text {
		all = append(all, tables.parts(sign)...)
	}
	for from := 0; from < len(all); from++ {
		to := from
		for to < len(all) && tables.classes[all[to]] > 0 {
			to++
		}
		slices.SortStableFunc(all[from:to], func(left, right rune) int { return tables.classes[left] - tables.classes[right] })
		from = to
	}
	return all
}

// parts are those of one character.
func (f *forms) parts(sign rune) []rune {
	if at := int(sign) - syllable; at >= 0 && at < syllables {
		jamo := []rune{rune(leading + at/trailings/vowels), rune(vowel + at/trailings%vowels)}
		if end := at % trailings; end > 0 {
			jamo = append(jamo, rune(trailing+end))
		}
		return jamo
	}
	if jamo, ok := f.decomposed[sign]; ok {
		return jamo
	}
	return []rune{sign}
}

// pair returns the one character that two are written as, if there is one.
func (f *forms) pair(first, second rune) (rune, bool) {
	if lead, middle := first-leading, second-vowel; lead >= 0 && lead < leadings && middle >= 0 && middle < vowels {
		return syllable + (lead*vowels+middle)*trailings, true
	}
	isOpen := first-syllable >= 0 && first-syllable < syllables && (first-syllable)%trailings == 0
	if end := second - trailing; isOpen && end > 0 && end < trailings {
		return first + end, true
	}
	whole, ok := f.composed[[2]rune{first, second}]
	return whole, ok
}
