package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"equiproof/verify"
	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/policy"
	"equiproof/verify/present"
	"equiproof/verify/tables"
	"equiproof/verify/text"
	"equiproof/verify/verdict"
	"equiproof/verify/words"
)

// Version is that of the project.
const Version = "1.0.0rc1"

const program = "equiproof-verify"

// streams are where a command writes: results, and what went wrong.
type streams struct{ out, err io.Writer }

// Run runs the command and returns its exit code. A user's mistake, and a refusal, becomes one line on the second stream.
func Run(arguments []string, out, err io.Writer) (code int) {
	s := streams{out, err}
	defer func() {
		if fault := recover(); fault != nil {
			fmt.Fprintf(err, "%s: a fault of the program: %v\n%s", program, fault, debug.Stack())
			code = verdict.Fault
		}
	}()
	if isLot(arguments) {
		return s.failed(lotCheck(s, arguments[2:]))
	}
	if isGain(arguments) {
		return s.failed(gainVerify(s, arguments[1:]))
	}
	if isBox(arguments) {
		return s.failed(boxVerify(s, arguments[1:]))
	}
	g, failure := read(arguments, options)
	if failure != nil {
		return s.failed(failure)
	}
	return s.failed(run(s, g))
}

// run does what the options say.
func run(s streams, g *given) error {
	switch {
	case g.has("help"):
		return s.print(strings.TrimSuffix(help(), "\n"))
	case g.has("version"):
		return s.print(program + " " + Version)
	}
	most := 1
	if g.has("many") {
		most = 0
	}
	if len(g.files) > most {
		return misuse(fmt.Sprintf("Got unexpected extra argument (%s).", text.Cut(g.files[most], 40)))
	}
	if err := g.checkMany(); err != nil {
		return err
	}
	if g.has("many") {
		return severally(s, g)
	}
	if len(g.files) == 0 {
		return misuse("Missing argument 'FILE'.")
	}
	return one(s, g)
}

// failed writes what went wrong, if anything did, and returns the exit code.
func (s streams) failed(err error) int {
	var refusal *verdict.Error
	var words misuse
	var code ended
	switch {
	case err == nil:
		return verdict.OK
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &refusal) && refusal.ExitCode() == verdict.Refused:
		fmt.Fprintf(s.err, "refused: %s\n", text.Brief(err.Error()))
		return verdict.Refused
	case errors.As(err, &words):
		fmt.Fprintf(s.err, "%s: %s\n", program, text.Brief(fmt.Sprintf("%s See `%s --help`.", err.Error(), program)))
	default:
		fmt.Fprintf(s.err, "%s: %s\n", program, text.Brief(err.Error()))
	}
	return verdict.Misused
}

// print writes a result.
func (s streams) print(result string) error {
	if _, err := io.WriteString(s.out, result+"\n"); err != nil {
		var path *os.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

// demands are what the relying party has and requires.
type demands struct {
	commitment *document.Commitment
	keys       *verify.Store
	query      *document.Query
	context    *document.Context
	proof      []byte
	now        int64
	gain       *policy.GainOf
	policy     policy.Policy
}

// one verifies one certificate.
func one(s streams, g *given) error {
	path, language := g.files[0], g.language()
	if err := g.speak(); err != nil {
		return err
	}
	defer tables.Speak(tables.Languages[0])
	presentation, err := g.presented(path)
	if err != nil {
		return inWords(path, language, err)
	}
	if err := g.addLogged(presentation); err != nil {
		return err
	}
	terms, err := g.demands(s, presentation.Commitment, append([]byte{}, presentation.LogProof...))
	if err != nil {
		return err
	}
	verified, recourse, err := presentation.Verify(terms.policy, terms.commitment, terms.keys)
	if err != nil {
		return inWords(path, language, verdict.Named(path, err))
	}
	answer, err := words.Answer(findings(verified, terms, presentation), language, "reader")
	if err != nil {
		return err
	}
	outcome := resultOf(verified, firstQuery(terms.query, presentation.Query, presentation.Certificate.Query))
	outcome.recourse = recourse
	if g.has("json") {
		return s.print(jsonText(outcome.document().Set("answer", answer)))
	}
	return s.print(outcome.text(answer, language, g.has("verbose"), width(s.out)))
}

// presented reads the certificate and what came with it, but for the parts that options name. The link of a kept key is that of the
// option, or the one beside the certificate or the commitment.
func (g *given) presented(path string) (*present.Presented, error) {
	link, err := readOption(g, "link", document.ReadLink)
	if err != nil {
		return nil, err
	}
	presentation, err := present.Open(path, present.Given{
		Commitment: g.has("commitment"), Key: g.has("keys"), Query: g.has("query"), Context: g.has("context"),
		LogProof: g.has("log-proof"), Receipt: g.has("receipt"), Link: link,
	})
	if err != nil || presentation.Link != nil || !g.has("commitment") {
		return presentation, err
	}
	presentation.Link, err = present.LinkBeside(filepath.Dir(g.text("commitment")), &presentation.Certificate.Proven, nil)
	if err == nil && presentation.Link != nil && !g.has("keys") {
		presentation.LinkKey, err = present.LinkKeyBeside(path, presentation.Link)
	}
	return presentation, err
}

// language is that of the answer.
func (g *given) language() string {
	if name := g.value("language"); name != nil {
		return *name
	}
	return words.Languages[0]
}

// speak has the sentences for technical readers said in the language of the answer, but where an object for programs is asked
// for: that is in English.
func (g *given) speak() error {
	language := g.language()
	if !slices.Contains(words.Languages, language) {
		return fmt.Errorf("--language: %s is not one of %s",
			text.Repr(text.Cut(language, 20)), strings.Join(words.Languages, ", "))
	}
	if g.has("json") {
		return nil
	}
	return tables.Speak(language)
}

// firstQuery is the first that there is.
func firstQuery(queries ...*document.Query) *document.Query {
	for _, query := range queries {
		if query != nil {
			return query
		}
	}
	return nil
}

// demands reads the files of the options, and what they require; commitment is the one that came with the certificate,
// and proof its log proof, nil where none can be given.
func (g *given) demands(s streams, commitment *document.Commitment, proof []byte) (terms *demands, err error) {
	terms = &demands{proof: proof, now: time.Now().Unix()}
	if folder := g.value("keys"); folder != nil {
		if terms.keys, err = present.OpenStore(*folder); err != nil {
			return nil, err
		}
	}
	if terms.commitment, err = readOption(g, "commitment", document.ReadCommitment); err != nil {
		return nil, err
	}
	if terms.query, err = readOption(g, "query", document.ReadQuery); err != nil {
		return nil, err
	}
	if terms.commitment != nil {
		commitment = terms.commitment
	}
	if terms.query != nil && commitment != nil {
		if _, err := terms.query.Commitment(commitment.Spec); err != nil {
			return nil, verdict.Named(g.text("query"), err)
		}
	}
	if terms.context, err = readOption(g, "context", document.ReadContext); err != nil {
		return nil, err
	}
	var filePolicy policy.Policy
	if g.has("policy") {
		own := policy.Own{Query: terms.query, Context: terms.context, Today: today(), LogProof: proof, Now: terms.now}
		if filePolicy, err = g.policyFile(s, own); err != nil {
			return nil, err
		}
	}
	optionPolicies, err := g.requirements(terms)
	terms.policy = both(filePolicy, optionPolicies)
	return terms, err
}

// readOption reads the document that an option names, nil without the option.
func readOption[T any](
	g *given, name string, parse func(data []byte, where string) (*T, error),
) (*T, error) {
	path := g.value(name)
	if path == nil {
		return nil, nil
	}
	return readOne(*path, parse)
}

// readOne reads a document.
func readOne[T any](path string, parse func(data []byte, where string) (*T, error)) (*T, error) {
	data, err := present.Read(path, canonical.MaxBytes)
	if err != nil {
		return nil, err
	}
	return parse(data, path)
}

// policyFile reads a policy file; it says so where that requires nothing.
func (g *given) policyFile(s streams, own policy.Own) (policy.Policy, error) {
	path := g.text("policy")
	data, err := present.Read(path, canonical.MaxBytes)
	if err != nil {
		return nil, err
	}
	requirement, err := policy.ReadFile(data, path, own)
	if _, nothing := requirement.(policy.Nothing); nothing && err == nil {
		fmt.Fprintln(s.err, tables.Say("policy.file_unsafe", path))
	}
	return requirement, err
}

// both returns the policy of file and options; what both require is checked once.
func both(filePolicy policy.Policy, optionPolicies policy.AllOf) policy.Policy {
	fileParts, ok := filePolicy.(policy.AllOf)
	if !ok {
		return optionPolicies
	}
	all := policy.AllOf{fileParts}
	for _, one := range optionPolicies {
		same := func(other policy.Policy) bool { return reflect.DeepEqual(one, other) }
		if !slices.ContainsFunc(fileParts, same) {
			all = append(all, one)
		}
	}
	return all
}

// today is the date here, as midnight of it in UTC.
func today() time.Time {
	now := time.Now()
	return time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
}
