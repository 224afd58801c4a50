// Package turns has tests that cost much run on one day of several, by the rule of tests/sampling.py: `make test` says of how
// many, and which day it is. Where nobody says so, as in .ci/run, every test runs.
package turns

import (
	"crypto/sha256"
	"encoding/binary"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// The variables that `make test` sets: of how many days a costly test has one, the day by which they are drawn, and the
// changed files of tests, from the root of the checkout: nothing in their folders has turns.
const (
	turnsVariable = "EQUIPROOF_TURNS"
	dayVariable   = "EQUIPROOF_SAMPLE"
	wholeVariable = "EQUIPROOF_WHOLE"
)

// module is the folder of this module in the checkout.
const module = "go-gnark/"

// Take skips a test, or a case of one, that another day runs.
func Take(t testing.TB) {
	t.Helper()
	if _, file, _, _ := runtime.Caller(1); !taken(file, t.Name()) {
		t.Skip("another day runs it, as " + turnsVariable + " says")
	}
}

// Today says whether a part of a test, which its name tells from others of the package, runs today.
func Today(name string) bool {
	_, file, _, _ := runtime.Caller(1)
	return taken(file, name)
}

// taken says whether today runs what has this name in the folder of a file.
func taken(file, name string) bool {
	turns, err := strconv.ParseUint(os.Getenv(turnsVariable), 10, 32)
	if err != nil || turns < 2 {
		return true
	}
	folder := path.Dir(filepath.ToSlash(file))
	if at := strings.LastIndex(folder, module); at >= 0 {
		folder = folder[at:]
	}
	for _, changed := range strings.Fields(os.Getenv(wholeVariable)) {
		if path.Dir(changed) == folder {
			return true
		}
	}
	return turn(folder+"::"+name, turns, os.Getenv(dayVariable)) == 0
}

// turn returns which of so many days, counted from 0, a day is for a test: its turn comes on day 0.
func turn(name string, turns uint64, day string) uint64 {
	digest := sha256.Sum256([]byte(day + " " + name))
	return binary.BigEndian.Uint64(digest[:8]) % turns
}
