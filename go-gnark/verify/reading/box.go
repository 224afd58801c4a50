package reading

import (
	"strings"

	"equiproof/verify/canonical"
	"equiproof/verify/names"
	"equiproof/verify/spec"
	"equiproof/verify/tables"
)

// OfBox returns a statement about a box for people as a box certificate has it: a function of the spec and the label alone.
func OfBox(s *spec.Spec, label int) *canonical.Object {
	sensitive := canonical.ListValue(s.Sensitive, func(f *spec.Feature) canonical.Value { return f.Name })
	return canonical.NewObject().Set("label", s.Labels[label]).Set("sensitive", sensitive)
}

// BoxSentence is one sentence that promises no more than the statement about a box.
func BoxSentence(reading *canonical.Object) string {
	var sensitive []string
	for _, name := range reading.Texts("sensitive") {
		sensitive = append(sensitive, names.Quoted(name))
	}
	return tables.Say("box.read", names.Quoted(reading.Text("label")), strings.Join(sensitive, " "+tables.Say("word.and")+" "))
}
