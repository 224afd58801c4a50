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
	lower    [][][]bounded.Int     // A by slice and layer
	upper    [][][]relaxation.Line // K z + T
}

// Define constrains the relation, gadget by gadget.
func (c *Branch) Define(api frontend.API) (err error) {
	defer bounded.Catch(&err)
	b := &branch{numbers: c.numbers}
	b.traversal = &traversal{a: bounded.New(api), shape: c.shape, wires: Take(c.Layout(), c.Wires)}
	b.read()
	leave := b.a.Part("digest")
	digest, err := b.statement()
	if err != nil {
		return err
	}
	api.AssertIsEqual(c.Digest, digest)
	leave()
	b.argument, b.slopes = product.New(b.a, digest), relaxation.NewSlopes(b.a, shape.FractionBits)
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
	splits := make([][]backward.Split, len(b.layers)-1)
	for l := 1; l < len(splits); l++ {
		bits := b.numbers.Forms[l-1].SplitBits[l-1]
		for _, row := range b.layers[l].Weights {
			wires := b.next(fmt.Sprintf("weight_split.%d", l+1), len(row))
			splits[l] = append(splits[l], backward.NewSplit(b.a.At("layer %d", l+1), row, wires, bits))
		}
	}
	for slice, row := range b.table {
		b.lower, b.upper = append(b.lower, nil), append(b.upper, nil)
		for l := range splits {
			low, high := b.limits("low", l), b.limits("high", l)
			for i := range low {
				if l == 0 {
					z := a.Add(base[i], a.Dot(sensitive[i], row))
					interval.First(a, z, radii[i], low[i], high[i])
					continue
				}
				bias := b.layers[l].Biases[i]
				b.bound(slice, l+1, splits[l][i], bias, low[i])
				b.bound(slice, l+1, splits[l][i].Turned(), b.a.Neg(bias), b.a.Neg(high[i]))
			}
			b.relax(slice, l, low, high)
		}
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
	b.lower[slice], b.upper[slice] = append(b.lower[slice], lower), append(b.upper[slice], lines)
}

// bound holds one bound of a neuron of layer L: a lower one, or the negative of an upper one.
func (b *branch) bound(slice, top int, split backward.Split, constant, stated bounded.Int) {
	a := b.a.At("layer %d, bounds", top)
	steps := b.steps(top)
	for at := range steps {
		steps[at].Layer = backward.Layer{Lower: b.lower[slice][top-2-at], Upper: b.upper[slice][top-2-at]}
	}
	form := b.network.Descend(a, split, constant, steps, b.table[slice])
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
		size := hidden[j-2]
		step.Below = backward.Claim{
			Positive: b.next(name("positive", j-1), size), Negative: b.next(name("negative", j-1), size),
			Bits: form.SplitBits[j-2],
		}
		if form.Rounding[j-2] > 0 {
			step.Below.Rest = b.next(name("rest", j-1), size)
		}
	}
	return steps
}

// radii reads the radii of a form.
func (b *branch) radii(a *bounded.Arith, top int) (bounded.Int, *radius.Coarse) {
	form := &b.numbers.Forms[top-2]
	r := a.Unsigned(b.next(fmt.Sprintf("radius.%d.0", top), 1)[0], form.RadiusBits)
	if form.Coarse == 0 {
		return r, nil
	}
	quotient := b.next(fmt.Sprintf("coarse.%d.0", top), b.shape.Architecture.Plain)
	rest := a.Unsigned(b.next(fmt.Sprintf("rest_radius.%d.0", top), 1)[0], form.RestBits)
	return r, &radius.Coarse{Bits: form.Coarse, Quotient: quotient, Radius: rest}
}

// tree holds the rows of all slices and returns those of the leaves.
func (b *branch) tree() []tree.Row {
	s, a, n := b.shape, b.a.At("tree"), b.shape.Neurons()
	var rows []tree.Row
	for range 2*s.Capacity - s.Slices {
		slice := a.Below(b.next("slice", 1)[0], s.Slices)
		rows = append(rows, tree.Row{Slice: slice, Signs: tree.NewSigns(a, b.next("signs", n))})
	}
	grown := tree.New(a, rows, s.Slices)
	for slice, root := range b.wires["roots"] {
		grown.Root(slice, root)
	}
	splits := s.Capacity - s.Slices
	chosen := Matrix(b.bits("chosen"), n)
	for row := range splits {
		grown.Split(row, chosen[row], b.next("on_child", 1)[0], b.next("off_child", 1)[0])
	}
	return rows[splits:]
}

// leaves holds every margin of every leaf.
func (b *branch) leaves(rows []tree.Row) {
	last, a := len(b.layers)-1, b.a.At("leaves")
	margins := b.label.Rivals(a, b.layers[last])
	table := leaf.NewSlices(b.argument, b.table, b.upper)
	choices := Matrix(b.bits("chosen_slice"), b.shape.Slices)
	for at, row := range rows {
		var part leaf.Part
		part.Sensitive, part.Upper = table.Choose(a, row.Slice, choices[at], b.next("of_slice", table.Length()))
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
	m := leaf.Margin{Multiplier: b.next("multiplier", 1)[0], Positive: b.next("margin_split", hidden[top-2])}
	m.Bits, m.Steps = b.numbers.Forms[top-2].SplitBits[top-2], b.steps(top)
	for j := top - 1; j >= 1; j-- {
		m.Lower = append(m.Lower, b.next(fmt.Sprintf("leaf_lower.%d", j), hidden[j-1]))
		m.Beta = append(m.Beta, b.next(fmt.Sprintf("beta.%d", j), hidden[j-1]))
	}
	m.Radius, m.Coarse = b.radii(a, top)
	return m
}
