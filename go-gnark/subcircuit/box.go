package subcircuit

import (
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/additive"
	"equiproof/gadget/affine"
	"equiproof/gadget/backward"
	"equiproof/gadget/bounded"
	"equiproof/gadget/member"
	"equiproof/relation"
	"equiproof/shape"
)

// endsLayout names the wires of a box: the ends of its columns, and which categories are free.
func endsLayout(s *shape.Shape) []relation.Segment {
	n := s.Architecture.Plain
	segments := []relation.Segment{{Name: "box_low", Length: n}, {Name: "box_high", Length: n}}
	if len(s.OneHot) > 0 {
		segments = append(segments, relation.Segment{Name: openName(s), Length: len(s.OneHot)})
	}
	return segments
}

// openName is what the wires are called that say which categories are open: of ensembles `free` are the rows.
func openName(s *shape.Shape) string {
	if s.Grows() {
		return "open"
	}
	return "free"
}

// people reads a box as a part of the instance (R-X-ENDS, R-X-CATEGORY), and returns its least ends, too.
func (b *builder) people() (*additive.People, []bounded.Int) {
	a, bits := b.a, b.shape.InputBits
	low, high := b.signed("box_low", bits), b.signed("box_high", bits)
	b.bind(low, high, b.held(openName(b.shape), "NewPeople reads it as a bit", a.Constant(0), a.Constant(1)))
	return additive.NewPeople(a.At("box"), low, high, b.shape.OneHot, b.wires[openName(b.shape)]), low
}

// definePeople says that a box has somebody in it, with one value in each category (R-X-ENDS, R-X-CATEGORY).
func definePeople(b *builder) error {
	people, _ := b.people()
	people.Settle(b.a.At("box"), b.shape.Architecture.Categories)
	if b.shape.Branches() {
		people.Falls(b.a.At("box"))
	}
	return nil
}

// The ends that predicates are compared with are no part of the instance: they are those of the box and the table.
func sidesLayout(s *shape.Shape) []relation.Segment {
	segments := append(scoreParts(s, 1, "columns", "thresholds", "sets", "table"), endsLayout(s)...)
	segments = append(segments, scoreParts(s, 1, "side_low", "side_high")...)
	segments = append(segments, scoreParts(s, 1, "loose_at")...)
	segments = append(segments, scoreParts(s, 1, "side_of_slice")...)
	return append(segments, scoreParts(s, 1, "low_at", "high_at", "absent", "away", "sensitive_at")...)
}

// defineSides puts predicates in order, and compares them with both ends of a box and with slices (R-T-ORDER, R-T-SIDE, R-X-SIDE). Values
// of a box may be missing (R-T-MISSING, R-X-ENDS), and nodes may ask sets of them (R-T-SETS).
func defineSides(b *builder) error {
	s, w, a := b.shape, b.wires, b.a.At("predicates")
	m, sets := b.readColumns(), additive.NewSets(b.a.At("sets"), &b.shape.Architecture, b.wires["sets"])
	table := b.signed("table", s.InputBits)
	b.bind(m.Columns, m.Thresholds, sets.Numbers(), table)
	people, low := b.people()
	b.bind(b.bits("side_low"), b.bits("side_high"))
	for p := range m.Columns {
		m.Ascend(a, p, s.InputBits)
	}
	argument, rows := member.New(a), relation.Matrix(table, s.Architecture.Sensitive)
	_, sensitive := predicates(s)
	var inputs *additive.Inputs
	if s.Grows() {
		columns := sets.Columns(b.a.At("sets"), low, w["absent"], s.InputBits, a.Constant(0))
		inputs = additive.NewInputs(argument, append(append([]bounded.Int{}, low...), columns...), rows)
		if s.Architecture.Missing {
			inputs.Miss(b.a.At("missing"), argument, s.InputBits, w["absent"], w["away"])
		}
		people.Around(a, argument, m, inputs, s.InputBits, additive.BesideWires{
			Low: w["low_at"], High: w["high_at"], SideLow: w["side_low"], SideHigh: w["side_high"],
		})
	} else {
		b.bind(b.bits("loose_at"))
		columns := people.Columns(a, argument)
		for p := range m.Plain {
			columns.Compare(a, m, p, additive.PeopleWires{
				Low: w["low_at"], High: w["high_at"], Loose: w["loose_at"], SideLow: w["side_low"], SideHigh: w["side_high"],
			})
		}
		if sensitive > 0 {
			inputs = additive.NewInputs(argument, low, rows)
		}
	}
	if sensitive > 0 {
		b.bind(b.bits("side_of_slice"))
		additive.Sides(a, m, inputs, w["sensitive_at"], w["side_of_slice"])
	}
	return nil
}

// passing reads where plain predicates stand, and the label, as a part of the instance, and adds what passing each one adds.
func (b *builder) passing(m additive.Model) *additive.Passing {
	a := b.a.At("predicates")
	low, high, loose := b.bits("side_low"), b.bits("side_high"), b.bits("loose_at")
	b.bind(low, high, loose)
	passing := additive.NewPassing(a, m, b.sigma())
	for p := range low {
		passing.Add(a, additive.StatedBeside(a, low[p], high[p], loose[p]))
	}
	return passing
}

// What shows that levels are the least sums is no part of the instance.
func levelsLayout(s *shape.Shape) []relation.Segment {
	plain, _ := predicates(s)
	// Packing does not begin with columns: one that is the only one takes no bits.
	segments := append(scoreParts(s, 1, "jumps", "bias"), relation.Segment{Name: "columns", Length: plain})
	segments = append(segments, scoreParts(s, 1, "side_low", "side_high")...)
	for _, name := range []string{"loose_at", "label", "side_of_slice", "worst", "least", "same_column", "lowers"} {
		segments = append(segments, scoreParts(s, 1, name)...)
	}
	return segments
}

// defineLevels holds the score for the label above 0 at the worst point of a box, on the worst slice (R-T-SLICES, R-X-LEVEL, R-X-CLOSE);
// stated is what free categories add at least.
func defineLevels(b *builder) error {
	a, s := b.a.At("levels"), b.shape
	plain, sensitive := predicates(s)
	m := additive.Model{Columns: b.below("columns", s.Architecture.Plain), Plain: plain}
	b.readJumps(&m)
	b.bind(m.Jumps, []bounded.Int{m.Bias}, m.Columns)
	passing, worst := b.passing(m), a.Constant(0)
	if sensitive > 0 {
		sides := b.sidesOfSlices()
		worst = b.signed("worst", s.Box().WorstBits)[0]
		b.bind(append(sides, []bounded.Int{worst})...)
		m.Least(a, passing.Sigma(), sides, worst)
	}
	least := b.signed("least", s.Box().GainBits)
	b.bind(least)
	levels := passing.Levels(a, additive.PeopleWires{Same: b.wires["same_column"], Taken: b.wires["lowers"]})
	a.Positive(a.Add(append([]bounded.Int{passing.Base, levels, worst}, least...)...))
	return nil
}

// What each value adds is no part of the instance: it is the sum of stated steps.
func gainsLayout(s *shape.Shape) []relation.Segment {
	plain, _ := predicates(s)
	segments := []relation.Segment{{Name: "jumps", Length: plain}, {Name: "columns", Length: plain}}
	segments = append(segments, scoreParts(s, 1, "side_low", "side_high")...)
	segments = append(append(segments, scoreParts(s, 1, "loose_at")...), scoreParts(s, 1, "label")...)
	segments = append(append(segments, endsLayout(s)...), scoreParts(s, 1, "least")...)
	return append(segments, scoreParts(s, 1, "gain")...)
}

// defineGains makes what free categories add at most what any possible value adds (R-X-GAIN).
func defineGains(b *builder) error {
	a, s := b.a.At("gains"), b.shape
	plain, _ := predicates(s)
	m := additive.Model{Jumps: b.signed("jumps", shape.JumpBits), Columns: b.below("columns", s.Architecture.Plain), Plain: plain}
	m.Bias = a.Constant(0)
	b.bind(m.Jumps, m.Columns)
	passing := b.passing(m)
	people, _ := b.people()
	b.bind(b.held("least", "Gains checks it as a signed number", wide(a, 1, s.Box().GainBits)...))
	if err := b.challenge(a); err != nil {
		return err
	}
	people.Gains(a, passing, s.Box().GainBits, additive.PeopleWires{Gain: b.wires["gain"], Least: b.wires["least"]})
	return nil
}

// challenge puts the digest into the commitment, so that challenges of one instance are none of another's.
func (b *builder) challenge(a *bounded.Arith) error {
	found, err := b.digest()
	a.Argue(func() []frontend.Variable { return []frontend.Variable{found} },
		func(frontend.API, frontend.Variable) error { return nil })
	return err
}

// values reads a box as a part of the instance, and returns what its open categories add to a stated leaf at least, at scale 2^q
// (R-X-GAIN). What the values of a category add has the width of a model's, since stated steps and charges can add up to more.
func (b *builder) values(slots *additive.Slots, signs *additive.Signs) (bounded.Int, error) {
	a, s, w, width := b.a.At("categories"), b.shape, b.wires, b.shape.Trees().GainBits
	people, _ := b.people()
	b.signed("gain", width)
	if err := b.challenge(a); err != nil {
		return bounded.Int{}, err
	}
	values := people.Values(a, slots, s.Architecture.Columns(), shape.ValueBits, width, w["slot_open"])
	return values.Assert(a, signs, w["charged"], additive.ValueWires{
		Gain: w["gain"], Stayed: w["value_stayed"], Crossed: w["value_crossed"], Least: w["least"],
	}), nil
}

// What shows how far neurons fall and rise is no part of the instance.
func fallsLayout(s *shape.Shape, numbers *shape.Branch) []relation.Segment {
	segments := append(append(lowestLayout(s, 1), endsLayout(s)...), relation.Segment{Name: "row", Length: s.Architecture.Sensitive})
	segments = append(segments, parts(s, numbers, s.Slices, "low.1", "high.1")...)
	return append(segments, parts(s, numbers, 1, "first_least", "negative_weight.1")...)
}

// defineFalls makes bounds of layer 1 on one slice exactly each neuron's least and largest value in a box (R-X-FIRST, R-X-FALL).
func defineFalls(b *builder) error {
	claims := relation.NewClaims(b.shape, b.numbers, b.wires)
	var splits []backward.Split
	layers, all := b.lowest(1, func(l int) (all []bounded.Int) {
		all, splits = claims.Weights(b.a, l)
		return all
	})
	b.bind(all)
	people, query := b.people()
	row := b.signed("row", b.shape.InputBits)
	b.bind(row)
	low, high := b.limits(0)
	a := b.a.At("layer 1")
	plain, sensitive := layers[0].Split(len(query))
	base := affine.Layer{Weights: plain, Biases: layers[0].Biases}.Apply(a, query)
	hold := claims.First(a, people.Falls(b.a.At("box")), plain, splits)
	for i := range base {
		hold(i, a.Add(base[i], a.Dot(sensitive[i], row)), low[i], high[i])
	}
	return nil
}
