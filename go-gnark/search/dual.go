package search

import "math"

// dual looks for charges and a multiplier that prove a box, by deflected subgradient steps on the Lagrangian dual. A
// row's charge is alpha where it is positive, minus beta where it is negative. Its bounds are floats: they guide only.
type dual struct {
	*reduced
	radius2 float64
	// charge and multiplier are the point, kept the best one, aim the direction of the last step. Charges are by row.
	charge, kept, slope, aim []float64
	multiplier, keptMult     float64
	slopeMult, aimMult       float64
	// value is the least charged value below each row, paid the sum of charges by slot.
	value, paid []float64
	leaf        []float64
	crossed     []bool
	visited     []bool
	// cell is the position of each column, and the row of each group, in the last evaluation, keptCell that of the best one.
	cell, keptCell, scratchCell []int16
	far                         float64
	best                        float64
	scratch                     []float64
	// stamps of trees, and values of their rows, for estimates of splits.
	stamps []int32
	stamp  int32
	values []float64
	// seen is called with every cell that an evaluation minimizes.
	seen func(w *box, cell []int16)
	// counts of rows that cross a slot, for estimates of splits of groups.
	counts []int32
}

func newDual(b *ball) *dual {
	d := &dual{reduced: newReduced(b), radius2: float64(max(b.radius2, 1))}
	slots, columns := len(b.steps), len(b.columns)+len(b.groups)
	d.paid, d.crossed = make([]float64, slots), make([]bool, slots)
	d.cell, d.keptCell, d.scratchCell = make([]int16, columns), make([]int16, columns), make([]int16, columns)
	d.stamps = make([]int32, len(b.trees))
	if len(b.groups) > 0 {
		d.counts = make([]int32, slots)
	}
	for _, value := range b.leaves {
		d.leaf = append(d.leaf, float64(value))
	}
	return d
}

// begin enters a box with the charges by rows of the ball, and a multiplier, as the parent left them.
func (d *dual) begin(w box, charges []float64, multiplier float64) {
	d.enter(w)
	n := len(d.rows)
	for _, list := range []*[]float64{&d.charge, &d.kept, &d.slope, &d.aim, &d.value} {
		if cap(*list) < n {
			*list = make([]float64, n, len(d.ball.rows))
		}
		*list = (*list)[:n]
	}
	if cap(d.visited) < n {
		d.visited = make([]bool, n, len(d.ball.rows))
	}
	d.visited = d.visited[:n]
	for i, from := range d.from {
		d.charge[i] = charges[from]
	}
	clear(d.aim)
	d.multiplier, d.aimMult = multiplier, 0
	d.best = math.Inf(-1)
}

// evaluate returns the dual bound of the charges and the multiplier, after it has cut charges that change nothing.
func (d *dual) evaluate() float64 {
	clear(d.paid)
	loss := 0.0
	for i := len(d.rows) - 1; i >= 0; i-- {
		row := &d.rows[i]
		stay, cross := d.below(row.stay), d.below(row.cross)
		least, charge := min(stay, cross), d.charge[i]
		switch {
		case charge > 0 && cross < stay:
			charge = min(charge, stay-cross)
			least += charge
		case charge < 0 && stay < cross:
			charge = max(charge, stay-cross)
			least -= charge
			loss -= charge
		default:
			charge = 0
		}
		d.charge[i], d.value[i] = charge, least
		d.paid[row.slot] += charge
	}
	sum := float64(d.constant) - loss - d.multiplier*d.radius2
	for _, root := range d.trees[:len(d.trees)-1] {
		sum += d.value[root]
	}
	d.far = 0
	for c := range d.ball.columns {
		if d.ball.grouped(c) {
			continue
		}
		level, at := d.level(c, d.box.low[c], d.box.high[c])
		sum += level
		d.take(c, at)
	}
	for g := range d.ball.groups {
		level, r := d.rowsLevel(g, d.box.rows[g])
		sum += level
		d.takeRow(g, r)
	}
	return sum
}

func (d *dual) below(at int32) float64 {
	if at < 0 {
		return d.leaf[^at]
	}
	return d.value[at]
}

// level returns the least charged sum over the positions of an interval, and where it is.
func (d *dual) level(number int, low, high int16) (float64, int16) {
	c := &d.ball.columns[number]
	least, at, sum := math.Inf(1), low, 0.0
	for i := c.own; i <= int(high); i++ {
		if i > c.own {
			sum += float64(d.ball.steps[c.first+i-1]) - d.paid[c.first+i-1]
		}
		if i >= int(low) {
			if here := sum + d.multiplier*float64(c.gap2[i]); here < least {
				least, at = here, int16(i)
			}
		}
	}
	sum = 0
	for i := c.own - 1; i >= int(low); i-- {
		sum += float64(d.ball.steps[c.first+i]) - d.paid[c.first+i]
		if i <= int(high) {
			if here := sum + d.multiplier*float64(c.gap2[i]); here < least {
				least, at = here, int16(i)
			}
		}
	}
	return least, at
}

// take notes a column's position and what it crosses.
func (d *dual) take(number int, at int16) {
	c := &d.ball.columns[number]
	d.cell[number] = at
	d.far += float64(c.gap2[at])
	for i := range c.count {
		d.crossed[c.first+i] = (int(at) > i) == (i >= c.own)
	}
}

// climb computes a supergradient at the evaluated point, and returns its squared norm. Ties go with the columns.
func (d *dual) climb() float64 {
	clear(d.visited)
	for _, at := range d.trees[:len(d.trees)-1] {
		for at >= 0 {
			d.visited[at] = true
			row := &d.rows[at]
			stay, cross := d.below(row.stay), d.below(row.cross)
			if charge := d.charge[at]; charge > 0 {
				cross += charge
			} else {
				stay -= charge
			}
			goes := cross < stay || cross == stay && d.crossed[row.slot]
			d.slope[at] = indicator(goes) - indicator(d.crossed[row.slot])
			if goes {
				at = row.cross
			} else {
				at = row.stay
			}
		}
	}
	norm := 0.0
	for i := range d.rows {
		if !d.visited[i] {
			d.slope[i] = 0
			if crossed := d.crossed[d.rows[i].slot]; d.charge[i] > 0 && crossed {
				d.slope[i] = -1
			} else if d.charge[i] < 0 && !crossed {
				d.slope[i] = 1
			}
		}
		norm += d.slope[i] * d.slope[i]
	}
	// The multiplier times radius2 is stepped, which has the unit of charges.
	d.slopeMult = d.far/d.radius2 - 1
	return norm + d.slopeMult*d.slopeMult
}

func indicator(set bool) float64 {
	if set {
		return 1
	}
	return 0
}

// keep remembers the evaluated point.
func (d *dual) keep(value float64) {
	d.best, d.keptMult = value, d.multiplier
	copy(d.kept, d.charge)
	copy(d.keptCell, d.cell)
}

// deflect turns the direction of the last step by the supergradient, away from zigzags (Camerini, Fratta and Maffioli,
// 1975), and returns the squared norm of the direction.
func (d *dual) deflect() float64 {
	inner, norm := d.slopeMult*d.aimMult, d.aimMult*d.aimMult
	for i, aim := range d.aim {
		inner += d.slope[i] * aim
		norm += aim * aim
	}
	share := 0.0
	if inner < 0 {
		share = -1.5 * inner / norm
	}
	d.aimMult = d.slopeMult + share*d.aimMult
	norm = d.aimMult * d.aimMult
	for i := range d.aim {
		d.aim[i] = d.slope[i] + share*d.aim[i]
		norm += d.aim[i] * d.aim[i]
	}
	return norm
}

// ascend takes at most so many steps towards a bound of target, and ends early where there is no hope or need. It
// leaves the best point in kept.
func (d *dual) ascend(steps int, target float64) {
	since, mark := 0, math.Inf(-1)
	factor := 1.0
	for step := range steps {
		value := d.evaluate()
		if d.seen != nil {
			d.seen(&d.box, d.cell)
		}
		if value > d.best {
			d.keep(value)
		}
		if d.best >= target || step == steps-1 {
			return
		}
		if d.best > mark+0.01*(target-d.best) {
			since, mark = step, d.best
		} else if step-since >= 8 {
			factor, since = factor*0.5, step
			if factor < 1.0/64 {
				return
			}
		}
		if d.climb() < 1e-12 {
			return
		}
		norm := d.deflect()
		if norm < 1e-12 {
			return
		}
		length := factor * (1.05*target - value + 1) / norm
		for i := range d.charge {
			d.charge[i] += length * d.aim[i]
		}
		d.multiplier = max(0, d.multiplier+length*d.aimMult/d.radius2)
	}
}

// save writes the best charges by rows of the ball.
func (d *dual) save(charges []float64) {
	clear(charges)
	for i, from := range d.from {
		charges[from] = d.kept[i]
	}
}
