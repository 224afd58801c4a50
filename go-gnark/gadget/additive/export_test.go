package additive

import (
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
)

// Facts returns what Orient found.
func (o Oriented) Facts() (side, gap2 bounded.Int, live frontend.Variable) {
	return o.side, o.gap2, o.live
}

// Facts returns what NewSlots found of slot j: its delta, and whether it is joined to a neighbor of its own side outwards,
// leads to one above the query, and is led to by none.
func (s *Slots) Facts(j int) []bounded.Int {
	return []bounded.Int{s.delta[j], s.up[j+1], s.down[j], s.turn[j], s.head[j]}
}

// NewBox makes the cells of a leaf from its signs in absolute orientation.
func NewBox(live bounded.Int, signs, turned, square []frontend.Variable) Box {
	return Box{live: live, signs: signs, turned: turned, square: square}
}

// Facts returns the wires of a box.
func (b Box) Facts() (live bounded.Int, signs, turned, square []frontend.Variable) {
	return b.live, b.signs, b.turned, b.square
}

// Weights returns tau of every slot.
func (s *Slots) Weights(api frontend.API, challenge frontend.Variable) ([]frontend.Variable, error) {
	return s.weights(api, challenge)
}

// Powers returns the powers of rho for slices, and their sum.
func (s *Slots) Powers(api frontend.API, challenge frontend.Variable, slices int) ([]frontend.Variable, frontend.Variable, error) {
	return s.powers(api, challenge, slices)
}

// Sensitive returns what is known of the sensitive slots: side, step and delta, and how they are joined.
func (s *Slots) Sensitive() (facts [][]bounded.Int) {
	for j := s.plain(); j < len(s.side); j++ {
		facts = append(facts, []bounded.Int{s.side[j], s.step[j], s.delta[j], s.same[j+1], s.up[j+1], s.down[j], s.turn[j], s.head[j]})
	}
	return facts
}

// Levels returns the levels of a leaf with their bounds.
func (s *Slots) Levels(a *bounded.Arith, b Bound, multiplier bounded.Int, charges []bounded.Int, wires []frontend.Variable) []bounded.Int {
	return s.levels(a, b, multiplier, charges, wires)
}

// Serving returns a box that serves slices.
func (b Box) Serving(slices []frontend.Variable) Box {
	b.slices = slices
	return b
}
