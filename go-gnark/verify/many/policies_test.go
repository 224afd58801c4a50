package many

import (
	"fmt"
	"testing"

	"equiproof/verify/policy"
	"equiproof/verify/tlog"
)

// requirements is a policy about a log, and another one inside any_of.
var requirements = policy.AllOf{policy.Logged{}, policy.AnyOf{policy.Logged{}, policy.NoRanges{}}}

// proofs are those that the policies of a log are about.
func proofs(requirements policy.Policy) [2]string {
	all := requirements.(policy.AllOf)
	return [2]string{string(all[0].(policy.Logged).Proof), string(all[1].(policy.AnyOf)[0].(policy.Logged).Proof)}
}

func TestEveryPolicyOfALogIsAboutTheProof(t *testing.T) {
	var cache policies
	for _, proof := range []string{"one", "another", "one", ""} {
		if pair := proofs(cache.of(requirements, []byte(proof))); pair != [2]string{proof, proof} {
			t.Errorf("policies about %q, want %q", pair, proof)
		}
	}
	if proofs(requirements) != [2]string{} {
		t.Error("the policy that was given has changed")
	}
}

func TestPoliciesAreKnownByBytesAndForgotten(t *testing.T) {
	var cache policies
	reused := []byte("one")
	cache.of(requirements, reused)
	copy(reused, "two")
	if pair := proofs(cache.of(requirements, []byte("one"))); pair[0] != "one" {
		t.Errorf("a proof that changed under its policy: %q", pair)
	}
	long := make([]byte, tlog.MaxProofBytes+1)
	if pair := proofs(cache.of(requirements, long)); pair[0] != string(long) || len(cache.known) != 1 {
		t.Error("what is too long for a proof is kept, or taken for another one")
	}
	for number := range 3 * mostPolicies {
		cache.of(requirements, fmt.Append(nil, number))
		if len(cache.known) > mostPolicies {
			t.Fatalf("%d policies are kept", len(cache.known))
		}
	}
}
