package shape_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"equiproof/internal/oracle"
	"equiproof/shape"
)

// Roundings and widths are those of the decision page's table, for leaves of known shapes.
func TestWidthsOfBranchAndBound(t *testing.T) {
	for _, want := range []struct {
		plain                   int
		hidden, rounding, split []int
	}{
		{20, []int{8, 2}, []int{0, 0}, []int{50, 24}},
		{20, []int{100, 50}, []int{0, 0}, []int{54, 24}},
		{16, []int{150, 100, 50}, []int{31, 2, 0}, []int{52, 52, 24}},
		{13, []int{64, 32, 16, 8, 4}, []int{30, 29, 27, 0, 0}, []int{52, 52, 52, 51, 24}},
		{13, slices.Repeat([]int{5}, 9), []int{27, 27, 27, 27, 27, 27, 26, 0, 0}, append(slices.Repeat([]int{52}, 7), 51, 24)},
	} {
		b, err := oracle.ShapeOf(want.plain, 1, want.hidden, 1, 18, 2, 4).Branch()
		if err != nil {
			t.Fatal(err)
		}
		leaf := b.Forms[len(b.Forms)-1]
		if !slices.Equal(leaf.Rounding, want.rounding) || !slices.Equal(leaf.SplitBits, want.split) ||
			leaf.RadiusBits != 0 || leaf.Coarse != 0 || leaf.RestBits != 0 {
			t.Errorf("%v: %+v", want.hidden, leaf)
		}
		if len(b.Forms) != len(want.hidden) || len(b.BoundBits) != len(want.hidden) || len(b.OffsetBits) != len(want.hidden) {
			t.Errorf("%v: %+v", want.hidden, b)
		}
	}
}

// One column, one neuron, one logit, by hand: |z_1| <= 2 2 4 + 8 = 24 takes 5 bits; lambda <= 2^8 2 takes 10, and
// c <= 2^(8 + 10 + 1) 2 = 2^20, which is squared with its centre.
func TestWidthsByHand(t *testing.T) {
	s := &shape.Shape{
		Architecture: shape.Architecture{BiasBits: []int{4, 5}, Hidden: []int{1}, Logits: 1, Plain: 1, Sensitive: 1, WeightBits: []int{2, 2}},
		InputBits:    3, RadiusBits: 2,
	}
	b, err := s.Branch()
	if err != nil {
		t.Fatal(err)
	}
	// r of layer 1: r^2 up to 3 * 2^2 = 12.
	if !slices.Equal(b.BoundBits, []int{7}) || !slices.Equal(b.OffsetBits, []int{15}) || b.FirstRadiusBits != 3 {
		t.Errorf("%+v", b)
	}
	if form := b.Forms[0]; !slices.Equal(form.SplitBits, []int{10}) || form.RadiusBits != 0 || form.ScaledBound != -8 {
		t.Errorf("%+v", form)
	}
	// With ranges a cut may take off all of c, of 21 bits, and has a sign.
	s.Scheme = shape.Ranging
	if b, err = s.Branch(); err != nil || b.Forms[0].CutBits != 22 || b.Forms[0].RadiusBits != 0 {
		t.Errorf("%+v, %v", b, err)
	}
}

// A shape whose values do not fit the field is refused in one line that names the layer.
func TestShapesThatAreTooDeep(t *testing.T) {
	_, err := oracle.ShapeOf(13, 1, slices.Repeat([]int{5}, 14), 1, 18, 2, 4).Branch()
	if err == nil || !strings.HasPrefix(err.Error(), "shape: layer ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
}

// A shape of scheme `branch` has room for a leaf of every slice and one split, and more neurons than one key word holds.
func TestBranchHasSizesOfItsOwn(t *testing.T) {
	for _, c := range []struct {
		slices, capacity, neurons int
		refused                   string
	}{
		{2, 4, 4096, ""}, {2, 2, 3, "capacity is 2, want 3"}, {4, 4, 3, "capacity is 4, want 5"},
		{2, 4, 4097, "number of neurons is 4097"},
	} {
		s := oracle.ShapeOf(3, 1, []int{c.neurons}, 1, 18, c.slices, c.capacity)
		s.Scheme = shape.Branching
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
