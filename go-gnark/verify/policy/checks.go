package policy

import "equiproof/verify/tables"

// Check is a check that a verification makes or leaves open, in words.
type Check string

// The checks that a certificate may need.
var (
	AboutCommitment   = Check(tables.Say("unproven.commitment_that_came"))
	AboutKey          = Check(tables.Say("unproven.key_that_came"))
	AboutQuery        = Check(tables.Say("unproven.query"))
	AboutFoundQuery   = Check(tables.Say("unproven.query_that_came"))
	AboutContext      = Check(tables.Say("unproven.context"))
	AboutFoundContext = Check(tables.Say("unproven.context_that_came"))
	AboutRadius       = Check(tables.Say("unproven.radius_size"))
	AboutGain         = Check(tables.Say("unproven.gain_size"))
	AboutGainOf       = Check(tables.Say("unproven.gain_subject"))
	AboutUnit         = Check(tables.Say("unproven.gain_unit"))
	AboutRanges       = Check(tables.Say("unproven.ranges"))
	AboutTranscript   = Check(tables.Say("unproven.transcript"))
	AboutSame         = Check(tables.Say("unproven.same_commitment"))
	AboutLog          = Check(tables.Say("unproven.log_proof_unchecked"))
	AboutSetup        = Check(tables.Say("unproven.single_party_setup"))
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
