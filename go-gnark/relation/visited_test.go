package relation_test

import (
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"

	"equiproof/shape"
	"equiproof/system"
)

// walkable is the wires of an ensemble as a map of its nodes.
type walkable struct {
	told
	shape    *shape.Shape
	children [][2]int // places: nodes, and behind all nodes values
	passed   []int    // nodes on the way that are in no row
	row      map[int]int64
}

// number reads a wire as a small integer.
func (w told) number(name string, i int) int64 { return centred(w[name][i]).Int64() }

// node returns what a place is where it is a node, and the reference of a place in words.
func (m *walkable) reference(place int) int64 {
	if nodes := m.shape.Architecture.Nodes[1]; place >= nodes {
		return m.number("node_value", place-nodes)
	}
	return int64(place+1) << shape.JumpBits
}

// asked is the number under which a node finds its predicate.
func (m *walkable) asked(node int) int64 {
	number := m.number("node_predicate", node)
	if len(m.told["node_missing"]) > 0 {
		a := &m.shape.Architecture
		number += m.number("node_missing", node) * int64(max(2, a.Predicates[0]+a.Predicates[1]))
	}
	return number
}

// pair returns the places of the staying and the crossing child.
func (m *walkable) pair(node int) (stay, cross int) {
	low, high := m.children[node][0], m.children[node][1]
	if m.number("node_side", node) == 1 {
		return low, high
	}
	return high, low
}

// behind passes over nodes without a slot.
func (m *walkable) behind(place int) int {
	for place < m.shape.Architecture.Nodes[1] && m.number("node_slot", place) == 0 {
		place, _ = m.pair(place)
	}
	return place
}

// visit turns the wires of a kept ensemble into those that resolve visited nodes alone, and its shape into one with a place more for
// passed nodes than needed; ok is false where they are those of no forest.
func (w told) visit(s *shape.Shape) (visited told, visiting *shape.Shape, ok bool) {
	defer func() { ok = recover() == nil }() // a lie's places may be nowhere
	m := &walkable{told: w, shape: s, row: map[int]int64{}}
	nodes := s.Architecture.Nodes[1]
	places := children(s, w)
	for i := range nodes {
		m.children = append(m.children, [2]int{int(places[2*i].Int64()), int(places[2*i+1].Int64())})
	}
	for i := range w["row_id"] {
		if node := int(w.number("row_id", i)) - 1; node < nodes && m.row[node] == 0 {
			m.row[node] = int64(i + 1)
		}
	}
	pass := func(place int) {
		for place < nodes && m.number("node_slot", place) == 0 && !slices.Contains(m.passed, place) {
			m.passed = append(m.passed, place)
			place, _ = m.pair(place)
		}
	}
	for root := range s.Architecture.Nodes[0] {
		pass(root)
	}
	visited = told{}
	maps.Copy(visited, w)
	add := func(name string, values ...int64) {
		for _, value := range values {
			visited[name] = append(visited[name], big.NewInt(value))
		}
	}
	for _, name := range []string{"stay_value", "cross_value", "stay_row", "cross_row", "low_reference", "high_reference", "node_child"} {
		visited[name] = nil
	}
	for i := range nodes {
		low, high := m.reference(m.children[i][0]), m.reference(m.children[i][1])
		add("low_reference", low)
		add("high_reference", high)
	}
	visited["node_word"] = nodeWords(s, visited)
	// What a row says of its child, as a value and a row, is said here of what is behind passed nodes.
	lead := func(name string, place int, value, row *big.Int) {
		if place >= nodes {
			visited[name+"_value"], visited[name+"_row"] = append(visited[name+"_value"], value), append(visited[name+"_row"], row)
			add(name+"_node", 0)
			add(name+"_behind", 0)
			return
		}
		add(name+"_value", 0)
		add(name+"_node", int64(place+1))
		visited[name+"_behind"], visited[name+"_row"] = append(visited[name+"_behind"], value), append(visited[name+"_row"], row)
	}
	nothing := numbersOf(s)
	for i := range w["row_id"] {
		node := int(w.number("row_id", i)) - 1
		asked, side, stay, cross := nothing, int64(1), nodes, nodes
		if node < nodes {
			asked, side = m.asked(node), w.number("node_side", node)
			stay, cross = m.pair(node)
			pass(stay)
			pass(cross)
		}
		add("row_number", asked)
		add("row_side", side)
		lead("stay", stay, w["stay_value"][i], w["stay_row"][i])
		lead("cross", cross, w["cross_value"][i], w["cross_row"][i])
	}
	for _, node := range m.passed {
		stay, cross := m.pair(node)
		behind, row, value := m.behind(stay), int64(0), int64(0)
		if behind < nodes {
			row = m.row[behind]
		} else {
			value = m.reference(behind)
		}
		add("passed_id", int64(node+1))
		add("passed_number", m.asked(node))
		add("passed_side", w.number("node_side", node))
		lead("passed", stay, big.NewInt(value), big.NewInt(row))
		add("passed_other", m.reference(cross))
	}
	add("passed_id", int64(nodes+1))
	add("passed_number", nothing)
	add("passed_side", 1)
	lead("passed", nodes, new(big.Int), new(big.Int))
	add("passed_other", 0)
	visiting = keptShape(s)
	visiting.Passed = len(m.passed) + 1
	return visited, visiting, true
}

// numbersOf is how many numbers nodes find predicates under.
func numbersOf(s *shape.Shape) int64 {
	a := &s.Architecture
	numbers := int64(max(2, a.Predicates[0]+a.Predicates[1]))
	if a.Missing {
		numbers *= 2
	}
	return numbers
}

// nodeWords are the words of the nodes, as links make them of their wires.
func nodeWords(s *shape.Shape, w told) (words []*big.Int) {
	a, half := &s.Architecture, int64(1<<(shape.JumpBits-1))
	n, r := uint(big.NewInt(numbersOf(s)).BitLen()), uint(shape.JumpBits+big.NewInt(int64(a.Nodes[1]+1)).BitLen())
	for i, number := range w["node_predicate"] {
		if a.Missing {
			second := big.NewInt(int64(max(2, a.Predicates[0]+a.Predicates[1])))
			number = new(big.Int).Add(number, second.Mul(second, w["node_missing"][i]))
		}
		word := plus(w["high_reference"][i], half)
		word.Lsh(word, r).Add(word, plus(w["low_reference"][i], half)).Lsh(word, n).Add(word, number)
		words = append(words, word.Mod(word, fr.Modulus()))
	}
	return words
}

// eachVisited runs a test for the witnesses of every ensemble without a box, with the honest one of a visit.
func eachVisited(t *testing.T, test func(t *testing.T, c *composed, s *shape.Shape, w told)) {
	eachKeeping(t, func(t *testing.T, c *composed) {
		if !c.Shape.Grows() {
			t.Skip("no ensemble")
		}
		w, s, ok := c.toldBy(t, c.Witnesses[0]).keep(keptShape(&c.Shape)).visit(&c.Shape)
		if !ok {
			t.Fatal("no forest")
		}
		test(t, c, s, w)
	})
}

// Every honest witness is one of a visit, too, and its link has the same words.
func TestVisitedHonestIsAccepted(t *testing.T) {
	tried := 0
	eachVisited(t, func(t *testing.T, c *composed, _ *shape.Shape, _ told) {
		for _, of := range c.Witnesses {
			if of.Rule != "" {
				continue
			}
			w, s, ok := c.toldBy(t, of).keep(keptShape(&c.Shape)).visit(&c.Shape)
			if !ok {
				t.Fatalf("%s: no forest", of.Name)
			}
			tried += s.Passed - 1
			if found := w.refusing(t, s, w.keptStatement(t, s), atR); len(found) > 0 {
				t.Errorf("%s: refused by %v", of.Name, found)
			}
			if found := w.linkRefusing(t, s); len(found) > 0 {
				t.Errorf("%s: the link is refused by %v", of.Name, found)
			}
		}
	})
	if tried == 0 {
		t.Error("no node is passed")
	}
}

// Every lie of the composed circuit that can be told to this one is refused by rows of one part, one that holds its rule; a lie
// about the model by those or by the link.
func TestVisitedLiesAreRefused(t *testing.T) {
	tried := map[string]int{}
	eachVisited(t, func(t *testing.T, c *composed, honestly *shape.Shape, honest told) {
		layout := circuitOf(t, honestly).layout
		for _, lie := range c.Witnesses {
			if lie.Rule == "" {
				continue
			}
			ordinary := c.toldBy(t, lie)
			w, s, ok := ordinary.keep(keptShape(&c.Shape)).visit(&c.Shape)
			same := func(x, y *big.Int) bool { return x.Cmp(y) == 0 }
			if !ok || s.Passed == honestly.Passed && slices.EqualFunc(w.in(t, layout), honest.in(t, layout), same) && lie.Digest == c.Witnesses[0].Digest {
				continue // about wires that are not here
			}
			tried[lie.Rule]++
			w.refusedByRule(t, s, c, lie, ordinary)
		}
	})
	for _, rule := range []string{"R-RANGE", "R-T-SIDE", "R-T-DEAD", "R-T-SLOT", "R-T-RESOLVE", "R-T-LEAF", "R-T-CHARGE", "R-T-CLOSE", "R-T-COVER"} {
		if tried[rule] == 0 {
			t.Errorf("no lie about %s among %v", rule, tried)
		}
	}
}

// Any other number in the first or the last wire of a run about visited nodes is refused by the nodes, by predicates, for which the
// lookups count, or by what leaves see of a row.
func TestVisitsOfEnsemblesAreHeld(t *testing.T) {
	tried := map[string]bool{}
	eachVisited(t, func(t *testing.T, c *composed, s *shape.Shape, w told) {
		digest, parts := w.keptStatement(t, s), []string{"predicates", "nodes", system.RangeTable, "rows"}
		for _, segment := range circuitOf(t, s).layout {
			run, _, _ := strings.Cut(segment.Name, "_")
			if !strings.Contains(segment.Name, "_") || !slices.Contains([]string{"row", "stay", "cross", "passed", "root"}, run) {
				continue
			}
			tried[segment.Name] = true
			for _, i := range []int{0, segment.Length - 1} {
				for _, more := range []int64{1, -1} {
					found := w.at(segment.Name, i, plus(w[segment.Name][i], more)).refusing(t, s, digest, atR)
					if !slices.ContainsFunc(parts, func(part string) bool { return found[part] }) {
						t.Errorf("%s %d by %d: refused by %v", segment.Name, i, more, found)
					}
				}
			}
		}
	})
	if len(tried) != 23 {
		t.Errorf("%d runs of wires: %v", len(tried), tried)
	}
}

// A node's word that the link does not have is refused where the ball reaches it, by its lookup, and shows where it does not
// (R-T-RESOLVE, R-K-POLY); a reference of a link that is another one is refused (R-L-DERIVED).
func TestVisitedWordsShow(t *testing.T) {
	hidden := 0
	eachVisited(t, func(t *testing.T, c *composed, s *shape.Shape, w told) {
		shown, reached := w.shownAt(t, s, atR), map[int64]bool{}
		for _, name := range []string{"row_id", "passed_id"} {
			for i := range w[name] {
				reached[w.number(name, i)] = true
			}
		}
		for i, word := range w["node_word"] {
			lie := w.at("node_word", i, plus(word, 1))
			found := lie.refusing(t, s, lie.keptStatement(t, s), atR)
			if reached[int64(i+1)] {
				if !maps.Equal(found, map[string]bool{"predicates": true}) {
					t.Errorf("word %d: refused by %v", i, found)
				}
			} else if hidden++; len(found) > 0 {
				t.Errorf("word %d, which no ball reaches: refused by %v", i, found)
			}
			stated := statementOf(s, lie, w["model_commitment"][0], shown)
			if found := lie.refusing(t, s, stated, atR); !found["digest"] {
				t.Errorf("word %d that the link has not: refused by %v", i, found)
			}
			for _, name := range []string{"low_reference", "high_reference"} {
				if found := w.at(name, i, plus(w[name][i], 1)).linkRefusing(t, s); !maps.Equal(found, map[string]bool{"nodes": true}) {
					t.Errorf("%s %d: the link is refused by %v", name, i, found)
				}
			}
		}
	})
	if hidden == 0 {
		t.Error("every node is within reach")
	}
}

// No row that has a slot is passed, of a sensitive predicate neither, nor stays for everybody: whether the ball crosses a node is its
// predicate's word, under the one number that the node's word has (R-T-RESOLVE).
func TestRowsAreNotPassed(t *testing.T) {
	sensitive := 0
	eachVisited(t, func(t *testing.T, c *composed, s *shape.Shape, w told) {
		digest, free, dead := w.keptStatement(t, s), s.Passed-1, int64(-1)
		if s.Passed > 1 {
			dead = w.number("passed_number", 0)
		}
		for i := range w["row_id"] {
			slot := w.number("row_slot", i)
			if slot == 0 {
				continue
			}
			if slot > int64(s.Slots) {
				sensitive++
			}
			passed := told{}
			maps.Copy(passed, w)
			for to, from := range map[string]string{
				"passed_id": "row_id", "passed_number": "row_number", "passed_side": "row_side",
				"passed_value": "stay_value", "passed_node": "stay_node", "passed_behind": "stay_behind", "passed_row": "stay_row",
			} {
				passed = passed.at(to, free, w[from][i])
			}
			other := new(big.Int).Lsh(w["cross_node"][i], shape.JumpBits)
			passed = passed.at("passed_other", free, other.Add(other, w["cross_value"][i]))
			lies := map[string]told{"passed": passed, "a row that stays": w.at("row_slot", i, new(big.Int))}
			if dead >= 0 {
				lies["passed under a dead number"] = passed.at("passed_number", free, big.NewInt(dead)).at("passed_side", free, w["passed_side"][0])
			}
			for name, lie := range lies {
				if found := lie.refusing(t, s, digest, atR); !found["predicates"] {
					t.Errorf("row %d, slot %d, %s: refused by %v", i, slot, name, found)
				}
			}
		}
	})
	if sensitive == 0 {
		t.Error("no row is sensitive")
	}
}
