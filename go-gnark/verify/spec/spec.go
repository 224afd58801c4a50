// Package spec says what the columns of a model mean, by a public document that the model commitment binds, and what a value
// can become within a radius. Twin of circuits/spec.py, encodings, reach.py and units.py; check.go refuses specs without a
// single meaning.
package spec

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"equiproof/verify/canonical"
	"equiproof/verify/names"
	"equiproof/verify/number"
	"equiproof/verify/tables"
	"equiproof/verify/text"
)

const (
	format  = "equiproof-spec"
	version = 2

	// markBits is the binary logarithm of the largest radius.
	markBits = 4
)

var (
	featureTable = canonical.TableOf[Feature](
		"Feature",
		canonical.Absent("mean", canonical.Constant("0")),
		canonical.Absent("scale", canonical.Constant("1")),
		canonical.Absent("unit", canonical.Constant("")),
		canonical.Absent("domain", canonical.Constant([]canonical.Value{})),
		canonical.Absent("range", canonical.Constant(nil)),
	)
	table = canonical.TableOf[File](
		format,
		canonical.As("features", canonical.ListOf(featureTable)),
		canonical.Absent("threshold", canonical.Constant("0")),
		canonical.Absent("weight_bits", func() canonical.Value {
			return canonical.ListValue([]int{16, 16}, canonical.IntegerValue)
		}),
		canonical.Absent("allow_loss", canonical.Constant(false)),
	)
)

// Kind is what a field with a spec holds; New makes one of its value.
func Kind() canonical.Kind { return table }

// Feature is one feature of the raw data.
type Feature struct {
	Name      string     `field:"name"`
	Kind      string     `field:"kind"`
	Encoding  string     `field:"encoding"`
	Sensitive bool       `field:"sensitive"`
	Mean      string     `field:"mean"`
	Scale     string     `field:"scale"`
	Unit      string     `field:"unit"`
	Domain    []string   `field:"domain"`
	Range     *[2]string `field:"range"`
	Whole     *bool      `field:"whole"` // see IsWhole
	// Monotone is the owner's word that the second label's score never falls ("increasing") or rises as the feature grows.
	Monotone *string `field:"monotone"`
	// Offset is added to a number before its logarithm is taken: decimal text, for the encoding log alone.
	Offset *string `field:"offset"`
	// Start is the date of day 0 of a number of days.
	Start *string `field:"start"`
	// Missing is what people are told of a missing value; nil where none may be missing.
	Missing *Missing `field:"missing"`
	// Changes are the rules of what somebody can change of it; nil where it is fixed.
	Changes *Changes `field:"changes"`
	// English and German are what people are told in place of name and unit; nil where there is no translation.
	English *SpokenFeature `field:"en"`
	German  *SpokenFeature `field:"de"`
}

// SpokenFeature is the name and the unit of a feature in one language, each where it differs from the spec's own.
type SpokenFeature struct {
	Name *string `field:"name"`
	Unit *string `field:"unit"`
}

// NameIn is the name in a language, the spec's own where it has no translation.
func (f *Feature) NameIn(language string) string {
	if spoken := map[string]*SpokenFeature{"en": f.English, "de": f.German}[language]; spoken != nil && spoken.Name != nil {
		return *spoken.Name
	}
	return f.Name
}

// UnitIn is the unit in a language, the spec's own where it has no translation.
func (f *Feature) UnitIn(language string) string {
	if spoken := map[string]*SpokenFeature{"en": f.English, "de": f.German}[language]; spoken != nil && spoken.Unit != nil {
		return *spoken.Unit
	}
	return f.Unit
}

// LabelsIn are the label names in a language, the spec's own where they have no translation.
func (s *Spec) LabelsIn(language string) []string {
	if spoken := map[string]*SpokenSpec{"en": s.English, "de": s.German}[language]; spoken != nil {
		return spoken.Labels
	}
	return s.Labels
}

// SpokenSpec is the label names of a spec in one language, in the order of its own.
type SpokenSpec struct {
	Labels []string `field:"labels"`
}

// Missing is what people are told of a missing value in English and German: words of one's own, or those of all features.
type Missing struct {
	English *string `field:"en"`
	German  *string `field:"de"`
	Mark    *bool   `field:"mark"` // true: a column of its own, see HasMark
}

// Text is the words of one's own in a language, "" where there are none.
func (m *Missing) Text(language string) string {
	own := map[string]*string{"en": m.English, "de": m.German}[language]
	if own == nil {
		return ""
	}
	return *own
}

// HasMark says whether a column of its own, the last of the feature, says that a value is missing.
func (f *Feature) HasMark() bool { return f.Missing != nil && f.Missing.Mark != nil && *f.Missing.Mark }

// IsWhole says whether the feature is a number that words for people name in whole numbers only.
func (f *Feature) IsWhole() bool { return f.Whole != nil && *f.Whole }

// Moves says whether the owner states that the second label's score only ever moves this way as the feature grows.
func (f *Feature) Moves(way string) bool { return f.Monotone != nil && *f.Monotone == way }

// File is a spec as its document has it. A line here is a field.
type File struct {
	Format            string      `field:"format"`
	Version           int         `field:"version"`
	Name              string      `field:"name"`
	InputFractionBits int         `field:"input_fraction_bits"`
	InputBits         int         `field:"input_bits"`
	UseRanges         bool        `field:"use_ranges"`
	Features          []*Feature  `field:"features"`
	Labels            []string    `field:"labels"`
	Logits            int         `field:"logits"`
	Threshold         string      `field:"threshold"`
	WeightBits        [2]int      `field:"weight_bits"`
	AllowLoss         bool        `field:"allow_loss"`
	PadTo             *int        `field:"pad_to"`
	Levels            *[]string   `field:"levels"` // see levels.go
	GainLevels        *[]string   `field:"gain_levels"`
	Together          *[]Together `field:"together"` // see changes.go
	English           *SpokenSpec `field:"en"`
	German            *SpokenSpec `field:"de"`
}

// Spec is a feature spec. Columns: non-sensitive features first (n_x), sensitive ones last (n_s).
type Spec struct {
	File
	Plain, Sensitive []*Feature // the non-sensitive and the sensitive features
	Table            [][]int64  // the S assignments of the sensitive features, first feature slowest
	Box              *[2][]int64
	Digest           *big.Int // of the whole document, a field element
	hasAbsent        bool
}

// New returns the spec of a value of Kind; an error unless it has exactly one meaning.
func New(value canonical.Value) (*Spec, error) {
	s := &Spec{File: *table.Fields(value), Digest: canonical.Digest("equiproof.spec.v2", value)}
	for _, f := range s.Features {
		s.hasAbsent = s.hasAbsent || f.Missing != nil && !f.HasMark()
		if f.Sensitive {
			s.Sensitive = append(s.Sensitive, f)
		} else {
			s.Plain = append(s.Plain, f)
		}
	}
	return s, s.check()
}

// HasMissing says whether a value of some feature may be missing.
func (s *Spec) HasMissing() bool {
	return slices.ContainsFunc(s.Features, func(f *Feature) bool { return f.Missing != nil })
}

// HasAbsent says whether a missing value of some feature is the largest integer of its columns: it has no mark.
func (s *Spec) HasAbsent() bool { return s.hasAbsent }

// absent is the integer of a missing value without a mark, in each column of its feature.
func (s *Spec) absent() int64 { return 1<<(s.InputBits-1) - 1 }

// mark is the integer of a mark: the largest radius. Everybody within a radius lacks the same values.
func (s *Spec) mark() int64 { return 1 << (s.InputFractionBits + markBits) }

// OwnColumns is the number of columns of the non-sensitive features. The padding, 0 for everybody, comes behind them.
func (s *Spec) OwnColumns() int { return columns(s.Plain) }

// PlainColumns is n_x, the number of non-sensitive columns: those of the features, and those of the padding.
func (s *Spec) PlainColumns() int {
	if s.PadTo != nil {
		return *s.PadTo
	}
	return s.OwnColumns()
}

// SensitiveColumns is n_s.
func (s *Spec) SensitiveColumns() int { return columns(s.Sensitive) }

// ScaleUnit is 2^f_x, the integer of one unit of a column.
func (s *Spec) ScaleUnit() *big.Int {
	return new(big.Int).Lsh(big.NewInt(1), uint(s.InputFractionBits))
}

// MaxRadiusSquared is the largest R2 that is stated, eps = 16 in the spec's units.
func (s *Spec) MaxRadiusSquared() int64 { return 1 << (2 * (s.InputFractionBits + markBits)) }

// WeightWidths are the signed widths of each layer's weights, the logits' last.
func (s *Spec) WeightWidths(hidden []int) []int {
	widths := []int{s.WeightBits[0]}
	for range hidden {
		widths = append(widths, s.WeightBits[1])
	}
	return widths
}

// BiasWidths are the signed widths of each layer's biases: as wide as its largest sum of products. A bias of this width already
// decides its neuron alone, so an honest owner needs no wider ones.
func (s *Spec) BiasWidths(hidden []int) []int {
	inputs := big.NewInt(int64(s.PlainColumns() + s.SensitiveColumns()))
	largest := new(big.Int).Lsh(big.NewInt(1), uint(s.InputBits-1))
	outputs := append(slices.Clone(hidden), s.Logits)
	var widths []int
	for layer, bits := range s.WeightWidths(hidden) {
		products := new(big.Int).Mul(inputs, largest)
		products.Lsh(products, uint(bits-1))
		widths = append(widths, products.BitLen()+1)
		inputs, largest = big.NewInt(int64(outputs[layer])), products.Lsh(products, 1)
	}
	return widths
}

// Encode turns the non-sensitive features of a query file into the n_x integers of the query. A feature that is not there is
// missing, or an error where none of its values may be; so is a value that is not a number, not in the domain, out of its range or
// too large: rows are refused, never clipped.
func (s *Spec) Encode(row *canonical.Object) ([]int64, error) {
	var query []int64
	for _, f := range s.Plain {
		if !row.Has(f.Name) && f.Missing == nil {
			return nil, errors.New(tables.Say("query.feature_missing", text.Repr(f.Name)))
		}
		own, err := s.columns(f, row.Get(f.Name))
		if err != nil {
			return nil, err
		}
		query = append(query, own...)
	}
	return s.padded(query), nil
}

// Category is a non-sensitive category with one column a value: its first column, the number of its values, and what stands in the
// columns of the values that somebody has not and has.
type Category struct {
	First, Values int
	Low, High     int64
}

// Categories lists those of which sets of values can be asked.
func (s *Spec) Categories() (found []Category) {
	first := 0
	for _, f := range s.Plain {
		width := f.encoding().width(f)
		if f.Kind == "categorical" && width > 1 {
			// One whose columns do not fit the integers is left out: nobody's query has it.
			if own, err := s.columns(f, f.Domain[0]); err == nil {
				found = append(found, Category{first, width, own[1], own[0]})
			}
		}
		first += columns([]*Feature{f})
	}
	return found
}

// columns are the integers of one raw value. Of a missing one they are the largest of the width, or 0 and the mark; an error where
// no value may be missing.
func (s *Spec) columns(f *Feature, value canonical.Value) ([]int64, error) {
	width := f.encoding().width(f)
	if value == nil && f.Missing == nil {
		return nil, errors.New(tables.Say("query.value_missing", text.Repr(f.Name)))
	}
	if value == nil && f.HasMark() {
		return append(make([]int64, width), s.mark()), nil
	}
	if value == nil {
		return slices.Repeat([]int64{s.absent()}, width), nil
	}
	raw, err := f.encoding().columns(f, value)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.named(), err)
	}
	var amount *big.Rat
	if f.Kind == "numeric" {
		amount = number.Read(value)
	}
	integers := make([]int64, len(raw))
	for at, one := range raw {
		if integers[at], err = s.fixedPoint(f, one, amount); err != nil {
			return nil, err
		}
	}
	if f.HasMark() {
		integers = append(integers, 0)
	}
	return integers, nil
}

// table lists the assignments of the sensitive features as integers: the full product, first feature slowest.
func (s *Spec) table() ([][]int64, error) {
	rows := [][]int64{nil}
	for _, f := range s.Sensitive {
		var products [][]int64
		values := make([][]int64, len(f.Domain))
		for at, value := range f.Domain {
			var err error
			if values[at], err = s.columns(f, value); err != nil {
				return nil, err
			}
		}
		for _, row := range rows {
			for _, value := range values {
				products = append(products, slices.Concat(row, value))
			}
		}
		rows = products
	}
	return rows, nil
}

// ValuesOf are the values of the sensitive features in a row of the table, by their names.
func (s *Spec) ValuesOf(row int) *canonical.Object {
	values, rest := map[string]string{}, row
	for _, f := range slices.Backward(s.Sensitive) {
		values[f.Name], rest = f.Domain[rest%len(f.Domain)], rest/len(f.Domain)
	}
	object := canonical.NewObject()
	for _, f := range s.Sensitive {
		object.Set(f.Name, values[f.Name])
	}
	return object
}

// RowOf is the row of the table with these values, one of each sensitive feature.
func (s *Spec) RowOf(values *canonical.Object) (row int, err error) {
	var sensitive []string
	for _, f := range s.Sensitive {
		sensitive = append(sensitive, f.Name)
	}
	for _, name := range values.Names() {
		at := slices.Index(sensitive, name)
		if at < 0 {
			return 0, errors.New(tables.Say("gain.feature_not_sensitive", names.Listed(sensitive),
				text.Repr(text.Cut(name, 40))))
		}
		if domain := s.Sensitive[at].Domain; !slices.Contains(domain, values.Text(name)) {
			return 0, errors.New(tables.Say("gain.value_unknown", names.Listed(domain), text.Shortened(name),
				text.Repr(text.Cut(values.Text(name), 40))))
		}
	}
	for _, f := range s.Sensitive {
		if !values.Has(f.Name) {
			return 0, errors.New(tables.Say("gain.value_missing", f.Name))
		}
		row = row*len(f.Domain) + slices.Index(f.Domain, values.Text(f.Name))
	}
	return row, nil
}

// box has the least and the largest integers of the n_x columns of neighbors, nil where they are not restricted.
func (s *Spec) box() (*[2][]int64, error) {
	if !s.UseRanges {
		return nil, nil
	}
	var box [2][]int64
	for _, f := range s.Plain {
		for _, ends := range f.encoding().ends(f) {
			column := s.limits(f)
			for end := 0; ends != nil && end < 2; end++ {
				var err error
				var raw *big.Rat
				if f.Range != nil {
					raw = number.Exact(f.Range[end])
				}
				if column[end], err = s.fixedPoint(f, ends[end], raw); err != nil {
					return nil, err
				}
			}
			// Somebody whose value is missing has 0 there, and is a neighbor of others of whom it is missing too.
			if f.HasMark() && (column[0] > 0 || column[1] < 0) {
				return nil, errors.New(tables.Say("spec.mark_outside_range", f.named()))
			}
			box[0], box[1] = append(box[0], column[0]), append(box[1], column[1])
		}
		if f.HasMark() {
			box[0], box[1] = append(box[0], 0), append(box[1], s.mark())
		}
	}
	return &[2][]int64{s.padded(box[0]), s.padded(box[1])}, nil
}

// padded adds a zero for each column of the padding.
func (s *Spec) padded(own []int64) []int64 {
	return append(own, make([]int64, s.PlainColumns()-len(own))...)
}

func columns(features []*Feature) (sum int) {
	for _, f := range features {
		if sum += f.encoding().width(f); f.HasMark() {
			sum++
		}
	}
	return sum
}
