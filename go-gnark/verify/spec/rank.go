package spec

import (
	"fmt"
	"math/big"

	"equiproof/verify/canonical"
	"equiproof/verify/names"
	"equiproof/verify/number"
)

// rank is a category whose values have an order: its index in the domain, in one column.
type rank struct{ category }

func (rank) width(*Feature) int { return 1 }

func (rank) columns(f *Feature, value canonical.Value) ([]*big.Rat, error) {
	at, err := f.index(value)
	return []*big.Rat{number.Whole(int64(at))}, err
}

func (rank) ends(f *Feature) []*[2]*big.Rat {
	return []*[2]*big.Rat{{number.Whole(0), number.Whole(int64(len(f.Domain) - 1))}}
}

func (rank) reach(_ *Spec, f *Feature, radius *big.Rat, value canonical.Value) *Reach {
	at, _ := f.index(value)
	steps := rankSteps(f, radius)
	return f.places(value, max(0, at-steps), min(len(f.Domain)-1, at+steps))
}

func (rank) movedAlone(f *Feature, radius *big.Rat) *Moved {
	count := int64(len(f.Domain))
	switch steps := int64(rankSteps(f, radius)); {
	case count == 1 || steps == 0:
		return nil
	case steps >= count-1:
		return &Moved{Name: "any"}
	default:
		return &Moved{Name: "ranks", Numbers: map[string]*big.Rat{"moved": number.Whole(steps), "n": number.Whole(count)}}
	}
}

func (rank) moved(f *Feature, radius *big.Rat) string {
	switch steps := rankSteps(f, radius); {
	case steps >= len(f.Domain)-1:
		return AnyValue
	case steps == 0:
		return ThisValue
	default:
		return fmt.Sprintf("+- %d of %d ranks", steps, len(f.Domain))
	}
}

func (r rank) interval(s *Spec, f *Feature, radius *big.Rat, value canonical.Value) string {
	steps, last := rankSteps(f, radius), len(f.Domain)-1
	own := names.Quoted(number.Text(value))
	if steps == 0 || steps >= last {
		return own + ": " + r.moved(f, radius)
	}
	at := r.reach(s, f, radius, value)
	name := func(place *big.Rat) string { return names.Quoted(f.Domain[place.Num().Int64()]) }
	return fmt.Sprintf("%s: %s to %s", own, name(at.Low), name(at.High))
}

// rankSteps is how many ranks are closer than a radius: a whole radius itself is already too far, hence the ceiling less one
// and not the floor. A rank is 1 / scale in the spec's units.
func rankSteps(f *Feature, radius *big.Rat) int {
	count := number.Ceil(f.distance(radius))
	if count.Sub(count, big.NewInt(1)).Sign() < 0 {
		return 0
	}
	if most := int64(len(f.Domain)); count.Cmp(big.NewInt(most)) > 0 {
		return int(most)
	}
	return int(count.Int64())
}
