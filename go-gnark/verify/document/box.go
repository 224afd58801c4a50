package document

import (
	"math/big"
	"slices"

	"equiproof/verify/canonical"
	"equiproof/verify/spec"
	"equiproof/verify/statement"
	"equiproof/verify/tables"
	"equiproof/verify/text"
	"equiproof/verify/verdict"
)

const (
	boxMark       = "equiproof-box"
	openedBoxMark = "equiproof-opened-box"
)

// boxFile is the file of a box certificate.
type boxFile struct {
	Mark
	Statement boxStatementInFile `field:"statement"`
	proofInFile
	Box *openedBoxFile `field:"box"`
}

type boxStatementInFile struct {
	ModelCommitment string `field:"model_commitment"`
	SpecDigest      string `field:"spec_digest"`
	DomainDigest    string `field:"domain_digest"`
	BoxCommitment   string `field:"box_commitment"`
	ContextDigest   string `field:"context_digest"`
	Label           int    `field:"label"`
}

// openedBoxFile is the file of an opened box, or one in a box certificate.
type openedBoxFile struct {
	Mark
	Ends     *canonical.Object `field:"ends"`
	Blinding string            `field:"blinding"`
}

var (
	boxTable       = canonical.TableOf[boxFile](boxMark, canonical.As("tools", toolsKind))
	openedBoxTable = canonical.TableOf[openedBoxFile](openedBoxMark)
)

// Box is a box certificate, read strictly: everybody in a box is decided a label, whatever the listed sensitive values are. Trust
// nothing in it before a verification recomputed it. It is no certificate: it speaks of nobody's ball. Opened is the box where
// the owner disclosed it, and else nil. Bytes is the file.
type Box struct {
	Proven
	Opened *OpenedBox
	Bytes  []byte
}

// Entry is the entry of a box certificate's file in the register.
func (b *Box) Entry() []byte {
	return canonical.Bytes(canonical.NewObject().Set("format", entryMark).
		Set("version", canonical.IntegerValue(firstVersion)).Set("kind", BoxEntry).Set("box", digestOf(b.Bytes)))
}

// ReadBox reads a box certificate.
func ReadBox(data []byte, where string) (*Box, error) {
	file, err := ReadCanonical(data, boxTable, boxMark, where)
	if err != nil {
		return nil, err
	}
	claim := &file.Statement
	if claim.Label < 0 || claim.Label >= maxLabel {
		return nil, verdict.New(verdict.Malformed, "out-of-range", tables.Say("box.statement_out_of_bounds", where))
	}
	stated, err := claim.statement(where)
	if err != nil {
		return nil, err
	}
	content, err := newProven(stated, &file.proofInFile, where)
	if err != nil {
		return nil, err
	}
	if err := content.checkLength(where); err != nil {
		return nil, err
	}
	box := &Box{Proven: *content, Bytes: data}
	if file.Box != nil {
		box.Opened, err = newOpenedBox(file.Box, where+": field box")
	}
	return box, err
}

// statement returns the statement, its parts as field elements.
func (s *boxStatementInFile) statement(where string) (*statement.Statement, error) {
	claim := &statement.Statement{Label: s.Label}
	return claim, readElements(where, []elementInFile{
		{"model_commitment", s.ModelCommitment, &claim.ModelCommitment},
		{"spec_digest", s.SpecDigest, &claim.SpecDigest},
		{"domain_digest", s.DomainDigest, &claim.DomainDigest},
		{"box_commitment", s.BoxCommitment, &claim.BoxCommitment},
		{"context_digest", s.ContextDigest, &claim.ContextDigest},
	})
}

// OpenedBox is what the holder of a box certificate keeps: the values of a box by feature, and the blinding that opens the box
// commitment. Twin of verifier/opened_box.py.
type OpenedBox struct {
	ends     *canonical.Object
	blinding *big.Int
}

// ReadOpenedBox reads an opened box.
func ReadOpenedBox(data []byte, where string) (*OpenedBox, error) {
	file, err := ReadCanonical(data, openedBoxTable, openedBoxMark, where)
	if err != nil {
		return nil, err
	}
	return newOpenedBox(file, where)
}

// newOpenedBox returns an opened box after checking its marks and its blinding.
func newOpenedBox(file *openedBoxFile, where string) (*OpenedBox, error) {
	if err := file.check(openedBoxMark, version, where); err != nil {
		return nil, err
	}
	blinding, err := element(file.Blinding, where+": field blinding")
	return &OpenedBox{file.Ends, blinding}, err
}

// Of are the values of a feature.
func (b *OpenedBox) Of(f *spec.Feature) []canonical.Value {
	values, _ := b.ends.Get(f.Name).([]canonical.Value)
	return values
}

// Commitment is the box commitment that the ends open; an error unless they fit the spec. Any name but those of non-sensitive
// features is refused: the commitment would not bind its values.
func (b *OpenedBox) Commitment(s *spec.Spec) (*big.Int, error) {
	malformed := func(message string) error { return verdict.New(verdict.Malformed, "bad-query", message) }
	for _, name := range slices.Sorted(slices.Values(b.ends.Names())) {
		if !slices.ContainsFunc(s.Plain, func(f *spec.Feature) bool { return f.Name == name }) {
			return nil, malformed(tables.Say("box.unknown_feature", text.Repr(text.Cut(name, 40))))
		}
	}
	ends, err := s.Ends(func(f *spec.Feature) ([]canonical.Value, bool) { return b.Of(f), b.ends.Has(f.Name) })
	if err != nil {
		return nil, malformed(err.Error())
	}
	return statement.BoxCommitment(s.InputBits, b.blinding, ends.Low, ends.High), nil
}

// Sentences are the values of each feature in words. The box fits the spec.
func (b *OpenedBox) Sentences(s *spec.Spec) *canonical.Object {
	object := canonical.NewObject()
	for _, f := range s.Plain {
		object.Set(f.Name, f.EndsInWords(b.Of(f)))
	}
	return object
}
