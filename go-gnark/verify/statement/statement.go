// Package statement computes commitments and digests: what a proof is about. Twin of circuits/statement.py and
// circuits/commitment.py; docs/relation.md has the rules.
package statement

import (
	"crypto/sha256"
	"encoding/hex"
	"math/big"
	"sync"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr/poseidon2"

	"equiproof/verify/canonical"
	"equiproof/verify/spec"
)

const (
	version      = 2
	linkVersion  = 1
	tableVersion = 1
	packBits     = 248 // of a field element that holds integers: whole bytes, and every such number is below the field's order
)

// Poseidon2 with width 2, and so many rounds: https://eprint.iacr.org/2023/323.
const (
	width         = 2
	fullRounds    = 8
	partialRounds = 56
)

var permutation = sync.OnceValue(func() *poseidon2.Permutation {
	return poseidon2.NewPermutation(width, fullRounds, partialRounds)
})

// Statement is everything public that a proof is about, as field elements; scheme and shape belong to the key instead.
// Label is an index among the spec's labels, RadiusSquared is R2 = eps^2 4^f_x.
//
// BoxCommitment is nil but for a statement about a box: everybody in it is decided Label. Its domain digest is that of the spec's
// table alone, and nobody's query and no radius are in it.
type Statement struct {
	ModelCommitment, SpecDigest, DomainDigest, QueryCommitment, ContextDigest *big.Int
	Label                                                                     int
	RadiusSquared                                                             int64
	Gain                                                                      *Gain // nil for a statement about a decision
	BoxCommitment                                                             *big.Int
	Shown                                                                     *big.Int // what the link of a kept model shows, else nil
}

// Gain is what a statement about a gain has beside: every margin of the label is larger by at least Least with one row of
// sensitive columns than with another. One logit is 2^FractionBits of it, by the owner's word. The domain digest is that of
// the two rows alone, the one that gains first.
type Gain struct {
	Least        *big.Int
	FractionBits int
}

// HasOneResidue says whether the least gain is less than half the field's order in size: a digest would not tell a larger one
// from one below 0.
func (g *Gain) HasOneResidue() bool {
	return new(big.Int).Lsh(new(big.Int).Abs(g.Least), 1).Cmp(fr.Modulus()) < 0
}

// Digest is the proof's one public input under a shape (R-STATEMENT), 32 bytes.
func (s *Statement) Digest(scheme string, shape *big.Int) []byte {
	head := []*big.Int{
		tag("equiproof.statement"), big.NewInt(version), tag(scheme), shape, s.ModelCommitment, s.SpecDigest, s.DomainDigest,
	}
	label := big.NewInt(int64(s.Label))
	if s.BoxCommitment != nil {
		return Bytes(hash(append(head, s.BoxCommitment, label, s.ContextDigest)...))
	}
	parts := append(head, s.QueryCommitment, label, big.NewInt(s.RadiusSquared), s.ContextDigest)
	if s.Gain != nil {
		residue := new(big.Int).Mod(s.Gain.Least, fr.Modulus())
		parts = append(parts, residue, big.NewInt(int64(s.Gain.FractionBits)))
	}
	if s.Shown != nil {
		parts = append(parts, s.Shown)
	}
	return Bytes(hash(parts...))
}

// Link is everything public that a link is about, beside where the words' polynomial was evaluated and what certificates show of it.
type Link struct {
	Shape, ModelCommitment, SpecDigest *big.Int
	Key                                *big.Int // KeyElement of the certificates' key
}

// Digest is the one public input of a link (R-L-SHOWN) for r, which follows from the certificates' first commitment, and what they show.
func (l *Link) Digest(r, shown fr.Element) (digest fr.Element) {
	integer := func(element fr.Element) *big.Int { return element.BigInt(new(big.Int)) }
	digest.SetBigInt(hash(tag("equiproof.link.statement"), big.NewInt(linkVersion), l.Shape, l.ModelCommitment, l.SpecDigest, l.Key,
		integer(r), integer(shown)))
	return digest
}

// Shown is the public input of counts over a table (R-V-TABLE): what is stated, and the value of the table's polynomial.
func Shown(stated, value fr.Element) (public fr.Element) {
	integer := func(element fr.Element) *big.Int { return element.BigInt(new(big.Int)) }
	public.SetBigInt(hash(tag("equiproof.table.shown"), big.NewInt(tableVersion), integer(stated), integer(value)))
	return public
}

// KeyElement names a key in a field element, by its fingerprint.
func KeyElement(fingerprint [sha256.Size]byte) *big.Int {
	sum := sha256.Sum256(append([]byte("equiproof.link.key\x00"), fingerprint[:]...))
	return new(big.Int).SetBytes(sum[:31])
}

// ContextDigest hashes what a certificate was made for: nonce, policy and date, as names and texts.
func ContextDigest(context *canonical.Object) *big.Int {
	return canonical.Digest("equiproof.context.v2", context)
}

// QueryCommitment commits to a query's n_x integers (R-QUERY).
func QueryCommitment(inputBits int, blinding *big.Int, query []int64) *big.Int {
	packed := pack(inputBits, query)
	head := append(numbers(len(query), inputBits, len(packed)), blinding)
	return hash(tagged("equiproof.query", head, packed)...)
}

// BoxCommitment commits to the least and the largest integers of n_x columns (R-X-BOX).
func BoxCommitment(inputBits int, blinding *big.Int, low, high []int64) *big.Int {
	packed := pack(inputBits, low, high)
	head := append(numbers(len(low), inputBits, len(packed)), blinding)
	return hash(tagged("equiproof.box", head, packed)...)
}

// DomainDigest hashes the integers that the circuit takes from a spec (R-DOMAIN): its table, and the box where there is one.
func DomainDigest(s *spec.Spec) *big.Int {
	name, rows := "equiproof.domain", s.Table
	if s.Box != nil {
		name, rows = "equiproof.domain.ranges", append(rows[:len(rows):len(rows)], s.Box[0], s.Box[1])
	}
	return rowsDigest(name, s, len(s.Table), rows)
}

// TableDigest hashes all rows of a spec's table, for a statement in which its ranges play no part (R-DOMAIN).
func TableDigest(s *spec.Spec) *big.Int {
	return rowsDigest("equiproof.domain", s, len(s.Table), s.Table)
}

// PairDigest hashes two rows of a spec's table, those that a statement about a gain compares (R-DOMAIN).
func PairDigest(s *spec.Spec, first, second int) *big.Int {
	return rowsDigest("equiproof.domain", s, 2, [][]int64{s.Table[first], s.Table[second]})
}

// rowsDigest hashes so many rows of sensitive columns, and what follows them, under a tag.
func rowsDigest(name string, s *spec.Spec, count int, rows [][]int64) *big.Int {
	packed := pack(s.InputBits, rows...)
	head := numbers(s.PlainColumns(), s.SensitiveColumns(), count, s.InputFractionBits, s.InputBits, len(packed))
	return hash(tagged(name, head, packed)...)
}

// Element reads 64 lower-case hexadecimal digits of a number below the field's order; nil for anything else.
func Element(digits string) *big.Int {
	data, err := hex.DecodeString(digits)
	if err != nil || len(data) != fr.Bytes || hex.EncodeToString(data) != digits {
		return nil
	}
	if value := new(big.Int).SetBytes(data); value.Cmp(fr.Modulus()) < 0 {
		return value
	}
	return nil
}

// Bytes writes a field element as 32 bytes.
func Bytes(element *big.Int) []byte { return element.FillBytes(make([]byte, fr.Bytes)) }

// Hex writes a field element as 64 hexadecimal digits.
func Hex(element *big.Int) string { return hex.EncodeToString(Bytes(element)) }

// pack packs signed integers of one width into field elements: each is shifted by the lower end of its width, so that none is
// below 0 and each takes exactly its width. They are known to fit: a spec's encoding refuses others.
func pack(width int, rows ...[]int64) []*big.Int {
	var packed []*big.Int
	offset, used := int64(1)<<(width-1), packBits
	for _, row := range rows {
		for _, value := range row {
			if used+width > packBits {
				packed, used = append(packed, new(big.Int)), 0
			}
			shifted := big.NewInt(value + offset)
			last := packed[len(packed)-1]
			last.Or(last, shifted.Lsh(shifted, uint(used)))
			used += width
		}
	}
	return packed
}

// tagged puts a domain tag and the version before a head and a body.
func tagged(name string, head, body []*big.Int) []*big.Int {
	return append(append([]*big.Int{tag(name), big.NewInt(version)}, head...), body...)
}

// tag is a domain tag: its ASCII bytes as a field element.
func tag(text string) *big.Int { return new(big.Int).SetBytes([]byte(text)) }

func numbers(values ...int) []*big.Int {
	integers := make([]*big.Int, len(values))
	for at, value := range values {
		integers[at] = big.NewInt(int64(value))
	}
	return integers
}

// hash hashes field elements, one compression each, starting from 0: the second lane of the permutation, plus what went in.
func hash(elements ...*big.Int) *big.Int {
	var state fr.Element
	for _, element := range elements {
		var next fr.Element
		next.SetBigInt(element)
		lanes := [width]fr.Element{state, next}
		if err := permutation().Permutation(lanes[:]); err != nil {
			panic(err) // of another width only
		}
		state.Add(&lanes[1], &next)
	}
	return state.BigInt(new(big.Int))
}
