package subcircuit

import (
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/digest"
	"equiproof/relation"
	"equiproof/shape"
)

// version is the version of documents and instance digests; it changes with any change of their contents.
const version = 2

// Circuit is one gadget alone.
type Circuit struct {
	Digest frontend.Variable   `gnark:",public"`
	Wires  []frontend.Variable `gnark:",secret"`

	gadget  gadget
	shape   *shape.Shape
	numbers *shape.Branch
	widths  []bounded.Width
	record  bounded.Record
}

// Inputs returns the instance digest and the private wires.
func (c *Circuit) Inputs() (*frontend.Variable, []frontend.Variable) { return &c.Digest, c.Wires }

// Layout names the private wires in order.
func (c *Circuit) Layout() []relation.Segment {
	return append([]relation.Segment{{Name: "blinding", Length: 1}}, c.gadget.layout(c.shape, c.numbers)...)
}

// Widths lists the places of the circuit with the widest integer that each can hold; known once it is compiled.
func (c *Circuit) Widths() []bounded.Width { return c.widths }

// Record says which constraints are for which part; known once it is compiled.
func (c *Circuit) Record() bounded.Record { return c.record }

// Define constrains the gadget, and the public input to be the digest of its instance (R-INSTANCE).
func (c *Circuit) Define(api frontend.API) (err error) {
	defer bounded.Catch(&err)
	b := &builder{
		name: c.gadget.name, a: bounded.New(api), shape: c.shape, numbers: c.numbers, wires: relation.Take(c.Layout(), c.Wires),
	}
	b.element("blinding")
	leave := b.a.Part(b.name)
	if err := c.gadget.define(b); err != nil {
		return err
	}
	leave()
	found, err := b.digest()
	if err != nil {
		return err
	}
	leave = b.a.Part("instance")
	api.AssertIsEqual(c.Digest, found)
	leave()
	c.widths, c.record = b.a.Widths(), b.a.Record()
	return nil
}

// builder is the circuit under construction; instance wires are collected in the order in which the digest binds them.
type builder struct {
	name     string
	a        *bounded.Arith
	shape    *shape.Shape
	numbers  *shape.Branch // of scheme `branch` only
	wires    map[string][]frontend.Variable
	elements []frontend.Variable
	integers []bounded.Int
	found    frontend.Variable // the digest, once it is known
}

// digest returns the digest of everything that was bound. A blinding hides it: weights and applicants can be guessed.
// Nothing is bound any more once it is known.
func (b *builder) digest() (frontend.Variable, error) {
	if b.found != nil {
		return b.found, nil
	}
	defer b.a.Part("instance")()
	packed := digest.Pack(b.a.API(), b.integers)
	constants := []*big.Int{
		digest.Tag("equiproof.circuit"), big.NewInt(version), digest.Tag(b.name), b.shape.Digest(),
		big.NewInt(int64(len(packed))),
	}
	var parts []frontend.Variable
	for _, constant := range constants {
		parts = append(parts, constant)
	}
	found, err := digest.Hash(b.a.API(), append(append(parts, b.elements...), packed...)...)
	b.found = found
	return found, err
}

// bind makes integers part of the instance.
func (b *builder) bind(lists ...[]bounded.Int) {
	if b.found != nil {
		panic("a wire is bound that the digest does not know")
	}
	for _, list := range lists {
		b.integers = append(b.integers, list...)
	}
}

// element returns a single wire that may be any field element, as a part of the instance.
func (b *builder) element(name string) frontend.Variable {
	wire := b.wires[name][0]
	b.elements = append(b.elements, wire)
	return wire
}

// read gives each wire of a name its width (R-RANGE).
func (b *builder) read(name string, check func(a *bounded.Arith, i int, wire frontend.Variable) bounded.Int) []bounded.Int {
	a := b.a.At("%s", name)
	defer a.Part("range")()
	values := make([]bounded.Int, 0, len(b.wires[name]))
	for i, wire := range b.wires[name] {
		values = append(values, check(a, i, wire))
	}
	return values
}

func (b *builder) signed(name string, bits int) []bounded.Int {
	return b.read(name, func(a *bounded.Arith, _ int, wire frontend.Variable) bounded.Int { return a.Signed(wire, bits) })
}

func (b *builder) unsigned(name string, bits int) []bounded.Int {
	return b.read(name, func(a *bounded.Arith, _ int, wire frontend.Variable) bounded.Int { return a.Unsigned(wire, bits) })
}

func (b *builder) below(name string, n int) []bounded.Int {
	return b.read(name, func(a *bounded.Arith, _ int, wire frontend.Variable) bounded.Int { return a.Below(wire, n) })
}

func (b *builder) bits(name string) []bounded.Int {
	return b.read(name, func(a *bounded.Arith, _ int, wire frontend.Variable) bounded.Int { return a.Bit(wire) })
}

// like gives each wire so many signed bits that it holds whatever the integer beside it may be.
func (b *builder) like(name string, models []bounded.Int) []bounded.Int {
	return b.read(name, func(a *bounded.Arith, i int, wire frontend.Variable) bounded.Int {
		lo, hi := models[i].Bounds()
		return a.Signed(wire, max(lo.BitLen(), hi.BitLen())+1)
	})
}

// likeNorm is like for squared norms, which are not negative.
func (b *builder) likeNorm(name string, models []bounded.Int) []bounded.Int {
	return b.read(name, func(a *bounded.Arith, i int, wire frontend.Variable) bounded.Int {
		_, hi := models[i].Bounds()
		return a.Unsigned(wire, hi.BitLen())
	})
}

// equal makes wires those that a gadget computed.
func (b *builder) equal(wires, computed []bounded.Int) {
	for i := range wires {
		b.a.AssertEqual(wires[i], computed[i])
	}
}
