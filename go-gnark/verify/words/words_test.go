package words

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"equiproof/verify/canonical"
	"equiproof/verify/spec"
	"equiproof/verify/tables"
)

var shared = filepath.Join("..", "..", "..")

// vectors reads tests/vectors/words.json, which tests/vectors/README.md describes.
func vectors(t *testing.T) *canonical.Object {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(shared, "tests", "vectors", "words.json"))
	if err != nil {
		t.Fatal(err)
	}
	value, err := canonical.Parse(data, canonical.Anything(), "words.json")
	if err != nil {
		t.Fatal(err)
	}
	return value.(*canonical.Object)
}

func specs(t *testing.T, all *canonical.Object) map[string]*spec.Spec {
	t.Helper()
	byName := map[string]*spec.Spec{}
	for _, name := range all.Names() {
		value, err := canonical.Parse(canonical.Bytes(all.Get(name)), spec.Kind(), name)
		if err != nil {
			t.Fatal(err)
		}
		if byName[name], err = spec.New(value); err != nil {
			t.Fatal(name, err)
		}
	}
	return byName
}

func findings(one *canonical.Object, featureSpec *spec.Spec) *Findings {
	key, pins := one.Object("key"), one.Object("pins")
	return &Findings{
		Spec: featureSpec, Label: one.Int("label"), RadiusSquared: int64(one.Int("radius_squared")),
		Key:      KeyMaking{key.Text("setup"), key.Int("parties"), key.Flag("imported")},
		ModelPin: pins.Text("model"), KeyPinned: pins.Flag("key"),
		Query: one.Object("query"), QueryFound: one.Flag("query_found"),
		Context: one.Object("context"), ContextFound: one.Flag("context_found"),
		Minimum: one.Text("minimum"), Ranges: one.Flag("ranges"), Others: one.Flag("others"), Log: one.Flag("log"),
		Receipt: one.Text("receipt"), ReceiptLogged: one.Flag("receipt_logged"), Logged: standing(one.Object("logged")),
	}
}

// same compares an answer with that of a vector, in content and in the order of its entries.
func same(t *testing.T, what string, answer, want *canonical.Object) {
	t.Helper()
	for _, name := range want.Names() {
		left, right := string(canonical.Bytes(answer.Get(name))), string(canonical.Bytes(want.Get(name)))
		if left != right {
			t.Errorf("%s: %s:\n%s\nwant\n%s", what, name, left, right)
		}
	}
	if left, right := strings.Join(answer.Names(), " "), strings.Join(want.Names(), " "); left != right {
		t.Errorf("%s: %s, want %s", what, left, right)
	}
}

// An answer is a function of the case, and this one.
func standing(one *canonical.Object) *LogStanding {
	if one == nil {
		return nil
	}
	return &LogStanding{one.Text("log"), one.Text("owner"), one.Flag("owner_pinned"), one.Text("until"), one.Int("witnesses")}
}

func TestAnswers(t *testing.T) {
	all := vectors(t)
	allSpecs := specs(t, all.Object("specs"))
	verified := all.Objects("verified")
	if len(verified) < 50 {
		t.Fatalf("%d cases", len(verified))
	}
	for _, one := range verified {
		answer, err := Answer(findings(one, allSpecs[one.Text("spec")]), one.Text("language"), one.Text("voice"))
		if err != nil {
			t.Fatal(err)
		}
		same(t, one.Text("what"), answer, one.Object("answer"))
	}
}

// A refusal says what it means for the reader.
func TestRefusals(t *testing.T) {
	for _, one := range vectors(t).Objects("refused") {
		answer, err := Refusal(one.Text("reason"), one.Text("technical"), one.Text("language"), tables.Policy)
		if err != nil {
			t.Fatal(err)
		}
		same(t, one.Text("reason"), answer, one.Object("answer"))
	}
}

// A reason that the table lacks leaves a certificate valid only where it is one of a policy.
func TestUnknownReasons(t *testing.T) {
	for class, want := range map[tables.Class]string{
		tables.Policy: "not-enough", tables.Proof: "not-valid", tables.Key: "not-valid", tables.Format: "not-valid", "": "not-valid",
	} {
		answer, err := Refusal("reason-of-nobody", "", "en", class)
		if err != nil || answer.Text("outcome") != want || len(answer.Texts("below")) != map[string]int{"not-enough": 1, "not-valid": 4}[want] {
			t.Errorf("%s: %s, want %s, %v", class, answer.Text("outcome"), want, err)
		}
	}
}

// Unknown languages are refused.
func TestLanguages(t *testing.T) {
	for _, language := range []string{"fr", ""} {
		if _, err := Refusal("not-json", "", language, tables.Format); err == nil || !strings.Contains(err.Error(), "en, de") {
			t.Errorf("%q: %v", language, err)
		}
	}
}
