package period

import (
	"slices"
	"strings"
	"time"

	"equiproof/verify/number"
	"equiproof/verify/tables"
	"equiproof/verify/words"
)

// step is one of how the receipts were drawn, with its details.
type step struct{ said, detail string }

// steps say how the receipts were drawn.
func (r *Report) steps() []step {
	receipts := r.words.Count(r.Period.Receipts)
	close := tables.Say("report.register_size", r.words.Count(r.Period.Size))
	if len(r.witnesses) > 0 {
		close += "; " + tables.Say("report.your_witnesses", len(r.witnesses))
	}
	draw := tables.Reports().Lot.Said("draw", tables.Facts{"by": r.Period.By},
		tables.Values{"count": r.words.Count(r.Period.Drawn)})
	sealed := r.time(slices.Max(r.Drawn.sealed))
	when := tables.Say("report.sealed_before_round", sealed, r.words.Count(r.Period.Round))
	if r.Period.By == byNonces {
		when = tables.Say("report.sealed_and_opened", sealed, r.time(slices.Max(r.Drawn.opened)))
	}
	return []step{
		{tables.Say("report.receipts_made"), ""},
		{tables.Say("report.period_closed", receipts), close},
		{draw[0], when},
		{draw[1], tables.Say("report.anybody_can_draw")},
		{tables.Say("report.answered"), r.answered()},
	}
}

// time writes a time of the files as people write it, in UTC; it is known to be one.
func (r *Report) time(instant string) string {
	at, err := time.Parse(time.RFC3339, instant)
	if err != nil {
		panic(err)
	}
	return r.words.Day(at) + at.Format(", 15:04") + words.NoBreak + "UTC"
}

// answered says when the owner answered, by its own word, and by when it should have.
func (r *Report) answered() string {
	facts, values := tables.Facts{"signed": tables.Yes(r.Answered != ""), "due": "met"}, tables.Values{}
	if r.Answered != "" {
		values["time"] = r.time(r.Answered)
	}
	due, err := time.Parse(time.DateOnly, r.Period.Policy.Due)
	switch {
	case err != nil:
		facts["due"] = "unnamed"
	case r.Late():
		facts["due"] = "late"
	}
	values["day"] = r.words.Day(due)
	return strings.Join(tables.Reports().Lot.Said("answered", facts, values), " ")
}

// fact is a name with what is said of it.
type fact struct{ name, said string }

// means is what the radius means: a sentence, and how far each detail could differ.
func (r *Report) means() (sentence string, facts []fact) {
	s, least := r.Commitment.Spec, number.Exact(r.Period.Policy.MinRadius)
	for _, f := range s.Plain {
		reach := r.words.MovedAlone(f, least)
		if reach == "" {
			reach = tables.Say("reading.not_at_all")
		}
		facts = append(facts, fact{r.words.Name(s, f), reach})
	}
	return tables.Say("report.counts_if", r.sensitive(false)), facts
}
