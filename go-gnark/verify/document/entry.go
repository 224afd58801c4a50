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
	"equiproof/verify/verdict"
)

const (
	entryMark    = "equiproof-entry"
	receiptMark  = "equiproof-receipt"
	firstVersion = 1
	maxWhy       = 200
	maxLabels    = 1 << 14
)

// MaxEntryBytes is the length of the longest entry.
const MaxEntryBytes = 1<<16 - 1

// The kinds of entries.
const (
	CommitmentEntry  = "commitment"
	KeyEntry         = "key"
	RetireEntry      = "retire"
	DecisionEntry    = "decision"
	CertificateEntry = "certificate"
)

var (
	hexDigits = regexp.MustCompile(`^[0-9a-f]{64}$`)
	aDate     = regexp.MustCompile(`^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}$`)
	aTime     = regexp.MustCompile(`^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$`)
	hidden    = regexp.MustCompile("[\x00-\x1f\x7f-\u009f\u2028\u2029]")
)

// entryKinds are the tables of entries by their kind.
var entryKinds = map[string]canonical.Kind{
	CommitmentEntry: entryKind(CommitmentEntry, aText("owner"), aText("commitment"), aText("valid_from")),
	KeyEntry:        entryKind(KeyEntry, aText("owner"), aText("key"), orNull("transcript")),
	RetireEntry: entryKind(RetireEntry, aText("owner"), canonical.Required("what", canonical.OneOf(CommitmentEntry, KeyEntry)),
		aText("digest"), aText("why"), orNull("successor")),
	DecisionEntry:    entryKind(DecisionEntry, aText("receipt")),
	CertificateEntry: entryKind(CertificateEntry, aText("certificate")),
}

// entryDigests are the fields of entries that hold a SHA-256, or null.
var entryDigests = []string{"commitment", "key", "transcript", "digest", "successor", "receipt", "certificate"}

func aText(name string) canonical.Field { return canonical.Required(name, canonical.Text()) }

func orNull(name string) canonical.Field {
	return canonical.Required(name, canonical.Nullable(canonical.Text()))
}

func entryKind(kind string, fields ...canonical.Field) canonical.Kind {
	return marked(append([]canonical.Field{canonical.Required("kind", canonical.OneOf(kind))}, fields...)...)
}

// Entry is one of a public register's five kinds. Twin of verifier/entries.py.
type Entry struct {
	Kind  string
	Owner string // "" of a decision and of a certificate
	Names string // the digest of what it is about
	What  string // the kind of what is retired, "" of other entries
	Bytes []byte
}

// ReadEntry reads an entry; `where` and the field are named in errors.
func ReadEntry(data []byte, where string) (*Entry, error) {
	if len(data) > MaxEntryBytes {
		return nil, verdict.New(verdict.Malformed, "too-long", "%s: longer than %d bytes", where, MaxEntryBytes)
	}
	value, err := canonical.Parse(data, canonical.Anything(), where)
	if err != nil {
		return nil, err
	}
	kind := ""
	if object, ok := value.(*canonical.Object); ok {
		kind, _ = object.Get("kind").(string)
	}
	table, known := entryKinds[kind]
	if !known {
		// Where the kind is unknown, any of them names what is wrong.
		table = entryKinds[DecisionEntry]
	}
	object, err := readFirst(data, table, entryMark, where)
	if err != nil {
		return nil, err
	}
	found := &Entry{kind, object.Text("owner"), "", object.Text("what"), data}
	for _, name := range entryDigests {
		if digits, there := object.Get(name).(string); there {
			if !hexDigits.MatchString(digits) {
				return nil, wrongField(where, name, "want 64 lower-case hexadecimal digits")
			}
			if found.Names == "" {
				found.Names = digits
			}
		}
	}
	return found, checkEntry(object, where)
}

// checkEntry refuses what the form alone lets through.
func checkEntry(object *canonical.Object, where string) error {
	if object.Has("owner") {
		if wrong := names.Judge(object.Text("owner")); wrong != nil {
			return wrongField(where, "owner", wrong.Message)
		}
	}
	if object.Has("valid_from") && !IsDate(object.Text("valid_from")) {
		return wrongField(where, "valid_from", "want a date such as 2026-03-04")
	}
	if why := object.Text("why"); utf8.RuneCountInString(why) > maxWhy || hidden.MatchString(why) {
		return wrongField(where, "why", "want at most 200 characters in one line")
	}
	return nil
}

// Receipt is what an applicant is given when a decision is made. Twin of verifier/receipt.py.
type Receipt struct {
	Time  string
	Bytes []byte
	own   map[string]*big.Int
	label *big.Int // nil where a person decides
}

var receiptKind = marked(aText("model_commitment"), aText("query_commitment"), aText("context_digest"),
	canonical.Required("label", canonical.Nullable(canonical.Integer())), aText("time"), aText("salt"))

// ReadReceipt reads a receipt; `where` and the field are named in errors.
func ReadReceipt(data []byte, where string) (*Receipt, error) {
	object, err := readFirst(data, receiptKind, receiptMark, where)
	if err != nil {
		return nil, err
	}
	found := &Receipt{Time: object.Text("time"), Bytes: data, own: map[string]*big.Int{}}
	for _, name := range []string{"model_commitment", "query_commitment", "context_digest"} {
		if found.own[name], err = element(object.Text(name), where+": field "+name); err != nil {
			return nil, err
		}
	}
	if label, there := object.Get("label").(*big.Int); there {
		if label.Sign() < 0 || label.Cmp(big.NewInt(maxLabels)) >= 0 {
			return nil, verdict.New(verdict.Malformed, "out-of-range", "%s: field label: out of range", where)
		}
		found.label = label
	}
	if !IsTime(found.Time) {
		return nil, wrongField(where, "time", "want one such as 2026-03-04T10:00:00Z")
	}
	if !hexDigits.MatchString(object.Text("salt")) {
		return nil, wrongField(where, "salt", "want 64 lower-case hexadecimal digits")
	}
	return found, nil
}

// Entry is the entry of a receipt in the register.
func (r *Receipt) Entry() []byte {
	return canonical.Bytes(canonical.NewObject().Set("format", entryMark).
		Set("version", canonical.IntegerValue(firstVersion)).Set("kind", DecisionEntry).
		Set("receipt", r.Digest()))
}

// Digest is the SHA-256 by which the register knows a receipt.
func (r *Receipt) Digest() string {
	sum := sha256.Sum256(r.Bytes)
	return hex.EncodeToString(sum[:])
}

// RefuseOther refuses a statement that is not about the receipt.
func (r *Receipt) RefuseOther(stated *statement.Statement) error {
	for _, one := range []struct {
		name, other string
		found       *big.Int
	}{
		{"model_commitment", "another model", stated.ModelCommitment},
		{"query_commitment", "other data", stated.QueryCommitment},
		{"context_digest", "another context", stated.ContextDigest},
	} {
		if one.found.Cmp(r.own[one.name]) != 0 {
			return otherReceipt("the certificate is about " + one.other + " than the receipt")
		}
	}
	if r.label == nil {
		return otherReceipt("by the receipt a person decides, the certificate states a decision")
	}
	if r.label.Cmp(big.NewInt(int64(stated.Label))) != 0 {
		return otherReceipt("the certificate states another decision than the receipt")
	}
	return nil
}

func otherReceipt(message string) error {
	return verdict.New(verdict.Unmet, "other-receipt", "%s", message)
}

// ReadFirst reads one of the project's files of the first version in its canonical form, of these fields of its own.
func ReadFirst(data []byte, mark, where string, fields ...canonical.Field) (*canonical.Object, error) {
	return readFirst(data, marked(fields...), mark, where)
}

func readFirst(data []byte, kind canonical.Kind, mark, where string) (*canonical.Object, error) {
	value, err := canonical.ParseCanonical(data, kind, where)
	if err != nil {
		return nil, orOther(err, data, mark, where)
	}
	object := value.(*canonical.Object)
	return object, checkVersion(object, mark, firstVersion, where)
}

func wrongField(where, name, why string) error {
	return verdict.New(verdict.Malformed, "wrong-fields", "%s: field %s: %s", where, name, why)
}

// IsDate says whether a text is a day, from the year 1000 on, in its one spelling.
func IsDate(written string) bool {
	_, err := time.Parse(time.DateOnly, written)
	return aDate.MatchString(written) && err == nil
}

// IsTime says the same of an instant in UTC.
func IsTime(written string) bool {
	_, err := time.Parse(time.DateTime, strings.TrimSuffix(strings.Replace(written, "T", " ", 1), "Z"))
	return aTime.MatchString(written) && err == nil
}
