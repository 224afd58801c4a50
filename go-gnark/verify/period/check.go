package period

import (
	"math/big"
	"path/filepath"

	"equiproof/verify/document"
	"equiproof/verify/lot"
	"equiproof/verify/note"
	"equiproof/verify/number"
	"equiproof/verify/spec"
	"equiproof/verify/tables"
	"equiproof/verify/tiles"
	"equiproof/verify/tlog"
)

// Pins are what the reader knows from elsewhere: the log's key (nil for none), witnesses and how many of them must have seen
// the close, and auditors.
type Pins struct {
	Log                 *note.Key
	Witnesses, Auditors []*note.Key
	Least               int
}

// Closed is a period whose close holds, and its receipts as the log has them.
type Closed struct {
	*Folder
	Counted   *Counted
	witnesses []*note.Key // those that cosigned the close, and when by name
	times     map[string]int64
	pins      Pins
}

// Findings are a period that holds together, and what its lot shows; AtLeast of all its receipts are certified.
type Findings struct {
	*Closed
	Commitment *document.Commitment
	Drawn      *drawn
	Judgements []Judgement
	AtLeast    int64
	Answered   string // when the owner signed its last answer, by its own word; "" where it signed none
	// forgeable says that proofs under a key of the certificates could be forged: a single party ran its set-up.
	forgeable bool
}

// Close checks what closing fixed, steps 1 to 3, by the log at a place.
func (f *Folder) Close(place string, pins Pins) (*Closed, error) {
	log, err := tiles.Open(place)
	if err != nil {
		return nil, err
	}
	period := f.Period
	if pins.Log != nil && pins.Log.Line != period.Log.Line {
		return nil, refused(tables.Say("lot.log_key_differs", period.Log.Name))
	}
	for _, auditor := range pins.Auditors {
		if !isAmong(auditor, period.Parties[1:]) {
			return nil, refused(tables.Say("lot.not_an_auditor", auditor.Name))
		}
	}
	data, err := f.checkpoint()
	if err != nil {
		return nil, err
	}
	checkpoint, err := tlog.Open(data, period.Log)
	if err != nil {
		return nil, tiles.Wrong(f.path(checkpointFile), err)
	}
	tree := checkpoint.Tree
	if tree.Size != uint64(period.Size) || string(bytesOf(period.Root)) != string(tree.Root[:]) {
		return nil, refused(tables.Say("lot.checkpoint_differs"))
	}
	result := &Closed{Folder: f, pins: pins}
	if result.times, err = checkpoint.Cosigned(pins.Witnesses); err != nil {
		return nil, refused(err.Error())
	}
	for _, witness := range pins.Witnesses {
		if _, ok := result.times[witness.Name]; ok {
			result.witnesses = append(result.witnesses, witness)
		}
	}
	if len(result.witnesses) < pins.Least {
		return nil, refused(tables.Say("lot.witnesses_too_few", pins.Least, len(result.witnesses)))
	}
	if result.Counted, err = count(log, tree, period); err != nil {
		return nil, err
	}
	if err := result.Counted.refuseUnshown(period); err != nil {
		return nil, err
	}
	commitment, err := f.commitment()
	if err != nil {
		return nil, err
	}
	return result, period.refuseUnreachable(commitment.Spec)
}

// refuseUnreachable refuses a least radius that no certificate of the period's model can show.
func (d *Document) refuseUnreachable(s *spec.Spec) error {
	most := s.RadiusOfAny(s.LargestShown())
	if number.Exact(d.Policy.MinRadius).Cmp(most) > 0 {
		return refused(tables.Say("lot.radius_unreachable", spec.Cut(most), d.Policy.MinRadius))
	}
	return nil
}

// Check checks draw and answers, steps 4 to 7; progress is told how many answers of all are read.
func (c *Closed) Check(progress func(done, all int)) (*Findings, error) {
	draw, err := c.draw(c.Counted)
	if err != nil {
		return nil, err
	}
	if !c.answered() {
		due := ""
		if c.Period.Policy.Due != "" {
			due = tables.Say("lot.answers_due", c.Period.Policy.Due)
		}
		return nil, refused(tables.Say("lot.answer_missing", c.Period.Owner, filepath.Join(c.root, answersFolder), due))
	}
	findings := &Findings{Closed: c, Drawn: draw}
	if findings.Commitment, err = c.commitment(); err != nil {
		return nil, err
	}
	keys, links, err := c.keys()
	if err != nil {
		return nil, err
	}
	all := &answers{folder: c.Folder, commitment: findings.Commitment, keys: keys, links: links, about: map[decision]int64{}}
	if err := all.judge(draw, progress); err != nil {
		return nil, err
	}
	findings.Judgements, findings.Answered, findings.forgeable = all.judgements, all.latest, all.forgeable
	findings.AtLeast, err = lot.AtLeast(c.Period.Receipts, c.Period.Drawn, c.Period.Drawn-findings.certified(), c.Period.confidence)
	return findings, err
}

// certified is how many of the drawn have a certificate that counts.
func (f *Findings) certified() (count int64) {
	for _, one := range f.Judgements {
		if one.Verdict == Certified {
			count++
		}
	}
	return count
}

// Kept says whether the share that the owner promised is shown.
func (f *Findings) Kept() bool {
	promised := new(big.Rat).Mul(f.Period.share, new(big.Rat).SetInt64(f.Period.Receipts))
	return number.Ceil(promised).Cmp(big.NewInt(f.AtLeast)) <= 0
}

// Late says whether the owner answered after the day by which the period's policy wants answers.
func (f *Findings) Late() bool {
	due := f.Period.Policy.Due
	return due != "" && f.Answered != "" && f.Answered[:len(due)] > due
}

// Honest says whether every answer is there, and is what it says it is.
func (f *Findings) Honest() bool {
	for _, one := range f.Judgements {
		if one.Verdict != Certified && one.Verdict != None {
			return false
		}
	}
	return true
}
