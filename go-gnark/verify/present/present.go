package present

import (
	"encoding/hex"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"equiproof/verify"
	"equiproof/verify/bundle"
	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/policy"
	"equiproof/verify/tables"
	"equiproof/verify/text"
	"equiproof/verify/verdict"
)

// maxFiles is the most documents of one folder that are looked through.
const maxFiles = 1000

const (
	bundleSuffix = ".equiproof"
	// logSuffix is what the name of a log proof ends with; before it stands that of the certificate, or of the receipt.
	logSuffix = ".tlog-proof"
	aContext  = "context"
	keyTag    = "equiproof.key.v2"
)

// Presented is a certificate and what came with it; nil is what did not. Companions are found by their kind, never by their
// name, and never by a guess: two files of one kind are an error that names both. The key is the one that the certificate
// names by its fingerprint. Nothing that is found is anybody's word, so a verification lists it as not pinned.
type Presented struct {
	Certificate *document.Certificate
	Commitment  *document.Commitment
	Key         *verify.TrustedKey
	Query       *document.Query
	Context     *document.Context
	// LogProof and ReceiptProof are unread; OwnReceipt says that the receipt is the relying party's own.
	LogProof     []byte
	Receipt      *document.Receipt
	ReceiptProof []byte
	OwnReceipt   bool
	Recourse     *Recourse
	// Link is that of a kept key, and LinkKey the key for links that it names.
	Link    *document.Link
	LinkKey *verify.TrustedLinkKey
}

// Given says which parts the relying party has, which are not looked for; Link is their own copy of the link.
type Given struct {
	Commitment, Key, Query, Context, LogProof, Receipt bool
	Link                                               *document.Link
}

// Verify verifies the certificate, and a recourse with it; commitment and keys are the relying party's, and take the place of what
// came with it. What came with it of query and context must fit.
func (p *Presented) Verify(
	requirement policy.Policy, commitment *document.Commitment, keys *verify.Store,
) (*verify.Verified, []Answer, error) {
	candidate, err := p.judge(requirement, commitment, keys)
	if err != nil {
		return nil, nil, err
	}
	verified, err := candidate.Prove()
	if err != nil || p.Recourse == nil {
		return verified, nil, err
	}
	if commitment == nil {
		commitment = p.Commitment
	}
	answers, err := p.Recourse.verify(p.Certificate, commitment, verified.Pins, keys)
	return verified, answers, err
}

// Judge makes every check of the certificate but that of the proof, as Verify does. A recourse is left out, and named among what
// is not checked.
func (p *Presented) Judge(
	requirement policy.Policy, commitment *document.Commitment, keys *verify.Store,
) (*verify.Judged, error) {
	candidate, err := p.judge(requirement, commitment, keys)
	if err == nil && p.Recourse != nil {
		candidate.NotMade = append(candidate.NotMade, policy.AboutRecourse.Text())
	}
	return candidate, err
}

// judge makes every check of the certificate itself but that of the proof.
func (p *Presented) judge(
	requirement policy.Policy, commitment *document.Commitment, keys *verify.Store,
) (*verify.Judged, error) {
	verifier, requirement, err := p.prepared(requirement, commitment, keys)
	if err != nil {
		return nil, err
	}
	candidate, err := verifier.Judge(p.Certificate, requirement)
	if err == nil && p.LogProof != nil && logged(requirement) == nil {
		candidate.NotMade = append(candidate.NotMade, policy.AboutLog.Text())
	}
	return candidate, err
}

// logged is what a policy requires of a log, nil for nothing.
func logged(requirement policy.Policy) *policy.Logged {
	for _, one := range policy.Each(requirement) {
		if log, ok := one.(policy.Logged); ok {
			return &log
		}
	}
	return nil
}

// prepared returns the verifier for what is given and what came with the certificate, and the policy with what must fit.
func (p *Presented) prepared(
	requirement policy.Policy, commitment *document.Commitment, keys *verify.Store,
) (*verify.Verifier, policy.Policy, error) {
	pins := policy.Pins{Commitment: commitment != nil, Key: keys != nil}
	verifier := &verify.Verifier{Commitment: commitment, Keys: keys, Pins: pins, Link: p.Link}
	if commitment == nil {
		verifier.Commitment = p.Commitment
	}
	if keys == nil && p.Key != nil {
		if verifier.Keys = verify.NewStore(p.Key); p.LinkKey != nil {
			verifier.Keys.With(p.LinkKey)
		}
	}
	if verifier.Commitment == nil {
		return nil, nil, verdict.New(verdict.Malformed, "unreadable", tables.Say("present.commitment_missing"))
	}
	if verifier.Keys == nil {
		return nil, nil, verdict.New(verdict.Malformed, "no-keys",
			tables.Say("present.key_missing", text.Cut(p.Certificate.Fingerprint, 16)))
	}
	all := policy.AllOf{requirement}
	if p.Query != nil {
		all = append(all, policy.ForQuery{Query: p.Query, Source: tables.Say("reading.query_that_came"), Found: true})
	}
	if p.Context != nil {
		all = append(all, policy.ForContext{Context: p.Context, Found: true})
	}
	if p.Receipt != nil {
		fitting := policy.ForReceipt{Receipt: p.Receipt, Found: !p.OwnReceipt, Proof: p.ReceiptProof}
		if log := logged(requirement); log != nil {
			fitting.Pins, fitting.Now = &log.Pins, log.Now
		}
		all = append(all, fitting)
	}
	return verifier, all, nil
}

// Open reads a bundle, a folder with one certificate, or a certificate with the files beside it.
func Open(path string, own Given) (*Presented, error) {
	if presentation, err := os.Stat(path); err == nil && presentation.IsDir() {
		return openFolder(path, own)
	}
	data, err := Read(path, bundle.MaxBytes)
	if err != nil {
		return nil, err
	}
	if document.IsArchive(data) {
		presentation, err := OfBundle(data, path)
		if err != nil {
			return nil, err
		}
		return presentation.without(own), nil
	}
	certificate, err := document.ReadCertificate(data, path)
	if err != nil {
		return nil, err
	}
	if own.Commitment && own.Key {
		link, err := LinkBeside(filepath.Dir(path), &certificate.Proven, own.Link)
		if err != nil {
			return nil, err
		}
		return &Presented{Certificate: certificate, LogProof: proofOf(path, own.LogProof), Link: link}, nil
	}
	beside, err := look(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	return beside.complete(path, certificate, own)
}

// OfBundle reads a bundle and the files in it, all of them. Errors name `where` and the file inside.
func OfBundle(data []byte, where string) (*Presented, error) {
	files, err := bundle.Read(data, where)
	if err != nil {
		return nil, err
	}
	at := func(role bundle.Role) string { return where + ": " + bundle.Name(role) }
	presentation := &Presented{LogProof: files[bundle.LogProof], ReceiptProof: files[bundle.ReceiptProof]}
	if presentation.Certificate, err = document.ReadCertificate(files[bundle.Certificate], at(bundle.Certificate)); err != nil {
		return nil, err
	}
	if presentation.Commitment, err = document.ReadCommitment(files[bundle.Commitment], at(bundle.Commitment)); err != nil {
		return nil, err
	}
	metadata, err := document.ReadKey(files[bundle.Key], at(bundle.Key))
	if err != nil {
		return nil, err
	}
	presentation.Key, err = verify.NewKey(metadata, files[bundle.VerifyingKey], files[bundle.Signatures],
		at(bundle.VerifyingKey), bundle.Name(bundle.Key))
	if err != nil {
		return nil, err
	}
	if query := files[bundle.Query]; query != nil {
		if presentation.Query, err = document.ReadQuery(query, at(bundle.Query)); err != nil {
			return nil, err
		}
	}
	if context := files[bundle.Context]; context != nil {
		if presentation.Context, err = document.ReadContext(context, at(bundle.Context)); err != nil {
			return nil, err
		}
	}
	if receipt := files[bundle.Receipt]; receipt != nil {
		if presentation.Receipt, err = document.ReadReceipt(receipt, at(bundle.Receipt)); err != nil {
			return nil, err
		}
	}
	if err := presentation.addLink(files, at); err != nil {
		return nil, err
	}
	presentation.Recourse, err = recourseOf(files, presentation.Query, at)
	return presentation, err
}

// addLink reads the link of a bundle and its key, which are both there or neither.
func (p *Presented) addLink(files bundle.Bundle, at func(role bundle.Role) string) (err error) {
	if files[bundle.Link] == nil {
		return nil
	}
	if p.Link, err = document.ReadLink(files[bundle.Link], at(bundle.Link)); err != nil {
		return err
	}
	metadata, err := document.ReadLinkKey(files[bundle.LinkKey], at(bundle.LinkKey))
	if err != nil {
		return err
	}
	p.LinkKey, err = verify.NewLinkKey(metadata, files[bundle.LinkVerifyingKey], files[bundle.LinkSignatures],
		at(bundle.LinkVerifyingKey), bundle.Name(bundle.LinkKey))
	return err
}

// without leaves out what is given.
func (p *Presented) without(own Given) *Presented {
	if own.Commitment {
		p.Commitment = nil
	}
	if own.Key {
		p.Key = nil
	}
	if own.Query {
		p.Query = nil
	}
	if own.Context {
		p.Context = nil
	}
	if own.LogProof {
		p.LogProof = nil
	}
	if own.Receipt {
		p.Receipt = nil
	}
	if own.Link != nil {
		p.Link = own.Link
	}
	return p
}

// openFolder reads the one certificate of a folder, with the files beside it.
func openFolder(folder string, own Given) (*Presented, error) {
	beside, err := look(folder)
	if err != nil {
		return nil, err
	}
	path, err := beside.one("equiproof-certificate", tables.Say("present.kind_certificates"), tables.Say("present.name_one"))
	if err != nil {
		return nil, err
	}
	if path == "" {
		why := tables.Say("present.folder_empty", folder)
		if bundles, _ := filepath.Glob(filepath.Join(escaped(folder), "*"+bundleSuffix)); len(bundles) > 0 {
			why = tables.Say("present.folder_of_bundles", folder, bundleSuffix)
		}
		return nil, verdict.New(verdict.Malformed, "unreadable", why)
	}
	certificate, err := readAs(path, document.ReadCertificate)
	if err != nil {
		return nil, err
	}
	return beside.complete(path, certificate, own)
}

// neighbors are the documents of a folder by kind.
type neighbors struct {
	folder    string
	documents map[string][]string
}

// look sorts the documents of a folder.
func look(folder string) (*neighbors, error) {
	paths, err := filepath.Glob(filepath.Join(escaped(folder), "*.json"))
	if err != nil {
		return nil, unreadable(folder, err)
	}
	paths = slices.DeleteFunc(paths, func(path string) bool { return strings.HasPrefix(filepath.Base(path), ".") })
	if len(paths) > maxFiles {
		return nil, verdict.New(verdict.Malformed, "wrong-files", tables.Say("present.too_many_files", folder, maxFiles))
	}
	files := &neighbors{folder, map[string][]string{}}
	for _, path := range paths {
		kind := kindOf(path)
		files.documents[kind] = append(files.documents[kind], path)
	}
	return files, nil
}

// one returns the one file of a kind, "" for none; two are an error that names both.
func (n *neighbors) one(kind, kinds, wayOut string) (string, error) {
	return only(n.documents[kind], kinds, wayOut)
}

// complete returns a certificate with everything that lies beside it, but for what is given.
func (n *neighbors) complete(path string, certificate *document.Certificate, own Given) (*Presented, error) {
	link, err := n.linkOf(&certificate.Proven, own.Link)
	if err != nil {
		return nil, err
	}
	presentation := &Presented{Certificate: certificate, Link: link}
	for _, part := range []struct {
		given  bool
		kind   string
		kinds  string
		option string
		read   func(path string) error
	}{
		{own.Commitment, "equiproof-commitment", tables.Say("present.kind_commitments"), "--commitment",
			into(&presentation.Commitment, document.ReadCommitment)},
		{own.Query, "equiproof-query", tables.Say("present.kind_queries"), "--query", into(&presentation.Query, document.ReadQuery)},
		{own.Context, aContext, tables.Say("present.kind_contexts"), "--context", into(&presentation.Context, document.ReadContext)},
		{own.Receipt, "equiproof-receipt", tables.Say("present.kind_receipts"), "--receipt", func(path string) error {
			presentation.ReceiptProof = LogProofOf(path)
			return into(&presentation.Receipt, document.ReadReceipt)(path)
		}},
	} {
		if part.given {
			continue
		}
		beside, err := n.one(part.kind, part.kinds, tables.Say("present.name_one_by", part.option))
		if err == nil && beside != "" {
			err = part.read(beside)
		}
		if err != nil {
			return nil, err
		}
	}
	if !own.Key {
		var err error
		if presentation.Key, err = n.key(certificate.Fingerprint); err != nil {
			return nil, err
		}
		if link != nil {
			if presentation.LinkKey, err = n.linkKey(link.Fingerprint); err != nil {
				return nil, err
			}
		}
	}
	presentation.LogProof = proofOf(path, own.LogProof)
	return presentation, nil
}

// LogProofOf is the log proof beside a certificate or a receipt, which bears its name; nil for none.
func LogProofOf(path string) []byte {
	return contents(strings.TrimSuffix(path, filepath.Ext(path)) + logSuffix)
}

// proofOf is the log proof beside a certificate, unless one is given.
func proofOf(path string, own bool) []byte {
	if own {
		return nil
	}
	return LogProofOf(path)
}

// LinkBeside is the link in a folder that a certificate of a kept key needs, nil where it needs or has none; one's own takes its place.
func LinkBeside(folder string, certificate *document.Proven, own *document.Link) (*document.Link, error) {
	if own != nil || certificate.Statement.Shown == nil {
		return own, nil
	}
	beside, err := look(folder)
	if err != nil {
		return nil, err
	}
	return beside.linkOf(certificate, nil)
}

// linkOf is the link that a certificate needs, nil where it needs or has none; one's own takes its place. Two of its key, and a
// malformed one of any, are errors.
func (n *neighbors) linkOf(certificate *document.Proven, own *document.Link) (*document.Link, error) {
	if own != nil || certificate.Statement.Shown == nil {
		return own, nil
	}
	links, paths, err := n.links()
	if err != nil {
		return nil, err
	}
	path, err := theLink(paths[certificate.Fingerprint])
	return links[path], err
}

// links are all links by their files, and these by the keys that they are of; a malformed one is an error.
func (n *neighbors) links() (links map[string]*document.Link, paths map[string][]string, err error) {
	links, paths = map[string]*document.Link{}, map[string][]string{}
	for _, path := range n.documents["equiproof-link"] {
		link, err := readAs(path, document.ReadLink)
		if err != nil {
			return nil, nil, err
		}
		links[path], paths[link.Key] = link, append(paths[link.Key], path)
	}
	return links, paths, nil
}

// theLink is the one file of the links of a key, "" for none; two are an error.
func theLink(paths []string) (string, error) {
	return only(paths, tables.Say("present.kind_links"), tables.Say("present.name_one_by", "--link"))
}

// LinkKeyBeside is the key that a link names, beside a certificate or in its folder; nil for none.
func LinkKeyBeside(path string, link *document.Link) (*verify.TrustedLinkKey, error) {
	folder := path
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		folder = filepath.Dir(path)
	}
	beside, err := look(folder)
	if err != nil {
		return nil, err
	}
	return beside.linkKey(link.Fingerprint)
}

// LinksIn are all links in a folder by their key; two of one are an error.
func LinksIn(folder string) (map[string]*document.Link, error) {
	beside, err := look(folder)
	if err != nil {
		return nil, err
	}
	links, paths, err := beside.links()
	if err != nil {
		return nil, err
	}
	found := map[string]*document.Link{}
	for _, key := range slices.Sorted(maps.Keys(paths)) {
		path, err := theLink(paths[key])
		if err != nil {
			return nil, err
		}
		found[key] = links[path]
	}
	return found, nil
}

// key returns the key of a fingerprint, nil for none.
func (n *neighbors) key(fingerprint string) (*verify.TrustedKey, error) {
	path, err := n.metadata(fingerprint, keyFile, filepath.Base(bundle.Name(bundle.Key)))
	if err != nil || path == "" {
		return nil, err
	}
	return readKey(filepath.Dir(path), filepath.Base(path))
}

// linkKey returns the key for links of a fingerprint, nil for none.
func (n *neighbors) linkKey(fingerprint string) (*verify.TrustedLinkKey, error) {
	path, err := n.metadata(fingerprint, linkKeyFile, filepath.Base(bundle.Name(bundle.LinkKey)))
	if err != nil || path == "" {
		return nil, err
	}
	return readLinkKey(filepath.Dir(path), filepath.Base(path))
}

// metadata returns the metadata file of a fingerprint, which is its digest, by its possible names; "" for none. Keys are looked for up
// to two folders below, as a key store has them; hidden folders are unfinished keys.
func (n *neighbors) metadata(fingerprint string, of ...string) (string, error) {
	var paths []string
	for _, name := range of {
		for _, above := range []string{"", "*/", "*/*/"} {
			names, err := filepath.Glob(filepath.Join(escaped(n.folder), above+name))
			if err != nil {
				return "", unreadable(n.folder, err)
			}
			paths = append(paths, names...)
		}
	}
	slices.Sort(paths)
	paths = slices.DeleteFunc(paths, func(path string) bool {
		below, _ := filepath.Rel(n.folder, path)
		return strings.HasPrefix(below, ".") || strings.Contains(below, "/.") || !named(path, fingerprint)
	})
	return only(paths, tables.Say("present.key_files", text.Cut(fingerprint, 16)), tables.Say("present.name_key_folder"))
}

// named says whether a fingerprint is that of a metadata file.
func named(path, fingerprint string) bool {
	sum := canonical.Tagged(keyTag, contents(path))
	return hex.EncodeToString(sum[:]) == fingerprint
}

// only returns the one path, "" for none; two are an error that names both.
func only(paths []string, kinds, wayOut string) (string, error) {
	if len(paths) > 1 {
		return "", verdict.New(verdict.Malformed, "wrong-files",
			tables.Say("present.two_of_kind", wayOut, paths[0], filepath.Base(paths[1]), kinds))
	}
	if len(paths) == 0 {
		return "", nil
	}
	return paths[0], nil
}

// kindOf is the kind of a file: a mark, `context`, or "" for anything that is not ours.
func kindOf(path string) string {
	data := contents(path)
	if kind := document.KindOf(data); kind != "" {
		return kind
	}
	if document.IsContext(data) {
		return aContext
	}
	return ""
}

// contents are the bytes of a regular file that is no longer than a document, nil for anything else.
func contents(path string) []byte {
	data, err := ReadStored(path, canonical.MaxBytes)
	if err != nil || len(data) > canonical.MaxBytes {
		return nil
	}
	return data
}

// readAs reads a document.
func readAs[T any](path string, parse func(data []byte, where string) (T, error)) (document T, err error) {
	data, err := Read(path, canonical.MaxBytes)
	if err != nil {
		return document, err
	}
	return parse(data, path)
}

// into reads a document into a place.
func into[T any](place *T, parse func(data []byte, where string) (T, error)) func(path string) error {
	return func(path string) (err error) {
		*place, err = readAs(path, parse)
		return err
	}
}

// escaped returns a path as a pattern that matches it alone.
func escaped(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
