package document

import (
	"bytes"
	"math/big"

	"equiproof/verify/canonical"
	"equiproof/verify/number"
	"equiproof/verify/tables"
	"equiproof/verify/text"
)

// verifiedBy has the commands for certificates of one kind that were handed to another one's.
var verifiedBy = map[string]string{
	gainMark:        "equiproof-verify gain",
	certificateMark: "equiproof-verify",
	boxMark:         "equiproof-verify box",
}

// Bundle is the mark of a bundle, which is an archive and no document.
const Bundle = "equiproof-bundle"

// A zip archive begins with four bytes, and that of a bundle has a manifest as its first entry.
const (
	archiveStart = "PK\x03\x04"
	firstName    = "manifest.json"
	firstNameAt  = 30
)

// IsArchive says whether data begin as a zip archive does, which no document of ours does: what may be a bundle.
func IsArchive(data []byte) bool { return bytes.HasPrefix(data, []byte(archiveStart)) }

// KindOf returns the mark of a document's kind, that of a bundle for one; "" for anything that is not ours.
func KindOf(data []byte) string {
	if IsArchive(data) {
		if len(data) > firstNameAt && bytes.HasPrefix(data[firstNameAt:], []byte(firstName)) {
			return Bundle
		}
		return ""
	}
	mark := markOf(data)
	if _, ours := tables.KindOf(mark); ours {
		return mark
	}
	return ""
}

// IsContext says whether data may be a context, which has no mark: an object of texts, with a nonce.
func IsContext(data []byte) bool {
	value, err := canonical.Parse(data, canonical.Dictionary(canonical.Text()), "")
	object, ok := value.(*canonical.Object)
	return ok && err == nil && object.Has("nonce")
}

// Mistaken says in words which kind of document data are and which is wanted (a mark); "" unless they are of another known
// kind.
func Mistaken(data []byte, mark string) string {
	if own := KindOf(data); own != "" && own != mark {
		kind, _ := tables.KindOf(mark)
		wanted, _ := kind.Spoken()
		words := tables.Say("format.kind_wanted", named(own), wanted)
		if command := verifiedBy[own]; command != "" && verifiedBy[mark] != "" {
			words += tables.Say("format.verify_by", command)
		}
		return words
	}
	return ""
}

// markOf returns the format mark of a document, "" for none.
func markOf(data []byte) string {
	value, err := canonical.Parse(data, canonical.Anything(), "")
	if object, ok := value.(*canonical.Object); ok && err == nil {
		return object.Text("format")
	}
	return ""
}

// named says a kind of document in words, with a warning where it is a secret.
func named(mark string) string {
	kind, _ := tables.KindOf(mark)
	name, warning := kind.Spoken()
	if warning != "" {
		return tables.Say("format.kind_warned", name, warning)
	}
	return tables.Say("format.kind", name)
}

// isRawRow says whether data are a flat JSON object without a format mark, as an applicant's raw features are.
func isRawRow(data []byte) bool {
	value, err := canonical.Parse(data, canonical.Dictionary(canonical.Raw()), "")
	row, ok := value.(*canonical.Object)
	return ok && err == nil && row.Len() > 0 && !row.Has("format") && !row.Has("version") && !row.Has("blinding")
}

// notAContext describes the first value of an object that is not text, and how to write a number; "" for none.
func notAContext(data []byte) string {
	if mark := KindOf(data); mark != "" {
		return tables.Say("format.kind_wanted", named(mark), tables.Say("format.a_context"))
	}
	value, err := canonical.Parse(data, canonical.Anything(), "")
	object, ok := value.(*canonical.Object)
	if err != nil || !ok {
		return ""
	}
	for _, name := range object.Names() {
		at := "field " + text.Repr(text.Cut(name, 40)) + ": texts only"
		switch object.Get(name).(type) {
		case string:
		case *big.Int, float64:
			return at + `, write "` + text.Cut(number.Text(object.Get(name)), 40) + `"`
		default:
			return at
		}
	}
	return ""
}
