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

// boxFiles are files by name, as text or in hexadecimal.
type boxFiles struct{ Text, Hex map[string]string }

// boxCase is a case of tests/vectors/box.json.
type boxCase struct {
	boxFiles
	Name, Verdict, Base, Exception, Reason, Sentence, Answer string
	Opened                                                   bool
	Within                                                   int
	Label                                                    *string
	Policy                                                   struct {
		Context    bool
		Covers     []string
		Transcript *string
	}
	Ends json.RawMessage
	base boxFiles
}

// has says whether a case has a file.
func (c *boxCase) has(name string) bool {
	_, own := c.Text[name]
	_, ofBase := c.base.Text[name]
	return own || ofBase
}

// refusal is what the box of a case is compared with, nil for nothing.
func (c *boxCase) refusal(t *testing.T) (_ *verify.Refusal, err error) {
	t.Helper()
	if !c.has("refusal.json") {
		return nil, nil
	}
	other := &verify.Refusal{Within: c.Within}
	if c.has("wishes.json") {
		if other.Wishes, err = document.ReadWishes(c.file(t, "wishes.json"), "wishes.json"); err != nil {
			return nil, err
		}
	}
	if other.Certificate, err = document.ReadCertificate(c.file(t, "refusal.json"), "refusal.json"); err != nil {
		return nil, err
	}
	other.Query, err = document.ReadQuery(c.file(t, "query.json"), "query.json")
	return other, err
}

// file is one of a case.
func (c *boxCase) file(t *testing.T, name string) []byte {
	t.Helper()
	for _, files := range []boxFiles{c.boxFiles, c.base} {
		if text, own := files.Text[name]; own {
			return []byte(text)
		}
		if digits, own := files.Hex[name]; own {
			data, err := hex.DecodeString(digits)
			if err != nil {
				t.Fatal(err)
			}
			return data
		}
	}
	t.Fatal("no file ", name)
	return nil
}

// verified is what a verification says of the case, and the box in words, nil where it was not opened.
func (c *boxCase) verified(t *testing.T) (_ *verify.Verified, ends *canonical.Object, err error) {
	t.Helper()
	box, err := document.ReadBox(c.file(t, "box.json"), "box.json")
	if err != nil {
		return nil, nil, err
	}
	asked, opened := verify.AskedBox{Label: c.Label}, box.Opened
	if c.Opened {
		if asked.Opened, err = document.ReadOpenedBox(c.file(t, "opened.json"), "opened.json"); err != nil {
			return nil, nil, err
		}
		opened = asked.Opened
	}
	commitment, err := document.ReadCommitment(c.file(t, "commitment.json"), "commitment.json")
	if err != nil {
		return nil, nil, err
	}
	metadata, err := document.ReadKey(c.file(t, "key.json"), "key.json")
	if err != nil {
		return nil, nil, err
	}
	key, err := verify.NewKey(metadata, c.file(t, "verifying.key"), nil, "verifying.key", "key.json")
	if err != nil {
		return nil, nil, err
	}
	requirements := policy.Requirements{"CoversFeatures": c.Policy.Covers, "TranscriptIs": c.Policy.Transcript}
	if c.Policy.Context {
		if requirements["ForContext"], err = document.ReadContext(c.file(t, "context.json"), "context.json"); err != nil {
			return nil, nil, err
		}
	}
	demanded, err := requirements.Policies()
	if err != nil {
		return nil, nil, err
	}
	if asked.Refusal, err = c.refusal(t); err != nil {
		return nil, nil, err
	}
	pins := policy.Pins{Commitment: true, Key: true}
	verifier := &verify.Verifier{Commitment: commitment, Keys: verify.NewStore(key), Pins: pins}
	candidate, err := verifier.JudgeBox(box, asked, demanded)
	if err != nil {
		return nil, nil, err
	}
	found, err := candidate.Prove()
	if err == nil && opened != nil {
		ends = opened.Sentences(found.Spec)
	}
	return found, ends, err
}

// inOneSpelling is JSON in its canonical form.
func inOneSpelling(t *testing.T, data []byte) string {
	t.Helper()
	value, err := canonical.Parse(data, canonical.Anything(), "ends")
	if err != nil {
		t.Fatal(err)
	}
	return string(canonical.Bytes(value))
}

// Every case of a box certificate is verified, with its sentence and its box in words, or refused as the exception that it
// names, for its reason.
func TestBoxVectors(t *testing.T) {
	var vectors struct {
		Bases map[string]boxFiles
		Cases []*boxCase
	}
	if err := json.Unmarshal(readFile(t, filepath.Join(tests, "vectors", "box.json")), &vectors); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, one := range vectors.Cases {
		counts[one.Verdict]++
		one.base = vectors.Bases[one.Base]
		t.Run(one.Name, func(t *testing.T) {
			t.Parallel()
			result, ends, err := one.verified(t)
			if one.Verdict == "accept" {
				if err != nil {
					t.Fatal(err)
				}
				found := "null"
				if ends != nil {
					found = string(canonical.Bytes(ends))
				}
				if wanted := inOneSpelling(t, one.Ends); found != wanted || result.Sentence() != one.Sentence {
					t.Errorf("%s %s, want %s %s", result.Sentence(), found, one.Sentence, wanted)
				}
				if result.Answer != one.Answer {
					t.Errorf("%s, want %s", result.Answer, one.Answer)
				}
				return
			}
			var refusal *verdict.Error
			if !errors.As(err, &refusal) || string(refusal.Kind) != one.Exception || refusal.Reason != one.Reason {
				t.Errorf("%v, want %s because %s", err, one.Exception, one.Reason)
			}
		})
	}
	if min(counts["accept"], counts["reject"], counts["malformed"]) < 11 {
		t.Errorf("%v", counts)
	}
}
