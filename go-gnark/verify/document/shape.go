package document

import (
	"fmt"
	"math/big"
	"math/bits"
	"slices"

	"equiproof/verify/canonical"
	"equiproof/verify/spec"
	"equiproof/verify/verdict"
)

const (
	maxLayers     = 64
	maxPredicates = 4096 // P_x and P_s together
	jumpBits      = 16   // the signed width of a jump of an additive model
	scoreBiasBits = 24   // the signed width of its bias
	maxTrees      = 4096
	maxNodes      = 1 << 16 // of all trees
)

// maxNeurons is the most hidden neurons of a network's shape that has a circuit, by relation.
var maxNeurons = map[string]int{"traversal": 240, "branch": 4096, "branch-ranges": 4096, gaining: 2048}

// gaining is the relation of statements about a gain; the slices of its shapes are the two rows that are compared.
const (
	gaining      = "gain"
	gainedSlices = 2
)

// The relations of scheme trees: of additive models, and of ensembles with nodes.
const (
	additive       = "additive"
	additiveRanges = "additive-ranges"
	trees          = "trees"
	treesRanges    = "trees-ranges"
)

var architectureKind = canonical.Document(
	canonical.Required("plain", canonical.Integer()),
	canonical.Required("sensitive", canonical.Integer()),
	canonical.Required("hidden", canonical.ListOf(canonical.Integer())),
	canonical.Required("logits", canonical.Integer()),
	canonical.Required("weight_bits", canonical.ListOf(canonical.Integer())),
	canonical.Required("bias_bits", canonical.ListOf(canonical.Integer())),
	canonical.Optional("predicates", canonical.Pair(canonical.Integer())),
	canonical.Optional("nodes", canonical.Pair(canonical.Integer())),
)

var shapeKind = canonical.Document(
	canonical.Required("format", canonical.Text()),
	canonical.Required("version", canonical.Integer()),
	canonical.Required("scheme",
		canonical.OneOf("traversal", "branch", "branch-ranges", additive, additiveRanges, trees, treesRanges, gaining)),
	canonical.Required("architecture", architectureKind),
	canonical.Required("slices", canonical.Integer()),
	canonical.Required("input_bits", canonical.Integer()),
	canonical.Required("input_fraction_bits", canonical.Integer()),
	canonical.Required("radius_bits", canonical.Integer()),
	canonical.Required("capacity", canonical.Integer()),
	canonical.Optional("slots", canonical.Integer()),
	canonical.Optional("rows", canonical.Integer()),
)

// Shape is the constants that determine a constraint system.
type Shape struct {
	object *canonical.Object
	Scheme string
	Digest *big.Int // the digest that enters the statement, a field element
}

func newShape(object *canonical.Object) Shape {
	return Shape{object, object.Text("scheme"), canonical.Digest("equiproof.shape.v2", object)}
}

// rule is one that a shape keeps or not: the field of the shape, and the refusal.
type rule struct {
	field   string
	kept    bool
	message string
}

// check refuses a model without a circuit.
func (s Shape) check(where string) error {
	rules := s.networkRules
	if s.Additive() {
		rules = s.additiveRules
	}
	for _, one := range rules() {
		if !one.kept {
			return verdict.New(verdict.Malformed, "bad-shape", "%s: field shape.%s: %s", where, one.field, one.message)
		}
	}
	return nil
}

// networkRules are those of a network's shape, in the order in which they are checked.
func (s Shape) networkRules() []rule {
	architecture := s.object.Object("architecture")
	hidden, widths := architecture.Ints("hidden"), architecture.Ints("bias_bits")
	// Each is compared first, so that the sum of a few stays far below what an int holds.
	most, sum, least := maxNeurons[s.Scheme], 0, 1
	for _, size := range hidden[:min(len(hidden), maxLayers)] {
		sum, least = sum+min(size, most+1), min(least, size)
	}
	none := "not a field of networks"
	return []rule{
		{"architecture.predicates", !architecture.Has("predicates"), none},
		{"slots", !s.object.Has("slots"), none},
		{"architecture.nodes", !architecture.Has("nodes"), none},
		{"rows", !s.object.Has("rows"), none},
		{"architecture.hidden", len(hidden) >= 1 && len(hidden) <= maxLayers,
			fmt.Sprintf("%d layers, want 1 to %d", len(hidden), maxLayers)},
		{"architecture.hidden", least == 1 && sum <= most,
			fmt.Sprintf("want sizes of at least 1 that sum to at most %d", most)},
		{"slices", s.object.Int("slices") == gainedSlices || !s.Gains(),
			fmt.Sprintf("want %d, the rows that a gain compares", gainedSlices)},
		{"architecture.bias_bits", len(widths) == len(hidden)+1,
			fmt.Sprintf("%d widths, want %d", len(widths), len(hidden)+1)},
	}
}

// additiveRules are those of an additive model's shape, in the order in which they are checked.
func (s Shape) additiveRules() []rule {
	architecture, missing := s.object.Object("architecture"), fmt.Sprintf("missing, shapes of %s have it", s.Scheme)
	nodes := missing
	if !s.Trees() {
		nodes = fmt.Sprintf("not a field of %s", s.Scheme)
	}
	there := []rule{
		{"architecture.predicates", architecture.Has("predicates"), missing},
		{"slots", s.object.Has("slots"), missing},
		{"architecture.nodes", architecture.Has("nodes") == s.Trees(), nodes},
		{"rows", s.object.Has("rows") == s.Trees(), nodes},
	}
	if slices.ContainsFunc(there, func(one rule) bool { return !one.kept }) {
		return there
	}
	predicates, slots, capacity := architecture.Ints("predicates"), s.object.Int("slots"), s.object.Int("capacity")
	plain, sensitive := predicates[0], predicates[1]
	rules := []rule{
		{"architecture.hidden", len(architecture.Ints("hidden")) == 0, "want [], an additive model has no layers"},
		{"architecture.logits", architecture.Int("logits") == 1, "want 1, an additive model has one score"},
		{"architecture.weight_bits", slices.Equal(architecture.Ints("weight_bits"), []int{jumpBits}),
			fmt.Sprintf("want [%d], the width of a jump", jumpBits)},
		{"architecture.bias_bits", slices.Equal(architecture.Ints("bias_bits"), []int{scoreBiasBits}),
			fmt.Sprintf("want [%d], its width", scoreBiasBits)},
		{"architecture.predicates", plain >= 1 && sensitive >= 0 && plain+sensitive <= maxPredicates,
			fmt.Sprintf("want at least 1 of plain columns and 0 of sensitive ones, %d at most", maxPredicates)},
		{"slots", slots >= 1 && slots <= plain, fmt.Sprintf("want 1 to %d, the predicates of plain columns", plain)},
		{"capacity", capacity >= 1 && bits.OnesCount64(uint64(capacity)) == 1, "want a power of two"},
	}
	if s.Trees() {
		rules = append(rules, s.nodeRules()...)
	}
	return rules
}

// nodeRules are those of an ensemble's trees.
func (s Shape) nodeRules() []rule {
	counts, rows := s.object.Object("architecture").Ints("nodes"), s.object.Int("rows")
	trees, nodes := counts[0], counts[1]
	return []rule{
		{"architecture.nodes", trees >= 1 && trees <= min(nodes, maxTrees) && nodes <= maxNodes,
			fmt.Sprintf("want at least 1 tree and as many nodes, %d and %d at most", maxTrees, maxNodes)},
		{"rows", rows >= 1 && rows <= nodes, fmt.Sprintf("want 1 to %d, the nodes", nodes)},
	}
}

// Ranges says whether the statement is about neighbors inside the spec's ranges only.
func (s Shape) Ranges() bool {
	return s.Scheme == "branch-ranges" || s.Scheme == additiveRanges || s.Scheme == treesRanges
}

// Additive says whether the model is additive or an ensemble over one, so that the scheme is trees.
func (s Shape) Additive() bool {
	return s.Scheme == additive || s.Scheme == additiveRanges || s.Trees()
}

// Trees says whether the model is an ensemble with nodes.
func (s Shape) Trees() bool { return s.Scheme == trees || s.Scheme == treesRanges }

// Gains says whether the statement is how much a sensitive value gains at least, and not about a decision.
func (s Shape) Gains() bool { return s.Scheme == gaining }

// Fits says whether a shape follows from a spec, in everything but the scheme, the model's sizes and the room. One that
// proves gains never does: FitsGain.
func (s Shape) Fits(meant *spec.Spec) bool {
	if s.Gains() || s.Ranges() != meant.UseRanges || s.Additive() && meant.Logits != 1 {
		return false
	}
	return s.follows(meant, len(meant.Table))
}

// FitsGain says whether a shape proves gains of networks under a spec. A spec's ranges play no part: such a statement is about
// the whole ball.
func (s Shape) FitsGain(meant *spec.Spec) bool { return s.Gains() && s.follows(meant, gainedSlices) }

// HoldsGain says whether a least gain is an integer of the width that it has under a shape (R-RANGE), one that fits a spec: any
// difference of two margins fits. An integer beyond the field's order has the digest of another one.
func (s Shape) HoldsGain(least *big.Int) bool {
	a := s.object.Object("architecture")
	inputs := int64(a.Int("plain") + a.Int("sensitive"))
	largest := new(big.Int).Lsh(big.NewInt(1), uint(s.object.Int("input_bits")-1))
	weights, biases := a.Ints("weight_bits"), a.Ints("bias_bits")
	for layer, outputs := range append(a.Ints("hidden"), a.Int("logits")) {
		largest.Lsh(largest, uint(weights[layer]-1)).Mul(largest, big.NewInt(inputs))
		largest.Add(largest, new(big.Int).Lsh(big.NewInt(1), uint(biases[layer]-1)))
		inputs = int64(outputs)
	}
	half := new(big.Int).Lsh(big.NewInt(1), uint(largest.BitLen()+2))
	return least.Cmp(half) < 0 && least.Cmp(half.Neg(half)) >= 0
}

// follows says whether a shape with so many slices follows from a spec.
func (s Shape) follows(meant *spec.Spec, slices int) bool {
	number := canonical.IntegerValue
	wanted := canonical.NewObject().Set("format", "equiproof-shape").Set("version", number(version)).
		Set("scheme", s.Scheme).Set("architecture", s.architecture(meant)).Set("slices", number(slices)).
		Set("input_bits", number(meant.InputBits)).Set("input_fraction_bits", number(meant.InputFractionBits)).
		Set("radius_bits", number(big.NewInt(meant.MaxRadiusSquared()).BitLen())).
		Set("capacity", s.object.Get("capacity"))
	if s.Additive() {
		wanted.Set("slots", s.object.Get("slots"))
	}
	if s.Trees() {
		wanted.Set("rows", s.object.Get("rows"))
	}
	return string(canonical.Bytes(s.object)) == string(canonical.Bytes(wanted))
}

// architecture is the one that follows from a spec, with the model's own sizes.
func (s Shape) architecture(meant *spec.Spec) *canonical.Object {
	number, own := canonical.IntegerValue, s.object.Object("architecture")
	hidden, weights, biases := []int{}, []int{jumpBits}, []int{scoreBiasBits}
	if !s.Additive() {
		hidden = own.Ints("hidden")
		weights, biases = meant.WeightWidths(hidden), meant.BiasWidths(hidden)
	}
	found := canonical.NewObject().Set("plain", number(meant.PlainColumns())).
		Set("sensitive", number(meant.SensitiveColumns())).Set("hidden", canonical.ListValue(hidden, number)).
		Set("logits", number(meant.Logits)).Set("weight_bits", canonical.ListValue(weights, number)).
		Set("bias_bits", canonical.ListValue(biases, number))
	if s.Additive() {
		found.Set("predicates", own.Get("predicates"))
	}
	if s.Trees() {
		found.Set("nodes", own.Get("nodes"))
	}
	return found
}

// Name is a readable name for people, as Python writes it.
func (s Shape) Name() string {
	a := s.object.Object("architecture")
	return fmt.Sprintf("%s-%d+%d-%s-s%d-k%d-%s", s.Scheme, a.Int("plain"), a.Int("sensitive"), s.sizes(),
		s.object.Int("slices"), s.object.Int("capacity"), fmt.Sprintf("%062x", s.Digest)[:8])
}

// sizes are the model's own, in its shape's name.
func (s Shape) sizes() string {
	a := s.object.Object("architecture")
	if s.Additive() {
		predicates := a.Ints("predicates")
		sizes := fmt.Sprintf("p%d+%d", predicates[0], predicates[1])
		if !s.Trees() {
			return fmt.Sprintf("%s-v%d", sizes, s.object.Int("slots"))
		}
		nodes := a.Ints("nodes")
		return fmt.Sprintf("%s-n%dx%d-v%d-a%d", sizes, nodes[0], nodes[1], s.object.Int("slots"), s.object.Int("rows"))
	}
	sizes := ""
	for at, size := range a.Ints("hidden") {
		if at > 0 {
			sizes += "x"
		}
		sizes += fmt.Sprint(size)
	}
	return fmt.Sprintf("%s-%d", sizes, a.Int("logits"))
}
