package names

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"equiproof/verify/tables"
)

// kind is what a character is.
type kind byte

const (
	aLetter kind = 'l'
	aMark   kind = 'm'
	aSign   kind = 's'
)

// character is what is known of one; script is that of letters and marks, empty for signs and for marks of any script.
type character struct {
	kind   kind
	script string
}

// span is characters of one kind and script: code points from first to last.
type span struct {
	character
	first, last rune
}

// table is what names.json says.
type table struct {
	longest, marksInARow         int
	every                        []span          // in the order of the code points
	still                        []span          // signs that go with letters written from the right
	looks                        map[rune]string // what characters look like
	oneOf, together, rightToLeft set
}

// characters reads the ranges of the table once.
var characters = sync.OnceValue(func() *table {
	file := tables.Names()
	rules := &table{
		longest: file.Longest, marksInARow: file.MarksInARow, looks: map[rune]string{}, still: spans(file.SignsFromRight, aSign, ""),
		oneOf: setOf(file.OneOf), together: setOf(file.Together), rightToLeft: setOf(file.RightToLeft),
	}
	rules.every = append(spans(file.Signs, aSign, ""), spans(file.MarksOfAnyScript, aMark, "")...)
	for script, ranges := range file.Letters {
		rules.every = append(rules.every, spans(ranges, aLetter, script)...)
	}
	for script, ranges := range file.Marks {
		rules.every = append(rules.every, spans(ranges, aMark, script)...)
	}
	slices.SortFunc(rules.every, func(left, right span) int { return int(left.first - right.first) })
	for look, signs := range file.LookAlikes {
		for _, sign := range signs {
			rules.looks[sign] = look
		}
	}
	return rules
})

// spans reads ranges of code points in hexadecimal.
func spans(ranges string, kind kind, script string) (all []span) {
	for _, item := range strings.Fields(ranges) {
		first, last, ranged := strings.Cut(item, "-")
		if !ranged {
			last = first
		}
		from, _ := strconv.ParseInt(first, 16, 32)
		to, _ := strconv.ParseInt(last, 16, 32)
		all = append(all, span{character{kind, script}, rune(from), rune(to)})
	}
	return all
}

// find returns what is known of a character among spans, and whether it is among them.
func find(among []span, sign rune) (character, bool) {
	at, ok := slices.BinarySearchFunc(among, sign, func(one span, sign rune) int {
		if one.last < sign {
			return -1
		}
		return int(max(0, one.first-sign))
	})
	if !ok {
		return character{}, false
	}
	return among[at].character, true
}

// knows says whether names may hold a character.
func (c *table) knows(sign rune) bool {
	_, ok := find(c.every, sign)
	return ok
}

// sign says whether a character is a sign.
func (c *table) sign(sign rune) bool {
	own, _ := find(c.every, sign)
	return own.kind == aSign
}

// kinds writes letters as l, marks as m, and signs as they are.
func (c *table) kinds(text []rune) []rune {
	kinds := slices.Clone(text)
	for at, sign := range text {
		if own, _ := find(c.every, sign); own.kind == aLetter || own.kind == aMark {
			kinds[at] = rune(own.kind)
		}
	}
	return kinds
}

// scripts are those of the letters and marks of a text.
func (c *table) scripts(text string) set {
	scripts := set{}
	for _, sign := range text {
		if own, _ := find(c.every, sign); own.script != "" {
			scripts[own.script] = true
		}
	}
	return scripts
}

// set is a set of scripts.
type set map[string]bool

func setOf(items []string) set {
	all := set{}
	for _, item := range items {
		all[item] = true
	}
	return all
}

func (s set) add(other set) {
	for item := range other {
		s[item] = true
	}
}

func (s set) common(other set) set {
	both := set{}
	for item := range s {
		if other[item] {
			both[item] = true
		}
	}
	return both
}

func (s set) String() string {
	items := make([]string, 0, len(s))
	for item := range s {
		items = append(items, item)
	}
	slices.Sort(items)
	return strings.Join(items, " "+tables.Say("word.and")+" ")
}
