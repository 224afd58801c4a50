package turns

import (
	"fmt"
	"testing"
)

// tests/repo/test_sampling.py has the same turns.
func TestTurnsAreThoseOfPython(t *testing.T) {
	for name, want := range map[string]uint64{"a.py::test_it[1]": 2, "relation/a_test.go::TestIt/two": 4} {
		if found := turn(name, 12, "2026-03-01"); found != want {
			t.Errorf("%s: %d, want %d", name, found, want)
		}
	}
}

// Of many names some have their turn on a day and all have it in time; without the variable, and where a file of the folder
// changed, all run every day.
func TestEveryTestHasItsTurn(t *testing.T) {
	const file = "/anywhere/go-gnark/relation/a_test.go"
	seen, daily := map[string]bool{}, 0
	t.Setenv("EQUIPROOF_TURNS", "4")
	for day := range 40 {
		t.Setenv("EQUIPROOF_SAMPLE", fmt.Sprint("day ", day))
		for test := range 12 {
			if name := fmt.Sprint("Test", test); taken(file, name) {
				seen[name] = true
				daily++
			}
		}
	}
	if len(seen) != 12 || daily < 80 || daily > 160 {
		t.Errorf("%d tests had a turn, %d in 40 days", len(seen), daily)
	}
	every := func(name string) {
		for test := range 12 {
			if !taken(file, fmt.Sprint("Test", test)) {
				t.Errorf("%s: test %d is left out", name, test)
			}
		}
	}
	t.Setenv("EQUIPROOF_WHOLE", "go-gnark/shape/b_test.go go-gnark/relation/b_test.go")
	every("changed")
	t.Setenv("EQUIPROOF_WHOLE", "")
	t.Setenv("EQUIPROOF_TURNS", "")
	every("no turns")
}

// A test that has no turn is skipped.
func TestTakeSkips(t *testing.T) {
	t.Setenv("EQUIPROOF_TURNS", "4000000000")
	went := false
	t.Run("case", func(t *testing.T) {
		Take(t)
		went = true
	})
	if went {
		t.Error("a test whose turn is one day of four thousand million ran")
	}
}
