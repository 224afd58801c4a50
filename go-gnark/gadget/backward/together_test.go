package backward_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/backward"
	"equiproof/gadget/bounded"
	"equiproof/gadget/product"
	"equiproof/gadget/relaxation"
	"equiproof/internal/adversary"
	"equiproof/internal/oracle"
)

// rows is how many neurons the layer has whose bounds begin together.
const rows = 2

// together compiles the passes of a layer's lower and upper bounds: statement, network, query and sensitive columns, the
// weights of that layer and which are negative, kappa, the lines; then for each neuron and bound the claims and the form.
func (k kind) together(t *testing.T, wires int) *adversary.Circuit {
	return adversary.Compile(t, wires, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		argument := product.New(a, take.Take(1)[0])
		hidden := take.Layers(a, append([]int{inputs}, k.hidden...), 8, 16)
		query, s := take.Signed(a, plain, 11), take.Signed(a, sensitive, 11)
		top := k.hidden[len(k.hidden)-1]
		var splits []backward.Split
		for range rows {
			_, split := backward.NewSplit(a, take.Take(top), take.Take(top), 9)
			splits = append(splits, split)
		}
		kappa := take.Signed(a, 1, 20)[0]
		slopes, network := relaxation.NewSlopes(a, q), backward.New(a, argument, hidden, query, q)
		var layers []backward.Layer
		for at := range k.roundings {
			layers = append(layers, k.layer(a, network, slopes, take, at))
		}
		below, above := network.Tops(network.Together(splits), layers[0].Lower, layers[0].Upper)
		for i := range splits {
			for _, over := range []backward.Over{below[i], above[i]} {
				steps := take.Steps(k.sizes(), k.roundings, k.bits, false)
				for at := range steps {
					steps[at].Through = layers[at]
				}
				form := network.Descend(a, over, kappa, steps, s)
				for _, value := range append(form.Coefficients, form.Centre) {
					a.API().AssertIsEqual(value.Wire(), take.Take(1)[0])
				}
			}
		}
	})
}

// passes draws the rows of a layer and the passes of its bounds, and lists the wires before the passes, and theirs.
func (k kind) passes(source *rand.Rand) (values, ends []any) {
	p := k.random(source)
	values = adversary.Join(77, adversary.Flat(p.network), p.query, p.s)
	for range rows {
		weights := oracle.Vector(source, len(p.lambda), 255)
		negative := make([]bool, len(weights))
		for i, weight := range weights {
			negative[i] = weight.Sign() < 0
		}
		values = adversary.Join(values, weights, adversary.Digits(negative))
		for _, sign := range []int64{1, -1} {
			p.lambda = nil
			for _, weight := range weights {
				p.lambda = append(p.lambda, new(big.Int).Mul(weight, big.NewInt(sign)))
			}
			p.descend()
			ends = adversary.Join(ends, p.claims(), p.result())
		}
	}
	values = append(values, p.kappa)
	for _, step := range p.steps {
		values = adversary.Join(values, step.Lower, step.Upper, step.Offset)
	}
	return values, ends
}

// Bounds that begin together are those of their own neurons: lower ones of the weights, upper ones of the negative
// weights. Every form, and every number that is claimed on the way to it, is held.
func TestBoundsThatBeginTogether(t *testing.T) {
	for _, k := range kinds {
		if k.signs {
			continue
		}
		t.Run(k.String(), func(t *testing.T) {
			source := rand.New(rand.NewPCG(9, 9))
			values, ends := k.passes(source)
			circuit := k.together(t, len(values)+len(ends))
			circuit.Accepts(t, "honest", adversary.Join(values, ends)...)
			for at, value := range ends {
				wrong := slices.Clone(ends)
				wrong[at] = new(big.Int).Add(value.(*big.Int), big.NewInt(1))
				circuit.Refuses(t, fmt.Sprint("number ", at), adversary.Join(values, wrong)...)
			}
		})
	}
}
