package policy

import (
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"time"

	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/tables"
	"equiproof/verify/verdict"
)

// maxDepth is how deep any_of may be nested.
const maxDepth = 8

// policyFile is a policy file.
type policyFile struct {
	document.Mark
	Requires requirementsInFile `field:"requires"`
}

// requirementsInFile is one object of a policy file: everything in it is required, and of any_of at least one. A field that
// is left out requires nothing. docs/policies.md explains each.
type requirementsInFile struct {
	MinRadius       *string              `field:"min_radius,optional,null"`
	ModelCommitment *string              `field:"model_commitment,optional,null"`
	KeyFingerprint  *string              `field:"key_fingerprint,optional,null"`
	Setup           *string              `field:"setup"`
	Transcript      *string              `field:"transcript,optional,null"`
	SignedBy        *signersInFile       `field:"signed_by,optional,null"`
	ProofSystem     *string              `field:"proof_system"`
	NoRanges        bool                 `field:"no_ranges,optional"`
	RangesWithin    *canonical.Object    `field:"ranges_within"`
	Query           bool                 `field:"query,optional"`
	Context         *contextInFile       `field:"context,optional,null"`
	Log             *logInFile           `field:"log,optional,null"`
	AnyOf           []requirementsInFile `field:"any_of"`
}

// signersInFile is who must have signed that a key's transcript was checked, and how many of them.
type signersInFile struct {
	Keys  []string `field:"keys"`
	Least *big.Int `field:"least"`
}

// contextInFile is what is required of the context beyond that the certificate was made for it.
type contextInFile struct {
	Has     *canonical.Object `field:"has,optional"`
	MaxDays *big.Int          `field:"max_days,optional,null"`
}

// logInFile is what is required of a log that holds the commitment.
type logInFile struct {
	Key       string   `field:"key"`
	Witnesses []string `field:"witnesses,optional"`
	Least     *big.Int `field:"least,optional,null"`
	Smallest  *big.Int `field:"smallest_tree,optional"`
	MaxDays   *big.Int `field:"max_days,optional,null"`
	Owner     *string  `field:"owner,optional,null"`
}

var requirementsKind = canonical.Recursive(func(self canonical.Kind) canonical.Kind {
	return canonical.TableOf[requirementsInFile](
		canonical.Optional("setup", canonical.Nullable(canonical.OneOf(document.SetupKinds...))),
		canonical.Optional("proof_system", canonical.Nullable(canonical.OneOf(document.ProofSystems...))),
		canonical.Optional("ranges_within", canonical.Nullable(canonical.Dictionary(canonical.Pair(canonical.Text())))),
		canonical.Optional("any_of", canonical.ListOf(self)),
	)
})

var policyTable = canonical.TableOf[policyFile](canonical.Required("requires", requirementsKind))

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
	file, err := document.Read(data, policyTable, "equiproof-policy", where)
	if err != nil {
		return nil, err
	}
	if file.Requires.empty() {
		return Nothing{}, nil
	}
	return own.policy(&file.Requires, where+": field requires", maxDepth)
}

// policy returns the policy of one object. Depth is checked first, so that no file makes the recursion deeper than that.
func (o Own) policy(object *requirementsInFile, where string, depth int) (Policy, error) {
	switch {
	case depth == 0:
		return nil, malformed(where, tables.Say("policy.nested_too_deep", maxDepth))
	case object.empty():
		return nil, malformed(where, tables.Say("policy.requires_nothing_beside"))
	case object.Query && o.Query == nil:
		return nil, malformed(where, tables.Say("policy.query_missing"))
	case object.Context != nil && o.Context == nil:
		return nil, malformed(where, tables.Say("policy.context_missing"))
	case object.Log != nil && o.LogProof == nil:
		return nil, malformed(where, tables.Say("policy.log_proof_missing"))
	}
	all, err := o.values(object).Policies()
	var fault *Error
	if errors.As(err, &fault) {
		return nil, malformed(where+"."+fault.Name, fault.Reason)
	}
	if object.RangesWithin != nil && object.RangesWithin.Len() == 0 {
		return nil, malformed(where+".ranges_within", tables.Say("policy.ranges_empty"))
	}
	var alternatives AnyOf
	for at := range object.AnyOf {
		alternative, err := o.policy(&object.AnyOf[at], fmt.Sprintf("%s.any_of[%d]", where, at), depth-1)
		if err != nil {
			return nil, err
		}
		alternatives = append(alternatives, alternative)
	}
	ofContext, err := o.ofContext(object.Context, where)
	if err != nil {
		return nil, err
	}
	all = append(all, ofContext...)
	if len(alternatives) > 0 {
		all = append(all, alternatives)
	}
	return all, nil
}

// values are the plain requirements of an object.
func (o Own) values(object *requirementsInFile) *Requirements {
	values := &Requirements{
		MinRadius: object.MinRadius, NoRanges: object.NoRanges, Setup: object.Setup,
		ProofSystem: object.ProofSystem, ModelCommitment: object.ModelCommitment,
		KeyFingerprint: object.KeyFingerprint, Transcript: object.Transcript,
	}
	if object.Query {
		values.Query = o.Query
	}
	if object.Context != nil {
		values.Context = o.Context
	}
	if signers := object.SignedBy; signers != nil {
		values.Signers, values.Least = signers.Keys, signers.Least
	}
	if log := object.Log; log != nil {
		values.Log = &LogTerms{Key: log.Key, Witnesses: log.Witnesses, Least: log.Least, Smallest: log.Smallest,
			MaxDays: log.MaxDays, Owner: log.Owner, Proof: o.LogProof, Now: o.Now}
	}
	if ranges := object.RangesWithin; ranges != nil {
		for _, name := range ranges.Names() {
			ends := ranges.Texts(name)
			values.RangesWithin = append(values.RangesWithin, Range{name, ends[0], ends[1]})
		}
	}
	return values
}

// ofContext returns what is required of the context beyond that the certificate was made for it.
func (o Own) ofContext(terms *contextInFile, where string) (all []Policy, err error) {
	if terms == nil {
		return nil, nil
	}
	if terms.Has != nil && terms.Has.Len() > 0 {
		all = append(all, ContextHas{o.Context, terms.Has})
	}
	if days := terms.MaxDays; days != nil {
		if days.Sign() < 0 {
			return nil, malformed(where+".context.max_days", fmt.Sprintf("%s is below 0", days))
		}
		all = append(all, NotOlderThan{o.Context, days, o.Today})
	}
	return all, nil
}

// empty says whether every field is absent or has the value of an absent one.
func (r *requirementsInFile) empty() bool { return reflect.ValueOf(*r).IsZero() }

func malformed(where, message string) error {
	return verdict.New(verdict.Malformed, "wrong-fields", where+": "+message)
}
