package spec

import (
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"equiproof/verify/canonical"
	"equiproof/verify/names"
	"equiproof/verify/number"
)

// specOf is a spec of two plain features, the first of which is given as JSON, and a sensitive one.
func specOf(feature string, fraction, bits int, ranges bool) (*Spec, error) {
	data := fmt.Sprintf(`{"format":"equiproof-spec","version":2,"name":"trial","input_fraction_bits":%d,"input_bits":%d,`+
		`"use_ranges":%v,"features":[%s,`+
		`{"name":"housing","kind":"categorical","encoding":"one-hot","sensitive":false,"domain":["own","rent"]},`+
		`{"name":"sex","kind":"categorical","encoding":"rank","sensitive":true,"domain":["f","m"]}],`+
		`"labels":["no","yes"],"logits":1}`, fraction, bits, ranges, feature)
	value, err := canonical.Parse([]byte(data), Kind(), "spec")
	if err != nil {
		return nil, err
	}
	return New(value)
}

// drawn is a feature of an encoding as JSON, without knowledge of what the encoding takes: many are refused.
func drawn(rng *rand.Rand, encoding string) string {
	decimal := func(digits, places int) string {
		return number.NewDecimal(big.NewInt(rng.Int64N(pow10(1+rng.IntN(digits)))), -rng.IntN(places)).Rat().FloatString(places)
	}
	parts := []string{`"name":"it"`, `"sensitive":false`, fmt.Sprintf(`"encoding":%q`, encoding)}
	add := func(format string, values ...any) { parts = append(parts, fmt.Sprintf(format, values...)) }
	scale := decimal(5, 4)
	if strings.Trim(scale, "0.") == "" {
		scale = "1"
	}
	add(`"mean":"%s%s","scale":"%s"`, []string{"", "-"}[rng.IntN(2)], decimal(5, 4), scale)
	if rng.IntN(2) == 0 {
		add(`"offset":"%s"`, []string{"0", "1", decimal(3, 3), "-" + decimal(2, 2)}[rng.IntN(4)])
	}
	if rng.IntN(2) == 0 {
		var domain []string
		for place := range 1 + rng.IntN(6) {
			domain = append(domain, fmt.Sprintf(`"v%d"`, place))
		}
		add(`"kind":"categorical","domain":[%s]`, strings.Join(domain, ","))
		return "{" + strings.Join(parts, ",") + "}"
	}
	add(`"kind":"numeric"`)
	if rng.IntN(3) == 0 {
		ends := [2]string{decimal(6, 5), decimal(6, 5)}
		if number.Exact(ends[0]).Cmp(number.Exact(ends[1])) > 0 {
			ends[0], ends[1] = ends[1], ends[0]
		}
		add(`"range":["%s","%s"]`, ends[0], ends[1])
	}
	if rng.IntN(3) == 0 {
		add(`"whole":true`)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func pow10(power int) int64 { return number.PowerOfTen(power).Num().Int64() }

// values are some raw values that a feature may have; not every one is taken.
func values(rng *rand.Rand, s *Spec, f *Feature) (all []canonical.Value) {
	for _, value := range f.Domain {
		all = append(all, value)
	}
	if len(all) > 0 {
		return all
	}
	ends := s.ShownEnds(f)
	low, high := ends[0].Rat(), ends[1].Rat()
	for range 4 {
		way := new(big.Rat).Mul(new(big.Rat).Sub(high, low), big.NewRat(rng.Int64N(1001), 1000))
		all = append(all, way.Add(way, low).FloatString(rng.IntN(8)))
		all = append(all, number.NewDecimal(big.NewInt(rng.Int64N(1000)), rng.IntN(9)-6).Rat().FloatString(6))
	}
	return append(all, low.FloatString(number.Places(low)), high.FloatString(number.Places(high)))
}

// trial is one value of a feature under one radius, and what is wrong with what is said about it.
type trial struct {
	s      *Spec
	f      *Feature
	value  canonical.Value
	square int64
	radius *big.Rat
	own    []*big.Rat
	column []*big.Int
	wrong  []string
}

func (r *trial) complain(format string, values ...any) {
	r.wrong = append(r.wrong, fmt.Sprintf(format, values...))
}

// trialOf prepares a trial; nil for a value that the feature does not take.
func trialOf(s *Spec, square int64, value canonical.Value) *trial {
	f := s.Plain[0]
	own, err := f.encoding().columns(f, value)
	if err != nil {
		return nil
	}
	if _, err := s.columns(f, value); err != nil {
		return nil
	}
	r := &trial{s: s, f: f, value: value, square: square, radius: s.RadiusOfAny(square), own: own}
	r.column = r.rounded(own)
	return r
}

func (r *trial) rounded(columns []*big.Rat) (integers []*big.Int) {
	for _, column := range columns {
		integers = append(integers, r.s.onGrid(r.f, column))
	}
	return integers
}

// compared is how the distance of another value compares with the radius: before rounding, and on the grid with that of the
// certificate. Both are worked out from the columns alone; not ok for a value that neighbors never have.
func (r *trial) compared(value canonical.Value) (real, grid int, ok bool) {
	columns, err := r.f.encoding().columns(r.f, value)
	if err != nil {
		return 0, 0, false
	}
	sum, steps := new(big.Rat), new(big.Int)
	for at, column := range columns {
		way := new(big.Rat).Quo(new(big.Rat).Sub(column, r.own[at]), number.Exact(r.f.Scale))
		sum.Add(sum, way.Mul(way, way))
	}
	for at, column := range r.rounded(columns) {
		way := new(big.Int).Sub(column, r.column[at])
		steps.Add(steps, way.Mul(way, way))
		if box := r.s.Box; box != nil && (column.Cmp(big.NewInt(box[0][at])) < 0 || column.Cmp(big.NewInt(box[1][at])) > 0) {
			return 0, 0, false
		}
	}
	return sum.Cmp(new(big.Rat).Mul(r.radius, r.radius)), steps.Cmp(big.NewInt(r.square)), true
}

// inside says whether a value is one that is certified.
func (r *trial) inside(value canonical.Value) bool {
	real, grid, ok := r.compared(value)
	return ok && real < 0 && grid < 0
}

func decimalOf(value *big.Rat) canonical.Value { return value.FloatString(number.Places(value)) }

// judge checks all that is said of a value. What a bar shows is certified, and the bar ends where nothing more is, up to a
// hundredth of the way.
func (r *trial) judge() []string {
	at := r.s.Reached(r.f, r.square, r.value)
	if at.Own.Cmp(at.Low) < 0 || at.Own.Cmp(at.High) > 0 {
		r.complain("%s is not within %s to %s", at.Own, at.Low, at.High)
	}
	if at.OfDomain {
		r.judgePlaces(at)
	} else {
		r.judgeNumbers(at)
	}
	r.judgeMoved(at)
	return r.wrong
}

func (r *trial) judgePlaces(at *Reach) {
	if r.f.Domain[at.Own.Num().Int64()] != r.value {
		r.complain("the own place is %s", at.Own)
	}
	for place, value := range r.f.Domain {
		where := number.Whole(int64(place))
		within := where.Cmp(at.Low) >= 0 && where.Cmp(at.High) <= 0
		if real, _, _ := r.compared(value); value != r.value && (within != (real < 0) || within && !r.inside(value)) {
			r.complain("%s within %s to %s: %v", value, at.Low, at.High, within)
		}
	}
	name := func(place *big.Rat) string { return names.Quoted(r.f.Domain[place.Num().Int64()]) }
	said, right := r.s.Interval(r.f, r.radius, r.value), []string{ThisValue}
	if at.Moves() {
		right = []string{name(at.Low) + " to " + name(at.High)}
	}
	if at.Everything() {
		right = append(right, AnyValue)
	}
	if tail, ok := strings.CutPrefix(said, name(at.Own)+": "); !ok || !slices.Contains(right, tail) {
		r.complain("the interval is %s, and not one of %v", said, right)
	}
}

func (r *trial) judgeNumbers(at *Reach) {
	own := number.Read(r.value)
	if at.Own.Cmp(own) != 0 {
		r.complain("the own value is %s", at.Own)
	}
	for tenths := int64(0); at.Moves() && tenths <= 10; tenths++ {
		way := new(big.Rat).Mul(new(big.Rat).Sub(at.High, at.Low), big.NewRat(tenths, 10))
		if way.Add(way, at.Low); way.Cmp(own) != 0 && !r.inside(decimalOf(way)) {
			r.complain("%s is not certified", way.FloatString(number.Places(way)))
		}
	}
	for _, way := range []int64{-1, 1} {
		r.judgeEnd(at, way)
	}
	r.judgeInterval(at)
}

// judgeEnd compares an end with the last certified value on its side, which is found by halving.
func (r *trial) judgeEnd(at *Reach, way int64) {
	end := at.High
	if way < 0 {
		end = at.Low
	}
	if r.f.IsWhole() {
		next := new(big.Rat).Add(end, number.Whole(way))
		// A value that is not whole, with no whole number on one side, is fixed.
		fixed := !at.Moves() && !at.Own.IsInt()
		if !fixed && (!next.IsInt() || r.inside(decimalOf(next)) && !r.beyondShown(next)) {
			r.complain("%s is certified as well", next.RatString())
		}
		return
	}
	distance := func(power int) *big.Rat {
		return new(big.Rat).SetFrac(powerOfTwo(max(power, 0)), powerOfTwo(max(-power, 0)))
	}
	value := func(far *big.Rat) *big.Rat {
		step := new(big.Rat).Mul(far, number.Whole(way))
		return step.Add(step, at.Own)
	}
	power := -60
	for power < 100 && r.inside(decimalOf(value(distance(power)))) {
		power++
	}
	low, high := new(big.Rat), distance(power)
	for range 12 {
		middle := new(big.Rat).Mul(new(big.Rat).Add(low, high), half)
		if r.inside(decimalOf(value(middle))) {
			low = middle
		} else {
			high = middle
		}
	}
	// A hundredth, and what halving left open.
	want := value(new(big.Rat).Mul(low, big.NewRat(98, 100)))
	if beyond := new(big.Rat).Sub(want, end); beyond.Sign() == int(way) && !r.beyondShown(want) {
		r.complain("%s is certified as well, beyond the end %s", want.FloatString(20), end.FloatString(20))
	}
}

// beyondShown says whether a value is beyond the ends that are shown of what neighbors are kept to.
func (r *trial) beyondShown(value *big.Rat) bool {
	ends := r.s.ShownEnds(r.f)
	return r.s.UseRanges && (value.Cmp(ends[0].Rat()) < 0 || value.Cmp(ends[1].Rat()) > 0)
}

var interval = regexp.MustCompile(`^(\S+): (\S+) to (\S+)$`)

// judgeInterval holds the words of the certificate to the radius itself, which they may reach, unlike bars.
func (r *trial) judgeInterval(at *Reach) {
	said := r.s.Interval(r.f, r.radius, r.value)
	parts := interval.FindStringSubmatch(said)
	if parts == nil {
		if !strings.HasSuffix(said, ": "+ThisValue) || at.Moves() {
			r.complain("the interval is %s", said)
		}
		return
	}
	for _, text := range parts[2:] {
		end := strings.ReplaceAll(text, ",", "")
		if real, _, ok := r.compared(end); real > 0 || ok && number.Exact(end).Cmp(at.Own) != 0 && r.beyondShown(number.Exact(end)) {
			r.complain("the interval is %s", said)
		}
	}
}

// movedTo are the two values that a way to move ends at, from one value, and those that are a little further; by its name.
var movedTo = map[string]func(f *Feature, at *Reach, by map[string]*big.Rat, more *big.Rat) []canonical.Value{
	"distance": func(f *Feature, at *Reach, by map[string]*big.Rat, more *big.Rat) []canonical.Value {
		far := new(big.Rat).Mul(by["moved"], more)
		return []canonical.Value{decimalOf(new(big.Rat).Sub(at.Own, far)), decimalOf(new(big.Rat).Add(at.Own, far))}
	},
	"factor":      multiplied,
	"factor_from": multiplied,
	"ranks": func(f *Feature, at *Reach, by map[string]*big.Rat, more *big.Rat) (all []canonical.Value) {
		far := number.Ceil(new(big.Rat).Mul(by["moved"], more)).Int64()
		for _, place := range []int64{at.Own.Num().Int64() - far, at.Own.Num().Int64() + far} {
			if place >= 0 && place < int64(len(f.Domain)) {
				all = append(all, f.Domain[place])
			}
		}
		return all
	},
	"any": func(f *Feature, at *Reach, by map[string]*big.Rat, more *big.Rat) (all []canonical.Value) {
		for _, value := range f.Domain {
			if more.Cmp(number.Whole(1)) == 0 && value != f.Domain[at.Own.Num().Int64()] {
				all = append(all, value)
			}
		}
		return all
	},
}

// multiplied goes a factor from a start, or a little further; a quotient is cut to decimals, towards the value itself. There is
// no factor above the greatest.
func multiplied(_ *Feature, at *Reach, by map[string]*big.Rat, more *big.Rat) []canonical.Value {
	if more.Cmp(number.Whole(1)) > 0 && by["factor"].Cmp(mostCounted) == 0 {
		return nil
	}
	start := by["start"]
	if start == nil {
		start = new(big.Rat)
	}
	factor := new(big.Rat).Sub(by["factor"], number.Whole(1))
	factor.Add(factor.Mul(factor, more), number.Whole(1))
	sum, unit := new(big.Rat).Sub(at.Own, start), number.PowerOfTen(-40)
	down := multiple(number.Ceil(quotient(quotient(sum, factor), unit)), unit)
	up := new(big.Rat).Mul(sum, factor)
	return []canonical.Value{decimalOf(down.Add(down, start)), decimalOf(up.Add(up, start))}
}

// judgeMoved holds what is said of every value to this one: it may move as far, where neighbors have such values, and not much
// further.
func (r *trial) judgeMoved(at *Reach) {
	moved := r.f.MovedAlone(r.radius)
	if moved == nil {
		if at.Moves() && !r.f.IsWhole() {
			r.complain("no value is said to move")
		}
		return
	}
	for _, value := range movedTo[moved.Name](r.f, at, moved.Numbers, number.Whole(1)) {
		if _, _, ok := r.compared(value); ok && !r.inside(value) {
			r.complain("%s is not certified, but %s %v", value, moved.Name, moved.Numbers)
		}
	}
	for _, value := range movedTo[moved.Name](r.f, at, moved.Numbers, big.NewRat(103, 100)) {
		if real, _, ok := r.compared(value); ok && !r.f.IsWhole() && real < 0 {
			r.complain("%s is certified as well, beyond %s %v", value, moved.Name, moved.Numbers)
		}
	}
}

// judgeEncoding tries an encoding with drawn features, values and radii, and returns what is wrong, and how many trials moved.
// `as` is the name of the encoding that the drawn specs are of, if it is not in the table of documents.
func judgeEncoding(seed uint64, encoding, as string, most int) (wrong []string, moved int) {
	rng := rand.New(rand.NewPCG(seed, 8))
	for tries := 0; moved < most && tries < 200*most; tries++ {
		fraction := 1 + rng.IntN(22)
		s, err := specOf(drawn(rng, as), fraction, fraction+1+rng.IntN(min(12, 40-fraction)), rng.IntN(2) == 0)
		if err != nil {
			continue
		}
		f := s.Plain[0]
		f.Encoding = encoding
		for _, value := range values(rng, s, f) {
			square := rng.Int64N(s.MaxRadiusSquared()) >> rng.IntN(2*fraction+8)
			r := trialOf(s, square, value)
			if r == nil {
				continue
			}
			if r.s.Reached(f, square, value).Moves() {
				moved++
			}
			for _, complaint := range r.judge() {
				wrong = append(wrong, fmt.Sprintf("%v of %+v %v, R2 %d, %d bits of %d, ranges %v: %s",
					value, *f, f.Range, square, fraction, s.InputBits, s.UseRanges, complaint))
			}
		}
	}
	return wrong, moved
}

// Each encoding of the table says what is certified, neither more nor less.
func TestReachOfEveryEncoding(t *testing.T) {
	for seed, encoding := range slices.Sorted(maps.Keys(encodings)) {
		wrong, moved := judgeEncoding(uint64(seed), encoding, encoding, 200)
		if moved < 200 {
			t.Errorf("%s: only %d values moved", encoding, moved)
		}
		for _, complaint := range wrong[:min(5, len(wrong))] {
			t.Errorf("%s: %s", encoding, complaint)
		}
	}
}

// forgetful is an encoding by logarithms that took the reach of numbers as they are.
type forgetful struct{ scaled }

func (forgetful) check(s *Spec, f *Feature, name string) error { return logarithm{}.check(s, f, name) }

func (forgetful) columns(f *Feature, value canonical.Value) ([]*big.Rat, error) {
	return logarithm{}.columns(f, value)
}

func (forgetful) ends(f *Feature) []*[2]*big.Rat { return logarithm{}.ends(f) }

func TestForgottenReachIsSeen(t *testing.T) {
	encodings["forgetful"] = forgetful{}
	defer delete(encodings, "forgetful")
	if wrong, moved := judgeEncoding(1, "forgetful", "log", 30); len(wrong) < 30 {
		t.Errorf("%d complaints about %d values", len(wrong), moved)
	}
	// A rate of 0.02 may become 0.0161 to 0.0248, and linearly everything in its range.
	for encoding, want := range map[string]bool{"forgetful": true, "log": false} {
		s, err := specOf(`{"name":"rate","kind":"numeric","encoding":"log","sensitive":false,"offset":"0",`+
			`"mean":"-5","scale":"0.8","range":["0.001","1"]}`, 10, 18, false)
		if err != nil {
			t.Fatal(err)
		}
		s.Plain[0].Encoding = encoding
		r := trialOf(s, 400*400, "0.02")
		if wrong := r.judge(); len(wrong) > 0 != want {
			t.Errorf("%s: %v", encoding, wrong)
		}
		at := r.s.Reached(r.f, r.square, r.value)
		low, high := number.FromRat(at.Low).String(), number.FromRat(at.High).String()
		if right := low == "0.01613" && high == "0.02481"; right == want {
			t.Errorf("%s: %s to %s", encoding, low, high)
		}
	}
}
