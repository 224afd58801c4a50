package document

import (
	"math/big"
	"regexp"

	"equiproof/verify/canonical"
	"equiproof/verify/statement"
	"equiproof/verify/verdict"
)

const (
	gainMark         = "equiproof-gain"
	mostRows         = 1 << 14 // of a spec's table
	mostFractionBits = 4096    // of a logit
)

var leastGain = regexp.MustCompile(`^(0|-?[1-9][0-9]{0,79})$`)

// gainReadingKind is the table of a statement about a gain in words; package verify computes it anew.
var gainReadingKind = canonical.Document(
	canonical.Required("label", canonical.Text()),
	canonical.Required("first", canonical.Dictionary(canonical.Text())),
	canonical.Required("second", canonical.Dictionary(canonical.Text())),
	canonical.Required("gain", canonical.Text()),
	canonical.Required("radius", canonical.Text()),
	canonical.Required("radius_any", canonical.Text()),
	canonical.Required("at_least", canonical.Flag()),
	canonical.Required("features", canonical.Dictionary(canonical.Text())),
)

var gainKind = provenKind(gainReadingKind,
	canonical.Required("first", canonical.Integer()),
	canonical.Required("second", canonical.Integer()),
	canonical.Required("least_gain", canonical.Text()),
	canonical.Required("logit_fraction_bits", canonical.Integer()),
)

// Gain is a gain certificate, read strictly: how much a label's log odds gain at least with the sensitive values of one row of
// the spec's table, First, in place of those of another, Second. Trust nothing in it before a verification recomputed it. It
// is no certificate: it speaks of no decision.
type Gain struct {
	Proven
	First, Second int
}

// ReadGain reads a gain certificate.
func ReadGain(data []byte, where string) (*Gain, error) {
	object, err := read(data, gainKind, gainMark, where)
	if err != nil {
		return nil, err
	}
	fields := object.Object("statement")
	if !leastGain.MatchString(fields.Text("least_gain")) {
		return nil, verdict.New(verdict.Malformed, "wrong-fields",
			"%s: field statement.least_gain: want an integer as text, of at most 80 digits", where)
	}
	least, _ := new(big.Int).SetString(fields.Text("least_gain"), 10)
	gained := &statement.Gain{Least: least, FractionBits: fields.Int("logit_fraction_bits")}
	first, second := fields.Int("first"), fields.Int("second")
	rows := min(first, second) >= 0 && max(first, second) < mostRows
	unit := gained.FractionBits >= 0 && gained.FractionBits <= mostFractionBits
	if !inRange(fields) || !rows || !unit || !gained.HasOneResidue() {
		return nil, verdict.New(verdict.Malformed, "out-of-range", "%s: field statement: label, radius_squared, first, second, "+
			"least_gain or logit_fraction_bits is out of range", where)
	}
	found, err := newProven(object, where)
	if err != nil {
		return nil, err
	}
	found.Statement.Gain = gained
	return &Gain{*found, first, second}, nil
}
