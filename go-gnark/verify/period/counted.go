package period

import (
	"fmt"

	"equiproof/verify/document"
	"equiproof/verify/merkle"
	"equiproof/verify/tables"
	"equiproof/verify/text"
	"equiproof/verify/tiles"
)

// Counted is the receipts of a range of entries, in the log's order: entry numbers and digests, which belong together. shown
// is what stands in the log before the range ends and was not retired before it began.
type Counted struct {
	Entries  []int64
	Receipts []string
	shown    map[standing]bool
}

// standing is an entry's owner, its kind, and the digest of what it is about.
type standing struct{ owner, kind, digest string }

// counting is what was seen so far.
type counting struct {
	Counted
	first, last int64
	seen        map[string]int64
}

// count counts the receipts among the entries first to last, both included, of the log's first entries, so many as the
// checkpoint's tree has. All of them are hashed: the receipts are those under the signed root, and no others.
func count(log *tiles.Log, tree merkle.Tree, first, last int64) (*Counted, error) {
	counts := &counting{Counted{shown: map[standing]bool{}}, first, last, map[string]int64{}}
	var leaves merkle.Growing
	err := log.Entries(tree.Size, func(number uint64, data []byte) error {
		leaves.Add(merkle.LeafHash(data))
		return counts.take(int64(number), data)
	})
	if err != nil {
		return nil, err
	}
	if leaves.Root() != tree.Root {
		return nil, refused(tables.Say("lot.log_entries_differ", tree.Size))
	}
	return &counts.Counted, nil
}

// take reads one entry.
func (c *counting) take(number int64, data []byte) error {
	entry, err := document.ReadEntry(data, fmt.Sprintf("entry %d", number))
	switch {
	case err != nil:
		return err
	case entry.Kind == document.DecisionEntry:
		return c.receipt(number, entry.Subject)
	case number > c.last, entry.Kind == document.CertificateEntry:
	case entry.Kind == document.RetireEntry:
		if number < c.first {
			delete(c.shown, standing{entry.Owner, entry.What, entry.Subject})
		}
	default:
		c.shown[standing{entry.Owner, entry.Kind, entry.Subject}] = true
	}
	return nil
}

// receipt counts a receipt of the range, and refuses one that stands in the log twice.
func (c *counting) receipt(number int64, receipt string) error {
	before, again := c.seen[receipt]
	inRange := func(number int64) bool { return c.first <= number && number <= c.last }
	if again && (inRange(number) || inRange(before)) {
		return refused(tables.Say("lot.receipt_twice", before, number))
	}
	if !again {
		c.seen[receipt] = number
	}
	if inRange(number) {
		c.Entries, c.Receipts = append(c.Entries, number), append(c.Receipts, receipt)
	}
	return nil
}

// refuseUnshown refuses a period unless the log shows its commitment and its keys as the owner's.
func (c *Counted) refuseUnshown(period *Document) error {
	entries := []standing{{period.Owner, document.CommitmentEntry, period.Policy.Commitment}}
	for _, key := range period.Policy.Keys {
		entries = append(entries, standing{period.Owner, document.KeyEntry, key})
	}
	for _, one := range entries {
		if !c.shown[one] {
			return refused(tables.Say("lot.not_in_log", one.kind, text.Cut(one.digest, 16), one.owner))
		}
	}
	return nil
}

// EntryOf returns the entry of a receipt in the period, by its digest.
func (c *Counted) EntryOf(receipt string) (int64, bool) {
	for place, one := range c.Receipts {
		if one == receipt {
			return c.Entries[place], true
		}
	}
	return 0, false
}
