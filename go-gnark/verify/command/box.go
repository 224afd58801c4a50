package command

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"equiproof/verify"
	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/policy"
	"equiproof/verify/present"
	"equiproof/verify/statement"
	"equiproof/verify/tables"
)

// boxOptions are those of `equiproof box verify` and, with --many, of `equiproof box verify-many`, but for --checker.
var boxOptions = slices.Concat(
	[]option{
		{name: "commitment", value: "FILE", help: "The owner's public commitment file, from a place that shows everybody the same one."},
		{name: "keys", value: "FOLDER", help: "The folder of keys that you trust."},
		{name: "box", value: "FILE", help: "The opened box: require that the certificate is about it."},
		{name: "label", value: "NAME", help: "Require that the certificate says this label."},
		{name: "refusal", value: "FILE", help: "The certificate of a refusal: require that the box is one that the spec's rules of " +
			"change say for whom it is about. Goes with --box and --query."},
		{name: "query", value: "FILE", help: "The query file of the refusal."},
		{name: "wishes", value: "FILE", help: "What its applicant does not want to change, beside the rules."},
		{name: "within", value: "PERCENT", help: "Compare the box with a part of what the refusal's applicant may change: numbers go " +
			"so far to their ends."},
	},
	policyOptions(tables.Policies(), "box verify", []string{"ForContext"}, nil),
	[]option{
		{name: "dated-by", value: "FILE", help: "A log proof of the certificate's own file: require that the log of --log-key dates it."},
		{name: "many", value: "FOLDER|JSONL", help: "Verify a folder of box certificates (*.json) and folders with a " +
			"certificate.json, or a file of one box certificate a line, in place of FILE; an opened box in such a folder must open " +
			"it. Exits 1 if any is refused, otherwise 2 if any is malformed."},
		{name: "jobs", value: "NUMBER", help: "With --many: on how many threads. Default: one per processor."},
		{name: "out", value: "FILE", help: "With --many: where to write the results, a JSON object a line, one for each file."},
		{name: "force", help: "With --many: overwrite an existing --out."},
		languageOption,
		{name: "json", help: tables.Written("option.json")},
		{name: "help", help: "Show this message and exit."},
	},
)

const boxUsage = `Usage: equiproof-verify box [OPTIONS] FILE

Verify a box certificate; say what was checked and what not. Commitment and
keys are those that you trust, and must be given.

Exits 0 if the certificate is verified, 1 if it is refused, and 2 for a
malformed file or wrong usage. A file of this name is meant by ./box.

Options:
`

// forOneBox are the options that go with one box certificate only.
var forOneBox = []string{"box", "label", "context", "dated-by"}

// isBox says whether the words of the command are about a box certificate.
func isBox(arguments []string) bool { return len(arguments) > 0 && arguments[0] == "box" }

// boxVerify verifies a box certificate, or many.
func boxVerify(s streams, arguments []string) error {
	g, err := s.ofOneFile(arguments, boxOptions, boxUsage)
	if g == nil || err != nil {
		return err
	}
	if err := g.withMany(forOneBox); err != nil {
		return err
	}
	if err := g.speak(); err != nil {
		return err
	}
	defer tables.Speak(tables.Languages[0])
	if g.has("many") {
		run, err := g.trustedMany(s)
		if err != nil {
			return err
		}
		run.Boxes = true
		return judgeAll(s, g, run)
	}
	found, err := g.box()
	if err != nil {
		return err
	}
	outcome := resultOf(found.Verified, nil)
	var ends *canonical.Object
	if found.opened != nil {
		ends = found.opened.Sentences(found.Spec)
	}
	if g.has("json") {
		return s.print(jsonText(outcome.boxDocument(ends, found.dated)))
	}
	first := found.Answer
	if first == "" {
		first = found.Sentence()
	}
	lines := []string{tables.Say("technical.verified", first)}
	if ends != nil {
		lines = append(lines, belowEachOther(ends)...)
	}
	return s.print(strings.Join(append(lines, outcome.checks()...), "\n"))
}

// boxResult is what was verified, with the opened box and where the file's entry stands in a log, each nil for none.
type boxResult struct {
	*verify.Verified
	opened *document.OpenedBox
	dated  *policy.Standing
}

// box reads the files, and verifies.
func (g *given) box() (found boxResult, err error) {
	certificate, err := readOne(g.files[0], document.ReadBox)
	if err != nil {
		return found, err
	}
	asked := verify.AskedBox{Label: g.value("label")}
	if asked.Opened, err = readOption(g, "box", document.ReadOpenedBox); err != nil {
		return found, err
	}
	if asked.Refusal, err = g.refusal(); err != nil {
		return found, err
	}
	terms := &demands{now: time.Now().Unix()}
	verifier, err := g.trusting(terms)
	if err != nil {
		return found, err
	}
	if terms.proof, err = g.logProofBeside(g.files[0]); err != nil {
		return found, err
	}
	terms.query = nil // it is the refusal's: nobody's query is in a statement about a box
	requirements, err := g.requirements(terms)
	if err != nil {
		return found, err
	}
	if asked.Dated, err = g.datedBy(terms); err != nil {
		return found, err
	}
	if found.opened = asked.Opened; found.opened == nil {
		found.opened = certificate.Opened
	}
	candidate, err := verifier.JudgeBox(certificate, asked, requirements)
	if found.Verified, err = proven(g.files[0], candidate, err); err == nil && asked.Dated != nil {
		found.dated, err = asked.Dated.Judge(certificate)
	}
	return found, err
}

// datedBy is what a log must hold of the file, nil where no option says so.
func (g *given) datedBy(terms *demands) (*policy.BoxDated, error) {
	if !g.has("dated-by") {
		return nil, nil
	}
	log, err := g.logTerms(terms)
	if err != nil {
		return nil, err
	}
	if log == nil {
		return nil, errors.New(tables.Say("option.log_key_missing", "--dated-by"))
	}
	proof, err := present.Read(g.text("dated-by"), canonical.MaxBytes)
	if err != nil {
		return nil, err
	}
	dated, err := policy.DatedBy(log, proof)
	if err != nil {
		return nil, fmt.Errorf("--dated-by: %w", err)
	}
	return dated, nil
}

// refusal reads what a box is compared with; nil where nothing is given.
func (g *given) refusal() (other *verify.Refusal, err error) {
	if !g.has("refusal") && !g.has("query") && !g.has("wishes") && !g.has("within") {
		return nil, nil
	}
	if !g.has("box") || !g.has("refusal") || !g.has("query") {
		return nil, errors.New(tables.Say("box.options_go_together"))
	}
	other = new(verify.Refusal)
	if typed := g.value("within"); typed != nil {
		if other.Within, err = strconv.Atoi(*typed); err != nil || other.Within < 1 || other.Within > 99 {
			return nil, errors.New("--within: " + tables.Say("pair.within_unfit"))
		}
	}
	if other.Wishes, err = readOption(g, "wishes", document.ReadWishes); err != nil {
		return nil, err
	}
	if other.Certificate, err = readOption(g, "refusal", document.ReadCertificate); err != nil {
		return nil, err
	}
	other.Query, err = readOption(g, "query", document.ReadQuery)
	return other, err
}

// boxDocument is what was verified as a JSON document; ends are the values of the box in words, nil where it was not opened, and
// dated is where the file's entry stands in a log, nil where that was not asked for.
func (r *result) boxDocument(ends *canonical.Object, dated *policy.Standing) *canonical.Object {
	texts := func(all []string) canonical.Value {
		return canonical.ListValue(all, func(text string) canonical.Value { return text })
	}
	object := canonical.NewObject().Set("verdict", "verified").Set("certificate", r.Identity).Set("statement", r.Sentence()).
		Set("label", r.Reading.Get("label")).Set("sensitive", r.Reading.Get("sensitive")).Set("box", nil).Set("answer", nil).
		Set("dated", nil).Set("model_commitment", statement.Hex(r.Statement.ModelCommitment)).Set("key_fingerprint", r.Key.Fingerprint).
		Set("setup", nil).Set("proof_system", r.Key.ProofSystem).
		Set("checks_made", texts(r.Made)).Set("checks_not_made", texts(r.NotMade)).Set("checker", "native")
	if r.Pins.Key {
		object.Set("setup", r.Key.Setup)
	}
	if ends != nil {
		object.Set("box", ends)
	}
	if r.Answer != "" {
		object.Set("answer", r.Answer)
	}
	if dated != nil {
		object.Set("dated", dated.ShownSince())
	}
	return object
}
