package additive_test

import (
	"math/big"
	"slices"
	"testing"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/additive"
	"equiproof/gadget/bounded"
	"equiproof/gadget/member"
	"equiproof/internal/adversary"
	"equiproof/shape"
)

// sorted are two categories of a query of seven columns: of three values behind the first column, with two sets, two of which are 128
// apart; of two values behind one more column, with one set, 18 apart.
func sorted(missing bool) *shape.Architecture {
	return &shape.Architecture{Plain: 7, Sensitive: 1, Missing: missing, Categories: []shape.Category{
		{First: 1, Values: 3, Low: -2, High: 6, Sets: 2}, {First: 5, Values: 2, Low: 0, High: 3, Sets: 1},
	}}
}

// Places of the wires of memberOf without missing values: members, query, radius and what was found.
const (
	toQuery, toRadius = 8, 15
	toColumns         = toRadius + 1
)

// memberOf compiles the columns of the sets: the members come first, then a query of five bits, flags where values can be missing,
// a radius of eight bits, and the columns.
func memberOf(t *testing.T, missing bool) *adversary.Circuit {
	of := sorted(missing)
	count := of.Members() + of.Plain + 1 + of.Sets()
	if missing {
		count += of.Plain
	}
	return adversary.Compile(t, count, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		sets := additive.NewSets(a, of, take.Take(of.Members()))
		query, flags := take.Signed(a, of.Plain, 5), []frontend.Variable(nil)
		if missing {
			flags = take.Take(of.Plain)
			argument := member.New(a)
			additive.NewInputs(argument, query, [][]bounded.Int{query[:1]}).Miss(a, argument, 5, flags, nil)
		}
		columns := sets.Columns(a, query, flags, 5, a.Unsigned(take.Take(1)[0], 8))
		equal(a, take, columns...)
		for i, column := range columns {
			if lo, hi := column.Bounds(); lo.Int64() != -16 || hi.Int64() != 15 {
				t.Errorf("column %d lies in [%v, %v]", i, lo, hi)
			}
		}
	})
}

// The second value of the first category is in its first set, the first and the last one in its second set; the first value of the
// other category is in its set. The query has the second value and the second one.
var chosen = []any{0, 1, 0, 1, 0, 1, 1, 0, 9, -2, 6, -2, -7, 0, 3, 18, 1, 0, 0}

// A set's column is the bit of the query's value.
func TestSets(t *testing.T) {
	circuit := memberOf(t, false)
	circuit.Accepts(t, "the second values", chosen...)
	circuit.Accepts(t, "the first values", with(chosen, 9, 6, 10, -2, 13, 3, 14, 0, toColumns, 0, toColumns+1, 1, toColumns+2, 1)...)
	circuit.Accepts(t, "the last value", with(chosen, 10, -2, 11, 6, toColumns, 0, toColumns+1, 1)...)
	circuit.Accepts(t, "in all sets", with(chosen, 4, 1, 7, 1, toColumns+1, 1, toColumns+2, 1)...)
	circuit.Accepts(t, "in no set", with(chosen, 1, 0, toColumns, 0)...)
	circuit.Accepts(t, "an empty ball", with(chosen, toRadius, 0)...)
	for name, lie := range map[string][]any{
		"a member twice":                           with(chosen, 1, 2, toColumns, 2),
		"half a member":                            with(chosen, 1, half, toColumns, half),
		"half a member of another value":           with(chosen, 2, half),
		"a member below 0, of the last set":        with(chosen, 6, -1),
		"in a set without the member":              with(chosen, 1, 0),
		"in no set with the member":                with(chosen, toColumns, 0),
		"a column of 2":                            with(chosen, toColumns, 2),
		"by the member of another set":             with(chosen, toColumns+1, 1),
		"by the member of another category":        with(chosen, toColumns+2, 1),
		"by the member of another value":           with(chosen, 1, 0, 2, 1, toColumns, 1),
		"two values":                               with(chosen, 9, 6, toColumns, 1, toColumns+1, 1),
		"two values of the last category":          with(chosen, 13, 3, toColumns+2, 1),
		"no value":                                 with(chosen, 10, -2, toColumns, 0),
		"no value, in a set":                       with(chosen, 10, -2),
		"no value of the last category":            with(chosen, 14, 0),
		"two halves":                               with(chosen, 9, 2, 10, 2, 0, 1),
		"two halves, in a set by half":             with(chosen, 9, 2, 10, 2, toColumns, half, toColumns+1, half),
		"halves of the field":                      with(chosen, 13, new(big.Int).Mul(half, big.NewInt(3)), 14, new(big.Int).Mul(half, big.NewInt(3))),
		"one above high":                           with(chosen, 10, 7),
		"a value twice, and one less than none":    with(chosen, 9, -10, 10, 14, toColumns, 2, toColumns+1, -1),
		"low of the other category":                with(chosen, 13, -2),
		"high of the other category":               with(chosen, 14, 6),
		"a missing value where none can be":        with(chosen, 9, 15, 10, 15, 11, 15, toColumns, 0),
		"another value of two inside the ball":     with(chosen, toRadius, 19),
		"another value of the other category only": with(chosen, toRadius, 128),
	} {
		circuit.Refuses(t, name, lie...)
	}
}

// Each category is apart by its own high and low: the ball ends at the nearest other value, wherever the category stands.
func TestOtherValuesAreOutsideTheBall(t *testing.T) {
	for _, c := range []struct{ high, low, apart int }{{6, -2, 128}, {1, 0, 2}, {-3, -4, 2}, {-1, -11, 200}} {
		of := &shape.Architecture{Plain: 2, Categories: []shape.Category{{Values: 2, Low: c.low, High: c.high, Sets: 1}}}
		circuit := adversary.Compile(t, 6, func(a *bounded.Arith, wires []frontend.Variable) {
			take := &adversary.Wires{Rest: wires}
			sets := additive.NewSets(a, of, take.Take(2))
			equal(a, &adversary.Wires{Rest: wires[5:]}, sets.Columns(a, take.Signed(a, 2, 5), nil, 5, a.Unsigned(take.Take(1)[0], 8))...)
		})
		for _, values := range [][]any{{1, 0, c.high, c.low, c.apart, 1}, {1, 0, c.low, c.high, c.apart, 0}} {
			circuit.Accepts(t, "the nearest one is at the ball's end", values...)
			circuit.Refuses(t, "the nearest one is inside the ball", with(values, 4, c.apart+1)...)
			circuit.Refuses(t, "all are inside the ball", with(values, 4, 255)...)
		}
	}
}

// A missing value has its own member, and all columns of the category are missing; beside it there is no value.
func TestSetsOfMissingValues(t *testing.T) {
	circuit := memberOf(t, true)
	// As before, with a missing value in the second set of the first category, and in none of the other one.
	stated := slices.Concat([]any{0, 1, 0, 0, 1, 0, 1, 1, 1, 0, 0}, chosen[toQuery:toRadius], []any{0, 0, 0, 0, 0, 0, 0}, chosen[toRadius:])
	circuit.Accepts(t, "stated", stated...)
	circuit.Accepts(t, "another column is missing", with(stated, 11, 15, 18, 1)...)
	missing := with(stated, 12, 15, 13, 15, 14, 15, 19, 1, 20, 1, 21, 1, 26, 0, 27, 1)
	circuit.Accepts(t, "missing", missing...)
	circuit.Accepts(t, "missing, in the other set only", with(missing, 3, 1, 7, 0, 26, 1, 27, 0)...)
	both := with(missing, 16, 15, 17, 15, 23, 1, 24, 1)
	circuit.Accepts(t, "both are missing", both...)
	circuit.Accepts(t, "both are missing, the last in its set", with(both, 10, 1, 28, 1)...)
	for name, lie := range map[string][]any{
		"missing, in no set":                             with(missing, 27, 0),
		"missing, in the set of the others":              with(missing, 26, 1),
		"missing, by half a member":                      with(missing, 7, half, 27, half),
		"missing, by a member twice":                     with(missing, 7, 2, 27, 2),
		"missing without the flags":                      with(missing, 19, 0, 20, 0, 21, 0),
		"missing without the first flag":                 with(missing, 19, 0),
		"missing without the last flag":                  with(missing, 21, 0),
		"missing, and no value counts":                   with(missing, 19, 0, 20, 0, 21, 0, 26, 0, 27, 0),
		"stated with the flags":                          with(stated, 19, 1, 20, 1, 21, 1, 26, 0, 27, 1),
		"stated with the first flag":                     with(stated, 19, 1),
		"stated with the first flag, and in its set":     with(stated, 19, 1, 27, 1),
		"a value beside a missing column":                with(stated, 14, 15, 21, 1),
		"a value beside two missing columns":             with(stated, 12, 15, 14, 15, 19, 1, 21, 1),
		"the first value beside two missing columns":     with(stated, 12, 6, 13, 15, 14, 15, 20, 1, 21, 1, 26, 0, 27, 1),
		"a missing first column alone":                   with(stated, 12, 15, 13, -2, 19, 1, 26, 0, 27, 1),
		"a missing first column alone, beside a value":   with(stated, 12, 15, 19, 1),
		"the other category is missing":                  with(missing, 16, 15, 17, 15),
		"the other one is missing, the flags are shared": with(stated, 16, 15, 17, 15, 19, 1, 20, 1, 21, 1),
		"missing by half":                                with(missing, 19, half, 20, half, 21, half, 26, 0, 27, half),
		"another value inside the ball":                  with(both, 25, 19),
	} {
		circuit.Refuses(t, name, lie...)
	}
}

// Members stand in the order of the model's commitment as bits; without categories there are none, and no columns.
func TestNumbersOfSets(t *testing.T) {
	for _, missing := range []bool{false, true} {
		of := sorted(missing)
		circuit := adversary.Compile(t, 2*of.Members(), func(a *bounded.Arith, wires []frontend.Variable) {
			take := &adversary.Wires{Rest: wires}
			numbers := additive.NewSets(a, of, take.Take(of.Members())).Numbers()
			equal(a, take, numbers...)
			for i, number := range numbers {
				if lo, hi := number.Bounds(); lo.Sign() != 0 || hi.Int64() != 1 {
					t.Errorf("member %d lies in [%v, %v]", i, lo, hi)
				}
			}
		})
		honest := []any{1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 0}[:of.Members()]
		circuit.Accepts(t, "in turn", slices.Concat(honest, honest)...)
		for place := range honest {
			lie := slices.Concat(with(honest, place, 2), with(honest, place, 2))
			circuit.Refuses(t, "a member of 2", lie...)
		}
	}
	adversary.Compile(t, 1, func(a *bounded.Arith, wires []frontend.Variable) {
		sets := additive.NewSets(a, &shape.Architecture{Plain: 1, Missing: true}, nil)
		columns := sets.Columns(a, []bounded.Int{a.Signed(wires[0], 5)}, wires, 5, a.Constant(9))
		if len(sets.Numbers()) > 0 || len(columns) > 0 {
			t.Errorf("%d members and %d columns of no sets", len(sets.Numbers()), len(columns))
		}
	})
}

// among compiles plain predicates of the second column and of a set's column behind both, at a radius of eight bits: with ranges,
// these are first, then the ends, and whether the thresholds are beyond them. What was found follows: side, squared gap and life. Where
// values can be missing, the last wires say which columns are, and of which predicates. The query's last wire is the set's column.
func among(t *testing.T, ranged, missing bool) *adversary.Circuit {
	sizes := small(2, 1)
	sizes.PlainColumns, sizes.SensitiveColumns = 3, 1
	count := 10 + 3 + 1 + 1 + 6 + 4 + 6
	if ranged {
		count += 4
	}
	if missing {
		count += 4
	}
	return adversary.Compile(t, count, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		m := modelOf(a, take, sizes)
		query, table := take.Signed(a, 3, 5), [][]bounded.Int{take.Signed(a, 1, 5)}
		argument := member.New(a)
		inputs := additive.NewInputs(argument, query, table)
		if missing {
			last := wires[count-4:]
			inputs.Miss(a, argument, 5, last[:2], last[2:])
		}
		radius := a.Unsigned(take.Take(1)[0], 8)
		var low, high []bounded.Int
		if ranged {
			low, high = take.Signed(a, 2, 5), take.Signed(a, 2, 5)
			if of := len(inputs.Ranged(a, low)); of != 2 {
				t.Errorf("%d columns have a range", of)
			}
		}
		ends := inputs.Ends(a, low, high, query[2:], 5, take.Take(2), take.Take(2))
		at, sides, dead := take.Take(2), take.Take(2), take.Take(2)
		for _, found := range additive.Orient(a, m, inputs, ends, radius, at, sides, dead) {
			side, gap2, live := found.Facts()
			equal(a, take, side, gap2, a.UnsafeWithin(live, "only compared, as a wire", a.Constant(0)))
		}
	})
}

// Two predicates: of column 1, and of the set's column 2 with the threshold 0, beside a sensitive one of column 3. The query is (3, -2),
// and in the set; the radius is 16. Column 1 is at most 5, by a gap of 7. The set's predicate is dead by its own end.
var inSet = []any{1, 2, 3, 5, 0, 0, 1, 1, 1, 0, 3, -2, 1, 9, 16, 15, 1, 0, 1, -2, 1, 1, 0, 1, 1, 1, 49, 0, 0, 1, 0}

// A predicate of a set is dead at any distance by the column's own value; other columns end where the width does.
func TestEndsOfSets(t *testing.T) {
	circuit := among(t, false, false)
	circuit.Accepts(t, "in the set", inSet...)
	out := with(inSet, 12, 0, 16, 0, 20, 0, 22, 1, 28, 1, 29, 0)
	circuit.Accepts(t, "not in the set", out...)
	circuit.Accepts(t, "live", with(inSet, 18, 0, 24, 0, 30, 1)...)
	circuit.Accepts(t, "dead by nothing in an empty ball", with(inSet, 14, 0, 18, 0)...)
	circuit.Accepts(t, "a threshold at the largest of the width", with(inSet, 3, 15, 17, 1, 26, 17*17, 14, 255)...)
	circuit.Accepts(t, "the same, above the radius", with(inSet, 3, 4, 15, 15, 26, 36)...)
	below := with(inSet, 3, -16, 15, -16, 21, 0, 25, 0, 26, 14*14)
	circuit.Accepts(t, "a threshold at the least of the width", below...)
	for name, lie := range map[string][]any{
		"dead by nothing":                             with(inSet, 18, 0),
		"another end of the set":                      with(inSet, 16, 0),
		"the other end, not in the set":               with(out, 16, 1),
		"the side of who is not in the set":           with(inSet, 22, 1, 28, 1, 29, 0, 16, 0),
		"the side of who is in the set":               with(out, 22, 0, 28, 0, 29, 1),
		"the value of who is not in the set":          with(inSet, 20, 0, 22, 1, 28, 1, 29, 0, 16, 0),
		"half beyond":                                 with(inSet, 18, half),
		"beyond by 2":                                 with(inSet, 18, 2),
		"the end of the column before":                with(inSet, 16, 15),
		"the least end of the column before":          with(inSet, 16, -16),
		"another column beyond the largest":           with(inSet, 3, 14, 17, 1, 26, 16*16, 14, 255),
		"another column by an end of its own value":   with(inSet, 3, 1, 15, -2, 17, 1, 26, 9),
		"another column by the set's end":             with(inSet, 3, 1, 15, 1, 17, 1, 26, 9),
		"another column beyond the least":             with(below, 17, 1, 14, 197),
		"an end of the width that is larger":          with(inSet, 15, 16),
		"an end of the width that is less":            with(inSet, 15, 14),
		"an end of the width on the other side":       with(inSet, 15, -16),
		"the value of another column for the set":     with(inSet, 20, -2, 22, 1, 28, 1, 29, 4),
		"the set's value for another column":          with(inSet, 19, 1, 26, 16),
		"the least end of a set that all are at most": with(inSet, 4, 1, 22, 1, 28, 1, 29, 0, 18, 1, 16, 0),
	} {
		circuit.Refuses(t, name, lie...)
	}
	circuit.Accepts(t, "a threshold of a set that all are at most", with(inSet, 4, 1, 22, 1, 28, 1, 29, 0)...)
}

// Ends of the ranges stand before those of sets: each column has its own ones.
func TestEndsOfSetsBehindRanges(t *testing.T) {
	circuit := among(t, true, false)
	// Column 0 from -4 to 4, column 1 from -6 to 5, at whose largest value is the threshold 5.
	honest := slices.Concat(inSet[:15], []any{-4, -6, 4, 5, 5, 1, 1, 1}, inSet[19:])
	honest = with(honest, 14, 255, 27, 1, 28, 1)
	circuit.Accepts(t, "both beyond", honest...)
	least := with(honest, 3, -7, 19, -6, 25, 0, 29, 0, 30, 25)
	circuit.Accepts(t, "a threshold below the least value", least...)
	out := with(honest, 12, 0, 20, 0, 24, 0, 26, 1, 32, 1, 33, 0)
	circuit.Accepts(t, "not in the set", out...)
	for name, lie := range map[string][]any{
		"a threshold below the largest value":            with(honest, 3, 4, 30, 36),
		"a threshold at the least value":                 with(least, 3, -6, 30, 16),
		"the end of the first column":                    with(honest, 3, 4, 30, 36, 19, 4),
		"the least end for the largest one":              with(honest, 3, 4, 30, 36, 19, -6),
		"the largest of the width":                       with(honest, 19, 15),
		"the set's end for a column":                     with(honest, 3, 4, 30, 36, 19, 1),
		"a column's end for the set":                     with(honest, 20, 5),
		"the other side of the set":                      with(out, 20, 1),
		"in the set, and out of it":                      with(honest, 20, 0),
		"the least value of a column for the set":        with(honest, 20, -4),
		"a set's predicate dead without being beyond":    with(honest, 22, 0),
		"a column's predicate dead without being beyond": with(honest, 21, 0),
	} {
		circuit.Refuses(t, name, lie...)
	}
	circuit.Accepts(t, "the set's predicate lives", with(honest, 22, 0, 28, 0, 34, 1)...)
}

// Columns of sets stand behind those with flags, and are never missing themselves.
func TestSetsAreNeverMissing(t *testing.T) {
	circuit := among(t, false, true)
	stated := slices.Concat(inSet, []any{0, 0, 0, 0})
	circuit.Accepts(t, "stated", stated...)
	missing := with(stated, 11, 15, 19, 15, 21, 0, 25, 0, 26, 100, 32, 1, 33, 1, 14, 255, 15, -16)
	circuit.Accepts(t, "missing beside a set", missing...)
	circuit.Accepts(t, "the column of a set at the largest integer", with(stated, 12, 15, 16, 15, 20, 15, 29, 225)...)
	for name, lie := range map[string][]any{
		"a set that is said missing":                    with(stated, 34, 1),
		"the same, dead by nothing":                     with(stated, 34, 1, 18, 0),
		"the same, by the flag of the column before":    with(missing, 34, 1, 18, 0),
		"the largest integer of a set is no flag":       with(stated, 12, 15, 20, 15, 29, 225, 34, 1, 18, 0, 16, 15),
		"a set's predicate dead, and a value missing":   with(missing, 18, 0),
		"a missing value whose predicate is not missed": with(missing, 33, 0),
	} {
		circuit.Refuses(t, name, lie...)
	}
}
