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
func WithLogProof(demanded Policy, proof []byte) Policy {
	switch found := demanded.(type) {
	case Logged:
		found.Proof = proof
		found.once = sync.OnceValues(func() (*Standing, error) { return found.Pins.stand(proof, found.Now, logProof) })
		return found
	case AllOf:
		return AllOf(withLogProof(found, proof))
	case AnyOf:
		return AnyOf(withLogProof(found, proof))
	}
	return demanded
}

func withLogProof(all []Policy, proof []byte) []Policy {
	made := make([]Policy, len(all))
	for at, one := range all {
		made[at] = WithLogProof(one, proof)
	}
	return made
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
	found, err := l.Judge(facts.FileDigest)
	if err != nil {
		return nil, err
	}
	by := ""
	if found.Time != nil {
		by = fmt.Sprintf(", cosigned by %s until %s", strings.Join(found.Witnesses, ", "), found.ShownTime())
	}
	return []string{fmt.Sprintf("the log %s (entry %d of %d%s) shows everybody this commitment and all others of %s",
		l.Pins.Log.Name, found.Index, found.Size, by, names.Quoted(found.Entry.Owner))}, nil
}

// Judge returns where the entry of a commitment stands, by the digest of its file.
func (l Logged) Judge(digest string) (*Standing, error) {
	found, err := l.stand()
	if err != nil {
		return nil, err
	}
	entry := found.Entry
	switch {
	case entry.Kind != document.CommitmentEntry:
		return nil, refused("other-entry", "the entry in the log proof is a %s entry, not a commitment", entry.Kind)
	case entry.Subject != digest:
		return nil, refused("other-entry", "the entry in the log proof is of another commitment")
	case l.Pins.Owner != nil && entry.Owner != *l.Pins.Owner:
		return nil, refused("other-owner", "the log holds the commitment as one of %s, the policy requires %s",
			names.Quoted(entry.Owner), names.Quoted(*l.Pins.Owner))
	case found.Size < l.Pins.Smallest:
		return nil, refused("tree-too-small", "the log proof is of a tree of %d entries, the policy requires %d",
			found.Size, l.Pins.Smallest)
	}
	if l.MaxAge != nil && found.Time != nil && l.Now-*found.Time > *l.MaxAge {
		return nil, refused("log-too-old",
			"%d witnesses saw the log of the proof last at %s, %d seconds ago, the policy requires at most %d",
			l.Pins.Least, found.ShownTime(), l.Now-*found.Time, *l.MaxAge)
	}
	return found, nil
}

// Standing returns where the commitment stands after the policy was met.
func (l Logged) Standing() *Standing {
	found, err := l.stand()
	if err != nil {
		return nil
	}
	return found
}

// StillOpen lists what a proof that was accepted does not show.
func (l Logged) StillOpen() (lines []string) {
	found := l.Standing()
	if found == nil {
		return nil
	}
	then := "the log signed that tree (at no stated time)"
	if found.Time != nil {
		then = found.ShownTime()
	} else {
		lines = append(lines, forks)
	}
	if l.Pins.Owner == nil {
		lines = append(lines, fmt.Sprintf("that %s is the owner that you know (--log-owner)", names.Quoted(found.Entry.Owner)))
	}
	return append(lines,
		fmt.Sprintf("that the owner has not retired the commitment, before %s or since (ask the log: `equiproof log monitor`)", then))
}
