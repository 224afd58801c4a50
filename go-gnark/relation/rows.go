package relation

import (
	"math/big"

	"equiproof/gadget/bounded"
)

// Matrix cuts values into rows of the given length.
func Matrix(values []bounded.Int, columns int) [][]bounded.Int {
	var rows [][]bounded.Int
	for columns > 0 && len(values) > 0 {
		rows, values = append(rows, values[:columns:columns]), values[columns:]
	}
	return rows
}

// at returns a row, or none where the matrix has no columns.
func at(rows [][]bounded.Int, row int) []bounded.Int {
	if len(rows) == 0 {
		return nil
	}
	return rows[row]
}

// packed writes bits into one number, the first lowest.
func packed(a *bounded.Arith, bits []bounded.Int) bounded.Int {
	number := a.Constant(0)
	for i, bit := range bits {
		number = a.Add(number, a.Scale(new(big.Int).Lsh(big.NewInt(1), uint(i)), bit))
	}
	return number
}
