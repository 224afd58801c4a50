// Package many verifies many certificates and bundles, or box certificates: from a folder or a file of lines to one verdict
// each, in bounded memory. Twin of verifier/many.py.
//
// What comes in is read in chunks. A chunk's certificates are verified together, so that their proofs are checked at once,
// and every fault of a file is a verdict about that file: only a fault of the run itself ends the run.
package many

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"equiproof/verify"
	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/policy"
	"equiproof/verify/present"
	"equiproof/verify/verdict"
)

// Demands are what every certificate is verified with, on so many threads; 0 is one per core. What the policy requires of a
// log, it requires of the log proof that came with each certificate, or of LogProof for all, whatever came with them. With Boxes,
// box certificates are verified, and certificates about decisions are files of another kind. Without it, it is the other way
// round: neither is ever counted as the other.
type Demands struct {
	Commitment *document.Commitment
	Keys       *verify.Store
	Policy     policy.Policy
	Threads    int
	LogProof   []byte // nil for none
	Boxes      bool
	Links      map[string]*document.Link // those of kept keys, by their key
	policies   policies
}

// Row is what became of one file or line: the result of a verification, why there is none, or neither for a file of another
// kind, which is left out. Opened says that a box certificate is about an opened box that is there.
type Row struct {
	File     string
	Opened   bool
	Verified *verify.Verified
	Err      *verdict.Error
}

// Kinds of verdicts.
const (
	Verified  = "verified"
	Refused   = "refused"
	Malformed = "malformed"
	Other     = "other"
)

// Verdict is the kind of the row's verdict.
func (r *Row) Verdict() string {
	switch {
	case r.Verified != nil:
		return Verified
	case r.Err == nil:
		return Other
	case r.Err.Kind == verdict.Malformed:
		return Malformed
	}
	return Refused
}

// Document is the row as a line of the results has it. A verified one has the certificate's name, its decision, R2 and the
// key's fingerprint; any other its reason and a line that says what is wrong. A box certificate has no R2.
func (r *Row) Document() *canonical.Object {
	object := canonical.NewObject().Set("file", r.File).Set("verdict", r.Verdict())
	if v := r.Verified; v != nil {
		object.Set("certificate", v.Identity).Set("label", v.Reading.Get("label"))
		isBox := v.Statement.BoxCommitment != nil
		if !isBox {
			object.Set("radius_squared", canonical.IntegerValue(int(v.Statement.RadiusSquared)))
		}
		object.Set("key", v.Key.Fingerprint)
		if isBox {
			object.Set("opened", r.Opened)
		}
	}
	if r.Err != nil {
		object.Set("reason", r.Err.Reason).Set("message", r.Err.Message)
	}
	return object
}

// Each calls for the verdicts on all chunks of a source in their order, with how much is done by then.
func (d *Demands) Each(source *Source, call func(rows []Row, done int64) error) error {
	done := int64(0)
	return source.chunks(func(chunk []entry) error {
		for _, one := range chunk {
			done += one.size
		}
		return call(d.judge(chunk), done)
	})
}

// judge verifies a chunk.
func (d *Demands) judge(chunk []entry) []Row {
	rows, candidates := make([]Row, len(chunk)), make([]*verify.Judged, len(chunk))
	parallel(len(chunk), d.threads(), func(at int) {
		rows[at].File = chunk[at].name
		judge := d.beforeProof
		if d.Boxes {
			judge = d.box
		}
		candidate, opened, err := judge(chunk[at])
		candidates[at], rows[at].Opened, rows[at].Err = candidate, opened, asVerdict(err)
	})
	var places []int
	var batch []*verify.Judged
	for at, one := range candidates {
		if one != nil {
			places, batch = append(places, at), append(batch, one)
		}
	}
	for i, outcome := range verify.Prove(batch, d.threads()) {
		rows[places[i]].Verified, rows[places[i]].Err = outcome.Verified, asVerdict(outcome.Err)
	}
	return rows
}

func (d *Demands) threads() int {
	if d.Threads > 0 {
		return d.Threads
	}
	return runtime.GOMAXPROCS(0)
}

// beforeProof takes every step but the last for one entry; nothing for a file of another kind.
func (d *Demands) beforeProof(one entry) (_ *verify.Judged, opened bool, err error) {
	presentation, err := read(one)
	if err != nil || presentation == nil {
		return nil, false, err
	}
	if d.LogProof != nil {
		presentation.LogProof = d.LogProof
	}
	if own := d.Links[presentation.Certificate.Fingerprint]; own != nil {
		presentation.Link = own
	}
	judged, err := presentation.Judge(d.policies.of(d.Policy, presentation.LogProof), d.Commitment, d.Keys)
	return judged, false, err
}

// box takes every step but the last for a box certificate, with what came with it, and says whether it is about an opened box;
// nothing for a file of another kind.
func (d *Demands) box(one entry) (_ *verify.Judged, opened bool, err error) {
	data, err := one.bytes()
	if err != nil || one.path != "" && one.isOther(data, "equiproof-box") {
		return nil, false, err
	}
	certificate, err := document.ReadBox(data, "box certificate")
	if err != nil {
		return nil, false, err
	}
	asked, proof := verify.AskedBox{}, d.LogProof
	if one.path != "" && proof == nil {
		proof = present.LogProofOf(one.path)
	}
	if folder := one.ownFolder(); folder != "" {
		if asked.Opened, err = present.OpenedBoxOf(folder); err != nil {
			return nil, false, err
		}
	}
	verifier := verify.Verifier{Commitment: d.Commitment, Keys: d.Keys, Pins: policy.Pins{Commitment: true, Key: true}}
	judged, err := verifier.JudgeBox(certificate, asked, d.policies.of(d.Policy, proof))
	return judged, asked.Opened != nil || certificate.Opened != nil, err
}

// read reads a bundle, or a certificate with its log proof and its receipt; nothing for a file of another kind in a folder.
func read(one entry) (*present.Presented, error) {
	data, err := one.bytes()
	switch {
	case err != nil:
		return nil, err
	case one.isBundle(data):
		return present.OfBundle(data, "bundle")
	case one.path != "" && one.isOther(data, "equiproof-certificate"):
		return nil, nil
	}
	certificate, err := document.ReadCertificate(data, "certificate")
	if err != nil {
		return nil, err
	}
	presentation := &present.Presented{Certificate: certificate}
	if one.path != "" {
		presentation.LogProof = present.LogProofOf(one.path)
	}
	if folder := one.ownFolder(); folder != "" {
		if presentation.Receipt, presentation.ReceiptProof, err = present.ReceiptOf(folder); err != nil {
			return nil, err
		}
	}
	return presentation, nil
}

// asVerdict returns an error of a verification, of which there are no others.
func asVerdict(err error) *verdict.Error {
	var refusal *verdict.Error
	if err != nil && !errors.As(err, &refusal) {
		panic(err)
	}
	return refusal
}

// unreadable is the error about a file that cannot be read.
func unreadable(path string, err error) error {
	return verdict.New(verdict.Malformed, "unreadable", path+": "+present.Strerror(err))
}

// parallel calls for each index below n, on at most so many threads. A panic of a call is raised here.
func parallel(n, threads int, call func(at int)) {
	var next atomic.Int64
	var fault atomic.Pointer[any]
	var group sync.WaitGroup
	for range min(threads, n) {
		group.Go(func() {
			defer func() {
				if cause := recover(); cause != nil {
					fault.Store(&cause)
				}
			}()
			for at := next.Add(1) - 1; at < int64(n) && fault.Load() == nil; at = next.Add(1) - 1 {
				call(int(at))
			}
		})
	}
	group.Wait()
	if cause := fault.Load(); cause != nil {
		panic(*cause)
	}
}
