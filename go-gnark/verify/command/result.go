package command

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"equiproof/verify"
	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/names"
	"equiproof/verify/present"
	"equiproof/verify/statement"
	"equiproof/verify/tables"
	"equiproof/verify/words"
)

// result is what was verified, with what a command says of it.
type result struct {
	*verify.Verified
	intervals *canonical.Object // by feature the values among which each alone may move; nil without an applicant's data
	recourse  []present.Answer
}

func resultOf(verified *verify.Verified, query *document.Query) *result {
	outcome := &result{Verified: verified}
	if query != nil {
		outcome.intervals = canonical.NewObject()
		radius := verified.Radius()
		for _, f := range verified.Spec.Plain {
			outcome.intervals.Set(f.Name, verified.Spec.Interval(f, radius, query.Features.Get(f.Name)))
		}
	}
	return outcome
}

// document is what was verified as a JSON document. The set-up is null where the key is not pinned, so that nobody takes the
// word of a key that came with the certificate.
func (r *result) document() *canonical.Object {
	texts := func(all []string) canonical.Value {
		return canonical.ListValue(all, func(text string) canonical.Value { return text })
	}
	object := canonical.NewObject().Set("verdict", "verified").Set("certificate", r.Identity).Set("statement", r.Sentence()).
		Set("label", r.Reading.Get("label")).Set("radius", r.Reading.Get("radius_any")).
		Set("radius_grid", r.Reading.Get("radius")).
		Set("radius_squared", canonical.IntegerValue(int(r.Statement.RadiusSquared))).
		Set("features", r.Reading.Get("features")).Set("intervals", nil).Set("ranges", r.Reading.Get("ranges")).
		Set("model_commitment", statement.Hex(r.Statement.ModelCommitment)).Set("key_fingerprint", r.Key.Fingerprint).
		Set("pinned", canonical.NewObject().Set("commitment", r.Pins.Commitment).Set("key", r.Pins.Key)).
		Set("setup", nil).Set("proof_system", r.Key.ProofSystem).
		Set("checks_made", texts(r.Made)).Set("checks_not_made", texts(r.NotMade)).Set("checker", "native")
	if r.intervals != nil {
		object.Set("intervals", r.intervals)
	}
	if r.Pins.Key {
		object.Set("setup", r.Key.Setup)
	}
	r.addLink(object)
	if r.recourse != nil {
		object.Set("recourse", canonical.ListValue(r.recourse, func(one present.Answer) canonical.Value {
			box := resultOf(one.Verified, nil).boxDocument(one.Opened.Sentences(one.Spec), nil)
			document := canonical.NewObject().Set("name", one.Name)
			for _, name := range box.Names() {
				document.Set(name, box.Get(name))
			}
			return document
		}))
	}
	return object
}

// addLink adds what the document says of a link, nothing without one.
func (r *result) addLink(object *canonical.Object) {
	if r.LinkKey == nil {
		return
	}
	link := canonical.NewObject().Set("key_fingerprint", r.LinkKey.Fingerprint).Set("setup", nil)
	if r.Pins.Key {
		link.Set("setup", r.LinkKey.Setup)
	}
	object.Set("link", link)
}

// text is an answer about a certificate that was verified, the outcome and the three sentences first; lines are as wide as
// the terminal, or unbroken where there is none.
func (r *result) text(answer *canonical.Object, language string, verbose bool, width int) string {
	parts := words.PartsOf(answer)
	first := strings.Join(append([]string{parts.Heading}, parts.Below...), " ")
	lines := append(wrap(first, width, "", ""), "")
	for _, sentence := range parts.Sentences {
		lines = append(lines, wrap(sentence, width, "", "")...)
	}
	lines = append(lines, "", parts.BarsHeading)
	lines = append(lines, wrap(parts.BarsNote, width, "  ", "  ")...)
	lines = append(lines, bars(parts.Bars, language)...)
	list := func(label string) { lines = append(lines, "", words.Label(label, language)) }
	item := func(mark, text string) { lines = append(lines, wrap(text, width, "  "+mark+" ", "    ")...) }
	list("checked")
	for _, text := range parts.Checked {
		item("+", text)
	}
	list("not_checked")
	for _, one := range parts.NotChecked {
		item(map[bool]string{true: "!", false: "-"}[one.Warning], one.Text)
	}
	list("never_shown")
	for _, text := range parts.NeverShown {
		item("-", text)
	}
	if r.recourse != nil {
		lines = append(lines, "", words.Recourse(r.isWay(), language))
		for _, one := range r.recourse {
			item("+", one.Answer)
		}
		for _, open := range r.openOfRecourse() {
			item("-", open)
		}
	}
	lines = append(lines, "")
	if verbose {
		lines = append(lines, r.everythingElse(language)...)
	} else {
		lines = append(lines, words.Label("more", language))
	}
	for at := range lines {
		lines[at] = words.ForTerminal(lines[at])
	}
	return strings.Join(lines, "\n")
}

// isWay says whether a recourse has a way.
func (r *result) isWay() bool {
	return slices.ContainsFunc(r.recourse, func(one present.Answer) bool { return !one.IsNone })
}

// openOfRecourse is what a recourse leaves open beside what the certificate does.
func (r *result) openOfRecourse() (open []string) {
	for _, one := range r.recourse {
		for _, line := range one.NotMade {
			if !slices.Contains(r.NotMade, line) && !slices.Contains(open, line) {
				open = append(open, line)
			}
		}
	}
	return open
}

// everythingElse is what a technical reader wants besides: the exact statement, every check, and all digests.
func (r *result) everythingElse(language string) []string {
	features := r.intervals
	if features == nil {
		features = r.Reading.Object("features")
	}
	return append([]string{words.Label("everything", language), "  " + r.Sentence()}, r.technical(features)...)
}

// technical is the lines below a statement: the radius by feature, every check in technical words, and all digests.
func (r *result) technical(features *canonical.Object) []string {
	lines := []string{"  " + tables.Say("reading.radius_heading", r.Reading.Text("radius_any"))}
	lines = append(lines, belowEachOther(features)...)
	if ranges := r.Reading.Object("ranges"); ranges != nil {
		lines = append(lines, "  "+tables.Say("reading.inside_ranges_only"))
		lines = append(lines, belowEachOther(ranges)...)
	}
	return append(lines, r.checks()...)
}

// checks is every check in technical words, and all digests, as lines below what was verified.
func (r *result) checks() (lines []string) {
	for _, list := range []struct {
		name, mark string
		checks     []string
	}{{tables.Say("technical.checked"), "+", r.Made}, {tables.Say("technical.not_checked"), "-", r.NotMade}} {
		lines = append(lines, "  "+list.name)
		for _, check := range list.checks {
			lines = append(lines, "    "+list.mark+" "+check)
		}
	}
	setup := tables.Say("technical.unknown")
	if r.Pins.Key {
		setup = r.Key.Setup
	}
	return append(lines, "  "+tables.Say("technical.certificate", r.Identity),
		"  "+tables.Say("technical.model", statement.Hex(r.Statement.ModelCommitment)),
		"  "+tables.Say("technical.key", r.Key.Fingerprint),
		"  "+tables.Say("technical.setup", setup, r.Key.ProofSystem), "  "+tables.Say("technical.by_library"))
}

// bars returns a line for each feature: name, own value where it is known, and what is certified.
func bars(all []words.BarText, language string) (lines []string) {
	cells := make([][2]string, len(all))
	widths := [2]int{}
	for at, bar := range all {
		cells[at][0] = words.ForTerminal(bar.Name)
		if bar.Own != "" {
			cells[at][1] = words.ForTerminal(words.Label("yours", language, bar.Own))
		}
		for column, cell := range cells[at] {
			widths[column] = max(widths[column], utf8.RuneCountInString(cell))
		}
	}
	for at, bar := range all {
		line := "  " + padded(cells[at][0], widths[0]) + "  "
		if widths[1] > 0 {
			line += padded(cells[at][1], widths[1]) + "  "
		}
		lines = append(lines, line+words.ForTerminal(bar.Span))
	}
	return lines
}

// belowEachOther returns a line for each feature with what is stated of it, the texts below each other.
func belowEachOther(texts *canonical.Object) (lines []string) {
	width := 0
	for _, name := range texts.Names() {
		width = max(width, utf8.RuneCountInString(names.Quoted(name)))
	}
	for _, name := range texts.Names() {
		lines = append(lines, fmt.Sprintf("    %s  %s", padded(names.Quoted(name), width), texts.Text(name)))
	}
	return lines
}

func padded(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}
