package words

import (
	"slices"
	"strings"

	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/names"
	"equiproof/verify/number"
	"equiproof/verify/spec"
)

// mostValues is how many values of a sensitive feature the second sentence has; of more it has their number, and the first
// list has them all.
const mostValues = 6

// How the model is pinned: the commitment was given by the reader, or its fingerprint was; or not at all.
const (
	NotPinned      = ""
	ByCommitment   = "given"
	ByFingerprint  = "fingerprint"
	voiceOfLetters = "letter"
)

// KeyMaking is what an answer says of how a key was made. Parties signed the second phase of its ceremony; imported says that
// its powers of tau came from elsewhere.
type KeyMaking struct {
	Setup    string
	Parties  int
	Imported bool
}

// MakingOf returns that of a key's metadata.
func MakingOf(key *document.Key) KeyMaking {
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
	moves := l.anyMoves(findings.Spec, findings.RadiusSquared, findings.Query)
	heading, below := l.heading(findings)
	outcome, barsHeading, note := "open", "bars.heading_none", canonical.Value(nil)
	if heading == "outcome.valid" {
		outcome = "valid"
	}
	if moves {
		barsHeading, note = "bars.heading", l.say("bars.note")
	}
	return canonical.NewObject().Set("language", language).Set("outcome", outcome).Set("heading", l.say(heading)).
		Set("below", listed(below)).Set("sentences", listed(l.sentencesOf(findings, voice, moves))).
		Set("bars_heading", l.say(barsHeading)).Set("bars_note", note).
		Set("bars", l.bars(findings.Spec, findings.RadiusSquared, findings.Query)).
		Set("checked", listed(l.checked(findings))).Set("not_checked", l.notChecked(findings, moves)).
		Set("never_shown", listed(l.neverShown(findings.Spec))).Set("reason", nil).Set("technical", nil), nil
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

// heading returns the name of the heading, and the lines below it.
func (l *words) heading(findings *Findings) (string, []string) {
	keyOpen := !findings.KeyPinned || findings.Key.Setup == document.SingleParty
	if findings.ModelPin == NotPinned {
		if keyOpen {
			return "outcome.model_open", []string{l.say("below.model_and_key")}
		}
		return "outcome.model_open", []string{l.say("below.model")}
	}
	var parts []string
	if findings.Query != nil {
		parts = append(parts, l.say(either(findings.QueryFound, "below.about_shown_details", "below.about_details")))
	}
	if findings.Context != nil {
		parts = append(parts, l.say(either(findings.ContextFound, "below.about_shown_decision", "below.about_decision")))
	}
	label := l.joined(append(parts, l.say("below.about_model")), "and")
	return either(keyOpen, "outcome.key_open", "outcome.valid"), []string{l.say("below.about", texts{"parts": label})}
}

// sentencesOf returns the three sentences.
func (l *words) sentencesOf(findings *Findings, voice string, moves bool) []string {
	label := texts{"label": l.word(findings.Spec.Labels[findings.Label])}
	letter := voice == voiceOfLetters
	// Under a key that came with the file, somebody else may have written it about the lender's commitment.
	decider := either(findings.ModelPin != NotPinned && findings.KeyPinned, "decided.lender", "decided.certificate")
	names := either(findings.Query != nil, "", "_unknown")
	var features []string
	for _, f := range findings.Spec.Sensitive {
		values := l.values(f, either(letter, "independent.many_letter", "independent.many"))
		features = append(features, l.say("independent.feature", texts{"name": l.name(findings.Spec, f), "values": values}))
	}
	room := l.say(either(moves, "room.some", "room.none")+names, label)
	if moves && findings.Spec.UseRanges {
		room += " " + l.say(either(letter, "room.ranges_letter", "room.ranges"))
	}
	return []string{
		l.say(either(letter, "decided.letter", decider), label),
		l.say(either(len(features) > 1, "independent.several", "independent.one")+names,
			texts{"features": l.joined(features, "and")}),
		room,
	}
}

// values writes those of a sensitive feature; of many, their number and the ends by a sentence, never an interval.
func (l *words) values(f *spec.Feature, many string) string {
	if len(f.Domain) <= mostValues {
		return l.list(f.Domain)
	}
	ordered := slices.Clone(f.Domain)
	if f.Kind == "numeric" {
		slices.SortStableFunc(ordered, func(left, right string) int { return number.Exact(left).Cmp(number.Exact(right)) })
	}
	return l.say(many, texts{"n": l.count(len(ordered)),
		"first": l.word(ordered[0]), "last": l.word(ordered[len(ordered)-1])})
}

// checked lists what was checked.
func (l *words) checked(findings *Findings) []string {
	lines := []string{l.say("checked.proof")}
	add := func(holds bool, which string, filled ...texts) {
		if holds {
			lines = append(lines, l.say(which, filled...))
		}
	}
	add(findings.ModelPin == ByCommitment, "checked.model")
	add(findings.ModelPin == ByFingerprint, "checked.model_fingerprint")
	for _, f := range findings.Spec.Sensitive {
		quoted := l.quoted(shownName(findings.Spec, f))
		add(true, "checked.values", texts{"name": l.name(findings.Spec, f), "quoted_name": quoted, "values": l.list(f.Domain)})
	}
	add(findings.Query != nil, either(findings.QueryFound, "checked.query_found", "checked.query"))
	if findings.Context != nil {
		lines = append(lines, l.context(findings.Context, either(findings.ContextFound, "checked.context_found", "checked.context")))
	}
	add(findings.Receipt == ReceiptGiven, "checked.receipt")
	add(findings.Receipt == ReceiptFound, "checked.receipt_found")
	add(findings.Receipt != "" && findings.ReceiptLogged, "checked.receipt_logged")
	add(findings.KeyPinned, "checked.key")
	add(findings.KeyPinned && findings.Key.Setup == document.Ceremony, "checked.ceremony", texts{"n": l.count(findings.Key.Parties)})
	add(findings.KeyPinned && findings.Key.Setup == document.Universal, "checked.universal")
	if findings.Minimum != "" {
		add(true, "checked.minimum", texts{"radius": l.number(number.Exact(findings.Minimum))})
	}
	add(findings.Spec.UseRanges && findings.Ranges, "checked.ranges")
	if at := findings.Logged; at != nil {
		filled := texts{"log": l.word(at.Log), "owner": l.word(at.Owner), "n": l.count(at.Witnesses)}
		add(true, either(at.Until != "", "checked.logged", "checked.logged_alone"), filled)
	}
	add(findings.Others, "checked.others")
	return lines
}

// context says what a decision is called: the context's texts, but not its nonce, nor text that could mislead.
func (l *words) context(context *canonical.Object, which string) string {
	var lines []string
	for _, name := range slices.SortedFunc(slices.Values(context.Names()), canonical.Compare) {
		value := context.Text(name)
		if name != "nonce" && names.Judge(name) == nil && names.Judge(value) == nil {
			lines = append(lines, l.word(name)+" "+l.word(value))
		}
	}
	if len(lines) == 0 {
		return l.say(which + "_bare")
	}
	return l.say(which, texts{"texts": strings.Join(lines, ", ")})
}

// notChecked lists what was not checked and can be, what is unpinned first.
func (l *words) notChecked(findings *Findings, moves bool) []canonical.Value {
	s, key := findings.Spec, findings.Key
	lines := []canonical.Value{}
	add := func(holds bool, which string, warning bool, filled ...texts) {
		if holds {
			line := canonical.NewObject().Set("text", l.say(which, filled...)).Set("warning", warning)
			lines = append(lines, line)
		}
	}
	others := findings.KeyPinned && key.Setup != document.SingleParty
	add(findings.ModelPin == NotPinned, "open.model", true)
	add(!findings.KeyPinned, "open.key", true)
	add(findings.KeyPinned && key.Setup == document.SingleParty, "open.single-party", true)
	add(findings.Query == nil, "open.query", false)
	add(findings.Query != nil && findings.QueryFound, "open.query_found", false)
	add(findings.Context == nil, "open.context", false)
	add(findings.Context != nil && findings.ContextFound, "open.context_found", false)
	add(findings.Minimum == "" && moves, "open.minimum", false)
	add(s.UseRanges && !findings.Ranges, "open.ranges", false)
	add(s.AllowLoss, "open.loss", false)
	for _, way := range []string{"increasing", "decreasing"} {
		features := l.monotone(s, way)
		add(features != "", "open."+way, false, texts{"names": features, "label": l.word(s.Labels[1])})
	}
	add(others, "open."+key.Setup, false)
	add(others && key.Imported, "open.imported", false)
	add(findings.Log && findings.Logged == nil, "open.log", false)
	if at := findings.Logged; at != nil {
		add(at.Until == "", "open.log_alone", true)
		add(!at.OwnerPinned, "open.log_owner", false, texts{"owner": l.word(at.Owner)})
		until := strings.TrimSuffix(strings.Replace(at.Until, "T", " ", 1), "Z")
		add(until != "", "open.retired", false, texts{"time": until})
		add(until == "", "open.retired_alone", false)
		add(findings.Receipt != "" && !findings.ReceiptLogged, "open.receipt_log", false)
	}
	add(true, "open.letter", false, texts{"label": l.word(s.Labels[findings.Label])})
	return lines
}

// monotone lists the features of which the owner states that they only ever move the score this way; empty for none.
func (l *words) monotone(s *spec.Spec, way string) string {
	var all []string
	for _, f := range s.Features {
		if f.Moves(way) {
			all = append(all, l.name(s, f))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return l.joined(all, "or")
}

// neverShown lists what no certificate shows.
func (l *words) neverShown(s *spec.Spec) (lines []string) {
	var all, quoted []string
	for _, f := range s.Sensitive {
		all, quoted = append(all, l.name(s, f)), append(quoted, l.quoted(shownName(s, f)))
	}
	filled := texts{"names": l.joined(all, "or"), "quoted_names": l.joined(quoted, "or")}
	for _, which := range []string{"never.model", "never.stand-in", "never.values", "never.good", "never.everybody"} {
		lines = append(lines, l.say(which, filled))
	}
	return lines
}

// name is a feature's name in a sentence.
func (l *words) name(s *spec.Spec, f *spec.Feature) string { return l.word(shownName(s, f)) }

// either returns the first text if something holds, and else the second.
func either(holds bool, first, second string) string {
	if holds {
		return first
	}
	return second
}

func listed(texts []string) []canonical.Value {
	return canonical.ListValue(texts, func(text string) canonical.Value { return text })
}
