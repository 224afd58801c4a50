package system

import "equiproof/relation"

// LoadCircuit is Load for a circuit that has no document of a shape: the document only names it in its witnesses.
func (p ProofSystem) LoadCircuit(document, proving []byte, circuit func() relation.Circuit) (*Prover, error) {
	return p.load(document, proving, func() (relation.Circuit, error) { return circuit(), nil })
}
