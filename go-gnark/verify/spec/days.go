package spec

import (
	"errors"
	"math/big"
	"regexp"
	"slices"
	"time"

	"equiproof/verify/number"
	"equiproof/verify/tables"
	"equiproof/verify/text"
)

// dateLayout is a date as a spec has it, of the years 1 to 9999.
const dateLayout = "2006-01-02"

var (
	date      = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`)
	firstDate = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	lastDate  = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
	dayUnits  = []string{"day", "days"}
)

// parseDate reads a date such as 2000-01-31.
func parseDate(written string) (time.Time, bool) {
	day, err := time.Parse(dateLayout, written)
	return day, err == nil && date.MatchString(written) && day.Year() >= 1
}

// Dates are those of numbers of days; nil for a feature without a start, and where one of the numbers is no whole day of the
// years 1 to 9999, so that a date never says more or less than its number. Twin of circuits/encodings/days.py.
func (f *Feature) Dates(numbers ...*big.Rat) (dates []time.Time) {
	if f.Start == nil {
		return nil
	}
	start, _ := parseDate(*f.Start)
	for _, value := range numbers {
		if !value.IsInt() || value.Num().Cmp(daysTo(start, firstDate)) < 0 || value.Num().Cmp(daysTo(start, lastDate)) > 0 {
			return nil
		}
		dates = append(dates, start.AddDate(0, 0, int(value.Num().Int64())))
	}
	return dates
}

// daysTo counts days; seconds of days hold all of them, which a duration does not.
func daysTo(from, to time.Time) *big.Int { return big.NewInt((to.Unix() - from.Unix()) / 86_400) }

// Inward are the first and the last whole number between two ends.
func Inward(ends [2]*big.Rat) [2]*big.Rat {
	return [2]*big.Rat{new(big.Rat).SetInt(number.Ceil(ends[0])), new(big.Rat).SetInt(number.Floor(ends[1]))}
}

// writtenDates are the dates of numbers as a spec has them; nil as Dates.
func (f *Feature) writtenDates(numbers ...*big.Rat) (written []string) {
	for _, day := range f.Dates(numbers...) {
		written = append(written, day.Format(dateLayout))
	}
	return written
}

// checkStart refuses a start that is no date, or not of a number of whole days.
func (f *Feature) checkStart(name string) error {
	if f.Start == nil {
		return nil
	}
	if _, ok := parseDate(*f.Start); !ok {
		return errors.New(tables.Say("spec.start_malformed", name, text.Repr(text.Cut(*f.Start, 40))))
	}
	// Only numbers that are not sensitive are whole.
	if !f.IsWhole() {
		return errors.New(tables.Say("spec.start_misplaced", name))
	}
	if !slices.Contains(dayUnits, f.Unit) {
		return errors.New(tables.Say("spec.start_unit_unfit", name, text.Repr(text.Cut(f.Unit, 40))))
	}
	return nil
}

// checkNoStart refuses a start.
func (f *Feature) checkNoStart(name string) error {
	if f.Start != nil {
		return errors.New(tables.Say("spec.start_misplaced", name))
	}
	return nil
}
