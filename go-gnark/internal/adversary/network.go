package adversary

import (
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/affine"
	"equiproof/gadget/bounded"
	"equiproof/internal/oracle"
)

// Wires hands out a gadget circuit's wires from the left.
type Wires struct{ Rest []frontend.Variable }

// Take returns the next n wires.
func (w *Wires) Take(n int) []frontend.Variable {
	taken := w.Rest[:n]
	w.Rest = w.Rest[n:]
	return taken
}

// Signed returns the next n wires as integers of the given signed bits.
func (w *Wires) Signed(a *bounded.Arith, n, bits int) []bounded.Int {
	values := make([]bounded.Int, n)
	for i, wire := range w.Take(n) {
		values[i] = a.Signed(wire, bits)
	}
	return values
}

// Bits returns the next n wires as bits.
func (w *Wires) Bits(a *bounded.Arith, n int) []bounded.Int {
	values := make([]bounded.Int, n)
	for i, wire := range w.Take(n) {
		values[i] = a.Bit(wire)
	}
	return values
}

// Layers reads the layers of a network whose sizes run from inputs to logits, in the order of Flat.
func (w *Wires) Layers(a *bounded.Arith, sizes []int, weightBits, biasBits int) []affine.Layer {
	var layers []affine.Layer
	for l := 1; l < len(sizes); l++ {
		layer := affine.Layer{}
		for range sizes[l] {
			layer.Weights = append(layer.Weights, w.Signed(a, sizes[l-1], weightBits))
		}
		layer.Biases = w.Signed(a, sizes[l], biasBits)
		layers = append(layers, layer)
	}
	return layers
}

// Flat lists a network's weights, row by row, and its biases, layer by layer.
func Flat(network oracle.Network) []any {
	var values []any
	for _, layer := range network {
		for _, row := range layer.Weights {
			values = append(values, Integers(row...)...)
		}
		values = append(values, Integers(layer.Biases...)...)
	}
	return values
}

// Count is the number of weights and biases of a network of these sizes.
func Count(sizes []int) int {
	total := 0
	for l := 1; l < len(sizes); l++ {
		total += sizes[l] * (sizes[l-1] + 1)
	}
	return total
}

// Digits lists bits as integers.
func Digits(bits []bool) []any {
	values := make([]any, len(bits))
	for i, bit := range bits {
		values[i] = 0
		if bit {
			values[i] = 1
		}
	}
	return values
}

// Join concatenates arguments: integers, and lists of them.
func Join(parts ...any) []any {
	var values []any
	for _, part := range parts {
		switch part := part.(type) {
		case []any:
			values = append(values, part...)
		case []*big.Int:
			values = append(values, Integers(part...)...)
		default:
			values = append(values, part)
		}
	}
	return values
}
