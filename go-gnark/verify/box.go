package verify

import (
	"errors"
	"slices"

	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/names"
	"equiproof/verify/policy"
	"equiproof/verify/reading"
	"equiproof/verify/spec"
	"equiproof/verify/statement"
	"equiproof/verify/tables"
	"equiproof/verify/text"
)

// AskedBox is what a relying party asks of a box certificate beside a policy: that it is about this box, that it says this label,
// that a log dates its file, and that the box is one that the spec's rules of change say for whom a refusal is about. What is nil is
// left to you, or not asked.
type AskedBox struct {
	Opened  *document.OpenedBox
	Label   *string
	Dated   *policy.BoxDated
	Refusal *Refusal
}

// JudgeBox makes every check of a box certificate but that of the proof. The steps are those of Judge, but for these: (5) the
// domain digest is that of the trusted spec's table, whatever its ranges are, (6) the key's shape proves boxes under this spec,
// and there is no radius, (8) label and opened box are those that were asked for, and the box that the certificate discloses is
// its own. Policies are about keys, contexts and features alone. Twin of verifier/verify_box.py.
func (v *Verifier) JudgeBox(box *document.Box, asked AskedBox, requirement policy.Policy) (*Judged, error) {
	var answer string
	judged, err := v.judge(&box.Proven, requirement, &matter{
		fits: v.checkTable,
		words: func(s *spec.Spec, claim *statement.Statement) *canonical.Object {
			return reading.OfBox(s, claim.Label)
		},
		coverage: func(facts *policy.Facts) []string { return jointValues(facts.Spec) },
		meets: func(facts *policy.Facts, requirement policy.Policy) ([]string, error) {
			compared, err := asked.compare(box, facts)
			if err != nil {
				return nil, err
			}
			if asked.Refusal != nil {
				var paired []string
				if answer, paired, err = asked.paired(box, facts); err != nil {
					return nil, err
				}
				compared = append(compared, paired...)
			}
			dated, err := asked.date(box)
			if err != nil {
				return nil, err
			}
			checks, err := requirement.Check(facts)
			return slices.Concat(checks, compared, dated), err
		},
		needs: func(*spec.Spec) []policy.Check { return asked.leaves() },
	})
	if err != nil {
		return nil, err
	}
	judged.Answer = answer
	return judged, nil
}

// paired compares the box with the refusal; it returns what both say.
func (a AskedBox) paired(box *document.Box, facts *policy.Facts) (answer string, made []string, err error) {
	opened := a.Opened
	if opened == nil {
		opened = box.Opened
	}
	if opened == nil {
		return "", nil, errors.New(tables.Say("pair.box_missing"))
	}
	return (&pair{spec: facts.Spec, claim: facts.Statement, opened: opened, refusal: a.Refusal}).fits()
}

// checkTable compares the table of sensitive values with the spec's (5), and the key's shape (6).
func (v *Verifier) checkTable(claim *statement.Statement, shape document.Shape) error {
	s := v.Commitment.Spec
	if claim.DomainDigest.Cmp(statement.TableDigest(s)) != 0 {
		return refuse("domain-differs", tables.Say("certificate.domain_differs"))
	}
	if !shape.FitsBox(s) {
		return refuse("shape-differs", tables.Say("key.shape_without_boxes", text.Cut(shape.Name(), 80)))
	}
	return nil
}

// compare compares the label and the box with those that were asked for, and with what the certificate discloses (8).
func (a AskedBox) compare(box *document.Box, facts *policy.Facts) (lines []string, err error) {
	if a.Label != nil {
		stated := facts.Spec.Labels[facts.Statement.Label]
		if *a.Label != stated {
			required := text.Repr(text.Cut(text.Plain(*a.Label), 40))
			return nil, refuse("other-box", tables.Say("box.label_differs", names.Quoted(stated), required))
		}
		lines = append(lines, tables.Say("checked.box_label", names.Quoted(*a.Label)))
	}
	for _, one := range []struct {
		opened *document.OpenedBox
		source string
	}{{a.Opened, tables.Say("box.file")}, {box.Opened, tables.Say("present.certificate_itself")}} {
		if one.opened == nil {
			continue
		}
		commitment, err := one.opened.Commitment(facts.Spec)
		if err != nil {
			return nil, err
		}
		if commitment.Cmp(facts.Statement.BoxCommitment) != 0 {
			return nil, refuse("other-box", tables.Say("box.differs", one.source))
		}
		lines = append(lines, tables.Say("checked.box", one.source))
	}
	return lines, nil
}

// date looks for the entry of the certificate's file in a log.
func (a AskedBox) date(box *document.Box) ([]string, error) {
	if a.Dated == nil {
		return nil, nil
	}
	standing, err := a.Dated.Judge(box)
	if err != nil {
		return nil, err
	}
	return []string{a.Dated.Made(standing)}, nil
}

// leaves lists the checks that a box certificate needs beside those that were asked for, in the order in which they are listed.
func (a AskedBox) leaves() (needed []policy.Check) {
	if a.Opened == nil {
		needed = append(needed, policy.AboutBox)
	}
	if a.Refusal != nil && a.Refusal.Holds {
		return needed // it says which label is asked about, and in which context
	}
	if a.Label == nil {
		needed = append(needed, policy.AboutBoxLabel)
	}
	if a.Refusal != nil {
		needed = append(needed, policy.AboutRefusal)
	}
	return append(needed, policy.AboutContext)
}
