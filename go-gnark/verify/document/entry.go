package document

import (
	"crypto/sha256"
	"encoding/hex"
	"math/big"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"equiproof/verify/canonical"
	"equiproof/verify/names"
	"equiproof/verify/statement"
	"equiproof/verify/tables"
	"equiproof/verify/verdict"
)

const (
	entryMark   = "equiproof-entry"
	receiptMark = "equiproof-receipt"
	maxWhy      = 200
)

// MaxEntryBytes is the length of the longest entry: tiles of a log hold lengths in 16 bits.
const MaxEntryBytes = 1<<16 - 1

// The kinds of entries.
const (
	CommitmentEntry  = "commitment"
	KeyEntry         = "key"
	LinkEntry        = "link"
	RetireEntry      = "retire"
	DecisionEntry    = "decision"
	CertificateEntry = "certificate"
	BoxEntry         = "box"
	TrailEntry       = "trail"
)

var (
	hexDigits = regexp.MustCompile(`^[0-9a-f]{64}$`)
	dateText  = regexp.MustCompile(`^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}$`)
	timeText  = regexp.MustCompile(`^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$`)
	// controls end a line or move the cursor, so that a text could look like lines of somebody else.
	controls = regexp.MustCompile("[\x00-\x1f\x7f-\u009f\u2028\u2029]")
)

// entryKinds are the kinds of documents of entries, by their kind.
var entryKinds = map[string]canonical.Kind{
	CommitmentEntry:  canonical.DocumentOf("CommitmentEntry"),
	KeyEntry:         canonical.DocumentOf("KeyEntry"),
	LinkEntry:        canonical.DocumentOf("LinkEntry"),
	RetireEntry:      canonical.DocumentOf("RetireEntry"),
	DecisionEntry:    canonical.DocumentOf("DecisionEntry"),
	CertificateEntry: canonical.DocumentOf("CertificateEntry"),
	BoxEntry:         canonical.DocumentOf("BoxEntry"),
	TrailEntry:       canonical.DocumentOf("TrailEntry"),
}

// entryFile is an entry of any kind; its kind says which of these fields it has.
type entryFile struct {
	Mark
	Kind        string  `field:"kind"`
	Owner       *string `field:"owner"`
	What        string  `field:"what"`
	Why         string  `field:"why"`
	ValidFrom   *string `field:"valid_from"`
	Commitment  *string `field:"commitment"`
	Key         *string `field:"key"`
	Link        *string `field:"link"`
	Transcript  *string `field:"transcript"`
	Digest      *string `field:"digest"`
	Successor   *string `field:"successor"`
	Receipt     *string `field:"receipt"`
	Certificate *string `field:"certificate"`
	Box         *string `field:"box"`
	Head        *string `field:"head"`
}

// Entry is one of a public register's eight kinds. Twin of verifier/entries.py.
type Entry struct {
	Kind    string
	Owner   string // "" of a decision, a certificate and a box certificate
	Subject string // the digest of what it is about
	What    string // the kind of what is retired, "" of other entries
	Bytes   []byte
}

// ReadEntry reads an entry; `where` and the field are named in errors.
func ReadEntry(data []byte, where string) (*Entry, error) {
	if len(data) > MaxEntryBytes {
		return nil, verdict.New(verdict.Malformed, "too-long", tables.Say("entry.too_long", where, MaxEntryBytes))
	}
	value, err := canonical.Parse(data, canonical.Anything(), where)
	if err != nil {
		return nil, err
	}
	kind := ""
	if object, ok := value.(*canonical.Object); ok {
		kind, _ = object.Get("kind").(string)
	}
	table, ok := entryKinds[kind]
	if !ok {
		// Where the kind is unknown, any of them names what is wrong.
		table = entryKinds[DecisionEntry]
	}
	object, err := read(data, table, entryMark, firstVersion, where)
	if err != nil {
		return nil, err
	}
	file := canonical.Fields[entryFile](object)
	entry := &Entry{Kind: kind, What: file.What, Bytes: data}
	if file.Owner != nil {
		entry.Owner = *file.Owner
	}
	if entry.Subject, err = file.checkDigests(where); err != nil {
		return nil, err
	}
	return entry, file.check(where)
}

// checkDigests refuses what is no SHA-256, and returns the first of an entry's digests: that of what it is about.
func (e *entryFile) checkDigests(where string) (subject string, err error) {
	for _, one := range []struct {
		name   string
		digits *string
	}{
		{"link", e.Link}, {"commitment", e.Commitment}, {"key", e.Key}, {"transcript", e.Transcript}, {"digest", e.Digest},
		{"successor", e.Successor}, {"receipt", e.Receipt}, {"certificate", e.Certificate},
		{"box", e.Box}, {"head", e.Head},
	} {
		switch {
		case one.digits == nil:
		case !hexDigits.MatchString(*one.digits):
			return "", wrongField(where, one.name, tables.Say("format.want_digest"))
		case subject == "":
			subject = *one.digits
		}
	}
	return subject, nil
}

// check refuses what the form alone lets through.
func (e *entryFile) check(where string) error {
	if e.Owner != nil {
		if complaint := names.Judge(*e.Owner); complaint != nil {
			return wrongField(where, "owner", complaint.Message)
		}
	}
	if e.ValidFrom != nil && !IsDate(*e.ValidFrom) {
		return wrongField(where, "valid_from", tables.Say("entry.want_day"))
	}
	if utf8.RuneCountInString(e.Why) > maxWhy || controls.MatchString(e.Why) {
		return wrongField(where, "why", tables.Say("entry.want_one_line", maxWhy))
	}
	return nil
}

// receiptFile is a receipt.
type receiptFile struct {
	Mark
	ModelCommitment string   `field:"model_commitment"`
	QueryCommitment string   `field:"query_commitment"`
	ContextDigest   string   `field:"context_digest"`
	Label           *big.Int `field:"label"`
	Time            string   `field:"time"`
	Salt            string   `field:"salt"`
}

var receiptTable = canonical.TableOf[receiptFile](receiptMark)

// Receipt is what an applicant is given when a decision is made. Twin of verifier/receipt.py.
type Receipt struct {
	Time                                            string
	Bytes                                           []byte
	modelCommitment, queryCommitment, contextDigest *big.Int
	label                                           *big.Int // nil where a person decides
}

// ReadReceipt reads a receipt; `where` and the field are named in errors.
func ReadReceipt(data []byte, where string) (*Receipt, error) {
	file, err := ReadFirst(data, receiptTable, receiptMark, where)
	if err != nil {
		return nil, err
	}
	receipt := &Receipt{Time: file.Time, Bytes: data, label: file.Label}
	for _, part := range []struct {
		name, digits string
		into         **big.Int
	}{
		{"model_commitment", file.ModelCommitment, &receipt.modelCommitment},
		{"query_commitment", file.QueryCommitment, &receipt.queryCommitment},
		{"context_digest", file.ContextDigest, &receipt.contextDigest},
	} {
		if *part.into, err = element(part.digits, where+": field "+part.name); err != nil {
			return nil, err
		}
	}
	if file.Label != nil && (file.Label.Sign() < 0 || file.Label.Cmp(big.NewInt(maxLabel)) >= 0) {
		return nil, verdict.New(verdict.Malformed, "out-of-range", tables.Say("receipt.label_out_of_bounds", where))
	}
	if !IsTime(file.Time) {
		return nil, verdict.New(verdict.Malformed, "wrong-fields", tables.Say("receipt.time_malformed", where))
	}
	if !hexDigits.MatchString(file.Salt) {
		return nil, wrongField(where, "salt", tables.Say("format.want_digest"))
	}
	return receipt, nil
}

// Entry is the entry of a receipt in the register.
func (r *Receipt) Entry() []byte {
	return canonical.Bytes(canonical.NewObject().Set("format", entryMark).
		Set("version", canonical.IntegerValue(firstVersion)).Set("kind", DecisionEntry).
		Set("receipt", r.Digest()))
}

// Digest is the SHA-256 by which the register knows a receipt.
func (r *Receipt) Digest() string { return digestOf(r.Bytes) }

// digestOf is the SHA-256 of a file in hexadecimal.
func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// RefuseOther refuses a statement that is not about the receipt.
func (r *Receipt) RefuseOther(claim *statement.Statement) error {
	for _, part := range []struct {
		other       string
		stated, own *big.Int
	}{
		{tables.Say("receipt.other_model"), claim.ModelCommitment, r.modelCommitment},
		{tables.Say("receipt.other_data"), claim.QueryCommitment, r.queryCommitment},
		{tables.Say("receipt.other_context"), claim.ContextDigest, r.contextDigest},
	} {
		if part.stated.Cmp(part.own) != 0 {
			return otherReceipt(tables.Say("receipt.about_other", part.other))
		}
	}
	if r.label == nil {
		return otherReceipt(tables.Say("receipt.decided_by_person"))
	}
	if r.label.Cmp(big.NewInt(int64(claim.Label))) != 0 {
		return otherReceipt(tables.Say("receipt.decision_differs"))
	}
	return nil
}

func otherReceipt(message string) error {
	return verdict.New(verdict.Unmet, "other-receipt", message)
}

func wrongField(where, name, why string) error {
	return verdict.New(verdict.Malformed, "wrong-fields", where+": field "+name+": "+why)
}

// IsDate says whether a text is a day, from the year 1000 on, in its one spelling.
func IsDate(date string) bool {
	_, err := time.Parse(time.DateOnly, date)
	return dateText.MatchString(date) && err == nil
}

// IsTime says the same of an instant in UTC.
func IsTime(instant string) bool {
	_, err := time.Parse(time.DateTime, strings.TrimSuffix(strings.Replace(instant, "T", " ", 1), "Z"))
	return timeText.MatchString(instant) && err == nil
}
