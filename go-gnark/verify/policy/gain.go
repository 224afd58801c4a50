package policy

import (
	"math/big"

	"equiproof/verify/canonical"
	"equiproof/verify/names"
	"equiproof/verify/number"
	"equiproof/verify/reading"
	"equiproof/verify/spec"
	"equiproof/verify/statement"
	"equiproof/verify/tables"
	"equiproof/verify/text"
)

// MinGain requires a gain of at least so much, in log odds, as exact decimal text; 0 that the first values are never worse. It
// goes with gain certificates only, as GainOf does.
type MinGain struct{ Gain string }

var _ = register("MinGain", func(gain string) (Policy, error) { return MinGain{gain}, nil })

// Covers is the gain.
func (m MinGain) Covers() Covered { return covering(AboutGain) }

// Check compares exactly.
func (m MinGain) Check(facts *Facts) ([]string, error) {
	gain := facts.Statement.Gain
	unit := new(big.Int).Lsh(big.NewInt(1), uint(gain.FractionBits))
	if new(big.Rat).SetFrac(gain.Least, unit).Cmp(number.Exact(m.Gain)) < 0 {
		return nil, refused("gain-too-small",
			tables.Say("policy.gain_too_small", spec.SixDecimals(reading.Millionths(gain)), m.Gain))
	}
	return []string{tables.Say("checked.gain", m.Gain)}, nil
}

// GainOf requires that the gain is in this label, by name, with the values First in place of Second. Both name a value of each
// sensitive feature.
type GainOf struct {
	Label         string
	First, Second *canonical.Object
}

var _ = register("GainOf", itself[GainOf])

// Covers is the label and the values.
func (GainOf) Covers() Covered { return covering(AboutGainOf) }

// Check compares the label's name, and the digest of the two rows.
func (g GainOf) Check(facts *Facts) ([]string, error) {
	s := facts.Spec
	if label := s.Labels[facts.Statement.Label]; label != g.Label {
		return nil, refused("other-gain",
			tables.Say("policy.gain_label_differs", names.Quoted(label), text.Repr(text.Cut(text.Plain(g.Label), 40))))
	}
	var rows [2]int
	for at, values := range []*canonical.Object{g.First, g.Second} {
		var err error
		if rows[at], err = s.RowOf(values); err != nil {
			return nil, refused("other-gain", tables.Say("policy.gain_values_unknown", text.Plain(err.Error())))
		}
	}
	if statement.PairDigest(s, rows[0], rows[1]).Cmp(facts.Statement.DomainDigest) != 0 {
		return nil, refused("other-gain",
			tables.Say("policy.gain_values_differ", reading.ValuesInWords(g.First), reading.ValuesInWords(g.Second)))
	}
	return []string{tables.Say("checked.gain_subject", names.Quoted(g.Label))}, nil
}
