// Package search finds the nearest wrong decision of an ensemble of trees around a query, and partitions of a ball into
// few leaves that prove a radius. Relation and evidence are those of docs/relation-trees.md.
//
// Floats guide the search. Whatever it returns is decided in integers.
package search

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// ErrProblem is wrapped by every error about the content of a request.
var ErrProblem = errors.New("search problem")

const (
	maxTrees = 1 << 12
	maxNodes = 1 << 16
	maxSlots = 1 << 16
	// maxGap2 bounds squared distances: 1,024 columns of them stay below 2^62.
	maxGap2    = int64(1) << 52
	maxColumns = 1 << 10
	// maxNumber bounds base, steps and values: 2^18 of them at a scale of 2^16 stay below 2^62.
	maxNumber = int64(1) << 28
	// never is the squared gap of a slot that is out of reach.
	never = int64(math.MaxInt64)
)

// Slot is a plain predicate as the query sees it: crossing it adds Step to the margin.
type Slot struct {
	Column int `json:"column"`
	// Above is true where the query is not above the threshold.
	Above bool `json:"above"`
	// Gap2 is the squared gap; nil for a predicate that is out of reach.
	Gap2 *int64 `json:"gap2"`
	Step int64  `json:"step"`
}

func (s *Slot) gap2() int64 {
	if s.Gap2 == nil {
		return never
	}
	return *s.Gap2
}

// Sensitive is a predicate of a sensitive column; being above it adds Step to the margin.
type Sensitive struct {
	Column int   `json:"column"`
	Step   int64 `json:"step"`
}

// Ref is a child or root: {0, value} or {1, node}.
type Ref [2]int64

// Node asks a slot; sensitive predicate i is slot len(Slots) + i, crossed where above.
type Node struct {
	Stay  Ref
	Cross Ref
	Slot  int
}

// Nodes are most of a problem. In JSON they are one list, with the five numbers of each node in the order of its fields:
// read in a fraction of the time that objects take.
type Nodes []Node

// nodeNumbers is how many numbers a node has.
const nodeNumbers = 5

// MarshalJSON writes the list of numbers.
func (n Nodes) MarshalJSON() ([]byte, error) {
	numbers := make([]int64, 0, nodeNumbers*len(n))
	for _, node := range n {
		numbers = append(numbers, node.Stay[0], node.Stay[1], node.Cross[0], node.Cross[1], int64(node.Slot))
	}
	return json.Marshal(numbers)
}

// UnmarshalJSON reads the list of numbers.
func (n *Nodes) UnmarshalJSON(text []byte) error {
	inner, ok := bytes.CutPrefix(text, []byte("["))
	inner = bytes.TrimSpace(bytes.TrimSuffix(inner, []byte("]")))
	if !ok {
		return fmt.Errorf("%w: nodes: want a list", ErrProblem)
	}
	*n = make(Nodes, 0, bytes.Count(text, []byte(","))/nodeNumbers+1)
	var numbers [nodeNumbers]int64
	count := 0
	for len(inner) > 0 {
		part, rest, _ := bytes.Cut(inner, []byte(","))
		number, err := strconv.ParseInt(string(bytes.TrimSpace(part)), 10, 64)
		if err != nil {
			return fmt.Errorf("%w: nodes: %w", ErrProblem, err)
		}
		numbers[count] = number
		inner, count = rest, count+1
		if count == nodeNumbers {
			*n = append(*n, Node{Ref{numbers[0], numbers[1]}, Ref{numbers[2], numbers[3]}, int(numbers[4])})
			count = 0
		}
	}
	if count > 0 {
		return fmt.Errorf("%w: nodes: want %d numbers a node", ErrProblem, nodeNumbers)
	}
	return nil
}

// Problem is an ensemble around one query. Numbers are oriented by the label: the decision is wrong where the margin,
// base plus steps plus a value of each tree, is at most 0.
//
// Slots are all plain predicates, ascending by (column, threshold); Sensitive ascend alike. Slices give 1 per sensitive
// predicate where the slice is above it. A node's children stand behind it, and each node has one parent.
//
// Squared distances may be any costs that do not fall along a column. Columns of Groups are at listed positions only.
// Every asks for a decision that is wrong on all slices, in place of one.
type Problem struct {
	Base      int64       `json:"base"`
	Slots     []Slot      `json:"slots"`
	Sensitive []Sensitive `json:"sensitive"`
	Slices    [][]int8    `json:"slices"`
	Nodes     Nodes       `json:"nodes"`
	Roots     []Ref       `json:"roots"`
	Groups    []Group     `json:"groups"`
	Every     bool        `json:"every"`
}

// Check returns an error for a problem that breaks what Problem says, or whose numbers are too wide.
func (p *Problem) Check() error {
	if p == nil {
		return fmt.Errorf("%w: no problem", ErrProblem)
	}
	if len(p.Roots) > maxTrees || len(p.Nodes) > maxNodes || len(p.Slots) > maxSlots || len(p.Sensitive) > maxSlots {
		return fmt.Errorf("%w: more than %d trees, %d nodes or %d predicates", ErrProblem, maxTrees, maxNodes, maxSlots)
	}
	if wide(p.Base) {
		return fmt.Errorf("%w: base: %d is too wide", ErrProblem, p.Base)
	}
	for _, check := range []func() error{p.checkSlots, p.checkSensitive, p.checkTrees, p.checkGroups} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func wide(number int64) bool { return number > maxNumber || number < -maxNumber }

func (p *Problem) checkSlots() error {
	columns := 0
	for i := range p.Slots {
		slot := &p.Slots[i]
		if wide(slot.Step) || slot.Gap2 != nil && (*slot.Gap2 < 0 || *slot.Gap2 > maxGap2) {
			return fmt.Errorf("%w: slots[%d]: step or gap2 is too wide", ErrProblem, i)
		}
		if i == 0 || p.Slots[i-1].Column != slot.Column {
			columns++
		}
		if i > 0 && !ascend(&p.Slots[i-1], slot) {
			return fmt.Errorf("%w: slots[%d]: out of order by column and threshold", ErrProblem, i)
		}
	}
	if columns > maxColumns {
		return fmt.Errorf("%w: slots: more than %d columns", ErrProblem, maxColumns)
	}
	return nil
}

// ascend returns whether one slot may stand before another: along a column those below the query come first, the
// farthest before the nearest; costs may be equal.
func ascend(low, high *Slot) bool {
	switch {
	case low.Column != high.Column:
		return low.Column < high.Column
	case low.Above != high.Above:
		return high.Above
	case low.Above:
		return low.gap2() <= high.gap2()
	default:
		return low.gap2() >= high.gap2()
	}
}

func (p *Problem) checkSensitive() error {
	for i := range p.Sensitive {
		if wide(p.Sensitive[i].Step) || i > 0 && p.Sensitive[i-1].Column > p.Sensitive[i].Column {
			return fmt.Errorf("%w: sensitive[%d]: out of order, or step too wide", ErrProblem, i)
		}
	}
	if len(p.Slices) == 0 {
		return fmt.Errorf("%w: slices: there must be at least one", ErrProblem)
	}
	for s, row := range p.Slices {
		if len(row) != len(p.Sensitive) {
			return fmt.Errorf("%w: slices[%d]: %d entries, want %d", ErrProblem, s, len(row), len(p.Sensitive))
		}
		for i, bit := range row {
			follows := i > 0 && p.Sensitive[i-1].Column == p.Sensitive[i].Column
			if bit != 0 && bit != 1 || follows && bit > row[i-1] {
				return fmt.Errorf("%w: slices[%d][%d]: not a bit, or above a threshold and below a lower one", ErrProblem, s, i)
			}
		}
	}
	return nil
}

func (p *Problem) checkTrees() error {
	parents := make([]int, len(p.Nodes))
	refer := func(ref Ref, above int, where string) error {
		switch {
		case ref[0] == 0 && !wide(ref[1]):
		case ref[0] == 1 && ref[1] > int64(above) && ref[1] < int64(len(p.Nodes)):
			parents[ref[1]]++
		default:
			return fmt.Errorf("%w: %s: no value or node behind: %v", ErrProblem, where, ref)
		}
		return nil
	}
	for i, root := range p.Roots {
		if err := refer(root, -1, fmt.Sprintf("roots[%d]", i)); err != nil {
			return err
		}
	}
	for i := range p.Nodes {
		node := &p.Nodes[i]
		if node.Slot < 0 || node.Slot >= len(p.Slots)+len(p.Sensitive) {
			return fmt.Errorf("%w: nodes[%d]: no slot %d", ErrProblem, i, node.Slot)
		}
		for _, child := range []Ref{node.Stay, node.Cross} {
			if err := refer(child, i, fmt.Sprintf("nodes[%d]", i)); err != nil {
				return err
			}
		}
	}
	for i, count := range parents {
		if count != 1 {
			return fmt.Errorf("%w: nodes[%d]: %d references, want one", ErrProblem, i, count)
		}
	}
	return nil
}
