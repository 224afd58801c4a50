package command

import (
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"strings"

	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/note"
	"equiproof/verify/period"
	"equiproof/verify/present"
	"equiproof/verify/tables"
	"equiproof/verify/text"
	"equiproof/verify/verdict"
	"equiproof/verify/words"
)

// maxKeyFile is the length of the longest file with one verifier key.
const maxKeyFile = 1 << 12

// lotOptions are those of `equiproof lot check`, but for --checker.
var lotOptions = []option{
	{name: "log-key", value: "KEY", help: tables.Written("option.log_key_of_period")},
	{name: "witnesses", value: "FILE", help: tables.Written("option.witnesses_of_close")},
	{name: "least-witnesses", value: "NUMBER", help: tables.Written("option.least_witnesses_of_close")},
	{name: "auditor", value: "KEY", repeated: true, help: tables.Written("option.auditor_key")},
	{name: "receipt", value: "FILE", help: tables.Written("option.receipt_counted")},
	{name: "html", value: "FILE", help: tables.Written("option.page")},
	{name: "force", help: tables.Written("option.force")},
	languageOption,
	{name: "json", help: tables.Written("option.json")},
	{name: "help", help: "Show this message and exit."},
}

const lotUsage = `Usage: equiproof-verify lot check [OPTIONS] FOLDER LOG

Check the audit by lot of a period from its folder and the log alone. LOG is
the log's folder or URL.

Counts the receipts, draws again, verifies every certificate, and computes what
that shows of all decisions. Exits 0 where the promised share is shown and every
answer holds, 1 otherwise. With --receipt: 0 where it is counted.

Options:
`

// isLot says whether the words of the command are about an audit by lot.
func isLot(arguments []string) bool {
	return len(arguments) > 1 && arguments[0] == "lot" && arguments[1] == "check"
}

// lotCheck checks a period.
func lotCheck(s streams, arguments []string) error {
	g, err := read(arguments, lotOptions)
	switch {
	case err != nil:
		return err
	case g.has("help"):
		return s.print(strings.TrimSuffix(helpOf(lotUsage, lotOptions), "\n"))
	case len(g.files) < 2:
		return misuse(fmt.Sprintf("Missing argument '%s'.", []string{"FOLDER", "LOG"}[len(g.files)]))
	case len(g.files) > 2:
		return misuse(fmt.Sprintf("Got unexpected extra argument (%s).", text.Cut(g.files[2], 40)))
	}
	if err := g.speak(); err != nil {
		return err
	}
	defer tables.Speak(tables.Languages[0])
	if err := refuseTaken(g.text("html"), g.has("force")); err != nil {
		return err
	}
	folder, err := period.Open(g.files[0])
	if err != nil {
		return err
	}
	pins, err := g.lotPins()
	if err != nil {
		return err
	}
	closed, err := folder.Close(g.files[1], pins)
	if err != nil {
		return err
	}
	if g.has("receipt") {
		return ownReceipt(s, g, closed)
	}
	return reportLot(s, g, closed)
}

// reportLot checks the draw and the answers, and says what they show.
func reportLot(s streams, g *given, closed *period.Closed) error {
	progress := newProgress(s, closed.Period.Drawn, g.has("json"))
	findings, err := closed.Check(func(done, _ int) { progress.tell(int64(done)) })
	progress.end()
	if err != nil {
		return err
	}
	report := findings.Report()
	result := report.Text()
	if path := g.text("html"); path != "" {
		err := writeWhole(path, g.has("force"), func(out io.Writer) error {
			_, err := io.WriteString(out, g.lotPage(findings))
			return err
		})
		if err != nil {
			return err
		}
		result += "\n\n" + tables.Say("page.written", path)
	}
	if g.has("json") {
		result = jsonText(report.Document())
	}
	if err := s.print(result); err != nil {
		return err
	}
	if !findings.Kept() || !findings.Honest() {
		return ended(verdict.Refused)
	}
	return nil
}

// lotPage is the page of a period. It is for people: it is in their language beside an object for programs too.
func (g *given) lotPage(findings *period.Findings) string {
	defer tables.Speak(tables.Spoken())
	tables.Speak(g.language())
	return findings.Report().Page()
}

// ownReceipt tells whether a receipt is counted.
func ownReceipt(s streams, g *given, closed *period.Closed) error {
	receipt, err := readOption(g, "receipt", document.ReadReceipt)
	if err != nil {
		return err
	}
	name := words.ForTerminal(period.ShownPeriod(closed.Period.Name))
	entry, drawn, err := closed.Counted.EntryOf(receipt.Digest())
	if err != nil {
		return err
	}
	object := canonical.NewObject().Set("counted", drawn).Set("entry", nil)
	if drawn {
		object.Set("entry", big.NewInt(entry))
	}
	result := tables.Reports().Lot.Said("receipt", tables.Facts{"counted": tables.Yes(drawn)},
		tables.Values{"entry": entry, "receipts": closed.Period.Receipts, "period": name})[0]
	if g.has("json") {
		result = jsonText(object.Set("receipt", receipt.Digest()))
	}
	if err := s.print(result); err != nil {
		return err
	}
	if !drawn {
		return ended(verdict.Refused)
	}
	return nil
}

// lotPins are what the reader knows from elsewhere.
func (g *given) lotPins() (pins period.Pins, err error) {
	least, err := g.number("least-witnesses", 1)
	if err != nil {
		return pins, err
	}
	if least != nil && !least.IsInt64() {
		return pins, misuse("Invalid value for '--least-witnesses': too large.")
	}
	if least != nil && !g.has("witnesses") {
		return pins, errors.New(tables.Say("lot.witnesses_missing"))
	}
	if path := g.value("witnesses"); path != nil {
		data, err := present.Read(*path, note.MaxBytes)
		if err != nil {
			return pins, err
		}
		if pins.Witnesses, err = note.ParseWitnesses(string(data), *path); err != nil {
			return pins, err
		}
		pins.Least = len(pins.Witnesses)
	}
	if least != nil {
		pins.Least = int(least.Int64())
	}
	if typed := g.value("log-key"); typed != nil {
		if pins.Log, err = readLogKey(*typed); err != nil {
			return pins, err
		}
	}
	for _, typed := range g.values["auditor"] {
		key, err := note.ParseKey(typed)
		if err != nil {
			return pins, err
		}
		pins.Auditors = append(pins.Auditors, key)
	}
	return pins, nil
}

// typedLogKey returns a log's verifier key as it was typed, or that of the file that was named.
func typedLogKey(typed string) (string, error) {
	if info, err := os.Stat(typed); err != nil || !info.Mode().IsRegular() {
		return typed, nil
	}
	key, err := readLogKey(typed)
	if err != nil {
		return "", err
	}
	return key.Line, nil
}

// readLogKey reads a log's verifier key, given as such or by a file.
func readLogKey(typed string) (*note.Key, error) {
	if _, err := os.Stat(typed); strings.Contains(typed, "+") && err != nil {
		return note.ParseKey(typed)
	}
	data, err := present.Read(typed, maxKeyFile)
	if err != nil {
		return nil, err
	}
	keys, err := note.ParseKeys(strings.ToValidUTF8(string(data), "\ufffd"), typed)
	if err != nil {
		return nil, err
	}
	if len(keys) != 1 {
		return nil, errors.New(tables.Say("log.too_many_keys", typed, len(keys)))
	}
	return keys[0], nil
}
