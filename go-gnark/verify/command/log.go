package command

import (
	"errors"
	"fmt"
	"math/big"

	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/note"
	"equiproof/verify/policy"
	"equiproof/verify/present"
	"equiproof/verify/tables"
	"equiproof/verify/text"
)

// addLogged adds the receipt and the log proof of options to what came with a certificate.
func (g *given) addLogged(presentation *present.Presented) (err error) {
	if g.has("log-proof") {
		if presentation.LogProof, err = g.ownLogProof(); err != nil {
			return err
		}
	}
	path := g.value("receipt")
	if path == nil {
		return nil
	}
	presentation.Receipt, err = readOption(g, "receipt", document.ReadReceipt)
	presentation.ReceiptProof, presentation.OwnReceipt = present.LogProofOf(*path), true
	return err
}

// ownLogProof reads the log proof that an option names, nil without the option.
func (g *given) ownLogProof() ([]byte, error) {
	path := g.value("log-proof")
	if path == nil {
		return nil, nil
	}
	return present.Read(*path, canonical.MaxBytes)
}

// logProofBeside reads the log proof that an option names, or the one beside a certificate; empty for none.
func (g *given) logProofBeside(certificate string) ([]byte, error) {
	if g.has("log-proof") {
		return g.ownLogProof()
	}
	return present.LogProofOf(certificate), nil
}

// logTerms is what the options demand of a log, nil for nothing; one that is nothing without another is an error.
func (g *given) logTerms(d *demands) (*policy.LogTerms, error) {
	numbers := map[string]*big.Int{}
	for _, one := range []struct {
		name  string
		least int64
	}{{"least-witnesses", 1}, {"smallest-tree", 0}, {"max-log-age", 0}} {
		number, err := g.number(one.name, one.least)
		if err != nil {
			return nil, err
		}
		numbers[one.name] = number
	}
	if g.has("least-witnesses") && !g.has("witnesses") {
		return nil, errors.New(tables.Say("option.witnesses_without_keys"))
	}
	if !g.has("log-key") {
		for _, name := range []string{"witnesses", "smallest-tree", "max-log-age", "log-owner"} {
			if g.has(name) {
				return nil, errors.New(tables.Say("option.log_key_missing", "--"+name))
			}
		}
		return nil, nil
	}
	key, err := typedLogKey(g.text("log-key"))
	if err != nil {
		return nil, err
	}
	terms := &policy.LogTerms{Key: key, Least: numbers["least-witnesses"], Smallest: numbers["smallest-tree"],
		MaxDays: numbers["max-log-age"], Owner: g.value("log-owner"), Proof: d.proof, Now: d.now}
	path := g.value("witnesses")
	if path == nil {
		return terms, nil
	}
	data, err := present.Read(*path, note.MaxBytes)
	if err != nil {
		return nil, err
	}
	keys, err := note.ParseWitnesses(string(data), *path)
	for _, key := range keys {
		terms.Witnesses = append(terms.Witnesses, key.Line)
	}
	return terms, err
}

// number reads the value of an option, nil without it.
func (g *given) number(name string, least int64) (*big.Int, error) {
	typed := g.value(name)
	if typed == nil {
		return nil, nil
	}
	number, ok := new(big.Int).SetString(*typed, 10)
	if !ok || number.Cmp(big.NewInt(least)) < 0 {
		return nil, misuse(fmt.Sprintf("Invalid value for '--%s': %s is not a number from %d on.",
			name, text.Repr(text.Cut(*typed, 40)), least))
	}
	return number, nil
}
