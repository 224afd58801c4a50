package additive_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/additive"
	"equiproof/gadget/bounded"
	"equiproof/gadget/member"
	"equiproof/internal/adversary"
)

// half is 1/2 modulo the field's order.
var half = new(big.Int).ModInverse(big.NewInt(2), fr.Modulus())

// with returns values with some of them set: places and what stands there, in turn.
func with(values []any, changes ...any) []any {
	changed := append([]any{}, values...)
	for i := 0; i < len(changes); i += 2 {
		changed[changes[i].(int)] = changes[i+1]
	}
	return changed
}

// equal makes Ints the next wires.
func equal(a *bounded.Arith, take *adversary.Wires, found ...bounded.Int) {
	for i, wire := range take.Take(len(found)) {
		a.API().AssertIsEqual(found[i].Wire(), wire)
	}
}

// small are the sizes of most tests here: three plain columns, two sensitive ones, numbers of five, four and six bits.
func small(plain, sensitive int) additive.Sizes {
	return additive.Sizes{
		PlainColumns: 3, SensitiveColumns: 2, PlainPredicates: plain, SensitivePredicates: sensitive,
		InputBits: 5, JumpBits: 4, BiasBits: 6,
	}
}

// modelOf reads a model: its columns, thresholds, jumps and bias.
func modelOf(a *bounded.Arith, take *adversary.Wires, s additive.Sizes) additive.Model {
	n := s.PlainPredicates + s.SensitivePredicates
	return additive.NewModel(a, s, take.Take(n), take.Take(n), take.Take(n), take.Take(1)[0])
}

// Plain predicates are of plain columns, the others of sensitive ones, and all ascend strictly by column and threshold; every
// number has its width.
func TestModels(t *testing.T) {
	circuit := adversary.Compile(t, 16, func(a *bounded.Arith, wires []frontend.Variable) {
		modelOf(a, &adversary.Wires{Rest: wires}, small(3, 2))
	})
	honest := []any{0, 0, 2, 3, 4, -16, 15, -16, 15, -16, 7, -8, 0, 1, -1, 31}
	circuit.Accepts(t, "ends of all widths", honest...)
	circuit.Accepts(t, "one apart", with(honest, 5, -1, 6, 0)...)
	circuit.Accepts(t, "all of one column", with(honest, 1, 0, 2, 0, 6, -15, 7, -14, 3, 4, 9, 15, 8, 14)...)
	circuit.Accepts(t, "a bias at the other end", with(honest, 15, -32)...)
	for name, lie := range map[string][]any{
		"a threshold twice":                    with(honest, 5, 0, 6, 0),
		"thresholds that descend":              with(honest, 5, 1, 6, 0),
		"columns that descend":                 with(honest, 1, 1, 2, 0),
		"plain columns that descend at last":   with(honest, 0, 0, 1, 2, 2, 1),
		"columns that descend by all":          with(honest, 0, 2, 1, 2, 2, 0),
		"the first two of two columns descend": with(honest, 0, 1, 1, 0),
		"sensitive columns that descend":       with(honest, 3, 4, 4, 3),
		"a sensitive threshold twice":          with(honest, 4, 3, 8, 2, 9, 2),
		"a plain one of a sensitive column":    with(honest, 2, 3, 7, 14),
		"a sensitive one of a plain column":    with(honest, 3, 2, 8, 15),
		"a sensitive one behind the columns":   with(honest, 4, 5),
		"a plain one before the columns":       with(honest, 0, -1),
		"half a column":                        with(honest, 1, half),
		"half a sensitive column":              with(honest, 4, new(big.Int).Add(half, big.NewInt(3))),
		"a threshold too large":                with(honest, 8, 16),
		"a threshold too small":                with(honest, 5, -17),
		"a jump too large":                     with(honest, 10, 8),
		"a jump too small":                     with(honest, 11, -9),
		"a sensitive jump too large":           with(honest, 14, 8),
		"half a jump":                          with(honest, 12, half),
		"a bias too large":                     with(honest, 15, 32),
		"a bias too small":                     with(honest, 15, -33),
	} {
		circuit.Refuses(t, name, lie...)
	}
}

// One column of a kind is a column, too: nothing but its number passes.
func TestModelsOfOneColumn(t *testing.T) {
	circuit := adversary.Compile(t, 7, func(a *bounded.Arith, wires []frontend.Variable) {
		modelOf(a, &adversary.Wires{Rest: wires}, additive.Sizes{
			PlainColumns: 1, SensitiveColumns: 1, PlainPredicates: 1, SensitivePredicates: 1, InputBits: 5, JumpBits: 4, BiasBits: 6,
		})
	})
	circuit.Accepts(t, "one of each", 0, 1, 0, 0, 0, 0, 0)
	for _, columns := range [][]any{{1, 1}, {0, 0}, {0, 2}, {-1, 1}, {half, 1}, {0, half}} {
		circuit.Refuses(t, fmt.Sprint("columns ", columns), with([]any{0, 0, 0, 0, 0, 0, 0}, 0, columns[0], 1, columns[1])...)
	}
}

// Numbers stand in the order of the commitment, with the bounds by which they are packed.
func TestNumbersOfAModel(t *testing.T) {
	circuit := adversary.Compile(t, 7+7, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		numbers := modelOf(a, take, small(1, 1)).Numbers()
		equal(a, take, numbers...)
		for i, want := range [][2]int64{{0, 4}, {-16, 15}, {0, 4}, {-16, 15}, {-8, 7}, {-8, 7}, {-32, 31}} {
			if lo, hi := numbers[i].Bounds(); lo.Int64() != want[0] || hi.Int64() != want[1] {
				t.Errorf("number %d lies in [%v, %v], want %v", i, lo, hi, want)
			}
		}
	})
	circuit.Accepts(t, "columns and thresholds in turn", 2, 3, 11, -12, 5, -6, 30, 2, 11, 3, -12, 5, -6, 30)
}

// The only column of a kind is that column: the check is of no bits, and lets neither the next column nor anything else pass.
func TestTheOnlyColumn(t *testing.T) {
	sizes := small(1, 1)
	sizes.PlainColumns, sizes.SensitiveColumns = 1, 1
	circuit := adversary.Compile(t, 7, func(a *bounded.Arith, wires []frontend.Variable) {
		for _, column := range modelOf(a, &adversary.Wires{Rest: wires}, sizes).Columns {
			if lo, hi := column.Bounds(); lo.Sign() != 0 || hi.Int64() != 1 {
				t.Errorf("a column lies in [%v, %v]", lo, hi)
			}
		}
	})
	honest := []any{0, 1, -16, 15, 7, -8, 31}
	circuit.Accepts(t, "both kinds", honest...)
	far := new(big.Int).Lsh(big.NewInt(1), 250)
	for _, column := range []any{1, -1, 2, far, half} {
		circuit.Refuses(t, fmt.Sprintf("plain column %v", column), with(honest, 0, column)...)
	}
	for _, column := range []any{0, -1, 2, far, new(big.Int).Add(far, big.NewInt(1)), half} {
		circuit.Refuses(t, fmt.Sprintf("sensitive column %v", column), with(honest, 1, column)...)
	}
}

// orientable compiles two plain predicates of two columns, asked of a query at a radius of eight bits: with ranges, these are
// first, then the ends, and whether the thresholds are beyond them. What was found follows: side, squared gap and life. Where
// values can be missing, the last wires say which columns are, and of which predicates.
func orientable(t *testing.T, ranged, missing bool) *adversary.Circuit {
	sizes := small(2, 1)
	sizes.PlainColumns, sizes.SensitiveColumns = 2, 1
	count := 10 + 2 + 2 + 1 + 6 + 6
	if ranged {
		count += 8
	}
	if missing {
		count += 4
	}
	return adversary.Compile(t, count, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		m := modelOf(a, take, sizes)
		query, table := take.Signed(a, 2, 5), [][]bounded.Int{take.Signed(a, 1, 5), take.Signed(a, 1, 5)}
		argument := member.New(a)
		inputs := additive.NewInputs(argument, query, table)
		if missing {
			last := wires[count-4:]
			inputs.Miss(a, argument, 5, last[:2], last[2:])
		}
		radius := a.Unsigned(take.Take(1)[0], 8)
		var ends *additive.Ends
		if ranged {
			low, high := take.Signed(a, 2, 5), take.Signed(a, 2, 5)
			for column, value := range inputs.Ranged(a, low) {
				a.AssertNonNegative(a.Sub(value, low[column]))
				a.AssertNonNegative(a.Sub(high[column], value))
			}
			ends = inputs.Ends(a, low, high, nil, 5, take.Take(2), take.Take(2))
		}
		at, sides, dead := take.Take(2), take.Take(2), take.Take(2)
		for _, found := range additive.Orient(a, m, inputs, ends, radius, at, sides, dead) {
			side, gap2, live := found.Facts()
			equal(a, take, side, gap2, a.UnsafeWithin(live, "only compared, as a wire", a.Constant(0)))
			if lo, hi := gap2.Bounds(); lo.Sign() != 0 || hi.Int64() != 31*31 {
				t.Errorf("a squared gap lies in [%v, %v]", lo, hi)
			}
		}
	})
}

// Around the query (3, -2), with thresholds 5 of column 0 and -6 of column 1: gaps 2 below and 4 above. The radius is 16.
var around = []any{0, 1, 2, 5, -6, 0, 1, 1, 1, 0, 3, -2, 9, -9, 16, 3, -2, 1, 0, 0, 1, 1, 4, 1, 0, 16, 0}

// A predicate is compared with the query's value of its own column; a dead one is no nearer than the radius.
func TestOrient(t *testing.T) {
	circuit := orientable(t, false, false)
	circuit.Accepts(t, "one live, one dead at the radius", around...)
	circuit.Accepts(t, "both live", with(around, 20, 0, 26, 1)...)
	circuit.Accepts(t, "both dead in an empty ball", with(around, 14, 0, 19, 1, 23, 0)...)
	circuit.Accepts(t, "at the threshold", with(around, 10, 5, 15, 5, 22, 0)...)
	circuit.Accepts(t, "far apart", with(around, 3, 15, 10, -16, 15, -16, 22, 31*31)...)
	for name, lie := range map[string][]any{
		"dead inside the ball":            with(around, 14, 17),
		"dead inside the ball, above":     with(around, 19, 1, 23, 0),
		"dead at the query's threshold":   with(around, 10, 5, 15, 5, 22, 0, 19, 1, 23, 0, 14, 1),
		"half dead":                       with(around, 20, half, 26, half),
		"dead below 0":                    with(around, 19, -1, 23, 2),
		"another side":                    with(around, 17, 0, 21, 0),
		"another side, from above":        with(around, 18, 1, 24, 1),
		"above its own value":             with(around, 10, 5, 15, 5, 22, 0, 17, 0, 21, 0),
		"half a side":                     with(around, 17, half, 21, half, 22, 0),
		"a side of 2":                     with(around, 17, 2, 21, 2, 22, 36),
		"the value of the other column":   with(around, 15, -2, 22, 49),
		"the value of the first slice":    with(around, 16, 9, 25, 225),
		"the value of the second slice":   with(around, 15, -9, 22, 14*14),
		"a value of nobody":               with(around, 15, 4, 22, 1),
		"another squared gap":             with(around, 22, 5),
		"a life of one's own":             with(around, 23, 0),
		"a death of one's own":            with(around, 26, 1),
		"the values of both columns":      with(around, 15, -2, 16, 3, 22, 49, 25, 81),
		"values of both columns, by half": with(around, 15, half, 22, 4),
	} {
		circuit.Refuses(t, name, lie...)
	}
}

// ranged is around, and the ranges: column 0 from -4 to 4, so that its threshold 5 is beyond, column 1 from -6 to 7, whose
// threshold is crossed at its end. The radius is 100, and both are asked for at every end.
var ranged = append(append(append([]any{}, around[:14]...), 100, -4, -6, 4, 7, 4, -6, 1, 0), around[15:]...)

// A predicate that is crossed outside the ranges only is dead, whatever the radius; one that is crossed at their end is not.
func TestOrientInsideRanges(t *testing.T) {
	circuit := orientable(t, true, false)
	honest := with(ranged, 27, 1, 28, 0, 31, 0, 34, 1)
	circuit.Accepts(t, "a threshold beyond the largest value", honest...)
	circuit.Accepts(t, "it may live", with(honest, 27, 0, 31, 1)...)
	circuit.Accepts(t, "and need not be said to be beyond", with(honest, 21, 0, 27, 0, 31, 1)...)
	circuit.Accepts(t, "a threshold at the largest value", with(honest, 3, 4, 30, 1)...)
	circuit.Accepts(t, "a threshold below the least value", with(honest, 16, -5, 20, -5, 22, 1, 28, 1, 34, 0)...)
	circuit.Accepts(t, "dead by distance", with(honest, 14, 16, 28, 1, 34, 0)...)
	for name, lie := range map[string][]any{
		"inside the ranges":               with(honest, 22, 1, 28, 1, 34, 0),
		"inside, and not beyond":          with(honest, 28, 1, 34, 0),
		"below the largest value":         with(honest, 3, 3, 30, 0),
		"the end of the query's side":     with(honest, 3, 3, 30, 0, 19, -4),
		"the end of the side above":       with(honest, 16, -6, 20, 7, 22, 1, 28, 1, 34, 0),
		"the end of another column":       with(honest, 3, 6, 17, 7, 18, 4, 30, 9),
		"the query's value as the end":    with(honest, 3, 4, 17, 7, 30, 1, 19, 3),
		"an end of nobody":                with(honest, 17, 7, 19, 5),
		"a slice's value as the end":      with(honest, 17, 14, 13, 5, 19, 5),
		"half beyond":                     with(honest, 21, half),
		"beyond by 2":                     with(honest, 21, 2),
		"beyond below 0":                  with(honest, 17, 7, 19, 7, 21, -1, 14, 4),
		"beyond what the dead are not":    with(honest, 14, 4, 17, 7, 19, 7, 21, 1),
		"an end below 0 that is not said": with(honest, 21, 0, 27, 1, 31, 0),
	} {
		circuit.Refuses(t, name, lie...)
	}
}

// A value is missing where it is the largest integer, nowhere else; its predicates are dead, however near they are.
func TestMissingValues(t *testing.T) {
	circuit := orientable(t, false, true)
	stated := append(append([]any{}, around...), 0, 0, 0, 0)
	circuit.Accepts(t, "stated", stated...)
	circuit.Accepts(t, "one below the largest integer", with(stated, 10, 14, 15, 14, 17, 0, 21, 0, 22, 81)...)
	// The first value is missing: 15 is above the threshold 5 by 10, and the radius is 225.
	missing := with(stated, 10, 15, 15, 15, 17, 0, 21, 0, 22, 100, 14, 225, 19, 1, 23, 0, 20, 0, 26, 1, 27, 1, 29, 1)
	circuit.Accepts(t, "missing", missing...)
	circuit.Accepts(t, "missing, with a threshold at the largest integer", with(missing, 3, 15, 17, 1, 21, 1, 22, 0)...)
	for name, lie := range map[string][]any{
		"a stated value that is held to be missing":          with(stated, 27, 1, 29, 1, 19, 1, 23, 0),
		"the same, one below the largest integer":            with(missing, 10, 14, 15, 14, 22, 81),
		"a missing value that is held to be stated":          with(missing, 27, 0, 29, 0),
		"the same, with a slot":                              with(missing, 27, 0, 29, 0, 19, 0, 23, 1),
		"a predicate of a missing value with a slot":         with(missing, 19, 0, 23, 1),
		"a predicate of a missing value that is said stated": with(missing, 29, 0),
		"the same, with a slot of its own":                   with(missing, 29, 0, 19, 0, 23, 1),
		"a predicate of a stated value that is said missing": with(missing, 30, 1, 20, 1, 26, 0),
		"the other column is missing":                        with(missing, 27, 0, 28, 1),
		"half a flag":                                        with(missing, 27, half),
		"a flag of 2":                                        with(missing, 27, 2),
		"half away":                                          with(missing, 29, half),
		"a flag of 2, and twice away":                        with(missing, 27, 2, 29, 2),
		"a predicate of a stated value, dead and near":       with(stated, 14, 17),
	} {
		circuit.Refuses(t, name, lie...)
	}
}

// No range is about a missing value, and every range about a stated one.
func TestMissingValuesInsideRanges(t *testing.T) {
	circuit := orientable(t, true, true)
	honest := append(with(ranged, 27, 1, 28, 0, 31, 0, 34, 1), 0, 0, 0, 0)
	circuit.Accepts(t, "stated", honest...)
	missing := with(honest, 10, 15, 23, 15, 25, 0, 29, 0, 30, 100, 19, -4, 21, 0, 35, 1, 37, 1)
	circuit.Accepts(t, "missing", missing...)
	circuit.Accepts(t, "missing, of a range without 0", with(missing, 15, 1, 19, 1)...)
	circuit.Refuses(t, "a stated value above its range", with(honest, 17, 2, 19, 2)...)
	circuit.Refuses(t, "a stated value below its range", with(honest, 15, 4)...)
	circuit.Refuses(t, "the last value above its range", with(honest, 18, -3)...)
	circuit.Refuses(t, "above its range, and held to be missing", with(missing, 10, 14, 23, 14, 30, 81)...)
	circuit.Refuses(t, "above its range", with(missing, 10, 14, 23, 14, 30, 81, 35, 0, 37, 0)...)
	circuit.Refuses(t, "missing, and held to be stated", with(missing, 35, 0, 37, 0)...)
}
