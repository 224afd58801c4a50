package search

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// chosen is a random ensemble whose first columns are those of categories: the query has none of their values.
type chosen struct {
	*model
	categories []category
}

// category is the columns of values with thresholds, and whether there are values without any.
type category struct {
	columns []int
	bare    bool
}

// randomCategories makes one or two categories of one to three values with thresholds, and often one without any.
func randomCategories(r *rand.Rand) *chosen {
	columns, first := 1+r.IntN(5), 0
	c := &chosen{model: randomModel(r, columns, 3, 1+r.IntN(5), 1+r.IntN(3), r.IntN(3))}
	for range 1 + r.IntN(2) {
		values := min(1+r.IntN(3), columns-first)
		if values < 1 {
			break
		}
		of := category{bare: r.IntN(2) == 0}
		for column := first; column < first+values; column++ {
			of.columns, c.query[column] = append(of.columns, column), -20
		}
		c.categories, first = append(c.categories, of), first+values
	}
	return c
}

// problem returns the model as its query sees it, with a group for each category: a row for each value, of all slots of its
// column, at the distance of the last one.
func (c *chosen) problem() *Problem {
	p := c.model.problem()
	spans := p.spans()
	for _, of := range c.categories {
		g := Group{Columns: of.columns}
		for j, column := range of.columns {
			own := spans[column]
			row := make([]int, len(of.columns))
			row[j] = own.count
			g.Rows, g.Costs = append(g.Rows, row), append(g.Costs, p.Slots[own.first+own.count-1].gap2())
		}
		if of.bare {
			g.Rows, g.Costs = append(g.Rows, make([]int, len(of.columns))), append(g.Costs, 0)
		}
		p.Groups = append(p.Groups, g)
		p.fill(&g, spans)
	}
	return p
}

// people lists everybody by the cells of the plain predicates: of each category one value, of other columns any.
func (c *chosen) people(p *Problem) [][]int8 {
	cells := [][]int8{{}}
	for first := 0; first < len(p.Slots); {
		until := first
		for ; until < len(p.Slots) && p.Slots[until].Column == p.Slots[first].Column; until++ {
		}
		own := first
		for ; own < until && !p.Slots[own].Above; own++ {
		}
		var next [][]int8
		for _, cell := range cells {
			for position := first; position <= until; position++ {
				longer := slices.Clone(cell)
				for slot := first; slot < until; slot++ {
					// A slot is crossed where the query and the position are on different sides of it.
					longer = append(longer, int8(2*indicator((position > slot) != (own > slot))-1))
				}
				next = append(next, longer)
			}
		}
		cells, first = next, until
	}
	return slices.DeleteFunc(cells, func(cell []int8) bool { return !c.isPerson(p, cell) })
}

// isPerson says whether a cell has one value of each category.
func (c *chosen) isPerson(p *Problem, cell []int8) bool {
	for _, of := range c.categories {
		had := 0
		for _, column := range of.columns {
			count, crossed := 0, 0
			for slot := range p.Slots {
				if p.Slots[slot].Column == column {
					count, crossed = count+1, crossed+int(indicator(cell[slot] == 1))
				}
			}
			if crossed != 0 && crossed != count {
				return false
			}
			had += int(indicator(crossed > 0))
		}
		if had > 1 || had == 0 && !of.bare {
			return false
		}
	}
	return true
}

// Where everybody has a margin of 1 there is a partition that the rules accept; where somebody has 0, that person is named.
func TestLeavesOfGroups(t *testing.T) {
	several := 0
	for seed := range uint64(600) {
		c := randomCategories(rand.New(rand.NewPCG(seed, 8)))
		p := c.problem()
		people := c.people(p)
		least := int64(1) << 40
		for _, cell := range people {
			for s := range p.Slices {
				least = min(least, plainMargin(p, &Cell{cell, s}))
			}
		}
		p.Base += 1 - least
		asked := request(p, p.beyond())
		partition, err := FindLeaves(asked, nil)
		if err != nil || partition.Reason != nil {
			t.Fatalf("seed %d: %v, %+v", seed, err, partition)
		}
		several += int(indicator(len(partition.Leaves) > 1))
		(&rules{t, p, asked.Radius2, partition, c.categories}).check()
		p.Base--
		wrong, err := FindLeaves(asked, nil)
		if err != nil || wrong.Reason == nil || *wrong.Reason != ReasonWrong {
			t.Fatalf("seed %d: %v, %+v", seed, err, wrong)
		}
		if !c.isPerson(p, wrong.Cell.Signs) || plainMargin(p, wrong.Cell) > 0 {
			t.Fatalf("seed %d: the cell %v is nobody's, or is right", seed, wrong.Cell)
		}
	}
	if several < 30 {
		t.Errorf("only %d cases need more than one leaf", several)
	}
}

// Leaves of groups are of a radius beyond all cells, and of no decisions on every slice.
func TestLeavesOfOtherGroups(t *testing.T) {
	p := randomCategories(rand.New(rand.NewPCG(11, 8))).problem()
	if _, err := FindLeaves(request(p, p.beyond()), nil); err != nil {
		t.Fatal(err)
	}
	every := *p
	every.Every = true
	for label, asked := range map[string]*LeavesRequest{
		"a smaller radius": request(p, p.beyond()-1), "every slice": request(&every, p.beyond()),
	} {
		if _, err := FindLeaves(asked, nil); !errors.Is(err, ErrProblem) {
			t.Errorf("%s: %v", label, err)
		}
	}
}

// category is what the worst value of a category adds that somebody in a leaf has, nil where nobody has any.
func (k *rules) category(leaf *Leaf, of category, paid map[int]int64) *big.Int {
	crossed := map[int]bool{}
	for at, slot := range k.partition.Slots {
		if leaf.Signs[at] == 1 {
			crossed[k.p.Slots[slot].Column] = true
		}
	}
	const bare = -1
	var least *big.Int
	has := func(column int) bool {
		for at, slot := range k.partition.Slots {
			if k.p.Slots[slot].Column == column && leaf.Signs[at] == -1 {
				return false
			}
		}
		return true
	}
	for _, column := range append(slices.Clone(of.columns), bare) {
		others := slices.ContainsFunc(of.columns, func(other int) bool { return other != column && crossed[other] })
		if others || !has(column) || column == bare && !of.bare {
			continue
		}
		sum, far := int64(0), int64(0)
		for _, slot := range k.partition.Slots {
			if k.p.Slots[slot].Column == column {
				sum, far = sum+k.p.Slots[slot].Step<<testScale.ValueBits-paid[slot], *k.p.Slots[slot].Gap2
			}
		}
		here := new(big.Int).Lsh(big.NewInt(sum), testScale.FractionBits)
		here.Add(here, new(big.Int).Mul(big.NewInt(leaf.Multiplier), big.NewInt(far)))
		if least == nil || here.Cmp(least) < 0 {
			least = here
		}
	}
	return least
}
