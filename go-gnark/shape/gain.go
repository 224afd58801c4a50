package shape

// copies is how many times the network stands in the pair that relation `gain` is about.
const copies = 2

// Gains says whether the statement is how much a sensitive value gains at least.
func (s *Shape) Gains() bool { return s.Scheme == Gaining }

// GainBits is the signed width of the least gain: any difference of two margins fits.
func (s *Shape) GainBits() int {
	limits := s.valueLimits()
	return limits[len(limits)-1].BitLen() + 3
}

// Pair is the shape of the network of both copies, under which relation `gain` has the widths, roundings and leaves of
// scheme `branch`: a copy beside the other in each hidden layer, the sensitive columns of each, and one slice. Each logit is
// the difference of the copies', and the bias of the label's is 1 less the least gain.
func (s *Shape) Pair() *Shape {
	pair, a := *s, &s.Architecture
	pair.Scheme, pair.Slices = Branching, 1
	pair.Architecture.Sensitive = copies * a.Sensitive
	pair.Architecture.Hidden = nil
	for _, size := range a.Hidden {
		pair.Architecture.Hidden = append(pair.Architecture.Hidden, copies*size)
	}
	last := len(a.Hidden)
	pair.Architecture.BiasBits = append(append([]int{}, a.BiasBits[:last]...), s.GainBits()+1)
	return &pair
}
