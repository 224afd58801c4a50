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
func findings(verified *verify.Verified, demanded *demands, presented *present.Presented) *words.Findings {
	made := &words.Findings{
		Spec: verified.Spec, Label: verified.Statement.Label, RadiusSquared: verified.Statement.RadiusSquared,
		Key: words.MakingOf(verified.Key), ModelPin: words.NotPinned, KeyPinned: verified.Pins.Key,
		Minimum: minimum(demanded.policy), Ranges: demanded.policy.Covers()[policy.AboutRanges],
		Others: others(demanded.policy), Log: presented.LogProof != nil,
	}
	made.Receipt = receipt(presented)
	for _, one := range policy.Each(demanded.policy) {
		if log, ok := one.(policy.Logged); ok {
			made.Logged, made.ReceiptLogged = standing(log), len(presented.ReceiptProof) > 0
			break
		}
	}
	if verified.Pins.Commitment {
		// A commitment that came with the certificate can be pinned by its fingerprint only.
		if made.ModelPin = words.ByFingerprint; presented.Commitment == nil {
			made.ModelPin = words.ByCommitment
		}
	}
	if query := firstQuery(demanded.query, presented.Query, presented.Certificate.Query); query != nil {
		made.Query, made.QueryFound = query.Features, demanded.query == nil
	}
	if demanded.context != nil {
		made.Context = demanded.context.Object
	} else if presented.Context != nil {
		made.Context, made.ContextFound = presented.Context.Object, true
	}
	return made
}

// standing is where the commitment stands in the log that was pinned.
func standing(log policy.Logged) *words.LogStanding {
	found := log.Standing()
	return &words.LogStanding{Log: log.Pins.Log.Name, Owner: found.Entry.Owner, OwnerPinned: log.Pins.Owner != nil,
		Until: found.ShownTime(), Witnesses: len(found.Witnesses)}
}

// receipt says whose receipt was checked.
func receipt(presented *present.Presented) string {
	switch {
	case presented.OwnReceipt:
		return words.ReceiptGiven
	case presented.Receipt != nil:
		return words.ReceiptFound
	}
	return ""
}

// minimum is the largest radius that a policy requires, "" for none above 0.
func minimum(demanded policy.Policy) string {
	switch found := demanded.(type) {
	case policy.MinRadius:
		if number.Exact(found.Radius).Sign() > 0 {
			return found.Radius
		}
	case policy.AllOf:
		largest := ""
		for _, one := range found {
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
func others(demanded policy.Policy) bool {
	switch found := demanded.(type) {
	case policy.AllOf:
		return slices.ContainsFunc(found, others)
	case policy.ForQuery, policy.ForContext, policy.MinRadius, policy.NoRanges, policy.RangesWithin, policy.ModelIs,
		policy.KeyIs, policy.TranscriptIs, policy.SignedBy, policy.Logged, policy.ForReceipt, policy.Nothing:
		return false
	}
	return true
}

// inWords says first what it means for the reader that a certificate is not accepted, and the reason behind it. Kind and
// reason stay. A file beside the certificate that is malformed keeps its own message.
func inWords(path, language string, err error) error {
	var found *verdict.Error
	if !errors.As(err, &found) || found.Kind == verdict.Malformed && !isOfTheFile(path, found) {
		return err
	}
	said, wrong := words.Refusal(found.Reason, found.Message, language, found.Kind.Class())
	if wrong != nil {
		return wrong
	}
	first := said.Text("heading") + " " + said.Texts("below")[0]
	return &verdict.Error{Kind: found.Kind, Reason: found.Reason,
		Message: words.ForTerminal(first + " " + words.Label("technical", language) + ": " + found.Message)}
}

// isOfTheFile says whether an error is about what was to be verified, and not about a file beside it that is bad or missing.
// Errors begin with the file that they are about.
func isOfTheFile(path string, err *verdict.Error) bool {
	info, failed := os.Stat(path)
	isFolder := failed == nil && info.IsDir()
	missing := err.Reason == "unreadable" || err.Reason == "no-keys" || err.Reason == "wrong-files" && isFolder
	return strings.HasPrefix(err.Message, path+": ") && !missing
}
