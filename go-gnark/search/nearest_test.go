package search

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"
)

// The exact search finds the distance that full enumeration of all cells and slices finds.
func TestNearestAgainstEnumeration(t *testing.T) {
	failures, zero := 0, 0
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 1))
		m := randomModel(r, 1+r.IntN(4), 4, 1+r.IntN(6), 1+r.IntN(3), r.IntN(3))
		nearest, err := FindNearest(m.problem(), nil, Budget{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := m.nearest()
		switch {
		case !nearest.Complete:
			t.Fatalf("seed %d: not complete without a budget", seed)
		case want < 0 && nearest.Upper2 != nil:
			t.Fatalf("seed %d: found %d, and no decision is wrong", seed, *nearest.Upper2)
		case want >= 0 && (nearest.Upper2 == nil || *nearest.Upper2 != want || nearest.Lower2 != want):
			t.Fatalf("seed %d: found %v, want %d", seed, nearest, want)
		}
		if want >= 0 {
			failures++
			checkCell(t, m, nearest)
		}
		if want == 0 {
			zero++
		}
	}
	if failures < 300 || zero < 20 || failures > 1400 {
		t.Errorf("%d wrong decisions, %d at distance 0: the cases are one-sided", failures, zero)
	}
}

// checkCell evaluates a found cell on the problem as it stands, without the search's tables.
func checkCell(t *testing.T, m *model, nearest *Nearest) {
	t.Helper()
	p := m.problem()
	if sum := plainMargin(p, nearest.Cell); sum > 0 {
		t.Errorf("the cell %v has the margin %d", nearest.Cell, sum)
	}
	var squared int64
	far := map[int]int64{}
	for i, sign := range nearest.Cell.Signs {
		if slot := p.Slots[i]; sign == 1 {
			far[slot.Column] = max(far[slot.Column], *slot.Gap2)
		}
	}
	for _, gap2 := range far {
		squared += gap2
	}
	if squared != *nearest.Upper2 {
		t.Errorf("the cell %v is at %d, not at %d", nearest.Cell, squared, *nearest.Upper2)
	}
}

// plainMargin follows the trees of a problem.
func plainMargin(p *Problem, cell *Cell) int64 {
	crossed := func(slot int) bool {
		if slot < len(p.Slots) {
			return cell.Signs[slot] == 1
		}
		return p.Slices[cell.Slice][slot-len(p.Slots)] == 1
	}
	sum := p.Base
	for i := range p.Slots {
		if crossed(i) {
			sum += p.Slots[i].Step
		}
	}
	for i := range p.Sensitive {
		if crossed(len(p.Slots) + i) {
			sum += p.Sensitive[i].Step
		}
	}
	for _, ref := range p.Roots {
		for ref[0] == 1 {
			if node := p.Nodes[ref[1]]; crossed(node.Slot) {
				ref = node.Cross
			} else {
				ref = node.Stay
			}
		}
		sum += ref[1]
	}
	return sum
}

// A limit below the nearest wrong decision is proven; at and below it none is found.
func TestNearestBelowALimit(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		m := randomModel(r, 3, 4, 4, 2, 1)
		want := m.nearest()
		if want < 1 {
			continue
		}
		for _, limit := range []int64{0, 1, want / 2, want, want + 1} {
			nearest, err := FindNearest(m.problem(), &limit, Budget{}, nil)
			if err != nil || !nearest.Complete || nearest.Lower2 != min(limit, want) || (nearest.Upper2 != nil) != (limit > want) {
				t.Fatalf("seed %d, limit %d, nearest %d: %+v, %v", seed, limit, want, nearest, err)
			}
		}
	}
}

// A search that its budget or its caller ends claims no more than what it has proven.
func TestNearestEndsEarly(t *testing.T) {
	stop := new(atomic.Bool)
	stop.Store(true)
	zero, one := int64(0), int64(1)
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		m := randomModel(r, 4, 5, 6, 3, 1)
		want := m.nearest()
		for _, budget := range []Budget{{Nodes: &one}, {Milliseconds: &zero}, {}} {
			used := stop
			if budget != (Budget{}) {
				used = nil
			}
			nearest, err := FindNearest(m.problem(), nil, budget, used)
			if err != nil {
				t.Fatal(err)
			}
			if want >= 0 && nearest.Lower2 > want || nearest.Upper2 != nil && *nearest.Upper2 < want {
				t.Fatalf("seed %d: %+v, nearest %d", seed, nearest, want)
			}
			if budget.Nodes == nil && nearest.Complete {
				t.Fatalf("seed %d: complete without time", seed)
			}
		}
	}
}
