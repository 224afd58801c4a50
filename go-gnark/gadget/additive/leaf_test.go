package additive_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/additive"
	"equiproof/gadget/bounded"
	"equiproof/internal/adversary"
)

// scale is r of the leaves here: a step counts four times.
const scale = 2

// held compiles slots and one leaf over them: a base of twelve signed bits, a radius of eight; then the leaf's own wires, its
// signs, what is taken, and its levels. What the leaf returns follows: its life, and of each slot the sign in absolute
// orientation and the square.
func held(t *testing.T, r room) *adversary.Circuit {
	return adversary.Compile(t, r.wires()+2+3+3*r.slots+1+2*r.slots, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		slots := r.read(a, take)
		bound := additive.Bound{Base: take.Signed(a, 1, 12)[0], Radius: a.Unsigned(take.Take(1)[0], 8), Scale: scale, MultiplierBits: 6}
		own := take.Take(3)
		box := slots.Assert(a, bound, additive.LeafWires{
			Live: own[0], Used: own[1], Multiplier: own[2],
			Signs: take.Take(r.slots), Taken: take.Take(r.slots), Level: take.Take(r.slots),
		})
		live, signs, turned, square := box.Facts()
		a.API().AssertIsEqual(live.Wire(), own[0])
		a.API().AssertIsEqual(take.Take(1)[0], live.Wire())
		for j := range signs {
			a.API().AssertIsEqual(take.Take(1)[0], turned[j])
			a.API().AssertIsEqual(take.Take(1)[0], square[j])
		}
	})
}

// leaf is a leaf in numbers: the base, the radius and what the prover gives.
type leaf struct {
	base, radius           int64
	live, used, multiplier int64
	signs                  []int64
}

// own is where the leaf's own wires are: base, radius, life, use and lambda; then a wire of each slot: sign, taken, level.
func (r room) own(i int) int { return r.wires() + i }

// of is where a wire of slot j of the leaf is: its sign, what is taken, its level, and behind these what is returned.
func (r room) of(run, j int) int { return r.wires() + 5 + run*r.slots + j }

// charged lists delta and charge of each slot under a leaf's lambda.
func (r room) charged(given []any, lambda int64) (deltas, charges []int64) {
	number := func(run, j int) int64 { return given[r.at(run, j)].(int64) }
	for j := range r.slots {
		delta, near := number(gaps, j), j-1
		if number(sides, j) == 0 {
			near = j + 1
		}
		if near >= 0 && near < r.slots && number(columns, near) == number(columns, j) && number(sides, near) == number(sides, j) {
			delta -= number(gaps, near)
		}
		deltas, charges = append(deltas, delta), append(charges, number(steps, j)<<scale+lambda*delta)
	}
	return deltas, charges
}

// fillLeaf lists the honest wires of slots with a leaf, and returns what the least cell adds, cell by cell, and the distance
// of the crossed slots.
func (r room) fillLeaf(predicates []predicate, l leaf) (given []any, least, distance int64) {
	given = r.fill(predicates)
	deltas, charges := r.charged(given, l.multiplier)
	number := func(run, j int) int64 { return given[r.at(run, j)].(int64) }
	levels, taken := make([]int64, r.slots), make([]any, r.slots)
	linked := func(j, next int, side int64) bool {
		return next >= 0 && next < r.slots && number(columns, next) == number(columns, j) && number(sides, next) == side
	}
	level := func(j int) {
		cross, stay := charges[j], int64(0)
		if outer := j + int(2*number(sides, j)-1); linked(j, outer, number(sides, j)) {
			cross += levels[outer]
		}
		if number(sides, j) == 0 && linked(j, j+1, 1) {
			stay = levels[j+1]
		}
		levels[j], taken[j] = stay, 0
		if l.signs[j] == 1 || l.signs[j] == 0 && cross < stay {
			levels[j], taken[j] = cross, 1
		}
	}
	for j := r.slots - 1; j >= 0; j-- {
		if number(sides, j) == 1 {
			level(j)
		}
	}
	for j := range r.slots {
		if number(sides, j) == 0 {
			level(j)
		}
	}
	given = append(given, l.base, l.radius, l.live, l.used, l.multiplier)
	returned := []any{l.live}
	for j, sign := range l.signs {
		given = append(given, sign)
		returned = append(returned, sign*(2*number(sides, j)-1), sign*sign)
		if sign == 1 {
			distance += deltas[j]
		}
	}
	given = append(given, taken...)
	for _, level := range levels {
		given = append(given, level)
	}
	return append(given, returned...), r.least(given, l.signs, charges), distance
}

// least returns the least sum of charges over the cells of a leaf, by trying every cell of every column.
func (r room) least(given []any, signs, charges []int64) (total int64) {
	for first := 0; first < r.slots; {
		end := first + 1
		for end < r.slots && given[r.at(columns, end)] == given[r.at(columns, first)] {
			end++
		}
		var best *int64
		for above := first; above <= end; above++ { // above the thresholds before this one
			sum, allowed := int64(0), true
			for j := first; j < end; j++ {
				crossed := int64(-1)
				if (j < above) == (given[r.at(sides, j)].(int64) == 1) {
					crossed = 1
					sum += charges[j]
				}
				allowed = allowed && signs[j] != -crossed
			}
			if allowed && (best == nil || sum < *best) {
				best = &sum
			}
		}
		total, first = total+*best, end
	}
	return total
}

// boxed draws signs that hold a cell of every column.
func (r room) boxed(random *rand.Rand, predicates []predicate) []int64 {
	given := r.fill(predicates)
	signs := make([]int64, r.slots)
	for first := 0; first < r.slots; {
		end := first + 1
		for end < r.slots && given[r.at(columns, end)] == given[r.at(columns, first)] {
			end++
		}
		low := first + random.IntN(end-first+1)
		high := low + random.IntN(end-low+1)
		for j := first; j < end; j++ {
			over := int64(0)
			if j < low {
				over = 1
			} else if j >= high {
				over = -1
			}
			signs[j] = over * (2*given[r.at(sides, j)].(int64) - 1)
		}
		first = end
	}
	return signs
}

// A leaf that is used closes where its bound, by every cell of every column, is at least 1, and not one below; one that is
// not used where its crossed slots are as far as the radius, and farther than 0.
func TestLeavesCloseExactly(t *testing.T) {
	circuit, random := held(t, six), rand.New(rand.NewPCG(5, 5))
	for number := range 24 {
		l := leaf{live: 1, used: 1, multiplier: random.Int64N(20), radius: 4 * random.Int64N(20), signs: six.boxed(random, crowd)}
		_, least, distance := six.fillLeaf(crowd, l)
		// The base is the first that closes: the bound is from 1 to 2^r.
		open := 1 - least + l.multiplier*l.radius
		l.base = -((-open) >> scale)
		name := fmt.Sprint(number, l)
		given, _, _ := six.fillLeaf(crowd, l)
		circuit.Accepts(t, name, given...)
		circuit.Refuses(t, name+" with one less", with(given, six.own(0), l.base-1)...)
		circuit.Accepts(t, name+" is not live", with(given, six.own(0), l.base-1, six.own(2), 0, six.of(3, 0), 0)...)
		unused := with(given, six.own(3), 0, six.own(0), -2048)
		if distance >= 1 {
			circuit.Accepts(t, name+" by distance", with(unused, six.own(1), distance)...)
			circuit.Refuses(t, name+" inside the ball", with(unused, six.own(1), distance+1)...)
		} else {
			circuit.Refuses(t, name+" by no distance", with(unused, six.own(1), 0)...)
		}
	}
}

// With lambda the bound falls by the radius, one by one: the closing sum is 1 where it is at its edge.
func TestTheEdgeOfALeaf(t *testing.T) {
	circuit := held(t, six)
	l := leaf{base: 30, live: 1, used: 1, multiplier: 1, signs: make([]int64, 6)}
	_, least, _ := six.fillLeaf(crowd, l)
	l.radius = l.base<<scale + least - 1
	given, _, _ := six.fillLeaf(crowd, l)
	circuit.Accepts(t, "one left", given...)
	circuit.Refuses(t, "none left", with(given, six.own(1), l.radius+1)...)
	circuit.Refuses(t, "lambda below 0", with(given, six.own(4), -1)...)
	circuit.Refuses(t, "half used", with(given, six.own(3), half)...)
	circuit.Refuses(t, "used below 0", with(given, six.own(2), 0, six.own(3), -1, six.of(3, 0), 0)...)
	circuit.Refuses(t, "live by half", with(given, six.own(2), half, six.of(3, 0), half)...)
	circuit.Refuses(t, "live below 0", with(given, six.own(1), l.radius+1, six.own(2), -1, six.of(3, 0), -1)...)
	for lambda, fits := range map[int64]bool{63: true, 64: false, -1: false} {
		other, _, _ := six.fillLeaf(crowd, leaf{base: 30, used: 1, multiplier: lambda, signs: make([]int64, 6)})
		if fits {
			circuit.Accepts(t, "the widest lambda", other...)
		} else {
			circuit.Refuses(t, fmt.Sprint("lambda ", lambda), other...)
		}
	}
}

// valley is the crowd where both ways from the query are cheaper than staying.
var valley = []predicate{
	{column: 0, gap: 7, side: 0, step: -5}, {column: 0, gap: 4, side: 0, step: -6}, {column: 0, gap: 1, side: 1, step: -5},
	{column: 0, gap: 9, side: 1, step: 9, dead: true}, {column: 1, gap: 2, side: 1, step: 3}, {column: 1, gap: 5, side: 1, step: -8},
}

// A level or what is taken is none of the prover's choice, in any leaf, live or not.
func TestLevelsFollow(t *testing.T) {
	circuit, random := held(t, six), rand.New(rand.NewPCG(6, 6))
	for number := range 16 {
		l := leaf{base: 1000, multiplier: random.Int64N(20), live: int64(number % 2), used: 1, signs: six.boxed(random, crowd)}
		given, _, _ := six.fillLeaf(crowd, l)
		if number >= 12 {
			l.multiplier, l.signs = int64(number%3), make([]int64, 6)
			given, _, _ = six.fillLeaf(valley, l)
		}
		circuit.Accepts(t, "honest", given...)
		for j := range six.slots {
			level, taken := given[six.of(2, j)].(int64), given[six.of(1, j)].(int)
			circuit.Refuses(t, fmt.Sprint("a higher level of slot ", j), with(given, six.of(2, j), level+1)...)
			circuit.Refuses(t, fmt.Sprint("a lower level of slot ", j), with(given, six.of(2, j), level-1)...)
			circuit.Refuses(t, fmt.Sprint("taken otherwise of slot ", j), with(given, six.of(1, j), 1-taken)...)
			circuit.Refuses(t, fmt.Sprint("half a slot ", j), with(given, six.of(1, j), half)...)
			circuit.Refuses(t, fmt.Sprint("half a sign of slot ", j), with(given, six.of(0, j), half)...)
			circuit.Refuses(t, fmt.Sprint("two signs of slot ", j), with(given, six.of(0, j), 2)...)
		}
	}
}

// alone is one slot above the query.
var alone = room{1, 1, 1}

// A free slot takes the smaller sum, and at a tie none; a crossed one counts and a stayed one does not, whatever is smaller.
func TestOneSlot(t *testing.T) {
	circuit := held(t, alone)
	for _, side := range []int64{0, 1} {
		for _, c := range []struct{ step, sign, taken, level int64 }{
			{-5, 0, 1, -20}, {5, 0, 0, 0}, {0, 0, 0, 0}, {-1, 0, 1, -4}, {5, 1, 1, 20}, {-5, 1, 1, -20}, {-5, -1, 0, 0}, {5, -1, 0, 0},
		} {
			of := []predicate{{column: 0, gap: 3, side: side, step: c.step}}
			given, _, _ := alone.fillLeaf(of, leaf{base: 100, live: 1, used: 1, signs: []int64{c.sign}})
			if given[alone.of(1, 0)] != int(c.taken) || given[alone.of(2, 0)] != c.level {
				t.Fatalf("%+v: taken %v, level %v", c, given[alone.of(1, 0)], given[alone.of(2, 0)])
			}
			circuit.Accepts(t, fmt.Sprint(c), given...)
			other := (1 - c.taken) * c.step << scale
			circuit.Refuses(t, fmt.Sprint(c, " otherwise"), with(given, alone.of(1, 0), 1-c.taken, alone.of(2, 0), other)...)
			if twice := 2 * c.step << scale; c.sign == 0 {
				circuit.Refuses(t, fmt.Sprint(c, " twice"), with(given, alone.of(1, 0), 2, alone.of(2, 0), twice)...)
			} else if c.sign == 1 {
				back := with(given, alone.of(0, 0), -2, alone.of(3, 0)+1, 2-4*side, alone.of(3, 0)+2, 4)
				circuit.Refuses(t, fmt.Sprint(c, " crossed by -2"), back...)
			}
			middle := new(big.Int).Mul(half, big.NewInt(c.step<<scale))
			circuit.Refuses(t, fmt.Sprint(c, " by half"), with(given, alone.of(1, 0), half, alone.of(2, 0), middle)...)
		}
	}
}

// Signs in absolute orientation do not rise along a column, in any leaf; between columns they may.
func TestSignsFall(t *testing.T) {
	pair := func(sides ...int64) []predicate {
		found := []predicate{{0, 5, sides[0], 1, false}, {0, 2, sides[1], 1, false}}
		if sides[0] == 1 {
			found[0].gap, found[1].gap = 2, 5
		}
		return found
	}
	two := room{2, 2, 2}
	circuit := held(t, two)
	for _, of := range [][]predicate{pair(0, 0), pair(0, 1), pair(1, 1), {{0, 2, 1, 1, false}, {1, 5, 0, 1, false}}} {
		for first := int64(-1); first <= 1; first++ {
			for second := int64(-1); second <= 1; second++ {
				signs := []int64{first * (2*of[0].side - 1), second * (2*of[1].side - 1)}
				name := fmt.Sprint(of, signs)
				if of[0].column == of[1].column && first < second {
					circuit.Refuses(t, name, risen(two, of, signs)...)
				} else {
					given, _, _ := two.fillLeaf(of, leaf{base: 100, used: 1, signs: signs})
					circuit.Accepts(t, name, given...)
				}
			}
		}
	}
}

// risen fills a leaf whose signs no cell has.
func risen(r room, of []predicate, signs []int64) []any {
	given, _, _ := r.fillLeaf(of, leaf{base: 100, used: 1, signs: make([]int64, r.slots)})
	number := func(run, j int) int64 { return given[r.at(run, j)].(int64) }
	_, charges := r.charged(given, 0)
	levels := make([]int64, 2)
	order := []int{1, 0}
	if number(sides, 1) == 0 {
		order = []int{0, 1}
	}
	for _, j := range order {
		cross, stay := charges[j], int64(0)
		if number(sides, 0) == number(sides, 1) && j == order[1] {
			cross += levels[order[0]]
		} else if number(sides, 0) == 0 && number(sides, 1) == 1 && j == 0 {
			stay = levels[1]
		}
		taken := 0
		levels[j] = stay
		if signs[j] == 1 || signs[j] == 0 && cross < stay {
			taken, levels[j] = 1, cross
		}
		given = with(given, r.of(0, j), signs[j], r.of(1, j), taken, r.of(2, j), levels[j])
		place := r.of(3, 0) + 1 + 2*j
		given = with(given, place, signs[j]*(2*number(sides, j)-1), place+1, signs[j]*signs[j])
	}
	return given
}
