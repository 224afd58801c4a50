package relation_test

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"

	"equiproof/internal/adversary"
	"equiproof/internal/oracle"
	"equiproof/internal/turns"
	"equiproof/relation"
	"equiproof/shape"
	"equiproof/system"
)

// told is the values of wires, by the names of their segments.
type told map[string][]*big.Int

// toldBy reads all wires of a witness.
func (c *composed) toldBy(t testing.TB, of *witnessed) told {
	t.Helper()
	values := told{}
	at := 1
	numbers := c.inputs(t, of)
	for _, segment := range circuitOf(t, &c.Shape).layout {
		for range segment.Length {
			values[segment.Name] = append(values[segment.Name], numbers[at].BigInt(new(big.Int)))
			at++
		}
	}
	return values
}

// with returns the same wires but for those of one segment.
func (w told) with(name string, values ...*big.Int) told {
	other := told{}
	for segment, numbers := range w {
		other[segment] = numbers
	}
	other[name] = values
	return other
}

// at returns the same wires but for one.
func (w told) at(name string, i int, value *big.Int) told {
	changed := slices.Clone(w[name])
	changed[i] = value
	return w.with(name, changed...)
}

// in lists the wires of a layout in order.
func (w told) in(t testing.TB, layout []relation.Segment) (values []*big.Int) {
	t.Helper()
	for _, segment := range layout {
		if len(w[segment.Name]) != segment.Length {
			t.Fatalf("%d values for %d wires of %s", len(w[segment.Name]), segment.Length, segment.Name)
		}
		values = append(values, w[segment.Name]...)
	}
	return values
}

// centred returns a residue as the integer nearest to 0.
func centred(value *big.Int) *big.Int {
	found := new(big.Int).Mod(value, fr.Modulus())
	if new(big.Int).Lsh(found, 1).Cmp(fr.Modulus()) > 0 {
		found.Sub(found, fr.Modulus())
	}
	return found
}

// signedOf types values as signed integers of so many bits, unsigned those of no less than 0.
func signedOf(values []*big.Int, bits int) []oracle.Signed {
	var found []oracle.Signed
	for _, value := range values {
		found = append(found, oracle.Signed{Value: centred(value), Bits: bits})
	}
	return found
}

// modelOf is the model commitment of a witness's numbers.
func modelOf(s *shape.Shape, w told) *big.Int {
	a, tag := &s.Architecture, "equiproof.model"
	var numbers []oracle.Signed
	if len(a.Predicates) > 0 {
		return hashed("equiproof.trees", oracle.Pack(scoreOf(s, w)...), a.Digest(), w["spec_digest"][0], w["model_blinding"][0])
	}
	for l := range s.Layers() {
		numbers = append(numbers, signedOf(w[fmt.Sprintf("weights.%d", l+1)], a.WeightBits[l])...)
		numbers = append(numbers, signedOf(w[fmt.Sprintf("biases.%d", l+1)], a.BiasBits[l])...)
	}
	return hashed(tag, oracle.Pack(numbers...), a.Digest(), w["spec_digest"][0], w["model_blinding"][0])
}

// scoreOf lists the numbers of a model with predicates in the order of its commitment.
func scoreOf(s *shape.Shape, w told) []oracle.Signed {
	a := &s.Architecture
	below := func(n int64, values ...*big.Int) (found []oracle.Signed) {
		bits := big.NewInt(n - 1).BitLen()
		for _, value := range values {
			// The packing shifts signed numbers to begin at 0.
			shifted := new(big.Int).Sub(value, new(big.Int).Lsh(big.NewInt(1), uint(bits-1)))
			found = append(found, oracle.Signed{Value: shifted, Bits: bits})
		}
		return found
	}
	var numbers []oracle.Signed
	for p := range w["columns"] {
		numbers = append(numbers, below(int64(a.Columns()+a.Sensitive), w["columns"][p])...)
		numbers = append(numbers, signedOf(w["thresholds"][p:p+1], s.InputBits)...)
	}
	numbers = append(append(numbers, signedOf(w["jumps"], shape.JumpBits)...), signedOf(w["bias"], shape.ScoreBiasBits)...)
	numbers = append(numbers, below(int64(max(2, a.Predicates[0]+a.Predicates[1])), w["node_predicate"]...)...)
	for i := range w["node_low"] {
		numbers = append(numbers, below(2, w["node_low"][i], w["node_high"][i])...)
	}
	numbers = append(append(numbers, below(2, w["node_missing"]...)...), signedOf(w["node_value"], shape.JumpBits)...)
	return append(numbers, below(2, w["sets"]...)...)
}

// statementOf is the digest of what a witness states about a model commitment, and what it shows of a kept model, nil for no such.
func statementOf(s *shape.Shape, w told, model, shown *big.Int) *big.Int {
	label := new(big.Int)
	if s.Architecture.Logits == 1 {
		label = w["label"][0]
	} else {
		for c, bit := range w["label"] {
			label.Add(label, new(big.Int).Mul(big.NewInt(int64(c)), bit))
		}
	}
	tag, table := "equiproof.domain", w["table"]
	if s.Ranges() {
		tag, table = "equiproof.domain.ranges", slices.Concat(table, w["range_low"], w["range_high"])
	}
	packed := oracle.Pack(signedOf(table, s.InputBits)...)
	domain := []*big.Int{oracle.Tag(tag)}
	for _, size := range []int{
		2, s.Architecture.Plain, s.Architecture.Sensitive, s.Slices, s.InputFractionBits, s.InputBits, len(packed),
	} {
		domain = append(domain, big.NewInt(int64(size)))
	}
	elements := []*big.Int{
		oracle.Tag("equiproof.statement"), big.NewInt(2), oracle.Tag(s.Scheme), s.Digest(), model, w["spec_digest"][0],
		oracle.Hash(append(domain, packed...)...),
		query(s, w["query_blinding"][0], oracle.Pack(signedOf(w["query"], s.InputBits)...)),
		label, w["radius_squared"][0], w["context_digest"][0],
	}
	if s.Gains() {
		elements = append(elements, w["least_gain"][0], w["logit_fraction_bits"][0])
	}
	if shown != nil {
		elements = append(elements, shown)
	}
	return oracle.Hash(elements...)
}

// keptShape is a shape whose model is kept.
func keptShape(s *shape.Shape) *shape.Shape {
	kept := *s
	kept.Model = shape.Kept
	return &kept
}

// keep adds to the wires of an ordinary witness those of a kept model and of its link: what follows from its words, the model
// commitment, and blindings.
func (w told) keep(s *shape.Shape) told {
	kept := w.with("model_commitment", modelOf(s, w)).with("link_blinding", big.NewInt(1<<42))
	for p := range w["columns"] {
		kept["predicates"] = append(kept["predicates"], w["columns"][p], w["thresholds"][p])
	}
	kept["node_child"] = children(s, w)
	for l := 2; l <= len(s.Architecture.Hidden); l++ {
		var bits, parts []*big.Int
		for _, weight := range w[fmt.Sprintf("weights.%d", l)] {
			negative, part := centred(weight).Sign() < 0, new(big.Int)
			if negative {
				part.Neg(centred(weight))
			}
			bits, parts = append(bits, big.NewInt(map[bool]int64{true: 1}[negative])), append(parts, part)
		}
		kept = kept.with(fmt.Sprintf("negative_part.%d", l), parts...)
		if given := fmt.Sprintf("negative_weight.%d", l); len(w[given]) == 0 {
			kept = kept.with(given, bits...)
		}
	}
	return kept
}

// children lists the places of both children of each node: of nodes in level order the next place, of leaves behind all nodes.
func children(s *shape.Shape, w told) (places []*big.Int) {
	if len(s.Architecture.Nodes) == 0 {
		return nil
	}
	before, leaves, trees, count := new(big.Int), int64(0), int64(s.Architecture.Nodes[0]), int64(s.Architecture.Nodes[1])
	for i := range w["node_low"] {
		for side, bit := range []*big.Int{w["node_low"][i], w["node_high"][i]} {
			leaf := new(big.Int).Sub(big.NewInt(count+leaves), before)
			// Of a bit that is none, too, as the circuit has it.
			node := plus(before, trees)
			places = append(places, leaf.Add(leaf, node.Sub(node, leaf).Mul(node, bit)))
			if before = new(big.Int).Add(before, bit); side == 1 && i < len(w["node_before"]) {
				before = w["node_before"][i]
			}
			leaves++
		}
	}
	return places
}

// shownAt is what certificates with these wires show where the first challenge is r.
func (w told) shownAt(t testing.TB, s *shape.Shape, r *big.Int) *big.Int {
	t.Helper()
	return shownOf(w.in(t, relation.WordLayout(s)), w["model_commitment"][0], w["link_blinding"][0], r)
}

// shownOf is what is shown of words and a model commitment under a blinding, where the polynomial is evaluated at r.
func shownOf(words []*big.Int, model, blinding, r *big.Int) *big.Int {
	value := new(big.Int).Set(model)
	for _, word := range words {
		value.Mul(value, r).Add(value, word).Mod(value, fr.Modulus())
	}
	return oracle.Hash(oracle.Tag("equiproof.link"), big.NewInt(1), blinding, value)
}

// keptStatement is the digest of a certificate of a kept model with these wires, at atR.
func (w told) keptStatement(t testing.TB, s *shape.Shape) *big.Int {
	t.Helper()
	return statementOf(s, w, w["model_commitment"][0], w.shownAt(t, s, atR))
}

// linkStatement is the digest of a link.
func linkStatement(l *shape.Link, model, spec, key, r, shown *big.Int) *big.Int {
	return oracle.Hash(oracle.Tag("equiproof.link.statement"), big.NewInt(1), l.Digest(), model, spec, key, r, shown)
}

// firstChallenge is the change by which the first of two commitments has a challenge of one's own.
func firstChallenge(p *adversary.Prover, r *big.Int) adversary.Change {
	return func(wire int, _ adversary.Origin, value *fr.Element) {
		if wire == p.System.First.Challenge {
			value.SetBigInt(r)
		}
	}
}

// refusing names the parts whose rows do not hold for a certificate of a kept model with these wires, at r.
func (w told) refusing(t testing.TB, s *shape.Shape, digest, r *big.Int) map[string]bool {
	t.Helper()
	circuit := circuitOf(t, s)
	return circuit.refusing(append([]*big.Int{digest}, w.in(t, circuit.layout)...), firstChallenge(circuit.Prover, r))
}

func (c *opened) refusing(inputs []*big.Int, change adversary.Change) map[string]bool {
	refusing := map[string]bool{}
	for _, row := range c.Prover.Solve(adversary.Elements(adversary.Integers(inputs...)...), change).Violated {
		refusing[c.parts[row]] = true
	}
	return refusing
}

// linkWords lists the words of a link as its circuit makes them of its wires.
func (w told) linkWords(s *shape.Shape) []*big.Int {
	var words, parts []*big.Int
	if len(s.Architecture.Predicates) > 0 {
		for p := range w["columns"] {
			words = append(words, w["columns"][p], w["thresholds"][p])
		}
		if s.Visits() {
			return slices.Concat(words, w["jumps"], w["bias"], w["sets"], nodeWords(s, w))
		}
		return slices.Concat(words, w["jumps"], w["bias"], w["node_predicate"], w["node_missing"], w["node_value"], w["sets"], children(s, w))
	}
	for l := 1; l <= len(s.Layers()); l++ {
		weights := w[fmt.Sprintf("weights.%d", l)]
		words = slices.Concat(words, weights, w[fmt.Sprintf("biases.%d", l)])
		for i, bit := range w[fmt.Sprintf("negative_weight.%d", l)] {
			part := new(big.Int).Mul(bit, weights[i])
			parts = append(parts, part.Neg(part).Mod(part, fr.Modulus()))
		}
	}
	return append(words, parts...)
}

// link returns the digest of a link with these wires, at r under a key of certificates, as its circuit makes it, and its wires.
func (w told) link(t testing.TB, s *shape.Shape, r, key *big.Int) (digest *big.Int, wires []*big.Int) {
	t.Helper()
	l, model := shape.LinkOf(s), modelOf(s, w)
	digest = linkStatement(l, model, w["spec_digest"][0], key, r, shownOf(w.linkWords(s), model, w["link_blinding"][0], r))
	return digest, w.with("key", key).with("at", r).in(t, relation.LinkLayout(l))
}

// linkRefusing names the parts whose rows do not hold for a link with these wires.
func (w told) linkRefusing(t testing.TB, s *shape.Shape) map[string]bool {
	t.Helper()
	digest, wires := w.link(t, s, atR, big.NewInt(99))
	return linksOf(t, shape.LinkOf(s)).refusing(append([]*big.Int{digest}, wires...), nil)
}

// The witnesses that composed circuits are tried with state what this file says they state.
func TestStatementsOfWitnesses(t *testing.T) {
	eachKeeping(t, func(t *testing.T, c *composed) {
		w := c.toldBy(t, c.Witnesses[0])
		if found := statementOf(&c.Shape, w, modelOf(&c.Shape, w), nil); found.String() != c.Witnesses[0].Digest {
			t.Errorf("%d, want %s", found, c.Witnesses[0].Digest)
		}
	})
}

// eachKeeping runs a test for the witnesses of every shape that has a kept form.
func eachKeeping(t *testing.T, test func(t *testing.T, c *composed)) {
	eachComposed(t, func(t *testing.T, c *composed) {
		if c.Shape.Boxes() {
			t.Skip("it opens its model")
		}
		test(t, c)
	})
}

// atR is a challenge of a first commitment.
var atR = big.NewInt(7777777777)

// Honest witnesses are accepted, with a kept model and its link, too. The words of both are the same list (TestOneListOfWords).
func TestKeptHonestIsAccepted(t *testing.T) {
	eachKeeping(t, func(t *testing.T, c *composed) {
		s := keptShape(&c.Shape)
		for _, of := range c.Witnesses {
			if of.Rule != "" {
				continue
			}
			w := c.toldBy(t, of).keep(s)
			if found := w.refusing(t, s, w.keptStatement(t, s), atR); len(found) > 0 {
				t.Errorf("%s: refused by %v", of.Name, found)
			}
			if found := w.linkRefusing(t, s); len(found) > 0 {
				t.Errorf("%s: the link is refused by %v", of.Name, found)
			}
		}
	})
}

// ofModel says whether wires are the model's, or what splits its weights.
func ofModel(segment string) bool {
	name, _, _ := strings.Cut(segment, ".")
	return slices.Contains([]string{
		"weights", "biases", "negative_weight", "columns", "thresholds", "jumps", "bias", "node_predicate", "node_low", "node_high",
		"node_before", "node_missing", "node_value", "sets",
	}, name)
}

// Every lie that a composed circuit refuses is refused with a kept model, too: by rows of one part of the certificate's circuit that holds
// the rule, as before, or, where the lie is about the model, by the link's.
func TestKeptLiesAreRefused(t *testing.T) {
	t.Parallel()
	eachKeeping(t, func(t *testing.T, c *composed) {
		s := keptShape(&c.Shape)
		for _, lie := range c.Witnesses {
			if lie.Rule == "" {
				continue
			}
			ordinary := c.toldBy(t, lie)
			w := ordinary.keep(s)
			w.refusedByRule(t, s, c, lie, ordinary)
		}
	})
}

// refusedByRule fails a test unless a lie, whose ordinary wires are these here, is refused by rows of its rule alone, or by the
// link's where it is about the model.
func (w told) refusedByRule(t *testing.T, s *shape.Shape, c *composed, lie *witnessed, ordinary told) {
	t.Helper()
	// What a lie states in another way than its wires do, it states so here.
	digest := w.keptStatement(t, s)
	given, _ := new(big.Int).SetString(lie.Digest, 10)
	digest.Add(digest, given.Sub(given, statementOf(&c.Shape, ordinary, modelOf(&c.Shape, ordinary), nil))).Mod(digest, fr.Modulus())
	refusing, parts := w.refusing(t, s, digest, atR), partsOf[lie.Rule]
	if len(refusing) == 0 && slices.ContainsFunc(slices.Collect(maps.Keys(lie.Wires)), ofModel) {
		refusing, parts = w.linkRefusing(t, s), append([]string{"range"}, parts...)
	}
	if len(refusing) > 1 {
		delete(refusing, system.RangeTable)
	}
	found := slices.Collect(maps.Keys(refusing))
	if len(found) != 1 || found[0] != system.RangeTable && !slices.Contains(parts, found[0]) {
		t.Errorf("%s (%s): refused by %q, want one of %q", lie.Name, lie.Rule, found, parts)
	}
}

// eachKept runs a test for honest wires of every relation that has a kept form.
func eachKept(t *testing.T, test func(t *testing.T, s *shape.Shape, w told)) {
	each(t, func(t *testing.T, p *problem) {
		s := keptShape(p.shape)
		test(t, s, told(p.evidence(p.closure()).wires).keep(s))
	})
	eachKeeping(t, func(t *testing.T, c *composed) {
		s := keptShape(&c.Shape)
		test(t, s, c.toldBy(t, c.Witnesses[0]).keep(s))
	})
	eachVisited(t, func(t *testing.T, _ *composed, s *shape.Shape, w told) { test(t, s, w) })
}

// TestOneListOfWords: certificates of every relation and links have one list of words, by position, and show the same of them.
func TestOneListOfWords(t *testing.T) {
	eachKept(t, func(t *testing.T, s *shape.Shape, w told) {
		words, linked := w.in(t, relation.WordLayout(s)), w.linkWords(s)
		if circuit := selected(t, s); relation.Words(circuit) != len(words) || len(linked) != len(words) {
			t.Fatalf("%d words in certificates, %d in their layout, %d in links", relation.Words(circuit), len(words), len(linked))
		}
		for i := range words {
			if centred(words[i]).Cmp(centred(linked[i])) != 0 {
				t.Errorf("word %d is %d in certificates, %d in links", i, words[i], linked[i])
			}
		}
		first := circuitOf(t, s).Prover.System.First.Committed
		for i, wire := range first[:len(words)+1] {
			if wire != 2+i {
				t.Errorf("the first commitment has wire %d at place %d", wire, i)
			}
		}
		if found := w.refusing(t, s, w.keptStatement(t, s), atR); len(found) > 0 {
			t.Errorf("the certificate is refused by %v", found)
		}
		if found := w.linkRefusing(t, s); len(found) > 0 {
			t.Errorf("the link is refused by %v", found)
		}
		if found := w.refusing(t, s, w.keptStatement(t, s), big.NewInt(8)); !maps.Equal(found, map[string]bool{"digest": true}) {
			t.Errorf("another-r is refused by %v", found)
		}
	})
}

// changedWords tells, by the names of the lies, of certificates whose words are not the link's, where nothing but the polynomial sees it.
// Of an ensemble's leaves these are those that nobody near the query reaches.
func changedWords(s *shape.Shape, w told) map[string]told {
	lies := map[string]told{"another-C": w.with("model_commitment", big.NewInt(5)), "another-E": w.with("link_blinding", big.NewInt(6))}
	if s.Scheme == shape.Traversing && len(s.Architecture.Hidden) > 1 {
		parts := w["negative_part.2"]
		more := new(big.Int).Add(parts[0], big.NewInt(1))
		lies["parts-of-another-weight"] = w.at("negative_part.2", 0, more)
		lies["word-of-no-width"] = w.at("negative_part.2", 0, new(big.Int).Lsh(more, 200))
		if last := len(parts) - 1; last > 0 {
			lies["sum-kept"] = w.at("negative_part.2", 0, more).at("negative_part.2", last, new(big.Int).Sub(parts[last], big.NewInt(1)))
		}
	}
	for child, place := range w["node_child"] {
		leaf := int(place.Int64()) - s.Architecture.Nodes[1]
		if leaf < 0 {
			continue
		}
		reference := []string{"low_reference", "high_reference"}[child%2]
		other := w.at("node_value", leaf, plus(w["node_value"][leaf], 1)).at(reference, child/2, plus(w[reference][child/2], 1))
		lies[fmt.Sprintf("another-word: leaf %d", leaf)] = other
	}
	return lies
}

// A certificate that shows other words, another model commitment or another blinding than its link is refused by the statement digest
// alone (R-K-POLY, R-K-SHOWN): what a verifier puts there is the link's.
func TestChangedWordsShow(t *testing.T) {
	tried := map[string]bool{}
	eachKept(t, func(t *testing.T, s *shape.Shape, w told) {
		shown := w.shownAt(t, s, atR)
		for name, lie := range changedWords(s, w) {
			if found := lie.refusing(t, s, lie.keptStatement(t, s), atR); len(found) > 0 {
				if !strings.HasPrefix(name, "another-word: leaf") {
					t.Errorf("%s: refused by %v, so that this shows nothing", name, found)
				}
				continue
			}
			tried[strings.SplitN(name, ":", 2)[0]] = true
			digest := statementOf(s, lie, w["model_commitment"][0], shown)
			if found := lie.refusing(t, s, digest, atR); !maps.Equal(found, map[string]bool{"digest": true}) {
				t.Errorf("%s: refused by %v, want the digest", name, found)
			}
		}
	})
	want := []string{"another-C", "another-E", "another-word", "parts-of-another-weight", "sum-kept", "word-of-no-width"}
	if found := slices.Sorted(maps.Keys(tried)); !slices.Equal(found, want) {
		t.Errorf("tried %v, want %v", found, want)
	}
}

// A link about words that are not the committed ones, of no width, or that do not follow from each other is refused, by rows of one part
// (R-L-OPEN, R-L-RANGE, R-L-DERIVED, R-L-POLY, R-L-SHOWN).
func TestLinkLiesAreRefused(t *testing.T) {
	eachKept(t, func(t *testing.T, s *shape.Shape, w told) {
		turns.Take(t)
		key, l := big.NewInt(99), shape.LinkOf(s)
		digest, wires := w.link(t, s, atR, key)
		refusedAs := func(name string, digest *big.Int, wires []*big.Int, parts ...string) {
			t.Helper()
			found := linksOf(t, l).refusing(append([]*big.Int{digest}, wires...), nil)
			if len(found) > 1 {
				delete(found, system.RangeTable)
			}
			if names := slices.Collect(maps.Keys(found)); len(names) != 1 || !slices.Contains(parts, names[0]) {
				t.Errorf("%s: refused by %v, want one of %v", name, names, parts)
			}
		}
		model, shown := w["model_commitment"][0], w.shownAt(t, s, atR)
		spec := w["spec_digest"][0]
		one := big.NewInt(1)
		for name, stated := range map[string]*big.Int{
			"another-C":              linkStatement(l, new(big.Int).Add(model, one), spec, key, atR, shown),
			"another-spec":           linkStatement(l, model, new(big.Int).Add(spec, one), key, atR, shown),
			"link-of-another-key":    linkStatement(l, model, spec, new(big.Int).Add(key, one), atR, shown),
			"another-r":              linkStatement(l, model, spec, key, new(big.Int).Add(atR, one), shown),
			"Y-of-another-model":     linkStatement(l, model, spec, key, atR, new(big.Int).Add(shown, one)),
			"another-input-bits":     linkStatement(otherBits(l), model, spec, key, atR, shown),
			"a certificate's digest": w.keptStatement(t, s),
		} {
			refusedAs(name, stated, wires, "digest")
		}
		for name, lie := range map[string]told{
			"another blinding of C": w.with("model_blinding", big.NewInt(3)), "another-spec": w.with("spec_digest", big.NewInt(4)),
			"another-E": w.with("link_blinding", big.NewInt(5)), "another-word": anotherWord(w),
		} {
			_, changed := lie.link(t, s, atR, key)
			refusedAs(name, digest, changed, "digest")
		}
		for name, lie := range wideWords(s, w) {
			digest, wires := lie.link(t, s, atR, key)
			refusedAs("word-of-no-width: "+name, digest, wires, "range", "predicates", "nodes", "sets", system.RangeTable)
		}
		for name, lie := range derivedLies(s, w) {
			digest, wires := lie.link(t, s, atR, key)
			refusedAs(name, digest, wires, "range", "nodes", system.RangeTable)
		}
		for p := 1; p < len(w["thresholds"]); p++ {
			lie := w.at("thresholds", p, w["thresholds"][p-1]).at("columns", p, w["columns"][p-1])
			digest, wires := lie.link(t, s, atR, key)
			refusedAs(fmt.Sprintf("predicate %d stands twice", p), digest, wires, "predicates", system.RangeTable)
		}
	})
}

// wideWords are wires of links of which the first word of a run, by its name, is out of its interval.
func wideWords(s *shape.Shape, w told) map[string]told {
	a, lies := &s.Architecture, map[string]told{}
	add := func(name string, low, high *big.Int, also func(lie told, value *big.Int) told) {
		if len(w[name]) == 0 {
			return
		}
		for what, value := range map[string]*big.Int{"above": plus(high, 1), "below": plus(low, -1), "nowhere": new(big.Int).Rsh(fr.Modulus(), 2)} {
			lie := w.at(name, 0, new(big.Int).Mod(value, fr.Modulus()))
			if also != nil {
				lie = also(lie, value)
			}
			lies[name+" "+what] = lie
		}
	}
	signed := func(name string, bits int, also func(lie told, value *big.Int) told) {
		half := new(big.Int).Lsh(big.NewInt(1), uint(bits-1))
		add(name, new(big.Int).Neg(half), plus(half, -1), also)
	}
	if len(a.Predicates) > 0 {
		zero, all := new(big.Int), int64(a.Predicates[0]+a.Predicates[1])
		signed("thresholds", s.InputBits, nil)
		signed("jumps", shape.JumpBits, nil)
		signed("bias", shape.ScoreBiasBits, nil)
		signed("node_value", shape.JumpBits, nil)
		add("columns", zero, big.NewInt(int64(a.Columns()-1)), nil)
		add("node_predicate", zero, big.NewInt(max(2, all)-1), nil)
		add("node_missing", zero, big.NewInt(1), nil)
		add("sets", zero, big.NewInt(1), nil)
		return lies
	}
	for l := range s.Layers() {
		signed(fmt.Sprintf("biases.%d", l+1), a.BiasBits[l], nil)
		negative := fmt.Sprintf("negative_weight.%d", l+1)
		signed(fmt.Sprintf("weights.%d", l+1), a.WeightBits[l], func(lie told, value *big.Int) told {
			if len(w[negative]) == 0 {
				return lie
			}
			return lie.at(negative, 0, big.NewInt(map[bool]int64{true: 1}[value.Sign() < 0]))
		})
	}
	return lies
}

// derivedLies are wires of links in which what follows from the model's numbers does not.
func derivedLies(s *shape.Shape, w told) map[string]told {
	one, lies := big.NewInt(1), map[string]told{}
	for l := 2; l <= len(s.Architecture.Hidden); l++ {
		name := fmt.Sprintf("negative_weight.%d", l)
		for i, bit := range w[name] {
			for what, value := range map[string]*big.Int{
				"the other bit": new(big.Int).Sub(one, bit), "two": big.NewInt(2), "no bit": big.NewInt(-1), "a fraction": half(),
			} {
				lies[fmt.Sprintf("parts-of-another-weight: %s %d, %s", name, i, what)] = w.at(name, i, new(big.Int).Mod(value, fr.Modulus()))
			}
		}
	}
	for i, before := range w["node_before"] {
		lies[fmt.Sprintf("place-of-another-node: one node more before node %d", i+1)] = w.at("node_before", i, plus(before, 1))
	}
	for _, name := range []string{"node_low", "node_high"} {
		for i, bit := range w[name] {
			other := new(big.Int).Sub(one, bit)
			// What is before all later nodes follows, so that the last sum alone shows it, or a node that no earlier one names.
			lie := w.at(name, i, other)
			var before []*big.Int
			for j, count := range w["node_before"] {
				if j >= i {
					count = new(big.Int).Add(count, new(big.Int).Sub(other, bit))
				}
				before = append(before, count)
			}
			lies[fmt.Sprintf("place-of-another-node: %s %d", name, i)] = lie.with("node_before", before...)
			lies[fmt.Sprintf("place-of-another-node: %s %d and a fraction", name, i)] = w.at(name, i, half())
		}
	}
	return lies
}

// anotherWord is honest wires but for one number of the model.
func anotherWord(w told) told {
	if len(w["bias"]) > 0 {
		return w.at("bias", 0, plus(w["bias"][0], 1))
	}
	return w.at("biases.1", 0, plus(w["biases.1"][0], 1))
}

// otherBits is the shape of links for inputs of one bit more.
func otherBits(l *shape.Link) *shape.Link {
	other := *l
	other.InputBits++
	return &other
}
