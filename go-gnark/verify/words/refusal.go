package words

import "equiproof/verify/canonical"

// A reason belongs to a class, and each class has one line. The table lists the classes' reasons; any other reason is that of
// a policy. Twin of verifier/refusal.py.
const (
	aFile  = "file"
	policy = "policy"
)

var reasons = map[string][]string{
	aFile: {"unreadable", "too-long", "not-json", "wrong-fields", "other-format", "not-a-bundle", "wrong-files"},
	"damaged": {
		"not-canonical", "out-of-range", "bad-element", "not-base64", "repeated-name", "file-differs",
	},
	"proof": {
		"wrong-length", "wrong-count", "point-not-canonical", "coordinate-too-large", "off-curve", "outside-subgroup",
		"unknown-label", "radius-too-large", "commitment-not-opened", "relation-fails", "pairings-differ", "circuit-differs",
		"values-differ",
	},
	"words": {"words-differ"},
	"parts": {
		"bad-shape", "key-bytes-differ", "setup-differs", "proof-system-differs", "spec-differs", "domain-differs",
		"ranges-differ", "shape-differs",
	},
	"model":   {"bad-spec", "model-differs", "other-model"},
	"query":   {"bad-query", "other-query"},
	"bad_key": {"degenerate-key"},
	"receipt": {"other-receipt"},
	"log": {
		"not-a-log-proof", "no-log-proof", "other-log", "not-in-log", "too-few-witnesses", "tree-too-small", "log-too-old",
		"other-entry", "other-owner",
	},
	"context": {"weak-nonce", "other-context", "context-lacks", "too-old"},
	"key": {
		"no-transcript", "no-keys", "key-not-trusted", "other-key", "other-setup", "other-proof-system", "other-transcript",
		"too-few-signers",
	},
	"minimum": {"radius-too-small", "ranges-not-accepted", "ranges-too-narrow"},
}

// notEnough are the classes of certificates that may be true but are not what the reader asked for.
var notEnough = map[string]bool{"context": true, "receipt": true, "key": true, "minimum": true, "log": true, policy: true}

var classes = func() map[string]string {
	classOf := map[string]string{}
	for class, all := range reasons {
		for _, reason := range all {
			classOf[reason] = class
		}
	}
	return classOf
}()

// Refusal returns the answer about a certificate that is not accepted, with nothing of what it claims: it is "not valid"
// where a check of it failed, and "not enough" where it may be true but is not what the reader asked for. Technical is the
// message of the error. A language that the table lacks is an error.
func Refusal(reason, technical, language string) (*canonical.Object, error) {
	l, err := speaking(language)
	if err != nil {
		return nil, err
	}
	class, ok := classes[reason]
	if !ok {
		class = policy
	}
	outcome, below := "not-valid", []string{"refused." + class, "below.means", "below.no_evidence", "below.do"}
	if class == aFile {
		outcome, below = "not-a-certificate", []string{"below.nothing"}
	} else if notEnough[class] {
		outcome, below = "not-enough", below[:1]
	}
	for at, which := range below {
		below[at] = l.say(which)
	}
	object := canonical.NewObject().Set("language", language).Set("outcome", outcome).Set("heading", l.say("outcome."+outcome)).
		Set("below", listed(below)).Set("sentences", listed(nil)).Set("bars_heading", nil).Set("bars_note", nil)
	for _, empty := range []string{"bars", "checked", "not_checked", "never_shown"} {
		object.Set(empty, listed(nil))
	}
	return object.Set("reason", reason).Set("technical", technical), nil
}
