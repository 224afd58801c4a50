package relation

import (
	"fmt"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/additive"
	"equiproof/gadget/affine"
	"equiproof/gadget/backward"
	"equiproof/gadget/bounded"
	"equiproof/gadget/interval"
	"equiproof/gadget/leaf"
	"equiproof/gadget/product"
	"equiproof/gadget/radius"
	"equiproof/gadget/ranges"
	"equiproof/gadget/relaxation"
	"equiproof/gadget/tree"
	"equiproof/shape"
)

// Branch is the circuit of scheme `branch`: bounds of every slice's ball, a tree of signs over it, and a proof at each of
// its leaves, K of them over all slices. Every row is a real row; padding repeats rows and is checked like them.
type Branch struct {
	Digest frontend.Variable   `gnark:",public"`
	Wires  []frontend.Variable `gnark:",secret"`

	shape   *shape.Shape
	numbers *shape.Branch
	widths  []bounded.Width
	record  bounded.Record
}

// NewBranch returns the circuit of a shape, to be compiled or assigned; a shape that the field does not hold is refused.
func NewBranch(s *shape.Shape) (*Branch, error) {
	numbers, err := s.Branch()
	if err != nil {
		return nil, err
	}
	return &Branch{Wires: make([]frontend.Variable, Length(BranchLayout(s, numbers))), shape: s, numbers: numbers}, nil
}

// Inputs returns the statement digest and the private wires.
func (c *Branch) Inputs() (*frontend.Variable, []frontend.Variable) { return &c.Digest, c.Wires }

// Layout names the private wires in order.
func (c *Branch) Layout() []Segment { return BranchLayout(c.shape, c.numbers) }

// Widths lists the places of the circuit with the widest integer that each can hold; known once it is compiled.
func (c *Branch) Widths() []bounded.Width { return c.widths }

// Record says which constraints are for which part; known once it is compiled.
func (c *Branch) Record() bounded.Record { return c.record }

// Words is how many words the model has where it is kept.
func (c *Branch) Words() int { return words(c.shape) }

// branch is the circuit under construction; what is read of the wires is taken off them.
type branch struct {
	*traversal
	numbers  *shape.Branch
	claims   *Claims
	argument *product.Argument
	slopes   *relaxation.Slopes
	network  *backward.Network
	box      *ranges.Box        // nil without ranges
	falls    *additive.Falls    // nil where the statement is about a ball
	parts    [][]backward.Split // of the weights of hidden layers from 2 up, and on a box of the first, by layer and neuron
	lower    [][]backward.Lower // A by slice and layer
	upper    [][]backward.Upper // K z + T
}

// Define constrains the relation, gadget by gadget.
func (c *Branch) Define(api frontend.API) (err error) {
	defer bounded.Catch(&err)
	b, err := begin(api, c.shape, c.numbers, c.Digest, Take(c.Layout(), c.Wires))
	if err != nil {
		return err
	}
	if c.shape.Ranges() {
		b.box = ranges.New(b.a.At("ranges"), b.low, b.high, b.query, c.shape.InputBits)
	}
	b.bounds()
	b.leaves(b.tree(), b.label.Rivals(b.a.At("leaves"), b.layers[len(b.layers)-1]))
	c.widths, c.record = b.a.Widths(), b.a.Record()
	return nil
}

// begin reads what the statement speaks of, holds its digest to the public one, and prepares the network for passes.
func begin(api frontend.API, s *shape.Shape, numbers *shape.Branch, public frontend.Variable,
	wires map[string][]frontend.Variable,
) (*branch, error) {
	b := &branch{numbers: numbers, claims: NewClaims(s, numbers, wires)}
	b.traversal = &traversal{a: bounded.New(api), shape: s, wires: wires}
	if err := b.show(); err != nil {
		return nil, err
	}
	b.readSplit()
	b.readStated()
	leave := b.a.Part("digest")
	digest, err := b.statement()
	if err != nil {
		return nil, err
	}
	api.AssertIsEqual(public, digest)
	leave()
	if s.Boxes() {
		people := additive.NewPeople(b.a.At("box"), b.low, b.high, s.OneHot, wires["free"])
		b.falls = people.Falls(b.a.At("box"))
		// The least end is the query that all passes are around.
		b.query = b.low
	}
	leave = b.a.Part("product")
	// Behind the digest, which the argument commits to.
	b.argument = product.New(b.a, digest)
	leave()
	b.slopes = relaxation.NewSlopes(b.a, shape.FractionBits)
	hidden := b.layers[:len(b.layers)-1]
	b.network = backward.New(b.a, b.argument, hidden, b.query, shape.FractionBits)
	return b, nil
}

// readSplit types the numbers of the network, and splits weights.
func (b *branch) readSplit() {
	b.parts = make([][]backward.Split, len(b.shape.Architecture.Hidden))
	b.readWith(b.weights)
}

// weights types those of a layer, counted from 0, and splits those that bounds begin with (R-RANGE, R-B-BACKWARD).
func (b *branch) weights(l int) []bounded.Int {
	a := &b.shape.Architecture
	if l == 0 && !b.shape.Boxes() || l == len(a.Hidden) {
		return b.committed(fmt.Sprintf("weights.%d", l+1), a.WeightBits[l])
	}
	all, parts := b.claims.Weights(b.a, l)
	b.parts[l] = parts
	return all
}

// bounds holds the bounds and relaxations of every layer on every slice.
func (b *branch) bounds() {
	first := b.layers[0]
	plain, sensitive := first.Split(b.shape.Architecture.Plain)
	a := b.a.At("layer 1")
	base := affine.Layer{Weights: plain, Biases: first.Biases}.Apply(a, b.query)
	hold := b.firstReaches(a, plain)
	splits := make([]backward.Splits, len(b.layers)-1)
	for l := 1; l < len(splits); l++ {
		splits[l] = b.network.Together(b.parts[l])
	}
	for slice, row := range b.table {
		b.lower, b.upper = append(b.lower, nil), append(b.upper, nil)
		for l := range splits {
			low, high := b.limits("low", l), b.limits("high", l)
			if l > 0 {
				b.deeper(slice, l+1, splits[l], low, high)
			} else {
				for i := range low {
					z := a.Add(base[i], a.Dot(sensitive[i], row))
					hold(i, z, low[i], high[i])
				}
			}
			b.relax(slice, l, low, high)
		}
	}
}

// firstReaches holds how far the neurons of layer 1 reach, by their weights over the n_x columns, and returns what holds the bounds of
// one to its value at a slice's centre. They reach as far on all slices: sensitive columns move the centre alone.
func (b *branch) firstReaches(a *bounded.Arith, plain [][]bounded.Int) (hold func(i int, z, low, high bounded.Int)) {
	if b.falls != nil {
		return b.claims.First(a, b.falls, plain, b.parts[0])
	}
	radii := make([]bounded.Int, len(plain))
	for i, wire := range b.claims.Next("first_radii", len(plain)) {
		radii[i] = a.Unsigned(wire, b.numbers.FirstRadiusBits)
		radius.Assert(a, plain[i], b.radius, radii[i])
	}
	return func(i int, z, low, high bounded.Int) { interval.First(a, z, radii[i], low, high) }
}

// deeper holds the bounds of layer L on a slice.
func (b *branch) deeper(slice, top int, splits backward.Splits, low, high []bounded.Int) {
	on := Slice{b.network, b.lower[slice], b.upper[slice], b.table[slice], b.reach()}
	b.claims.Bounds(b.a.At("layer %d, bounds", top), on, top, splits, b.layers[top-1].Biases, low, high)
}

// reach returns how far forms reach on the ball, or on the box.
func (b *branch) reach() Reach {
	if b.falls != nil {
		return b.claims.Box(b.falls)
	}
	return b.claims.Ball(b.radius)
}

// limits reads bounds of one slice's layer l + 1.
func (b *branch) limits(name string, l int) []bounded.Int {
	a := b.a.At("%s of layer %d", name, l+1)
	defer a.Part("range")()
	var values []bounded.Int
	for _, wire := range b.claims.Next(fmt.Sprintf("%s.%d", name, l+1), b.shape.Architecture.Hidden[l]) {
		values = append(values, a.Signed(wire, b.numbers.BoundBits[l]))
	}
	return values
}

// relax reads the lines of one slice's layer l + 1 and holds the upper ones.
func (b *branch) relax(slice, l int, low, high []bounded.Int) {
	a := b.a.At("layer %d, relaxation", l+1)
	var lower []bounded.Int
	var lines []relaxation.Line
	for i := range low {
		line := relaxation.Line{
			Slope:  b.slopes.Check(a, b.claims.Next(fmt.Sprintf("upper.%d", l+1), 1)[0]),
			Offset: a.Unsigned(b.claims.Next(fmt.Sprintf("offset.%d", l+1), 1)[0], b.numbers.OffsetBits[l]),
		}
		relaxation.Assert(a, low[i], high[i], line, shape.FractionBits)
		lines = append(lines, line)
		if l+1 < len(b.shape.Architecture.Hidden) {
			lower = append(lower, b.slopes.Check(a, b.claims.Next(fmt.Sprintf("lower.%d", l+1), 1)[0]))
		}
	}
	b.upper[slice] = append(b.upper[slice], b.network.Upper(a, l+1, lines))
	if len(lower) > 0 {
		b.lower[slice] = append(b.lower[slice], b.network.Lower(l+1, lower))
	}
}

// ending is a row of the tree that is not split: signs, and its slice.
type ending struct {
	tree.Leaf
	choice leaf.Choice
}

// tree holds the rows of all slices and returns the leaves.
func (b *branch) tree() []ending {
	s, a, n := b.shape, b.a.At("tree"), b.shape.Neurons()
	defer a.Part("tree")()
	var found []ending
	var leaves []tree.Leaf
	for _, chosen := range Matrix(b.bits("chosen_slice"), s.Slices) {
		choice := leaf.Choose(a, chosen)
		row := tree.Leaf{Slice: choice.Number(), Signs: tree.NewSigns(a, b.claims.Next("signs", n))}
		found, leaves = append(found, ending{row, choice}), append(leaves, row)
	}
	splits := make([][]frontend.Variable, s.Capacity-s.Slices)
	words := tree.Words(n, s.Slices, len(splits))
	for row := range splits {
		splits[row] = b.claims.Next("key", words)
	}
	grown := tree.New(a, splits, leaves, s.Slices)
	for slice := range s.Slices {
		grown.Root(slice)
	}
	for row := range splits {
		grown.Split(row, b.claims.Next("digit", words))
	}
	return found
}

// leaves holds every margin of every leaf.
func (b *branch) leaves(rows []ending, margins affine.Layer) {
	a := b.a.At("leaves")
	table := leaf.NewSlices(b.argument, b.network, b.table, b.upper, b.shape.LooksUpSlices())
	for _, row := range rows {
		var part leaf.Part
		part.Sensitive, part.Upper = table.Of(a, row.choice, b.claims.Next("of_slice", table.Length()))
		on, free := row.Signs.On(), row.Signs.Free()
		for _, size := range b.shape.Architecture.Hidden {
			part.On, part.Free = append(part.On, on[:size]), append(part.Free, free[:size])
			on, free = on[size:], free[size:]
		}
		for i, weights := range margins.Weights {
			margin := b.claims.Margin(a, b.box)
			form := leaf.Form(a, b.network, b.slopes, weights, margins.Biases[i], part, margin)
			if b.falls != nil {
				leaf.AssertInBox(a, form, b.reach()(a, len(b.shape.Architecture.Hidden)+1, form))
			} else {
				leaf.Assert(a, form, margin, b.radius)
			}
		}
	}
}
