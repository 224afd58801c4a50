package shape

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
)

// Kept is the model of a shape whose certificates show it in place of opening it: a link says once that what they show is of the
// model commitment (docs/relation-kept.md).
const Kept = "kept"

// linking is the scheme of links.
const linking = "link"

// Visits says whether certificates resolve the nodes alone that the ball reaches, of a kept ensemble whose nodes are a word each.
func (s *Shape) Visits() bool { return s.Passed > 0 }

// Keeps says whether certificates show the model in place of opening it.
func (s *Shape) Keeps() bool { return s.Model != "" }

// checkModel refuses a model of another name, and one that is kept where no certificate can show it.
func (s *Shape) checkModel() error {
	if s.Keeps() && s.Model != Kept {
		return fmt.Errorf("shape: model %.40q is not known", s.Model)
	}
	if s.Keeps() && s.Boxes() {
		return fmt.Errorf("shape: leave out model, certificates of scheme %s open it", s.Scheme)
	}
	if s.Passed != 0 && !(s.Keeps() && s.Grows()) {
		return errors.New("shape: leave out passed, which is a field of ensembles whose model is kept")
	}
	return nil
}

// Link fixes the constraint system of links: one serves certificates of every scheme, capacity and number of slices about models of its
// architecture with inputs of so many bits. NodeWords is true where these visit nodes, and absent elsewhere. Fields stand in the order
// of their JSON names, so that Marshal writes the canonical form.
type Link struct {
	Architecture Architecture `json:"architecture"`
	Format       string       `json:"format"`
	InputBits    int          `json:"input_bits"`
	NodeWords    bool         `json:"node_words,omitempty"`
	Scheme       string       `json:"scheme"`
	Version      int          `json:"version"`
}

// LinkOf returns the shape of links for certificates of a shape.
func LinkOf(s *Shape) *Link {
	return &Link{s.Architecture, "equiproof-shape", s.InputBits, s.Visits(), linking, 2}
}

// IsLink says whether bytes are meant as the shape of links; ParseLink says whether they are one.
func IsLink(document []byte) bool { return bytes.Contains(document, []byte(`"scheme":"`+linking+`"`)) }

// ParseLink reads the shape of links in canonical JSON; anything else, and sizes that make no circuit, are refused naming the field.
func ParseLink(document []byte) (*Link, error) {
	l := new(Link)
	if err := parse(document, l); err != nil {
		return nil, err
	}
	return l, l.check()
}

// Digest hashes the whole shape to an integer below 2^248.
func (l *Link) Digest() *big.Int { return documentDigest("equiproof.shape.v2", l) }

// Sizes is a shape of nothing but the sizes of models.
func (l *Link) Sizes() *Shape { return &Shape{Architecture: l.Architecture, InputBits: l.InputBits} }

func (l *Link) check() error {
	if l.Format != "equiproof-shape" || l.Version != 2 || l.Scheme != linking {
		return fmt.Errorf("shape: %s version %d, scheme %s is not known", l.Format, l.Version, l.Scheme)
	}
	a := &l.Architecture
	if l.NodeWords && len(a.Nodes) == 0 {
		return errors.New("shape: leave out node_words, the model has no nodes")
	}
	err := errors.Join(in("plain", a.Plain, 1, maxColumns), in("sensitive", a.Sensitive, 1, maxColumns), in("input_bits", l.InputBits, 2, 64))
	switch {
	case err != nil:
		return err
	case len(a.Predicates) == 0:
		return a.checkNetwork(maxWide)
	case len(a.Nodes) == 0:
		return errors.Join(a.checkPredicates(), in("number of categories", len(a.Categories), 0, 0))
	}
	return errors.Join(a.checkPredicates(), a.checkNodes(), a.checkCategories(l.InputBits))
}
