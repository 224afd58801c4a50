"""What bars and words say that a feature may become: inside the ball, and as far as the digits that are shown.

Distances are computed from raw columns alone, so no encoding passes that answers as another one does.
"""

import re
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from equiproof.circuits.encodings import ENCODINGS, EncodingError, Log, Scaled
from equiproof.circuits.encodings.numbers import last_inside
from equiproof.circuits.encodings.reached import Reach
from equiproof.circuits.numbers import exact, read_number
from equiproof.circuits.reach import reach
from equiproof.circuits.units import interval, radius_of_any
from equiproof.verifier.bars import bars
from equiproof.verifier.words import MINUS, Words, decimal_text
from tests.support import HOUSING, INCOME, SAVINGS, SEX, changed, spec_of

RATE = changed(INCOME, name="rate", unit="", encoding="log", mean="-5", scale="0.8", range=("0.001", "1"), offset="0")
WEALTH = changed(INCOME, name="wealth", encoding="log", mean="15", scale="2", offset="1")
SAMPLES = {
    "number": INCOME,
    "whole number in a range": changed(INCOME, range=("-5000", "60000"), whole=True),
    "fraction": changed(INCOME, mean="12", scale="0.0123", unit="%"),
    "logarithm in a range": RATE,
    "logarithm": WEALTH,
    "logarithm of a whole number": changed(WEALTH, range=("0", "60000"), whole=True),
    "narrow logarithm": changed(WEALTH, mean="-2", scale="0.01", offset="-12.5", unit="%"),
    "rank": changed(SAVINGS, domain=tuple("abcdefg"), scale="3"),
    "indicators": HOUSING,
}


def spec_with(feature, **fields):
    """Return a spec of a feature and a sensitive one."""
    return spec_of(feature, SEX, **fields)


def text_of(number):
    """Return a number in full."""
    return f"{'-' * (number < 0)}{decimal_text(abs(number))}"


def numbers_in(text):
    """Return the numbers in words."""
    plain = text.replace(",", "").replace(MINUS, "-")
    return [Fraction(number) for number in re.findall(r"(?<![0-9])-?[0-9]+(?:\.[0-9]+)?", plain)]


def far(feature, value, other):
    """Return the squared distance of two values, in the spec's units."""
    encoding = ENCODINGS[feature.encoding]
    free = changed(feature, range=None)
    columns = [encoding.raw_columns(free, one if isinstance(one, str) else text_of(one)) for one in (value, other)]
    return sum((a - b) ** 2 for a, b in zip(*columns, strict=True)) / exact(feature.scale) ** 2


def checks(spec, feature, squared, value):
    """Check what a value may become under a squared radius, and what any value may."""
    becomes(spec, feature, squared, value)
    moves(feature, radius_of_any(spec, squared), value)


def becomes(spec, feature, squared, value):
    """Check what a value may become: the numbers, the bar and the words."""
    radius = radius_of_any(spec, squared)
    one = reach(spec, feature, squared, value)
    (bar,) = bars(spec, squared, {feature.name: value}, Words("en"))
    said = interval(spec, feature, radius, value)
    if feature.domain:
        covered = [one.low <= place <= one.high for place in range(len(feature.domain))]
        assert covered == [other == value or far(feature, value, other) < radius**2 for other in feature.domain]
        assert bar["kind"] == "none" or [shown["in"] for shown in bar["values"]] == covered
        assert (bar["kind"] == "none") == (not one.moves) == said.endswith("this value only")
        return
    inside = {one.low + (one.high - one.low) * Fraction(part, 8) for part in range(9)}
    if one.moves:
        shown = numbers_in(bar["span"])
        assert shown == [one.low, one.high]
        # Words of an interval may end at the radius itself, but never beyond it.
        assert all(far(feature, value, end) <= radius**2 for end in numbers_in(said)[1:])
        start, end = one.track
        # The mark of the own value is rounded to the nearest place, and the bar always holds it.
        inside |= {start + (end - start) * bar[name] / 10_000 for name in ("low", "high") if bar[name] != bar["you"]}
    assert all(other == one.own or far(feature, value, other) < radius**2 for other in inside)
    # What is proven is about integers: all of these values that have some are in the set of the statement.
    if encodes(spec, feature, one.own):
        (own,) = spec.encode({feature.name: value})
        others = [spec.encode({feature.name: text_of(other)})[0] for other in inside if encodes(spec, feature, other)]
        assert all(other == own or (other - own) ** 2 < squared for other in others)
    assert one.low <= one.own <= one.high
    least, most = one.possible or (one.low, one.high)
    assert least <= one.low <= one.high <= most
    whole = feature.whole is True
    for end, way, last in ((one.low, -1, least), (one.high, 1, most)):
        further = end + way if whole else one.own + (end - one.own) * Fraction(41, 40)
        beyond = one.possible is not None and (further - last) * way > 0
        assert beyond or (not whole and end == last) or far(feature, value, further) >= radius**2
    assert one.moves or whole or not radius or least == most


def moves(feature, radius, value):
    """Check how far any value may move, by trying it on one."""
    moved = ENCODINGS[feature.encoding].moved_alone(feature, radius)
    if moved is None:
        return
    own = feature.domain.index(value) if feature.domain else exact(value)
    numbers = moved.numbers
    if moved.name == "distance":
        ends = [own - numbers["moved"], own + numbers["moved"]]
    elif moved.name in ("factor", "factor_from"):
        start = numbers.get("start", Fraction(0))
        up = (own - start) * numbers["factor"] + start
        # Dividing ends in no decimal number: of six digits, the one that is nearer to the value.
        down = own - Fraction(int((own - start) * (1 - 1 / numbers["factor"]) * 10**30), 10**30)
        ends = [down, up]
    else:
        steps = int(numbers.get("moved", len(feature.domain)))
        ends = [value for value in feature.domain if abs(feature.domain.index(value) - own) <= steps]
    assert all(far(feature, value, end) < radius**2 for end in ends if end != value)
    if moved.name not in ("ranks", "any") and feature.whole is not True:
        assert far(feature, value, own + (ends[1] - own) * Fraction(21, 20)) >= radius**2


def test_every_encoding_has_a_sample():
    """A new encoding needs a feature here, on which what it says is compared with its columns."""
    assert {feature.encoding for feature in SAMPLES.values()} == set(ENCODINGS)


@pytest.mark.parametrize("feature", SAMPLES.values(), ids=SAMPLES)
@given(data=st.data())
def test_what_is_shown_is_inside_the_ball_and_reaches_its_end(feature, data):
    """The bar lies in the interval, the interval in the ball, and a little more than its ends does not."""
    values = st.sampled_from(feature.domain) if feature.domain else own_numbers(feature)
    value = data.draw(values)
    squared = data.draw(st.integers(0, 1 << 13)) ** 2
    spec = spec_with(feature, use_ranges=data.draw(st.booleans()))
    checks(spec, feature, squared, value)


def own_numbers(feature):
    """Return a strategy of values of a number, as text."""
    if feature.encoding == "log" and feature.range is None:
        least = -exact(feature.offset)
        return st.integers(1, 10**9).map(lambda count: text_of(least + Fraction(count, 10**3)))
    low, high = map(exact, feature.range or ("-100000", "100000"))
    if feature.whole is True:
        return st.integers(int(low), int(high)).map(str)
    return st.integers(0, 10**6).map(lambda part: text_of(low + (high - low) * part / 10**6))


def test_a_rate_of_two_percent():
    """The reach of a logarithm, where that of a number would be from the least to a third."""
    spec = spec_with(RATE)
    one = reach(spec, RATE, 400**2, "0.02")
    assert (one.low, one.high) == (Fraction("0.01612"), Fraction("0.02482"))
    checks(spec, RATE, 400**2, "0.02")


class OtherColumns(Scaled):
    """Logarithms whose author wrote columns alone, and left the rest to numbers."""

    check = Log.check

    def raw_columns(self, feature, value):
        """Return the logarithm."""
        return Log().raw_columns(feature, value)


def of_numbers(*names):
    """Return an encoding of logarithms that answers some questions as numbers do."""
    return type("Forgetful", (Log,), {name: getattr(Scaled, name) for name in names})()


@pytest.mark.parametrize(
    "encoding",
    [OtherColumns(), of_numbers("_span"), of_numbers("interval"), of_numbers("moved_alone")],
    ids=["columns alone", "reach", "words", "any value"],
)
def test_an_encoding_that_forgets_its_reach_is_noticed(encoding, monkeypatch):
    """One that changes what a column is and not what a distance means does not pass."""
    monkeypatch.setitem(ENCODINGS, "log", encoding)
    spec = spec_with(RATE)
    with pytest.raises((AssertionError, EncodingError)):
        checks(spec, RATE, 400**2, "0.02")


@example(own=Fraction(3), moved=Fraction(1, 2), step=Fraction(1))
@given(
    own=st.fractions(-1000, 1000, max_denominator=1000),
    moved=st.fractions(Fraction(1, 1000), 1000, max_denominator=1000),
    step=st.sampled_from([Fraction(1), Fraction(1, 10), Fraction(1, 1000)]),
)
def test_the_search_finds_what_a_formula_gives(own, moved, step):
    """Ends by doubling and halving are those of numbers, where both can be computed."""
    start = own // step
    high = last_inside(lambda count: count * step < own + moved, int(start)) * step
    low = -last_inside(lambda count: -count * step > own - moved, int(-own // step)) * step
    assert (low, high) == (((own - moved) // step + 1) * step, (-(-(own + moved) // step) - 1) * step)


@pytest.mark.parametrize("feature", [one for one in SAMPLES.values() if not one.domain], ids=lambda one: one.name)
def test_ends_that_the_width_holds_are_shown(feature):
    """Without a range, shown ends are held by the width and by the encoding, and little more is."""
    free = changed(feature, range=None)
    spec = spec_with(free, bits=(16, 22))
    low, high = map(Fraction, ENCODINGS[free.encoding].shown_ends(spec, free))
    assert low < high
    far_low, far_high = (low - (high - low) / 10**5, high + (high - low) / 10**5)
    if not ENCODINGS[free.encoding].linear:
        start = -exact(free.offset)
        far_low, far_high = start + (low - start) * Fraction(99999, 100000), high + (high - start) / 10**4
    for end, inside in ((low, True), (high, True), (far_low, False), (far_high, False)):
        assert encodes(spec, free, end) == inside


def encodes(spec, feature, number):
    """Return whether a number has a column of the width."""
    try:
        spec.encode({feature.name: text_of(number)})
    except ValueError:
        return False
    return True


def test_a_category_has_no_ends():
    """Neighbors are never restricted in a category, so a policy of ranges has nothing to ask."""
    for feature in (HOUSING, SAVINGS):
        assert ENCODINGS[feature.encoding].shown_ends(spec_with(feature), feature) is None


def test_own_values_are_read_as_rows_are():
    """A value is the same as text and as a number."""
    spec = spec_with(RATE)
    assert reach(spec, RATE, 400**2, 0.02) == reach(spec, RATE, 400**2, "0.020")
    assert read_number(0.02) == Fraction(1, 50)


def test_a_value_that_cannot_differ_has_a_line_of_its_own():
    """It reaches one to both sides where nothing bounds it, and else no further than what is possible."""
    own = Fraction(5)
    assert Reach(own, own, own, None, listed=False).track == (4, 6)
    assert Reach(own, own, own, (Fraction(9, 2), Fraction(9)), listed=False).track == (Fraction(9, 2), 6)
