// Package verdict has the errors of a verification: what kind each is, its stable reason, and one line for people. Twin of
// verifier/errors.py and circuits/exit_codes.py.
package verdict

import (
	"errors"

	"equiproof/verify/tables"
)

// Kind tells malformed input from refusals, so that one is never taken for the other. Its text is the name of Python's
// exception, which test vectors use.
type Kind string

// The kinds of errors. Of what is Malformed, nothing was verified; the others are refusals of well-formed files.
const (
	Malformed Kind = "CertificateFormatError"
	Untrusted Kind = "UntrustedKeyError"
	Unproven  Kind = "ProofError"
	Unmet     Kind = "PolicyError"
	Broken    Kind = "LotRefusedError" // a period that breaks a rule of an audit by lot
)

// Exit codes, as circuits/exit_codes.py has them.
const (
	OK          = 0
	Refused     = 1
	Misused     = 2
	Fault       = 70
	Interrupted = 130
)

// Error is an error with a stable reason for programs and a message for people.
type Error struct {
	Kind    Kind
	Reason  string
	Message string
}

func (e *Error) Error() string { return e.Message }

// Class is the class of a kind's reasons; periods that break a rule have none.
func (k Kind) Class() tables.Class {
	return map[Kind]tables.Class{
		Malformed: tables.Format, Untrusted: tables.Key, Unproven: tables.Proof, Unmet: tables.Policy,
	}[k]
}

// ExitCode is what the error means for whoever gave the order.
func (e *Error) ExitCode() int {
	if class := e.Kind.Class(); class != "" {
		return tables.ExitCode(class)
	}
	return Refused
}

// New returns an error of a kind.
func New(kind Kind, reason, message string) *Error {
	return &Error{kind, reason, message}
}

// Named returns a malformed file's error with the place in front of the message; any other error stays as it is.
func Named(where string, err error) error {
	var refusal *Error
	if errors.As(err, &refusal) && refusal.Kind == Malformed {
		return &Error{Malformed, refusal.Reason, where + ": " + refusal.Message}
	}
	return err
}
