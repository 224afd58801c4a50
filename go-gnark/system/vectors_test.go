package system_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"equiproof/check"
	"equiproof/system"
)

// vectors is the folder of vectors that other programs share (tests/vectors/README.md).
var vectors = filepath.Join("..", "..", "tests", "vectors")

// proofVector has the fields of a proof's vector or of its base, in hexadecimal.
type proofVector struct {
	Base, Verdict, Reason string
	ProofSystem           string `json:"proof_system"` // of a base
	Key, Digest, Proof    *string
}

func readVector(t *testing.T, path string) *proofVector {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	v := new(proofVector)
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return v
}

// part returns the bytes of a field, or the base's where the vector has none.
func (v *proofVector) part(t *testing.T, own, base *string) []byte {
	t.Helper()
	if own == nil {
		own = base
	}
	data, err := hex.DecodeString(*own)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// judged returns the verifier's result for a vector: nil, or why it is malformed or refused.
func (v *proofVector) judged(t *testing.T) error {
	t.Helper()
	base := readVector(t, filepath.Join(vectors, "base", v.Base+".json"))
	proofSystem, err := system.Named(base.ProofSystem)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := proofSystem.LoadVerifier(v.part(t, v.Key, base.Key))
	if err != nil {
		return err
	}
	return verifier.Verify(v.part(t, v.Digest, base.Digest), v.part(t, v.Proof, base.Proof))
}

// Every vector of a proof is accepted, refused or malformed according to its folder, for the reason that it states.
func TestProofVectors(t *testing.T) {
	for _, verdict := range []string{"accept", "reject", "malformed"} {
		paths, err := filepath.Glob(filepath.Join(vectors, verdict, "groth16-*.json"))
		if err != nil || len(paths) < 10 {
			t.Fatalf("%s: %d vectors, %v", verdict, len(paths), err)
		}
		more, err := filepath.Glob(filepath.Join(vectors, verdict, "plonk-*.json"))
		if err != nil || len(more) == 0 {
			t.Fatalf("%s: %d vectors of PLONK, %v", verdict, len(more), err)
		}
		paths = append(paths, more...)
		for _, path := range paths {
			v := readVector(t, path)
			err := v.judged(t)
			found := "malformed"
			if err == nil {
				found = "accept"
			} else if errors.Is(err, check.ErrRefused) {
				found = "reject"
			}
			if found != verdict || v.Verdict != verdict || string(check.ReasonOf(err)) != v.Reason {
				t.Errorf("%s: %s because %q, want %s because %q: %v",
					filepath.Base(path), found, check.ReasonOf(err), verdict, v.Reason, err)
			}
		}
	}
}
