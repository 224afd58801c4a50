package policy

import (
	"fmt"
	"math/big"
	"strings"
	"time"

	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/statement"
	"equiproof/verify/tables"
	"equiproof/verify/text"
)

// ForContext requires that the certificate was made for this context. Found: the context came with the certificate itself,
// so an old certificate would bring its old one.
type ForContext struct {
	Context *document.Context
	Found   bool
}

var _ = register("ForContext", func(context *document.Context) (Policy, error) { return ForContext{Context: context}, nil })

// Covers is the context.
func (c ForContext) Covers() Covered {
	if c.Found {
		return covering(AboutFoundContext)
	}
	return covering(AboutContext)
}

// Check recomputes the context digest from the verifier's own value.
func (c ForContext) Check(facts *Facts) ([]string, error) {
	if statement.ContextDigest(c.Context.Object).Cmp(facts.Statement.ContextDigest) != 0 {
		return nil, refused("other-context", tables.Say("policy.context_differs"))
	}
	var entries []string
	for _, name := range c.Context.Names() {
		entries = append(entries, text.Cut(text.Plain(name), 40)+" "+text.Cut(text.Plain(c.Context.Text(name)), 60))
	}
	which := tables.Say("word.this_context")
	if c.Found {
		which = tables.Say("reading.context_that_came")
	}
	return []string{tables.Say("checked.context", which, strings.Join(entries, ", "))}, nil
}

// ContextHas requires names and texts of the context that the certificate was made for; it goes with ForContext.
type ContextHas struct {
	Context *document.Context
	Texts   *canonical.Object
}

var _ = register("ContextHas", itself[ContextHas])

// Covers is no check.
func (ContextHas) Covers() Covered { return Covered{} }

// Check compares the texts.
func (c ContextHas) Check(*Facts) (lines []string, err error) {
	for _, name := range c.Texts.Names() {
		label, value := text.Cut(text.Plain(name), 40), text.Cut(text.Plain(c.Texts.Text(name)), 60)
		if !c.Context.Has(name) || c.Context.Text(name) != c.Texts.Text(name) {
			own := tables.Say("word.missing")
			if c.Context.Has(name) {
				own = text.Repr(text.Cut(text.Plain(c.Context.Text(name)), 60))
			}
			return nil, refused("context-lacks",
				tables.Say("policy.context_field_differs", text.Repr(label), own, text.Repr(value)))
		}
		lines = append(lines, tables.Say("checked.context_field", label, value))
	}
	return lines, nil
}

// NotOlderThan requires that the `date` of the context (2026-01-31) is at most so many days before today; it goes with
// ForContext. A date of tomorrow is accepted, since it may be tomorrow already where the certificate was made.
type NotOlderThan struct {
	Context *document.Context
	Days    *big.Int
	Today   time.Time // midnight, UTC
}

var _ = register("NotOlderThan", func(limit NotOlderThan) (Policy, error) {
	if limit.Days.Sign() < 0 {
		return nil, fmt.Errorf("%s is below 0", limit.Days)
	}
	return limit, nil
})

// Covers is no check.
func (NotOlderThan) Covers() Covered { return Covered{} }

// Check counts the days.
func (n NotOlderThan) Check(*Facts) ([]string, error) {
	date := n.Context.Text("date")
	day, err := time.Parse(time.DateOnly, date)
	if err != nil || day.Year() < 1 {
		return nil, refused("too-old", tables.Say("policy.context_date_malformed", text.Repr(text.Cut(text.Plain(date), 40))))
	}
	age := (n.Today.Unix() - day.Unix()) / int64(24*time.Hour/time.Second)
	if age < -1 || big.NewInt(age).Cmp(n.Days) > 0 {
		return nil, refused("too-old", tables.Say("policy.context_too_old", date, age, n.Days))
	}
	return []string{tables.Say("checked.context_age", date, n.Days.String())}, nil
}
