package search

// reduced is a ball's ensemble within one box: only rows that are free and can be reached, fixed ones are followed.
type reduced struct {
	ball *ball
	box  box
	sign []int8
	// rows refer to each other and to leaves as those of the ball do; from is a row's index in the ball.
	rows  []row
	from  []int32
	trees []int32
	// treeOf is each row's tree, bySlot the rows of slot j: those from starts[j] up to starts[j+1].
	treeOf, bySlot, starts []int32
	constant               int64
	// least is scratch space: the least value below each row.
	least []int64
}

func newReduced(b *ball) *reduced {
	slots := len(b.steps)
	return &reduced{ball: b, sign: make([]int8, slots), starts: make([]int32, slots+2), least: make([]int64, len(b.rows))}
}

// enter reduces the ball's ensemble to a box.
func (r *reduced) enter(w box) {
	r.box = w
	r.ball.settled(&w, r.sign)
	r.rows, r.from, r.trees, r.treeOf = r.rows[:0], r.from[:0], r.trees[:0], r.treeOf[:0]
	r.constant = r.ball.constant
	for _, root := range r.ball.trees[:len(r.ball.trees)-1] {
		at := r.followed(root)
		if at < 0 {
			r.constant += r.ball.leaves[^at]
			continue
		}
		r.trees = append(r.trees, int32(len(r.rows)))
		r.grow(at)
	}
	r.trees = append(r.trees, int32(len(r.rows)))
	r.index()
}

func (r *reduced) followed(at int32) int32 {
	for at >= 0 {
		switch row := &r.ball.rows[at]; r.sign[row.slot] {
		case 1:
			at = row.cross
		case -1:
			at = row.stay
		default:
			return at
		}
	}
	return at
}

func (r *reduced) grow(at int32) int32 {
	if at = r.followed(at); at < 0 {
		return at
	}
	here := len(r.rows)
	r.rows = append(r.rows, r.ball.rows[at])
	r.from = append(r.from, at)
	r.treeOf = append(r.treeOf, int32(len(r.trees)-1))
	stay := r.grow(r.ball.rows[at].stay)
	cross := r.grow(r.ball.rows[at].cross)
	r.rows[here].stay, r.rows[here].cross = stay, cross
	return int32(here)
}

// index sorts the rows by slot.
func (r *reduced) index() {
	clear(r.starts)
	for i := range r.rows {
		r.starts[r.rows[i].slot+2]++
	}
	for j := 2; j < len(r.starts); j++ {
		r.starts[j] += r.starts[j-1]
	}
	if cap(r.bySlot) < len(r.rows) {
		r.bySlot = make([]int32, len(r.rows), 2*len(r.rows))
	}
	r.bySlot = r.bySlot[:len(r.rows)]
	for i := range r.rows {
		slot := r.rows[i].slot
		r.bySlot[r.starts[slot+1]] = int32(i)
		r.starts[slot+1]++
	}
}

// rowsOf returns the rows of a slot.
func (r *reduced) rowsOf(slot int) []int32 { return r.bySlot[r.starts[slot]:r.starts[slot+1]] }

// bound returns an integer that no margin of the box is below: the least value of each tree and column.
func (r *reduced) bound() int64 {
	sum := r.constant
	for i := len(r.rows) - 1; i >= 0; i-- {
		row := &r.rows[i]
		r.least[i] = min(r.value(row.stay), r.value(row.cross))
	}
	for _, root := range r.trees[:len(r.trees)-1] {
		sum += r.least[root]
	}
	for c := range r.ball.columns {
		if !r.ball.grouped(c) {
			sum += r.ball.leastStep(c, r.box.low[c], r.box.high[c])
		}
	}
	for g := range r.ball.groups {
		sum += r.ball.groupStep(&r.box, g)
	}
	return sum
}

func (r *reduced) value(at int32) int64 {
	if at < 0 {
		return r.ball.leaves[^at]
	}
	return r.least[at]
}

// leastStep returns the least sum of steps to a position of an interval.
func (b *ball) leastStep(number int, low, high int16) int64 {
	c := &b.columns[number]
	least, sum := never, int64(0)
	for i := c.own; i <= int(high); i++ {
		if i > c.own {
			sum += b.steps[c.first+i-1]
		}
		if i >= int(low) {
			least = min(least, sum)
		}
	}
	sum = 0
	for i := c.own - 1; i >= int(low); i-- {
		sum += b.steps[c.first+i]
		if i <= int(high) {
			least = min(least, sum)
		}
	}
	return least
}
