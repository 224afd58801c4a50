package additive

import (
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/digest"
)

// Block is how many slots share a challenge: their weights are its powers 2^0 to 2^(Block - 1). A further challenge for
// the next slots is hashed from the first one.
const Block = 40

// Cover makes the boxes of the live leaves a partition of all cells (R-T-COVER).
//
// Slot j has a weight tau_j. A cell weighs the product of the weights of the slots whose thresholds it is above, which is
// another monomial for each cell; a box weighs the sum over its cells. Relation: the weights of the live boxes add up to
// that of everything, so each cell is in exactly one, for all but a negligible share of challenges. Precondition: signs are
// -1, 0 or 1 and fall along columns. Outside it: a box weighs something else than its cells. Cost: four constraints per leaf
// and slot; 433 for each block but the first. Where boxes serve some slices only, a cell is one of a slice, each slice has a
// power of one more challenge, and a leaf has one constraint more for each.
func (s *Slots) Cover(a *bounded.Arith, statement frontend.Variable, boxes []Box) {
	defer a.Part("cover")()
	committed := func() []frontend.Variable {
		wires := []frontend.Variable{statement}
		for _, same := range s.same[1 : len(s.same)-1-s.sensitive] {
			wires = append(wires, same.Wire())
		}
		for _, box := range boxes {
			wires = append(append(append(append(wires, box.live.Wire()), box.signs...), box.turned...), box.square...)
			wires = append(wires, box.slices...)
		}
		return wires
	}
	a.Argue(committed, func(api frontend.API, challenge frontend.Variable) error {
		weights, err := s.weights(api, challenge)
		if err != nil {
			return err
		}
		powers, all, err := s.powers(api, challenge, len(boxes[0].slices))
		if err != nil {
			return err
		}
		sum, half := frontend.Variable(0), new(big.Int).ModInverse(two, api.Compiler().Field())
		for _, box := range boxes {
			weight := s.weigh(api, weights, func(j int) (below, above frontend.Variable) {
				// The square and the turned sign, both halved, are 1 for a sign of 1 and 0 for the others; their difference is 1 for -1.
				return api.Sub(1, api.Mul(api.Add(box.square[j], box.turned[j]), half)),
					api.Sub(1, api.Mul(api.Sub(box.square[j], box.turned[j]), half))
			})
			sum = api.Add(sum, api.Mul(box.serves(api, powers), weight))
		}
		everything := s.weigh(api, weights, func(int) (below, above frontend.Variable) { return 1, 1 })
		api.AssertIsEqual(sum, api.Mul(all, everything))
		return nil
	})
}

// powers returns the powers of rho, one for each slice, and their sum; no power and the sum 1 where boxes serve all slices.
// Rho is hashed from the challenge behind those of the slots.
func (s *Slots) powers(api frontend.API, challenge frontend.Variable, slices int) ([]frontend.Variable, frontend.Variable, error) {
	if slices == 0 {
		return nil, 1, nil
	}
	rho, err := digest.Hash(api, digest.Tag("equiproof.cover"), (s.plain()-1)/Block+1, challenge)
	if err != nil {
		return nil, nil, err
	}
	powers, all, power := make([]frontend.Variable, slices), frontend.Variable(0), frontend.Variable(1)
	for slice := range powers {
		if slice > 0 {
			power = api.Mul(power, rho)
		}
		powers[slice], all = power, api.Add(all, power)
	}
	return powers, all, nil
}

// serves returns by what a box's weight counts: whether it is live or, where boxes serve some slices only, the sum of their
// powers.
func (b Box) serves(api frontend.API, powers []frontend.Variable) frontend.Variable {
	if len(powers) == 0 {
		return b.live.Wire()
	}
	sum := frontend.Variable(0)
	for slice, power := range powers {
		sum = api.Add(sum, api.Mul(b.slices[slice], power))
	}
	return sum
}

// weights returns tau of every slot of a plain column.
func (s *Slots) weights(api frontend.API, challenge frontend.Variable) ([]frontend.Variable, error) {
	weights, power := make([]frontend.Variable, s.plain()), challenge
	for j := range weights {
		switch {
		case j > 0 && j%Block == 0:
			fresh, err := digest.Hash(api, digest.Tag("equiproof.cover"), j/Block, challenge)
			if err != nil {
				return nil, err
			}
			power = fresh
		case j > 0:
			power = api.Mul(power, power)
		}
		weights[j] = power
	}
	return weights, nil
}

// weigh returns the weight of a box, which allows each slot below its threshold, above it, or both.
//
// Behind the threshold that a cell is not above, it is above none of the column: then `next`, the weight over the columns
// behind, goes on.
func (s *Slots) weigh(api frontend.API, weights []frontend.Variable, allows func(j int) (below, above frontend.Variable),
) frontend.Variable {
	all, next := frontend.Variable(1), frontend.Variable(1)
	for j := len(weights) - 1; j >= 0; j-- {
		if j+1 < len(weights) {
			// Where slot j ends its column, all is the weight of the columns behind it; inside a column, next is that already.
			next = api.Add(all, api.Mul(s.same[j+1].Wire(), api.Sub(next, all)))
		}
		below, above := allows(j)
		all = api.Add(api.Mul(below, next), api.Mul(above, api.Mul(weights[j], all)))
	}
	return all
}
