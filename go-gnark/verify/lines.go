package verify

import (
	"slices"
	"strings"

	"equiproof/verify/document"
	"equiproof/verify/names"
	"equiproof/verify/policy"
	"equiproof/verify/spec"
	"equiproof/verify/tables"
	"equiproof/verify/text"
)

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
	add(!facts.Pins.Commitment, policy.AboutCommitment.Text())
	// One key that a policy names is pinned, and does not pin the other.
	add(!facts.Pins.Key && !covers[policy.AboutKey], policy.AboutKey.Text())
	add(!facts.Pins.Key && facts.Link != nil && !covers[policy.AboutLinkKey], policy.AboutLinkKey.Text())
	for _, check := range needed {
		sentence := check
		if substitute := enclosedChecks[check]; covers[substitute] {
			sentence = substitute
		}
		add(!covers[check], sentence.Text())
	}
	oneParty := func(key policy.KeyFacts) bool { return key.Setup == document.SingleParty }
	add(slices.ContainsFunc(facts.Keys(), oneParty) && !covers[policy.AboutSetup], policy.AboutSetup.Text())
	for _, key := range facts.Keys() {
		if facts.Pins.Key {
			lines = append(lines, contributors(key.KeyRecord)...)
		}
	}
	add(facts.Spec.AllowLoss, tables.Say("unproven.rounding_loss"))
	lines = append(lines, aboutMonotone(facts.Spec)...)
	lines = append(lines, policy.StillOpen(requirement)...)
	use := tables.Say("unproven.about_same", policy.AboutSame.Text())
	if covers[policy.AboutSame] {
		use = tables.Say("unproven.owner_decides")
	}
	return append(lines, use, tables.Say("unproven.proxies_and_units"))
}

// aboutMonotone says what the owner states of features by `monotone`, which no proof shows: one line for each direction.
func aboutMonotone(s *spec.Spec) (lines []string) {
	for _, way := range [][2]string{
		{"increasing", tables.Say("unproven.falls")}, {"decreasing", tables.Say("unproven.rises")},
	} {
		var features []string
		for _, f := range s.Features {
			if f.Moves(way[0]) {
				features = append(features, names.Quoted(f.Name))
			}
		}
		if len(features) > 0 {
			all := strings.Join(features, " "+tables.Say("word.or")+" ")
			score := tables.Say("unproven.monotone_score", names.Quoted(s.Labels[1]), way[1], all)
			lines = append(lines, tables.Say("unproven.owner_states_monotone", score))
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
	lines := jointValues(facts.Spec)
	if facts.Spec.UseRanges {
		lines = append(lines, tables.Say("reading.covers_ranges_only"))
	}
	return lines
}

// jointValues says which sensitive values a statement covers.
func jointValues(s *spec.Spec) []string {
	return []string{tables.Say("reading.covers_joint_values", len(s.Table), listed(s))}
}

// contributors lists what no transcript shows of those who made a key.
func contributors(key *document.KeyRecord) []string {
	if key.PowersOrigin == "" {
		return nil
	}
	lines := []string{tables.Say("unproven.powers_contributors")}
	if key.Setup == document.Ceremony {
		lines[0] = tables.Say("unproven.ceremony_contributors", policy.Contributors(key, longestName, mostNames))
	}
	if key.PowersOrigin == document.Ceremony {
		return lines
	}
	return append(lines, tables.Say("unproven.imported_powers", text.Cut(text.Plain(key.PowersSource), longestName)))
}

// keyInWords says which key it is; of one that came with the certificate, not what it says of its set-up.
func keyInWords(key *document.KeyRecord, pins policy.Pins) string {
	if pins.Key {
		return tables.Say("checked.trusted_key", text.Cut(key.Fingerprint, 16)+"...", key.Setup, key.ProofSystem)
	}
	return tables.Say("checked.key_that_came", text.Cut(key.Fingerprint, 16)+"...", key.ProofSystem)
}

func modelInWords(facts *policy.Facts) string {
	if facts.Pins.Commitment {
		return tables.Say("reading.about_committed_model")
	}
	return tables.Say("reading.about_model_that_came")
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
		return tables.Say("reading.neighbors_inside_ranges")
	}
	return tables.Say("reading.all_neighbors")
}
