package canonical_test

import (
	"errors"
	"strings"
	"testing"

	"equiproof/verify/canonical"
	"equiproof/verify/verdict"
)

// Numbers are written as ECMAScript writes them; those of RFC 8785, appendix B, and the edges between the two forms.
func TestNumbers(t *testing.T) {
	for number, want := range map[float64]string{
		0: "0", -1: "-1", 333333333.33333329: "333333333.3333333", 1e30: "1e+30", 4.50: "4.5", 2e-3: "0.002",
		1e-27: "1e-27", 1e21: "1e+21", 9.999999999999997e22: "9.999999999999997e+22", 999999999999999900000: "999999999999999900000",
		1e-6: "0.000001", 9.9e-7: "9.9e-7", 5e-324: "5e-324", 1.7976931348623157e308: "1.7976931348623157e+308",
		-1.5e-9: "-1.5e-9", 295147905179352830000: "295147905179352830000",
	} {
		if written := canonical.Number(number); written != want {
			t.Errorf("%g: %s, want %s", number, written, want)
		}
	}
}

// Names are sorted by UTF-16 code units: those beyond the basic plane stand before the last ones of the plane.
func TestOrderOfNames(t *testing.T) {
	object := canonical.NewObject()
	for _, name := range []string{"\ufb33", "\U0001f600", "\u20ac", "1", "\r", "\u0080", "\u00f6"} {
		object.Set(name, true)
	}
	want := `{"\r":true,"1":true,"` + "\u0080\":true,\"\u00f6\":true,\"\u20ac\":true,\"\U0001f600\":true,\"\ufb33\":true}"
	if written := string(canonical.Bytes(object)); written != want {
		t.Errorf("%q, want %q", written, want)
	}
}

// A document has one spelling, and every other one is refused; of several faults, the first that a reader meets.
func TestSpellings(t *testing.T) {
	kind := canonical.TableOfRows[struct {
		A int             `field:"a"`
		B canonical.Value `field:"b"`
		C []bool          `field:"c"`
	}](
		rows("a: integer", "b?: text or integer or number", "c?: list of true or false"),
		canonical.Absent("b", canonical.Constant("")),
	)
	for text, want := range map[string]string{
		`{"a":1,"b":""}`:                            "",
		`{"a":1,"b":"","c":[true,false]}`:           "",
		`{"a":-9007199254740991,"b":"\u001f\"\\é"}`: "",
		`{"a":1,"b":1.5}`:                           "",
		`{"a":1}`:                                   "not-canonical",
		`{"a":1,"a":1,"b":""}`:                      "not-canonical",
		`{"b":"","a":1}`:                            "not-canonical",
		`{"a":1, "b":""}`:                           "not-canonical",
		`{"a":-0,"b":""}`:                           "not-canonical",
		`{"a":9007199254740992,"b":""}`:             "not-canonical",
		`{"a":1,"b":1.0}`:                           "not-canonical",
		`{"a":1,"b":1e2}`:                           "not-canonical",
		`{"a":1,"b":"\u0041"}`:                      "not-canonical",
		`{"a":1,"b":"\/"}`:                          "not-canonical",
		`{"a":true,"b":`:                            "wrong-fields",
		`{"a":1.0,"b":`:                             "wrong-fields",
		`{"x":`:                                     "wrong-fields",
		`{"b":""}`:                                  "wrong-fields",
		`[]`:                                        "wrong-fields",
		`{"a":1,"b":1e999}`:                         "wrong-fields",
		`{"a":1,"b":"","c":null}`:                   "wrong-fields",
		`{"a":` + strings.Repeat("9", 5000) + `}`:   "wrong-fields",
		``:                             "not-json",
		`{"a":01,"b":""}`:              "not-json",
		`{"a":1,"b":"` + "\xff" + `"}`: "not-json",
		`{"a":1,"b":"\ud800"}`:         "not-json",
		`{"a":1,"b":"` + "\n" + `"}`:   "not-json",
		`{"a":1,"b":""}x`:              "not-json",
		`{"a":1,"b":"",}`:              "not-json",
		`{"a":+1}`:                     "not-json",
		`{"a":1.}`:                     "not-json",
		`{"a":tru}`:                    "not-json",
		"\ufeff{}":                     "not-json",
		strings.Repeat(" ", canonical.MaxBytes) + "1": "too-long",
	} {
		_, err := canonical.ParseCanonical([]byte(text), kind, "it")
		var refusal *verdict.Error
		if errors.As(err, &refusal); (refusal == nil) != (want == "") || refusal != nil && refusal.Reason != want {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
}

// Values that are nested too deep are refused, and none overflows the stack.
func TestDepth(t *testing.T) {
	for depth, fits := range map[int]bool{400: true, 600: false, 1_000_000: false} {
		text := strings.Repeat("[", depth) + strings.Repeat("]", depth)
		if _, err := canonical.Parse([]byte(text), canonical.Anything(), "it"); (err == nil) != fits {
			t.Errorf("%d: %v", depth, err)
		}
	}
}
