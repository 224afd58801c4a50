package policy

import (
	"errors"
	"testing"

	"equiproof/verify/document"
	"equiproof/verify/verdict"
)

// Whatever bytes are given as a log proof, they are judged or refused with a reason; and so are those of entries and receipts.
func FuzzLogProof(f *testing.F) {
	data, err := vectors()
	if err != nil {
		f.Fatal(err)
	}
	for _, one := range data.Logged {
		f.Add([]byte(one.Proof))
	}
	for _, one := range append(data.Entries, data.Receipts...) {
		f.Add([]byte(one.Entry + one.Receipt))
	}
	good := data.Logged[0]
	f.Fuzz(func(t *testing.T, data []byte) {
		log := good.policyOf(t)
		log.Proof = data
		_, proof := log.Judge(good.Digest)
		_, entry := document.ReadEntry(data, "it")
		_, receipt := document.ReadReceipt(data, "it")
		for _, err := range []error{proof, entry, receipt} {
			var refusal *verdict.Error
			if err != nil && (!errors.As(err, &refusal) || refusal.Reason == "") {
				t.Errorf("%v", err)
			}
		}
	})
}
