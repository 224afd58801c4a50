// Package inference proves the decision at a slice's centre.
package inference

import (
	"math/big"

	"equiproof/gadget/affine"
	"equiproof/gadget/bounded"
	"equiproof/gadget/polytope"
)

// Assert makes a region's pattern that of its slice's centre, and the decision there strictly the label (R-INFERENCE).
//
// Relation: every hidden neuron of the region has its form's value >= 0 at the centre where its bit is 1, and <= -1
// where it is 0; every margin is at least 1 there. Layer by layer the forms' values are then the network's own
// pre-activations and logits. Precondition: first, forms and pattern belong to one region. Outside it: nothing is said
// of the network. Cost: one product and one range check per neuron, one range check per margin.
func Assert(a *bounded.Arith, first []bounded.Int, forms polytope.Forms,
	pattern []bounded.Int, label affine.Label,
) {
	defer a.Part("inference")()
	values := append([]bounded.Int{}, first...)
	for _, layer := range forms.Hidden {
		for _, form := range layer {
			values = append(values, form.Value)
		}
	}
	one := a.Constant(1)
	for i, value := range values {
		// (2 v - 1) z + v - 1: z for an active neuron, -z - 1 for one that is not.
		signed := a.Mul(a.Sub(a.Scale(big.NewInt(2), pattern[i]), one), value)
		a.AssertNonNegative(a.Sub(a.Add(signed, pattern[i]), one))
	}
	for c, margin := range forms.Margins {
		a.AssertNonNegative(a.Sub(a.Add(margin.Value, label.Slack(a, c)), one))
	}
}
