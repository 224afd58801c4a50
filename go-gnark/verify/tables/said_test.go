package tables

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// generic is what the program has of a table, as JSON has it.
func generic(t *testing.T, value any) (made any) {
	t.Helper()
	data, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(data, &made)
	}
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// rowOf is a row by its name, which is its keys; nil where it is not there.
func rowOf(table any, name string) any {
	for key := range strings.SplitSeq(name, " ") {
		entries, _ := table.(map[string]any)
		table = entries[key]
	}
	return table
}

// filled is what a function makes of a sentence with the name of each place in it, the values in the order of the text that is
// English, or wanted to be.
func filled(say func(id string, values ...any) string, id, english string) (said any) {
	defer func() {
		if problem := recover(); problem != nil {
			said = fmt.Sprint("panic: ", problem)
		}
	}()
	var values []any
	for _, place := range placeholder.FindAllString(english, -1) {
		values = append(values, place)
	}
	return say(id, values...)
}

// inLanguage is a sentence as its row has it: of messages.json, in the language that the row's name begins with.
func inLanguage(t *testing.T, row string, wanted map[string]any) any {
	t.Helper()
	language, id, _ := strings.Cut(row, " ")
	if err := Speak(language); err != nil {
		t.Fatal(err)
	}
	defer Speak(Languages[0])
	english, _ := wanted[Languages[0]+" "+id].(string)
	return filled(Say, id, english)
}

// ofPlaces is a sentence that was found, and says so where its places are in another order than those of the text that is
// wanted.
func ofPlaces(found any, wanted, text string) any {
	order := [2][]string{placeholder.FindAllString(wanted, -1), placeholder.FindAllString(text, -1)}
	if !slices.Equal(order[0], order[1]) {
		return fmt.Sprintf("%s, of places in the order %v", found, order[1])
	}
	return found
}

// Each row is that of tests/golden/tables.json, which is no table: a row that changed would change every program alike. A call
// of Say gives values by their order, so that a sentence whose places changed their order is another one, although it comes
// out the same here. EQUIPROOF_TABLES is a folder of other tables.
func TestRows(t *testing.T) {
	from := fs.FS(files)
	if folder := os.Getenv("EQUIPROOF_TABLES"); folder != "" {
		from = os.DirFS(folder)
		kept := known
		defer func() { known = kept }()
		made, err := load(from)
		if err != nil {
			t.Fatal(err)
		}
		known = made
	}
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "tests", "golden", "tables.json"))
	if err != nil {
		t.Fatal(err)
	}
	wanted := map[string]map[string]any{}
	if err := json.Unmarshal(data, &wanted); err != nil {
		t.Fatal(err)
	}
	texts := englishTexts(t, from)
	policies := map[string]any{}
	for _, row := range Policies() {
		policies[row.Name] = generic(t, row)
	}
	tables := map[string]any{
		"words": generic(t, known.words), "reasons": generic(t, known.reasons), "policies": policies,
		"kinds": generic(t, known.kinds), "systems": generic(t, Systems()), "documents": generic(t, known.documents),
		"answers": generic(t, Answers()), "reports": generic(t, Reports()),
	}
	compared, differ := 0, []string{}
	for table, rows := range wanted {
		for name, want := range rows {
			var found any
			switch text, _ := want.(string); {
			case table == "written":
				found = ofPlaces(filled(Written, name, text), text, texts[name])
			case table != "messages":
				found = rowOf(tables[table], name)
			default:
				found = inLanguage(t, name, rows)
				if id, english := strings.CutPrefix(name, Languages[0]+" "); english {
					found = ofPlaces(found, text, texts[id])
				}
			}
			compared++
			if !reflect.DeepEqual(found, want) {
				differ = append(differ, fmt.Sprintf("%s.json: %s: %v, want %v", table, name, found, want))
			}
		}
	}
	if slices.Sort(differ); len(differ) > 0 {
		t.Errorf("\n%s\n%d rows differ from tests/golden/tables.json", strings.Join(differ, "\n"), len(differ))
	}
	if compared < 1000 {
		t.Errorf("%d rows", compared)
	}
}
