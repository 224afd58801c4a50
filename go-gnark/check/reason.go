package check

import "errors"

// Reason is a stable name for why bytes are malformed or a proof is refused. docs/answers.md explains each; the check
// in plain Python reports the same ones.
type Reason string

// The reasons for keys, proofs and digests.
const (
	WrongLength            Reason = "wrong-length"
	WrongCount             Reason = "wrong-count"
	PointNotCanonical      Reason = "point-not-canonical"
	CoordinateTooLarge     Reason = "coordinate-too-large"
	OffCurve               Reason = "off-curve"
	OutsideSubgroup        Reason = "outside-subgroup"
	DegenerateKey          Reason = "degenerate-key"
	BadElement             Reason = "bad-element"
	FirstCommitmentDiffers Reason = "first-commitment-differs"
	CommitmentNotOpened    Reason = "commitment-not-opened"
	PairingsDiffer         Reason = "pairings-differ"
	RelationFails          Reason = "relation-fails"
)

// reasoned is an error with its reason.
type reasoned struct {
	reason Reason
	err    error
}

func (r *reasoned) Error() string { return r.err.Error() }

func (r *reasoned) Unwrap() error { return r.err }

// because returns an error with a reason.
func because(reason Reason, message string) error { return &reasoned{reason, errors.New(message)} }

// ReasonOf returns the reason of an error, or "" for one without.
func ReasonOf(err error) Reason {
	var failure *reasoned
	if errors.As(err, &failure) {
		return failure.reason
	}
	return ""
}
