package policy

import (
	"math/big"
	"slices"
	"strings"
	"time"

	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/names"
	"equiproof/verify/number"
	"equiproof/verify/spec"
	"equiproof/verify/statement"
	"equiproof/verify/text"
)

// MinRadius requires an eps of at least so much, in the spec's units, as exact decimal text.
type MinRadius struct{ Radius string }

// Covers is the radius; a minimum of 0 leaves open whether it is large enough.
func (m MinRadius) Covers() Covered {
	if number.Exact(m.Radius).Sign() > 0 {
		return covering(AboutRadius)
	}
	return Covered{}
}

// Check compares exactly with the radius for real values: a rounded radius would mislead on a coarse grid.
func (m MinRadius) Check(facts *Facts) ([]string, error) {
	found := facts.Spec.RadiusOfAny(facts.Statement.RadiusSquared)
	if found.Cmp(number.Exact(m.Radius)) < 0 {
		return nil, refused("radius-too-small", "the radius is %s, the policy requires %s", spec.Cut(found), m.Radius)
	}
	return []string{"the radius is at least " + m.Radius}, nil
}

// NoRanges requires a certificate about all neighbors: it refuses one whose spec restricts them to ranges.
type NoRanges struct{}

// Covers is the ranges.
func (NoRanges) Covers() Covered { return covering(AboutRanges) }

// Check reads the trusted spec; a verification has checked that the key proves statements of the same reach.
func (NoRanges) Check(facts *Facts) ([]string, error) {
	if facts.Spec.UseRanges {
		return nil, refused("ranges-not-accepted",
			"the certificate covers only neighbors inside ranges, the policy accepts no ranges")
	}
	return []string{"neighbors are not restricted to ranges"}, nil
}

// Range is the values of a number that somebody has in mind, as exact decimal text, the lower end first.
type Range struct{ Name, Low, High string }

// RangesWithin requires that these values lie within the certificate's ranges: it is silent about neighbors outside them.
// Under a certificate with ranges, each non-sensitive number of the spec must be named.
type RangesWithin []Range

// Covers is the ranges.
func (RangesWithin) Covers() Covered { return covering(AboutRanges) }

// Check compares exactly with the ranges that the certificate states.
func (r RangesWithin) Check(facts *Facts) ([]string, error) {
	if err := r.known(facts.Spec); err != nil {
		return nil, err
	}
	if !facts.Spec.UseRanges {
		return []string{"neighbors are not restricted to ranges, so yours are included"}, nil
	}
	for _, f := range facts.Spec.Plain {
		if f.Kind != "numeric" {
			continue
		}
		if err := r.include(facts.Spec, f); err != nil {
			return nil, err
		}
	}
	var mine []string
	for _, one := range r {
		mine = append(mine, names.Quoted(one.Name)+" "+one.Low+" to "+one.High)
	}
	return []string{"its ranges include yours: " + strings.Join(mine, ", ")}, nil
}

// known refuses a range for what is no number of the spec.
func (r RangesWithin) known(s *spec.Spec) error {
	var unknown []string
	for _, one := range r {
		own := func(f *spec.Feature) bool { return f.Name == one.Name && f.Kind == "numeric" }
		if !slices.ContainsFunc(s.Plain, own) {
			unknown = append(unknown, one.Name)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	return refused("ranges-too-narrow", "the policy names a range for %s: the spec has no such number",
		text.Repr(text.Cut(slices.Min(unknown), 40)))
}

// include refuses a certified range that does not include the policy's.
func (r RangesWithin) include(s *spec.Spec, f *spec.Feature) error {
	stated := "the certificate covers only neighbors with " + names.Quoted(f.Name) + " from " + s.KeptTo(f)
	at := slices.IndexFunc(r, func(one Range) bool { return one.Name == f.Name })
	if at < 0 {
		return refused("ranges-too-narrow", "%s, the policy names no range for it", stated)
	}
	least, most := s.ShownEnds(f)
	low, high := number.Parse(r[at].Low), number.Parse(r[at].High)
	if least.Cmp(low) > 0 || low.Cmp(high) > 0 || high.Cmp(most) > 0 {
		return refused("ranges-too-narrow", "%s, the policy requires %s to %s", stated, r[at].Low, r[at].High)
	}
	return nil
}

// ForQuery requires that the certificate is about these raw features under this blinding. Found: the query came with the
// certificate itself, so it says whose data they are, and not that they are yours.
type ForQuery struct {
	Query  *document.Query
	Source string
	Found  bool
}

// Covers is the query.
func (q ForQuery) Covers() Covered {
	if q.Found {
		return covering(AboutFoundQuery)
	}
	return covering(AboutQuery)
}

// Check recomputes the query commitment; features that do not fit the spec are malformed.
func (q ForQuery) Check(facts *Facts) ([]string, error) {
	found, err := q.Query.Commitment(facts.Spec)
	if err != nil {
		return nil, err
	}
	if found.Cmp(facts.Statement.QueryCommitment) != 0 {
		return nil, refused("other-query", "the certificate is about other data than %s", q.Source)
	}
	return []string{"it is about the data in " + q.Source}, nil
}

// ForContext requires that the certificate was made for this context. Found: the context came with the certificate itself,
// so an old certificate would bring its old one.
type ForContext struct {
	Context *document.Context
	Found   bool
}

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
		return nil, refused("other-context", "the certificate was made for another context")
	}
	var shown []string
	for _, name := range c.Context.Names() {
		shown = append(shown, text.Cut(text.Plain(name), 40)+" "+text.Cut(text.Plain(c.Context.Text(name)), 60))
	}
	which := "this context"
	if c.Found {
		which = "the context that came with it"
	}
	return []string{"it was made for " + which + ": " + strings.Join(shown, ", ")}, nil
}

// ContextHas requires names and texts of the context that the certificate was made for; it goes with ForContext.
type ContextHas struct {
	Context *document.Context
	Texts   *canonical.Object
}

// Covers is no check.
func (ContextHas) Covers() Covered { return Covered{} }

// Check compares the texts.
func (c ContextHas) Check(*Facts) (made []string, err error) {
	for _, name := range c.Texts.Names() {
		shown, wanted := text.Cut(text.Plain(name), 40), text.Cut(text.Plain(c.Texts.Text(name)), 60)
		if !c.Context.Has(name) || c.Context.Text(name) != c.Texts.Text(name) {
			found := "missing"
			if c.Context.Has(name) {
				found = text.Repr(text.Cut(text.Plain(c.Context.Text(name)), 60))
			}
			return nil, refused("context-lacks", "the context's %s is %s, the policy requires %s",
				text.Repr(shown), found, text.Repr(wanted))
		}
		made = append(made, "the context's "+shown+" is "+wanted)
	}
	return made, nil
}

// NotOlderThan requires that the `date` of the context (2026-01-31) is at most so many days before today; it goes with
// ForContext. A date of tomorrow is accepted, since it may be tomorrow already where the certificate was made.
type NotOlderThan struct {
	Context *document.Context
	Days    *big.Int
	Today   time.Time // midnight, UTC
}

// Covers is no check.
func (NotOlderThan) Covers() Covered { return Covered{} }

// Check counts the days.
func (n NotOlderThan) Check(*Facts) ([]string, error) {
	date := n.Context.Text("date")
	made, err := time.Parse(time.DateOnly, date)
	if err != nil || made.Year() < 1 {
		return nil, refused("too-old", "the context's date is %s, the policy requires one such as 2026-01-31",
			text.Repr(text.Cut(text.Plain(date), 40)))
	}
	age := (n.Today.Unix() - made.Unix()) / int64(24*time.Hour/time.Second)
	if age < -1 || big.NewInt(age).Cmp(n.Days) > 0 {
		return nil, refused("too-old", "the context is of %s, %d days before today, the policy requires at most %s",
			date, age, n.Days)
	}
	return []string{"its context is of " + date + ", at most " + n.Days.String() + " days old"}, nil
}
