package trees_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// wide has two leaves over the rows of six nodes.
var wide = room{trees: 2, nodes: 6, predicates: 4, slots: 3, rows: 6, leaves: 2}

// bounds fails the test where a leaf's score with what its slots charge is above what the trees add in one of its cells.
func (w *filled) bounds(t *testing.T, k int) {
	t.Helper()
	for cell := range 1 << w.slots {
		crossed := func(number int64) bool { return cell>>(number-1)&1 == 1 }
		bound, inside := w.get("score", k)>>shift, true
		for j := range w.slots {
			sign := w.get("sign", k*w.slots+j)
			inside = inside && (sign == 0 || (sign == 1) == crossed(int64(j+1)))
			if crossed(int64(j + 1)) {
				bound -= w.get("sum", k*w.slots+j)
			}
		}
		added := int64(0)
		for root := range w.roots {
			added += w.sigma * w.value(w.behind(child{true, int64(root)}), func(number int64) bool { return number > 0 && crossed(number) }) << fraction
		}
		if inside && bound > added {
			t.Errorf("leaf %d, cell %b of %v: bound %d, trees add %d", k, cell, w.forest, bound, added)
		}
	}
}

// drawnLeaves fills both leaves with random signs and charges.
func (w *filled) drawnLeaves(random *rand.Rand) {
	for k := range w.leaves {
		signs := make([]int64, w.slots)
		for j := range signs {
			signs[j] = random.Int64N(3) - 1
		}
		w.leaf(k, signs, func(most int64) int64 { return random.Int64N(most + 1) })
	}
}

// What a leaf adds is a lower bound in each of its cells, whatever is charged; and no wire of it is the prover's choice but the
// charges.
func TestLeavesBoundTheTrees(t *testing.T) {
	circuit, random := wide.compile(t), rand.New(rand.NewPCG(2, 2))
	for number := range 16 {
		w, _ := wide.fill(drawn(wide, random), 1-2*int64(number%2))
		w.drawnLeaves(random)
		w.bounds(t, 0)
		w.bounds(t, 1)
		circuit.Accepts(t, fmt.Sprint("honest ", w.forest), w.given...)
		for _, run := range []string{"sum", "free", "way", "staying", "crossing", "score"} {
			_, lengths := wide.runs()
			i := random.IntN(lengths[run])
			for _, step := range []int64{1, -1} {
				circuit.Refuses(t, fmt.Sprint(run, " ", i, " by ", step, " of ", w.forest), w.with(run, i, w.get(run, i)+step)...)
			}
		}
	}
}

// paired is a root over slot 1 with values 4 and -4, and a chain behind it: a node of slot 2 with values 8 and -8.
var paired = forest{
	roots: 2,
	nodes: []node{{0, child{false, 4}, child{false, -4}, 0}, {1, child{false, 8}, child{false, -8}, 0}},
	facts: []fact{{1, 1, 0}, {2, 1, 0}},
}

// A charge is between 0 and what parts the children, of free rows only; who goes the cheaper way pays it.
func TestCharges(t *testing.T) {
	r := room{trees: 2, nodes: 2, predicates: 2, slots: 2, rows: 3, leaves: 2}
	circuit := r.compile(t)
	nothing := func(int64) int64 { return 0 }
	for _, sigma := range []int64{1, -1} {
		w, _ := r.fill(paired, sigma)
		w.leaf(0, []int64{0, -1}, nothing)
		w.leaf(1, []int64{1, 0}, nothing)
		circuit.Accepts(t, "no charges", w.given...)
		stays := sigma == -1 // the staying child is the smaller one
		charged := func(row, k int, gamma any, much int64) []any {
			sum, score := much, w.get("score", k)
			if stays {
				sum, score = -much, score-much<<shift
			}
			return w.with("charge", k*r.rows+row, gamma, "sum", k*r.slots+row, sum, "score", k, score+much<<shift)
		}
		const apart = 8 << fraction
		circuit.Accepts(t, "all that parts them", charged(0, 0, int64(apart), apart)...)
		circuit.Refuses(t, "one more", charged(0, 0, int64(apart+1), apart+1)...)
		circuit.Refuses(t, "a charge below 0", charged(0, 0, int64(-1), -1)...)
		circuit.Refuses(t, "a charge of a row that stays", charged(1, 0, int64(1), 1)...)
		circuit.Refuses(t, "a charge of a row that is crossed", charged(0, 1, int64(1), 1)...)
		circuit.Refuses(t, "a charge of an empty row", w.with("charge", 2, int64(1))...)
		way := w.get("way", 0)
		larger := w.get("score", 0) + apart<<shift
		circuit.Refuses(t, "the larger child", w.with("way", 0, 1-way, "score", 0, larger)...)
		// The second slot stays in the first leaf, the first one is crossed in the second leaf.
		other := func(row, k int, much int64) []any {
			place := k*r.rows + row
			return w.with("way", place, 1-w.get("way", place), "score", k, w.get("score", k)+much<<(fraction+shift))
		}
		circuit.Refuses(t, "the staying child of a row that is crossed", other(0, 1, 8*sigma)...)
		circuit.Refuses(t, "the crossing child of a row that stays", other(1, 0, -16*sigma)...)
		circuit.Refuses(t, "half a way", w.with("way", 0, half, "score", 0, larger-apart<<(shift-1))...)
	}
}

// A charge that nobody pays, or of another slot or leaf, does not add up.
func TestSumsOfCharges(t *testing.T) {
	r := room{trees: 2, nodes: 2, predicates: 2, slots: 2, rows: 3, leaves: 2}
	circuit := r.compile(t)
	w, _ := r.fill(paired, 1)
	w.leaf(0, []int64{0, 0}, func(int64) int64 { return 3 })
	w.leaf(1, []int64{0, 0}, func(int64) int64 { return 1 })
	circuit.Accepts(t, "honest", w.given...)
	for name, lie := range map[string][]any{
		"a charge that is not summed":        w.with("sum", 0, 0),
		"a charge of the other slot":         w.with("sum", 0, 0, "sum", 1, 6),
		"the sums of the other leaf":         w.with("sum", 0, 1, "sum", 1, 1, "sum", 2, 3, "sum", 3, 3),
		"more than is charged":               w.with("sum", 0, 4, "sum", 1, 2),
		"a loss that does not count":         w.with("way", 0, 0, "charge", 0, 0, "sum", 0, 0),
		"values of the other leaf":           w.with("score", 0, w.get("score", 1), "score", 1, w.get("score", 0)),
		"free as the slot of another leaf":   w.with("free", 0, 0, "charge", 0, 0, "sum", 0, 0),
		"free where the slot is fixed":       fixed(w, r),
		"a crossing that the leaf does not":  w.with("free", 1, 0, "way", 1, 0),
		"an empty row that follows slot one": w.with("free", 2, 1, "way", 2, 1),
	} {
		circuit.Refuses(t, name, lie...)
	}
}

// fixed is a leaf whose first slot stays, with the wires of a free one.
func fixed(w *filled, r room) []any {
	return w.with("sign", 0, -1, "sign", r.slots+1, -1)
}
