package period

import (
	"errors"
	"slices"

	"equiproof/verify"
	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/names"
	"equiproof/verify/policy"
	"equiproof/verify/present"
	"equiproof/verify/statement"
	"equiproof/verify/tables"
	"equiproof/verify/verdict"
)

// Verdicts on a drawn receipt: the owner may say "none" itself, leave out the answer, or give one that fails.
const (
	Certified = "certified"
	None      = "none"
	LeftOut   = "left-out"
	Refused   = "refused"
)

// batchSize is how many proofs are checked together.
const batchSize = 256

// Judgement is one drawn receipt: its entry in the log, its digest, what became of it, and why where it is refused.
type Judgement struct {
	Entry                               int64
	Receipt, Verdict, Why, Label, Group string
}

// answerFile is the file of an answer.
type answerFile struct {
	signedFile
	Entry       int64           `field:"entry"`
	Receipt     canonical.Value `field:"receipt"`
	Certificate canonical.Value `field:"certificate"`
	Group       *string         `field:"group"`
}

var answerTable = canonical.TableOf[answerFile](answerMark, canonical.As("certificate", document.CertificateKind()))

// answer is the owner's answer about one drawn receipt: receipt and certificate, or neither. The owner is party 1, and signs
// it.
type answer struct {
	signed
	entry       int64
	receipt     *document.Receipt
	certificate canonical.Value // nil where there is none
	group       string
}

// readAnswer reads an answer; the certificate in it is read by whoever verifies it.
func readAnswer(data []byte, where string) (*answer, error) {
	file, own, err := readSigned(data, answerTable, answerMark, where)
	if err != nil {
		return nil, err
	}
	reply := &answer{signed: *own, entry: file.Entry, certificate: file.Certificate, group: orEmpty(file.Group)}
	if file.Entry < 0 {
		return nil, malformed(where, "entry", tables.Say("lot.want_entry"))
	}
	if (file.Receipt != nil) != (file.Certificate != nil) {
		return nil, malformed(where, "certificate", tables.Say("lot.receipt_and_certificate"))
	}
	if file.Receipt != nil {
		reply.receipt, err = document.ReadReceipt(canonical.Bytes(file.Receipt), where+": field receipt")
		if err != nil {
			return nil, err
		}
	}
	if file.Group != nil {
		if complaint := names.Judge(*file.Group); complaint != nil {
			return nil, malformed(where, "group", complaint.Message)
		}
	}
	return reply, nil
}

// answers judges the owner's answers about the drawn receipts, in the order of the draw. Of a certificate that waits for the
// check of its proof, only what that needs is kept.
type answers struct {
	folder     *Folder
	commitment *document.Commitment
	keys       *verify.Store
	links      map[string]*document.Link // those of kept keys, by their key
	judgements []Judgement
	places     []int // of those that wait
	waiting    []*verify.Judged
	about      map[decision]int64
	forgeable  bool
	latest     string // the time of the last answer that the owner signed, "" for none
}

// decision is what tells one decision from another, whatever its receipts say: data under their blinding, and context.
type decision struct{ query, context string }

// judge judges all answers. What is wrong with one is a judgement about it; an error is about a file that cannot be read.
func (a *answers) judge(draw *drawn, progress func(done, all int)) error {
	for place, entry := range draw.entries {
		one := Judgement{Entry: entry, Receipt: draw.receipts[place]}
		err := a.read(&one, place)
		var refusal *verdict.Error
		if errors.As(err, &refusal) {
			one.Verdict, one.Why = Refused, refusal.Message
		} else if err != nil {
			return err
		}
		a.judgements = append(a.judgements, one)
		if len(a.waiting) == batchSize {
			a.prove()
		}
		progress(place+1, len(draw.entries))
	}
	a.prove()
	return nil
}

// read reads one answer and makes every check of it but that of the proof.
func (a *answers) read(one *Judgement, place int) error {
	data, path, err := a.folder.answer(one.Entry)
	if err != nil {
		return unjudged{err}
	}
	if data == nil {
		one.Verdict, one.Why = LeftOut, tables.Say("lot.no_answer")
		return nil
	}
	reply, err := readAnswer(data, path)
	if err != nil {
		return err
	}
	if reply.period != a.folder.digest() || reply.entry != one.Entry {
		return refusal(tables.Say("lot.answer_of_other_receipt"))
	}
	if owner := a.folder.Period.Parties[0]; reply.party != 1 || !reply.holds(owner) {
		return refusal(tables.Say("lot.answer_signature_wrong", owner.Name))
	}
	a.latest = max(a.latest, reply.time)
	if a.folder.Period.Groups != "" {
		one.Group = reply.group
	}
	if reply.receipt == nil {
		one.Verdict = None
		return nil
	}
	if reply.receipt.Digest() != one.Receipt {
		return refusal(tables.Say("lot.receipt_not_drawn"))
	}
	return a.readCertificate(reply, one.Entry, place)
}

// readCertificate reads the certificate of an answer; it must be about the receipt, and about no decision that was answered.
func (a *answers) readCertificate(reply *answer, entry int64, place int) error {
	certificate, err := document.ReadCertificate(
		canonical.Bytes(reply.certificate), tables.Say("lot.certificate_of_entry", entry))
	if err != nil {
		return err
	}
	claim := certificate.Statement
	if err := reply.receipt.RefuseOther(claim); err != nil {
		return err
	}
	own := decision{statement.Hex(claim.QueryCommitment), statement.Hex(claim.ContextDigest)}
	if other, ok := a.about[own]; ok {
		return refusal(tables.Say("lot.same_decision", other))
	}
	a.about[own] = entry
	presentation := &present.Presented{Certificate: certificate, Link: a.links[certificate.Fingerprint]}
	candidate, err := presentation.Judge(policy.MinRadius{Radius: a.folder.Period.Policy.MinRadius}, a.commitment, a.keys)
	if err != nil {
		return err
	}
	a.places, a.waiting = append(a.places, place), append(a.waiting, candidate)
	return nil
}

// prove checks the proofs that wait.
func (a *answers) prove() {
	for at, outcome := range verify.Prove(a.waiting, 0) {
		one := &a.judgements[a.places[at]]
		if outcome.Err != nil {
			one.Verdict, one.Why = Refused, outcome.Err.Error()
			continue
		}
		one.Verdict, one.Label = Certified, outcome.Verified.Reading.Text("label")
		if slices.Contains(outcome.Verified.NotMade, policy.AboutSetup.Text()) {
			a.forgeable = true
		}
	}
	a.places, a.waiting = nil, nil
}

// unjudged is an error that ends the check, whatever its kind.
type unjudged struct{ error }

func refusal(message string) error {
	return verdict.New(verdict.Unmet, "answer-refused", message)
}
