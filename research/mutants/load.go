package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// listed is what `go list` says of a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// source is a file with the types of its expressions.
type source struct {
	name string // from the module's folder, with slashes
	path string
	text []byte
	file *ast.File
	info *types.Info
	pkg  *types.Package
	set  *token.FileSet
}

// list asks `go list` for the packages of a module's patterns and all that they import, with export data.
func list(program, folder string, patterns ...string) (map[string]listed, error) {
	arguments := append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles"}, patterns...)
	command := exec.Command(program, arguments...)
	command.Dir, command.Stderr = folder, os.Stderr
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	packages := map[string]listed{}
	for decoder := json.NewDecoder(bytes.NewReader(output)); ; {
		var found listed
		switch err := decoder.Decode(&found); {
		case errors.Is(err, io.EOF):
			return packages, nil
		case err != nil:
			return nil, err
		}
		packages[found.ImportPath] = found
	}
}

// load reads the files of a package.
func load(folder string, packages map[string]listed, path string) ([]*source, error) {
	set := token.NewFileSet()
	lookup := func(path string) (io.ReadCloser, error) { return os.Open(packages[path].Export) }
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
	}
	var sources []*source
	var files []*ast.File
	for _, name := range packages[path].GoFiles {
		full := filepath.Join(packages[path].Dir, name)
		text, err := os.ReadFile(full)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(set, full, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		short, err := filepath.Rel(folder, full)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
		sources = append(sources, &source{name: filepath.ToSlash(short), path: full, text: text, file: file, info: info, set: set})
	}
	config := types.Config{Importer: importer.ForCompiler(set, "gc", lookup)}
	checked, err := config.Check(path, set, files, info)
	if err != nil {
		return nil, err
	}
	for _, s := range sources {
		s.pkg = checked
	}
	return sources, nil
}
