package command

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"equiproof/verify/note"
	"equiproof/verify/policy"
	"equiproof/verify/present"
	"equiproof/verify/tables"
	"equiproof/verify/text"
)

// optionKind is how the value of a policy is given on a command line, by its kind.
type optionKind struct {
	metavar  string
	repeated bool
	// before and beside are options that say more about the value.
	before, beside []option
	// read returns the value of a row's option, nil where it is not given.
	read func(g *given, row tables.PolicyRow, terms *demands) (any, error)
}

// optionKinds are those of each kind that an option has.
var optionKinds = map[string]optionKind{
	"query": {metavar: "FILE", read: func(_ *given, _ tables.PolicyRow, terms *demands) (any, error) {
		return terms.query, nil
	}},
	"context": {metavar: "FILE", read: func(_ *given, _ tables.PolicyRow, terms *demands) (any, error) {
		return terms.context, nil
	}},
	"decimal": {metavar: "NUMBER", read: asTyped},
	"flag": {read: func(g *given, row tables.PolicyRow, _ *demands) (any, error) {
		return g.has(nameOf(row)), nil
	}},
	"ranges": {metavar: "NAME=LOW:HIGH", repeated: true, read: func(g *given, row tables.PolicyRow, _ *demands) (any, error) {
		return ranges(g.values[nameOf(row)])
	}},
	"setup": {metavar: "KIND", read: asTyped},
	"digits": {metavar: "DIGITS", read: func(g *given, row tables.PolicyRow, _ *demands) (any, error) {
		if row.Groups {
			return digits(g.value(nameOf(row))), nil
		}
		return g.value(nameOf(row)), nil
	}},
	"names": {metavar: "NAME,NAME", read: func(g *given, row tables.PolicyRow, _ *demands) (any, error) {
		if !g.has(nameOf(row)) {
			return nil, nil
		}
		return splitNames(g.text(nameOf(row)))
	}},
	"signers": {
		metavar: "FILE",
		beside:  []option{{name: "least-signers", value: "NUMBER", help: tables.Written("option.least_signers")}},
		read: func(g *given, row tables.PolicyRow, _ *demands) (any, error) {
			return g.signers(nameOf(row))
		},
	},
	"log": {
		metavar: "KEY",
		before: []option{{name: "log-proof", value: "FILE", help: "A proof that the commitment is in a public log; with --many, one " +
			"for all. Default: the one beside the certificate."}},
		beside: []option{
			{name: "witnesses", value: "FILE", help: tables.Written("option.witnesses")},
			{name: "least-witnesses", value: "NUMBER", help: tables.Written("option.least_witnesses")},
			{name: "smallest-tree", value: "NUMBER", help: tables.Written("option.least_entries")},
			{name: "max-log-age", value: "DAYS", help: tables.Written("option.max_log_age")},
			{name: "log-owner", value: "NAME", help: tables.Written("option.log_owner")},
		},
		read: func(g *given, _ tables.PolicyRow, terms *demands) (any, error) { return g.logTerms(terms) },
	},
	"receipt": {metavar: "FILE"},
	"compared": {
		metavar: "NAME",
		beside: []option{
			{name: "first", value: "NAME=VALUE", repeated: true, help: "Require that this value gains. Repeat the option for each " +
				"sensitive feature."},
			{name: "second", value: "NAME=VALUE", repeated: true, help: "Require that it is compared with this one, likewise."},
		},
		read: func(_ *given, _ tables.PolicyRow, terms *demands) (any, error) {
			if terms.gain == nil {
				return nil, nil
			}
			return *terms.gain, nil
		},
	},
}

// ownHelp is what this program says where Python says more, or names another program.
var ownHelp = map[string]string{
	"MinRadius": "Refuse certificates with a smaller radius than this, in the spec's units.",
	"RangesWithin": "The values that the certified range of a numeric feature must include, such as income=0:90000. Repeat the " +
		"option for each numeric feature.",
	"TranscriptIs": "Accept a key of others by this transcript digest, which `equiproof keys check` printed for you.",
	"ForReceipt": "Your own receipt; its log proof has the same name with .tlog-proof. Default: the one beside the " +
		"certificate.",
}

// policyOptions are the options of policies that a command of Python has: of those that are named first, of the others in the
// order of the table, and of those that are named last. A row whose option lacks its kind or its help is a fault of the
// program, found when it starts: a panic.
func policyOptions(rows []tables.PolicyRow, command string, first, last []string) (all []option) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(row tables.PolicyRow) bool {
		return row.Option == "" || !slices.Contains(row.Commands, command)
	})
	place := func(row tables.PolicyRow) int {
		if at := slices.Index(first, row.Name); at >= 0 {
			return at - len(first)
		}
		return slices.Index(last, row.Name) + 1
	}
	slices.SortStableFunc(rows, func(one, other tables.PolicyRow) int { return place(one) - place(other) })
	for _, row := range rows {
		kind, there := optionKinds[row.Kind]
		if !there || row.Argument != "" && kind.read == nil {
			panic(fmt.Sprintf("command: %s: no option is of the kind %s", row.Name, row.Kind))
		}
		help := row.HelpText()
		if own, there := ownHelp[row.Name]; there {
			help = own
		}
		if help == "" {
			panic(fmt.Sprintf("command: %s: no help", row.Name))
		}
		all = append(all, kind.before...)
		all = append(all, option{name: nameOf(row), value: kind.metavar, help: help, repeated: kind.repeated})
		all = append(all, kind.beside...)
	}
	return all
}

// nameOf is the name of a row's option.
func nameOf(row tables.PolicyRow) string { return strings.TrimPrefix(row.Option, "--") }

// requirements returns the policies of the options.
func (g *given) requirements(terms *demands) (policy.AllOf, error) {
	values, err := g.required(tables.Policies(), terms)
	if err != nil {
		return nil, err
	}
	all, err := values.Policies()
	var fault *policy.Error
	if errors.As(err, &fault) {
		return nil, fmt.Errorf("%s: %s", fault.Option, fault.Reason)
	}
	return all, err
}

// required reads what the options require, by the rows of the policies.
func (g *given) required(rows []tables.PolicyRow, terms *demands) (policy.Requirements, error) {
	values := policy.Requirements{}
	for _, row := range rows {
		if row.Option == "" || row.Argument == "" {
			continue
		}
		value, err := optionKinds[row.Kind].read(g, row, terms)
		if err != nil {
			return nil, err
		}
		values[row.Name] = value
	}
	return values, nil
}

func asTyped(g *given, row tables.PolicyRow, _ *demands) (any, error) {
	return g.value(nameOf(row)), nil
}

// digits are as people type them from a page or a paper: in any case, with blanks between groups.
func digits(typed *string) *string {
	if typed == nil {
		return nil
	}
	joined := strings.ToLower(strings.Join(strings.FieldsFunc(*typed, text.IsBlank), ""))
	return &joined
}

// splitNames reads names with commas between them; one with a comma stands in quotation marks, of which two are one in it.
func splitNames(typed string) ([]string, error) {
	names, name, quoted := []string{}, strings.Builder{}, false
	end := func() {
		if own := strings.TrimFunc(name.String(), text.IsBlank); own != "" {
			names = append(names, own)
		}
		name.Reset()
	}
	begins, closes := true, false // a name begins here; a quotation mark just closed
	for _, sign := range typed {
		switch {
		case sign == '"' && (begins || quoted):
			quoted, closes, begins = !quoted, quoted, false
			continue
		case sign == '"' && closes:
			quoted = true
			name.WriteRune(sign)
		case quoted:
			name.WriteRune(sign)
		case sign == ',':
			end()
			begins, closes = true, false
			continue
		case sign == '\n' || sign == '\r':
			return nil, malformedNames(typed)
		case sign != ' ' || !begins:
			name.WriteRune(sign)
			begins = false
		}
		closes = false
	}
	if strings.Count(typed, `"`)%2 == 1 {
		return nil, malformedNames(typed)
	}
	end()
	return names, nil
}

func malformedNames(typed string) error {
	return errors.New(tables.Say("option.names_malformed", text.Repr(text.Cut(typed, 60))))
}

// signers reads those whose word is accepted, and how many of them suffice; nil for none.
func (g *given) signers(option string) (*policy.Signers, error) {
	var least *big.Int
	if number := g.value("least-signers"); number != nil {
		count, err := strconv.Atoi(*number)
		if err != nil || count < 1 {
			return nil, misuse(fmt.Sprintf("Invalid value for '--least-signers': %s is not a number from 1 on.",
				text.Repr(text.Cut(*number, 40))))
		}
		least = big.NewInt(int64(count))
	}
	path := g.value(option)
	if path == nil {
		if least != nil {
			return nil, errors.New(tables.Say("option.signers_without_keys"))
		}
		return nil, nil
	}
	data, err := present.Read(*path, note.MaxBytes)
	if err != nil {
		return nil, err
	}
	signers, err := note.ParseKeys(string(data), *path)
	if err != nil {
		return nil, err
	}
	accepted := &policy.Signers{Least: least}
	for _, key := range signers {
		accepted.Keys = append(accepted.Keys, key.Line)
	}
	if least == nil {
		accepted.Least = big.NewInt(int64(len(accepted.Keys)))
	}
	return accepted, nil
}

// ranges reads the values of --ranges-within, such as "income=0:90000".
func ranges(typed []string) (all []policy.Range, err error) {
	for _, one := range typed {
		at := strings.LastIndex(one, "=")
		low, high, split := strings.Cut(one[at+1:], ":")
		if at < 1 || !split {
			return nil, errors.New(tables.Say("option.range_malformed", text.Repr(one)))
		}
		name := one[:at]
		if slices.ContainsFunc(all, func(other policy.Range) bool { return other.Name == name }) {
			return nil, errors.New(tables.Say("option.range_twice", text.Repr(one), text.Repr(name)))
		}
		all = append(all, policy.Range{Name: name, Low: low, High: high})
	}
	return all, nil
}
