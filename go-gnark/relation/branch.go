package relation

import (
	"fmt"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/affine"
	"equiproof/gadget/backward"
	"equiproof/gadget/bounded"
	"equiproof/gadget/interval"
	"equiproof/gadget/leaf"
	"equiproof/gadget/product"
	"equiproof/gadget/radius"
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

// branch is the circuit under construction; what is read of the wires is taken off them.
type branch struct {
	*traversal
	numbers  *shape.Branch
	argument *product.Argument
	slopes   *relaxation.Slopes
	network  *backward.Network
	parts    [][]backward.Split // of the weights of hidden layers from 2 up, by layer and neuron
	lower    [][]backward.Lower // A by slice and layer
	upper    [][]backward.Upper // K z + T
}

// Define constrains the relation, gadget by gadget.
func (c *Branch) Define(api frontend.API) (err error) {
	defer bounded.Catch(&err)
	b := &branch{numbers: c.numbers}
	b.traversal = &traversal{a: bounded.New(api), shape: c.shape, wires: Take(c.Layout(), c.Wires)}
	b.parts = make([][]backward.Split, len(c.shape.Architecture.Hidden))
	b.readWith(b.weights)
	leave := b.a.Part("digest")
	digest, err := b.statement()
	if err != nil {
		return err
	}
	api.AssertIsEqual(c.Digest, digest)
	leave()
	leave = b.a.Part("product")
	b.argument = product.New(b.a, digest)
	leave()
	b.slopes = relaxation.NewSlopes(b.a, shape.FractionBits)
	hidden := b.layers[:len(b.layers)-1]
	b.network = backward.New(b.a, b.argument, hidden, b.query, shape.FractionBits)
	b.bounds()
	b.leaves(b.tree())
	c.widths, c.record = b.a.Widths(), b.a.Record()
	return nil
}

// next takes wires off a segment.
func (b *branch) next(name string, n int) []frontend.Variable {
	taken := b.wires[name][:n]
	b.wires[name] = b.wires[name][n:]
	return taken
}

// weights types those of a layer, counted from 0, and splits those that bounds begin with (R-RANGE, R-B-BACKWARD).
func (b *branch) weights(l int) []bounded.Int {
	a := &b.shape.Architecture
	if l == 0 || l == len(a.Hidden) {
		return b.signed(fmt.Sprintf("weights.%d", l+1), a.WeightBits)
	}
	var all []bounded.Int
	for range a.Hidden[l] {
		wires := b.next(fmt.Sprintf("weights.%d", l+1), a.Hidden[l-1])
		negative := b.next(fmt.Sprintf("negative_weight.%d", l+1), a.Hidden[l-1])
		row, parts := backward.NewSplit(b.a.At("weights.%d", l+1), wires, negative, a.WeightBits)
		all, b.parts[l] = append(all, row...), append(b.parts[l], parts)
	}
	return all
}

// bounds holds the bounds and relaxations of every layer on every slice.
func (b *branch) bounds() {
	first := b.layers[0]
	plain, sensitive := first.Split(b.shape.Architecture.Plain)
	a := b.a.At("layer 1")
	base := affine.Layer{Weights: plain, Biases: first.Biases}.Apply(a, b.query)
	radii := make([]bounded.Int, len(base))
	for i, wire := range b.next("first_radii", len(base)) {
		radii[i] = a.Unsigned(wire, b.numbers.FirstRadiusBits)
		radius.Assert(a, plain[i], b.radius, radii[i])
	}
	splits := make([]backward.Splits, len(b.layers)-1)
	for l := 1; l < len(splits); l++ {
		splits[l] = b.network.Together(b.parts[l])
	}
	for slice, row := range b.table {
		b.lower, b.upper = append(b.lower, nil), append(b.upper, nil)
		for l := range splits {
			low, high := b.limits("low", l), b.limits("high", l)
			for i := range low {
				if l > 0 {
					break
				}
				z := a.Add(base[i], a.Dot(sensitive[i], row))
				interval.First(a, z, radii[i], low[i], high[i])
			}
			if l > 0 {
				b.deeper(slice, l+1, splits[l], low, high)
			}
			b.relax(slice, l, low, high)
		}
	}
}

// deeper holds the bounds of layer L on a slice.
func (b *branch) deeper(slice, top int, splits backward.Splits, low, high []bounded.Int) {
	below, above := b.network.Tops(splits, b.lower[slice][top-2], b.upper[slice][top-2])
	for i, bias := range b.layers[top-1].Biases {
		b.bound(slice, top, below[i], bias, low[i])
		b.bound(slice, top, above[i], b.a.Neg(bias), b.a.Neg(high[i]))
	}
}

// limits reads bounds of one slice's layer l + 1.
func (b *branch) limits(name string, l int) []bounded.Int {
	a := b.a.At("%s of layer %d", name, l+1)
	defer a.Part("range")()
	var values []bounded.Int
	for _, wire := range b.next(fmt.Sprintf("%s.%d", name, l+1), b.shape.Architecture.Hidden[l]) {
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
			Slope:  b.slopes.Check(a, b.next(fmt.Sprintf("upper.%d", l+1), 1)[0]),
			Offset: a.Unsigned(b.next(fmt.Sprintf("offset.%d", l+1), 1)[0], b.numbers.OffsetBits[l]),
		}
		relaxation.Assert(a, low[i], high[i], line, shape.FractionBits)
		lines = append(lines, line)
		if l+1 < len(b.shape.Architecture.Hidden) {
			lower = append(lower, b.slopes.Check(a, b.next(fmt.Sprintf("lower.%d", l+1), 1)[0]))
		}
	}
	b.upper[slice] = append(b.upper[slice], b.network.Upper(a, l+1, lines))
	if len(lower) > 0 {
		b.lower[slice] = append(b.lower[slice], b.network.Lower(l+1, lower))
	}
}

// bound holds one bound of a neuron of layer L: a lower one, or the negative of an upper one.
func (b *branch) bound(slice, top int, over backward.Over, constant, stated bounded.Int) {
	a := b.a.At("layer %d, bounds", top)
	steps := b.steps(top)
	for at := range steps {
		steps[at].Through = backward.Layer{Lower: b.lower[slice][top-2-at], Upper: b.upper[slice][top-2-at]}
	}
	form := b.network.Descend(a, over, constant, steps, b.table[slice])
	r, coarse := b.radii(a, top)
	reach := radius.Reach(a, form.Coefficients, b.radius, r, coarse)
	interval.Assert(a, stated, form.Centre, reach, b.numbers.Forms[top-2].ScaledBound)
}

// steps reads what the prover claims of a pass.
func (b *branch) steps(top int) []backward.Step {
	form, hidden := &b.numbers.Forms[top-2], b.shape.Architecture.Hidden
	name := func(kind string, j int) string { return fmt.Sprintf("%s.%d.%d", kind, top, j) }
	steps := make([]backward.Step, top-1)
	for at := range steps {
		j, step := top-1-at, &steps[at]
		step.Rounding = form.Rounding[j-1]
		if step.Rounding > 0 {
			step.Kappa = b.next(name("kappa", j), 1)[0]
		}
		step.Constant = b.next(name("constant", j), 1)[0]
		if j == 1 {
			step.Inputs = b.next(name("coefficients", 0), b.shape.Architecture.Plain+b.shape.Architecture.Sensitive)
			continue
		}
		size, rounded := hidden[j-2], form.Rounding[j-2] > 0
		step.Below.Bits = form.SplitBits[j-2]
		switch leaf := top > len(hidden); {
		case leaf && rounded:
			step.Below.Floor = b.next(name("floor", j-1), size)
			fallthrough
		case leaf:
			step.Below.Exact = b.next(name("coefficients", j-1), size)
		case rounded:
			step.Below.Rest = b.next(name("rest", j-1), size)
			fallthrough
		default:
			step.Below.Positive, step.Below.Negative = b.next(name("positive", j-1), size), b.next(name("negative", j-1), size)
		}
	}
	return steps
}

// radii reads the radii of a form.
func (b *branch) radii(a *bounded.Arith, top int) (bounded.Int, *radius.Coarse) {
	defer a.Part("radius")()
	form := &b.numbers.Forms[top-2]
	r := a.Unsigned(b.next(fmt.Sprintf("radius.%d.0", top), 1)[0], form.RadiusBits)
	if form.Coarse == 0 {
		return r, nil
	}
	quotient := b.next(fmt.Sprintf("coarse.%d.0", top), b.shape.Architecture.Plain)
	rest := a.Unsigned(b.next(fmt.Sprintf("rest_radius.%d.0", top), 1)[0], form.RestBits)
	return r, &radius.Coarse{Bits: form.Coarse, Quotient: quotient, Radius: rest}
}

// ending is a row of the tree that is not split: signs, and bits of which its slice's is set.
type ending struct {
	tree.Leaf
	chosen []bounded.Int
}

// tree holds the rows of all slices and returns the leaves.
func (b *branch) tree() []ending {
	s, a, n := b.shape, b.a.At("tree"), b.shape.Neurons()
	defer a.Part("tree")()
	var found []ending
	var leaves []tree.Leaf
	for _, chosen := range Matrix(b.bits("chosen_slice"), s.Slices) {
		row := tree.Leaf{Slice: leaf.Choice(a, chosen), Signs: tree.NewSigns(a, b.next("signs", n))}
		found, leaves = append(found, ending{row, chosen}), append(leaves, row)
	}
	splits := make([][]frontend.Variable, s.Capacity-s.Slices)
	words := tree.Words(n, s.Slices, len(splits))
	for row := range splits {
		splits[row] = b.next("key", words)
	}
	grown := tree.New(a, splits, leaves, s.Slices)
	for slice := range s.Slices {
		grown.Root(slice)
	}
	for row := range splits {
		grown.Split(row, b.next("digit", words))
	}
	return found
}

// leaves holds every margin of every leaf.
func (b *branch) leaves(rows []ending) {
	last, a := len(b.layers)-1, b.a.At("leaves")
	margins := b.label.Rivals(a, b.layers[last])
	table := leaf.NewSlices(b.argument, b.network, b.table, b.upper, b.shape.LooksUpSlices())
	for _, row := range rows {
		var part leaf.Part
		part.Sensitive, part.Upper = table.Choose(a, row.chosen, b.next("of_slice", table.Length()))
		on, free := row.Signs.On(), row.Signs.Free()
		for _, size := range b.shape.Architecture.Hidden {
			part.On, part.Free = append(part.On, on[:size]), append(part.Free, free[:size])
			on, free = on[size:], free[size:]
		}
		for i, weights := range margins.Weights {
			margin := b.margin(a)
			leaf.Assert(a, b.network, b.slopes, weights, margins.Biases[i], part, margin, b.radius)
		}
	}
}

// margin reads what the prover gives for one margin of a leaf.
func (b *branch) margin(a *bounded.Arith) leaf.Margin {
	hidden := b.shape.Architecture.Hidden
	top := len(hidden) + 1
	m := leaf.Margin{Multiplier: b.next("multiplier", 1)[0]}
	m.Bits, m.Steps = b.numbers.Forms[top-2].SplitBits[top-2], b.steps(top)
	for j := top - 1; j >= 1; j-- {
		m.Lower = append(m.Lower, b.next(fmt.Sprintf("leaf_lower.%d", j), hidden[j-1]))
		m.Excess = append(m.Excess, b.next(fmt.Sprintf("excess.%d", j), hidden[j-1]))
	}
	if b.numbers.Forms[top-2].Coarse > 0 {
		m.Rounded = new(leaf.Rounded)
		m.Rounded.Radius, m.Rounded.Coarse = b.radii(a, top)
	}
	return m
}
