package policy

import "equiproof/verify/tables"

// Check is a check that a verification makes or leaves open.
type Check = tables.Line

// The checks that a certificate may need.
var (
	AboutCommitment     = tables.Named("unproven.commitment_that_came")
	AboutKey            = tables.Named("unproven.key_that_came")
	AboutLinkKey        = tables.Named("unproven.link_key_that_came")
	AboutQuery          = tables.Named("unproven.query")
	AboutFoundQuery     = tables.Named("unproven.query_that_came")
	AboutBox            = tables.Named("unproven.box")
	AboutBoxLabel       = tables.Named("unproven.box_label")
	AboutRefusal        = tables.Named("unproven.refusal")
	AboutRecourse       = tables.Named("unproven.recourse")
	AboutContext        = tables.Named("unproven.context")
	AboutFoundContext   = tables.Named("unproven.context_that_came")
	AboutRadius         = tables.Named("unproven.radius_size")
	AboutGain           = tables.Named("unproven.gain_size")
	AboutGainOf         = tables.Named("unproven.gain_subject")
	AboutUnit           = tables.Named("unproven.gain_unit")
	AboutRanges         = tables.Named("unproven.ranges")
	AboutTranscript     = tables.Named("unproven.transcript")
	AboutLinkTranscript = tables.Named("unproven.link_transcript")
	AboutSame           = tables.Named("unproven.same_commitment")
	AboutLog            = tables.Named("unproven.log_proof_unchecked")
	AboutSetup          = tables.Named("unproven.single_party_setup")
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
