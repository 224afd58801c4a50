package search

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
)

// ahead is how many boxes each thread may visit before their turn.
const ahead = 8

// known is the nearest wrong cell so far: its squared distance (the ball's squared radius where the cell is nil) and its slice.
type known struct {
	best  int64
	cell  []int16
	slice int32
}

// outcome is what the visit of one box leaves: the wrong cell that is known then, and the halves and leaves of the box.
type outcome struct {
	known
	halves []open
	leaves []Leaf
}

// visitor visits a box with the wrong cell that is known before. The outcome depends on these two alone. A visitor is of one
// thread.
type visitor func(box open, from known) outcome

// task is a box to be visited.
type task struct {
	box      open
	admitted bool
	taken    bool
	done     bool
	// from is what was known when the visit began.
	from    known
	out     outcome
	halves  []*task
	failure any
}

// frontier is a depth-first search of boxes by several threads, with the result, and the count of boxes, of one.
//
// Boxes take effect one by one, in the order of a search by one thread: the last one of the stack is next, and its halves are
// put in its place. Threads with nothing else to do visit boxes whose turn will come. If a nearer wrong cell has become
// known when it comes, such a visit is repeated.
type frontier struct {
	known
	stack  []*task
	leaves []Leaf
	// admit is called before each box takes its turn, and ends the search by returning false; enough ends it after a turn.
	admit, enough func() bool

	mutex sync.Mutex
	// changed is signalled after each visit, and at the end.
	changed  *sync.Cond
	early    int // visits of boxes whose turn has not come, begun or done
	limit    int
	ended    bool
	complete bool
	failure  any
}

func newFrontier(from known, boxes []open) *frontier {
	f := &frontier{known: from, stack: tasks(boxes), enough: func() bool { return false }}
	f.changed = sync.NewCond(&f.mutex)
	return f
}

func tasks(boxes []open) []*task {
	made := make([]*task, len(boxes))
	for i := range boxes {
		made[i] = &task{box: boxes[i]}
	}
	return made
}

// run searches until no box is left, and returns false where it was ended before. The first thread visits with `first`, each
// other one of GOMAXPROCS with a visitor of its own.
func (f *frontier) run(first visitor, another func() visitor) bool {
	threads := runtime.GOMAXPROCS(0)
	f.limit = ahead * (threads - 1)
	var others sync.WaitGroup
	for range threads - 1 {
		others.Go(func() { f.work(nil, another) })
	}
	f.work(first, another)
	others.Wait()
	if f.failure != nil {
		panic(f.failure)
	}
	return f.complete
}

// boxes returns what is still on the stack.
func (f *frontier) boxes() []open {
	left := make([]open, len(f.stack))
	for i, t := range f.stack {
		left[i] = t.box
	}
	return left
}

// work visits boxes until the search has ended.
func (f *frontier) work(visit visitor, another func() visitor) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	for {
		f.settle()
		if f.ended {
			return
		}
		t := f.next()
		if t == nil {
			f.changed.Wait()
			continue
		}
		t.taken, t.from = true, f.known
		f.mutex.Unlock()
		if visit == nil {
			visit = another()
		}
		out, failure := guarded(visit, t.box, t.from)
		f.mutex.Lock()
		t.out, t.failure, t.halves, t.done = out, failure, tasks(out.halves), true
		f.changed.Broadcast()
	}
}

// guarded turns a panic of a visit into a value, which is raised again when the turn of the box comes: in a thread of its own
// it would end the process.
func guarded(visit visitor, box open, from known) (out outcome, failure any) {
	defer func() {
		if cause := recover(); cause != nil {
			failure = fmt.Sprintf("%v\n%s", cause, debug.Stack())
		}
	}()
	return visit(box, from), nil
}

// settle lets boxes take effect as far as their visits are done.
func (f *frontier) settle() {
	for !f.ended {
		if len(f.stack) == 0 {
			f.end(true)
			return
		}
		top := f.stack[len(f.stack)-1]
		if !top.admitted {
			if !f.admit() {
				f.end(false)
				return
			}
			top.admitted = true
			if top.taken {
				f.early--
			}
		}
		if !top.done {
			return
		}
		if top.from.best != f.best {
			f.forget(top)
			return
		}
		if f.failure = top.failure; f.failure != nil {
			f.end(false)
			return
		}
		f.known, f.leaves = top.out.known, append(f.leaves, top.out.leaves...)
		f.stack = append(f.stack[:len(f.stack)-1], top.halves...)
		if f.enough() {
			f.end(false)
		}
	}
}

func (f *frontier) end(complete bool) {
	f.ended, f.complete = true, complete
	f.changed.Broadcast()
}

// forget takes a visit back, and those of what came of it.
func (f *frontier) forget(t *task) {
	for _, half := range t.halves {
		f.forget(half)
	}
	if t.taken && !t.admitted {
		f.early--
	}
	t.taken, t.done, t.halves, t.out = false, false, nil, outcome{}
}

// next returns the first box by its turn that nobody has visited, nil for none: those of the stack, and of what is known to
// come of them. Unless its turn has come, there is a limit of early visits.
func (f *frontier) next() *task {
	if top := f.stack[len(f.stack)-1]; !top.taken {
		return top
	}
	if f.early >= f.limit {
		return nil
	}
	t := f.first(f.stack)
	if t != nil {
		f.early++
	}
	return t
}

func (f *frontier) first(stack []*task) *task {
	for _, t := range slices.Backward(stack) {
		if t.done && t.from.best != f.best {
			f.forget(t)
		}
		if !t.taken {
			return t
		}
		if t.done {
			if below := f.first(t.halves); below != nil {
				return below
			}
		}
	}
	return nil
}
