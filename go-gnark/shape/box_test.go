package shape

import (
	"strings"
	"testing"
)

// A shape of a box is that of an additive model without slots, with room for one, and categories that lie side by side.
func TestBoxShapes(t *testing.T) {
	const honest = `{"architecture":{"bias_bits":[24],"hidden":[],"logits":1,"plain":6,"predicates":[5,1],"sensitive":1,` +
		`"weight_bits":[16]},"capacity":1,"format":"equiproof-shape","input_bits":18,"input_fraction_bits":10,` +
		`"one_hot":[{"first":1,"high":1448,"low":0,"values":2},{"first":4,"high":1448,"low":-1,"values":2}],` +
		`"radius_bits":29,"scheme":"additive-box","slices":2,"version":2}`
	s, err := Parse([]byte(honest))
	if err != nil {
		t.Fatal(err)
	}
	if found := *s.Box(); found != (Box{Plain: 5, Sensitive: 1, WorstBits: 17, GainBits: 19}) {
		t.Errorf("%+v", found)
	}
	for change, says := range map[[2]string]string{
		{`"first":4`, `"first":2`}:                                                         "first column of a category is 2, want 3 to 5",
		{`"first":4`, `"first":5`}:                                                         "values of a category is 2, want 2 to 1",
		{`"values":2}]`, `"values":1}]`}:                                                   "values of a category is 1, want 2 to 2",
		{`"high":1448,"low":-1`, `"high":-1,"low":-1`}:                                     "high of a category is -1, want 0 to 131071",
		{`"high":1448,"low":-1`, `"high":131072,"low":-1`}:                                 "high of a category is 131072, want 0 to 131071",
		{`"low":-1`, `"low":-131073`}:                                                      "low of a category is -131073",
		{`"capacity":1`, `"capacity":2`}:                                                   "capacity is 2, want 1 to 1",
		{`"slices":2`, `"slices":2,"slots":1`}:                                             "slots is 1, want 0 to 0",
		{`"radius_bits":29`, `"radius_bits":29,"rows":1`}:                                  "rows is 1, want 0 to 0",
		{`"plain":6`, `"nodes":[1,1],"plain":6`}:                                           "number of nodes is 2, want 0 to 0",
		{`"scheme":"additive-box","slices":2`, `"scheme":"additive","slices":2,"slots":1`}: "one_hot is 2, want 0 to 0",
	} {
		document := strings.Replace(honest, change[0], change[1], 1)
		if _, err := Parse([]byte(document)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", change[1], err, says)
		}
	}
}
