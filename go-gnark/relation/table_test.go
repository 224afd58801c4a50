package relation_test

import (
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"

	"equiproof/internal/adversary"
	"equiproof/internal/lint"
	"equiproof/internal/oracle"
	"equiproof/internal/turns"
	"equiproof/relation"
	"equiproof/shape"
	"equiproof/system"
)

// tabled is a table, the network that decides its rows, and the cells that they lie in.
type tabled struct {
	shape   *shape.Table
	network oracle.Network
	rows    [][]*big.Int
	cells   []int // of padding -1
}

// atLast is a challenge of a last commitment.
var atLast = big.NewInt(8888888888)

// eachTable runs a test for tables of few and many cells, whose first row is a tie and whose last one is padding.
func eachTable(t *testing.T, test func(t *testing.T, c *tabled, w told)) {
	for name, sizes := range map[string]struct {
		hidden        []int
		logits, cells int
	}{
		"one layer, one cell": {[]int{2}, 1, 1}, "two layers, two cells": {[]int{3, 2}, 1, 2}, "three layers, eight cells": {[]int{2, 2, 1}, 1, 8},
		"two logits": {[]int{2}, 2, 3},
	} {
		t.Run(name, func(t *testing.T) {
			c := tableOf(sizes.hidden, sizes.logits, 5, sizes.cells)
			test(t, c, c.wires())
		})
	}
}

// tableOf draws a table of at least two rows. The bias of the last logit makes the first one a tie.
func tableOf(hidden []int, logits, rows, cells int) *tabled {
	random := rand.New(rand.NewPCG(7, uint64(cells)))
	s := oracle.ShapeOf(2, 1, hidden, logits, 18, 2, 4)
	c := &tabled{shape: shape.TableOf(s, rows, cells), network: oracle.Random(random, slices.Concat([]int{3}, hidden, []int{logits}), 90, 900)}
	for i := range rows {
		c.rows, c.cells = append(c.rows, oracle.Vector(random, 3, 1<<17-1)), append(c.cells, (i*3)%cells)
	}
	c.cells[rows-1] = -1
	for j := range c.rows[rows-1] {
		c.rows[rows-1][j] = new(big.Int)
	}
	_, found := c.network.Evaluate(c.rows[0])
	biases := c.network[len(hidden)].Biases
	biases[logits-1] = new(big.Int).Sub(biases[logits-1], marginOf(found))
	return c
}

// marginOf is that of label 1.
func marginOf(logits []*big.Int) *big.Int {
	if len(logits) == 1 {
		return logits[0]
	}
	return new(big.Int).Sub(logits[1], logits[0])
}

// unit is what a row of a cell counts in an element, 0 in those of other cells.
func unit(cell, element int) *big.Int {
	if cell < 0 || cell/shape.CountsPerElement != element {
		return new(big.Int)
	}
	return new(big.Int).Lsh(big.NewInt(1), uint(shape.CountBits*(cell%shape.CountsPerElement)))
}

// wires are the honest ones.
func (c *tabled) wires() told {
	w := told{
		"model_commitment": {big.NewInt(11)}, "link_blinding": {big.NewInt(12)}, "spec_digest": {big.NewInt(13)},
		"context_digest": {big.NewInt(14)}, "table_digest": {big.NewInt(15)}, "part": {big.NewInt(3)},
		"blinding_before": {big.NewInt(16)}, "blinding_after": {big.NewInt(17)},
	}
	for l, layer := range c.network {
		for _, row := range layer.Weights {
			w[fmt.Sprintf("weights.%d", l+1)] = append(w[fmt.Sprintf("weights.%d", l+1)], row...)
			for _, weight := range row {
				if l > 0 && l < len(c.network)-1 {
					name := fmt.Sprintf("negative_part.%d", l+1)
					w[name] = append(w[name], new(big.Int).Sub(big.NewInt(0), minimum(weight, new(big.Int))))
				}
			}
		}
		w[fmt.Sprintf("biases.%d", l+1)] = layer.Biases
	}
	for i, row := range c.rows {
		w["columns"] = append(w["columns"], row...)
		for e := range c.shape.Elements() {
			w["units"] = append(w["units"], unit(c.cells[i], e))
		}
		w.pass(c.network, row, none)
	}
	for e := range c.shape.Elements() {
		w["granted_before"] = append(w["granted_before"], big.NewInt(int64(5+e)))
		w["tied_before"] = append(w["tied_before"], big.NewInt(int64(1+e)))
	}
	return w
}

func minimum(x, y *big.Int) *big.Int {
	if x.Cmp(y) < 0 {
		return x
	}
	return y
}

// none is no neuron.
var none = [2]int{-1, -1}

// pass appends the wires of a row that a network decides, where one neuron, by layer and place, is said to be of the other side.
func (w told) pass(network oracle.Network, row []*big.Int, other [2]int) {
	inputs := row
	for l, layer := range network {
		outputs := make([]*big.Int, len(layer.Biases))
		for i, weights := range layer.Weights {
			z := new(big.Int).Set(layer.Biases[i])
			for j, weight := range weights {
				z.Add(z, new(big.Int).Mul(weight, inputs[j]))
			}
			outputs[i] = z
			if l == len(network)-1 {
				continue
			}
			below := z.Sign() < 0 != (other == [2]int{l, i})
			negative := big.NewInt(map[bool]int64{true: 1}[below])
			w[fmt.Sprintf("value.%d", l+1)] = append(w[fmt.Sprintf("value.%d", l+1)], z)
			w[fmt.Sprintf("negative.%d", l+1)] = append(w[fmt.Sprintf("negative.%d", l+1)], negative)
			if below {
				outputs[i] = new(big.Int)
			}
		}
		inputs = outputs
	}
	margin := marginOf(inputs)
	w["sign"] = append(w["sign"], big.NewInt(int64(margin.Sign())))
	w["magnitude"] = append(w["magnitude"], new(big.Int).Abs(margin))
}

// clone returns wires that can be changed.
func (w told) clone() told {
	other := told{}
	for name, values := range w {
		other[name] = slices.Clone(values)
	}
	return other
}

// counted returns the elements of the counts behind these rows: of grants, and of ties.
func (w told) counted() (granted, tied []*big.Int) {
	elements := len(w["granted_before"])
	for e := range elements {
		more, ties := new(big.Int).Set(w["granted_before"][e]), new(big.Int).Set(w["tied_before"][e])
		for i, sign := range w["sign"] {
			square := new(big.Int).Mul(sign, sign)
			plus := new(big.Int).Add(square, sign)
			half := new(big.Int).ModInverse(big.NewInt(2), fr.Modulus())
			more.Add(more, plus.Mul(plus, half).Mul(plus, w["units"][i*elements+e]))
			ties.Add(ties, square.Sub(big.NewInt(1), square).Mul(square, w["units"][i*elements+e]))
		}
		granted, tied = append(granted, more.Mod(more, fr.Modulus())), append(tied, ties.Mod(ties, fr.Modulus()))
	}
	return granted, tied
}

// countsDigest hides counts.
func countsDigest(granted, tied []*big.Int, blinding *big.Int) *big.Int {
	return oracle.Hash(slices.Concat([]*big.Int{oracle.Tag("equiproof.table.counts"), big.NewInt(1)}, granted, tied, []*big.Int{blinding})...)
}

// stating is what a statement about a table says, by the names of its parts.
func (w told) stating(t testing.TB, s *shape.Table) map[string]*big.Int {
	t.Helper()
	granted, tied := w.counted()
	said := map[string]*big.Int{
		"before": countsDigest(w["granted_before"], w["tied_before"], w["blinding_before"][0]),
		"after":  countsDigest(granted, tied, w["blinding_after"][0]),
		"shown":  w.shownAt(t, s.Sizes(), atR), "shape": s.Digest(),
	}
	for _, name := range []string{"model_commitment", "spec_digest", "context_digest", "table_digest", "part"} {
		said[name] = w[name][0]
	}
	return said
}

// publicOf is the public input of what is said about a table with these numbers.
func publicOf(said map[string]*big.Int, numbers []*big.Int) *big.Int {
	stated := oracle.Hash(oracle.Tag("equiproof.table.statement"), big.NewInt(1), said["shape"], said["model_commitment"], said["spec_digest"],
		said["context_digest"], said["table_digest"], said["part"], said["before"], said["after"], said["shown"])
	at, value := new(big.Int).Exp(atLast, big.NewInt(3), fr.Modulus()), new(big.Int)
	for _, number := range slices.Backward(numbers) {
		value.Mul(value, at).Add(value, number).Mod(value, fr.Modulus())
	}
	return oracle.Hash(oracle.Tag("equiproof.table.shown"), big.NewInt(1), stated, value)
}

// numbers are the coefficients of the table's polynomial.
func (w told) numbers() []*big.Int { return slices.Concat(w["columns"], w["units"]) }

// tablesOf is the circuit of counts over tables of a shape.
func tablesOf(t testing.TB, s *shape.Table) *opened {
	t.Helper()
	key := s.Digest().String()
	if found, ok := circuits.Load(key); ok {
		return found.(*opened)
	}
	found := openedUnder(t, system.Groth16, relation.NewTable(s))
	circuits.Store(key, found)
	return found
}

// bothChallenges is the change by which both commitments have challenges of one's own.
func bothChallenges(p *adversary.Prover) adversary.Change {
	return func(wire int, _ adversary.Origin, value *fr.Element) {
		switch wire {
		case p.System.First.Challenge:
			value.SetBigInt(atR)
		case p.System.Challenge:
			value.SetBigInt(atLast)
		}
	}
}

// tableRefusing names the parts whose rows do not hold for these wires under a public input.
func (w told) tableRefusing(t testing.TB, s *shape.Table, public *big.Int) map[string]bool {
	t.Helper()
	circuit := tablesOf(t, s)
	found := circuit.refusing(append([]*big.Int{public}, w.in(t, circuit.layout)...), bothChallenges(circuit.Prover))
	if len(found) > 1 {
		delete(found, system.RangeTable)
	}
	return found
}

// Honest counts are accepted, and the circuit is judged without a complaint.
func TestTablesAreAccepted(t *testing.T) {
	eachTable(t, func(t *testing.T, c *tabled, w told) {
		if found := w.tableRefusing(t, c.shape, publicOf(w.stating(t, c.shape), w.numbers())); len(found) > 0 {
			t.Errorf("refused by %v", found)
		}
		if sign := w["sign"][0]; sign.Sign() != 0 {
			t.Errorf("the first row has sign %d, want a tie", sign)
		}
		circuit := relation.NewTable(c.shape)
		if _, _, err := system.Groth16.Judged(circuit); err != nil {
			t.Error(err)
		}
		// Both kinds of judge stand apart: neither takes the other's circuits.
		if err := lint.JudgeKept(tablesOf(t, c.shape).Compiled, circuit.Words()); err == nil {
			t.Error("judged as a certificate")
		}
	})
}

// rowLies are wires of other rows or decisions than the table's, by the lie's name, and the part that refuses each under a public input
// that states what they count.
func rowLies(c *tabled, w told) map[string]struct {
	told told
	part string
} {
	lies := map[string]struct {
		told told
		part string
	}{}
	add := func(part, name string, change func(lie told)) {
		lie := w.clone()
		change(lie)
		lies[name] = struct {
			told told
			part string
		}{lie, part}
	}
	rows, columns, elements := len(c.rows), len(c.rows[0]), c.shape.Elements()
	overBut := func(lie told, row int, by oracle.Network, inputs []*big.Int, other [2]int) {
		passed := told{}
		passed.pass(by, inputs, other)
		for name, values := range passed {
			copy(lie[name][row*len(values):], values)
		}
	}
	over := func(lie told, row int, by oracle.Network, inputs []*big.Int) { overBut(lie, row, by, inputs, none) }
	copyRow := func(lie told, to, from int) {
		copy(lie["columns"][to*columns:(to+1)*columns], w["columns"][from*columns:])
		copy(lie["units"][to*elements:(to+1)*elements], w["units"][from*elements:])
		over(lie, to, c.network, c.rows[from])
	}
	another := slices.Clone(c.network)
	last := len(another) - 1
	another[last] = oracle.Layer{Weights: another[last].Weights, Biases: slices.Clone(another[last].Biases)}
	another[last].Biases[0] = plus(another[last].Biases[0], 5000)
	add("layers", "another-model-for-a-row: biases", func(lie told) { over(lie, 1, another, c.rows[1]) })
	first := slices.Clone(c.network)
	first[0].Biases = slices.Clone(first[0].Biases)
	first[0].Biases[0] = plus(first[0].Biases[0], 77)
	if len(c.network[last].Biases) == 2 {
		swapped := slices.Clone(c.network)
		logits := c.network[last]
		swapped[last] = oracle.Layer{
			Weights: [][]*big.Int{logits.Weights[1], logits.Weights[0]}, Biases: []*big.Int{logits.Biases[1], logits.Biases[0]},
		}
		add("layers", "labels-exchanged", func(lie told) { over(lie, 1, swapped, c.rows[1]) })
	}
	add("layers", "another-model-for-a-row: layer 1", func(lie told) { over(lie, 1, first, c.rows[1]) })
	add("table", "row-left-out", func(lie told) {
		for e := range elements {
			lie["units"][elements+e] = new(big.Int)
		}
	})
	add("table", "row-doubled", func(lie told) { copyRow(lie, rows-1, 1) })
	add("table", "row-in-place-of-another", func(lie told) { copyRow(lie, 2, 1) })
	add("table", "rows-exchanged", func(lie told) { copyRow(lie, 2, 1); copyRow(lie, 1, 2) })
	add("table", "another-sensitive-value", func(lie told) {
		inputs := slices.Clone(c.rows[1])
		inputs[columns-1] = plus(inputs[columns-1], 1024)
		copy(lie["columns"][columns:], inputs)
		over(lie, 1, c.network, inputs)
	})
	add("table", "count-of-another-cell", func(lie told) {
		for e := range elements {
			lie["units"][elements+e] = unit((c.cells[1]+1)%(c.shape.Cells+1), e)
		}
	})
	add("table", "row-counts-twice", func(lie told) {
		for e := range elements {
			lie["units"][elements+e] = new(big.Int).Lsh(w["units"][elements+e], 1)
		}
	})
	add("table", "padding-counts", func(lie told) { lie["units"][(rows-1)*elements] = unit(0, 0) })
	for name, sign := range map[string]int64{"granted": 1, "refused": -1} {
		add("decision", "tie-is-"+name+": no magnitude", func(lie told) { lie["sign"][0] = big.NewInt(sign) })
		add("layers", "tie-is-"+name+": a magnitude", func(lie told) {
			lie["sign"][0], lie["magnitude"][0] = big.NewInt(sign), big.NewInt(1)
		})
	}
	for i, sign := range w["sign"] {
		if sign.Sign() == 0 {
			continue
		}
		add("layers", "other-decision: sign "+strconv.Itoa(i), func(lie told) { lie["sign"][i] = new(big.Int).Neg(sign) })
		add("decision", "other-decision: magnitude below 0, row "+strconv.Itoa(i), func(lie told) {
			lie["sign"][i], lie["magnitude"][i] = new(big.Int).Neg(sign), new(big.Int).Neg(w["magnitude"][i])
		})
		add("layers", "decision-is-a-tie, row "+strconv.Itoa(i), func(lie told) {
			lie["sign"][i], lie["magnitude"][i] = new(big.Int), new(big.Int)
		})
	}
	add("decision", "tie-with-a-magnitude", func(lie told) { lie["magnitude"][0] = big.NewInt(9) })
	for l := range c.network[:last] {
		values, size := fmt.Sprintf("value.%d", l+1), len(c.network[l].Biases)
		for i, value := range w[values] {
			at := fmt.Sprintf("%s %d", values, i)
			add("layers", "another-value: "+at, func(lie told) { lie[values][i] = plus(value, 1) })
			if value.Sign() != 0 {
				add("activation", "other-side: "+at, func(lie told) {
					overBut(lie, i/size, c.network, c.rows[i/size], [2]int{l, i % size})
				})
			}
		}
	}
	return lies
}

// Each lie about rows is refused by rows of one part alone, whatever it states that it counts; what follows from the lie, as the values of
// later layers, is as the lie makes it.
func TestTableLiesAreRefused(t *testing.T) {
	t.Parallel()
	eachTable(t, func(t *testing.T, c *tabled, w told) {
		for name, lie := range rowLies(c, w) {
			// The verifier's table is the honest one.
			found := slices.Collect(maps.Keys(lie.told.tableRefusing(t, c.shape, publicOf(lie.told.stating(t, c.shape), w.numbers()))))
			if part := lie.part; len(found) != 1 || found[0] != part && found[0] != system.RangeTable {
				t.Errorf("%s: refused by %q, want %q", name, found, part)
			}
		}
	})
}

// A statement that says anything else than the wires do is refused by the row of the public input: counts of a part left out, twice, in
// another order, of another table, before or after, or of a model that the link does not show.
func TestTableStatementsAreHeld(t *testing.T) {
	eachTable(t, func(t *testing.T, c *tabled, w told) {
		honest := w.stating(t, c.shape)
		for name := range honest {
			said := maps.Clone(honest)
			said[name] = plus(said[name], 1)
			if found := w.tableRefusing(t, c.shape, publicOf(said, w.numbers())); !maps.Equal(found, map[string]bool{"table": true}) {
				t.Errorf("another %s: refused by %v", name, found)
			}
		}
		granted, tied := w.counted()
		moved := slices.Clone(granted)
		moved[0] = plus(moved[0], 1)
		for name, after := range map[string]*big.Int{
			"a grant more":         countsDigest(moved, tied, w["blinding_after"][0]),
			"grants for ties":      countsDigest(tied, granted, w["blinding_after"][0]),
			"another blinding":     countsDigest(granted, tied, big.NewInt(1)),
			"the part before":      honest["before"],
			"a part that is twice": countsDigest(twice(granted, w["granted_before"]), twice(tied, w["tied_before"]), w["blinding_after"][0]),
		} {
			said := maps.Clone(honest)
			said["after"] = after
			if found := w.tableRefusing(t, c.shape, publicOf(said, w.numbers())); !maps.Equal(found, map[string]bool{"table": true}) {
				t.Errorf("%s: refused by %v", name, found)
			}
		}
		for name, lie := range map[string]told{
			"another word": w.at("biases.1", 0, plus(w["biases.1"][0], 1)), "another C": w.with("model_commitment", big.NewInt(5)),
			"another E": w.with("link_blinding", big.NewInt(6)),
		} {
			if found := lie.tableRefusing(t, c.shape, publicOf(honest, w.numbers())); !found["table"] {
				t.Errorf("%s: refused by %v", name, found)
			}
		}
	})
}

// twice is what counts would be if their last part was counted once more.
func twice(after, before []*big.Int) (found []*big.Int) {
	for e := range after {
		more := new(big.Int).Lsh(after[e], 1)
		found = append(found, more.Sub(more, before[e]))
	}
	return found
}

// Wires that have no width, or are no bits, are refused.
func TestTableWidths(t *testing.T) {
	eachTable(t, func(t *testing.T, c *tabled, w told) {
		for name, lie := range map[string]told{
			"sign": w.at("sign", 1, big.NewInt(2)), "half a sign": w.at("sign", 1, half()), "negative": w.at("negative.1", 0, big.NewInt(2)),
			"magnitude": w.at("magnitude", 1, new(big.Int).Lsh(big.NewInt(1), 200)),
			"value":     w.at("value.1", 0, new(big.Int).Lsh(big.NewInt(1), 200)),
		} {
			if found := lie.tableRefusing(t, c.shape, publicOf(lie.stating(t, c.shape), w.numbers())); !found["activation"] && !found["decision"] {
				t.Errorf("%s: refused by %v", strings.TrimSpace(name), found)
			}
		}
	})
}

// Wires of counts over tables are all held: no wire can be changed alone, none is left open by rows, inputs and challenges, and what stands
// in challenged rows is committed, but for the public input in its one row.
func TestNoWireOfTablesIsFree(t *testing.T) {
	eachTable(t, func(t *testing.T, c *tabled, w told) {
		circuit := tablesOf(t, c.shape)
		prover := circuit.Prover
		opened, inputs := prover.System, elementsOf(publicOf(w.stating(t, c.shape), w.numbers()), w.in(t, circuit.layout))
		values := prover.Solve(inputs, bothChallenges(prover)).Values
		all, given := make([]int, opened.Wires()-1), []int{}
		for i := range all {
			all[i] = i + 1
			if i+1 < opened.Public+opened.Secret {
				given = append(given, i+1)
			}
		}
		for _, wire := range opened.Free(values, all) {
			if !adversary.Drawn(prover.Hints[wire]) {
				t.Errorf("wire %d of %q can be changed alone", wire, prover.Hints[wire])
			}
		}
		for _, wire := range opened.Loose(values, append(append(given, opened.Committed...), opened.Challenge), false) {
			t.Errorf("wire %d of %q is loose", wire, prover.Hints[wire])
		}
		if found := opened.Uncovered(); !slices.Equal(found, []int{1}) {
			t.Errorf("wires %v of challenged rows are not committed, want the public input alone", found)
		}
		for at, segment := opened.Public, circuit.layout; len(segment) > 0; segment = segment[1:] {
			name, _, _ := strings.Cut(segment[0].Name, ".")
			for range segment[0].Length {
				_, committed := slices.BinarySearch(opened.Committed, at)
				numbers := []string{"columns", "units", "value", "weights", "biases"}
				if slices.Contains(numbers, name) && !committed {
					t.Errorf("wire %d of %s is not committed", at, name)
				}
				at++
			}
		}
	})
}

// The judge of late statements refuses certificates, whose digest is compared before the last challenge is known.
func TestLateStatementsAreOfTablesAlone(t *testing.T) {
	certificate := selected(t, keptShape(with(shape.Branching, oracle.ShapeOf(2, 1, []int{1}, 1, 18, 2, 4))))
	compiled, err := system.Groth16.Compile(certificate)
	if err != nil {
		t.Fatal(err)
	}
	if err := lint.JudgeLate(compiled, relation.Words(certificate)); err == nil || !strings.Contains(err.Error(), "the last challenge") {
		t.Errorf("%v", err)
	}
	if _, _, err := system.Plonk.Judged(relation.NewTable(tableOf([]int{2}, 1, 2, 1).shape)); err == nil {
		t.Error("there is a key of PLONK")
	}
}

// testdata/table.csv has the constraints of counts over tables in four cells: of a proof about 64 rows, of each further row, the largest degree
// of an identity in the challenge, and the constraints of links, which are proven once.
func TestTableConstraintCounts(t *testing.T) {
	turns.Take(t)
	const few, cells = 64, 4
	rows := [][]string{{"inputs", "hidden", "cells", "rows", "constraints", "a row more", "words", "degree", "link"}}
	for _, hidden := range [][]int{{4, 2}, {16, 8}, {64, 64}, {100, 50}} {
		s := oracle.ShapeOf(18, 2, hidden, 1, 18, 2, 4)
		small, large := relation.NewTable(shape.TableOf(s, few, cells)), relation.NewTable(shape.TableOf(s, 2*few, cells))
		compiled, err := system.Groth16.Compile(small)
		if err != nil {
			t.Fatal(err)
		}
		opened, err := lint.Read(compiled)
		if err != nil {
			t.Fatal(err)
		}
		opened.Late = true
		degrees, err := opened.Degrees()
		if err != nil {
			t.Fatal(err)
		}
		count := compiled.GetNbConstraints()
		more := float64(constraintsOf(t, large)-count) / few
		rows = append(rows, []string{
			"18+2", strings.Trim(strings.ReplaceAll(fmt.Sprint(hidden), " ", "x"), "[]"), strconv.Itoa(cells), strconv.Itoa(few),
			strconv.Itoa(count), strconv.FormatFloat(more, 'f', 1, 64), strconv.Itoa(small.Words()),
			strconv.FormatUint(slices.Max(degrees), 10), strconv.Itoa(constraintsOf(t, relation.NewLink(shape.LinkOf(s)))),
		})
	}
	pinned(t, "table.csv", rows)
}
