package spec

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"equiproof/verify/names"
	"equiproof/verify/number"
	"equiproof/verify/tables"
	"equiproof/verify/text"
)

const (
	maxSlices       = 4096
	maxFeatures     = 4096
	maxTable        = 1 << 14 // integers of a domain table, S n_s: every verifier recomputes and hashes the table
	maxFractionBits = 22      // the largest R2 of these, 2^52, is the largest power of two that readers of JSON keep exactly
	maxInputBits    = 40
	minWeightBits   = 8
	maxWeightBits   = 32
)

var decimal = regexp.MustCompile(`^-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,40})?$`)

// Decimal reads exact decimal text such as "-12.5"; `what` names it in the error about any other.
func Decimal(digits, what string) (*big.Rat, error) {
	if !decimal.MatchString(digits) {
		return nil, errors.New(tables.Say("spec.not_decimal", what, text.Repr(digits)))
	}
	return number.Exact(digits), nil
}

// check refuses a spec without exactly one meaning, and works out its table and its box.
func (s *Spec) check() error {
	for _, step := range []func() error{
		// Sizes first: each later step takes them for granted, and works through the features, the box or the table.
		s.checkSizes, s.checkFeatures, s.checkLabels, s.checkNames, s.checkPadding, s.checkLevels, s.checkBox, s.checkChanges,
		s.checkSlices,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (s *Spec) checkSizes() error {
	if s.Format != format || s.Version != version {
		return errors.New(tables.Say("spec.version_unknown", text.Repr(s.Format), s.Version, text.Repr(format), version))
	}
	if s.InputFractionBits < 1 || s.InputFractionBits > maxFractionBits {
		return errors.New(tables.Say("spec.input_fraction_bits_out_of_bounds", maxFractionBits))
	}
	if s.InputBits <= s.InputFractionBits || s.InputBits > maxInputBits {
		return errors.New(tables.Say("spec.input_bits_out_of_bounds", maxInputBits))
	}
	for _, bits := range s.WeightBits {
		if bits < minWeightBits || bits > maxWeightBits {
			return errors.New(tables.Say("spec.weight_bits_out_of_bounds", minWeightBits, maxWeightBits))
		}
	}
	if len(s.Features) > maxFeatures {
		return errors.New(tables.Say("spec.too_many_features", len(s.Features), maxFeatures))
	}
	return printable("name", s.Name)
}

func (s *Spec) checkFeatures() error {
	var all []string
	for _, f := range s.Features {
		all = append(all, f.Name)
	}
	if len(all) == 0 {
		return errors.New(tables.Say("spec.nothing_named", tables.Say("spec.feature_alone")))
	}
	if err := distinct(tables.Say("spec.feature_alone"), all); err != nil {
		return err
	}
	for _, f := range s.Features {
		if err := f.check(s, f.named()); err != nil {
			return err
		}
	}
	return nil
}

// named is a feature with its name, as errors about it begin.
func (f *Feature) named() string {
	return tables.Say("spec.feature", text.Repr(text.Shortened(f.Name)))
}

// check refuses a feature whose fields do not define its columns. Errors begin with the name.
func (f *Feature) check(s *Spec, name string) error {
	if err := checkUnit(f.Unit, name, "unit"); err != nil {
		return err
	}
	for i, spoken := range f.spoken() {
		if spoken == nil || spoken.Unit == nil {
			continue
		}
		field := tables.Languages[i] + ".unit"
		if err := checkUnit(*spoken.Unit, name, field); err != nil {
			return err
		}
		if *spoken.Unit != f.Unit && (*spoken.Unit == "" || f.Unit == "") {
			return errors.New(tables.Say("spec.spoken_unit", name, field))
		}
	}
	if _, err := Decimal(f.Mean, name+": mean"); err != nil {
		return err
	}
	scale, err := Decimal(f.Scale, name+": scale")
	if err != nil {
		return err
	}
	if scale.Sign() <= 0 {
		return errors.New(tables.Say("spec.scale_not_positive", name))
	}
	if f.Kind != f.encoding().kind() {
		return errors.New(tables.Say("spec.encoding_unfit", name, text.Repr(f.Encoding), text.Repr(f.Kind)))
	}
	if err := f.checkDomain(name); err != nil {
		return err
	}
	if err := f.checkRange(name); err != nil {
		return err
	}
	if f.Offset != nil {
		if _, err := Decimal(*f.Offset, name+": offset"); err != nil {
			return err
		}
	}
	if err := f.encoding().check(s, f, name); err != nil {
		return err
	}
	return f.checkMissing(s, name)
}

// spoken are the translations of a feature by the place of their language, nil where there is none.
func (f *Feature) spoken() []*SpokenFeature { return []*SpokenFeature{f.English, f.German} }

// names are the name of a feature and its translations, each once.
func (f *Feature) names() []string {
	all := []string{f.Name}
	for _, language := range tables.Languages {
		if name := f.NameIn(language); !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// units are the units of a feature, its own and the translations.
func (f *Feature) units() []string {
	all := []string{f.Unit}
	for _, spoken := range f.spoken() {
		if spoken != nil && spoken.Unit != nil {
			all = append(all, *spoken.Unit)
		}
	}
	return slices.DeleteFunc(all, func(unit string) bool { return unit == "" })
}

// labelNames are the names of each label, its own and the translations, each once.
func (s *Spec) labelNames() (all []string) {
	for place, label := range s.Labels {
		own := []string{label}
		for _, language := range tables.Languages {
			if name := s.LabelsIn(language)[place]; !slices.Contains(own, name) {
				own = append(own, name)
			}
		}
		all = append(all, own...)
	}
	return all
}

// checkUnit refuses a unit that could mislead.
func checkUnit(unit, name, field string) error {
	if unit == "" {
		return nil
	}
	if err := printable(name+": "+field, unit); err != nil {
		return err
	}
	if complaint := names.JudgeUnit(unit); complaint != nil {
		return fmt.Errorf("%s: %s %s %s", name, field, text.Repr(text.Cut(unit, 40)), complaint.Message)
	}
	return nil
}

// missingWords are the words of a spec's own for a missing value, each once.
func (f *Feature) missingWords() (words []string) {
	if f.Missing == nil {
		return nil
	}
	for _, own := range []*string{f.Missing.English, f.Missing.German} {
		if own != nil && !slices.Contains(words, *own) {
			words = append(words, *own)
		}
	}
	return words
}

// checkMissing refuses a feature that may not be missing, or not be called so.
func (f *Feature) checkMissing(s *Spec, name string) error {
	if f.Missing == nil {
		return nil
	}
	if f.Sensitive {
		return errors.New(tables.Say("spec.missing_misplaced", name))
	}
	if f.Missing.Mark != nil && !*f.Missing.Mark {
		return errors.New(tables.Say("spec.mark_is_true", name))
	}
	for _, own := range []*string{f.Missing.English, f.Missing.German} {
		if own == nil {
			continue
		}
		if complaint := names.Judge(*own); complaint != nil {
			return fmt.Errorf("%s: missing '%s' %s", name, names.Escaped(*own), complaint.Message)
		}
		// What could be read as a value says the opposite.
		if slices.Contains(f.Domain, *own) || strings.ContainsAny(*own, "0123456789") {
			return errors.New(tables.Say("spec.missing_like_value", name, text.Repr(*own)))
		}
	}
	if f.HasMark() && s.mark() > s.absent() {
		return errors.New(tables.Say("spec.mark_too_wide", name, s.InputFractionBits+markBits+2))
	}
	return nil
}

// checkDomain refuses a domain, whole numbers or a direction that do not go with their feature.
func (f *Feature) checkDomain(name string) error {
	numeric := f.Kind == "numeric"
	ownNumber := numeric && !f.Sensitive
	if !ownNumber && len(f.Domain) == 0 {
		return errors.New(tables.Say("spec.domain_missing", name))
	}
	if ownNumber && len(f.Domain) > 0 {
		return errors.New(tables.Say("spec.domain_misplaced", name))
	}
	for _, value := range f.Domain {
		if numeric {
			if _, err := Decimal(value, name+": domain"); err != nil {
				return err
			}
		}
	}
	if err := distinct(name+": domain", f.Domain); err != nil {
		return err
	}
	// A number that is not whole leaves the field out, so that a spec has one spelling.
	if f.Whole != nil && !(ownNumber && *f.Whole) {
		return errors.New(tables.Say("spec.whole_misplaced", name))
	}
	if f.Monotone != nil && !ownNumber {
		return errors.New(tables.Say("spec.monotone_misplaced", name))
	}
	return nil
}

func (f *Feature) checkRange(name string) error {
	if f.Range == nil {
		return nil
	}
	low, err := Decimal(f.Range[0], name+": range")
	if err != nil {
		return err
	}
	high, err := Decimal(f.Range[1], name+": range")
	if err != nil {
		return err
	}
	if f.Kind != "numeric" || f.Sensitive || low.Cmp(high) > 0 {
		return errors.New(tables.Say("spec.range_malformed", name))
	}
	return nil
}

// checkLabels refuses label names that do not fit the number of logits.
func (s *Spec) checkLabels() error {
	if len(s.Labels) == 0 {
		return errors.New(tables.Say("spec.nothing_named", tables.Say("spec.label_alone")))
	}
	if err := distinct(tables.Say("spec.label_alone"), s.Labels); err != nil {
		return err
	}
	if s.Logits < 1 || len(s.Labels) != max(s.Logits, 2) {
		return errors.New(tables.Say("spec.labels_not_of_logits", len(s.Labels), s.Logits))
	}
	for i, spoken := range []*SpokenSpec{s.English, s.German} {
		if spoken != nil && len(spoken.Labels) != len(s.Labels) {
			return errors.New(tables.Say("spec.spoken_labels", tables.Languages[i]+".labels", len(s.Labels)))
		}
	}
	threshold, err := Decimal(s.Threshold, "threshold")
	if err == nil && threshold.Sign() != 0 && s.Logits != 1 {
		err = errors.New(tables.Say("spec.threshold_without_single_logit"))
	}
	return err
}

// checkNames refuses names that look like others of the spec.
func (s *Spec) checkNames() error {
	var own, units []string
	var domains []names.Group
	for _, f := range s.Features {
		own = append(own, f.names()...)
		units = append(units, f.units()...)
		texts := append(slices.Clone(f.Domain), f.missingWords()...)
		domains = append(domains, names.Group{Name: f.named() + ": domain", Texts: texts})
	}
	// Translations are told apart from all other names and labels, their own language's and the spec's: no label may be
	// called in one language what another one is called in the other.
	labels := s.labelNames()
	if err := distinct(tables.Say("spec.feature_alone"), own); err != nil {
		return err
	}
	if err := distinct(tables.Say("spec.label_alone"), labels); err != nil {
		return err
	}
	groups := []names.Group{{Name: tables.Say("spec.feature_names"), Texts: own},
		{Name: tables.Say("spec.label_names"), Texts: labels}, {Name: tables.Say("spec.units"), Texts: units},
		{Name: tables.Say("spec.own_name"), Texts: []string{s.Name}}}
	if complaint := names.JudgeTogether(append(groups, domains...)); complaint != nil {
		return errors.New(complaint.Message)
	}
	return nil
}

// checkPadding refuses a padding that adds no column, or too many.
func (s *Spec) checkPadding() error {
	own := s.OwnColumns()
	if own < 1 {
		return errors.New(tables.Say("spec.query_empty"))
	}
	if s.PadTo != nil && (*s.PadTo <= own || *s.PadTo > maxFeatures) {
		return errors.New(tables.Say("spec.pad_to_out_of_bounds", own, maxFeatures))
	}
	return nil
}

// checkBox refuses ends of ranges that are too large for the width.
func (s *Spec) checkBox() (err error) {
	s.Box, err = s.box()
	return err
}

// checkSlices refuses sensitive features with a single value, and tables that are too large or ambiguous.
func (s *Spec) checkSlices() (err error) {
	if len(s.Sensitive) == 0 {
		return errors.New(tables.Say("spec.no_sensitive_feature"))
	}
	joint := 1
	for _, f := range s.Sensitive {
		if len(f.Domain) < 2 {
			return errors.New(tables.Say("spec.sensitive_single_value", text.Repr(f.Name)))
		}
		// Compared after each factor: the product of all domains could be beyond what an int holds.
		if joint *= len(f.Domain); joint > maxSlices {
			return errors.New(tables.Say("spec.too_many_joint_values", maxSlices))
		}
	}
	if joint*s.SensitiveColumns() > maxTable {
		return errors.New(tables.Say("spec.table_too_large", maxTable))
	}
	if s.Table, err = s.table(); err != nil {
		return err
	}
	rows := slices.SortedFunc(slices.Values(s.Table), slices.Compare[[]int64])
	if len(slices.CompactFunc(rows, slices.Equal[[]int64])) != joint {
		return errors.New(tables.Say("spec.values_coincide"))
	}
	return nil
}

// distinct refuses repeated names, and names that could mislead.
func distinct(what string, texts []string) error {
	names := map[string]bool{}
	for _, name := range texts {
		if err := printable(tables.Say("spec.name_in", what), name); err != nil {
			return err
		}
		names[name] = true
	}
	if len(names) != len(texts) {
		return errors.New(tables.Say("spec.names_not_distinct", what))
	}
	return nil
}

// printable refuses text that could mislead a reader or control a terminal.
func printable(what, name string) error {
	if complaint := names.Judge(name); complaint != nil {
		return fmt.Errorf("%s '%s' %s", what, names.Escaped(name), complaint.Message)
	}
	return nil
}
