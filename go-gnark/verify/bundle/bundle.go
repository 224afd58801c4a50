// Package bundle reads bundles: a certificate with everything that it is verified with, as one file NAME.equiproof. Twin of
// verifier/bundle.py.
//
// A bundle is an archive of one spelling: first a manifest with the role, the name and the digest of each file, then the
// files in a fixed order. It says what it holds and nothing about whose word stands behind it: who made the file chose all
// of it. A refused applicant's own bundle may hold their recourse as well: box certificates with the opened boxes, and what
// both are verified with.
package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/tables"
	"equiproof/verify/text"
	"equiproof/verify/tlog"
)

const manifestFile = "manifest.json"

// The README for whoever unpacks a bundle is one text in all of them, so that no sender chooses it: its length and its
// SHA-256.
const (
	readmeBytes  = 2302
	readmeDigest = "dd6ad20eaca73205175cf7af05cafab3210e30dfe01853ef5a76615d9007d4ca"
)

// Bundle is the files of a bundle by their roles, unread: their own parsers judge them.
type Bundle map[Role][]byte

// Role is what a file of a bundle is.
type Role string

// The roles.
const (
	Certificate  Role = "certificate"
	Commitment   Role = "commitment"
	Key          Role = "key"
	VerifyingKey Role = "verifying-key"
	Signatures   Role = "signatures"
	Query        Role = "query"
	Context      Role = "context"
	LogProof     Role = "log-proof"
	Receipt      Role = "receipt"
	ReceiptProof Role = "receipt-proof"
	Readme       Role = "readme"

	Link             Role = "link"
	LinkKey          Role = "link-key"
	LinkVerifyingKey Role = "link-verifying-key"
	LinkSignatures   Role = "link-signatures"

	BoxKey          Role = "box-key"
	BoxVerifyingKey Role = "box-verifying-key"
	BoxSignatures   Role = "box-signatures"
	Wishes          Role = "wishes"
	None            Role = "none"
)

// Answers are the roles of the box certificates of a recourse: that no change helps, or up to four ways.
var Answers = []Role{None, "way-1", "way-2", "way-3", "way-4"}

// Opened is the role of the opened box of one of the answers.
func (r Role) Opened() Role { return r + "-box" }

// part is one of the files that a bundle may hold.
type part struct {
	role     Role
	name     string
	most     int
	required bool
}

// parts are every file that a bundle may hold, in their order; those of a recourse come last.
var parts = append([]part{
	{Certificate, "certificate.json", canonical.MaxBytes, true},
	{Commitment, "commitment.json", canonical.MaxBytes, true},
	{Key, "key/metadata.json", canonical.MaxBytes, true},
	{VerifyingKey, "key/verifying.key", document.MaxKeyBytes, true},
	{Signatures, "key/signatures.note", document.MaxSignatureBytes, false},
	{Query, "query.json", canonical.MaxBytes, false},
	{Context, "context.json", canonical.MaxBytes, false},
	{LogProof, "certificate.tlog-proof", tlog.MaxProofBytes, false},
	{Receipt, "receipt.json", canonical.MaxBytes, false},
	{ReceiptProof, "receipt.tlog-proof", tlog.MaxProofBytes, false},
	{Readme, "README-LIESMICH.txt", readmeBytes, false},
	{Link, "link.json", canonical.MaxBytes, false},
	{LinkKey, "link/metadata.json", canonical.MaxBytes, false},
	{LinkVerifyingKey, "link/verifying.key", document.MaxKeyBytes, false},
	{LinkSignatures, "link/signatures.note", document.MaxSignatureBytes, false},
}, ofRecourse...)

// ofRecourse are the files of a recourse.
var ofRecourse = func() []part {
	all := []part{
		{BoxKey, "recourse/key/metadata.json", canonical.MaxBytes, false},
		{BoxVerifyingKey, "recourse/key/verifying.key", document.MaxKeyBytes, false},
		{BoxSignatures, "recourse/key/signatures.note", document.MaxSignatureBytes, false},
		{Wishes, "recourse/wishes.json", canonical.MaxBytes, false},
	}
	for _, one := range Answers {
		folder := "recourse/" + string(one)
		all = append(all, part{one, folder + "/certificate.json", canonical.MaxBytes, false},
			part{one.Opened(), folder + "/opened.json", canonical.MaxBytes, false})
	}
	return all
}()

// Name returns the name of the file of a role.
func Name(role Role) string {
	return parts[slices.IndexFunc(parts, func(one part) bool { return one.role == role })].name
}

// manifest is the table of contents of a bundle: every other file, in their order.
type manifest struct {
	document.Mark
	Files []listedFile `field:"files"`
}

type listedFile struct {
	Role   string `field:"role"`
	Name   string `field:"name"`
	SHA256 string `field:"sha256"`
}

var manifestTable = canonical.TableOf[manifest](document.Bundle)

// Read reads a bundle; any bytes but the one byte string of its files are malformed. An error names `where` and the file
// inside.
func Read(data []byte, where string) (Bundle, error) {
	if other := document.Mistaken(data, document.Bundle); other != "" {
		return nil, wrong("not-a-bundle", where+": "+other)
	}
	files, err := entries(data, where)
	if err != nil {
		return nil, err
	}
	if files[0].name != manifestFile {
		return nil, wrong("wrong-files",
			tables.Say("listed.begins_wrong", where, manifestFile, text.Repr(text.Cut(text.Plain(files[0].name), 40))))
	}
	at := where + ": " + manifestFile
	contents, err := document.ReadCanonical(files[0].content, manifestTable, document.Bundle, at)
	if err != nil {
		return nil, err
	}
	parts, err := partsOf(files[1:], where)
	if err != nil {
		return nil, err
	}
	if err := checkManifest(contents.Files, files[1:], parts, at); err != nil {
		return nil, err
	}
	whole := Bundle{}
	for i, own := range parts {
		if len(files[1+i].content) > own.most {
			return nil, wrong("too-long", tables.Say("listed.file_too_long", where, own.name, own.most))
		}
		whole[own.role] = files[1+i].content
	}
	for _, one := range contents.Files {
		if one.Role == string(Readme) && one.SHA256 != readmeDigest {
			return nil, wrong("file-differs", tables.Say("listed.text_differs", where, one.Name))
		}
	}
	if err := whole.checkLink(where); err != nil {
		return nil, err
	}
	return whole, whole.checkRecourse(where)
}

// checkLink refuses a part of a link without the others.
func (b Bundle) checkLink(where string) error {
	for _, one := range []Role{Link, LinkKey, LinkVerifyingKey, LinkSignatures} {
		if b[one] != nil {
			return b.need(where, Link, LinkKey, LinkVerifyingKey)
		}
	}
	return nil
}

// need refuses a bundle without one of some files, naming the first.
func (b Bundle) need(where string, roles ...Role) error {
	for _, one := range parts {
		if slices.Contains(roles, one.role) && b[one.role] == nil {
			return wrong("wrong-files", tables.Say("listed.file_missing", where, one.name))
		}
	}
	return nil
}

// checkRecourse refuses a recourse without what it is verified with: a query, a key, and an opened box for each certificate.
func (b Bundle) checkRecourse(where string) error {
	if !slices.ContainsFunc(ofRecourse, func(one part) bool { return b[one.role] != nil }) {
		return nil
	}
	needed := []Role{Query, BoxKey, BoxVerifyingKey}
	for _, one := range Answers {
		if b[one] != nil || b[one.Opened()] != nil {
			needed = append(needed, one, one.Opened())
		}
	}
	if len(needed) == 3 {
		needed = append(needed, None)
	}
	return b.need(where, needed...)
}

// partsOf returns which parts files are; unknown, doubled and missing ones are refused, and another order.
func partsOf(files []file, where string) (present []part, err error) {
	for _, f := range files {
		at := slices.IndexFunc(parts, func(one part) bool { return one.name == f.name })
		if at < 0 {
			return nil, wrong("wrong-files",
				tables.Say("listed.unknown_file", where, text.Repr(text.Cut(text.Plain(f.name), 40)), tables.Say("word.bundle")))
		}
		present = append(present, parts[at])
	}
	for _, one := range parts {
		if one.required && !slices.Contains(present, one) {
			return nil, wrong("wrong-files", tables.Say("listed.file_missing", where, one.name))
		}
	}
	for at := 1; at < len(present); at++ {
		if slices.Index(parts, present[at]) <= slices.Index(parts, present[at-1]) {
			return nil, wrong("wrong-files", tables.Say("listed.file_misplaced", where))
		}
	}
	return present, nil
}

// checkManifest refuses one that lists other files, other roles or other digests than those of the files.
func checkManifest(contents []listedFile, files []file, parts []part, where string) error {
	same := len(contents) == len(files)
	for at := 0; same && at < len(files); at++ {
		same = contents[at].Role == string(parts[at].role) && contents[at].Name == parts[at].name
	}
	if !same {
		return wrong("wrong-files", tables.Say("listed.files_differ", where, tables.Say("word.bundle")))
	}
	for at, f := range files {
		if sum := sha256.Sum256(f.content); contents[at].SHA256 != hex.EncodeToString(sum[:]) {
			return wrong("file-differs", tables.Say("listed.digest_differs", where, tables.Say("word.bundle"), at, f.name))
		}
	}
	return nil
}
