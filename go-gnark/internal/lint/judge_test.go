package lint_test

import (
	"strings"
	"testing"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark/constraint"
	"github.com/consensys/gnark/frontend"
	"github.com/consensys/gnark/frontend/cs/r1cs"
	"github.com/consensys/gnark/frontend/cs/scs"

	"equiproof/internal/lint"
)

// builders make the two forms of systems.
var builders = map[string]frontend.NewBuilder{
	"quadratic": r1cs.NewBuilder[constraint.U64], "sparse": scs.NewBuilder[constraint.U64],
}

// judged is a circuit with one public input and, where Other has a place, a second one.
type judged struct {
	Digest frontend.Variable   `gnark:",public"`
	Other  []frontend.Variable `gnark:",public"`
	Wires  []frontend.Variable
	define func(t *tools)
}

// tools writes rows about the digest and two private wires.
type tools struct {
	frontend.API
	digest, x, y frontend.Variable
}

func (c *judged) Define(api frontend.API) error {
	for _, other := range c.Other {
		api.AssertIsEqual(other, api.Mul(c.Digest, c.Digest))
	}
	c.define(&tools{api, c.Digest, c.Wires[0], c.Wires[1]})
	return nil
}

// commit returns the challenge.
func (t *tools) commit(wires ...frontend.Variable) frontend.Variable {
	challenge, err := t.API.(frontend.Committer).Commit(wires...)
	if err != nil {
		panic(err)
	}
	return challenge
}

// doubled returns the output of a hint.
func (t *tools) doubled(wire frontend.Variable) frontend.Variable {
	found, err := t.NewHint(double, 1, wire)
	if err != nil {
		panic(err)
	}
	return found[0]
}

// identity holds 2 x and y together by the challenge: (2 x - y) r = 0, with all of it committed.
func identity(t *tools, x, y frontend.Variable) {
	twice := t.doubled(x)
	challenge := t.commit(x, y, twice)
	t.AssertIsEqual(t.Mul(twice, challenge), t.Mul(y, challenge))
}

// The sparse form's prover masks the commitment in the last row: of a system that ends with the commitment there is no key. The
// other form has a wire for its mask.
func TestJudgeDemandsAPlaceForTheMask(t *testing.T) {
	for form, builder := range builders {
		circuit := &judged{Wires: make([]frontend.Variable, 2), define: func(t *tools) {
			t.AssertIsEqual(t.digest, t.Mul(t.x, t.y))
			t.commit(t.x, t.y)
		}}
		compiled, err := frontend.Compile(ecc.BN254.ScalarField(), builder, circuit)
		if err != nil {
			t.Fatal(err)
		}
		err = lint.Judge(compiled)
		if masked := err == nil || !strings.Contains(err.Error(), "the last row is of the commitment"); masked == (form == "sparse") {
			t.Errorf("%s: %v", form, err)
		}
	}
}

// Each system has one fault, and the judgement names it; the system without a fault passes.
func TestJudge(t *testing.T) {
	for name, test := range map[string]struct {
		others int
		want   string
		define func(t *tools)
	}{
		"sound": {0, "", func(t *tools) {
			t.AssertIsEqual(t.digest, t.Mul(t.x, t.x))
			identity(t, t.x, t.y)
		}},
		"two public inputs": {1, "2 public inputs", func(t *tools) {
			t.AssertIsEqual(t.digest, t.Mul(t.x, t.x))
			identity(t, t.x, t.y)
		}},
		"no commitment": {0, "no commitment", func(t *tools) {
			t.AssertIsEqual(t.digest, t.Mul(t.x, t.y))
		}},
		"a committed digest": {0, "public wire 1 is in the commitment", func(t *tools) {
			identity(t, t.digest, t.Mul(t.x, t.y))
		}},
		"a digest without a constraint": {0, "wire 1 is in no constraint", func(t *tools) {
			identity(t, t.x, t.y)
		}},
		"a digest equal to itself": {0, "wire 1 is in no constraint", func(t *tools) {
			t.AssertIsEqual(t.digest, t.digest)
			identity(t, t.x, t.y)
		}},
		"a committed input without a constraint": {0, "wire 3 is in no constraint", func(t *tools) {
			t.AssertIsEqual(t.digest, t.Mul(t.x, t.x))
			t.AssertIsEqual(t.commit(t.x, t.y), 7)
		}},
		"an uncommitted wire under the challenge": {0, "of a challenged constraint is not committed", func(t *tools) {
			t.AssertIsEqual(t.digest, t.Mul(t.x, t.x))
			twice := t.doubled(t.x)
			challenge := t.commit(t.x, t.y)
			t.AssertIsEqual(t.Mul(twice, challenge), t.Mul(t.y, challenge))
		}},
		// x (x - 1) = 0 leaves two values: of enough such bits some add up to whatever an identity asks for.
		"an uncommitted bit under the challenge": {0, "of a challenged constraint is not committed", func(t *tools) {
			t.AssertIsEqual(t.digest, t.Mul(t.x, t.x))
			t.AssertIsBoolean(t.x)
			challenge := t.commit(t.y)
			t.AssertIsEqual(t.Mul(t.x, challenge), t.Mul(t.y, challenge))
		}},
		// y q = x leaves q open where x and y are 0.
		"an uncommitted quotient under the challenge": {0, "of a challenged constraint is not committed", func(t *tools) {
			t.AssertIsEqual(t.digest, t.Mul(t.x, t.x))
			quotient := t.DivUnchecked(t.x, t.y)
			challenge := t.commit(t.x, t.y)
			t.AssertIsEqual(t.Mul(quotient, challenge), t.Mul(t.y, challenge))
		}},
		"a hint that rows leave open": {0, "is neither committed nor determined", func(t *tools) {
			t.AssertIsEqual(t.digest, t.Mul(t.x, t.x))
			t.AssertIsEqual(t.y, t.Mul(t.doubled(t.x), t.doubled(t.y)))
			identity(t, t.x, t.y)
		}},
		"a hint after the challenge": {0, "is not determined", func(t *tools) {
			t.AssertIsEqual(t.digest, t.Mul(t.x, t.x))
			challenge := t.commit(t.x, t.y)
			t.AssertIsEqual(t.Mul(challenge, t.doubled(challenge)), t.Mul(t.y, t.doubled(challenge)))
		}},
		"an identity of a high degree": {0, "of degree 1125899906842624 in the challenge", func(t *tools) {
			t.AssertIsEqual(t.digest, t.Mul(t.x, t.x))
			power := t.commit(t.x, t.y)
			for range 50 {
				power = t.Mul(power, power)
			}
			t.AssertIsEqual(t.Mul(t.x, power), t.y)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			for form, builder := range builders {
				circuit := &judged{Other: make([]frontend.Variable, test.others), Wires: make([]frontend.Variable, 2),
					define: test.define}
				compiled, err := frontend.Compile(ecc.BN254.ScalarField(), builder, circuit)
				if err != nil {
					t.Fatal(err)
				}
				err = lint.Judge(compiled)
				if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
					t.Errorf("%s: %v, want %q", form, err, test.want)
				}
			}
		})
	}
}
