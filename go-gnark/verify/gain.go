package verify

import (
	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/policy"
	"equiproof/verify/reading"
	"equiproof/verify/spec"
	"equiproof/verify/statement"
	"equiproof/verify/tables"
	"equiproof/verify/text"
)

// neededOfGain lists the checks that a gain certificate needs, in the order in which those not made are listed. Its sentence
// has a number in the owner's unit, whatever the policy demands; a gain of 0 has none.
func neededOfGain(gain *document.Gain) []policy.Check {
	needed := []policy.Check{
		policy.AboutQuery, policy.AboutContext, policy.AboutGainOf, policy.AboutGain, policy.AboutRadius,
	}
	if gain.Statement.Gain.Least.Sign() != 0 {
		needed = append(needed, policy.AboutUnit)
	}
	return needed
}

// JudgeGain makes every check of a gain certificate but that of the proof. The steps are those of Judge, but for two: (5) the
// rows that it compares are different ones of the spec's table, and their digest is recomputed, (6) the key's shape proves
// gains of networks under this spec, and the least gain has the width that it has there. Twin of verifier/verify_gain.py.
func (v *Verifier) JudgeGain(gain *document.Gain, requirement policy.Policy) (*Judged, error) {
	return v.judge(&gain.Proven, requirement, &matter{
		fits: func(_ *statement.Statement, shape document.Shape) error { return v.checkPair(gain, shape) },
		words: func(s *spec.Spec, claim *statement.Statement) *canonical.Object {
			return reading.OfGain(s, claim, gain.First, gain.Second)
		},
		coverage: func(facts *policy.Facts) []string { return compared(facts.Spec, gain) },
		meets:    withQuery(gain.Query),
		needs:    func(*spec.Spec) []policy.Check { return neededOfGain(gain) },
	})
}

// checkPair compares the two rows with the spec's table (5), and the key's shape (6).
func (v *Verifier) checkPair(gain *document.Gain, shape document.Shape) error {
	s := v.Commitment.Spec
	if rows := len(s.Table); gain.First >= rows || gain.Second >= rows || gain.First == gain.Second {
		return refuse("unknown-values", tables.Say("gain.values_malformed", gain.First, gain.Second, rows))
	}
	if gain.Statement.DomainDigest.Cmp(statement.PairDigest(s, gain.First, gain.Second)) != 0 {
		return refuse("domain-differs", tables.Say("certificate.gain_values_differ"))
	}
	if !shape.FitsGain(s) {
		return refuse("shape-differs", tables.Say("key.shape_without_gains", text.Cut(shape.Name(), 80)))
	}
	return nil
}

// compared says which values a gain certificate compares.
func compared(s *spec.Spec, gain *document.Gain) []string {
	first, second := reading.ValuesInWords(s.ValuesOf(gain.First)), reading.ValuesInWords(s.ValuesOf(gain.Second))
	return []string{tables.Say("gain.compares", first, second)}
}
