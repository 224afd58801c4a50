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
	for i := range p.Slots {
		if i > 0 && p.Slots[i-1].Column != p.Slots[i].Column {
			sum, far = sum+far, 0
		}
		if p.Slots[i].Gap2 != nil {
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

// exact is a depth-first search of one ball for the nearest wrong cell.
type exact struct {
	*ball
	meter *meter
	dual  *dual
	close *closing
	// best is the least squared distance of a wrong cell, or the ball's radius; the cell is nil before one is known.
	best   int64
	cell   []int16
	slice  int32
	stack  []open
	corner []int16
}

func newExact(b *ball, m *meter, scale Scale) *exact {
	s := &exact{ball: b, meter: m, best: max(b.radius2, 1), dual: newDual(b), close: newClosing(b, scale)}
	s.dual.seen = s.try
	s.corner = make([]int16, len(b.columns))
	s.stack = []open{{box: b.whole(), charges: make([]float64, len(b.rows))}}
	return s
}

// run searches the whole ball, and returns false where the meter ended it.
func (s *exact) run() bool {
	for len(s.stack) > 0 {
		if !s.meter.next() {
			return false
		}
		top := len(s.stack) - 1
		node := s.stack[top]
		s.stack = s.stack[:top]
		s.visit(node)
	}
	return true
}

func (s *exact) visit(node open) {
	if s.distance2(&node.box) >= s.best {
		return
	}
	s.tighten(&node.box)
	for c := range s.columns {
		s.corner[c] = s.columns[c].nearest(node.box.low[c], node.box.high[c])
	}
	s.try(&node.box, s.corner)
	if s.distance2(&node.box) >= s.best {
		return
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
}

// try notes a plain cell if it is wrong on a slice of the box and nearer than the best one.
func (s *exact) try(w *box, cell []int16) {
	var distance2 int64
	for c := range s.sensitive {
		distance2 += s.columns[c].gap2[cell[c]]
	}
	if distance2 >= s.best {
		return
	}
	at := slices.Clone(cell)
	for _, slice := range w.slices[:min(len(w.slices), slicesTried)] {
		copy(at[s.sensitive:], s.bySlice[slice])
		if s.margin(at) <= 0 {
			s.best, s.cell, s.slice = distance2, at, slice
			return
		}
	}
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
