package shape_test

import (
	"encoding/json"
	"strings"
	"testing"

	"equiproof/internal/oracle"
	"equiproof/shape"
)

// linkDocument is the shape of links of the document above.
const linkDocument = `{"architecture":{"bias_bits":[39,57,74],"hidden":[4,2],"logits":1,"plain":18,"sensitive":2,` +
	`"weight_bits":[24,16,20]},"format":"equiproof-shape","input_bits":18,"scheme":"link","version":2}`

// A model that is kept is a field of a shape, which its digest binds; all shapes of an architecture and of inputs of a width have one
// shape of links.
func TestKeptShapes(t *testing.T) {
	ordinary, err := shape.Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	kept, err := shape.Parse([]byte(strings.Replace(document, `,"radius_bits"`, `,"model":"kept","radius_bits"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if ordinary.Keeps() || !kept.Keeps() || kept.Digest().Cmp(ordinary.Digest()) == 0 {
		t.Errorf("%v, %v", ordinary.Keeps(), kept.Keeps())
	}
	other := *kept
	other.Capacity, other.Slices, other.Scheme, other.RadiusBits, other.InputFractionBits = 64, 3, shape.Branching, 30, 11
	for _, s := range []*shape.Shape{ordinary, kept, &other} {
		if text, err := json.Marshal(shape.LinkOf(s)); err != nil || string(text) != linkDocument {
			t.Errorf("%s %v", text, err)
		}
	}
}

// Another word than kept is no model, and certificates about boxes open theirs.
func TestKeptModelsThatThereAreNot(t *testing.T) {
	for change, says := range map[[2]string]string{
		{`,"radius_bits"`, `,"model":"open","radius_bits"`}:                                                  "shape: model \"open\" is not known",
		{`,"radius_bits"`, `,"model":"","radius_bits"`}:                                                      "shape: not in canonical form",
		{`"capacity"`, `"model":"kept","capacity"`}:                                                          "shape: not in canonical form",
		{`,"radius_bits":29,"scheme":"traversal"`, `,"model":"kept","radius_bits":29,"scheme":"branch-box"`}: "leave out model, certificates of scheme branch-box open it",
	} {
		if _, err := shape.Parse([]byte(strings.Replace(document, change[0], change[1], 1))); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", change[1], err, says)
		}
	}
}

// Room for passed nodes is a field of ensembles whose model is kept: from one to all nodes. Their links are of other words.
func TestShapesThatVisitNodes(t *testing.T) {
	s := oracle.EnsembleShape(3, 1, [2]int{7, 1}, [2]int{2, 6}, 6, 4, 4)
	s.Model, s.Passed = shape.Kept, 5
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	visiting, err := shape.Parse(text)
	if err != nil || !visiting.Visits() {
		t.Fatalf("%s: %v", text, err)
	}
	s.Passed = 0
	if s.Visits() || visiting.Digest().Cmp(s.Digest()) == 0 || shape.LinkOf(s).Digest().Cmp(shape.LinkOf(visiting).Digest()) == 0 {
		t.Error("room for passed nodes is not in the digests")
	}
	links, err := json.Marshal(shape.LinkOf(visiting))
	if err != nil || !strings.Contains(string(links), `"node_words":true`) {
		t.Errorf("%s: %v", links, err)
	}
	if l, err := shape.ParseLink(links); err != nil || !l.NodeWords {
		t.Errorf("%s: %v", links, err)
	}
	for change, says := range map[[2]string]string{
		{`"passed":5`, `"passed":0`}:                 "not in canonical form",
		{`"passed":5`, `"passed":-1`}:                "passed is -1, want 0 to 6",
		{`"passed":5`, `"passed":7`}:                 "passed is 7, want 0 to 6",
		{`"model":"kept",`, ``}:                      "leave out passed, which is a field of ensembles whose model is kept",
		{`"scheme":"trees"`, `"scheme":"additive"`}:  "leave out passed",
		{`"scheme":"trees"`, `"scheme":"trees-box"`}: "leave out model",
		{`"scheme":"trees"`, `"scheme":"branch"`}:    "leave out passed",
	} {
		if _, err := shape.Parse([]byte(strings.Replace(string(text), change[0], change[1], 1))); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", change[1], err, says)
		}
	}
}

// Shapes of links of networks, of additive models and of ensembles are read, and have digests of their own.
func TestLinkShapes(t *testing.T) {
	sets := oracle.EnsembleShape(6, 1, [2]int{7, 1}, [2]int{2, 6}, 6, 4, 4)
	sets.Architecture.Categories, sets.Architecture.Missing = []shape.Category{{First: 1, High: 1448, Low: 0, Sets: 2, Values: 3}}, true
	seen := map[string]bool{}
	for _, s := range []*shape.Shape{
		oracle.ShapeOf(3, 1, []int{2}, 1, 18, 2, 4), oracle.ShapeOf(3, 1, []int{2}, 1, 17, 2, 4), oracle.AdditiveShape(3, 1, [2]int{7, 1}, 6, 8),
		oracle.EnsembleShape(3, 1, [2]int{7, 1}, [2]int{2, 6}, 6, 4, 4), sets,
	} {
		text, err := json.Marshal(shape.LinkOf(s))
		if err != nil {
			t.Fatal(err)
		}
		l, err := shape.ParseLink(text)
		if err != nil || !shape.IsLink(text) || l.Digest().Cmp(s.Digest()) == 0 {
			t.Errorf("%s: %v", text, err)
			continue
		}
		seen[l.Digest().String()] = true
	}
	if len(seen) != 5 {
		t.Errorf("%d digests of 5 shapes", len(seen))
	}
	if shape.IsLink([]byte(document)) {
		t.Error("a shape of certificates is taken for one of links")
	}
}

// Everything but the canonical form is refused, and sizes without a circuit are, naming the field.
func TestLinkShapesAreChecked(t *testing.T) {
	score, err := json.Marshal(shape.LinkOf(oracle.EnsembleShape(3, 1, [2]int{7, 1}, [2]int{2, 6}, 6, 4, 4)))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ of, old, with, says string }{
		{linkDocument, `"version":2`, `"version":3`, "equiproof-shape version 3, scheme link is not known"},
		{linkDocument, `"scheme":"link"`, `"scheme":"links"`, "scheme links is not known"},
		{linkDocument, `"format":"equiproof-shape"`, `"format":"equiproof-link"`, "equiproof-link version 2"},
		{linkDocument, `"input_bits":18`, `"input_bits":1`, "input_bits is 1, want 2 to 64"},
		{linkDocument, `"input_bits":18`, `"input_bits":18,"radius_bits":29`, "unknown field"},
		{linkDocument, `"input_bits":18`, `"input_bits": 18`, "not in canonical form"},
		{linkDocument, `"plain":18`, `"plain":0`, "plain is 0"}, {linkDocument, `"sensitive":2`, `"sensitive":0`, "sensitive is 0"},
		{linkDocument, `"hidden":[4,2]`, `"hidden":[4,0]`, "hidden is 0"}, {linkDocument, `"hidden":[4,2]`, `"hidden":[4,4096]`, "number of neurons is 4100"},
		{linkDocument, `[24,16,20]`, `[24,16]`, "number of weight_bits is 2"}, {linkDocument, `[24,16,20]`, `[24,16,65]`, "weight_bits is 65"},
		{linkDocument, `[39,57,74]`, `[39,57,251]`, "bias_bits is 251"}, {linkDocument, `"logits":1`, `"logits":0`, "logits is 0"},
		{linkDocument, `"logits":1`, `"logits":1,"missing":true`, "missing and categories are fields of models with predicates"},
		{string(score), `"predicates":[7,1]`, `"predicates":[7]`, "want two numbers of predicates"},
		{string(score), `"predicates":[7,1]`, `"predicates":[0,1]`, "predicates is 0"},
		{string(score), `"nodes":[2,6]`, `"nodes":[7,6]`, "number of trees is 7, want 1 to 6"},
		{string(score), `"nodes":[2,6]`, `"nodes":[2]`, "want two numbers of nodes"},
		{string(score), `"weight_bits":[16]`, `"weight_bits":[15]`, "weight_bits is 15"},
		{string(score), `"scheme"`, `"node_words":false,"scheme"`, "not in canonical form"},
		{linkDocument, `"scheme"`, `"node_words":true,"scheme"`, "leave out node_words, the model has no nodes"},
	} {
		document := strings.Replace(c.of, c.old, c.with, 1)
		if _, err := shape.ParseLink([]byte(document)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.with, err, c.says)
		}
	}
}
