package additive_test

import (
	"testing"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/additive"
	"equiproof/gadget/bounded"
	"equiproof/gadget/member"
	"equiproof/internal/adversary"
)

// predicate is a plain predicate as the query sees it, by column, distance and side; step is what crossing it adds.
type predicate struct {
	column, gap, side, step int64
	dead                    bool
}

// room is how many predicates, slots and plain columns there are.
type room struct{ predicates, slots, columns int }

// wires is how many wires the slots take.
func (r room) wires() int { return 5*r.predicates + 6*r.slots - 1 }

// read makes slots of the next wires: column, gap, side, step and life of each predicate, then the wires of the slots, run by
// run. Gaps have four bits, steps eight.
func (r room) read(a *bounded.Arith, take *adversary.Wires) *additive.Slots {
	var m additive.Model
	var oriented []additive.Oriented
	var steps []bounded.Int
	for range r.predicates {
		m.Columns = append(m.Columns, a.Unsigned(take.Take(1)[0], 3))
		gap2, side := a.Square(a.Unsigned(take.Take(1)[0], 4)), a.Bit(take.Take(1)[0])
		steps = append(steps, take.Signed(a, 1, 8)...)
		oriented = append(oriented, additive.NewOriented(side, gap2, a.API().Sub(1, a.Bit(take.Take(1)[0]).Wire())))
	}
	v := r.slots
	return additive.NewSlots(a, member.New(a), m, oriented, steps, r.columns, additive.SlotWires{
		Column: take.Take(v), Gap2: take.Take(v), Side: take.Take(v), Step: take.Take(v), Live: take.Take(v), Same: take.Take(v - 1),
	})
}

// Slots that are stated alone are held to sides that do not fall and gaps that do not fall outwards along a column; each is
// two squared gaps, two sides and whether they are joined.
func TestStatedSlots(t *testing.T) {
	circuit := adversary.Compile(t, 5+2, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		gaps := []bounded.Int{a.Unsigned(take.Take(1)[0], 8), a.Unsigned(take.Take(1)[0], 8)}
		sides, same := take.Bits(a, 2), take.Bits(a, 1)
		slots := additive.StatedSlots(a, nil, gaps, sides, []bounded.Int{a.Constant(1), a.Constant(1)}, same)
		equal(a, take, slots.Facts(0)[0], slots.Facts(1)[0])
	})
	circuit.Accepts(t, "both above", 4, 9, 1, 1, 1, 4, 5)
	circuit.Accepts(t, "both below", 9, 4, 0, 0, 1, 5, 4)
	circuit.Accepts(t, "around the query", 4, 9, 0, 1, 1, 4, 9)
	circuit.Accepts(t, "twice as near", 4, 4, 1, 1, 1, 4, 0)
	circuit.Accepts(t, "two columns, whatever they are", 9, 4, 1, 0, 0, 9, 4)
	circuit.Refuses(t, "above, then below", 4, 4, 1, 0, 1, 0, 0)
	circuit.Refuses(t, "nearer behind, above", 9, 4, 1, 1, 1, 9, -5)
	circuit.Refuses(t, "nearer behind, below", 4, 9, 0, 0, 1, -5, 9)
}

// fill lists the honest wires of read.
func (r room) fill(predicates []predicate) []any {
	var given []any
	var runs [6][]any
	add := func(column, gap, side, step, live int64) {
		for i, value := range []int64{column, gap * gap, side, step, live} {
			runs[i] = append(runs[i], value)
		}
	}
	for _, of := range predicates {
		dead := int64(0)
		if of.dead {
			dead = 1
		} else {
			add(of.column, of.gap, of.side, of.step, 1)
		}
		given = append(given, of.column, of.gap, of.side, of.step, dead)
	}
	for j := len(runs[0]); j < r.slots; j++ {
		add(int64(r.columns+1+j), 0, 1, 0, 0)
	}
	for j := 1; j < r.slots; j++ {
		same := 0
		if runs[0][j] == runs[0][j-1] {
			same = 1
		}
		runs[5] = append(runs[5], same)
	}
	for _, run := range runs {
		given = append(given, run...)
	}
	return given
}

// at is the place of a slot's wire: of the runs column, gap2, side, step, live and same, slot j.
func (r room) at(run, j int) int { return 5*r.predicates + run*r.slots + j }

// The runs of a slot's wires.
const (
	columns = iota
	gaps
	sides
	steps
	lives
	joined
)

// crowd is two columns, one around the query and one above it, of which one predicate is dead.
var crowd = []predicate{
	{column: 0, gap: 7, side: 0, step: -5}, {column: 0, gap: 4, side: 0, step: 6}, {column: 0, gap: 1, side: 1, step: -7},
	{column: 0, gap: 9, side: 1, step: 9, dead: true}, {column: 1, gap: 2, side: 1, step: 3}, {column: 1, gap: 5, side: 1, step: -8},
}

// six has room for the five live predicates of the crowd, and a phantom.
var six = room{6, 6, 2}

// facts compiles slots, and what is found of each of them.
func facts(t *testing.T, r room) *adversary.Circuit {
	return adversary.Compile(t, r.wires()+5*r.slots, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		slots := r.read(a, take)
		for j := range r.slots {
			found := slots.Facts(j)
			equal(a, take, found...)
			for i, most := range []int64{225, 1, 1, 1, 1} {
				if (i == 1 || i == 2) && j+1 == r.slots {
					most = 0 // nothing is behind the last one
				}
				if lo, hi := found[i].Bounds(); lo.Sign() != 0 || hi.Int64() != most {
					t.Errorf("fact %d of slot %d lies in [%v, %v]", i, j, lo, hi)
				}
			}
		}
	})
}

// of lists, for each slot of the crowd, what must be found: delta, joined outwards above, joined below, leads above, head.
var of = []any{
	33, 0, 1, 0, 0 /* below, the farther one */, 16, 0, 0, 1, 1 /* nearest below */, 1, 0, 0, 0, 0, /* nearest above */
	4, 1, 0, 0, 1, 21, 0, 0, 0, 0 /* the second column */, 0, 0, 0, 0, 1, /* a phantom */
}

// Live predicates are the first slots, in order, and phantoms follow; slots of a column are joined outwards.
func TestSlots(t *testing.T) {
	circuit := facts(t, six)
	honest := append(six.fill(crowd), of...)
	circuit.Accepts(t, "five live ones and a phantom", honest...)
	at := six.at
	for name, lie := range map[string][]any{
		"another column":                     with(honest, at(columns, 4), 2),
		"another squared gap":                with(honest, at(gaps, 4), 26),
		"another side":                       with(honest, at(sides, 2), 0),
		"another step":                       with(honest, at(steps, 4), 8),
		"the step of another one":            with(honest, at(steps, 3), -8),
		"the dead one":                       with(honest, at(columns, 3), 0, at(gaps, 3), 81, at(steps, 3), 9),
		"a phantom's column":                 with(honest, at(columns, 5), 7),
		"a phantom's gap":                    with(honest, at(gaps, 5), 1),
		"a phantom's side":                   with(honest, at(sides, 5), 0),
		"a phantom's step":                   with(honest, at(steps, 5), 1),
		"a phantom that lives":               with(honest, at(lives, 5), 1),
		"half a phantom":                     with(honest, at(lives, 5), half),
		"one that lives less":                with(honest, at(lives, 4), 0),
		"a phantom for one that lives":       with(honest, at(columns, 4), 7, at(gaps, 4), 0, at(steps, 4), 0, at(lives, 4), 0),
		"one not joined to its column":       with(honest, at(joined, 0), 0),
		"two columns joined":                 with(honest, at(joined, 2), 1),
		"one joined by half":                 with(honest, at(joined, 0), half),
		"one joined twice":                   with(honest, at(joined, 0), 2),
		"a phantom joined":                   with(honest, at(joined, 4), 1),
		"one more is dead":                   with(honest, 5*5+4, 1),
		"the dead one lives":                 with(honest, 5*3+4, 0),
		"a dead one by half, a slot by half": with(honest, 5*3+4, half, at(lives, 5), half),
	} {
		circuit.Refuses(t, name, lie...)
	}
	for i, fact := range []string{"delta", "joined above", "joined below", "leads above", "head"} {
		for j := range six.slots {
			place := six.wires() + 5*j + i
			circuit.Refuses(t, "another "+fact, with(honest, place, honest[place].(int)+1)...)
		}
	}
}

// All dead, or all live; one column alone, on one side or around the query; and one predicate.
func TestSlotsOfOtherRooms(t *testing.T) {
	nobody := append([]predicate{}, crowd...)
	for i := range nobody {
		nobody[i].dead = true
	}
	phantoms := []any{}
	for range 6 {
		phantoms = append(phantoms, 0, 0, 0, 0, 1)
	}
	facts(t, six).Accepts(t, "nobody lives", append(six.fill(nobody), phantoms...)...)
	full := room{3, 3, 1}
	circuit := facts(t, full)
	above := []predicate{{0, 0, 1, 5, false}, {0, 3, 1, -5, false}, {0, 4, 1, 5, false}}
	circuit.Accepts(t, "above", append(full.fill(above), 0, 1, 0, 0, 1, 9, 1, 0, 0, 0, 7, 0, 0, 0, 0)...)
	below := []predicate{{0, 4, 0, 5, false}, {0, 3, 0, -5, false}, {0, 1, 0, 5, false}}
	circuit.Accepts(t, "below", append(full.fill(below), 7, 0, 1, 0, 0, 8, 0, 1, 0, 0, 1, 0, 0, 0, 1)...)
	around := []predicate{{0, 4, 0, 5, false}, {0, 3, 1, -5, false}, {0, 4, 1, 5, false}}
	circuit.Accepts(t, "around", append(full.fill(around), 16, 0, 0, 1, 1, 9, 1, 0, 0, 0, 7, 0, 0, 0, 0)...)
	one := room{1, 1, 1}
	facts(t, one).Accepts(t, "alone", append(one.fill([]predicate{{0, 3, 0, 5, false}}), 9, 0, 0, 0, 1)...)
	facts(t, one).Accepts(t, "alone and dead", append(one.fill([]predicate{{0, 3, 0, 5, true}}), 0, 0, 0, 0, 1)...)
}

// More live predicates than slots have no slots.
func TestSlotsAreEnough(t *testing.T) {
	tight := room{3, 2, 2}
	circuit := facts(t, tight)
	three := []predicate{{0, 1, 1, 5, false}, {0, 3, 1, -5, false}, {1, 4, 1, 5, true}}
	honest := append(tight.fill(three), 1, 1, 0, 0, 1, 8, 0, 0, 0, 0)
	circuit.Accepts(t, "two of three", honest...)
	circuit.Refuses(t, "three of three", with(honest, 5*2+4, 0)...)
	// The third live predicate has the number of the first phantom, V + 1.
	circuit.Refuses(t, "the third as a phantom", with(honest, 5*2+4, 0, tight.at(columns, 0), 1, tight.at(gaps, 0), 16,
		tight.at(lives, 0), 0)...)
}

// A live slot behind a phantom is none: numbers go on by place.
func TestLiveSlotsStandFirst(t *testing.T) {
	tight := room{2, 3, 2}
	circuit := facts(t, tight)
	honest := append(tight.fill([]predicate{{0, 2, 1, 5, false}, {1, 3, 1, -5, true}}), 4, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)
	circuit.Accepts(t, "one and two phantoms", honest...)
	at := tight.at
	behind := with(honest, at(columns, 0), 3, at(gaps, 0), 0, at(sides, 0), 1, at(steps, 0), 0, at(lives, 0), 0,
		at(columns, 2), 0, at(gaps, 2), 4, at(steps, 2), 5, at(lives, 2), 1)
	circuit.Refuses(t, "the live one last", behind...)
}

// The counts of the set of slots are held: what the prover says of them makes no slot of an unknown predicate.
func TestCountsOfSlotsAreHeld(t *testing.T) {
	circuit := facts(t, six)
	lie := adversary.Elements(append(with(six.fill(crowd), six.at(steps, 4), 8), of...)...)
	for first := range 12 {
		counts := make([]any, 12)
		for i := range counts {
			counts[i] = 0
		}
		counts[first] = 6
		change := adversary.Force(circuit.Prover, "multiplicities", adversary.Elements(counts...))
		if attempt := circuit.Prover.Solve(lie, change); len(attempt.Violated) == 0 {
			t.Errorf("six times row %d: every row holds", first)
		}
	}
	if uncovered := circuit.Prover.System.Uncovered(); len(uncovered) > 0 {
		t.Errorf("wires %v of challenged rows are not committed", uncovered)
	}
}
