package search

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

// A request is one JSON value of a known task with known members; its result is that of the function behind it.
func TestRun(t *testing.T) {
	m := randomModel(rand.New(rand.NewPCG(3, 9)), 3, 4, 4, 2, 1)
	text, err := json.Marshal(map[string]any{"problem": m.problem()})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := Run(TaskNearest, text, nil)
	if err != nil {
		t.Fatal(err)
	}
	var nearest Nearest
	if err := json.Unmarshal(answer, &nearest); err != nil || !nearest.Complete || *nearest.Upper2 != m.nearest() {
		t.Errorf("%s, %v, nearest %d", answer, err, m.nearest())
	}
	for task, requests := range map[string][]string{
		"unknown":   {string(text)},
		TaskNearest: {"", "[]", `{"surplus": 1}`, string(text) + "{}", `{"problem": {"base": 0.5}}`, `{}`},
		TaskLeaves:  {string(text), `{"radius2": 1e30}`},
	} {
		for _, request := range requests {
			if answer, err := Run(task, []byte(request), nil); !errors.Is(err, ErrProblem) {
				t.Errorf("%s %q: %s, %v", task, request, answer, err)
			}
		}
	}
}

// A problem of null is an error, as every malformed one.
func TestRunWithoutProblem(t *testing.T) {
	for _, task := range []string{TaskNearest, TaskLeaves} {
		if _, err := Run(task, []byte(`{"problem": null}`), nil); !errors.Is(err, ErrProblem) {
			t.Errorf("%s: %v", task, err)
		}
	}
}

// The most trees and nodes are those of a shape, and one more of either is an error before anything is counted.
func TestTheMostTreesAndNodes(t *testing.T) {
	for _, c := range []struct {
		trees, nodes int
		many         bool
	}{{maxTrees, 0, false}, {maxTrees + 1, 0, true}, {0, maxNodes + 1, true}} {
		err := (&Problem{Roots: make([]Ref, c.trees), Nodes: make([]Node, c.nodes)}).Check()
		if ok := err != nil && strings.Contains(err.Error(), "more than 4096 trees, 65536 nodes"); ok != c.many {
			t.Errorf("%d trees, %d nodes: %v", c.trees, c.nodes, err)
		}
	}
}
