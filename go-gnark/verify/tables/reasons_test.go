package tables

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Each reason is shown as its row says, and one without a sentence as its class is. Of reasons that the table lacks, only that
// of a policy may leave a certificate valid.
func TestShown(t *testing.T) {
	for _, one := range []struct {
		reason            string
		class             Class
		sentence, outcome string
	}{
		{"not-json", Format, "file", NotACertificate},
		{"model-differs", Proof, "model", NotValid},
		{"too-old", Policy, "context", NotEnough},
		{"unknown-values", Proof, "proof", NotValid},
		{"gain-too-large", Proof, "proof", NotValid},
		{"gain-too-small", Policy, "policy", NotEnough},
		{"gain-too-large", Policy, "proof", NotValid},
		{"reason-of-another-policy", Policy, "policy", NotEnough},
		{"reason-of-nobody", Proof, "proof", NotValid},
		{"reason-of-nobody", Key, "proof", NotValid},
		{"reason-of-nobody", Format, "damaged", NotValid},
		{"reason-of-nobody", Export, "parts", NotValid},
		{"reason-of-nobody", Package, "parts", NotValid},
		{"reason-of-nobody", Stamp, "parts", NotValid},
		{"reason-of-nobody", "", "proof", NotValid},
		{"reason-of-nobody", "other", "proof", NotValid},
		{"", "", "proof", NotValid},
	} {
		if sentence, outcome := Shown(one.reason, one.class); sentence != one.sentence || outcome != one.outcome {
			t.Errorf("%s of %s: %s, %s, want %s, %s", one.reason, one.class, sentence, outcome, one.sentence, one.outcome)
		}
	}
	for reason := range known.reasons.Reasons {
		if _, outcome := Shown(reason, ""); outcome == "" {
			t.Errorf("%s has no outcome", reason)
		}
	}
}

func TestExitCodes(t *testing.T) {
	for class, want := range map[Class]int{Format: 2, Key: 1, Proof: 1, Policy: 1, Export: 1, Package: 1, Stamp: 1} {
		if code := ExitCode(class); code != want {
			t.Errorf("%s: %d, want %d", class, code, want)
		}
	}
}

// givers are own functions that make an error of the reason that is their first value, by folder. verdict.New takes it second.
var givers = map[string]string{"policy": "refused", "verify": "refuse", "bundle": "wrong"}

// The reasons of an audit by lot are none of a verification.
var ofLots = []string{"answer-refused", "lot-refused"}

// Every reason that the sources give is one of the table.
func TestReasons(t *testing.T) {
	given := 0
	reason := func(sources *token.FileSet, value ast.Expr) {
		literal, is := value.(*ast.BasicLit)
		if !is || literal.Kind != token.STRING {
			return
		}
		given++
		name, err := strconv.Unquote(literal.Value)
		if _, there := known.reasons.Reasons[name]; err != nil || !there && !slices.Contains(ofLots, name) {
			t.Errorf("%s: reasons.json lacks %s", sources.Position(value.Pos()), literal.Value)
		}
	}
	walk(t, roots[0], func(sources *token.FileSet, path string, file *ast.File) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		ast.Inspect(file, func(node ast.Node) bool {
			switch found := node.(type) {
			case *ast.ValueSpec: // of package check
				if named, is := found.Type.(*ast.Ident); is && named.Name == "Reason" && file.Name.Name == "check" {
					reason(sources, found.Values[0])
				}
			case *ast.CallExpr:
				switch made := found.Fun.(type) {
				case *ast.SelectorExpr:
					if from, is := made.X.(*ast.Ident); is && from.Name == "verdict" && made.Sel.Name == "New" {
						reason(sources, found.Args[1])
					}
				case *ast.Ident:
					if made.Name == givers[file.Name.Name] {
						reason(sources, found.Args[0])
					}
				}
			}
			return true
		})
	})
	if given < 100 {
		t.Errorf("%d reasons", given)
	}
}
