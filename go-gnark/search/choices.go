package search

import (
	"fmt"
	"math"
	"math/big"
	"slices"
)

// Choice is a category with one column a value, of which everybody has one value: who has it crosses all slots of its column, and none of
// the others. Columns are those of the values with a slot that is live; Bare says whether there are values without one.
type Choice struct {
	Columns []int `json:"columns"`
	Bare    bool  `json:"bare"`
}

// bare is the value of a choice that crosses no slot.
const bare = -1

// choose makes columns of a ball those of choices. It refuses a column that is of two, that has no live slot, or one that is not above
// the query.
func (b *ball) choose(choices []Choice) error {
	for i, asked := range choices {
		var columns []int
		for _, wanted := range asked.Columns {
			number := slices.IndexFunc(b.columns[:b.sensitive], func(c column) bool {
				return b.problem.Slots[b.live[c.first]].Column == wanted
			})
			if number < 0 || b.columns[number].own > 0 || b.choiceOf[number] >= 0 {
				return fmt.Errorf("%w: choices[%d]: column %d is not of this one alone, with live slots above the query", ErrProblem, i, wanted)
			}
			b.choiceOf[number] = i
			columns = append(columns, number)
		}
		if len(columns) == 0 {
			return fmt.Errorf("%w: choices[%d]: no columns", ErrProblem, i)
		}
		b.choices = append(b.choices, Choice{columns, asked.Bare})
	}
	return nil
}

// had returns the columns of the values of a choice that somebody in a box has, bare for those without a slot.
func (b *ball) had(w *box, c Choice) []int {
	var found []int
	crossed := 0
	for _, number := range c.Columns {
		crossed += int(indicator(w.low[number] > 0))
	}
	for _, number := range c.Columns {
		if int(w.high[number]) == b.columns[number].count && crossed == int(indicator(w.low[number] > 0)) {
			found = append(found, number)
		}
	}
	if c.Bare && crossed == 0 {
		found = append(found, bare)
	}
	return found
}

// person makes a cell that of somebody with a value of a choice.
func (b *ball) person(c Choice, value int, cell []int16) {
	for _, number := range c.Columns {
		if cell[number] = 0; number == value {
			cell[number] = int16(b.columns[number].count)
		}
	}
}

// personal makes a cell that of somebody in a box, as it is in all other columns.
func (b *ball) personal(w *box, cell []int16) {
	for _, c := range b.choices {
		b.person(c, b.had(w, c)[0], cell)
	}
}

// settled writes the signs of a box by who is in it: slots of values that nobody has are stayed, those of the only one are crossed.
func (b *ball) settled(w *box, out []int8) {
	b.signs(w, out)
	for _, c := range b.choices {
		b.settledChoice(w, c, out)
	}
}

func (b *ball) settledChoice(w *box, c Choice, out []int8) {
	had := b.had(w, c)
	for _, number := range c.Columns {
		sign := int8(-1)
		if slices.Contains(had, number) {
			sign = int8(indicator(len(had) == 1))
		}
		column := &b.columns[number]
		for i := range column.count {
			out[column.first+i] = sign
		}
	}
}

// leastChoice returns the least sum of steps of a value that somebody in a box has.
func (b *ball) leastChoice(w *box, c Choice) int64 {
	least := never
	for _, number := range b.had(w, c) {
		sum := int64(0)
		if number != bare {
			column := &b.columns[number]
			for _, step := range b.steps[column.first : column.first+column.count] {
				sum += step
			}
		}
		least = min(least, sum)
	}
	return least
}

// choiceLevel returns the least charged sum of a value that somebody in the box has, and which one it is.
func (d *dual) choiceLevel(c Choice) (least float64, value int) {
	least, value = math.Inf(1), bare
	for _, number := range d.ball.had(&d.box, c) {
		sum := 0.0
		if number != bare {
			column := &d.ball.columns[number]
			for slot := column.first; slot < column.first+column.count; slot++ {
				sum += float64(d.ball.steps[slot]) - d.paid[slot]
			}
			sum += d.multiplier * float64(column.gap2[column.count])
		}
		if sum < least {
			least, value = sum, number
		}
	}
	return least, value
}

// takeChoice notes who has a value of a choice.
func (d *dual) takeChoice(c Choice, value int) {
	d.ball.person(c, value, d.scratchCell)
	for _, number := range c.Columns {
		d.take(number, d.scratchCell[number])
	}
}

// choiceSplits returns the values of choices that halves can be of, with or without it, with estimates as splits does.
func (d *dual) choiceSplits(need float64) []split {
	var splits []split
	for _, c := range d.ball.choices {
		had := d.ball.had(&d.box, c)
		if len(had) < 2 {
			continue
		}
		for _, number := range had {
			if number == bare {
				continue
			}
			s := split{slot: d.ball.columns[number].first}
			s.below, s.above = d.choiceGain(c, number, false, need), d.choiceGain(c, number, true, need)
			s.score = max(s.below, 0.02*need) * max(s.above, 0.02*need)
			splits = append(splits, s)
		}
	}
	return splits
}

// choiceGain estimates how much the bound rises where everybody has a value of a choice, or nobody, with the charges of newly settled
// slots taken off.
func (d *dual) choiceGain(c Choice, number int, above bool, need float64) float64 {
	old, _ := d.choiceLevel(c)
	paid, signs, low, high := slices.Clone(d.paid), slices.Clone(d.sign), d.box.low[number], d.box.high[number]
	if above {
		d.box.low[number] = 1
	} else {
		d.box.high[number] = 0
	}
	d.ball.settledChoice(&d.box, c, d.sign)
	gained := 0.0
	d.stamp++
	for slot, sign := range d.sign {
		if sign == signs[slot] {
			continue
		}
		d.paid[slot] = 0
		for _, at := range d.rowsOf(slot) {
			gained -= min(d.charge[at], 0)
			if t := d.treeOf[at]; d.stamps[t] != d.stamp {
				d.stamps[t] = d.stamp
				gained += d.tree(t) - d.value[d.trees[t]]
			}
		}
	}
	level, _ := d.choiceLevel(c)
	copy(d.paid, paid)
	copy(d.sign, signs)
	d.box.low[number], d.box.high[number] = low, high
	return min(gained+level-old, need)
}

// choice returns the least charged sum of a value that somebody in a box has.
func (k *closing) choice(b *ball, w *box, c Choice) *big.Int {
	for i, number := range b.had(w, c) {
		sum, far := int64(0), int64(0)
		if number != bare {
			column := &b.columns[number]
			for slot := column.first; slot < column.first+column.count; slot++ {
				sum += b.steps[slot]<<k.scale.ValueBits - k.paid[slot]
			}
			far = column.gap2[column.count]
		}
		here := k.term.Lsh(k.term.SetInt64(sum), k.scale.FractionBits)
		here.Add(here, new(big.Int).Mul(big.NewInt(far), big.NewInt(k.multiplier)))
		if i == 0 || here.Cmp(&k.floor) < 0 {
			k.floor.Set(here)
		}
	}
	return &k.floor
}

// settle charges a row that a box leaves free, and who is in it does not, so that it has the value of its crossing child where its slot is
// crossed, else that of its staying child; it returns what the row loses. Everybody who crosses brings a loss back, and nobody pays what
// a stayed row charges.
func (k *closing) settle(i int, slot int32, sign int8, stay, cross int64) (loss int64) {
	switch apart := stay - cross; {
	case k.signs[slot] != 0:
		return 0
	case sign < 0:
		k.charges[i] = max(apart, 0)
	default:
		k.charges[i] = min(apart, 0)
		loss = -k.charges[i]
	}
	k.paid[slot] += k.charges[i]
	return loss
}
