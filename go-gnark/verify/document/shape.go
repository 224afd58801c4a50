package document

import (
	"fmt"
	"math/big"
	"math/bits"
	"slices"

	"equiproof/verify/canonical"
	"equiproof/verify/spec"
	"equiproof/verify/tables"
	"equiproof/verify/verdict"
)

const (
	shapeMark     = "equiproof-shape"
	maxLayers     = 64
	maxPredicates = 4096 // P_x and P_s together
	jumpBits      = 16   // the signed width of a jump of an additive model
	scoreBiasBits = 24   // the signed width of its bias
	maxTrees      = 4096
	maxNodes      = 1 << 16 // of all trees
	maxSets       = 4096    // of values of categories
)

// maxNeurons is the most hidden neurons of a network's shape that has a circuit, by relation.
var maxNeurons = map[string]int{"traversal": 240, "branch": 4096, "branch-ranges": 4096, branchBox: 4096, gaining: 2048}

// gaining is the relation of statements about a gain; the slices of its shapes are the two rows that are compared. Both need a
// copy of the network, so that its shapes have half as many neurons.
const (
	gaining      = "gain"
	gainedSlices = 2
)

// The relations of scheme trees: of additive models, of ensembles with nodes, and of everybody in a box.
const (
	additive       = "additive"
	additiveRanges = "additive-ranges"
	trees          = "trees"
	treesRanges    = "trees-ranges"
	additiveBox    = "additive-box"
	treesBox       = "trees-box"
)

// branchBox is the relation of networks about everybody in a box.
const branchBox = "branch-box"

// boxCapacity is the capacity of every shape of boxes of additive models: their proofs have no leaves.
const boxCapacity = 1

// shapeFile is a shape as a document.
type shapeFile struct {
	Mark
	Scheme            string             `field:"scheme"`
	Architecture      architectureInFile `field:"architecture"`
	Slices            int                `field:"slices"`
	InputBits         int                `field:"input_bits"`
	InputFractionBits int                `field:"input_fraction_bits"`
	RadiusBits        int                `field:"radius_bits"`
	Capacity          int                `field:"capacity"`
	Slots             *int               `field:"slots"`
	Rows              *int               `field:"rows"`
	OneHot            *[]choiceInFile    `field:"one_hot"`
	Model             *string            `field:"model"`
	Passed            *int               `field:"passed"`
}

// architectureInFile is the sizes of a model and the signed widths of its numbers.
type architectureInFile struct {
	Plain      int               `field:"plain"`
	Sensitive  int               `field:"sensitive"`
	Hidden     []int             `field:"hidden"`
	Logits     int               `field:"logits"`
	WeightBits []int             `field:"weight_bits"`
	BiasBits   []int             `field:"bias_bits"`
	Predicates *[2]int           `field:"predicates"`
	Nodes      *[2]int           `field:"nodes"`
	Missing    *bool             `field:"missing"` // true: values of the query can be missing
	Categories *[]categoryInFile `field:"categories"`
}

// asked are the categories of which sets are asked.
func (a *architectureInFile) asked() []categoryInFile {
	if a.Categories == nil {
		return nil
	}
	return *a.Categories
}

// categoryInFile is a category of whose values an ensemble's nodes ask sets: its first column, the number of its values, what stands in
// the columns of the values that somebody has not and has, and how many sets are asked.
type categoryInFile struct {
	First  int `field:"first"`
	Values int `field:"values"`
	Low    int `field:"low"`
	High   int `field:"high"`
	Sets   int `field:"sets"`
}

// choiceInFile is a category with one column a value, which a box can leave open; the fields are those of categoryInFile.
type choiceInFile struct {
	First  int `field:"first"`
	Values int `field:"values"`
	Low    int `field:"low"`
	High   int `field:"high"`
}

var shapeTable = canonical.TableOf[shapeFile](shapeMark)

// Shape is the constants that determine a constraint system.
type Shape struct {
	fields *shapeFile
	object *canonical.Object // the same as a document, of which digests are
	Scheme string
	Digest *big.Int // the digest that enters the statement, a field element
}

func newShape(object *canonical.Object) Shape {
	fields := shapeTable.Fields(object)
	return Shape{fields, object, fields.Scheme, canonical.Digest("equiproof.shape.v2", object)}
}

// rule is one that a shape keeps or breaks: the field of the shape, and the refusal.
type rule struct {
	field   string
	holds   bool
	message string
}

// check refuses a model without a circuit.
func (s Shape) check(where string) error {
	rules := s.networkRules
	if s.Additive() {
		rules = s.additiveRules
	}
	for _, one := range rules() {
		if !one.holds {
			return verdict.New(verdict.Malformed, "bad-shape", where+": field shape."+one.field+": "+one.message)
		}
	}
	return nil
}

// networkRules are those of a network's shape, in the order in which they are checked.
func (s Shape) networkRules() []rule {
	architecture := &s.fields.Architecture
	hidden, widths := architecture.Hidden, architecture.BiasBits
	// A size may be any integer below 2^53, and there may be a million of them. Cut to one more than the limit, and no more
	// of them than the layers that are allowed, their sum stays far below what an int holds and is above the limit all the
	// same if one size is.
	most, sum, least := maxNeurons[s.Scheme], 0, 1
	for _, size := range hidden[:min(len(hidden), maxLayers)] {
		sum, least = sum+min(size, most+1), min(least, size)
	}
	none := tables.Say("shape.not_of_networks")
	return []rule{
		{"architecture.predicates", architecture.Predicates == nil, none},
		{"slots", s.fields.Slots == nil, none},
		{"architecture.nodes", architecture.Nodes == nil, none},
		{"rows", s.fields.Rows == nil, none},
		{"passed", s.fields.Passed == nil, none},
		{"one_hot", s.Boxes() || s.fields.OneHot == nil, none},
		{"architecture.missing", architecture.Missing == nil, none},
		{"architecture.categories", architecture.Categories == nil, none},
		{"architecture.hidden", len(hidden) >= 1 && len(hidden) <= maxLayers,
			tables.Say("shape.layers_out_of_bounds", len(hidden), maxLayers)},
		{"architecture.hidden", least == 1 && sum <= most,
			tables.Say("shape.sizes_out_of_bounds", most)},
		{"slices", s.fields.Slices == gainedSlices || !s.Gains(),
			tables.Say("shape.want_two_rows")},
		{"architecture.bias_bits", len(widths) == len(hidden)+1,
			fmt.Sprintf("%d widths, want %d", len(widths), len(hidden)+1)},
	}
}

// additiveRules are those of an additive model's shape, in the order in which they are checked.
func (s Shape) additiveRules() []rule {
	architecture, absence := &s.fields.Architecture, tables.Say("shape.field_missing", s.Scheme)
	foreign := tables.Say("shape.field_of_other_scheme", s.Scheme)
	nodes, slotted := foreign, absence
	if s.Trees() {
		nodes = absence
	}
	if s.roomless() {
		slotted = foreign
	}
	presence := []rule{
		{"architecture.predicates", architecture.Predicates != nil, absence},
		{"slots", (s.fields.Slots == nil) == s.roomless(), slotted},
		{"one_hot", s.Boxes() || s.fields.OneHot == nil, foreign},
		{"architecture.nodes", (architecture.Nodes != nil) == s.Trees(), nodes},
		{"rows", (s.fields.Rows != nil) == s.Trees(), nodes},
		{"passed", s.fields.Passed == nil || s.Trees() && s.Kept(), tables.Say("shape.of_kept_ensembles")},
	}
	if slices.ContainsFunc(presence, func(one rule) bool { return !one.holds }) {
		return presence
	}
	capacity := s.fields.Capacity
	plain, sensitive := architecture.Predicates[0], architecture.Predicates[1]
	rules := []rule{
		{"architecture.missing", architecture.Missing == nil || *architecture.Missing, tables.Say("shape.missing_is_true")},
		{"architecture.categories", s.Trees() || architecture.Categories == nil, nodes},
		{"architecture.categories", s.boundsSets(), tables.Say("shape.sets_out_of_bounds", maxSets)},
		{"architecture.hidden", len(architecture.Hidden) == 0, tables.Say("shape.no_layers")},
		{"architecture.logits", architecture.Logits == 1, tables.Say("shape.one_score")},
		{"architecture.weight_bits", slices.Equal(architecture.WeightBits, []int{jumpBits}),
			tables.Say("shape.want_jump_width", jumpBits)},
		{"architecture.bias_bits", slices.Equal(architecture.BiasBits, []int{scoreBiasBits}),
			tables.Say("shape.want_score_width", scoreBiasBits)},
		{"architecture.predicates", plain >= 1 && sensitive >= 0 && plain+sensitive <= maxPredicates,
			tables.Say("shape.predicates_out_of_bounds", maxPredicates)},
	}
	if !s.roomless() {
		slots := *s.fields.Slots
		rules = append(rules, rule{"slots", slots >= 1 && slots <= plain, tables.Say("shape.one_to_plain_predicates", plain)})
	}
	rules = append(rules, rule{"capacity", capacity >= 1 && bits.OnesCount64(uint64(capacity)) == 1, tables.Say("shape.want_power_of_two")})
	if s.Trees() {
		rules = append(rules, s.nodeRules()...)
	}
	return rules
}

// boundsSets says whether each category has a set, and all together have no more than circuits have.
func (s Shape) boundsSets() bool {
	left := maxSets
	for _, one := range s.fields.Architecture.asked() {
		if one.Sets < 1 || one.Sets > left {
			return false
		}
		left -= one.Sets
	}
	return true
}

// nodeRules are those of an ensemble's trees.
func (s Shape) nodeRules() []rule {
	trees, nodes, rows := s.fields.Architecture.Nodes[0], s.fields.Architecture.Nodes[1], *s.fields.Rows
	return []rule{
		{"architecture.nodes", trees >= 1 && trees <= min(nodes, maxTrees) && nodes <= maxNodes,
			tables.Say("shape.trees_out_of_bounds", maxTrees, maxNodes)},
		{"rows", rows >= 1 && rows <= nodes, tables.Say("shape.one_to_nodes", nodes)},
		{"passed", s.fields.Passed == nil || *s.fields.Passed >= 1 && *s.fields.Passed <= nodes, tables.Say("shape.one_to_nodes", nodes)},
	}
}

// Ranges says whether the statement is about neighbors inside the spec's ranges only.
func (s Shape) Ranges() bool {
	return s.Scheme == "branch-ranges" || s.Scheme == additiveRanges || s.Scheme == treesRanges
}

// Additive says whether the model is additive or an ensemble over one, so that the scheme is trees.
func (s Shape) Additive() bool {
	return s.Scheme == additive || s.Scheme == additiveRanges || s.Scheme == additiveBox || s.Trees()
}

// Boxes says whether the statement is about everybody in a box, and not about a ball.
func (s Shape) Boxes() bool {
	return s.Scheme == additiveBox || s.Scheme == treesBox || s.Scheme == branchBox
}

// roomless says whether every true statement has a proof, so that a shape has no slots and no leaves.
func (s Shape) roomless() bool { return s.Scheme == additiveBox }

// Trees says whether the model is an ensemble with nodes.
func (s Shape) Trees() bool {
	return s.Scheme == trees || s.Scheme == treesRanges || s.Scheme == treesBox
}

// Kept says whether certificates leave it to a link that their model is the committed one.
func (s Shape) Kept() bool { return s.fields.Model != nil }

// Gains says whether the statement is how much a sensitive value gains at least, and not about a decision.
func (s Shape) Gains() bool { return s.Scheme == gaining }

// Fits says whether a shape follows from a spec, in everything but the scheme, the model's sizes and the room. One that
// proves gains or boxes never does: FitsGain and FitsBox.
func (s Shape) Fits(featureSpec *spec.Spec) bool {
	if s.Gains() || s.Boxes() || s.Ranges() != featureSpec.UseRanges || s.Additive() && featureSpec.Logits != 1 {
		return false
	}
	if !s.Additive() && featureSpec.HasAbsent() {
		return false
	}
	return s.follows(featureSpec, len(featureSpec.Table))
}

// FitsGain says whether a shape proves gains of networks under a spec. A spec's ranges play no part: such a statement is about
// the whole ball.
func (s Shape) FitsGain(featureSpec *spec.Spec) bool {
	return s.Gains() && !featureSpec.HasAbsent() && s.follows(featureSpec, gainedSlices)
}

// FitsBox says whether a shape proves boxes of models under a spec. A spec's ranges play no part: such a statement is about the
// whole box.
func (s Shape) FitsBox(featureSpec *spec.Spec) bool {
	if !s.Boxes() || s.roomless() && s.fields.Capacity != boxCapacity {
		return false
	}
	if s.Additive() && featureSpec.Logits != 1 || !s.Additive() && featureSpec.HasAbsent() {
		return false
	}
	return s.follows(featureSpec, len(featureSpec.Table))
}

// HoldsGain says whether a least gain is an integer of the width that it has under a shape (R-RANGE), one that fits a spec: any
// difference of two margins fits. An integer beyond the field's order has the digest of another one.
func (s Shape) HoldsGain(least *big.Int) bool {
	a := &s.fields.Architecture
	inputs := int64(a.Plain + a.Sensitive)
	largest := new(big.Int).Lsh(big.NewInt(1), uint(s.fields.InputBits-1))
	for layer, outputs := range append(slices.Clone(a.Hidden), a.Logits) {
		largest.Lsh(largest, uint(a.WeightBits[layer]-1)).Mul(largest, big.NewInt(inputs))
		largest.Add(largest, new(big.Int).Lsh(big.NewInt(1), uint(a.BiasBits[layer]-1)))
		inputs = int64(outputs)
	}
	// A logit is at most `largest` in size, a margin is the difference of two logits, and a gain that of two margins: at most
	// 4 * largest, which two more bits hold.
	half := new(big.Int).Lsh(big.NewInt(1), uint(largest.BitLen()+2))
	return least.Cmp(half) < 0 && least.Cmp(half.Neg(half)) >= 0
}

// follows says whether a shape with so many slices follows from a spec.
func (s Shape) follows(featureSpec *spec.Spec, slices int) bool {
	number := canonical.IntegerValue
	other := canonical.NewObject().Set("format", shapeMark).Set("version", number(version)).
		Set("scheme", s.Scheme).Set("architecture", s.architecture(featureSpec)).Set("slices", number(slices)).
		Set("input_bits", number(featureSpec.InputBits)).Set("input_fraction_bits", number(featureSpec.InputFractionBits)).
		Set("radius_bits", number(big.NewInt(featureSpec.MaxRadiusSquared()).BitLen())).
		Set("capacity", number(s.fields.Capacity))
	if s.Additive() && !s.roomless() {
		other.Set("slots", number(*s.fields.Slots))
	}
	if choices := s.choices(featureSpec); len(choices) > 0 {
		other.Set("one_hot", canonical.ListValue(choices, func(one spec.Category) canonical.Value { return choiceValue(one) }))
	}
	if s.Trees() {
		other.Set("rows", number(*s.fields.Rows))
	}
	// The form is the key's own. No box is stated by a certificate with a link.
	if s.Kept() && !s.Boxes() {
		other.Set("model", *s.fields.Model)
		if s.fields.Passed != nil {
			other.Set("passed", number(*s.fields.Passed))
		}
	}
	return string(canonical.Bytes(s.object)) == string(canonical.Bytes(other))
}

// architecture is the one that follows from a spec, with the model's own sizes.
func (s Shape) architecture(featureSpec *spec.Spec) *canonical.Object {
	number, own := canonical.IntegerValue, &s.fields.Architecture
	hidden, weights, biases := []int{}, []int{jumpBits}, []int{scoreBiasBits}
	if !s.Additive() {
		hidden = own.Hidden
		weights, biases = featureSpec.WeightWidths(hidden), featureSpec.BiasWidths(hidden)
	}
	architecture := canonical.NewObject().Set("plain", number(featureSpec.PlainColumns())).
		Set("sensitive", number(featureSpec.SensitiveColumns())).Set("hidden", canonical.ListValue(hidden, number)).
		Set("logits", number(featureSpec.Logits)).Set("weight_bits", canonical.ListValue(weights, number)).
		Set("bias_bits", canonical.ListValue(biases, number))
	if s.Additive() {
		architecture.Set("predicates", pairValue(own.Predicates))
	}
	if s.Trees() {
		architecture.Set("nodes", pairValue(own.Nodes))
	}
	if s.Additive() && featureSpec.HasAbsent() {
		architecture.Set("missing", true)
	}
	if categories := s.categories(featureSpec); len(categories) > 0 {
		architecture.Set("categories", categories)
	}
	return architecture
}

// sets is how many sets the shape has, by the first column of their category.
func (s Shape) sets() map[int]int {
	sets := map[int]int{}
	for _, one := range s.fields.Architecture.asked() {
		sets[one.First] = one.Sets
	}
	return sets
}

// choices are the categories of a spec whose values a box of the shape can leave open: all of which it has no sets.
func (s Shape) choices(featureSpec *spec.Spec) []spec.Category {
	if !s.Boxes() {
		return nil
	}
	sets := s.sets()
	return slices.DeleteFunc(slices.Clone(featureSpec.Categories()), func(one spec.Category) bool { return sets[one.First] > 0 })
}

// categories are those of a spec of which the shape has sets, with as many as it has.
func (s Shape) categories(featureSpec *spec.Spec) []canonical.Value {
	number, sets := canonical.IntegerValue, s.sets()
	var categories []canonical.Value
	for _, one := range featureSpec.Categories() {
		if count := sets[one.First]; s.Trees() && count > 0 {
			categories = append(categories, choiceValue(one).Set("sets", number(count)))
		}
	}
	return categories
}

// choiceValue is a category without sets.
func choiceValue(one spec.Category) *canonical.Object {
	number := canonical.IntegerValue
	return canonical.NewObject().Set("first", number(one.First)).Set("values", number(one.Values)).
		Set("low", number(int(one.Low))).Set("high", number(int(one.High)))
}

func pairValue(pair *[2]int) canonical.Value {
	return canonical.ListValue(pair[:], canonical.IntegerValue)
}

// Name is a readable name for people, as Python writes it.
func (s Shape) Name() string {
	a := &s.fields.Architecture
	form := ""
	if s.Kept() {
		form = "-kept"
		if s.fields.Passed != nil {
			form += fmt.Sprintf("-d%d", *s.fields.Passed)
		}
	}
	return fmt.Sprintf("%s%s-%d+%d-%s-s%d-k%d-%s", s.Scheme, form, a.Plain, a.Sensitive, s.sizes(),
		s.fields.Slices, s.fields.Capacity, fmt.Sprintf("%062x", s.Digest)[:8])
}

// sizes are the model's own, in its shape's name.
func (s Shape) sizes() string {
	a := &s.fields.Architecture
	if s.Additive() {
		sizes, missing, sets := fmt.Sprintf("p%d+%d", a.Predicates[0], a.Predicates[1]), "", 0
		if a.Missing != nil {
			missing = "-m"
		}
		for _, one := range a.asked() {
			sets += one.Sets
		}
		if sets > 0 {
			missing += fmt.Sprintf("-c%d", sets)
		}
		switch {
		case s.roomless():
			return sizes + missing
		case !s.Trees():
			return fmt.Sprintf("%s%s-v%d", sizes, missing, *s.fields.Slots)
		}
		return fmt.Sprintf("%s-n%dx%d%s-v%d-a%d", sizes, a.Nodes[0], a.Nodes[1], missing, *s.fields.Slots, *s.fields.Rows)
	}
	sizes := ""
	for at, size := range a.Hidden {
		if at > 0 {
			sizes += "x"
		}
		sizes += fmt.Sprint(size)
	}
	return fmt.Sprintf("%s-%d", sizes, a.Logits)
}
