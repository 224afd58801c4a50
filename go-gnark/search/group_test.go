package search

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// priced gives the slots of a problem random costs in place of squared gaps, equal ones among them, and makes groups of
// some columns.
func priced(r *rand.Rand, p *Problem, groups int) *Problem {
	p.Every = r.IntN(2) == 0
	spans := p.spans()
	var columns []int
	for column, c := range spans {
		columns = append(columns, column)
		for _, outwards := range [][2]int{{c.own - 1, -1}, {c.own, 1}} {
			cost, reached := int64(0), true
			for i := outwards[0]; i >= 0 && i < c.count; i += outwards[1] {
				cost += int64(r.IntN(4) * r.IntN(30))
				reached = reached && r.IntN(8) > 0
				p.Slots[c.first+i].Gap2 = nil
				if own := cost; reached {
					p.Slots[c.first+i].Gap2 = &own
				}
			}
		}
	}
	slices.Sort(columns)
	r.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
	for range groups {
		n := 1 + r.IntN(3)
		if n > len(columns) {
			break
		}
		p.Groups = append(p.Groups, randomGroup(r, columns[:n], spans))
		columns = columns[n:]
		p.fill(&p.Groups[len(p.Groups)-1], spans)
	}
	return p
}

func randomGroup(r *rand.Rand, columns []int, spans map[int]span) Group {
	g := Group{Columns: columns}
	for row := range 1 + r.IntN(6) {
		var positions []int
		for _, column := range columns {
			position := r.IntN(spans[column].count + 1)
			if row == 0 {
				position = spans[column].own
			}
			positions = append(positions, position)
		}
		g.Rows = append(g.Rows, positions)
		g.Costs = append(g.Costs, int64(min(row, 1)*r.IntN(60)))
	}
	return g
}

// fill gives the slots of a group their gaps.
func (p *Problem) fill(g *Group, spans map[int]span) {
	for slot := p.unlike(g, spans); slot >= 0; slot = p.unlike(g, spans) {
		least := never
		c := spans[p.Slots[slot].Column]
		j := slices.Index(g.Columns, p.Slots[slot].Column)
		for r, row := range g.Rows {
			if position, i := row[j], slot-c.first; position > i && i >= c.own || position <= i && i < c.own {
				least = min(least, g.Costs[r])
			}
		}
		p.Slots[slot].Gap2 = nil
		if least < never {
			p.Slots[slot].Gap2 = &least
		}
	}
}

// cheapest enumerates positions of columns and rows of groups, and returns the least cost of a wrong cell, or -1.
func (p *Problem) cheapest() int64 {
	best := int64(-1)
	cell := Cell{Signs: make([]int8, len(p.Slots))}
	spans := p.spans()
	var choices []func(visit func(cost int64))
	at := func(c span, position int) int64 {
		far := int64(0)
		for i := range c.count {
			cell.Signs[c.first+i] = -1
			if c.crossed(position, i) {
				cell.Signs[c.first+i] = 1
				far = max(far, p.Slots[c.first+i].gap2())
			}
		}
		return far
	}
	for column, c := range spans {
		if !slices.ContainsFunc(p.Groups, func(g Group) bool { return slices.Contains(g.Columns, column) }) {
			choices = append(choices, func(visit func(cost int64)) {
				for position := range c.count + 1 {
					if far := at(c, position); far < never {
						visit(far)
					}
				}
			})
		}
	}
	for _, g := range p.Groups {
		choices = append(choices, func(visit func(cost int64)) {
			for r, row := range g.Rows {
				for j, column := range g.Columns {
					at(spans[column], row[j])
				}
				visit(g.Costs[r])
			}
		})
	}
	var visit func(number int, sum int64)
	visit = func(number int, sum int64) {
		if best >= 0 && sum >= best {
			return
		}
		if number < len(choices) {
			choices[number](func(cost int64) { visit(number+1, sum+cost) })
		} else if p.wrongAt(&cell) {
			best = sum
		}
	}
	visit(0, 0)
	return best
}

// wrongAt returns whether the signs of a cell are wrong on a slice, or on every one.
func (p *Problem) wrongAt(cell *Cell) bool {
	wrong := 0
	for cell.Slice = range p.Slices {
		if plainMargin(p, cell) <= 0 {
			wrong++
		}
	}
	return wrong == len(p.Slices) || wrong > 0 && !p.Every
}

// costOf returns what the signs of a cell cost: a group's the least of its rows that has them, or never.
func (p *Problem) costOf(cell *Cell) int64 {
	spans, sum := p.spans(), int64(0)
	for column, c := range spans {
		if slices.ContainsFunc(p.Groups, func(g Group) bool { return slices.Contains(g.Columns, column) }) {
			continue
		}
		far := int64(0)
		for i := c.first; i < c.first+c.count; i++ {
			if cell.Signs[i] == 1 {
				far = max(far, p.Slots[i].gap2())
			}
		}
		sum += far
	}
	for _, g := range p.Groups {
		least := never
		for r, row := range g.Rows {
			same := true
			for j, column := range g.Columns {
				c := spans[column]
				for i := range c.count {
					same = same && c.crossed(row[j], i) == (cell.Signs[c.first+i] == 1)
				}
			}
			if same {
				least = min(least, g.Costs[r])
			}
		}
		if least == never {
			return never
		}
		sum += least
	}
	return sum
}

// Costs, groups and decisions that are wrong on every slice: the search finds the cost that enumeration finds, a cell
// has it, and in groups it is that of a row.
func TestCheapestAgainstEnumeration(t *testing.T) {
	wrong, every, never, dearer := 0, 0, 0, 0
	for seed := range uint64(2500) {
		r := rand.New(rand.NewPCG(seed, 11))
		m := randomModel(r, 1+r.IntN(6), 3, 1+r.IntN(8), 1+r.IntN(3), r.IntN(3))
		p := priced(r, m.problem(), r.IntN(3))
		found, err := FindNearest(p, nil, Budget{}, nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want := p.cheapest()
		switch {
		case !found.Complete:
			t.Fatalf("seed %d: not complete without a budget", seed)
		case want < 0 && found.Upper2 != nil:
			t.Fatalf("seed %d: found %d, and no cell is wrong", seed, *found.Upper2)
		case want >= 0 && (found.Upper2 == nil || *found.Upper2 != want || found.Lower2 != want):
			t.Fatalf("seed %d: found %+v, want %d", seed, found, want)
		}
		if want < 0 {
			never++
			continue
		}
		if cost := p.costOf(found.Cell); cost != want || !p.wrongAt(found.Cell) {
			t.Fatalf("seed %d: the cell %v costs %d, want %d, or is right", seed, found.Cell, cost, want)
		}
		wrong++
		if p.Every && len(p.Slices) > 1 {
			every++
			p.Every = false
			if one := p.cheapest(); one < want {
				dearer++
			}
		}
	}
	if wrong < 500 || every < 200 || never < 200 || dearer < 50 {
		t.Errorf("%d wrong, %d on every slice, %d dearer than on one, %d never: the cases are one-sided", wrong, every, dearer, never)
	}
}

// A search of groups or of every slice that ends early claims no more than what it has proven, and rather more than 0.
func TestCheapestEndsEarly(t *testing.T) {
	some, zero := 0, int64(0)
	for seed := range uint64(300) {
		for _, nodes := range []int64{0, 1, 2, 4, 8} {
			r := rand.New(rand.NewPCG(seed, 12))
			m := randomModel(r, 5, 5, 8, 3, 1)
			p := priced(r, m.problem(), 1+r.IntN(2))
			budget := Budget{Nodes: &nodes}
			if nodes == 0 {
				budget = Budget{Milliseconds: &zero}
			}
			found, err := FindNearest(p, nil, budget, nil)
			if err != nil {
				t.Fatal(err)
			}
			want := p.cheapest()
			if want >= 0 && found.Lower2 > want || found.Upper2 != nil && (want < 0 || *found.Upper2 < want) {
				t.Fatalf("seed %d, %d nodes: %+v, want %d", seed, nodes, found, want)
			}
			if !found.Complete && found.Lower2 > 0 {
				some++
			}
		}
	}
	if some < 100 {
		t.Errorf("only %d searches that ended early have a bound above 0", some)
	}
}

// Groups that contradict slots or each other are errors.
func TestGroupsThatAreNone(t *testing.T) {
	zero, four := int64(0), int64(4)
	sound := func() *Problem {
		return &Problem{
			Base: 1, Slices: [][]int8{{}},
			Slots:  []Slot{{Column: 0, Gap2: &four, Step: -1}, {Column: 1, Above: true, Gap2: &four}, {Column: 2, Above: true}},
			Groups: []Group{{Columns: []int{0, 1}, Rows: [][]int{{1, 0}, {0, 1}}, Costs: []int64{0, 4}}},
		}
	}
	found, err := FindNearest(sound(), nil, Budget{}, nil)
	if err != nil || !found.Complete || *found.Upper2 != 4 || !slices.Equal(found.Cell.Signs, []int8{1, 1, -1}) {
		t.Fatalf("%+v, %v", found, err)
	}
	for message, spoil := range map[string]func(p *Problem){
		"column 7 has no slot":       func(p *Problem) { p.Groups[0].Columns[1] = 7 },
		"named twice":                func(p *Problem) { p.Groups = append(p.Groups, p.Groups[0]) },
		"rows with a cost each":      func(p *Problem) { p.Groups[0].Costs = []int64{0} },
		"groups[0].rows[0]: not the": func(p *Problem) { p.Groups[0].Costs = []int64{4, 4} },
		"and 1 to 16384 rows":        func(p *Problem) { p.Groups[0].Rows = nil },
		"want columns, and":          func(p *Problem) { p.Groups[0].Columns = nil },
		"too wide a cost":            func(p *Problem) { p.Groups[0].Costs[1] = maxGap2 + 1 },
		"rows[1]: too wide a cost":   func(p *Problem) { p.Groups[0].Costs[1] = -1 },
		"not a position a column":    func(p *Problem) { p.Groups[0].Rows[1] = []int{0} },
		"rows[1][1]: no position":    func(p *Problem) { p.Groups[0].Rows[1][1] = 2 },
		"rows[1][0]: no position":    func(p *Problem) { p.Groups[0].Rows[1][0] = -1 },
		"rows[0]: not the query's, at": func(p *Problem) {
			p.Slots[0].Gap2, p.Slots[1].Gap2 = &zero, &zero
			slices.Reverse(p.Groups[0].Rows)
		},
		"slots[0]: gap2 is not the":   func(p *Problem) { p.Groups[0].Costs[1] = 5 },
		"slots[1]: gap2 is not the":   func(p *Problem) { p.Slots[1].Gap2 = nil },
		"slots[1]: out of order":      func(p *Problem) { p.Slots[1].Column = -1 },
		"slots[2]: gap2 is not the l": func(p *Problem) { p.Slots[2] = p.Slots[1] },
	} {
		p := sound()
		spoil(p)
		if _, err := FindNearest(p, nil, Budget{}, nil); !errors.Is(err, ErrProblem) || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %v", message, err)
		}
	}
}
