package policy

import (
	"errors"
	"slices"
	"strings"

	"equiproof/verify/names"
	"equiproof/verify/spec"
	"equiproof/verify/tables"
	"equiproof/verify/text"
)

// CoversFeatures requires that the spec lists at least these features as sensitive.
type CoversFeatures []string

var _ = register("CoversFeatures", func(features []string) (Policy, error) {
	if len(features) == 0 {
		return nil, errors.New(tables.Say("policy.features_unnamed"))
	}
	return CoversFeatures(features), nil
})

// Covers is nothing that a verification would list as not checked.
func (CoversFeatures) Covers() Covered { return nil }

// Check compares names: a certificate covers every combination of the values of all features that its spec lists.
func (c CoversFeatures) Check(facts *Facts) ([]string, error) {
	var sensitive, required []string
	for _, f := range facts.Spec.Sensitive {
		sensitive = append(sensitive, f.Name)
	}
	for _, name := range c {
		if !slices.ContainsFunc(facts.Spec.Sensitive, func(f *spec.Feature) bool { return f.Name == name }) {
			missing := text.Repr(text.Cut(name, 40))
			return nil, refused("features-not-covered", tables.Say("policy.features_not_covered", missing, names.Listed(sensitive)))
		}
		required = append(required, names.Quoted(name))
	}
	return []string{tables.Say("checked.features_covered", strings.Join(required, ", "))}, nil
}
