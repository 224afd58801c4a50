package tables

import (
	"encoding/json"
	"errors"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// roots are the folders of the Go modules.
var roots = []string{filepath.Join("..", ".."), filepath.Join("..", "..", "..", "go-log")}

// sayings are the functions that fill in a sentence.
var sayings = []string{"Say", "Written", "Named"}

// sentences are those that a function fills in, as they are in English.
func sentences(function string) map[string]sentence {
	if function == "Written" {
		return known.written
	}
	return known.messages[Languages[0]]
}

// says are the mistakes in the calls of such functions in one file.
func says(file *ast.File) (mistakes map[token.Pos]string) {
	mistakes = map[token.Pos]string{}
	name := "tables"
	for _, one := range file.Imports {
		if path, _ := strconv.Unquote(one.Path.Value); path == "equiproof/verify/tables" && one.Name != nil {
			name = one.Name.Name
		}
	}
	if name == "." || name == "_" {
		mistakes[file.Package] = "package tables is imported without its name"
	}
	isSay := func(node ast.Node) bool {
		found, selects := node.(*ast.SelectorExpr)
		if !selects || !slices.Contains(sayings, found.Sel.Name) {
			return false
		}
		from, plain := found.X.(*ast.Ident)
		return plain && from.Name == name
	}
	called := map[ast.Node]bool{}
	ast.Inspect(file, func(node ast.Node) bool {
		call, is := node.(*ast.CallExpr)
		if is && isSay(call.Fun) {
			called[call.Fun] = true
			if mistake := judge(call); mistake != "" {
				mistakes[call.Pos()] = mistake
			}
		}
		if isSay(node) && !called[node] {
			mistakes[node.Pos()] = "it is not called here, so nothing holds its ids against the table"
		}
		return true
	})
	return mistakes
}

// judge returns what is wrong with a call, "" for nothing.
func judge(call *ast.CallExpr) string {
	if len(call.Args) == 0 || call.Ellipsis.IsValid() {
		return "the values of Say are not written one by one"
	}
	literal, is := call.Args[0].(*ast.BasicLit)
	if !is || literal.Kind != token.STRING {
		return "the id is no literal"
	}
	id, err := strconv.Unquote(literal.Value)
	if err != nil {
		return err.Error()
	}
	function := call.Fun.(*ast.SelectorExpr).Sel.Name
	said, there := sentences(function)[id]
	if !there {
		return "the table of " + function + " lacks " + id
	}
	if given := len(call.Args) - 1; given != said.places() {
		return id + " takes " + strconv.Itoa(said.places()) + " values, not " + strconv.Itoa(given)
	}
	return ""
}

// walk calls for each source of a module.
func walk(t *testing.T, root string, call func(sources *token.FileSet, path string, file *ast.File)) {
	t.Helper()
	read := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		sources := token.NewFileSet()
		file, err := parser.ParseFile(sources, path, nil, parser.SkipObjectResolution)
		if err == nil {
			read++
			call(sources, path, file)
		}
		return err
	})
	if err != nil || read < 10 {
		t.Errorf("%s: %d files, %v", root, read, err)
	}
}

// Every call of Say, Written and Named in the Go modules names a sentence of the table and gives it as many values as it takes.
func TestCalls(t *testing.T) {
	for _, root := range roots {
		walk(t, root, func(sources *token.FileSet, _ string, file *ast.File) {
			for at, mistake := range says(file) {
				t.Errorf("%s: %s", sources.Position(at), mistake)
			}
		})
	}
}

var update = flag.Bool("update", false, "write which value each place of a sentence gets")

// englishTexts are all sentences by their ids, as they are in English.
func englishTexts(t *testing.T, from fs.FS) map[string]string {
	t.Helper()
	texts, languages := map[string]string{}, map[string]map[string]string{}
	err := errors.Join(read(from, "written.json", &texts), read(from, "messages.json", &languages))
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(texts, languages[Languages[0]])
	return texts
}

// filledIn are the places of a sentence with what a call gives them, in the order of their names.
func filledIn(call *ast.CallExpr, text string) string {
	var made []string
	for at, place := range placeholder.FindAllStringSubmatch(text, -1) {
		made = append(made, place[1]+": "+types.ExprString(call.Args[at+1]))
	}
	slices.Sort(made)
	return strings.Join(made, ", ")
}

// Values go by their order, so each call of a sentence of several places is listed with the value of each place by name: one
// whose values change their order is another, and so is each call of a sentence whose places do. Read what -update changes.
func TestOrderOfValues(t *testing.T) {
	texts, found := englishTexts(t, files), map[string][]string{}
	for _, root := range roots {
		walk(t, root, func(_ *token.FileSet, path string, file *ast.File) {
			if strings.HasSuffix(path, "_test.go") {
				return
			}
			ast.Inspect(file, func(node ast.Node) bool {
				call, is := node.(*ast.CallExpr)
				if !is || len(call.Args) < 3 {
					return true
				}
				function := types.ExprString(call.Fun)
				if function != "tables.Say" && function != "tables.Written" || judge(call) != "" {
					return true
				}
				id, _ := strconv.Unquote(call.Args[0].(*ast.BasicLit).Value)
				found[id] = append(found[id], filledIn(call, texts[id]))
				return true
			})
		})
	}
	for id := range found {
		slices.Sort(found[id])
		found[id] = slices.Compact(found[id])
	}
	list := filepath.Join("testdata", "calls.json")
	if *update {
		data, err := json.MarshalIndent(found, "", "  ")
		if err == nil {
			err = os.WriteFile(list, append(data, '\n'), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	wanted := map[string][]string{}
	if err := json.Unmarshal(data, &wanted); err != nil {
		t.Fatal(err)
	}
	both := maps.Clone(wanted)
	maps.Copy(both, found)
	for _, id := range slices.Sorted(maps.Keys(both)) {
		if !slices.Equal(found[id], wanted[id]) {
			t.Errorf("%s: %q, want %q", id, found[id], wanted[id])
		}
	}
	if len(found) < 100 {
		t.Errorf("%d sentences", len(found))
	}
}

// The walk finds calls, and each mistake in one.
func TestMistakes(t *testing.T) {
	english := known.messages[Languages[0]]
	english["test.sentence"] = sentence{[]string{"", " and ", ""}, []int{0, 1}}
	defer delete(english, "test.sentence")
	for source, want := range map[string]string{
		`tables.Say("test.sentence", 1, 2)`:                       "",
		`tables.Say("test.sentence", 1)`:                          "takes 2 values, not 1",
		`tables.Say("test.sentence", 1, 2, 3)`:                    "takes 2 values, not 3",
		`tables.Say("test.other")`:                                "lacks test.other",
		`tables.Say("test." + "sentence", 1, 2)`:                  "no literal",
		`tables.Say("test.sentence", all...)`:                     "one by one",
		`tables.Say()`:                                            "one by one",
		`tables.Written("test.sentence", 1, 2)`:                   "lacks test.sentence",
		`tables.Written("value.this_only")`:                       "",
		`each(tables.Say)`:                                        "not called",
		`print(tables.Say("test.sentence", tables.Say("no"), 2))`: "lacks no",
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package a\nimport \"equiproof/verify/tables\"\nfunc b() {"+source+"}", 0)
		if err != nil {
			t.Fatal(err)
		}
		mistakes := says(file)
		said := ""
		for _, one := range mistakes {
			said = one
		}
		if (said == "") != (want == "") || !strings.Contains(said, want) {
			t.Errorf("%s: %q, want %q", source, said, want)
		}
	}
}
