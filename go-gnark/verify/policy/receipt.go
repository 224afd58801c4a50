package policy

import (
	"bytes"
	"fmt"

	"equiproof/verify/document"
)

// receiptProof names the log proof of a receipt in errors.
const receiptProof = "log proof of the receipt"

// receiptInLog is what a receipt without a log proof does not show.
const receiptInLog = "that the receipt is in the log: no log proof of it came with it"

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
	whose := "your receipt is"
	if r.Found {
		whose = "the receipt that came with it is"
	}
	lines := []string{whose + " the one that this certificate is about, of " + r.Receipt.Time}
	if r.Pins == nil || len(r.Proof) == 0 {
		return lines, nil
	}
	standing, err := r.Judge()
	if err != nil {
		return nil, err
	}
	return append(lines, fmt.Sprintf("the log %s (entry %d of %d) holds that receipt",
		r.Pins.Log.Name, standing.Index, standing.Size)), nil
}

// Judge returns where the receipt's entry stands; the log must be pinned.
func (r ForReceipt) Judge() (*Standing, error) {
	standing, err := r.Pins.stand(r.Proof, r.Now, receiptProof)
	if err == nil && !bytes.Equal(standing.Entry.Bytes, r.Receipt.Entry()) {
		err = refused("other-entry", "the entry in the log proof of the receipt is another one")
	}
	return standing, err
}

// StillOpen lists what stays open of the receipt.
func (r ForReceipt) StillOpen() []string {
	if r.Pins != nil && len(r.Proof) == 0 {
		return []string{receiptInLog}
	}
	return nil
}
