package relation_test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"

	"equiproof/check"
	"equiproof/internal/oracle"
	"equiproof/internal/turns"
	"equiproof/relation"
	"equiproof/shape"
	"equiproof/system"
	"equiproof/verify/statement"
)

// keptKeys are keys of certificates of a kept model and of their links.
type keptKeys struct {
	shape          *shape.Shape
	links          *shape.Link
	prover, linker *system.Prover
	certificates   *check.Kept
	linkVerifier   *check.Verifier
	key            *big.Int // the element of the certificates' key
}

// keysOf makes the keys of a shape and of its links.
func keysOf(t testing.TB, s *shape.Shape) *keptKeys {
	t.Helper()
	k := &keptKeys{shape: s, links: shape.LinkOf(s)}
	load := func(document any) (*system.Keys, *system.Prover) {
		text, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		circuit, err := system.Select(text)
		if err != nil {
			t.Fatal(err)
		}
		keys, err := system.Groth16.Setup(circuit)
		if err != nil {
			t.Fatal(err)
		}
		prover, err := system.Groth16.Load(text, keys.Proving)
		if err != nil {
			t.Fatal(err)
		}
		return keys, prover
	}
	keys, prover := load(s)
	linkKeys, linker := load(k.links)
	k.prover, k.linker, k.key = prover, linker, statement.KeyElement(sha256.Sum256(keys.Verifying))
	var err error
	if k.certificates, err = check.LoadKept(keys.Verifying); err != nil {
		t.Fatal(err)
	}
	if k.linkVerifier, err = system.Groth16.LoadVerifier(linkKeys.Verifying); err != nil {
		t.Fatal(err)
	}
	return k
}

// encoded writes a witness of a document's circuit.
func encoded(t testing.TB, document any, digest *big.Int, wires []*big.Int) []byte {
	t.Helper()
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	head := sha256.Sum256(text)
	data := append([]byte("EPWIT\x01"), head[:]...)
	for _, wire := range append([]*big.Int{digest}, wires...) {
		data = append(data, new(big.Int).Mod(wire, fr.Modulus()).FillBytes(make([]byte, fr.Bytes))...)
	}
	return data
}

// keeper is who owns a model. An honest one tells the same of it in certificates and in the link.
type keeper struct {
	certificates, link told
	mask               fr.Element
	at, key            *big.Int // what the link says instead of what it has to, nil for that
}

// point is the first commitment of certificates.
func (o *keeper) point(t testing.TB, k *keptKeys) []byte {
	t.Helper()
	var committed []fr.Element
	for _, word := range append(o.certificates.in(t, relation.WordLayout(k.shape)), o.certificates["model_commitment"][0]) {
		committed = append(committed, *new(fr.Element).SetBigInt(word))
	}
	point, err := k.prover.Point(committed, o.mask)
	if err != nil {
		t.Fatal(err)
	}
	return point
}

// first is the challenge that follows from it.
func (o *keeper) first(t testing.TB, k *keptKeys) *big.Int {
	t.Helper()
	r, err := check.Challenge(o.point(t, k))
	if err != nil {
		t.Fatal(err)
	}
	return r.BigInt(new(big.Int))
}

// publish makes a link, as well as can be.
func (o *keeper) publish(t testing.TB, k *keptKeys) (link check.Link, err error) {
	t.Helper()
	r, key, l := o.first(t, k), k.key, o.link
	if o.at != nil {
		r = o.at
	}
	if o.key != nil {
		key = o.key
	}
	digest, wires := l.link(t, k.shape, r, key)
	shown := shownOf(l.linkWords(k.shape), modelOf(k.shape, l), l["link_blinding"][0], r)
	link.Point, link.Shown = o.point(t, k), shown.FillBytes(make([]byte, fr.Bytes))
	link.Proof, err = k.linker.Prove(encoded(t, k.links, digest, wires))
	return link, err
}

// certify makes a certificate.
func (o *keeper) certify(t testing.TB, k *keptKeys) ([]byte, error) {
	t.Helper()
	w := o.certificates
	digest := statementOf(k.shape, w, w["model_commitment"][0], w.shownAt(t, k.shape, o.first(t, k)))
	return k.prover.ProveKept(encoded(t, k.shape, digest, w.in(t, circuitOf(t, k.shape).layout)), o.mask)
}

// accepts is what a verifier does who knows a model commitment and a spec, and what a certificate states beside what it shows.
func (k *keptKeys) accepts(honest told, link check.Link, proof []byte) error {
	model, spec := honest["model_commitment"][0], honest["spec_digest"][0]
	about := statement.Link{Shape: k.links.Digest(), ModelCommitment: model, SpecDigest: spec, Key: k.key}
	return k.acceptsAs(&about, honest, link, proof)
}

func (k *keptKeys) acceptsAs(about *statement.Link, honest told, link check.Link, proof []byte) error {
	linked, err := k.certificates.Open(k.linkVerifier, link, about.Digest)
	if err != nil {
		return err
	}
	return linked.Verify(func(shown fr.Element) fr.Element {
		digest := statementOf(k.shape, honest, about.ModelCommitment, shown.BigInt(new(big.Int)))
		return *new(fr.Element).SetBigInt(digest)
	}, proof)
}

// twoColumns is a problem whose sensitive columns are three: the first two are always equal, so that the circuit sees the sum of their
// weights alone, and the third is always 0.
func twoColumns(t testing.TB) *problem {
	t.Helper()
	s := oracle.ShapeOf(2, 3, []int{2, 1}, 1, 18, 2, 4)
	zero, one := new(big.Int), big.NewInt(1024)
	for seed := range uint64(1000) {
		p := random(t, s, seed, 0).with(400)
		p.table = [][]*big.Int{{zero, zero, zero}, {one, one, zero}}
		_, p.label = p.centre(0)
		if usable := func(p *problem) bool { return p.label >= 0 && p.holds() }; usable(p) && allHold(p) {
			return p
		}
	}
	t.Fatal("no such problem")
	return nil
}

// another returns the same problem for another network, whose layers may be changed.
func (p *problem) another(change func(n oracle.Network)) *problem {
	other := *p
	other.network = nil
	for _, layer := range p.network {
		rows := make([][]*big.Int, len(layer.Weights))
		for i, row := range layer.Weights {
			rows[i] = slices.Clone(row)
		}
		other.network = append(other.network, oracle.Layer{Weights: rows, Biases: slices.Clone(layer.Biases)})
	}
	change(other.network)
	return &other
}

// lyingNetworks are other networks for which certificates decide the same query, by the names of the lies.
var lyingNetworks = map[string]func(n oracle.Network){
	"another-word": func(n oracle.Network) { n[0].Biases[0] = plus(n[0].Biases[0], 1) },
	"another-network": func(n oracle.Network) {
		for _, row := range n[0].Weights {
			row[2], row[3] = new(big.Int), new(big.Int)
		}
	},
	"words-swapped": func(n oracle.Network) { row := n[0].Weights[0]; row[0], row[1] = row[1], row[0] },
	"words-shifted": func(n oracle.Network) {
		row := n[0].Weights[0]
		row[2], row[3], row[4] = row[4], row[2], row[3]
	},
	"sum-kept":         func(n oracle.Network) { row := n[0].Weights[0]; row[2], row[3] = plus(row[2], 1), plus(row[3], -1) },
	"word-of-no-width": func(n oracle.Network) { n[0].Weights[0][4] = new(big.Int).Lsh(big.NewInt(3), 200) },
}

func plus(x *big.Int, n int64) *big.Int { return new(big.Int).Add(x, big.NewInt(n)) }

func allHold(p *problem) bool {
	for _, change := range lyingNetworks {
		if other := p.another(change); !other.holds() {
			return false
		}
	}
	return true
}

// keptProblem is keys of a shape, honest wires and the link and certificate of an honest owner; of scheme traversal with the problem.
type keptProblem struct {
	*problem
	*keptKeys
	honest told
	owner  *keeper
	link   check.Link
	proof  []byte
}

// toldOf is honest wires of a problem's kept form, with the commitment of the network.
func (p *problem) toldOf(s *shape.Shape) told { return told(p.evidence(p.closure()).wires).keep(s) }

func keptProblemOf(t testing.TB, p *problem) *keptProblem {
	t.Helper()
	s := keptShape(p.shape)
	k := publishedOf(t, s, p.toldOf(s))
	k.problem = p
	return k
}

// publishedOf makes keys for a shape, and an honest owner's link and certificate.
func publishedOf(t testing.TB, s *shape.Shape, honest told) *keptProblem {
	t.Helper()
	k := &keptProblem{keptKeys: keysOf(t, s), honest: honest}
	k.owner = &keeper{certificates: k.honest, link: k.honest}
	if _, err := k.owner.mask.SetRandom(); err != nil {
		t.Fatal(err)
	}
	var err error
	if k.link, err = k.owner.publish(t, k.keptKeys); err != nil {
		t.Fatal(err)
	}
	if k.proof, err = k.owner.certify(t, k.keptKeys); err != nil {
		t.Fatal(err)
	}
	if err := k.accepts(k.honest, k.link, k.proof); err != nil {
		t.Fatalf("honest: %v", err)
	}
	return k
}

// lies are owners whose certificates are about other words than their links, or whose links do not follow. None of the certificates is
// refused by its own circuit.
func (k *keptProblem) lies() map[string]*keeper {
	lies := map[string]*keeper{}
	add := func(name string, certificates, link told) {
		lies[name] = &keeper{certificates: certificates, link: link, mask: k.owner.mask}
	}
	for name, change := range lyingNetworks {
		lie := k.another(change).toldOf(k.keptKeys.shape)
		// It states the committed model.
		stated := lie.with("model_commitment", k.honest["model_commitment"]...)
		add(name, stated, k.honest)
		add(name+", in the link, too", stated, lie)
		add(name+", of its own commitment", lie, lie)
	}
	parts := k.honest["negative_part.2"]
	add("parts-of-another-weight", k.honest.at("negative_part.2", 1, plus(parts[1], 1)), k.honest)
	bit := k.honest["negative_weight.2"][1]
	add("parts-of-another-weight, in the link", k.honest, k.honest.at("negative_weight.2", 1, new(big.Int).Sub(big.NewInt(1), bit)))
	add("another-E", k.honest, k.honest.with("link_blinding", big.NewInt(9)))
	add("another-C", k.honest, k.honest.with("model_blinding", big.NewInt(10)))
	add("another-spec", k.honest, k.honest.with("spec_digest", big.NewInt(11)))
	lies["another-r"] = &keeper{certificates: k.honest, link: k.honest, mask: k.owner.mask, at: big.NewInt(12)}
	lies["link-of-another-key"] = &keeper{certificates: k.honest, link: k.honest, mask: k.owner.mask, key: big.NewInt(13)}
	return lies
}

// unlinkable are lies whose link no prover can make: its rows do not hold.
var unlinkable = []string{
	"word-of-no-width, in the link, too", "word-of-no-width, of its own commitment", "parts-of-another-weight, in the link",
}

// One small real network under real keys: link and certificate of its owner hold. Whoever lies proves both as well as can be; a verifier
// refuses what comes out beside the lie's own link and beside the honest one.
func TestKeptNetworkUnderRealKeys(t *testing.T) {
	t.Parallel()
	turns.Take(t)
	k := keptProblemOf(t, twoColumns(t))
	for name, lie := range k.lies() {
		proof, err := lie.certify(t, k.keptKeys)
		if err != nil {
			t.Errorf("%s: its own circuit refuses the certificate, so that this shows nothing: %v", name, err)
			continue
		}
		link, err := lie.publish(t, k.keptKeys)
		if cannot := slices.Contains(unlinkable, name); (err != nil) != cannot {
			t.Errorf("%s: the link: %v", name, err)
		}
		if err == nil {
			if err := k.accepts(k.honest, link, proof); !errors.Is(err, check.ErrRefused) || check.ReasonOf(err) != check.PairingsDiffer {
				t.Errorf("%s: beside its own link: %v", name, err)
			}
		}
		// What is of the honest words has their point, and is about the link alone.
		same := slices.Equal(lie.point(t, k.keptKeys), k.link.Point)
		if err := k.accepts(k.honest, k.link, proof); same != (err == nil) || err != nil && !errors.Is(err, check.ErrRefused) {
			t.Errorf("%s: beside the honest link, of one point %v: %v", name, same, err)
		}
	}
}

// What is told of an honest link to a verifier who knows otherwise is refused: another model commitment, spec, key or shape of links, and
// what another model shows.
func TestLinkIsOfWhatTheVerifierKnows(t *testing.T) {
	t.Parallel()
	turns.Take(t)
	k := keptProblemOf(t, twoColumns(t))
	about := func() *statement.Link {
		return &statement.Link{Shape: k.links.Digest(), ModelCommitment: k.honest["model_commitment"][0],
			SpecDigest: k.honest["spec_digest"][0], Key: k.key}
	}
	if err := k.acceptsAs(about(), k.honest, k.link, k.proof); err != nil {
		t.Fatal(err)
	}
	architecture := *k.links
	architecture.Architecture.BiasBits = []int{50, 60, 70}
	for name, change := range map[string]func(l *statement.Link){
		"another-C":            func(l *statement.Link) { l.ModelCommitment = plus(l.ModelCommitment, 1) },
		"another-spec":         func(l *statement.Link) { l.SpecDigest = plus(l.SpecDigest, 1) },
		"link-of-another-key":  func(l *statement.Link) { l.Key = plus(l.Key, 1) },
		"another-architecture": func(l *statement.Link) { l.Shape = architecture.Digest() },
		"another-input-bits":   func(l *statement.Link) { l.Shape = otherBits(k.links).Digest() },
	} {
		other := about()
		change(other)
		if err := k.acceptsAs(other, k.honest, k.link, k.proof); check.ReasonOf(err) != check.PairingsDiffer {
			t.Errorf("%s: %v", name, err)
		}
	}
	other := &keeper{certificates: k.another(lyingNetworks["another-word"]).toldOf(k.keptKeys.shape), mask: k.owner.mask}
	other.link = other.certificates
	link, err := other.publish(t, k.keptKeys)
	if err != nil {
		t.Fatal(err)
	}
	moved := k.link
	moved.Shown = link.Shown
	if err := k.accepts(k.honest, moved, k.proof); check.ReasonOf(err) != check.PairingsDiffer {
		t.Errorf("Y-of-another-model: %v", err)
	}
	moved = k.link
	moved.Proof = link.Proof
	if err := k.accepts(k.honest, moved, k.proof); check.ReasonOf(err) != check.PairingsDiffer {
		t.Errorf("the proof of another link: %v", err)
	}
}

// Links and certificates of every other relation hold under real keys. Certificates of changed words, which nothing else in their circuits
// sees, are refused beside the honest link and beside one at their own point.
func TestEveryKeptRelationUnderRealKeys(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	eachKeeping(t, func(t *testing.T, c *composed) {
		if seen[c.Shape.Scheme] || c.Shape.Scheme == shape.Growing && len(c.Witnesses) < 20 {
			t.Skip("one shape of each relation, of ensembles the one with leaves that nobody reaches")
		}
		seen[c.Shape.Scheme] = true
		turns.Take(t)
		s := keptShape(&c.Shape)
		k := publishedOf(t, s, c.toldBy(t, c.Witnesses[0]).keep(s))
		for name, lie := range changedWords(s, k.honest) {
			if name == "another-C" || len(lie.refusing(t, s, lie.keptStatement(t, s), atR)) > 0 {
				continue
			}
			liar := &keeper{certificates: lie, link: k.honest, mask: k.owner.mask}
			proof, err := liar.certify(t, k.keptKeys)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			link, err := liar.publish(t, k.keptKeys)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if err := k.accepts(k.honest, link, proof); check.ReasonOf(err) != check.PairingsDiffer {
				t.Errorf("%s: beside its own link: %v", name, err)
			}
			want := check.FirstCommitmentDiffers
			if slices.Equal(link.Point, k.link.Point) {
				want = check.PairingsDiffer // another-E
			}
			if err := k.accepts(k.honest, k.link, proof); check.ReasonOf(err) != want {
				t.Errorf("%s: beside the honest link: %v", name, err)
			}
		}
	})
	want := []string{shape.Adding, shape.AddingRanges, shape.Branching, shape.Ranging, shape.Gaining, shape.Growing, shape.GrowingRanges}
	for _, scheme := range want {
		if !seen[scheme] {
			t.Errorf("no witness of %s", scheme)
		}
	}
}
