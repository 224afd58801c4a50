package relation

// Keeper is a circuit of a kept model, which a certificate does not open: the circuit has two commitments, and the first is
// of the model's words and of the model commitment alone. Those are its first private wires, the words in their order and
// the model commitment behind them.
type Keeper interface {
	Circuit
	// Words is how many words the model has: its numbers, and what follows from these and spares certificates work.
	Words() int
}
