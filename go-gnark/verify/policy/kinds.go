package policy

import (
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"equiproof/verify/document"
	"equiproof/verify/note"
	"equiproof/verify/spec"
	"equiproof/verify/tables"
	"equiproof/verify/text"
)

// kind is the form of a policy's value: read returns what its constructor takes, and refuses a value of another form.
type kind struct {
	gives reflect.Type
	read  func(value any) (any, error)
}

// kinds are the forms of values.
var kinds = map[string]kind{
	"query":        kindOf(whole[*document.Query]),
	"context":      kindOf(whole[*document.Context]),
	"texts":        kindOf(whole[ContextHas]),
	"days":         kindOf(whole[NotOlderThan]),
	"decimal":      kindOf(readDecimal),
	"flag":         kindOf(whole[bool]),
	"ranges":       kindOf(readRanges),
	"setup":        kindOf(readSetup),
	"proof_system": kindOf(readProofSystem),
	"digits":       kindOf(readDigits),
	"names":        kindOf(whole[[]string]),
	"signers":      kindOf(readSigners),
	"log":          kindOf((*LogTerms).Policy),
	"compared":     kindOf(whole[GainOf]),
	"policies":     kindOf(whole[[]Policy]),
}

func kindOf[V, R any](read func(value V) (R, error)) kind {
	return kind{reflect.TypeFor[R](), func(value any) (any, error) {
		own, is := value.(V)
		if !is {
			panic(fmt.Sprintf("policy: a value of the type %T, want %v", value, reflect.TypeFor[V]()))
		}
		return read(own)
	}}
}

// whole takes every value of a type.
func whole[V any](value V) (V, error) { return value, nil }

func readDecimal(number string) (string, error) {
	if _, err := spec.Decimal(number, ""); err != nil {
		return "", errors.New(tables.Say("value.not_decimal", text.Repr(text.Cut(number, 40))))
	}
	return number, nil
}

// readRanges takes ranges whose ends are in order.
func readRanges(ranges []Range) ([]Range, error) {
	for _, one := range ranges {
		what := "range of " + text.Repr(text.Cut(one.Name, 40))
		low, err := spec.Decimal(one.Low, what)
		if err != nil {
			return nil, err
		}
		high, err := spec.Decimal(one.High, what)
		if err != nil {
			return nil, err
		}
		if low.Cmp(high) > 0 {
			return nil, errors.New(tables.Say("policy.range_reversed", what, one.Low, one.High))
		}
	}
	return ranges, nil
}

func readSetup(setup string) (string, error) {
	if kinds := document.SetupKinds; !slices.Contains(kinds, setup) {
		last := len(kinds) - 1
		return "", errors.New(tables.Say("policy.setup_unknown", text.Repr(text.Cut(setup, 40)), strings.Join(kinds[:last], ", "),
			kinds[last]))
	}
	return setup, nil
}

func readProofSystem(system string) (string, error) {
	if systems := document.ProofSystems; !slices.Contains(systems, system) {
		return "", errors.New(text.Repr(text.Cut(system, 40)) + " is not " + strings.Join(systems, " or "))
	}
	return system, nil
}

// readDigits takes the 64 digits of 32 bytes.
func readDigits(digits string) (string, error) {
	if len(digits) != 64 || strings.Trim(digits, "0123456789abcdef") != "" {
		return "", errors.New(tables.Say("format.want_digest"))
	}
	return digits, nil
}

// Signers are verifier keys, and how many of them must have signed.
type Signers struct {
	Keys  []string
	Least *big.Int
}

func readSigners(signers *Signers) (read SignedBy, err error) {
	for _, line := range signers.Keys {
		key, err := note.ParseKey(line)
		if err != nil {
			return read, err
		}
		read.Keys = append(read.Keys, key)
	}
	if err := note.Distinct(read.Keys); err != nil {
		return read, err
	}
	if least := signers.Least; least.Sign() < 1 || least.Cmp(big.NewInt(int64(len(read.Keys)))) > 0 {
		return read, errors.New(tables.Say("policy.least_signers_out_of_bounds", least, len(read.Keys)))
	}
	read.Least = int(signers.Least.Int64())
	return read, nil
}
