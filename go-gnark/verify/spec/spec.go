// Package spec says what the columns of a model mean, by a public document that the model commitment binds. Twin of
// circuits/spec.py, circuits/encodings.py and circuits/units.py; check.go refuses specs without a single meaning.
package spec

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"equiproof/verify/canonical"
	"equiproof/verify/text"
)

const (
	format  = "equiproof-spec"
	version = 2
)

// kind is the table of a spec's fields. A line here is a field, with its place in the types below.
var kind = canonical.Document(
	canonical.Required("format", canonical.Text()),
	canonical.Required("version", canonical.Integer()),
	canonical.Required("name", canonical.Text()),
	canonical.Required("input_fraction_bits", canonical.Integer()),
	canonical.Required("input_bits", canonical.Integer()),
	canonical.Required("use_ranges", canonical.Flag()),
	canonical.Required("features", canonical.ListOf(featureKind)),
	canonical.Required("labels", canonical.ListOf(canonical.Text())),
	canonical.Required("logits", canonical.Integer()),
	canonical.Otherwise("threshold", canonical.Text(), canonical.Constant("0")),
	canonical.Otherwise("weight_bits", canonical.Pair(canonical.Integer()), func() canonical.Value {
		return canonical.ListValue([]int{16, 16}, canonical.IntegerValue)
	}),
	canonical.Otherwise("allow_loss", canonical.Flag(), canonical.Constant(false)),
	canonical.Optional("pad_to", canonical.Integer()),
)

var featureKind = canonical.Document(
	canonical.Required("name", canonical.Text()),
	canonical.Required("kind", canonical.OneOf("numeric", "categorical")),
	canonical.Required("encoding", canonical.OneOf("scaled", "rank", "one-hot")),
	canonical.Required("sensitive", canonical.Flag()),
	canonical.Otherwise("mean", canonical.Text(), canonical.Constant("0")),
	canonical.Otherwise("scale", canonical.Text(), canonical.Constant("1")),
	canonical.Otherwise("unit", canonical.Text(), canonical.Constant("")),
	canonical.Otherwise("domain", canonical.ListOf(canonical.Text()), canonical.Constant([]canonical.Value{})),
	canonical.Otherwise("range", canonical.Nullable(canonical.Pair(canonical.Text())), canonical.Constant(nil)),
	canonical.Optional("whole", canonical.Flag()),
	canonical.Optional("monotone", canonical.OneOf("increasing", "decreasing")),
)

// Kind is what a field with a spec holds; New makes one of its value.
func Kind() canonical.Kind { return kind }

// Feature is one feature of the raw data.
type Feature struct {
	Name, Kind, Encoding string
	Sensitive            bool
	Mean, Scale, Unit    string
	Domain               []string
	Range                *[2]string
	Whole                bool   // a number that words for people name in whole numbers only
	wholeStated          bool   // the field stands there
	Monotone             string // the owner's word that the second label's score never falls ("increasing") or rises as it grows
}

// Spec is a feature spec. Columns: non-sensitive features first (n_x), sensitive ones last (n_s).
type Spec struct {
	Format                       string
	Version                      int
	Name                         string
	InputFractionBits, InputBits int
	UseRanges                    bool
	Features                     []*Feature
	Labels                       []string
	Logits                       int
	Threshold                    string
	WeightBits                   [2]int
	AllowLoss                    bool
	PadTo                        *int

	Plain, Sensitive []*Feature // the non-sensitive and the sensitive features
	Table            [][]int64  // the S assignments of the sensitive features, first feature slowest
	Box              *[2][]int64
	Digest           *big.Int // of the whole document, a field element
}

// New returns the spec of a value of Kind; an error unless it has exactly one meaning.
func New(value canonical.Value) (*Spec, error) {
	fields := value.(*canonical.Object)
	s := &Spec{
		Format: fields.Text("format"), Version: fields.Int("version"), Name: fields.Text("name"),
		InputFractionBits: fields.Int("input_fraction_bits"), InputBits: fields.Int("input_bits"),
		UseRanges: fields.Flag("use_ranges"), Labels: fields.Texts("labels"), Logits: fields.Int("logits"),
		Threshold: fields.Text("threshold"), WeightBits: [2]int(fields.Ints("weight_bits")),
		AllowLoss: fields.Flag("allow_loss"),
		Digest:    canonical.Digest("equiproof.spec.v2", fields),
	}
	if fields.Has("pad_to") {
		padded := fields.Int("pad_to")
		s.PadTo = &padded
	}
	for _, one := range fields.Objects("features") {
		f := newFeature(one)
		s.Features = append(s.Features, f)
		if f.Sensitive {
			s.Sensitive = append(s.Sensitive, f)
		} else {
			s.Plain = append(s.Plain, f)
		}
	}
	return s, s.check()
}

func newFeature(fields *canonical.Object) *Feature {
	f := &Feature{
		Name: fields.Text("name"), Kind: fields.Text("kind"), Encoding: fields.Text("encoding"),
		Sensitive: fields.Flag("sensitive"), Mean: fields.Text("mean"), Scale: fields.Text("scale"),
		Unit: fields.Text("unit"), Domain: fields.Texts("domain"),
		Whole: fields.Flag("whole"), wholeStated: fields.Has("whole"),
	}
	if fields.Has("monotone") {
		f.Monotone = fields.Text("monotone")
	}
	if fields.Get("range") != nil {
		ends := [2]string(fields.Texts("range"))
		f.Range = &ends
	}
	return f
}

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
func (s *Spec) MaxRadiusSquared() int64 { return 1 << (2*s.InputFractionBits + 8) }

// WeightWidths are the signed widths of each layer's weights, the logits' last.
func (s *Spec) WeightWidths(hidden []int) []int {
	widths := []int{s.WeightBits[0]}
	for range hidden {
		widths = append(widths, s.WeightBits[1])
	}
	return widths
}

// BiasWidths are the signed widths of each layer's biases: as wide as its largest sum of products.
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

// Encode turns the non-sensitive features of a raw row into the n_x integers of the query. A missing feature is an error,
// and a value that is not a number, not in the domain, out of its range or too large: rows are refused, never clipped.
func (s *Spec) Encode(row *canonical.Object) ([]int64, error) {
	var query []int64
	for _, f := range s.Plain {
		if !row.Has(f.Name) {
			return nil, fmt.Errorf("feature %s is missing", text.Repr(f.Name))
		}
		own, err := s.columns(f, row.Get(f.Name))
		if err != nil {
			return nil, err
		}
		query = append(query, own...)
	}
	return s.padded(query), nil
}

// columns are the integers of one raw value.
func (s *Spec) columns(f *Feature, value canonical.Value) ([]int64, error) {
	raw, err := encodings[f.Encoding].columns(f, value)
	if err != nil {
		return nil, fmt.Errorf("feature %s: %w", text.Repr(f.Name), err)
	}
	integers := make([]int64, len(raw))
	for at, one := range raw {
		if integers[at], err = s.fixedPoint(f, one); err != nil {
			return nil, err
		}
	}
	return integers, nil
}

// table lists the assignments of the sensitive features as integers: the full product, first feature slowest.
func (s *Spec) table() ([][]int64, error) {
	rows := [][]int64{nil}
	for _, f := range s.Sensitive {
		var longer [][]int64
		values := make([][]int64, len(f.Domain))
		for at, value := range f.Domain {
			var err error
			if values[at], err = s.columns(f, value); err != nil {
				return nil, err
			}
		}
		for _, row := range rows {
			for _, value := range values {
				longer = append(longer, slices.Concat(row, value))
			}
		}
		rows = longer
	}
	return rows, nil
}

// ValuesOf are the values of the sensitive features in a row of the table, by their names.
func (s *Spec) ValuesOf(row int) *canonical.Object {
	values, rest := map[string]string{}, row
	for _, f := range slices.Backward(s.Sensitive) {
		values[f.Name], rest = f.Domain[rest%len(f.Domain)], rest/len(f.Domain)
	}
	made := canonical.NewObject()
	for _, f := range s.Sensitive {
		made.Set(f.Name, values[f.Name])
	}
	return made
}

// mostShown is how many values of a feature an error lists.
const mostShown = 8

// RowOf is the row of the table with these values, one of each sensitive feature.
func (s *Spec) RowOf(values *canonical.Object) (row int, err error) {
	var known []string
	for _, f := range s.Sensitive {
		known = append(known, f.Name)
	}
	for _, name := range values.Names() {
		at := slices.Index(known, name)
		if at < 0 {
			return 0, fmt.Errorf("%s is not a sensitive feature: want %s", text.Repr(text.Cut(name, 40)), strings.Join(known, ", "))
		}
		if domain := s.Sensitive[at].Domain; !slices.Contains(domain, values.Text(name)) {
			shown := strings.Join(domain[:min(len(domain), mostShown)], ", ")
			if len(domain) > mostShown {
				shown += ", ..."
			}
			return 0, fmt.Errorf("%s has no value %s: want one of %s", name, text.Repr(text.Cut(values.Text(name), 40)), shown)
		}
	}
	for _, f := range s.Sensitive {
		if !values.Has(f.Name) {
			return 0, fmt.Errorf("the value of %s is missing", f.Name)
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
	limit := int64(1) << (s.InputBits - 1)
	var made [2][]int64
	for _, f := range s.Plain {
		for _, ends := range encodings[f.Encoding].ends(f) {
			found := [2]int64{-limit, limit - 1}
			for end := 0; ends != nil && end < 2; end++ {
				var err error
				if found[end], err = s.fixedPoint(f, ends[end]); err != nil {
					return nil, err
				}
			}
			made[0], made[1] = append(made[0], found[0]), append(made[1], found[1])
		}
	}
	return &[2][]int64{s.padded(made[0]), s.padded(made[1])}, nil
}

// padded adds a zero for each column of the padding.
func (s *Spec) padded(own []int64) []int64 {
	return append(own, make([]int64, s.PlainColumns()-len(own))...)
}

func columns(features []*Feature) (sum int) {
	for _, f := range features {
		sum += encodings[f.Encoding].width(f)
	}
	return sum
}
