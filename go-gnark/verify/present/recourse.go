package present

import (
	"errors"

	"equiproof/verify"
	"equiproof/verify/bundle"
	"equiproof/verify/document"
	"equiproof/verify/policy"
	"equiproof/verify/spec"
	"equiproof/verify/tables"
	"equiproof/verify/verdict"
)

// Recourse is what a refused applicant's own bundle has beside the refusal, read and not verified: box certificates with the opened
// boxes, and the key of all of them. Twin of verifier/enclosed.py.
type Recourse struct {
	query  *document.Query
	key    *verify.TrustedKey
	wishes *spec.Wishes
	boxes  []box
}

type box struct {
	name        bundle.Role
	certificate *document.Box
	opened      *document.OpenedBox
}

// Answer is a box certificate of a recourse that was verified with its refusal, and its name in the bundle.
type Answer struct {
	*verify.Verified
	Name   string
	IsNone bool
	Opened *document.OpenedBox
}

// recourseOf reads the recourse of a bundle, nil for none; errors name the file.
func recourseOf(files bundle.Bundle, query *document.Query, at func(role bundle.Role) string) (*Recourse, error) {
	if files[bundle.BoxKey] == nil {
		return nil, nil
	}
	recourse := &Recourse{query: query}
	metadata, err := document.ReadKey(files[bundle.BoxKey], at(bundle.BoxKey))
	if err != nil {
		return nil, err
	}
	recourse.key, err = verify.NewKey(metadata, files[bundle.BoxVerifyingKey], files[bundle.BoxSignatures],
		at(bundle.BoxVerifyingKey), bundle.Name(bundle.BoxKey))
	if err != nil {
		return nil, err
	}
	if wishes := files[bundle.Wishes]; wishes != nil {
		if recourse.wishes, err = document.ReadWishes(wishes, at(bundle.Wishes)); err != nil {
			return nil, err
		}
	}
	for _, name := range bundle.Answers {
		if files[name] == nil {
			continue
		}
		one := box{name: name}
		if one.certificate, err = document.ReadBox(files[name], at(name)); err != nil {
			return nil, err
		}
		if one.opened, err = document.ReadOpenedBox(files[name.Opened()], at(name.Opened())); err != nil {
			return nil, err
		}
		recourse.boxes = append(recourse.boxes, one)
	}
	return recourse, nil
}

// verify verifies each box with the refusal, which was verified under this commitment and with these pins. Of the keys, which are
// the reader's own, one that a single party made is pinned. Any other came with the bundle, also where it is one of theirs: which
// transcript they accept for it they say to `box`.
func (r *Recourse) verify(
	refusal *document.Certificate, commitment *document.Commitment, pins policy.Pins, keys *verify.Store,
) (answers []Answer, err error) {
	verifier := &verify.Verifier{Commitment: commitment, Keys: verify.NewStore(r.key), Pins: policy.Pins{Commitment: pins.Commitment}}
	if keys.Has(r.key.Document.Fingerprint) && r.key.Document.Setup == "single-party" {
		verifier.Keys, verifier.Pins.Key = keys, true
	}
	pair := &verify.Refusal{Certificate: refusal, Query: r.query, Wishes: r.wishes, Holds: true}
	for _, one := range r.boxes {
		answer, err := one.verify(verifier, pair)
		if err != nil {
			return nil, inFile(bundle.Name(one.name), err)
		}
		answers = append(answers, *answer)
	}
	return answers, nil
}

// verify verifies one box; its name says what it must say.
func (b *box) verify(verifier *verify.Verifier, refusal *verify.Refusal) (*Answer, error) {
	candidate, err := verifier.JudgeBox(b.certificate, verify.AskedBox{Opened: b.opened, Refusal: refusal}, policy.Nothing{})
	if err != nil {
		return nil, err
	}
	verified, err := candidate.Prove()
	if err != nil {
		return nil, err
	}
	isNone := refusal.IsNone(verified)
	if isNone != (b.name == bundle.None) {
		return nil, verdict.New(verdict.Unproven, "other-box", tables.Say("bundle.other_answer"))
	}
	return &Answer{verified, string(b.name), isNone, b.opened}, nil
}

// inFile names the file in a refusal.
func inFile(name string, err error) error {
	var refusal *verdict.Error
	if errors.As(err, &refusal) {
		return &verdict.Error{Kind: refusal.Kind, Reason: refusal.Reason, Message: name + ": " + refusal.Message}
	}
	return err
}
