package oracle

import (
	"math/big"

	"equiproof/shape"
)

// ShapeOf returns a shape with 16-bit weights, radii of 29 bits, and biases as wide as a layer's largest sum of products,
// as the owner's side chooses them.
func ShapeOf(plain, sensitive int, hidden []int, logits, inputBits, slices, capacity int) *shape.Shape {
	s := &shape.Shape{
		Architecture: shape.Architecture{
			Hidden: hidden, Logits: logits, Plain: plain, Sensitive: sensitive,
		},
		Capacity: capacity, Format: "equiproof-shape", InputBits: inputBits, InputFractionBits: 10, RadiusBits: 29,
		Scheme: "traversal", Slices: slices, Version: 2,
	}
	largest := new(big.Int).Lsh(big.NewInt(1), uint(inputBits-1))
	for _, layer := range s.Layers() {
		s.Architecture.WeightBits = append(s.Architecture.WeightBits, 16)
		products := new(big.Int).Lsh(new(big.Int).Mul(largest, big.NewInt(int64(layer[1]))), 15)
		s.Architecture.BiasBits = append(s.Architecture.BiasBits, products.BitLen()+1)
		largest = products.Lsh(products, 1)
	}
	return s
}

// AdditiveShape returns a shape of an additive model with inputs of 18 bits, radii of 29 bits, and two slices.
func AdditiveShape(plain, sensitive int, predicates [2]int, slots, capacity int) *shape.Shape {
	return &shape.Shape{
		Architecture: shape.Architecture{
			BiasBits: []int{shape.ScoreBiasBits}, Hidden: []int{}, Logits: 1, Plain: plain, Predicates: predicates[:],
			Sensitive: sensitive, WeightBits: []int{shape.JumpBits},
		},
		Capacity: capacity, Format: "equiproof-shape", InputBits: 18, InputFractionBits: 10, RadiusBits: 29,
		Scheme: shape.Adding, Slices: 2, Slots: slots, Version: 2,
	}
}

// EnsembleShape returns a shape of an ensemble of so many trees and nodes over the predicates of AdditiveShape.
func EnsembleShape(plain, sensitive int, predicates, nodes [2]int, slots, rows, capacity int) *shape.Shape {
	s := AdditiveShape(plain, sensitive, predicates, slots, capacity)
	s.Architecture.Nodes, s.Rows, s.Scheme = nodes[:], rows, shape.Growing
	return s
}
