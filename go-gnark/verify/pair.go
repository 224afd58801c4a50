package verify

import (
	"errors"
	"math/big"
	"slices"
	"strings"

	"equiproof/verify/document"
	"equiproof/verify/names"
	"equiproof/verify/number"
	"equiproof/verify/spec"
	"equiproof/verify/statement"
	"equiproof/verify/tables"
	"equiproof/verify/verdict"
)

// Refusal is what a box is compared with: the refusal's certificate, the query that it is about, and wishes, nil for none. With
// Within, a percent from 1 to 99 and 0 for none, numbers go so far of the way to the ends that these allow, and the pair says no
// more. Holds says that the certificate was verified, so that neither this nor label and context are left to anybody.
type Refusal struct {
	Certificate *document.Certificate
	Query       *document.Query
	Wishes      *spec.Wishes
	Within      int
	Holds       bool
}

// IsNone says whether a box certificate, which was verified with this refusal, says that none of the changes helps.
func (r *Refusal) IsNone(box *Verified) bool {
	return box.Statement.Label == r.Certificate.Statement.Label
}

// pair is a box certificate about an opened box, and a refusal. With the label of the refusal the box must have all that somebody
// may change: no change helps. With another label it must be a change that they may make: it is enough. A box of less is refused,
// unless who compares it says of how much less it is. Compared are raw values, exactly; integers follow, since rounding never
// falls. Twin of verifier/pair.py.
type pair struct {
	spec    *spec.Spec
	claim   *statement.Statement
	opened  *document.OpenedBox
	refusal *Refusal
	may     *spec.Allowed
}

// fits returns what a pair says, and the checks that were made; an error for another refusal, and for a box that the spec's rules
// of change and the wishes do not say.
func (p *pair) fits() (sentence string, made []string, err error) {
	within := p.refusal.Within
	if within < 0 || within > 99 {
		return "", nil, errors.New(tables.Say("pair.within_unfit"))
	}
	if err := p.checkRefusal(); err != nil {
		return "", nil, err
	}
	wishes := p.refusal.Wishes
	if wishes == nil {
		wishes = &spec.Wishes{}
	}
	p.may, err = p.spec.Allowed(p.refusal.Query.Features, wishes)
	var wrong *spec.WishError
	if errors.As(err, &wrong) {
		return "", nil, verdict.New(verdict.Malformed, map[bool]string{true: "wish-widens", false: "bad-wishes"}[wrong.Wider],
			wrong.Error())
	}
	if err != nil {
		return "", nil, err
	}
	if within > 0 {
		p.may = p.may.Within(within)
	}
	for _, f := range p.spec.Plain {
		if err := p.checkFixed(f); err != nil {
			return "", nil, err
		}
	}
	var moved []*spec.Feature
	if p.isNone() {
		err = p.checkAll()
	} else {
		for _, f := range p.spec.Plain {
			if !p.isOwn(f) {
				moved = append(moved, f)
			}
		}
		err = p.checkWay(moved)
	}
	if err != nil {
		return "", nil, err
	}
	return p.sentence(moved, len(wishes.Names) > 0), p.made(), nil
}

// isNone says whether the pair says that none of the changes helps.
func (p *pair) isNone() bool { return p.claim.Label == p.refusal.Certificate.Statement.Label }

// checkRefusal refuses a refusal that is not of the same model, spec and context, another query, and a spec without rules.
func (p *pair) checkRefusal() error {
	stated := p.refusal.Certificate.Statement
	for _, one := range []struct {
		own, other *big.Int
		message    string
	}{
		{stated.ModelCommitment, p.claim.ModelCommitment, tables.Say("pair.other_model")},
		{stated.SpecDigest, p.claim.SpecDigest, tables.Say("pair.other_spec")},
		{stated.ContextDigest, p.claim.ContextDigest, tables.Say("pair.other_context")},
	} {
		if one.own.Cmp(one.other) != 0 {
			return refuse("other-refusal", one.message)
		}
	}
	if stated.Label >= len(p.spec.Labels) {
		return refuse("unknown-label", tables.Say("certificate.label_unknown", stated.Label, len(p.spec.Labels)))
	}
	commitment, err := p.refusal.Query.Commitment(p.spec)
	if err != nil {
		return err
	}
	if commitment.Cmp(stated.QueryCommitment) != 0 {
		return verdict.New(verdict.Unmet, "other-query", tables.Say("pair.other_query"))
	}
	if !p.spec.HasChanges() {
		return refuse("no-rules", tables.Say("pair.no_rules"))
	}
	return nil
}

// isOwn says whether the box has today's value of a feature alone.
func (p *pair) isOwn(f *spec.Feature) bool {
	may := p.may.Features[f.Name]
	switch {
	case may.Span != nil:
		low, high := p.ends(f)
		return low != nil && low.Cmp(may.Span.Own) == 0 && high.Cmp(may.Span.Own) == 0
	case may.Choice != nil:
		values := p.values(f)
		return len(values) == 1 && values[0] == may.Choice.Own
	}
	return len(p.opened.Of(f)) == 0
}

// ends are those of a number in the box; nil where it is not stated.
func (p *pair) ends(f *spec.Feature) (low, high *big.Rat) {
	given := p.opened.Of(f)
	if len(given) == 0 {
		return nil, nil
	}
	return number.Read(given[0]), number.Read(given[len(given)-1])
}

// values are those of a category in the box.
func (p *pair) values(f *spec.Feature) []string { return f.ValuesOf(p.opened.Of(f)) }

// checkFixed refuses another value of a feature that is fixed or not stated, and one that is stated as if it was not.
func (p *pair) checkFixed(f *spec.Feature) error {
	may := p.may.Features[f.Name]
	missing := may.Span == nil && may.Choice == nil
	if (f.Changes == nil || missing || len(p.opened.Of(f)) == 0) && !p.isOwn(f) {
		return refuse("fixed-feature-moved", tables.Say("pair.fixed_moved", names.Quoted(f.Name)))
	}
	return nil
}

// checkAll refuses a box that lacks something that a feature may become.
func (p *pair) checkAll() error {
	for _, f := range p.spec.Plain {
		may, holds := p.may.Features[f.Name], true
		if may.Span != nil {
			low, high := p.ends(f)
			holds = low.Cmp(may.Span.Low) <= 0 && may.Span.High.Cmp(high) <= 0
		}
		if may.Choice != nil {
			holds = within(may.Choice.All, p.values(f))
		}
		if !holds {
			return refuse("box-too-small", tables.Say("pair.too_small", names.Quoted(f.Name)))
		}
	}
	return nil
}

// within says whether all values are among others.
func within(values, others []string) bool {
	return !slices.ContainsFunc(values, func(value string) bool { return !slices.Contains(others, value) })
}

// checkWay refuses a way that changes nothing, or something otherwise than the rules allow.
func (p *pair) checkWay(moved []*spec.Feature) error {
	if len(moved) == 0 {
		return refuse("change-not-allowed", tables.Say("pair.nothing_changes"))
	}
	for _, f := range moved {
		may := p.may.Features[f.Name]
		if may.Span != nil {
			if err := p.checkNumber(f, may.Span); err != nil {
				return err
			}
		}
		if may.Choice != nil {
			values := p.values(f)
			if slices.Contains(values, may.Choice.Own) || !within(values, may.Choice.All) {
				return refuse("change-not-allowed", tables.Say("pair.not_allowed", names.Quoted(f.Name)))
			}
		}
	}
	for _, table := range p.may.Together {
		if err := p.checkRows(table, moved); err != nil {
			return err
		}
	}
	return nil
}

// checkNumber refuses a number that does not move from a step on the allowed side on to an end that is allowed.
func (p *pair) checkNumber(f *spec.Feature, may *spec.Span) error {
	name := names.Quoted(f.Name)
	low, high := p.ends(f)
	rises := low.Cmp(may.Own) > 0 && may.High.Cmp(may.Own) > 0
	falls := high.Cmp(may.Own) < 0 && may.Low.Cmp(may.Own) < 0
	if !rises && !falls {
		return refuse("change-not-allowed", tables.Say("pair.not_allowed", name))
	}
	if high.Cmp(may.High) > 0 || low.Cmp(may.Low) < 0 {
		return refuse("cap-exceeded", tables.Say("pair.beyond_end", name))
	}
	shown := high
	if rises {
		shown = low
	}
	if may.Step != nil && !new(big.Rat).Quo(shown, may.Step).IsInt() {
		return refuse("off-step", tables.Say("pair.off_step", name))
	}
	return nil
}

// checkRows refuses other values of features that change at once than those of a row of their table.
func (p *pair) checkRows(table spec.Together, moved []*spec.Feature) error {
	ofTable := func(f *spec.Feature) bool { return slices.Contains(table.Features, f.Name) }
	if !slices.ContainsFunc(moved, ofTable) {
		return nil
	}
	for _, row := range table.Rows {
		if p.isRow(table.Features, row) {
			return nil
		}
	}
	quoted := make([]string, len(table.Features))
	for at, name := range table.Features {
		quoted[at] = names.Quoted(name)
	}
	return refuse("not-together", tables.Say("pair.not_together", strings.Join(quoted, and())))
}

// isRow says whether the box has the values of a row of a table, and no others.
func (p *pair) isRow(of, row []string) bool {
	for _, f := range p.spec.Plain {
		at := slices.Index(of, f.Name)
		if at < 0 {
			continue
		}
		if f.Kind == "categorical" {
			if values := p.values(f); len(values) != 1 || values[0] != row[at] {
				return false
			}
			continue
		}
		low, high := p.ends(f)
		if wanted := number.Exact(row[at]); low == nil || low.Cmp(wanted) != 0 || high.Cmp(wanted) != 0 {
			return false
		}
	}
	return true
}

// made are the checks that were made, in words.
func (p *pair) made() []string {
	label := names.Quoted(p.spec.Labels[p.refusal.Certificate.Statement.Label])
	var fits string
	switch wished, within := p.refusal.Wishes != nil, p.refusal.Within; {
	case p.isNone() && within > 0 && wished:
		fits = tables.Say("checked.pair_none_wishes_within", within)
	case p.isNone() && within > 0:
		fits = tables.Say("checked.pair_none_within", within)
	case p.isNone() && wished:
		fits = tables.Say("checked.pair_none_wishes")
	case p.isNone():
		fits = tables.Say("checked.pair_none")
	case wished:
		fits = tables.Say("checked.pair_way_wishes")
	default:
		fits = tables.Say("checked.pair_way")
	}
	return []string{tables.Say("checked.pair_refusal", label), tables.Say("checked.pair_query"), fits}
}

// and stands between two of several.
func and() string { return " " + tables.Say("word.and") + " " }

// sentence is what the pair says, which is no more than both certificates.
func (p *pair) sentence(moved []*spec.Feature, wished bool) string {
	var sensitive, changes, numbers []string
	for _, f := range p.spec.Sensitive {
		sensitive = append(sensitive, names.Quoted(f.Name))
	}
	label, all := names.Quoted(p.spec.Labels[p.claim.Label]), strings.Join(sensitive, and())
	for _, f := range p.spec.Plain {
		if may := p.may.Features[f.Name].Span; may != nil && may.Low.Cmp(may.High) < 0 {
			numbers = append(numbers, tables.Say("pair.change", names.Quoted(f.Name), f.EndsInWords(p.opened.Of(f))))
		}
	}
	ends, within := strings.Join(numbers, and()), p.refusal.Within
	switch {
	case p.isNone() && within > 0 && wished:
		return tables.Say("pair.none_wishes_within", within, ends, label, all)
	case p.isNone() && within > 0:
		return tables.Say("pair.none_within", within, ends, label, all)
	case p.isNone() && wished:
		return tables.Say("pair.none_wishes", label, all)
	case p.isNone():
		return tables.Say("pair.none", label, all)
	}
	for _, f := range moved {
		changes = append(changes, tables.Say("pair.change", names.Quoted(f.Name), f.EndsInWords(p.opened.Of(f))))
	}
	return tables.Say("pair.way", strings.Join(changes, and()), label, all)
}
