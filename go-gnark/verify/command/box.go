package command

import (
	"errors"
	"slices"
	"strings"

	"equiproof/verify"
	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/statement"
	"equiproof/verify/tables"
)

// boxOptions are those of `equiproof box verify`, but for --checker.
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
	},
	policyOptions(tables.Policies(), "box verify", []string{"ForContext"}, nil),
	[]option{
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

// isBox says whether the words of the command are about a box certificate.
func isBox(arguments []string) bool { return len(arguments) > 0 && arguments[0] == "box" }

// boxVerify verifies a box certificate.
func boxVerify(s streams, arguments []string) error {
	g, err := s.ofOneFile(arguments, boxOptions, boxUsage)
	if g == nil || err != nil {
		return err
	}
	if err := g.speak(); err != nil {
		return err
	}
	defer tables.Speak(tables.Languages[0])
	verified, opened, err := g.box()
	if err != nil {
		return err
	}
	outcome := resultOf(verified, nil)
	var ends *canonical.Object
	if opened != nil {
		ends = opened.Sentences(verified.Spec)
	}
	if g.has("json") {
		return s.print(jsonText(outcome.boxDocument(ends)))
	}
	first := verified.Answer
	if first == "" {
		first = verified.Sentence()
	}
	lines := []string{tables.Say("technical.verified", first)}
	if ends != nil {
		lines = append(lines, belowEachOther(ends)...)
	}
	return s.print(strings.Join(append(lines, outcome.checks()...), "\n"))
}

// box reads the files, and verifies; it returns the opened box, nil for none.
func (g *given) box() (*verify.Verified, *document.OpenedBox, error) {
	certificate, err := readOne(g.files[0], document.ReadBox)
	if err != nil {
		return nil, nil, err
	}
	asked := verify.AskedBox{Label: g.value("label")}
	if asked.Opened, err = readOption(g, "box", document.ReadOpenedBox); err != nil {
		return nil, nil, err
	}
	if asked.Refusal, err = g.refusal(); err != nil {
		return nil, nil, err
	}
	terms := new(demands)
	verifier, err := g.trusting(terms)
	if err != nil {
		return nil, nil, err
	}
	terms.query = nil // it is the refusal's: nobody's query is in a statement about a box
	requirements, err := g.requirements(terms)
	if err != nil {
		return nil, nil, err
	}
	opened := asked.Opened
	if opened == nil {
		opened = certificate.Opened
	}
	candidate, err := verifier.JudgeBox(certificate, asked, requirements)
	verified, err := proven(g.files[0], candidate, err)
	return verified, opened, err
}

// refusal reads what a box is compared with; nil where nothing is given.
func (g *given) refusal() (other *verify.Refusal, err error) {
	if !g.has("refusal") && !g.has("query") && !g.has("wishes") {
		return nil, nil
	}
	if !g.has("box") || !g.has("refusal") || !g.has("query") {
		return nil, errors.New(tables.Say("box.options_go_together"))
	}
	other = new(verify.Refusal)
	if other.Wishes, err = readOption(g, "wishes", document.ReadWishes); err != nil {
		return nil, err
	}
	if other.Certificate, err = readOption(g, "refusal", document.ReadCertificate); err != nil {
		return nil, err
	}
	other.Query, err = readOption(g, "query", document.ReadQuery)
	return other, err
}

// boxDocument is what was verified as a JSON document; ends are the values of the box in words, nil where it was not opened.
func (r *result) boxDocument(ends *canonical.Object) *canonical.Object {
	texts := func(all []string) canonical.Value {
		return canonical.ListValue(all, func(text string) canonical.Value { return text })
	}
	object := canonical.NewObject().Set("verdict", "verified").Set("certificate", r.Identity).Set("statement", r.Sentence()).
		Set("label", r.Reading.Get("label")).Set("sensitive", r.Reading.Get("sensitive")).Set("box", nil).Set("answer", nil).
		Set("model_commitment", statement.Hex(r.Statement.ModelCommitment)).Set("key_fingerprint", r.Key.Fingerprint).
		Set("setup", r.Key.Setup).Set("proof_system", r.Key.ProofSystem).
		Set("checks_made", texts(r.Made)).Set("checks_not_made", texts(r.NotMade)).Set("checker", "native")
	if ends != nil {
		object.Set("box", ends)
	}
	if r.Answer != "" {
		object.Set("answer", r.Answer)
	}
	return object
}
