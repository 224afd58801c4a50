package many

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"equiproof/verify/canonical"
	"equiproof/verify/tables"
	"equiproof/verify/text"
	"equiproof/verify/verdict"
	"equiproof/verify/words"
)

// The text names so many of the files that are not accepted and of the checks that were left open, and the document has so
// many of these files.
const (
	shownLines = 20
	keptFiles  = 1000
)

// Summary is what became of all files together. Boxes says that they are box certificates.
type Summary struct {
	Boxes                             bool
	verdicts, reasons, keys, leftOpen counter
	names                             map[string]bool
	notAccepted                       []Row
}

// counter counts texts in the order in which they first came.
type counter struct {
	counts map[string]int
	order  []string
}

func (c *counter) add(name string) {
	if c.counts == nil {
		c.counts = map[string]int{}
	}
	if c.counts[name]++; c.counts[name] == 1 {
		c.order = append(c.order, name)
	}
}

// mostCommon are the texts, the most frequent first.
func (c *counter) mostCommon() []string {
	return slices.SortedStableFunc(slices.Values(c.order), func(left, right string) int {
		return cmp.Compare(c.counts[right], c.counts[left])
	})
}

// Add counts the verdicts of a chunk.
func (s *Summary) Add(rows []Row) {
	if s.names == nil {
		s.names = map[string]bool{}
	}
	for _, row := range rows {
		s.verdicts.add(row.Verdict())
		if v := row.Verified; v != nil {
			s.names[v.Identity] = true
			s.keys.add(v.Key.Fingerprint)
			for _, check := range v.NotMade {
				s.leftOpen.add(check)
			}
		}
		if row.Err != nil {
			s.reasons.add(row.Verdict() + " " + row.Err.Reason)
			if len(s.notAccepted) < keptFiles {
				s.notAccepted = append(s.notAccepted, row)
			}
		}
	}
}

// Total is the number of certificates: every file but those of other kinds.
func (s *Summary) Total() int {
	sum := 0
	for name, count := range s.verdicts.counts {
		if name != Other {
			sum += count
		}
	}
	return sum
}

// Nothing is the error about a source with no certificate in it.
func (s *Summary) Nothing(path string) error {
	if s.Boxes {
		return verdict.New(verdict.Malformed, "unreadable", tables.Say("many.no_box", path))
	}
	return verdict.New(verdict.Malformed, "unreadable", tables.Say("many.no_certificate", path))
}

// ExitCode is that of the run: a refusal weighs more than a malformed file.
func (s *Summary) ExitCode() int {
	switch {
	case s.verdicts.counts[Refused] > 0:
		return verdict.Refused
	case s.verdicts.counts[Malformed] > 0:
		return verdict.Misused
	}
	return verdict.OK
}

// Document is all of it as a JSON document; `not_accepted` has the first thousand only. Out is the file of the results, ""
// for none.
func (s *Summary) Document(out string) *canonical.Object {
	number := canonical.IntegerValue
	total := "certificates"
	if s.Boxes {
		total = "box_certificates"
	}
	result := canonical.NewObject().Set(total, number(s.Total())).Set("different", number(len(s.names)))
	for _, verdict := range []string{Verified, Refused, Malformed, Other} {
		result.Set(verdict, number(s.verdicts.counts[verdict]))
	}
	countsOf := func(names []string, counts map[string]int) *canonical.Object {
		object := canonical.NewObject()
		for _, name := range names {
			object.Set(name, number(counts[name]))
		}
		return object
	}
	result.Set("reasons", canonical.ListValue(s.reasons.mostCommon(), func(both string) canonical.Value {
		verdict, reason, _ := strings.Cut(both, " ")
		return canonical.NewObject().Set("verdict", verdict).Set("reason", reason).
			Set("count", number(s.reasons.counts[both]))
	})).Set("keys", countsOf(s.keys.mostCommon(), s.keys.counts)).
		Set("not_accepted", canonical.ListValue(s.notAccepted, func(row Row) canonical.Value { return row.Document() })).
		Set("checks_not_made", countsOf(s.leftOpen.order, s.leftOpen.counts)).Set("checker", "native").Set("out", nil)
	if out != "" {
		result.Set("out", out)
	}
	return result
}

// Text is the table: how many are verified, why others are not, which these are, and what was not checked.
func (s *Summary) Text(out string) string {
	verified := s.verdicts.counts[Verified]
	report, kind := tables.Reports().Many, "certificates"
	if s.Boxes {
		kind = "boxes"
	}
	lines := report.Said("verified", tables.Facts{"kind": kind, "same": tables.Some(verified - len(s.names))},
		tables.Values{"verified": verified, "total": s.Total(), "count": len(s.names)})
	for at := range lines[1:] {
		lines[at+1] = "  " + lines[at+1]
	}
	for _, key := range s.keys.mostCommon() {
		lines = append(lines, "  "+tables.Say("many.under_key", s.keys.counts[key], text.Cut(key, 16)+"..."))
	}
	if len(s.notAccepted) > 0 {
		lines = append(lines, "", tables.Say("many.not_accepted", s.Total()-verified))
		lines = append(append(append(lines, s.reasonLines()...), ""), s.fileLines()...)
	}
	others := s.verdicts.counts[Other]
	left := tables.Facts{"kind": kind, "others": tables.Some(others)}
	for _, line := range report.Said("left_out", left, tables.Values{"count": others}) {
		lines = append(lines, "", line)
	}
	for _, heading := range report.Said("unchecked", tables.Facts{"kind": kind, "verified": tables.Some(verified)}, nil) {
		lines = append(lines, "", heading)
	}
	for _, check := range s.leftOpen.order[:min(shownLines, len(s.leftOpen.order))] {
		line, about, count := "  - "+check, "all", s.leftOpen.counts[check]
		if count != verified {
			about = "some"
		}
		for _, of := range report.Said("about", tables.Facts{"about": about}, tables.Values{"count": count}) {
			line += " " + of
		}
		lines = append(lines, line)
	}
	more := max(0, len(s.leftOpen.order)-shownLines)
	for _, line := range report.Said("more_checks", tables.Facts{"more": tables.Some(more)}, tables.Values{"count": more}) {
		lines = append(lines, "  "+line)
	}
	lines = append(lines, "", tables.Say("many.by_library"))
	written := report.Said("out", tables.Facts{"out": tables.Given(out != "")}, tables.Values{"path": out})
	return strings.Join(append(lines, written...), "\n")
}

// meaning is what a reason means for the reader, in one sentence. No policy of a verification of many has reasons of its own.
func meaning(reason string) string {
	answer, err := words.Refusal(reason, "", tables.Spoken(), "")
	if err != nil {
		panic(err) // the language is of the table
	}
	parts := words.PartsOf(answer)
	if parts.Outcome == "not-a-certificate" {
		return words.ForTerminal(parts.Heading)
	}
	return words.ForTerminal(parts.Below[0])
}

// reasonLines has a line for each reason, the most frequent first, with what it means.
func (s *Summary) reasonLines() (lines []string) {
	all, widest := s.reasons.mostCommon(), 0
	width := len(fmt.Sprint(s.reasons.counts[all[0]]))
	for _, both := range all {
		_, reason, _ := strings.Cut(both, " ")
		widest = max(widest, len(reason))
	}
	for _, both := range all {
		verdict, reason, _ := strings.Cut(both, " ")
		lines = append(lines, fmt.Sprintf("  %*d  %-9s  %-*s  %s",
			width, s.reasons.counts[both], verdict, widest, reason, meaning(reason)))
	}
	return lines
}

// fileLines has a line for each of the first files that are not accepted.
func (s *Summary) fileLines() (lines []string) {
	for _, row := range s.notAccepted[:min(shownLines, len(s.notAccepted))] {
		lines = append(lines, fmt.Sprintf("  %s: %s: %s", text.Plain(row.File), row.Verdict(), text.Plain(row.Err.Message)))
	}
	more := s.Total() - s.verdicts.counts[Verified] - len(lines)
	facts := tables.Facts{"more": tables.Some(more)}
	for _, line := range tables.Reports().Many.Said("more_files", facts, tables.Values{"count": more}) {
		lines = append(lines, "  "+line)
	}
	return lines
}
