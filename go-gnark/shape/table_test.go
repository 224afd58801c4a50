package shape_test

import (
	"encoding/json"
	"strings"
	"testing"

	"equiproof/internal/oracle"
	"equiproof/shape"
)

// The shape of counts over tables is read in its canonical form alone; sizes that make no circuit are refused naming the field.
func TestParseTable(t *testing.T) {
	text, err := json.Marshal(shape.TableOf(oracle.ShapeOf(3, 1, []int{2}, 1, 18, 2, 4), 64, 8))
	if err != nil {
		t.Fatal(err)
	}
	honest := string(text)
	found, err := shape.ParseTable(text)
	if err != nil || !shape.IsTable(text) || shape.IsLink(text) || found.Elements() != 2 || !found.Sizes().Keeps() {
		t.Fatalf("%+v, %v", found, err)
	}
	for old, change := range map[string][2]string{
		`"rows":64`:                {`"rows":0`, "rows is 0"},
		`"cells":8`:                {`"cells":257`, "cells is 257"},
		`"logits":1`:               {`"logits":3`, "logits is 3"},
		`"input_bits":18`:          {`"input_bits":65`, "input_bits is 65"},
		`"plain":3`:                {`"plain":0`, "plain is 0"},
		`"hidden":[2]`:             {`"hidden":[]`, "number of hidden layers is 0"},
		`"version":2`:              {`"version":3`, "version 3"},
		`"sensitive":1`:            {`"sensitive":1 `, "not in canonical form"},
		`"scheme":"table"`:         {`"scheme":"tables"`, "scheme tables is not known"},
		`"format":"equiproof-shap`: {`"model":"kept","format":"equiproof-shap`, "unknown field"},
	} {
		document := strings.Replace(honest, old, change[0], 1)
		if _, err := shape.ParseTable([]byte(document)); document == honest || err == nil || !strings.Contains(err.Error(), change[1]) {
			t.Errorf("%s: %v, want %q", change[0], err, change[1])
		}
	}
	// A count of a cell begins a new element behind seven.
	for cells, elements := range map[int]int{1: 1, 7: 1, 8: 2, 14: 2, 15: 3} {
		if n := shape.TableOf(oracle.ShapeOf(3, 1, []int{2}, 1, 18, 2, 4), 1, cells).Elements(); n != elements {
			t.Errorf("%d cells take %d elements, want %d", cells, n, elements)
		}
	}
}
