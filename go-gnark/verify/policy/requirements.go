package policy

import (
	"math/big"
	"slices"
	"strings"

	"equiproof/verify/document"
	"equiproof/verify/note"
	"equiproof/verify/spec"
	"equiproof/verify/statement"
	"equiproof/verify/tables"
	"equiproof/verify/text"
)

// Requirements are plain values, as a command line or a file has them. What is nil requires nothing. Twin of
// verifier/requirements.py.
type Requirements struct {
	Query           *document.Query
	Context         *document.Context
	MinRadius       *string
	NoRanges        bool
	RangesWithin    []Range
	Setup           *string
	ProofSystem     *string
	ModelCommitment *string
	KeyFingerprint  *string
	Transcript      *string
	Signers         []string // verifier keys
	Least           *big.Int // how many of them must have signed; nil where no signers are named
	Log             *LogTerms
	MinGain         *string // this and the next are for gain certificates only
	GainOf          *GainOf
}

// Error is a value that is no requirement: the name of its field, as files have it, and what is wrong.
type Error struct{ Name, Reason string }

func (e *Error) Error() string { return e.Name + ": " + e.Reason }

// Policies returns a policy for each value, in a fixed order.
func (r *Requirements) Policies() (all AllOf, err error) {
	if r.Query != nil {
		all = append(all, ForQuery{Query: r.Query, Source: tables.Say("reading.query_file")})
	}
	if r.Context != nil {
		all = append(all, ForContext{Context: r.Context})
	}
	for _, step := range []func() (Policy, error){
		r.radius, r.noRanges, r.ranges, r.setup, r.proofSystem, r.model, r.key, r.transcript, r.signedBy, r.logged,
		r.minGain, r.gainOf,
	} {
		policy, err := step()
		if err != nil {
			return nil, err
		}
		if policy != nil {
			all = append(all, policy)
		}
	}
	return all, nil
}

// logged requires that a log holds the commitment.
func (r *Requirements) logged() (Policy, error) {
	if r.Log == nil {
		return nil, nil
	}
	policy, err := r.Log.Policy()
	if err != nil {
		return nil, &Error{"log", err.Error()}
	}
	return policy, nil
}

// radius requires one that is not below 0.
func (r *Requirements) radius() (Policy, error) {
	if r.MinRadius == nil {
		return nil, nil
	}
	least, err := spec.Decimal(*r.MinRadius, "")
	if err != nil {
		return nil, &Error{"min_radius", tables.Say("value.not_decimal", text.Repr(text.Cut(*r.MinRadius, 40)))}
	}
	if least.Sign() < 0 {
		return nil, &Error{"min_radius", *r.MinRadius + " is below 0"}
	}
	return MinRadius{*r.MinRadius}, nil
}

// minGain requires a decimal number.
func (r *Requirements) minGain() (Policy, error) {
	if r.MinGain == nil {
		return nil, nil
	}
	if _, err := spec.Decimal(*r.MinGain, ""); err != nil {
		return nil, &Error{"min_gain", tables.Say("value.not_decimal", text.Repr(text.Cut(*r.MinGain, 40)))}
	}
	return MinGain{*r.MinGain}, nil
}

func (r *Requirements) gainOf() (Policy, error) {
	if r.GainOf == nil {
		return nil, nil
	}
	return *r.GainOf, nil
}

func (r *Requirements) noRanges() (Policy, error) {
	if !r.NoRanges {
		return nil, nil
	}
	return NoRanges{}, nil
}

// ranges requires that the certificate's ranges include these.
func (r *Requirements) ranges() (Policy, error) {
	if len(r.RangesWithin) == 0 {
		return nil, nil
	}
	for _, one := range r.RangesWithin {
		what := "range of " + text.Repr(text.Cut(one.Name, 40))
		low, err := spec.Decimal(one.Low, what)
		if err != nil {
			return nil, &Error{"ranges_within", err.Error()}
		}
		high, err := spec.Decimal(one.High, what)
		if err != nil {
			return nil, &Error{"ranges_within", err.Error()}
		}
		if low.Cmp(high) > 0 {
			return nil, &Error{"ranges_within",
				tables.Say("policy.range_reversed", what, one.Low, one.High)}
		}
	}
	return RangesWithin(r.RangesWithin), nil
}

func (r *Requirements) setup() (Policy, error) {
	if r.Setup == nil {
		return nil, nil
	}
	if kinds := document.SetupKinds; !slices.Contains(kinds, *r.Setup) {
		last := len(kinds) - 1
		return nil, &Error{"setup",
			tables.Say("policy.setup_unknown", text.Repr(text.Cut(*r.Setup, 40)), strings.Join(kinds[:last], ", "),
				kinds[last])}
	}
	return SetupIs{*r.Setup}, nil
}

func (r *Requirements) proofSystem() (Policy, error) {
	if r.ProofSystem == nil {
		return nil, nil
	}
	if systems := document.ProofSystems; !slices.Contains(systems, *r.ProofSystem) {
		return nil, &Error{"proof_system",
			text.Repr(text.Cut(*r.ProofSystem, 40)) + " is not " + strings.Join(systems, " or ")}
	}
	return ProofSystemIs{*r.ProofSystem}, nil
}

func (r *Requirements) model() (Policy, error) {
	if r.ModelCommitment == nil {
		return nil, nil
	}
	if digits := *r.ModelCommitment; statement.Element(digits) == nil {
		why := tables.Say("format.want_digest")
		if isDigest(digits) {
			why = tables.Say("value.not_below_order")
		}
		return nil, &Error{"model_commitment", why}
	}
	return ModelIs{*r.ModelCommitment}, nil
}

func (r *Requirements) key() (Policy, error) {
	if r.KeyFingerprint == nil {
		return nil, nil
	}
	return KeyIs{*r.KeyFingerprint}, checkDigest("key_fingerprint", *r.KeyFingerprint)
}

func (r *Requirements) transcript() (Policy, error) {
	if r.Transcript == nil {
		return nil, nil
	}
	return TranscriptIs{*r.Transcript}, checkDigest("transcript", *r.Transcript)
}

// signedBy requires signatures of those who checked the key's transcript.
func (r *Requirements) signedBy() (Policy, error) {
	if r.Least == nil {
		return nil, nil
	}
	var keys []*note.Key
	for _, line := range r.Signers {
		key, err := note.ParseKey(line)
		if err != nil {
			return nil, &Error{"signed_by", err.Error()}
		}
		keys = append(keys, key)
	}
	if err := note.Distinct(keys); err != nil {
		return nil, &Error{"signed_by", err.Error()}
	}
	if r.Least.Sign() < 1 || r.Least.Cmp(big.NewInt(int64(len(keys)))) > 0 {
		return nil, &Error{"signed_by",
			tables.Say("policy.least_signers_out_of_bounds", r.Least, len(keys))}
	}
	return SignedBy{keys, int(r.Least.Int64())}, nil
}

func checkDigest(name, digits string) error {
	if !isDigest(digits) {
		return &Error{name, tables.Say("format.want_digest")}
	}
	return nil
}

func isDigest(digits string) bool {
	return len(digits) == 64 && strings.Trim(digits, "0123456789abcdef") == ""
}
