// Runs the packages of go-gnark/verify for tests: a JSON command per line on standard input, a JSON answer per line.
package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"strings"

	"github.com/consensys/gnark/logger"

	"equiproof/verify"
	"equiproof/verify/bundle"
	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/names"
	"equiproof/verify/note"
	"equiproof/verify/policy"
	"equiproof/verify/reading"
	"equiproof/verify/spec"
	"equiproof/verify/statement"
	"equiproof/verify/tables"
	"equiproof/verify/verdict"
	"equiproof/verify/words"
)

// request has what any command needs.
type request struct {
	Command, Kind, Data, Spec, Query, Shape string
	Label, First, Second, Unit              int
	Radius                                  int64
	Least                                   string `json:"least_gain"`
	Texts                                   []string
	Files                                   map[string]string
	Policy                                  demands
	Language                                string
	Pinned                                  []bool
}

func main() {
	logger.Disable()
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		var asked request
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		value, err := commands[asked.Command](asked)
		answer := map[string]any{"value": value}
		if err != nil {
			answer = map[string]any{"exception": "error", "reason": nil, "message": err.Error()}
			var found *verdict.Error
			if errors.As(err, &found) {
				answer["exception"], answer["reason"] = found.Kind, found.Reason
			}
		}
		if err := out.Encode(answer); err != nil {
			panic(err)
		}
	}
}

var commands = map[string]func(asked request) (any, error){
	"facts": facts, "answer": answer, "read": read, "rules": rules, "judge": judge, "note": notes, "gain_facts": gainFacts,
	"fitting":      fitting(document.Shape.Fits),
	"fitting_gain": fitting(document.Shape.FitsGain),
	"holds_gain":   holdsGain,
	"gain":         judgeGain,
	"box":          judgeBox,
	"linked":       judgeLinked,
	"box_facts":    boxFacts,
	"fitting_box":  fitting(document.Shape.FitsBox),
	"transcript": func(asked request) (any, error) {
		key, err := document.ReadKey([]byte(asked.Data), "key")
		if err != nil {
			return nil, err
		}
		return key.Transcript, nil
	},
}

// facts is what follows from a spec (its JSON text), a label, a squared radius and a query (its JSON text).
func facts(asked request) (any, error) {
	meant, query, err := both(asked)
	if err != nil {
		return nil, err
	}
	commitment, err := query.Commitment(meant)
	if err != nil {
		return nil, err
	}
	found := reading.Of(meant, asked.Label, asked.Radius)
	radius, intervals := meant.RadiusOfAny(asked.Radius), map[string]string{}
	for _, f := range meant.Plain {
		intervals[f.Name] = meant.Interval(f, radius, query.Features.Get(f.Name))
	}
	return map[string]any{
		"spec_digest": statement.Hex(meant.Digest), "domain_digest": statement.Hex(statement.DomainDigest(meant)),
		"query_commitment": statement.Hex(commitment), "reading": json.RawMessage(canonical.Bytes(found)),
		"sentence": reading.Sentence(found), "intervals": intervals,
	}, nil
}

// answer is the words about a certificate of all this.
func answer(asked request) (any, error) {
	meant, query, err := both(asked)
	if err != nil {
		return nil, err
	}
	if _, err := query.Commitment(meant); err != nil {
		return nil, err
	}
	found := &words.Findings{Spec: meant, Label: asked.Label, RadiusSquared: asked.Radius, Query: query.Features,
		Key: words.KeyMaking{Setup: document.SingleParty}}
	made, err := words.Answer(found, asked.Language, "reader")
	return json.RawMessage(canonical.Bytes(made)), err
}

func both(asked request) (*spec.Spec, *document.Query, error) {
	meant, err := specOf(asked)
	if err != nil {
		return nil, nil, err
	}
	query, err := document.ReadQuery([]byte(asked.Query), "query")
	return meant, query, err
}

// gainFacts is what follows from a spec and a statement about a gain whose other parts are 1 to 4, under the shape of a key.
func gainFacts(asked request) (any, error) {
	meant, err := specOf(asked)
	if err != nil {
		return nil, err
	}
	key, err := document.ReadKey([]byte(asked.Data), "key")
	if err != nil {
		return nil, err
	}
	least, _ := new(big.Int).SetString(asked.Least, 10)
	stated := &statement.Statement{
		ModelCommitment: big.NewInt(1), SpecDigest: big.NewInt(2), DomainDigest: statement.PairDigest(meant, asked.First, asked.Second),
		QueryCommitment: big.NewInt(3), ContextDigest: big.NewInt(4), Label: asked.Label, RadiusSquared: asked.Radius,
		Gain: &statement.Gain{Least: least, FractionBits: asked.Unit},
	}
	found := reading.OfGain(meant, stated, asked.First, asked.Second)
	return map[string]any{
		"pair_digest":      statement.Hex(stated.DomainDigest),
		"statement_digest": hex.EncodeToString(stated.Digest(key.Shape.Scheme, key.Shape.Digest)),
		"reading":          json.RawMessage(canonical.Bytes(found)), "sentence": reading.GainSentence(found, least.Sign()),
	}, nil
}

// demands are what a relying party requires of a gain certificate or a box certificate: by the files of the case, or by value.
type demands struct {
	Query, Context bool
	MinRadius      *string            `json:"min_radius"`
	Transcript     *string            `json:"transcript"`
	Covers         []string           `json:"covers"`
	Label          *string            `json:"label"`
	Within         int                `json:"within"`
	MinGain        *string            `json:"min_gain"`
	GainOf         []*json.RawMessage `json:"gain_of"`
	Key            *string            `json:"key"`
	LinkKey        *string            `json:"link_key"`
	LinkTranscript *string            `json:"link_transcript"`
	Setup          *string            `json:"setup"`
	SignedBy       []json.RawMessage  `json:"signed_by"`
}

// judgeGain verifies a gain certificate by files in hexadecimal.
func judgeGain(asked request) (any, error) {
	files := asked.files()
	gain, err := document.ReadGain(files["gain.json"], "gain.json")
	if err != nil {
		return nil, err
	}
	verifier, err := trusting(files, "keys/key/")
	if err != nil {
		return nil, err
	}
	demanded, err := asked.Policy.policy(files)
	if err != nil {
		return nil, err
	}
	judged, err := verifier.JudgeGain(gain, demanded)
	if err != nil {
		return nil, err
	}
	found, err := judged.Prove()
	if err != nil {
		return nil, err
	}
	return map[string]any{"identity": found.Identity, "sentence": found.Sentence(), "made": found.Made, "notMade": found.NotMade}, nil
}

// files are those of a case by name.
func (r request) files() map[string][]byte {
	files := map[string][]byte{}
	for name, digits := range r.Files {
		data, err := hex.DecodeString(digits)
		if err != nil {
			panic(err)
		}
		files[name] = data
	}
	return files
}

// trusting returns the verifier that trusts the commitment and the key of a case.
func trusting(files map[string][]byte, folder string) (*verify.Verifier, error) {
	commitment, err := document.ReadCommitment(files["commitment.json"], "commitment.json")
	if err != nil {
		return nil, err
	}
	metadata, err := document.ReadKey(files[folder+"key.json"], folder+"key.json")
	if err != nil {
		return nil, err
	}
	key, err := verify.NewKey(metadata, files[folder+"verifying.key"], nil, folder+"verifying.key", "key.json")
	if err != nil {
		return nil, err
	}
	pins := policy.Pins{Commitment: true, Key: true}
	return &verify.Verifier{Commitment: commitment, Keys: verify.NewStore(key), Pins: pins}, nil
}

// judgeLinked verifies a certificate of a kept model, or of its gains, by files in hexadecimal; commitment and keys are pinned, or came.
func judgeLinked(asked request) (any, error) {
	if err := tables.Speak(asked.Language); err != nil {
		return nil, err
	}
	defer tables.Speak("en")
	files := asked.files()
	judge, err := judging(files)
	if err != nil {
		return nil, err
	}
	commitment, err := document.ReadCommitment(files["commitment.json"], "commitment.json")
	if err != nil {
		return nil, err
	}
	verifier := &verify.Verifier{Commitment: commitment, Pins: policy.Pins{Commitment: asked.Pinned[0], Key: asked.Pinned[1]}}
	if data, there := files["link.json"]; there {
		if verifier.Link, err = document.ReadLink(data, "link.json"); err != nil {
			return nil, err
		}
	}
	if verifier.Keys, err = linkedKeys(files); err != nil {
		return nil, err
	}
	demanded, err := asked.Policy.policy(files)
	if err != nil {
		return nil, err
	}
	judged, err := judge(verifier, demanded)
	if err != nil {
		return nil, err
	}
	found, err := judged.Prove()
	if err != nil {
		return nil, err
	}
	return map[string]any{"identity": found.Identity, "sentence": found.Sentence(), "made": found.Made, "notMade": found.NotMade}, nil
}

// judging reads a certificate, or one of a gain, and returns what judges it.
func judging(files map[string][]byte) (func(*verify.Verifier, policy.Policy) (*verify.Judged, error), error) {
	if data, of := files["gain.json"]; of {
		gain, err := document.ReadGain(data, "certificate")
		return func(v *verify.Verifier, p policy.Policy) (*verify.Judged, error) { return v.JudgeGain(gain, p) }, err
	}
	certificate, err := document.ReadCertificate(files["certificate.json"], "certificate")
	return func(v *verify.Verifier, p policy.Policy) (*verify.Judged, error) { return v.Judge(certificate, p) }, err
}

// linkedKeys trusts the key of a case, and that of links where there is one.
func linkedKeys(files map[string][]byte) (*verify.Store, error) {
	metadata, err := document.ReadKey(files["key.json"], "key.json")
	if err != nil {
		return nil, err
	}
	key, err := verify.NewKey(metadata, files["verifying.key"], files["signatures.note"], "verifying.key", "key.json")
	if err != nil {
		return nil, err
	}
	data, there := files["link-key.json"]
	if !there {
		return verify.NewStore(key), nil
	}
	of, err := document.ReadLinkKey(data, "link-key.json")
	if err != nil {
		return nil, err
	}
	links, err := verify.NewLinkKey(of, files["link-verifying.key"], files["link-signatures.note"], "link-verifying.key", "link-key.json")
	if err != nil {
		return nil, err
	}
	return verify.NewStore(key).With(links), nil
}

// judgeBox verifies a box certificate by files in hexadecimal.
func judgeBox(asked request) (any, error) {
	files := asked.files()
	box, err := document.ReadBox(files["box.json"], "box.json")
	if err != nil {
		return nil, err
	}
	wanted, shown := verify.AskedBox{Label: asked.Policy.Label}, box.Opened
	if data, there := files["opened.json"]; there {
		if wanted.Opened, err = document.ReadOpenedBox(data, "opened.json"); err != nil {
			return nil, err
		}
		shown = wanted.Opened
	}
	verifier, err := trusting(files, "")
	if err != nil {
		return nil, err
	}
	if wanted.Refusal, err = refusalOf(files, asked.Policy.Within); err != nil {
		return nil, err
	}
	demanded, err := asked.Policy.policy(files)
	if err != nil {
		return nil, err
	}
	judged, err := verifier.JudgeBox(box, wanted, demanded)
	if err != nil {
		return nil, err
	}
	found, err := judged.Prove()
	if err != nil {
		return nil, err
	}
	var ends json.RawMessage
	if shown != nil {
		ends = canonical.Bytes(shown.Sentences(found.Spec))
	}
	said := map[string]any{
		"identity": found.Identity, "sentence": found.Sentence(), "ends": ends, "made": found.Made, "notMade": found.NotMade,
	}
	if found.Answer != "" {
		said["answer"] = found.Answer
	}
	return said, nil
}

// refusalOf is what a box is compared with, nil for nothing.
func refusalOf(files map[string][]byte, within int) (_ *verify.Refusal, err error) {
	if _, there := files["refusal.json"]; !there {
		return nil, nil
	}
	other := &verify.Refusal{Within: within}
	if data, there := files["wishes.json"]; there {
		if other.Wishes, err = document.ReadWishes(data, "wishes.json"); err != nil {
			return nil, err
		}
	}
	if other.Certificate, err = document.ReadCertificate(files["refusal.json"], "refusal.json"); err != nil {
		return nil, err
	}
	other.Query, err = document.ReadQuery(files["query.json"], "query.json")
	return other, err
}

// boxFacts is what follows from a spec, an opened box and a statement whose other parts are 1 to 4, under the shape of a key.
func boxFacts(asked request) (any, error) {
	meant, err := specOf(asked)
	if err != nil {
		return nil, err
	}
	key, err := document.ReadKey([]byte(asked.Data), "key")
	if err != nil {
		return nil, err
	}
	opened, err := document.ReadOpenedBox([]byte(asked.Query), "opened")
	if err != nil {
		return nil, err
	}
	commitment, err := opened.Commitment(meant)
	if err != nil {
		return nil, err
	}
	stated := &statement.Statement{
		ModelCommitment: big.NewInt(1), SpecDigest: big.NewInt(2), DomainDigest: statement.TableDigest(meant),
		BoxCommitment: commitment, ContextDigest: big.NewInt(4), Label: asked.Label,
	}
	found := reading.OfBox(meant, asked.Label)
	return map[string]any{
		"table_digest": statement.Hex(stated.DomainDigest), "box_commitment": statement.Hex(commitment),
		"statement_digest": hex.EncodeToString(stated.Digest(key.Shape.Scheme, key.Shape.Digest)),
		"reading":          json.RawMessage(canonical.Bytes(found)), "sentence": reading.BoxSentence(found),
		"ends": json.RawMessage(canonical.Bytes(opened.Sentences(meant))),
	}, nil
}

// policy returns what is demanded.
func (d demands) policy(files map[string][]byte) (_ policy.AllOf, err error) {
	wanted := policy.Requirements{
		"MinRadius": d.MinRadius, "CoversFeatures": d.Covers, "TranscriptIs": d.Transcript, "MinGain": d.MinGain,
		"KeyIs": d.Key, "LinkKeyIs": d.LinkKey, "LinkTranscriptIs": d.LinkTranscript, "SetupIs": d.Setup,
	}
	if d.Query {
		if wanted["ForQuery"], err = document.ReadQuery(files["query.json"], "query.json"); err != nil {
			return nil, err
		}
	}
	if d.Context {
		if wanted["ForContext"], err = document.ReadContext(files["context.json"], "context.json"); err != nil {
			return nil, err
		}
	}
	if len(d.SignedBy) == 2 {
		signers := &policy.Signers{}
		if json.Unmarshal(d.SignedBy[0], &signers.Keys) != nil || json.Unmarshal(d.SignedBy[1], &signers.Least) != nil {
			panic("signers")
		}
		wanted["SignedBy"] = signers
	}
	if len(d.GainOf) == 3 {
		one := policy.GainOf{First: values(*d.GainOf[1]), Second: values(*d.GainOf[2])}
		if err := json.Unmarshal(*d.GainOf[0], &one.Label); err != nil {
			panic(err)
		}
		wanted["GainOf"] = one
	}
	return wanted.Policies()
}

// values are texts by name, in their order.
func values(data []byte) *canonical.Object {
	found, err := canonical.Parse(data, canonical.Dictionary(canonical.Text()), "values")
	if err != nil {
		panic(err)
	}
	return found.(*canonical.Object)
}

// holdsGain says which least gains have their width under the shape of a key.
func holdsGain(asked request) (any, error) {
	key, err := document.ReadKey([]byte(asked.Data), "key")
	if err != nil {
		return nil, err
	}
	found := make([]bool, len(asked.Texts))
	for at, text := range asked.Texts {
		least, _ := new(big.Int).SetString(text, 10)
		found[at] = key.Shape.HoldsGain(least)
	}
	return found, nil
}

// fitting says whether the shape of a key (its metadata) fits a spec.
func fitting(fits func(shape document.Shape, meant *spec.Spec) bool) func(asked request) (any, error) {
	return func(asked request) (any, error) {
		meant, err := specOf(asked)
		if err != nil {
			return nil, err
		}
		key, err := document.ReadKey([]byte(asked.Data), "key")
		if err != nil {
			return nil, err
		}
		return fits(key.Shape, meant), nil
	}
}

// judge judges a statement of a spec by a policy file that needs nothing else.
func judge(asked request) (any, error) {
	meant, err := specOf(asked)
	if err != nil {
		return nil, err
	}
	demanded, err := policy.ReadFile([]byte(asked.Data), "policy", policy.Own{})
	if err != nil {
		return nil, err
	}
	return demanded.Check(&policy.Facts{Spec: meant, Statement: &statement.Statement{RadiusSquared: asked.Radius}})
}

func specOf(asked request) (*spec.Spec, error) {
	value, err := canonical.Parse([]byte(asked.Spec), spec.Kind(), "spec")
	if err != nil {
		return nil, err
	}
	return spec.New(value)
}

// notes says which of the keys signed a note.
func notes(asked request) (any, error) {
	data, err := hex.DecodeString(asked.Data)
	if err != nil {
		panic(err)
	}
	keys, err := note.ParseKeys(strings.Join(asked.Texts, "\n"), "keys")
	if err != nil {
		return nil, err
	}
	found, err := note.Parse(data)
	if err != nil {
		return nil, err
	}
	signed := []string{}
	for _, key := range keys {
		own, err := key.Signed(found)
		if err != nil {
			return nil, err
		}
		if own {
			signed = append(signed, key.Name)
		}
	}
	return signed, nil
}

// read reads a document of a kind.
func read(asked request) (any, error) {
	data, err := hex.DecodeString(asked.Data)
	if err != nil {
		panic(err)
	}
	switch asked.Kind {
	case "certificate":
		_, err = document.ReadCertificate(data, "it")
	case "gain":
		_, err = document.ReadGain(data, "it")
	case "box":
		_, err = document.ReadBox(data, "it")
	case "opened-box":
		_, err = document.ReadOpenedBox(data, "it")
	case "commitment":
		_, err = document.ReadCommitment(data, "it")
	case "query":
		_, err = document.ReadQuery(data, "it")
	case "context":
		_, err = document.ReadContext(data, "it")
	case "key":
		_, err = document.ReadKey(data, "it")
	case "link":
		_, err = document.ReadLink(data, "it")
	case "link-key":
		_, err = document.ReadLinkKey(data, "it")
	case "policy":
		_, err = policy.ReadFile(data, "it", policy.Own{})
	case "bundle":
		_, err = bundle.Read(data, "it")
	default:
		panic(fmt.Sprint("no document of the kind ", asked.Kind))
	}
	return nil, err
}

// rules are those that names break.
func rules(asked request) (any, error) {
	found := make([]names.Rule, len(asked.Texts))
	for at, text := range asked.Texts {
		if complaint := names.Judge(text); complaint != nil {
			found[at] = complaint.Rule
		}
	}
	return found, nil
}
