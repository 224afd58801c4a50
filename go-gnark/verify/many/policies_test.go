package many

import (
	"fmt"
	"testing"

	"equiproof/verify/policy"
	"equiproof/verify/tlog"
)

// demanded is a policy about a log, and another one inside any_of.
var demanded = policy.AllOf{policy.Logged{}, policy.AnyOf{policy.Logged{}, policy.NoRanges{}}}

// proofs are those that the policies of a log are about.
func proofs(made policy.Policy) [2]string {
	all := made.(policy.AllOf)
	return [2]string{string(all[0].(policy.Logged).Proof), string(all[1].(policy.AnyOf)[0].(policy.Logged).Proof)}
}

func TestEveryPolicyOfALogIsAboutTheProof(t *testing.T) {
	var known policies
	for _, proof := range []string{"one", "another", "one", ""} {
		if found := proofs(known.of(demanded, []byte(proof))); found != [2]string{proof, proof} {
			t.Errorf("policies about %q, want %q", found, proof)
		}
	}
	if proofs(demanded) != [2]string{} {
		t.Error("the policy that was given has changed")
	}
}

func TestPoliciesAreKnownByBytesAndForgotten(t *testing.T) {
	var known policies
	reused := []byte("one")
	known.of(demanded, reused)
	copy(reused, "two")
	if found := proofs(known.of(demanded, []byte("one"))); found[0] != "one" {
		t.Errorf("a proof that changed under its policy: %q", found)
	}
	long := make([]byte, tlog.MaxProofBytes+1)
	if found := proofs(known.of(demanded, long)); found[0] != string(long) || len(known.known) != 1 {
		t.Error("what is too long for a proof is kept, or taken for another one")
	}
	for number := range 3 * mostPolicies {
		known.of(demanded, fmt.Append(nil, number))
		if len(known.known) > mostPolicies {
			t.Fatalf("%d policies are kept", len(known.known))
		}
	}
}
