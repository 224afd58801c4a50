package shape_test

import (
	"crypto/sha256"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"testing"

	"equiproof/shape"
)

// document is a shape in canonical form: two hidden layers of four and two neurons, 18 + 2 inputs, 32 regions.
const document = `{"architecture":{"bias_bits":[39,57,74],"hidden":[4,2],"logits":1,"plain":18,"sensitive":2,"weight_bits":[24,16,20]},` +
	`"capacity":32,"format":"equiproof-shape","input_bits":18,"input_fraction_bits":10,"radius_bits":29,` +
	`"scheme":"traversal","slices":2,"version":2}`

// A canonical document is read, with the sizes that it states.
func TestParse(t *testing.T) {
	s, err := shape.Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	if s.Neurons() != 6 || s.Capacity != 32 || s.Architecture.Plain != 18 || s.RadiusBits != 29 {
		t.Errorf("%+v", s)
	}
	if layers := s.Layers(); !slices.Equal(layers, [][2]int{{4, 20}, {2, 4}, {1, 2}}) {
		t.Errorf("layers %v", layers)
	}
}

// The digests are the first 31 bytes of SHA-256 over a domain, a zero byte and the canonical document.
func TestDigests(t *testing.T) {
	s, err := shape.Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	architecture := document[len(`{"architecture":`) : strings.Index(document, `}`)+1]
	for domain, pair := range map[string]struct {
		found *big.Int
		text  string
	}{"equiproof.shape.v2": {s.Digest(), document}, "equiproof.architecture.v2": {s.Architecture.Digest(), architecture}} {
		sum := sha256.Sum256([]byte(domain + "\x00" + pair.text))
		if want := new(big.Int).SetBytes(sum[:31]); pair.found.Cmp(want) != 0 {
			t.Errorf("%s: %x, want %x", domain, pair.found, want)
		}
	}
}

// Everything but the canonical form of a shape is refused: other spellings, other orders, unknown, missing and repeated
// fields, wrong types, and extra bytes at the end.
func TestOnlyCanonicalFormsAreRead(t *testing.T) {
	replaced := func(old, with string) string {
		if !strings.Contains(document, old) {
			t.Fatalf("no %s", old)
		}
		return strings.Replace(document, old, with, 1)
	}
	for name, text := range map[string]string{
		"nothing": "", "null": "null", "a list": "[]", "a number": "1", "no JSON": "{", "no fields": "{}",
		"a space":            replaced(`"capacity":32`, `"capacity": 32`),
		"a new line":         document + "\n",
		"bytes behind":       document + "x",
		"twice":              document + document,
		"an unknown field":   replaced(`"capacity":32`, `"capacity":32,"colour":1`),
		"an unknown part":    replaced(`"logits":1`, `"logits":1,"skip":true`),
		"a missing field":    replaced(`"radius_bits":29,`, ``),
		"a repeated field":   replaced(`"capacity":32`, `"capacity":32,"capacity":32`),
		"another order":      replaced(`"slices":2,"version":2`, `"version":2,"slices":2`),
		"capital letters":    replaced(`"capacity"`, `"Capacity"`),
		"a fraction":         replaced(`"capacity":32`, `"capacity":32.0`),
		"an exponent":        replaced(`"capacity":32`, `"capacity":3.2e1`),
		"a leading zero":     replaced(`"capacity":32`, `"capacity":032`),
		"a text":             replaced(`"capacity":32`, `"capacity":"32"`),
		"an escape":          replaced(`"traversal"`, `"tra\u0076ersal"`),
		"too large a number": replaced(`"capacity":32`, `"capacity":36893488147419103232`),
		"no list":            replaced(`[4,2]`, `null`),
		"huge":               strings.Repeat(" ", 1<<16) + document,
	} {
		if _, err := shape.Parse([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), "shape: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Sizes without a circuit are refused, naming the field: zero, negative, huge, and a capacity that is not a power of two.
func TestSizesAreChecked(t *testing.T) {
	for _, refused := range []struct {
		name   string
		change func(s *shape.Shape)
	}{
		{"plain is 0", func(s *shape.Shape) { s.Architecture.Plain = 0 }},
		{"plain is -1", func(s *shape.Shape) { s.Architecture.Plain = -1 }},
		{"plain is 1073741824", func(s *shape.Shape) { s.Architecture.Plain = 1 << 30 }},
		{"sensitive is 0", func(s *shape.Shape) { s.Architecture.Sensitive = 0 }},
		{"sensitive is 1073741824", func(s *shape.Shape) { s.Architecture.Sensitive = 1 << 30 }},
		{"logits is 0", func(s *shape.Shape) { s.Architecture.Logits = 0 }},
		{"logits is 1073741824", func(s *shape.Shape) { s.Architecture.Logits = 1 << 30 }},
		{"weight_bits is 1", func(s *shape.Shape) { s.Architecture.WeightBits[0] = 1 }},
		{"weight_bits is 65", func(s *shape.Shape) { s.Architecture.WeightBits[2] = 65 }},
		{"number of weight_bits is 2", func(s *shape.Shape) { s.Architecture.WeightBits = s.Architecture.WeightBits[:2] }},
		{"bias_bits is 1", func(s *shape.Shape) { s.Architecture.BiasBits[1] = 1 }},
		{"bias_bits is 251", func(s *shape.Shape) { s.Architecture.BiasBits[2] = 251 }},
		{"number of bias_bits is 2", func(s *shape.Shape) { s.Architecture.BiasBits = s.Architecture.BiasBits[:2] }},
		{"number of bias_bits is 4", func(s *shape.Shape) { s.Architecture.BiasBits = append(s.Architecture.BiasBits, 9) }},
		{"number of hidden layers is 0", func(s *shape.Shape) {
			s.Architecture.Hidden, s.Architecture.BiasBits = []int{}, s.Architecture.BiasBits[:1]
		}},
		{"hidden is 0", func(s *shape.Shape) { s.Architecture.Hidden[1] = 0 }},
		{"hidden is -3", func(s *shape.Shape) { s.Architecture.Hidden[1] = -3 }},
		{"hidden is 1000000", func(s *shape.Shape) { s.Architecture.Hidden[0] = 1_000_000 }},
		{"number of neurons is 241", func(s *shape.Shape) { s.Architecture.Hidden[0] = 239 }},
		{"input_bits is 1", func(s *shape.Shape) { s.InputBits = 1 }},
		{"input_bits is 65", func(s *shape.Shape) { s.InputBits = 65 }},
		{"input_fraction_bits is 0", func(s *shape.Shape) { s.InputFractionBits = 0 }},
		{"input_fraction_bits is 25", func(s *shape.Shape) { s.InputFractionBits = 25 }},
		{"radius_bits is 0", func(s *shape.Shape) { s.RadiusBits = 0 }},
		{"radius_bits is 65", func(s *shape.Shape) { s.RadiusBits = 65 }},
		{"slices is 1", func(s *shape.Shape) { s.Slices = 1 }},
		{"slices is 4097", func(s *shape.Shape) { s.Slices = 4097 }},
		{"capacity is 24", func(s *shape.Shape) { s.Capacity = 24 }},
		{"capacity is 1, want 2", func(s *shape.Shape) { s.Capacity = 1 }},
		{"capacity is 32, want 33", func(s *shape.Shape) { s.Slices = 33 }},
		{"capacity is 0", func(s *shape.Shape) { s.Capacity = 0 }},
		{"capacity is -32", func(s *shape.Shape) { s.Capacity = -32 }},
		{"capacity is 131072", func(s *shape.Shape) { s.Capacity = 1 << 17 }},
		{"version 1", func(s *shape.Shape) { s.Version = 1 }},
		{"scheme walk", func(s *shape.Shape) { s.Scheme = "walk" }},
		{"other", func(s *shape.Shape) { s.Format = "other" }},
	} {
		s, err := shape.Parse([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		refused.change(s)
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := shape.Parse(text); err == nil || !strings.Contains(err.Error(), refused.name) {
			t.Errorf("%s: %v", refused.name, err)
		}
	}
}

// Every field is part of the shape's digest, and every field of the architecture part of the architecture's.
func TestDigestsBindEveryField(t *testing.T) {
	digests := map[string]int{}
	changes := []func(s *shape.Shape){
		func(*shape.Shape) {}, func(s *shape.Shape) { s.Architecture.BiasBits[0]++ }, func(s *shape.Shape) { s.Architecture.Hidden[1]++ },
		func(s *shape.Shape) { s.Architecture.Logits++ }, func(s *shape.Shape) { s.Architecture.Plain++ },
		func(s *shape.Shape) { s.Architecture.Sensitive++ }, func(s *shape.Shape) { s.Architecture.WeightBits[1]++ },
		func(s *shape.Shape) { s.Capacity *= 2 }, func(s *shape.Shape) { s.Format += "x" }, func(s *shape.Shape) { s.InputBits++ },
		func(s *shape.Shape) { s.InputFractionBits++ }, func(s *shape.Shape) { s.RadiusBits++ },
		func(s *shape.Shape) { s.Scheme = "branch" }, func(s *shape.Shape) { s.Slices++ }, func(s *shape.Shape) { s.Version++ },
	}
	for _, change := range changes {
		s, err := shape.Parse([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		change(s)
		digests[s.Digest().String()]++
		digests[s.Architecture.Digest().String()]++
		if bits := s.Digest().BitLen(); bits > 248 {
			t.Errorf("a digest of %d bits", bits)
		}
	}
	// 15 shapes, and 7 architectures: the first and the six that are changed.
	if len(digests) != len(changes)+7 {
		t.Errorf("%d digests, want %d", len(digests), len(changes)+7)
	}
}

// Parsing never panics, and a document that is read would be written identically.
func FuzzParse(f *testing.F) {
	f.Add([]byte(document))
	f.Add([]byte(strings.Replace(document, "32", "-32", 1)))
	f.Add([]byte(`{"architecture":null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := shape.Parse(text)
		if err != nil {
			return
		}
		if again, err := json.Marshal(s); err != nil || string(again) != string(text) {
			t.Errorf("%s became %s", text, again)
		}
		if s.Neurons() > 240 || s.Capacity < s.Slices {
			t.Errorf("%+v", s)
		}
	})
}
