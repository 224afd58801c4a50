// Package document reads the public files around a certificate strictly: certificate, commitment, query, context and key
// metadata. Twin of verifier/documents.py and verifier/certificate.py.
//
// Each is one JSON object with a format mark and a version. An error names file and field.
package document

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math/big"
	"slices"
	"strings"

	"equiproof/verify/canonical"
	"equiproof/verify/spec"
	"equiproof/verify/statement"
	"equiproof/verify/tables"
	"equiproof/verify/text"
	"equiproof/verify/verdict"
)

// version is that of every document, but for those of a register and of an audit by lot, which came later: firstVersion.
const (
	version      = 2
	firstVersion = 1
)

const (
	commitmentMark = "equiproof-commitment"
	queryMark      = "equiproof-query"
	nonceLength    = 16
)

// ProofSystems are the names of the proof systems, and SetupKinds those of how a key was made: whoever ran a single-party
// set-up could forge proofs under it.
var (
	ProofSystems = tables.Systems().ProofSystems
	SetupKinds   = tables.Systems().Setups
)

// The kinds of set-up.
const (
	SingleParty = "single-party"
	Ceremony    = "ceremony"
	Universal   = "universal"
)

// toolsKind is versions of software by name. Nothing checks them, so they are short.
var toolsKind = canonical.DictionaryOf(canonical.TextOf(0, 128), canonical.TextOf(1, 64), 16)

// Mark is two fields that each document begins with.
type Mark struct {
	Format  string   `field:"format"`
	Version *big.Int `field:"version"`
}

// read reads one of the project's files in its canonical form.
func read(data []byte, kind canonical.Kind, mark string, version int64, where string) (*canonical.Object, error) {
	value, err := canonical.ParseCanonical(data, kind, where)
	if err != nil {
		return nil, orOther(err, data, mark, where)
	}
	object := value.(*canonical.Object)
	return object, canonical.Fields[Mark](object).check(mark, version, where)
}

// ReadCanonical reads one of the project's files in its canonical form.
func ReadCanonical[T any](data []byte, table canonical.Table[T], mark, where string) (*T, error) {
	object, err := read(data, table, mark, version, where)
	if err != nil {
		return nil, err
	}
	return table.Fields(object), nil
}

// ReadFirst reads one of the project's files of the first version in its canonical form.
func ReadFirst[T any](data []byte, table canonical.Table[T], mark, where string) (*T, error) {
	object, err := ReadFirstObject(data, table, mark, where)
	if err != nil {
		return nil, err
	}
	return table.Fields(object), nil
}

// ReadFirstObject does the same for a reader who needs the object itself, for its canonical form.
func ReadFirstObject(data []byte, kind canonical.Kind, mark, where string) (*canonical.Object, error) {
	return read(data, kind, mark, firstVersion, where)
}

// Read reads one of the project's files in any spelling of JSON.
func Read[T any](data []byte, table canonical.Table[T], mark, where string) (*T, error) {
	value, err := canonical.Parse(data, table, where)
	if err != nil {
		return nil, orOther(err, data, mark, where)
	}
	if err := canonical.Fields[Mark](value).check(mark, version, where); err != nil {
		return nil, err
	}
	return table.Fields(value), nil
}

// orOther names the kind of a file that is of another one.
func orOther(err error, data []byte, mark, where string) error {
	var refusal *verdict.Error
	if other := Mistaken(data, mark); other != "" && errors.As(err, &refusal) {
		return verdict.New(verdict.Malformed, refusal.Reason, where+": "+other)
	}
	return err
}

// check refuses another format or version.
func (m *Mark) check(format string, version int64, where string) error {
	if m.Format == format && m.Version.Cmp(big.NewInt(version)) == 0 {
		return nil
	}
	return verdict.New(verdict.Malformed, "other-format",
		tables.Say("format.version_unknown", where, text.Repr(text.Cut(m.Format, 40)), m.Version, "'"+format+"'", version))
}

// commitmentFile is a commitment file.
type commitmentFile struct {
	Mark
	ModelCommitment string          `field:"model_commitment"`
	Spec            canonical.Value `field:"spec"`
}

var commitmentTable = canonical.TableOf[commitmentFile](commitmentMark, canonical.As("spec", spec.Kind()))

// Commitment is what an owner publishes once for all customers: the model commitment and the spec that it binds.
type Commitment struct {
	ModelCommitment string
	Spec            *spec.Spec
	DomainDigest    *big.Int
	FileDigest      string // SHA-256 of the file, as a register knows it
}

// ReadCommitment reads a commitment file; a spec with more than one meaning is refused.
func ReadCommitment(data []byte, where string) (*Commitment, error) {
	file, err := ReadCanonical(data, commitmentTable, commitmentMark, where)
	if err != nil {
		return nil, err
	}
	if _, err := element(file.ModelCommitment, tables.Say("format.field_model_commitment", where)); err != nil {
		return nil, err
	}
	s, err := spec.New(file.Spec)
	if err != nil {
		return nil, verdict.New(verdict.Malformed, "bad-spec", where+": field spec: "+err.Error())
	}
	sum := sha256.Sum256(data)
	return &Commitment{file.ModelCommitment, s, statement.DomainDigest(s), hex.EncodeToString(sum[:])}, nil
}

// queryFile is a query file, or a query in a certificate.
type queryFile struct {
	Mark
	Features *canonical.Object `field:"features"`
	Blinding string            `field:"blinding"`
}

var queryTable = canonical.TableOf[queryFile](queryMark)

// Query is what an applicant keeps: the raw non-sensitive features, and the blinding that opens the query commitment.
type Query struct {
	Features *canonical.Object
	blinding *big.Int
}

// ReadQuery reads a query file.
func ReadQuery(data []byte, where string) (*Query, error) {
	file, err := ReadCanonical(data, queryTable, queryMark, where)
	if err != nil {
		var refusal *verdict.Error
		if errors.As(err, &refusal) && isRawRow(data) {
			err = verdict.New(verdict.Malformed, refusal.Reason, tables.Say("query.raw_features", where))
		}
		return nil, err
	}
	return newQuery(file, where)
}

// newQuery returns a query after checking its marks and its blinding.
func newQuery(file *queryFile, where string) (*Query, error) {
	if err := file.check(queryMark, version, where); err != nil {
		return nil, err
	}
	blinding, err := element(file.Blinding, where+": field blinding")
	return &Query{file.Features, blinding}, err
}

// Commitment is the query commitment that the features open; an error unless they fit the spec. Any name but those of
// non-sensitive features is refused: the commitment would not bind its value.
func (q *Query) Commitment(s *spec.Spec) (*big.Int, error) {
	names := map[string]bool{}
	for _, f := range s.Plain {
		names[f.Name] = true
	}
	for _, name := range slices.Sorted(slices.Values(q.Features.Names())) {
		if !names[name] {
			return nil, verdict.New(verdict.Malformed, "bad-query",
				tables.Say("query.unknown_feature", text.Repr(text.Cut(name, 40))))
		}
	}
	columns, err := s.Encode(q.Features)
	if err != nil {
		return nil, verdict.New(verdict.Malformed, "bad-query", "query: "+err.Error())
	}
	return statement.QueryCommitment(s.InputBits, q.blinding, columns), nil
}

// Context is what a certificate was made for: names and texts, among them a nonce.
type Context struct{ *canonical.Object }

// ReadContext reads a context: one flat JSON object of names and texts, with a nonce.
func ReadContext(data []byte, where string) (*Context, error) {
	value, err := canonical.Parse(data, canonical.Dictionary(canonical.Text()), where)
	if err != nil {
		var refusal *verdict.Error
		if complaint := notAContext(data); complaint != "" && errors.As(err, &refusal) {
			err = verdict.New(verdict.Malformed, refusal.Reason, where+": "+complaint)
		}
		return nil, err
	}
	context := &Context{value.(*canonical.Object)}
	if context.Repeated() {
		return nil, verdict.New(verdict.Malformed, "repeated-name", tables.Say("format.name_twice", where))
	}
	return context, context.check(where)
}

// check refuses a context without a "nonce" of at least 16 characters, outer blanks aside: a context's digest is public, and
// dates and policies can be guessed.
func (c *Context) check(where string) error {
	if len([]rune(strings.TrimFunc(c.Text("nonce"), text.IsBlank))) < nonceLength {
		return verdict.New(verdict.Malformed, "weak-nonce", tables.Say("query.nonce_too_short", where, nonceLength))
	}
	return nil
}

// element reads a field element.
func element(digits, where string) (*big.Int, error) {
	if value := statement.Element(digits); value != nil {
		return value, nil
	}
	why := tables.Say("format.want_digest")
	if len(digits) == 64 && strings.Trim(digits, "0123456789abcdef") == "" {
		why = tables.Say("value.not_below_order")
	}
	return nil, verdict.New(verdict.Malformed, "bad-element", where+": "+why)
}
