package spec

import (
	"math/big"

	"equiproof/verify/canonical"
	"equiproof/verify/names"
	"equiproof/verify/number"
)

// oneHot is a category without an order: one 0/1 column per value of the domain.
type oneHot struct{ category }

func (oneHot) width(f *Feature) int { return len(f.Domain) }

func (oneHot) columns(f *Feature, value canonical.Value) ([]*big.Rat, error) {
	own, err := f.index(value)
	columns := make([]*big.Rat, len(f.Domain))
	for at := range columns {
		columns[at] = new(big.Rat)
	}
	if err == nil {
		columns[own].SetInt64(1)
	}
	return columns, err
}

func (oneHot) ends(f *Feature) []*[2]*big.Rat {
	ends := make([]*[2]*big.Rat, len(f.Domain))
	for at := range ends {
		ends[at] = &[2]*big.Rat{number.Whole(0), number.Whole(1)}
	}
	return ends
}

// reach is between the ends of the domain where any other value is within the radius, and else the value's own place.
func (oneHot) reach(_ *Spec, f *Feature, radius *big.Rat, value canonical.Value) *Reach {
	if oneHotMoves(f, radius) {
		return f.places(value, 0, len(f.Domain)-1)
	}
	at, _ := f.index(value)
	return f.places(value, at, at)
}

func (oneHot) movedAlone(f *Feature, radius *big.Rat) *Moved {
	if len(f.Domain) == 1 || !oneHotMoves(f, radius) {
		return nil
	}
	return &Moved{Name: "any"}
}

func (oneHot) moved(f *Feature, radius *big.Rat) string {
	if oneHotMoves(f, radius) {
		return AnyValue
	}
	return ThisValue
}

func (o oneHot) interval(_ *Spec, f *Feature, radius *big.Rat, value canonical.Value) string {
	return names.Quoted(number.Text(value)) + ": " + o.moved(f, radius)
}

// oneHotMoves says whether another value is within the radius. Two indicators change at once, each by 1 / scale: by
// sqrt(2) / scale together, which is compared in squares so that nothing is rounded.
func oneHotMoves(f *Feature, radius *big.Rat) bool {
	reach := f.distance(radius)
	return reach.Mul(reach, reach).Cmp(number.Whole(2)) > 0
}
