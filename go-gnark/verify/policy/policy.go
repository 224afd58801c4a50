// Package policy has what a relying party requires beyond a proof that holds: one small type for each requirement. Twin of
// verifier/policy.py and the modules beside it.
package policy

import (
	"errors"
	"fmt"
	"strings"

	"equiproof/verify/document"
	"equiproof/verify/spec"
	"equiproof/verify/statement"
	"equiproof/verify/verdict"
)

// Check is a check that a verification makes or leaves open, in words.
type Check string

// The checks that a certificate may need.
const (
	AboutCommitment Check = "that the owner shows this model to everybody: this commitment came with the certificate itself " +
		"(take it from a public place: --commitment, or compare its 64 digits: --model-commitment)"
	AboutKey Check = "that nobody forged the proof: this key came with the certificate itself, and whoever made the file may " +
		"have made the key, and could forge (name keys that you trust: --keys, or one key's 64 digits: --key-fingerprint)"
	AboutQuery      Check = "that the certificate is about your own data (give the query file: --query)"
	AboutFoundQuery Check = "that the data it is about are your own: they came with the certificate itself " +
		"(compare each value)"
	AboutContext Check = "that it was made for this application: nonce, policy and date (give the context file: " +
		"--context)"
	AboutFoundContext Check = "that it was made for this application: the context came with the certificate itself " +
		"(compare its texts with your letter, or give your own: --context)"
	AboutRadius Check = "that the radius is large enough for you (give a minimum: --min-radius)"
	AboutGain   Check = "that the gain is large enough for you (give a minimum: --min-gain)"
	AboutGainOf Check = "that it is about the label and the values that you have in mind (name them: --label, --first and " +
		"--second)"
	AboutUnit   Check = "that the gain's unit is right: the owner states how the model's numbers become log odds"
	AboutRanges Check = "that the spec's ranges include everybody you have in mind (name your ranges: --ranges-within, " +
		"or accept none: --no-ranges)"
	AboutTranscript Check = "that the transcript of the key's set-up was checked (--transcript, or --signed-by)"
	AboutSame       Check = "that the owner shows the same commitment to everybody"
	AboutLog        Check = "that the certificate is in a public log: a log proof came with it, and was not checked"
	AboutSetup      Check = "that proofs under this key cannot be forged: a single party ran its set-up"
)

// Covered is checks that a policy makes.
type Covered map[Check]bool

func covering(checks ...Check) Covered {
	made := Covered{}
	for _, check := range checks {
		made[check] = true
	}
	return made
}

// Pins says which parts the relying party has from elsewhere than from whoever handed over the certificate. A part that is
// not pinned came with the certificate itself: it is used, and nobody's word stands behind it.
type Pins struct{ Commitment, Key bool }

// By are these pins and those of a policy that makes checks: by fingerprint, transcript or signers.
func (p Pins) By(covers Covered) Pins {
	return Pins{p.Commitment || covers[AboutCommitment], p.Key || covers[AboutKey]}
}

// Facts are what a policy judges: a statement whose parts were recomputed, the spec and the key, and which are pinned.
// Signatures is the unread note of those who checked the key's transcript.
type Facts struct {
	Statement  *statement.Statement
	Spec       *spec.Spec
	Key        *document.Key
	Signatures []byte
	Pins       Pins
	FileDigest string // SHA-256 of the commitment file
}

// Policy is a requirement. Covers names the checks that it makes; a verification lists the others as not made. Check returns
// what was checked, in words, and an error of the kind Unmet unless the requirement is met.
type Policy interface {
	Covers() Covered
	Check(facts *Facts) ([]string, error)
}

// AllOf requires every one of several policies, of which there is one at least.
type AllOf []Policy

// Each returns the policies that must all be met.
func Each(demanded Policy) (all []Policy) {
	if several, ok := demanded.(AllOf); ok {
		for _, one := range several {
			all = append(all, Each(one)...)
		}
		return all
	}
	return []Policy{demanded}
}

// StillOpen lists what policies that were met do not show of what they are about.
func StillOpen(demanded Policy) (lines []string) {
	for _, one := range Each(demanded) {
		if partial, ok := one.(interface{ StillOpen() []string }); ok {
			lines = append(lines, partial.StillOpen()...)
		}
	}
	return lines
}

// Covers is what any of the policies covers, since each of them is checked.
func (a AllOf) Covers() Covered {
	all := Covered{}
	for _, policy := range a {
		for check := range policy.Covers() {
			all[check] = true
		}
	}
	return all
}

// Check checks the policies in their order; the first that is not met refuses. What one of them pins is pinned.
func (a AllOf) Check(facts *Facts) (made []string, err error) {
	pinned := *facts
	pinned.Pins = facts.Pins.By(a.Covers())
	for _, policy := range a {
		lines, err := policy.Check(&pinned)
		if err != nil {
			return nil, err
		}
		made = append(made, lines...)
	}
	return made, nil
}

// AnyOf requires at least one of several policies.
type AnyOf []Policy

// Covers is what all of the policies cover: which of them is met is not known beforehand.
func (a AnyOf) Covers() Covered {
	common := AllOf(a).Covers()
	for _, policy := range a {
		own := policy.Covers()
		for check := range common {
			if !own[check] {
				delete(common, check)
			}
		}
	}
	return common
}

// Check checks the policies in their order until one is met; a refusal lists what each of them lacked.
func (a AnyOf) Check(facts *Facts) ([]string, error) {
	var lacking []string
	for _, policy := range a {
		lines, err := policy.Check(facts)
		var unmet *verdict.Error
		switch {
		case err == nil:
			met := strings.Join(lines, "; ")
			if met == "" {
				met = "it requires nothing"
			}
			return []string{fmt.Sprintf("one of %d accepted policies is met: %s", len(a), met)}, nil
		case errors.As(err, &unmet) && unmet.Kind == verdict.Unmet:
			lacking = append(lacking, fmt.Sprintf("(%d) %s", len(lacking)+1, unmet))
		default:
			return nil, err
		}
	}
	return nil, refused("no-policy-met", "none of %d accepted policies is met: %s", len(a), strings.Join(lacking, "; "))
}

// Nothing requires nothing: any true certificate passes, of any radius, applicant and context.
type Nothing struct{}

// Covers is no check.
func (Nothing) Covers() Covered { return Covered{} }

// Check makes no check.
func (Nothing) Check(*Facts) ([]string, error) { return nil, nil }

func refused(reason, format string, words ...any) error {
	return verdict.New(verdict.Unmet, reason, format, words...)
}
