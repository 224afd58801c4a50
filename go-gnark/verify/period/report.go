package period

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"equiproof/verify/canonical"
	"equiproof/verify/number"
	"equiproof/verify/tables"
	"equiproof/verify/text"
	"equiproof/verify/words"
)

// mostListed is how many values of a sensitive feature are listed.
const mostListed = 6

// plainPeriod is a name that needs no quotation marks: one word, or one and a year.
var plainPeriod = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9-]{0,19}( [0-9]{4})?|[0-9]{4}(-[A-Za-z0-9]{1,8}){0,2})$`)

// Report is what is said of a period. Numbers that promise something are cut, never rounded up. Names are the owner's.
type Report struct {
	*Findings
	words words.Speaker
}

// Report returns the report in the language that is spoken, in which it is then read.
func (f *Findings) Report() *Report { return &Report{f, words.Spoken()} }

// ShownPeriod is a period's name as it stands in a sentence. It is the owner's own and may be long: "March. All of them" must
// not be read as a part of the sentence.
func ShownPeriod(name string) string {
	if plainPeriod.MatchString(name) {
		return words.Isolated(name)
	}
	return words.Spoken().Quoted(name)
}

// sentence is what the lot shows.
func (r *Report) sentence() string {
	share := r.words.Pointed(tenths(r.AtLeast, r.Period.Receipts))
	return tables.Say("report.bound", share, words.NoBreak, r.words.Count(r.Period.Receipts), ShownPeriod(r.Period.Name),
		r.radius(), r.percent(r.Period.confidence))
}

// radius is the least one of the period.
func (r *Report) radius() string { return r.words.Number(number.Exact(r.Period.Policy.MinRadius)) }

// percent writes a share that somebody stated as decimal text.
func (r *Report) percent(share *big.Rat) string {
	return r.words.Number(new(big.Rat).Mul(share, new(big.Rat).SetInt64(100))) + words.NoBreak + "%"
}

// drawnInWords says how many were drawn, and how many of them have a certificate; for the others, why not.
func (r *Report) drawnInWords() string {
	certified := r.certified()
	every := r.words.Count(certified)
	if certified == r.Period.Drawn {
		every = tables.Say("report.all_certified", every)
	}
	none, missing, refused := r.count(None), r.count(LeftOut), r.count(Refused)
	facts := tables.Facts{"uncertified": tables.Some(none), "unanswered": tables.Some(missing), "refused": tables.Some(refused)}
	return strings.Join(tables.Reports().Lot.Said("drawn", facts, tables.Values{
		"drawn": r.words.Count(r.Period.Drawn), "certified": every, "features": r.sensitive(true),
		"without": r.words.Count(none), "missing": r.words.Count(missing), "refused": r.words.Count(refused),
	}), " ")
}

func (r *Report) count(verdict string) (count int64) {
	for _, one := range r.Judgements {
		if one.Verdict == verdict {
			count++
		}
	}
	return count
}

// promised is what the owner promised, and whether that is shown.
func (r *Report) promised() (promise, kept string) {
	lines := tables.Reports().Lot.Said("promised", tables.Facts{"kept": tables.Yes(r.Kept())},
		tables.Values{"share": r.percent(r.Period.share)})
	return lines[0], lines[1]
}

// sensitive writes the sensitive features, with their listed values or without.
func (r *Report) sensitive(values bool) string {
	s := r.Commitment.Spec
	var all []string
	for _, f := range s.Sensitive {
		name := r.words.Name(s, f)
		if values {
			name += " (" + r.values(f.Domain) + ")"
		}
		all = append(all, name)
	}
	return r.words.Joined(all)
}

// values writes those of a sensitive feature, of many the first and the last.
func (r *Report) values(domain []string) string {
	lines := make([]string, len(domain))
	for at, value := range domain {
		lines[at] = r.words.Word(value)
	}
	if len(lines) <= mostListed {
		return strings.Join(lines, ", ")
	}
	return tables.Say("report.listed_values", len(lines), lines[0], lines[len(lines)-1])
}

// never is what this does not show, whatever it shows.
func (r *Report) never() []string {
	return tables.Reports().Lot.Said("never", tables.Facts{"groups": tables.Some(len(r.groups()))},
		tables.Values{"features": r.sensitive(false)})
}

// open is what the reader could have checked and did not, each with how to mend it; and what the keys leave open.
func (r *Report) open() []string {
	facts := tables.Facts{
		"log_key": tables.Given(r.pins.Log != nil), "auditors": tables.Given(len(r.pins.Auditors) > 0), "witnesses": "none",
		"forgeable": tables.Yes(r.forgeable),
	}
	if r.pins.Least > 0 {
		facts["witnesses"] = "asked"
	}
	return tables.Reports().Lot.Said("open", facts, nil)
}

// group is one that the owner names: how many of it were drawn, how many are certified, and their decisions in the order in
// which they came first.
type group struct {
	name             string
	drawn, certified int64
	labels           []string
	by               map[string]int64
}

// groups are those of the drawn, in the order of their names.
func (r *Report) groups() (rows []*group) {
	byName := map[string]*group{}
	for _, one := range r.Judgements {
		if one.Group == "" {
			continue
		}
		row := byName[one.Group]
		if row == nil {
			row = &group{name: one.Group, by: map[string]int64{}}
			byName[one.Group], rows = row, append(rows, row)
		}
		row.drawn++
		if one.Verdict == Certified {
			row.certified++
		}
		if one.Label == "" {
			continue
		}
		if row.by[one.Label]++; row.by[one.Label] == 1 {
			row.labels = append(row.labels, one.Label)
		}
	}
	slices.SortFunc(rows, func(left, right *group) int { return strings.Compare(left.name, right.name) })
	return rows
}

// Document is all of it for programs.
func (r *Report) Document() *canonical.Object {
	period, counts := r.Period, canonical.NewObject()
	for _, witness := range r.witnesses {
		counts.Set(witness.Name, integer(r.times[witness.Name]))
	}
	texts := func(all []string) canonical.Value {
		return canonical.ListValue(all, func(text string) canonical.Value { return words.Unmarked(text) })
	}
	object := canonical.NewObject().Set("period", period.Name).Set("owner", period.Owner).Set("digest", r.digest()).
		Set("sentence", words.Unmarked(r.sentence())).Set("receipts", integer(period.Receipts)).
		Set("first", integer(period.First)).Set("last", integer(period.Last)).Set("drawn", integer(period.Drawn)).
		Set("certified", integer(r.certified())).Set("at_least", integer(r.AtLeast)).
		Set("share_percent", tenths(r.AtLeast, period.Receipts)).Set("confidence", period.Policy.Confidence).
		Set("min_radius", period.Policy.MinRadius).Set("promised", period.Policy.Share).Set("promise_shown", r.Kept()).
		Set("all_answers_hold", r.Honest()).Set("seed", fmt.Sprintf("%x", r.Drawn.seed)).Set("by", period.By).
		Set("due", orNull(period.Policy.Due)).Set("answered", orNull(r.Answered)).Set("late", r.Late()).Set("witnesses", counts).Set("answers", canonical.ListValue(r.Judgements, judgementDocument)).
		Set("groups_by", nil).Set("does_not_show", texts(r.never())).
		Set("checks_not_made", canonical.ListValue(r.open(), func(text string) canonical.Value { return text }))
	if len(r.groups()) > 0 {
		object.Set("groups_by", period.Groups)
	}
	return object
}

func judgementDocument(one Judgement) canonical.Value {
	object := canonical.NewObject().Set("entry", integer(one.Entry)).Set("receipt", one.Receipt).Set("verdict", one.Verdict)
	for _, part := range []struct{ name, value string }{{"why", one.Why}, {"label", one.Label}, {"group", one.Group}} {
		if part.value != "" {
			object.Set(part.name, part.value)
		}
	}
	return object
}

// orNull is a text, or null for none.
func orNull(text string) canonical.Value {
	if text == "" {
		return nil
	}
	return text
}

func integer(value int64) canonical.Value { return big.NewInt(value) }

// Text is the report for a terminal.
func (r *Report) Text() string {
	promise, kept := r.promised()
	lines := []string{
		strings.TrimSuffix(words.ForTerminal(r.sentence()), ".") + " " +
			tables.Say("report.counts", r.Period.Drawn, r.certified()) + ".",
		words.ForTerminal(r.drawnInWords()), promise + " " + kept, words.ForTerminal(r.answered()),
	}
	bad, rows := r.wrong(), r.groups()
	for _, heading := range tables.Reports().Lot.Said("failures", tables.Facts{"failed": tables.Some(len(bad))}, nil) {
		lines = append(lines, "", heading)
	}
	lines = append(lines, bad...)
	for _, heading := range tables.Reports().Lot.Said("groups", tables.Facts{"groups": tables.Some(len(rows))}, nil) {
		lines = append(lines, "", heading)
	}
	for _, row := range rows {
		lines = append(lines, row.text())
	}
	lines = append(lines, "", tables.Say("report.open_heading"))
	for _, one := range r.never() {
		lines = append(lines, "  - "+words.ForTerminal(one))
	}
	if rest := r.open(); len(rest) > 0 {
		lines = append(lines, "", tables.Say("report.unchecked_heading"))
		for _, one := range rest {
			lines = append(lines, "  - "+one)
		}
	}
	return strings.Join(lines, "\n")
}

// wrong lists the answers that do not hold.
func (r *Report) wrong() (lines []string) {
	for _, one := range r.Judgements {
		switch one.Verdict {
		case LeftOut:
			lines = append(lines, "  "+tables.Say("report.entry_left_out", one.Entry, text.Plain(one.Why)))
		case Refused:
			lines = append(lines, "  "+tables.Say("report.entry_refused", one.Entry, text.Plain(one.Why)))
		}
	}
	return lines
}

func (g *group) text() string {
	var decided []string
	for _, label := range g.labels {
		decided = append(decided, fmt.Sprintf("%s %d", text.Plain(label), g.by[label]))
	}
	return "  " + tables.Say("report.group", text.Plain(g.name), g.drawn, g.certified, strings.Join(decided, ", "))
}

// tenths writes a share in percent with one decimal, cut.
func tenths(part, whole int64) string {
	cut := part * 1000 / whole
	return fmt.Sprintf("%d.%d", cut/10, cut%10)
}
