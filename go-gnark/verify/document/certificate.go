package document

import (
	"encoding/base64"
	"math/big"
	"regexp"

	"equiproof/verify/canonical"
	"equiproof/verify/statement"
	"equiproof/verify/tables"
	"equiproof/verify/verdict"
)

const certificateMark = "equiproof-certificate"

// maxLabel is above every label of a spec: a certificate is read before its spec is known.
const maxLabel = 1 << 14

// proofBytes is the length of every proof: a certificate has no room for anything beside it. A proof about a kept model has two
// commitments.
var proofBytes = map[string]int{"groth16-bn254": 196, "plonk-bn254": 584}

const keptProofBytes = 228

var base64Text = regexp.MustCompile(`^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$`)

// certificateFile is a certificate file.
type certificateFile struct {
	Mark
	Statement statementInFile `field:"statement"`
	proofInFile
	Query *queryFile `field:"query"`
}

// statementInFile is what a statement about a decision says. That about a gain has fields of its own besides.
type statementInFile struct {
	ModelCommitment string  `field:"model_commitment"`
	SpecDigest      string  `field:"spec_digest"`
	DomainDigest    string  `field:"domain_digest"`
	QueryCommitment string  `field:"query_commitment"`
	ContextDigest   string  `field:"context_digest"`
	Label           int     `field:"label"`
	RadiusSquared   int64   `field:"radius_squared"`
	Shown           *string `field:"shown"` // of a kept model
}

// proofInFile is what stands behind a statement in its file. Of the words package verify computes anew what they should be.
type proofInFile struct {
	Reading     *canonical.Object `field:"reading"`
	Key         keyInFile         `field:"key"`
	ProofSystem string            `field:"proof_system"`
	Proof       string            `field:"proof"`
	Tools       *canonical.Object `field:"tools"`
}

// keyInFile is the key under which a proof was made.
type keyInFile struct {
	Fingerprint string `field:"fingerprint"`
	Setup       string `field:"setup"`
}

var certificateTable = canonical.TableOf[certificateFile](certificateMark, canonical.As("tools", toolsKind))

// CertificateKind is the kind of a certificate that stands in another document.
func CertificateKind() canonical.Kind { return certificateTable }

// Certificate is a certificate file, read strictly. Trust nothing in it before a verification recomputed it.
type Certificate struct{ Proven }

// Proven is what certificates of all kinds have: a statement, its words, and the proof under a key. Query is the applicant's
// data where the owner disclosed it, and else nil.
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
	file, err := ReadCanonical(data, certificateTable, certificateMark, where)
	if err != nil {
		return nil, err
	}
	if !file.Statement.inRange() {
		return nil, verdict.New(verdict.Malformed, "out-of-range", tables.Say("certificate.statement_out_of_bounds", where))
	}
	content, err := newAround(&file.Statement, &file.proofInFile, file.Query, where)
	if err != nil {
		return nil, err
	}
	return &Certificate{*content}, nil
}

// newAround reads what certificates about a ball around somebody's query have.
func newAround(claim *statementInFile, proof *proofInFile, query *queryFile, where string) (*Proven, error) {
	stated, err := claim.statement(where)
	if err != nil {
		return nil, err
	}
	content, err := newProven(stated, proof, where)
	if err != nil {
		return nil, err
	}
	if query != nil {
		if content.Query, err = newQuery(query, where+": field query"); err != nil {
			return nil, err
		}
	}
	return content, content.checkLength(where)
}

// newProven reads what certificates of all kinds have, but for the length of the proof.
func newProven(stated *statement.Statement, proof *proofInFile, where string) (*Proven, error) {
	data, err := base64Bytes(proof.Proof, where)
	return &Proven{Statement: stated, Reading: proof.Reading, Fingerprint: proof.Key.Fingerprint, Setup: proof.Key.Setup,
		ProofSystem: proof.ProofSystem, Proof: data}, err
}

// checkLength refuses a proof that is not as long as every one of its proof system and form.
func (p *Proven) checkLength(where string) error {
	if p.Statement.Shown != nil && p.ProofSystem == ProofSystems[0] {
		return checkLength(p.Proof, keptProofBytes, where)
	}
	return checkLength(p.Proof, proofBytes[p.ProofSystem], where)
}

// checkLength refuses a proof of another length.
func checkLength(proof []byte, want int, where string) error {
	if len(proof) == want {
		return nil
	}
	return verdict.New(verdict.Malformed, "wrong-length", tables.Say("certificate.proof_length_wrong", where, len(proof), want))
}

// inRange says whether label and R2 are numbers that a statement of some spec can have. R2 is below 2^53 in any canonical
// document.
func (s *statementInFile) inRange() bool {
	return s.Label >= 0 && s.Label < maxLabel && s.RadiusSquared >= 0
}

// statement returns the statement, its parts as field elements.
func (s *statementInFile) statement(where string) (*statement.Statement, error) {
	claim := &statement.Statement{Label: s.Label, RadiusSquared: s.RadiusSquared}
	parts := []elementInFile{
		{"model_commitment", s.ModelCommitment, &claim.ModelCommitment},
		{"spec_digest", s.SpecDigest, &claim.SpecDigest},
		{"domain_digest", s.DomainDigest, &claim.DomainDigest},
		{"query_commitment", s.QueryCommitment, &claim.QueryCommitment},
		{"context_digest", s.ContextDigest, &claim.ContextDigest},
	}
	if s.Shown != nil {
		parts = append(parts, elementInFile{"shown", *s.Shown, &claim.Shown})
	}
	return claim, readElements(where, parts)
}

// elementInFile is a part of a statement that is a field element, by its name, and where it goes.
type elementInFile struct {
	name, digits string
	into         **big.Int
}

// readElements reads parts of a statement, in the order in which wrong ones are named.
func readElements(where string, parts []elementInFile) error {
	for _, part := range parts {
		value, err := element(part.digits, where+": field statement."+part.name)
		if err != nil {
			return err
		}
		*part.into = value
	}
	return nil
}

// base64Bytes decodes base64 in its one canonical spelling.
func base64Bytes(text, where string) ([]byte, error) {
	if !base64Text.MatchString(text) {
		return nil, verdict.New(verdict.Malformed, "not-base64", where+": "+tables.Say("certificate.proof_not_base64"))
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil || base64.StdEncoding.EncodeToString(data) != text {
		return nil, verdict.New(verdict.Malformed, "not-canonical", where+": "+
			tables.Say("certificate.proof_not_canonical_base64"))
	}
	return data, nil
}
