package period

import (
	"bytes"
	"fmt"

	"equiproof/verify/document"
	"equiproof/verify/merkle"
	"equiproof/verify/tables"
	"equiproof/verify/text"
	"equiproof/verify/tiles"
)

// Counted is the receipts of a range of entries, in the log's order: of millions, in a temporary file. shown are those of
// what was asked for that stand in the log before the range ends and were not retired before it began.
type Counted struct {
	receipts records
	shown    map[standing]bool
}

// standing is an entry's owner, its kind, and the digest of what it is about.
type standing struct{ owner, kind, digest string }

// counting is what was seen so far: of the receipts of the range, and of all of the log.
type counting struct {
	Counted
	first, last int64
	seen        doubled
}

// count counts the receipts among a period's entries, in the log's first entries, so many as the checkpoint's tree has. All
// of them are hashed: the receipts are those under the signed root, and no others.
func count(log *tiles.Log, tree merkle.Tree, period *Document) (*Counted, error) {
	counts := &counting{Counted: Counted{shown: map[standing]bool{}}, first: period.First, last: period.Last}
	for _, one := range period.demanded() {
		counts.shown[one] = false
	}
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
	return &counts.Counted, counts.refuseDoubled()
}

// take reads one entry.
func (c *counting) take(number int64, data []byte) error {
	entry, err := document.ReadEntry(data, fmt.Sprintf("entry %d", number))
	switch {
	case err != nil:
		return err
	case entry.Kind == document.DecisionEntry:
		return c.receipt(recordOf(number, bytesOf(entry.Subject)))
	case number > c.last:
	case entry.Kind == document.RetireEntry:
		if number < c.first {
			c.show(standing{entry.Owner, entry.What, entry.Subject}, false)
		}
	case entry.Kind == document.CommitmentEntry, entry.Kind == document.KeyEntry, entry.Kind == document.LinkEntry:
		c.show(standing{entry.Owner, entry.Kind, entry.Subject}, true)
	}
	return nil
}

// show notes what is asked for: a log may show any number of other things.
func (c *counting) show(one standing, valid bool) {
	if _, ok := c.shown[one]; ok {
		c.shown[one] = valid
	}
}

// receipt counts a receipt of the range, and remembers any.
func (c *counting) receipt(one record) error {
	if c.inRange(one.number()) {
		if err := c.receipts.add(one); err != nil {
			return err
		}
	}
	return c.seen.add(one)
}

func (c *counting) inRange(number int64) bool { return c.first <= number && number <= c.last }

// refuseDoubled refuses a receipt that stands in the log twice, once in the range at least: the first that is met again.
func (c *counting) refuseDoubled() error {
	again, before := int64(-1), int64(-1)
	err := c.seen.pairs(func(later, first int64) {
		if (c.inRange(later) || c.inRange(first)) && (again < 0 || later < again) {
			again, before = later, first
		}
	})
	if err == nil && again >= 0 {
		err = refused(tables.Say("lot.receipt_twice", before, again))
	}
	return err
}

// demanded is what the log must show of a period: its commitment, then its keys, and then the links of kept ones.
func (d *Document) demanded() []standing {
	entries := []standing{{d.Owner, document.CommitmentEntry, d.Policy.Commitment}}
	for _, key := range d.Policy.Keys {
		entries = append(entries, standing{d.Owner, document.KeyEntry, key})
	}
	for _, link := range d.Policy.Links {
		entries = append(entries, standing{d.Owner, document.LinkEntry, link})
	}
	return entries
}

// refuseUnshown refuses a period unless the log shows its commitment and its keys as the owner's.
func (c *Counted) refuseUnshown(period *Document) error {
	for _, one := range period.demanded() {
		if !c.shown[one] {
			return refused(tables.Say("lot.not_in_log", one.kind, text.Cut(one.digest, 16), one.owner))
		}
	}
	return nil
}

// EntryOf returns the entry of a receipt in the period, by its digest.
func (c *Counted) EntryOf(receipt string) (entry int64, counted bool, err error) {
	wanted := bytesOf(receipt)
	err = c.receipts.walk(func(one *record) bool {
		if bytes.Equal(one.digest(), wanted) {
			entry, counted = one.number(), true
		}
		return !counted
	})
	return entry, counted, err
}
