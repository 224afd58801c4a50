package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strings"
)

// Mutant is one change of the circuit.
type Mutant struct {
	ID       int    `json:"id"`
	File     string `json:"file"`
	Function string `json:"function"`
	Kind     string `json:"kind"`
	Line     int    `json:"line"`
	Place    string `json:"place"`  // the line of the source
	Change   string `json:"change"` // what becomes of what
}

// insertion is text that goes before or behind a node; the source itself stays as it is.
type insertion struct {
	at     int
	behind bool
	length int // of the node
	order  int
	text   string
}

// plan collects the mutants of one file.
type plan struct {
	*source
	function   string
	mutants    []Mutant
	insertions []insertion
	first      int // number of the first mutant
}

// offset is where a position stands in the file.
func (p *plan) offset(at token.Pos) int { return p.set.Position(at).Offset }

// line returns the source of a node on one line.
func (p *plan) line(node ast.Node) string {
	return strings.Join(strings.Fields(p.raw(node)), " ")
}

// raw returns the source of a node.
func (p *plan) raw(node ast.Node) string {
	return string(p.text[p.offset(node.Pos()):p.offset(node.End())])
}

// wrap adds a mutant: text before a node, holding its number as %d, and text behind it.
func (p *plan) wrap(node ast.Node, kind, change, before, behind string) {
	id := p.first + len(p.mutants)
	position := p.set.Position(node.Pos())
	start := bytes.LastIndexByte(p.text[:position.Offset], '\n') + 1
	end := start + bytes.IndexByte(p.text[start:], '\n')
	p.mutants = append(p.mutants, Mutant{
		ID: id, File: p.name, Function: p.function, Kind: kind, Line: position.Line,
		Place: strings.TrimSpace(string(p.text[start:end])), Change: p.line(node) + " becomes " + change,
	})
	length, order := p.offset(node.End())-position.Offset, len(p.insertions)
	p.insertions = append(p.insertions,
		insertion{position.Offset, false, length, order, fmt.Sprintf(before, id)},
		insertion{p.offset(node.End()), true, length, order, behind})
}

// compare orders insertions: what ends, ends before something else begins; of what begins at one place the longest is
// first, of what ends there the shortest; of one node, what was added later is inside.
func compare(x, y insertion) int {
	switch {
	case x.at != y.at:
		return x.at - y.at
	case x.behind != y.behind:
		if x.behind {
			return -1
		}
		return 1
	case x.behind && x.length != y.length:
		return x.length - y.length
	case x.behind:
		return y.order - x.order
	case x.length != y.length:
		return y.length - x.length
	}
	return x.order - y.order
}

// write puts the file with all its mutants in place of the file.
func (p *plan) write() error {
	if len(p.mutants) == 0 {
		return nil
	}
	name := p.offset(p.file.Name.End())
	all := append(p.insertions, insertion{at: name, behind: true, text: "; import \"equiproof/internal/mutant\""})
	slices.SortStableFunc(all, compare)
	var text bytes.Buffer
	from := 0
	for _, one := range all {
		text.Write(p.text[from:one.at])
		text.WriteString(one.text)
		from = one.at
	}
	text.Write(p.text[from:])
	return os.WriteFile(p.path, text.Bytes(), 0o600)
}

// spelled returns how a type is written at a place, or nothing where it cannot be.
func (p *plan) spelled(t types.Type, at token.Pos) string {
	possible := true
	text := types.TypeString(t, func(other *types.Package) string {
		if other == p.pkg {
			return ""
		}
		_, found := p.pkg.Scope().Innermost(at).LookupParent(other.Name(), at)
		name, ok := found.(*types.PkgName)
		possible = possible && ok && name.Imported() == other
		return other.Name()
	})
	if !possible {
		return ""
	}
	return text
}
