package adversary

import (
	"math/big"

	"equiproof/gadget/backward"
	"equiproof/internal/oracle"
)

// Steps reads what a prover claims of a backward pass, in the order of Claims: sizes are those of the layers from the
// highest to the first and then the number of inputs, roundings and widths those of the layers; signs says whether they are
// known.
func (w *Wires) Steps(sizes, roundings, bits []int, signs bool) []backward.Step {
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
		step.Below.Bits = bits[at+1]
		if signs {
			step.Below.Exact = w.Take(below)
			if roundings[at+1] > 0 {
				step.Below.Floor = w.Take(below)
			}
			continue
		}
		step.Below.Positive, step.Below.Negative = w.Take(below), w.Take(below)
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
		last, constant := at == len(stages)-1, new(big.Int).Neg(stage.Taken)
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
		next, rounded := stages[at+1], steps[at+1].Rounding > 0
		if steps[at].On != nil {
			values = append(values, Integers(next.Exact...)...)
			if rounded {
				values = append(values, Integers(next.Floor...)...)
			}
			continue
		}
		values = append(append(values, Integers(next.Positive...)...), Integers(next.Negative...)...)
		if rounded {
			values = append(values, Integers(next.Rest...)...)
		}
	}
	return values
}
