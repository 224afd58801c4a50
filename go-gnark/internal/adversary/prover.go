// Package adversary plays the cheating prover against compiled constraint systems.
//
// gnark's solver runs honest hints and stops where a hint has no answer, so that a refusal may be the hint's and not the
// circuit's. The prover here takes any inputs, replaces what hints and lookups return, goes on, and reports the rows
// that do not hold. A cheat is refused where rows are left that do not.
package adversary

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/constraint"
	"github.com/consensys/gnark/constraint/solver"

	"equiproof/internal/lint"
)

// Origin says where a wire's value comes from.
type Origin int

// The origins of wires: inputs, hints and lookups are the prover's choice; of the rest a row leaves one choice.
const (
	Input Origin = iota
	Hint
	Lookup
	Inverse
	Solved
)

// Change lets a cheat replace the value of a wire as soon as it is chosen.
type Change func(wire int, origin Origin, value *fr.Element)

// Attempt is what a prover arrives at: values of all wires, and the rows they violate.
type Attempt struct {
	Values   []fr.Element
	Violated []int
}

// Prover solves one compiled system.
type Prover struct {
	System  *lint.System
	Origins []Origin
	Hints   map[int]string // names of the hints behind wires

	steps    []step
	inverses map[fr.Element]fr.Element
	honest   *run // the last one without a change in which every row holds
}

// step is an instruction: a row, a hint or a lookup.
type step struct {
	row      int
	hint     *constraint.HintMapping
	lookup   *constraint.BlueprintLookupHint[constraint.U64]
	calldata []uint32
	outputs  []int
}

// NewProver prepares the attack on a system.
func NewProver(system *lint.System) (*Prover, error) {
	p := &Prover{System: system, Origins: make([]Origin, system.Wires()), Hints: map[int]string{},
		inverses: map[fr.Element]fr.Element{}}
	for wire := system.Public + system.Secret; wire < system.Wires(); wire++ {
		p.Origins[wire] = Solved
	}
	cs := system.Compiled
	rows := 0
	for _, packed := range cs.Instructions {
		instruction := packed.Unpack(&cs.System)
		next := step{row: -1, calldata: instruction.Calldata}
		switch blueprint := cs.Blueprints[packed.BlueprintID].(type) {
		case constraint.BlueprintR1C, constraint.BlueprintSparseR1C:
			next.row = rows
			rows++
		case constraint.BlueprintHint:
			next.hint = new(constraint.HintMapping)
			blueprint.DecompressHint(next.hint, instruction)
			first, end := system.Wire(int(next.hint.OutputRange.Start)), system.Wire(int(next.hint.OutputRange.End))
			for wire := first; wire < end; wire++ {
				next.outputs = append(next.outputs, wire)
				p.Origins[wire] = Hint
				p.Hints[wire] = cs.MHintsDependencies[next.hint.HintID]
			}
		case *constraint.BlueprintLookupHint[constraint.U64]:
			next.lookup = blueprint
			for i := range blueprint.NbOutputs(instruction) {
				next.outputs = append(next.outputs, system.Wire(int(instruction.WireOffset)+i))
				p.Origins[next.outputs[i]] = Lookup
			}
		case *constraint.BlueprintBatchInverse[constraint.U64]:
			// The rows behind it solve for the inverses.
			for i := range blueprint.NbOutputs(instruction) {
				p.Origins[system.Wire(int(instruction.WireOffset)+i)] = Inverse
			}
			continue
		default:
			return nil, fmt.Errorf("adversary: no idea of %T", blueprint)
		}
		p.steps = append(p.steps, next)
	}
	return p, nil
}

// Solve extends inputs (without the constant one) to all wires. change may be nil.
//
// Steps whose wires are all as in the last honest run, of these inputs or of others, end as they did there, and are not
// computed again: most cheats change little.
func (p *Prover) Solve(inputs []fr.Element, change Change) Attempt {
	run := p.begin(inputs, change)
	for i := range p.steps {
		next := &p.steps[i]
		if !run.repeat(i, next) {
			run.take(next)
		}
		run.end(i)
	}
	attempt := Attempt{Values: run.values, Violated: run.violated}
	if change == nil && len(run.violated) == 0 {
		run.before, run.then, run.differs = nil, nil, nil
		p.honest = run
		attempt.Values = slices.Clone(run.values)
	}
	return attempt
}

// begin knows the inputs and nothing else.
func (p *Prover) begin(inputs []fr.Element, change Change) *run {
	r := &run{p: p, random: rand.New(rand.NewPCG(1, 2)), change: change, before: p.honest,
		values: make([]fr.Element, p.System.Wires()), known: make([]bool, p.System.Wires()),
		order: make([]int, 0, p.System.Wires()), ends: make([]int, 0, len(p.steps)+1)}
	if change == nil {
		r.change = func(int, Origin, *fr.Element) {}
	}
	if r.before != nil {
		r.then, r.differs = make([]bool, p.System.Wires()), make([]bool, p.System.Wires())
	}
	r.set(0, fr.One())
	for i, value := range inputs {
		r.choose(i+1, value)
	}
	r.end(-1)
	return r
}

// take is one step of a run.
func (r *run) take(next *step) {
	switch {
	case next.row >= 0:
		r.row(next.row)
	case next.hint != nil:
		r.hint(next)
	default:
		r.lookup(next)
	}
}

// run is one attempt. The wires stand in the order in which they became known, those of each step up to its end: behind the
// inputs, which end first.
type run struct {
	p        *Prover
	random   *rand.Rand
	change   Change
	values   []fr.Element
	known    []bool
	violated []int
	order    []int
	ends     []int

	before  *run   // an honest run, to which this one is compared step by step; nil for none
	then    []bool // what was known there at this step
	differs []bool // the wires whose value, or whether it is known, is another at this step
}

// set gives a wire its value.
func (r *run) set(wire int, value fr.Element) {
	r.values[wire], r.known[wire] = value, true
	r.order = append(r.order, wire)
}

// end notes which wires the last step gave values to, here and in the honest run, and which of them differ.
func (r *run) end(step int) {
	begun := 0
	if step >= 0 {
		begun = r.ends[step]
	}
	r.ends = append(r.ends, len(r.order))
	if r.before == nil {
		return
	}
	there := r.before.of(step)
	for _, wire := range there {
		r.then[wire] = true
	}
	for _, wires := range [][]int{there, r.order[begun:]} {
		for _, wire := range wires {
			r.differs[wire] = r.then[wire] != r.known[wire] || !r.values[wire].Equal(&r.before.values[wire])
		}
	}
}

// of returns the wires that a step gave values to; those of step -1 are the inputs.
func (r *run) of(step int) []int {
	if step < 0 {
		return r.order[:r.ends[0]]
	}
	return r.order[r.ends[step]:r.ends[step+1]]
}

// repeat ends a step as it ended in the honest run, and says whether that is so: none of its wires differs, and nothing
// random is in it. Where a row chose for a lookup, the change is asked anew; lookups are always made.
func (r *run) repeat(number int, next *step) bool {
	if r.before == nil || next.lookup != nil || slices.ContainsFunc(next.outputs, r.is) {
		return false
	}
	there := r.before.of(number)
	if next.row >= 0 {
		row := &r.p.System.Rows[next.row]
		if r.any(row.L) || r.any(row.R) || r.any(row.O) ||
			slices.ContainsFunc(there, func(wire int) bool { return r.p.Origins[wire] == Lookup }) {
			return false
		}
		for _, wire := range there {
			r.set(wire, r.before.values[wire])
		}
		return true
	}
	if Drawn(r.p.Hints[next.outputs[0]]) {
		return false
	}
	for _, expression := range next.hint.Inputs {
		for _, term := range expression {
			if !term.IsConstant() && r.differs[r.p.System.Wire(int(term.VID))] {
				return false
			}
		}
	}
	for _, wire := range next.outputs {
		r.choose(wire, r.before.values[wire])
	}
	return true
}

// Drawn says whether a hint, by its name, is no function of its inputs: a challenge is computed by the prover's and the verifier's hash,
// not by rows, and masks of commitments are random, that of a kept model its owner's.
func Drawn(hint string) bool {
	return strings.HasSuffix(hint, "Placeholder") || strings.HasSuffix(hint, "Randomize") || strings.HasSuffix(hint, "keptMask")
}

// is says whether a wire differs from the honest run's.
func (r *run) is(wire int) bool { return r.differs[wire] }

// any says whether a wire of these terms does.
func (r *run) any(terms []lint.Term) bool {
	for i := range terms {
		if r.differs[terms[i].Wire] {
			return true
		}
	}
	return false
}

// choose sets a wire to the value that the prover wants it to have.
func (r *run) choose(wire int, value fr.Element) {
	r.change(wire, r.p.Origins[wire], &value)
	r.set(wire, value)
}

// row solves a row for its one unknown wire, or checks it. Lookups without an answer get the value that the first row
// with no other unknown wants, or zero.
func (r *run) row(number int) {
	row := r.p.System.Rows[number]
	unknown := r.unknown(row)
	for _, wire := range unknown {
		if len(unknown) > 1 && r.p.Origins[wire] == Lookup {
			r.choose(wire, fr.Element{})
			unknown = slices.DeleteFunc(slices.Clone(unknown), func(w int) bool { return w == wire })
		}
	}
	switch len(unknown) {
	case 0:
	case 1:
		if r.solve(row, unknown[0]) {
			return
		}
	default:
		panic(fmt.Sprintf("adversary: row %d has %d unknown wires", number, len(unknown)))
	}
	if !row.Holds(r.values) {
		r.violated = append(r.violated, number)
	}
}

func (r *run) unknown(row lint.Row) []int {
	var unknown []int
	for _, side := range [][]lint.Term{row.L, row.R, row.O} {
		for _, term := range side {
			if !r.known[term.Wire] && !slices.Contains(unknown, term.Wire) {
				unknown = append(unknown, term.Wire)
			}
		}
	}
	return unknown
}

// solve sets the wire so that the row holds and says whether that can be: (l + a x)(r + b x) = o + c x with a b = 0.
func (r *run) solve(row lint.Row, wire int) bool {
	coefficient := func(terms []lint.Term) fr.Element {
		for _, term := range terms {
			if term.Wire == wire {
				return *term.Coefficient
			}
		}
		return fr.Element{}
	}
	a, b, c := coefficient(row.L), coefficient(row.R), coefficient(row.O)
	left, right, out := lint.Sum(row.L, r.values), lint.Sum(row.R, r.values), lint.Sum(row.O, r.values)
	a.Mul(&a, &right)
	b.Mul(&b, &left)
	a.Add(&a, &b).Sub(&a, &c)
	left.Mul(&left, &right)
	out.Sub(&out, &left)
	inverse := r.p.inverse(a)
	out.Mul(&inverse, &out)
	r.set(wire, out)
	return !a.IsZero()
}

// inverse returns 1/x, or 0 for 0. The same few numbers are asked for in every attempt.
func (p *Prover) inverse(x fr.Element) fr.Element {
	found, ok := p.inverses[x]
	if !ok {
		found.Inverse(&x)
		if len(p.inverses) > 1<<20 {
			clear(p.inverses)
		}
		p.inverses[x] = found
	}
	return found
}

// hint runs a hint; the count of a lookup's answers leaves out what is not in the table, and the challenge is random.
func (r *run) hint(next *step) {
	name := r.p.Hints[next.outputs[0]]
	outputs := make([]*big.Int, len(next.outputs))
	for i := range outputs {
		outputs[i] = new(big.Int)
	}
	if Drawn(name) {
		for i := range outputs {
			outputs[i].SetUint64(r.random.Uint64() | 1)
		}
	} else {
		inputs := make([]*big.Int, len(next.hint.Inputs))
		for i, expression := range next.hint.Inputs {
			inputs[i] = new(big.Int)
			value := r.expression(expression)
			value.BigInt(inputs[i])
		}
		function := solver.GetRegisteredHint(next.hint.HintID)
		if strings.HasSuffix(name, "countHint") {
			function = count
		}
		if err := function(fr.Modulus(), inputs, outputs); err != nil {
			panic(fmt.Sprintf("adversary: %s: %v", name, err))
		}
	}
	for i, wire := range next.outputs {
		var value fr.Element
		value.SetBigInt(outputs[i])
		r.choose(wire, value)
	}
}

func (r *run) expression(terms constraint.LinearExpression) fr.Element {
	var sum fr.Element
	for _, term := range terms {
		coefficient := *r.p.System.Coefficient(term.CID)
		if !term.IsConstant() {
			coefficient.Mul(&coefficient, &r.values[r.p.System.Wire(int(term.VID))])
		}
		sum.Add(&sum, &coefficient)
	}
	return sum
}

// lookup answers from the table; an index outside it stays open for a row to want.
func (r *run) lookup(next *step) {
	entries, at := int(next.calldata[1]), 3
	for _, wire := range next.outputs {
		var index fr.Element
		index, at = r.read(next.calldata, at)
		if index.IsUint64() && index.Uint64() < uint64(entries) {
			offset := 0
			for range index.Uint64() {
				offset += 1 + 2*int(next.lookup.EntriesCalldata[offset])
			}
			entry, _ := r.read(next.lookup.EntriesCalldata, offset)
			r.choose(wire, entry)
			continue
		}
		var value fr.Element
		if r.change(wire, Lookup, &value); !value.IsZero() {
			r.set(wire, value)
		}
	}
}

// read evaluates the expression that stands at an offset of calldata, and returns the offset behind it.
func (r *run) read(calldata []uint32, offset int) (fr.Element, int) {
	length := int(calldata[offset])
	var terms constraint.LinearExpression
	for i := range length {
		terms = append(terms, constraint.Term{CID: calldata[offset+1+2*i], VID: calldata[offset+2+2*i]})
	}
	return r.expression(terms), offset + 1 + 2*length
}

// count is the lookup argument's hint without its refusals: how often each entry of the table is asked for.
func count(_ *big.Int, inputs, outputs []*big.Int) error {
	length, width := int(inputs[0].Int64()), int(inputs[1].Int64())
	key := func(row []*big.Int) string {
		var bytes []byte
		var buffer [fr.Bytes]byte
		for _, cell := range row {
			bytes = append(bytes, cell.FillBytes(buffer[:])...)
		}
		return string(bytes)
	}
	asked := map[string]int64{}
	cells := inputs[2:]
	for at := length * width; at < len(cells); at += width {
		asked[key(cells[at:at+width])]++
	}
	for i := range outputs {
		outputs[i].SetInt64(asked[key(cells[i*width:(i+1)*width])])
	}
	return nil
}
