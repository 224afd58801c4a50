package subcircuit

import (
	"math/big"
	"math/bits"
	"slices"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/additive"
	"equiproof/gadget/affine"
	"equiproof/gadget/bounded"
	"equiproof/gadget/member"
	"equiproof/gadget/ranges"
	"equiproof/relation"
	"equiproof/shape"
)

// scoreParts names the wires that one of so many equal parts has of the relations of scheme `trees`, in their order.
func scoreParts(s *shape.Shape, count int, names ...string) []relation.Segment {
	switch {
	case s.Boxes() && s.Grows():
		return shares(relation.BoxTreesLayout(s), count, names...)
	case s.Boxes():
		return shares(relation.BoxLayout(s), count, names...)
	case s.Grows():
		return shares(relation.TreesLayout(s), count, names...)
	default:
		return shares(relation.AdditiveLayout(s), count, names...)
	}
}

// predicates returns P_x and P_s.
func predicates(s *shape.Shape) (plain, sensitive int) {
	return s.Architecture.Predicates[0], s.Architecture.Predicates[1]
}

// readColumns reads columns and thresholds, each predicate's column of its kind (R-T-ORDER).
func (b *builder) readColumns() additive.Model {
	a := &b.shape.Architecture
	plain, sensitive := predicates(b.shape)
	sizes := additive.Sizes{
		PlainColumns: a.Columns(), SensitiveColumns: a.Sensitive, PlainPredicates: plain, SensitivePredicates: sensitive,
	}
	return additive.Model{Columns: b.read("columns", sizes.Column), Thresholds: b.signed("thresholds", b.shape.InputBits), Plain: plain}
}

// readJumps reads jumps and bias.
func (b *builder) readJumps(m *additive.Model) {
	m.Jumps, m.Bias = b.signed("jumps", shape.JumpBits), b.signed("bias", shape.ScoreBiasBits)[0]
}

// held types wires that the gadget itself keeps between the bounds of models, for the reason that is given.
func (b *builder) held(name, reason string, models ...bounded.Int) []bounded.Int {
	return b.read(name, func(a *bounded.Arith, _ int, wire frontend.Variable) bounded.Int {
		return a.UnsafeWithin(wire, reason, models...)
	})
}

// sigma reads the label as a part of the instance, and returns 1 for label 1, -1 for label 0.
func (b *builder) sigma() bounded.Int {
	label := b.bits("label")
	b.bind(label)
	return b.a.Sub(b.a.Scale(big.NewInt(2), affine.NewLabel(b.a.At("sum of the label"), label).Index(b.a)), b.a.Constant(1))
}

// sidesOfSlices reads the sides of sensitive predicates, of which there may be none, slice by slice.
func (b *builder) sidesOfSlices() [][]bounded.Int {
	if _, sensitive := predicates(b.shape); sensitive > 0 {
		return relation.Matrix(b.bits("side_of_slice"), sensitive)
	}
	return make([][]bounded.Int, b.shape.Slices)
}

// The values that predicates are compared with are no part of the instance: they are those of query, table and ranges.
func predicatesLayout(s *shape.Shape) []relation.Segment {
	instance := scoreParts(s, 1, "columns", "thresholds", "table", "query", "radius_squared", "range_low", "range_high",
		"side", "dead", "side_of_slice", "sets")
	return append(instance, scoreParts(s, 1, "at", "absent", "away", "end", "beyond", "sensitive_at")...)
}

// definePredicates puts predicates in order, and compares them with query, slices and radius (R-T-ORDER, R-T-SIDE, R-T-DEAD),
// with ranges inside these, where the query is, too (R-B-RANGES); values of it may be missing (R-T-MISSING), and nodes may ask sets
// of them (R-T-SETS).
func definePredicates(b *builder) error {
	s, w, a := b.shape, b.wires, b.a.At("predicates")
	m := b.readColumns()
	table, query, radius := b.signed("table", s.InputBits), b.signed("query", s.InputBits), b.unsigned("radius_squared", s.RadiusBits)
	low, high := b.signed("range_low", s.InputBits), b.signed("range_high", s.InputBits)
	sets := additive.NewSets(b.a.At("sets"), &s.Architecture, w["sets"])
	b.bind(m.Columns, m.Thresholds, sets.Numbers(), table, query, radius, low, high, b.bits("side"), b.bits("dead"))
	for p := range m.Columns {
		m.Ascend(a, p, s.InputBits)
	}
	argument := member.New(a)
	columns := sets.Columns(b.a.At("sets"), query, w["absent"], s.InputBits, radius[0])
	inputs := additive.NewInputs(argument, append(query, columns...), relation.Matrix(table, s.Architecture.Sensitive))
	if s.Architecture.Missing {
		inputs.Miss(b.a.At("missing"), argument, s.InputBits, w["absent"], w["away"])
	}
	if s.Ranges() {
		ranges.New(b.a.At("ranges"), low, high, inputs.Ranged(b.a.At("ranges"), low), s.InputBits)
	}
	ends := inputs.Ends(b.a.At("ranges"), low, high, columns, s.InputBits, w["end"], w["beyond"])
	additive.Orient(a, m, inputs, ends, radius[0], w["at"], w["side"], w["dead"])
	if _, sensitive := predicates(s); sensitive > 0 {
		b.bind(b.bits("side_of_slice"))
		additive.Sides(a, m, inputs, w["sensitive_at"], w["side_of_slice"])
	}
	return nil
}

// An ensemble has no worst slice; there, steps of sensitive predicates are stated. On a box the query is the least ends.
func centreLayout(s *shape.Shape) []relation.Segment {
	plain, _ := predicates(s)
	segments := append(scoreParts(s, 1, "jumps", "bias", "label"), relation.Segment{Name: "side", Length: plain})
	if s.Adds() {
		segments = append(segments, scoreParts(s, 1, "side_of_slice", "worst")...)
	}
	segments = append(segments, relation.Segment{Name: "step", Length: plain}, relation.Segment{Name: "base", Length: 1})
	return append(segments, sensitiveSteps(s)...)
}

// sensitiveSteps names the steps of sensitive predicates, which are slots of an ensemble only.
func sensitiveSteps(s *shape.Shape) []relation.Segment {
	if s.Adds() {
		return nil
	}
	_, sensitive := predicates(s)
	return []relation.Segment{{Name: "sensitive_step", Length: sensitive}}
}

// scoreWidths are widths of stated numbers: of the score at the query for the label, of what trees add to a leaf and of what their
// rows charge a slot, signed; and of lambda.
type scoreWidths struct{ base, score, charged, multiplier int }

// scoreWidthsOf derives them. The base is bias, jumps that are passed and, of an additive model, the worst slice's sum. A row and a
// constant tree add at most a leaf, a row charges at most the difference of two.
func scoreWidthsOf(s *shape.Shape) scoreWidths {
	plain, sensitive := predicates(s)
	bound := func(most uint64) int { return bits.Len64(most) + 1 }
	base := uint64(1)<<(shape.ScoreBiasBits-1) + uint64(plain)<<(shape.JumpBits-1)
	if s.Grows() {
		of, leaf := s.Trees(), shape.JumpBits-1+shape.ValueBits
		rows, trees := uint64(s.Rows), uint64(of.Trees)
		return scoreWidths{bound(base), bound((3*rows + trees) << leaf), bound(2 * rows << leaf), of.MultiplierBits}
	}
	of := s.Additive()
	if sensitive > 0 {
		base += 1 << (of.WorstBits - 1)
	}
	return scoreWidths{bound(base), 1, 1, of.MultiplierBits}
}

// chargeScale is by what scores and charges of trees count in a leaf.
func chargeScale(s *shape.Shape) *big.Int {
	return new(big.Int).Lsh(big.NewInt(1), uint(s.Trees().ChargeScale))
}

// defineCentre makes the stated base the score at the query for the label, on the worst slice (R-T-CLOSE, R-T-SLICES), and the
// stated steps what crossing adds (R-T-SLOT).
func defineCentre(b *builder) error {
	a, s := b.a.At("centre"), b.shape
	plain, sensitive := predicates(s)
	m := additive.Model{Plain: plain}
	b.readJumps(&m)
	b.bind(m.Jumps, []bounded.Int{m.Bias})
	sigma, side, worst := b.sigma(), b.bits("side"), a.Constant(0)
	b.bind(side)
	if s.Adds() && sensitive > 0 {
		sides := b.sidesOfSlices()
		worst = b.signed("worst", s.Additive().WorstBits)[0]
		b.bind(append(sides, []bounded.Int{worst})...)
		m.Least(a, sigma, sides, worst)
	}
	var oriented []additive.Oriented
	for _, bit := range side {
		oriented = append(oriented, additive.NewOriented(bit, a.Constant(0), 1))
	}
	centre := additive.NewCentre(a, m, sigma, oriented, worst)
	step := b.held("step", "equal to a jump or its negative", wide(a, 1, shape.JumpBits+1)...)
	base := b.held("base", "equal to a sum that scoreWidthsOf bounds", wide(a, 1, scoreWidthsOf(s).base)...)
	b.bind(step, base)
	b.equal(step, centre.Steps)
	b.equal(base, []bounded.Int{centre.Base})
	if s.Grows() {
		beyond := b.held("sensitive_step", "equal to a jump or its negative", wide(a, 1, shape.JumpBits+1)...)
		b.bind(beyond)
		b.equal(beyond, additive.SensitiveSteps(a, m, sigma))
	}
	return nil
}

// Gaps come first, or steps, where slots are at no distance: a column that is the only one takes no bits, and packing does not begin
// with such a number.
func slotsLayout(s *shape.Shape) []relation.Segment {
	plain, _ := predicates(s)
	names := []string{"gap2", "columns", "side", "dead", "step"}
	if s.Boxes() {
		names = []string{"step", "columns", "side", "dead"}
	}
	var segments []relation.Segment
	for _, name := range names {
		segments = append(segments, relation.Segment{Name: name, Length: plain})
	}
	return append(segments, scoreParts(s, 1, "slot_column", "slot_gap2", "slot_side", "slot_step", "slot_live", "same")...)
}

// gaps reads squared gaps; on a box all of them are 0.
func (b *builder) gaps(name string, count int) []bounded.Int {
	if b.shape.Boxes() {
		return slices.Repeat([]bounded.Int{b.a.Constant(0)}, count)
	}
	return b.unsigned(name, 2*b.shape.InputBits)
}

// defineSlots makes the stated slots the live ones of the stated predicates, and phantoms behind them (R-T-CAPACITY, R-T-SLOT).
func defineSlots(b *builder) error {
	a, s, w := b.a.At("slots"), b.shape, b.wires
	steps, n := shape.JumpBits+1, s.Architecture.Columns()
	m := additive.Model{Columns: b.below("columns", n)}
	gap2, slotGaps := b.gaps("gap2", len(m.Columns)), w["slot_gap2"]
	side, dead, step := b.bits("side"), b.bits("dead"), b.signed("step", steps)
	if s.Boxes() {
		b.bind(step, m.Columns, side, dead)
		slotGaps = slices.Repeat([]frontend.Variable{0}, s.Slots)
	} else {
		b.bind(gap2, m.Columns, side, dead, step)
	}
	var oriented []additive.Oriented
	for p := range gap2 {
		oriented = append(oriented, additive.NewOriented(side[p], gap2[p], a.API().Sub(1, dead[p].Wire())))
	}
	additive.NewSlots(a, member.New(a), m, oriented, step, n, additive.SlotWires{
		Column: w["slot_column"], Gap2: slotGaps, Side: w["slot_side"], Step: w["slot_step"], Live: w["slot_live"], Same: w["same"],
	})
	zero, unit := a.Constant(0), a.Constant(1)
	b.bind(b.held("slot_column", "that of a predicate, or of a phantom behind all columns", zero, a.Constant(int64(n+s.Slots))),
		b.held("slot_gap2", "looked up among the predicates' and a phantom's 0", gap2[0], zero),
		b.held("slot_side", "looked up among the predicates' and a phantom's 1", zero, unit),
		b.held("slot_step", "looked up among the predicates' and a phantom's 0", step[0]), b.bits("slot_live"), b.bits("same"))
	return nil
}

// What closes the leaf is no part of the instance: it says that there is a multiplier. Nor is what values add: it is the sum of stated
// steps and charges.
func chainLayout(s *shape.Shape) []relation.Segment {
	segments := append(scoreParts(s, 1, "radius_squared", "slot_gap2", "slot_side", "slot_step", "same"),
		scoreParts(s, s.Capacity, "leaf_live", "signs", "charged")...)
	segments = append(append(segments, relation.Segment{Name: "base", Length: 1}), sensitiveSteps(s)...)
	if s.Grows() {
		segments = append(segments, relation.Segment{Name: "score", Length: 1})
	}
	closing := scoreParts(s, s.Capacity, "used", "multiplier", "taken", "level")
	if len(s.OneHot) == 0 {
		return append(segments, closing...)
	}
	segments = append(append(segments, scoreParts(s, 1, "slot_column")...), endsLayout(s)...)
	segments = append(append(segments, closing...), scoreParts(s, 1, "slot_open")...)
	return append(segments, scoreParts(s, s.Capacity, "gain", "value_stayed", "value_crossed", "least")...)
}

// defineChain closes one leaf over stated slots (R-T-LEAF, R-T-CHAIN, R-T-CLOSE), with what open categories add to it (R-X-GAIN). Slots
// that stand alone are held to what those of a model are: along a column sides are 0 first and then 1, and gaps grow (R-T-SLOT).
func defineChain(b *builder) error {
	a, s, w, widths := b.a.At("leaf"), b.shape, b.wires, scoreWidthsOf(b.shape)
	radius := []bounded.Int{a.Constant(0)}
	if !s.Boxes() {
		radius = b.unsigned("radius_squared", s.RadiusBits)
	}
	gap2, side := b.gaps("slot_gap2", s.Slots), b.bits("slot_side")
	step, same := b.signed("slot_step", shape.JumpBits+1), b.bits("same")
	charged, base := b.signed("charged", widths.charged), b.signed("base", widths.base)
	beyond, score := b.signed("sensitive_step", shape.JumpBits+1), b.signed("score", widths.score)
	if !s.Boxes() {
		b.bind(radius, gap2)
	}
	b.bind(side, step, same, b.bits("leaf_live"),
		b.held("signs", "ReadSigns reads it", a.Constant(-1), a.Constant(1)), charged, base, beyond, score)
	column := b.held("slot_column", "looked up among those that predicates read and the phantoms'", a.Constant(0),
		a.Constant(int64(s.Architecture.Columns()+s.Slots)))
	b.bind(column)
	slots := additive.StatedSlots(b.a.At("slots"), column, gap2, side, step, same)
	terms := additive.Terms{Score: a.Constant(0)}
	if s.Grows() {
		slots.Append(a, beyond)
		scale := chargeScale(s)
		terms.Score = a.Scale(scale, score[0])
		for _, charge := range charged {
			terms.Charges = append(terms.Charges, a.Scale(scale, charge))
		}
	}
	bound := additive.Bound{Base: base[0], Radius: radius[0], Scale: s.RadiusBits, MultiplierBits: widths.multiplier}
	leaf := additive.LeafWires{Live: w["leaf_live"][0], Signs: w["signs"], Taken: w["taken"], Level: w["level"]}
	if s.Boxes() {
		// No distance closes a leaf: all are closed by the score.
		leaf.Used, leaf.Multiplier = leaf.Live, 0
	} else {
		leaf.Used, leaf.Multiplier = w["used"][0], w["multiplier"][0]
	}
	signs := slots.ReadSigns(a, leaf.Live, leaf.Signs)
	if len(s.OneHot) > 0 {
		least, err := b.values(slots, signs)
		if err != nil {
			return err
		}
		terms.Score = a.Add(terms.Score, a.Scale(chargeScale(s), least))
	}
	slots.Close(a, bound, leaf, signs, terms)
	return nil
}

func coverLayout(s *shape.Shape) []relation.Segment {
	names := []string{"slot_side", "same", "leaf_live", "serves", "signs"}
	if s.Grows() {
		names = append(names, "side_of_slice")
	}
	return scoreParts(s, 1, names...)
}

// defineCover makes the live leaves hold every cell of the stated slots once (R-T-LEAF, R-T-COVER), of an ensemble on every slice
// that they serve.
func defineCover(b *builder) error {
	a, s, w := b.a.At("leaves"), b.shape, b.wires
	_, sensitive := predicates(s)
	var sides [][]bounded.Int
	if s.Grows() {
		sides = b.sidesOfSlices()
		b.bind(sides...)
	}
	side, same := b.bits("slot_side"), b.bits("same")
	b.bind(side, same, b.bits("leaf_live"), b.bits("serves"), b.held("signs", "ReadSigns reads it", a.Constant(-1), a.Constant(1)))
	slots := additive.Joined(a, side, same)
	if s.Grows() {
		slots.Append(a, make([]bounded.Int, sensitive)) // whatever crossing them adds
	}
	var boxes []additive.Box
	for k, live := range w["leaf_live"] {
		row := len(w["signs"]) / s.Capacity
		signs := slots.ReadSigns(a, live, w["signs"][k*row:(k+1)*row])
		if s.Grows() {
			slots.Serve(a, signs, w["serves"][k*s.Slices:(k+1)*s.Slices], sides)
		}
		boxes = append(boxes, signs.Box)
	}
	found, err := b.digest()
	if err != nil {
		return err
	}
	slots.Cover(b.a.At("cover"), found, boxes)
	return nil
}
