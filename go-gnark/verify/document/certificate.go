package document

import (
	"encoding/base64"
	"math/big"
	"regexp"

	"equiproof/verify/canonical"
	"equiproof/verify/statement"
	"equiproof/verify/verdict"
)

const maxLabel = 1 << 14

// proofBytes is the length of every proof.
var proofBytes = map[string]int{"groth16-bn254": 196, "plonk-bn254": 584}

var base64Text = regexp.MustCompile(`^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$`)

// readingKind is the table of a statement in words; package verify computes it anew.
var readingKind = canonical.Document(
	canonical.Required("label", canonical.Text()),
	canonical.Required("sensitive", canonical.ListOf(canonical.Text())),
	canonical.Required("radius", canonical.Text()),
	canonical.Required("radius_any", canonical.Text()),
	canonical.Required("at_least", canonical.Flag()),
	canonical.Required("features", canonical.Dictionary(canonical.Text())),
	canonical.Optional("ranges", canonical.Dictionary(canonical.Text())),
)

// CertificateKind and ReceiptKind are the tables of documents that stand in others.
func CertificateKind() canonical.Kind { return certificateKind }

// ReceiptKind is that of a receipt.
func ReceiptKind() canonical.Kind { return receiptKind }

var certificateKind = provenKind(readingKind)

// provenKind is the table of a file with a statement, its words and its proof; a statement may have fields of its own.
func provenKind(reading canonical.Kind, own ...canonical.Field) canonical.Kind {
	return marked(
		canonical.Required("statement", canonical.Document(append([]canonical.Field{
			canonical.Required("model_commitment", canonical.Text()),
			canonical.Required("spec_digest", canonical.Text()),
			canonical.Required("domain_digest", canonical.Text()),
			canonical.Required("query_commitment", canonical.Text()),
			canonical.Required("context_digest", canonical.Text()),
			canonical.Required("label", canonical.Integer()),
			canonical.Required("radius_squared", canonical.Integer()),
		}, own...)...)),
		canonical.Required("reading", reading),
		canonical.Required("key", canonical.Document(
			canonical.Required("fingerprint", canonical.Text()),
			canonical.Required("setup", canonical.OneOf(SetupKinds...)),
		)),
		canonical.Required("proof_system", canonical.OneOf(ProofSystems...)),
		canonical.Required("proof", canonical.Text()),
		canonical.Required("tools", tools),
		canonical.Required("query", canonical.Nullable(queryKind)),
	)
}

// Certificate is a certificate file, read strictly. Trust nothing in it before a verification recomputed it.
type Certificate struct{ Proven }

// Proven is what a certificate and a gain certificate have: a statement, its words, and the proof under a key. Query is the
// applicant's data where the owner disclosed it, and else nil.
type Proven struct {
	Statement          *statement.Statement
	Reading            *canonical.Object
	Fingerprint, Setup string
	ProofSystem        string
	Proof              []byte
	Query              *Query
}

// ReadCertificate reads a certificate file.
func ReadCertificate(data []byte, where string) (*Certificate, error) {
	object, err := read(data, certificateKind, "equiproof-certificate", where)
	if err != nil {
		return nil, err
	}
	if !inRange(object.Object("statement")) {
		return nil, verdict.New(verdict.Malformed, "out-of-range",
			"%s: field statement: label or radius_squared is out of range", where)
	}
	found, err := newProven(object, where)
	if err != nil {
		return nil, err
	}
	return &Certificate{*found}, nil
}

// newProven reads what both kinds of files have.
func newProven(object *canonical.Object, where string) (found *Proven, err error) {
	found = &Proven{
		Reading: object.Object("reading"), Fingerprint: object.Object("key").Text("fingerprint"),
		Setup: object.Object("key").Text("setup"), ProofSystem: object.Text("proof_system"),
	}
	if found.Statement, err = readStatement(object.Object("statement"), where); err != nil {
		return nil, err
	}
	if found.Proof, err = base64Bytes(object.Text("proof"), where); err != nil {
		return nil, err
	}
	if disclosed := object.Object("query"); disclosed != nil {
		if found.Query, err = newQuery(disclosed, where+": field query"); err != nil {
			return nil, err
		}
	}
	if want := proofBytes[found.ProofSystem]; len(found.Proof) != want {
		return nil, verdict.New(verdict.Malformed, "wrong-length",
			"%s: field proof: %d bytes, want %d", where, len(found.Proof), want)
	}
	return found, nil
}

// inRange says whether label and R2 are numbers that a statement of some spec can have.
func inRange(statement *canonical.Object) bool {
	label := statement.Int("label")
	return label >= 0 && label < maxLabel && statement.Int("radius_squared") >= 0
}

// readStatement returns a statement's parts as field elements.
func readStatement(fields *canonical.Object, where string) (*statement.Statement, error) {
	s := &statement.Statement{Label: fields.Int("label"), RadiusSquared: int64(fields.Int("radius_squared"))}
	for _, part := range []struct {
		name string
		into **big.Int
	}{
		{"model_commitment", &s.ModelCommitment}, {"spec_digest", &s.SpecDigest}, {"domain_digest", &s.DomainDigest},
		{"query_commitment", &s.QueryCommitment}, {"context_digest", &s.ContextDigest},
	} {
		value, err := element(fields.Text(part.name), where+": field statement."+part.name)
		if err != nil {
			return nil, err
		}
		*part.into = value
	}
	return s, nil
}

// base64Bytes decodes base64 in its one canonical spelling.
func base64Bytes(text, where string) ([]byte, error) {
	if !base64Text.MatchString(text) {
		return nil, verdict.New(verdict.Malformed, "not-base64", "%s: field proof: not base64", where)
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil || base64.StdEncoding.EncodeToString(data) != text {
		return nil, verdict.New(verdict.Malformed, "not-canonical", "%s: field proof: not canonical base64", where)
	}
	return data, nil
}
