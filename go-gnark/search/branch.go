package search

import (
	"cmp"
	"slices"
)

// split is a free slot to fix, with estimates of what the bound gains below and above its threshold.
type split struct {
	slot         int
	below, above float64
	score        float64
}

// splits returns the free slots of the box whose halves gain most by the charges of the last evaluation, the best ones
// first. A gain counts up to need, and a half at limit2 or beyond gains as much.
func (d *dual) splits(need float64, limit2 int64, most int) []split {
	var splits []split
	distance2 := d.ball.distance2(&d.box)
	for number := range d.ball.columns {
		c := &d.ball.columns[number]
		low, high := d.ball.reach(&d.box, number)
		if low == high {
			continue
		}
		old := d.levelOf(number, low, high)
		for i := low; i < high; i++ {
			if !d.ball.parts(&d.box, number, i) {
				continue
			}
			s := split{slot: c.first + int(i)}
			s.below = d.gain(number, low, i, old, need, limit2-distance2)
			s.above = d.gain(number, i+1, high, old, need, limit2-distance2)
			s.score = max(s.below, 0.02*need) * max(s.above, 0.02*need)
			splits = append(splits, s)
		}
	}
	slices.SortFunc(splits, func(a, b split) int {
		return cmp.Or(-cmp.Compare(a.score, b.score), cmp.Compare(a.slot, b.slot))
	})
	return splits[:min(len(splits), most)]
}

// gain estimates how much the bound rises where a column is cut to an interval, with the charges of newly fixed slots
// taken off. room is how much farther a box may be.
func (d *dual) gain(number int, low, high int16, old, need float64, room int64) float64 {
	c := &d.ball.columns[number]
	if d.ball.grouped(number) {
		rows := d.ball.within(&d.box, number, low, high)
		return d.rowsGain(int(d.ball.groupOf[number]), rows, old, need, room)
	}
	was := c.gap2[c.nearest(d.box.low[number], d.box.high[number])]
	if c.gap2[c.nearest(low, high)]-was >= room {
		return need
	}
	d.ball.columnSigns(number, low, high, d.sign)
	d.scratch = append(d.scratch[:0], d.paid[c.first:c.first+c.count]...)
	gained := 0.0
	d.stamp++
	for i := range c.count {
		slot := c.first + i
		if d.sign[slot] == 0 || i < int(d.box.low[number]) || i >= int(d.box.high[number]) {
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
	level, _ := d.level(number, low, high)
	copy(d.paid[c.first:], d.scratch)
	d.ball.columnSigns(number, d.box.low[number], d.box.high[number], d.sign)
	return min(gained+level-old, need)
}

// tree returns the least charged value of a tree by the signs as they are.
func (d *dual) tree(number int32) float64 {
	first, end := d.trees[number], d.trees[number+1]
	if cap(d.values) < len(d.rows) {
		d.values = make([]float64, len(d.ball.rows))
	}
	values := d.values[:len(d.rows)]
	below := func(at int32) float64 {
		if at < 0 {
			return d.leaf[^at]
		}
		return values[at]
	}
	for i := end - 1; i >= first; i-- {
		row := &d.rows[i]
		stay, cross := below(row.stay), below(row.cross)
		switch charge := d.charge[i]; {
		case d.sign[row.slot] < 0:
			values[i] = stay
		case d.sign[row.slot] > 0:
			values[i] = cross
		case charge > 0:
			values[i] = min(stay, cross+charge)
		default:
			values[i] = min(stay-charge, cross)
		}
	}
	return values[first]
}

// restore evaluates the best point of the last ascent again.
func (d *dual) restore() {
	copy(d.charge, d.kept)
	d.multiplier = d.keptMult
	d.best = d.evaluate()
}
