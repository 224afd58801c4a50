package adversary

import (
	"math/big"

	"equiproof/gadget/backward"
	"equiproof/internal/oracle"
)

// Steps reads what a prover claims of a backward pass, in the order of Claims: sizes are those of the layers from the
// highest to the first and then the number of inputs, roundings and widths those of the layers.
func (w *Wires) Steps(sizes, roundings, bits []int) []backward.Step {
	steps := make([]backward.Step, len(roundings))
	for at := range steps {
		step, below := &steps[at], sizes[at+1]
		step.Rounding = roundings[at]
		if step.Rounding > 0 {
			step.Kappa = w.Take(1)[0]
		}
		step.Constant = w.Take(1)[0]
		if at == len(steps)-1 {
			step.Inputs = w.Take(below)
			continue
		}
		step.Below = backward.Claim{Positive: w.Take(below), Negative: w.Take(below), Bits: bits[at+1]}
		if roundings[at+1] > 0 {
			step.Below.Rest = w.Take(below)
		}
	}
	return steps
}

// Claims lists the numbers of a pass that Steps reads, for a query of the non-sensitive columns.
func Claims(steps []oracle.Step, stages []oracle.Stage, form oracle.Form, query []*big.Int) []any {
	var values []any
	for at, stage := range stages {
		if steps[at].Rounding > 0 {
			values = append(values, stage.Kappa)
		}
		last, constant := at == len(stages)-1, new(big.Int)
		for i, mu := range stage.Mu {
			value := new(big.Int).Set(steps[at].Layer.Biases[i])
			for j, x := range query {
				if last {
					value.Add(value, new(big.Int).Mul(steps[at].Layer.Weights[i][j], x))
				}
			}
			constant.Add(constant, value.Mul(value, mu))
		}
		values = append(values, constant)
		if last {
			return append(values, Integers(form.C...)...)
		}
		next := stages[at+1]
		values = append(append(values, Integers(next.Positive...)...), Integers(next.Negative...)...)
		if steps[at+1].Rounding > 0 {
			values = append(values, Integers(next.Rest...)...)
		}
	}
	return values
}
