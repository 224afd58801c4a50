package words

import (
	"math/big"
	"strings"
	"time"

	"equiproof/verify/spec"
	"equiproof/verify/tables"
)

// NoBreak is a blank at which no line breaks.
const NoBreak = noBreak

// Speaker writes numbers and the owner's words for texts that are no answer about a certificate.
type Speaker struct{ words *words }

// Spoken returns the speaker of the language that is spoken.
func Spoken() Speaker {
	sentences, _ := tables.Words(tables.Spoken())
	return Speaker{&words{tables.Spoken(), sentences}}
}

// Number writes a decimal number in full, digits in groups of three.
func (s Speaker) Number(value *big.Rat) string { return s.words.number(value) }

// Count writes how many there are.
func (s Speaker) Count(value int64) string { return s.words.number(new(big.Rat).SetInt64(value)) }

// Word writes one of the owner's words: quoted unless it is one plain word.
func (s Speaker) Word(text string) string { return s.words.word(text) }

// Quoted writes one of the owner's words in quotation marks.
func (s Speaker) Quoted(text string) string { return s.words.quoted(text) }

// Joined writes texts as a list in a sentence, the last one behind "and".
func (s Speaker) Joined(all []string) string { return s.words.joined(all, "and") }

// Name writes a feature's name as it is shown.
func (s Speaker) Name(featureSpec *spec.Spec, f *spec.Feature) string {
	return s.words.word(s.words.shownName(featureSpec, f))
}

// Day writes a day as people do; no line breaks before its month.
func (s Speaker) Day(at time.Time) string { return s.words.day(at) }

// Pointed writes decimal text with the sign that the language has in place of a point.
func (s Speaker) Pointed(decimal string) string {
	return strings.Replace(decimal, ".", s.words.say("number.point"), 1)
}

// MovedAlone writes how far a feature may move whatever its value, below a radius; "" for not at all.
func (s Speaker) MovedAlone(f *spec.Feature, radius *big.Rat) string {
	return s.words.movedAlone(f, radius)
}

// Isolated writes a text of the owner's so that its direction of writing ends with it.
func Isolated(text string) string { return isolated(text) }

// Unmarked returns a text without what isolates names and keeps blanks.
func Unmarked(text string) string {
	return strings.NewReplacer(isolate, "", end, "", noBreak, " ").Replace(text)
}
