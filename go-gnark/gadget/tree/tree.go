// Package tree proves that rows cover each slice's ball: a point follows from the root the signs that it has, and ends in
// a leaf.
package tree

import (
	"math/big"

	"github.com/consensys/gnark/frontend"
	"github.com/consensys/gnark/std/lookup/logderivlookup"

	"equiproof/gadget/bounded"
)

// wordBits is how many bits of a key one field element carries.
const wordBits = 248

// Signs are those of a part's neurons: on where its points have the neuron not negative, off where not positive, else free.
type Signs struct{ on, off, free []bounded.Int }

// NewSigns reads a sign per neuron (R-B-KEY).
//
// Relation: each wire is 1 for on, -1 for off, 0 for free; so that no neuron is both on and off. Precondition: none. Cost:
// two constraints per neuron.
func NewSigns(a *bounded.Arith, wires []frontend.Variable) Signs {
	defer a.Part("tree")()
	var s Signs
	for _, wire := range wires {
		on, off, free := a.Sign(wire)
		s.on, s.off, s.free = append(s.on, on), append(s.off, off), append(s.free, free)
	}
	return s
}

// On returns bits: which neurons are on.
func (s Signs) On() []bounded.Int { return s.on }

// Free returns bits: which neurons are neither on nor off.
func (s Signs) Free() []bounded.Int { return s.free }

// Row is a part of a slice's ball: the points that have the signs.
type Row struct {
	Slice bounded.Int // below the number of slices
	Signs Signs
}

// Tree is the rows of all slices, splits first, then leaves. Its tables lead from the number of a row to its key; a key
// has several words where one field element does not hold it, each with a table of its own, looked up at one index.
type Tree struct {
	a      *bounded.Arith
	words  [][]bounded.Int // by row
	tables []logderivlookup.Table
	places []place // of the slice, then of on, then of off
}

// place is where a number stands in a key.
type place struct {
	word  int
	power *big.Int
}

// New makes the tree of rows (R-B-KEY).
//
// Relation: the table holds each row's key, a number with the slice and the bits of on and off as its digits. Keys are
// injective, since slices are below their number, which is demanded, and the rest are bits. Precondition: none. Cost: two
// constraints per row and word of a key.
func New(a *bounded.Arith, rows []Row, slices int) *Tree {
	defer a.Part("tree")()
	t := &Tree{a: a, places: places(len(rows[0].Signs.on), slices)}
	t.tables = make([]logderivlookup.Table, t.places[len(t.places)-1].word+1)
	for w := range t.tables {
		t.tables[w] = a.Table()
	}
	for _, row := range rows {
		a.Demand(row.Slice, new(big.Int), big.NewInt(int64(slices-1)))
		words := t.pack(append(append([]bounded.Int{row.Slice}, row.Signs.on...), row.Signs.off...))
		for w, word := range words {
			t.tables[w].Insert(word.Wire())
		}
		t.words = append(t.words, words)
	}
	return t
}

// Root makes the row `at` the whole ball of a slice (R-B-ROOT).
//
// Relation: the row's key is (slice, no neuron on, none off). Precondition: none; `at` is any wire, an index outside the
// table has no proof. Cost: one lookup and one constraint per word of a key.
func (t *Tree) Root(slice int, at frontend.Variable) {
	defer t.a.Part("tree")()
	key := make([]bounded.Int, len(t.places))
	for i := range key {
		key[i] = t.a.Constant(0)
	}
	key[0] = t.a.Constant(int64(slice))
	t.assert(at, t.pack(key))
}

// Split makes two rows the halves of a row (R-B-SPLIT).
//
// Relation: chosen has one neuron; the key of row onChild is the row's with just this neuron on, that of offChild with just
// this one off. So the neuron is free in the row: were it on, its half off would have it on and off, were it off, its half
// on would, and such a key has no row. Precondition: chosen holds bits, which is demanded; the children are any wires, as
// for Root. Outside it: the circuit does not compile. Cost: one constraint, and per word of a key two lookups with a
// constraint each.
func (t *Tree) Split(row int, chosen []bounded.Int, onChild, offChild frontend.Variable) {
	defer t.a.Part("tree")()
	a, nothing := t.a, make([]bounded.Int, len(chosen)+1)
	for i := range nothing {
		nothing[i] = a.Constant(0)
	}
	for _, bit := range chosen {
		a.Demand(bit, new(big.Int), big.NewInt(1))
	}
	a.AssertEqual(a.Add(chosen...), a.Constant(1))
	t.assert(onChild, t.with(row, append(append(nothing[:1:1], chosen...), nothing[1:]...)))
	t.assert(offChild, t.with(row, append(nothing[:len(nothing):len(nothing)], chosen...)))
}

// with returns the key of a row with more numbers added to its own.
func (t *Tree) with(row int, numbers []bounded.Int) []bounded.Int {
	words := t.pack(numbers)
	for w := range words {
		words[w] = t.a.Add(words[w], t.words[row][w])
	}
	return words
}

// assert makes the key of the row `at` the given one.
func (t *Tree) assert(at frontend.Variable, key []bounded.Int) {
	for w, word := range key {
		t.a.API().AssertIsEqual(t.tables[w].Lookup(at)[0], word.Wire())
	}
}

// pack writes the numbers of a key to its words.
func (t *Tree) pack(numbers []bounded.Int) []bounded.Int {
	words := make([]bounded.Int, len(t.tables))
	for w := range words {
		words[w] = t.a.Constant(0)
	}
	for i, number := range numbers {
		at := t.places[i]
		words[at.word] = t.a.Add(words[at.word], t.a.Scale(at.power, number))
	}
	return words
}

// places gives a slice and twice so many bits as there are neurons their places in the words of a key, none of which
// overlap.
func places(neurons, slices int) []place {
	found := []place{{0, big.NewInt(1)}}
	word, used := 0, big.NewInt(int64(slices-1)).BitLen()
	for range 2 * neurons {
		if used == wordBits {
			word, used = word+1, 0
		}
		found = append(found, place{word, new(big.Int).Lsh(big.NewInt(1), uint(used))})
		used++
	}
	return found
}
