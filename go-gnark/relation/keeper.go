package relation

import (
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/kept"
	"equiproof/shape"
)

// Keeper is a circuit that can be of a kept model, which a certificate does not open: the circuit then has two commitments, and the
// first is of the model's words and of the model commitment alone. Those are its first private wires, the words in their order and
// the model commitment behind them.
type Keeper interface {
	Circuit
	// Words is how many words the model has: its numbers, and what follows from these and spares certificates work. 0 where it is
	// opened.
	Words() int
}

// Later is a circuit of a kept model whose public input follows from the challenge of its last commitment: it is the digest of what is
// stated and of the value of a polynomial there, whose coefficients a verifier knows.
type Later interface {
	Keeper
	// Value is that of the polynomial on assigned wires.
	Value(challenge fr.Element) fr.Element
}

// Words is how many words of a kept model a circuit commits to first, 0 for circuits of no kept model.
func Words(circuit Circuit) int {
	if keeper, ok := circuit.(Keeper); ok {
		return keeper.Words()
	}
	return 0
}

// words is how many words the certificates of a shape commit to first.
func words(s *shape.Shape) int {
	if !s.Keeps() {
		return 0
	}
	return Length(WordLayout(s))
}

// WordLayout names the words of a kept model: its numbers in the order of the model commitment, and behind them what follows from them.
// Of networks that is the negative parts of the weights of hidden layers from 2 up. Of ensembles it is the places of both children of
// each node, the low one's first, which stand for the bits that say which children are nodes; or, for certificates that visit nodes,
// one word for each node in place of all its numbers. Predicates are a column and a threshold each.
func WordLayout(s *shape.Shape) []Segment {
	a := &s.Architecture
	if len(a.Predicates) == 0 {
		return append(networkLayout(s), splitLayout(s, "negative_part", 2)...)
	}
	all := a.Predicates[0] + a.Predicates[1]
	segments := []Segment{{"predicates", 2 * all}, {"jumps", all}, {"bias", 1}}
	if len(a.Nodes) == 0 {
		return segments
	}
	for _, segment := range nodeLayout(s) {
		if s.Visits() && segment.Name != "sets" {
			continue
		}
		if segment.Name != "node_low" && segment.Name != "node_high" {
			segments = append(segments, segment)
		}
	}
	if s.Visits() {
		return append(segments, Segment{"node_word", a.Nodes[1]})
	}
	return append(segments, Segment{"node_child", 2 * a.Nodes[1]})
}

// show commits to the words of a kept model, before anything else, and has what certificates show of them stated (R-K-FIRST, R-K-POLY,
// R-K-SHOWN). Of other shapes it does nothing.
func (t *traversal) show() (err error) {
	if !t.shape.Keeps() {
		return nil
	}
	var words []frontend.Variable
	for _, segment := range WordLayout(t.shape) {
		words = append(words, t.wires[segment.Name]...)
	}
	t.shown, err = kept.Show(t.a, words, t.wires["model_commitment"][0], t.wires["link_blinding"][0])
	return err
}

// committed types a run of the model's numbers: words of a kept model, which its link has checked, else checked here (R-RANGE).
func (t *traversal) committed(name string, bits int) []bounded.Int {
	if !t.shape.Keeps() {
		return t.signed(name, bits)
	}
	return kept.Signed(t.a.At("%s", name), t.wires[name], bits)
}
