package tree_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/tree"
	"equiproof/internal/adversary"
)

// row is a row of a tree in numbers: slice, and a sign per neuron.
type row struct {
	slice any
	signs []any
}

// halves says how a row is split.
type halves struct {
	chosen            []any
	onChild, offChild any
}

// forest is a tree over every slice: its first rows are split.
type forest struct {
	roots  []any
	rows   []row
	splits []halves
}

// bits returns n zeros with ones at the given places.
func bits(n int, set ...int) []any {
	found := make([]any, n)
	for i := range found {
		found[i] = 0
		if slices.Contains(set, i) {
			found[i] = 1
		}
	}
	return found
}

// signs returns n zeros with ones at the places of on and their negatives at those of off.
func signs(n int, on, off []int) []any {
	found := bits(n, on...)
	for _, i := range off {
		found[i] = -1
	}
	return found
}

// compiled compiles trees of so many slices, neurons, rows and splits.
func compiled(t *testing.T, slices, neurons, rows, splits int) *adversary.Circuit {
	wires := slices + rows*(1+neurons) + splits*(neurons+2)
	return adversary.Compile(t, wires, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		roots := take.Take(slices)
		var all []tree.Row
		for range rows {
			slice := a.Below(take.Take(1)[0], slices)
			all = append(all, tree.Row{Slice: slice, Signs: tree.NewSigns(a, take.Take(neurons))})
		}
		grown := tree.New(a, all, slices)
		for slice, root := range roots {
			grown.Root(slice, root)
		}
		for at := range splits {
			chosen := take.Bits(a, neurons)
			grown.Split(at, chosen, take.Take(1)[0], take.Take(1)[0])
		}
	})
}

func (f forest) given() []any {
	values := adversary.Join(f.roots)
	for _, r := range f.rows {
		values = adversary.Join(values, r.slice, r.signs)
	}
	for _, s := range f.splits {
		values = adversary.Join(values, s.chosen, s.onChild, s.offChild)
	}
	return values
}

const neurons = 3

// part is a row of three neurons.
func part(slice int, on, off []int) row {
	return row{slice, signs(neurons, on, off)}
}

// grown is a tree of two slices: slice 0 is split by neuron 1, its half with neuron 1 off by neuron 2; slice 1 is a leaf.
func grown() forest {
	return forest{
		roots: []any{0, 5},
		rows: []row{
			part(0, nil, nil), part(0, nil, []int{1}),
			part(0, []int{1}, nil), part(0, []int{2}, []int{1}), part(0, nil, []int{1, 2}), part(1, nil, nil),
		},
		splits: []halves{{bits(neurons, 1), 2, 1}, {bits(neurons, 2), 3, 4}},
	}
}

// repeated is a tree whose row 0 stands there twice, and whose row 4 nothing leads to.
func repeated() forest {
	f := grown()
	f.rows[1], f.rows[3] = f.rows[0], part(0, nil, []int{1})
	f.splits[0] = halves{bits(neurons, 1), 2, 3}
	f.splits[1] = f.splits[0]
	return f
}

func like(t *testing.T, f forest) *adversary.Circuit {
	return compiled(t, len(f.roots), len(f.rows[0].signs), len(f.rows), len(f.splits))
}

// A tree passes whose splits have their halves among the rows; rows may repeat, and any of them may be named.
func TestTree(t *testing.T) {
	f := grown()
	circuit := like(t, f)
	circuit.Accepts(t, "grown", f.given()...)
	f.rows[5], f.rows[2] = f.rows[2], f.rows[5]
	f.roots[1], f.splits[0].onChild = 2, 5
	circuit.Accepts(t, "rows in another order", f.given()...)
	f = repeated()
	for root := range 2 {
		f.roots[0] = root
		circuit.Accepts(t, "a root that is there twice", f.given()...)
	}
}

// refuses tries a tree that differs in one thing.
func refuses(t *testing.T, circuit *adversary.Circuit, name string, change func(f *forest)) {
	t.Helper()
	f := grown()
	change(&f)
	circuit.Refuses(t, name, f.given()...)
}

// A root is its slice's row without signs: no other slice's, no part of it, no index outside the table.
func TestRoots(t *testing.T) {
	circuit := like(t, grown())
	half := new(big.Int).ModInverse(big.NewInt(2), fr.Modulus())
	for _, root := range []any{1, 2, 3, 4, 5, 6, -1, 1 << 40, half} {
		refuses(t, circuit, fmt.Sprint("root of slice 0: ", root), func(f *forest) { f.roots[0] = root })
	}
	refuses(t, circuit, "one root for both slices", func(f *forest) { f.roots[1] = 0 })
	refuses(t, circuit, "a root that is not the whole ball", func(f *forest) { f.rows[5] = part(1, []int{0}, nil) })
	refuses(t, circuit, "a root of another slice", func(f *forest) { f.rows[5] = part(0, nil, nil) })
}

// The children are the row with just the chosen neuron on, and with just it off.
func TestChildren(t *testing.T) {
	circuit := like(t, grown())
	for at := range 7 {
		if at != 2 {
			refuses(t, circuit, fmt.Sprint("on: row ", at), func(f *forest) { f.splits[0].onChild = at })
		}
		if at != 1 {
			refuses(t, circuit, fmt.Sprint("off: row ", at), func(f *forest) { f.splits[0].offChild = at })
		}
	}
	refuses(t, circuit, "both on", func(f *forest) { f.splits[0].offChild = 2 })
	refuses(t, circuit, "both off", func(f *forest) { f.splits[0].onChild = 1 })
	refuses(t, circuit, "swapped", func(f *forest) { f.splits[0].onChild, f.splits[0].offChild = 1, 2 })
	refuses(t, circuit, "a child that frees a neuron", func(f *forest) { f.rows[3] = part(0, []int{2}, nil) })
	refuses(t, circuit, "a child that turns a neuron", func(f *forest) { f.rows[3] = part(0, []int{1, 2}, nil) })
	refuses(t, circuit, "a child that fixes one more", func(f *forest) { f.rows[3] = part(0, []int{2}, []int{0, 1}) })
	refuses(t, circuit, "a child of another slice", func(f *forest) { f.rows[3] = part(1, []int{2}, []int{1}) })
	refuses(t, circuit, "a child outside the table", func(f *forest) { f.splits[0].onChild = -1 })
}

// The chosen neuron is one, and free: splitting a fixed one would let rows be each other's children, without a leaf.
func TestChosenNeuronIsFree(t *testing.T) {
	circuit := like(t, grown())
	refuses(t, circuit, "none", func(f *forest) { f.splits[0] = halves{bits(neurons), 0, 0} })
	refuses(t, circuit, "two", func(f *forest) {
		f.rows[2], f.rows[3] = part(0, []int{1, 2}, nil), part(0, nil, []int{1, 2})
		f.splits[0] = halves{bits(neurons, 1, 2), 2, 3}
	})
	// 2 at the place of neuron 0 and -1 at that of neuron 1 add nothing to a key.
	refuses(t, circuit, "itself, chosen by 2 - 1", func(f *forest) { f.splits[0] = halves{[]any{2, -1, 0}, 0, 0} })
	// on: 2 at the place of neuron 1 is 1 at that of neuron 2; off: the row is its own child.
	for name, children := range map[string][2]any{"itself": {1, 1}, "as if it were free": {2, 1}, "carried over": {1, 4}} {
		refuses(t, circuit, "a neuron that is off, children "+name, func(f *forest) {
			f.splits[1] = halves{bits(neurons, 1), children[0], children[1]}
		})
	}
	refuses(t, circuit, "a neuron that is on, carried over to the next", func(f *forest) {
		f.rows[1], f.rows[2], f.rows[3] = part(0, []int{1}, nil), part(0, nil, []int{1}), part(0, []int{2}, nil)
		f.splits[0], f.splits[1] = halves{bits(neurons, 1), 1, 2}, halves{bits(neurons, 1), 3, 1}
	})
}

// A row has signs, and a slice that there is: no numbers that add up to a root's key.
func TestKeysAreInjective(t *testing.T) {
	circuit := like(t, grown())
	inverse := func(n int64) *big.Int { return new(big.Int).ModInverse(big.NewInt(n), fr.Modulus()) }
	// Of 7/9, on is (49 + 63) / 162 and off is (49 - 63) / 162, an eighth of it, at the 8-fold place.
	ninths := inverse(9)
	ninths.Mul(ninths, big.NewInt(7))
	refuses(t, circuit, "7/9 instead of nothing", func(f *forest) { f.rows[0].signs[0] = ninths })
	refuses(t, circuit, "slice 4 instead of neuron 1", func(f *forest) { f.rows[2].slice, f.rows[2].signs[1] = 4, 0 })
	refuses(t, circuit, "slice -2 besides neuron 0", func(f *forest) { f.rows[3].slice, f.rows[3].signs[0] = -2, 1 })
	refuses(t, circuit, "slice 1/2", func(f *forest) { f.rows[5].slice = inverse(2) })
	f := repeated()
	f.rows[4] = part(0, []int{0}, []int{2})
	circuit.Accepts(t, "a row that nothing leads to", f.given()...)
	for _, sign := range []any{2, -2, inverse(2)} {
		f.rows[4].signs[0] = sign
		circuit.Refuses(t, "a row that nothing leads to, with another sign", f.given()...)
	}
	f.rows[4] = row{2, bits(neurons)}
	circuit.Refuses(t, "a row that nothing leads to, of another slice", f.given()...)
}

// With as many neurons as make a key longer than a field element, every word of it counts.
func TestLongKeys(t *testing.T) {
	const many = 130
	wide := func(slice int, on, off []int) row { return row{slice, signs(many, on, off)} }
	grown := func(neuron int) forest {
		return forest{
			roots:  []any{0, 3},
			rows:   []row{wide(0, nil, nil), wide(0, []int{neuron}, nil), wide(0, nil, []int{neuron}), wide(1, nil, nil)},
			splits: []halves{{bits(many, neuron), 1, 2}},
		}
	}
	circuit := like(t, grown(0))
	for _, neuron := range []int{0, 1, 64, 116, 117, 118, 128, 129} {
		circuit.Accepts(t, fmt.Sprint(neuron), grown(neuron).given()...)
	}
	for at := range 4 {
		for _, neuron := range []int{0, 116, 117, 129} {
			for _, sign := range []int{1, -1} {
				f := grown(5)
				f.rows[at].signs[neuron] = sign
				circuit.Refuses(t, fmt.Sprintf("row %d, neuron %d: %d", at, neuron, sign), f.given()...)
			}
		}
	}
}

// What is no bit and no slice by its bounds is refused at compile time.
func TestBoundsAreDemanded(t *testing.T) {
	for name, limits := range map[string][2]int{"slice": {3, 2}, "choice": {2, 3}} {
		_, err := adversary.Try(3, func(a *bounded.Arith, wires []frontend.Variable) {
			rows := []tree.Row{{Slice: a.Below(wires[0], limits[0]), Signs: tree.NewSigns(a, wires[1:2])}}
			tree.New(a, rows, 2).Split(0, []bounded.Int{a.Below(wires[2], limits[1])}, 0, 0)
		})
		if err == nil {
			t.Errorf("a wide %s compiles", name)
		}
	}
}
