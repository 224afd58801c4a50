package policy

import "equiproof/verify/tables"

// Check is a check that a verification makes or leaves open: the id of its sentence.
type Check = tables.Line

// The checks that a certificate may need.
const (
	AboutCommitment   Check = "unproven.commitment_that_came"
	AboutKey          Check = "unproven.key_that_came"
	AboutQuery        Check = "unproven.query"
	AboutFoundQuery   Check = "unproven.query_that_came"
	AboutContext      Check = "unproven.context"
	AboutFoundContext Check = "unproven.context_that_came"
	AboutRadius       Check = "unproven.radius_size"
	AboutGain         Check = "unproven.gain_size"
	AboutGainOf       Check = "unproven.gain_subject"
	AboutUnit         Check = "unproven.gain_unit"
	AboutRanges       Check = "unproven.ranges"
	AboutTranscript   Check = "unproven.transcript"
	AboutSame         Check = "unproven.same_commitment"
	AboutLog          Check = "unproven.log_proof_unchecked"
	AboutSetup        Check = "unproven.single_party_setup"
)

// Covered is checks that a policy makes.
type Covered map[Check]bool

func covering(checks ...Check) Covered {
	covered := Covered{}
	for _, check := range checks {
		covered[check] = true
	}
	return covered
}
