package search

import (
	"math"
	"math/big"
)

// Scale is that of evidence: values and charges have ValueBits fractional bits, multipliers FractionBits more, and a
// multiplier has at most MultiplierBits.
type Scale struct {
	FractionBits   uint `json:"fraction_bits"`
	ValueBits      uint `json:"value_bits"`
	MultiplierBits uint `json:"multiplier_bits"`
}

// closing decides in integers whether charges and a multiplier prove a box, by R-T-LEAF, R-T-CHAIN and R-T-CLOSE.
type closing struct {
	scale Scale
	// charges are those of the last call, by rows of the ball.
	charges    []int64
	multiplier int64
	least      []int64
	paid       []int64
	signs      []int8
	sum, term  big.Int
	// floor is the least charged sum of a column or a group so far, where known.
	floor big.Int
	known bool
}

func newClosing(b *ball, scale Scale) *closing {
	return &closing{
		scale: scale, charges: make([]int64, len(b.rows)), least: make([]int64, len(b.rows)),
		paid: make([]int64, len(b.steps)), signs: make([]int8, len(b.steps)),
	}
}

// proves rounds the best point of an ascent and returns whether the margins of the box in the ball of a squared radius
// are at least 1. Charges and multiplier are then those of the evidence.
func (k *closing) proves(d *dual, radius2 int64) bool {
	clear(k.charges)
	for i, from := range d.from {
		k.charges[from] = int64(d.kept[i] * math.Exp2(float64(k.scale.ValueBits)))
	}
	top := math.Exp2(float64(min(k.scale.MultiplierBits, 62))) - 1024
	scaled := d.keptMult * math.Exp2(float64(k.scale.ValueBits+k.scale.FractionBits))
	k.multiplier = int64(min(max(math.Round(scaled), 0), max(top, 0)))
	return k.holds(d.ball, &d.box, d.sign, radius2)
}

// plain returns whether the box is proven without charges or multiplier.
func (k *closing) plain(r *reduced, radius2 int64) bool {
	clear(k.charges)
	k.multiplier = 0
	return k.holds(r.ball, &r.box, r.sign, radius2)
}

// holds cuts the charges to what rows allow, from the bottom up, and decides the closing sum of the box. Signs are those of who is in it.
func (k *closing) holds(b *ball, w *box, sign []int8, radius2 int64) bool {
	clear(k.paid)
	b.signs(w, k.signs)
	q := k.scale.ValueBits
	values := b.constant << q
	for i := len(b.rows) - 1; i >= 0; i-- {
		row := &b.rows[i]
		stay, cross := k.below(b, row.stay), k.below(b, row.cross)
		switch sign[row.slot] {
		case -1:
			k.charges[i], k.least[i] = 0, stay
			values -= k.settle(i, row.slot, -1, stay, cross)
		case 1:
			k.charges[i], k.least[i] = 0, cross
			values -= k.settle(i, row.slot, 1, stay, cross)
		default:
			k.least[i] = min(stay, cross)
			var loss int64
			k.charges[i], loss = cut(k.charges[i], stay, cross)
			if k.charges[i] < 0 {
				k.least[i] -= k.charges[i]
			} else {
				k.least[i] += k.charges[i]
			}
			values -= loss
			k.paid[row.slot] += k.charges[i]
		}
	}
	for _, root := range b.trees[:len(b.trees)-1] {
		values += k.least[root]
	}
	k.sum.Lsh(k.sum.SetInt64(values), k.scale.FractionBits)
	for c := range b.columns {
		if !b.grouped(c) {
			k.sum.Add(&k.sum, k.level(b, c, w.low[c], w.high[c]))
		}
	}
	for g := range b.groups {
		k.sum.Add(&k.sum, k.rowsLevel(&b.groups[g], b.steps, w.rows[g]))
	}
	k.term.Mul(k.term.SetInt64(k.multiplier), k.floor.SetInt64(radius2))
	return k.sum.Cmp(&k.term) > 0
}

// settle charges a row that a box leaves free, and who is in it does not, so that it has the value of its crossing child where its slot is
// crossed, else that of its staying child; it returns what the row loses. Everybody who crosses brings a loss back, and nobody pays what
// a stayed row charges.
func (k *closing) settle(i int, slot int32, sign int8, stay, cross int64) (loss int64) {
	switch apart := stay - cross; {
	case k.signs[slot] != 0:
		return 0
	case sign < 0:
		k.charges[i] = max(apart, 0)
	default:
		k.charges[i] = min(apart, 0)
		loss = -k.charges[i]
	}
	k.paid[slot] += k.charges[i]
	return loss
}

// cut returns the part of a charge that a free row allows, and the loss that it brings.
func cut(charge, stay, cross int64) (allowed, loss int64) {
	switch {
	case charge > 0 && cross < stay:
		return min(charge, stay-cross), 0
	case charge < 0 && stay < cross:
		charge = max(charge, stay-cross)
		return charge, -charge
	default:
		return 0, 0
	}
}

func (k *closing) below(b *ball, at int32) int64 {
	if at < 0 {
		return b.leaves[^at] << k.scale.ValueBits
	}
	return k.least[at]
}

// level adds up a column's charged steps outwards, and returns the least sum over an interval of positions.
func (k *closing) level(b *ball, number int, low, high int16) *big.Int {
	c := &b.columns[number]
	k.known = false
	consider := func(at int, sum int64) { k.consider(c.gap2[at], sum) }
	var sum int64
	for i := c.own; i <= int(high); i++ {
		if i > c.own {
			sum += b.steps[c.first+i-1]<<k.scale.ValueBits - k.paid[c.first+i-1]
		}
		if i >= int(low) {
			consider(i, sum)
		}
	}
	sum = 0
	for i := c.own - 1; i >= int(low); i-- {
		sum += b.steps[c.first+i]<<k.scale.ValueBits - k.paid[c.first+i]
		if i <= int(high) {
			consider(i, sum)
		}
	}
	return &k.floor
}

// rowsLevel adds up charged steps of a group's rows, and returns the least sum.
func (k *closing) rowsLevel(g *group, steps []int64, rows []int32) *big.Int {
	k.known = false
	for _, r := range rows {
		var sum int64
		for _, slot := range g.rows[r].crossed {
			sum += steps[slot]<<k.scale.ValueBits - k.paid[slot]
		}
		k.consider(g.rows[r].cost, sum)
	}
	return &k.floor
}

// consider lowers the floor to a charged sum at a squared distance.
func (k *closing) consider(gap2, sum int64) {
	here := k.term.Lsh(k.term.SetInt64(sum), k.scale.FractionBits)
	if gap2 > 0 && k.multiplier > 0 {
		var far big.Int
		here.Add(here, far.Mul(far.SetInt64(gap2), big.NewInt(k.multiplier)))
	}
	if !k.known || here.Cmp(&k.floor) < 0 {
		k.floor.Set(here)
	}
	k.known = true
}
