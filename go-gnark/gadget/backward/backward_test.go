package backward_test

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
	"equiproof/gadget/product"
	"equiproof/gadget/relaxation"
	"equiproof/internal/adversary"
	"equiproof/internal/oracle"
)

const (
	plain, sensitive = 2, 2
	inputs           = plain + sensitive
	q                = 4
	offsetBits       = 30
)

// kind is a shape of passes: hidden layers from the first, k and the width of P and Q of each from the highest, and whether
// signs are known.
type kind struct {
	hidden, roundings, bits []int
	signs                   bool
}

var kinds = []kind{
	{[]int{2}, []int{0}, []int{9}, false},
	{[]int{3}, []int{0}, []int{9}, true},
	{[]int{2, 2}, []int{0, 0}, []int{9, 28}, false},
	{[]int{2, 3}, []int{0, 0}, []int{9, 28}, true},
	{[]int{2, 2}, []int{0, 5}, []int{9, 23}, false},
	{[]int{2, 1, 3}, []int{0, 3, 9}, []int{9, 25, 40}, true},
}

func (k kind) String() string {
	return fmt.Sprintf("hidden %v, rounded by %v, signs %v", k.hidden, k.roundings, k.signs)
}

// sizes lists the layers from the highest to the inputs.
func (k kind) sizes() []int {
	sizes := append([]int{inputs}, k.hidden...)
	slices.Reverse(sizes)
	return sizes
}

// compiled compiles passes: statement, network, query and sensitive columns, lambda, without signs which are negative, and kappa, per
// layer from the highest A, K, T and where signs are known on, free and the excess; the claims, and what the form must be: its coefficients
// over the n_x columns and its centre.
func (k kind) compiled(t *testing.T, wires int) *adversary.Circuit {
	return adversary.Compile(t, wires, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		argument := product.New(a, take.Take(1)[0])
		hidden := take.Layers(a, append([]int{inputs}, k.hidden...), 8, 16)
		query, s := take.Signed(a, plain, 11), take.Signed(a, sensitive, 11)
		top := k.hidden[len(k.hidden)-1]
		var over backward.Over
		if k.signs {
			over.Coefficients = take.Signed(a, top, 9)
		} else {
			_, over.Split = backward.NewSplit(a, take.Take(top), take.Take(top), 9)
		}
		kappa := take.Signed(a, 1, 20)[0]
		slopes, network := relaxation.NewSlopes(a, q), backward.New(a, argument, hidden, query, q)
		var layers []backward.Layer
		for at := range k.roundings {
			layers = append(layers, k.layer(a, network, slopes, take, at))
		}
		steps := take.Steps(k.sizes(), k.roundings, k.bits, k.signs)
		for at := range steps {
			steps[at].Through = layers[at]
		}
		form := network.Descend(a, over, kappa, steps, s)
		for _, value := range append(form.Coefficients, form.Centre) {
			a.API().AssertIsEqual(value.Wire(), take.Take(1)[0])
		}
		if len(take.Rest) > 0 {
			t.Fatalf("%d numbers are missing", len(take.Rest))
		}
	})
}

func (k kind) layer(a *bounded.Arith, network *backward.Network, checked *relaxation.Slopes, take *adversary.Wires,
	at int,
) backward.Layer {
	size, j := k.sizes()[at], len(k.hidden)-at
	var layer backward.Layer
	var lower []bounded.Int
	for _, wire := range take.Take(size) {
		lower = append(lower, checked.Check(a, wire))
	}
	var lines []relaxation.Line
	slopes, offsets := take.Take(size), take.Take(size)
	for i := range slopes {
		line := relaxation.Line{Slope: checked.Check(a, slopes[i]), Offset: a.Unsigned(offsets[i], offsetBits)}
		lines = append(lines, line)
	}
	layer.Upper = network.Upper(a, j, lines)
	if !k.signs {
		layer.Lower = network.Lower(j, lower)
		return layer
	}
	layer.Lower.Slopes = lower
	layer.Signs = &backward.Signs{On: take.Bits(a, size), Free: take.Bits(a, size), Bits: k.bits[at]}
	for _, wire := range take.Take(size) {
		layer.Signs.Excess = append(layer.Signs.Excess, a.Unsigned(wire, k.bits[at]+q))
	}
	return layer
}

// pass is a pass in plain integers.
type pass struct {
	kind     kind
	network  oracle.Network
	query, s []*big.Int
	lambda   []*big.Int
	kappa    *big.Int
	steps    []oracle.Step
	stages   []oracle.Stage
	form     oracle.Form
}

// random draws a pass; P and Q have something in common.
func (k kind) random(source *rand.Rand) *pass {
	p := &pass{kind: k, network: oracle.Random(source, append([]int{inputs}, k.hidden...), 127, 30000)}
	p.query, p.s = oracle.Vector(source, plain, 1000), oracle.Vector(source, sensitive, 1000)
	p.lambda, p.kappa = oracle.Vector(source, k.hidden[len(k.hidden)-1], 255), oracle.Vector(source, 1, 1<<18)[0]
	for at, size := range k.sizes()[:len(k.hidden)] {
		step := oracle.Step{Layer: p.network[len(k.hidden)-1-at], Rounding: uint(k.roundings[at])}
		for range size {
			step.Lower = append(step.Lower, big.NewInt(source.Int64N(1<<q+1)))
			step.Upper = append(step.Upper, big.NewInt(source.Int64N(1<<q+1)))
			step.Offset = append(step.Offset, big.NewInt(source.Int64N(1<<offsetBits)))
			overlap := source.Int64N(50)
			if at == 0 && !k.signs {
				overlap = 0 // the parts are those of the weights
			}
			step.Overlap = append(step.Overlap, big.NewInt(overlap))
			if k.signs {
				sign := source.IntN(3)
				step.On, step.Free = append(step.On, sign == 1), append(step.Free, sign == 0)
				step.Beta = append(step.Beta, big.NewInt(int64(min(sign, 1))*source.Int64N(1000)))
			}
		}
		p.steps = append(p.steps, step)
	}
	p.descend()
	return p
}

func (p *pass) descend() {
	p.stages, p.form = oracle.Descend(p.lambda, p.kappa, p.steps, q)
}

// inputs lists the wires before the claims, and given all of them.
func (p *pass) inputs() []any {
	values := adversary.Join(77, adversary.Flat(p.network), p.query, p.s, p.lambda)
	if !p.kind.signs {
		for _, coefficient := range p.lambda {
			values = append(values, adversary.Digits([]bool{coefficient.Sign() < 0})...)
		}
	}
	values = append(values, p.kappa)
	for at, step := range p.steps {
		values = adversary.Join(values, step.Lower, step.Upper, step.Offset)
		if p.kind.signs {
			values = adversary.Join(values, adversary.Digits(step.On), adversary.Digits(step.Free), p.stages[at].Excess)
		}
	}
	return values
}

func (p *pass) claims() []any { return adversary.Claims(p.steps, p.stages, p.form, p.query) }

func (p *pass) result() []any {
	centre := p.form.At(append(slices.Clone(p.query), p.s...))
	return adversary.Join(p.form.C[:plain], centre)
}

func (p *pass) given() []any { return adversary.Join(p.inputs(), p.claims(), p.result()) }

func each(t *testing.T, test func(t *testing.T, k kind, circuit *adversary.Circuit, source *rand.Rand)) {
	for _, k := range kinds {
		t.Run(k.String(), func(t *testing.T) {
			source := rand.New(rand.NewPCG(8, 8))
			test(t, k, k.compiled(t, len(k.random(source).given())), source)
		})
	}
}

// The form is that of the rules in plain integers, for random numbers of all kinds; any other result is refused.
func TestFormsAreThoseOfTheRules(t *testing.T) {
	each(t, func(t *testing.T, k kind, circuit *adversary.Circuit, source *rand.Rand) {
		for range 5 {
			p := k.random(source)
			circuit.Accepts(t, "honest", p.given()...)
			wrong := p.given()
			at := len(wrong) - 1 - source.IntN(plain+1)
			wrong[at] = new(big.Int).Add(wrong[at].(*big.Int), big.NewInt(1))
			circuit.Refuses(t, "another form", wrong...)
		}
	})
}

// Every claim is held: each changed alone is refused, by one or by 2^k, also together with the result that it would lead to.
func TestEveryClaimIsHeld(t *testing.T) {
	each(t, func(t *testing.T, k kind, circuit *adversary.Circuit, source *rand.Rand) {
		p := k.random(source)
		claims := p.claims()
		for at := range claims {
			for _, step := range []int64{1, -1, 1 << 5} {
				wrong := slices.Clone(claims)
				wrong[at] = new(big.Int).Add(wrong[at].(*big.Int), big.NewInt(step))
				circuit.Refuses(t, fmt.Sprintf("claim %d", at), adversary.Join(p.inputs(), wrong, p.result())...)
				// The last claims are the coefficients over the inputs.
				if column := at - (len(claims) - inputs); column >= 0 && column < plain {
					result := p.result()
					result[column] = wrong[at]
					circuit.Refuses(t, fmt.Sprintf("claim %d in the form", at), adversary.Join(p.inputs(), wrong, result)...)
				}
			}
		}
	})
}

// refused goes on with a changed pass as the rules would, and expects it to be refused.
func (p *pass) refused(t *testing.T, circuit *adversary.Circuit, name string) {
	t.Helper()
	p.descend()
	circuit.Refuses(t, name, p.given()...)
}

// P and Q are at least 0 in every layer, and within their width, whatever follows from them is right: P - Q = lambda alone
// is not enough.
func TestPartsAreNotNegative(t *testing.T) {
	each(t, func(t *testing.T, k kind, circuit *adversary.Circuit, source *rand.Rand) {
		p := k.random(source)
		for at := range p.steps {
			for i := range p.steps[at].Overlap {
				if k.signs && !p.steps[at].Free[i] || !k.signs && at == 0 {
					continue
				}
				old := p.steps[at].Overlap[i]
				for _, overlap := range []int64{-1, -1 << 20} {
					p.steps[at].Overlap[i] = big.NewInt(overlap)
					p.refused(t, circuit, fmt.Sprintf("step %d, neuron %d: overlap %d", at, i, overlap))
				}
				p.steps[at].Overlap[i] = new(big.Int)
				p.descend()
				larger := p.stages[at].Positive[i]
				if other := p.stages[at].Negative[i]; !k.signs && other.Cmp(larger) > 0 {
					larger = other
				}
				beyond := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(k.bits[at])), larger)
				p.steps[at].Overlap[i] = beyond
				p.refused(t, circuit, fmt.Sprintf("step %d, neuron %d: the larger part beyond its width", at, i))
				p.steps[at].Overlap[i] = new(big.Int).Sub(beyond, big.NewInt(1))
				p.descend()
				circuit.Accepts(t, fmt.Sprintf("step %d, neuron %d: the larger part fills its width", at, i), p.given()...)
				p.steps[at].Overlap[i] = old
			}
		}
		p.descend()
		circuit.Accepts(t, "as drawn", p.given()...)
	})
}

// Neither part is below 0 where the other one is 0: not Q for a coefficient above 0, nor P for one below.
func TestOnePartBelowZero(t *testing.T) {
	each(t, func(t *testing.T, k kind, circuit *adversary.Circuit, source *rand.Rand) {
		for range 8 {
			p := k.random(source)
			for at := range p.steps {
				for i := range p.steps[at].Overlap {
					if k.signs && !p.steps[at].Free[i] || !k.signs && at == 0 {
						continue
					}
					old := p.steps[at].Overlap[i]
					p.steps[at].Overlap[i] = new(big.Int)
					p.descend()
					part := new(big.Int).Add(p.stages[at].Positive[i], p.stages[at].Negative[i])
					if part.Sign() > 0 {
						p.steps[at].Overlap[i] = part.Neg(part)
						p.refused(t, circuit, fmt.Sprintf("step %d, neuron %d: one part below 0", at, i))
					}
					p.steps[at].Overlap[i] = old
				}
			}
		}
	})
}

// At the top of a bound's pass the parts are those of the coefficient, with its own sign: with the other one P and Q would be
// negative.
func TestSignsOfCoefficients(t *testing.T) {
	each(t, func(t *testing.T, k kind, circuit *adversary.Circuit, source *rand.Rand) {
		if k.signs {
			return
		}
		p := k.random(source)
		for i, coefficient := range p.lambda {
			for _, value := range []int64{5, -5, 0, 255, -256} {
				*coefficient = *big.NewInt(value)
				p.descend()
				circuit.Accepts(t, "its own sign", p.given()...)
				// lambda = P - Q with P = 0, Q = -lambda for a positive one, P = lambda and Q = 0 for a negative one.
				p.steps[0].Overlap[i] = new(big.Int).Neg(new(big.Int).Abs(coefficient))
				p.descend()
				given := p.given()
				at := len(adversary.Join(77, adversary.Flat(p.network), p.query, p.s, p.lambda)) + i
				given[at] = 1 - given[at].(int)
				circuit.Refuses(t, "the other sign", given...)
				p.steps[0].Overlap[i] = new(big.Int)
			}
			for _, value := range []int64{256, -257} {
				*coefficient = *big.NewInt(value)
				p.refused(t, circuit, "a coefficient beyond its width")
			}
			*coefficient = *big.NewInt(7)
		}
	})
}

// Rounding is down by less than 2^k, of every coefficient and of the constant, whatever follows from it is right: neither up,
// which is no lower bound, nor further down.
func TestRoundingIsDown(t *testing.T) {
	each(t, func(t *testing.T, k kind, circuit *adversary.Circuit, source *rand.Rand) {
		p := k.random(source)
		for at := range p.steps {
			if k.roundings[at] == 0 {
				continue
			}
			for i := range len(p.steps[at].Lower) + 1 {
				for _, lifted := range []int64{1, -1} {
					p.steps[at].Lifted = oracle.Vector(source, len(p.steps[at].Lower)+1, 0)
					p.steps[at].Lifted[i] = big.NewInt(lifted)
					p.refused(t, circuit, fmt.Sprintf("step %d, number %d: %d", at, i, lifted))
				}
			}
			p.steps[at].Lifted = nil
		}
		p.descend()
		circuit.Accepts(t, "as drawn", p.given()...)
	})
}

// What is rounded down is an integer of its width, also where no split holds it: for a neuron that is on, a fraction of the
// field would leave no remainder at all.
func TestRoundedCoefficientsAreIntegers(t *testing.T) {
	each(t, func(t *testing.T, k kind, circuit *adversary.Circuit, source *rand.Rand) {
		last := len(k.roundings) - 1
		if !k.signs || k.roundings[last] == 0 {
			return
		}
		p := k.random(source)
		step := &p.steps[last]
		step.On[0], step.Free[0] = true, false
		p.descend()
		circuit.Accepts(t, "on", p.given()...)
		shift := new(big.Int).ModInverse(new(big.Int).Lsh(big.NewInt(1), step.Rounding), fr.Modulus())
		fraction := shift.Mul(shift, p.stages[last].Exact[0])
		step.Lifted = oracle.Vector(source, len(step.Lower)+1, 0)
		step.Lifted[0] = fraction.Sub(fraction.Mod(fraction, fr.Modulus()), p.stages[last].Floor[0])
		p.refused(t, circuit, "a fraction")
	})
}

// change sets one number of a row.
type change struct {
	name  string
	row   []*big.Int
	value int64
}

// Slopes are from 0 to 2^q and offsets at least 0, beta, too, in every layer.
func TestMultipliersAreInTheirRange(t *testing.T) {
	each(t, func(t *testing.T, k kind, circuit *adversary.Circuit, source *rand.Rand) {
		p := k.random(source)
		for at := range p.steps {
			step := &p.steps[at]
			for i := range step.Lower {
				changes := []change{
					{"A = -1", step.Lower, -1}, {"A = 2^q + 1", step.Lower, 1<<q + 1}, {"K = -1", step.Upper, -1},
					{"K = 2^q + 1", step.Upper, 1<<q + 1}, {"T = -1", step.Offset, -1},
				}
				if k.signs && !step.Free[i] {
					changes = append(changes, change{"beta = -1", step.Beta, -1})
				}
				for _, change := range changes {
					old := change.row[i]
					change.row[i] = big.NewInt(change.value)
					p.refused(t, circuit, fmt.Sprintf("step %d, neuron %d: %s", at, i, change.name))
					change.row[i] = old
				}
			}
		}
	})
}

// Lower slopes, an excess and signs whose bounds say nothing are refused at compile time, and so is a rounding at the first
// step: the constant alone would be divided by it.
func TestBoundsAreDemanded(t *testing.T) {
	for want, wide := range map[string]string{
		"": "", "[0, 31], want one of [0, 16]": "lower", "[-16, 15], want one of [0, 15]": "excess", "[0, 2], want": "on",
		"[0, 4], want": "free", "the first step of a pass is rounded by 2^2": "rounding",
	} {
		_, err := adversary.Try(1+2+1+4+1, func(a *bounded.Arith, wires []frontend.Variable) {
			take := &adversary.Wires{Rest: wires}
			argument := product.New(a, take.Take(1)[0])
			hidden := take.Layers(a, []int{1, 1}, 4, 4)
			wire, rounding := take.Take(1)[0], 0
			values := map[string]bounded.Int{"lower": a.Bit(wire), "excess": a.Bit(wire), "on": a.Constant(1), "free": a.Constant(0)}
			switch wide {
			case "lower":
				values[wide] = a.Unsigned(wire, 5)
			case "excess":
				values[wide] = a.Signed(wire, 5)
			case "on":
				values[wide] = a.Below(wire, 3)
			case "free":
				values[wide] = a.Below(wire, 5)
			case "rounding":
				rounding = 2
			}
			one := func(name string) []bounded.Int { return []bounded.Int{values[name]} }
			network := backward.New(a, argument, hidden, nil, q)
			steps := take.Steps([]int{1, 1}, []int{rounding}, []int{3}, true)
			lines := []relaxation.Line{{Slope: a.Constant(1), Offset: a.Constant(1)}}
			steps[0].Through = backward.Layer{
				Lower: backward.Lower{Slopes: one("lower")}, Upper: network.Upper(a, 1, lines),
				Signs: &backward.Signs{On: one("on"), Free: one("free"), Excess: one("excess"), Bits: 3},
			}
			lambda := []bounded.Int{a.Constant(1)}
			network.Descend(a, backward.Over{Coefficients: lambda}, lambda[0], steps, lambda)
		})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("wide %q: %v, want %q", wide, err, want)
		}
	}
}

// The sign decides how a neuron is passed: another sign with the same claims is refused.
func TestSignsDecide(t *testing.T) {
	each(t, func(t *testing.T, k kind, circuit *adversary.Circuit, source *rand.Rand) {
		if !k.signs {
			return
		}
		p := k.random(source)
		for at := range p.steps {
			for i := range p.steps[at].On {
				on, free := slices.Clone(p.steps[at].On), slices.Clone(p.steps[at].Free)
				other := *p
				other.steps = slices.Clone(p.steps)
				other.steps[at].On, other.steps[at].Free = on, free
				switch {
				case on[i]:
					on[i] = false
				case free[i]:
					on[i], free[i] = true, false
				default:
					on[i] = true
				}
				circuit.Refuses(t, fmt.Sprintf("step %d, neuron %d", at, i), adversary.Join(other.inputs(), p.claims(), p.result())...)
			}
		}
	})
}

// All wires of the identities are in the commitment; there is one commitment.
func TestEveryWireIsCommitted(t *testing.T) {
	each(t, func(t *testing.T, _ kind, circuit *adversary.Circuit, _ *rand.Rand) {
		if uncovered := circuit.Prover.System.Uncovered(); len(uncovered) > 0 {
			t.Errorf("wires %v of challenged rows are not committed", uncovered)
		}
	})
}

// A form bounds the network from below where its lines and signs hold: at random points of a box, 2^(q n) lambda.h is at
// least 2^(sum of k) times the form, with lines that are drawn over the bounds of the box.
func TestFormsAreBounds(t *testing.T) {
	for _, k := range kinds {
		source := rand.New(rand.NewPCG(9, 9))
		for range 20 {
			p := k.random(source)
			p.relax(source)
			for range 20 {
				x := append(slices.Clone(p.query), p.s...)
				for j := range x {
					x[j] = new(big.Int).Add(x[j], big.NewInt(source.Int64N(2*box+1)-box))
				}
				if value, form := p.values(x); value.Cmp(form) < 0 {
					t.Fatalf("%v: the form is above the value by %v", k, form.Sub(form, value))
				}
			}
		}
	}
}

const box = 20

// relax draws upper lines that hold over the box around the query, layer by layer, and leaves only free neurons.
func (p *pass) relax(source *rand.Rand) {
	var centre, reach []*big.Int
	for _, x := range append(slices.Clone(p.query), p.s...) {
		centre, reach = append(centre, x), append(reach, big.NewInt(box))
	}
	unit := big.NewInt(1 << q)
	for j, layer := range p.network {
		step := &p.steps[len(p.steps)-1-j]
		var above []*big.Int
		for i, row := range layer.Weights {
			middle, width := new(big.Int).Set(layer.Biases[i]), new(big.Int)
			for k, weight := range row {
				middle.Add(middle, new(big.Int).Mul(weight, centre[k]))
				width.Add(width, new(big.Int).Mul(new(big.Int).Abs(weight), reach[k]))
			}
			// K z + T is above 2^q relu(z) at both ends with T the largest of what each asks for.
			offset, slope := new(big.Int), step.Upper[i]
			for _, end := range []*big.Int{new(big.Int).Sub(middle, width), new(big.Int).Add(middle, width)} {
				for _, most := range []*big.Int{new(big.Int), new(big.Int).Mul(unit, end)} {
					if least := most.Sub(most, new(big.Int).Mul(slope, end)); least.Cmp(offset) > 0 {
						offset = least
					}
				}
			}
			step.Offset[i] = offset
			above = append(above, middle.Abs(middle).Add(middle, width))
		}
		// 0 <= h <= |middle| + width.
		centre, reach = nil, nil
		for i := range above {
			up := new(big.Int).Rsh(above[i], 1)
			centre, reach = append(centre, up), append(reach, new(big.Int).Add(up, big.NewInt(1)))
		}
	}
	for at := range p.steps {
		p.steps[at].On = nil
	}
	p.descend()
}

// values returns 2^(q n) (lambda.h + kappa) and 2^(sum of k) times the form, at a point.
func (p *pass) values(x []*big.Int) (value, form *big.Int) {
	form = p.form.At(x)
	h := x
	for _, layer := range p.network {
		next := make([]*big.Int, len(layer.Biases))
		for i, row := range layer.Weights {
			next[i] = new(big.Int).Set(layer.Biases[i])
			for k, weight := range row {
				next[i].Add(next[i], new(big.Int).Mul(weight, h[k]))
			}
			if next[i].Sign() < 0 {
				next[i].SetInt64(0)
			}
		}
		h = next
	}
	value = new(big.Int).Set(p.kappa)
	for i, coefficient := range p.lambda {
		value.Add(value, new(big.Int).Mul(coefficient, h[i]))
	}
	value.Lsh(value, uint(q*len(p.network)))
	for _, k := range p.kind.roundings {
		form.Lsh(form, uint(k))
	}
	return value, form
}
