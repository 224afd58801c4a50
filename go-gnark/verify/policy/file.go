package policy

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/tables"
	"equiproof/verify/verdict"
)

const (
	policyMark = "equiproof-policy"
	maxDepth   = 8 // of any_of in any_of
)

// policyFile is a policy file. Everything in Requires is required; docs/policies.md explains each field.
type policyFile struct {
	document.Mark
	Requires *canonical.Object `field:"requires"`
}

// signersInFile is who must have signed that a key's transcript was checked, and how many of them.
type signersInFile struct {
	Keys  []string `field:"keys"`
	Least *big.Int `field:"least"`
}

// logInFile is what is required of a log that holds the commitment.
type logInFile struct {
	Key       string   `field:"key"`
	Witnesses []string `field:"witnesses"`
	Least     *big.Int `field:"least"`
	Smallest  *big.Int `field:"smallest_tree"`
	MaxDays   *big.Int `field:"max_days"`
	Owner     *string  `field:"owner"`
}

var (
	signersTable = canonical.TableOf[signersInFile]("SignersRequirement")
	logTable     = canonical.TableOf[logInFile]("LogRequirement")
)

// spelling is what a policy file means by values of a kind, in a field that may be absent.
type spelling struct {
	// value is what a field requires, nil for nothing.
	value func(own Own, read canonical.Value) any
	// missing says what the verifier lacks, "" for nothing.
	missing func(own Own) string
	// void is what is said of a field that stands there and requires nothing.
	void string
}

// spellings are those of each kind. One that says nothing of missing needs nothing from the verifier.
var spellings = map[string]spelling{
	"query": {
		value:   func(own Own, _ canonical.Value) any { return own.Query },
		missing: lacks(func(own Own) bool { return own.Query == nil }, tables.Say("policy.query_missing")),
	},
	"context": {
		value:   func(own Own, _ canonical.Value) any { return own.Context },
		missing: lacks(func(own Own) bool { return own.Context == nil }, tables.Say("policy.context_missing")),
	},
	"texts": {value: func(own Own, read canonical.Value) any {
		if read.(*canonical.Object).Len() == 0 {
			return nil
		}
		return ContextHas{own.Context, read.(*canonical.Object)}
	}},
	"days": {value: func(own Own, read canonical.Value) any {
		return NotOlderThan{own.Context, read.(*big.Int), own.Today}
	}},
	"decimal":      {value: asRead},
	"digits":       {value: asRead},
	"flag":         {value: asRead},
	"setup":        {value: asRead},
	"proof_system": {value: asRead},
	"ranges": {
		value: func(_ Own, read canonical.Value) any {
			var ranges []Range
			for _, name := range read.(*canonical.Object).Names() {
				ends := read.(*canonical.Object).Texts(name)
				ranges = append(ranges, Range{name, ends[0], ends[1]})
			}
			return ranges
		},
		void: tables.Say("policy.ranges_empty"),
	},
	"names": {value: func(_ Own, read canonical.Value) any {
		names := make([]string, 0, len(read.([]canonical.Value)))
		for _, name := range read.([]canonical.Value) {
			names = append(names, name.(string))
		}
		return names
	}},
	"signers": {value: func(_ Own, read canonical.Value) any {
		signers := signersTable.Fields(read)
		return &Signers{signers.Keys, signers.Least}
	}},
	"log": {
		value: func(own Own, read canonical.Value) any {
			log := logTable.Fields(read)
			return &LogTerms{Key: log.Key, Witnesses: log.Witnesses, Least: log.Least, Smallest: log.Smallest,
				MaxDays: log.MaxDays, Owner: log.Owner, Proof: own.LogProof, Now: own.Now}
		},
		missing: lacks(func(own Own) bool { return own.LogProof == nil }, tables.Say("policy.log_proof_missing")),
	},
	"policies": {}, // policies of their own: alternatives
}

func asRead(_ Own, read canonical.Value) any { return read }

func lacks(missing func(own Own) bool, said string) func(own Own) string {
	return func(own Own) string {
		if missing(own) {
			return said
		}
		return ""
	}
}

// fileTable is the table of a policy file with the fields of the rows.
func (c *catalogue) fileTable() canonical.Table[policyFile] {
	all := canonical.Recursive(func(self canonical.Kind) canonical.Kind { return canonical.Document(c.fields(self, "")...) })
	return canonical.TableOf[policyFile](policyMark, canonical.As("requires", all))
}

// fields are those of requirements (self), or of the parts of a field, whose names begin with its own and a dot.
func (c *catalogue) fields(self canonical.Kind, of string) (fields []canonical.Field) {
	for _, row := range c.rows {
		name, within := strings.CutPrefix(row.Field, of)
		if within && name != "" && !strings.Contains(name, ".") {
			parts := map[string]canonical.Kind{
				"Requirements": self, "ContextRequirement": canonical.Document(c.fields(self, row.Field+".")...),
				"SignersRequirement": signersTable, "LogRequirement": logTable,
			}
			fields = append(fields, canonical.Optional(name, canonical.KindOf(tables.ValueType(row.Kind), parts)))
		}
	}
	return fields
}

// in returns what a row's field requires in an object, nil for nothing.
func in(object *canonical.Object, row tables.PolicyRow) canonical.Value {
	name, rest, within := strings.Cut(row.Field, ".")
	if within {
		if object = object.Object(name); object == nil {
			return nil
		}
		name = rest
	}
	value := object.Get(name)
	if listed, _ := value.([]canonical.Value); row.Kind == "policies" && len(listed) == 0 {
		return nil
	}
	return required(value)
}

// Own is what the verifier has beside the policy: the applicant's query, the context, the log proof, and the time.
type Own struct {
	Query   *document.Query
	Context *document.Context
	Today   time.Time // midnight, UTC
	// LogProof is nil where none can be given, and empty where none came with the certificate.
	LogProof []byte
	Now      int64 // POSIX seconds
}

// ReadFile reads a policy file, in any spelling of JSON, and returns the policy for what the verifier has: what somebody
// demands of every certificate, written once. One that requires nothing gives Nothing. `where` and the field are named in
// errors, also where it requires a query or a context that the verifier does not have. Twin of verifier/policy_file.py.
func ReadFile(data []byte, where string, own Own) (Policy, error) {
	return known.read(data, where, own)
}

func (c *catalogue) read(data []byte, where string, own Own) (Policy, error) {
	file, err := document.Read(data, c.document, policyMark, where)
	if err != nil {
		return nil, err
	}
	if c.empty(file.Requires) {
		return Nothing{}, nil
	}
	return c.policy(file.Requires, own, where+": field requires", maxDepth)
}

// policy returns the policy of one object. Depth is checked first, so that no file makes the recursion deeper than that.
func (c *catalogue) policy(object *canonical.Object, own Own, where string, depth int) (Policy, error) {
	switch {
	case depth == 0:
		return nil, malformed(where, tables.Say("policy.nested_too_deep", maxDepth))
	case c.empty(object):
		return nil, malformed(where, tables.Say("policy.requires_nothing_beside"))
	}
	if missing := c.missing(object, own); missing != "" {
		return nil, malformed(where, missing)
	}
	all, err := c.some(object, own, where, c.of(plain))
	if err != nil {
		return nil, err
	}
	if err := c.void(object, where); err != nil {
		return nil, err
	}
	anyOf, err := c.alternatives(object, own, where, depth)
	if err != nil {
		return nil, err
	}
	parts, err := c.some(object, own, where, c.of(part))
	if err != nil {
		return nil, err
	}
	return append(append(all, parts...), anyOf...), nil
}

// empty says whether every field is absent or has the value of an absent one.
func (c *catalogue) empty(object *canonical.Object) bool {
	return !slices.ContainsFunc(c.rows, func(row tables.PolicyRow) bool { return in(object, row) != nil })
}

// missing says what the verifier lacks of what an object requires, "" for nothing.
func (c *catalogue) missing(object *canonical.Object, own Own) string {
	for _, row := range c.rows {
		if lacking := spellings[row.Kind].missing; lacking != nil && in(object, row) != nil {
			if said := lacking(own); said != "" {
				return said
			}
		}
	}
	return ""
}

// some returns the policies of an object by some of the rows.
func (c *catalogue) some(object *canonical.Object, own Own, where string, rows []tables.PolicyRow) (AllOf, error) {
	values := Requirements{}
	for _, row := range rows {
		if read := in(object, row); read != nil {
			values[row.Name] = spellings[row.Kind].value(own, read)
		}
	}
	all, err := c.make(values, rows)
	var fault *Error
	if errors.As(err, &fault) {
		return nil, malformed(where+"."+fault.Name, fault.Reason)
	}
	return all, err
}

// void refuses a field that requires nothing though it stands there: whoever wrote it into a file meant something.
func (c *catalogue) void(object *canonical.Object, where string) error {
	for _, row := range c.rows {
		said, read := spellings[row.Kind].void, in(object, row)
		if said != "" && read != nil && required(spellings[row.Kind].value(Own{}, read)) == nil {
			return malformed(where+"."+row.Field, said)
		}
	}
	return nil
}

// alternatives returns the policy of any_of, none for an object without.
func (c *catalogue) alternatives(object *canonical.Object, own Own, where string, depth int) (AllOf, error) {
	values, rows := Requirements{}, c.of(alternatives)
	for _, row := range rows {
		var each []Policy
		listed, _ := in(object, row).([]canonical.Value)
		for at, one := range listed {
			alternative, err := c.policy(one.(*canonical.Object), own, fmt.Sprintf("%s.%s[%d]", where, row.Field, at), depth-1)
			if err != nil {
				return nil, err
			}
			each = append(each, alternative)
		}
		values[row.Name] = each
	}
	return c.make(values, rows)
}

func malformed(where, message string) error {
	return verdict.New(verdict.Malformed, "wrong-fields", where+": "+message)
}
