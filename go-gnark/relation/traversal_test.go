package relation_test

import (
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/backend/groth16"
	"github.com/consensys/gnark/frontend"

	"equiproof/internal/adversary"
	"equiproof/internal/oracle"
	"equiproof/relation"
	"equiproof/shape"
)

// inverse returns 1/n modulo the field's order.
func inverse(n *big.Int) *big.Int { return new(big.Int).ModInverse(n, fr.Modulus()) }

func half() *big.Int { return inverse(big.NewInt(2)) }

// each runs a test for a problem of every shape.
func each(t *testing.T, test func(t *testing.T, p *problem)) {
	for name, s := range shapes() {
		t.Run(name, func(t *testing.T) { test(t, random(t, s, 1, min(2, s.Neurons()-1))) })
	}
}

// The private wires stand in this order, which the prover's layout repeats.
func TestLayout(t *testing.T) {
	want := []relation.Segment{
		{Name: "weights.1", Length: 6}, {Name: "biases.1", Length: 2}, {Name: "weights.2", Length: 2},
		{Name: "biases.2", Length: 1}, {Name: "weights.3", Length: 1}, {Name: "biases.3", Length: 1},
		{Name: "model_blinding", Length: 1}, {Name: "spec_digest", Length: 1}, {Name: "table", Length: 2},
		{Name: "query", Length: 2}, {Name: "query_blinding", Length: 1}, {Name: "label", Length: 1},
		{Name: "radius_squared", Length: 1}, {Name: "context_digest", Length: 1}, {Name: "slice", Length: 14},
		{Name: "pattern", Length: 48}, {Name: "crossed_first", Length: 4}, {Name: "crossed_deeper", Length: 16},
		{Name: "neighbor", Length: 48},
	}
	s := shapes()["two layers"]
	if found := relation.Layout(s); !slices.Equal(found, want) {
		t.Errorf("%v", found)
	}
	if wires := relation.Wires(s); wires != 13+10+14+48+4+16+48 {
		t.Errorf("%d wires", wires)
	}
}

// The honest witness is accepted, for the largest radius that the closure proves and for smaller ones down to zero.
func TestHonestIsAccepted(t *testing.T) {
	each(t, func(t *testing.T, p *problem) {
		for _, radius := range []int64{p.radius.Int64(), p.radius.Int64() - 1, p.radius.Int64() / 2, 1, 0} {
			smaller := p.with(radius)
			smaller.evidence(smaller.closure()).accepted(t, fmt.Sprint("radius ", radius))
		}
	})
}

// The rows after the centres form a set: another order, or more rows than needed, is accepted as well.
func TestRowsHaveNoOrder(t *testing.T) {
	each(t, func(t *testing.T, p *problem) {
		rows := p.closure()
		slices.Reverse(rows[p.shape.Slices:])
		p.evidence(rows).accepted(t, "backwards")
		if len(rows)+1 < p.shape.Capacity {
			p.evidence(append(rows, rows[0], rows[1])).accepted(t, "centres again")
		}
	})
}

// A radius larger by one than the largest is refused, with the evidence of the old one as with all regions it needs.
func TestLargerRadiusIsRefused(t *testing.T) {
	each(t, func(t *testing.T, p *problem) {
		larger := p.with(p.radius.Int64() + 1)
		larger.evidence(larger.closure()).refused(t, "all its regions")
		p.evidence(p.closure()).with("radius_squared", 0, larger.radius).refused(t, "the old evidence")
		largest := p.with(1<<29 - 1)
		e := largest.evidence(p.closure())
		for i := range e.wires["crossed_first"] {
			e.wires["crossed_first"][i] = new(big.Int)
		}
		e.refused(t, "the largest radius there is")
	})
}

// A negative radius, and one that wraps around the field's order, is refused, although no facet is nearer.
func TestRadiusIsANumber(t *testing.T) {
	each(t, func(t *testing.T, p *problem) {
		none := p.with(0)
		e := none.evidence(none.closure())
		e.accepted(t, "no radius")
		for _, radius := range []*big.Int{
			big.NewInt(-1), big.NewInt(-1 << 20), new(big.Int).Rsh(fr.Modulus(), 1), half(),
			new(big.Int).Lsh(big.NewInt(1), 29), new(big.Int).Lsh(big.NewInt(1), 128),
		} {
			e.with("radius_squared", 0, radius).refused(t, radius.String())
		}
		e.with("radius_squared", 0, big.NewInt(-1)).refusedByRange(t, "-1")
	})
}

// E = |c|^-2 makes every excess (c.x + d)^2 - 1; only the range check of the radius refuses it.
func TestRadiusOfTheInverseNorm(t *testing.T) {
	s := shapes()["smallest"]
	// One neuron z = 3 x0 + 4 x1, the logit is its h plus one: both norms are 25.
	p := &problem{
		shape: s, query: []*big.Int{big.NewInt(1), big.NewInt(1)}, label: 1, radius: new(big.Int),
		table: [][]*big.Int{{new(big.Int)}, {big.NewInt(1024)}},
		network: oracle.Network{
			{Weights: [][]*big.Int{{big.NewInt(3), big.NewInt(4), new(big.Int)}}, Biases: []*big.Int{new(big.Int)}},
			{Weights: [][]*big.Int{{big.NewInt(1)}}, Biases: []*big.Int{big.NewInt(1)}},
		},
	}
	e := p.evidence(p.closure())
	e.accepted(t, "no radius")
	e.with("radius_squared", 0, 2).refused(t, "(3 + 4)^2 < 2 * 25 would need the region of no activity")
	e.with("radius_squared", 0, inverse(big.NewInt(25))).refusedByRange(t, "1/25")
}

// The other label, an invalid label, and labels with several bits or negative ones are refused.
func TestOtherLabelsAreRefused(t *testing.T) {
	each(t, func(t *testing.T, p *problem) {
		none := p.with(0)
		e := none.evidence(none.closure())
		if p.shape.Architecture.Logits == 1 {
			e.with("label", 0, 1-p.label).refused(t, "the other one")
			// (2y - 1) logit is three times the margin: the sign is right, and only the bit is not one.
			e.with("label", 0, map[int]int{1: 2, 0: -1}[p.label]).refusedByRange(t, "2 or -1")
			e.with("label", 0, half()).refused(t, "one half")
			return
		}
		for label := range p.shape.Architecture.Logits {
			if label != p.label {
				other := *none
				other.label = label
				other.evidence(none.closure()).refused(t, "another one")
				e.with("label", label, 1).refused(t, "two at once")
				e.with("label", label, -1).refused(t, "one and a negative one")
				e.with("label", label, -1).with("label", p.label, 2).refused(t, "two and a negative one")
				e.with("label", label, half()).with("label", p.label, half()).refused(t, "halves")
			}
		}
		e.with("label", p.label, 0).refused(t, "none")
	})
}

// A network of zeros certifies no label at any radius; with a bias of one above the others it certifies that label, at
// every radius, since it is constant.
func TestZeroNetworkCertifiesNothing(t *testing.T) {
	for name, s := range shapes() {
		zero := random(t, s, 0, 0)
		source := rand.New(rand.NewPCG(1, 1))
		sizes := []int{s.Architecture.Plain + s.Architecture.Sensitive}
		for _, layer := range s.Layers() {
			sizes = append(sizes, layer[0])
		}
		zero.network = oracle.Random(source, sizes, 0, 0)
		last := zero.network[len(zero.network)-1].Biases
		for label := range max(2, s.Architecture.Logits) {
			zero.label = label
			for _, radius := range []int64{0, 1_000_000, 1<<29 - 1} {
				p := zero.with(radius)
				p.evidence(p.closure()).refused(t, fmt.Sprint(name, ": zeros, label ", label))
				decisive, other := min(label, len(last)-1), big.NewInt(1)
				if len(last) == 1 && label == 0 {
					other.SetInt64(-1)
				}
				last[decisive] = other
				e := p.evidence(p.closure())
				e.accepted(t, fmt.Sprint(name, ": constant, label ", label))
				e.with("radius_squared", 0, 1<<29).refusedByRange(t, fmt.Sprint(name, ": constant, a radius of 30 bits"))
				last[decisive] = new(big.Int)
			}
		}
	}
}

// Weights, biases, queries and table entries outside their widths are refused: one more than the largest, one less than
// the smallest, half of the field's order, fractions. -1 is p - 1, and is accepted like any other small number.
func TestNumbersOutOfTheirWidthsAreRefused(t *testing.T) {
	each(t, func(t *testing.T, p *problem) {
		none := p.with(0)
		a := p.shape.Architecture
		widths := map[string]int{"table": p.shape.InputBits, "query": p.shape.InputBits}
		for l := range p.network {
			widths[fmt.Sprintf("weights.%d", l+1)] = a.WeightBits[l]
			widths[fmt.Sprintf("biases.%d", l+1)] = a.BiasBits[l]
		}
		e := none.evidence(none.closure())
		for name, bits := range widths {
			top := new(big.Int).Lsh(big.NewInt(1), uint(bits-1))
			for _, value := range []*big.Int{
				top, new(big.Int).Not(top), new(big.Int).Rsh(fr.Modulus(), 1), half(), new(big.Int).Lsh(big.NewInt(1), 200),
				new(big.Int).Add(e.wires[name][0], new(big.Int).Lsh(big.NewInt(1), uint(bits))),
			} {
				e.with(name, len(e.wires[name])-1, value).refused(t, fmt.Sprint(name, " ", value))
			}
		}
	})
}

// A weight of 17 bits is refused by its range check alone if everything else is honest, and so is one over a neuron that is
// off everywhere, where no value depends on it.
func TestRangeOfWeightsAlone(t *testing.T) {
	p := &problem{
		shape: oracle.ShapeOf(1, 1, []int{2}, 1, 18, 2, 4), query: []*big.Int{big.NewInt(5)}, label: 1, radius: big.NewInt(9),
		table: [][]*big.Int{{new(big.Int)}, {big.NewInt(1024)}},
		network: oracle.Network{
			{Weights: [][]*big.Int{{big.NewInt(1), new(big.Int)}, {new(big.Int), new(big.Int)}}, Biases: []*big.Int{big.NewInt(7), big.NewInt(-1)}},
			{Weights: [][]*big.Int{{big.NewInt(1), big.NewInt(1)}}, Biases: []*big.Int{big.NewInt(1)}},
		},
	}
	e := p.evidence(p.closure())
	e.accepted(t, "honest")
	for _, wide := range []int64{1 << 15, -1<<15 - 1, 1 << 16} {
		p.network[1].Weights[0][0] = big.NewInt(wide)
		if wide < 0 {
			p.network[1].Biases[0] = big.NewInt(1 << 21)
		}
		if !p.holds() {
			t.Fatalf("weight %d: not provable at all", wide)
		}
		p.evidence(p.closure()).refusedByRange(t, fmt.Sprint("weight ", wide))
	}
	for _, value := range []*big.Int{half(), new(big.Int).Rsh(fr.Modulus(), 1), big.NewInt(1 << 15), big.NewInt(-1<<15 - 1)} {
		e.with("weights.2", 1, value).refusedByRange(t, fmt.Sprint("weight over a dead neuron ", value))
	}
	e.with("weights.2", 1, new(big.Int).Sub(fr.Modulus(), big.NewInt(1))).accepted(t, "weight p - 1 is -1")
}

// A set without one of its regions is refused, whichever region is missing, and whether the facets towards it are marked as
// crossed towards some other row or as not crossed.
func TestRegionLeftOutIsRefused(t *testing.T) {
	each(t, func(t *testing.T, p *problem) {
		rows := p.closure()
		for i := p.shape.Slices; i < len(rows); i++ {
			left := rows[i]
			rest := slices.Delete(slices.Clone(rows), i, i+1)
			e := p.evidence(rest)
			e.refused(t, fmt.Sprint("crossed to itself, without ", left))
			p.uncross(e, rest, left).refused(t, fmt.Sprint("not crossed, without ", left))
			for at := i % 5; at < p.shape.Capacity; at += 5 {
				lie := e.clone()
				for row, from := range padded(rest, p.shape.Capacity) {
					for neuron := range p.shape.Neurons() {
						if across(from, neuron) == left && p.crossed(from)[neuron] {
							lie.wires["neighbor"][row*p.shape.Neurons()+neuron] = big.NewInt(int64(at))
						}
					}
				}
				if violated := circuitOf(t, p.shape).Prover.Solve(lie.inputs(lie.digest()), nil).Violated; len(violated) == 0 {
					t.Errorf("crossed to row %d, without %v: every row holds", at, left)
				}
			}
		}
	})
}

// padded repeats the last of the rows up to the capacity.
func padded(rows []region, capacity int) []region {
	rows = slices.Clone(rows)
	for len(rows) < capacity {
		rows = append(rows, rows[len(rows)-1])
	}
	return rows
}

// uncross returns the evidence with every facet towards a region marked as not crossed; facets of the first layer are
// unmarked in the whole slice.
func (p *problem) uncross(e *instance, rows []region, left region) *instance {
	e = e.clone()
	neurons, first := p.shape.Neurons(), p.shape.Architecture.Hidden[0]
	for row, from := range padded(rows, p.shape.Capacity) {
		for neuron := range neurons {
			switch {
			case across(from, neuron) != left:
			case neuron >= first:
				e.wires["crossed_deeper"][row*(neurons-first)+neuron-first] = new(big.Int)
				e.wires["neighbor"][row*neurons+neuron] = big.NewInt(int64(row))
			default:
				e.wires["crossed_first"][from.slice*first+neuron] = new(big.Int)
				for other, at := range padded(rows, p.shape.Capacity) {
					if at.slice == from.slice {
						e.wires["neighbor"][other*neurons+neuron] = big.NewInt(int64(other))
					}
				}
			}
		}
	}
	return e
}

// The same pattern in another slice is no substitute for a region that is missing from its own.
func TestNeighborOfAnotherSliceIsRefused(t *testing.T) {
	tried := 0
	each(t, func(t *testing.T, p *problem) {
		rows := p.closure()
		for i := p.shape.Slices; i < len(rows); i++ {
			rest := slices.Delete(slices.Clone(rows), i, i+1)
			foreign := slices.IndexFunc(rest, func(at region) bool {
				return at.pattern == rows[i].pattern && at.slice != rows[i].slice
			})
			if foreign < 0 {
				continue
			}
			tried++
			e := p.evidence(rest)
			for row, from := range padded(rest, p.shape.Capacity) {
				for neuron, crossed := range p.crossed(from) {
					if crossed && across(from, neuron) == rows[i] {
						e.wires["neighbor"][row*p.shape.Neurons()+neuron] = big.NewInt(int64(foreign))
					}
				}
			}
			e.refused(t, fmt.Sprint(rows[i], " replaced by ", rest[foreign]))
		}
	})
	if tried == 0 {
		t.Error("no region of another slice had the same pattern")
	}
}

// A facet that is wrongly marked as crossed, without its neighbor, is refused, and so is one wrongly marked as not crossed.
func TestCrossingsLied(t *testing.T) {
	each(t, func(t *testing.T, p *problem) {
		rows := p.closure()
		e := p.evidence(rows)
		for _, name := range []string{"crossed_first", "crossed_deeper"} {
			for i, crossed := range e.wires[name] {
				e.with(name, i, 1-int(crossed.Int64())).refused(t, fmt.Sprint(name, i))
				e.with(name, i, 2).refused(t, fmt.Sprint(name, i, " twice"))
				e.with(name, i, -1).refused(t, fmt.Sprint(name, i, " backwards"))
				if i > 4 {
					break
				}
			}
		}
	})
}

// Crossed marks are bits. A mark of 2 would reverse the comparison of a near facet, and make the same pattern in the next
// slice its neighbor; the region across, where the decision flips, would never be visited.
func TestCrossedMarksAreBits(t *testing.T) {
	// The neuron in question is x1 + s - 100, the logit 1000 - 50 relu of it: the flip is at x1 = 120 in the first
	// slice, inside the radius of 141, and at 150 in the second, where s = -30.
	neuron := func(bias int64, weights ...int64) oracle.Layer {
		return oracle.Layer{Weights: [][]*big.Int{integers(weights...)}, Biases: integers(bias)}
	}
	far := oracle.Layer{
		Weights: [][]*big.Int{integers(1, 0, 1), integers(0, 1, 0)}, Biases: integers(10000, 10000),
	}
	top := neuron(1000, -50)
	for name, c := range map[string]struct {
		shape   *shape.Shape
		network oracle.Network
		off     int // the pattern of the centres
	}{
		"crossed_first":  {shapes()["smallest"], oracle.Network{neuron(-100, 1, 0, 1), top}, 0},
		"crossed_deeper": {shapes()["two layers"], oracle.Network{far, neuron(-10100, 1, 0), top}, 3},
	} {
		p := &problem{
			shape: c.shape, network: c.network, query: integers(0, 0), table: [][]*big.Int{integers(0), integers(-30)},
			label: 1, radius: big.NewInt(20000),
		}
		if p.holds() || !p.crossed(region{0, c.off})[p.shape.Neurons()-1] {
			t.Fatalf("%s: the statement is to be false, by a flip across a near facet", name)
		}
		on := c.off | 1<<(p.shape.Neurons()-1)
		e := p.evidence([]region{{0, c.off}, {1, c.off}, {1, on}})
		e.with(name, 0, 2).with("neighbor", p.shape.Neurons()-1, 1).refusedByRange(t, name)
	}
}

func integers(values ...int64) []*big.Int {
	var found []*big.Int
	for _, value := range values {
		found = append(found, big.NewInt(value))
	}
	return found
}

// A row takes values and crossed facets from its slice; a prover that answers the lookup differently is refused.
func TestStartsAreLookedUp(t *testing.T) {
	each(t, func(t *testing.T, p *problem) {
		e := p.evidence(p.closure())
		circuit := circuitOf(t, p.shape)
		var one fr.Element
		one.SetOne()
		var wires []int
		circuit.Prover.Solve(e.inputs(e.digest()), func(wire int, origin adversary.Origin, _ *fr.Element) {
			if origin == adversary.Lookup {
				wires = append(wires, wire)
			}
		})
		want := (p.shape.Capacity-p.shape.Slices)*(p.shape.Architecture.Hidden[0]+1) + p.shape.Capacity*p.shape.Neurons()
		if len(wires) != want {
			t.Fatalf("%d lookups, want %d", len(wires), want)
		}
		for i := 0; i < len(wires); i += 1 + len(wires)/10 {
			for _, step := range []int64{1, -1} {
				attempt := circuit.Prover.Solve(e.inputs(e.digest()), func(wire int, _ adversary.Origin, value *fr.Element) {
					if wire == wires[i] {
						var by fr.Element
						value.Add(value, by.SetInt64(step))
					}
				})
				if len(attempt.Violated) == 0 {
					t.Errorf("lookup %d answered with another value: every row holds", i)
				}
			}
		}
	})
}

// A row's slice is one of the shape's slices. One more, a negative one, and a fraction, which would place the lookup's index
// between two slices, are refused.
func TestSlicesOutOfRangeAreRefused(t *testing.T) {
	each(t, func(t *testing.T, p *problem) {
		e := p.evidence(p.closure())
		columns := big.NewInt(int64(p.shape.Architecture.Hidden[0] + 1))
		for _, row := range []int{0, len(e.wires["slice"]) - 1} {
			for _, slice := range []*big.Int{
				big.NewInt(int64(p.shape.Slices)), big.NewInt(int64(p.shape.Capacity)), big.NewInt(-1), half(), inverse(columns),
				new(big.Int).Neg(inverse(columns)), inverse(new(big.Int).Lsh(big.NewInt(1), uint(p.shape.Neurons()))),
				new(big.Int).Lsh(big.NewInt(1), 200),
			} {
				e.with("slice", row, slice).refused(t, slice.String())
			}
		}
	})
}

// A slice of 3/4 would forge a region: with three first-layer neurons, its lookup is off by one column, reads other
// neurons' values and no crossed facet, and its key 8 * 3/4 + 7 is that of pattern 5 in slice 1, where the decision flips.
// Only the range check of the slice refuses it.
func TestRegionOfAFractionalSlice(t *testing.T) {
	numbers := func(values ...int64) []*big.Int {
		var found []*big.Int
		for _, value := range values {
			found = append(found, big.NewInt(value))
		}
		return found
	}
	p := &problem{
		shape: oracle.ShapeOf(1, 1, []int{3}, 1, 18, 2, 4), query: numbers(0), table: [][]*big.Int{numbers(0), numbers(1)},
		label: 1, radius: big.NewInt(400),
		network: oracle.Network{
			// z0 = x - 10 in slice 1 and far away in slice 0, z1 = x - 5000, z2 = 0.
			{Weights: [][]*big.Int{numbers(1, 990), numbers(1, 0), numbers(0, 0)}, Biases: numbers(-1000, -5000, 0)},
			{Weights: [][]*big.Int{numbers(-50, 0, 100)}, Biases: numbers(100)}, // 100 - 50 z0 < 0 from x = 13 on
		},
	}
	centre, missing := region{1, 0b100}, region{1, 0b101}
	if rows := p.closure(); !slices.Equal(rows, []region{{0, 0b100}, centre, missing}) || p.away(missing) || p.with(144).holds() == p.holds() {
		t.Fatalf("closure %v", rows)
	}
	p.with(144).evidence(p.closure()).accepted(t, "radius 12")
	p.evidence(p.closure()).refused(t, "radius 20")
	e := p.evidence([]region{{0, 0b100}, centre, {1, 0b111}, {0, 0b100}})
	e.wires["slice"][0] = new(big.Int).Mul(big.NewInt(3), inverse(big.NewInt(4)))
	e.wires["neighbor"] = numbers(0, 0, 0, 2, 1, 1, 2, 2, 2, 3, 3, 3)
	e.refusedByRange(t, "radius 20 with a region of slice 3/4")
}

// A centre's row is the region that contains the centre. Any other pattern is refused, with the label of that pattern and
// with the right one, even if only the signs at the centre are wrong.
func TestCentresAreTheirOwnRegions(t *testing.T) {
	alone := 0
	each(t, func(t *testing.T, p *problem) {
		none := p.with(0)
		circuit := circuitOf(t, p.shape)
		right := none.closure()
		for slice := range p.table {
			for number := range 1 << p.shape.Neurons() {
				if number == right[slice].pattern {
					continue
				}
				wrong := slices.Clone(right)
				wrong[slice].pattern = number
				for label := range max(2, p.shape.Architecture.Logits) {
					other := *none
					other.label = label
					e := other.evidence(wrong)
					violated := circuit.Prover.Solve(e.inputs(e.digest()), nil).Violated
					if len(violated) == 0 {
						t.Errorf("pattern %b for %b, label %d: every row holds", number, right[slice].pattern, label)
					}
					if len(violated) <= 2 {
						alone++
						e.refusedByRange(t, "one sign only")
					}
				}
			}
		}
	})
	if alone == 0 {
		t.Error("no pattern was wrong in nothing but a sign")
	}
}

// A facet nearer than the radius cannot be denied: if it is marked as not crossed, with each row as its own neighbor, the
// distance check alone refuses it.
func TestNearFacetsCannotBeDenied(t *testing.T) {
	denied := map[bool]int{}
	for name, s := range shapes() {
		for seed := range uint64(3) {
			p := random(t, s, seed, min(2, s.Neurons()-1))
			neurons, first := s.Neurons(), s.Architecture.Hidden[0]
			honest, rows := p.evidence(p.closure()), padded(p.closure(), s.Capacity)
			for row, at := range rows[:len(p.closure())-1] {
				for neuron, crossed := range p.crossed(at) {
					if !crossed {
						continue
					}
					e := honest.clone()
					if neuron < first {
						e.wires["crossed_first"][at.slice*first+neuron] = new(big.Int)
						for other, from := range rows {
							if from.slice == at.slice {
								e.wires["neighbor"][other*neurons+neuron] = big.NewInt(int64(other))
							}
						}
					} else {
						e.wires["crossed_deeper"][row*(neurons-first)+neuron-first] = new(big.Int)
						e.wires["neighbor"][row*neurons+neuron] = big.NewInt(int64(row))
					}
					if denied[neuron < first]++; denied[neuron < first] < 12 {
						e.refusedByRange(t, fmt.Sprint(name, ": ", at, " across ", neuron))
					}
				}
			}
		}
	}
	if denied[true] == 0 || denied[false] == 0 {
		t.Errorf("near facets of the first layer and of others: %v", denied)
	}
}

// Patterns are bits: other digits that pack to the key of a region of the set are refused, in centres and in padding.
func TestPatternsAreBits(t *testing.T) {
	each(t, func(t *testing.T, p *problem) {
		e := p.evidence(p.closure())
		neurons := p.shape.Neurons()
		for _, row := range []int{0, 1, p.shape.Slices, p.shape.Capacity - 1} {
			bits := e.wires["pattern"][row*neurons : (row+1)*neurons]
			for i := range bits[1:] {
				lower, upper := bits[i].Int64(), bits[i+1].Int64()
				e.with("pattern", row*neurons+i, int(lower)+2).with("pattern", row*neurons+i+1, int(upper)-1).
					refused(t, fmt.Sprintf("row %d, digits %d %d", row, lower+2, upper-1))
				e.with("pattern", row*neurons+i, int(lower)-2).with("pattern", row*neurons+i+1, int(upper)+1).
					refused(t, fmt.Sprintf("row %d, digits %d %d", row, lower-2, upper+1))
			}
			e.with("pattern", row*neurons, half()).refused(t, "one half")
		}
	})
}

// Padding rows are checked like all others: a region is accepted as padding exactly if it satisfies the relation within the
// set.
func TestPaddingIsChecked(t *testing.T) {
	refused := 0
	for name, s := range shapes() {
		for seed := range uint64(2) {
			p := random(t, s, seed, 0)
			rows := p.closure()
			if len(rows) == s.Capacity {
				continue
			}
			for number := range s.Slices << s.Neurons() {
				extra := region{number % s.Slices, number / s.Slices}
				set := append(slices.Clone(rows), extra)
				if e, about := p.evidence(set), fmt.Sprint(name, seed, " padding ", extra); p.closed(set) {
					e.accepted(t, about)
				} else {
					e.refused(t, about)
					refused++
				}
			}
		}
	}
	if refused == 0 {
		t.Error("every region was good padding")
	}
}

// closed reports whether a set of regions satisfies the relation: the neighbors across crossed facets are in the set (for
// the first layer, facets that the slice crosses), and no decision hyperplane is nearer than the radius.
func (p *problem) closed(set []region) bool {
	for _, at := range set {
		if !p.away(at) {
			return false
		}
		for neuron, crossed := range p.crossed(at) {
			if crossed && !slices.Contains(set, across(at, neuron)) {
				return false
			}
		}
	}
	return true
}

// A neighbor's index names the row of the neighbor, or one that repeats it, and no other row; where nothing is crossed it
// names the row itself.
func TestNeighborIndicesLied(t *testing.T) {
	each(t, func(t *testing.T, p *problem) {
		e := p.evidence(p.closure())
		rows := padded(p.closure(), p.shape.Capacity)
		circuit, neurons := circuitOf(t, p.shape), p.shape.Neurons()
		inputs := e.inputs(e.digest())
		last := len(inputs) - len(e.wires["neighbor"])
		for row := 0; row < len(rows); row += 1 + len(rows)/4 {
			for neuron := range neurons {
				i := row*neurons + neuron
				honest := rows[e.wires["neighbor"][i].Int64()]
				for at := -1; at <= p.shape.Capacity; at += 1 + len(rows)/17 {
					lie := slices.Clone(inputs)
					lie[last+i].SetInt64(int64(at))
					allowed := at >= 0 && at < len(rows) && rows[at] == honest
					if violated := circuit.Prover.Solve(lie, nil).Violated; (len(violated) == 0) != allowed {
						t.Errorf("row %d (%v), facet %d, neighbor %d: rows %v do not hold", row, rows[row], neuron, at, violated)
					}
				}
			}
		}
		e.with("neighbor", 0, half()).refused(t, "half a row")
	})
}

// The statement's digest binds every part: another value of a part that the relation itself accepts is refused under the
// old digest and accepted under its own.
func TestStatementBindsItsParts(t *testing.T) {
	each(t, func(t *testing.T, p *problem) {
		smaller := p.with(p.radius.Int64() - 1)
		e := smaller.evidence(smaller.closure())
		digest := e.digest()
		e.acceptedFor(t, "honest", digest)
		e.refusedFor(t, "another digest", new(big.Int).Add(digest, big.NewInt(1)))
		e.refusedFor(t, "no digest", new(big.Int))
		for _, name := range []string{"model_blinding", "spec_digest", "query_blinding", "context_digest"} {
			other := e.with(name, 0, new(big.Int).Add(e.wires[name][0], big.NewInt(1)))
			other.accepted(t, name)
			other.refusedFor(t, name, digest)
		}
		other := e.with("radius_squared", 0, new(big.Int).Sub(smaller.radius, big.NewInt(1)))
		if again := smaller.with(smaller.radius.Int64() - 1); slices.Equal(again.closure(), smaller.closure()) {
			other = again.evidence(again.closure())
			other.accepted(t, "radius")
		}
		other.refusedFor(t, "radius", digest)
	})
}

// A network, query or table other than the committed one is refused even if its own statement holds: the test changes each
// number by one and computes new evidence.
func TestCommitmentsBindTheirNumbers(t *testing.T) {
	for _, name := range []string{"two layers", "three logits"} {
		none := random(t, shapes()[name], 0, 1).with(0)
		digest := none.evidence(none.closure()).digest()
		accepted := 0
		change := func(about string, value *big.Int) {
			value.Add(value, big.NewInt(1))
			e := none.evidence(none.closure())
			if none.holds() {
				accepted++
				e.accepted(t, about)
			}
			e.refusedFor(t, about, digest)
			value.Sub(value, big.NewInt(1))
		}
		for l, layer := range none.network {
			for i := range layer.Biases {
				change(fmt.Sprint("bias ", l, i), layer.Biases[i])
				for j := range layer.Weights[i] {
					change(fmt.Sprint("weight ", l, i, j), layer.Weights[i][j])
				}
			}
		}
		for j := range none.query {
			change(fmt.Sprint("query ", j), none.query[j])
		}
		for slice := range none.table {
			for j := range none.table[slice] {
				change(fmt.Sprint("table ", slice, j), none.table[slice][j])
			}
		}
		if accepted < 10 {
			t.Errorf("%s: %d changed numbers keep a statement that holds", name, accepted)
		}
	}
}

// No certificate of a tiny network is false: if the circuit accepts the closure, every grid point closer than the radius
// has the same decision on every slice; if a hyperplane of the closure is nearer, the circuit refuses.
func TestAcceptedMeansTrue(t *testing.T) {
	s := oracle.ShapeOf(1, 1, []int{2, 1}, 1, 8, 2, 16)
	source := rand.New(rand.NewPCG(8, 8))
	circuit := circuitOf(t, s)
	outcomes := map[bool]int{}
	for range 60 {
		p := &problem{
			shape: s, network: oracle.Random(source, []int{2, 2, 1, 1}, 3, 9), query: oracle.Vector(source, 1, 20),
			table: [][]*big.Int{{new(big.Int)}, {big.NewInt(1)}}, label: source.IntN(2), radius: big.NewInt(source.Int64N(200)),
		}
		e := p.evidence(p.closure())
		accepted := len(circuit.Prover.Solve(e.inputs(e.digest()), nil).Violated) == 0
		if accepted != p.holds() {
			t.Errorf("accepted is %v, the closure holds is %v", accepted, p.holds())
		}
		outcomes[accepted]++
		for step := int64(-15); accepted && step <= 15; step++ {
			if step*step >= max(1, p.radius.Int64()) {
				continue
			}
			for _, row := range p.table {
				point := []*big.Int{new(big.Int).Add(p.query[0], big.NewInt(step)), row[0]}
				if _, logits := p.network.Evaluate(point); oracle.Decision(logits) != p.label && step*step > 0 || step == 0 && oracle.Decision(logits) != p.label {
					t.Errorf("certified within %v of %v, yet %v is decided by %v", p.radius, p.query, point, logits)
				}
			}
		}
	}
	if outcomes[true] < 5 || outcomes[false] < 5 {
		t.Errorf("%d accepted, %d refused", outcomes[true], outcomes[false])
	}
}

// No other outputs of the hints satisfy the circuit: the test changes a sample of them and recomputes the rest.
func TestMaliciousHints(t *testing.T) {
	lintedShapes(t, func(t *testing.T, l *linted) {
		source := rand.New(rand.NewPCG(4, 4))
		for _, wire := range slices.Sorted(maps.Keys(l.Prover.Hints)) {
			hint := l.Prover.Hints[wire]
			if adversary.Drawn(hint) || source.IntN(len(l.Prover.Hints)/40) > 0 {
				continue
			}
			attempt := l.Prover.Solve(l.inputs, func(at int, _ adversary.Origin, value *fr.Element) {
				if at == wire {
					mutated := []fr.Element{*value, {}, *value, *value}
					mutated[0].Add(value, new(fr.Element).SetInt64(1))
					mutated[2].Neg(value)
					mutated[3].Double(value)
					if *value = mutated[source.IntN(4)]; value.IsZero() {
						value.SetInt64(-1)
					}
				}
			})
			if len(attempt.Violated) == 0 && !attempt.Values[wire].Equal(&l.values[wire]) {
				t.Errorf("wire %d of hint %s can be another", wire, hint)
			}
		}
	})
}

// honest solves the circuit for honest inputs.
func honest(t *testing.T, circuit *adversary.Circuit, inputs []fr.Element) []fr.Element {
	t.Helper()
	attempt := circuit.Prover.Solve(inputs, nil)
	if len(attempt.Violated) > 0 {
		t.Fatalf("honest: rows %v do not hold", attempt.Violated)
	}
	return attempt.Values
}

// The real prover proves the honest witness, for its digest and no other, and cannot prove a cheat.
func TestRealProofs(t *testing.T) {
	s := shapes()["smallest"]
	p := random(t, s, 3, 0)
	circuit := circuitOf(t, s)
	pk, vk, err := groth16.Setup(circuit.Compiled)
	if err != nil {
		t.Fatal(err)
	}
	prove := func(e *instance, digest *big.Int) (groth16.Proof, error) {
		full, err := frontend.NewWitness(assigned(s, e.inputs(digest)), ecc.BN254.ScalarField())
		if err != nil {
			t.Fatal(err)
		}
		return groth16.Prove(circuit.Compiled, pk, full)
	}
	verify := func(proof groth16.Proof, digest *big.Int) error {
		public, err := frontend.NewWitness(&relation.Traversal{Digest: digest}, ecc.BN254.ScalarField(), frontend.PublicOnly())
		if err != nil {
			t.Fatal(err)
		}
		return groth16.Verify(proof, vk, public)
	}
	e := p.evidence(p.closure())
	proof, err := prove(e, e.digest())
	if err != nil {
		t.Fatal(err)
	}
	if err := verify(proof, e.digest()); err != nil {
		t.Error(err)
	}
	if err := verify(proof, new(big.Int).Add(e.digest(), big.NewInt(1))); err == nil {
		t.Error("the proof holds for another digest")
	}
	for name, cheat := range map[string]*instance{
		"larger radius":   e.with("radius_squared", 0, new(big.Int).Add(p.radius, big.NewInt(1))),
		"negative radius": e.with("radius_squared", 0, -1),
		"other label":     e.with("label", 0, 1-p.label),
		"wide weight":     e.with("weights.1", 0, 1<<15),
	} {
		if _, err := prove(cheat, cheat.digest()); err == nil {
			t.Errorf("%s: proven", name)
		}
	}
}

// assigned turns inputs into the circuit's assignment.
func assigned(s *shape.Shape, inputs []fr.Element) *relation.Traversal {
	circuit := relation.New(s)
	circuit.Digest = inputs[0]
	for i := range circuit.Wires {
		circuit.Wires[i] = inputs[i+1]
	}
	return circuit
}
