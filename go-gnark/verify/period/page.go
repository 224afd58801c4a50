package period

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"equiproof/verify/tables"
	"equiproof/verify/words"
)

// Sizes of the picture of dots; more than mostDots drawn ones are counted, and not drawn.
const (
	dotsInRow = 30
	dotPitch  = 10
	dotLine   = 15
	mostDots  = 1_200
)

const minusSign = `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M5 12h14"/></svg>`

// page.css is equiproof/register/lot/page.css to the byte, which a test holds.
//
//go:embed page.css
var style string

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#x27;",
	"\u2068", "<bdi>", "\u2069", "</bdi>")

// html returns text as HTML; what is isolated in it stands in <bdi>.
func html(text string) string { return escapes.Replace(text) }

// element returns an element around HTML, of a class unless that is "".
func element(tag, inner, class string) string {
	if class != "" {
		class = fmt.Sprintf(` class="%s"`, class)
	}
	return fmt.Sprintf("<%s%s>%s</%s>", tag, class, inner, tag)
}

// Page is the page of a period, in the language of the report: one screen, one file, whose policy forbids scripts and requests.
// Twin of equiproof/register/lot/page.py.
func (r *Report) Page() string {
	parts := []string{
		r.head(), "<main>" + element("h1", html(tables.Say("page.heading", ShownPeriod(r.Period.Name))), ""), r.claim(),
		element("div", r.dots()+r.stepsPanel(), "two"), element("div", r.meansPanel()+r.neverPanel(), "two"),
		r.groupsPanel(), r.own(), r.details() + "</main>",
	}
	sum := sha256.Sum256([]byte(style))
	policy := fmt.Sprintf("default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'",
		base64.StdEncoding.EncodeToString(sum[:]))
	return `<!doctype html>
<html lang="` + tables.Spoken() + `">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="` + policy + `">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>` + html(tables.Say("page.heading", r.Period.Name)+": "+tables.Say("page.title")) + `</title>
<style>` + style + `</style>
</head>
<body>
` + element("div", strings.Join(parts, "\n"), "wrap") + `
</body>
</html>
`
}

// head is whose page it is.
func (r *Report) head() string {
	whose := html(tables.Say("page.whose", words.Isolated(r.Period.Owner), r.words.Quoted(r.Commitment.Spec.Name)))
	return element("header", element("span", "Equiproof", "brand")+element("span", tables.Say("page.title"), "soft")+
		element("span", whose, "soft right"), "top")
}

// claim is the sentence, what was drawn, and what was promised.
func (r *Report) claim() string {
	inner := element("p", html(r.sentence()), "claim") + element("p", html(r.drawnInWords()), "")
	if promised, percentage := r.promised(); !r.Kept() {
		inner += element("p", html(promised)+" "+element("strong", html(percentage), ""), "")
	}
	return element("div", inner, "panel")
}

// panel is a section with a heading.
func panel(heading, inner, class string) string {
	label := strings.NewReplacer(" ", "-", "?", "", ".", "").Replace(strings.ToLower(heading))
	return fmt.Sprintf(`<section class="panel%s" aria-labelledby="%s"><h2 id="%s">%s</h2>%s</section>`,
		class, label, label, html(heading), inner)
}

// dots has one dot for each drawn receipt, in the order of the log, and the counts.
func (r *Report) dots() string {
	rest := r.Period.Drawn - r.certified()
	picture, figures := "", ""
	if len(r.Judgements) <= mostDots {
		legend := element("span", dot("hit")+html(tables.Say("page.valid_certificate", r.radius())), "")
		picture = r.picture(rest) + element("p", legend+element("span", dot("miss")+tables.Say("page.none"), ""), "legend")
	}
	for _, one := range []struct {
		name  string
		count int64
	}{
		{tables.Say("page.decisions"), r.Period.Receipts}, {tables.Say("page.drawn"), r.Period.Drawn},
		{tables.Say("page.certified"), r.certified()}, {tables.Say("page.none"), rest},
	} {
		figures += element("div", element("dt", one.name, "")+element("dd", r.words.Count(one.count), ""), "")
	}
	return panel(tables.Say("page.drawn_heading"), picture+element("dl", figures, "figures"), "")
}

func (r *Report) picture(rest int64) string {
	judgements := slices.Clone(r.Judgements)
	slices.SortFunc(judgements, func(left, right Judgement) int { return int(left.Entry - right.Entry) })
	dots := ""
	for place, one := range judgements {
		class := "miss"
		if one.Verdict == Certified {
			class = "hit"
		}
		dots += fmt.Sprintf(`<circle class="%s" cx="%d" cy="%d.5" r="3.6"/>`,
			class, place%dotsInRow*dotPitch+5, place/dotsInRow*dotLine+7)
	}
	rows := (len(judgements) + dotsInRow - 1) / dotsInRow
	return fmt.Sprintf(`<svg class="dots" viewBox="0 0 %d %d" role="img" aria-label="%s">%s</svg>`, dotsInRow*dotPitch,
		rows*dotLine, tables.Say("page.picture", len(judgements), r.certified(), rest), dots)
}

func dot(class string) string {
	return fmt.Sprintf(`<svg class="sign" viewBox="0 0 16 16" aria-hidden="true"><circle class="%s" cx="8" cy="8" r="6"/></svg>`,
		class)
}

func (r *Report) stepsPanel() string {
	items := ""
	for _, one := range r.steps() {
		inner := element("p", html(one.said), "")
		if one.detail != "" {
			inner += element("p", html(one.detail), "small soft")
		}
		items += element("li", element("div", inner, ""), "")
	}
	return panel(tables.Say("page.draw_heading"), element("ol", items, "time"), "")
}

func (r *Report) meansPanel() string {
	sentence, facts := r.means()
	return panel(tables.Say("page.radius_heading", r.radius()), element("p", html(sentence), "")+list(facts, "facts short"), "")
}

func (r *Report) neverPanel() string {
	items := ""
	for _, one := range r.never() {
		items += element("li", minusSign+element("p", html(one), ""), "")
	}
	return panel(tables.Say("page.open_heading"), element("ul", items, "checks"), "")
}

// groupsPanel has the drawn decisions by group, where the owner discloses groups.
func (r *Report) groupsPanel() string {
	rows, labels := r.groups(), r.Commitment.Spec.Labels
	if len(rows) == 0 {
		return ""
	}
	head, body := "", ""
	columns := []string{tables.Say("page.group"), tables.Say("page.drawn"), tables.Say("page.certified")}
	for _, one := range append(columns, labels...) {
		head += `<th scope="col">` + html(words.Isolated(one)) + "</th>"
	}
	for _, row := range rows {
		cells := `<th scope="row">` + html(words.Isolated(row.name)) + "</th>"
		counts := []int64{row.drawn, row.certified}
		for _, label := range labels {
			counts = append(counts, row.by[label])
		}
		for _, count := range counts {
			cells += element("td", r.words.Count(count), "")
		}
		body += element("tr", cells, "")
	}
	note := tables.Say("page.groups_note", words.Isolated(r.Period.Groups))
	table := fmt.Sprintf("<table><thead><tr>%s</tr></thead><tbody>%s</tbody></table>", head, body)
	return panel(tables.Say("page.groups_heading"), element("p", html(note), "")+table, "")
}

// own says how an applicant finds the own receipt.
func (r *Report) own() string {
	command := element("code", "equiproof lot check FOLDER LOG --receipt receipt.json", "")
	sentence := tables.Say("page.compare_receipt", r.words.Count(r.Period.Receipts)) + " "
	return panel(tables.Say("page.receipt_heading"), element("p", html(sentence)+command, ""), " noprint")
}

// details are what is needed to check all of this, and what the reader has not checked.
func (r *Report) details() string {
	facts := []fact{
		{tables.Say("page.period"),
			tables.Say("report.register_entries", r.words.Count(r.Period.First), r.words.Count(r.Period.Last))},
		{tables.Say("page.model"), grouped(r.Commitment.ModelCommitment)}, {tables.Say("page.close"), grouped(r.digest())},
		{tables.Say("page.draw"), grouped(fmt.Sprintf("%x", r.Drawn.seed))},
	}
	items := ""
	for _, one := range r.open() {
		items += element("li", html(one), "")
	}
	if items != "" {
		items = element("p", tables.Say("page.unchecked_heading"), "") + element("ul", items, "")
	}
	how := tables.Say("page.what_check_does", element("code", "equiproof lot check FOLDER LOG", ""),
		r.words.Count(r.Period.Receipts), r.words.Count(r.certified()))
	return element("details", element("summary", tables.Say("page.check_yourself"), "")+element("p", how, "")+
		list(facts, "facts")+
		items, "")
}

func list(facts []fact, class string) string {
	all := ""
	for _, one := range facts {
		all += element("dt", html(one.name), "") + element("dd", html(one.said), "")
	}
	return element("dl", all, class)
}

// grouped writes digits in groups of four.
func grouped(digits string) string {
	var groups []string
	for part := range slices.Chunk([]byte(digits), 4) {
		groups = append(groups, string(part))
	}
	return strings.Join(groups, " ")
}
