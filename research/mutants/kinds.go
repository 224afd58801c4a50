package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"
)

// The kinds of mutants.
const (
	deleted   = "deleted"   // a statement that asserts, or that adds to what is asserted
	unchecked = "unchecked" // a range check, whose wire keeps its bounds
	index     = "index"     // of a slice, row, layer or neuron: the neighbor's
	operand   = "operand"   // of a constraint: 0, its neighbor in the call, or the next values of a list
	width     = "width"     // off by one, in both directions
	loop      = "loop"      // without its last pass
	condition = "condition" // always, never, and one half of a conjunction or disjunction alone
)

// skipped are functions that write no constraint: names for errors, the record of which constraints are for which part,
// and hints, whose results are the prover's choice anyway.
var skipped = map[string]bool{
	"At": true, "Part": true, "Record": true, "record": true, "enter": true, "newRecorder": true, "Widths": true, "Error": true,
	"Catch": true, "multiplicities": true, "init": true,
}

// quiet are functions whose arguments only name a place.
var quiet = map[string]bool{"At": true, "Part": true, "Errorf": true, "panic": true, "make": true, "Join": true}

// checks are methods that a copy has without their constraints, too (folder overlay).
var checks = map[string]bool{
	"Signed": true, "Unsigned": true, "Below": true, "Bit": true, "Positive": true, "Sign": true, "Floor": true, "Parts": true,
	"Same": true, "Claimed": true, "Check": true, "Look": true,
}

// wide is how the names of widths and scales read.
var wide = regexp.MustCompile(`(?i)bits|shift|rounding|coarse|width|scaled|power|\bq\b`)

type visitor struct {
	*plan
	fixed map[ast.Node]bool // statements that cannot stand in a block of their own
}

// visit plans the mutants of one node; ast.Inspect calls it.
func (v *visitor) visit(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.DeferStmt:
		return false
	case *ast.ForStmt:
		v.fixed[n.Init], v.fixed[n.Post] = true, true
	case *ast.IfStmt:
		v.fixed[n.Init] = true
		v.truths(n.Cond)
	case *ast.SwitchStmt:
		v.fixed[n.Init] = true
		if n.Tag == nil {
			v.cases(n)
		}
	case *ast.ExprStmt:
		v.statement(n)
	case *ast.AssignStmt:
		v.assignment(n)
	case *ast.IncDecStmt:
		v.remove(n)
	case *ast.RangeStmt:
		v.loop(n)
	case *ast.BinaryExpr:
		v.halves(n)
	case *ast.IndexExpr:
		v.index(n)
	case *ast.SliceExpr:
		v.cut(n)
	case *ast.CallExpr:
		return v.call(n)
	case *ast.CompositeLit:
		v.literal(n)
	case *ast.Ident:
		v.limit(n)
	}
	return true
}

// remove deletes a statement.
func (v *visitor) remove(statement ast.Stmt) {
	if !v.fixed[statement] {
		v.wrap(statement, deleted, "nothing", "if !mutant.On(%d) { ", " }")
	}
}

// statement deletes calls; not those that only keep books or compute with constants in place; a panic
// goes with its condition.
func (v *visitor) statement(n *ast.ExprStmt) {
	call, ok := n.X.(*ast.CallExpr)
	if !ok {
		return
	}
	name, from := v.callee(call)
	if name == "leave" || name == "record" || name == "panic" || from == "math/big" {
		return
	}
	v.remove(n)
}

// assignment deletes what changes a variable, and puts widths that are assigned off by one.
func (v *visitor) assignment(n *ast.AssignStmt) {
	if n.Tok != token.DEFINE && !v.unused(n) {
		v.remove(n)
	}
	if len(n.Lhs) != len(n.Rhs) {
		return
	}
	for i, right := range n.Rhs {
		if v.integer(right) && wide.MatchString(v.line(n.Lhs[i])) && n.Tok == token.ASSIGN {
			v.offByOne(right)
		}
	}
}

// unused reports whether an assignment only throws away, or keeps books.
func (v *visitor) unused(n *ast.AssignStmt) bool {
	for _, left := range n.Lhs {
		text := v.line(left)
		if text == "leave" || strings.HasSuffix(text, ".widths") || strings.HasSuffix(text, ".record") {
			return true
		}
	}
	return false
}

// truths makes the condition of a branch always or never true; not where it only passes an error on.
func (v *visitor) truths(test ast.Expr) {
	if v.line(test) == "err != nil" {
		return
	}
	for _, truth := range []string{"true", "false"} {
		v.wrap(test, condition, truth, "mutant.Is(%d, ", ", "+truth+")")
	}
}

// cases does so with those of a switch.
func (v *visitor) cases(n *ast.SwitchStmt) {
	for _, clause := range n.Body.List {
		for _, test := range clause.(*ast.CaseClause).List {
			v.truths(test)
		}
	}
}

// halves leaves one half of a conjunction or disjunction.
func (v *visitor) halves(n *ast.BinaryExpr) {
	if n.Op != token.LAND && n.Op != token.LOR {
		return
	}
	neutral := map[token.Token]string{token.LAND: "true", token.LOR: "false"}[n.Op]
	for _, half := range []ast.Expr{n.X, n.Y} {
		v.wrap(half, condition, neutral, "mutant.Is(%d, ", ", "+neutral+")")
	}
}

// loop leaves the last pass out.
func (v *visitor) loop(n *ast.RangeStmt) {
	switch t := v.info.Types[n.X].Type.Underlying().(type) {
	case *types.Slice:
		v.wrap(n.X, loop, "all but its last", "mutant.Short(%d, ", ")")
	case *types.Basic:
		if t.Info()&types.IsInteger != 0 {
			v.wrap(n.X, loop, "one fewer", "mutant.Fewer(%d, ", ")")
		}
	}
}

// index replaces an index by the neighbor's.
func (v *visitor) index(n *ast.IndexExpr) {
	if of := v.info.Types[n.X]; !of.IsValue() || !v.integer(n.Index) {
		return
	}
	switch v.info.Types[n.X].Type.Underlying().(type) {
	case *types.Slice, *types.Array:
		if v.pure(n.X) {
			v.integers(n.Index, index, "its neighbor in "+v.line(n.X), "Next", "len("+v.raw(n.X)+")")
			return
		}
	}
	v.integers(n.Index, index, "one more", "Add", "1")
}

// integers changes a Go integer by a function of package mutant.
func (v *visitor) integers(n ast.Expr, kind, change, function, argument string) {
	basic := types.Default(v.info.Types[n].Type).String()
	v.wrap(n, kind, change, "mutant."+function+"["+basic+"](%d, ", ", "+argument+")")
}

// cut moves the ends of a part of a slice by one.
func (v *visitor) cut(n *ast.SliceExpr) {
	if n.Low != nil {
		v.integers(n.Low, index, "one more", "Add", "1")
	}
	if n.High != nil {
		v.integers(n.High, index, "one less", "Add", "-1")
	}
}

// limit puts a constant width off by one wherever it is used.
func (v *visitor) limit(n *ast.Ident) {
	if c, ok := v.info.Uses[n].(*types.Const); ok && c.Pkg() == v.pkg && wide.MatchString(n.Name) {
		v.offByOne(n)
	}
}

func (v *visitor) offByOne(n ast.Expr) {
	v.integers(n, width, "one more", "Add", "1")
	v.integers(n, width, "one less", "Add", "-1")
}

// integer reports whether an expression is a Go integer.
func (v *visitor) integer(n ast.Expr) bool {
	t, ok := v.info.Types[n].Type, true
	if t == nil {
		return false
	}
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsInteger != 0
}

// pure reports whether an expression is one that can be written twice.
func (v *visitor) pure(n ast.Expr) bool {
	switch n := n.(type) {
	case *ast.Ident, *ast.BasicLit:
		return true
	case *ast.SelectorExpr:
		return v.pure(n.X)
	case *ast.IndexExpr:
		return v.pure(n.X) && v.pure(n.Index)
	case *ast.BinaryExpr:
		return v.pure(n.X) && v.pure(n.Y)
	}
	return false
}
