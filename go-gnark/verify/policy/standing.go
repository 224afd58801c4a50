package policy

import (
	"errors"
	"slices"
	"time"

	"equiproof/verify/document"
	"equiproof/verify/merkle"
	"equiproof/verify/note"
	"equiproof/verify/tables"
	"equiproof/verify/tlog"
	"equiproof/verify/verdict"
)

const (
	skew   = 300          // seconds that a witness's clock may be ahead: without, a proof would wait for slow clocks
	latest = 253402300799 // the last second of the year 9999, the last that RFC 3339 writes with four digits
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

// Standing is where an entry stands in a log; Time is the last at which as many witnesses as pinned had seen it, nil for none.
// Since is the first time by which as many had: with fewer liars than that among them, it was there by then.
type Standing struct {
	Entry     *document.Entry
	Index     uint64
	Size      uint64
	Witnesses []string
	Time      *int64
	Since     *int64
}

// ShownTime is the time in UTC, such as 2026-03-04T10:00:00Z; "" for none.
func (s *Standing) ShownTime() string { return shownTime(s.Time) }

// ShownSince is the first time by which as many witnesses as pinned had seen it, likewise.
func (s *Standing) ShownSince() string { return shownTime(s.Since) }

// shownTime is a time in UTC; one past the year 9999 as its last second, "" for none.
func shownTime(at *int64) string {
	if at == nil {
		return ""
	}
	return time.Unix(min(*at, latest), 0).UTC().Format(time.RFC3339)
}

// stand returns where the entry of a log proof stands in the pinned log. Whose entry it is, how large the tree, and how old the
// witnesses' word: that is left to the caller.
func (p *LogPins) stand(proof []byte, now int64, where string) (*Standing, error) {
	if len(proof) == 0 {
		return nil, refused("no-log-proof", tables.Say("log_proof.missing"))
	}
	parts, checkpoint, times, err := p.read(proof)
	var signature tlog.Unsigned
	if errors.As(err, &signature) {
		return nil, refused("other-log", where+": "+err.Error())
	}
	if err != nil {
		return nil, verdict.New(verdict.Malformed, "not-a-log-proof", where+": "+err.Error())
	}
	if err := merkle.CheckInclusion(merkle.LeafHash(parts.Entry), parts.Index, checkpoint.Tree, parts.Path); err != nil {
		return nil, refused("not-in-log", where+": "+err.Error())
	}
	entry, err := document.ReadEntry(parts.Entry, where+": extra")
	if err != nil {
		return nil, err
	}
	standing := &Standing{Entry: entry, Index: parts.Index, Size: checkpoint.Tree.Size}
	return standing, p.vouch(standing, times, now, where)
}

// read reads a log proof, its checkpoint and the times of the pinned witnesses.
func (p *LogPins) read(proof []byte) (*tlog.Proof, *tlog.Checkpoint, map[string]int64, error) {
	parts, err := tlog.ReadProof(proof)
	if err != nil {
		return nil, nil, nil, err
	}
	if len(parts.Entry) == 0 {
		return nil, nil, nil, errors.New(tables.Say("log_proof.entry_missing"))
	}
	checkpoint, err := tlog.Open(parts.Checkpoint, p.Log)
	if err != nil {
		return nil, nil, nil, err
	}
	times, err := checkpoint.Cosigned(p.Witnesses)
	return parts, checkpoint, times, err
}

// vouch counts the witnesses whose time is not in the future.
func (p *LogPins) vouch(standing *Standing, times map[string]int64, now int64, where string) error {
	var accepted []int64
	for name, time := range times {
		if time <= now+skew {
			accepted, standing.Witnesses = append(accepted, time), append(standing.Witnesses, name)
		}
	}
	if len(accepted) < p.Least {
		later := ""
		if more := len(times) - len(accepted); more > 0 {
			later = tables.Say("log.witnesses_at_future_times", more)
		}
		return refused("too-few-witnesses",
			tables.Say("log.witnesses_too_few", where, len(accepted), len(p.Witnesses), later, p.Least))
	}
	slices.Sort(standing.Witnesses)
	slices.Sort(accepted)
	if p.Least > 0 {
		// The least-th time from either end: to move it, as many witnesses as are pinned would have to lie.
		standing.Time, standing.Since = &accepted[len(accepted)-p.Least], &accepted[p.Least-1]
	}
	return nil
}
