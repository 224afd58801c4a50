package relation

import (
	"fmt"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/additive"
	"equiproof/gadget/backward"
	"equiproof/gadget/bounded"
	"equiproof/gadget/interval"
	"equiproof/gadget/kept"
	"equiproof/gadget/leaf"
	"equiproof/gadget/radius"
	"equiproof/gadget/ranges"
	"equiproof/shape"
)

// Claims takes what the prover claims of backward passes off the wires, in the order of their segments.
type Claims struct {
	shape   *shape.Shape
	numbers *shape.Branch
	wires   map[string][]frontend.Variable
}

// NewClaims begins with all wires of a circuit of scheme `branch`.
func NewClaims(s *shape.Shape, numbers *shape.Branch, wires map[string][]frontend.Variable) *Claims {
	return &Claims{s, numbers, wires}
}

// Next takes wires off a segment.
func (c *Claims) Next(name string, n int) []frontend.Variable {
	taken := c.wires[name][:n]
	c.wires[name] = c.wires[name][n:]
	return taken
}

// Weights takes those of hidden layer l + 1, which is negative among them or the negative parts of a kept model, and splits them by
// neuron.
func (c *Claims) Weights(a *bounded.Arith, l int) (all []bounded.Int, splits []backward.Split) {
	size := c.shape.Layers()[l][1]
	for range c.shape.Architecture.Hidden[l] {
		a, bits := a.At("weights.%d", l+1), c.shape.Architecture.WeightBits[l]
		wires := c.Next(fmt.Sprintf("weights.%d", l+1), size)
		split, negative := backward.NewSplit, "negative_weight.%d"
		if c.shape.Keeps() {
			split, negative = kept.Split, "negative_part.%d"
		}
		row, parts := split(a, wires, c.Next(fmt.Sprintf(negative, l+1), size), bits)
		all, splits = append(all, row...), append(splits, parts)
	}
	return all, splits
}

// Reach returns how much a form of a top layer falls at most from its value at the centre, on what is proven of a slice.
type Reach func(a *bounded.Arith, top int, form backward.Form) bounded.Int

// Slice is what passes on one slice share: relaxations of its hidden layers, from the first, and its sensitive columns.
type Slice struct {
	Network   *backward.Network
	Lower     []backward.Lower // A
	Upper     []backward.Upper // K z + T
	Sensitive []bounded.Int
	Reach     Reach
}

// Bounds holds the bounds of layer L to the passes that are claimed, for each neuron the lower one's, then the upper one's.
func (c *Claims) Bounds(a *bounded.Arith, slice Slice, top int, splits backward.Splits, biases, low, high []bounded.Int) {
	below, above := slice.Network.Tops(splits, slice.Lower[top-2], slice.Upper[top-2])
	for i, bias := range biases {
		c.bound(a, slice, top, below[i], bias, low[i])
		c.bound(a, slice, top, above[i], a.Neg(bias), a.Neg(high[i]))
	}
}

// bound holds one bound of a neuron of layer L: a lower one, or the negative of an upper one.
func (c *Claims) bound(a *bounded.Arith, slice Slice, top int, over backward.Over, constant, stated bounded.Int) {
	steps := c.steps(top)
	for at := range steps {
		steps[at].Through = backward.Layer{Lower: slice.Lower[top-2-at], Upper: slice.Upper[top-2-at]}
	}
	form := slice.Network.Descend(a, over, constant, steps, slice.Sensitive)
	interval.Assert(a, stated, form.Centre, slice.Reach(a, top, form), c.numbers.Forms[top-2].ScaledBound)
}

// Ball returns the reach of forms on balls of a squared radius, by the radii that are claimed.
func (c *Claims) Ball(radiusSquared bounded.Int) Reach {
	return func(a *bounded.Arith, top int, form backward.Form) bounded.Int {
		r, coarse := c.radii(a, top)
		return radius.Reach(a, form.Coefficients, radiusSquared, r, coarse)
	}
}

// Box returns the reach of forms on a box, by the signs of coefficients and the least of categories that are claimed.
func (c *Claims) Box(falls *additive.Falls) Reach {
	return func(a *bounded.Arith, top int, form backward.Form) bounded.Int {
		numbers, categories := falls.Lengths()
		negative := falls.Negative(a, form.Coefficients, c.Next(fmt.Sprintf("negative.%d.0", top), numbers))
		least := c.Next(fmt.Sprintf("least.%d.0", top), categories)
		return falls.Fall(a, form.Coefficients, negative, least, c.numbers.Forms[top-2].LeastBits)
	}
}

// First holds how far the neurons of layer 1 fall and rise on a box, by their weights over the n_x columns and these split, and returns
// what makes bounds of one exactly its least and its largest value on the box, z being its value at the least ends (R-X-FIRST).
func (c *Claims) First(a *bounded.Arith, falls *additive.Falls, plain [][]bounded.Int, splits []backward.Split) (
	hold func(i int, z, low, high bounded.Int),
) {
	_, categories := falls.Lengths()
	var down, up []bounded.Int
	for i, row := range plain {
		turned := make([]bounded.Int, len(row))
		for column, weight := range row {
			turned[column] = a.Neg(weight)
		}
		fall := func(row, negative []bounded.Int) bounded.Int {
			return falls.Fall(a, row, negative, c.Next("first_least", categories), c.numbers.FirstLeastBits)
		}
		down = append(down, fall(row, splits[i].Negative))
		up = append(up, fall(turned, splits[i].Positive))
	}
	return func(i int, z, low, high bounded.Int) {
		defer a.Part("interval")()
		a.AssertEqual(low, a.Sub(z, down[i]))
		a.AssertEqual(high, a.Add(z, up[i]))
	}
}

// steps takes what is claimed of a pass.
func (c *Claims) steps(top int) []backward.Step {
	form, hidden := &c.numbers.Forms[top-2], c.shape.Architecture.Hidden
	name := func(kind string, j int) string { return fmt.Sprintf("%s.%d.%d", kind, top, j) }
	steps := make([]backward.Step, top-1)
	for at := range steps {
		j, step := top-1-at, &steps[at]
		step.Rounding = form.Rounding[j-1]
		if step.Rounding > 0 {
			step.Kappa = c.Next(name("kappa", j), 1)[0]
		}
		step.Constant = c.Next(name("constant", j), 1)[0]
		if j == 1 {
			step.Inputs = c.Next(name("coefficients", 0), c.shape.Architecture.Plain+c.shape.Architecture.Sensitive)
			continue
		}
		size, rounded := hidden[j-2], form.Rounding[j-2] > 0
		step.Below.Bits = form.SplitBits[j-2]
		switch leaf := top > len(hidden); {
		case leaf && rounded:
			step.Below.Floor = c.Next(name("floor", j-1), size)
			fallthrough
		case leaf:
			step.Below.Exact = c.Next(name("coefficients", j-1), size)
		case rounded:
			step.Below.Rest = c.Next(name("rest", j-1), size)
			fallthrough
		default:
			step.Below.Positive, step.Below.Negative = c.Next(name("positive", j-1), size), c.Next(name("negative", j-1), size)
		}
	}
	return steps
}

// radii takes the radii of a form.
func (c *Claims) radii(a *bounded.Arith, top int) (bounded.Int, *radius.Coarse) {
	defer a.Part("radius")()
	form := &c.numbers.Forms[top-2]
	r := a.Unsigned(c.Next(fmt.Sprintf("radius.%d.0", top), 1)[0], form.RadiusBits)
	if form.Coarse == 0 {
		return r, nil
	}
	quotient := c.Next(fmt.Sprintf("coarse.%d.0", top), c.shape.Architecture.Plain)
	rest := a.Unsigned(c.Next(fmt.Sprintf("rest_radius.%d.0", top), 1)[0], form.RestBits)
	return r, &radius.Coarse{Bits: form.Coarse, Quotient: quotient, Radius: rest}
}

// Margin takes what is claimed of one margin of a leaf; the box is that of a shape with ranges, nil without.
func (c *Claims) Margin(a *bounded.Arith, box *ranges.Box) leaf.Margin {
	hidden := c.shape.Architecture.Hidden
	top := len(hidden) + 1
	m := leaf.Margin{Multiplier: c.Next("multiplier", 1)[0]}
	m.Bits, m.Steps = c.numbers.Forms[top-2].SplitBits[top-2], c.steps(top)
	for j := top - 1; j >= 1; j-- {
		m.Lower = append(m.Lower, c.Next(fmt.Sprintf("leaf_lower.%d", j), hidden[j-1]))
		m.Excess = append(m.Excess, c.Next(fmt.Sprintf("excess.%d", j), hidden[j-1]))
	}
	if n := c.shape.Architecture.Plain; box != nil {
		cut := ranges.Cut{Values: c.Next("cut", n), Negative: c.Next("negative_cut", n), Bits: c.numbers.Forms[top-2].CutBits}
		m.Ranges = &leaf.Ranges{Box: box, Cut: cut}
	}
	if c.numbers.Forms[top-2].Coarse > 0 {
		m.Rounded = new(leaf.Rounded)
		m.Rounded.Radius, m.Rounded.Coarse = c.radii(a, top)
	}
	return m
}
