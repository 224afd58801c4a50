package shape_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"equiproof/internal/oracle"
	"equiproof/shape"
)

// gaining returns a shape of relation `gain`.
func gaining(hidden []int, logits, capacity int) *shape.Shape {
	s := oracle.ShapeOf(3, 2, hidden, logits, 18, 2, capacity)
	s.Scheme = shape.Gaining
	return s
}

// The pair has both copies' neurons and sensitive columns, one slice, and a bias for the least gain; all else is the network's.
// The shape itself stays as it is.
func TestPair(t *testing.T) {
	s := gaining([]int{4, 2}, 3, 8)
	before := s.Digest()
	pair, a := s.Pair(), &s.Architecture
	if pair.Scheme != shape.Branching || pair.Slices != 1 || pair.Capacity != 8 || pair.Neurons() != 2*s.Neurons() {
		t.Errorf("%+v", pair)
	}
	b := &pair.Architecture
	if !slices.Equal(b.Hidden, []int{8, 4}) || b.Sensitive != 4 || b.Plain != 3 || b.Logits != 3 ||
		!slices.Equal(b.WeightBits, a.WeightBits) || !slices.Equal(b.BiasBits[:2], a.BiasBits[:2]) {
		t.Errorf("%+v", b)
	}
	if b.BiasBits[2] != s.GainBits()+1 {
		t.Errorf("a bias of %d bits, the gain has %d", b.BiasBits[2], s.GainBits())
	}
	if s.Digest().Cmp(before) != 0 || !s.Gains() || pair.Gains() || s.Branches() {
		t.Errorf("%+v", s)
	}
}

// One column of each kind, one neuron, one logit, by hand: |z_1| <= 2 2 4 + 8 = 24, |z_2| <= 2 24 + 16 = 64 takes 7 bits, and
// a difference of two differences of such values is at most 256, which 10 signed bits hold.
func TestGainBitsByHand(t *testing.T) {
	s := &shape.Shape{
		Architecture: shape.Architecture{BiasBits: []int{4, 5}, Hidden: []int{1}, Logits: 2, Plain: 1, Sensitive: 1, WeightBits: []int{2, 2}},
		InputBits:    3, RadiusBits: 2, Scheme: shape.Gaining,
	}
	if s.GainBits() != 10 {
		t.Errorf("%d bits", s.GainBits())
	}
}

// A shape of relation `gain` compares two rows, has room for one split, and half the neurons of scheme `branch`.
func TestGainHasSizesOfItsOwn(t *testing.T) {
	for _, c := range []struct {
		slices, capacity, neurons int
		refused                   string
	}{
		{2, 2, 2048, ""}, {2, 1, 3, "capacity is 1, want 2"}, {3, 4, 3, "slices is 3, want 2 to 2"},
		{1, 4, 3, "slices is 1"}, {2, 4, 2049, "number of neurons is 2049"},
	} {
		s := gaining([]int{c.neurons}, 1, c.capacity)
		s.Slices = c.slices
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		_, err = shape.Parse(text)
		if (err == nil) != (c.refused == "") || err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%v: %v", c, err)
		}
	}
}

// A pair that the field does not hold is refused in one line that names the layer, though the network alone would fit: among
// depths there is one at which only the network does.
func TestPairsThatAreTooDeep(t *testing.T) {
	apart := false
	for depth := 1; depth < 14; depth++ {
		s := gaining(slices.Repeat([]int{5}, depth), 1, 4)
		_, err := s.Pair().Branch()
		if err != nil && (!strings.HasPrefix(err.Error(), "shape: layer ") || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%v", err)
		}
		_, alone := s.Branch()
		if alone != nil && err == nil {
			t.Errorf("depth %d: the pair fits and the network does not", depth)
		}
		apart = apart || alone == nil && err != nil
	}
	if !apart {
		t.Error("no depth at which only the network fits")
	}
}
