package spec

import (
	"errors"
	"math/big"

	"equiproof/verify/number"
	"equiproof/verify/tables"
)

// Twin of circuits/levels.py: the few radii and gains that certificates show under a spec that lists them. Of a level l, R2 =
// floor((l 2^f)^2); of a level of gains, the least gain is l times a logit's unit, rounded up, and a loss of l is one as well.

const (
	mostLevels   = 16
	largestLevel = 16
)

// ShowsRadius says whether certificates under the spec show this R2: any without levels, else 0 and those of the levels.
func (s *Spec) ShowsRadius(squared int64) bool {
	if s.Levels == nil || squared == 0 {
		return true
	}
	for _, level := range *s.Levels {
		if s.square(level).Cmp(big.NewInt(squared)) == 0 {
			return true
		}
	}
	return false
}

// LargestShown is the largest R2 that certificates under the spec show.
func (s *Spec) LargestShown() int64 {
	if s.Levels == nil {
		return s.MaxRadiusSquared()
	}
	levels := *s.Levels
	return s.square(levels[len(levels)-1]).Int64()
}

// ShowsGain says whether gain certificates under the spec show this least gain, where a logit has so many fraction bits.
func (s *Spec) ShowsGain(least *big.Int, fractionBits int) bool {
	if s.Levels == nil || least.Sign() == 0 {
		return true
	}
	if s.GainLevels == nil {
		return false
	}
	unit := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(fractionBits)))
	for _, level := range *s.GainLevels {
		gain := new(big.Rat).Mul(number.Exact(level), unit)
		// Rounded up on both sides of 0, so that none promises less than its text.
		if number.Ceil(gain).Cmp(least) == 0 || number.Ceil(gain.Neg(gain)).Cmp(least) == 0 {
			return true
		}
	}
	return false
}

// IsAtLeast says whether a radius is said to be "at least" so much: the largest that is ever stated, and any level.
func (s *Spec) IsAtLeast(squared int64) bool {
	return squared == s.MaxRadiusSquared() || s.Levels != nil
}

// square is R2 of a level.
func (s *Spec) square(level string) *big.Int {
	length := new(big.Rat).Mul(number.Exact(level), new(big.Rat).SetInt(s.ScaleUnit()))
	return number.Floor(length.Mul(length, length))
}

// checkLevels refuses levels that are not rising decimals above 0, or that are too many or too large.
func (s *Spec) checkLevels() error {
	lists := []struct {
		name  string
		texts *[]string
	}{{"levels", s.Levels}, {"gain_levels", s.GainLevels}}
	for _, list := range lists {
		if list.texts == nil {
			continue
		}
		for _, text := range *list.texts {
			if _, err := Decimal(text, list.name); err != nil {
				return err
			}
		}
	}
	for _, list := range lists {
		if list.texts != nil {
			if err := s.checkList(list.name, *list.texts); err != nil {
				return err
			}
		}
	}
	if s.Levels == nil && s.GainLevels != nil {
		return errors.New(tables.Say("spec.gain_levels_alone"))
	}
	return nil
}

// checkList refuses a list of decimals that are no levels.
func (s *Spec) checkList(name string, texts []string) error {
	if len(texts) < 1 || len(texts) > mostLevels {
		return errors.New(tables.Say("spec.levels_count", name, mostLevels))
	}
	least, square, same := new(big.Rat), new(big.Int), false
	for _, text := range texts {
		level, next := number.Exact(text), s.square(text)
		if level.Cmp(least) <= 0 {
			return errors.New(tables.Say("spec.levels_not_rising", name))
		}
		// Two levels of one R2 would be one level with two texts, and one of R2 0 is there always.
		same = same || next.Cmp(square) <= 0
		least, square = level, next
	}
	if same {
		return errors.New(tables.Say("spec.levels_too_fine", name))
	}
	if least.Cmp(number.Whole(largestLevel)) > 0 {
		return errors.New(tables.Say("spec.level_too_large", name, largestLevel))
	}
	return nil
}
