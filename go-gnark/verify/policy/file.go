package policy

import (
	"errors"
	"fmt"
	"math/big"
	"time"

	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/verdict"
)

// maxDepth is how deep any_of may be nested.
const maxDepth = 8

// requirementsKind is the table of what a policy file requires: everything, and of any_of at least one. A field that is left
// out requires nothing. docs/policies.md explains each.
var requirementsKind = canonical.Recursive(func(self canonical.Kind) canonical.Kind {
	return canonical.Document(
		canonical.Optional("min_radius", canonical.Nullable(canonical.Text())),
		canonical.Optional("model_commitment", canonical.Nullable(canonical.Text())),
		canonical.Optional("key_fingerprint", canonical.Nullable(canonical.Text())),
		canonical.Optional("setup", canonical.Nullable(canonical.OneOf(document.SetupKinds...))),
		canonical.Optional("transcript", canonical.Nullable(canonical.Text())),
		canonical.Optional("signed_by", canonical.Nullable(canonical.Document(
			canonical.Required("keys", canonical.ListOf(canonical.Text())),
			canonical.Required("least", canonical.Integer()),
		))),
		canonical.Optional("proof_system", canonical.Nullable(canonical.OneOf(document.ProofSystems...))),
		canonical.Optional("no_ranges", canonical.Flag()),
		canonical.Optional("ranges_within", canonical.Nullable(canonical.Dictionary(canonical.Pair(canonical.Text())))),
		canonical.Optional("query", canonical.Flag()),
		canonical.Optional("context", canonical.Nullable(canonical.Document(
			canonical.Optional("has", canonical.Dictionary(canonical.Text())),
			canonical.Optional("max_days", canonical.Nullable(canonical.Integer())),
		))),
		canonical.Optional("log", canonical.Nullable(canonical.Document(
			canonical.Required("key", canonical.Text()),
			canonical.Optional("witnesses", canonical.ListOf(canonical.Text())),
			canonical.Optional("least", canonical.Nullable(canonical.Integer())),
			canonical.Optional("smallest_tree", canonical.Integer()),
			canonical.Optional("max_days", canonical.Nullable(canonical.Integer())),
			canonical.Optional("owner", canonical.Nullable(canonical.Text())),
		))),
		canonical.Optional("any_of", canonical.ListOf(self)),
	)
})

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
	found, err := document.Read(data, "equiproof-policy", where, canonical.Required("requires", requirementsKind))
	if err != nil {
		return nil, err
	}
	required := found.Object("requires")
	if requiresNothing(required) {
		return Nothing{}, nil
	}
	return own.policy(required, where+": field requires", maxDepth)
}

// policy returns the policy of one object.
func (o Own) policy(required *canonical.Object, where string, depth int) (Policy, error) {
	context := required.Object("context")
	switch {
	case depth == 0:
		return nil, malformed(where, "any_of is nested more than %d deep", maxDepth)
	case requiresNothing(required):
		return nil, malformed(where, "requires nothing, so everything beside it would be in vain")
	case required.Flag("query") && o.Query == nil:
		return nil, malformed(where, "it requires the applicant's query file, which is missing here (--query)")
	case context != nil && o.Context == nil:
		return nil, malformed(where, "it requires a context file, which is missing here (--context)")
	case required.Object("log") != nil && o.LogProof == nil:
		return nil, malformed(where, "it requires a log proof, which is missing here (--log-proof)")
	}
	all, err := o.values(required).Policies()
	var wrong *Error
	if errors.As(err, &wrong) {
		return nil, malformed(where+"."+wrong.Name, "%s", wrong.Reason)
	}
	if ranges := required.Object("ranges_within"); ranges != nil && ranges.Len() == 0 {
		return nil, malformed(where+".ranges_within", "names no range; `no_ranges` accepts none")
	}
	var nested AnyOf
	for at, one := range required.Objects("any_of") {
		policy, err := o.policy(one, fmt.Sprintf("%s.any_of[%d]", where, at), depth-1)
		if err != nil {
			return nil, err
		}
		nested = append(nested, policy)
	}
	more, err := o.ofContext(context, where)
	if err != nil {
		return nil, err
	}
	all = append(all, more...)
	if len(nested) > 0 {
		all = append(all, nested)
	}
	return all, nil
}

// values are the plain requirements of an object.
func (o Own) values(required *canonical.Object) *Requirements {
	given := func(name string) *string {
		if required.Get(name) == nil {
			return nil
		}
		value := required.Text(name)
		return &value
	}
	made := &Requirements{
		MinRadius: given("min_radius"), NoRanges: required.Flag("no_ranges"), Setup: given("setup"),
		ProofSystem: given("proof_system"), ModelCommitment: given("model_commitment"),
		KeyFingerprint: given("key_fingerprint"), Transcript: given("transcript"),
	}
	if required.Flag("query") {
		made.Query = o.Query
	}
	if required.Object("context") != nil {
		made.Context = o.Context
	}
	if signers := required.Object("signed_by"); signers != nil {
		made.Signers, made.Least = signers.Texts("keys"), signers.Big("least")
	}
	if log := required.Object("log"); log != nil {
		made.Log = o.logTerms(log)
	}
	if ranges := required.Object("ranges_within"); ranges != nil {
		for _, name := range ranges.Names() {
			ends := ranges.Texts(name)
			made.RangesWithin = append(made.RangesWithin, Range{name, ends[0], ends[1]})
		}
	}
	return made
}

// logTerms is what is required of a log.
func (o Own) logTerms(required *canonical.Object) *LogTerms {
	made := &LogTerms{Key: required.Text("key"), Witnesses: required.Texts("witnesses"), Proof: o.LogProof, Now: o.Now}
	for name, place := range map[string]**big.Int{
		"least": &made.Least, "smallest_tree": &made.Smallest, "max_days": &made.MaxDays,
	} {
		if found, there := required.Get(name).(*big.Int); there {
			*place = found
		}
	}
	if owner, there := required.Get("owner").(string); there {
		made.Owner = &owner
	}
	return made
}

// ofContext returns what is required of the context beyond that the certificate was made for it.
func (o Own) ofContext(required *canonical.Object, where string) (made []Policy, err error) {
	if required == nil {
		return nil, nil
	}
	if texts := required.Object("has"); texts != nil && texts.Len() > 0 {
		made = append(made, ContextHas{o.Context, texts})
	}
	if days, there := required.Get("max_days").(*big.Int); there {
		if days.Sign() < 0 {
			return nil, malformed(where+".context.max_days", "%s is below 0", days)
		}
		made = append(made, NotOlderThan{o.Context, days, o.Today})
	}
	return made, nil
}

// requiresNothing says whether every field is absent or has the value of an absent one.
func requiresNothing(required *canonical.Object) bool {
	for _, name := range required.Names() {
		switch found := required.Get(name).(type) {
		case nil:
		case bool:
			if found {
				return false
			}
		case []canonical.Value:
			if len(found) > 0 {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func malformed(where, format string, words ...any) error {
	return verdict.New(verdict.Malformed, "wrong-fields", "%s: %s", where, fmt.Sprintf(format, words...))
}
