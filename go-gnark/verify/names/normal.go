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

var normal = sync.OnceValue(func() *forms {
	file := tables.Normal()
	made := &forms{map[rune][]rune{}, map[[2]rune]rune{}, map[rune]int{}}
	for sign, parts := range file.Decomposed {
		made.decomposed[codes(sign)[0]] = codes(parts)
	}
	for pair, sign := range file.Composed {
		made.composed[[2]rune(codes(pair))] = codes(sign)[0]
	}
	for number, signs := range file.Classes {
		class, _ := strconv.Atoi(number)
		for _, sign := range codes(signs) {
			made.classes[sign] = class
		}
	}
	return made
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
	known, all := normal(), parts(text)
	made, base, last := []rune{}, -1, 0
	for _, sign := range all {
		class := known.classes[sign]
		if base >= 0 && (last < class || last == 0 && base == len(made)-1) {
			if whole, there := known.pair(made[base], sign); there {
				made[base] = whole
				continue
			}
		}
		if class == 0 {
			base = len(made)
		}
		last = class
		made = append(made, sign)
	}
	return string(made)
}

// parts are the characters of a text in normal form NFD: marks behind a letter in the order of their classes.
func parts(text string) []rune {
	known, all := normal(), []rune{}
	for _, sign := range text {
		all = append(all, known.parts(sign)...)
	}
	for from := 0; from < len(all); from++ {
		to := from
		for to < len(all) && known.classes[all[to]] > 0 {
			to++
		}
		slices.SortStableFunc(all[from:to], func(left, right rune) int { return known.classes[left] - known.classes[right] })
		from = to
	}
	return all
}

// parts are those of one character.
func (f *forms) parts(sign rune) []rune {
	if at := int(sign) - syllable; at >= 0 && at < syllables {
		found := []rune{rune(leading + at/trailings/vowels), rune(vowel + at/trailings%vowels)}
		if end := at % trailings; end > 0 {
			found = append(found, rune(trailing+end))
		}
		return found
	}
	if found, there := f.decomposed[sign]; there {
		return found
	}
	return []rune{sign}
}

// pair returns the one character that two are written as, if there is one.
func (f *forms) pair(first, second rune) (rune, bool) {
	if lead, middle := first-leading, second-vowel; lead >= 0 && lead < leadings && middle >= 0 && middle < vowels {
		return syllable + (lead*vowels+middle)*trailings, true
	}
	open := first-syllable >= 0 && first-syllable < syllables && (first-syllable)%trailings == 0
	if end := second - trailing; open && end > 0 && end < trailings {
		return first + end, true
	}
	whole, there := f.composed[[2]rune{first, second}]
	return whole, there
}
