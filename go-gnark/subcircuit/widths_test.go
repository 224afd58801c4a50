package subcircuit_test

import (
	"math/big"
	"path/filepath"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
)

// A lower bound of layer 1 may be as low as its width, and no lower; a region of no slice is refused. Each breaks no other rule.
func TestNumbersBeyondTheirWidthsAreRefused(t *testing.T) {
	c := based(t, "first_bounds")
	s := read(t, filepath.Join("base", "first_bounds.json")).Circuit.Shape
	numbers, err := s.Branch()
	if err != nil {
		t.Fatal(err)
	}
	least := new(big.Int).Lsh(big.NewInt(-1), uint(numbers.BoundBits[0]-1))
	c.wires["low.1"][0] = least
	if err := c.IsSolved(c.inputs(t)); err != nil {
		t.Error(err)
	}
	c.wires["low.1"][0] = new(big.Int).Sub(least, big.NewInt(1))
	c.refused(t, "a bound beyond its width")
	regions := shapes()["two layers"]
	c = open(t, "neighbor", regions)
	for i := range c.wires["slice"] {
		c.wires["slice"][i] = big.NewInt(int64(regions.Slices))
	}
	c.refused(t, "no slice")
}

// A stated value that is a square root modulo the order makes any excess small; only the check of its width refuses it.
// Stated norms, radii and bits must not exceed their widths either.
func TestStatedNumbersHaveTheirWidths(t *testing.T) {
	near := big.NewInt(1 << 20)
	for _, name := range []string{"boundary", "order"} {
		c := open(t, name, shapes()["two layers"])
		c.wires["norm_squared"][0] = near
		if name == "order" {
			c.wires["crossed"] = bits(make([]bool, len(c.wires["crossed"]))...)
		}
		square := new(big.Int).Mul(near, c.wires["radius_squared"][0])
		root := new(big.Int)
		for root.BitLen() < 100 {
			square.Add(square, big.NewInt(1))
			if root.ModSqrt(square, fr.Modulus()) == nil {
				root = new(big.Int)
			}
		}
		c.wires["value"][0] = root
		c.refused(t, name+": a root modulo the order")
	}
	c := open(t, "boundary", shapes()["two layers"])
	c.wires["value"][0], c.wires["norm_squared"][0] = new(big.Int), big.NewInt(-1)
	c.refused(t, "a negative norm")
	c.wires["norm_squared"][0], c.wires["radius_squared"][0] = big.NewInt(1), big.NewInt(-1)
	c.refused(t, "a negative radius")
	c = open(t, "order", shapes()["two layers"])
	c.wires["value"][0], c.wires["norm_squared"][0], c.wires["crossed"][0] = new(big.Int), near, big.NewInt(2)
	c.refused(t, "a mark of two")
	c = open(t, "minimum", shapes()["two layers"])
	c.wires["radii"][0] = new(big.Int).Lsh(big.NewInt(1), 29)
	c.refused(t, "a radius of a bit more")
}

// The radius of a statement may be as large as its width allows, and no larger.
func TestTheRadiusOfAStatementHasItsWidth(t *testing.T) {
	s := shapes()["two layers"]
	c := open(t, "digest", s)
	most := int64(1)<<s.RadiusBits - 1
	for radius, fits := range map[int64]bool{most: true, most + 1: false} {
		c.wires["radius_squared"] = []*big.Int{big.NewInt(radius)}
		addDigests(c.wires, s)
		if !fits {
			c.refused(t, "a radius beyond its width")
		} else if err := c.IsSolved(c.inputs(t)); err != nil {
			t.Error(err)
		}
	}
}
