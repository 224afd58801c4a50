package spec

import (
	"math/big"

	"equiproof/verify/canonical"
	"equiproof/verify/number"
)

// Reach is what one feature alone may be, both ends included: numbers, or places in the domain, from 0. Own is the value
// itself. Possible are the ends of what the feature can be, nil where nothing bounds it; Listed says that the spec names them.
// Everything is exact; statements are about changes that are closer than the radius, so that a change by the radius itself
// does not count. Twin of circuits/reach.py.
type Reach struct {
	Own, Low, High *big.Rat
	Possible       *[2]*big.Rat
	Listed         bool
	OfDomain       bool // places in the domain, and no numbers
}

// Moved is how far a feature alone may move whatever its value: what is said of it, as in span.distance of words.json, and
// the numbers in that sentence.
type Moved struct {
	Name    string
	Numbers map[string]*big.Rat
}

// Reached is what a non-sensitive feature of a value alone may be under a certificate of a squared radius.
func (s *Spec) Reached(f *Feature, squared int64, value canonical.Value) *Reach {
	return f.encoding().reach(s, f, s.RadiusOfAny(squared), value)
}

// MovedAlone is how far the feature alone may move whatever its value, below the radius; nil for not at all.
func (f *Feature) MovedAlone(radius *big.Rat) *Moved { return f.encoding().movedAlone(f, radius) }

// Moves says whether it may be anything else than the value itself.
func (r *Reach) Moves() bool { return r.Low.Cmp(r.High) < 0 }

// Everything says whether it may be all that is possible.
func (r *Reach) Everything() bool {
	return r.Possible != nil && r.Low.Cmp(r.Possible[0]) == 0 && r.High.Cmp(r.Possible[1]) == 0
}

// Track are the ends of the line that a bar is drawn on: those that the spec lists, else a quarter beyond the bar.
func (r *Reach) Track() (start, end *big.Rat) {
	if r.Listed && r.Possible != nil {
		return r.Possible[0], r.Possible[1]
	}
	beyond := new(big.Rat).Sub(r.High, r.Low)
	if beyond.Quo(beyond, number.Whole(4)); beyond.Sign() == 0 {
		beyond = number.Whole(1)
	}
	start, end = new(big.Rat).Sub(r.Low, beyond), new(big.Rat).Add(r.High, beyond)
	if r.Possible == nil {
		return start, end
	}
	return larger(start, r.Possible[0]), smaller(end, r.Possible[1])
}
