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

// forest is a tree over every slice: split rows by their keys and digits, and leaves.
type forest struct {
	slices int
	keys   [][]*big.Int
	digits [][]*big.Int
	leaves []row
}

// places mirrors where numbers stand in keys: the bits of a digit, and by neuron a word and a bit.
type places struct {
	base, words int
	at          [][2]int
}

func placesOf(slices, neurons, splits int) places {
	p := places{base: big.NewInt(int64(splits)).BitLen()}
	word, used := 0, big.NewInt(int64(slices-1)).BitLen()
	for range neurons {
		if used+2*p.base > 248 {
			word, used = word+1, 0
		}
		p.at, p.words = append(p.at, [2]int{word, used}), word+1
		used += 2 * p.base
	}
	return p
}

// key packs a slice and how often neurons are on and off.
func (p places) key(slice int64, on, off map[int]int64) []*big.Int {
	words := make([]*big.Int, p.words)
	for w := range words {
		words[w] = new(big.Int)
	}
	words[0].SetInt64(slice)
	for at, counts := range []map[int]int64{on, off} {
		for i, count := range counts {
			digit := new(big.Int).Lsh(big.NewInt(count), uint(p.at[i][1]+at*p.base))
			words[p.at[i][0]].Add(words[p.at[i][0]], digit)
		}
	}
	return words
}

// times counts neurons.
func times(neurons ...int) map[int]int64 {
	counts := map[int]int64{}
	for _, i := range neurons {
		counts[i]++
	}
	return counts
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

// compiled compiles trees of so many slices, neurons, splits and leaves.
func compiled(t *testing.T, slices, neurons, splits, leaves int) *adversary.Circuit {
	words := tree.Words(neurons, slices, splits)
	if mirror := placesOf(slices, neurons, splits).words; mirror != words {
		t.Fatalf("%d words, want %d", words, mirror)
	}
	return adversary.Compile(t, 2*splits*words+leaves*(1+neurons), func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		var keys, digits [][]frontend.Variable
		for range splits {
			keys, digits = append(keys, take.Take(words)), append(digits, take.Take(words))
		}
		var ends []tree.Leaf
		for range leaves {
			slice := a.Below(take.Take(1)[0], slices)
			ends = append(ends, tree.Leaf{Slice: slice, Signs: tree.NewSigns(a, take.Take(neurons))})
		}
		grown := tree.New(a, keys, ends, slices)
		for slice := range slices {
			grown.Root(slice)
		}
		for at, digit := range digits {
			grown.Split(at, digit)
		}
	})
}

func (f forest) given() []any {
	var values []any
	for at := range f.keys {
		values = adversary.Join(values, f.keys[at], f.digits[at])
	}
	for _, r := range f.leaves {
		values = adversary.Join(values, r.slice, r.signs)
	}
	return values
}

func (f forest) places() places { return placesOf(f.slices, len(f.leaves[0].signs), len(f.keys)) }

// set makes a split row of a slice, of signs that may be counted more than once, and of a neuron.
func (f *forest) set(at, slice int, on, off map[int]int64, neuron int) {
	f.keys[at], f.digits[at] = f.places().key(int64(slice), on, off), f.places().key(0, times(neuron), nil)
}

const neurons = 3

// part is a leaf of three neurons.
func part(slice int, on, off []int) row { return row{slice, signs(neurons, on, off)} }

// grown is a tree of two slices: slice 0 is split by neuron 1, its half with neuron 1 off by neuron 2; slice 1 is a leaf. A
// third split repeats the second.
func grown() forest {
	f := forest{
		slices: 2,
		keys:   make([][]*big.Int, 3), digits: make([][]*big.Int, 3),
		leaves: []row{part(0, []int{1}, nil), part(0, []int{2}, []int{1}), part(0, nil, []int{1, 2}), part(1, nil, nil), part(1, nil, nil)},
	}
	f.set(0, 0, nil, nil, 1)
	f.set(1, 0, nil, times(1), 2)
	f.set(2, 0, nil, times(1), 2)
	return f
}

func like(t *testing.T, f forest) *adversary.Circuit {
	return compiled(t, f.slices, len(f.leaves[0].signs), len(f.keys), len(f.leaves))
}

// A tree passes whose splits have their halves among the rows; rows may repeat, in any order.
func TestTree(t *testing.T) {
	f := grown()
	circuit := like(t, f)
	circuit.Accepts(t, "grown", f.given()...)
	slices.Reverse(f.leaves)
	f.set(0, 0, nil, times(1), 2)
	f.set(2, 0, nil, nil, 1)
	circuit.Accepts(t, "rows in another order", f.given()...)
	f.leaves[0] = part(1, []int{0, 1}, []int{2})
	circuit.Accepts(t, "a leaf that no root leads to", f.given()...)
}

// refuses tries a tree that differs in one thing.
func refuses(t *testing.T, circuit *adversary.Circuit, name string, change func(f *forest)) {
	t.Helper()
	f := grown()
	change(&f)
	circuit.Refuses(t, name, f.given()...)
}

// A root is its slice's row without signs: no other slice's, no part of it.
func TestRoots(t *testing.T) {
	circuit := like(t, grown())
	refuses(t, circuit, "no root of slice 1", func(f *forest) { f.leaves[3], f.leaves[4] = f.leaves[2], f.leaves[2] })
	refuses(t, circuit, "a root of slice 1 that is not the whole ball", func(f *forest) {
		f.leaves[3], f.leaves[4] = part(1, []int{0}, nil), part(1, nil, []int{0})
	})
	refuses(t, circuit, "no root of slice 0", func(f *forest) { f.set(0, 0, nil, times(1), 2) })
	refuses(t, circuit, "the root of slice 0 on slice 1", func(f *forest) { f.set(0, 1, nil, nil, 1) })
}

// The halves are the row with just the chosen neuron on, and with just it off.
func TestHalves(t *testing.T) {
	circuit := like(t, grown())
	for at := range 3 {
		for neuron, name := range []string{"another sign of neuron 0", "of neuron 1", "of neuron 2"} {
			for _, sign := range []int{0, 1, -1} {
				if grown().leaves[at].signs[neuron] != sign {
					refuses(t, circuit, fmt.Sprintf("leaf %d: %s: %d", at, name, sign), func(f *forest) { f.leaves[at].signs[neuron] = sign })
				}
			}
		}
		refuses(t, circuit, fmt.Sprintf("leaf %d on another slice", at), func(f *forest) { f.leaves[at].slice = 1 })
	}
	refuses(t, circuit, "two halves with the same sign", func(f *forest) { f.leaves[2] = f.leaves[1] })
	refuses(t, circuit, "a half that frees a neuron", func(f *forest) { f.leaves[1] = part(0, []int{2}, nil) })
	refuses(t, circuit, "another neuron", func(f *forest) { f.set(0, 0, nil, nil, 0) })
}

// A digit is that of one neuron: none would make a row its own half, those of two would leave parts out, and a multiple or
// a difference would lead to other rows.
func TestDigits(t *testing.T) {
	circuit, p := like(t, grown()), grown().places()
	for name, digit := range map[string][]*big.Int{
		"none": p.key(0, nil, nil), "two": p.key(0, times(1, 2), nil), "twice": p.key(0, times(1, 1), nil),
		"off": p.key(0, nil, times(1)), "another slice": p.key(1, nil, nil), "less": p.key(0, map[int]int64{1: -1}, nil),
		"a difference": p.key(0, map[int]int64{0: -1, 1: 1}, nil),
	} {
		refuses(t, circuit, name, func(f *forest) {
			// With the halves that would follow, leaves or not.
			f.digits[0] = digit
			for at, turn := range []int64{1, 1 << p.base} {
				f.keys[1+at] = []*big.Int{new(big.Int).Add(f.keys[0][0], new(big.Int).Mul(digit[0], big.NewInt(turn)))}
			}
		})
	}
}

// A neuron is split once on the way to a leaf: no row comes twice, and no leaf has a digit that is not 0 or 1.
func TestFixedNeuronsAreNotSplit(t *testing.T) {
	circuit := like(t, grown())
	// Neuron 1 is off in row 1: its halves are rows with neuron 1 on and off, and off twice.
	refuses(t, circuit, "a neuron that is off", func(f *forest) { f.set(1, 0, nil, times(1), 1) })
	refuses(t, circuit, "a neuron that is off, with split rows for halves", func(f *forest) {
		f.set(1, 0, nil, times(1), 1)
		f.set(2, 0, times(1), times(1), 2)
	})
	refuses(t, circuit, "a neuron that is off, twice and no more", func(f *forest) {
		f.set(1, 0, nil, times(1), 1)
		f.set(2, 0, nil, times(1, 1), 1)
	})
	// With a key of any wires a cycle would need a digit that is 0 again: neuron 1 off four times is neuron 2 on.
	refuses(t, circuit, "carried over to the next neuron", func(f *forest) {
		f.set(1, 0, nil, times(1), 1)
		f.set(2, 0, times(2), nil, 1)
	})
	refuses(t, circuit, "its own half", func(f *forest) { f.digits[1] = f.places().key(0, nil, nil) })
}

// A leaf has signs and an existing slice: other numbers that add up to another row's key are refused.
func TestKeysAreInjective(t *testing.T) {
	circuit := like(t, grown())
	inverse := func(n int64) *big.Int { return new(big.Int).ModInverse(big.NewInt(n), fr.Modulus()) }
	refuses(t, circuit, "slice 1/2", func(f *forest) { f.leaves[3].slice = inverse(2) })
	refuses(t, circuit, "slice 2 besides", func(f *forest) { f.leaves[4].slice = 2 })
	refuses(t, circuit, "slice -1", func(f *forest) { f.leaves[4].slice = -1 })
	for _, sign := range []any{2, -2, inverse(2), inverse(9)} {
		refuses(t, circuit, "a leaf that no root leads to, with another sign", func(f *forest) { f.leaves[4].signs[0] = sign })
	}
	// On and off of a wire s are (s^2 + s) / 2 and (s^2 - s) / 2: of 3/5, 12/25 and -3/25, where off counts for four.
	refuses(t, circuit, "3/5 instead of nothing", func(f *forest) {
		f.leaves[3].signs[0] = new(big.Int).Mul(big.NewInt(3), inverse(5))
		f.leaves[4] = f.leaves[3]
	})
}

// If there are so many neurons that a key is longer than one field element, every word of it counts.
func TestLongKeys(t *testing.T) {
	const many = 300
	wide := func(slice int, on, off []int) row { return row{slice, signs(many, on, off)} }
	grown := func(first, second int) forest {
		f := forest{
			slices: 2,
			keys:   make([][]*big.Int, 2), digits: make([][]*big.Int, 2),
			leaves: []row{wide(0, []int{first}, nil), wide(0, []int{second}, []int{first}), wide(0, nil, []int{first, second}), wide(1, nil, nil)},
		}
		f.set(0, 0, nil, nil, first)
		f.set(1, 0, nil, times(first), second)
		return f
	}
	circuit := like(t, grown(0, 1))
	for _, pair := range [][2]int{{0, 1}, {0, 299}, {60, 61}, {61, 60}, {62, 123}, {124, 298}} {
		circuit.Accepts(t, fmt.Sprint(pair), grown(pair[0], pair[1]).given()...)
	}
	for at := range 4 {
		for _, neuron := range []int{0, 60, 61, 62, 123, 299} {
			for _, sign := range []int{1, -1} {
				f := grown(5, 70)
				f.leaves[at].signs[neuron] = sign
				circuit.Refuses(t, fmt.Sprintf("leaf %d, neuron %d: %d", at, neuron, sign), f.given()...)
			}
		}
	}
	f := grown(5, 70)
	words := len(f.keys[1])
	for w := range words {
		f := grown(5, 70)
		f.keys[1][w] = new(big.Int).Add(f.keys[1][w], big.NewInt(1))
		circuit.Refuses(t, fmt.Sprint("word ", w, " of a key"), f.given()...)
		f = grown(5, 70)
		f.digits[1][w] = new(big.Int).Add(f.digits[1][w], big.NewInt(1))
		circuit.Refuses(t, fmt.Sprint("word ", w, " of a digit"), f.given()...)
	}
}

// What is no slice by its bounds is refused at compile time.
func TestBoundsAreDemanded(t *testing.T) {
	for limit, want := range map[int]bool{2: true, 3: false} {
		_, err := adversary.Try(4, func(a *bounded.Arith, wires []frontend.Variable) {
			leaf := tree.Leaf{Slice: a.Below(wires[0], limit), Signs: tree.NewSigns(a, wires[1:2])}
			grown := tree.New(a, [][]frontend.Variable{wires[2:3]}, []tree.Leaf{leaf}, 2)
			grown.Split(0, wires[3:4])
		})
		if (err == nil) != want {
			t.Errorf("slices below %d: %v", limit, err)
		}
	}
}

// All wires of the identities are in the commitment.
func TestEveryWireIsCommitted(t *testing.T) {
	circuit := like(t, grown())
	if uncovered := circuit.Prover.System.Uncovered(); len(uncovered) > 0 {
		t.Errorf("wires %v of challenged rows are not committed", uncovered)
	}
}
