package oracle_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr/poseidon2"

	"equiproof/internal/oracle"
)

var update = flag.Bool("update", false, "write the values of tests/golden/poseidon2.json anew: go test ./internal/oracle -update")

// golden is tests/golden/poseidon2.json: lists of elements as decimal text with their hash, and pairs with both lanes of
// their permutation.
type golden struct {
	Hash        [][2]any `json:"hash"`
	Origin      string   `json:"origin"`
	Permutation [][3]any `json:"permutation"`
}

// The values by which other implementations are tested are gnark-crypto's.
func TestPoseidon2IsGnarkCryptos(t *testing.T) {
	path := filepath.Join("..", "..", "..", "tests", "golden", "poseidon2.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var pinned golden
	if err := json.Unmarshal(data, &pinned); err != nil {
		t.Fatal(err)
	}
	found := golden{Origin: pinned.Origin}
	for _, row := range pinned.Hash {
		found.Hash = append(found.Hash, [2]any{row[0], hex(oracle.Hash(elements(t, row[0])...))})
	}
	for _, row := range pinned.Permutation {
		var state [2]fr.Element
		for i, element := range elements(t, row[0]) {
			state[i].SetBigInt(element)
		}
		if err := poseidon2.NewPermutation(2, 8, 56).Permutation(state[:]); err != nil {
			t.Fatal(err)
		}
		left, right := state[0].BigInt(new(big.Int)), state[1].BigInt(new(big.Int))
		found.Permutation = append(found.Permutation, [3]any{row[0], hex(left), hex(right)})
	}
	written, err := json.MarshalIndent(found, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if written = append(written, '\n'); *update {
		if err := os.WriteFile(path, written, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(written) != string(data) {
		t.Errorf("gnark-crypto finds %s", written)
	}
}

func elements(t *testing.T, row any) []*big.Int {
	t.Helper()
	var found []*big.Int
	for _, text := range row.([]any) {
		element, ok := new(big.Int).SetString(text.(string), 10)
		if !ok {
			t.Fatalf("%v is no number", text)
		}
		found = append(found, element)
	}
	return found
}

func hex(element *big.Int) string { return fmt.Sprintf("%064x", element) }
