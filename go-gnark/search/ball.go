package search

import "slices"

// column is the live slots of one column. Position i lies above the first i of them; own is the query's position.
type column struct {
	first, count, own int
	// gap2 is the squared distance to each position.
	gap2 []int64
}

// row is a live node: its slot, children, and its place in the problem. A child is a row, or ^i for leaf i.
type row struct{ slot, stay, cross, node int32 }

// ball is a problem in an open ball: dead predicates are resolved. Its slots are the live plain predicates, then the
// sensitive ones.
type ball struct {
	problem *Problem
	radius2 int64
	// live are the places of live plain predicates; slotOf gives a predicate's slot, -1 where dead.
	live     []int
	slotOf   []int32
	columns  []column
	columnOf []int32
	steps    []int64
	rows     []row
	// trees[t] is the first row of tree t, whose rows are those up to the next tree's, parents before children.
	trees  []int32
	leaves []int64
	// constant is the base and the values of trees without live nodes.
	constant int64
	// bySlice is a slice's position in each sensitive column.
	bySlice   [][]int16
	sensitive int
	// groupOf is the group of each plain column, -1 where it has none.
	groupOf []int32
	groups  []group
}

// newBall resolves a checked problem in the open ball of a squared radius.
func newBall(p *Problem, radius2 int64) *ball {
	b := &ball{problem: p, radius2: radius2, constant: p.Base, slotOf: make([]int32, len(p.Slots)+len(p.Sensitive))}
	for i := range p.Slots {
		b.slotOf[i] = -1
		if p.Slots[i].gap2() < radius2 {
			b.slotOf[i] = int32(len(b.live))
			b.live = append(b.live, i)
			b.steps = append(b.steps, p.Slots[i].Step)
		}
	}
	b.plainColumns()
	b.resolveGroups()
	b.sensitive = len(b.columns)
	b.sensitiveColumns()
	for _, root := range p.Roots {
		b.tree(root)
	}
	b.trees = append(b.trees, int32(len(b.rows)))
	return b
}

func (b *ball) plainColumns() {
	for from := 0; from < len(b.live); {
		until, own := from, 0
		number := b.problem.Slots[b.live[from]].Column
		for ; until < len(b.live) && b.problem.Slots[b.live[until]].Column == number; until++ {
			if !b.problem.Slots[b.live[until]].Above {
				own++
			}
		}
		c := column{first: from, count: until - from, own: own, gap2: make([]int64, until-from+1)}
		for i := range c.count {
			// A slot below the query is crossed at positions up to its own index, one above it at those behind.
			at := i
			if i >= own {
				at = i + 1
			}
			c.gap2[at] = b.problem.Slots[b.live[from+i]].gap2()
			b.columnOf = append(b.columnOf, int32(len(b.columns)))
		}
		b.columns = append(b.columns, c)
		from = until
	}
}

func (b *ball) sensitiveColumns() {
	p := b.problem
	b.bySlice = make([][]int16, len(p.Slices))
	for from := 0; from < len(p.Sensitive); {
		until := from
		for ; until < len(p.Sensitive) && p.Sensitive[until].Column == p.Sensitive[from].Column; until++ {
			b.slotOf[len(p.Slots)+until] = int32(len(b.live) + until)
			b.steps = append(b.steps, p.Sensitive[until].Step)
			b.columnOf = append(b.columnOf, int32(len(b.columns)))
		}
		for s, bits := range p.Slices {
			position := int16(0)
			for _, bit := range bits[from:until] {
				position += int16(bit)
			}
			b.bySlice[s] = append(b.bySlice[s], position)
		}
		count := until - from
		b.columns = append(b.columns, column{first: len(b.live) + from, count: count, gap2: make([]int64, count+1)})
		from = until
	}
}

// resolved follows dead nodes to their staying child.
func (b *ball) resolved(ref Ref) Ref {
	for ref[0] == 1 && b.slotOf[b.problem.Nodes[ref[1]].Slot] < 0 {
		ref = b.problem.Nodes[ref[1]].Stay
	}
	return ref
}

// tree adds the live rows of one tree.
func (b *ball) tree(root Ref) {
	root = b.resolved(root)
	if root[0] == 0 {
		b.constant += root[1]
		return
	}
	b.trees = append(b.trees, int32(len(b.rows)))
	b.grow(root)
}

func (b *ball) grow(ref Ref) int32 {
	ref = b.resolved(ref)
	if ref[0] == 0 {
		b.leaves = append(b.leaves, ref[1])
		return ^int32(len(b.leaves) - 1)
	}
	node, at := &b.problem.Nodes[ref[1]], len(b.rows)
	b.rows = append(b.rows, row{slot: b.slotOf[node.Slot], node: int32(ref[1])})
	stay := b.grow(node.Stay)
	cross := b.grow(node.Cross)
	b.rows[at].stay, b.rows[at].cross = stay, cross
	return int32(at)
}

// box is a set of cells: an interval of positions for each column, the slices that are still in question, and of each
// group the rows that its intervals hold, by ascending cost.
type box struct {
	low, high []int16
	slices    []int32
	rows      [][]int32
}

// whole returns the box of everything.
func (b *ball) whole() box {
	w := box{low: make([]int16, len(b.columns)), high: make([]int16, len(b.columns))}
	for c := range b.columns {
		w.high[c] = int16(b.columns[c].count)
	}
	for s := range b.problem.Slices {
		w.slices = append(w.slices, int32(s))
	}
	b.hull(&w)
	w.rows = b.allRows()
	return w
}

// hull shrinks the sensitive intervals to the slices.
func (b *ball) hull(w *box) {
	for i := range len(b.columns) - b.sensitive {
		low, high := int16(b.columns[b.sensitive+i].count), int16(0)
		for _, s := range w.slices {
			low, high = min(low, b.bySlice[s][i]), max(high, b.bySlice[s][i])
		}
		w.low[b.sensitive+i], w.high[b.sensitive+i] = low, high
	}
}

// half returns the cells of a box that are above a slot's threshold, or those that are not. It has no slices where no
// slice is among them.
func (b *ball) half(w *box, slot int, above bool) box {
	c := int(b.columnOf[slot])
	index := int16(slot - b.columns[c].first)
	h := box{low: slices.Clone(w.low), high: slices.Clone(w.high), slices: w.slices, rows: slices.Clone(w.rows)}
	if above {
		h.low[c] = max(h.low[c], index+1)
	} else {
		h.high[c] = min(h.high[c], index)
	}
	if c < b.sensitive {
		if g := b.groupOf[c]; g >= 0 {
			h.rows[g] = b.within(w, c, h.low[c], h.high[c])
		}
		return h
	}
	h.slices = nil
	for _, s := range w.slices {
		if (b.bySlice[s][c-b.sensitive] > index) == above {
			h.slices = append(h.slices, s)
		}
	}
	b.hull(&h)
	return h
}

// nearest returns the position of an interval that is next to the query's.
func (c *column) nearest(low, high int16) int16 { return min(max(int16(c.own), low), high) }

// distance2 returns the least squared distance of a box.
func (b *ball) distance2(w *box) int64 {
	var sum int64
	for c := range b.sensitive {
		sum += b.columns[c].gap2[b.columns[c].nearest(w.low[c], w.high[c])]
	}
	for g := range b.groups {
		sum += b.groupCost(w, g)
	}
	return sum
}

// signs writes for each slot 1 where the box crosses it, -1 where it stays, 0 where it is free.
func (b *ball) signs(w *box, out []int8) {
	for c := range b.columns {
		b.columnSigns(c, w.low[c], w.high[c], out)
	}
}

func (b *ball) columnSigns(number int, low, high int16, out []int8) {
	c := &b.columns[number]
	for i := range c.count {
		sign := int8(0)
		if int(low) > i {
			sign = 1
		} else if int(high) <= i {
			sign = -1
		}
		if i < c.own {
			sign = -sign
		}
		out[c.first+i] = sign
	}
}

// margin returns the exact margin of one cell, given by a position for each column.
func (b *ball) margin(cell []int16) int64 {
	sum := b.constant
	for c := range b.columns {
		column := &b.columns[c]
		for i := min(int(cell[c]), column.own); i < max(int(cell[c]), column.own); i++ {
			sum += b.steps[column.first+i]
		}
	}
	for _, at := range b.trees[:len(b.trees)-1] {
		for at >= 0 {
			row := &b.rows[at]
			number := b.columnOf[row.slot]
			column := &b.columns[number]
			index := int(row.slot) - column.first
			if (int(cell[number]) > index) == (index >= column.own) {
				at = row.cross
			} else {
				at = row.stay
			}
		}
		sum += b.leaves[^at]
	}
	return sum
}
