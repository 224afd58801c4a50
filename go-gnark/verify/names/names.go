// Package names judges names that people read in a verified statement: text that cannot be mistaken for other text, and how
// it is shown. Twin of circuits/names.py, with the same table, tables/names.json; normal.go has the normal forms.
package names

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"equiproof/verify/tables"
	"equiproof/verify/text"
)

// longestList is the most characters of a list of names in a sentence, without the count of those left out.
const longestList = 150

// Rule is what a name breaks, as in docs/spec.md.
type Rule string

// The rules, in the order in which they are looked at.
const (
	Length     Rule = "length"
	Character  Rule = "character"
	Blanks     Rule = "blanks"
	Form       Rule = "form"
	Marks      Rule = "marks"
	Apostrophe Rule = "apostrophe"
	Scripts    Rule = "scripts"
	Direction  Rule = "direction"
	Unit       Rule = "unit"
	Alike      Rule = "alike"
)

// Complaint is what is wrong with a name.
type Complaint struct {
	Rule    Rule
	Message string
}

// Group is names among which a reader chooses, such as the labels of a spec.
type Group struct {
	Name  string
	Texts []string
}

// What stands between these two cannot move the text around it.
const (
	isolate = "\u2068"
	end     = "\u2069"
)

// Names and units that stand in a sentence without quotation marks.
var (
	plainName = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9_-]*|-?[0-9]+(\.[0-9]+)?)$`)
	plainUnit = regexp.MustCompile("^[A-Za-z%$\u00a3\u00a5\u00b0\u20ac]+(/[A-Za-z]+)?$")
)

var (
	// movingNumber is two numbers, or a number with a sign, whose parts would change places among letters that are written from
	// the right.
	movingNumber = regexp.MustCompile("[0-9][^0-9]+[0-9]|-[0-9]|[0-9]-")
	// looseMark is a mark, and hangingApostrophe an apostrophe, that does not stand behind a letter or a mark.
	looseMark         = regexp.MustCompile("(^|[^lm])m")
	hangingApostrophe = regexp.MustCompile("(^|[^lm])'")
)

// Judge returns what is wrong with a name by itself, nil for nothing; of several rules that it breaks, the first.
func Judge(name string) *Complaint {
	rules := characters()
	if length := utf8.RuneCountInString(name); length < 1 || length > rules.longest {
		return wrong(Length, tables.Say("name.length_out_of_bounds", rules.longest))
	}
	for _, sign := range name {
		if !rules.knows(sign) {
			return wrong(Character, tables.Say("name.holds_forbidden", code(sign)))
		}
	}
	if strings.Contains(name, "  ") || strings.Trim(name, " ") != name {
		return wrong(Blanks, tables.Say("name.blank_misplaced"))
	}
	if composed(name) != name {
		return wrong(Form, tables.Say("name.not_nfc"))
	}
	if complaint := rules.misplaced(name); complaint != nil {
		return complaint
	}
	return rules.mixed(name)
}

// JudgeUnit returns what is wrong with a unit that could be read as part of the number before it or as a remark.
func JudgeUnit(unit string) *Complaint {
	if strings.ContainsAny(unit, "0123456789,;()") {
		return wrong(Unit, tables.Say("name.unit_malformed"))
	}
	first := []rune(text.Cut(unit, 3))
	if len(first) == 3 && !slices.ContainsFunc(first, func(sign rune) bool { return !looksLikeDigit(sign) }) {
		return wrong(Unit, tables.Say("name.begins_like_digits"))
	}
	return nil
}

// JudgeTogether returns what is wrong with the names of one spec together; each by itself is known to be right.
//
// The letters of a group are of one of the scripts that look alike, and none of its names looks like another. Names of
// different groups may look alike if both are ASCII.
func JudgeTogether(groups []Group) *Complaint {
	rules, everywhere := characters(), map[string]place{}
	for _, group := range groups {
		scripts, own := set{}, map[string]place{}
		for _, name := range group.Texts {
			scripts.add(rules.scripts(name).common(rules.oneOf))
			if len(scripts) > 1 {
				return wrong(Scripts, tables.Say("name.scripts_look_alike", group.Name, scripts))
			}
			look, here := skeleton(name), place{name, group.Name}
			for _, other := range []place{seen(own, look, here), seen(everywhere, look, here)} {
				if other.name != name && (other.group == group.Name || !ascii(other.name+name)) {
					return wrong(Alike,
						tables.Say("name.looks_like", group.Name, text.Repr(text.Shortened(name)),
							text.Repr(text.Shortened(other.name)), other.group,
							differing(name, other.name)))
				}
			}
		}
	}
	return nil
}

// place is where a name stands.
type place struct{ name, group string }

// seen returns the first place of a look, which is this one if there was none.
func seen(places map[string]place, look string, here place) place {
	if first, ok := places[look]; ok {
		return first
	}
	places[look] = here
	return here
}

// Quoted returns a name as it stands in a sentence: in quotes unless it is one plain word.
func Quoted(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	return `"` + Isolated(name) + `"`
}

// Listed returns names as a sentence lists them: of more than fit, the first ones, how many are left out, and the last.
func Listed(names []string) string {
	var shown []string
	whole := 0
	for _, name := range names {
		shown = append(shown, Quoted(text.Shortened(name)))
		whole += utf8.RuneCountInString(shown[len(shown)-1]) + 2
	}
	if whole <= longestList {
		return strings.Join(shown, ", ")
	}
	last := len(shown) - 1
	kept, used := 0, utf8.RuneCountInString(shown[last])
	for kept < last-1 {
		used += utf8.RuneCountInString(shown[kept]) + 2
		if used > longestList {
			break
		}
		kept++
	}
	between := tables.Say("word.left_out", last-kept)
	return strings.Join(append(shown[:kept:kept], between, shown[last]), ", ")
}

// AfterNumber returns a unit as it stands behind a number, with the blank before it: in quotes unless it is one plain word.
func AfterNumber(unit string) string {
	switch {
	case unit == "":
		return ""
	case plainUnit.MatchString(unit):
		return " " + unit
	}
	return ` "` + Isolated(unit) + `"`
}

// Escaped returns the beginning of a refused name, with characters that names may not hold as escapes.
func Escaped(name string) string {
	var line strings.Builder
	for _, sign := range text.Cut(name, 40) {
		if characters().knows(sign) {
			line.WriteRune(sign)
		} else {
			line.WriteString(text.Escape(sign))
		}
	}
	return line.String()
}

// misplaced complains about marks and apostrophes where they cannot be seen, or seem to end a quotation.
func (c *table) misplaced(name string) *Complaint {
	all := []rune(name)
	kinds := c.kinds(all)
	twice := false
	for at := 1; at < len(all); at++ {
		twice = twice || all[at] == all[at-1] && kinds[at] == 'm'
	}
	if strings.Contains(string(kinds), strings.Repeat("m", c.marksInARow+1)) || twice || looseMark.MatchString(string(kinds)) {
		return wrong(Marks, tables.Say("name.mark_misplaced", c.marksInARow))
	}
	if hangingApostrophe.MatchString(string(kinds)) {
		return wrong(Apostrophe, tables.Say("name.apostrophe_misplaced"))
	}
	return nil
}

// mixed complains about scripts, or directions of writing, that do not go together.
func (c *table) mixed(name string) *Complaint {
	scripts := c.scripts(name)
	alone := []set{}
	if len(scripts) > 1 {
		for _, word := range strings.FieldsFunc(name, c.sign) {
			alone = append(alone, c.scripts(word))
		}
	}
	mixed := scripts.common(c.oneOf)
	for _, own := range alone {
		if len(own) > 1 && len(own.common(c.together)) < len(own) {
			mixed = own
			break
		}
	}
	if len(mixed) > 1 {
		return wrong(Scripts, tables.Say("name.mixed_scripts", mixed))
	}
	fromRight := scripts.common(c.rightToLeft)
	moves := func(sign rune) bool {
		_, still := find(c.still, sign)
		return c.sign(sign) && !still
	}
	if len(fromRight) > 0 && (len(fromRight) < len(scripts) || strings.IndexFunc(name, moves) >= 0 ||
		movingNumber.MatchString(name)) {
		return wrong(Direction, tables.Say("name.mixed_directions"))
	}
	return nil
}

// Isolated returns a text so that its direction of writing, if it is from the right, ends with it.
func Isolated(text string) string {
	rules := characters()
	if len(rules.scripts(text).common(rules.rightToLeft)) > 0 {
		return isolate + text + end
	}
	return text
}

// skeleton is what texts have in common that look alike (UTS 39, section 4).
func skeleton(text string) string {
	var looks strings.Builder
	for _, sign := range decomposed(text) {
		if look, ok := characters().looks[sign]; ok {
			looks.WriteString(look)
		} else {
			looks.WriteRune(sign)
		}
	}
	return decomposed(looks.String())
}

func looksLikeDigit(sign rune) bool {
	look := skeleton(string(sign))
	for digit := '0'; digit <= '9'; digit++ {
		if skeleton(string(digit)) == look {
			return true
		}
	}
	return false
}

// differing says in words in which characters two texts first differ.
func differing(text, other string) string {
	right := []rune(other)
	for at, sign := range []rune(text) {
		if at < len(right) && right[at] != sign {
			return " " + tables.Say("name.differing", code(sign), code(right[at]))
		}
	}
	return ""
}

// code is a code point as Unicode writes it.
func code(sign rune) string { return fmt.Sprintf("U+%04X", sign) }

func ascii(text string) bool {
	return strings.IndexFunc(text, func(sign rune) bool { return sign > 0x7f }) < 0
}

func wrong(rule Rule, message string) *Complaint {
	return &Complaint{rule, message}
}
