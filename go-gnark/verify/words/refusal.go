package words

import (
	"equiproof/verify/canonical"
	"equiproof/verify/tables"
)

// Refusal returns the answer about a certificate that is not accepted, with nothing of what it claims: it is "not valid"
// where a check of it failed, and "not enough" where it may be true but is not what the reader asked for. Technical is the
// message of the error, and class its kind, for a reason that the table of reasons lacks. A language that the table of words
// lacks is an error. Twin of verifier/refusal.py.
func Refusal(reason, technical, language string, class tables.Class) (*canonical.Object, error) {
	l, err := speaking(language)
	if err != nil {
		return nil, err
	}
	shown, outcome := tables.Shown(reason, class)
	said := &lines{words: l, parts: tables.Answers().Refusal, facts: map[string]string{"shown": shown, "outcome": outcome}}
	object := canonical.NewObject().Set("language", language).Set("outcome", outcome).Set("heading", said.said("heading")[0]).
		Set("below", listed(said.said("below"))).Set("sentences", listed(nil)).Set("bars_heading", nil).Set("bars_note", nil)
	for _, empty := range []string{"bars", "checked", "not_checked", "never_shown"} {
		object.Set(empty, listed(nil))
	}
	return object.Set("reason", reason).Set("technical", technical), nil
}
