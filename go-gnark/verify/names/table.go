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
	known := &table{
		longest: file.Longest, marksInARow: file.MarksInARow, looks: map[rune]string{}, still: spans(file.SignsFromRight, aSign, ""),
		oneOf: setOf(file.OneOf), together: setOf(file.Together), rightToLeft: setOf(file.RightToLeft),
	}
	known.every = append(spans(file.Signs, aSign, ""), spans(file.MarksOfAnyScript, aMark, "")...)
	for script, ranges := range file.Letters {
		known.every = append(known.every, spans(ranges, aLetter, script)...)
	}
	for script, ranges := range file.Marks {
		known.every = append(known.every, spans(ranges, aMark, script)...)
	}
	slices.SortFunc(known.every, func(left, right span) int { return int(left.first - right.first) })
	for look, signs := range file.LookAlikes {
		for _, sign := range signs {
			known.looks[sign] = look
		}
	}
	return known
})

// spans reads ranges of code points in hexadecimal.
func spans(ranges string, kind kind, script string) (found []span) {
	for _, listed := range strings.Fields(ranges) {
		first, last, ranged := strings.Cut(listed, "-")
		if !ranged {
			last = first
		}
		from, _ := strconv.ParseInt(first, 16, 32)
		to, _ := strconv.ParseInt(last, 16, 32)
		found = append(found, span{character{kind, script}, rune(from), rune(to)})
	}
	return found
}

// find returns what is known of a character among spans, and whether it is among them.
func find(among []span, sign rune) (character, bool) {
	at, there := slices.BinarySearchFunc(among, sign, func(one span, sign rune) int {
		if one.last < sign {
			return -1
		}
		return int(max(0, one.first-sign))
	})
	if !there {
		return character{}, false
	}
	return among[at].character, true
}

// knows says whether names may hold a character.
func (c *table) knows(sign rune) bool {
	_, there := find(c.every, sign)
	return there
}

// sign says whether a character is a sign.
func (c *table) sign(sign rune) bool {
	found, _ := find(c.every, sign)
	return found.kind == aSign
}

// kinds writes letters as l, marks as m, and signs as they are.
func (c *table) kinds(text []rune) []rune {
	kinds := slices.Clone(text)
	for at, sign := range text {
		if known, _ := find(c.every, sign); known.kind == aLetter || known.kind == aMark {
			kinds[at] = rune(known.kind)
		}
	}
	return kinds
}

// scripts are those of the letters and marks of a text.
func (c *table) scripts(text string) set {
	found := set{}
	for _, sign := range text {
		if known, _ := find(c.every, sign); known.script != "" {
			found[known.script] = true
		}
	}
	return found
}

// set is a set of scripts.
type set map[string]bool

func setOf(items []string) set {
	made := set{}
	for _, item := range items {
		made[item] = true
	}
	return made
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
	return strings.Join(items, " and ")
}
