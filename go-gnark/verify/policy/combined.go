package policy

import (
	"errors"
	"fmt"
	"strings"

	"equiproof/verify/tables"
	"equiproof/verify/verdict"
)

// AllOf requires every one of several policies, of which there is one at least.
type AllOf []Policy

// Each returns the policies that must all be met.
func Each(policy Policy) (all []Policy) {
	if parts, ok := policy.(AllOf); ok {
		for _, one := range parts {
			all = append(all, Each(one)...)
		}
		return all
	}
	return []Policy{policy}
}

// StillOpen lists what policies that were met do not show of what they are about.
func StillOpen(policy Policy) (lines []string) {
	for _, one := range Each(policy) {
		if partial, ok := one.(interface{ StillOpen() []string }); ok {
			lines = append(lines, partial.StillOpen()...)
		}
	}
	return lines
}

// Covers is what any of the policies covers, since each of them is checked.
func (a AllOf) Covers() Covered {
	all := Covered{}
	for _, policy := range a {
		for check := range policy.Covers() {
			all[check] = true
		}
	}
	return all
}

// Check checks the policies in their order; the first that is not met refuses. What one of them pins is pinned.
func (a AllOf) Check(facts *Facts) (all []string, err error) {
	facts = facts.PinnedBy(a.Covers())
	for _, policy := range a {
		lines, err := policy.Check(facts)
		if err != nil {
			return nil, err
		}
		all = append(all, lines...)
	}
	return all, nil
}

// AnyOf requires at least one of several policies.
type AnyOf []Policy

var _ = register("AnyOf", func(alternatives []Policy) (Policy, error) { return AnyOf(alternatives), nil })

// Covers is what all of the policies cover: which of them is met is not known beforehand.
func (a AnyOf) Covers() Covered {
	common := AllOf(a).Covers()
	for _, policy := range a {
		own := policy.Covers()
		for check := range common {
			if !own[check] {
				delete(common, check)
			}
		}
	}
	return common
}

// Check checks the policies in their order until one is met; a refusal lists what each of them lacked.
func (a AnyOf) Check(facts *Facts) ([]string, error) {
	var reasons []string
	for _, policy := range a {
		lines, err := policy.Check(facts)
		var unmet *verdict.Error
		switch {
		case err == nil:
			met := strings.Join(lines, "; ")
			if met == "" {
				met = tables.Say("policy.requires_nothing")
			}
			return []string{tables.Say("policy.alternative_met", len(a), met)}, nil
		case errors.As(err, &unmet) && unmet.Kind == verdict.Unmet:
			reasons = append(reasons, fmt.Sprintf("(%d) %s", len(reasons)+1, unmet))
		default:
			return nil, err
		}
	}
	return nil, refused("no-policy-met", tables.Say("policy.no_alternative_met", len(a), strings.Join(reasons, "; ")))
}

// Nothing requires nothing: any true certificate passes, of any radius, applicant and context.
type Nothing struct{}

// Covers is no check.
func (Nothing) Covers() Covered { return Covered{} }

// Check makes no check.
func (Nothing) Check(*Facts) ([]string, error) { return nil, nil }
