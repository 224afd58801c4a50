package search

import (
	"cmp"
	"fmt"
	"slices"
)

// maxRows bounds a group's rows, which a cell numbers.
const maxRows = 1 << 14

// Group is columns that are only at some positions at once, such as those of a category with one column a value.
//
// A position is the number of the column's slots that it is above. Costs are those of a whole row: a slot's Gap2 is the
// least of a row that crosses it, nil where none does. Where the nearest wrong decision is searched, row 0 is that of the
// query, at a cost of 0.
type Group struct {
	Columns []int   `json:"columns"`
	Rows    [][]int `json:"rows"`
	Costs   []int64 `json:"costs"`
}

// span is the slots of a column, of which the query is above the first own.
type span struct{ first, count, own int }

// spans returns the slots of each column.
func (p *Problem) spans() map[int]span {
	spans := map[int]span{}
	for i := range p.Slots {
		c, known := spans[p.Slots[i].Column]
		if !known {
			c.first = i
		}
		c.count++
		if !p.Slots[i].Above {
			c.own++
		}
		spans[p.Slots[i].Column] = c
	}
	return spans
}

// crossed returns whether a position of a column crosses its slot of an index.
func (c span) crossed(position, index int) bool { return (position > index) == (index >= c.own) }

func (p *Problem) checkGroups() error {
	spans, taken := p.spans(), map[int]bool{}
	for i := range p.Groups {
		g := &p.Groups[i]
		for _, column := range g.Columns {
			if spans[column].count == 0 || taken[column] {
				return fmt.Errorf("%w: groups[%d]: column %d has no slot, or is named twice", ErrProblem, i, column)
			}
			taken[column] = true
		}
		if err := g.check(spans); err != nil {
			return fmt.Errorf("%w: groups[%d]: %s", ErrProblem, i, err.Error())
		}
		if slot := p.unlike(g, spans); slot >= 0 {
			return fmt.Errorf("%w: slots[%d]: gap2 is not the least cost of its group's rows", ErrProblem, slot)
		}
	}
	return nil
}

// check returns an error for rows that are none of these columns.
func (g *Group) check(spans map[int]span) error {
	if len(g.Columns) == 0 || len(g.Rows) == 0 || len(g.Rows) > maxRows || len(g.Costs) != len(g.Rows) {
		return fmt.Errorf("want columns, and 1 to %d rows with a cost each", maxRows)
	}
	for r, row := range g.Rows {
		if len(row) != len(g.Columns) || g.Costs[r] < 0 || g.Costs[r] > maxGap2 {
			return fmt.Errorf("rows[%d]: too wide a cost, or not a position a column", r)
		}
		for j, position := range row {
			if position < 0 || position > spans[g.Columns[j]].count {
				return fmt.Errorf("rows[%d][%d]: no position of the column", r, j)
			}
		}
	}
	return nil
}

// checkQuery returns an error for groups whose first row is not the query's.
func (p *Problem) checkQuery() error {
	spans := p.spans()
	for i := range p.Groups {
		g := &p.Groups[i]
		for j, position := range g.Rows[0] {
			if g.Costs[0] != 0 || position != spans[g.Columns[j]].own {
				return fmt.Errorf("%w: groups[%d].rows[0]: not the query's, at a cost of 0", ErrProblem, i)
			}
		}
	}
	return nil
}

// unlike returns a slot of a group whose gap is not that of its rows, or -1.
func (p *Problem) unlike(g *Group, spans map[int]span) int {
	for j, column := range g.Columns {
		c := spans[column]
		for i := range c.count {
			least := never
			for r, row := range g.Rows {
				if c.crossed(row[j], i) {
					least = min(least, g.Costs[r])
				}
			}
			if p.Slots[c.first+i].gap2() != least {
				return c.first + i
			}
		}
	}
	return -1
}

// group is a group in a ball, with its live columns.
type group struct {
	columns []int32
	// rows ascend by cost, and no two are at the same positions.
	rows []groupRow
}

// groupRow is a row of a group: the positions by its columns, the slots that it crosses, and the sum of their steps.
type groupRow struct {
	cost      int64
	positions []int16
	crossed   []int32
	step      int64
}

// resolveGroups resolves the problem's groups, after the plain columns.
func (b *ball) resolveGroups() {
	b.groupOf = make([]int32, len(b.columns))
	for c := range b.groupOf {
		b.groupOf[c] = -1
	}
	if len(b.problem.Groups) == 0 {
		return
	}
	columnOf := map[int]int32{}
	for c := range b.columns {
		columnOf[b.problem.Slots[b.live[b.columns[c].first]].Column] = int32(c)
	}
	spans := b.problem.spans()
	for i := range b.problem.Groups {
		b.resolveGroup(&b.problem.Groups[i], columnOf, spans)
	}
}

func (b *ball) resolveGroup(g *Group, columnOf map[int]int32, spans map[int]span) {
	var own group
	var places []int
	for j, number := range g.Columns {
		if c, live := columnOf[number]; live {
			own.columns = append(own.columns, c)
			places = append(places, j)
			// What a position costs is the row's.
			clear(b.columns[c].gap2)
			b.groupOf[c] = int32(len(b.groups))
		}
	}
	if len(own.columns) == 0 {
		return
	}
	order := make([]int, 0, len(g.Rows))
	for r := range g.Rows {
		if g.Costs[r] < b.radius2 {
			order = append(order, r)
		}
	}
	slices.SortFunc(order, func(x, y int) int { return cmp.Or(cmp.Compare(g.Costs[x], g.Costs[y]), cmp.Compare(x, y)) })
	known := map[string]bool{}
	for _, r := range order {
		row := groupRow{cost: g.Costs[r]}
		for k, j := range places {
			b.place(&row, own.columns[k], spans[g.Columns[j]], g.Rows[r][j])
		}
		if key := fmt.Sprint(row.positions); !known[key] {
			known[key] = true
			own.rows = append(own.rows, row)
		}
	}
	b.groups = append(b.groups, own)
}

// place adds a position of a column, which is given among all of its slots.
func (b *ball) place(row *groupRow, number int32, all span, position int) {
	c := &b.columns[number]
	at := int16(0)
	for i := range c.count {
		index := b.live[c.first+i] - all.first
		if position > index {
			at++
		}
		if all.crossed(position, index) {
			row.crossed = append(row.crossed, int32(c.first+i))
			row.step += b.steps[c.first+i]
		}
	}
	row.positions = append(row.positions, at)
}

// grouped returns whether a column is of a group.
func (b *ball) grouped(column int) bool { return column < b.sensitive && b.groupOf[column] >= 0 }

// allRows returns all rows of each group.
func (b *ball) allRows() [][]int32 {
	var all [][]int32
	for g := range b.groups {
		rows := make([]int32, len(b.groups[g].rows))
		for r := range rows {
			rows[r] = int32(r)
		}
		all = append(all, rows)
	}
	return all
}

// within returns the rows of a box's group whose position of a column is in an interval.
func (b *ball) within(w *box, number int, low, high int16) []int32 {
	g := &b.groups[b.groupOf[number]]
	j := slices.Index(g.columns, int32(number))
	var rows []int32
	for _, r := range w.rows[b.groupOf[number]] {
		if at := g.rows[r].positions[j]; low <= at && at <= high {
			rows = append(rows, r)
		}
	}
	return rows
}

// reach returns the interval of a column's positions that somebody in a box is at: of a group, those of its rows.
func (b *ball) reach(w *box, number int) (low, high int16) {
	if !b.grouped(number) {
		return w.low[number], w.high[number]
	}
	g := &b.groups[b.groupOf[number]]
	j := slices.Index(g.columns, int32(number))
	low, high = int16(b.columns[number].count), 0
	for _, r := range w.rows[b.groupOf[number]] {
		low, high = min(low, g.rows[r].positions[j]), max(high, g.rows[r].positions[j])
	}
	return low, high
}

// settled writes the signs of a box by who is in it: slots that no row of a group crosses are stayed, those that all of
// them cross are crossed.
func (b *ball) settled(w *box, out []int8) {
	for c := range b.columns {
		low, high := b.reach(w, c)
		b.columnSigns(c, low, high, out)
	}
}

// parts returns whether somebody in a box is at a position of a column, so that the slot behind it parts the box anew.
func (b *ball) parts(w *box, number int, position int16) bool {
	return !b.grouped(number) || len(b.within(w, number, position, position)) > 0
}

// groupCost returns the least cost of a group's rows in a box.
func (b *ball) groupCost(w *box, number int) int64 {
	return b.groups[number].rows[w.rows[number][0]].cost
}

// groupStep returns the least sum of steps of a group's rows in a box.
func (b *ball) groupStep(w *box, number int) int64 {
	least := never
	for _, r := range w.rows[number] {
		least = min(least, b.groups[number].rows[r].step)
	}
	return least
}

// atRow writes a row of a group into a cell, whose rows stand behind its columns.
func (b *ball) atRow(cell []int16, number int, r int32) {
	g := &b.groups[number]
	for j, c := range g.columns {
		cell[c] = g.rows[r].positions[j]
	}
	cell[len(b.columns)+number] = int16(r)
}

// cellDistance2 returns the squared distance of a cell.
func (b *ball) cellDistance2(cell []int16) int64 {
	var sum int64
	for c := range b.sensitive {
		sum += b.columns[c].gap2[cell[c]]
	}
	for g := range b.groups {
		sum += b.groups[g].rows[cell[len(b.columns)+g]].cost
	}
	return sum
}

// levelOf returns the least charged sum of a column, or of the group that it is of.
func (d *dual) levelOf(number int, low, high int16) float64 {
	if d.ball.grouped(number) {
		level, _ := d.rowsLevel(int(d.ball.groupOf[number]), d.box.rows[d.ball.groupOf[number]])
		return level
	}
	level, _ := d.level(number, low, high)
	return level
}

// rowsLevel returns the least charged sum over rows of a group, and the row.
func (d *dual) rowsLevel(number int, rows []int32) (float64, int32) {
	g := &d.ball.groups[number]
	least, at := 0.0, int32(-1)
	for _, r := range rows {
		row := &g.rows[r]
		sum := d.multiplier * float64(row.cost)
		for _, slot := range row.crossed {
			sum += float64(d.ball.steps[slot]) - d.paid[slot]
		}
		if at < 0 || sum < least {
			least, at = sum, r
		}
	}
	return least, at
}

// takeRow notes a group's row and what it crosses.
func (d *dual) takeRow(number int, r int32) {
	g := &d.ball.groups[number]
	d.ball.atRow(d.cell, number, r)
	d.far += float64(g.rows[r].cost)
	for _, c := range g.columns {
		first := d.ball.columns[c].first
		clear(d.crossed[first : first+d.ball.columns[c].count])
	}
	for _, slot := range g.rows[r].crossed {
		d.crossed[slot] = true
	}
}

// rowsGain estimates how much the bound rises where a group is cut to some of its rows, as gain does for a column.
func (d *dual) rowsGain(number int, rows []int32, old, need float64, room int64) float64 {
	g := &d.ball.groups[number]
	if g.rows[rows[0]].cost-d.ball.groupCost(&d.box, number) >= room {
		return need
	}
	gained := 0.0
	d.stamp++
	d.scratch = d.scratch[:0]
	fixed := d.fixed(number, rows)
	for _, slot := range fixed {
		d.scratch = append(d.scratch, d.paid[slot])
		d.paid[slot] = 0
	}
	for _, slot := range fixed {
		for _, at := range d.rowsOf(int(slot)) {
			gained -= min(d.charge[at], 0)
			if t := d.treeOf[at]; d.stamps[t] != d.stamp {
				d.stamps[t] = d.stamp
				gained += d.tree(t) - d.value[d.trees[t]]
			}
		}
	}
	level, _ := d.rowsLevel(number, rows)
	for i, slot := range fixed {
		d.paid[slot], d.sign[slot] = d.scratch[i], 0
	}
	return min(gained+level-old, need)
}

// fixed gives the free slots of a group that all of some rows cross, or none, their signs, and returns them.
func (d *dual) fixed(number int, rows []int32) []int32 {
	g := &d.ball.groups[number]
	clear(d.counts)
	for _, r := range rows {
		for _, slot := range g.rows[r].crossed {
			d.counts[slot]++
		}
	}
	var fixed []int32
	for _, c := range g.columns {
		first := d.ball.columns[c].first
		for slot := first; slot < first+d.ball.columns[c].count; slot++ {
			if d.sign[slot] != 0 || d.counts[slot] != 0 && int(d.counts[slot]) != len(rows) {
				continue
			}
			d.sign[slot] = 1
			if d.counts[slot] == 0 {
				d.sign[slot] = -1
			}
			fixed = append(fixed, int32(slot))
		}
	}
	return fixed
}
