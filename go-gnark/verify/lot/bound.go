// Package lot is the arithmetic of an audit by lot: the draw, the seed that it follows from, and what it shows of a whole period.
// Twin of equiproof/register/lot/bound.py, draw.py and drand.py; tests/vectors/lot.json holds what all programs must find.
package lot

import (
	"errors"
	"math/big"
	"sort"

	"equiproof/verify/tables"
)

// MostReceipts is how many decisions one period has at most, MostDrawn how many one lot draws: the numbers of the bound have
// some two bytes for each of them.
const (
	MostReceipts = 1 << 32
	MostDrawn    = 10_000
)

// AtLeast returns how many of all receipts are good at least, with this confidence, where `bad` of the drawn are not: the exact
// one-sided bound of a draw without putting back. It fails for numbers that no lot can have.
func AtLeast(receipts, draws, bad int64, confidence *big.Rat) (int64, error) {
	if err := CheckNumbers(receipts, draws, confidence); err != nil {
		return 0, err
	}
	if bad < 0 || bad > draws {
		return 0, errors.New(tables.Say("bound.bad_out_of_bounds", bad, draws, draws))
	}
	// The bound is the least number of good ones under which so few bad ones are drawn with a chance above 1 - confidence: the
	// inversion of a one-sided test (equiproof/register/lot/bound.py has the argument and its sources). Draws are counted, so
	// that the chance is compared in integers: above c draws, c rational, means floor(c) + 1 of them or more.
	doubt := new(big.Rat).Sub(big.NewRat(1, 1), confidence)
	enough := new(big.Int).Binomial(receipts, draws)
	enough.Mul(enough, doubt.Num()).Quo(enough, doubt.Denom()).Add(enough, big.NewInt(1))
	// Fewer than `bad` are impossible, and at most all but the good ones that were seen. The more are bad, the fewer draws hold
	// so few of them, so a binary search finds the first number that is too large.
	possible := receipts - (draws - bad) - bad + 1
	first := sort.Search(int(possible), func(more int) bool {
		return drawsWith(receipts, draws, bad, bad+int64(more)).Cmp(enough) < 0
	})
	return receipts - (bad + int64(first) - 1), nil
}

// CheckNumbers fails unless so many can be drawn, and unless the confidence lies between 0 and 1.
func CheckNumbers(receipts, draws int64, confidence *big.Rat) error {
	if receipts < 1 || receipts > MostReceipts {
		return errors.New(tables.Say("bound.receipts_out_of_bounds", receipts, int64(MostReceipts)))
	}
	if most := min(receipts, MostDrawn); draws < 1 || draws > most {
		return errors.New(tables.Say("bound.drawn_out_of_bounds", draws, most))
	}
	if confidence.Sign() <= 0 || confidence.Cmp(big.NewRat(1, 1)) >= 0 {
		return errors.New(tables.Say("option.confidence_out_of_bounds", confidence.RatString()))
	}
	return nil
}

// drawsWith returns how many of all sets of so many draws hold at most `bad` of all bad ones.
func drawsWith(receipts, draws, bad, badOfAll int64) *big.Int {
	good := receipts - badOfAll
	fewest := max(0, draws-good)
	one := new(big.Int).Binomial(badOfAll, fewest)
	one.Mul(one, new(big.Int).Binomial(good, draws-fewest))
	total, factor := new(big.Int), new(big.Int)
	for badDrawn := fewest; badDrawn <= min(bad, badOfAll, draws); badDrawn++ {
		total.Add(total, one)
		// The next product of binomials from this one; the division leaves nothing over.
		one.Mul(one, factor.SetInt64(badOfAll-badDrawn)).Mul(one, factor.SetInt64(draws-badDrawn))
		one.Quo(one, factor.SetInt64(badDrawn+1)).Quo(one, factor.SetInt64(good-draws+badDrawn+1))
	}
	return total
}
