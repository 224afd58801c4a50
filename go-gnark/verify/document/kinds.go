package document

import (
	"bytes"
	"math/big"

	"equiproof/verify/canonical"
	"equiproof/verify/number"
	"equiproof/verify/text"
)

// kinds are the documents by format mark, for errors about a file of the wrong kind. Twin of circuits/kinds.py.
var kinds = map[string]string{
	"equiproof-audit":            "the report of an audit",
	"equiproof-audits":           "the reports of audits",
	"equiproof-calldata":         "call data of a contract",
	"equiproof-ceremony":         "a ceremony",
	"equiproof-ceremony-beacon":  "a ceremony's beacon",
	"equiproof-ceremony-step":    "a step of a ceremony",
	Bundle:                       "a bundle",
	"equiproof-certificate":      "a certificate",
	"equiproof-circuit":          "a sub-circuit",
	"equiproof-circuit-instance": "a sub-circuit's instance",
	"equiproof-circuit-key":      "a sub-circuit's key metadata",
	"equiproof-circuit-proof":    "a sub-circuit's proof",
	"equiproof-commitment":       "a commitment",
	"equiproof-contract":         "the metadata of a contract",
	gainMark:                     "a gain certificate",
	"equiproof-guardrail":        "a guardrail",
	entryMark:                    "an entry of a register",
	"equiproof-key":              "a key's metadata",
	"equiproof-key-mark":         "the owner's mark of a key",
	"equiproof-monitor":          "the state of a log's monitor",
	"equiproof-lot-answer":       "an answer of an audit by lot",
	"equiproof-lot-beacon":       "the round that draws an audit by lot",
	"equiproof-lot-nonce":        "what a party of an audit by lot sealed",
	"equiproof-lot-opening":      "an opening of an audit by lot",
	"equiproof-lot-period":       "a period of an audit by lot",
	"equiproof-lot-seal":         "a seal of an audit by lot",
	"equiproof-opening":          "an opening",
	"equiproof-package":          "an evidence package",
	"equiproof-policy":           "a policy",
	"equiproof-powers":           "the metadata of powers of tau",
	"equiproof-proofs":           "the manifest of a run of proofs",
	"equiproof-query":            "a query file",
	receiptMark:                  "a receipt",
	"equiproof-report":           "the report of a verification",
	"equiproof-results":          "the results of a portfolio",
	"equiproof-shape":            "a shape",
	"equiproof-spec":             "a spec",
	"equiproof-witness":          "the state of a witness",
}

var warnings = map[string]string{
	"equiproof-lot-nonce": " (secret: do not pass it on)",
	"equiproof-opening":   " (secret: do not pass it on)",
	"equiproof-query":     " (the applicant's own)",
	receiptMark:           " (the applicant's own)",
}

// verifiedBy has the commands for certificates of either kind that were handed to the other one's.
var verifiedBy = map[[2]string]string{
	{gainMark, "equiproof-certificate"}: ": verify it with `equiproof-verify gain`",
	{"equiproof-certificate", gainMark}: ": verify it with `equiproof-verify`",
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
	if mark := markOf(data); kinds[mark] != "" {
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
		return named(own) + ", want " + kinds[mark] + verifiedBy[[2]string{own, mark}]
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
func named(mark string) string { return "this is " + kinds[mark] + warnings[mark] }

// isRawRow says whether data are a flat JSON object without a format mark, as an applicant's raw features are.
func isRawRow(data []byte) bool {
	value, err := canonical.Parse(data, canonical.Dictionary(canonical.Raw()), "")
	row, ok := value.(*canonical.Object)
	return ok && err == nil && row.Len() > 0 && !row.Has("format") && !row.Has("version") && !row.Has("blinding")
}

// notAContext describes the first value of an object that is not text, and how to write a number; "" for none.
func notAContext(data []byte) string {
	if mark := KindOf(data); mark != "" {
		return named(mark) + ", want a context"
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
