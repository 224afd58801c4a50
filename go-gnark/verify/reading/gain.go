package reading

import (
	"math/big"
	"strings"

	"equiproof/verify/canonical"
	"equiproof/verify/names"
	"equiproof/verify/number"
	"equiproof/verify/spec"
	"equiproof/verify/statement"
	"equiproof/verify/tables"
)

// OfGain returns a statement about a gain for people as a gain certificate has it: a function of the spec, the statement, and
// the two rows of the spec's table alone, which are different.
func OfGain(s *spec.Spec, claim *statement.Statement, first, second int) *canonical.Object {
	decision := Of(s, claim.Label, claim.RadiusSquared)
	object := canonical.NewObject().Set("label", decision.Get("label")).
		Set("first", s.ValuesOf(first)).Set("second", s.ValuesOf(second)).
		Set("gain", spec.SixDecimals(Millionths(claim.Gain)))
	for _, name := range []string{"radius", "radius_any", "at_least", "features"} {
		object.Set(name, decision.Get(name))
	}
	return object
}

// Millionths is the least gain in millionths of a logit, rounded down, towards minus infinity.
func Millionths(gain *statement.Gain) *big.Int {
	unit := new(big.Int).Lsh(big.NewInt(1), uint(gain.FractionBits))
	return number.FloorDivide(new(big.Int).Mul(gain.Least, big.NewInt(1_000_000)), unit)
}

// gainWords are the words of a statement about a gain that its sentence is made of.
type gainWords struct {
	radiusWords
	Label  string            `field:"label"`
	First  *canonical.Object `field:"first"`
	Second *canonical.Object `field:"second"`
	Gain   string            `field:"gain"`
}

// GainSentence is one sentence that promises no more than the statement about a gain, whose least gain has this sign.
func GainSentence(reading *canonical.Object, sign int) string {
	words := canonical.Fields[gainWords](reading)
	who := tables.Say("gain.alone")
	if !words.isZero() {
		who = tables.Say("gain.near", words.bound())
	}
	than := tables.Say("gain.not_lower")
	switch size := strings.TrimPrefix(words.Gain, "-"); {
	case sign > 0 && strings.Trim(words.Gain, "0.") == "":
		than = tables.Say("gain.higher")
	case sign > 0:
		than = tables.Say("gain.higher_by", words.Gain)
	case sign < 0:
		than = tables.Say("gain.lower_by", size)
	}
	return tables.Say("gain.read", who+" ", names.Quoted(words.Label), than,
		ValuesInWords(words.First), ValuesInWords(words.Second))
}

// ValuesInWords writes sensitive features with a value each.
func ValuesInWords(values *canonical.Object) string {
	var all []string
	for _, name := range values.Names() {
		all = append(all, names.Quoted(name)+" "+names.Quoted(values.Text(name)))
	}
	return strings.Join(all, " "+tables.Say("word.and")+" ")
}
