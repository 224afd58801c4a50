package policy

import (
	"encoding/json"
	"errors"
	"math/big"
	"os"
	"testing"

	"equiproof/verify/document"
	"equiproof/verify/statement"
	"equiproof/verify/verdict"
)

// pins are what a vector pins, as tests/vectors/README.md describes them.
type pins struct {
	Key       string
	Witnesses []string
	Least     int64
	Smallest  int64  `json:"smallest_tree"`
	MaxDays   *int64 `json:"max_days"`
	Owner     *string
}

type vector struct {
	What, Digest, Proof, Receipt, Entry, Name string
	File, Since                               string
	Pins                                      *pins
	Now                                       int64
	Exception, Reason                         string
	Statement                                 struct {
		Model   string `json:"model_commitment"`
		Query   string `json:"query_commitment"`
		Context string `json:"context_digest"`
		Label   int
	}
	Found *struct {
		Owner                  string
		Index, Size, Witnesses uint64
		Time                   string
	}
}

// published are the vectors of tests/vectors/log.json.
type published struct{ Logged, Receipts, Boxes, Entries []vector }

func vectors() (all published, err error) {
	data, err := os.ReadFile("../../../tests/vectors/log.json")
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	return all, err
}

func read(t *testing.T) published {
	t.Helper()
	all, err := vectors()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// termsOf are the terms of a vector, but for an age.
func (v *vector) termsOf() *LogTerms {
	return &LogTerms{Key: v.Pins.Key, Witnesses: v.Pins.Witnesses, Least: big.NewInt(v.Pins.Least),
		Smallest: big.NewInt(v.Pins.Smallest), Owner: v.Pins.Owner, Proof: []byte(v.Proof), Now: v.Now}
}

// policyOf is the policy of a vector.
func (v *vector) policyOf(t *testing.T) Logged {
	t.Helper()
	terms := v.termsOf()
	if v.Pins.MaxDays != nil {
		terms.MaxDays = big.NewInt(*v.Pins.MaxDays)
	}
	policy, err := terms.Policy()
	if err != nil {
		t.Fatal(err)
	}
	return policy
}

// agrees compares an error with the verdict of a vector.
func (v *vector) agrees(t *testing.T, err error) {
	t.Helper()
	var refusal verdict.Error
	if own := new(verdict.Error); errors.As(err, &own) {
		refusal = *own
	} else if err != nil {
		t.Fatal(err)
	}
	if string(refusal.Kind) != v.Exception || refusal.Reason != v.Reason {
		t.Errorf("%s %s (%s), want %s %s", refusal.Kind, refusal.Reason, refusal.Message, v.Exception, v.Reason)
	}
}

func TestLogProofs(t *testing.T) {
	for _, one := range read(t).Logged {
		t.Run(one.What, func(t *testing.T) {
			standing, err := one.policyOf(t).Judge(one.Digest)
			one.agrees(t, err)
			if want := one.Found; want != nil && (standing.Entry.Owner != want.Owner || standing.Index != want.Index ||
				standing.Size != want.Size || uint64(len(standing.Witnesses)) != want.Witnesses || standing.ShownTime() != want.Time) {
				t.Errorf("%+v, want %+v", standing, want)
			}
		})
	}
}

func TestReceipts(t *testing.T) {
	for _, one := range read(t).Receipts {
		t.Run(one.What, func(t *testing.T) {
			receipt, err := document.ReadReceipt([]byte(one.Receipt), "receipt")
			if err != nil {
				one.agrees(t, err)
				return
			}
			claim := &statement.Statement{
				ModelCommitment: statement.Element(one.Statement.Model), QueryCommitment: statement.Element(one.Statement.Query),
				ContextDigest: statement.Element(one.Statement.Context), Label: one.Statement.Label,
			}
			if err = receipt.RefuseOther(claim); err == nil && one.Pins != nil {
				log := one.policyOf(t)
				_, err = ForReceipt{Receipt: receipt, Pins: &log.Pins, Proof: log.Proof, Now: log.Now}.Judge()
			}
			one.agrees(t, err)
		})
	}
}

func TestBoxCertificates(t *testing.T) {
	for _, one := range read(t).Boxes {
		t.Run(one.What, func(t *testing.T) {
			dated, err := DatedBy(one.termsOf(), []byte(one.Proof))
			if err != nil {
				t.Fatal(err)
			}
			standing, err := dated.Judge(&document.Box{Bytes: []byte(one.File)})
			one.agrees(t, err)
			if one.Since != "" && standing.ShownSince() != one.Since {
				t.Errorf("since %s, want %s", standing.ShownSince(), one.Since)
			}
		})
	}
	alone := read(t).Boxes[0].termsOf()
	alone.Witnesses, alone.Least = nil, nil
	if _, err := DatedBy(alone, nil); err == nil {
		t.Error("a log without witnesses dates a file")
	}
}

func TestEntries(t *testing.T) {
	for _, one := range read(t).Entries {
		t.Run(one.What, func(t *testing.T) {
			_, err := document.ReadEntry([]byte(one.Entry), "entry")
			one.agrees(t, err)
		})
	}
}

func TestPinsThatMeanNothing(t *testing.T) {
	good := read(t).Logged[0].Pins
	number := func(n int64) *big.Int { return big.NewInt(n) }
	for what, terms := range map[string]LogTerms{
		"no key":                 {},
		"none of the witnesses":  {Key: good.Key, Witnesses: good.Witnesses, Least: number(0)},
		"more than there are":    {Key: good.Key, Witnesses: good.Witnesses, Least: number(4)},
		"witnesses of nobody's":  {Key: good.Key, Least: number(1)},
		"one witness twice":      {Key: good.Key, Witnesses: []string{good.Witnesses[0], good.Witnesses[0]}},
		"the log as a witness":   {Key: good.Key, Witnesses: []string{good.Key}},
		"less than an empty log": {Key: good.Key, Smallest: number(-1)},
		"a log past any size":    {Key: good.Key, Smallest: new(big.Int).Lsh(number(1), 63)},
		"an age without a time":  {Key: good.Key, MaxDays: number(1)},
		"an age before now":      {Key: good.Key, Witnesses: good.Witnesses, MaxDays: number(-1)},
	} {
		if _, err := terms.Policy(); err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
}

func TestAProofForManyIsCheckedOnce(t *testing.T) {
	for _, one := range read(t).Logged {
		alone := one.policyOf(t)
		many := WithLogProof(alone, []byte(one.Proof)).(Logged)
		_, err := many.Judge(one.Digest)
		one.agrees(t, err)
		first, fault := many.stand()
		if again, same := many.stand(); again != first || same != fault {
			t.Errorf("%s: checked twice", one.What)
		}
		if _, err := many.Judge("00"); err == nil {
			t.Errorf("%s: accepted for another commitment", one.What)
		}
	}
}
