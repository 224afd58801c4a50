// Package policy has what a relying party requires beyond a proof that holds: one small type for each requirement. Twin of
// verifier/policy.py and the modules beside it.
package policy

import "equiproof/verify/verdict"

// Policy is a requirement. Covers names the checks that it makes; a verification lists the others as not made. Check returns
// what was checked, in words, and an error of the kind Unmet unless the requirement is met.
type Policy interface {
	Covers() Covered
	Check(facts *Facts) ([]string, error)
}

func refused(reason, message string) error {
	return verdict.New(verdict.Unmet, reason, message)
}
