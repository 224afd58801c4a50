package document

import (
	"slices"
	"testing"
)

// The set-ups that the sources name are those of the table.
func TestSetups(t *testing.T) {
	if named := []string{SingleParty, Ceremony, Universal}; !slices.Equal(SetupKinds, named) {
		t.Errorf("%q, want %q", SetupKinds, named)
	}
}
