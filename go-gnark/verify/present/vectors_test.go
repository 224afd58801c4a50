package present_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"equiproof/verify"
	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/policy"
	"equiproof/verify/present"
	"equiproof/verify/tables"
	"equiproof/verify/verdict"
)

// tests is the folder of cases that other programs share (tests/vectors/README.md).
var tests = filepath.Join("..", "..", "..", "tests")

// vector is a verification: a base, what differs from it, and what the verdict is.
type vector struct {
	Kind, Base, Verdict, Exception, Reason, Field string
	Policy                                        struct {
		Query, Context                bool
		MinRadius                     *string `json:"min_radius"`
		Setup, Transcript, Model, Key *string
		SignedBy                      []json.RawMessage `json:"signed_by"`
	}
	Text map[string]*string
	Hex  map[string]string
	// Of bundles: places in the base, how many bytes are taken out there, and what stands there instead.
	Splices [][3]any
	Given   struct{ Commitment, Keys *string }
	german  bool // whether it is judged in German
	Pinned  policy.Pins
}

// files returns every file of a vector by its name inside the case.
func (v *vector) files(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, name := range []string{"certificate.json", "commitment.json", "query.json", "context.json", "keys/key/key.json",
		"keys/key/verifying.key"} {
		files[name] = readFile(t, filepath.Join(tests, "golden", v.Base, name))
	}
	for name, text := range v.Text {
		if delete(files, name); text != nil {
			files[name] = []byte(*text)
		}
	}
	for name, digits := range v.Hex {
		data, err := hex.DecodeString(digits)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = data
	}
	return files
}

// requirements are what the vector's policy demands.
func (v *vector) requirements(t *testing.T) policy.Requirements {
	t.Helper()
	requirements := policy.Requirements{"MinRadius": v.Policy.MinRadius, "SetupIs": v.Policy.Setup,
		"TranscriptIs": v.Policy.Transcript, "ModelIs": v.Policy.Model, "KeyIs": v.Policy.Key}
	if len(v.Policy.SignedBy) == 2 {
		signers := &policy.Signers{Least: new(big.Int)}
		if err := errors.Join(json.Unmarshal(v.Policy.SignedBy[0], &signers.Keys),
			json.Unmarshal(v.Policy.SignedBy[1], signers.Least)); err != nil {
			t.Fatal(err)
		}
		requirements["SignedBy"] = signers
	}
	return requirements
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func write(t *testing.T, folder string, files map[string][]byte) {
	t.Helper()
	for name, data := range files {
		path := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

// judged verifies the files of a folder as a relying party does.
func judged(folder string, requirements policy.Requirements, query, context bool) (*verify.Verified, error) {
	certificate, err := read(folder, "certificate.json", document.ReadCertificate)
	if err != nil {
		return nil, err
	}
	commitment, err := read(folder, "commitment.json", document.ReadCommitment)
	if err != nil {
		return nil, err
	}
	keys, err := present.OpenStore(filepath.Join(folder, "keys"))
	if err != nil {
		return nil, err
	}
	if query {
		if requirements["ForQuery"], err = read(folder, "query.json", document.ReadQuery); err != nil {
			return nil, err
		}
	}
	if context {
		if requirements["ForContext"], err = read(folder, "context.json", document.ReadContext); err != nil {
			return nil, err
		}
	}
	policies, err := requirements.Policies()
	if err != nil {
		return nil, err
	}
	verifier := &verify.Verifier{Commitment: commitment, Keys: keys, Pins: policy.Pins{Commitment: true, Key: true}}
	return verifier.Verify(certificate, policies)
}

func read[T any](folder, name string, parse func(data []byte, where string) (T, error)) (T, error) {
	data, err := present.Read(filepath.Join(folder, name), canonical.MaxBytes)
	if err != nil {
		var none T
		return none, err
	}
	return parse(data, name)
}

// Every vector of a certificate is verified, or refused as the exception that it names, for its reason, naming its field.
func TestCertificateVectors(t *testing.T) {
	each(t, filepath.Join(tests, "vectors"), "certificate", [3]int{15, 50, 60}, func(t *testing.T, v *vector) error {
		folder := t.TempDir()
		write(t, folder, v.files(t))
		verified, err := judged(folder, v.requirements(t), v.Policy.Query, v.Policy.Context)
		first := map[bool]string{false: "No change of ", true: "Keine Änderung von "}[v.german]
		if err == nil && (!strings.HasPrefix(verified.Sentence(), first) || len(verified.NotMade) < 2) {
			t.Errorf("%v", verified)
		}
		return err
	})
}

// Every vector of a bundle is accepted with the pins that it states, or refused as it says.
func TestBundleVectors(t *testing.T) {
	each(t, filepath.Join(tests, "vectors", "bundles"), "bundle", [3]int{10, 10, 60}, func(t *testing.T, v *vector) error {
		verified, err := v.bundle(t)
		if err == nil && verified.Pins != v.Pinned {
			t.Errorf("%v, want %v", verified.Pins, v.Pinned)
		}
		return err
	})
}

// bundle verifies a bundle as a relying party does.
func (v *vector) bundle(t *testing.T) (*verify.Verified, error) {
	t.Helper()
	var err error
	var commitment *document.Commitment
	var keys *verify.Store
	if v.Given.Commitment != nil {
		own := filepath.Join(tests, "golden", *v.Given.Commitment)
		if commitment, err = read(own, "commitment.json", document.ReadCommitment); err != nil {
			t.Fatal(err)
		}
	}
	if v.Given.Keys != nil {
		if keys, err = present.OpenStore(filepath.Join(tests, "golden", *v.Given.Keys, "keys")); err != nil {
			t.Fatal(err)
		}
	}
	policies, err := v.requirements(t).Policies()
	if err != nil {
		t.Fatal(err)
	}
	presentation, err := present.OfBundle(v.spliced(t), "bundle")
	if err != nil {
		return nil, err
	}
	verified, _, err := presentation.Verify(policies, commitment, keys)
	return verified, err
}

// spliced returns the bytes of a bundle.
func (v *vector) spliced(t *testing.T) (data []byte) {
	t.Helper()
	base, at := readFile(t, filepath.Join(tests, "vectors", "bundles", "base", v.Base+".equiproof")), 0
	for _, splice := range v.Splices {
		place, out := int(splice[0].(float64)), int(splice[1].(float64))
		instead, err := hex.DecodeString(splice[2].(string))
		if err != nil {
			t.Fatal(err)
		}
		data = append(append(data, base[at:place]...), instead...)
		at = place + out
	}
	return append(data, base[at:]...)
}

// each runs all vectors of a kind below a folder in each language, of which no verdict depends, and holds their verdicts; of
// each verdict there are so many at least.
func each(t *testing.T, root, kind string, least [3]int, run func(t *testing.T, v *vector) error) {
	t.Helper()
	defer tables.Speak(tables.Languages[0])
	for _, language := range tables.Languages {
		t.Run(language, func(t *testing.T) {
			if err := tables.Speak(language); err != nil {
				t.Fatal(err)
			}
			inOne(t, language, root, kind, least, run)
		})
	}
}

// inOne is each in one language.
func inOne(t *testing.T, language, root, kind string, least [3]int, run func(t *testing.T, v *vector) error) {
	t.Helper()
	for at, folder := range []string{"accept", "reject", "malformed"} {
		paths, err := filepath.Glob(filepath.Join(root, folder, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for _, path := range paths {
			v := &vector{german: language != tables.Languages[0]}
			if err := json.Unmarshal(readFile(t, path), v); err != nil {
				t.Fatal(path, err)
			}
			if v.Kind == kind {
				count++
				t.Run(strings.TrimSuffix(filepath.Base(path), ".json"), func(t *testing.T) {
					t.Parallel()
					v.check(t, folder, run(t, v))
				})
			}
		}
		if count < least[at] {
			t.Errorf("%s: %d vectors", folder, count)
		}
	}
}

// check compares the verdict on a vector with its folder and with what it says.
func (v *vector) check(t *testing.T, folder string, err error) {
	t.Helper()
	if err == nil || folder == "accept" {
		if err != nil || folder != "accept" {
			t.Errorf("%v, want %s because %s", err, folder, v.Reason)
		}
		return
	}
	var refusal *verdict.Error
	if !errors.As(err, &refusal) {
		t.Fatalf("%v, want %s", err, v.Reason)
	}
	field := v.Field
	if v.german { // what is wrong there is said in a language
		field, _, _ = strings.Cut(field, ": ")
	}
	code := map[string]int{"reject": verdict.Refused, "malformed": verdict.Misused}[folder]
	if string(refusal.Kind) != v.Exception || refusal.Reason != v.Reason || refusal.ExitCode() != code ||
		!strings.Contains(refusal.Message, field) {
		t.Errorf("%s because %s (%d): %s; want %s because %s, field %q",
			refusal.Kind, refusal.Reason, refusal.ExitCode(), refusal, v.Exception, v.Reason, field)
	}
}
