// Package subcircuit makes of each gadget of a shape a circuit of its own, to be set up, proven and verified alone.
//
// The constraints are the gadget's own package, the one that the relation uses. The private wires have names, as in the
// relation, and are range-checked to the widths of the shape. The one public input is the digest of the gadget's name,
// the shape and all instance wires, so that a proof says: the values behind this digest satisfy the rule.
package subcircuit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/consensys/gnark/frontend"

	"equiproof/relation"
	"equiproof/shape"
)

const (
	format   = "equiproof-circuit"
	maxBytes = 1 << 17
)

// document selects a sub-circuit. Fields stand in the order of their JSON names, so that Marshal writes the canonical form.
type document struct {
	Format  string      `json:"format"`
	Gadget  string      `json:"gadget"`
	Shape   shape.Shape `json:"shape"`
	Version int         `json:"version"`
}

// Is says whether bytes are meant as the document of a sub-circuit; Parse says whether they are one.
func Is(data []byte) bool {
	return bytes.HasPrefix(data, []byte(`{"format":"`+format+`"`))
}

// Parse reads the canonical document of a sub-circuit and returns its circuit, to be compiled or assigned.
func Parse(data []byte) (*Circuit, error) {
	if len(data) > maxBytes {
		return nil, fmt.Errorf("circuit: %d bytes, at most %d", len(data), maxBytes)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	d := new(document)
	if err := decoder.Decode(d); err != nil {
		return nil, fmt.Errorf("circuit: %w", err)
	}
	again, err := json.Marshal(d)
	if err != nil || !bytes.Equal(again, data) {
		return nil, errors.New("circuit: not in canonical form")
	}
	if d.Format != format || d.Version != version {
		return nil, fmt.Errorf("circuit: %s version %d is not known", d.Format, d.Version)
	}
	inner, err := json.Marshal(d.Shape)
	if err != nil {
		return nil, fmt.Errorf("circuit: %w", err)
	}
	s, err := shape.Parse(inner)
	if err != nil {
		return nil, fmt.Errorf("circuit: %w", err)
	}
	return New(d.Gadget, s)
}

// New returns the circuit of one gadget of a shape. It refuses a name that the shape has no sub-circuit of, listing those
// that it has, and a shape whose numbers do not fit the field.
func New(name string, s *shape.Shape) (*Circuit, error) {
	if s.Keeps() {
		return nil, errors.New("circuit: leave out model, a shape of a kept model has no circuits of single gadgets")
	}
	if s.Gains() {
		return nil, errors.New("circuit: a shape of relation gain has no circuits of single gadgets, it is proven as a whole")
	}
	at := slices.IndexFunc(gadgets, func(g gadget) bool { return g.name == name && g.of(s) })
	if at < 0 {
		return nil, fmt.Errorf("circuit: the shape has no gadget %.40q; it has %s", name, strings.Join(Names(s), ", "))
	}
	c := &Circuit{gadget: gadgets[at], shape: s}
	if s.Branches() {
		var err error
		if c.numbers, err = s.Branch(); err != nil {
			return nil, fmt.Errorf("circuit: %w", err)
		}
	}
	c.Wires = make([]frontend.Variable, relation.Length(c.Layout()))
	return c, nil
}
