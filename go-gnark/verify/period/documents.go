// Package period checks the audit by lot of a period from its folder and the log alone, whoever made them. Twin of
// equiproof/register/lot.
//
// In this order, and nothing later counts unless everything before it holds: (1) the folder's documents are of one period, and
// the log's key signed its checkpoint; (2) the log's entries hash to it, and the receipts among them are counted, none twice;
// (3) the log shows the period's model and keys as the owner's; (4) every party sealed this close, and numbers were opened
// after all had sealed, or the beacon's round came out later; (5) the draw follows from all of that; (6) each answer is
// signed by the owner, and is the drawn receipt with a certificate about it under the period's policy, or "none"; (7) what that shows of all receipts is the
// bound. Whatever is not certified counts as bad, whyever.
package period

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"

	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/lot"
	"equiproof/verify/names"
	"equiproof/verify/note"
	"equiproof/verify/spec"
	"equiproof/verify/verdict"
)

const (
	periodMark  = "equiproof-lot-period"
	periodTag   = "equiproof.lot.period.v1"
	maxParties  = 16
	maxKeys     = 64
	byNonces    = "nonces"
	byBeacon    = "beacon"
	maxEntries  = 1 << 53
	leastPeople = 2 // the owner, and one auditor
)

var hexDigits = regexp.MustCompile(`^[0-9a-f]{64}$`)

var demandedKind = canonical.Document(
	canonical.Required("commitment", canonical.Text()),
	canonical.Required("keys", canonical.ListOf(canonical.Text())),
	canonical.Required("min_radius", canonical.Text()),
	canonical.Required("share", canonical.Text()),
	canonical.Required("confidence", canonical.Text()),
	canonical.Optional("due", canonical.Text()),
)

// Demanded is what every certificate of a period must satisfy, and what the owner promises; numbers are exact decimal text.
type Demanded struct {
	Commitment                   string // the digest of the commitment file as the log has it
	Keys                         []string
	MinRadius, Share, Confidence string
	Due                          string // the day by which the owner answers, "" for none
}

// Document is what closing a period fixes, before anybody knows what will be drawn. First and Last are entries of the log,
// both included. The owner's key is the first of the Parties. Round is 0 where the draw is by numbers of the parties.
type Document struct {
	Name, Owner string
	Log         *note.Key
	Size        int64
	Root        string
	First, Last int64
	Receipts    int64
	Policy      Demanded
	Drawn       int64
	By          string
	Parties     []*note.Key
	Round       int64
	Groups      string // "" where no groups are disclosed
	Digest      lot.Digest
	share       *big.Rat
	confidence  *big.Rat
}

// readDocument reads what closing a period wrote.
func readDocument(data []byte, where string) (*Document, error) {
	texts := func(name string) canonical.Field { return canonical.Required(name, canonical.Text()) }
	numbers := func(name string) canonical.Field { return canonical.Required(name, canonical.Integer()) }
	object, err := document.ReadFirst(data, periodMark, where,
		texts("name"), texts("owner"), texts("log"), numbers("size"), texts("root"), numbers("first"), numbers("last"),
		numbers("receipts"), canonical.Required("policy", demandedKind), numbers("drawn"),
		canonical.Required("by", canonical.OneOf(byNonces, byBeacon)),
		canonical.Required("parties", canonical.ListOf(canonical.Text())),
		canonical.Optional("round", canonical.Integer()), canonical.Optional("groups", canonical.Text()))
	if err != nil {
		return nil, err
	}
	number := func(name string) int64 { return int64(object.Int(name)) }
	demanded := object.Object("policy")
	found := &Document{
		Name: object.Text("name"), Owner: object.Text("owner"), Size: number("size"), Root: object.Text("root"),
		First: number("first"), Last: number("last"), Receipts: number("receipts"), Drawn: number("drawn"),
		By: object.Text("by"), Groups: object.Text("groups"), Digest: canonical.Tagged(periodTag, data),
		Policy: Demanded{demanded.Text("commitment"), demanded.Texts("keys"), demanded.Text("min_radius"),
			demanded.Text("share"), demanded.Text("confidence"), demanded.Text("due")},
	}
	for _, check := range []func(*canonical.Object, string) error{
		found.checkNames, found.checkRange, found.checkNumbers, found.readParties,
	} {
		if err := check(object, where); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// checkNames refuses names that nobody can have, and what is no digest.
func (d *Document) checkNames(object *canonical.Object, where string) error {
	for _, name := range []string{"name", "owner", "groups"} {
		if !object.Has(name) {
			continue
		}
		if complaint := names.Judge(object.Text(name)); complaint != nil {
			return malformed(where, name, complaint.Message)
		}
	}
	if err := digest(where, "root", d.Root); err != nil {
		return err
	}
	if err := digest(where, "policy.commitment", d.Policy.Commitment); err != nil {
		return err
	}
	keys := d.Policy.Keys
	for place, key := range keys {
		if err := digest(where, fmt.Sprintf("policy.keys[%d]", place), key); err != nil {
			return err
		}
	}
	if different := slices.Compact(slices.Sorted(slices.Values(keys))); len(different) < 1 ||
		len(different) != len(keys) || len(keys) > maxKeys {
		return malformed(where, "policy.keys", fmt.Sprintf("want 1 to %d fingerprints, each once", maxKeys))
	}
	return nil
}

// checkRange refuses entries that no log has, and more receipts than entries.
func (d *Document) checkRange(_ *canonical.Object, where string) error {
	if d.First < 0 || d.First > d.Last || d.Last >= d.Size || d.Size >= maxEntries {
		return malformed(where, "first", "want first <= last < size")
	}
	if d.Receipts < 1 || d.Receipts > d.Last-d.First+1 {
		return malformed(where, "receipts", "want 1 to the number of entries")
	}
	return nil
}

// checkNumbers refuses what no lot can promise, and more drawn than there are.
func (d *Document) checkNumbers(object *canonical.Object, where string) error {
	for _, name := range []string{"min_radius", "share", "confidence"} {
		number, err := spec.Decimal(object.Object("policy").Text(name), name)
		if err != nil {
			return malformed(where, "policy."+name, err.Error())
		}
		if number.Sign() < 0 || name != "min_radius" && number.Cmp(big.NewRat(1, 1)) > 0 {
			return malformed(where, "policy."+name, "want 0 or more, and a share or confidence of at most 1")
		}
		switch name {
		case "share":
			d.share = number
		case "confidence":
			d.confidence = number
		}
	}
	if err := lot.CheckNumbers(d.Receipts, d.Drawn, d.confidence); err != nil {
		return malformed(where, "drawn", err.Error())
	}
	if object.Object("policy").Has("due") && !document.IsDate(d.Policy.Due) {
		return malformed(where, "policy.due", "want a date such as 2026-04-30")
	}
	return nil
}

// readParties reads who draws, and the log's key.
func (d *Document) readParties(object *canonical.Object, where string) error {
	if (d.By == byBeacon) != object.Has("round") {
		return malformed(where, "round", "there where the draw is by beacon, and nowhere else")
	}
	for _, line := range object.Texts("parties") {
		key, err := note.ParseKey(line)
		if err != nil {
			return malformed(where, "parties", err.Error())
		}
		d.Parties = append(d.Parties, key)
	}
	if err := note.Distinct(d.Parties); err != nil {
		return malformed(where, "parties", err.Error())
	}
	if len(d.Parties) < leastPeople || len(d.Parties) > maxParties {
		return malformed(where, "parties", fmt.Sprintf("want the owner and 1 to %d auditors", maxParties-1))
	}
	var err error
	if d.Log, err = note.ParseKey(object.Text("log")); err != nil {
		return malformed(where, "parties", err.Error())
	}
	if !object.Has("round") {
		return nil
	}
	if _, err := lot.TimeOf(int64(object.Int("round"))); err != nil {
		return malformed(where, "round", err.Error())
	}
	d.Round = int64(object.Int("round"))
	return nil
}

// digest refuses what is none.
func digest(where, name, value string) error {
	if !hexDigits.MatchString(value) {
		return malformed(where, name, "want 64 lower-case hexadecimal digits")
	}
	return nil
}

func malformed(where, name, what string) error {
	return verdict.New(verdict.Malformed, "wrong-fields", "%s: field %s: %s", where, name, what)
}

// refused is about a period that breaks a rule of the lot: nothing of what it says may be believed.
func refused(format string, words ...any) error {
	return verdict.New(verdict.Broken, "lot-refused", format, words...)
}
