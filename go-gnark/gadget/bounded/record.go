package bounded

import (
	"slices"

	"github.com/consensys/gnark/constraint"
	"github.com/consensys/gnark/frontend"
	"github.com/consensys/gnark/std/lookup/logderivlookup"
	"github.com/consensys/gnark/std/multicommit"
)

// Rest is the part of constraints that no part of a circuit claims.
const Rest = "rest"

// Mark says from which constraint on a circuit works for a part.
type Mark struct {
	Part string
	Row  int
}

// Record says for which parts of a circuit its constraints are. Range checks and lookups end in constraints behind all
// others, so the record keeps who asked for them.
type Record struct {
	Marks  []Mark   // by row; the last one ends the circuit's own constraints
	Wires  int      // how many wires there were by then
	Checks []string // the parts that asked for range checks against the shared table, in order
	Tables []string // the parts that made the lookup tables and argue identities, in order
}

// recorder is the record of a circuit under construction.
type recorder struct {
	system  constraint.ConstraintSystem
	current string
	record  Record
}

// newRecorder starts a record. Outside a compiler, in gnark's test engine, there is no system and the record is empty.
func newRecorder(api frontend.API) *recorder {
	r := &recorder{current: Rest}
	if builder, ok := api.Compiler().(frontend.Builder[constraint.U64]); ok {
		// Early as it is, this returns the very system that the builder goes on adding to.
		if system, err := builder.Compile(); err == nil {
			r.system = system
		}
	}
	r.enter(Rest)
	return r
}

func (r *recorder) enter(part string) {
	r.current = part
	if r.system != nil {
		r.record.Marks = append(r.record.Marks, Mark{part, r.system.GetNbConstraints()})
	}
}

// Part counts the constraints from here on for a part of the circuit, until the returned function is called; inner parts
// take theirs away from outer ones.
func (a *Arith) Part(name string) (leave func()) {
	outer := a.recorder.current
	a.recorder.enter(name)
	return func() { a.recorder.enter(outer) }
}

// Record ends the record of a circuit: nothing but what was deferred may follow.
func (a *Arith) Record() Record {
	a.recorder.enter(Rest)
	found := a.recorder.record
	if a.recorder.system != nil {
		internal, secret, public := a.recorder.system.GetNbVariables()
		found.Wires = internal + secret + public
	}
	found.Marks, found.Checks, found.Tables = slices.Clone(found.Marks), slices.Clone(found.Checks), slices.Clone(found.Tables)
	return found
}

// Table returns a new lookup table. Its entries must be fixed before the first lookup.
func (a *Arith) Table() logderivlookup.Table {
	a.recorder.record.Tables = append(a.recorder.record.Tables, a.recorder.current)
	return logderivlookup.New(a.api)
}

// Argue lets the current part assert identities over a challenge, behind all other constraints. The challenge follows from
// the one commitment of the circuit, which range checks and lookups share, and in which every wire of `committed` is;
// both functions are called once the circuit is complete. No range check and no lookup may follow then.
func (a *Arith) Argue(committed func() []frontend.Variable, assert multicommit.WithCommitmentFn) {
	a.recorder.record.Tables = append(a.recorder.record.Tables, a.recorder.current)
	a.api.Compiler().Defer(func(api frontend.API) error {
		multicommit.WithCommitment(api, assert, committed()...)
		return nil
	})
}

// recordedChecker notes who asks for checks. Those of no or one bit are constraints of their own at once.
type recordedChecker struct {
	frontend.Rangechecker
	recorder *recorder
}

func (c recordedChecker) Check(wire frontend.Variable, bits int) {
	if bits > 1 {
		c.recorder.record.Checks = append(c.recorder.record.Checks, c.recorder.current)
	}
	c.Rangechecker.Check(wire, bits)
}
