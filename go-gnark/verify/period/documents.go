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
	"equiproof/verify/tables"
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

// periodDocument is what closing a period wrote.
type periodDocument struct {
	document.Mark
	Name     string         `field:"name"`
	Owner    string         `field:"owner"`
	Log      string         `field:"log"`
	Size     int64          `field:"size"`
	Root     string         `field:"root"`
	First    int64          `field:"first"`
	Last     int64          `field:"last"`
	Receipts int64          `field:"receipts"`
	Policy   demandedInFile `field:"policy"`
	Drawn    int64          `field:"drawn"`
	By       string         `field:"by"`
	Parties  []string       `field:"parties"`
	Round    *int64         `field:"round"`
	Groups   *string        `field:"groups"`
}

type demandedInFile struct {
	Commitment string    `field:"commitment"`
	Keys       []string  `field:"keys"`
	MinRadius  string    `field:"min_radius"`
	Share      string    `field:"share"`
	Confidence string    `field:"confidence"`
	Due        *string   `field:"due"`
	Links      *[]string `field:"links"`
}

var periodTable = canonical.TableOf[periodDocument](periodMark)

// Demanded is what every certificate of a period must satisfy, and what the owner promises; numbers are exact decimal text.
type Demanded struct {
	Commitment                   string // the digest of the commitment file as the log has it
	Keys                         []string
	MinRadius, Share, Confidence string
	Due                          string   // the day by which the owner answers, "" for none
	Links                        []string // the digests of the links of those keys that are kept, in their order; nil for none
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
	file, err := document.ReadFirst(data, periodTable, periodMark, where)
	if err != nil {
		return nil, err
	}
	period := &Document{
		Name: file.Name, Owner: file.Owner, Size: file.Size, Root: file.Root, First: file.First, Last: file.Last,
		Receipts: file.Receipts, Drawn: file.Drawn, By: file.By, Groups: orEmpty(file.Groups),
		Digest: canonical.Tagged(periodTag, data),
		Policy: Demanded{file.Policy.Commitment, file.Policy.Keys, file.Policy.MinRadius, file.Policy.Share,
			file.Policy.Confidence, orEmpty(file.Policy.Due), nil},
	}
	if file.Policy.Links != nil {
		period.Policy.Links = *file.Policy.Links
	}
	for _, check := range []func(*periodDocument, string) error{
		period.checkNames, period.checkRange, period.checkNumbers, period.readParties,
	} {
		if err := check(file, where); err != nil {
			return nil, err
		}
	}
	return period, nil
}

func orEmpty(optional *string) string {
	if optional == nil {
		return ""
	}
	return *optional
}

// checkNames refuses names that nobody can have, and what is no digest.
func (d *Document) checkNames(file *periodDocument, where string) error {
	for _, one := range []struct {
		field string
		name  *string
	}{{"name", &file.Name}, {"owner", &file.Owner}, {"groups", file.Groups}} {
		if one.name == nil {
			continue
		}
		if complaint := names.Judge(*one.name); complaint != nil {
			return malformed(where, one.field, complaint.Message)
		}
	}
	if err := digest(where, "root", d.Root); err != nil {
		return err
	}
	if err := digest(where, "policy.commitment", d.Policy.Commitment); err != nil {
		return err
	}
	if err := digests(where, "policy.keys", d.Policy.Keys, maxKeys); err != nil || file.Policy.Links == nil {
		return err
	}
	return digests(where, "policy.links", d.Policy.Links, len(d.Policy.Keys))
}

// digests refuses what is no list of digests, each once and at least one.
func digests(where, field string, all []string, most int) error {
	for place, one := range all {
		if err := digest(where, fmt.Sprintf("%s[%d]", field, place), one); err != nil {
			return err
		}
	}
	if once := slices.Compact(slices.Sorted(slices.Values(all))); len(once) < 1 || len(once) != len(all) || len(all) > most {
		return malformed(where, field, tables.Say("lot.fingerprints_out_of_bounds", most))
	}
	return nil
}

// checkRange refuses entries that no log has, and more receipts than entries.
func (d *Document) checkRange(_ *periodDocument, where string) error {
	if d.First < 0 || d.First > d.Last || d.Last >= d.Size || d.Size >= maxEntries {
		return malformed(where, "first", tables.Say("lot.first_last_size"))
	}
	if d.Receipts < 1 || d.Receipts > d.Last-d.First+1 {
		return malformed(where, "receipts", tables.Say("lot.drawn_out_of_bounds"))
	}
	return nil
}

// checkNumbers refuses what no lot can promise, and more drawn than there are.
func (d *Document) checkNumbers(file *periodDocument, where string) error {
	for _, one := range []struct {
		name, digits string
		into         **big.Rat
	}{
		{"min_radius", d.Policy.MinRadius, new(*big.Rat)},
		{"share", d.Policy.Share, &d.share}, {"confidence", d.Policy.Confidence, &d.confidence},
	} {
		number, err := spec.Decimal(one.digits, one.name)
		if err != nil {
			return malformed(where, "policy."+one.name, err.Error())
		}
		if number.Sign() < 0 || one.name != "min_radius" && number.Cmp(big.NewRat(1, 1)) > 0 {
			return malformed(where, "policy."+one.name, tables.Say("lot.promise_out_of_bounds"))
		}
		*one.into = number
	}
	if err := lot.CheckNumbers(d.Receipts, d.Drawn, d.confidence); err != nil {
		return malformed(where, "drawn", err.Error())
	}
	if file.Policy.Due != nil && !document.IsDate(d.Policy.Due) {
		return malformed(where, "policy.due", tables.Say("lot.want_day"))
	}
	return nil
}

// readParties reads who draws, and the log's key.
func (d *Document) readParties(file *periodDocument, where string) error {
	if (d.By == byBeacon) != (file.Round != nil) {
		return malformed(where, "round", tables.Say("lot.round_where_beacon"))
	}
	for _, line := range file.Parties {
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
		return malformed(where, "parties", tables.Say("lot.want_parties", maxParties-1))
	}
	var err error
	if d.Log, err = note.ParseKey(file.Log); err != nil {
		return malformed(where, "parties", err.Error())
	}
	if file.Round == nil {
		return nil
	}
	if _, err := lot.TimeOf(*file.Round); err != nil {
		return malformed(where, "round", err.Error())
	}
	d.Round = *file.Round
	return nil
}

// digest refuses what is none.
func digest(where, name, value string) error {
	if !hexDigits.MatchString(value) {
		return malformed(where, name, tables.Say("format.want_digest"))
	}
	return nil
}

func malformed(where, name, what string) error {
	return verdict.New(verdict.Malformed, "wrong-fields", where+": field "+name+": "+what)
}

// refused is about a period that breaks a rule of the lot: nothing of what it says may be believed.
func refused(message string) error {
	return verdict.New(verdict.Broken, "lot-refused", message)
}
