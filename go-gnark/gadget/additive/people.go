package additive

import (
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/member"
	"equiproof/shape"
)

// People are everybody in a box: whoever has, in each column, an integer from its least to its largest one, and in each category
// one of the values allowed.
type People struct {
	low, high []bounded.Int
	choices   []choice
	loose     []bounded.Int // of each column, 1 where its category has several values to choose from
}

// choice is a category of a box.
type choice struct {
	of      shape.Choice
	free    bounded.Int   // a bit
	allowed []bounded.Int // bits: the values that a person of the box can have, where it is free
}

// NewPeople reads a box (R-X-ENDS, R-X-CATEGORY); free has a wire for each category.
//
// Relation: no column's largest value is below its least one. In the columns of a category both are the same or as far apart as its high
// and low; where it is free, the least one is its low in all of them, and the largest one its high in one at least. A category that is
// not free is as many columns without a tie, where somebody can have two values: so more is proven, not less. Precondition: all are
// integers of one signed width. Outside it: the circuit does not compile. Cost: a range check for each column; of a category, three
// constraints for each value, and one and a range check.
func NewPeople(a *bounded.Arith, low, high []bounded.Int, choices []shape.Choice, free []frontend.Variable) *People {
	defer a.Part("box")()
	p := &People{low: low, high: high}
	for column := range low {
		a.AssertNonNegative(a.Sub(high[column], low[column]))
		p.loose = append(p.loose, a.Constant(0))
	}
	for i, of := range choices {
		p.choices = append(p.choices, p.choice(a, of, free[i]))
	}
	return p
}

// choice reads which values of a category are allowed.
func (p *People) choice(a *bounded.Arith, of shape.Choice, free frontend.Variable) choice {
	api, step := a.API(), big.NewInt(int64(of.High-of.Low))
	c := choice{of: of, free: a.Bit(free)}
	count := a.Constant(0)
	for column := of.First; column < of.First+of.Values; column++ {
		// The wire of a bit is the distance of both ends by that of high and low: 0 or all of it.
		span := api.Sub(p.high[column].Wire(), p.low[column].Wire())
		allowed := a.Bit(api.Mul(span, new(big.Int).ModInverse(step, api.Compiler().Field())))
		c.allowed, count = append(c.allowed, allowed), a.Add(count, allowed)
		api.AssertIsEqual(api.Mul(free, api.Sub(p.low[column].Wire(), of.Low)), 0)
		p.loose[column] = c.free
	}
	// Something is allowed: a box without anybody proves all.
	a.AssertNonNegative(a.Sub(count, c.free))
	return c
}

// PeopleWires are the private wires of plain predicates in a box: of each the ends of its column and whether they are a free
// category's, the sides of both ends, whether it is of the column of the one behind it, and whether passing it and the best of those
// behind lowers the score; of each column of a category what its high adds, and of each category the least of these.
type PeopleWires struct {
	Low, High, Loose, SideLow, SideHigh, Same, Taken []frontend.Variable
	Gain, Least                                      []frontend.Variable
}

// Least returns what the label gains at least, at any point of the box with one value in each category (R-X-SIDE, R-X-LEVEL, R-X-GAIN).
//
// Relation: it is what the least ends gain, and of each column that is of no free category the least of what passing its thresholds adds,
// one after the other; of each free category, no more than any of its allowed values adds. Precondition: sigma is 1 or -1. Outside it:
// steps are those of no label. Cost: about 20 constraints and four range checks for each predicate; for each column of a category three
// and a range check.
func (p *People) Least(a *bounded.Arith, argument *member.Argument, m Model, sigma bounded.Int, gainBits int, w PeopleWires) bounded.Int {
	defer a.Part("predicates")()
	columns := p.Columns(a, argument)
	passing := NewPassing(a, m, sigma)
	for at := range m.Plain {
		passing.Add(a, columns.Compare(a, m, at, w))
	}
	return a.Add(passing.Base, passing.Levels(a, w), p.Gains(a, passing, gainBits, w))
}

// Columns is what plain predicates are compared with: of each column the ends of a box, and whether it is a free category's.
type Columns struct{ ends *member.Table }

// Columns lists those of a box. Precondition: none. Cost: a row for each column.
func (p *People) Columns(a *bounded.Arith, argument *member.Argument) *Columns {
	defer a.Part("predicates")()
	ends := argument.Table(0, p.low[0], p.high[0], a.Hull(a.Constant(0), a.Constant(1)))
	for column := range p.low {
		ends.Insert([]frontend.Variable{column}, p.low[column], p.high[column], p.loose[column])
	}
	return &Columns{ends}
}

// Beside is where a plain predicate stands to a box: bits.
type Beside struct {
	below    bounded.Int // the least end is at most the threshold
	notAbove bounded.Int // the largest end is
	loose    bounded.Int // its column is a free category's
}

// Compare compares plain predicate p with both ends of its column (R-X-SIDE).
//
// Relation: the wires are the ends of the predicate's column, whether that is a free category's, and the sides of both ends.
// Precondition: the box is that of NewPeople. Outside it: a predicate may be passed by the least end, and not by the largest one. Cost:
// about eight constraints and two range checks.
func (s *Columns) Compare(a *bounded.Arith, m Model, p int, w PeopleWires) Beside {
	defer a.Part("predicates")()
	found := s.ends.Look(a, []frontend.Variable{m.Columns[p].Wire()}, w.Low[p], w.High[p], w.Loose[p])
	below, _ := orient(a, m.Thresholds[p], found[0], w.SideLow[p])
	notAbove, _ := orient(a, m.Thresholds[p], found[1], w.SideHigh[p])
	return Beside{below, notAbove, found[2]}
}

// StatedBeside makes of bits of which nothing else is known where a predicate stands (R-X-SIDE).
//
// Relation: the largest end is at most the threshold nowhere that the least one is not. Precondition: all are bits. Outside it: steps may
// leave their bounds. Cost: a constraint.
func StatedBeside(a *bounded.Arith, below, notAbove, loose bounded.Int) Beside {
	defer a.Part("predicates")()
	a.Bit(a.Sub(below, notAbove).Wire())
	return Beside{below, notAbove, loose}
}

// Passing is what passing plain predicates adds for the label.
type Passing struct {
	Base       bounded.Int // sigma times the bias and the jumps that the least ends pass
	model      Model
	sigma      bounded.Int
	steps      []bounded.Int // of each predicate that some of the box pass, along its column
	looseSteps []bounded.Int // the same of a free category's columns
}

// NewPassing begins with the bias. Precondition: sigma is 1 or -1. Outside it: as Least. Cost: a constraint.
func NewPassing(a *bounded.Arith, m Model, sigma bounded.Int) *Passing {
	return &Passing{Base: a.Mul(sigma, m.Bias), model: m, sigma: sigma}
}

// Sigma returns 1 for label 1, -1 for label 0.
func (s *Passing) Sigma() bounded.Int { return s.sigma }

// Add adds the next plain predicate (R-X-LEVEL): to the base where the least end passes it; to the steps where it is inside.
// Precondition: it stands as Compare or StatedBeside has it. Outside it: a step is more than a jump. Cost: four constraints.
func (s *Passing) Add(a *bounded.Arith, of Beside) {
	defer a.Part("predicates")()
	jump := a.Mul(s.sigma, s.model.Jumps[len(s.steps)])
	ahead, never := a.Mul(of.below, jump), a.Mul(of.notAbove, jump)
	// Passed already by the least end, or inside: passed by the largest one only, which is at most the threshold nowhere that
	// the least one is not.
	passed := a.UnsafeWithin(a.Sub(jump, ahead).Wire(), "a side is a bit: the jump or 0", jump, a.Constant(0))
	inside := a.UnsafeWithin(a.Sub(ahead, never).Wire(), "where the largest end is at most the threshold, so is the least one", jump,
		a.Constant(0))
	loose := a.Mul(of.loose, inside)
	s.Base = a.Add(s.Base, passed)
	s.looseSteps = append(s.looseSteps, a.UnsafeWithin(loose.Wire(), "a bit times the jump or 0", inside))
	s.steps = append(s.steps, a.UnsafeWithin(a.Sub(inside, loose).Wire(), "the jump or 0", inside))
}

// BesideWires are the private wires of the plain predicates of an ensemble in a box: of each the ends of its column, and their sides.
type BesideWires struct{ Low, High, SideLow, SideHigh []frontend.Variable }

// Around compares the plain predicates with both ends of the box (R-X-SIDE): those that some of it pass are live, at no distance, and
// the least end stands for the query. Behind the plain columns stand those of sets, of the least end, which nobody in the box leaves.
//
// Relation: a predicate is live where it is above the largest end, and not above the least one. Where values can be missing, those of
// the least end are missing for everybody, and no other is. Precondition: inputs are those of the least end and the sets, which Miss
// constrains where values can be missing; all have so many signed bits. Outside it: the circuit does not compile.
// Cost: about ten constraints and two range checks for each predicate; a range check for each column where values can be missing.
func (p *People) Around(a *bounded.Arith, argument *member.Argument, m Model, inputs *Inputs, inputBits int, w BesideWires) []Oriented {
	defer a.Part("predicates")()
	ends := argument.Table(0, p.low[0], p.high[0])
	for column, low := range inputs.query {
		high := low
		if column < len(p.high) {
			high = p.high[column]
		}
		ends.Insert([]frontend.Variable{column}, low, high)
	}
	p.stated(a, inputs, inputBits)
	var found []Oriented
	for at := range m.Plain {
		own := ends.Look(a, []frontend.Variable{m.Columns[at].Wire()}, w.Low[at], w.High[at])
		below, _ := orient(a, m.Thresholds[at], own[0], w.SideLow[at])
		notAbove, _ := orient(a, m.Thresholds[at], own[1], w.SideHigh[at])
		// Where the largest end is at most the threshold, so is the least one: the difference is a bit.
		live, away := a.API().Sub(below.Wire(), notAbove.Wire()), frontend.Variable(0)
		if inputs.absent != nil {
			_, away = inputs.absent.far(a, m, at, a.API().Sub(1, live), a.Constant(0))
		}
		found = append(found, Oriented{side: below, gap2: a.Constant(0), live: live, away: away})
	}
	return found
}

// stated keeps the largest ends below the integer of a missing value, where the least ones are not that (R-X-ENDS).
func (p *People) stated(a *bounded.Arith, inputs *Inputs, inputBits int) {
	if inputs.absent == nil {
		return
	}
	most := a.Scale(new(big.Int).Sub(new(big.Int).Lsh(one, uint(inputBits-1)), one), a.Constant(1))
	for column, high := range p.high {
		// A missing least end is the largest integer, which no largest end is above.
		a.AssertNonNegative(a.Sub(a.Add(a.Sub(most, high), inputs.absent.flags[column]), a.Constant(1)))
	}
}

// Settle makes both ends of the categories of whose values sets are asked the same: everybody in the box has one value (R-X-CATEGORY).
// Precondition: none. Cost: a constraint for each value.
func (p *People) Settle(a *bounded.Arith, categories []shape.Category) {
	defer a.Part("box")()
	for _, c := range categories {
		for column := c.First; column < c.First+c.Values; column++ {
			a.AssertEqual(p.low[column], p.high[column])
		}
	}
}

// Levels returns the sum, over the columns, of the least that passing thresholds adds (R-X-LEVEL).
//
// Relation: predicates ascend by column, and those of one column that are inside stand side by side. A level is the least of 0 and of the
// predicate's step with the level of the one behind, where that is of the same column; those that no other leads to are summed.
// Precondition: every plain predicate was added. Outside it: the circuit does not compile. Cost: about five constraints and two range
// checks for each predicate.
func (s *Passing) Levels(a *bounded.Arith, w PeopleWires) bounded.Int {
	defer a.Part("levels")()
	m, steps := s.model, s.steps
	sum, behind := a.Constant(0), a.Constant(0)
	for at := m.Plain - 1; at >= 0; at-- {
		same := a.Constant(0)
		if at+1 < m.Plain {
			same = a.Bit(w.Same[at])
			step := a.Sub(m.Columns[at+1], m.Columns[at])
			// Where the bit is 1, the columns are one; where it is 0, the next one is larger.
			a.AssertEqual(a.Mul(same, step), a.Constant(0))
			a.AssertNonNegative(a.Sub(a.Add(step, same), a.Constant(1)))
		}
		led := a.Mul(same, behind)
		led = a.UnsafeWithin(led.Wire(), "a bit times a level, or 0", behind, a.Constant(0))
		sum = a.Add(sum, a.Sub(behind, led))
		across, taken := a.Add(steps[at], led), a.Bit(w.Taken[at])
		// Below 0 it is taken, and -1 at most; elsewhere it is not.
		a.AssertNonNegative(a.Sub(a.Mul(a.Sub(a.Constant(1), a.Scale(two, taken)), across), taken))
		lo, _ := across.Bounds()
		behind = a.UnsafeWithin(a.Mul(taken, across).Wire(), "what is taken is below 0", a.Within(0, lo, new(big.Int)))
	}
	return a.Add(sum, behind)
}

// Gains returns what free categories add at least (R-X-GAIN): of each one a number that is at most what any allowed value adds.
//
// Relation: what a value adds is the sum of the steps of its column's predicates. Precondition: every plain predicate was added; all jumps
// fit so many signed bits. Outside it: a gain has bounds that it leaves. Cost: for each predicate a constraint; for each value three and a
// range check.
func (p *People) Gains(a *bounded.Arith, s *Passing, bits int, w PeopleWires) bounded.Int {
	defer a.Part("gains")()
	sum, at := a.Constant(0), 0
	if len(p.choices) == 0 {
		return sum
	}
	adds := &adds{columns: s.model.Columns[:s.model.Plain], steps: s.looseSteps}
	for i, c := range p.choices {
		least := a.Signed(w.Least[i], bits)
		for value, allowed := range c.allowed {
			half := new(big.Int).Lsh(one, uint(bits-1))
			gain := a.UnsafeWithin(w.Gain[at], "the sum of the steps of a column's predicates, by the identity",
				a.Within(0, new(big.Int).Neg(half), new(big.Int).Sub(half, one)))
			a.AssertNonNegative(a.Mul(allowed, a.Sub(gain, least)))
			adds.of, adds.sums, at = append(adds.of, c.of.First+value), append(adds.sums, w.Gain[at]), at+1
		}
		// It is 0 where the category is not free.
		a.AssertEqual(a.Mul(c.free, least), least)
		sum = a.Add(sum, least)
	}
	a.Argue(adds.committed, adds.assert)
	return sum
}

// adds makes each sum that of the steps of the predicates of its column (R-X-GAIN).
//
// With X the challenge, the sum of step / (X - column) over the predicates is that of sum / (X - column) over the columns: both are
// fractions with poles at the same constants, so that each sum is that of its column, for all but a negligible share of challenges.
type adds struct {
	columns, steps []bounded.Int
	of             []int
	sums           []frontend.Variable
}

// committed lists the wires of the identity.
func (s *adds) committed() []frontend.Variable {
	wires := append([]frontend.Variable{}, s.sums...)
	for p := range s.columns {
		wires = append(wires, s.columns[p].Wire(), s.steps[p].Wire())
	}
	return wires
}

// assert makes the identity a constraint.
func (s *adds) assert(api frontend.API, challenge frontend.Variable) error {
	asked, given := []frontend.Variable{0, 0}, []frontend.Variable{0, 0}
	for p := range s.columns {
		asked = append(asked, api.DivUnchecked(s.steps[p].Wire(), api.Sub(challenge, s.columns[p].Wire())))
	}
	for i, column := range s.of {
		given = append(given, api.Mul(s.sums[i], api.Inverse(api.Sub(challenge, column))))
	}
	api.AssertIsEqual(api.Add(asked[0], asked[1], asked[2:]...), api.Add(given[0], given[1], given[2:]...))
	return nil
}
