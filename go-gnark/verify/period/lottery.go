package period

import (
	"encoding/hex"
	"strings"
	"time"

	"equiproof/verify/lot"
	"equiproof/verify/note"
	"equiproof/verify/tables"
)

// drawn is the draw of a period: its seed, the entries of the drawn receipts in the order of the draw, and when the parties
// sealed and opened by their own word.
type drawn struct {
	seed           lot.Digest
	entries        []int64
	receipts       []string
	sealed, opened []string
}

// draw draws again; an error names who has not sealed or opened, or the rule that is broken.
func (f *Folder) draw(receipts *Counted) (*drawn, error) {
	period := f.Period
	if length := receipts.receipts.length; length != period.Receipts {
		return nil, refused(tables.Say("lot.receipts_differ", length, period.Receipts))
	}
	result := &drawn{}
	seals, err := f.allSeals()
	if err != nil {
		return nil, err
	}
	for _, one := range seals {
		result.sealed = append(result.sealed, one.time)
	}
	if period.By == byBeacon {
		result.seed, err = f.byBeacon(seals)
	} else {
		result.seed, result.opened, err = f.byNonces(seals)
	}
	if err != nil {
		return nil, err
	}
	places, err := lot.Places(result.seed, uint64(period.Receipts), int(period.Drawn))
	if err != nil {
		return nil, err
	}
	for _, place := range places {
		found, err := receipts.receipts.read(int64(place), period.Receipts, 1)
		if err != nil {
			return nil, err
		}
		result.entries = append(result.entries, found[0].number())
		result.receipts = append(result.receipts, hex.EncodeToString(found[0].digest()))
	}
	return result, nil
}

// allSeals is every party's seal, each checked.
func (f *Folder) allSeals() ([]*seal, error) {
	seals, err := f.seals()
	if err != nil {
		return nil, err
	}
	var absent []string
	for place, one := range seals {
		if one == nil {
			absent = append(absent, f.Period.Parties[place].Name)
			continue
		}
		if err := f.checkSigned(&one.signed, sealName(place), place); err != nil {
			return nil, err
		}
		if (one.sealed == "") != (f.Period.By == byBeacon) {
			return nil, refused(tables.Say("lot.nonce_where_nonces", sealName(place)))
		}
	}
	if len(absent) > 0 {
		return nil, refused(tables.Say("lot.parties_unsealed", have(absent)))
	}
	return seals, nil
}

// checkSigned refuses a seal or an opening that is not of this period and of the party at this place.
func (f *Folder) checkSigned(one *signed, name string, place int) error {
	switch key := f.Period.Parties[place]; {
	case one.period != f.digest():
		return refused(tables.Say("lot.document_of_other_period", name))
	case one.party != place+1:
		return refused(tables.Say("lot.document_of_other_party", name, place+1, one.party))
	case !one.holds(key):
		return refused(tables.Say("lot.signature_wrong", name, key.Name))
	}
	return nil
}

func (f *Folder) digest() string { return hex.EncodeToString(f.Period.Digest[:]) }

// byNonces returns the seed where every party has opened what it sealed, having seen every seal.
func (f *Folder) byNonces(seals []*seal) (seed lot.Digest, times []string, err error) {
	openings, err := f.allOpenings()
	if err != nil {
		return seed, nil, err
	}
	sealsDigest, latest := digestOfSeals(seals), ""
	for _, one := range seals {
		latest = max(latest, one.time)
	}
	var nonces []lot.Digest
	for place, one := range openings {
		key, name := f.Period.Parties[place], openingName(place)
		if err := f.checkSigned(&one.signed, name, place); err != nil {
			return seed, nil, err
		}
		if one.seals != sealsDigest {
			// Whoever opened first had seen other seals: somebody sealed again when a number was known.
			return seed, nil, refused(tables.Say("lot.other_seals", name, key.Name))
		}
		if one.time < latest {
			return seed, nil, refused(tables.Say("lot.opened_too_early", name, one.time, latest))
		}
		if sum := lot.Sealed(f.Period.Digest, key.Public(), one.nonce); hex.EncodeToString(sum[:]) != seals[place].sealed {
			return seed, nil, refused(tables.Say("lot.nonce_differs", name, key.Name))
		}
		nonces, times = append(nonces, one.nonce), append(times, one.time)
	}
	return lot.SeedOfNonces(f.Period.Digest, nonces), times, nil
}

// allOpenings is what every party opened.
func (f *Folder) allOpenings() ([]*opening, error) {
	openings, err := f.openings()
	if err != nil {
		return nil, err
	}
	var absent []string
	for place, one := range openings {
		if one == nil {
			absent = append(absent, f.Period.Parties[place].Name)
		}
	}
	if len(absent) > 0 {
		return nil, refused(tables.Say("lot.seals_unopened", have(absent)))
	}
	return openings, nil
}

// byBeacon returns the seed where every party had sealed the period before the round that it names came out.
func (f *Folder) byBeacon(seals []*seal) (seed lot.Digest, err error) {
	round := f.Period.Round
	out, err := lot.TimeOf(round)
	if err != nil {
		return seed, err
	}
	for place, one := range seals {
		if at, err := time.Parse(time.RFC3339, one.time); err != nil || !at.Before(out) {
			return seed, refused(tables.Say("lot.sealed_too_late", sealName(place), one.time, round))
		}
	}
	beacon, err := f.beacon()
	if err != nil {
		return seed, err
	}
	if beacon == nil {
		return seed, refused(tables.Say("lot.round_not_in_folder", round, out.Format(time.RFC3339)))
	}
	if beacon.period != f.digest() {
		return seed, refused(tables.Say("lot.document_of_other_period", beaconFile))
	}
	random, err := lot.Randomness(round, beacon.signature)
	if err != nil {
		return seed, refused(err.Error())
	}
	return lot.SeedOfBeacon(f.Period.Digest, random), nil
}

// have names those who have not done their part.
func have(names []string) string {
	if len(names) == 1 {
		return tables.Say("lot.one_has", names[0])
	}
	return tables.Say("lot.several_have", strings.Join(names, " "+tables.Say("word.and")+" "))
}

// isAmong says whether a key is one of several.
func isAmong(key *note.Key, keys []*note.Key) bool {
	for _, one := range keys {
		if one.Line == key.Line {
			return true
		}
	}
	return false
}
