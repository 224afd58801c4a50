package search

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
)

const (
	leafSteps, trialSteps = 300, 60
	// trials is how many splits are tried with steps on both halves.
	trials = 64
)

// Reason says why a partition was not found.
type Reason string

// The reasons, by what did not suffice; ReasonWrong: a decision in the ball is wrong.
const (
	ReasonLeaves Reason = "leaves"
	ReasonSlots  Reason = "slots"
	ReasonRows   Reason = "rows"
	ReasonTime   Reason = "time"
	ReasonWrong  Reason = "wrong"
)

// LeavesRequest asks for a partition of the open ball of a squared radius. Slots and Rows of nil are no limits.
type LeavesRequest struct {
	Problem  *Problem `json:"problem"`
	Radius2  int64    `json:"radius2"`
	Capacity int      `json:"capacity"`
	Slots    *int     `json:"slots"`
	Rows     *int     `json:"rows"`
	Scale    Scale    `json:"scale"`
	Budget   Budget   `json:"budget"`
}

// Leaf is one box of a partition. Signs are by live plain slot, 1 crossed, -1 stayed, 0 free; Sensitive by sensitive
// predicate; Slices those that it serves, Charges by live row. A leaf that is not used is closed by its distance.
type Leaf struct {
	Signs      []int8  `json:"signs"`
	Sensitive  []int8  `json:"sensitive"`
	Slices     []int32 `json:"slices"`
	Multiplier int64   `json:"multiplier"`
	Used       bool    `json:"used"`
	Charges    []int64 `json:"charges"`
}

// Partition is a proof of a radius as leaves, over the places of live plain predicates and the live nodes in ascending
// order; or the reason why there is none, and how many leaves (at least), slots or rows are needed. A wrong decision
// has its squared distance and cell.
type Partition struct {
	Slots  []int   `json:"slots"`
	Rows   []int32 `json:"rows"`
	Leaves []Leaf  `json:"leaves"`
	Reason *Reason `json:"reason"`
	Needed int     `json:"needed"`
	Upper2 *int64  `json:"upper2"`
	Cell   *Cell   `json:"cell"`
	Nodes  int64   `json:"nodes"`
}

func (p *Partition) ended(reason Reason, needed int) *Partition {
	p.Reason, p.Needed, p.Leaves = &reason, needed, nil
	return p
}

// FindLeaves looks for a partition into at most Capacity leaves, which hold for whoever is at a row of each group. Cells
// of nobody are in leaves, too. stop, which may be nil, ends it early, as the budget does.
func FindLeaves(request *LeavesRequest, stop *atomic.Bool) (*Partition, error) {
	if err := request.Problem.Check(); err != nil {
		return nil, err
	}
	if request.Problem.Every {
		return nil, fmt.Errorf("%w: there are no leaves of every slice at once", ErrProblem)
	}
	if len(request.Problem.Groups) > 0 && request.Radius2 < request.Problem.beyond() {
		// A leaf's distance is that of its signs, which rows of a group may be beyond.
		return nil, fmt.Errorf("%w: leaves of groups are of a radius beyond all cells", ErrProblem)
	}
	if request.Radius2 < 0 || request.Radius2 > maxGap2 || request.Capacity < 1 {
		return nil, fmt.Errorf("%w: radius2 must be 0 to 2^52, capacity at least 1", ErrProblem)
	}
	if request.Scale.ValueBits > 16 || request.Scale.FractionBits > 64 || request.Scale.MultiplierBits > 128 {
		return nil, fmt.Errorf("%w: scale: above 16 value bits, 64 fraction bits or 128 multiplier bits", ErrProblem)
	}
	b := newBall(request.Problem, request.Radius2)
	partition := &Partition{Slots: b.live, Rows: []int32{}}
	s := newPartitioning(b, request, newMeter(request.Budget, stop))
	for _, at := range s.order {
		partition.Rows = append(partition.Rows, b.rows[at].node)
	}
	if request.Slots != nil && len(b.live) > *request.Slots {
		return partition.ended(ReasonSlots, len(b.live)), nil
	}
	if request.Rows != nil && len(b.rows) > *request.Rows {
		return partition.ended(ReasonRows, len(b.rows)), nil
	}
	reason := s.run()
	partition.Nodes = s.meter.nodes
	if reason != nil {
		if s.cell != nil {
			partition.Upper2, partition.Cell = &s.best, s.wrong()
		}
		return partition.ended(*reason, len(s.leaves)+len(s.stack)), nil
	}
	partition.Leaves, partition.Needed = s.leaves, len(s.leaves)
	return partition, nil
}

// partitioning is a depth-first search of one ball for a partition. Its exact part notes wrong cells.
type partitioning struct {
	*exact
	asked  *LeavesRequest
	trial  *dual
	leaves []Leaf
	// order are the rows by ascending node.
	order []int32
}

func newPartitioning(b *ball, request *LeavesRequest, m *meter) *partitioning {
	s := &partitioning{exact: newExact(b, m, request.Scale), asked: request, trial: newDual(b)}
	for i := range b.rows {
		s.order = append(s.order, int32(i))
	}
	slices.SortFunc(s.order, func(x, y int32) int { return cmp.Compare(b.rows[x].node, b.rows[y].node) })
	return s
}

// run partitions the ball, or returns why it ended.
func (s *partitioning) run() *Reason {
	reason := ReasonTime
	f := newFrontier(s.known, s.stack)
	f.admit = func() bool {
		if !s.meter.next() {
			return false
		}
		if len(f.leaves)+len(f.stack) > s.asked.Capacity {
			reason = ReasonLeaves
			return false
		}
		return true
	}
	f.enough = func() bool {
		if f.cell != nil {
			reason = ReasonWrong
		}
		return f.cell != nil
	}
	complete := f.run(s.visited, func() visitor { return newPartitioning(s.ball, s.asked, s.meter).visited })
	s.known, s.stack, s.leaves = f.known, f.boxes(), f.leaves
	if complete {
		return nil
	}
	return &reason
}

// visited is a visitor.
func (s *partitioning) visited(node open, from known) outcome {
	s.begin(&node, from)
	s.leaves = nil
	s.visit(node)
	return outcome{s.known, s.stack, s.leaves}
}

func (s *partitioning) visit(node open) {
	if distance2 := s.distance2(&node.box); distance2 >= s.asked.Radius2 && distance2 >= 1 {
		clear(s.close.charges)
		s.close.multiplier = 0
		s.add(&node.box, false)
		return
	}
	s.toCorner(&node.box)
	s.try(&node.box, s.corner)
	d := s.dual
	d.begin(node.box, node.charges, node.multiplier)
	bound := d.bound()
	if bound > 0 && s.close.plain(d.reduced, s.asked.Radius2) {
		s.add(&node.box, true)
		return
	}
	if node.multiplier == 0 {
		d.multiplier = max(float64(1-bound), 1) / d.radius2
	}
	if s.proven(d, leafSteps) {
		s.add(&d.box, true)
	} else if s.cell == nil {
		s.branch()
	}
}

// proven ascends until rounding leaves a proof, or until there is no hope.
func (s *partitioning) proven(d *dual, steps int) bool {
	margin := 0.01*float64(len(d.rows)) + 1
	for range 3 {
		d.ascend(steps, margin)
		if d.best > 0 && s.close.proves(d, s.asked.Radius2) {
			return true
		}
		if d.best < margin {
			return false
		}
		margin *= 4
	}
	return false
}

// add notes a leaf with the charges and the multiplier of the closing.
func (s *partitioning) add(w *box, used bool) {
	sign := make([]int8, len(s.steps))
	s.signs(w, sign)
	leaf := Leaf{
		Signs: sign[:len(s.live)], Sensitive: sign[len(s.live):], Slices: w.slices,
		Multiplier: s.close.multiplier, Used: used, Charges: make([]int64, len(s.order)),
	}
	for i, at := range s.order {
		leaf.Charges[i] = max(s.close.charges[at], -s.close.charges[at])
	}
	s.leaves = append(s.leaves, leaf)
}

// branch splits the box of the dual by the split whose worse half comes nearest to a proof after a few steps. That makes
// fewer leaves than the product of both gains, which prefers a half that is proven at once beside one that is hardly easier.
func (s *partitioning) branch() {
	d := s.dual
	d.restore()
	charges := make([]float64, len(s.rows))
	d.save(charges)
	need := math.Max(-d.best, 0) + 1
	best := -1.0
	var halves [2]open
	splits := d.splits(need, s.asked.Radius2, trials)
	if len(splits) == 0 {
		panic("search: one cell, neither wrong nor proven")
	}
	for _, candidate := range splits {
		tried, values := [2]open{}, [2]float64{}
		for i := range tried {
			tried[i] = open{s.half(&d.box, candidate.slot, i == 1), charges, d.keptMult}
			values[i] = s.tried(tried[i], need)
		}
		if score := min(values[0], values[1]); score > best {
			best = score
			// The half that is farther from a proof is searched first: what does not fit is known early.
			if values[0] < values[1] {
				slices.Reverse(tried[:])
			}
			halves = tried
		}
	}
	for _, half := range halves {
		if len(half.box.slices) > 0 {
			s.stack = append(s.stack, half)
		}
	}
}

// tried returns how much of need the bound of a half gains in a few steps.
func (s *partitioning) tried(half open, need float64) float64 {
	if len(half.box.slices) == 0 || s.distance2(&half.box) >= s.asked.Radius2 {
		return need
	}
	t := s.trial
	t.begin(half.box, half.charges, half.multiplier)
	t.ascend(trialSteps, 1)
	return min(max(t.best-s.dual.best, 0), need)
}
