package leaf_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/backward"
	"equiproof/gadget/bounded"
	"equiproof/gadget/leaf"
	"equiproof/gadget/product"
	"equiproof/gadget/radius"
	"equiproof/gadget/ranges"
	"equiproof/gadget/relaxation"
	"equiproof/internal/adversary"
	"equiproof/internal/oracle"
)

const (
	plain, sensitive = 2, 2
	inputs           = plain + sensitive
	count            = 3 // slices
	q                = 4
	offsetBits       = 24
	radiusBits       = 60
	inputBits        = 11
	cutBits          = 50
)

// kind is a shape of leaves: hidden layers from the first, k and the width of P and Q of each from the highest, and kc.
type kind struct {
	hidden, roundings, bits []int
	coarse                  int
	lookedUp                bool // the lines of slices
	ranged                  bool // neighbors
}

var kinds = []kind{
	{[]int{1}, []int{0}, []int{13}, 0, false, false},
	{[]int{3}, []int{0}, []int{13}, 0, true, false},
	{[]int{2, 3}, []int{0, 0}, []int{13, 30}, 0, false, true},
	{[]int{2, 2}, []int{0, 6}, []int{13, 25}, 4, true, false},
}

func (k kind) String() string {
	format := "hidden %v, rounded by %v and %d, lines looked up: %v, ranges: %v"
	return fmt.Sprintf(format, k.hidden, k.roundings, k.coarse, k.lookedUp, k.ranged)
}

// sizes lists the layers from the highest to the inputs.
func (k kind) sizes() []int {
	sizes := append([]int{inputs}, k.hidden...)
	slices.Reverse(sizes)
	return sizes
}

// lines reads upper lines, layer by layer.
func (k kind) lines(a *bounded.Arith, network *backward.Network, slopes *relaxation.Slopes, take *adversary.Wires) []backward.Upper {
	var upper []backward.Upper
	for j, size := range k.hidden {
		var layer []relaxation.Line
		for range size {
			slope := slopes.Check(a, take.Take(1)[0])
			layer = append(layer, relaxation.Line{Slope: slope, Offset: a.Unsigned(take.Take(1)[0], offsetBits)})
		}
		upper = append(upper, network.Upper(a, j+1, layer))
	}
	return upper
}

// compiled compiles one margin of one leaf; claim.given lists the wires.
func (k kind) compiled(t *testing.T, wires int) *adversary.Circuit {
	return adversary.Compile(t, wires, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		argument, slopes := product.New(a, take.Take(1)[0]), relaxation.NewSlopes(a, q)
		hidden := take.Layers(a, append([]int{inputs}, k.hidden...), 8, 12)
		w, d := take.Signed(a, k.hidden[len(k.hidden)-1], 8), take.Signed(a, 1, 60)[0]
		query, squared := take.Signed(a, plain, 11), a.Unsigned(take.Take(1)[0], 10)
		network := backward.New(a, argument, hidden, query, q)
		var rows [][]bounded.Int
		var upper [][]backward.Upper
		for range count {
			rows = append(rows, take.Signed(a, sensitive, 11))
			upper = append(upper, k.lines(a, network, slopes, take))
		}
		table := leaf.NewSlices(argument, network, rows, upper, k.lookedUp)
		slice, chosen := take.Take(1)[0], take.Bits(a, count)
		choice := leaf.Choose(a, chosen)
		a.API().AssertIsEqual(choice.Number().Wire(), slice)
		part := leaf.Part{}
		part.Sensitive, part.Upper = table.Of(a, choice, take.Take(table.Length()))
		for _, size := range k.hidden {
			part.On, part.Free = append(part.On, take.Bits(a, size)), append(part.Free, take.Bits(a, size))
		}
		margin := leaf.Margin{Multiplier: take.Take(1)[0], Bits: k.bits[0]}
		for _, size := range k.sizes()[:len(k.hidden)] {
			margin.Lower, margin.Excess = append(margin.Lower, take.Take(size)), append(margin.Excess, take.Take(size))
		}
		margin.Steps = take.Steps(k.sizes(), k.roundings, k.bits, true)
		if k.coarse > 0 {
			margin.Rounded = &leaf.Rounded{Radius: a.Unsigned(take.Take(1)[0], radiusBits)}
			margin.Rounded.Coarse = &radius.Coarse{Bits: k.coarse, Quotient: take.Take(plain)}
			margin.Rounded.Coarse.Radius = a.Unsigned(take.Take(1)[0], radiusBits)
		}
		if k.ranged {
			box := ranges.New(a, take.Signed(a, plain, inputBits), take.Signed(a, plain, inputBits), query, inputBits)
			margin.Ranges = &leaf.Ranges{Box: box, Cut: ranges.Cut{Values: take.Take(plain), Negative: take.Take(plain), Bits: cutBits}}
		}
		leaf.Assert(a, leaf.Form(a, network, slopes, w, d, part, margin), margin, squared)
		if len(take.Rest) > 0 {
			t.Fatalf("%d numbers are missing", len(take.Rest))
		}
	})
}

// claim is a leaf's margin in plain integers.
type claim struct {
	kind       kind
	network    oracle.Network
	w          []*big.Int
	d          *big.Int
	query      []*big.Int
	squared    int64
	rows       [][]*big.Int // sensitive columns by slice
	upper      [][]*big.Int // K and T by slice, in turn, from layer 1
	slice      any
	chosen     []any
	found      []*big.Int
	multiplier int64
	steps      []oracle.Step
	less       [2]int64   // by how much the radii are below what they must be
	low, high  []*big.Int // of ranges, where there are some
	cut        []*big.Int

	stages []oracle.Stage
	form   oracle.Form
}

// random draws a margin of a leaf of slice 1, without the constant that makes it hold.
func (k kind) random(source *rand.Rand) *claim {
	c := &claim{kind: k, network: oracle.Random(source, append([]int{inputs}, k.hidden...), 127, 2000), d: new(big.Int)}
	c.w, c.query = oracle.Vector(source, k.hidden[len(k.hidden)-1], 127), oracle.Vector(source, plain, 1000)
	c.squared, c.multiplier = 200+source.Int64N(200), 1+source.Int64N(1<<q)
	for range count {
		c.rows = append(c.rows, oracle.Vector(source, sensitive, 1000))
		var lines []*big.Int
		for _, size := range k.hidden {
			for range size {
				lines = append(lines, big.NewInt(source.Int64N(1<<q+1)), big.NewInt(source.Int64N(1<<offsetBits)))
			}
		}
		c.upper = append(c.upper, lines)
	}
	for at, size := range k.sizes()[:len(k.hidden)] {
		step := oracle.Step{Layer: c.network[len(k.hidden)-1-at], Rounding: uint(k.roundings[at])}
		for i := range size {
			// Every sign occurs.
			sign := (i + at) % 3
			step.On, step.Free = append(step.On, sign == 1), append(step.Free, sign == 0)
			step.Lower = append(step.Lower, big.NewInt(source.Int64N(1<<q+1)))
			step.Beta = append(step.Beta, big.NewInt(int64(min(sign, 1))*source.Int64N(1000)))
			step.Overlap = append(step.Overlap, big.NewInt(source.Int64N(50)))
		}
		c.steps = append(c.steps, step)
	}
	for i := range k.columns() {
		c.low = append(c.low, new(big.Int).Sub(c.query[i], big.NewInt(3)))
		c.high = append(c.high, new(big.Int).Add(c.query[i], big.NewInt(5)))
		c.cut = append(c.cut, big.NewInt(source.Int64N(1<<20)-1<<19))
	}
	c.take(1)
	c.settle()
	return c
}

// columns is how many of them have ranges.
func (k kind) columns() int {
	if k.ranged {
		return plain
	}
	return 0
}

// take makes the leaf one of a slice, with what belongs to it.
func (c *claim) take(slice int) {
	c.slice, c.chosen = slice, adversary.Digits(oracle.Pattern(1<<slice, count))
	c.found = append(slices.Clone(c.rows[slice]), c.upper[slice]...)
}

// descend makes the pass of the numbers there are.
func (c *claim) descend() {
	lines := c.found[sensitive:]
	for at := len(c.steps) - 1; at >= 0; at-- {
		step := &c.steps[at]
		step.Upper, step.Offset = nil, nil
		for range step.Lower {
			step.Upper, step.Offset, lines = append(step.Upper, lines[0]), append(step.Offset, lines[1]), lines[2:]
		}
	}
	multiplier, lambda := big.NewInt(c.multiplier), []*big.Int{}
	for _, weight := range c.w {
		lambda = append(lambda, new(big.Int).Mul(multiplier, weight))
	}
	c.stages, c.form = oracle.Descend(lambda, multiplier.Mul(multiplier, c.d), c.steps, q)
}

// settle chooses the least constant with which the margin holds.
func (c *claim) settle() {
	low, high := big.NewInt(-1<<59), big.NewInt(1<<59-1)
	for new(big.Int).Sub(high, low).Cmp(big.NewInt(1)) > 0 {
		c.d = new(big.Int).Add(low, high)
		c.d.Rsh(c.d, 1)
		if c.descend(); c.holds() {
			high = c.d
		} else {
			low = c.d
		}
	}
	c.d = high
	c.descend()
}

// rest returns the form's coefficients over the query, less what ranges cut off.
func (c *claim) rest() []*big.Int {
	rest := slices.Clone(c.form.C[:plain])
	for i, cut := range c.cut {
		rest[i] = new(big.Int).Sub(rest[i], cut)
	}
	return rest
}

func (c *claim) centre() *big.Int {
	centre := new(big.Int).Set(c.form.At(append(slices.Clone(c.query), c.found[:sensitive]...)))
	for i, cut := range c.cut {
		// g (x - low), or -g (high - x).
		end := c.low[i]
		if cut.Sign() < 0 {
			end = c.high[i]
		}
		centre.Sub(centre, new(big.Int).Mul(cut, new(big.Int).Sub(c.query[i], end)))
	}
	return centre
}

// radii returns c', r, rho and 2^kc r + rho.
func (c *claim) radii() (quotients []*big.Int, r, rho, reach *big.Int) {
	half, rests := new(big.Int).Rsh(new(big.Int).Lsh(big.NewInt(1), uint(c.kind.coarse)), 1), []*big.Int{}
	for _, coefficient := range c.rest() {
		quotient := new(big.Int).Add(coefficient, half)
		quotient.Rsh(quotient, uint(c.kind.coarse))
		quotients = append(quotients, quotient)
		rests = append(rests, new(big.Int).Sub(coefficient, new(big.Int).Lsh(quotient, uint(c.kind.coarse))))
	}
	r, rho = c.root(quotients), c.root(rests)
	r.Sub(r, big.NewInt(c.less[0]))
	rho.Sub(rho, big.NewInt(c.less[1]))
	return quotients, r, rho, new(big.Int).Add(new(big.Int).Lsh(r, uint(c.kind.coarse)), rho)
}

// root returns the least r with r^2 >= R2 |c|^2.
func (c *claim) root(form []*big.Int) *big.Int {
	square := oracle.Form{C: form}.NormSquared()
	square.Mul(square, big.NewInt(c.squared))
	root := new(big.Int).Sqrt(square)
	if new(big.Int).Mul(root, root).Cmp(square) < 0 {
		root.Add(root, big.NewInt(1))
	}
	return root
}

func (c *claim) holds() bool {
	_, _, _, reach := c.radii()
	return c.centre().Sign() > 0 && c.centre().Cmp(reach) >= 0
}

func (c *claim) given() []any {
	values := adversary.Join(77, adversary.Flat(c.network), c.w, c.d, c.query, c.squared)
	for slice := range c.rows {
		values = adversary.Join(values, c.rows[slice], c.upper[slice])
	}
	values = adversary.Join(values, c.slice, c.chosen)
	if c.kind.lookedUp {
		values = adversary.Join(values, c.found)
	}
	for at := len(c.steps) - 1; at >= 0; at-- {
		values = adversary.Join(values, adversary.Digits(c.steps[at].On), adversary.Digits(c.steps[at].Free))
	}
	values = append(values, c.multiplier)
	for at, step := range c.steps {
		values = adversary.Join(values, step.Lower, c.stages[at].Excess)
	}
	values = adversary.Join(values, adversary.Claims(c.steps, c.stages, c.form, c.query))
	quotients, r, rho, _ := c.radii()
	if c.kind.coarse > 0 {
		values = append(adversary.Join(values, r, quotients), rho)
	}
	values = adversary.Join(values, c.low, c.high, c.cut)
	for _, cut := range c.cut {
		values = append(values, adversary.Digits([]bool{cut.Sign() < 0})...)
	}
	return values
}

func each(t *testing.T, test func(t *testing.T, circuit *adversary.Circuit, draw func() *claim)) {
	for _, k := range kinds {
		t.Run(k.String(), func(t *testing.T) {
			source := rand.New(rand.NewPCG(10, 10))
			draw := func() *claim { return k.random(source) }
			test(t, k.compiled(t, len(draw().given())), draw)
		})
	}
}

// accepted expects the current numbers to pass.
func (c *claim) accepted(t *testing.T, circuit *adversary.Circuit, name string) {
	t.Helper()
	c.descend()
	circuit.Accepts(t, name, c.given()...)
}

// refused expects the current numbers, with everything that follows from them, to be refused.
func (c *claim) refused(t *testing.T, circuit *adversary.Circuit, name string) {
	t.Helper()
	c.descend()
	circuit.Refuses(t, name, c.given()...)
}

// A margin passes with the least constant that makes its form positive on the open ball, and not with one less.
func TestMargin(t *testing.T) {
	each(t, func(t *testing.T, circuit *adversary.Circuit, draw func() *claim) {
		for slice := range count {
			c := draw()
			c.take(slice)
			c.settle()
			c.accepted(t, circuit, "the least constant")
			c.d = new(big.Int).Sub(c.d, big.NewInt(1))
			c.refused(t, circuit, "one less")
		}
	})
}

// More than its least constant is needed as soon as its radius grows.
func TestRadiusCounts(t *testing.T) {
	each(t, func(t *testing.T, circuit *adversary.Circuit, draw func() *claim) {
		c := draw()
		c.squared += 300
		c.refused(t, circuit, "a larger ball")
		if c.kind.coarse == 0 {
			return
		}
		c = draw()
		c.less[0] = 1
		c.settle()
		c.refused(t, circuit, "a radius that is too small")
		c.less = [2]int64{0, 1}
		c.settle()
		c.refused(t, circuit, "a remainder's radius that is too small")
		c = draw()
		_, r, _, _ := c.radii()
		c.less[0] = 2 * r.Int64()
		c.settle()
		c.refused(t, circuit, "a negative radius")
	})
}

// A centre that is as far below 0 as the radius reaches has a square that is large enough, and is refused.
func TestNegativeCentre(t *testing.T) {
	each(t, func(t *testing.T, circuit *adversary.Circuit, draw func() *claim) {
		c := draw()
		c.d = big.NewInt(-1 << 59)
		c.descend()
		centre := c.centre()
		_, _, _, reach := c.radii()
		if centre.Sign() >= 0 || new(big.Int).Neg(centre).Cmp(reach) < 0 {
			t.Fatal("the centre is not as far below 0")
		}
		circuit.Refuses(t, "a negative centre", c.given()...)
	})
}

// M and A are from 0 to 2^q and the excess is at least 0, even if the form that follows is positive.
func TestMultipliersAreInTheirRange(t *testing.T) {
	each(t, func(t *testing.T, circuit *adversary.Circuit, draw func() *claim) {
		c := draw()
		for _, multiplier := range []int64{1<<q + 1, 1 << (q + 1)} {
			c.multiplier = multiplier
			c.settle()
			c.refused(t, circuit, fmt.Sprint("M = ", multiplier))
		}
		for at := range draw().steps {
			for i := range draw().steps[at].Lower {
				for _, slope := range []int64{-1, 1<<q + 1} {
					c := draw()
					c.steps[at].Lower[i] = big.NewInt(slope)
					c.settle()
					c.refused(t, circuit, fmt.Sprintf("step %d, neuron %d: A = %d", at, i, slope))
				}
				c := draw()
				step := &c.steps[at]
				if step.Free[i] {
					step.Overlap[i] = big.NewInt(-1)
					c.settle()
					c.refused(t, circuit, fmt.Sprintf("step %d, neuron %d: P or Q = -1", at, i))
					continue
				}
				step.Beta[i] = big.NewInt(-1)
				c.settle()
				c.refused(t, circuit, fmt.Sprintf("step %d, neuron %d: beta = -1", at, i))
				c = draw()
				c.steps[at].Beta[i] = big.NewInt(7)
				c.settle()
				c.accepted(t, circuit, fmt.Sprintf("step %d, neuron %d: beta", at, i))
			}
		}
	})
}

// P, and beta where the sign is known, fill their widths and are no wider.
func TestExcessHasItsWidth(t *testing.T) {
	each(t, func(t *testing.T, circuit *adversary.Circuit, draw func() *claim) {
		for at := range draw().steps {
			for i := range draw().steps[at].Lower {
				c := draw()
				step, value, bits := &c.steps[at], c.steps[at].Beta, c.kind.bits[at]+q
				largest := new(big.Int)
				if step.Free[i] {
					step.Overlap[i] = new(big.Int)
					c.descend()
					value, bits = step.Overlap, bits-q
					largest.Neg(c.stages[at].Positive[i])
				}
				largest.Add(largest, new(big.Int).Lsh(big.NewInt(1), uint(bits)))
				value[i] = largest
				c.settle()
				c.refused(t, circuit, fmt.Sprintf("step %d, neuron %d: beyond the width", at, i))
				value[i] = new(big.Int).Sub(largest, big.NewInt(1))
				c.settle()
				c.accepted(t, circuit, fmt.Sprintf("step %d, neuron %d: all of the width", at, i))
			}
		}
	})
}

// A part's sign cannot be used where the neuron is free: with the excess taken for beta there the form would be another.
func TestExcessIsNoBetaOnFreeNeurons(t *testing.T) {
	each(t, func(t *testing.T, circuit *adversary.Circuit, draw func() *claim) {
		c := draw()
		for at := range c.steps {
			for i, free := range c.steps[at].Free {
				if !free {
					continue
				}
				for _, on := range []bool{true, false} {
					other := draw()
					other.steps[at].Beta[i], other.steps[at].Free[i], other.steps[at].On[i] = big.NewInt(7), false, on
					other.settle()
					other.accepted(t, circuit, "with a sign")
					// The same claims, for a row in which the neuron is free.
					other.steps[at].Free[i], other.steps[at].On[i] = true, false
					circuit.Refuses(t, fmt.Sprintf("step %d, neuron %d", at, i), other.given()...)
				}
			}
		}
	})
}

// A negative M would turn the margin: where the form of -1 times it is positive, it is refused all the same.
func TestNegativeMultiplier(t *testing.T) {
	each(t, func(t *testing.T, circuit *adversary.Circuit, draw func() *claim) {
		c := draw()
		c.multiplier, c.d = -1, big.NewInt(-1<<59)
		if c.descend(); !c.holds() {
			t.Fatal("the form is not positive")
		}
		circuit.Refuses(t, "M = -1", c.given()...)
	})
}

// What a leaf takes of its slice is that slice's: not another's, and no mixture.
func TestSliceIsTheLeafs(t *testing.T) {
	each(t, func(t *testing.T, circuit *adversary.Circuit, draw func() *claim) {
		half := new(big.Int).ModInverse(big.NewInt(2), fr.Modulus())
		for name, change := range map[string]func(c *claim){
			"numbers of slice 2":          func(c *claim) { c.take(2); c.slice, c.chosen = 1, adversary.Digits(oracle.Pattern(2, count)) },
			"slice 2 chosen":              func(c *claim) { c.take(2); c.slice = 1 },
			"another slice named":         func(c *claim) { c.slice = 0 },
			"a slice that does not exist": func(c *claim) { c.slice = count },
			"none chosen":                 func(c *claim) { c.slice, c.chosen, c.found = 0, []any{0, 0, 0}, zeros(len(c.found)) },
			"two chosen": func(c *claim) {
				c.chosen = []any{1, 1, 0}
				c.found = sum(append(slices.Clone(c.rows[0]), c.upper[0]...), c.found)
			},
			"halves of slices 0 and 2": func(c *claim) {
				for _, slice := range []int{0, 2} {
					c.rows[slice], c.upper[slice] = even(c.rows[slice]), even(c.upper[slice])
				}
				c.found = sum(append(slices.Clone(c.rows[0]), c.upper[0]...), append(slices.Clone(c.rows[2]), c.upper[2]...))
				for _, value := range c.found {
					value.Rsh(value, 1)
				}
				c.chosen = []any{half, 0, half}
			},
		} {
			c := draw()
			change(c)
			c.settle()
			c.refused(t, circuit, name)
		}
		c := draw()
		if !c.kind.lookedUp {
			return
		}
		for i := range c.found {
			old := c.found[i]
			c.found[i] = new(big.Int).Add(old, big.NewInt(1))
			c.settle()
			c.refused(t, circuit, fmt.Sprint("number ", i, " of the slice"))
			c.found[i] = old
		}
	})
}

// A choice among slices that does not consist of bits is refused at compile time.
func TestChoiceIsOfBits(t *testing.T) {
	_, err := adversary.Try(1, func(a *bounded.Arith, wires []frontend.Variable) {
		leaf.Choose(a, []bounded.Int{a.Below(wires[0], 3), a.Constant(0)})
	})
	if err == nil || !strings.Contains(err.Error(), "[0, 2], want one of [0, 1]") {
		t.Errorf("a choice of 0, 1 or 2: %v", err)
	}
}

// The form that is 0 everywhere is at least its reach, 0; but it proves nothing, and is refused: M = 0 needs beta.
func TestZeroFormProvesNothing(t *testing.T) {
	each(t, func(t *testing.T, circuit *adversary.Circuit, draw func() *claim) {
		c := draw()
		c.multiplier = 0
		for at := range c.steps {
			for i := range c.steps[at].Beta {
				c.steps[at].Beta[i], c.steps[at].Overlap[i] = new(big.Int), new(big.Int)
			}
		}
		for i := range c.cut {
			c.cut[i] = new(big.Int)
		}
		c.descend()
		if _, _, _, reach := c.radii(); c.centre().Sign() != 0 || reach.Sign() != 0 {
			t.Fatal("the form is not 0")
		}
		circuit.Refuses(t, "M = 0 and nothing else", c.given()...)
	})
}

// M = 0 shows that a part is empty: one neuron is -10 on the whole ball but for less than 5, and cannot be on. Off, on a
// ball that reaches 0 and free it proves nothing.
func TestEmptyPart(t *testing.T) {
	k := kinds[0]
	c := k.random(rand.New(rand.NewPCG(1, 1)))
	circuit := k.compiled(t, len(c.given()))
	c.network[0].Weights[0] = []*big.Int{big.NewInt(3), big.NewInt(4), big.NewInt(0), big.NewInt(0)}
	c.query = []*big.Int{big.NewInt(0), big.NewInt(0)}
	c.multiplier, c.squared = 0, 1
	c.steps[0].Beta[0], c.steps[0].Overlap[0] = big.NewInt(1), new(big.Int)
	try := func(bias int64, on bool) *claim {
		c.network[0].Biases[0] = big.NewInt(bias)
		c.steps[0] = oracle.Step{Layer: c.network[0], On: []bool{on}, Free: []bool{false}, Lower: c.steps[0].Lower,
			Beta: c.steps[0].Beta, Overlap: c.steps[0].Overlap}
		return c
	}
	try(-10, true).accepted(t, circuit, "on where it is negative")
	try(10, false).accepted(t, circuit, "off where it is positive")
	try(-5, true).accepted(t, circuit, "on where it is negative but at the sphere")
	try(-4, true).refused(t, circuit, "on where it is almost everywhere negative")
	try(4, false).refused(t, circuit, "off where it is almost everywhere positive")
	try(10, true).refused(t, circuit, "on where it is positive")
	try(-10, false).refused(t, circuit, "off where it is negative")
}

// All wires of the identities are in the commitment; there is one commitment.
func TestEveryWireIsCommitted(t *testing.T) {
	each(t, func(t *testing.T, circuit *adversary.Circuit, _ func() *claim) {
		if uncovered := circuit.Prover.System.Uncovered(); len(uncovered) > 0 {
			t.Errorf("wires %v of challenged rows are not committed", uncovered)
		}
	})
}

func zeros(n int) []*big.Int {
	values := make([]*big.Int, n)
	for i := range values {
		values[i] = new(big.Int)
	}
	return values
}

// even rounds numbers down to even ones.
func even(x []*big.Int) []*big.Int {
	values := make([]*big.Int, len(x))
	for i := range values {
		values[i] = new(big.Int).Rsh(x[i], 1)
		values[i].Lsh(values[i], 1)
	}
	return values
}

func sum(x, y []*big.Int) []*big.Int {
	values := make([]*big.Int, len(x))
	for i := range values {
		values[i] = new(big.Int).Add(x[i], y[i])
	}
	return values
}

// In a box a form is at least 1 behind its fall, which may be below 0.
func TestInBox(t *testing.T) {
	circuit := adversary.Compile(t, 2, func(a *bounded.Arith, wires []frontend.Variable) {
		leaf.AssertInBox(a, backward.Form{Centre: a.Signed(wires[0], 8)}, a.Signed(wires[1], 8))
	})
	circuit.Accepts(t, "one more than it falls", 8, 7)
	circuit.Accepts(t, "as it rises", -5, -6)
	circuit.Accepts(t, "the widest", 127, -128)
	circuit.Refuses(t, "a tie", 7, 7)
	circuit.Refuses(t, "below 0 at the centre, and no rise", -1, 0)
	circuit.Refuses(t, "above 0 at the centre alone", 8, 20)
}
