package document

import (
	"slices"
	"strings"
	"testing"
)

// The set-ups that the sources name are those of the table.
func TestSetups(t *testing.T) {
	if named := []string{SingleParty, Ceremony, Universal}; !slices.Equal(SetupKinds, named) {
		t.Errorf("%q, want %q", SetupKinds, named)
	}
}

const boxKey = `{"constraints":5441,"format":"equiproof-key","proof_system":"groth16-bn254","proving_key":"abababababababababa` +
	`babababababababababababababababababababababab","setup":"single-party","shape":{"architecture":{"bias_bits":[24` +
	`],"hidden":[],"logits":1,"plain":16,"predicates":[24,0],"sensitive":1,"weight_bits":[16]},"capacity":1,"format` +
	`":"equiproof-shape","input_bits":18,"input_fraction_bits":10,"one_hot":[{"first":1,"high":1024,"low":0,"values` +
	`":5},{"first":12,"high":1024,"low":0,"values":4}],"radius_bits":29,"scheme":"additive-box","slices":2,"version` +
	`":2},"system_digest":"abababababababababababababababababababababababababababababababab","tools":{"equiproof":"` +
	`1"},"verifying_key":"abababababababababababababababababababababababababababababababab","version":2}`

// A key of boxes is read, and named as Python names it; one with the room of other relations, or without a relation of boxes, is refused.
func TestKeysOfBoxes(t *testing.T) {
	key, err := ReadKey([]byte(boxKey), "key.json")
	if err != nil {
		t.Fatal(err)
	}
	if name := key.Shape.Name(); name != "additive-box-16+1-p24+0-s2-k1-b690ee0a" {
		t.Errorf("it is named %s", name)
	}
	for field, other := range map[string]string{
		"slots":   strings.Replace(boxKey, `"slices":2`, `"slices":2,"slots":3`, 1),
		"one_hot": strings.Replace(strings.Replace(boxKey, `"slices":2`, `"slices":2,"slots":3`, 1), "additive-box", "additive", 1),
	} {
		if _, err := ReadKey([]byte(other), "key.json"); err == nil || !strings.Contains(err.Error(), "field shape."+field) {
			t.Errorf("%s: %v", field, err)
		}
	}
}
