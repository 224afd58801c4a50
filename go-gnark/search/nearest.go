package search

import (
	"math"
	"slices"
	"sync/atomic"
	"time"
)

const (
	nearestSteps = 40
	// firstSlots is how many slots the first ball has, growth the factor from one squared radius to the next.
	firstSlots, growth = 6, 2
	// slicesTried is how many slices of a box a candidate is tried with.
	slicesTried = 8
)

// nearestScale is the scale by which dual bounds of the exact search are decided.
var nearestScale = Scale{FractionBits: 32, ValueBits: 6, MultiplierBits: 62}

// Budget limits a search; nil is no limit.
type Budget struct {
	Milliseconds *int64 `json:"milliseconds"`
	Nodes        *int64 `json:"nodes"`
}

// meter says when a search must end.
type meter struct {
	budget   Budget
	deadline time.Time
	nodes    int64
	stop     *atomic.Bool
}

func newMeter(budget Budget, stop *atomic.Bool) *meter {
	m := &meter{budget: budget, stop: stop}
	if budget.Milliseconds != nil {
		m.deadline = time.Now().Add(time.Duration(*budget.Milliseconds) * time.Millisecond)
	}
	return m
}

// next counts a node and returns false where the search must end.
func (m *meter) next() bool {
	m.nodes++
	over := m.stop != nil && m.stop.Load() || m.budget.Nodes != nil && m.nodes > *m.budget.Nodes
	return !over && (m.deadline.IsZero() || time.Now().Before(m.deadline))
}

// Cell is a cell of all plain predicates, 1 where crossed and -1 where not, on one slice.
type Cell struct {
	Signs []int8 `json:"signs"`
	Slice int    `json:"slice"`
}

// Nearest is the result of an exact search: no decision is wrong below Lower2. Upper2 is the squared distance of the
// wrong Cell, both nil where none is known; Lower2 equals it, or the limit, where the search is complete.
type Nearest struct {
	Lower2   int64  `json:"lower2"`
	Upper2   *int64 `json:"upper2"`
	Cell     *Cell  `json:"cell"`
	Complete bool   `json:"complete"`
	Nodes    int64  `json:"nodes"`
}

// open is a box that is still to be searched, with the charges by rows and the multiplier of its parent.
type open struct {
	box        box
	charges    []float64
	multiplier float64
}

// FindNearest finds the wrong decision at the least squared distance below a limit (nil: at any distance). stop, which
// may be nil, ends it early, as the budget does.
func FindNearest(p *Problem, limit2 *int64, budget Budget, stop *atomic.Bool) (*Nearest, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if err := p.checkQuery(); err != nil {
		return nil, err
	}
	limit := p.beyond()
	if limit2 != nil {
		limit = min(limit, max(*limit2, 1))
	}
	m := newMeter(budget, stop)
	nearest := &Nearest{}
	for radius2 := p.firstRadius2(); ; radius2 = min(radius2, limit/growth+1) * growth {
		radius2 = min(radius2, limit)
		s := newExact(newBall(p, radius2), m, nearestScale)
		complete := s.run()
		nearest.Nodes = m.nodes
		if s.cell != nil {
			nearest.Upper2, nearest.Cell = &s.best, s.wrong()
		}
		switch {
		case !complete:
			if p.Every || len(p.Groups) > 0 {
				nearest.Lower2 = max(nearest.Lower2, s.open2())
			}
			return nearest, nil
		case s.cell != nil || radius2 == limit:
			nearest.Lower2, nearest.Complete = s.best, true
			if s.cell == nil && limit2 != nil {
				nearest.Lower2 = *limit2
			}
			return nearest, nil
		}
		nearest.Lower2 = radius2
	}
}

// beyond returns a squared radius whose ball holds every cell that is in reach.
func (p *Problem) beyond() int64 {
	sum, far := int64(1), int64(0)
	grouped := map[int]bool{}
	for _, g := range p.Groups {
		sum += slices.Max(g.Costs)
		for _, column := range g.Columns {
			grouped[column] = true
		}
	}
	for i := range p.Slots {
		if i > 0 && p.Slots[i-1].Column != p.Slots[i].Column {
			sum, far = sum+far, 0
		}
		if p.Slots[i].Gap2 != nil && !grouped[p.Slots[i].Column] {
			far = max(far, *p.Slots[i].Gap2)
		}
	}
	return sum + far
}

// firstRadius2 returns a squared radius whose ball has few slots.
func (p *Problem) firstRadius2() int64 {
	var gaps []int64
	for i := range p.Slots {
		if p.Slots[i].Gap2 != nil {
			gaps = append(gaps, *p.Slots[i].Gap2)
		}
	}
	slices.Sort(gaps)
	if len(gaps) == 0 {
		return 1
	}
	return gaps[min(firstSlots, len(gaps))-1] + 1
}

// exact is a depth-first search of one ball for the nearest wrong cell. Each thread has one of its own, in which known and
// stack are those of the box that it visits.
type exact struct {
	*ball
	known
	meter  *meter
	dual   *dual
	close  *closing
	stack  []open
	corner []int16
	// right is the slice that was right where a cell was not wrong on every slice, the last time.
	right int32
}

func newExact(b *ball, m *meter, scale Scale) *exact {
	s := &exact{ball: b, known: known{best: max(b.radius2, 1)}, meter: m, dual: newDual(b), close: newClosing(b, scale)}
	s.dual.seen = s.try
	s.corner = make([]int16, len(b.columns)+len(b.groups))
	s.stack = []open{{box: b.whole(), charges: make([]float64, len(b.rows))}}
	return s
}

// run searches the whole ball, and returns false where the meter ended it.
func (s *exact) run() bool {
	f := newFrontier(s.known, s.stack)
	f.admit = s.meter.next
	complete := f.run(s.visited, func() visitor { return newExact(s.ball, s.meter, s.close.scale).visited })
	s.known, s.stack = f.known, f.boxes()
	return complete
}

// visited is a visitor.
func (s *exact) visited(node open, from known) outcome {
	s.begin(&node, from)
	s.visit(node)
	return outcome{known: s.known, halves: s.stack}
}

// begin takes what is known before a visit. The box is a copy: a visit tightens it.
func (s *exact) begin(node *open, from known) {
	s.known, s.stack = from, nil
	w := &node.box
	w.low, w.high, w.rows = slices.Clone(w.low), slices.Clone(w.high), slices.Clone(w.rows)
}

func (s *exact) visit(node open) {
	if s.distance2(&node.box) >= s.best {
		return
	}
	s.tighten(&node.box)
	s.toCorner(&node.box)
	s.try(&node.box, s.corner)
	if s.distance2(&node.box) >= s.best {
		return
	}
	if s.problem.Every {
		s.choose(&node.box)
	}
	d := s.dual
	d.radius2 = float64(s.best)
	d.begin(node.box, node.charges, node.multiplier)
	bound := d.bound()
	if bound > 0 {
		return
	}
	if node.multiplier == 0 {
		d.multiplier = max(float64(1-bound), 1) / float64(s.best)
	}
	for range 2 {
		margin := 0.02*float64(len(d.rows)) + 1
		d.ascend(nearestSteps, margin)
		if d.best > 0 && s.close.proves(d, s.best) {
			return
		}
		if d.best < margin {
			break
		}
	}
	s.branch()
}

// tighten cuts positions that are as far as the best known cell.
func (s *exact) tighten(w *box) {
	room := s.best - s.distance2(w)
	for c := range s.sensitive {
		column := &s.columns[c]
		was := column.gap2[column.nearest(w.low[c], w.high[c])]
		for w.low[c] < w.high[c] && column.gap2[w.low[c]]-was >= room {
			w.low[c]++
		}
		for w.low[c] < w.high[c] && column.gap2[w.high[c]]-was >= room {
			w.high[c]--
		}
	}
	for g := range s.groups {
		rows, was := w.rows[g], s.groupCost(w, g)
		for last := len(rows) - 1; s.groups[g].rows[rows[last]].cost-was >= room; last-- {
			rows = rows[:last]
		}
		w.rows[g] = rows
	}
}

// toCorner sets the corner to the cell of a box that is nearest to the query.
func (s *exact) toCorner(w *box) {
	for c := range s.columns {
		s.corner[c] = s.columns[c].nearest(w.low[c], w.high[c])
	}
	for g := range s.groups {
		s.atRow(s.corner, g, w.rows[g][0])
	}
}

// try notes a plain cell if it is nearer than the best one, and wrong on a slice of the box, or on every slice.
func (s *exact) try(w *box, cell []int16) {
	distance2 := s.cellDistance2(cell)
	if distance2 >= s.best {
		return
	}
	at := slices.Clone(cell)
	if s.problem.Every {
		if s.everywhere(at) {
			// All slices are wrong: that it is the first one depends on no order.
			s.best, s.cell, s.slice = distance2, at, 0
		}
		return
	}
	for _, slice := range w.slices[:min(len(w.slices), slicesTried)] {
		copy(at[s.sensitive:len(s.columns)], s.bySlice[slice])
		if s.margin(at) <= 0 {
			s.best, s.cell, s.slice = distance2, at, slice
			return
		}
	}
}

// everywhere returns whether a cell is wrong on every slice. It leaves the cell on the slice that was right.
func (s *exact) everywhere(cell []int16) bool {
	for i := range s.bySlice {
		// The slice that was right last time is rather right again.
		slice := (int(s.right) + i) % len(s.bySlice)
		copy(cell[s.sensitive:len(s.columns)], s.bySlice[slice])
		if s.margin(cell) > 0 {
			s.right = int32(slice)
			return false
		}
	}
	return true
}

// choose leaves one slice of a box, the one with the largest margin at the corner: where one is right everywhere in the
// box, no cell of it is wrong on every slice.
func (s *exact) choose(w *box) {
	most := int64(math.MinInt64)
	at := slices.Clone(s.corner)
	for slice := range s.bySlice {
		copy(at[s.sensitive:len(s.columns)], s.bySlice[slice])
		if margin := s.margin(at); margin > most {
			most, w.slices = margin, []int32{int32(slice)}
		}
	}
	s.hull(w)
}

// open2 returns a squared distance below which no decision is wrong, of a search that the meter ended.
func (s *exact) open2() int64 {
	least := s.best
	for i := range s.stack {
		least = min(least, s.distance2(&s.stack[i].box))
	}
	return least
}

// branch splits the box of the dual in two.
func (s *exact) branch() {
	d := s.dual
	d.restore()
	need := math.Max(-d.best, 0) + 1
	splits := d.splits(need, s.best, 1)
	if len(splits) == 0 {
		panic("search: one cell, neither wrong nor proven")
	}
	charges := make([]float64, len(s.rows))
	d.save(charges)
	below := open{s.half(&d.box, splits[0].slot, false), charges, d.keptMult}
	above := open{s.half(&d.box, splits[0].slot, true), charges, d.keptMult}
	// The half with the lower bound is searched first: wrong cells are rather there.
	if splits[0].below < splits[0].above {
		below, above = above, below
	}
	for _, next := range []open{below, above} {
		if len(next.box.slices) > 0 {
			s.stack = append(s.stack, next)
		}
	}
}

// wrong returns the best cell by all plain predicates.
func (s *exact) wrong() *Cell {
	signs := make([]int8, len(s.problem.Slots))
	for i := range signs {
		signs[i] = -1
	}
	for c := range s.sensitive {
		column := &s.columns[c]
		for i := min(int(s.cell[c]), column.own); i < max(int(s.cell[c]), column.own); i++ {
			signs[s.live[column.first+i]] = 1
		}
	}
	return &Cell{signs, int(s.slice)}
}
