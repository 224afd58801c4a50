// Package mutant is the switch of a copy of the circuit that holds all mutants: EQUIPROOF_MUTANT names the one that is on,
// by its number. Where EQUIPROOF_REACHED names a file, the number of every mutant that a run reaches is written to it.
package mutant

import (
	"fmt"
	"math/big"
	"os"
	"strconv"
	"sync"
)

var (
	active, _ = strconv.Atoi(os.Getenv("EQUIPROOF_MUTANT"))
	file      = opened(os.Getenv("EQUIPROOF_REACHED"))
	reached   sync.Map
)

func opened(name string) *os.File {
	if name == "" {
		return nil
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	return file
}

// On says whether a mutant is on.
func On(id int) bool {
	if file != nil {
		if _, before := reached.LoadOrStore(id, true); !before {
			if _, err := fmt.Fprintln(file, id); err != nil {
				panic(err)
			}
		}
	}
	return id == active
}

// Integer is what indices and widths are.
type Integer interface {
	~int | ~int64 | ~uint | ~uint64
}

// Add returns an integer that is off by one.
func Add[T Integer](id int, value T, more int) T {
	if On(id) {
		return T(int(value) + more)
	}
	return value
}

// Next returns the index of the neighbor among n, behind the last one the first.
func Next[T Integer](id int, index T, n int) T {
	if On(id) {
		return T((int(index) + 1) % n)
	}
	return index
}

// Pick returns another value.
func Pick[T any](id int, value T, other func() T) T {
	if On(id) {
		return other()
	}
	return value
}

// Func returns another function.
func Func[T any](id int, value, other T) T {
	if On(id) {
		return other
	}
	return value
}

// Zero returns 0 instead of a wire.
func Zero(id int, wire any) any {
	if On(id) {
		return 0
	}
	return wire
}

// Map returns what a function makes of a value.
func Map[T any](id int, value T, change func(T) T) T {
	if On(id) {
		return change(value)
	}
	return value
}

// More returns n + 1.
func More(id int, n *big.Int) *big.Int {
	if On(id) {
		return new(big.Int).Add(n, big.NewInt(1))
	}
	return n
}

// Rotated returns the values in the order in which each is its neighbor's.
func Rotated[S ~[]E, E any](id int, values S) S {
	if On(id) && len(values) > 1 {
		return append(append(S{}, values[1:]...), values[0])
	}
	return values
}

// Short returns the values without the last one.
func Short[S ~[]E, E any](id int, values S) S {
	if On(id) && len(values) > 0 {
		return values[: len(values)-1 : len(values)-1]
	}
	return values
}

// Fewer returns n - 1, or 0.
func Fewer[T Integer](id int, n T) T {
	if On(id) && n > 0 {
		return n - 1
	}
	return n
}

// Is returns a condition, or the given truth.
func Is(id int, condition, truth bool) bool {
	if On(id) {
		return truth
	}
	return condition
}
