"""The words of a certificate: exact examples, and no number in them is ever more than the truth."""

import re
from decimal import Decimal
from fractions import Fraction
from math import isqrt

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from equiproof.circuits.names import quoted
from equiproof.circuits.spec import Feature, SpecError
from equiproof.circuits.units import in_short, interval, radius_of_any
from equiproof.verifier.reading import Reading
from tests.support import GENDER, HOUSING, INCOME, KEPT, LOANS, RATES, SAVINGS, SEX, changed, spec_of

EXAMPLES = [
    # R2, radius, radius_any (two grid steps less for three columns), income (times 12000), housing
    (0, "0.000000", "0.000000", "+- 0 EUR", "this value only"),
    (1, "0.000976", "0.000000", "+- 0 EUR", "this value only"),
    (9, "0.002929", "0.000976", "+- 11.7 EUR", "this value only"),
    (1024**2, "1.000000", "0.998046", "+- 11,900 EUR", "this value only"),
    (1450**2, "1.416015", "1.414062", "+- 16,900 EUR", "this value only"),
    (1451**2, "1.416992", "1.415039", "+- 16,900 EUR", "any value"),
    (16384**2, "16.000000", "15.998046", "+- 191,000 EUR", "any value"),
]


@pytest.mark.parametrize(("radius_squared", "radius", "radius_any", "income", "housing"), EXAMPLES)
def test_readings_are_exact(radius_squared, radius, radius_any, income, housing):
    """Known radii read as computed by hand."""
    assert Reading.of(LOANS, 1, radius_squared) == Reading(
        label="granted",
        sensitive=("sex",),
        radius=radius,
        radius_any=radius_any,
        at_least=radius_squared == 1 << 28,
        features={"income": income, "housing": housing},
    )


def test_ranks_are_counted_in_whole_steps():
    """A rank may move by the whole steps that are closer than the radius; all of them is any value."""
    spec = spec_of(INCOME, SAVINGS, SEX)
    steps = {radius: Reading.of(spec, 0, (1024 * radius + 2) ** 2).features["savings"] for radius in (1, 2, 3, 4, 5)}
    assert steps == {
        1: "this value only",
        2: "this value only",
        3: "+- 1 of 3 ranks",
        4: "+- 1 of 3 ranks",
        5: "any value",
    }


def test_the_sentence_promises_no_more_than_the_statement():
    """The sentence names sensitive features, the radius for real values and the label, and promises no fairness."""
    assert Reading.of(LOANS, 0, 1026**2).sentence() == (
        "No change of sex, and no change of the other features closer than 1.000000 in the spec's units, "
        "flips this model's decision for this applicant: declined."
    )
    capped = Reading.of(RATES, 2, RATES.max_radius_squared).sentence()
    assert "No change of gender and age, " in capped
    assert "closer than at least 15.992187 " in capped
    assert not re.search("discriminat|fair", capped)


def test_names_cannot_add_words_to_the_sentence():
    """A name or label of several words stands in quotes, so that it is not read as part of the sentence."""
    spec = spec_of(INCOME, changed(SEX, name="sex or age"), labels=("no", "yes to everybody"))
    sentence = Reading.of(spec, 1, 1026**2).sentence()
    assert 'No change of "sex or age", and' in sentence
    assert sentence.endswith('for this applicant: "yes to everybody".')


SPECS = st.builds(
    lambda bits, scale, hot, rank: spec_of(
        changed(INCOME, scale=scale),
        changed(HOUSING, scale=hot),
        changed(SAVINGS, scale=rank),
        GENDER,
        bits=(bits, 40),
    ),
    st.integers(1, 22),
    st.decimals("0.001", "1000000", places=3).map(lambda number: f"{number:f}"),
    st.decimals("0.01", "4", places=2).map(lambda number: f"{number:f}"),
    st.decimals("0.01", "4", places=2).map(lambda number: f"{number:f}"),
)


def number_in(text):
    """Return the number in a feature's text."""
    return Fraction(decimal_in(text))


def decimal_in(text):
    """Return the number in a feature's text as a decimal."""
    return Decimal(text.split()[1].replace(",", ""))


@given(spec=SPECS, data=st.data())
def test_radii_are_cut_never_raised(spec, data):
    """Every number is at most the truth, and less by no more than it was cut."""
    squared = data.draw(st.integers(0, spec.max_radius_squared))
    reading = Reading.of(spec, 0, squared)
    step, unit = Fraction(1, 10**6), spec.scale_unit
    shown = Fraction(reading.radius) * unit
    assert shown**2 <= squared < (shown + step * unit) ** 2
    steps = max(0, isqrt(squared) - 2)
    any_radius = Fraction(steps, unit)
    assert spec.plain_columns == 4
    assert 0 <= any_radius - Fraction(reading.radius_any) < step
    moved = any_radius * Fraction(spec.plain_features[0].scale)
    assert number_in(reading.features["income"]) <= moved <= number_in(reading.features["income"]) * Fraction(101, 100)


@given(spec=SPECS, data=st.data())
def test_what_a_feature_may_move_is_inside_the_ball(spec, data):
    """Moving one raw feature by what its text allows stays closer than the radius, rounding included."""
    squared = data.draw(st.integers(1, spec.max_radius_squared))
    income, housing, savings = (
        Reading.of(spec, 0, squared).features[name] for name in ("income", "housing", "savings")
    )
    row = {
        "income": data.draw(st.decimals(29000, 31000, places=3)),
        "housing": data.draw(st.sampled_from(HOUSING.domain)),
        "savings": data.draw(st.sampled_from(SAVINGS.domain)),
    }
    others = [row | {"income": row["income"] + sign * decimal_in(income)} for sign in (1, -1)]
    if housing == "any value":
        others += [row | {"housing": value} for value in HOUSING.domain]
    allowed = {"this value only": 0, "any value": 2}.get(savings) if "+-" not in savings else int(savings[3])
    place = SAVINGS.domain.index(row["savings"])
    others += [row | {"savings": value} for rank, value in enumerate(SAVINGS.domain) if abs(rank - place) <= allowed]
    assume(fits(spec, row))
    start = spec.encode(row)
    for other in others:
        if fits(spec, other):
            assert sum((a - b) ** 2 for a, b in zip(start, spec.encode(other), strict=True)) < squared


def fits(spec, row):
    """Tell whether a row fits the spec's width."""
    try:
        spec.encode(row)
    except SpecError:
        return False
    return True


@example(nines=40)
@given(nines=st.integers(28, 40))
def test_long_scales_are_not_rounded_up(nines):
    """A scale of many digits is cut like any other: +- 10 is more than 9.99..9."""
    scale = "9." + "9" * nines
    reading = Reading.of(spec_of(changed(INCOME, scale=scale), SEX), 0, 1025**2)
    assert number_in(reading.features["income"]) <= Fraction(scale)


def test_only_features_of_the_spec_are_read():
    """Every non-sensitive feature has a text, no sensitive one has."""
    assert set(Reading.of(RATES, 0, 100).features) == {"income", "savings"}


def test_units_are_optional():
    """A feature without a unit is shown without one."""
    spec = spec_of(Feature("age", "numeric", "scaled", False), SEX)
    assert Reading.of(spec, 0, 1025**2).features == {"age": "+- 1"}


@pytest.mark.parametrize(
    ("feature", "radius", "value", "said"),
    [
        (INCOME, Fraction(1, 10), 31284, "31,284: 30,084 to 32,484 EUR"),
        (INCOME, Fraction(1, 10), "31284.5", "31,284.5: 30,084.5 to 32,484.5 EUR"),
        (changed(INCOME, range=("31000", "32000")), Fraction(1, 10), 31284, "31,284: 31,000 to 32,000 EUR"),
        (changed(INCOME, range=("0", "32000")), Fraction(1, 10), 31284, "31,284: 30,084 to 32,000 EUR"),
        (SAVINGS, Fraction(1), "low", "low: this value only"),
        (SAVINGS, Fraction(3), "low", "low: none to high"),
        (SAVINGS, Fraction(3), "high", "high: low to high"),
        (SAVINGS, Fraction(5), "low", "low: any value"),
        (HOUSING, Fraction(1), "own", "own: this value only"),
    ],
)
def test_an_own_value_is_shown_with_its_interval(feature, radius, value, said):
    """Intervals around a value are those computed by hand, cut at the spec's range and at the ends of a rank."""
    assert interval(LOANS, feature, radius, value) == said


def kept(bits, **fields):
    """Return a spec of one number whose neighbors are kept to ranges."""
    return spec_of(changed(INCOME, **fields), changed(SEX, scale="0.5"), bits=bits, use_ranges=True)


def test_numbers_without_a_range_are_kept_to_what_the_width_holds():
    """With 12 bits, ten of them fractional, nothing beyond two scales from the mean is proven, and the words say so."""
    spec = kept((10, 12))
    # -2048 and 2047 steps of 12000 / 1024 around 30000.
    assert Reading.of(spec, 1, spec.max_radius_squared).ranges == {"income": "6,000 to 53,988.2 EUR"}
    (income,) = spec.plain_features
    assert interval(spec, income, Fraction(1), 41000) == "41,000: 29,000 to 53,000 EUR"
    assert interval(spec, income, Fraction(15), 41000) == "41,000: 6,000 to 53,988.2 EUR"
    assert interval(spec, income, Fraction(15), "53993.5") == "53,993.5: 6,000 to 53,993.5 EUR"
    free = changed(spec, use_ranges=False)
    assert interval(free, income, Fraction(15), 41000) == "41,000: -139,000 to 221,000 EUR"
    small = kept((10, 40), mean="0.1", scale=f"0.{'0' * 39}1")
    assert Reading.of(small, 1, 0).ranges["income"] == f"0.0{'9' * 30}46313 to 0.1{'0' * 30}53687 EUR"


@example(bits=10, more=8, mean=Decimal(30000), scale=Decimal(12000))
@given(
    bits=st.integers(1, 22),
    more=st.integers(2, 18),
    mean=st.decimals(-(10**17), 10**17, places=9),
    scale=st.decimals("0.000000001", 10**15, places=9),
)
def test_no_value_that_the_words_allow_is_outside_of_the_box(bits, more, mean, scale):
    """A number's text, and the interval of an own value, end at numbers whose integers are inside, none far from it."""
    spec = kept((bits, bits + more), mean=f"{mean:f}", scale=f"{scale:f}")
    squared, (income,), ((low,), (high,)) = spec.max_radius_squared, spec.plain_features, spec.box
    said = Reading.of(spec, 1, squared).ranges["income"]
    near = interval(spec, income, radius_of_any(spec, squared), income.mean).partition(": ")[2]
    for text in (said, near):
        least, _, most, _ = text.replace(",", "").split()
        first, last = (spec.encode({"income": Decimal(end)})[0] for end in (least, most))
        assert low <= first <= last <= high
        assert text is near or last - first > (high - low) * Fraction(9999, 10000) - 2


def test_the_words_of_a_range_are_its_own_ends():
    """Ends that the spec names are shown as they are, and a unit of several words does not go on with them."""
    assert Reading.of(KEPT, 1, 0).ranges["income"] == "0 to 60,000 EUR"
    more = kept((10, 18), range=("0", "60000"), unit="and more")
    assert Reading.of(more, 1, 0).ranges["income"] == '0 to 60,000 "and more"'
    bare = kept((10, 18), range=("-1.50", "60000"), unit="")
    assert Reading.of(bare, 1, 0).ranges["income"] == "-1.50 to 60,000"


def test_names_of_several_words_stand_in_quotation_marks():
    """A name that could be read as more than one word of a sentence is quoted, wherever it is shown."""
    assert quoted("sex") == "sex"
    assert quoted("foreign_worker") == "foreign_worker"
    assert quoted("sex (f / m), race") == '"sex (f / m), race"'


def test_a_unit_of_several_words_is_quoted_wherever_it_stands_behind_a_number():
    """Without quotes it would go on with the sentence; one word, and a word by another, cannot."""
    amount = kept((10, 18), range=("0", "60000"), unit="EUR and any larger amount")
    (income,) = amount.plain_features
    assert Reading.of(amount, 1, 1026**2).features == {"income": '+- 12,000 "EUR and any larger amount"'}
    assert Reading.of(amount, 1, 0).ranges == {"income": '0 to 60,000 "EUR and any larger amount"'}
    within = interval(amount, income, Fraction(1), 41000)
    assert within == '41,000: 29,000 to 53,000 "EUR and any larger amount"'
    for unit, shown in (("EUR-or-more", '"EUR-or-more"'), ("EUR/month", "EUR/month"), ("EUR/or/more", '"EUR/or/more"')):
        assert Reading.of(kept((10, 18), unit=unit), 1, 0).features["income"] == f"+- 0 {shown}"


def test_a_value_of_several_words_is_quoted_beside_how_far_it_moves():
    """A value cannot be read as the words that follow it."""
    low, high = "any value", "low to high"
    rank = changed(SAVINGS, domain=("none", low, high, "most"), scale="1.5")
    spec = spec_of(INCOME, rank, SEX)
    assert interval(spec, rank, Fraction(1), low) == '"any value": none to "low to high"'
    assert interval(spec, rank, Fraction(0), high) == '"low to high": this value only'


def test_text_from_the_right_moves_nothing_around_it():
    """Names and units in Hebrew stand between the characters that isolate them, in quotes."""
    age, money = "\u05d2\u05d9\u05dc", "\u05e9\u05e7\u05dc"
    spec = spec_of(changed(INCOME, unit=money), changed(SEX, name=age), labels=(money, age))
    reading = Reading.of(spec, 1, 1026**2)
    assert reading.sentence().startswith(f'No change of "\u2068{age}\u2069", and')
    assert reading.sentence().endswith(f': "\u2068{age}\u2069".')
    assert reading.features == {"income": f'+- 12,000 "\u2068{money}\u2069"'}


@pytest.mark.parametrize(
    ("domain", "words"),
    [
        (("f", "m or x"), 'f / "m or x"'),
        (tuple(map(str, range(18, 76))), "every whole number from 18 to 75"),
        (tuple(map(str, range(75, 17, -1))), "every whole number from 18 to 75"),
        (("75", "18", "20", "25", "30", "35", "40", "50", "65"), "9 listed values from 18 to 75, see below"),
        (tuple(f"{age}.5" for age in range(18, 76)), "58 listed values from 18.5 to 75.5, see below"),
        (("1", "01", "3", "4", "5", "6", "7", "8", "9"), "9 listed values from 1 to 9, see below"),
        (tuple("zyxwvutsr"), "9 listed values from z to r, see below"),
    ],
)
def test_a_long_list_says_that_it_is_one(domain, words):
    """Values between the listed ones are not covered, and only whole numbers without a gap read like a range."""
    assert in_short(domain, ", see below") == words
    assert in_short(domain) == words.removesuffix(", see below")
