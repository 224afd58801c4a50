package many

import (
	"bytes"
	"sync"

	"equiproof/verify/policy"
	"equiproof/verify/tlog"
)

// mostPolicies is for how many log proofs a policy is kept.
const mostPolicies = 64

// policies are a policy for each of the log proofs that came, by their bytes: of many certificates with one log proof, it is
// checked once.
type policies struct {
	lock  sync.Mutex
	known map[string]policy.Policy
}

// of returns the policy for a log proof, nil for none; what is too long for one is not kept.
func (p *policies) of(requirement policy.Policy, proof []byte) policy.Policy {
	if len(proof) > tlog.MaxProofBytes {
		return policy.WithLogProof(requirement, proof)
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	if own, ok := p.known[string(proof)]; ok {
		return own
	}
	if p.known == nil || len(p.known) == mostPolicies {
		p.known = map[string]policy.Policy{}
	}
	own := policy.WithLogProof(requirement, bytes.Clone(proof))
	p.known[string(proof)] = own
	return own
}
