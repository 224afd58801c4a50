package system_test

import (
	"bytes"
	"math/big"
	"slices"
	"sync"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/frontend"

	"equiproof/check"
	"equiproof/gadget/bounded"
	"equiproof/gadget/digest"
	"equiproof/gadget/kept"
	"equiproof/internal/oracle"
	"equiproof/relation"
	"equiproof/system"
)

// Sizes of the toy model: the first words are weights of the query's columns, the next two are only seen as a sum, and of the others
// nothing but the polynomial sees anything.
const (
	toyWords   = 20
	toyColumns = 3
	toyBits    = 16
	toyInputs  = 12
	// toyPacked is how many words are one element of the toy's model commitment.
	toyPacked = 15
)

// toy is a certificate about a kept model: it decides a query by a positive score, and one of its weights, at a hidden place, is
// below 2^15. No width of a word is checked.
type toy struct {
	Digest frontend.Variable `gnark:",public"`
	Wires  []frontend.Variable
	show   func(a *bounded.Arith, words []frontend.Variable, model, blinding frontend.Variable) (frontend.Variable, error)
	plain  bool // asks for no word but in what is shown
	arith  *bounded.Arith
}

func newToy() relation.Circuit {
	return &toy{Wires: make([]frontend.Variable, toyWords+3+toyColumns), show: kept.Show}
}

func (c *toy) Inputs() (*frontend.Variable, []frontend.Variable) { return &c.Digest, c.Wires }

func (c *toy) Layout() []relation.Segment {
	return []relation.Segment{{Name: "words", Length: toyWords}, {Name: "model_commitment", Length: 1},
		{Name: "link_blinding", Length: 1}, {Name: "query", Length: toyColumns}, {Name: "place", Length: 1}}
}

func (c *toy) Widths() []bounded.Width { return c.arith.Widths() }

func (c *toy) Record() bounded.Record { return c.arith.Record() }

func (c *toy) Words() int { return toyWords }

func (c *toy) Define(api frontend.API) error {
	c.arith = bounded.New(api)
	words, model, blinding := c.Wires[:toyWords], c.Wires[toyWords], c.Wires[toyWords+1]
	query, place := c.Wires[toyWords+2:toyWords+2+toyColumns], c.Wires[toyWords+2+toyColumns]
	shown, err := c.show(c.arith, words, model, blinding)
	if err != nil {
		return err
	}
	stated, err := digest.Hash(api, append([]frontend.Variable{digest.Tag("toy"), model, shown}, query...)...)
	if err != nil {
		return err
	}
	api.AssertIsEqual(c.Digest, stated)
	for _, x := range query {
		c.arith.Unsigned(x, toyInputs)
	}
	if c.plain {
		api.AssertIsBoolean(place)
		return nil
	}
	score := api.Add(words[toyColumns], words[toyColumns+1], -1)
	table := c.arith.Table()
	for i, x := range query {
		score = api.Add(score, api.Mul(x, words[i]))
		table.Insert(words[i])
	}
	c.arith.Unsigned(score, toyBits+toyInputs+3)
	c.arith.Unsigned(table.Lookup(place)[0], toyBits-1)
	return nil
}

// toyLink is the link of toy models: words of their width open the model commitment, and have this polynomial.
type toyLink struct {
	Digest frontend.Variable `gnark:",public"`
	Wires  []frontend.Variable
	seen   func(words []frontend.Variable) []frontend.Variable // what the polynomial has of the words
	arith  *bounded.Arith
}

func newToyLink() relation.Circuit {
	all := func(words []frontend.Variable) []frontend.Variable { return words }
	return &toyLink{Wires: make([]frontend.Variable, toyWords+3), seen: all}
}

func (c *toyLink) Inputs() (*frontend.Variable, []frontend.Variable) { return &c.Digest, c.Wires }

func (c *toyLink) Layout() []relation.Segment {
	return []relation.Segment{{Name: "words", Length: toyWords}, {Name: "model_blinding", Length: 1},
		{Name: "link_blinding", Length: 1}, {Name: "at", Length: 1}}
}

func (c *toyLink) Widths() []bounded.Width { return c.arith.Widths() }

func (c *toyLink) Record() bounded.Record { return c.arith.Record() }

func (c *toyLink) Define(api frontend.API) error {
	c.arith = bounded.New(api)
	words, opening, blinding, at := c.Wires[:toyWords], c.Wires[toyWords], c.Wires[toyWords+1], c.Wires[toyWords+2]
	elements := []frontend.Variable{digest.Tag("toy.model"), toyWords, opening}
	for some := range slices.Chunk(words, toyPacked) {
		packed := frontend.Variable(0)
		for _, word := range some {
			c.arith.Unsigned(word, toyBits)
			packed = api.Add(api.Mul(packed, 1<<toyBits), word)
		}
		elements = append(elements, packed)
	}
	model, err := digest.Hash(api, elements...)
	if err != nil {
		return err
	}
	shown, err := kept.Shown(c.arith, blinding, kept.Value(c.arith, c.seen(words), model, at))
	if err != nil {
		return err
	}
	stated, err := digest.Hash(api, digest.Tag("toy.link"), model, at, shown)
	if err != nil {
		return err
	}
	api.AssertIsEqual(c.Digest, stated)
	return nil
}

// toyModel is the model commitment of words.
func toyModel(words []*big.Int, opening *big.Int) *big.Int {
	elements := []*big.Int{oracle.Tag("toy.model"), big.NewInt(toyWords), opening}
	for some := range slices.Chunk(words, toyPacked) {
		packed := new(big.Int)
		for _, word := range some {
			packed.Lsh(packed, toyBits).Add(packed, word)
		}
		elements = append(elements, packed)
	}
	return oracle.Hash(elements...)
}

// toyValue is the polynomial of a model commitment and words at r.
func toyValue(words []*big.Int, model, r *big.Int) *big.Int {
	value := new(big.Int).Set(model)
	for _, word := range words {
		value.Mul(value, r).Add(value, word).Mod(value, fr.Modulus())
	}
	return value
}

func toyShown(blinding, value *big.Int) *big.Int {
	return oracle.Hash(oracle.Tag("equiproof.link"), big.NewInt(1), blinding, value)
}

func toyStatement(model, shown *big.Int, query []*big.Int) *big.Int {
	return oracle.Hash(append([]*big.Int{oracle.Tag("toy"), model, shown}, query...)...)
}

func toyLinkStatement(model, r, shown *big.Int) *big.Int {
	return oracle.Hash(oracle.Tag("toy.link"), model, r, shown)
}

// toyKeys are keys of a toy's certificates, and of its links.
type toyKeys struct {
	keys, linkKeys *system.Keys
	prover, linker *system.Prover
	certificates   *check.Kept
	links          *check.Verifier
}

// loadToy opens keys of certificates beside those of links.
func loadToy(keys, linkKeys *system.Keys, circuit, link func() relation.Circuit) (k *toyKeys, err error) {
	k = &toyKeys{keys: keys, linkKeys: linkKeys}
	if k.prover, err = system.Groth16.LoadCircuit([]byte("toy"), keys.Proving, circuit); err != nil {
		return nil, err
	}
	if k.linker, err = system.Groth16.LoadCircuit([]byte("toy link"), linkKeys.Proving, link); err != nil {
		return nil, err
	}
	if k.certificates, err = check.LoadKept(keys.Verifying); err != nil {
		return nil, err
	}
	k.links, err = system.Groth16.LoadVerifier(linkKeys.Verifying)
	return k, err
}

var madeToy = sync.OnceValues(func() (*toyKeys, error) {
	keys, err := system.Groth16.Setup(newToy())
	if err != nil {
		return nil, err
	}
	linkKeys, err := system.Groth16.Setup(newToyLink())
	if err != nil {
		return nil, err
	}
	return loadToy(keys, linkKeys, newToy, newToyLink)
})

func toyOf(t testing.TB) *toyKeys {
	t.Helper()
	k, err := madeToy()
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// owner has a model, and what hides it. An honest one has nothing that certificates or links say otherwise.
type owner struct {
	words          []*big.Int // of the link
	inCertificates []*big.Int // of certificates
	opening        *big.Int
	blinding       *big.Int // E
	linkBlinding   *big.Int // E of the link
	mask           fr.Element
	model          *big.Int                          // the model commitment that certificates state
	seen           func(words []*big.Int) []*big.Int // what the polynomial has of the words
	points         func() []byte                     // the commitment, if not that of the key
	at             *big.Int                          // where the link says the polynomial was evaluated, nil for where it has to
}

// honestOwner has a model of fixed words under drawn blindings.
func honestOwner(t testing.TB) *owner {
	t.Helper()
	o := &owner{opening: random(t), blinding: random(t), seen: func(words []*big.Int) []*big.Int { return words }}
	o.mask.SetBigInt(random(t))
	for i := range toyWords {
		o.words = append(o.words, big.NewInt(int64(20000+977*i)))
	}
	o.inCertificates, o.linkBlinding, o.model = o.words, o.blinding, toyModel(o.words, o.opening)
	return o
}

func random(t testing.TB) *big.Int {
	t.Helper()
	var drawn fr.Element
	if _, err := drawn.SetRandom(); err != nil {
		t.Fatal(err)
	}
	return drawn.BigInt(new(big.Int))
}

// with returns the words with some replaced.
func with(words []*big.Int, at int, value ...int64) []*big.Int {
	changed := slices.Clone(words)
	for i := range value {
		changed[at+i] = big.NewInt(value[i])
	}
	return changed
}

func element(number *big.Int) (e fr.Element) {
	e.SetBigInt(number)
	return e
}

func elements(numbers ...*big.Int) (found []fr.Element) {
	for _, number := range numbers {
		found = append(found, element(number))
	}
	return found
}

func integer(e fr.Element) *big.Int { return e.BigInt(new(big.Int)) }

func inBytes(number *big.Int) []byte { return number.FillBytes(make([]byte, fr.Bytes)) }

// point is the commitment to the words of certificates.
func (o *owner) point(k *toyKeys) ([]byte, error) {
	if o.points != nil {
		return o.points(), nil
	}
	return k.prover.Point(elements(append(slices.Clone(o.inCertificates), o.model)...), o.mask)
}

// publish makes a link.
func (o *owner) publish(k *toyKeys) (link check.Link, err error) {
	if link.Point, err = o.point(k); err != nil {
		return link, err
	}
	r, err := check.Challenge(link.Point)
	if err != nil {
		return link, err
	}
	at, model := integer(r), toyModel(o.words, o.opening)
	if o.at != nil {
		at = o.at
	}
	shown := toyShown(o.linkBlinding, toyValue(o.seen(o.words), model, at))
	wires := append(slices.Clone(o.words), o.opening, o.linkBlinding, at)
	link.Shown = inBytes(shown)
	link.Proof, err = k.linker.Prove(encoded([]byte("toy link"), toyLinkStatement(model, at, shown), wires))
	return link, err
}

// certify makes a certificate about a query.
func (o *owner) certify(k *toyKeys, query []*big.Int) ([]byte, error) {
	point, err := o.point(k)
	if err != nil {
		return nil, err
	}
	r, err := check.Challenge(point)
	if err != nil {
		return nil, err
	}
	return k.prover.ProveKept(o.witness(integer(r), query), o.mask)
}

// witness is that of a certificate.
func (o *owner) witness(r *big.Int, query []*big.Int) []byte {
	shown := toyShown(o.blinding, toyValue(o.seen(o.inCertificates), o.model, r))
	wires := append(slices.Clone(o.inCertificates), o.model, o.blinding)
	wires = append(append(wires, query...), big.NewInt(0))
	return encoded([]byte("toy"), toyStatement(o.model, shown, query), wires)
}

// accepts is what a verifier does who knows a model commitment: the link first, and then the certificate beside it.
func (k *toyKeys) accepts(model *big.Int, link check.Link, query []*big.Int, proof []byte) error {
	linked, err := k.linked(model, link)
	if err != nil {
		return err
	}
	return linked.Verify(func(shown fr.Element) fr.Element {
		return element(toyStatement(model, integer(shown), query))
	}, proof)
}

// open is what takes digests beside a link.
func (k *toyKeys) open(model *big.Int, link check.Link) (*check.Verifier, error) {
	linked, err := k.linked(model, link)
	if err != nil {
		return nil, err
	}
	return linked.Verifier(), nil
}

func (k *toyKeys) linked(model *big.Int, link check.Link) (*check.Linked, error) {
	return k.certificates.Open(k.links, link, func(r, shown fr.Element) fr.Element {
		return element(toyLinkStatement(model, integer(r), integer(shown)))
	})
}

func toyDigest(model *big.Int, link check.Link, query []*big.Int) []byte {
	return inBytes(toyStatement(model, new(big.Int).SetBytes(link.Shown), query))
}

// toyQuery is one of many queries.
func toyQuery(number int64) []*big.Int {
	return []*big.Int{big.NewInt(number), big.NewInt(7), big.NewInt(4095)}
}

// published is an honest owner with link and certificate of query 1.
type published struct {
	*toyKeys
	*owner
	link  check.Link
	proof []byte
}

func publishedBy(t testing.TB, k *toyKeys) *published {
	t.Helper()
	p := &published{toyKeys: k, owner: honestOwner(t)}
	p.link = must(t)(p.publish(k))
	p.proof = mustBytes(t)(p.certify(k, toyQuery(1)))
	if err := k.accepts(p.model, p.link, toyQuery(1), p.proof); err != nil {
		t.Fatal(err)
	}
	return p
}

func must(t testing.TB) func(check.Link, error) check.Link {
	return func(link check.Link, err error) check.Link {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return link
	}
}

func mustBytes(t testing.TB) func([]byte, error) []byte {
	return func(data []byte, err error) []byte {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
}

// Places of a proof with two commitments.
const (
	firstAt, secondAt, knowledgeAt = 132, 164, 196
)

// A link and certificates of a kept model hold: the first commitment is one point in all of them, the second and the rest are
// drawn anew for each.
func TestKeptModel(t *testing.T) {
	p := publishedBy(t, toyOf(t))
	verifier, err := p.open(p.model, p.link)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.proof) != check.KeptProofBytes || len(p.keys.Verifying) != 700 {
		t.Errorf("a proof of %d bytes, a key of %d", len(p.proof), len(p.keys.Verifying))
	}
	seen := [][]byte{p.proof}
	for _, number := range []int64{1, 2, 3} {
		query := toyQuery(number)
		proof := mustBytes(t)(p.certify(p.toyKeys, query))
		if err := verifier.Verify(toyDigest(p.model, p.link, query), proof); err != nil {
			t.Error(err)
		}
		for _, other := range seen {
			if !bytes.Equal(proof[firstAt:secondAt], other[firstAt:secondAt]) || !bytes.Equal(proof[firstAt:secondAt], p.link.Point) {
				t.Error("another first commitment")
			}
			// mask-of-D2-fixed: the first two are of one witness
			if bytes.Equal(proof[secondAt:knowledgeAt], other[secondAt:knowledgeAt]) || bytes.Equal(proof[:32], other[:32]) {
				t.Error("the second commitment, or A, is the same")
			}
		}
		seen = append(seen, proof)
	}
}
