// Package tree proves that rows cover each slice's ball: a point follows from the root the signs that it has, and ends in
// a leaf.
//
// A key counts, digit by digit, how often each neuron was split on the way to a row, and with which sign. A split row is its
// key alone. From a root, where all counts are 0, each step adds 1 to one digit for the sign that the point has. Digits
// are of a base above the number of split rows, and no word of a key is as large as the field. So for as many steps as
// there are split rows no digit is carried, and keys are the integers that they stand for; as each step makes one digit
// larger, no row comes twice, and after so many steps at most the point is in a leaf row. There the key is packed of bits,
// so every count is 0 or 1, and the signs of the leaf are those of its points. Rows that no root leads to do not matter.
package tree

import (
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/member"
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

// Off returns bits: which neurons are off.
func (s Signs) Off() []bounded.Int { return s.off }

// Free returns bits: which neurons are neither on nor off.
func (s Signs) Free() []bounded.Int { return s.free }

// Leaf is a part of a slice's ball that is not split: the points that have the signs.
type Leaf struct {
	Slice bounded.Int // below the number of slices
	Signs Signs
}

// Tree is the keys of all rows, splits and leaves, and the digits of all neurons; a key has several words where one field
// element does not hold it.
type Tree struct {
	part   func() func()
	words  int
	splits []*member.Tuple // keys
	keys   *member.Set
	digits *member.Set // of on
	turn   *big.Int    // by which the digit of off is that of on
}

// New makes the tree of split rows, which are their keys, and leaves (R-B-KEY).
//
// Relation: the keys are those of the split rows, and of each leaf its own, packed of its slice and the bits of on and off.
// Precondition: slices are below their number, which is demanded. Outside it: the circuit does not compile. Cost: per row
// one constraint for each word of a key, per neuron one.
func New(a *bounded.Arith, splits [][]frontend.Variable, leaves []Leaf, slices int) *Tree {
	part := func() func() { return a.Part("tree") }
	defer part()()
	// 2^base is above the number of splits, and no path takes more steps than there are splits: no digit is carried.
	base := big.NewInt(int64(len(splits))).BitLen()
	places := places(len(leaves[0].Signs.on), slices, base)
	words, argument := places[len(places)-1].word+1, member.New(a)
	t := &Tree{part: part, words: words, keys: argument.Set(), digits: argument.Set(), turn: power(base)}
	for _, at := range places {
		digit := make([]frontend.Variable, words)
		for w := range digit {
			digit[w] = at.in(w)
		}
		t.digits.Insert(member.NewTuple(digit...))
	}
	for _, key := range splits {
		t.splits = append(t.splits, member.NewTuple(key...))
		t.keys.Insert(t.splits[len(t.splits)-1])
	}
	for _, leaf := range leaves {
		a.Demand(leaf.Slice, new(big.Int), big.NewInt(int64(slices-1)))
		key := make([]frontend.Variable, words)
		for w := range key {
			word := a.Constant(0)
			if w == 0 {
				word = leaf.Slice
			}
			for i, at := range places {
				sign := a.Add(leaf.Signs.on[i], a.Scale(t.turn, leaf.Signs.off[i]))
				word = a.Add(word, a.Scale(at.in(w), sign))
			}
			key[w] = word.Wire()
		}
		t.keys.Insert(member.NewTuple(key...))
	}
	return t
}

// Root makes the whole ball of a slice a row (R-B-ROOT).
//
// Relation: a row has the key (slice, no neuron on, none off). Precondition: none. Cost: one constraint.
func (t *Tree) Root(slice int) {
	defer t.part()()
	key := make([]frontend.Variable, t.words)
	for w := range key {
		key[w] = 0
	}
	key[0] = slice
	t.keys.Query(member.Term{Factor: big.NewInt(1), Of: member.NewTuple(key...)})
}

// Split makes the halves of a row rows (R-B-SPLIT).
//
// Relation: the digit is that of a neuron on; a row has the key of this one with it added, another one this key with the
// digit of the same neuron off. Precondition: none; the digit is any wires. That a neuron is split once follows from the
// keys of leaves. Cost: three constraints, and one for each word of a key but the first.
func (t *Tree) Split(row int, digit []frontend.Variable) {
	defer t.part()()
	one, chosen := big.NewInt(1), member.NewTuple(digit...)
	t.digits.Query(member.Term{Factor: one, Of: chosen})
	t.keys.Query(member.Term{Factor: one, Of: t.splits[row]}, member.Term{Factor: one, Of: chosen})
	t.keys.Query(member.Term{Factor: one, Of: t.splits[row]}, member.Term{Factor: t.turn, Of: chosen})
}

// Words is how many words the keys of a tree have.
func Words(neurons, slices, splits int) int {
	all := places(neurons, slices, big.NewInt(int64(splits)).BitLen())
	return all[len(all)-1].word + 1
}

// place is where the two digits of a neuron stand in a key, that of on below that of off.
type place struct {
	word int
	bit  int
}

// in is what the digit of on stands for in a word.
func (p place) in(word int) *big.Int {
	if p.word != word {
		return new(big.Int)
	}
	return power(p.bit)
}

// places gives each neuron its place behind the slice, so that no digits of `base` bits overlap.
func places(neurons, slices, base int) []place {
	var found []place
	word, used := 0, big.NewInt(int64(slices-1)).BitLen()
	for range neurons {
		if used+2*base > wordBits {
			word, used = word+1, 0
		}
		found = append(found, place{word, used})
		used += 2 * base
	}
	return found
}

func power(bits int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(bits)) }
