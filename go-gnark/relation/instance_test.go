package relation_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"

	"equiproof/internal/adversary"
	"equiproof/internal/oracle"
	"equiproof/relation"
	"equiproof/shape"
	"equiproof/system"
)

// circuits compiles each shape once for all tests.
var circuits sync.Map

// opened is a compiled circuit under attack, with the names of its wires and the part of each of its constraints.
type opened struct {
	*adversary.Circuit
	layout []relation.Segment
	parts  []string
}

func circuitOf(t testing.TB, s *shape.Shape) *opened {
	t.Helper()
	return circuitUnder(t, system.Groth16, s)
}

// circuitUnder is the circuit of a shape in the form that a proof system proves.
func circuitUnder(t testing.TB, proofSystem system.ProofSystem, s *shape.Shape) *opened {
	t.Helper()
	key := proofSystem.Name() + s.Digest().String()
	if found, ok := circuits.Load(key); ok {
		return found.(*opened)
	}
	found := openedUnder(t, proofSystem, selected(t, s))
	circuits.Store(key, found)
	return found
}

func openedUnder(t testing.TB, proofSystem system.ProofSystem, circuit relation.Circuit) *opened {
	t.Helper()
	compiled, err := proofSystem.Compile(circuit)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := system.RowParts(compiled, circuit.Record())
	if err != nil {
		t.Fatal(err)
	}
	return &opened{adversary.Open(t, compiled), circuit.Layout(), parts}
}

// linksOf is the circuit of links of a shape.
func linksOf(t testing.TB, l *shape.Link) *opened {
	t.Helper()
	key := l.Digest().String()
	if found, ok := circuits.Load(key); ok {
		return found.(*opened)
	}
	found := openedUnder(t, system.Groth16, relation.NewLink(l))
	circuits.Store(key, found)
	return found
}

// selected is the circuit that a shape selects.
func selected(t testing.TB, s *shape.Shape) relation.Circuit {
	t.Helper()
	document, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	circuit, err := system.Select(document)
	if err != nil {
		t.Fatal(err)
	}
	return circuit
}

// problem is a network with a query, and the statement that is to be proven about them.
type problem struct {
	shape   *shape.Shape
	network oracle.Network
	query   []*big.Int
	table   [][]*big.Int
	label   int
	radius  *big.Int
}

// region is a slice and a pattern, the first neuron lowest.
type region struct{ slice, pattern int }

// forms returns the forms of all hidden neurons of a region, and its margins.
func (p *problem) forms(at region) (hidden, margins []oracle.Form) {
	layers, logits := p.network.Forms(p.table[at.slice], oracle.Pattern(at.pattern, p.network.Neurons()))
	for _, layer := range layers {
		hidden = append(hidden, layer...)
	}
	return hidden, oracle.Margins(logits, p.label)
}

// crossed reports for each facet of a region whether its hyperplane is nearer than the radius.
func (p *problem) crossed(at region) []bool {
	hidden, _ := p.forms(at)
	crossed := make([]bool, len(hidden))
	for i, form := range hidden {
		crossed[i] = form.Excess(p.query, p.radius).Sign() < 0
	}
	return crossed
}

// away reports whether no decision hyperplane of the region is nearer than the radius.
func (p *problem) away(at region) bool {
	_, margins := p.forms(at)
	for _, form := range margins {
		if form.Excess(p.query, p.radius).Sign() < 0 {
			return false
		}
	}
	return true
}

// centre returns the region of a slice's centre, and the decision there.
func (p *problem) centre(slice int) (region, int) {
	pattern, logits := p.network.Evaluate(append(slices.Clone(p.query), p.table[slice]...))
	number := 0
	for i, on := range pattern {
		if on {
			number |= 1 << i
		}
	}
	return region{slice, number}, oracle.Decision(logits)
}

// closure returns the centres and every region that is reached from them through crossed facets.
func (p *problem) closure() []region {
	var rows []region
	for slice := range p.table {
		centre, _ := p.centre(slice)
		rows = append(rows, centre)
	}
	for i := 0; i < len(rows); i++ {
		for neuron, crossed := range p.crossed(rows[i]) {
			if next := across(rows[i], neuron); crossed && !slices.Contains(rows, next) {
				rows = append(rows, next)
			}
		}
	}
	return rows
}

func across(at region, neuron int) region { return region{at.slice, at.pattern ^ 1<<neuron} }

// holds reports whether the closure proves the statement: it fits the capacity, every centre is decided strictly, and no
// decision hyperplane is nearer than the radius.
func (p *problem) holds() bool {
	for slice := range p.table {
		if _, decision := p.centre(slice); decision != p.label {
			return false
		}
	}
	rows := p.closure()
	for _, at := range rows {
		if !p.away(at) {
			return false
		}
	}
	return len(rows) <= p.shape.Capacity
}

// with returns the same problem with another radius.
func (p *problem) with(radius int64) *problem {
	other := *p
	other.radius = big.NewInt(radius)
	return &other
}

// largest returns the largest squared radius that the closure proves, by bisection; -1 where not even 0 is proven.
func (p *problem) largest() int64 {
	low, high := int64(-1), int64(1)<<p.shape.RadiusBits
	for high-low > 1 {
		if middle := (low + high) / 2; p.with(middle).holds() {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// instance is an assignment by the names of the layout; it determines the statement.
type instance struct {
	shape *shape.Shape
	wires map[string][]*big.Int
}

// evidence fills the wires for a set of regions, the centres first; facets whose neighbors are missing stay crossed with
// a neighbor that is the row itself.
func (p *problem) evidence(rows []region) *instance {
	s := p.shape
	rows = slices.Clone(rows)
	for len(rows) < s.Capacity {
		rows = append(rows, rows[len(rows)-1])
	}
	e := &instance{s, map[string][]*big.Int{
		"model_blinding": {big.NewInt(1 << 40)}, "spec_digest": {big.NewInt(1234567)}, "query": slices.Clone(p.query),
		"query_blinding": {big.NewInt(1 << 41)}, "radius_squared": {p.radius}, "context_digest": {big.NewInt(7654321)},
	}}
	for l, layer := range p.network {
		weights, biases := fmt.Sprintf("weights.%d", l+1), fmt.Sprintf("biases.%d", l+1)
		for _, row := range layer.Weights {
			e.wires[weights] = append(e.wires[weights], row...)
		}
		e.wires[biases] = slices.Clone(layer.Biases)
	}
	for _, row := range p.table {
		e.wires["table"] = append(e.wires["table"], row...)
	}
	if s.Architecture.Logits == 1 {
		e.add("label", int64(p.label))
	} else {
		for c := range s.Architecture.Logits {
			e.addBit("label", c == p.label)
		}
	}
	first := s.Architecture.Hidden[0]
	var start [][]bool
	for slice := range p.table {
		start = append(start, p.crossed(rows[slice])[:first])
		for _, crossed := range start[slice] {
			e.addBit("crossed_first", crossed)
		}
	}
	for row, at := range rows {
		if row >= s.Slices {
			e.add("slice", int64(at.slice))
		}
		crossed := append(slices.Clone(start[at.slice]), p.crossed(at)[first:]...)
		for i := range s.Neurons() {
			e.addBit("pattern", at.pattern>>i&1 == 1)
			if i >= first {
				e.addBit("crossed_deeper", crossed[i])
			}
			neighbor := row
			if found := slices.Index(rows, across(at, i)); crossed[i] && found >= 0 {
				neighbor = found
			}
			e.add("neighbor", int64(neighbor))
		}
	}
	return e
}

func (e *instance) add(name string, value int64) {
	e.wires[name] = append(e.wires[name], big.NewInt(value))
}

func (e *instance) addBit(name string, bit bool) {
	e.add(name, map[bool]int64{true: 1}[bit])
}

// clone returns a copy whose wires can be changed one by one.
func (e *instance) clone() *instance {
	other := &instance{e.shape, map[string][]*big.Int{}}
	for name, values := range e.wires {
		other.wires[name] = slices.Clone(values)
	}
	return other
}

// with returns a copy with one wire set.
func (e *instance) with(name string, i int, value any) *instance {
	other := e.clone()
	switch value := value.(type) {
	case int:
		other.wires[name][i] = big.NewInt(int64(value))
	case *big.Int:
		other.wires[name][i] = value
	}
	return other
}

// digest computes the statement's digest from the wires, independently of the circuit. Numbers outside their widths are
// packed as the circuit packs them, so that a cheat is never refused because of its digest.
func (e *instance) digest() *big.Int {
	s, a := e.shape, &e.shape.Architecture
	var model []oracle.Signed
	for l := range s.Layers() {
		model = append(model, signed(e.wires[fmt.Sprintf("weights.%d", l+1)], a.WeightBits[l])...)
		model = append(model, signed(e.wires[fmt.Sprintf("biases.%d", l+1)], a.BiasBits[l])...)
	}
	label := new(big.Int)
	if a.Logits == 1 {
		label = e.wires["label"][0]
	} else {
		for c, bit := range e.wires["label"] {
			label.Add(label, new(big.Int).Mul(big.NewInt(int64(c)), bit))
		}
	}
	spec := e.wires["spec_digest"][0]
	return oracle.Hash(
		oracle.Tag("equiproof.statement"), big.NewInt(2), oracle.Tag("traversal"), s.Digest(),
		hashed("equiproof.model", oracle.Pack(model...), a.Digest(), spec, e.wires["model_blinding"][0]),
		spec,
		domain(s, oracle.Pack(signed(e.wires["table"], s.InputBits)...)),
		query(s, e.wires["query_blinding"][0], oracle.Pack(signed(e.wires["query"], s.InputBits)...)),
		label, e.wires["radius_squared"][0], e.wires["context_digest"][0],
	)
}

func signed(values []*big.Int, bits int) []oracle.Signed {
	var found []oracle.Signed
	for _, value := range values {
		found = append(found, oracle.Signed{Value: value, Bits: bits})
	}
	return found
}

// hashed is the digest of (tag, version, length, head, packed).
func hashed(tag string, packed []*big.Int, head ...*big.Int) *big.Int {
	elements := append([]*big.Int{oracle.Tag(tag), big.NewInt(2), big.NewInt(int64(len(packed)))}, head...)
	return oracle.Hash(append(elements, packed...)...)
}

func query(s *shape.Shape, blinding *big.Int, packed []*big.Int) *big.Int {
	elements := []*big.Int{oracle.Tag("equiproof.query")}
	for _, size := range []int{2, s.Architecture.Plain, s.InputBits, len(packed)} {
		elements = append(elements, big.NewInt(int64(size)))
	}
	return oracle.Hash(append(append(elements, blinding), packed...)...)
}

func domain(s *shape.Shape, packed []*big.Int) *big.Int {
	elements := []*big.Int{oracle.Tag("equiproof.domain")}
	for _, size := range []int{
		2, s.Architecture.Plain, s.Architecture.Sensitive, s.Slices, s.InputFractionBits, s.InputBits, len(packed),
	} {
		elements = append(elements, big.NewInt(int64(size)))
	}
	return oracle.Hash(append(elements, packed...)...)
}

// inputs lists the public digest and all wires in the layout's order.
func (e *instance) inputs(digest *big.Int) []fr.Element {
	values := []any{digest}
	for _, segment := range relation.Layout(e.shape) {
		if len(e.wires[segment.Name]) != segment.Length {
			panic(fmt.Sprintf("%s: %d values for %d wires", segment.Name, len(e.wires[segment.Name]), segment.Length))
		}
		values = append(values, adversary.Integers(e.wires[segment.Name]...)...)
	}
	return adversary.Elements(values...)
}

// accepted fails the test unless the circuit is satisfied, for gnark's solver and row by row.
func (e *instance) accepted(t *testing.T, name string) {
	t.Helper()
	e.acceptedFor(t, name, e.digest())
}

func (e *instance) acceptedFor(t *testing.T, name string, digest *big.Int) {
	t.Helper()
	circuit := circuitOf(t, e.shape)
	if err := circuit.IsSolved(e.inputs(digest)); err != nil {
		t.Errorf("%s: refused: %v", name, err)
	}
	if violated := circuit.Prover.Solve(e.inputs(digest), nil).Violated; len(violated) > 0 {
		t.Errorf("%s: rows %v do not hold", name, violated)
	}
}

// refused fails the test if gnark's solver or the cheating prover satisfies the circuit.
func (e *instance) refused(t *testing.T, name string) {
	t.Helper()
	e.refusedFor(t, name, e.digest())
}

func (e *instance) refusedFor(t *testing.T, name string, digest *big.Int) {
	t.Helper()
	circuit := circuitOf(t, e.shape)
	if err := circuit.IsSolved(e.inputs(digest)); err == nil {
		t.Errorf("%s: accepted", name)
	}
	if violated := circuit.Prover.Solve(e.inputs(digest), nil).Violated; len(violated) == 0 {
		t.Errorf("%s: every row holds", name)
	}
}

// refusedByRange is like refused, for a cheat that a single range check refuses: by its own row, and perhaps by the sum
// over all lookups of its limbs.
func (e *instance) refusedByRange(t *testing.T, name string) {
	t.Helper()
	e.refused(t, name)
	prover := circuitOf(t, e.shape).Prover
	violated := prover.Solve(e.inputs(e.digest()), nil).Violated
	if len(violated) > 2 || len(violated) == 2 && !prover.System.Challenged(violated[1]) {
		t.Errorf("%s: rows %v do not hold, want one", name, violated)
	}
}

// The shapes that cheats are tried on: one logit with two layers and padding; three logits and three slices; three layers
// and two logits; and the smallest.
func shapes() map[string]*shape.Shape {
	uneven := oracle.ShapeOf(2, 1, []int{2, 1}, 1, 18, 2, 16)
	uneven.Architecture.WeightBits = []int{18, 15, 17}
	return map[string]*shape.Shape{
		"two layers":   uneven,
		"three logits": oracle.ShapeOf(2, 2, []int{2}, 3, 18, 3, 16),
		"three layers": oracle.ShapeOf(2, 1, []int{1, 2, 1}, 2, 18, 2, 32),
		"smallest":     oracle.ShapeOf(2, 1, []int{1}, 1, 18, 2, 4),
	}
}

// random draws a problem whose statement holds at its radius and at no larger one because of a decision hyperplane, with
// at least so many regions besides the centres, but not all regions there are.
func random(t testing.TB, s *shape.Shape, seed uint64, more int) *problem {
	t.Helper()
	source := rand.New(rand.NewPCG(seed, 99))
	sizes := []int{s.Architecture.Plain + s.Architecture.Sensitive}
	for _, layer := range s.Layers() {
		sizes = append(sizes, layer[0])
	}
	for range 100000 {
		p := &problem{shape: s, network: oracle.Random(source, sizes, 40, 0), query: oracle.Vector(source, s.Architecture.Plain, 2000)}
		scale := int64(1500)
		for l := range p.network {
			p.network[l].Biases = oracle.Vector(source, sizes[l+1], 40*scale)
			scale *= 60
		}
		for slice := range s.Slices {
			row := make([]*big.Int, s.Architecture.Sensitive)
			for j := range row {
				row[j] = big.NewInt(map[bool]int64{true: 1024}[slice == j+1])
			}
			p.table = append(p.table, row)
		}
		_, p.label = p.centre(0)
		if p.label < 0 {
			continue
		}
		radius := p.largest()
		if radius < 100 || radius >= 1<<s.RadiusBits-1 {
			continue
		}
		p.radius = big.NewInt(radius)
		size, next := len(p.closure()), len(p.with(radius+1).closure())
		if size < s.Slices+more || next >= min(s.Slices<<s.Neurons(), s.Capacity+1) {
			continue
		}
		return p
	}
	t.Fatal("no such problem")
	return nil
}
