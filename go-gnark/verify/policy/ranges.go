package policy

import (
	"slices"
	"strings"

	"equiproof/verify/names"
	"equiproof/verify/number"
	"equiproof/verify/spec"
	"equiproof/verify/tables"
	"equiproof/verify/text"
)

// NoRanges requires a certificate about all neighbors: it refuses one whose spec restricts them to ranges.
type NoRanges struct{}

var _ = register("NoRanges", func(bool) (Policy, error) { return NoRanges{}, nil })

// Covers is the ranges.
func (NoRanges) Covers() Covered { return covering(AboutRanges) }

// Check reads the trusted spec; a verification has checked that the key proves statements of the same reach.
func (NoRanges) Check(facts *Facts) ([]string, error) {
	if facts.Spec.UseRanges {
		return nil, refused("ranges-not-accepted", tables.Say("policy.ranges_not_accepted"))
	}
	return []string{tables.Say("certificate.ranges_unrestricted")}, nil
}

// Range is the values of a number that somebody has in mind, as exact decimal text, the lower end first.
type Range struct{ Name, Low, High string }

// fromTo writes the ends of a range.
func fromTo(r Range) string { return r.Low + " " + tables.Say("word.to") + " " + r.High }

// RangesWithin requires that these values lie within the certificate's ranges: it is silent about neighbors outside them.
// Under a certificate with ranges, each non-sensitive number of the spec must be named.
type RangesWithin []Range

var _ = register("RangesWithin", func(ranges []Range) (Policy, error) { return RangesWithin(ranges), nil })

// Covers is the ranges.
func (RangesWithin) Covers() Covered { return covering(AboutRanges) }

// Check compares exactly with the ranges that the certificate states.
func (r RangesWithin) Check(facts *Facts) ([]string, error) {
	if err := r.known(facts.Spec); err != nil {
		return nil, err
	}
	if !facts.Spec.UseRanges {
		return []string{tables.Say("checked.ranges_unrestricted")}, nil
	}
	for _, f := range facts.Spec.Plain {
		ends := facts.Spec.ShownEnds(f)
		if ends == nil {
			continue
		}
		if err := r.include(facts.Spec, f, ends); err != nil {
			return nil, err
		}
	}
	var own []string
	for _, one := range r {
		own = append(own, names.Quoted(one.Name)+" "+fromTo(one))
	}
	return []string{tables.Say("checked.ranges", strings.Join(own, ", "))}, nil
}

// known refuses a range for what is no number of the spec.
func (r RangesWithin) known(s *spec.Spec) error {
	var others []string
	for _, one := range r {
		own := func(f *spec.Feature) bool { return f.Name == one.Name && s.ShownEnds(f) != nil }
		if !slices.ContainsFunc(s.Plain, own) {
			others = append(others, one.Name)
		}
	}
	if len(others) == 0 {
		return nil
	}
	return refused("ranges-too-narrow", tables.Say("policy.range_of_unknown", text.Repr(text.Cut(slices.Min(others), 40))))
}

// include refuses a certified range, of these ends, that does not include the policy's.
func (r RangesWithin) include(s *spec.Spec, f *spec.Feature, ends *[2]number.Decimal) error {
	scope := tables.Say("policy.range_uncovered", names.Quoted(f.Name), s.KeptTo(f))
	at := slices.IndexFunc(r, func(one Range) bool { return one.Name == f.Name })
	if at < 0 {
		return refused("ranges-too-narrow", tables.Say("policy.range_unnamed", scope))
	}
	low, high := number.Parse(r[at].Low), number.Parse(r[at].High)
	if ends[0].Cmp(low) > 0 || low.Cmp(high) > 0 || high.Cmp(ends[1]) > 0 {
		return refused("ranges-too-narrow", tables.Say("policy.range_required", scope, fromTo(r[at])))
	}
	return nil
}
