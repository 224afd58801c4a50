package bounded_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"math/big"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/internal/adversary"
)

// cast is the name of the one operation that gives a wire bounds which no constraint of its own proves.
const cast = "UnsafeWithin"

// casts are its uses in circuits, by file. Whoever adds one gives the argument where it stands, and counts it here.
var casts = map[string]int{
	"gadget/additive/centre.go":     2,
	"gadget/additive/falls.go":      2,
	"gadget/additive/leaf.go":       5,
	"gadget/additive/people.go":     7,
	"gadget/additive/predicates.go": 1,
	"gadget/additive/ranges.go":     2,
	"gadget/additive/sets.go":       1,
	"gadget/additive/slots.go":      4,
	"gadget/additive/values.go":     4,
	"gadget/affine/affine.go":       2,
	"gadget/backward/layer.go":      2,
	"gadget/leaf/slices.go":         3,
	"gadget/member/table.go":        1,
	"gadget/ranges/ranges.go":       1,
	"gadget/table/table.go":         1,
	"gadget/trees/leaf.go":          7,
	"gadget/trees/visited.go":       2,
	"subcircuit/ensemble.go":        1,
	"subcircuit/score.go":           1,
}

// forwarding are functions that hand a reason of their callers on, by file, and at which place they take it.
var forwarding = map[string]map[string]int{"subcircuit/score.go": {"held": 1}}

// assumers are the files that type words of kept models, which another circuit has checked: the model reader of their certificates.
var assumers = map[string]int{"gadget/kept/words.go": 3, "gadget/kept/scores.go": 1}

// Nothing but the reader of kept models takes an interval for granted.
func TestAssumersAreCounted(t *testing.T) {
	found := map[string]int{}
	for name, file := range sources(t) {
		if n := len(calls(file, "Assumed")); n > 0 {
			found[name] = n
		}
	}
	if !maps.Equal(found, assumers) {
		t.Errorf("intervals are assumed in %v, want %v", found, assumers)
	}
}

// readers are what in the circuits types words of kept models, by how often a file calls it.
var readers = map[string]map[string]int{
	"relation/keeper.go": {"Signed": 1}, "relation/additive.go": {"Model": 1}, "relation/trees.go": {"Nodes": 1, "Sets": 2},
	"relation/claims.go": {"Split": 1},
}

// The reader of kept models is called where a relation reads its model, and nowhere else.
func TestReadersOfKeptModelsAreCounted(t *testing.T) {
	found := map[string]map[string]int{}
	for name, file := range sources(t) {
		ast.Inspect(file, func(node ast.Node) bool {
			if of, ok := node.(*ast.SelectorExpr); ok {
				if from, ok := of.X.(*ast.Ident); ok && from.Name == "kept" && slices.Contains([]string{"Signed", "Split", "Model", "Nodes", "Sets"}, of.Sel.Name) {
					if found[name] == nil {
						found[name] = map[string]int{}
					}
					found[name][of.Sel.Name]++
				}
			}
			return true
		})
	}
	if !reflect.DeepEqual(found, readers) {
		t.Errorf("words of kept models are read in %v, want %v", found, readers)
	}
}

// sources parses the files of all circuits, by their names from the module's folder.
func sources(t *testing.T) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(name)], err = parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// calls lists the calls of a method in a file.
func calls(file *ast.File, method string) (found []*ast.CallExpr) {
	ast.Inspect(file, func(node ast.Node) bool {
		if call, ok := node.(*ast.CallExpr); ok {
			if callee, ok := call.Fun.(*ast.SelectorExpr); ok && callee.Sel.Name == method {
				found = append(found, call)
			}
		}
		return true
	})
	return found
}

// texts lists the constant texts of a file's functions, by name.
func texts(file *ast.File) map[string]string {
	found := map[string]string{}
	ast.Inspect(file, func(node ast.Node) bool {
		if spec, ok := node.(*ast.ValueSpec); ok {
			for i, name := range spec.Names {
				if i < len(spec.Values) {
					if literal, ok := spec.Values[i].(*ast.BasicLit); ok && literal.Kind == token.STRING {
						found[name.Name], _ = strconv.Unquote(literal.Value)
					}
				}
			}
		}
		return true
	})
	return found
}

// reason returns the text that an argument stands for: a literal, or a constant's name.
func reason(argument ast.Expr, constants map[string]string) string {
	switch argument := argument.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(argument.Value)
		return text
	case *ast.Ident:
		return constants[argument.Name]
	}
	return ""
}

// Each cast is counted in its file, so that a new one is noticed.
func TestCastsAreCounted(t *testing.T) {
	found := map[string]int{}
	for name, file := range sources(t) {
		if n := len(calls(file, cast)); n > 0 {
			found[name] = n
		}
	}
	if !maps.Equal(found, casts) {
		t.Errorf("casts by file are %v, want %v: argue a new one where it stands, and count it", found, casts)
	}
}

// Each cast says in some words why the wire lies in its bounds; where a function hands on what it is given, its callers do.
func TestCastsHaveReasons(t *testing.T) {
	const words = 3
	files := sources(t)
	hands := map[string]int{}
	for name, file := range files {
		constants := texts(file)
		for _, call := range calls(file, cast) {
			if forwarded, ok := call.Args[1].(*ast.Ident); ok && forwarding[name] != nil && constants[forwarded.Name] == "" {
				maps.Copy(hands, forwarding[name])
			} else if text := reason(call.Args[1], constants); len(strings.Fields(text)) < words {
				t.Errorf("%s: a cast for the reason %q", name, text)
			}
		}
	}
	for name, file := range files {
		for method, at := range hands {
			for _, call := range calls(file, method) {
				if text := reason(call.Args[at], texts(file)); len(strings.Fields(text)) < words {
					t.Errorf("%s: %s for the reason %q", name, method, text)
				}
			}
		}
	}
}

// What a wrong cast does: it makes no constraint, and takes away that of who asserts what the bounds say already.
func TestAWrongCastProvesNothing(t *testing.T) {
	define := func(typed func(a *bounded.Arith, wire frontend.Variable) bounded.Int) *adversary.Circuit {
		return adversary.Compile(t, 2, func(a *bounded.Arith, wires []frontend.Variable) {
			a.AssertNonNegative(typed(a, wires[0]))
			a.Unsigned(wires[1], 5)
		})
	}
	checked := define(func(a *bounded.Arith, wire frontend.Variable) bounded.Int { return a.Signed(wire, 5) })
	wrong := define(func(a *bounded.Arith, wire frontend.Variable) bounded.Int {
		return a.UnsafeWithin(wire, "nothing makes it so", a.Constant(0), a.Constant(15))
	})
	for _, value := range []*big.Int{big.NewInt(-1), big.NewInt(16), power(250, 0), fraction(2)} {
		checked.Refuses(t, "checked", value, 1)
		if err := wrong.IsSolved(adversary.Elements(value, 1)); err != nil {
			t.Errorf("a wrong cast holds %v: %v", value, err)
		}
	}
}
