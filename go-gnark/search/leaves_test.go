package search

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

var testScale = Scale{FractionBits: 10, ValueBits: 4, MultiplierBits: 30}

// request asks for many leaves, which tiny ensembles do not need.
func request(p *Problem, radius2 int64) *LeavesRequest {
	return &LeavesRequest{Problem: p, Radius2: radius2, Capacity: 4096, Scale: testScale}
}

// Up to the nearest wrong decision there is a partition that the rules accept, and beyond it there is none.
func TestLeavesProveTheExactRadius(t *testing.T) {
	used, apart, shared := 0, 0, 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 4))
		m := randomModel(r, 1+r.IntN(3), 4, 1+r.IntN(5), 1+r.IntN(3), r.IntN(3))
		p, exact := m.problem(), m.nearest()
		radii := []int64{0, 5, 1 << 20}
		if exact >= 0 {
			radii = []int64{exact, exact / 2, exact + 1}
		}
		for _, radius2 := range radii {
			partition, err := FindLeaves(request(p, radius2), nil)
			if err != nil {
				t.Fatal(err)
			}
			if exact >= 0 && (radius2 > exact || exact == 0 && plainMargin(p, queryCell(p)) <= 0) {
				if partition.Reason == nil || *partition.Reason != ReasonWrong || *partition.Upper2 != exact && radius2 == exact+1 {
					t.Fatalf("seed %d: no refusal at %d, nearest %d: %+v", seed, radius2, exact, partition)
				}
				continue
			}
			if partition.Reason != nil {
				t.Fatalf("seed %d, radius2 %d, nearest %d: %v", seed, radius2, exact, *partition.Reason)
			}
			(&rules{t, p, radius2, partition, nil}).check()
			for _, leaf := range partition.Leaves {
				used += int(indicator(leaf.Used && leaf.Multiplier > 0))
				apart += int(indicator(!leaf.Used))
				shared += int(indicator(len(leaf.Slices) > 1))
			}
		}
	}
	if used < 20 || apart < 20 || shared < 20 {
		t.Errorf("%d leaves with a multiplier, %d by distance, %d of several slices: too few", used, apart, shared)
	}
}

// queryCell is the query's own cell, on the slice where its margin is least.
func queryCell(p *Problem) *Cell {
	worst := &Cell{Signs: slices.Repeat([]int8{-1}, len(p.Slots))}
	for s := range p.Slices {
		if cell := (&Cell{worst.Signs, s}); plainMargin(p, cell) < plainMargin(p, worst) {
			worst = cell
		}
	}
	return worst
}

// Where a limit is too small, the reason names it and what is needed.
func TestLeavesWithinCapacities(t *testing.T) {
	tooMany := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 5))
		m := randomModel(r, 3, 5, 6, 3, 1)
		p, exact := m.problem(), m.nearest()
		if exact < 1 {
			continue
		}
		whole, err := FindLeaves(request(p, exact), nil)
		if err != nil || whole.Reason != nil {
			t.Fatal(err, whole)
		}
		slots, rows := len(whole.Slots), len(whole.Rows)
		for _, limits := range [][2]int{{slots, rows}, {slots - 1, rows}, {slots, rows - 1}} {
			asked := request(p, exact)
			asked.Capacity, asked.Slots, asked.Rows = len(whole.Leaves), &limits[0], &limits[1]
			partition, err := FindLeaves(asked, nil)
			switch {
			case err != nil:
				t.Fatal(err)
			case limits[0] < slots && (*partition.Reason != ReasonSlots || partition.Needed != slots):
				t.Fatalf("%d slots: %v", slots, partition)
			case limits[1] < rows && (*partition.Reason != ReasonRows || partition.Needed != rows):
				t.Fatalf("%d rows: %v", rows, partition)
			case limits[0] == slots && limits[1] == rows && partition.Reason != nil:
				t.Fatalf("%d leaves were enough before: %v", len(whole.Leaves), *partition.Reason)
			}
		}
		if asked := request(p, exact); len(whole.Leaves) > 1 {
			tooMany++
			asked.Capacity = 1
			if partition, err := FindLeaves(asked, nil); err != nil || *partition.Reason != ReasonLeaves || partition.Needed < 2 {
				t.Fatal(err, partition)
			}
		}
	}
	if tooMany < 20 {
		t.Errorf("only %d cases need more than one leaf", tooMany)
	}
}

// A budget or its caller ends a partition.
func TestLeavesEndEarly(t *testing.T) {
	m := randomModel(rand.New(rand.NewPCG(7, 7)), 3, 5, 6, 3, 1)
	zero := int64(0)
	asked := request(m.problem(), m.nearest())
	asked.Budget = Budget{Milliseconds: &zero}
	if partition, err := FindLeaves(asked, nil); err != nil || *partition.Reason != ReasonTime || partition.Leaves != nil {
		t.Error(err, partition)
	}
}

// rules checks a partition as docs/relation-trees.md has it, and shares no code with the search.
type rules struct {
	t         *testing.T
	p         *Problem
	radius2   int64
	partition *Partition
	// categories are those that groups are of, one value each.
	categories []category
}

func (k *rules) check() {
	var live []int
	for i := range k.p.Slots {
		if *k.p.Slots[i].Gap2 < k.radius2 {
			live = append(live, i)
		}
	}
	if !slices.Equal(live, k.partition.Slots) {
		k.t.Fatalf("live slots %v, want %v", k.partition.Slots, live)
	}
	k.rows(live)
	for i := range k.partition.Leaves {
		k.closes(&k.partition.Leaves[i])
	}
	k.covers()
}

// rows derives the live nodes as the evidence has them.
func (k *rules) rows(live []int) {
	want := map[int64]bool{}
	var follow func(ref Ref)
	follow = func(ref Ref) {
		if ref[0] == 0 {
			return
		}
		node := k.p.Nodes[ref[1]]
		if node.Slot < len(k.p.Slots) && !slices.Contains(live, node.Slot) {
			follow(node.Stay)
			return
		}
		want[ref[1]] = true
		follow(node.Stay)
		follow(node.Cross)
	}
	for _, root := range k.p.Roots {
		follow(root)
	}
	for i, node := range k.partition.Rows {
		if !want[int64(node)] || i > 0 && node <= k.partition.Rows[i-1] {
			k.t.Fatalf("rows %v, want %v", k.partition.Rows, want)
		}
	}
	if len(want) != len(k.partition.Rows) {
		k.t.Fatalf("rows %v, want %v", k.partition.Rows, want)
	}
}

// sign returns a slot's sign in a leaf; dead slots stay.
func (k *rules) sign(leaf *Leaf, slot int) int8 {
	if slot >= len(k.p.Slots) {
		return leaf.Sensitive[slot-len(k.p.Slots)]
	}
	if at, ok := slices.BinarySearch(k.partition.Slots, slot); ok {
		return leaf.Signs[at]
	}
	return -1
}

// closes recomputes R-T-LEAF, R-T-CHAIN and R-T-CLOSE of one leaf.
func (k *rules) closes(leaf *Leaf) {
	if leaf.Multiplier < 0 || leaf.Multiplier>>testScale.MultiplierBits != 0 {
		k.t.Fatalf("multiplier %d", leaf.Multiplier)
	}
	if !leaf.Used {
		var distance2 int64
		for i, slot := range k.partition.Slots {
			if leaf.Signs[i] == 1 {
				distance2 += k.delta(slot)
			}
		}
		if distance2 < k.radius2 || distance2 < 1 || leaf.Multiplier != 0 || slices.Max(append(leaf.Charges, 0)) > 0 {
			k.t.Fatalf("a leaf at %d of %d is not used", distance2, k.radius2)
		}
		return
	}
	paid := map[int]int64{}
	values := k.p.Base << testScale.ValueBits
	for _, root := range k.p.Roots {
		least, loss := k.least(leaf, root, paid)
		values += least - loss
	}
	sum := big.NewInt(values)
	sum.Lsh(sum, testScale.FractionBits)
	for first, slot := range k.partition.Slots {
		lower := first > 0 && k.p.Slots[k.partition.Slots[first-1]].Column == k.p.Slots[slot].Column
		ofCategory := slices.ContainsFunc(k.categories, func(of category) bool { return slices.Contains(of.columns, k.p.Slots[slot].Column) })
		if !lower && !ofCategory {
			sum.Add(sum, k.column(leaf, slot, paid))
		}
	}
	for _, of := range k.categories {
		least := k.category(leaf, of, paid)
		if least == nil {
			return // nobody is in the leaf
		}
		sum.Add(sum, least)
	}
	for i := range k.p.Sensitive {
		if i == 0 || k.p.Sensitive[i-1].Column != k.p.Sensitive[i].Column {
			sum.Add(sum, k.outwards(leaf, len(k.p.Slots)+i, 1, paid))
		}
	}
	sum.Sub(sum, new(big.Int).Mul(big.NewInt(leaf.Multiplier), big.NewInt(k.radius2)))
	if sum.Sign() <= 0 {
		k.t.Fatalf("a leaf closes with %v", sum)
	}
}

// least is m of a row, and what it and the rows below it lose.
func (k *rules) least(leaf *Leaf, ref Ref, paid map[int]int64) (least, loss int64) {
	if ref[0] == 0 {
		return ref[1] << testScale.ValueBits, 0
	}
	node := k.p.Nodes[ref[1]]
	at, live := slices.BinarySearch(k.partition.Rows, int32(ref[1]))
	if !live {
		return k.least(leaf, node.Stay, paid)
	}
	stay, lossStay := k.least(leaf, node.Stay, paid)
	cross, lossCross := k.least(leaf, node.Cross, paid)
	loss = lossStay + lossCross
	charge := leaf.Charges[at]
	switch k.sign(leaf, node.Slot) {
	case 1:
		least = cross
	case -1:
		least = stay
	default:
		least = min(stay, cross) + charge
		if charge < 0 || least > max(stay, cross) {
			k.t.Fatalf("the charge %d between %d and %d", charge, stay, cross)
		}
		if cross <= stay {
			paid[node.Slot] += charge
		} else {
			paid[node.Slot] -= charge
			loss += charge
		}
		return least, loss
	}
	if charge != 0 {
		k.t.Fatalf("a fixed row is charged %d", charge)
	}
	return least, loss
}

// delta is a plain slot's squared gap less that of the next nearer one.
func (k *rules) delta(slot int) int64 {
	here, inner := k.p.Slots[slot], slot-1
	if !here.Above {
		inner = slot + 1
	}
	if inner < 0 || inner == len(k.p.Slots) {
		return *here.Gap2
	}
	if there := k.p.Slots[inner]; there.Column == here.Column && there.Above == here.Above {
		return *here.Gap2 - *there.Gap2
	}
	return *here.Gap2
}

// column is H of the innermost slot of the column that begins with a slot.
func (k *rules) column(leaf *Leaf, slot int, paid map[int]int64) *big.Int {
	nearest := slot
	for k.same(nearest, nearest+1) && !k.p.Slots[nearest].Above {
		nearest++
	}
	if !k.p.Slots[nearest].Above {
		return k.outwards(leaf, nearest, -1, paid)
	}
	if k.same(nearest, nearest-1) {
		return k.outwards(leaf, nearest-1, -1, paid)
	}
	return k.outwards(leaf, nearest, 1, paid)
}

// same returns whether two slots are live and of one column.
func (k *rules) same(one, other int) bool {
	plain := len(k.p.Slots)
	if one >= plain || other >= plain {
		one, other = one-plain, other-plain
		known := min(one, other) >= 0 && max(one, other) < len(k.p.Sensitive)
		return known && k.p.Sensitive[one].Column == k.p.Sensitive[other].Column
	}
	_, live := slices.BinarySearch(k.partition.Slots, other)
	return other >= 0 && live && k.p.Slots[one].Column == k.p.Slots[other].Column
}

// outwards is the chain H of a slot: X over the next one outwards, Z is 0 or, from below, the nearest slot above.
func (k *rules) outwards(leaf *Leaf, slot, step int, paid map[int]int64) *big.Int {
	var delta, jump int64
	if slot < len(k.p.Slots) {
		delta, jump = k.delta(slot), k.p.Slots[slot].Step
	} else {
		jump = k.p.Sensitive[slot-len(k.p.Slots)].Step
	}
	crossing := big.NewInt(jump<<testScale.ValueBits - paid[slot])
	crossing.Lsh(crossing, testScale.FractionBits)
	crossing.Add(crossing, new(big.Int).Mul(big.NewInt(leaf.Multiplier), big.NewInt(delta)))
	if k.same(slot, slot+step) {
		crossing.Add(crossing, k.outwards(leaf, slot+step, step, paid))
	}
	staying := new(big.Int)
	if step < 0 && k.same(slot, slot+1) && k.p.Slots[slot+1].Above {
		staying = k.outwards(leaf, slot+1, 1, paid)
	}
	switch sign := k.sign(leaf, slot); {
	case sign == 1 || sign == 0 && crossing.Cmp(staying) < 0:
		return crossing
	default:
		return staying
	}
}

// covers enumerates all cells on all slices; each must lie in exactly one leaf.
func (k *rules) covers() {
	cell := make([]int8, len(k.p.Slots))
	var visit func(i int)
	visit = func(i int) {
		if i < len(k.partition.Slots) {
			slot := k.partition.Slots[i]
			for _, sign := range []int8{-1, 1} {
				if cell[slot] = sign; !k.contradicts(cell, i) {
					visit(i + 1)
				}
			}
			return
		}
		for s := range k.p.Slices {
			if held := k.holding(cell, s); held != 1 {
				k.t.Fatalf("%d leaves have the cell %v on slice %d", held, cell, s)
			}
		}
	}
	visit(0)
}

// contradicts returns whether a cell is above a slot's threshold and not above the one before.
func (k *rules) contradicts(cell []int8, i int) bool {
	if i == 0 || k.p.Slots[k.partition.Slots[i-1]].Column != k.p.Slots[k.partition.Slots[i]].Column {
		return false
	}
	above := func(slot int) bool { return (cell[slot] == 1) == k.p.Slots[slot].Above }
	return above(k.partition.Slots[i]) && !above(k.partition.Slots[i-1])
}

func (k *rules) holding(cell []int8, slice int) int {
	held := 0
	for _, leaf := range k.partition.Leaves {
		in := slices.Contains(leaf.Slices, int32(slice))
		for i, sign := range leaf.Signs {
			in = in && (sign == 0 || sign == cell[k.partition.Slots[i]])
		}
		for i, sign := range leaf.Sensitive {
			in = in && (sign == 0 || (sign == 1) == (k.p.Slices[slice][i] == 1))
		}
		held += int(indicator(in))
	}
	return held
}
