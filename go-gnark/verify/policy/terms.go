package policy

import (
	"errors"
	"math"
	"math/big"

	"equiproof/verify/merkle"
	"equiproof/verify/note"
	"equiproof/verify/tables"
)

const secondsOfDay = 86400

// LogTerms is LogPins in plain values, and how old the word of witnesses may be; Least nil stands for all witnesses, MaxDays nil for any age.
type LogTerms struct {
	Key       string
	Witnesses []string
	Least     *big.Int
	Smallest  *big.Int
	MaxDays   *big.Int
	Owner     *string
	Proof     []byte // of the commitment, empty for none
	Now       int64  // POSIX seconds
}

// Policy returns the policy of terms; pins that nothing could meet, or that mean nothing, are an error: a witness twice, the log
// as its own witness, witnesses that do not count.
func (t *LogTerms) Policy() (policy Logged, err error) {
	pins, err := t.pins()
	if err != nil {
		return policy, err
	}
	policy = Logged{Pins: *pins, Proof: t.Proof, Now: t.Now}
	if t.MaxDays != nil {
		if t.MaxDays.Sign() < 0 || pins.Least == 0 {
			return policy, errors.New(tables.Say("policy.age_without_witnesses"))
		}
		age := int64(math.MaxInt64)
		if seconds := new(big.Int).Mul(t.MaxDays, big.NewInt(secondsOfDay)); seconds.IsInt64() {
			age = seconds.Int64()
		}
		policy.MaxAge = &age
	}
	return policy, nil
}

func (t *LogTerms) pins() (*LogPins, error) {
	pins := &LogPins{Owner: t.Owner}
	for _, line := range t.Witnesses {
		key, err := note.ParseWitness(line)
		if err != nil {
			return nil, err
		}
		pins.Witnesses = append(pins.Witnesses, key)
	}
	var err error
	if pins.Log, err = note.ParseKey(t.Key); err != nil {
		return nil, err
	}
	if len(pins.Witnesses) > 0 {
		if err := note.Distinct(append([]*note.Key{pins.Log}, pins.Witnesses...)); err != nil {
			return nil, err
		}
	}
	all := int64(len(pins.Witnesses))
	least := big.NewInt(all)
	if t.Least != nil {
		least = t.Least
	}
	if least.Cmp(big.NewInt(min(all, 1))) < 0 || least.Cmp(big.NewInt(all)) > 0 {
		return nil, errors.New(tables.Say("policy.least_witnesses_out_of_bounds", least, all))
	}
	pins.Least, pins.Smallest = int(least.Int64()), 1
	if t.Smallest != nil {
		if t.Smallest.Sign() < 0 || t.Smallest.Cmp(big.NewInt(merkle.MaxSize)) > 0 {
			return nil, errors.New(tables.Say("policy.tree_out_of_bounds", t.Smallest))
		}
		pins.Smallest = t.Smallest.Uint64()
	}
	return pins, nil
}
