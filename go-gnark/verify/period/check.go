package period

import (
	"math/big"
	"path/filepath"

	"equiproof/verify/document"
	"equiproof/verify/lot"
	"equiproof/verify/note"
	"equiproof/verify/number"
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

// Found is a period that holds together, and what its lot shows; AtLeast of all its receipts are certified.
type Found struct {
	*Closed
	Commitment *document.Commitment
	Drawn      *drawn
	Judgements []Judgement
	AtLeast    int64
	Answered   string // when the owner signed its last answer, by its own word; "" where it signed none
	leftOpen   map[string]int
}

// Close checks what closing fixed, steps 1 to 3, by the log at a place.
func (f *Folder) Close(place string, pins Pins) (*Closed, error) {
	log, err := tiles.Open(place)
	if err != nil {
		return nil, err
	}
	period := f.Period
	if pins.Log != nil && pins.Log.Line != period.Log.Line {
		return nil, refused("the period is of the log %s, or of another key than yours", period.Log.Name)
	}
	for _, auditor := range pins.Auditors {
		if !isAmong(auditor, period.Parties[1:]) {
			return nil, refused("%s is no auditor of this period, or has another key there", auditor.Name)
		}
	}
	data, err := f.checkpoint()
	if err != nil {
		return nil, err
	}
	signed, err := tlog.Open(data, period.Log)
	if err != nil {
		return nil, tiles.Wrong(f.path(checkpointFile), err)
	}
	tree := signed.Tree
	if tree.Size != uint64(period.Size) || string(bytesOf(period.Root)) != string(tree.Root[:]) {
		return nil, refused("the checkpoint is not the one that the period names")
	}
	made := &Closed{Folder: f, pins: pins}
	if made.times, err = signed.Cosigned(pins.Witnesses); err != nil {
		return nil, refused("%s", err)
	}
	for _, witness := range pins.Witnesses {
		if _, there := made.times[witness.Name]; there {
			made.witnesses = append(made.witnesses, witness)
		}
	}
	if len(made.witnesses) < pins.Least {
		return nil, refused("%d of your witnesses cosigned the close, want %d", len(made.witnesses), pins.Least)
	}
	if made.Counted, err = count(log, tree, period.First, period.Last); err != nil {
		return nil, err
	}
	return made, made.Counted.refuseUnshown(period)
}

// Check checks draw and answers, steps 4 to 7; progress is told how many answers of all are read.
func (c *Closed) Check(progress func(done, all int)) (*Found, error) {
	drawn, err := c.draw(c.Counted)
	if err != nil {
		return nil, err
	}
	if !c.answered() {
		due := ""
		if c.Period.Policy.Due != "" {
			due = "; answers are due by " + c.Period.Policy.Due
		}
		return nil, refused("%s has not answered: %s is missing%s", c.Period.Owner, filepath.Join(c.root, answersFolder), due)
	}
	made := &Found{Closed: c, Drawn: drawn, leftOpen: map[string]int{}}
	if made.Commitment, err = c.commitment(); err != nil {
		return nil, err
	}
	keys, err := c.keys()
	if err != nil {
		return nil, err
	}
	all := &answers{folder: c.Folder, commitment: made.Commitment, keys: keys, about: map[decision]int64{},
		leftOpen: made.leftOpen}
	if err := all.judge(drawn, progress); err != nil {
		return nil, err
	}
	made.Judgements, made.Answered = all.judgements, all.latest
	made.AtLeast, err = lot.AtLeast(c.Period.Receipts, c.Period.Drawn, c.Period.Drawn-made.certified(), c.Period.confidence)
	return made, err
}

// certified is how many of the drawn have a certificate that counts.
func (f *Found) certified() (count int64) {
	for _, one := range f.Judgements {
		if one.Verdict == Certified {
			count++
		}
	}
	return count
}

// Kept says whether the share that the owner promised is shown.
func (f *Found) Kept() bool {
	promised := new(big.Rat).Mul(f.Period.share, new(big.Rat).SetInt64(f.Period.Receipts))
	return number.Ceil(promised).Cmp(big.NewInt(f.AtLeast)) <= 0
}

// Late says whether the owner answered after the day by which the period's policy wants answers.
func (f *Found) Late() bool {
	due := f.Period.Policy.Due
	return due != "" && f.Answered != "" && f.Answered[:len(due)] > due
}

// Honest says whether every answer is there, and is what it says it is.
func (f *Found) Honest() bool {
	for _, one := range f.Judgements {
		if one.Verdict != Certified && one.Verdict != None {
			return false
		}
	}
	return true
}
