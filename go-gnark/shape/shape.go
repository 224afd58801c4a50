// Package shape reads the document that selects a constraint system: scheme, sizes, bit widths and capacity.
package shape

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"math/bits"
)

// Architecture is the part of a shape that a model commitment binds: it outlives a change of scheme or capacity.
// Fields stand in the order of their JSON names, so that Marshal writes the canonical form. Predicates are the numbers of an
// additive model's predicates over plain and over sensitive columns, Nodes an ensemble's numbers of trees and of their nodes;
// where there are none, there is no such field. With Missing, values of the query can be missing; networks have no such field.
// Categories are those of whose values an ensemble's nodes ask sets: see Category.
type Architecture struct {
	BiasBits   []int      `json:"bias_bits"`
	Categories []Category `json:"categories,omitempty"`
	Hidden     []int      `json:"hidden"`
	Logits     int        `json:"logits"`
	Missing    bool       `json:"missing,omitempty"`
	Nodes      []int      `json:"nodes,omitempty"`
	Plain      int        `json:"plain"`
	Predicates []int      `json:"predicates,omitempty"`
	Sensitive  int        `json:"sensitive"`
	WeightBits []int      `json:"weight_bits"`
}

// Shape fixes a constraint system. Everything in it is a constant of the circuit, never a wire. Slots is how many live
// predicates a proof of scheme `trees` has room for, Rows how many live nodes; OneHot are the categories whose values a box can
// leave open; Model is Kept where a link opens the model, once for all certificates; Passed is how many dead nodes on the way a
// proof about a kept ensemble has room for, which then resolves visited nodes alone. Other shapes have no such field.
type Shape struct {
	Architecture      Architecture `json:"architecture"`
	Capacity          int          `json:"capacity"`
	Format            string       `json:"format"`
	InputBits         int          `json:"input_bits"`
	InputFractionBits int          `json:"input_fraction_bits"`
	Model             string       `json:"model,omitempty"`
	OneHot            []Choice     `json:"one_hot,omitempty"`
	Passed            int          `json:"passed,omitempty"`
	RadiusBits        int          `json:"radius_bits"`
	Rows              int          `json:"rows,omitempty"`
	Scheme            string       `json:"scheme"`
	Slices            int          `json:"slices"`
	Slots             int          `json:"slots,omitempty"`
	Version           int          `json:"version"`
}

// The schemes, ways to prove the statement. With Ranging it is the statement of Branching about neighbors inside the ranges of
// the query's columns only. Adding is the relation of scheme `trees` about additive models, Growing its relation about ensembles
// of trees; AddingRanges and GrowingRanges are the same with ranges. Gaining is the relation of another statement, about how
// much a sensitive value gains (docs/relation-gain.md); AddingBox, GrowingBox and BranchingBox those of one about everybody in a
// box, of additive models, of ensembles and of networks (docs/relation-box.md).
const (
	Traversing    = "traversal"
	Branching     = "branch"
	Ranging       = "branch-ranges"
	Adding        = "additive"
	AddingRanges  = "additive-ranges"
	Growing       = "trees"
	GrowingRanges = "trees-ranges"
	Gaining       = "gain"
	AddingBox     = "additive-box"
	GrowingBox    = "trees-box"
	BranchingBox  = "branch-box"
)

// Branches says whether the evidence is that of branch and bound.
func (s *Shape) Branches() bool {
	return s.Scheme == Branching || s.Scheme == Ranging || s.Scheme == BranchingBox
}

// Ranges says whether the statement is about neighbors inside ranges only.
func (s *Shape) Ranges() bool {
	return s.Scheme == Ranging || s.Scheme == AddingRanges || s.Scheme == GrowingRanges
}

// Limits on what is compiled at all; they bound memory, not soundness.
const (
	maxBytes    = 1 << 16
	maxColumns  = 1 << 14
	maxNeurons  = 240  // scheme `traversal`: a region's key packs its slice and its pattern into one field element
	maxWide     = 4096 // scheme `branch`, whose keys have as many words as they need
	maxLayers   = 64
	maxCapacity = 1 << 16
	maxSlices   = 4096
	maxWidth    = 250
)

// Parse reads a shape in canonical JSON; anything else, and sizes that make no circuit, are refused naming the field.
func Parse(document []byte) (*Shape, error) {
	s := new(Shape)
	if err := parse(document, s); err != nil {
		return nil, err
	}
	return s, s.check()
}

// parse reads a document in canonical JSON.
func parse(document []byte, into any) error {
	if len(document) > maxBytes {
		return fmt.Errorf("shape: %d bytes, at most %d", len(document), maxBytes)
	}
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("shape: %w", err)
	}
	again, err := json.Marshal(into)
	if err != nil || !bytes.Equal(again, document) {
		return errors.New("shape: not in canonical form")
	}
	return nil
}

// Neurons is N, the number of hidden neurons.
func (s *Shape) Neurons() int { return s.Architecture.Neurons() }

// Neurons is N, the number of hidden neurons.
func (a *Architecture) Neurons() int {
	total := 0
	for _, size := range a.Hidden {
		total += size
	}
	return total
}

// Layers lists (outputs, inputs) of every layer's weights, the logits' last.
func (s *Shape) Layers() [][2]int { return s.Architecture.Layers() }

// Layers lists (outputs, inputs) of every layer's weights, the logits' last.
func (a *Architecture) Layers() [][2]int {
	inputs := a.Plain + a.Sensitive
	var layers [][2]int
	for _, outputs := range append(append([]int{}, a.Hidden...), a.Logits) {
		layers = append(layers, [2]int{outputs, inputs})
		inputs = outputs
	}
	return layers
}

// Digest hashes the whole shape to an integer below 2^248.
func (s *Shape) Digest() *big.Int { return documentDigest("equiproof.shape.v2", s) }

// Digest hashes the architecture to an integer below 2^248.
func (a *Architecture) Digest() *big.Int { return documentDigest("equiproof.architecture.v2", a) }

func documentDigest(domain string, document any) *big.Int {
	text, err := json.Marshal(document)
	if err != nil {
		panic(err) // structs of integers and strings always marshal
	}
	sum := sha256.Sum256(append([]byte(domain+"\x00"), text...))
	return new(big.Int).SetBytes(sum[:31])
}

// in refuses a size outside its limits.
func in(name string, value, low, high int) error {
	if value < low || value > high {
		return fmt.Errorf("shape: %s is %d, want %d to %d", name, value, low, high)
	}
	return nil
}

func (s *Shape) check() error {
	if err := s.checkModel(); err != nil {
		return err
	}
	if s.Grows() {
		return s.checkTrees()
	}
	if s.Adds() {
		return s.checkAdditive()
	}
	if s.Scheme == AddingBox {
		return s.checkBox()
	}
	a := &s.Architecture
	// The least capacity: a region for every slice's centre; a leaf for every slice, and one split.
	neurons, least := maxNeurons, s.Slices
	switch {
	case s.Branches():
		neurons, least = maxWide, s.Slices+1
	case s.Gains():
		// Both copies share one tree, which begins with one row; the slices are those of the copies.
		neurons, least = maxWide/copies, 2
	}
	if s.Format != "equiproof-shape" || s.Version != 2 || !s.Branches() && !s.Gains() && s.Scheme != Traversing {
		return fmt.Errorf("shape: %s version %d, scheme %s is not known", s.Format, s.Version, s.Scheme)
	}
	err := errors.Join(s.checkSizes(least), in("slots", s.Slots, 0, 0), in("rows", s.Rows, 0, 0), a.checkNetwork(neurons))
	if s.Gains() {
		err = errors.Join(err, in("slices", s.Slices, copies, copies))
	}
	if s.Boxes() {
		err = errors.Join(err, s.checkChoices())
	} else {
		err = errors.Join(err, in("one_hot", len(s.OneHot), 0, 0))
	}
	return err
}

// checkNetwork refuses the architecture of a network that makes no circuit, or has more hidden neurons.
func (a *Architecture) checkNetwork(neurons int) error {
	err := errors.Join(
		in("logits", a.Logits, 1, maxColumns),
		in("number of predicates", len(a.Predicates), 0, 0), in("number of nodes", len(a.Nodes), 0, 0),
		in("number of hidden layers", len(a.Hidden), 1, maxLayers),
		in("number of weight_bits", len(a.WeightBits), len(a.Hidden)+1, len(a.Hidden)+1),
		in("number of bias_bits", len(a.BiasBits), len(a.Hidden)+1, len(a.Hidden)+1),
	)
	for _, size := range a.Hidden {
		err = errors.Join(err, in("hidden", size, 1, neurons))
	}
	for _, width := range a.WeightBits {
		err = errors.Join(err, in("weight_bits", width, 2, 64))
	}
	for _, width := range a.BiasBits {
		err = errors.Join(err, in("bias_bits", width, 2, maxWidth))
	}
	if a.Missing || len(a.Categories) > 0 {
		err = errors.Join(err, errors.New("shape: missing and categories are fields of models with predicates only"))
	}
	return errors.Join(err, in("number of neurons", a.Neurons(), 1, neurons))
}

// checkSizes refuses sizes that shapes of every scheme have, where they make no circuit.
func (s *Shape) checkSizes(least int) error {
	err := errors.Join(
		in("plain", s.Architecture.Plain, 1, maxColumns), in("sensitive", s.Architecture.Sensitive, 1, maxColumns),
		in("input_bits", s.InputBits, 2, 64), in("input_fraction_bits", s.InputFractionBits, 1, 24),
		in("radius_bits", s.RadiusBits, 1, 64), in("slices", s.Slices, 2, maxSlices),
		in("capacity", s.Capacity, least, maxCapacity),
	)
	if bits.OnesCount(uint(s.Capacity)) != 1 {
		err = errors.Join(err, fmt.Errorf("shape: capacity is %d, want a power of two", s.Capacity))
	}
	return err
}
