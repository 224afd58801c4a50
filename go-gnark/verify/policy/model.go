package policy

import (
	"equiproof/verify/statement"
)

// ModelIs requires one model commitment, as 64 hexadecimal digits: what a public registry pins.
type ModelIs struct{ ModelCommitment string }

// Covers is the commitment.
func (ModelIs) Covers() Covered { return covering(AboutCommitment) }

// Check compares commitments.
func (m ModelIs) Check(facts *Facts) ([]string, error) {
	if statement.Hex(facts.Statement.ModelCommitment) != m.ModelCommitment {
		return nil, refused("other-model", "the certificate is about another model")
	}
	return []string{"it is about the required model commitment"}, nil
}
