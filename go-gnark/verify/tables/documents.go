package tables

// documentTable is documents.json: the fields of each document that verifiers read, by format mark, and those of the parts of
// documents, by the name that the types have for them. Each program reads documents by structures of its own, so that only
// its shape is held here.
type documentTable struct {
	Documents map[string]documentRow         `json:"documents"`
	Parts     map[string]map[string]fieldRow `json:"parts"`
}

// documentRow is one kind of document: since which version it is there, and its fields.
type documentRow struct {
	Since  int                 `json:"since"`
	Fields map[string]fieldRow `json:"fields"`
}

type fieldRow struct {
	Type     string `json:"type"`
	Required bool   `json:"required"`
}
