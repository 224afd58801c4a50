package document

import (
	"encoding/hex"
	"math/big"
	"strings"

	"equiproof/verify/canonical"
	"equiproof/verify/tables"
	"equiproof/verify/verdict"
)

const (
	linkMark     = "equiproof-link"
	maxLinkBytes = 1300 // all its texts have a fixed length, but for the kind of its key's set-up
)

// linkFile is a link as it is written.
type linkFile struct {
	Mark
	ModelCommitment string    `field:"model_commitment"`
	SpecDigest      string    `field:"spec_digest"`
	Key             string    `field:"key"`
	Point           string    `field:"point"`
	Shown           string    `field:"shown"`
	LinkKey         keyInFile `field:"link_key"`
	ProofSystem     string    `field:"proof_system"`
	Proof           string    `field:"proof"`
}

var linkTable = canonical.TableOf[linkFile](linkMark)

// Link is what the owner of a kept model publishes once for a key, read strictly: that the certificates' point, compressed, is of the
// committed model, and what they show of it. Key is the fingerprint of the certificates' key; the other fields of this kind are about
// the key for links. Trust nothing in it before package verify compared it and its proof was checked. Twin of verifier/link.py.
type Link struct {
	ModelCommitment, SpecDigest, Shown *big.Int
	Key                                string
	Point                              []byte
	Fingerprint, Setup, ProofSystem    string
	Proof                              []byte
	FileDigest                         string // SHA-256 of the file, as a register knows it
}

// ReadLink reads a link.
func ReadLink(data []byte, where string) (*Link, error) {
	file, err := ReadFirst(data, linkTable, linkMark, where)
	if err != nil {
		return nil, err
	}
	if len(data) > maxLinkBytes {
		return nil, verdict.New(verdict.Malformed, "too-long", tables.Say("link.too_long", where, len(data), maxLinkBytes))
	}
	link := &Link{FileDigest: digestOf(data), Key: file.Key, Fingerprint: file.LinkKey.Fingerprint, Setup: file.LinkKey.Setup, ProofSystem: file.ProofSystem}
	for _, part := range []elementInFile{
		{"model_commitment", file.ModelCommitment, &link.ModelCommitment},
		{"spec_digest", file.SpecDigest, &link.SpecDigest},
		{"shown", file.Shown, &link.Shown},
	} {
		if *part.into, err = element(part.digits, where+": "+tables.Say("link.field", part.name)); err != nil {
			return nil, err
		}
	}
	for _, one := range [][2]string{{"key", file.Key}, {"point", file.Point}, {"link_key", file.LinkKey.Fingerprint}} {
		if name, digits := one[0], one[1]; len(digits) != 64 || strings.Trim(digits, "0123456789abcdef") != "" {
			return nil, verdict.New(verdict.Malformed, "wrong-fields",
				where+": "+tables.Say("link.field", name)+": "+tables.Say("format.want_digest"))
		}
	}
	if link.Point, err = hex.DecodeString(file.Point); err != nil {
		return nil, err // of other digits only
	}
	if link.Proof, err = base64Bytes(file.Proof, where); err != nil {
		return nil, err
	}
	return link, checkLength(link.Proof, proofBytes[link.ProofSystem], where)
}

// linkShapeFile is the shape of links as a document.
type linkShapeFile struct {
	Mark
	Scheme       string            `field:"scheme"`
	Architecture *canonical.Object `field:"architecture"`
	InputBits    int               `field:"input_bits"`
	NodeWords    *bool             `field:"node_words"`
}

var linkShapeTable = canonical.TableOf[linkShapeFile]("LinkShape")

// LinkShape is the constants that determine the circuit of links: those of the model alone.
type LinkShape struct {
	architecture string // in canonical form
	least        Shape  // of the least certificates of such models, which has the same rules
	nodeWords    *bool  // true for certificates that visit nodes, nil for others
	InputBits    int
	Digest       *big.Int // the digest that enters what a link proves, a field element
}

func newLinkShape(object *canonical.Object) LinkShape {
	fields := linkShapeTable.Fields(object)
	architecture, one := canonical.Fields[architectureInFile](fields.Architecture), 1
	least := Shape{fields: &shapeFile{Architecture: *architecture, Capacity: 1}, Scheme: "branch"}
	if architecture.Predicates != nil {
		least.Scheme, least.fields.Slots = additive, &one
	}
	if architecture.Nodes != nil {
		least.Scheme, least.fields.Rows = trees, &one
	}
	return LinkShape{
		string(canonical.Bytes(fields.Architecture)), least, fields.NodeWords, fields.InputBits, canonical.Digest("equiproof.shape.v2", object),
	}
}

// check refuses a model without a circuit.
func (l LinkShape) check(where string) error {
	if err := l.least.check(where); err != nil || l.nodeWords == nil {
		return err
	}
	message := ""
	switch {
	case !*l.nodeWords:
		message = tables.Say("shape.missing_is_true")
	case !l.least.Trees():
		message = tables.Say("shape.of_kept_ensembles")
	default:
		return nil
	}
	return verdict.New(verdict.Malformed, "bad-shape", where+": field shape.node_words: "+message)
}

// HasArchitecture says whether links are of models of the architecture of a shape, in the words of its certificates.
func (l LinkShape) HasArchitecture(s Shape) bool {
	return l.architecture == string(canonical.Bytes(s.object.Object("architecture"))) && (l.nodeWords != nil) == (s.fields.Passed != nil)
}

// InputBits is the signed width of inputs.
func (s Shape) InputBits() int { return s.fields.InputBits }
