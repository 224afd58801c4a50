"""The encoding log: exact logarithms, its words, and what it refuses."""

import json
import math
import re
from decimal import Decimal, localcontext
from fractions import Fraction
from math import isqrt

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from equiproof.audits.html.decoding import raw
from equiproof.circuits.canonical import DocumentError, canonical_bytes
from equiproof.circuits.encodings import ENCODINGS, EncodingError, log
from equiproof.circuits.encodings.grid import on_grid
from equiproof.circuits.encodings.log import logarithm
from equiproof.circuits.spec import Spec, SpecError, checked, parse_spec
from equiproof.circuits.units import in_units, interval, kept_to, radius_of_any
from equiproof.verifier.reading import Reading
from tests.support import AGE, HOUSING, INCOME, LOANS, ROOT, SEX, changed, spec_of
from tests.vectors.generate.encodings import stated

STEP = Fraction(1, 1 << 40)
RATE = changed(INCOME, name="rate", unit="", encoding="log", mean="-5", scale="0.8", offset="0")
WEALTH = changed(INCOME, name="wealth", encoding="log", mean="15", scale="2", offset="1")


def exactly(number):
    """Return a logarithm to many digits, by another way."""
    with localcontext(prec=90):
        return Fraction((Decimal(number.numerator) / Decimal(number.denominator)).ln() / Decimal(2).ln())


@pytest.mark.parametrize("power", [-64, -3, 0, 1, 17, 64])
def test_powers_of_two_have_whole_logarithms(power):
    """A number that is a little less has the step before, one that is a little more the same."""
    number = Fraction(2) ** power
    assert logarithm(number) == power
    assert logarithm(number * (1 - Fraction(1, 10**40))) == power - STEP
    assert logarithm(number * (1 + Fraction(1, 10**40))) == power


@pytest.mark.parametrize("bits", [100, 200, 400])
def test_comparisons_that_need_more_digits_are_decided(bits):
    """Next to the root of two, where an interval of 128 bits holds both sides."""
    root = isqrt(2 << 2 * bits)
    assert logarithm(Fraction(root, 1 << bits)) == Fraction(1, 2) - STEP
    assert logarithm(Fraction(root + 1, 1 << bits)) == Fraction(1, 2)


@example(number=Fraction(41001, 1))
@given(number=st.fractions(Fraction(1, 1 << 64), 1 << 64))
def test_logarithms_are_rounded_down(number):
    """The logarithm is a multiple of 2^-40, and the exact one is above it by less than that."""
    level = logarithm(number)
    assert (level / STEP).denominator == 1
    # The other way is exact to far more digits than either end is near, unless the number is a power of two.
    assert level - STEP / 10**20 <= exactly(number) < level + STEP


@given(a=st.fractions(Fraction(1, 10**6), 10**6), b=st.fractions(Fraction(1, 10**6), 10**6))
def test_logarithms_never_fall(a, b):
    """A larger number has no smaller logarithm."""
    assert logarithm(min(a, b)) <= logarithm(max(a, b))


@pytest.fixture
def asked(monkeypatch):
    """With how many bits logarithms are looked for; a search without an end fails at a thousand bits or numbers."""
    precisions, decided = [], log._fraction

    def counted(above, below, precision):
        assert below <= above < 2 * below
        assert max(precision, len(precisions)) <= 1024
        precisions.append(precision)
        return decided(above, below, precision)

    monkeypatch.setattr(log, "_fraction", counted)
    logarithm.cache_clear()
    return precisions


def test_128_bits_decide_but_next_to_a_step(asked):
    """Twice as many are needed by a number that is nearer to a root of two."""
    assert math.floor(logarithm(Fraction(41003, 7))) == 12
    assert asked == [128]
    assert logarithm(Fraction(isqrt(2 << 400) + 1, 1 << 200)) == Fraction(1, 2)
    assert asked == [128, 128, 256]


def test_a_change_by_many_powers_of_two(asked):
    """A factor is cut at three digits whatever its size, and at the largest number that has a logarithm."""
    for radius, factor in ((100, "18,446,744,073,709,551,616"), (20, "65,535.999")):
        assert in_units(RATE, Fraction(radius)) == f"by a factor of {factor}"
    assert set(asked) == {128}


def test_a_change_of_hundreds_has_ends_of_units():
    """Ends have three digits of what a half of the change is: here the last one is that of the units."""
    assert interval(spec_of(RATE, SEX), RATE, Fraction(5, 4), "1000") == "1,000: 501 to 1,999"


def test_columns_are_logarithms():
    """A row's integer is that of the logarithm; mean and scale are in its units."""
    spec = spec_of(WEALTH, changed(AGE, encoding="log", mean="5", scale="1", offset="0"))
    assert spec.encode({"wealth": 32767}) == (0,)
    assert spec.encode({"wealth": "131071"}) == (1024,)
    assert spec.encode({"wealth": 0}) == (-7680,)
    assert spec.domain_table == ((-365,), (330,), (929,))


def test_frozen_words():
    """Certificates hold these words, so they can never change."""
    for radius, words in {
        "0": "this value only",
        "0.000000000001": "this value only",
        "0.001": "by a factor of 1.000554",
        "0.25": "by a factor of 1.1486",
        "1": "by a factor of 1.741",
        "2.5": "by a factor of 3.999",
        "20": "by a factor of 65,535.999",
        "100": "by a factor of 18,446,744,073,709,551,616",
    }.items():
        assert in_units(RATE, Fraction(radius)) == words
    assert in_units(WEALTH, Fraction(1, 4)) == "by a factor of 1.414, counted from -1 EUR"
    assert in_units(changed(WEALTH, offset="-1000.50", unit=""), Fraction(1, 4)).endswith(", counted from 1,000.5")


def test_frozen_ends():
    """So are the ends that neighbors are kept to."""
    spec = spec_of(RATE, SEX, use_ranges=True, bits=(10, 13))
    assert kept_to(spec, RATE) == "0.00339967 to 0.287096"
    assert kept_to(spec, changed(RATE, range=("0.0010", "1"))) == "0.0010 to 1"
    wide = spec_of(WEALTH, SEX, use_ranges=True)
    assert kept_to(wide, WEALTH) == "-0.9999999999999999999457898 to 18,446,699,999,999,999,999 EUR"


def test_frozen_intervals():
    """So are intervals: cut at the range, and of whole numbers where these are meant."""
    spec = spec_of(RATE, SEX)
    assert interval(spec, RATE, Fraction(1, 4), "0.02") == "0.02: 0.01742 to 0.02297"
    assert interval(spec, RATE, Fraction(0), "0.020") == "0.020: this value only"
    cut = changed(RATE, range=("0.018", "0.1"))
    assert interval(spec, cut, Fraction(1, 4), 0.02) == "0.02: 0.018 to 0.02297"
    assert interval(spec, changed(WEALTH, whole=True), Fraction(1, 4), 1000) == "1,000: 707 to 1,414 EUR"
    assert interval(spec, changed(WEALTH, whole=True), Fraction(1, 4), 1) == "1: this value only"
    assert interval(spec, WEALTH, Fraction(40), 0).endswith("to 18,446,744,073,709,551,615 EUR")


@pytest.mark.parametrize(
    ("feature", "value"),
    [(RATE, 0), (RATE, "-0.02"), (WEALTH, -1), (WEALTH, "18446744073709551616"), (RATE, "1e-20")],
)
def test_values_without_a_logarithm_are_refused(feature, value):
    """One line names the feature, the value and the offset."""
    want = f"want a number that lies between 2^-64 and 2^64 once the offset {feature.offset} is added, not {value}"
    with pytest.raises(SpecError) as refused:
        spec_of(feature, SEX).encode({feature.name: value})
    assert str(refused.value) == f"feature '{feature.name}': {want}"


@pytest.mark.parametrize("number", [Fraction(0), Fraction(-3), Fraction(1 << 65)])
def test_numbers_without_a_logarithm_have_no_level(number):
    """Whoever asks for a level without a row gets an error too, and no number."""
    with pytest.raises(EncodingError, match=r"^want a number that lies between"):
        ENCODINGS["log"].level(RATE, number)


@pytest.mark.parametrize(
    ("feature", "message"),
    [
        (
            changed(INCOME, encoding="log"),
            "'income': give an offset, the number that encoding log adds to a value first",
        ),
        (changed(INCOME, offset="0"), "'income': leave offset out: encoding scaled has none"),
        (changed(HOUSING, offset="1"), "'housing': leave offset out: encoding one-hot has none"),
        (changed(RATE, offset="1e3"), "'rate': offset: '1e3' is not a decimal number"),
        (changed(RATE, range=("0", "1")), "'rate': change the offset 0 or the range's 0: their sum must lie between"),
        (changed(RATE, offset="-1.5", range=("2", "1e9")), "range"),
        (changed(RATE, mean="1000", scale="0.001"), "'rate': change mean, scale or input_bits: no number has a"),
        (changed(RATE, kind="categorical"), "encoding 'log' does not go with kind 'categorical'"),
    ],
)
def test_specs_that_no_logarithm_fits_are_refused(feature, message):
    """One line names the feature and what to change."""
    with pytest.raises(SpecError, match=message):
        checked(changed(LOANS, features=(INCOME, feature, SEX) if feature.name != "income" else (feature, SEX)))


def test_a_sensitive_value_without_a_logarithm_is_refused():
    """Each value of a domain has one."""
    age = changed(AGE, encoding="log", mean="5", offset="0")
    with pytest.raises(SpecError, match="'age': change the offset 0 or the domain's 0: their sum"):
        spec_of(INCOME, changed(age, domain=("0", "1")))


def test_an_older_program_refuses_the_spec_in_one_line():
    """It does not know the field, which stands in no other spec: their digests stay."""
    spec = spec_of(WEALTH, SEX)
    written = json.loads(canonical_bytes(spec))
    assert [feature.get("offset") for feature in written["features"]] == ["1", None]
    assert parse_spec(canonical_bytes(spec), "spec.json") == spec
    written["features"][0]["encoding"] = "logarithm of tomorrow"
    with pytest.raises(DocumentError, match=r"^spec\.json: .*encoding") as refused:
        parse_spec(json.dumps(written).encode(), "spec.json")
    assert "\n" not in str(refused.value)


@given(count=st.integers(1, 10**9), offset=st.sampled_from(["0", "1", "-12.5"]))
def test_a_column_is_read_back_as_one_of_its_numbers(count, offset):
    """The number with the fewest digits has the column of the one that was written."""
    feature = changed(WEALTH, mean="9", offset=offset)
    spec = spec_of(feature, SEX)
    value = Fraction(count, 1000) - Fraction(offset)
    column = spec.encode({"wealth": f"{float(value):.3f}"})
    text = raw(feature, [Fraction(*column)], spec.scale_unit).replace(",", "").replace("\u2212", "-")
    assert spec.encode({"wealth": text}) == column


def test_places_between_columns_are_read_back():
    """Between two columns it is a number of six digits; beyond what has a logarithm it is said so."""
    feature = changed(WEALTH, mean="0", scale="1", offset="0")
    assert raw(feature, [Fraction(1, 2)], 1024) == "1.00034"
    assert raw(feature, [Fraction(2048)], 1024) == "4"
    assert raw(feature, [Fraction(70 * 1024)], 1024) == "above 1.845e19"
    assert raw(feature, [Fraction(-70 * 1024)], 1024) == "below 5.421e\u221220"


def test_a_wide_column_is_read_back_as_a_number_that_it_holds():
    """Its middle may have no logarithm; only where none of its numbers has one, words say so."""
    above, below = (changed(WEALTH, mean=mean, scale="4", offset="0") for mean in ("64.5", "-64.5"))
    assert raw(above, [Fraction(0)], 2) == "14,000,000,000,000,000,000"
    assert raw(below, [Fraction(0)], 2) == "0.00000000000000000006"
    assert raw(above, [Fraction(1)], 2) == "above 1.845e19"
    assert raw(changed(below, mean="-65"), [Fraction(0)], 2) == "below 5.421e\u221220"


def test_a_number_just_above_a_large_offset_is_read_back_with_its_digits():
    """Its column is that of what lies above the offset, far behind the point."""
    feature = changed(WEALTH, mean="-64", scale="1", offset="-1000000")
    spec = spec_of(feature, SEX)
    column = spec.encode({"wealth": "1000000.0000000000000000000739265"})
    text = raw(feature, [Fraction(*column)], spec.scale_unit).replace(",", "")
    assert spec.encode({"wealth": text}) == column


@given(count=st.integers(1, 10**7), more=st.integers(0, 10**4), step=st.sampled_from([1, 10, 1000]))
def test_what_is_near_a_value_is_around_its_column(count, more, step):
    """Columns of values that are as near as a distance lie between the ends, and those far away do not."""
    grid = spec_of(changed(WEALTH, mean="9", offset="2.5"), SEX)
    (feature,) = grid.plain_features
    distance = Fraction(more, 1000)
    own = Fraction(count, 1000)
    (column,) = grid.encode({"wealth": f"{float(own):.3f}"})
    ((low, high),) = ENCODINGS["log"].around(grid, feature, [column], distance)
    near = [grid.encode({"wealth": f"{float(end):.3f}"})[0] for end in (max(own - distance, 0), own + distance)]
    assert low <= near[0] <= column <= near[1] <= high
    assert (low, high) == (column, column) or distance
    count = ENCODINGS["log"].begin(grid, feature, column, Fraction(1, step))
    before, first = (grid.encode({"wealth": str(Decimal(n) / step)})[0] for n in (count - 1, count))
    assert before < column <= first


@pytest.mark.parametrize("own", ["0.00000003", "0.02", "3", "123456.7", "9000000000000"])
def test_what_is_further_off_is_not_around(own):
    """The ends are those of the distance, of small numbers and of large ones: a little further is beyond them."""
    feature = changed(WEALTH, mean="0", scale="100", offset="0")
    grid = spec_of(feature, SEX, bits=(20, 40))
    (column,) = grid.encode({"wealth": own})
    for share in (Fraction(1, 100), Fraction(1, 2)):
        distance = Fraction(own) * share
        ((low, high),) = ENCODINGS["log"].around(grid, feature, [column], distance)
        levels = [logarithm(Fraction(own) * (1 + sign * share * Fraction(11, 10))) for sign in (-1, 1)]
        least, most = (on_grid(feature, level, grid.scale_unit) for level in levels)
        assert least < low < column < high < most


def test_ends_of_what_has_a_logarithm_are_read_back():
    """A column that holds an end alone is read back as the next number of six digits; one behind it is beyond."""
    above, below = (changed(WEALTH, mean=mean, scale="1", offset="0") for mean in ("64.5", "-64.5"))
    assert raw(above, [Fraction(0)], 1) == "18,446,800,000,000,000,000"
    assert raw(changed(above, mean="64.6"), [Fraction(0)], 1) == "above 1.845e19"
    assert raw(below, [Fraction(0)], 1) == "below 5.421e\u221220"
    assert raw(changed(below, mean="-64.4"), [Fraction(0)], 1) == "0.000000000000000000055"
    assert raw(changed(below, mean="-64"), [Fraction(1, 4)], 1) == "0.0000000000000000000644671"


def test_what_models_take_is_named():
    """Logarithms to three bases, written with the offset and its sign."""
    names = {"0": "wealth", "1": "wealth + 1", "2.50": "wealth + 2.5", "-2.5": "wealth - 2.5"}
    for offset, name in names.items():
        found = ENCODINGS["log"].inputs(changed(WEALTH, offset=offset))
        natural, binary, decimal = (found[f"{base}({name})"] for base in ("log", "log2", "log10"))
        assert found.keys() - {f"{base}({name})" for base in ("log", "log2", "log10")} == (
            {"log1p(wealth)"} if offset == "1" else set()
        )
        assert found.get("log1p(wealth)", natural) == natural
        assert binary == 1
        assert (float(natural), float(decimal)) == (math.log(2), math.log10(2))


def test_values_of_a_list_need_no_number_of_few_digits():
    """Where all values are listed, the width holds them, and nothing else is asked of it."""
    listed = changed(AGE, encoding="log", offset="0", mean="0.304005346", scale="0.0000000006")
    listed = changed(listed, domain=("1.23456712", "1.23456718"))
    assert len(spec_of(INCOME, listed).domain_table) == 2


def test_a_step_is_a_small_change():
    """A power of ten, of a number that is whole at least 1."""
    assert ENCODINGS["log"].step(RATE) == Fraction(1, 10**4)
    assert ENCODINGS["log"].step(WEALTH) == 100
    assert ENCODINGS["log"].step(changed(RATE, whole=True)) == 1


VECTORS = json.loads((ROOT / "tests" / "vectors" / "encodings.json").read_text(encoding="ascii"))
SPECS = {name: checked(msgspec.convert(spec, Spec)) for name, spec in VECTORS["specs"].items()}


def test_logarithms_of_the_vectors():
    """Each is so many steps."""
    for case in VECTORS["logarithms"]:
        assert logarithm(Fraction(case["number"])) == int(case["steps"]) * STEP


def test_columns_of_the_vectors():
    """Rows and domains become these integers, and other rows are refused in these words."""
    for case in VECTORS["rows"]:
        assert list(SPECS[case["spec"]].encode(stated(SPECS[case["spec"]], case["row"]))) == case["columns"]
    for case in VECTORS["domains"]:
        assert [list(row) for row in SPECS[case["spec"]].domain_table] == case["table"]
    for case in VECTORS["refused_rows"]:
        with pytest.raises(SpecError, match=f"^{re.escape(case['message'])}$"):
            SPECS[case["spec"]].encode(stated(SPECS[case["spec"]], case["row"]))


def test_a_value_beyond_the_width_is_shown_as_it_was_given():
    """The refusal has the value, of which only the logarithm is too far; Go's says the same."""
    row = {"wealth": 1, "rate": "0.02", "change": 1, "spread": "1099511627776", "income": 2410}
    message = "feature 'spread': 1.09951e+12 is 6000.0 scales from the mean, more than 22 bits hold"
    with pytest.raises(SpecError, match=f"^{re.escape(message)}$"):
        SPECS["factors"].encode(row)


def test_words_of_the_vectors():
    """Readings and intervals are these."""
    for case in VECTORS["readings"]:
        reading = Reading.of(SPECS[case["spec"]], 0, case["radius_squared"])
        assert reading.features == case["features"]
        assert reading.ranges == (msgspec.UNSET if case["ranges"] is None else case["ranges"])
    for case in VECTORS["intervals"]:
        spec = SPECS[case["spec"]]
        radius = radius_of_any(spec, case["radius_squared"])
        for feature in spec.plain_features:
            assert interval(spec, feature, radius, case["row"].get(feature.name)) == case["intervals"][feature.name]


@pytest.mark.parametrize("case", VECTORS["refused_specs"], ids=lambda case: case["what"])
def test_refusals_of_the_vectors(case):
    """A spec is refused in these words."""
    with pytest.raises(SpecError, match=f"^{re.escape(case['message'])}$"):
        checked(msgspec.convert(case["spec"], Spec))


def test_what_has_a_logarithm_ends_where_the_offset_says():
    """The ends are those numbers which the offset moves to the least and the largest that have one."""
    for offset in ("0", "1", "-1000.50"):
        feature = changed(WEALTH, offset=offset)
        low, high = ENCODINGS["log"].held(feature)
        for end, outside in ((low, low / 2 if offset == "0" else low - Fraction(1, 10**30)), (high, high * 2)):
            ENCODINGS["log"].level(feature, end)
            with pytest.raises(EncodingError):
                ENCODINGS["log"].level(feature, outside)


def test_a_column_that_ends_at_the_least_logarithm_is_read_back():
    """Between grid points 2^-64 itself has a place, and what is below it has none."""
    below = changed(WEALTH, mean="-64.25", scale="1", offset="0")
    assert raw(below, [Fraction(1, 4)], 1) == "0.0000000000000000000542102"
    assert raw(below, [Fraction(1, 5)], 1) == "below 5.421e\u221220"
    above = changed(WEALTH, mean="63.75", scale="1", offset="0")
    assert raw(above, [Fraction(1, 4)], 1) == "18,446,800,000,000,000,000"
    assert raw(above, [Fraction(1, 3)], 1) == "above 1.845e19"


@pytest.mark.parametrize("mean", ["-63", "-31", "0", "31", "63"])
def test_of_fine_columns_few_are_around(mean):
    """Twelve digits of a number are enough to tell its neighbors apart, of the smallest numbers too."""
    feature = changed(WEALTH, mean=mean, scale="0.00000001", offset="0")
    grid = spec_of(WEALTH, SEX)
    for column in (-5, 0, 7):
        ((low, high),) = ENCODINGS["log"].around(grid, feature, [column], Fraction(1, 10**40))
        assert column - 1 <= low <= column < high <= column + 2
