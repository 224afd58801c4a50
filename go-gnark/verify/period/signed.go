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
	"equiproof/verify/tables"
)

const (
	sealMark    = "equiproof-lot-seal"
	openingMark = "equiproof-lot-opening"
	beaconMark  = "equiproof-lot-beacon"
	answerMark  = "equiproof-lot-answer"
	sealsTag    = "equiproof.lot.seals.v1\x00"
)

var (
	signatureDigits = regexp.MustCompile(`^[0-9a-f]{128}$`)
	roundDigits     = regexp.MustCompile(fmt.Sprintf(`^[0-9a-f]{%d}$`, 2*lot.SignatureBytes))
)

// signedFile is what the files of one party begin with.
type signedFile struct {
	document.Mark
	Period    string `field:"period"`
	Party     int    `field:"party"`
	Time      string `field:"time"`
	Signature string `field:"signature"`
}

type sealFile struct {
	signedFile
	Sealed *string `field:"sealed"`
}

type openingFile struct {
	signedFile
	Seals string `field:"seals"`
	Nonce string `field:"nonce"`
}

type beaconDocument struct {
	document.Mark
	Period    string `field:"period"`
	Signature string `field:"signature"`
}

var (
	sealTable    = canonical.TableOf[sealFile](sealMark)
	openingTable = canonical.TableOf[openingFile](openingMark)
	beaconTable  = canonical.TableOf[beaconDocument](beaconMark)
)

// signed is a document of one party of a period: its place among the parties from 1, when it was made, and its signature.
type signed struct {
	period  string
	party   int
	time    string
	bytes   []byte
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
	file, own, err := readSigned(data, sealTable, sealMark, where)
	if err != nil {
		return nil, err
	}
	if file.Sealed == nil {
		return &seal{signed: *own}, nil
	}
	return &seal{*own, *file.Sealed}, digest(where, "sealed", *file.Sealed)
}

func readOpening(data []byte, where string) (*opening, error) {
	file, own, err := readSigned(data, openingTable, openingMark, where)
	if err != nil {
		return nil, err
	}
	if err := digest(where, "seals", file.Seals); err != nil {
		return nil, err
	}
	if err := digest(where, "nonce", file.Nonce); err != nil {
		return nil, err
	}
	return &opening{*own, file.Seals, lot.Digest(bytesOf(file.Nonce))}, nil
}

// readSigned reads a file of one party, and what all of them have in common; the signature is checked by whoever knows the
// party.
func readSigned[T any](data []byte, table canonical.Table[T], mark, where string) (*T, *signed, error) {
	object, err := document.ReadFirstObject(data, table, mark, where)
	if err != nil {
		return nil, nil, err
	}
	own, err := newSigned(object, data, mark, where)
	return table.Fields(object), own, err
}

// newSigned returns what a party signed.
func newSigned(object *canonical.Object, data []byte, mark, where string) (*signed, error) {
	file := canonical.Fields[signedFile](object)
	if err := digest(where, "period", file.Period); err != nil {
		return nil, err
	}
	if file.Party < 1 || file.Party > maxParties {
		return nil, malformed(where, "party", tables.Say("lot.want_party", maxParties))
	}
	if !signatureDigits.MatchString(file.Signature) {
		return nil, malformed(where, "signature", tables.Say("lot.want_signature"))
	}
	if !document.IsTime(file.Time) {
		return nil, malformed(where, "time", tables.Say("lot.want_time"))
	}
	message := canonical.NewObject()
	for _, name := range object.Names() {
		message.Set(name, object.Get(name))
	}
	message.Set("signature", "")
	return &signed{
		period: file.Period, party: file.Party, time: file.Time, bytes: data, proof: bytesOf(file.Signature),
		message: append([]byte("\x00"+mark+"\x00"), canonical.Bytes(message)...),
	}, nil
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
	file, err := document.ReadFirst(data, beaconTable, beaconMark, where)
	if err != nil {
		return nil, err
	}
	if err := digest(where, "period", file.Period); err != nil {
		return nil, err
	}
	if !roundDigits.MatchString(file.Signature) {
		return nil, malformed(where, "signature",
			tables.Say("lot.want_bytes", lot.SignatureBytes))
	}
	return &beacon{file.Period, bytesOf(file.Signature)}, nil
}

// bytesOf reads digits that are known to be hexadecimal.
func bytesOf(digits string) []byte {
	data, err := hex.DecodeString(digits)
	if err != nil {
		panic(err)
	}
	return data
}
