package additive

import (
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/shape"
)

// Sets are sets of the values of categories, set by set: a bit for each value of the category and, where values can be missing,
// one for a missing value.
type Sets struct {
	categories []shape.Category
	members    [][][]bounded.Int // by category and set
}

// NewSets types which values are in the sets of an architecture (R-RANGE). Precondition: there is a wire for each member. Outside
// it: the circuit does not compile. Cost: a bit for each.
func NewSets(a *bounded.Arith, of *shape.Architecture, wires []frontend.Variable) Sets {
	defer a.Part("sets")()
	var bits []bounded.Int
	for _, wire := range wires {
		bits = append(bits, a.Bit(wire))
	}
	return TypedSets(of, bits)
}

// TypedSets makes the sets of an architecture of their members, which are bits already. Precondition and what is outside it: as NewSets.
// Cost: none.
func TypedSets(of *shape.Architecture, bits []bounded.Int) Sets {
	s := Sets{categories: of.Categories}
	for _, c := range s.categories {
		sets := make([][]bounded.Int, c.Sets)
		for j := range sets {
			size := c.Members(of.Missing)
			sets[j], bits = bits[:size:size], bits[size:]
		}
		s.members = append(s.members, sets)
	}
	return s
}

// Numbers lists the members in the order of the model's commitment.
func (s Sets) Numbers() []bounded.Int {
	var numbers []bounded.Int
	for _, sets := range s.members {
		for _, set := range sets {
			numbers = append(numbers, set...)
		}
	}
	return numbers
}

// Columns returns a column for each set, 1 where the query's value is in it, else 0 (R-T-SETS).
//
// Relation: in the columns of a category the query has high once and low elsewhere, or all of them are missing; a set's column is its
// bit of that value, or of the missing one. Nobody nearer than the radius has another value: two of them are twice the square of high -
// low apart. Precondition: the query is of signed inputs of so many bits, absent has the flags that Miss constrains, or is none.
// Outside it: a category without its value is in no set. Cost: two constraints for each column and each member, a range check for each
// category.
func (s Sets) Columns(a *bounded.Arith, query []bounded.Int, absent []frontend.Variable, inputBits int, radius bounded.Int) []bounded.Int {
	defer a.Part("sets")()
	api, field := a.API(), a.API().Compiler().Field()
	missing := new(big.Int).Sub(new(big.Int).Lsh(one, uint(inputBits-1)), one)
	var columns []bounded.Int
	for at, c := range s.categories {
		step := new(big.Int).Sub(big.NewInt(int64(c.High)), big.NewInt(int64(c.Low)))
		apart := new(big.Int).Mul(step, step)
		a.AssertNonNegative(a.Sub(a.Scale(apart.Lsh(apart, 1), a.Constant(1)), radius))
		var has []bounded.Int
		for column := c.First; column < c.First+c.Values; column++ {
			above := api.Sub(query[column].Wire(), c.Low)
			if len(absent) > 0 {
				// The first column's flag is that of all: so none is missing beside a value.
				above = api.Sub(above, api.Mul(absent[c.First], new(big.Int).Sub(missing, big.NewInt(int64(c.Low)))))
			}
			has = append(has, a.Bit(api.Mul(above, new(big.Int).ModInverse(step, field))))
		}
		if len(absent) > 0 {
			has = append(has, a.Bit(absent[c.First]))
		}
		api.AssertIsEqual(a.Add(has...).Wire(), 1)
		for _, set := range s.members[at] {
			in := a.Constant(0)
			for value, member := range set {
				in = a.Add(in, a.Mul(member, has[value]))
			}
			columns = append(columns, a.UnsafeWithin(in.Wire(), "exactly one value counts, whose member is a bit", query[0]))
		}
	}
	return columns
}
