package policy

import (
	"equiproof/verify/document"
	"equiproof/verify/tables"
)

// ForQuery requires that the certificate is about these raw features under this blinding. Found: the query came with the
// certificate itself, so it says whose data they are, and not that they are yours.
type ForQuery struct {
	Query  *document.Query
	Source string
	Found  bool
}

var _ = register("ForQuery", func(query *document.Query) (Policy, error) {
	return ForQuery{Query: query, Source: tables.Say("reading.query_file")}, nil
})

// Covers is the query.
func (q ForQuery) Covers() Covered {
	if q.Found {
		return covering(AboutFoundQuery)
	}
	return covering(AboutQuery)
}

// Check recomputes the query commitment; features that do not fit the spec are malformed.
func (q ForQuery) Check(facts *Facts) ([]string, error) {
	commitment, err := q.Query.Commitment(facts.Spec)
	if err != nil {
		return nil, err
	}
	if commitment.Cmp(facts.Statement.QueryCommitment) != 0 {
		return nil, refused("other-query", tables.Say("policy.query_differs", q.Source))
	}
	return []string{tables.Say("checked.query", q.Source)}, nil
}
