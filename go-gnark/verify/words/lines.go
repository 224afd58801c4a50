package words

import (
	"maps"

	"equiproof/verify/canonical"
	"equiproof/verify/tables"
)

// lines are what a document says in one language: the rows of its parts, the facts that they are chosen by, the texts for the
// places of sentences, and the entries of lists. Twin of verifier/lines.py.
type lines struct {
	*words
	parts tables.AnswerParts
	facts map[string]string
	texts texts
	lists map[string][]item
}

// item is an entry of a list: its own facts and texts, beside those of the whole.
type item struct {
	facts map[string]string
	texts texts
}

// line is one line, and the row of its first sentence.
type line struct {
	row  tables.AnswerRow
	text string
}

// of returns the lines of a part, in the order of its rows.
func (l *lines) of(part string) (all []line) {
	for _, row := range l.parts[part] {
		owners := []*lines{l}
		if row.Each != "" {
			owners = owners[:0]
			for _, one := range l.lists[row.Each] {
				owners = append(owners, &lines{l.words, l.parts, both(l.facts, one.facts), both(l.texts, one.texts), l.lists})
			}
		}
		for _, own := range owners {
			if !row.Holds(own.facts) {
				continue
			}
			filled := both(own.texts, nil)
			for place, other := range row.With {
				if said := own.said(other); len(said) > 0 {
					filled[place] = l.joined(said, "and")
				}
			}
			text := l.say(row.Say, filled)
			if row.Joined {
				all[len(all)-1].text += " " + text
			} else {
				all = append(all, line{row, text})
			}
		}
	}
	return all
}

// said are the texts of a part's lines.
func (l *lines) said(part string) (all []string) {
	for _, one := range l.of(part) {
		all = append(all, one.text)
	}
	return all
}

// both are the entries of two maps, the second one's where they have the same name.
func both[M ~map[string]string](first, second M) M {
	whole := make(M, len(first)+len(second))
	maps.Copy(whole, first)
	maps.Copy(whole, second)
	return whole
}

func listed(all []string) []canonical.Value {
	return canonical.ListValue(all, func(text string) canonical.Value { return text })
}
