package verify

import (
	"errors"

	"equiproof/check"
	"equiproof/verify/tables"
	"equiproof/verify/verdict"
)

// Outcome is what was verified, or why not.
type Outcome struct {
	Verified *Verified
	Err      error
}

// Prove makes the last check of one certificate (9).
func (j *Judged) Prove() (*Verified, error) {
	outcome := Prove([]*Judged{j}, 1)[0]
	return outcome.Verified, outcome.Err
}

// Prove makes the last check of certificates (9): that their proofs hold for their statement digests. Those under one key, and
// beside one link, are checked together, on at most so many threads (0: one per core); each has the verdict of a check of its own.
func Prove(certificates []*Judged, threads int) []Outcome {
	type shared struct {
		proofSystem, verifyingKey string
		link                      linkClaim
	}
	outcomes, byKey := make([]Outcome, len(certificates)), map[shared][]int{}
	for at, one := range certificates {
		key := shared{one.Key.ProofSystem, one.Key.VerifyingKey, one.link.claim()}
		byKey[key] = append(byKey[key], at)
	}
	for _, places := range byKey {
		claims := make([]check.Claim, len(places))
		for i, at := range places {
			claims[i] = check.Claim{Digest: certificates[at].digest, Proof: certificates[at].proof}
		}
		checker, err := certificates[places[0]].checker()
		if err != nil {
			for _, at := range places {
				outcomes[at].Err = err
			}
			continue
		}
		for i, err := range checker.VerifyBatch(claims, threads) {
			outcomes[places[i]] = certificates[places[i]].proven(err)
		}
	}
	return outcomes
}

// checker returns what checks the proof: of a kept model, beside a link that holds.
func (j *Judged) checker() (*check.Verifier, error) {
	if j.link != nil {
		return j.link.open()
	}
	return j.key.load()
}

// proven returns what was verified, or why the proof does not hold.
func (j *Judged) proven(err error) Outcome {
	switch {
	case err == nil:
		return Outcome{Verified: &j.Verified}
	case errors.Is(err, check.ErrRefused):
		return Outcome{Err: verdict.New(verdict.Unproven, string(check.ReasonOf(err)), refusalOf(err))}
	}
	return Outcome{Err: verdict.New(verdict.Malformed, string(check.ReasonOf(err)), tables.Say("certificate.proof_wrong", err))}
}

// refusalOf says why a proof does not hold. In English it is what the check of proofs says, which has no other language.
func refusalOf(err error) string {
	if tables.Spoken() == tables.Languages[0] {
		return err.Error()
	}
	switch check.ReasonOf(err) {
	case check.PairingsDiffer:
		return tables.Say("proof.pairings_differ")
	case check.FirstCommitmentDiffers:
		return tables.Say("proof.first_commitment_differs")
	case check.CommitmentNotOpened:
		return tables.Say("proof.commitment_unopened")
	case check.RelationFails:
		return tables.Say("proof.relation_unsatisfied")
	}
	return err.Error()
}
