// Package ceremony makes the powers of tau and Groth16 keys in steps of several parties, over gnark's mpcsetup. A key is
// sound if one of the parties deleted its randomness.
//
// All input is hostile: every length is compared before anything is allocated, every point is checked to be in canonical
// form, on its curve and in its subgroup. Steps are bytes as gnark writes them.
package ceremony

import "fmt"

// Reason is a stable name for why a well-formed step, or well-formed powers, are refused.
type Reason string

// The reasons of a refusal.
const (
	ProofOfKnowledge Reason = "proof-of-knowledge" // the party does not know the secret that the step was made with
	Ratio            Reason = "ratio"              // points that belong together do not
	Subgroup         Reason = "subgroup"           // a point is outside the subgroup of prime order
	NotRerandomised  Reason = "not-rerandomised"   // a secret is as it was before, or nobody has chosen it
	RelatedSecrets   Reason = "related-secrets"    // two secrets were multiplied by equal, opposite or inverse numbers
	Challenge        Reason = "challenge"          // the digest of the previous step is absent, or that of another one
	Lagrange         Reason = "lagrange"           // the Lagrange form is not that of the powers
)

// Reasons lists all of them.
var Reasons = []Reason{ProofOfKnowledge, Ratio, Subgroup, NotRerandomised, RelatedSecrets, Challenge, Lagrange}

// Refusal is the error for well-formed input that must not be used. Malformed input gives another error.
type Refusal struct {
	Reason  Reason
	message string
}

func (r *Refusal) Error() string { return r.message }

func refuse(reason Reason, format string, arguments ...any) error {
	return &Refusal{reason, fmt.Sprintf(format, arguments...)}
}
