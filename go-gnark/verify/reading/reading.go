// Package reading has a statement in words and in the features' own units. Integers decide; the text is derived from them,
// rounded down. Twin of verifier/reading.py.
package reading

import (
	"strings"

	"equiproof/verify/canonical"
	"equiproof/verify/names"
	"equiproof/verify/spec"
	"equiproof/verify/tables"
)

// Of returns a statement for people as a certificate has it: a function of the spec, the label (an index below the number of
// label names) and R2 alone.
func Of(s *spec.Spec, label int, squared int64) *canonical.Object {
	radius := s.RadiusOfAny(squared)
	features, ranges := canonical.NewObject(), canonical.NewObject()
	for _, f := range s.Plain {
		features.Set(f.Name, f.InUnits(radius))
		ranges.Set(f.Name, s.KeptTo(f))
	}
	object := canonical.NewObject().Set("label", s.Labels[label]).
		Set("sensitive", canonical.ListValue(s.Sensitive, func(f *spec.Feature) canonical.Value { return f.Name })).
		Set("radius", s.Length(squared)).Set("radius_any", spec.Cut(radius)).
		Set("at_least", s.IsAtLeast(squared)).Set("features", features)
	if s.UseRanges {
		object.Set("ranges", ranges)
	}
	return object
}

// radiusWords is how far the other features may change.
type radiusWords struct {
	RadiusAny string `field:"radius_any"`
	AtLeast   bool   `field:"at_least"`
}

// isZero says whether nothing but zeros is shown of the radius: a sentence then promises nothing of other features, also where
// it is above 0 and was rounded down.
func (r *radiusWords) isZero() bool { return strings.Trim(r.RadiusAny, "0.") == "" }

// bound is what such changes are closer than.
func (r *radiusWords) bound() string {
	least := ""
	if r.AtLeast {
		least = tables.Say("word.at_least") + " "
	}
	return tables.Say("reading.in_units", least, r.RadiusAny)
}

// decisionWords are the words of a statement that its sentence is made of.
type decisionWords struct {
	radiusWords
	Label     string            `field:"label"`
	Sensitive []string          `field:"sensitive"`
	Ranges    *canonical.Object `field:"ranges"`
}

// Sentence is one sentence that promises no more than the statement.
func Sentence(reading *canonical.Object) string {
	words := canonical.Fields[decisionWords](reading)
	var sensitive []string
	for _, name := range words.Sensitive {
		sensitive = append(sensitive, names.Quoted(name))
	}
	changes, label := strings.Join(sensitive, " "+tables.Say("word.and")+" "), names.Quoted(words.Label)
	if words.isZero() {
		return tables.Say("reading.alone_unflipped", changes, label)
	}
	bound := words.bound()
	if words.Ranges != nil {
		bound += " " + tables.Say("reading.keeps_inside_ranges")
	}
	return tables.Say("reading.unflipped", changes, bound, label)
}
