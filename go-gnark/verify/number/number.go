// Package number has exact numbers from raw values and decimal text, and as short text that promises no more than the
// number. Twin of circuits/numbers.py, with the decimals that Python has by itself.
package number

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"equiproof/verify/canonical"
)

// What is a raw number at all. The place of the first digit is bounded beside the characters because 1e999 is short, and as a
// fraction has a thousand digits. An integer is read before it is text, so its bits bound it: 2^200 has 61 digits.
const (
	maxCharacters = 60
	maxPlace      = 60
	maxBits       = 200
)

var number = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?$`)

var ten = big.NewInt(10)

// Exact returns the number that decimal text stands for; the text is known to be one.
func Exact(text string) *big.Rat { return Parse(text).Rat() }

// Whole returns an integer as a fraction.
func Whole(value int64) *big.Rat { return new(big.Rat).SetInt64(value) }

// Read reads a raw number exactly: a number as it prints, or decimal text; nil for anything else.
func Read(value canonical.Value) *big.Rat {
	if integer, ok := value.(*big.Int); ok && integer.BitLen() <= maxBits {
		return new(big.Rat).SetInt(integer)
	}
	text := Text(value)
	if len(text) > maxCharacters || !number.MatchString(text) {
		return nil
	}
	if decimal := Parse(text); decimal.place() <= maxPlace && decimal.place() >= -maxPlace {
		return decimal.Rat()
	}
	return nil
}

// Text returns a raw value as text.
func Text(value canonical.Value) string {
	switch raw := value.(type) {
	case string:
		return raw
	case *big.Int:
		return raw.String()
	case float64:
		return canonical.Number(raw)
	}
	return ""
}

// Floor returns the largest integer that is at most a number.
func Floor(value *big.Rat) *big.Int { return FloorDivide(value.Num(), value.Denom()) }

// Ceil returns the least integer that is at least a number.
func Ceil(value *big.Rat) *big.Int {
	floor := FloorDivide(new(big.Int).Neg(value.Num()), value.Denom())
	return floor.Neg(floor)
}

// FloorDivide returns the quotient, rounded down, towards minus infinity; the divisor is above 0, for which Euclidean division,
// as Div has it, rounds so.
func FloorDivide(value, divisor *big.Int) *big.Int { return new(big.Int).Div(value, divisor) }

// RoundedDown returns a number that is not negative with three significant digits, never more than it is: it stands for how
// far something may move, and every distance below a proven one is proven too.
func RoundedDown(value *big.Rat) Decimal {
	if value.Sign() == 0 {
		return Decimal{digits: new(big.Int)}
	}
	place := Exponent(value) - 2
	return NewDecimal(Floor(new(big.Rat).Quo(value, PowerOfTen(place))), place).Normalized()
}

// Exponent returns the place of the first digit of a number above 0; of powers of ten below 1, and of numbers just above them,
// the place after it.
func Exponent(value *big.Rat) int {
	if value.Cmp(Whole(1)) >= 0 {
		return len(Floor(value).String()) - 1
	}
	// A number in [10^-k, 10^(1-k)) has an inverse in (10^(k-1), 10^k], whose ceiling has k digits. Only from 10^k - 1 on it has
	// one more: of a power of ten, or a number just above it, one digit more is shown, which claims nothing more.
	return -len(Ceil(new(big.Rat).Inv(value)).String())
}

// PowerOfTen returns ten to a power.
func PowerOfTen(power int) *big.Rat {
	size := new(big.Rat).SetInt(new(big.Int).Exp(ten, big.NewInt(int64(max(power, -power))), nil))
	if power < 0 {
		return size.Inv(size)
	}
	return size
}

// Decimal is a decimal number as it is written: digits times ten to the power of an exponent, trailing zeros kept.
type Decimal struct {
	negative bool
	digits   *big.Int
	exponent int
}

// NewDecimal returns digits times ten to the power of an exponent.
func NewDecimal(digits *big.Int, exponent int) Decimal {
	return Decimal{digits.Sign() < 0, new(big.Int).Abs(digits), exponent}
}

// FromRat returns a number that is known to be a decimal one, without trailing zeros.
func FromRat(value *big.Rat) Decimal {
	places := Places(value)
	digits := new(big.Rat).Mul(value, PowerOfTen(places))
	return NewDecimal(new(big.Int).Set(digits.Num()), -places).Normalized()
}

// Places returns how many decimals a number has that is known to be a decimal one.
func Places(value *big.Rat) (places int) {
	for _, prime := range []int64{2, 5} {
		rest, times, factor := new(big.Int).Set(value.Denom()), 0, big.NewInt(prime)
		for new(big.Int).Rem(rest, factor).Sign() == 0 {
			rest.Quo(rest, factor)
			times++
		}
		places = max(places, times)
	}
	return places
}

// Parse reads text that is known to be a number.
func Parse(text string) Decimal {
	mantissa, power, _ := strings.Cut(strings.ToLower(text), "e")
	whole, part, _ := strings.Cut(strings.TrimPrefix(mantissa, "-"), ".")
	digits, _ := new(big.Int).SetString(whole+part, 10)
	exponent, _ := strconv.Atoi(power)
	return Decimal{strings.HasPrefix(mantissa, "-"), digits, exponent - len(part)}
}

// place is that of the first digit.
func (d Decimal) place() int { return d.exponent + len(d.digits.String()) - 1 }

// Rat returns the number as a fraction.
func (d Decimal) Rat() *big.Rat {
	value := new(big.Rat).SetInt(d.digits)
	if d.negative {
		value.Neg(value)
	}
	return value.Mul(value, PowerOfTen(d.exponent))
}

// Plus returns the sum, with as many decimals as the longer of the two has.
func (d Decimal) Plus(other Decimal) Decimal {
	exponent := min(d.exponent, other.exponent)
	sum := NewDecimal(new(big.Int).Add(d.at(exponent), other.at(exponent)), exponent)
	if sum.digits.Sign() == 0 {
		sum.negative = d.negative && other.negative
	}
	return sum
}

// Minus returns the difference.
func (d Decimal) Minus(other Decimal) Decimal {
	other.negative = !other.negative
	return d.Plus(other)
}

// Cmp compares two numbers.
func (d Decimal) Cmp(other Decimal) int { return d.Rat().Cmp(other.Rat()) }

// Normalized returns the same number without trailing zeros.
func (d Decimal) Normalized() Decimal {
	if d.digits.Sign() == 0 {
		return Decimal{d.negative, d.digits, 0}
	}
	digits := d.digits.String()
	short := strings.TrimRight(digits, "0")
	value, _ := new(big.Int).SetString(short, 10)
	return Decimal{d.negative, value, d.exponent + len(digits) - len(short)}
}

// String writes the number without an exponent, in groups of three digits before the point.
func (d Decimal) String() string {
	places, digits := max(0, -d.exponent), d.digits.String()
	if d.digits.Sign() != 0 && d.exponent > 0 {
		digits += strings.Repeat("0", d.exponent)
	}
	if short := places + 1 - len(digits); short > 0 {
		digits = strings.Repeat("0", short) + digits
	}
	point := len(digits) - places
	text := grouped(digits[:point])
	if places > 0 {
		text += "." + digits[point:]
	}
	if d.negative {
		return "-" + text
	}
	return text
}

func (d Decimal) at(exponent int) *big.Int {
	digits := new(big.Int).Exp(ten, big.NewInt(int64(d.exponent-exponent)), nil)
	digits.Mul(digits, d.digits)
	if d.negative {
		digits.Neg(digits)
	}
	return digits
}

// grouped writes a comma before every three digits.
func grouped(digits string) string {
	first := (len(digits)-1)%3 + 1
	text := digits[:first]
	for at := first; at < len(digits); at += 3 {
		text += "," + digits[at:at+3]
	}
	return text
}
