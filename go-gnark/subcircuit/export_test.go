package subcircuit

import (
	"testing"

	"equiproof/relation"
	"equiproof/shape"
)

// Add puts a gadget without known instances into the table until the test ends. Its only wire is a bit called `new`.
func Add(t *testing.T, name, scheme string) {
	layout := func(*shape.Shape) []relation.Segment { return []relation.Segment{{Name: "new", Length: 1}} }
	define := func(b *builder) error {
		b.bind(b.bits("new"))
		return nil
	}
	gadgets = append(gadgets, gadget{name, scheme, both, plain(layout), define})
	t.Cleanup(func() { gadgets = gadgets[:len(gadgets)-1] })
}
