package present_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"equiproof/verify"
	"equiproof/verify/document"
	"equiproof/verify/policy"
	"equiproof/verify/verdict"
)

// linkedFiles are files by name: those of Text in UTF-8, those of Hex in hexadecimal.
type linkedFiles struct{ Text, Hex map[string]string }

// linkedCase is a case of tests/vectors/linked.json: files that differ from those of its base, and files that it is without.
type linkedCase struct {
	linkedFiles
	Name, Base, Verdict, Exception, Reason, Message, Identity, Sentence string
	Made, NotMade, Without                                              []string
	Pinned                                                              struct{ Commitment, Key bool }
	Policy                                                              struct {
		Query, Context         bool
		MinRadius              *string `json:"min_radius"`
		Key, Setup, Transcript *string
		LinkKey                *string           `json:"link_key"`
		LinkTranscript         *string           `json:"link_transcript"`
		SignedBy               []json.RawMessage `json:"signed_by"`
	}
}

// addTo decodes the files.
func (l *linkedFiles) addTo(t *testing.T, files map[string][]byte) {
	t.Helper()
	for name, text := range l.Text {
		files[name] = []byte(text)
	}
	for name, digits := range l.Hex {
		data, err := hex.DecodeString(digits)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = data
	}
}

// demanded is the case's policy.
func (c *linkedCase) demanded(t *testing.T, files map[string][]byte) (policy.AllOf, error) {
	t.Helper()
	requirements, err := policy.Requirements{
		"MinRadius": c.Policy.MinRadius, "KeyIs": c.Policy.Key, "SetupIs": c.Policy.Setup, "TranscriptIs": c.Policy.Transcript,
		"LinkKeyIs": c.Policy.LinkKey, "LinkTranscriptIs": c.Policy.LinkTranscript,
	}, error(nil)
	if c.Policy.Query {
		if requirements["ForQuery"], err = document.ReadQuery(files["query.json"], "query.json"); err != nil {
			return nil, err
		}
	}
	if c.Policy.Context {
		if requirements["ForContext"], err = document.ReadContext(files["context.json"], "context.json"); err != nil {
			return nil, err
		}
	}
	if len(c.Policy.SignedBy) == 2 {
		signers := &policy.Signers{}
		if json.Unmarshal(c.Policy.SignedBy[0], &signers.Keys) != nil || json.Unmarshal(c.Policy.SignedBy[1], &signers.Least) != nil {
			t.Fatalf("signers of %s", c.Name)
		}
		requirements["SignedBy"] = signers
	}
	return requirements.Policies()
}

// verified is what a verification says of the case.
func (c *linkedCase) verified(t *testing.T, files map[string][]byte) (*verify.Verified, error) {
	t.Helper()
	judge, err := judging(files)
	if err != nil {
		return nil, err
	}
	commitment, err := document.ReadCommitment(files["commitment.json"], "commitment.json")
	if err != nil {
		return nil, err
	}
	verifier := &verify.Verifier{Commitment: commitment, Pins: policy.Pins(c.Pinned)}
	if data := files["link.json"]; data != nil || !slices.Contains(c.Without, "link.json") {
		if verifier.Link, err = document.ReadLink(data, "link.json"); err != nil {
			return nil, err
		}
	}
	if verifier.Keys, err = storeOf(files); err != nil {
		return nil, err
	}
	requirements, err := c.demanded(t, files)
	if err != nil {
		return nil, err
	}
	candidate, err := judge(verifier, requirements)
	if err != nil {
		return nil, err
	}
	return candidate.Prove()
}

// judging reads the certificate of either kind, and returns what judges it.
func judging(files map[string][]byte) (func(*verify.Verifier, policy.Policy) (*verify.Judged, error), error) {
	if data, of := files["gain.json"]; of {
		gain, err := document.ReadGain(data, "certificate")
		return func(v *verify.Verifier, p policy.Policy) (*verify.Judged, error) { return v.JudgeGain(gain, p) }, err
	}
	certificate, err := document.ReadCertificate(files["certificate.json"], "certificate")
	return func(v *verify.Verifier, p policy.Policy) (*verify.Judged, error) { return v.Judge(certificate, p) }, err
}

// storeOf trusts the keys of a case.
func storeOf(files map[string][]byte) (*verify.Store, error) {
	metadata, err := document.ReadKey(files["key.json"], "key.json")
	if err != nil {
		return nil, err
	}
	key, err := verify.NewKey(metadata, files["verifying.key"], files["signatures.note"], "verifying.key", "key.json")
	if err != nil {
		return nil, err
	}
	store := verify.NewStore(key)
	if files["link-key.json"] == nil {
		return store, nil
	}
	of, err := document.ReadLinkKey(files["link-key.json"], "link-key.json")
	if err != nil {
		return nil, err
	}
	links, err := verify.NewLinkKey(of, files["link-verifying.key"], files["link-signatures.note"], "link-verifying.key", "link-key.json")
	if err != nil {
		return nil, err
	}
	return store.With(links), nil
}

// Every certificate of a kept model is verified with the same words, or refused as the exception that the case names, for its reason,
// in the same line but where a reader of JSON has its own.
func TestLinkedVectors(t *testing.T) {
	var vectors struct {
		Bases map[string]linkedFiles
		Cases []*linkedCase
	}
	if err := json.Unmarshal(readFile(t, filepath.Join(tests, "vectors", "linked.json")), &vectors); err != nil {
		t.Fatal(err)
	}
	own := []string{"wrong-fields", "not-json"}
	counts := map[string]int{}
	for _, one := range vectors.Cases {
		counts[one.Verdict]++
		files, base := map[string][]byte{}, vectors.Bases[one.Base]
		base.addTo(t, files)
		one.addTo(t, files)
		for _, name := range one.Without {
			delete(files, name)
		}
		result, err := one.verified(t, files)
		if one.Verdict == "accept" {
			if err != nil || result.Sentence() != one.Sentence || result.Identity != one.Identity ||
				!slices.Equal(result.Made, one.Made) || !slices.Equal(result.NotMade, one.NotMade) {
				t.Errorf("%s: %v", one.Name, err)
			}
			continue
		}
		var refusal *verdict.Error
		if !errors.As(err, &refusal) || string(refusal.Kind) != one.Exception || refusal.Reason != one.Reason {
			t.Errorf("%s: %v, want %s because %s", one.Name, err, one.Exception, one.Reason)
		} else if refusal.Message != one.Message && !slices.Contains(own, one.Reason) {
			t.Errorf("%s: %s, want %s", one.Name, refusal.Message, one.Message)
		}
	}
	if min(counts["accept"], counts["reject"], counts["malformed"]) < 15 {
		t.Errorf("%v", counts)
	}
}
