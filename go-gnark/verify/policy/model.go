package policy

import (
	"errors"

	"equiproof/verify/statement"
	"equiproof/verify/tables"
)

// ModelIs requires one model commitment, as 64 hexadecimal digits: what a public registry pins.
type ModelIs struct{ ModelCommitment string }

var _ = register("ModelIs", func(commitment string) (Policy, error) {
	if statement.Element(commitment) == nil {
		return nil, errors.New(tables.Say("value.not_below_order"))
	}
	return ModelIs{commitment}, nil
})

// Covers is the commitment.
func (ModelIs) Covers() Covered { return covering(AboutCommitment) }

// Check compares commitments.
func (m ModelIs) Check(facts *Facts) ([]string, error) {
	if statement.Hex(facts.Statement.ModelCommitment) != m.ModelCommitment {
		return nil, refused("other-model", tables.Say("policy.model_differs"))
	}
	return []string{tables.Say("checked.model_commitment")}, nil
}
