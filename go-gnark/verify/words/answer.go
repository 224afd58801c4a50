package words

import (
	"slices"
	"strings"

	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/names"
	"equiproof/verify/number"
	"equiproof/verify/spec"
	"equiproof/verify/tables"
)

// mostValues is how many values of a sensitive feature the second sentence has; of more it has their number, and the first
// list has them all.
const mostValues = 6

// How the model is pinned: the commitment was given by the reader, or its fingerprint was; or not at all.
const (
	NotPinned     = ""
	ByCommitment  = "given"
	ByFingerprint = "fingerprint"
)

// KeyMaking is what an answer says of how a key was made. Parties signed the second phase of its ceremony; imported says that
// its powers of tau came from elsewhere.
type KeyMaking struct {
	Setup    string
	Parties  int
	Imported bool
}

// MakingOf returns that of a key, and of the key of a link, nil without one: where a single party made either, it could forge.
func MakingOf(certificates *document.Key, links *document.LinkKey) KeyMaking {
	key := &certificates.KeyRecord
	if links != nil && key.Setup != document.SingleParty {
		key = &links.KeyRecord
	}
	return KeyMaking{key.Setup, len(key.Signers), key.PowersOrigin == "imported"}
}

// Findings is what a verification of a certificate found; Label is an index of the spec's labels. Query are the applicant's
// details, checked against the query commitment, and Context was checked against the context digest; found says that they
// came with the certificate itself. Minimum is the least radius that the policy requires, as decimal text above 0, "" for
// none, Ranges says that the policy judged the spec's ranges, and Others that it required anything else. Log says that a log
// proof came with it, which was checked if there is a Logged. Receipt says whose receipt was checked, "" for none, and
// ReceiptLogged that it is in the pinned log.
type Findings struct {
	Spec                     *spec.Spec
	Label                    int
	RadiusSquared            int64
	Key                      KeyMaking
	ModelPin                 string
	KeyPinned                bool
	Query                    *canonical.Object
	QueryFound, ContextFound bool
	Context                  *canonical.Object
	Minimum                  string
	Ranges, Others, Log      bool
	Logged                   *LogStanding
	Receipt                  string
	ReceiptLogged            bool
}

// Whose receipt was checked.
const (
	ReceiptGiven = "given"
	ReceiptFound = "found"
)

// LogStanding is where a commitment stands in a pinned log: the log's name, the owner's in it, and how many witnesses stated so,
// until when: a time in UTC, "" where none are pinned. OwnerPinned says that the reader named the owner.
type LogStanding struct {
	Log, Owner  string
	OwnerPinned bool
	Until       string
	Witnesses   int
}

// Answer returns what a verification found in words for people: one plain JSON document, the same in every program. It says
// three things first: the decision, what it does not depend on, and what could change without changing it. Then it lists
// what was checked, what was not, and what no certificate shows. A language that the table lacks is an error. Twin of
// verifier/answer.py.
func Answer(findings *Findings, language, voice string) (*canonical.Object, error) {
	l, err := speaking(language)
	if err != nil {
		return nil, err
	}
	s := findings.Spec
	moves := l.anyMoves(s, findings.RadiusSquared, findings.Query)
	shown := l.shown(findings.Context)
	facts := factsOf(findings)
	facts["voice"], facts["moves"], facts["named"] = voice, holds(moves), holds(len(shown) > 0)
	filled := l.textsOf(findings)
	filled["texts"] = strings.Join(shown, ", ")
	said := &lines{l, tables.Answers().Answer, facts, filled, map[string][]item{"sensitive": l.sensitive(s)}}
	heading, note := said.of("heading")[0], canonical.Value(nil)
	for _, text := range said.said("bars_note") {
		note = text
	}
	open := []canonical.Value{}
	for _, one := range said.of("not_checked") {
		open = append(open, canonical.NewObject().Set("text", one.text).Set("warning", one.row.Warning))
	}
	return canonical.NewObject().Set("language", language).Set("outcome", heading.row.Outcome).Set("heading", heading.text).
		Set("below", listed(said.said("below"))).Set("sentences", listed(said.said("sentences"))).
		Set("bars_heading", said.said("bars_heading")[0]).Set("bars_note", note).
		Set("bars", l.bars(s, findings.RadiusSquared, findings.Query)).
		Set("checked", listed(said.said("checked"))).Set("not_checked", open).
		Set("never_shown", listed(said.said("never_shown"))).Set("reason", nil).Set("technical", nil), nil
}

// Parts are the parts of an answer that are shown as text.
type Parts struct {
	Outcome     string       `field:"outcome"`
	Heading     string       `field:"heading"`
	Below       []string     `field:"below"`
	Sentences   []string     `field:"sentences"`
	BarsHeading string       `field:"bars_heading"`
	BarsNote    string       `field:"bars_note"`
	Bars        []BarText    `field:"bars"`
	Checked     []string     `field:"checked"`
	NotChecked  []NotChecked `field:"not_checked"`
	NeverShown  []string     `field:"never_shown"`
}

// BarText is what stands beside a bar; Own is "" without an applicant's data.
type BarText struct {
	Name string `field:"name"`
	Own  string `field:"own"`
	Span string `field:"span"`
}

// NotChecked is a check that was left to the reader; without one with a warning, others are worth little.
type NotChecked struct {
	Text    string `field:"text"`
	Warning bool   `field:"warning"`
}

// PartsOf returns the parts of an answer, or of a refusal.
func PartsOf(answer *canonical.Object) *Parts { return canonical.Fields[Parts](answer) }

// factsOf are what answers.json chooses sentences by, without what depends on the language.
func factsOf(findings *Findings) map[string]string {
	log := either(findings.Log, "unchecked", "none")
	if at := findings.Logged; at != nil {
		log = either(at.Until == "", "alone", "witnessed")
	}
	return map[string]string{
		"model":          either(findings.ModelPin == NotPinned, "none", findings.ModelPin),
		"key":            either(findings.KeyPinned, findings.Key.Setup, "came"),
		"powers":         either(findings.Key.Imported, "imported", "own"),
		"query":          either(findings.Query == nil, "none", either(findings.QueryFound, "found", "given")),
		"context":        either(findings.Context == nil, "none", either(findings.ContextFound, "found", "given")),
		"minimum":        either(findings.Minimum == "", "none", "given"),
		"ranges":         either(!findings.Spec.UseRanges, "unused", either(findings.Ranges, "judged", "open")),
		"others":         holds(findings.Others),
		"missing":        holds(findings.Spec.HasMissing()),
		"loss":           holds(findings.Spec.AllowLoss),
		"increasing":     either(len(moving(findings.Spec, "increasing")) > 0, "some", "none"),
		"decreasing":     either(len(moving(findings.Spec, "decreasing")) > 0, "some", "none"),
		"log":            log,
		"owner":          either(findings.Logged != nil && findings.Logged.OwnerPinned, "named", "found"),
		"receipt":        either(findings.Receipt == "", "none", findings.Receipt),
		"receipt_logged": holds(findings.ReceiptLogged),
		"sensitive":      either(len(findings.Spec.Sensitive) > 1, "several", "one"),
	}
}

// textsOf are the texts for the places of sentences; empty where nothing is said of them.
func (l *words) textsOf(findings *Findings) texts {
	s := findings.Spec
	labels := s.LabelsIn(l.language)
	filled := texts{
		"label": l.word(labels[findings.Label]), "upper_label": l.word(labels[1]), "parties": l.count(findings.Key.Parties),
		"names": l.joined(l.names(s, s.Sensitive, l.word), "or"), "quoted_names": l.joined(l.names(s, s.Sensitive, l.quoted), "or"),
	}
	for _, way := range []string{"increasing", "decreasing"} {
		if features := moving(s, way); len(features) > 0 {
			filled[way] = l.joined(l.names(s, features, l.word), "or")
		}
	}
	if findings.Minimum != "" {
		filled["radius"] = l.number(number.Exact(findings.Minimum))
	}
	if at := findings.Logged; at != nil {
		filled["log"], filled["owner"], filled["witnesses"] = l.word(at.Log), l.word(at.Owner), l.count(at.Witnesses)
		filled["time"] = strings.TrimSuffix(strings.Replace(at.Until, "T", " ", 1), "Z")
	}
	return filled
}

// sensitive are what sentences say of each sensitive feature: of many values their number and the ends, never an interval.
func (l *words) sensitive(s *spec.Spec) (items []item) {
	for _, f := range s.Sensitive {
		ordered := slices.Clone(f.Domain)
		if f.Kind == "numeric" {
			slices.SortStableFunc(ordered, func(left, right string) int { return number.Exact(left).Cmp(number.Exact(right)) })
		}
		name := l.shownName(s, f)
		items = append(items, item{
			map[string]string{"values": either(len(ordered) > mostValues, "many", "few")},
			texts{"name": l.word(name), "quoted_name": l.quoted(name), "values": l.list(f.Domain), "n": l.count(len(ordered)),
				"first": l.word(ordered[0]), "last": l.word(ordered[len(ordered)-1])},
		})
	}
	return items
}

// shown is what a decision is called: the context's texts, but not its nonce, nor text that could mislead.
func (l *words) shown(context *canonical.Object) (parts []string) {
	if context == nil {
		return nil
	}
	for _, name := range slices.SortedFunc(slices.Values(context.Names()), canonical.Compare) {
		value := context.Text(name)
		if name != "nonce" && names.Judge(name) == nil && names.Judge(value) == nil {
			parts = append(parts, l.word(name)+" "+l.word(value))
		}
	}
	return parts
}

// moving are the features of which the owner states that they only ever move the score one way.
func moving(s *spec.Spec, way string) (features []*spec.Feature) {
	for _, f := range s.Features {
		if f.Moves(way) {
			features = append(features, f)
		}
	}
	return features
}

// names are those of features in a sentence.
func (l *words) names(s *spec.Spec, features []*spec.Feature, written func(string) string) (all []string) {
	for _, f := range features {
		all = append(all, written(l.shownName(s, f)))
	}
	return all
}

// holds is the value of a fact that holds or not.
func holds(fact bool) string { return either(fact, "yes", "no") }

// either returns the first text if something holds, and else the second.
func either(holds bool, first, second string) string {
	if holds {
		return first
	}
	return second
}
