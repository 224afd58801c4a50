package policy

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"sync"
	"time"

	"equiproof/verify/document"
	"equiproof/verify/merkle"
	"equiproof/verify/names"
	"equiproof/verify/note"
	"equiproof/verify/tlog"
	"equiproof/verify/verdict"
)

const (
	// skew is how many seconds a witness's clock may be ahead.
	skew = 300
	day  = 86400

	logProof     = "log proof"
	receiptProof = "log proof of the receipt"
	// latest is the last second of the year 9999.
	latest = 253402300799
)

// What a log does not show.
const (
	aboutForks   = "that the log shows everybody the same entries: no witness is asked (--witnesses)"
	aboutReceipt = "that the receipt is in the log: no log proof of it came with it"
)

// LogPins is what a relying party pins of a log: Least of the witnesses must have cosigned a tree of Smallest entries. Owner is
// the name under which the log must hold a commitment, nil for any. Twin of verifier/logged.py.
type LogPins struct {
	Log       *note.Key
	Witnesses []*note.Key
	Least     int
	Smallest  uint64
	Owner     *string
}

// LogTerms is the same in plain values; Least nil stands for all witnesses, MaxDays nil for any age.
type LogTerms struct {
	Key       string
	Witnesses []string
	Least     *big.Int
	Smallest  *big.Int
	MaxDays   *big.Int
	Owner     *string
	Proof     []byte // of the commitment, empty for none
	Now       int64  // POSIX seconds
}

// Standing is where an entry stands in a log; Time is the last at which as many witnesses as pinned had seen it, nil for none.
type Standing struct {
	Entry     *document.Entry
	Index     uint64
	Size      uint64
	Witnesses []string
	Time      *int64
}

// ShownTime is the time in UTC, such as 2026-03-04T10:00:00Z; "" for none.
func (s *Standing) ShownTime() string {
	if s.Time == nil {
		return ""
	}
	return time.Unix(min(*s.Time, latest), 0).UTC().Format(time.RFC3339)
}

// stand returns where the entry of a log proof stands in the pinned log. Whose entry it is, how large the tree, and how old the
// witnesses' word: that is left to the caller.
func (p *LogPins) stand(proof []byte, now int64, where string) (*Standing, error) {
	if len(proof) == 0 {
		return nil, refused("no-log-proof",
			"no log proof came with the certificate (--log-proof), the policy requires one")
	}
	parts, signed, times, err := p.read(proof)
	var unsigned tlog.Unsigned
	if errors.As(err, &unsigned) {
		return nil, refused("other-log", "%s: %s", where, err)
	}
	if err != nil {
		return nil, verdict.New(verdict.Malformed, "not-a-log-proof", "%s: %s", where, err)
	}
	if err := merkle.CheckInclusion(merkle.LeafHash(parts.Entry), parts.Index, signed.Tree, parts.Path); err != nil {
		return nil, refused("not-in-log", "%s: %s", where, err)
	}
	entry, err := document.ReadEntry(parts.Entry, where+": extra")
	if err != nil {
		return nil, err
	}
	found := &Standing{Entry: entry, Index: parts.Index, Size: signed.Tree.Size}
	return found, p.vouch(found, times, now, where)
}

// read reads a log proof, its checkpoint and the times of the pinned witnesses.
func (p *LogPins) read(proof []byte) (*tlog.Proof, *tlog.Checkpoint, map[string]int64, error) {
	parts, err := tlog.ReadProof(proof)
	if err != nil {
		return nil, nil, nil, err
	}
	if len(parts.Entry) == 0 {
		return nil, nil, nil, errors.New("a log proof without the entry that it is about")
	}
	signed, err := tlog.Open(parts.Checkpoint, p.Log)
	if err != nil {
		return nil, nil, nil, err
	}
	times, err := signed.Cosigned(p.Witnesses)
	return parts, signed, times, err
}

// vouch counts the witnesses whose time is not in the future.
func (p *LogPins) vouch(found *Standing, times map[string]int64, now int64, where string) error {
	var counted []int64
	for name, time := range times {
		if time <= now+skew {
			counted, found.Witnesses = append(counted, time), append(found.Witnesses, name)
		}
	}
	if len(counted) < p.Least {
		later := ""
		if more := len(times) - len(counted); more > 0 {
			later = fmt.Sprintf(", and %d at a time that is not yet", more)
		}
		return refused("too-few-witnesses",
			"%s: %d of the %d accepted witnesses cosigned the checkpoint%s, the policy requires %d",
			where, len(counted), len(p.Witnesses), later, p.Least)
	}
	slices.Sort(found.Witnesses)
	slices.Sort(counted)
	if p.Least > 0 {
		found.Time = &counted[len(counted)-p.Least]
	}
	return nil
}

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
		lines = append(lines, aboutForks)
	}
	if l.Pins.Owner == nil {
		lines = append(lines, fmt.Sprintf("that %s is the owner that you know (--log-owner)", names.Quoted(found.Entry.Owner)))
	}
	return append(lines,
		fmt.Sprintf("that the owner has not retired the commitment, before %s or since (ask the log: `equiproof log monitor`)", then))
}

// ForReceipt requires that the certificate is about this receipt, which was given when the decision was made. Found: it came with
// the certificate itself. With pins, its proof must show it in the log; without a proof that stays open.
type ForReceipt struct {
	Receipt *document.Receipt
	Found   bool
	Pins    *LogPins
	Proof   []byte
	Now     int64
}

// Covers is no check.
func (ForReceipt) Covers() Covered { return Covered{} }

// Check compares the receipt with the statement, and looks for its entry.
func (r ForReceipt) Check(facts *Facts) ([]string, error) {
	if err := r.Receipt.RefuseOther(facts.Statement); err != nil {
		return nil, err
	}
	whose := "your receipt is"
	if r.Found {
		whose = "the receipt that came with it is"
	}
	made := []string{whose + " the one that this certificate is about, of " + r.Receipt.Time}
	if r.Pins == nil || len(r.Proof) == 0 {
		return made, nil
	}
	found, err := r.Judge()
	if err != nil {
		return nil, err
	}
	return append(made, fmt.Sprintf("the log %s (entry %d of %d) holds that receipt",
		r.Pins.Log.Name, found.Index, found.Size)), nil
}

// Judge returns where the receipt's entry stands; the log must be pinned.
func (r ForReceipt) Judge() (*Standing, error) {
	found, err := r.Pins.stand(r.Proof, r.Now, receiptProof)
	if err == nil && !bytes.Equal(found.Entry.Bytes, r.Receipt.Entry()) {
		err = refused("other-entry", "the entry in the log proof of the receipt is another one")
	}
	return found, err
}

// StillOpen lists what stays open of the receipt.
func (r ForReceipt) StillOpen() []string {
	if r.Pins != nil && len(r.Proof) == 0 {
		return []string{aboutReceipt}
	}
	return nil
}

// Policy returns the policy of terms; pins that nothing could meet, or that mean nothing, are an error: a witness twice, the log
// as its own witness, witnesses that do not count.
func (t *LogTerms) Policy() (Policy, error) {
	pins, err := t.pins()
	if err != nil {
		return nil, err
	}
	made := Logged{Pins: *pins, Proof: t.Proof, Now: t.Now}
	if t.MaxDays != nil {
		if t.MaxDays.Sign() < 0 || pins.Least == 0 {
			return nil, errors.New("an age of at least 0 needs witnesses: a log states no time")
		}
		age := int64(math.MaxInt64)
		if seconds := new(big.Int).Mul(t.MaxDays, big.NewInt(day)); seconds.IsInt64() {
			age = seconds.Int64()
		}
		made.MaxAge = &age
	}
	return made, nil
}

func (t *LogTerms) pins() (*LogPins, error) {
	made := &LogPins{Owner: t.Owner}
	for _, line := range t.Witnesses {
		key, err := note.ParseWitness(line)
		if err != nil {
			return nil, err
		}
		made.Witnesses = append(made.Witnesses, key)
	}
	var err error
	if made.Log, err = note.ParseKey(t.Key); err != nil {
		return nil, err
	}
	if len(made.Witnesses) > 0 {
		if err := note.Distinct(append([]*note.Key{made.Log}, made.Witnesses...)); err != nil {
			return nil, err
		}
	}
	all := int64(len(made.Witnesses))
	least := big.NewInt(all)
	if t.Least != nil {
		least = t.Least
	}
	if least.Cmp(big.NewInt(min(all, 1))) < 0 || least.Cmp(big.NewInt(all)) > 0 {
		return nil, fmt.Errorf("%s witnesses of %d: want at least 1, and no more than all", least, all)
	}
	made.Least, made.Smallest = int(least.Int64()), 1
	if t.Smallest != nil {
		if t.Smallest.Sign() < 0 || t.Smallest.Cmp(big.NewInt(merkle.MaxSize)) > 0 {
			return nil, fmt.Errorf("a tree of %s entries: want 0 to 2^63 - 1", t.Smallest)
		}
		made.Smallest = t.Smallest.Uint64()
	}
	return made, nil
}
