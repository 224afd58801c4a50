// Command mutants rewrites a copy of the circuit's module into one that holds every mutant, each behind a switch (package
// runtime), and lists them.
//
// A mutant is one change that keeps the types right; kinds.go says which there are. No text of the source is taken out:
// an expression x becomes a call that returns x, or with the mutant on something else.
package main

import (
	"embed"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed runtime/mutant.go overlay
var kept embed.FS

// additions go into packages of the copy: text beside the sources, and the switch.
var additions = map[string]string{
	"runtime/mutant.go":         "internal/mutant/mutant.go",
	"overlay/bounded.go.txt":    "gadget/bounded/unchecked.go",
	"overlay/member.go.txt":     "gadget/member/unchecked.go",
	"overlay/relaxation.go.txt": "gadget/relaxation/unchecked.go",
	"overlay/same_test.go.txt":  "internal/same/same_test.go",
}

func main() {
	program := flag.String("go", "go", "the go command")
	folder := flag.String("in", "", "the copy of the module, which is rewritten")
	target := flag.String("list", "", "file for the list of mutants")
	only := flag.Bool("dry", false, "list the mutants and leave the copy as it is")
	flag.Parse()
	mutants, err := rewrite(*program, *folder, *only)
	if err == nil {
		err = written(*target, mutants)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// rewrite puts all mutants into a module, and lists them.
func rewrite(program, folder string, dry bool) ([]Mutant, error) {
	packages, err := list(program, folder, "./gadget/...", "./relation", "./subcircuit")
	if err != nil {
		return nil, err
	}
	var paths []string
	for path := range packages {
		for _, room := range []string{"equiproof/gadget/", "equiproof/relation", "equiproof/subcircuit"} {
			if strings.HasPrefix(path, room) {
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	mutants := []Mutant{}
	for _, path := range paths {
		sources, err := load(folder, packages, path)
		if err != nil {
			return nil, err
		}
		for _, s := range sources {
			p := &plan{source: s, first: len(mutants) + 1}
			p.find()
			mutants = append(mutants, p.mutants...)
			if dry {
				continue
			}
			if err := p.write(); err != nil {
				return nil, err
			}
		}
	}
	if !dry {
		err = add(folder)
	}
	return mutants, err
}

// find plans the mutants of every function that makes constraints.
func (p *plan) find() {
	for _, declaration := range p.file.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if !ok || function.Body == nil || skipped[function.Name.Name] {
			continue
		}
		p.function = function.Name.Name
		v := &visitor{plan: p, fixed: map[ast.Node]bool{}}
		ast.Inspect(function.Body, v.visit)
	}
}

// add writes what the rewritten files call.
func add(folder string) error {
	for from, to := range additions {
		text, err := kept.ReadFile(from)
		if err != nil {
			return err
		}
		path := filepath.Join(folder, filepath.FromSlash(to))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func written(path string, mutants []Mutant) error {
	text, err := json.MarshalIndent(mutants, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o600)
}
