package check

import (
	"bytes"
	"fmt"

	"github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"

	"equiproof/verify/tables"
)

// Kept is a verifying key of Groth16 for circuits of kept models. A certificate under it says nothing of the model commitment by
// itself, so that it checks no proof but beside a link.
type Kept struct{ key *groth16Verifying }

// LoadKept is Load for a key of a kept model. It refuses, too, a second commitment that does not hash the first one's hash, and
// commitments whose sigmas are equal up to sign.
func LoadKept(verifying []byte) (*Kept, error) {
	key, err := keeping.load(verifying)
	if err != nil {
		return nil, fmt.Errorf("verifying key: %w", err)
	}
	return &Kept{key}, nil
}

// Link is what the owner of a kept model publishes once for a key: the commitment to the model in all its certificates, compressed,
// what they show of the model, a field element in 32 bytes, and the proof that both are of the model commitment.
type Link struct{ Point, Shown, Proof []byte }

// Open checks a link under the key of links, which is of Groth16, too, and returns what checks certificates beside it.
//
// statement returns the statement digest of the link: of all that the caller knows, as the model commitment and the key of the
// certificates, of r, where the polynomial of the model was evaluated, and of what the link shows of it. r follows from the point
// alone, so that nobody can choose it.
func (k *Kept) Open(links *Verifier, link Link, statement func(r, shown fr.Element) fr.Element) (*Linked, error) {
	if _, ok := links.key.(*groth16Verifying); !ok {
		return nil, fmt.Errorf("link: its key is of another proof system, want %s", Groth16)
	}
	r, err := Challenge(link.Point)
	if err != nil {
		return nil, fmt.Errorf("link: %w", err)
	}
	var shown fr.Element
	if err := shown.SetBytesCanonical(link.Shown); err != nil {
		return nil, because(BadElement, tables.Say("value.named_not_below_order", "link: what it shows"))
	}
	digest := statement(r, shown)
	if err := links.Verify(digest.Marshal(), link.Proof); err != nil {
		return nil, fmt.Errorf("link: %w", err)
	}
	verifier := &Verifier{&groth16Verifying{layout: k.key.layout, key: k.key.key, first: bytes.Clone(link.Point)}}
	return &Linked{verifier, shown}, nil
}

// Linked checks certificates of a kept model beside a link that holds: each has the link's point for its first commitment, byte for
// byte. Only Kept.Open makes one.
type Linked struct {
	verifier *Verifier
	shown    fr.Element
}

// Verify returns nil if the proof holds, and the errors of Verifier.Verify. statement returns the statement digest of the certificate from
// what the link shows of the model, whatever the certificate says of it.
func (l *Linked) Verify(statement func(shown fr.Element) fr.Element, proof []byte) error {
	digest := statement(l.shown)
	return l.verifier.Verify(digest.Marshal(), proof)
}

// Shown is what the link shows of the model.
func (l *Linked) Shown() fr.Element { return l.shown }

// Verifier checks certificates by their digests. The caller takes each of them with Shown, never with what a certificate says that it
// shows.
func (l *Linked) Verifier() *Verifier { return l.verifier }

// Challenge returns the hash of a commitment to a kept model to the field. It refuses bytes that are no point in its one form.
func Challenge(point []byte) (challenge fr.Element, err error) {
	if len(point) != g1Bytes {
		return challenge, because(WrongLength, fmt.Sprintf("%d bytes, want %d", len(point), g1Bytes))
	}
	curvePoints := new(points)
	if err := curvePoints.read(point); err != nil {
		return challenge, fmt.Errorf("point: %w", err)
	}
	if canonical := curvePoints.g1[0].Bytes(); !bytes.Equal(canonical[:], point) {
		return challenge, because(PointNotCanonical, "point: not in canonical form")
	}
	return challenges([]bn254.G1Affine{curvePoints.g1[0]})[0], nil
}

// errAnotherPoint refuses a certificate of another model than the link's, or of the same one under another mask.
var errAnotherPoint = &reasoned{FirstCommitmentDiffers, fmt.Errorf("%w: its first commitment is not the link's", ErrRefused)}
