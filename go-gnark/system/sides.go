package system

import (
	"github.com/consensys/gnark/constraint"
	cs "github.com/consensys/gnark/constraint/bn254"
)

// balance exchanges the factors of constraints so that fewer wires stand in a right one.
//
// A constraint says left * right = out, whichever factor is called left; but the prover adds a point of G2 for every wire
// that stands in a right one anywhere, which costs about three of G1. From the first constraint to the last, the factor
// goes right that brings fewer wires which no other constraint has there, until a whole pass changes nothing. The result
// depends on the system alone.
func balance(compiled *cs.R1CS) {
	var products []product
	for _, packed := range compiled.Instructions {
		instruction := packed.Unpack(&compiled.System)
		if _, ok := compiled.Blueprints[packed.BlueprintID].(*constraint.BlueprintGenericR1C); ok {
			products = append(products, product(instruction.Calldata))
		}
	}
	right := make([]int, compiled.GetNbPublicVariables()+compiled.GetNbSecretVariables()+compiled.GetNbInternalVariables())
	count := func(terms []uint32, by int) {
		for i := 1; i < len(terms); i += 2 {
			right[terms[i]] += by
		}
	}
	fresh := func(terms []uint32) (wires int) {
		for i := 1; i < len(terms); i += 2 {
			if right[terms[i]] == 0 {
				wires++
			}
		}
		return wires
	}
	for _, p := range products {
		count(p.right(), 1)
	}
	for changed := true; changed; {
		changed = false
		for _, p := range products {
			count(p.right(), -1)
			// Strictly fewer: every exchange lowers the number of wires, so that the passes end.
			if fresh(p.left()) < fresh(p.right()) {
				p.exchange()
				changed = true
			}
			count(p.right(), 1)
		}
	}
}

// product is a constraint as gnark stores it: its length, the numbers of terms of left, right and out, and their terms, a
// coefficient and a wire each.
type product []uint32

// head is how many numbers stand before the terms.
const head = 4

func (p product) left() []uint32 { return p[head : head+2*p[1]] }

func (p product) right() []uint32 { return p[head+2*p[1] : head+2*(p[1]+p[2])] }

func (p product) exchange() {
	terms := append(append([]uint32{}, p.right()...), p.left()...)
	copy(p[head:], terms)
	p[1], p[2] = p[2], p[1]
}
