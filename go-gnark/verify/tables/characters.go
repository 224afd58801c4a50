package tables

// NameTable is names.json: characters as ranges of code points in hexadecimal, look-alikes by what they look like.
// scripts/unicode_names.py writes it.
type NameTable struct {
	What             string            `json:"what"`
	Longest          int               `json:"longest"`
	MarksInARow      int               `json:"marks_in_a_row"`
	Letters          map[string]string `json:"letters"`
	Marks            map[string]string `json:"marks"`
	MarksOfAnyScript string            `json:"marks_of_any_script"`
	Signs            string            `json:"signs"`
	OneOf            []string          `json:"one_of"`
	Together         []string          `json:"together"`
	RightToLeft      []string          `json:"right_to_left"`
	SignsFromRight   string            `json:"signs_from_right"`
	LookAlikes       map[string]string `json:"look_alikes"`
}

// NormalTable is normal.json: the normal forms of the characters of names.json, which are the same in every version of
// Unicode that knows them (docs/spec.md). scripts/normal_forms.py writes it.
type NormalTable struct {
	What       string            `json:"what"`
	Decomposed map[string]string `json:"decomposed"`
	Composed   map[string]string `json:"composed"`
	Classes    map[string]string `json:"classes"`
}
