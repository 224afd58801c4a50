package merkle

// Growing is a tree to which entries are added; it keeps the roots of its full parts only, the largest first. The zero value
// is the empty tree.
type Growing struct {
	parts []Hash
	size  uint64
}

// Add adds the hash of one more entry.
func (g *Growing) Add(leaf Hash) {
	// Full parts have the sizes of the size's binary digits, so adding one entry joins parts as adding one carries digits.
	for rest := g.size; rest&1 == 1; rest >>= 1 {
		last := len(g.parts) - 1
		leaf, g.parts = nodeHash(g.parts[last], leaf), g.parts[:last]
	}
	g.parts, g.size = append(g.parts, leaf), g.size+1
}

// Root is the root of the tree.
func (g *Growing) Root() Hash {
	if g.size == 0 {
		return EmptyRoot
	}
	last := len(g.parts) - 1
	root := g.parts[last]
	for at := last - 1; at >= 0; at-- {
		root = nodeHash(g.parts[at], root)
	}
	return root
}
