package search

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
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

// Nodes are read as they are written; what is no list of five whole numbers a node is an error.
func TestNodesAsNumbers(t *testing.T) {
	nodes := Nodes{{Ref{1, 1}, Ref{0, -7}, 3}, {Ref{0, 1 << 40}, Ref{0, 0}, 0}}
	text, err := json.Marshal(nodes)
	if err != nil || string(text) != "[1,1,0,-7,3,0,1099511627776,0,0,0]" {
		t.Fatalf("%s, %v", text, err)
	}
	for _, spaced := range []string{string(text), " [ 1, 1,0,-7, 3,0,1099511627776,0, 0,\n0 ] "} {
		var again Nodes
		if err := json.Unmarshal([]byte(spaced), &again); err != nil || !slices.Equal(again, nodes) {
			t.Errorf("%s: %v, %v", spaced, again, err)
		}
	}
	for _, wrong := range []string{
		"null", "{}", "7", "[1]", "[1,1,0,-7]", "[1,1,0,-7,3,0]", "[1,1,0,-7,0.5]", "[1,1,0,-7,1e2]", `[1,1,0,-7,"3"]`,
		"[[1,1,0,-7,3]]", "[1,1,0,-7,null]", "[1,1,0,-7,9223372036854775808]", `[{"slot":3}]`,
	} {
		var nodes Nodes
		if err := json.Unmarshal([]byte(wrong), &nodes); !errors.Is(err, ErrProblem) {
			t.Errorf("%s: %v, %v", wrong, nodes, err)
		}
	}
	var none Nodes
	if err := json.Unmarshal([]byte("[]"), &none); err != nil || len(none) != 0 {
		t.Errorf("[]: %v, %v", none, err)
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
