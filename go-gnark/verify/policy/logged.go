package policy

import (
	"strings"
	"sync"

	"equiproof/verify/document"
	"equiproof/verify/names"
	"equiproof/verify/tables"
)

// Logged requires that a pinned log holds the commitment, as witnesses stated at most so many seconds ago.
type Logged struct {
	Pins   LogPins
	Proof  []byte
	Now    int64
	MaxAge *int64
	// once is what the proof shows, looked up once for many certificates; nil for one.
	once func() (*Standing, error)
}

var _ = register("Logged", itself[Logged])

// stand returns where the entry of the log proof stands.
func (l Logged) stand() (*Standing, error) {
	if l.once != nil {
		return l.once()
	}
	return l.Pins.stand(l.Proof, l.Now, tables.Say("present.log_proof"))
}

// WithLogProof returns a policy for another log proof: whatever it requires of a log is then required of this one, whose
// signatures and path are checked once for all certificates that are judged by the policy.
func WithLogProof(policy Policy, proof []byte) Policy {
	switch own := policy.(type) {
	case Logged:
		own.Proof = proof
		where := tables.Say("present.log_proof")
		own.once = sync.OnceValues(func() (*Standing, error) { return own.Pins.stand(proof, own.Now, where) })
		return own
	case AllOf:
		return AllOf(withLogProof(own, proof))
	case AnyOf:
		return AnyOf(withLogProof(own, proof))
	}
	return policy
}

func withLogProof(all []Policy, proof []byte) []Policy {
	out := make([]Policy, len(all))
	for at, one := range all {
		out[at] = WithLogProof(one, proof)
	}
	return out
}

// Covers is that everybody sees the same; without witnesses the log itself could show everybody something else.
func (l Logged) Covers() Covered {
	if l.Pins.Least > 0 {
		return covering(AboutSame)
	}
	return Covered{}
}

// Check judges the log proof for the trusted commitment.
func (l Logged) Check(facts *Facts) ([]string, error) {
	standing, err := l.Judge(facts.FileDigest)
	if err != nil {
		return nil, err
	}
	by := ""
	if standing.Time != nil {
		by = tables.Say("log.cosigned_by", strings.Join(standing.Witnesses, ", "), standing.ShownTime())
	}
	return []string{tables.Say("checked.log",
		tables.Say("log.place", l.Pins.Log.Name, standing.Index, standing.Size, by), names.Quoted(standing.Entry.Owner))}, nil
}

// Judge returns where the entry of a commitment stands, by the digest of its file.
func (l Logged) Judge(digest string) (*Standing, error) {
	standing, err := l.stand()
	if err != nil {
		return nil, err
	}
	entry := standing.Entry
	switch {
	case entry.Kind != document.CommitmentEntry:
		return nil, refused("other-entry", tables.Say("log_proof.entry_of_other_kind", entry.Kind))
	case entry.Subject != digest:
		return nil, refused("other-entry", tables.Say("log_proof.entry_of_other_commitment"))
	case l.Pins.Owner != nil && entry.Owner != *l.Pins.Owner:
		return nil, refused("other-owner",
			tables.Say("policy.log_owner_differs", names.Quoted(entry.Owner), names.Quoted(*l.Pins.Owner)))
	case standing.Size < l.Pins.Smallest:
		return nil, refused("tree-too-small", tables.Say("policy.log_too_small", standing.Size, l.Pins.Smallest))
	}
	if l.MaxAge != nil && standing.Time != nil && l.Now-*standing.Time > *l.MaxAge {
		return nil, refused("log-too-old",
			tables.Say("policy.log_proof_too_old", l.Pins.Least, standing.ShownTime(), l.Now-*standing.Time, *l.MaxAge))
	}
	return standing, nil
}

// Standing returns where the commitment stands after the policy was met.
func (l Logged) Standing() *Standing {
	standing, err := l.stand()
	if err != nil {
		return nil
	}
	return standing
}

// StillOpen lists what a proof that was accepted does not show.
func (l Logged) StillOpen() (lines []string) {
	standing := l.Standing()
	if standing == nil {
		return nil
	}
	then := tables.Say("log.signed_without_time")
	if standing.Time != nil {
		then = standing.ShownTime()
	} else {
		lines = append(lines, tables.Say("unproven.log_witnesses"))
	}
	if l.Pins.Owner == nil {
		lines = append(lines, tables.Say("unproven.log_owner", names.Quoted(standing.Entry.Owner)))
	}
	return append(lines, tables.Say("unproven.retired_in_log", tables.Say("unproven.not_retired", then)))
}
