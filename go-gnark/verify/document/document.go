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

// version is that of every document.
const version = 2

const nonceLength = 16

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

// tools are versions of software by name. Nothing checks them, so they are short.
var tools = canonical.DictionaryOf(canonical.TextOf(0, 128), canonical.TextOf(1, 64), 16)

var queryKind = marked(
	canonical.Required("features", canonical.Dictionary(canonical.Raw())),
	canonical.Required("blinding", canonical.Text()),
)

var commitmentKind = marked(
	canonical.Required("model_commitment", canonical.Text()),
	canonical.Required("spec", spec.Kind()),
)

// marked is the table of a document: two fields that each has, and its own.
func marked(fields ...canonical.Field) canonical.Kind {
	return canonical.Document(append([]canonical.Field{
		canonical.Required("format", canonical.Text()), canonical.Required("version", canonical.Integer()),
	}, fields...)...)
}

// read reads one of the project's files in its canonical form.
func read(data []byte, kind canonical.Kind, mark, where string) (*canonical.Object, error) {
	value, err := canonical.ParseCanonical(data, kind, where)
	if err != nil {
		return nil, orOther(err, data, mark, where)
	}
	object := value.(*canonical.Object)
	return object, checkMark(object, mark, where)
}

// ReadCanonical reads one of the project's files in its canonical form, of these fields of its own.
func ReadCanonical(data []byte, mark, where string, fields ...canonical.Field) (*canonical.Object, error) {
	return read(data, marked(fields...), mark, where)
}

// Read reads one of the project's files in any spelling of JSON.
func Read(data []byte, mark, where string, fields ...canonical.Field) (*canonical.Object, error) {
	value, err := canonical.Parse(data, marked(fields...), where)
	if err != nil {
		return nil, orOther(err, data, mark, where)
	}
	object := value.(*canonical.Object)
	return object, checkMark(object, mark, where)
}

// orOther names the kind of a file that is of another one.
func orOther(err error, data []byte, mark, where string) error {
	var found *verdict.Error
	if other := Mistaken(data, mark); other != "" && errors.As(err, &found) {
		return verdict.New(verdict.Malformed, found.Reason, "%s: %s", where, other)
	}
	return err
}

// checkMark refuses another format or version.
func checkMark(object *canonical.Object, mark, where string) error {
	return checkVersion(object, mark, version, where)
}

func checkVersion(object *canonical.Object, mark string, version int64, where string) error {
	format, found := object.Text("format"), object.Big("version")
	if format == mark && found.Cmp(big.NewInt(version)) == 0 {
		return nil
	}
	return verdict.New(verdict.Malformed, "other-format", "%s: this is %s version %s, not '%s' version %d",
		where, text.Repr(text.Cut(format, 40)), found, mark, version)
}

// Commitment is what an owner publishes once for all customers: the model commitment and the spec that it binds.
type Commitment struct {
	ModelCommitment string
	Spec            *spec.Spec
	DomainDigest    *big.Int
	FileDigest      string // SHA-256 of the file, as a register knows it
}

// ReadCommitment reads a commitment file; a spec with more than one meaning is refused.
func ReadCommitment(data []byte, where string) (*Commitment, error) {
	object, err := read(data, commitmentKind, "equiproof-commitment", where)
	if err != nil {
		return nil, err
	}
	if _, err := element(object.Text("model_commitment"), where+": field model_commitment"); err != nil {
		return nil, err
	}
	meant, err := spec.New(object.Get("spec"))
	if err != nil {
		return nil, verdict.New(verdict.Malformed, "bad-spec", "%s: field spec: %s", where, err)
	}
	sum := sha256.Sum256(data)
	return &Commitment{object.Text("model_commitment"), meant, statement.DomainDigest(meant), hex.EncodeToString(sum[:])}, nil
}

// Query is what an applicant keeps: the raw non-sensitive features, and the blinding that opens the query commitment.
type Query struct {
	Features *canonical.Object
	blinding *big.Int
}

// ReadQuery reads a query file.
func ReadQuery(data []byte, where string) (*Query, error) {
	object, err := read(data, queryKind, "equiproof-query", where)
	if err != nil {
		var found *verdict.Error
		if errors.As(err, &found) && isRawRow(data) {
			err = verdict.New(verdict.Malformed, found.Reason,
				"%s: these are raw features; want the query file that `equiproof prove --query-out` wrote", where)
		}
		return nil, err
	}
	return newQuery(object, where)
}

// newQuery returns a query after checking its marks and its blinding.
func newQuery(object *canonical.Object, where string) (*Query, error) {
	if err := checkMark(object, "equiproof-query", where); err != nil {
		return nil, err
	}
	blinding, err := element(object.Text("blinding"), where+": field blinding")
	return &Query{object.Object("features"), blinding}, err
}

// Commitment is the query commitment that the features open; an error unless they fit the spec. Any name but those of
// non-sensitive features is refused: the commitment would not bind its value.
func (q *Query) Commitment(s *spec.Spec) (*big.Int, error) {
	known := map[string]bool{}
	for _, f := range s.Plain {
		known[f.Name] = true
	}
	for _, name := range slices.Sorted(slices.Values(q.Features.Names())) {
		if !known[name] {
			return nil, verdict.New(verdict.Malformed, "bad-query",
				"query: %s is not a non-sensitive feature of the spec", text.Repr(text.Cut(name, 40)))
		}
	}
	columns, err := s.Encode(q.Features)
	if err != nil {
		return nil, verdict.New(verdict.Malformed, "bad-query", "query: %s", err)
	}
	return statement.QueryCommitment(s.InputBits, q.blinding, columns), nil
}

// Context is what a certificate was made for: names and texts, among them a nonce.
type Context struct{ *canonical.Object }

// ReadContext reads a context: one flat JSON object of names and texts, with a nonce.
func ReadContext(data []byte, where string) (*Context, error) {
	value, err := canonical.Parse(data, canonical.Dictionary(canonical.Text()), where)
	if err != nil {
		var found *verdict.Error
		if wrong := notAContext(data); wrong != "" && errors.As(err, &found) {
			err = verdict.New(verdict.Malformed, found.Reason, "%s: %s", where, wrong)
		}
		return nil, err
	}
	context := &Context{value.(*canonical.Object)}
	if context.Repeated() {
		return nil, verdict.New(verdict.Malformed, "repeated-name", "%s: a name stands there twice", where)
	}
	return context, context.check(where)
}

// check refuses a context without a "nonce" of at least 16 characters, outer blanks aside: a context's digest is public, and
// dates and policies can be guessed.
func (c *Context) check(where string) error {
	if len([]rune(strings.TrimFunc(c.Text("nonce"), text.IsBlank))) < nonceLength {
		return verdict.New(verdict.Malformed, "weak-nonce",
			"%s: field nonce: want at least %d characters that nobody can guess", where, nonceLength)
	}
	return nil
}

// element reads a field element.
func element(digits, where string) (*big.Int, error) {
	if found := statement.Element(digits); found != nil {
		return found, nil
	}
	why := "want 64 lower-case hexadecimal digits"
	if len(digits) == 64 && strings.Trim(digits, "0123456789abcdef") == "" {
		why = "value is not below the field's order"
	}
	return nil, verdict.New(verdict.Malformed, "bad-element", "%s: %s", where, why)
}
