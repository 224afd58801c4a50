package subcircuit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/additive"
	"equiproof/gadget/affine"
	"equiproof/gadget/backward"
	"equiproof/gadget/bounded"
	"equiproof/gadget/interval"
	"equiproof/gadget/product"
	"equiproof/gadget/radius"
	"equiproof/gadget/relaxation"
	"equiproof/relation"
	"equiproof/shape"
)

// parts names the wires that one of so many equal parts, slices or leaves, has of the relation's own, in their order.
func parts(s *shape.Shape, numbers *shape.Branch, count int, names ...string) []relation.Segment {
	return shares(relation.BranchLayout(s, numbers), count, names...)
}

// shares is parts for any layout.
func shares(all []relation.Segment, count int, names ...string) []relation.Segment {
	var found []relation.Segment
	for _, segment := range all {
		if slices.Contains(names, segment.Name) {
			found = append(found, relation.Segment{Name: segment.Name, Length: segment.Length / count})
		}
	}
	return found
}

// ballLayout names the wires of the first n layers on one slice's ball, or on a box.
func ballLayout(s *shape.Shape, n int) []relation.Segment {
	row := relation.Segment{Name: "row", Length: s.Architecture.Sensitive}
	if s.Boxes() {
		return append(append(lowestLayout(s, n), endsLayout(s)...), row)
	}
	return append(lowestLayout(s, n),
		relation.Segment{Name: "query", Length: s.Architecture.Plain}, row, relation.Segment{Name: "radius_squared", Length: 1})
}

// ball is a network's lowest layers on one slice: centre and squared radius, or the least ends of a box and how forms fall there.
type ball struct {
	layers     []affine.Layer
	query, row []bounded.Int
	radius     bounded.Int
	falls      *additive.Falls // nil on a ball
}

// ball reads the first n layers on a slice's ball, or on a box, as a part of the instance, weights of a layer typed by the caller.
func (b *builder) ball(n int, weightsOf func(l int) []bounded.Int) ball {
	layers, all := b.lowest(n, weightsOf)
	if b.shape.Boxes() {
		b.bind(all)
		people, low := b.people()
		row := b.signed("row", b.shape.InputBits)
		b.bind(row)
		return ball{layers: layers, query: low, row: row, falls: people.Falls(b.a.At("box"))}
	}
	query, row := b.signed("query", b.shape.InputBits), b.signed("row", b.shape.InputBits)
	squared := b.unsigned("radius_squared", b.shape.RadiusBits)
	b.bind(all, query, row, squared)
	return ball{layers: layers, query: query, row: row, radius: squared[0]}
}

// reach returns how far forms reach on the ball, or on the box.
func (at ball) reach(claims *relation.Claims) relation.Reach {
	if at.falls != nil {
		return claims.Box(at.falls)
	}
	return claims.Ball(at.radius)
}

// limits reads the bounds of hidden layer l + 1 as a part of the instance.
func (b *builder) limits(l int) (low, high []bounded.Int) {
	bits := b.numbers.BoundBits[l]
	low, high = b.signed(fmt.Sprintf("low.%d", l+1), bits), b.signed(fmt.Sprintf("high.%d", l+1), bits)
	b.bind(low, high)
	return low, high
}

// slopes reads slopes or multipliers.
func (b *builder) slopes(name string, table *relaxation.Slopes) []bounded.Int {
	return b.read(name, func(a *bounded.Arith, _ int, wire frontend.Variable) bounded.Int { return table.Check(a, wire) })
}

// lines reads the upper lines of hidden layer l + 1 and, below the last one, the lower slopes, as a part of the instance.
func (b *builder) lines(table *relaxation.Slopes, l int) (lower []bounded.Int, upper []relaxation.Line) {
	slope := b.slopes(fmt.Sprintf("upper.%d", l+1), table)
	offset := b.unsigned(fmt.Sprintf("offset.%d", l+1), b.numbers.OffsetBits[l])
	if l+1 < len(b.shape.Architecture.Hidden) {
		lower = b.slopes(fmt.Sprintf("lower.%d", l+1), table)
	}
	b.bind(slope, offset, lower)
	for i := range slope {
		upper = append(upper, relaxation.Line{Slope: slope[i], Offset: offset[i]})
	}
	return lower, upper
}

// argument begins the argument of products over all that is bound.
func (b *builder) argument() (*product.Argument, error) {
	found, err := b.digest()
	if err != nil {
		return nil, err
	}
	return product.New(b.a, found), nil
}

// The radii of layer 1 are no part of the instance: it says that there are some.
func firstBoundsLayout(s *shape.Shape, numbers *shape.Branch) []relation.Segment {
	segments := append(ballLayout(s, 1), parts(s, numbers, s.Slices, "low.1", "high.1")...)
	return append(segments, parts(s, numbers, 1, "first_radii")...)
}

// defineFirstBounds holds the bounds of layer 1 on one slice's ball (R-B-FIRST).
func defineFirstBounds(b *builder) error {
	at := b.ball(1, b.weights)
	low, high := b.limits(0)
	radii := b.unsigned("first_radii", b.numbers.FirstRadiusBits)
	a := b.a.At("layer 1")
	plain, sensitive := at.layers[0].Split(len(at.query))
	base := affine.Layer{Weights: plain, Biases: at.layers[0].Biases}.Apply(a, at.query)
	for i := range base {
		radius.Assert(a, plain[i], at.radius, radii[i])
		interval.First(a, a.Add(base[i], a.Dot(sensitive[i], at.row)), radii[i], low[i], high[i])
	}
	return nil
}

func relaxationLayout(s *shape.Shape, numbers *shape.Branch) []relation.Segment {
	var names []string
	for l := range s.Architecture.Hidden {
		for _, name := range []string{"low", "high", "upper", "offset", "lower"} {
			names = append(names, fmt.Sprintf("%s.%d", name, l+1))
		}
	}
	return parts(s, numbers, s.Slices, names...)
}

// defineRelaxation holds the lines around every hidden neuron over its bounds on one slice (R-B-RELAXATION).
func defineRelaxation(b *builder) error {
	table := relaxation.NewSlopes(b.a, shape.FractionBits)
	for l := range b.shape.Architecture.Hidden {
		low, high := b.limits(l)
		_, upper := b.lines(table, l)
		for i, line := range upper {
			relaxation.Assert(b.a.At("layer %d, relaxation", l+1), low[i], high[i], line, shape.FractionBits)
		}
	}
	return nil
}

// What proves the bounds is no part of the instance: it says that there are passes.
func boundsLayout(s *shape.Shape, numbers *shape.Branch) []relation.Segment {
	var lines, proofs []string
	hidden := len(s.Architecture.Hidden)
	for l := 1; l <= hidden; l++ {
		if l > 1 {
			lines = append(lines, fmt.Sprintf("low.%d", l), fmt.Sprintf("high.%d", l))
			proofs = append(proofs, fmt.Sprintf("negative_weight.%d", l))
		}
		if l < hidden {
			lines = append(lines, fmt.Sprintf("upper.%d", l), fmt.Sprintf("offset.%d", l), fmt.Sprintf("lower.%d", l))
		}
	}
	segments := append(ballLayout(s, hidden), parts(s, numbers, s.Slices, lines...)...)
	return append(append(segments, parts(s, numbers, 1, proofs...)...), parts(s, numbers, s.Slices, passes(s, numbers)...)...)
}

// passes names the segments of the passes of bounds: PASS.L.j for L up to the last hidden layer.
func passes(s *shape.Shape, numbers *shape.Branch) []string {
	var names []string
	for _, segment := range relation.BranchLayout(s, numbers) {
		if part := strings.Split(segment.Name, "."); len(part) == 3 && part[1] != fmt.Sprint(len(s.Architecture.Hidden)+1) {
			names = append(names, segment.Name)
		}
	}
	return names
}

// defineBounds holds the bounds of every deeper hidden layer on one slice's ball, or on a box, under the lines of those below
// (R-B-BACKWARD, R-B-RADIUS or R-X-FALL, R-B-BOUND).
func defineBounds(b *builder) error {
	claims, table := relation.NewClaims(b.shape, b.numbers, b.wires), relaxation.NewSlopes(b.a, shape.FractionBits)
	splits := make([][]backward.Split, len(b.shape.Architecture.Hidden))
	at := b.ball(len(splits), func(l int) (all []bounded.Int) {
		if l == 0 {
			return b.weights(l)
		}
		all, splits[l] = claims.Weights(b.a, l)
		return all
	})
	layers := make([]lines, len(at.layers))
	for l := range layers {
		if l > 0 {
			layers[l].low, layers[l].high = b.limits(l)
		}
		if l+1 < len(layers) {
			layers[l].lower, layers[l].upper = b.lines(table, l)
		}
	}
	argument, err := b.argument()
	if err != nil {
		return err
	}
	below := at.layers[:len(layers)-1]
	slice := relation.Slice{Sensitive: at.row, Reach: at.reach(claims)}
	slice.Network = backward.New(b.a, argument, below, at.query, shape.FractionBits)
	for l := range below {
		a := b.a.At("layer %d, bounds", l+2)
		slice.Lower = append(slice.Lower, slice.Network.Lower(l+1, layers[l].lower))
		slice.Upper = append(slice.Upper, slice.Network.Upper(a, l+1, layers[l].upper))
		claims.Bounds(a, slice, l+2, slice.Network.Together(splits[l+1]), at.layers[l+1].Biases, layers[l+1].low, layers[l+1].high)
	}
	return nil
}

// lines is the bounds and lines of one layer's neurons.
type lines struct {
	low, high, lower []bounded.Int
	upper            []relaxation.Line
}
