package lot

import (
	"encoding/hex"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// vectors is tests/vectors/lot.json.
type vectors struct {
	Bounds []struct {
		Receipts, Drawn, Bad int64
		Confidence           string
		AtLeast              int64 `json:"at_least"`
	}
	Draws []struct {
		Seed, Receipts string
		Drawn          int
		Places         []string
	}
	Sealed []struct{ Period, Party, Nonce, Sealed string }
	Seeds  []struct {
		Period, Seed, Randomness string
		Nonces                   []string
	}
	Rounds []struct {
		Round                 int64
		Time                  int64
		Signature, Randomness string
	}
	NotRounds []struct {
		What, Signature string
		Round           int64
	} `json:"not_rounds"`
}

func read(t *testing.T) vectors {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "tests", "vectors", "lot.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all vectors
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Bounds) == 0 || len(all.Draws) == 0 || len(all.Rounds) == 0 || len(all.NotRounds) == 0 {
		t.Fatal("vectors are missing")
	}
	return all
}

func of(t *testing.T, text string) Digest {
	t.Helper()
	data, err := hex.DecodeString(text)
	if err != nil || len(data) != len(Digest{}) {
		t.Fatalf("%q: %v", text, err)
	}
	return Digest(data)
}

func rat(t *testing.T, text string) *big.Rat {
	t.Helper()
	number, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatal(text)
	}
	return number
}

func TestBounds(t *testing.T) {
	for _, one := range read(t).Bounds {
		bound, err := AtLeast(one.Receipts, one.Drawn, one.Bad, rat(t, one.Confidence))
		if err != nil || bound != one.AtLeast {
			t.Errorf("%+v: %d, %v", one, bound, err)
		}
	}
}

func TestNumbersThatNoLotHas(t *testing.T) {
	for _, one := range [][3]int64{{0, 1, 0}, {MostReceipts + 1, 1, 0}, {5, 6, 0}, {5, 0, 0}, {5, 5, 6}, {5, 5, -1}, {20_000, 10_001, 0}} {
		if bound, err := AtLeast(one[0], one[1], one[2], big.NewRat(95, 100)); err == nil {
			t.Errorf("%v: %d", one, bound)
		}
	}
	for _, confidence := range []string{"0", "1", "-1", "95"} {
		if bound, err := AtLeast(5, 5, 0, rat(t, confidence)); err == nil {
			t.Errorf("confidence %s: %d", confidence, bound)
		}
	}
}

func TestDraws(t *testing.T) {
	for _, one := range read(t).Draws {
		receipts, err := strconv.ParseUint(one.Receipts, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		places, err := Places(of(t, one.Seed), receipts, one.Drawn)
		if err != nil {
			t.Fatal(err)
		}
		for number, place := range places {
			if strconv.FormatUint(place, 10) != one.Places[number] {
				t.Fatalf("%d of %d: place %d is %d, want %s", one.Drawn, receipts, number, place, one.Places[number])
			}
		}
	}
	if _, err := Places(Digest{}, 3, 4); err == nil {
		t.Error("4 drawn of 3")
	}
}

func TestSeeds(t *testing.T) {
	all := read(t)
	for _, one := range all.Sealed {
		if Sealed(of(t, one.Period), of(t, one.Party), of(t, one.Nonce)) != of(t, one.Sealed) {
			t.Error(one)
		}
	}
	for _, one := range all.Seeds {
		nonces := make([]Digest, len(one.Nonces))
		for place, nonce := range one.Nonces {
			nonces[place] = of(t, nonce)
		}
		seed := SeedOfNonces(of(t, one.Period), nonces)
		if one.Randomness != "" {
			seed = SeedOfBeacon(of(t, one.Period), of(t, one.Randomness))
		}
		if seed != of(t, one.Seed) {
			t.Error(one)
		}
	}
}

func TestRounds(t *testing.T) {
	for _, one := range read(t).Rounds {
		signature, _ := hex.DecodeString(one.Signature)
		value, err := Randomness(one.Round, signature)
		if err != nil || value != of(t, one.Randomness) {
			t.Errorf("round %d: %x, %v", one.Round, value, err)
		}
		if at, err := TimeOf(one.Round); err != nil || at.Unix() != one.Time {
			t.Errorf("round %d: another time", one.Round)
		}
	}
}

func TestNotRounds(t *testing.T) {
	for _, one := range read(t).NotRounds {
		signature, _ := hex.DecodeString(one.Signature)
		if value, err := Randomness(one.Round, signature); err == nil {
			t.Errorf("%s: %x", one.What, value)
		}
	}
}
