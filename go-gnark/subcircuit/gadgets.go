package subcircuit

import (
	"equiproof/gadget/boundary"
	"equiproof/gadget/bounded"
	"equiproof/gadget/distance"
	"equiproof/gadget/inference"
	"equiproof/gadget/minimum"
	"equiproof/gadget/neighbor"
	"equiproof/gadget/order"
	"equiproof/relation"
	"equiproof/shape"
)

// gadget describes one sub-circuit: its name, the scheme that it belongs to ("" for every scheme), whether it is of statements about
// balls, boxes or both, the private wires behind the blinding, and its constraints.
type gadget struct {
	name   string
	scheme string
	about  subject
	layout func(s *shape.Shape, numbers *shape.Branch) []relation.Segment
	define func(b *builder) error
}

// subject is what statements are about.
type subject int

const (
	balls subject = 1 << iota
	boxes
	both = balls | boxes
)

// subjectOf returns what the statements of a shape are about.
func subjectOf(s *shape.Shape) subject {
	if s.Boxes() {
		return boxes
	}
	return balls
}

// plain is a layout that takes no numbers of scheme `branch`.
func plain(layout func(s *shape.Shape) []relation.Segment) func(s *shape.Shape, numbers *shape.Branch) []relation.Segment {
	return func(s *shape.Shape, _ *shape.Branch) []relation.Segment { return layout(s) }
}

// gadgets lists every sub-circuit, in the order of docs/sub-circuits.md.
var gadgets = []gadget{
	{"inference", shape.Traversing, balls, plain(regionLayout), defineInference},
	{"polytope", shape.Traversing, balls, plain(polytopeLayout), definePolytope},
	{"distance", shape.Traversing, balls, plain(distanceLayout), defineDistance},
	{"neighbor", shape.Traversing, balls, plain(neighborLayout), defineNeighbor},
	{"boundary", shape.Traversing, balls, plain(boundaryLayout), defineBoundary},
	{"order", shape.Traversing, balls, plain(orderLayout), defineOrder},
	{"first_bounds", shape.Branching, balls, firstBoundsLayout, defineFirstBounds},
	{"relaxation", shape.Branching, both, relaxationLayout, defineRelaxation},
	{"bounds", shape.Branching, both, boundsLayout, defineBounds},
	{"tree", shape.Branching, both, treeLayout, defineTree},
	{"leaf", shape.Branching, both, leafLayout, defineLeaf},
	{"predicates", shape.Growing, balls, plain(predicatesLayout), definePredicates},
	{"centre", shape.Growing, both, plain(centreLayout), defineCentre},
	{"slots", shape.Growing, both, plain(slotsLayout), defineSlots},
	{"chain", shape.Growing, both, plain(chainLayout), defineChain},
	{"cover", shape.Growing, both, plain(coverLayout), defineCover},
	{"nodes", shape.Growing, both, plain(nodesLayout), defineNodes},
	{"rows", shape.Growing, both, plain(rowsLayout), defineRows},
	{"people", "", boxes, plain(endsLayout), definePeople},
	{"sides", shape.Growing, boxes, plain(sidesLayout), defineSides},
	{"levels", shape.Growing, boxes, plain(levelsLayout), defineLevels},
	{"gains", shape.Growing, boxes, plain(gainsLayout), defineGains},
	{"falls", shape.Branching, boxes, fallsLayout, defineFalls},
	{"minimum", "", balls, plain(minimumLayout), defineMinimum},
	{"commitment", "", both, plain(commitmentLayout), defineCommitment},
	{"digest", "", both, plain(digestLayout), defineDigest},
}

// schemeOf names the scheme of a shape: `trees` is that of additive models, too.
func schemeOf(s *shape.Shape) string {
	switch {
	case s.Branches():
		return shape.Branching
	case len(s.Architecture.Predicates) > 0:
		return shape.Growing
	default:
		return shape.Traversing
	}
}

// of reports whether a shape has this sub-circuit: scheme and subject are the shape's, bounds of deeper layers need such layers, and
// nodes and rows need an ensemble. Relation `gain` has none: its rules are about two networks, and its statement has parts that
// no sub-circuit knows. An additive model on a box has no slots, and an ensemble there no levels.
func (g gadget) of(s *shape.Shape) bool {
	if s.Gains() || g.about&subjectOf(s) == 0 || g.scheme != "" && g.scheme != schemeOf(s) {
		return false
	}
	switch g.name {
	case "bounds":
		return len(s.Architecture.Hidden) > 1
	case "nodes", "rows":
		return s.Grows()
	case "centre", "slots", "chain", "cover":
		return s.Grows() || s.Adds()
	case "levels":
		return !s.Grows()
	case "gains":
		return !s.Grows() && len(s.OneHot) > 0
	default:
		return true
	}
}

// Names lists the sub-circuits of a shape, in the order of docs/sub-circuits.md.
func Names(s *shape.Shape) []string {
	var names []string
	for _, g := range gadgets {
		if g.of(s) {
			names = append(names, g.name)
		}
	}
	return names
}

// defineInference makes the pattern that of the centre (query, row), and the decision there strictly the label
// (R-INFERENCE).
func defineInference(b *builder) error {
	r := b.region()
	first, forms := r.forms(b.a)
	inference.Assert(b.a.At("inference"), values(first), forms, r.pattern, r.label)
	return nil
}

// Forms are listed as everywhere: hidden neurons layer by layer, then margins.
func polytopeLayout(s *shape.Shape) []relation.Segment {
	forms := s.Neurons() + s.Architecture.Logits
	return append(regionLayout(s), relation.Segment{Name: "value", Length: forms},
		relation.Segment{Name: "norm_squared", Length: forms})
}

// definePolytope makes the stated values and norms those of the region's forms (R-POLYTOPE).
func definePolytope(b *builder) error {
	computed := every(b.region().forms(b.a))
	value, norm := b.like("value", values(computed)), b.likeNorm("norm_squared", norms(computed))
	b.bind(value, norm)
	b.equal(value, values(computed))
	b.equal(norm, norms(computed))
	return nil
}

// stated reads values, norms and the radius as a part of the instance, as wide as the shape's forms are.
func (b *builder) stated(models []distance.Form) ([]distance.Form, bounded.Int) {
	value, norm := b.like("value", values(models)), b.likeNorm("norm_squared", norms(models))
	radius := b.unsigned("radius_squared", b.shape.RadiusBits)
	b.bind(value, norm, radius)
	forms := make([]distance.Form, len(value))
	for i := range forms {
		forms[i] = distance.Form{Value: value[i], NormSquared: norm[i]}
	}
	return forms, radius[0]
}

func statedLayout(forms int) []relation.Segment {
	return []relation.Segment{{Name: "value", Length: forms}, {Name: "norm_squared", Length: forms}, {Name: "radius_squared", Length: 1}}
}

func distanceLayout(s *shape.Shape) []relation.Segment {
	forms := s.Neurons() + s.Architecture.Logits
	return append(statedLayout(forms), relation.Segment{Name: "excess", Length: forms})
}

// defineDistance makes each stated excess that of its form and the radius (R-DISTANCE).
func defineDistance(b *builder) error {
	forms, radius := b.stated(b.bounds())
	computed := make([]bounded.Int, len(forms))
	for i, form := range forms {
		computed[i] = distance.Excess(b.a.At("distance"), form, radius)
	}
	excess := b.like("excess", computed)
	b.bind(excess)
	b.equal(excess, computed)
	return nil
}

func boundaryLayout(s *shape.Shape) []relation.Segment { return statedLayout(s.Architecture.Logits) }

// defineBoundary holds the decision hyperplanes of one region away (R-BOUNDARY).
func defineBoundary(b *builder) error {
	forms, radius := b.stated(b.bounds()[b.shape.Neurons():])
	for _, form := range forms {
		boundary.Assert(b.a.At("boundary"), distance.Excess(b.a.At("distance"), form, radius))
	}
	return nil
}

func orderLayout(s *shape.Shape) []relation.Segment {
	return append([]relation.Segment{{Name: "crossed", Length: s.Neurons()}}, statedLayout(s.Neurons())...)
}

// defineOrder holds the facets of one region that are not crossed away (R-ORDER).
func defineOrder(b *builder) error {
	crossed := b.bits("crossed")
	b.bind(crossed)
	forms, radius := b.stated(b.bounds()[:b.shape.Neurons()])
	for i, form := range forms {
		order.Assert(b.a.At("order"), crossed[i], distance.Excess(b.a.At("distance"), form, radius))
	}
	return nil
}

// The rows that neighbors stand in are no part of the instance: it says that there are some.
func neighborLayout(s *shape.Shape) []relation.Segment {
	facets := s.Capacity * s.Neurons()
	return []relation.Segment{
		{Name: "slice", Length: s.Capacity}, {Name: "pattern", Length: facets}, {Name: "crossed", Length: facets},
		{Name: "neighbor", Length: facets},
	}
}

// defineNeighbor makes the region across every crossed facet a member of the set (R-NEIGHBOR).
func defineNeighbor(b *builder) error {
	slices, pattern, crossed := b.below("slice", b.shape.Slices), b.bits("pattern"), b.bits("crossed")
	b.bind(slices, pattern, crossed)
	neurons := b.shape.Neurons()
	set := neighbor.New(b.a.At("neighbor"), slices, relation.Matrix(pattern, neurons))
	for facet, at := range b.wires["neighbor"] {
		set.Assert(facet/neurons, facet%neurons, crossed[facet], at)
	}
	return nil
}

func minimumLayout(s *shape.Shape) []relation.Segment {
	return []relation.Segment{{Name: "radius_squared", Length: 1}, {Name: "radii", Length: s.Slices}}
}

// defineMinimum makes the stated radius the smallest of the slices' (R-MIN).
func defineMinimum(b *builder) error {
	smallest, radii := b.unsigned("radius_squared", b.shape.RadiusBits), b.unsigned("radii", b.shape.RadiusBits)
	b.bind(smallest, radii)
	minimum.Assert(b.a.At("minimum"), smallest[0], radii)
	return nil
}
