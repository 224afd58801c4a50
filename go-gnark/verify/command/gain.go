package command

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"equiproof/verify"
	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/policy"
	"equiproof/verify/present"
	"equiproof/verify/statement"
	"equiproof/verify/tables"
	"equiproof/verify/text"
	"equiproof/verify/verdict"
)

// gainOptions are those of `equiproof gain verify`, but for --checker.
var gainOptions = slices.Concat(
	[]option{
		{name: "commitment", value: "FILE", help: "The owner's public commitment file, from a place that shows everybody the same one."},
		{name: "keys", value: "FOLDER", help: "The folder of keys that you trust."},
	},
	policyOptions(tables.Policies(), "gain verify", []string{"ForQuery", "ForContext", "MinGain", "MinRadius", "GainOf"}, nil),
	[]option{
		linkOption,
		languageOption,
		{name: "json", help: tables.Written("option.json")},
		{name: "help", help: "Show this message and exit."},
	},
)

const gainUsage = `Usage: equiproof-verify gain [OPTIONS] FILE

Verify a gain certificate; say what was checked and what not. Commitment and
keys are those that you trust, and must be given.

Exits 0 if the certificate is verified, 1 if it is refused, and 2 for a
malformed file or wrong usage. A file of this name is meant by ./gain.

Options:
`

// isGain says whether the words of the command are about a gain certificate.
func isGain(arguments []string) bool { return len(arguments) > 0 && arguments[0] == "gain" }

// gainVerify verifies a gain certificate.
func gainVerify(s streams, arguments []string) error {
	g, err := s.ofOneFile(arguments, gainOptions, gainUsage)
	if g == nil || err != nil {
		return err
	}
	if err := g.speak(); err != nil {
		return err
	}
	defer tables.Speak(tables.Languages[0])
	compared, err := g.compared()
	if err != nil {
		return err
	}
	verified, err := g.gain(compared)
	if err != nil {
		return err
	}
	outcome := resultOf(verified, nil)
	if g.has("json") {
		return s.print(jsonText(outcome.gainDocument()))
	}
	first := tables.Say("technical.verified", verified.Sentence())
	lines := append([]string{first}, outcome.technical(verified.Reading.Object("features"))...)
	return s.print(strings.Join(lines, "\n"))
}

// gain reads the files, and verifies.
func (g *given) gain(compared *policy.GainOf) (*verify.Verified, error) {
	certificate, err := readOne(g.files[0], document.ReadGain)
	if err != nil {
		return nil, err
	}
	terms := &demands{gain: compared}
	verifier, err := g.trusting(terms)
	if err != nil {
		return nil, err
	}
	if verifier.Link, err = g.linkOf(&certificate.Proven); err != nil {
		return nil, err
	}
	requirements, err := g.requirements(terms)
	if err != nil {
		return nil, err
	}
	name := g.files[0]
	if g.has("query") {
		name = g.text("query")
	}
	candidate, err := verifier.JudgeGain(certificate, requirements)
	return proven(name, candidate, err)
}

// linkOf is the link of the option, or the one beside the certificate or the commitment that a kept key needs; nil for none.
func (g *given) linkOf(certificate *document.Proven) (*document.Link, error) {
	link, err := readOption(g, "link", document.ReadLink)
	for _, beside := range []string{g.files[0], g.text("commitment")} {
		if err == nil && link == nil {
			link, err = present.LinkBeside(filepath.Dir(beside), certificate, nil)
		}
	}
	return link, err
}

// ofOneFile reads the words of a command about a certificate of one kind: a file, and options of which commitment and keys are
// given; nil where it printed its help. With --many, which names files itself, there is no file.
func (s streams) ofOneFile(arguments []string, options []option, usage string) (*given, error) {
	g, err := read(arguments, options)
	if err != nil {
		return nil, err
	}
	most := 1
	if g.has("many") {
		most = 0
	}
	switch {
	case g.has("help"):
		return nil, s.print(strings.TrimSuffix(helpOf(usage, options), "\n"))
	case !g.has("commitment") || !g.has("keys"):
		return nil, misuse("Missing option '--commitment' or '--keys'.")
	case len(g.files) < most:
		return nil, misuse("Missing argument 'FILE'.")
	case len(g.files) > most:
		return nil, misuse(fmt.Sprintf("Got unexpected extra argument (%s).", text.Cut(g.files[most], 40)))
	}
	return g, nil
}

// trusting reads commitment, keys, query and context of the options, and returns a verifier that trusts the first two.
func (g *given) trusting(terms *demands) (_ *verify.Verifier, err error) {
	if terms.commitment, err = readOption(g, "commitment", document.ReadCommitment); err != nil {
		return nil, err
	}
	if terms.keys, err = present.OpenStore(g.text("keys")); err != nil {
		return nil, err
	}
	if terms.query, err = readOption(g, "query", document.ReadQuery); err != nil {
		return nil, err
	}
	if terms.context, err = readOption(g, "context", document.ReadContext); err != nil {
		return nil, err
	}
	pins := policy.Pins{Commitment: true, Key: true}
	return &verify.Verifier{Commitment: terms.commitment, Keys: terms.keys, Pins: pins}, nil
}

// proven makes the last check of a certificate that was judged; a malformed file's error names it.
func proven(name string, candidate *verify.Judged, err error) (*verify.Verified, error) {
	if err != nil {
		return nil, verdict.Named(name, err)
	}
	verified, err := candidate.Prove()
	return verified, verdict.Named(name, err)
}

// compared is what must be compared, nil where no option says it; a part of it is an error.
func (g *given) compared() (*policy.GainOf, error) {
	label, first, second := g.has("label"), g.has("first"), g.has("second")
	if !label && !first && !second {
		return nil, nil
	}
	if !label || !first || !second {
		return nil, errors.New(tables.Say("gain.options_go_together"))
	}
	one, err := g.sensitive("first")
	if err != nil {
		return nil, err
	}
	other, err := g.sensitive("second")
	return &policy.GainOf{Label: g.text("label"), First: one, Second: other}, err
}

// sensitive reads sensitive values such as "sex=male".
func (g *given) sensitive(option string) (*canonical.Object, error) {
	values := canonical.NewObject()
	for _, typed := range g.values[option] {
		at := strings.LastIndex(typed, "=")
		if at < 1 || at == len(typed)-1 {
			return nil, errors.New(tables.Say("gain.assignment_malformed", option, text.Repr(typed)))
		}
		if values.Has(typed[:at]) {
			return nil, errors.New(tables.Say("gain.assignment_twice", option, text.Repr(typed), text.Repr(typed[:at])))
		}
		values.Set(typed[:at], typed[at+1:])
	}
	return values, nil
}

// gainDocument is what was verified as a JSON document.
func (r *result) gainDocument() *canonical.Object {
	texts := func(all []string) canonical.Value {
		return canonical.ListValue(all, func(text string) canonical.Value { return text })
	}
	gain := r.Statement.Gain
	object := canonical.NewObject().Set("verdict", "verified").Set("certificate", r.Identity).Set("statement", r.Sentence()).
		Set("label", r.Reading.Get("label")).Set("first", r.Reading.Get("first")).Set("second", r.Reading.Get("second")).
		Set("gain", r.Reading.Get("gain")).Set("least_gain", gain.Least.String()).
		Set("logit_fraction_bits", canonical.IntegerValue(gain.FractionBits)).
		Set("radius", r.Reading.Get("radius_any")).Set("radius_grid", r.Reading.Get("radius")).
		Set("radius_squared", canonical.IntegerValue(int(r.Statement.RadiusSquared))).
		Set("features", r.Reading.Get("features")).
		Set("model_commitment", statement.Hex(r.Statement.ModelCommitment)).Set("key_fingerprint", r.Key.Fingerprint).
		Set("setup", r.Key.Setup).Set("proof_system", r.Key.ProofSystem).
		Set("checks_made", texts(r.Made)).Set("checks_not_made", texts(r.NotMade)).Set("checker", "native")
	r.addLink(object)
	return object
}
