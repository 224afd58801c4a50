package statement_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"

	"equiproof/check"
	"equiproof/shape"
	"equiproof/verify/statement"
)

// linking is tests/vectors/linking.json, which tests/vectors/README.md describes.
type linking struct {
	Links []struct {
		Name, Certificates, Shape, Fingerprint, Key, Point, R, Shown, Digest string
		ShapeDigest                                                          string `json:"shape_digest"`
		ModelCommitment                                                      string `json:"model_commitment"`
		SpecDigest                                                           string `json:"spec_digest"`
	}
	Secrets []struct {
		Name, Blinding, Fingerprint, Mask string
		ModelCommitment                   string `json:"model_commitment"`
		LinkBlinding                      string `json:"link_blinding"`
	}
}

func readLinking(t *testing.T) (v linking) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "tests", "vectors", "linking.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Links) == 0 || len(v.Secrets) == 0 {
		t.Fatal("no vectors")
	}
	return v
}

func bytesOf(t *testing.T, digits string) []byte {
	t.Helper()
	data, err := hex.DecodeString(digits)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func integer(t *testing.T, digits string) *big.Int {
	t.Helper()
	return new(big.Int).SetBytes(bytesOf(t, digits))
}

// The shape of links follows from that of certificates, r from the point, and the digest has all parts.
func TestLinkingVectors(t *testing.T) {
	for _, v := range readLinking(t).Links {
		t.Run(v.Name, func(t *testing.T) {
			certificates, err := shape.Parse([]byte(v.Certificates))
			if err != nil {
				t.Fatal(err)
			}
			links, err := shape.ParseLink([]byte(v.Shape))
			if err != nil {
				t.Fatal(err)
			}
			if !certificates.Keeps() || shape.LinkOf(certificates).Digest().Cmp(links.Digest()) != 0 {
				t.Error("the link is of another model than the certificates")
			}
			if links.Digest().Cmp(integer(t, v.ShapeDigest)) != 0 {
				t.Errorf("the digest of the shape is %064x", links.Digest())
			}
			key := statement.KeyElement([sha256.Size]byte(bytesOf(t, v.Fingerprint)))
			if key.Cmp(integer(t, v.Key)) != 0 {
				t.Errorf("the key's element is %064x", key)
			}
			r, err := check.Challenge(bytesOf(t, v.Point))
			if err != nil {
				t.Fatal(err)
			}
			if r.BigInt(new(big.Int)).Cmp(integer(t, v.R)) != 0 {
				t.Errorf("r is %s", r.Text(16))
			}
			link := statement.Link{
				Shape: links.Digest(), ModelCommitment: integer(t, v.ModelCommitment), SpecDigest: integer(t, v.SpecDigest), Key: key,
			}
			var shown fr.Element
			shown.SetBigInt(integer(t, v.Shown))
			digest := link.Digest(r, shown)
			if digest.BigInt(new(big.Int)).Cmp(integer(t, v.Digest)) != 0 {
				t.Errorf("the digest is %s", digest.Text(16))
			}
		})
	}
}

// The owner's secrets are those of the definition: two blocks of HMAC-SHA-256, the first 48 bytes modulo the order.
func TestSecretsOfKeptModels(t *testing.T) {
	derived := func(label string, blinding, commitment, fingerprint []byte) *big.Int {
		var blocks []byte
		for number := range byte(2) {
			mac := hmac.New(sha256.New, blinding)
			mac.Write([]byte(label + "\x00"))
			mac.Write([]byte{number})
			mac.Write(commitment)
			mac.Write(fingerprint)
			blocks = mac.Sum(blocks)
		}
		secret := new(big.Int).SetBytes(blocks[:48])
		return secret.Mod(secret, fr.Modulus())
	}
	for _, v := range readLinking(t).Secrets {
		blinding, commitment, key := bytesOf(t, v.Blinding), bytesOf(t, v.ModelCommitment), bytesOf(t, v.Fingerprint)
		if mask := derived("equiproof.kept.mask", blinding, commitment, key); mask.Cmp(integer(t, v.Mask)) != 0 {
			t.Errorf("%s: the mask is %064x", v.Name, mask)
		}
		if hiding := derived("equiproof.kept.blinding", blinding, commitment, key); hiding.Cmp(integer(t, v.LinkBlinding)) != 0 {
			t.Errorf("%s: the blinding is %064x", v.Name, hiding)
		}
	}
}
