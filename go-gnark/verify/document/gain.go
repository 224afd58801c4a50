package document

import (
	"math/big"
	"regexp"

	"equiproof/verify/canonical"
	"equiproof/verify/statement"
	"equiproof/verify/tables"
	"equiproof/verify/verdict"
)

const (
	gainMark         = "equiproof-gain"
	mostRows         = 1 << 14 // of a spec's table
	mostFractionBits = 4096    // of a logit
)

var leastGain = regexp.MustCompile(`^(0|-?[1-9][0-9]{0,79})$`)

// gainFile is the file of a gain certificate.
type gainFile struct {
	Mark
	Statement gainStatementInFile `field:"statement"`
	proofInFile
	Query *queryFile `field:"query"`
}

type gainStatementInFile struct {
	statementInFile
	First        int    `field:"first"`
	Second       int    `field:"second"`
	LeastGain    string `field:"least_gain"`
	FractionBits int    `field:"logit_fraction_bits"`
}

var gainTable = canonical.TableOf[gainFile](gainMark, canonical.As("tools", toolsKind))

// Gain is a gain certificate, read strictly: how much a label's log odds gain at least with the sensitive values of one row of
// the spec's table, First, in place of those of another, Second. Trust nothing in it before a verification recomputed it. It
// is no certificate: it speaks of no decision.
type Gain struct {
	Proven
	First, Second int
}

// ReadGain reads a gain certificate.
func ReadGain(data []byte, where string) (*Gain, error) {
	file, err := ReadCanonical(data, gainTable, gainMark, where)
	if err != nil {
		return nil, err
	}
	claim := &file.Statement
	if !leastGain.MatchString(claim.LeastGain) {
		return nil, verdict.New(verdict.Malformed, "wrong-fields", where+": "+tables.Say("gain.least_gain_malformed"))
	}
	least, _ := new(big.Int).SetString(claim.LeastGain, 10)
	gain := &statement.Gain{Least: least, FractionBits: claim.FractionBits}
	rows := min(claim.First, claim.Second) >= 0 && max(claim.First, claim.Second) < mostRows
	unit := gain.FractionBits >= 0 && gain.FractionBits <= mostFractionBits
	if !claim.inRange() || !rows || !unit || !gain.HasOneResidue() {
		return nil, verdict.New(verdict.Malformed, "out-of-range", tables.Say("gain.statement_out_of_bounds", where))
	}
	content, err := newAround(&claim.statementInFile, &file.proofInFile, file.Query, where)
	if err != nil {
		return nil, err
	}
	content.Statement.Gain = gain
	return &Gain{*content, claim.First, claim.Second}, nil
}
