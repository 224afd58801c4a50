package search

import (
	"math/rand/v2"
	"slices"
	"sort"
)

// predicate is one of a test model: x[column] > threshold; sensitive columns stand behind the plain ones.
type predicate struct{ column, threshold int }

// model is a small ensemble on the grid, with a query and slices, which knows nothing of slots.
type model struct {
	plain      int
	predicates []predicate
	jumps      []int64
	bias       int64
	trees      []*branch
	query      []int
	table      [][]int
}

// branch is a node of a test model, or a leaf where low is nil.
type branch struct {
	predicate int
	low, high *branch
	value     int64
}

// randomModel makes a model of a few columns with a query, whose label is that of margins above 0.
func randomModel(r *rand.Rand, columns, thresholds, trees, depth, sensitive int) *model {
	m := &model{plain: columns}
	for column := range columns + sensitive {
		known := map[int]bool{}
		for range 1 + r.IntN(thresholds) {
			known[r.IntN(20)-10] = true
		}
		var sorted []int
		for threshold := range known {
			sorted = append(sorted, threshold)
		}
		sort.Ints(sorted)
		for _, threshold := range sorted {
			m.predicates = append(m.predicates, predicate{column, threshold})
			m.jumps = append(m.jumps, int64(r.IntN(2)*(r.IntN(41)-20)))
		}
		if column < columns {
			m.query = append(m.query, r.IntN(24)-12)
		}
	}
	for range 1 + r.IntN(3) {
		var row []int
		for range sensitive {
			row = append(row, r.IntN(24)-12)
		}
		m.table = append(m.table, row)
	}
	for range trees {
		m.trees = append(m.trees, m.randomBranch(r, depth))
	}
	m.bias = int64(r.IntN(40)) + 1 - min(m.score(m.query, m.table[0]), 0)
	return m
}

func (m *model) randomBranch(r *rand.Rand, depth int) *branch {
	if depth == 0 || r.IntN(8) == 0 {
		return &branch{value: int64(r.IntN(101) - 50)}
	}
	return &branch{
		predicate: r.IntN(len(m.predicates)), low: m.randomBranch(r, depth-1), high: m.randomBranch(r, depth-1),
	}
}

// score returns the margin at a point of the grid.
func (m *model) score(point, sensitive []int) int64 {
	at := append(slices.Clone(point), sensitive...)
	sum := m.bias
	for i, p := range m.predicates {
		if at[p.column] > p.threshold {
			sum += m.jumps[i]
		}
	}
	for _, node := range m.trees {
		for node.low != nil {
			if p := m.predicates[node.predicate]; at[p.column] > p.threshold {
				node = node.high
			} else {
				node = node.low
			}
		}
		sum += node.value
	}
	return sum
}

// problem returns the model as its query sees it.
func (m *model) problem() *Problem {
	p := &Problem{Base: m.bias}
	plain := 0
	for i, known := range m.predicates {
		if known.column >= m.plain {
			p.Sensitive = append(p.Sensitive, Sensitive{known.column, m.jumps[i]})
			continue
		}
		plain++
		gap, step := int64(known.threshold-m.query[known.column]), m.jumps[i]
		above := gap >= 0
		if !above {
			p.Base += step
			step = -step
		}
		gap *= gap
		p.Slots = append(p.Slots, Slot{known.column, above, &gap, step})
	}
	for _, row := range m.table {
		bits := []int8{}
		for _, known := range m.predicates[plain:] {
			bits = append(bits, int8(indicator(row[known.column-m.plain] > known.threshold)))
		}
		p.Slices = append(p.Slices, bits)
	}
	m.levels(p, plain)
	return p
}

// levels writes the trees in level order.
func (m *model) levels(p *Problem, plain int) {
	var queue []*branch
	refer := func(node *branch) Ref {
		if node.low == nil {
			return Ref{0, node.value}
		}
		queue = append(queue, node)
		return Ref{1, int64(len(queue) - 1)}
	}
	for _, root := range m.trees {
		p.Roots = append(p.Roots, refer(root))
	}
	for i := 0; i < len(queue); i++ {
		node := Node{Slot: queue[i].predicate, Stay: refer(queue[i].low), Cross: refer(queue[i].high)}
		if node.Slot < plain && !p.Slots[node.Slot].Above {
			node.Stay, node.Cross = node.Cross, node.Stay
		}
		p.Nodes = append(p.Nodes, node)
	}
}

// nearest enumerates every cell of every slice, and returns the least squared distance of a wrong one, or -1.
func (m *model) nearest() int64 {
	best := int64(-1)
	ends := make([][]int, m.plain)
	for column := range ends {
		ends[column] = []int{m.query[column]}
		for _, p := range m.predicates {
			if p.column == column {
				// Just above a threshold counts as far as the threshold: the infimum of the distance.
				ends[column] = append(ends[column], p.threshold, p.threshold+1)
			}
		}
	}
	point := make([]int, m.plain)
	var visit func(column int, squared int64)
	visit = func(column int, squared int64) {
		if best >= 0 && squared >= best {
			return
		}
		if column == m.plain {
			for _, row := range m.table {
				if m.score(point, row) <= 0 {
					best = squared
				}
			}
			return
		}
		for _, end := range ends[column] {
			gap := int64(end - m.query[column])
			if gap > 0 && slices.Contains(m.predicates, predicate{column, end - 1}) {
				gap--
			}
			point[column] = end
			visit(column+1, squared+gap*gap)
		}
	}
	visit(0, 0)
	return best
}
