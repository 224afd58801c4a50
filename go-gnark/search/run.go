package search

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync/atomic"
)

// The tasks of Run.
const (
	TaskNearest = "nearest"
	TaskLeaves  = "leaves"
)

// nearestRequest is what the task nearest reads.
type nearestRequest struct {
	Problem *Problem `json:"problem"`
	Limit2  *int64   `json:"limit2"`
	Budget  Budget   `json:"budget"`
}

// Run reads a JSON request of a task, and returns its result as JSON. A set stop ends it early.
func Run(task string, request []byte, stop *atomic.Bool) ([]byte, error) {
	switch task {
	case TaskNearest:
		asked := nearestRequest{Problem: &Problem{}}
		if err := read(request, &asked); err != nil {
			return nil, err
		}
		found, err := FindNearest(asked.Problem, asked.Limit2, asked.Budget, stop)
		if err != nil {
			return nil, err
		}
		return json.Marshal(found)
	case TaskLeaves:
		asked := LeavesRequest{Problem: &Problem{}}
		if err := read(request, &asked); err != nil {
			return nil, err
		}
		found, err := FindLeaves(&asked, stop)
		if err != nil {
			return nil, err
		}
		return json.Marshal(found)
	default:
		return nil, fmt.Errorf("%w: no task %q", ErrProblem, task)
	}
}

// read decodes one JSON value with known members only, and nothing behind it.
func read(request []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(request))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("%w: %w", ErrProblem, err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return fmt.Errorf("%w: more than one JSON value", ErrProblem)
	}
	return nil
}
