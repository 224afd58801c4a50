package subcircuit_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/logger"

	"equiproof/internal/adversary"
	"equiproof/internal/lint"
	"equiproof/internal/oracle"
	"equiproof/relation"
	"equiproof/shape"
	"equiproof/subcircuit"
	"equiproof/system"
)

func init() { logger.Disable() }

func shapes() map[string]*shape.Shape {
	wider := oracle.ShapeOf(2, 1, []int{2, 1}, 1, 18, 2, 4)
	wider.Architecture.WeightBits[0] += 8
	return map[string]*shape.Shape{
		"two layers":   wider,
		"three logits": oracle.ShapeOf(2, 2, []int{2}, 3, 18, 3, 4),
		"smallest":     oracle.ShapeOf(1, 1, []int{1}, 1, 18, 2, 2),
		"a tree":       under(shape.Branching, oracle.ShapeOf(2, 1, []int{2, 1}, 1, 18, 2, 4)),
		"ranges":       under(shape.Ranging, oracle.ShapeOf(2, 2, []int{2}, 3, 18, 3, 4)),
		"additive":     oracle.AdditiveShape(2, 1, [2]int{3, 1}, 2, 2),
		"ensemble":     oracle.EnsembleShape(2, 1, [2]int{3, 1}, [2]int{2, 4}, 2, 3, 2),
		"additive box": boxOf(shape.AddingBox, oracle.AdditiveShape(3, 1, [2]int{3, 1}, 0, 1)),
		"ensemble box": under(shape.GrowingBox, oracle.EnsembleShape(2, 1, [2]int{3, 1}, [2]int{2, 4}, 2, 3, 2)),
		"network box":  boxOf(shape.BranchingBox, oracle.ShapeOf(3, 1, []int{2, 1}, 1, 18, 2, 4)),
	}
}

// boxOf returns the same sizes on boxes, with a category of the last two of three columns.
func boxOf(scheme string, s *shape.Shape) *shape.Shape {
	other := under(scheme, s)
	other.OneHot = []shape.Choice{{First: 1, High: 1448, Low: 0, Values: 2}}
	return other
}

// under returns the same sizes under another scheme.
func under(scheme string, s *shape.Shape) *shape.Shape {
	other := *s
	other.Scheme = scheme
	return &other
}

// alone is a compiled sub-circuit with honest wires by name.
type alone struct {
	*adversary.Circuit
	name   string
	layout []relation.Segment
	wires  map[string][]*big.Int
}

// each runs a test on every sub-circuit whose honest wires the tests compute, of every shape, and on those of the vectors'
// bases, whose honest wires are the result of a search. TestEverySubCircuitHasInstances holds that no sub-circuit is left out.
func each(t *testing.T, test func(t *testing.T, c *alone)) {
	for label, s := range shapes() {
		for _, name := range subcircuit.Names(s) {
			if computed(t, name, s) {
				t.Run(name+" of "+label, func(t *testing.T) { test(t, open(t, name, s)) })
			}
		}
	}
	for base := range bases(t) {
		t.Run(base, func(t *testing.T) { test(t, based(t, base)) })
	}
}

// computed reports whether the tests compute all wires of a sub-circuit.
func computed(t testing.TB, name string, s *shape.Shape) bool {
	t.Helper()
	circuit, err := subcircuit.New(name, s)
	if err != nil {
		t.Fatal(err)
	}
	wires := honest(name, s)
	for _, segment := range circuit.Layout() {
		if _, known := wires[segment.Name]; !known {
			return false
		}
	}
	return true
}

func open(t testing.TB, name string, s *shape.Shape) *alone {
	t.Helper()
	circuit, err := subcircuit.New(name, s)
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := system.Groth16.Compile(circuit)
	if err != nil {
		t.Fatal(err)
	}
	return &alone{adversary.Open(t, compiled), name, circuit.Layout(), honest(name, s)}
}

// honest returns values of all names that a sub-circuit may have, which satisfy the one of the given name.
func honest(name string, s *shape.Shape) map[string][]*big.Int {
	random := rand.New(rand.NewPCG(7, 7))
	a := s.Architecture
	sizes := []int{a.Plain + a.Sensitive}
	for _, layer := range s.Layers() {
		sizes = append(sizes, layer[0])
	}
	network := oracle.Random(random, sizes, 40, 3000)
	query, row := oracle.Vector(random, a.Plain, 2000), oracle.Vector(random, a.Sensitive, 1024)
	pattern, logits := network.Evaluate(append(slices.Clone(query), row...))
	label := oracle.Decision(logits)
	layers, forms := network.Forms(row, pattern)
	wires := map[string][]*big.Int{
		"blinding": {big.NewInt(1 << 50)}, "query": query, "row": row, "pattern": bits(pattern...),
		"radius_squared": {big.NewInt(9)}, "model_blinding": {big.NewInt(3)}, "query_blinding": {big.NewInt(4)},
		"spec_digest": {big.NewInt(5)}, "context_digest": {big.NewInt(6)}, "table": oracle.Vector(random, s.Slices*a.Sensitive, 1024),
	}
	if s.Ranges() {
		wires["range_low"], wires["range_high"] = oracle.Vector(random, a.Plain, 2000), oracle.Vector(random, a.Plain, 2000)
	}
	for l, layer := range network {
		for _, weights := range layer.Weights {
			wires[fmt.Sprintf("weights.%d", l+1)] = append(wires[fmt.Sprintf("weights.%d", l+1)], weights...)
		}
		wires[fmt.Sprintf("biases.%d", l+1)] = layer.Biases
	}
	for c := range a.Logits {
		wires["label"] = append(wires["label"], bits(a.Logits == 1 && label == 1 || a.Logits > 1 && c == label)...)
	}
	for slice := range s.Slices {
		wires["radii"] = append(wires["radii"], big.NewInt(int64(9+slice)))
	}
	addForms(name, wires, append(slices.Concat(layers...), oracle.Margins(forms, label)...), s)
	addSet(name, wires, s)
	addDigests(wires, s)
	return wires
}

func bits(values ...bool) []*big.Int {
	var found []*big.Int
	for _, value := range values {
		found = append(found, big.NewInt(map[bool]int64{true: 1}[value]))
	}
	return found
}

// addForms lists values, norms and excesses of a sub-circuit's forms, and marks the near ones as crossed.
func addForms(name string, wires map[string][]*big.Int, forms []oracle.Form, s *shape.Shape) {
	switch name {
	case "boundary":
		forms = forms[s.Neurons():]
	case "order":
		forms = forms[:s.Neurons()]
	}
	for _, form := range forms {
		excess := form.Excess(wires["query"], wires["radius_squared"][0])
		wires["value"] = append(wires["value"], form.At(wires["query"]))
		wires["norm_squared"] = append(wires["norm_squared"], form.NormSquared())
		wires["excess"] = append(wires["excess"], excess)
		wires["crossed"] = append(wires["crossed"], bits(excess.Sign() < 0)...)
	}
}

// addSet makes a set of rows on slice 0 of which the first two are neighbors across the first facet.
func addSet(name string, wires map[string][]*big.Int, s *shape.Shape) {
	if name != "neighbor" {
		return
	}
	wires["pattern"], wires["crossed"] = nil, nil
	for row := range s.Capacity {
		wires["slice"] = append(wires["slice"], new(big.Int))
		for i := range s.Neurons() {
			crossed := row < 2 && i == 0
			at := row
			if crossed {
				at = 1 - row
			}
			wires["pattern"] = append(wires["pattern"], bits(row == 1 && i == 0 || row > 1)...)
			wires["crossed"] = append(wires["crossed"], bits(crossed)...)
			wires["neighbor"] = append(wires["neighbor"], big.NewInt(int64(at)))
		}
	}
}

// addDigests computes commitments and the statement digest.
func addDigests(wires map[string][]*big.Int, s *shape.Shape) {
	a := &s.Architecture
	var model []oracle.Signed
	for l := range s.Layers() {
		model = append(model, signed(wires[fmt.Sprintf("weights.%d", l+1)], a.WeightBits[l])...)
		model = append(model, signed(wires[fmt.Sprintf("biases.%d", l+1)], a.BiasBits[l])...)
	}
	spec := wires["spec_digest"][0]
	wires["model_commitment"] = hashed("equiproof.model", oracle.Pack(model...), nil, a.Digest(), spec, wires["model_blinding"][0])
	wires["query_commitment"] = hashed("equiproof.query", oracle.Pack(signed(wires["query"], s.InputBits)...),
		integers(a.Plain, s.InputBits), wires["query_blinding"][0])
	sizes := integers(a.Plain, a.Sensitive, s.Slices, s.InputFractionBits, s.InputBits)
	domain, tag := slices.Concat(wires["table"], wires["range_low"], wires["range_high"]), "equiproof.domain"
	if s.Ranges() {
		tag = "equiproof.domain.ranges"
	}
	wires["domain_digest"] = hashed(tag, oracle.Pack(signed(domain, s.InputBits)...), sizes)
	label := wires["label"][0]
	if a.Logits > 1 {
		label = big.NewInt(int64(slices.IndexFunc(wires["label"], func(bit *big.Int) bool { return bit.Sign() > 0 })))
	}
	wires["statement_digest"] = []*big.Int{oracle.Hash(
		oracle.Tag("equiproof.statement"), big.NewInt(2), oracle.Tag(s.Scheme), s.Digest(), wires["model_commitment"][0],
		spec, wires["domain_digest"][0], wires["query_commitment"][0], label, wires["radius_squared"][0], wires["context_digest"][0],
	)}
}

func integers(values ...int) []*big.Int {
	var found []*big.Int
	for _, value := range values {
		found = append(found, big.NewInt(int64(value)))
	}
	return found
}

func signed(values []*big.Int, bits int) []oracle.Signed {
	var found []oracle.Signed
	for _, value := range values {
		found = append(found, oracle.Signed{Value: value, Bits: bits})
	}
	return found
}

// hashed is the digest of (tag, version, before, length, after, packed).
func hashed(tag string, packed, before []*big.Int, after ...*big.Int) []*big.Int {
	head := append([]*big.Int{oracle.Tag(tag), big.NewInt(2)}, before...)
	head = append(append(head, big.NewInt(int64(len(packed)))), after...)
	return []*big.Int{oracle.Hash(append(head, packed...)...)}
}

// inputs lists the public digest, as the circuit computes it, and the wires in the layout's order. Other tests compare the
// digests of two languages; here only the gadget's rows decide.
func (c *alone) inputs(t testing.TB) []fr.Element {
	t.Helper()
	values := []any{0}
	for _, segment := range c.layout {
		if len(c.wires[segment.Name]) != segment.Length {
			t.Fatalf("%s: %d values for %d wires", segment.Name, len(c.wires[segment.Name]), segment.Length)
		}
		values = append(values, adversary.Integers(c.wires[segment.Name]...)...)
	}
	inputs := adversary.Elements(values...)
	attempt := c.Prover.Solve(inputs, nil)
	for _, number := range attempt.Violated {
		row := c.Prover.System.Rows[number]
		var product fr.Element
		left, right := lint.Sum(row.L, attempt.Values), lint.Sum(row.R, attempt.Values)
		product.Mul(&left, &right)
		for _, candidate := range []fr.Element{product, lint.Sum(row.O, attempt.Values)} {
			old := attempt.Values[1]
			attempt.Values[1] = candidate
			if row.Holds(attempt.Values) {
				inputs[0] = candidate
				return inputs
			}
			attempt.Values[1] = old
		}
	}
	t.Fatal("no row holds the public digest")
	return nil
}

// refusedWith fails the test unless a wire's other value is refused by rows, whatever the hints say.
func (c *alone) refusedWith(t *testing.T, name string, at int, value int64) {
	t.Helper()
	old := c.wires[name][at]
	c.wires[name] = slices.Clone(c.wires[name])
	defer func() { c.wires[name][at] = old }()
	c.wires[name][at] = big.NewInt(value)
	c.refused(t, fmt.Sprintf("%s %d = %d", name, at, value))
}

// refused fails the test unless rows refuse the wires as they are.
func (c *alone) refused(t *testing.T, label string) {
	t.Helper()
	inputs := c.inputs(t)
	if err := c.IsSolved(inputs); err == nil {
		t.Errorf("%s: accepted", label)
	}
	if violated := c.Prover.Solve(inputs, nil).Violated; len(violated) == 0 {
		t.Errorf("%s: every row holds", label)
	}
}
