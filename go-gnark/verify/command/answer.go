package command

import (
	"errors"
	"os"
	"slices"
	"strings"

	"equiproof/verify"
	"equiproof/verify/number"
	"equiproof/verify/policy"
	"equiproof/verify/present"
	"equiproof/verify/verdict"
	"equiproof/verify/words"
)

// findings are what an answer says of a verification: which parts the reader brought, and what the policy required. Query and
// context of the options are the reader's own. Others came with the certificate, and were checked too. Twin of
// verifier/findings.py.
func findings(verified *verify.Verified, terms *demands, presentation *present.Presented) *words.Findings {
	facts := &words.Findings{
		Spec: verified.Spec, Label: verified.Statement.Label, RadiusSquared: verified.Statement.RadiusSquared,
		Key: words.MakingOf(verified.Key, verified.LinkKey), ModelPin: words.NotPinned, KeyPinned: verified.Pins.Key,
		Minimum: minimum(terms.policy), Ranges: terms.policy.Covers()[policy.AboutRanges],
		Others: others(terms.policy), Log: presentation.LogProof != nil,
	}
	facts.Receipt = receipt(presentation)
	for _, one := range policy.Each(terms.policy) {
		if log, ok := one.(policy.Logged); ok {
			facts.Logged, facts.ReceiptLogged = standing(log), len(presentation.ReceiptProof) > 0
			break
		}
	}
	if verified.Pins.Commitment {
		// A commitment that came with the certificate can be pinned by its fingerprint only.
		if facts.ModelPin = words.ByFingerprint; presentation.Commitment == nil {
			facts.ModelPin = words.ByCommitment
		}
	}
	if query := firstQuery(terms.query, presentation.Query, presentation.Certificate.Query); query != nil {
		facts.Query, facts.QueryFound = query.Features, terms.query == nil
	}
	if terms.context != nil {
		facts.Context = terms.context.Object
	} else if presentation.Context != nil {
		facts.Context, facts.ContextFound = presentation.Context.Object, true
	}
	return facts
}

// standing is where the commitment stands in the log that was pinned.
func standing(log policy.Logged) *words.LogStanding {
	place := log.Standing()
	return &words.LogStanding{Log: log.Pins.Log.Name, Owner: place.Entry.Owner, OwnerPinned: log.Pins.Owner != nil,
		Until: place.ShownTime(), Witnesses: len(place.Witnesses)}
}

// receipt says whose receipt was checked.
func receipt(presentation *present.Presented) string {
	switch {
	case presentation.OwnReceipt:
		return words.ReceiptGiven
	case presentation.Receipt != nil:
		return words.ReceiptFound
	}
	return ""
}

// minimum is the largest radius that a policy requires, "" for none above 0.
func minimum(requirement policy.Policy) string {
	switch form := requirement.(type) {
	case policy.MinRadius:
		if number.Exact(form.Radius).Sign() > 0 {
			return form.Radius
		}
	case policy.AllOf:
		largest := ""
		for _, one := range form {
			own := minimum(one)
			if own != "" && (largest == "" || number.Exact(own).Cmp(number.Exact(largest)) > 0) {
				largest = own
			}
		}
		return largest
	}
	return ""
}

// others says whether a policy requires anything that an answer has no words for.
func others(requirement policy.Policy) bool {
	switch form := requirement.(type) {
	case policy.AllOf:
		return slices.ContainsFunc(form, others)
	case policy.ForQuery, policy.ForContext, policy.MinRadius, policy.NoRanges, policy.RangesWithin, policy.ModelIs,
		policy.KeyIs, policy.LinkKeyIs, policy.TranscriptIs, policy.LinkTranscriptIs, policy.SignedBy, policy.Logged, policy.ForReceipt, policy.Nothing:
		return false
	}
	return true
}

// inWords says first what it means for the reader that a certificate is not accepted, and the reason behind it. Kind and
// reason stay. A file beside the certificate that is malformed keeps its own message.
func inWords(path, language string, err error) error {
	var refusal *verdict.Error
	if !errors.As(err, &refusal) || refusal.Kind == verdict.Malformed && !isOfTheFile(path, refusal) {
		return err
	}
	answer, failure := words.Refusal(refusal.Reason, refusal.Message, language, refusal.Kind.Class())
	if failure != nil {
		return failure
	}
	parts := words.PartsOf(answer)
	first := parts.Heading + " " + parts.Below[0]
	return &verdict.Error{Kind: refusal.Kind, Reason: refusal.Reason,
		Message: words.ForTerminal(first + " " + words.Label("technical", language) + ": " + refusal.Message)}
}

// isOfTheFile says whether an error is about what was to be verified, and not about a file beside it that is bad or missing.
// Errors begin with the file that they are about.
func isOfTheFile(path string, err *verdict.Error) bool {
	info, failed := os.Stat(path)
	isFolder := failed == nil && info.IsDir()
	absent := err.Reason == "unreadable" || err.Reason == "no-keys" || err.Reason == "wrong-files" && isFolder
	return strings.HasPrefix(err.Message, path+": ") && !absent
}
