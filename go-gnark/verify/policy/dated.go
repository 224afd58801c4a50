package policy

import (
	"bytes"
	"errors"

	"equiproof/verify/document"
	"equiproof/verify/tables"
)

// BoxDated requires that a pinned log holds the entry of a box certificate's file, and says since when witnesses had seen it. It
// is no policy: it judges the file, which no statement holds. Twin of verifier/logged.py.
type BoxDated struct {
	pins  *LogPins
	proof []byte
	now   int64
}

// DatedBy returns what a log must hold of a file; without witnesses it is an error, since a log states no time.
func DatedBy(terms *LogTerms, proof []byte) (*BoxDated, error) {
	pins, err := terms.pins()
	if err != nil {
		return nil, err
	}
	if pins.Least == 0 {
		return nil, errors.New(tables.Say("policy.date_without_witnesses"))
	}
	return &BoxDated{pins: pins, proof: proof, now: terms.Now}, nil
}

// Judge returns where the entry of a box certificate's file stands. An entry of another kind is refused, though it have the
// digest of this very file.
func (d *BoxDated) Judge(box *document.Box) (*Standing, error) {
	standing, err := d.pins.stand(d.proof, d.now, tables.Say("present.log_proof_of_box"))
	if err == nil && !bytes.Equal(standing.Entry.Bytes, box.Entry()) {
		err = refused("other-entry", tables.Say("log_proof.box_differs"))
	}
	return standing, err
}

// Made says that the log holds the file's entry, and since when at the latest.
func (d *BoxDated) Made(standing *Standing) string {
	return tables.Say("checked.box_in_log", d.pins.Log.Name, standing.Index, standing.Size, standing.ShownSince())
}
