package search

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// onThreads runs a search with so many threads.
func onThreads(threads int, search func()) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
	search()
}

// text returns a result as a caller reads it.
func text(t *testing.T, result any, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	written, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	return string(written)
}

// Both searches find the same with 1, 2 and 3 threads, to the number of boxes, however many boxes they may visit.
func TestThreadsFindTheSame(t *testing.T) {
	most, wrong, ended, partitions := int64(0), 0, 0, 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 51))
		m := randomModel(r, 5+r.IntN(4), 8, 10+r.IntN(20), 4, r.IntN(3))
		m.bias += int64(r.IntN(150))
		asked, p := m.problem(), m.problem()
		if seed%3 == 0 {
			asked = priced(r, asked, 1+r.IntN(2))
		}
		var budget Budget
		if nodes := int64(r.IntN(60)); seed%4 == 0 {
			budget.Nodes = &nodes
		}
		// Mostly a ball that can be proven.
		exact, err := FindNearest(p, nil, Budget{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		radius2, capacity := min(exact.Lower2, 4000)*int64(40+r.IntN(70))/100, 1+r.IntN(400)
		var nearest, leaves [3]string
		for i := range nearest {
			onThreads(i+1, func() {
				found, err := FindNearest(asked, nil, budget, nil)
				nearest[i] = text(t, found, err)
				request := request(p, radius2)
				request.Capacity, request.Budget = capacity, budget
				made, err := FindLeaves(request, nil)
				leaves[i] = text(t, made, err)
				if i == 0 {
					most = max(most, found.Nodes, made.Nodes)
					wrong += int(indicator(found.Upper2 != nil))
					ended += int(indicator(!found.Complete || made.Reason != nil))
					partitions += int(indicator(len(made.Leaves) > 1))
				}
			})
		}
		if nearest[0] != nearest[1] || nearest[0] != nearest[2] {
			t.Errorf("seed %d: the nearest wrong decision differs:\n%s", seed, strings.Join(nearest[:], "\n"))
		}
		if leaves[0] != leaves[1] || leaves[0] != leaves[2] {
			t.Errorf("seed %d: leaves differ:\n%s", seed, strings.Join(leaves[:], "\n"))
		}
	}
	if most < 100 || wrong < 30 || ended < 5 || partitions < 15 {
		t.Errorf("%d boxes at most, %d wrong, %d ended, %d partitions: the cases are too easy", most, wrong, ended, partitions)
	}
}

// numbered is a box of a search that a test makes up: its number stands for its cells.
func numbered(number int16) open { return open{box: box{low: []int16{number}}} }

// splitting visits made-up boxes: box i has the halves 2 i and 2 i + 1 up to a depth. A box whose number is a multiple of 7
// has a wrong cell at a distance by its number, if that is nearer; what is not nearer is not split.
func splitting(box open, from known) outcome {
	number := box.box.low[0]
	distance2 := int64(2000 - number)
	if number%7 == 0 && distance2 < from.best {
		from = known{best: distance2, cell: []int16{number}}
	}
	out := outcome{known: from, leaves: []Leaf{{Multiplier: int64(number)*10000 + from.best}}}
	if number < 256 && 2000-2*int64(number) < from.best {
		out.halves = []open{numbered(2 * number), numbered(2*number + 1)}
	}
	return out
}

// inTurn visits made-up boxes one by one, without a frontier.
func inTurn() (result known, leaves []Leaf) {
	result.best = 3000
	for stack := []open{numbered(1)}; len(stack) > 0; {
		top := stack[len(stack)-1]
		out := splitting(top, result)
		result, leaves = out.known, append(leaves, out.leaves...)
		stack = append(stack[:len(stack)-1], out.halves...)
	}
	return result, leaves
}

// Boxes take effect in their turn, whichever thread visits them when, and visits are repeated after a nearer wrong cell.
func TestBoxesTakeTurns(t *testing.T) {
	wanted, leaves := inTurn()
	repeated := 0
	for seed := range uint64(60) {
		visits := atomic.Int64{}
		visit := func() visitor {
			r := rand.New(rand.NewPCG(seed, uint64(visits.Load())))
			return func(box open, from known) outcome {
				visits.Add(1)
				time.Sleep(time.Duration(r.IntN(20)) * time.Microsecond)
				return splitting(box, from)
			}
		}
		turns := 0
		f := newFrontier(known{best: 3000}, []open{numbered(1)})
		f.admit = func() bool { turns++; return true }
		onThreads(1+int(seed%4), func() {
			if !f.run(visit(), visit) {
				t.Error("ended early")
			}
		})
		if f.best != wanted.best || f.cell[0] != wanted.cell[0] || len(f.boxes()) > 0 || turns != len(leaves) {
			t.Errorf("seed %d: %v after %d turns, want %v after %d", seed, f.known, turns, wanted, len(leaves))
		}
		for i := range leaves {
			if f.leaves[i].Multiplier != leaves[i].Multiplier {
				t.Fatalf("seed %d: turn %d: %d, want %d", seed, i, f.leaves[i].Multiplier, leaves[i].Multiplier)
			}
		}
		if visits.Load() > int64(turns) {
			repeated++
		}
	}
	if repeated == 0 {
		t.Error("no visit was repeated: nothing was visited before its turn")
	}
}

// Two threads visit two boxes at once, and no thread visits more boxes early than it may.
func TestThreadsVisitAtOnce(t *testing.T) {
	var meet sync.WaitGroup
	meet.Add(2)
	seen := atomic.Int64{}
	visit := func(box open, from known) outcome {
		if box.box.low[0] == 1 {
			return outcome{known: from, halves: []open{numbered(2), numbered(3)}}
		}
		if number := box.box.low[0]; number <= 3 {
			// Neither returns before both are visited.
			meet.Done()
			meet.Wait()
		}
		seen.Add(1)
		return outcome{known: from}
	}
	onThreads(2, func() {
		f := newFrontier(known{best: 10}, []open{numbered(1)})
		f.admit = func() bool { return true }
		if !f.run(visit, func() visitor { return visit }) || seen.Load() != 2 {
			t.Errorf("%d boxes", seen.Load())
		}
	})
	early, first := atomic.Int64{}, atomic.Bool{}
	first.Store(true)
	deep := make([]open, 100)
	for i := range deep {
		deep[i] = numbered(int16(i))
	}
	onThreads(3, func() {
		f := newFrontier(known{best: 10}, deep)
		f.admit = func() bool { return true }
		block := func(box open, from known) outcome {
			if box.box.low[0] == 99 {
				time.Sleep(50 * time.Millisecond)
				first.Store(false)
			} else if first.Load() {
				early.Add(1)
			}
			return outcome{known: from}
		}
		f.run(block, func() visitor { return block })
	})
	if got := early.Load(); got < 1 || got > 2*ahead {
		t.Errorf("%d boxes were visited while the first one was: want 1 to %d", got, 2*ahead)
	}
}

// A panic of a visit is the caller's, whichever thread it was in, and only if the box has its turn.
func TestPanicsOfVisits(t *testing.T) {
	visit := func(box open, from known) outcome {
		switch box.box.low[0] {
		case 1:
			return outcome{known: from, halves: []open{numbered(2), numbered(3)}}
		case 2:
			panic("a box that cannot be")
		}
		time.Sleep(5 * time.Millisecond)
		return outcome{known: known{best: 1}}
	}
	for _, last := range []int{2, 3} {
		onThreads(2, func() {
			defer func() {
				cause := recover()
				if message, _ := cause.(string); (last == 3) != strings.HasPrefix(message, "a box that cannot be\n") {
					t.Errorf("%d turns: %v", last, cause)
				}
			}()
			turns := 0
			f := newFrontier(known{best: 10}, []open{numbered(1)})
			f.admit = func() bool { turns++; return turns <= last }
			f.run(visit, func() visitor { return visit })
		})
	}
}

// A search on several threads ends soon after its caller stops it, and claims no more than what it has proven.
func TestThreadsStop(t *testing.T) {
	stop := new(atomic.Bool)
	r := rand.New(rand.NewPCG(1, 52))
	p := randomModel(r, 8, 12, 60, 4, 2).problem()
	onThreads(3, func() {
		ended := make(chan *Nearest)
		go func() {
			nearest, err := FindNearest(p, nil, Budget{}, stop)
			if err != nil {
				t.Error(err)
			}
			ended <- nearest
		}()
		time.Sleep(20 * time.Millisecond)
		stop.Store(true)
		select {
		case nearest := <-ended:
			if nearest.Upper2 != nil && nearest.Lower2 > *nearest.Upper2 {
				t.Errorf("%+v", nearest)
			}
		case <-time.After(time.Minute):
			t.Fatal("not ended a minute after it was stopped")
		}
	})
}

// A visit leaves its box as it was, so that it can be repeated, though what is known cuts the box.
func TestVisitsLeaveTheirBox(t *testing.T) {
	cuts := 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 53))
		p := randomModel(r, 4, 5, 6, 3, 1).problem()
		s := newExact(newBall(p, 400), newMeter(Budget{}, nil), nearestScale)
		root := s.stack[0]
		low, high := slices.Clone(root.box.low), slices.Clone(root.box.high)
		before := s.visited(root, known{best: 9})
		if !slices.Equal(root.box.low, low) || !slices.Equal(root.box.high, high) {
			t.Fatalf("seed %d: the box was changed", seed)
		}
		if again := s.visited(root, known{best: 9}); !reflect.DeepEqual(again, before) {
			t.Fatalf("seed %d: %+v, then %+v", seed, before, again)
		}
		s.tighten(&root.box)
		cuts += int(indicator(!slices.Equal(root.box.low, low) || !slices.Equal(root.box.high, high)))
	}
	if cuts < 20 {
		t.Errorf("%d boxes were cut: the cases are too easy", cuts)
	}
}
