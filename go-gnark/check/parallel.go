package check

import (
	"sync"
	"sync/atomic"
)

// parallel calls a function for each index below n, on at most so many threads. A panic of a call is raised on the
// caller's goroutine, where it can be recovered; calls that have not begun by then are left out.
func parallel(n, threads int, do func(i int)) {
	var next atomic.Int64
	var panicked atomic.Pointer[any]
	work := func() {
		defer func() {
			if r := recover(); r != nil {
				panicked.Store(&r)
			}
		}()
		for i := next.Add(1) - 1; i < int64(n) && panicked.Load() == nil; i = next.Add(1) - 1 {
			do(int(i))
		}
	}
	var running sync.WaitGroup
	for range min(threads, n) {
		running.Go(work)
	}
	running.Wait()
	if r := panicked.Load(); r != nil {
		panic(*r)
	}
}
