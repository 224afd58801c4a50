package subcircuit

import (
	"fmt"
	"slices"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/affine"
	"equiproof/gadget/backward"
	"equiproof/gadget/bounded"
	"equiproof/gadget/leaf"
	"equiproof/gadget/ranges"
	"equiproof/gadget/relaxation"
	"equiproof/gadget/tree"
	"equiproof/relation"
	"equiproof/shape"
)

// signs reads the signs of rows as a part of the instance (R-B-KEY).
func (b *builder) signs() []tree.Signs {
	a, n := b.a.At("signs"), b.shape.Neurons()
	var rows []tree.Signs
	for wires := b.wires["signs"]; len(wires) > 0; wires = wires[n:] {
		row := tree.NewSigns(a, wires[:n])
		for i, on := range row.On() {
			b.bind([]bounded.Int{a.Sub(on, row.Off()[i])})
		}
		rows = append(rows, row)
	}
	return rows
}

// The split rows are no part of the instance: it says that there are some.
func treeLayout(s *shape.Shape, numbers *shape.Branch) []relation.Segment {
	return append(parts(s, numbers, 1, "chosen_slice", "signs"), parts(s, numbers, 1, "key", "digit")...)
}

// choices reads for each leaf the bits of which its slice's is set, as a part of the instance.
func (b *builder) choices() [][]bounded.Int {
	chosen := b.bits("chosen_slice")
	b.bind(chosen)
	return relation.Matrix(chosen, b.shape.Slices)
}

// defineTree makes leaves cover every slice's ball (R-B-KEY, R-B-ROOT, R-B-SPLIT).
func defineTree(b *builder) error {
	a, choices := b.a.At("tree"), b.choices()
	leaves := make([]tree.Leaf, len(choices))
	for at, signs := range b.signs() {
		leaves[at] = tree.Leaf{Slice: leaf.Choose(a, choices[at]).Number(), Signs: signs}
	}
	splits := make([][]frontend.Variable, b.shape.Capacity-b.shape.Slices)
	claims := relation.NewClaims(b.shape, b.numbers, b.wires)
	words := tree.Words(b.shape.Neurons(), b.shape.Slices, len(splits))
	for row := range splits {
		splits[row] = claims.Next("key", words)
	}
	grown := tree.New(a, splits, leaves, b.shape.Slices)
	for slice := range b.shape.Slices {
		grown.Root(slice)
	}
	for row := range splits {
		grown.Split(row, claims.Next("digit", words))
	}
	return nil
}

// What proves the leaf is no part of the instance: it says that there are multipliers.
func leafLayout(s *shape.Shape, numbers *shape.Branch) []relation.Segment {
	var lines, proof []string
	for l := range s.Architecture.Hidden {
		lines = append(lines, fmt.Sprintf("upper.%d", l+1), fmt.Sprintf("offset.%d", l+1))
	}
	all := relation.BranchLayout(s, numbers)
	behind := slices.IndexFunc(all, func(segment relation.Segment) bool { return segment.Name == "digit" })
	for _, segment := range all[behind+1:] {
		proof = append(proof, segment.Name)
	}
	segments := append(networkLayout(s), relation.Segment{Name: "table", Length: s.Slices * s.Architecture.Sensitive})
	label := relation.Segment{Name: "label", Length: s.Architecture.Logits}
	if s.Boxes() {
		segments = append(append(segments, endsLayout(s)...), label)
	} else {
		segments = append(segments, relation.Segment{Name: "query", Length: s.Architecture.Plain}, label,
			relation.Segment{Name: "radius_squared", Length: 1})
	}
	segments = append(append(segments, relation.RangeLayout(s)...), parts(s, numbers, 1, lines...)...)
	segments = append(segments, parts(s, numbers, s.Capacity, "chosen_slice", "signs")...)
	return append(segments, parts(s, numbers, s.Capacity, proof...)...)
}

// around is what leaves are proven on: a query's ball inside ranges, or a box.
type around struct {
	query []bounded.Int
	label []bounded.Int
	box   *ranges.Box                                                           // nil without ranges
	holds func(claims *relation.Claims, form backward.Form, margin leaf.Margin) // a form to be positive
}

// around reads what leaves are around, and the label, as a part of the instance (R-B-RANGES).
func (b *builder) around() around {
	s := b.shape
	if s.Boxes() {
		people, low := b.people()
		label := b.bits("label")
		b.bind(label)
		falls := people.Falls(b.a.At("box"))
		return around{query: low, label: label, holds: func(claims *relation.Claims, form backward.Form, _ leaf.Margin) {
			a := b.a.At("leaf")
			leaf.AssertInBox(a, form, claims.Box(falls)(a, len(s.Architecture.Hidden)+1, form))
		}}
	}
	query, label := b.signed("query", s.InputBits), b.bits("label")
	squared := b.unsigned("radius_squared", s.RadiusBits)
	low, high := b.signed("range_low", s.InputBits), b.signed("range_high", s.InputBits)
	b.bind(query, label, squared, low, high)
	at := around{query: query, label: label, holds: func(_ *relation.Claims, form backward.Form, margin leaf.Margin) {
		leaf.Assert(b.a.At("leaf"), form, margin, squared[0])
	}}
	if s.Ranges() {
		at.box = ranges.New(b.a.At("ranges"), low, high, query, s.InputBits)
	}
	return at
}

// defineLeaf holds every margin of one leaf under the lines of its slice (R-B-LEAF), with ranges inside these, where the query
// is, too (R-B-RANGES, R-B-CUT).
func defineLeaf(b *builder) error {
	s := b.shape
	layers, all := b.network()
	rows := b.signed("table", s.InputBits)
	b.bind(all, rows)
	on := b.around()
	slopes := relaxation.NewSlopes(b.a, shape.FractionBits)
	every, bits, signs := b.everyLine(slopes), b.choices()[0], b.signs()[0]
	argument, err := b.argument()
	if err != nil {
		return err
	}
	a, hidden := b.a.At("leaf"), layers[:len(layers)-1]
	network := backward.New(b.a, argument, hidden, on.query, shape.FractionBits)
	upper := make([][]backward.Upper, s.Slices)
	for slice := range upper {
		for l, lines := range every[slice] {
			upper[slice] = append(upper[slice], network.Upper(a, l+1, lines))
		}
	}
	choice := leaf.Choose(a, bits)
	table := leaf.NewSlices(argument, network, relation.Matrix(rows, s.Architecture.Sensitive), upper, s.LooksUpSlices())
	part := b.part(table, choice, signs)
	claims := relation.NewClaims(s, b.numbers, b.wires)
	margins := affine.NewLabel(b.a.At("sum of the label"), on.label).Rivals(a, layers[len(hidden)])
	for i, weights := range margins.Weights {
		margin := claims.Margin(a, on.box)
		on.holds(claims, leaf.Form(a, network, slopes, weights, margins.Biases[i], part, margin), margin)
	}
	return nil
}

// everyLine reads the upper lines of all slices and hidden layers as a part of the instance.
func (b *builder) everyLine(slopes *relaxation.Slopes) [][][]relaxation.Line {
	upper := make([][][]relaxation.Line, b.shape.Slices)
	for l, size := range b.shape.Architecture.Hidden {
		slope := b.slopes(fmt.Sprintf("upper.%d", l+1), slopes)
		offset := b.unsigned(fmt.Sprintf("offset.%d", l+1), b.numbers.OffsetBits[l])
		b.bind(slope, offset)
		for slice := range upper {
			lines := make([]relaxation.Line, size)
			for i := range lines {
				lines[i] = relaxation.Line{Slope: slope[slice*size+i], Offset: offset[slice*size+i]}
			}
			upper[slice] = append(upper[slice], lines)
		}
	}
	return upper
}

// part takes what a leaf has of its slice, and gives its signs to the layers.
func (b *builder) part(table *leaf.Slices, choice leaf.Choice, signs tree.Signs) leaf.Part {
	var part leaf.Part
	part.Sensitive, part.Upper = table.Of(b.a.At("slice of the leaf"), choice, b.wires["of_slice"])
	on, free := signs.On(), signs.Free()
	for _, size := range b.shape.Architecture.Hidden {
		part.On, part.Free = append(part.On, on[:size]), append(part.Free, free[:size])
		on, free = on[size:], free[size:]
	}
	return part
}
