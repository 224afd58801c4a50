package additive

import (
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/member"
)

// Values are the values of open categories in the leaves of an ensemble on a box: everybody has one of each, and crosses the slots of
// its column and no other ones of the category.
type Values struct {
	people         *People
	slots          *Slots
	fraction, bits int
	keys           []frontend.Variable // of each plain slot one more than its column, 0 where that is of no open category
	counted        [][3]counted        // by leaf: what slots add, how many are stayed, how many are crossed
}

// counted is what slots have of something, what values are said to have, and what is left, of slots of no open category.
type counted struct {
	slots, values []frontend.Variable
	rest          frontend.Variable
}

// counting returns what slots and values have, and the rest.
func counting(api frontend.API, slots, values []frontend.Variable) counted {
	rest := []frontend.Variable{0, 0}
	rest = append(rest, slots...)
	for _, value := range values {
		rest = append(rest, api.Neg(value))
	}
	return counted{slots, values, api.Add(rest[0], rest[1], rest[2:]...)}
}

// Values reads which slots are of open categories, and takes these out of the levels (R-X-GAIN). Columns are those that predicates
// read, gains have a fraction and a signed width, and open has a wire for each plain slot.
//
// Relation: a slot's column is one that predicates read, or a phantom's; a wire is 1 where it is of an open category, else 0, and the
// level of such a column counts for nothing. Precondition: slots are those of NewSlots, or of StatedSlots with columns. Outside it: the
// circuit does not compile. Cost: a constraint for each column, and six for each slot.
func (p *People) Values(a *bounded.Arith, slots *Slots, columns, fraction, bits int, open []frontend.Variable) *Values {
	defer a.Part("gains")()
	v := &Values{people: p, slots: slots, fraction: fraction, bits: bits}
	zero, unit := a.Constant(0), a.Constant(1)
	table := member.New(a).Table(0, a.Hull(zero, unit))
	for column := range columns {
		loose := zero
		if column < len(p.loose) {
			loose = p.loose[column]
		}
		table.Insert([]frontend.Variable{column}, loose)
	}
	for j, wire := range open {
		table.Insert([]frontend.Variable{columns + 1 + j}, zero) // a phantom
		loose := table.Look(a, []frontend.Variable{slots.column[j].Wire()}, wire)[0]
		slots.head[j] = a.UnsafeWithin(a.Sub(slots.head[j], a.Mul(slots.head[j], loose)).Wire(), "of two bits one and not the other", zero, unit)
		v.keys = append(v.keys, a.API().Mul(wire, a.API().Add(slots.column[j].Wire(), 1)))
	}
	a.Argue(v.committed, v.assert)
	return v
}

// ValueWires are the private wires of a leaf. Of each value what its slots add, at scale 2^fraction, how many of them are stayed, and
// how many are crossed; of each category what it adds at least.
type ValueWires struct{ Gain, Stayed, Crossed, Least []frontend.Variable }

// Assert holds what open categories add to a leaf at least, and returns the sum (R-X-GAIN). Charged is what rows charge each slot.
//
// Relation: gain, stayed and crossed are sums over the slots of the value's column. The least of an open category is at most the gain of
// each value that is allowed and that somebody in the leaf can have: one of which no slot is stayed, while none of another value of the
// category is crossed. That of any other category is 0. Precondition: signs and charges are those of the slots, and all gains have the
// width. Outside it: a gain is another integer. Cost: for each slot three constraints, for each value four and a range check.
func (v *Values) Assert(a *bounded.Arith, signs *Signs, charged []frontend.Variable, w ValueWires) bounded.Int {
	defer a.Part("gains")()
	half, sum, at := new(big.Int).Lsh(one, uint(v.bits-1)), a.Constant(0), 0
	gains := a.Within(0, new(big.Int).Neg(half), new(big.Int).Sub(half, one))
	several := a.Within(0, new(big.Int), big.NewInt(int64(len(v.keys))))
	const reason = "by the identity a sum over slots, each of which is of one value at most"
	for i, c := range v.people.choices {
		least, crossed := a.Signed(w.Least[i], v.bits), frontend.Variable(0)
		for value := range c.allowed {
			crossed = a.API().Add(crossed, w.Crossed[at+value])
		}
		for value, allowed := range c.allowed {
			gain, stayed := a.UnsafeWithin(w.Gain[at+value], reason, gains), a.UnsafeWithin(w.Stayed[at+value], reason, several)
			others := a.UnsafeWithin(a.API().Sub(crossed, w.Crossed[at+value]), reason, several)
			// What nobody in the leaf has adds more than any least can be.
			beyond := a.Scale(new(big.Int).Lsh(one, uint(v.bits)), a.Add(stayed, others))
			a.AssertNonNegative(a.Mul(allowed, a.Add(a.Sub(gain, least), beyond)))
		}
		// It is 0 where the category is not free.
		a.AssertEqual(a.Mul(c.free, least), least)
		sum, at = a.Add(sum, least), at+len(c.allowed)
	}
	var adds, stayed, crossed []frontend.Variable
	scale := new(big.Int).Lsh(one, uint(v.fraction))
	for j := range v.keys {
		adds = append(adds, a.API().Sub(a.Scale(scale, v.slots.step[j]).Wire(), charged[j]))
		stayed, crossed = append(stayed, signs.Stayed[j].Wire()), append(crossed, signs.Crossed[j].Wire())
	}
	v.counted = append(v.counted, [3]counted{
		counting(a.API(), adds, w.Gain), counting(a.API(), stayed, w.Stayed), counting(a.API(), crossed, w.Crossed),
	})
	return sum
}

// committed lists the wires of the identities.
func (v *Values) committed() []frontend.Variable {
	wires := append([]frontend.Variable{}, v.keys...)
	for _, leaf := range v.counted {
		for _, of := range leaf {
			wires = append(append(append(wires, of.slots...), of.values...), of.rest)
		}
	}
	return wires
}

// assert makes each number of a value the sum of those of its slots.
//
// With X the challenge, the sum of number / (X - key) over the slots is that of sum / (X - key) over the values, and of what slots of no
// open category have / X. Keys of values are different constants and not 0, so that each sum is that of its column's slots, for all but a
// negligible share of challenges.
func (v *Values) assert(api frontend.API, challenge frontend.Variable) error {
	var slots, values []frontend.Variable
	for _, key := range v.keys {
		slots = append(slots, api.Inverse(api.Sub(challenge, key)))
	}
	for _, c := range v.people.choices {
		for value := range c.allowed {
			values = append(values, api.Inverse(api.Sub(challenge, c.of.First+value+1)))
		}
	}
	for _, leaf := range v.counted {
		for _, of := range leaf {
			asked, given := []frontend.Variable{0, 0}, []frontend.Variable{0, api.DivUnchecked(of.rest, challenge)}
			for j, number := range of.slots {
				asked = append(asked, api.Mul(number, slots[j]))
			}
			for i, sum := range of.values {
				given = append(given, api.Mul(sum, values[i]))
			}
			api.AssertIsEqual(api.Add(asked[0], asked[1], asked[2:]...), api.Add(given[0], given[1], given[2:]...))
		}
	}
	return nil
}
