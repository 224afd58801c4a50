package policy

import (
	"errors"

	"equiproof/verify/number"
	"equiproof/verify/spec"
	"equiproof/verify/tables"
)

// MinRadius requires an eps of at least so much, in the spec's units, as exact decimal text.
type MinRadius struct{ Radius string }

var _ = register("MinRadius", func(radius string) (Policy, error) {
	if number.Exact(radius).Sign() < 0 {
		return nil, errors.New(radius + " is below 0")
	}
	return MinRadius{radius}, nil
})

// Covers is the radius; a minimum of 0 leaves open whether it is large enough.
func (m MinRadius) Covers() Covered {
	if number.Exact(m.Radius).Sign() > 0 {
		return covering(AboutRadius)
	}
	return Covered{}
}

// Check compares exactly with the radius for real values: a rounded radius would mislead on a coarse grid.
func (m MinRadius) Check(facts *Facts) ([]string, error) {
	radius := facts.Spec.RadiusOfAny(facts.Statement.RadiusSquared)
	if radius.Cmp(number.Exact(m.Radius)) < 0 {
		return nil, refused("radius-too-small", tables.Say("policy.radius_too_small", spec.Cut(radius), m.Radius))
	}
	return []string{tables.Say("checked.radius", m.Radius)}, nil
}
