package folder

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"equiproof/verify/tables"
)

const (
	algorithm = 1 // Ed25519
	private   = "PRIVATE+KEY+"
)

// publicOf returns the verifier key of a signing key, "PRIVATE+KEY+NAME+HASH+BASE64".
func publicOf(line string) (string, error) {
	parts := strings.SplitN(strings.TrimPrefix(line, private), "+", 3)
	if len(parts) != 3 {
		return "", errors.New(tables.Say("note.not_signing_key"))
	}
	seed, err := base64.StdEncoding.DecodeString(parts[2])
	if err != nil || len(seed) != 1+ed25519.SeedSize || seed[0] != algorithm {
		return "", errors.New("not an Ed25519 signing key")
	}
	key := ed25519.NewKeyFromSeed(seed[1:]).Public().(ed25519.PublicKey)
	data := append([]byte{algorithm}, key...)
	sum := sha256.Sum256(append([]byte(parts[0]+"\n"), data...))
	return fmt.Sprintf("%s+%x+%s", parts[0], sum[:4], base64.StdEncoding.EncodeToString(data)), nil
}
