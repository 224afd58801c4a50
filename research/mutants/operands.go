package main

import (
	"go/ast"
	"go/types"
	"strings"
)

// call plans the mutants of a call's arguments; false where nothing inside is to be changed.
func (v *visitor) call(n *ast.CallExpr) bool {
	name, from := v.callee(n)
	if quiet[name] || from == "slices" || from == "reflect" {
		return false
	}
	fun := v.info.Types[n.Fun]
	switch {
	case fun.IsType():
		if name == "uint" && v.info.Types[n].Value == nil {
			v.offByOne(n.Args[0])
		}
	case fun.IsBuiltin():
		if name == "append" {
			v.appended(n)
		}
	case name == "Sprintf":
		for _, argument := range n.Args[1:] {
			if v.integer(argument) {
				v.integers(argument, index, "one more", "Add", "1")
			}
		}
	case strings.HasPrefix(from, "equiproof") || strings.HasPrefix(from, "github.com/consensys"):
		v.check(n, name)
		v.arguments(n, name, fun.Type.Underlying().(*types.Signature))
	}
	return true
}

// callee returns the name of what is called, and the package that it is from.
func (v *visitor) callee(n *ast.CallExpr) (name, from string) {
	var id *ast.Ident
	switch fun := ast.Unparen(n.Fun).(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr:
		id = fun.Sel
	default:
		return "", ""
	}
	if object := v.info.Uses[id]; object != nil && object.Pkg() != nil {
		from = object.Pkg().Path()
	}
	return id.Name, from
}

// check takes a range check away that returns what it has checked.
func (v *visitor) check(n *ast.CallExpr, name string) {
	signature := v.info.Types[n.Fun].Type.Underlying().(*types.Signature)
	if !checks[name] || signature.Results().Len() == 0 {
		return
	}
	fun, method := n.Fun.(*ast.SelectorExpr)
	if method && v.info.Types[fun.X].IsValue() {
		v.wrap(n.Fun, unchecked, v.line(n.Fun)+" that checks nothing", "mutant.Func(%d, ", ", "+v.raw(n.Fun)+"Unchecked)")
	}
}

// appended plans the mutants of what is added to a list.
func (v *visitor) appended(n *ast.CallExpr) {
	list := v.info.Types[n].Type.Underlying().(*types.Slice)
	for i, argument := range n.Args[1:] {
		t := list.Elem()
		if n.Ellipsis.IsValid() {
			t = list
			v.spread(argument)
			continue
		}
		v.operand(argument, t, n.Args[1:], i, nil)
	}
}

// spread leaves the last of several values out.
func (v *visitor) spread(argument ast.Expr) {
	if _, ok := v.info.Types[argument].Type.Underlying().(*types.Slice); ok {
		v.wrap(argument, operand, "all but its last", "mutant.Short(%d, ", ")")
	}
}

// matters returns how many arguments of a function have a value that matters: of the others only bounds do.
func matters(name string) int {
	switch name {
	case "UnsafeWithin", "Widen":
		return 1
	case "Limits", "Demand", "Within", "Hull":
		return 0
	}
	return 1 << 10
}

// arguments plans the mutants of a call's arguments.
func (v *visitor) arguments(n *ast.CallExpr, name string, signature *types.Signature) {
	if signature.Params().Len() == 0 {
		return
	}
	if _, several := v.info.Types[n.Args[0]].Type.(*types.Tuple); several {
		return
	}
	kinds := make([]types.Type, len(n.Args))
	names := make([]string, len(n.Args))
	for i := range n.Args {
		at := min(i, signature.Params().Len()-1)
		kinds[i], names[i] = signature.Params().At(at).Type(), signature.Params().At(at).Name()
		if signature.Variadic() && at == signature.Params().Len()-1 && !n.Ellipsis.IsValid() {
			kinds[i] = kinds[i].(*types.Slice).Elem()
		}
	}
	for i, argument := range n.Args[:min(len(n.Args), matters(name))] {
		if n.Ellipsis.IsValid() && i == len(n.Args)-1 {
			v.spread(argument)
			continue
		}
		if v.integer(argument) && !circuitType(kinds[i]) {
			v.number(argument, names[i])
			continue
		}
		v.operand(argument, kinds[i], n.Args, i, kinds)
	}
}

// number plans the mutants of an integer of Go: a width, or else an index.
func (v *visitor) number(argument ast.Expr, name string) {
	if wide.MatchString(v.line(argument)) || wide.MatchString(name) {
		v.offByOne(argument)
		return
	}
	v.integers(argument, index, "one more", "Add", "1")
}

// circuitType reports whether values of a type are wires or typed integers of the circuit.
func circuitType(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return false
	}
	path, name := named.Obj().Pkg().Path(), named.Obj().Name()
	return path == "github.com/consensys/gnark/frontend" && name == "Variable" || bounded(named)
}

// bounded reports whether a type is bounded.Int.
func bounded(named *types.Named) bool {
	return named.Obj().Name() == "Int" && named.Obj().Pkg().Path() == "equiproof/gadget/bounded"
}

// operand replaces an argument by 0, a list by its neighbors', and anything else by the next argument of its type.
func (v *visitor) operand(argument ast.Expr, t types.Type, all []ast.Expr, at int, kinds []types.Type) {
	text := v.line(argument)
	named, _ := types.Unalias(t).(*types.Named)
	_, list := t.Underlying().(*types.Slice)
	switch {
	case text == "nil" || text == "a" || strings.HasSuffix(text, "Constant(0)") || text == "0":
	case named != nil && circuitType(t) && bounded(named):
		zeroed := v.spelled(named, argument.Pos())
		if zeroed != "" {
			v.wrap(argument, operand, "0", "mutant.Map(%d, ", ", "+strings.TrimSuffix(zeroed, "Int")+"Zeroed)")
		}
	case circuitType(t):
		v.wrap(argument, operand, "0", "mutant.Zero(%d, ", ")")
	case t.String() == "*math/big.Int":
		v.wrap(argument, operand, "one more", "mutant.More(%d, ", ")")
	case list && !v.isText(t):
		v.wrap(argument, operand, "its neighbors in order", "mutant.Rotated(%d, ", ")")
	default:
		v.sibling(argument, t, all, at, kinds)
	}
}

// isText reports whether a list is one of characters or names.
func (v *visitor) isText(t types.Type) bool {
	element, ok := t.Underlying().(*types.Slice).Elem().Underlying().(*types.Basic)
	return ok && element.Kind() != types.Invalid
}

// sibling replaces an argument by the next one of the same type in the call.
func (v *visitor) sibling(argument ast.Expr, t types.Type, all []ast.Expr, at int, kinds []types.Type) {
	if _, basic := t.Underlying().(*types.Basic); basic {
		return
	}
	for step := 1; step < len(all); step++ {
		next := (at + step) % len(all)
		same := kinds == nil || types.Identical(kinds[next], t)
		if !same || v.line(all[next]) == v.line(argument) || v.line(all[next]) == "nil" {
			continue
		}
		spelled := v.spelled(t, argument.Pos())
		if spelled == "" {
			return
		}
		value := "mutant.Pick[" + spelled + "](%d, "
		v.wrap(argument, operand, v.line(all[next]), value, ", func() "+spelled+" { return "+v.raw(all[next])+" })")
		return
	}
}

// literal plans the mutants of the fields of a value.
func (v *visitor) literal(n *ast.CompositeLit) {
	fields, ok := v.info.Types[n].Type.Underlying().(*types.Struct)
	if !ok {
		if list, ok := v.info.Types[n].Type.Underlying().(*types.Slice); ok {
			for i, element := range n.Elts {
				if circuitType(list.Elem()) {
					v.operand(element, list.Elem(), n.Elts, i, nil)
				}
			}
		}
		return
	}
	var values []ast.Expr
	var kinds []types.Type
	for i, element := range n.Elts {
		field, value := fields.Field(i), element
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			name := pair.Key.(*ast.Ident).Name
			for j := range fields.NumFields() {
				if fields.Field(j).Name() == name {
					field, value = fields.Field(j), pair.Value
				}
			}
		}
		values, kinds = append(values, value), append(kinds, field.Type())
	}
	for i, value := range values {
		if v.integer(value) && !circuitType(kinds[i]) {
			v.number(value, "")
		} else if !v.integer(value) || circuitType(kinds[i]) {
			v.operand(value, kinds[i], values, i, kinds)
		}
	}
}
