package oracle

import "math/big"

// Step is what a backward pass of scheme `branch` uses to get through one layer: slopes and offsets A, K, T of its neurons,
// and where signs are known On, Free and the multipliers Beta; else On is nil. Numbers are rounded down by 2^Rounding
// first. Overlap, where there is one, is what P and Q have in common, where signs are known on free neurons. Lifted cheats: coefficients are rounded so much
// higher, the constant by its last entry, and what is left of them is so much less.
type Step struct {
	Layer                Layer
	Lower, Upper, Offset []*big.Int
	On, Free             []bool
	Beta                 []*big.Int
	Rounding             uint
	Overlap              []*big.Int
	Lifted               []*big.Int
}

// Stage is what a pass makes of a step: the coefficients over its layer as they are and P - Q, rounded down, what was left
// of them, the excess, which is Q or beta, the constant, rounded down, mu over the layer's pre-activations, and what
// offsets take off the constant.
type Stage struct {
	Exact, Floor, Positive, Negative, Rest, Excess []*big.Int
	Kappa, Taken                                   *big.Int
	Mu                                             []*big.Int
}

// Descend carries lambda.h + kappa through the layers of the steps, from the highest down, and returns the form over the
// inputs, all columns of them.
func Descend(lambda []*big.Int, kappa *big.Int, steps []Step, q uint) (stages []Stage, form Form) {
	for _, step := range steps {
		stage := Stage{Kappa: new(big.Int).Rsh(kappa, step.Rounding), Taken: new(big.Int), Exact: lambda}
		if step.Lifted != nil {
			stage.Kappa.Add(stage.Kappa, step.Lifted[len(lambda)])
		}
		kappa = new(big.Int).Lsh(stage.Kappa, q)
		for i, value := range lambda {
			floor := new(big.Int).Rsh(value, step.Rounding)
			if step.Lifted != nil {
				floor.Add(floor, step.Lifted[i])
			}
			stage.Floor = append(stage.Floor, floor)
			stage.Rest = append(stage.Rest, difference(value, new(big.Int).Lsh(floor, step.Rounding)))
			p, n := new(big.Int), new(big.Int)
			if floor.Sign() > 0 {
				p.Set(floor)
			} else {
				n.Neg(floor)
			}
			if step.Overlap != nil {
				p.Add(p, step.Overlap[i])
				n.Add(n, step.Overlap[i])
			}
			excess := n
			if step.On != nil && !step.Free[i] {
				excess = step.Beta[i]
			}
			stage.Excess = append(stage.Excess, excess)
			mu, taken := step.slope(i, p, n, q)
			stage.Taken.Add(stage.Taken, taken)
			kappa.Sub(kappa, taken)
			kappa.Add(kappa, new(big.Int).Mul(mu, step.Layer.Biases[i]))
			stage.Positive, stage.Negative = append(stage.Positive, p), append(stage.Negative, n)
			stage.Mu = append(stage.Mu, mu)
		}
		lambda = zeros(len(step.Layer.Weights[0]))
		for i, row := range step.Layer.Weights {
			for j, weight := range row {
				lambda[j].Add(lambda[j], new(big.Int).Mul(stage.Mu[i], weight))
			}
		}
		stages = append(stages, stage)
	}
	return stages, Form{C: lambda, D: kappa}
}

// slope returns mu of a neuron and what its offset takes off the constant.
func (s Step) slope(i int, p, n *big.Int, q uint) (mu, taken *big.Int) {
	mu, taken = new(big.Int), new(big.Int)
	switch {
	case s.On == nil || s.Free[i]:
		mu.Mul(s.Lower[i], p)
		mu.Sub(mu, new(big.Int).Mul(s.Upper[i], n))
		taken.Mul(n, s.Offset[i])
	case s.On[i]:
		lambda := difference(p, n)
		mu.Sub(lambda.Lsh(lambda, q), s.Beta[i])
	default:
		mu.Set(s.Beta[i])
	}
	return mu, taken
}

func difference(x, y *big.Int) *big.Int { return new(big.Int).Sub(x, y) }
