package present_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"

	"equiproof/verify"
	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/policy"
	"equiproof/verify/verdict"
)

// gainCase is a case of tests/vectors/gain.json.
type gainCase struct {
	Name, Verdict, Base, Exception, Reason, Sentence string
	Policy                                           struct {
		Query, Context bool
		MinRadius      *string           `json:"min_radius"`
		MinGain        *string           `json:"min_gain"`
		GainOf         []json.RawMessage `json:"gain_of"`
	}
	Text, Hex map[string]string
}

// file is one of a case.
func (c *gainCase) file(t *testing.T, name string) []byte {
	t.Helper()
	if text, own := c.Text[name]; own {
		return []byte(text)
	}
	if digits, own := c.Hex[name]; own {
		data, err := hex.DecodeString(digits)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	return readFile(t, filepath.Join(tests, "golden", c.Base, name))
}

// demanded is the case's policy.
func (c *gainCase) demanded(t *testing.T) (policy.AllOf, error) {
	t.Helper()
	requirements, err := policy.Requirements{"MinRadius": c.Policy.MinRadius, "MinGain": c.Policy.MinGain}, error(nil)
	if c.Policy.Query {
		if requirements["ForQuery"], err = document.ReadQuery(c.file(t, "query.json"), "query.json"); err != nil {
			return nil, err
		}
	}
	if c.Policy.Context {
		if requirements["ForContext"], err = document.ReadContext(c.file(t, "context.json"), "context.json"); err != nil {
			return nil, err
		}
	}
	if len(c.Policy.GainOf) == 3 {
		compared := policy.GainOf{First: values(t, c.Policy.GainOf[1]), Second: values(t, c.Policy.GainOf[2])}
		if err := json.Unmarshal(c.Policy.GainOf[0], &compared.Label); err != nil {
			t.Fatal(err)
		}
		requirements["GainOf"] = compared
	}
	return requirements.Policies()
}

func values(t *testing.T, data []byte) *canonical.Object {
	t.Helper()
	list, err := canonical.Parse(data, canonical.Dictionary(canonical.Text()), "values")
	if err != nil {
		t.Fatal(err)
	}
	return list.(*canonical.Object)
}

// verified is what a verification says of the case.
func (c *gainCase) verified(t *testing.T) (*verify.Verified, error) {
	t.Helper()
	gain, err := document.ReadGain(c.file(t, "gain.json"), "gain.json")
	if err != nil {
		return nil, err
	}
	commitment, err := document.ReadCommitment(c.file(t, "commitment.json"), "commitment.json")
	if err != nil {
		return nil, err
	}
	metadata, err := document.ReadKey(c.file(t, "keys/key/key.json"), "key.json")
	if err != nil {
		return nil, err
	}
	key, err := verify.NewKey(metadata, c.file(t, "keys/key/verifying.key"), nil, "verifying.key", "key.json")
	if err != nil {
		return nil, err
	}
	requirements, err := c.demanded(t)
	if err != nil {
		return nil, err
	}
	pins := policy.Pins{Commitment: true, Key: true}
	candidate, err := (&verify.Verifier{Commitment: commitment, Keys: verify.NewStore(key), Pins: pins}).JudgeGain(gain, requirements)
	if err != nil {
		return nil, err
	}
	return candidate.Prove()
}

// Every case of a gain certificate is verified, with its sentence, or refused as the exception that it names, for its reason.
func TestGainVectors(t *testing.T) {
	var vectors struct{ Cases []*gainCase }
	if err := json.Unmarshal(readFile(t, filepath.Join(tests, "vectors", "gain.json")), &vectors); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, one := range vectors.Cases {
		counts[one.Verdict]++
		t.Run(one.Name, func(t *testing.T) {
			t.Parallel()
			result, err := one.verified(t)
			if one.Verdict == "accept" {
				if err != nil || result.Sentence() != one.Sentence {
					t.Errorf("%v, want %s", err, one.Sentence)
				}
				return
			}
			var refusal *verdict.Error
			if !errors.As(err, &refusal) || string(refusal.Kind) != one.Exception || refusal.Reason != one.Reason {
				t.Errorf("%v, want %s because %s", err, one.Exception, one.Reason)
			}
		})
	}
	if min(counts["accept"], counts["reject"], counts["malformed"]) < 15 {
		t.Errorf("%v", counts)
	}
}
