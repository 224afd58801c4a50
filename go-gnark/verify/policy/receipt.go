package policy

import (
	"bytes"

	"equiproof/verify/document"
	"equiproof/verify/tables"
)

// ForReceipt requires that the certificate is about this receipt, which was given when the decision was made. Found: it came with
// the certificate itself. With pins, its proof must show it in the log; without a proof that stays open.
type ForReceipt struct {
	Receipt *document.Receipt
	Found   bool
	Pins    *LogPins
	Proof   []byte
	Now     int64
}

// Covers is no check.
func (ForReceipt) Covers() Covered { return Covered{} }

// Check compares the receipt with the statement, and looks for its entry.
func (r ForReceipt) Check(facts *Facts) ([]string, error) {
	if err := r.Receipt.RefuseOther(facts.Statement); err != nil {
		return nil, err
	}
	whose := tables.Say("receipt.yours_is")
	if r.Found {
		whose = tables.Say("reading.receipt_that_came")
	}
	lines := []string{tables.Say("checked.receipt", whose, r.Receipt.Time)}
	if r.Pins == nil || len(r.Proof) == 0 {
		return lines, nil
	}
	standing, err := r.Judge()
	if err != nil {
		return nil, err
	}
	return append(lines, tables.Say("checked.receipt_in_log", r.Pins.Log.Name, standing.Index, standing.Size)), nil
}

// Judge returns where the receipt's entry stands; the log must be pinned.
func (r ForReceipt) Judge() (*Standing, error) {
	standing, err := r.Pins.stand(r.Proof, r.Now, tables.Say("present.log_proof_of_receipt"))
	if err == nil && !bytes.Equal(standing.Entry.Bytes, r.Receipt.Entry()) {
		err = refused("other-entry", tables.Say("log_proof.receipt_differs"))
	}
	return standing, err
}

// StillOpen lists what stays open of the receipt.
func (r ForReceipt) StillOpen() []string {
	if r.Pins != nil && len(r.Proof) == 0 {
		return []string{tables.Say("unproven.receipt_in_log")}
	}
	return nil
}
