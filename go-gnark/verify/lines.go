package verify

import (
	"fmt"
	"strings"

	"equiproof/verify/document"
	"equiproof/verify/names"
	"equiproof/verify/policy"
	"equiproof/verify/spec"
	"equiproof/verify/text"
)

// limits are what no policy checks.
var limits = []string{
	string(policy.AboutSame) + ", and decides with this model",
	"that the other features are not proxies for the sensitive ones, and that the spec's units are right",
}

const useOfModel = "that the owner decides with this model"

const lossOfRounding = "that the committed integers decide as the owner's model does: the owner states that rounding the model to " +
	"integers may have changed it (allow_loss in the spec)"

// The longest name of a contributor, and how many of them are shown.
const (
	longestName = 64
	mostNames   = 8
)

// leftOpen lists the checks that the policy leaves open, of those that are needed, and those of no policy. What is not pinned
// comes first: everything else is worth no more than it.
func leftOpen(facts *policy.Facts, requirement policy.Policy, needed []policy.Check) (lines []string) {
	covers := requirement.Covers()
	add := func(needed bool, line string) {
		if needed {
			lines = append(lines, line)
		}
	}
	add(!facts.Pins.Commitment, string(policy.AboutCommitment))
	add(!facts.Pins.Key, string(policy.AboutKey))
	for _, check := range needed {
		sentence := check
		if substitute := enclosedChecks[check]; covers[substitute] {
			sentence = substitute
		}
		add(!covers[check], string(sentence))
	}
	add(facts.Key.Setup == document.SingleParty && !covers[policy.AboutSetup], string(policy.AboutSetup))
	if facts.Pins.Key {
		lines = append(lines, contributors(facts.Key)...)
	}
	add(facts.Spec.AllowLoss, lossOfRounding)
	lines = append(lines, aboutMonotone(facts.Spec)...)
	lines = append(lines, policy.StillOpen(requirement)...)
	if covers[policy.AboutSame] {
		return append(append(lines, useOfModel), limits[1:]...)
	}
	return append(lines, limits...)
}

// aboutMonotone says what the owner states of features by `monotone`, which no proof shows: one line for each direction.
func aboutMonotone(s *spec.Spec) (lines []string) {
	for _, way := range [][2]string{{"increasing", "falls"}, {"decreasing", "rises"}} {
		var features []string
		for _, f := range s.Features {
			if f.Monotone == way[0] {
				features = append(features, names.Quoted(f.Name))
			}
		}
		if len(features) > 0 {
			lines = append(lines, fmt.Sprintf(
				"that the score for %s never %s as %s grows: the owner states it (monotone in the spec)",
				names.Quoted(s.Labels[1]), way[1], strings.Join(features, " or ")))
		}
	}
	return lines
}

// enclosedChecks are what stays open of a check where the file that it is made with came with the certificate itself.
var enclosedChecks = map[policy.Check]policy.Check{
	policy.AboutQuery: policy.AboutFoundQuery, policy.AboutContext: policy.AboutFoundContext,
}

// neededOfDecision lists the checks that policies make of a certificate, in the order in which those not made are listed.
func neededOfDecision(s *spec.Spec) []policy.Check {
	needed := []policy.Check{policy.AboutQuery, policy.AboutContext, policy.AboutRadius}
	if s.UseRanges {
		needed = append(needed, policy.AboutRanges)
	}
	return needed
}

// coverage says which neighbors a statement about a decision covers.
func coverage(facts *policy.Facts) []string {
	lines := []string{
		fmt.Sprintf("it covers all %d joint values of %s, and no others", len(facts.Spec.Table), listed(facts.Spec)),
	}
	if facts.Spec.UseRanges {
		lines = append(lines, "it covers neighbors inside the spec's ranges, and no others")
	}
	return lines
}

// contributors lists what no transcript shows of those who made a key.
func contributors(key *document.Key) []string {
	if key.PowersOrigin == "" {
		return nil
	}
	lines := []string{"that one contributor to the powers of tau of the key forgot the secret"}
	if key.Setup == document.Ceremony {
		lines[0] = fmt.Sprintf("that one contributor of each phase of the key's ceremony forgot the secret (phase 2: %s)",
			policy.Contributors(key, longestName, mostNames))
	}
	if key.PowersOrigin == document.Ceremony {
		return lines
	}
	return append(lines, fmt.Sprintf("that anybody contributed to the imported powers of tau (SHA-256 %s)",
		text.Cut(text.Plain(key.PowersSource), longestName)))
}

// keyInWords says which key it is; of one that came with the certificate, not what it says of its set-up.
func keyInWords(facts *policy.Facts) string {
	key := facts.Key
	if facts.Pins.Key {
		return fmt.Sprintf("the trusted key %.16s... (set-up: %s, proof system: %s)", key.Fingerprint, key.Setup, key.ProofSystem)
	}
	return fmt.Sprintf("the key %.16s..., which came with the certificate (proof system: %s)", key.Fingerprint, key.ProofSystem)
}

func modelInWords(facts *policy.Facts) string {
	if facts.Pins.Commitment {
		return "it is about the committed model and its public spec"
	}
	return "it is about the model and the spec of the commitment that came with it"
}

// listed writes the sensitive features with the values that the spec lists: other values were not proven.
func listed(s *spec.Spec) string {
	var all []string
	for _, f := range s.Sensitive {
		var values []string
		for _, value := range f.Domain {
			values = append(values, names.Quoted(value))
		}
		all = append(all, names.Quoted(f.Name)+" ("+strings.Join(values, " / ")+")")
	}
	return strings.Join(all, ", ")
}

// reach says which neighbors a statement covers.
func reach(ranges bool) string {
	if ranges {
		return "statements about neighbors inside ranges only"
	}
	return "statements about all neighbors"
}
