package policy

import (
	"fmt"
	"strings"
	"sync"

	"equiproof/verify/document"
	"equiproof/verify/names"
)

// logProof names the log proof of a commitment in errors.
const logProof = "log proof"

// forks is what a log without witnesses does not show.
const forks = "that the log shows everybody the same entries: no witness is asked (--witnesses)"

// Logged requires that a pinned log holds the commitment, as witnesses stated at most so many seconds ago.
type Logged struct {
	Pins   LogPins
	Proof  []byte
	Now    int64
	MaxAge *int64
	// once is what the proof shows, looked up once for many certificates; nil for one.
	once func() (*Standing, error)
}

// stand returns where the entry of the log proof stands.
func (l Logged) stand() (*Standing, error) {
	if l.once != nil {
		return l.once()
	}
	return l.Pins.stand(l.Proof, l.Now, logProof)
}

// WithLogProof returns a policy for another log proof: whatever it requires of a log is then required of this one, whose
// signatures and path are checked once for all certificates that are judged by the policy.
func WithLogProof(policy Policy, proof []byte) Policy {
	switch own := policy.(type) {
	case Logged:
		own.Proof = proof
		own.once = sync.OnceValues(func() (*Standing, error) { return own.Pins.stand(proof, own.Now, logProof) })
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
		by = fmt.Sprintf(", cosigned by %s until %s", strings.Join(standing.Witnesses, ", "), standing.ShownTime())
	}
	return []string{fmt.Sprintf("the log %s (entry %d of %d%s) shows everybody this commitment and all others of %s",
		l.Pins.Log.Name, standing.Index, standing.Size, by, names.Quoted(standing.Entry.Owner))}, nil
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
		return nil, refused("other-entry", "the entry in the log proof is a %s entry, not a commitment", entry.Kind)
	case entry.Subject != digest:
		return nil, refused("other-entry", "the entry in the log proof is of another commitment")
	case l.Pins.Owner != nil && entry.Owner != *l.Pins.Owner:
		return nil, refused("other-owner", "the log holds the commitment as one of %s, the policy requires %s",
			names.Quoted(entry.Owner), names.Quoted(*l.Pins.Owner))
	case standing.Size < l.Pins.Smallest:
		return nil, refused("tree-too-small", "the log proof is of a tree of %d entries, the policy requires %d",
			standing.Size, l.Pins.Smallest)
	}
	if l.MaxAge != nil && standing.Time != nil && l.Now-*standing.Time > *l.MaxAge {
		return nil, refused("log-too-old",
			"%d witnesses saw the log of the proof last at %s, %d seconds ago, the policy requires at most %d",
			l.Pins.Least, standing.ShownTime(), l.Now-*standing.Time, *l.MaxAge)
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
	then := "the log signed that tree (at no stated time)"
	if standing.Time != nil {
		then = standing.ShownTime()
	} else {
		lines = append(lines, forks)
	}
	if l.Pins.Owner == nil {
		lines = append(lines, fmt.Sprintf("that %s is the owner that you know (--log-owner)", names.Quoted(standing.Entry.Owner)))
	}
	return append(lines,
		fmt.Sprintf("that the owner has not retired the commitment, before %s or since (ask the log: `equiproof log monitor`)", then))
}
