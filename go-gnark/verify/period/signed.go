package period

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"

	"equiproof/verify/canonical"
	"equiproof/verify/document"
	"equiproof/verify/lot"
	"equiproof/verify/note"
)

const (
	sealMark    = "equiproof-lot-seal"
	openingMark = "equiproof-lot-opening"
	beaconMark  = "equiproof-lot-beacon"
	answerMark  = "equiproof-lot-answer"
	sealsTag    = "equiproof.lot.seals.v1\x00"
)

var (
	aSignature = regexp.MustCompile(`^[0-9a-f]{128}$`)
	aRound     = regexp.MustCompile(fmt.Sprintf(`^[0-9a-f]{%d}$`, 2*lot.SignatureBytes))
)

// signed is a document of one party of a period: its place among the parties from 1, when it was made, and its signature.
type signed struct {
	period  string
	party   int
	time    string
	bytes   []byte
	object  *canonical.Object
	message []byte // what is signed
	proof   []byte
}

// Seal says that a party stands by a close and, where the draw is by numbers, has fixed its own.
type seal struct {
	signed
	sealed string // "" without a number
}

// opening is a party's number, made known after all have sealed; seals is the digest of every seal that it saw.
type opening struct {
	signed
	seals string
	nonce lot.Digest
}

func readSeal(data []byte, where string) (*seal, error) {
	object, err := readSigned(data, sealMark, where, canonical.Optional("sealed", canonical.Text()))
	if err != nil {
		return nil, err
	}
	found := &seal{*object, object.object.Text("sealed")}
	if object.object.Has("sealed") {
		return found, digest(where, "sealed", found.sealed)
	}
	return found, nil
}

func readOpening(data []byte, where string) (*opening, error) {
	object, err := readSigned(data, openingMark, where,
		canonical.Required("seals", canonical.Text()), canonical.Required("nonce", canonical.Text()))
	if err != nil {
		return nil, err
	}
	found := &opening{signed: *object, seals: object.object.Text("seals")}
	if err := digest(where, "seals", found.seals); err != nil {
		return nil, err
	}
	if err := digest(where, "nonce", object.object.Text("nonce")); err != nil {
		return nil, err
	}
	copy(found.nonce[:], bytesOf(object.object.Text("nonce")))
	return found, nil
}

// readSigned reads what seals and openings have in common; the signature is checked by whoever knows the party.
func readSigned(data []byte, mark, where string, fields ...canonical.Field) (*signed, error) {
	common := []canonical.Field{
		canonical.Required("period", canonical.Text()), canonical.Required("party", canonical.Integer()),
		canonical.Required("time", canonical.Text()), canonical.Required("signature", canonical.Text()),
	}
	object, err := document.ReadFirst(data, mark, where, append(common, fields...)...)
	if err != nil {
		return nil, err
	}
	found := &signed{period: object.Text("period"), party: object.Int("party"), time: object.Text("time"), bytes: data,
		object: object}
	if err := digest(where, "period", found.period); err != nil {
		return nil, err
	}
	if found.party < 1 || found.party > maxParties {
		return nil, malformed(where, "party", fmt.Sprintf("want 1 to %d", maxParties))
	}
	if !aSignature.MatchString(object.Text("signature")) {
		return nil, malformed(where, "signature", "want 64 bytes as lower-case hexadecimal digits")
	}
	if !document.IsTime(found.time) {
		return nil, malformed(where, "time", "want a time such as 2026-04-01T09:00:00Z")
	}
	found.proof = bytesOf(object.Text("signature"))
	unsigned := canonical.NewObject()
	for _, name := range object.Names() {
		unsigned.Set(name, object.Get(name))
	}
	unsigned.Set("signature", "")
	found.message = append([]byte("\x00"+mark+"\x00"), canonical.Bytes(unsigned)...)
	return found, nil
}

func (s *signed) holds(key *note.Key) bool { return key.Holds(s.message, s.proof) }

// digestOfSeals is over all seals in the order of the parties.
func digestOfSeals(seals []*seal) string {
	all := []byte(sealsTag)
	for _, one := range seals {
		sum := sha256.Sum256(one.bytes)
		all = append(all, sum[:]...)
	}
	sum := sha256.Sum256(all)
	return hex.EncodeToString(sum[:])
}

// beacon is the signature of the round that a period names.
type beacon struct {
	period    string
	signature []byte
}

func readBeacon(data []byte, where string) (*beacon, error) {
	object, err := document.ReadFirst(data, beaconMark, where,
		canonical.Required("period", canonical.Text()), canonical.Required("signature", canonical.Text()))
	if err != nil {
		return nil, err
	}
	if err := digest(where, "period", object.Text("period")); err != nil {
		return nil, err
	}
	if !aRound.MatchString(object.Text("signature")) {
		return nil, malformed(where, "signature",
			fmt.Sprintf("want %d bytes as lower-case hexadecimal digits", lot.SignatureBytes))
	}
	return &beacon{object.Text("period"), bytesOf(object.Text("signature"))}, nil
}

// bytesOf reads digits that are known to be hexadecimal.
func bytesOf(digits string) []byte {
	data, err := hex.DecodeString(digits)
	if err != nil {
		panic(err)
	}
	return data
}
