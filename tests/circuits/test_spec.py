"""A spec has exactly one meaning: which integers a row becomes, and which rows and documents are refused."""

import itertools
import json
import math
import sys
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction

import msgspec
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from equiproof.circuits.canonical import DocumentError, canonical_bytes
from equiproof.circuits.encodings.grid import Missing
from equiproof.circuits.spec import (
    MAX_FEATURES,
    MAX_SLICES,
    MAX_TABLE,
    Feature,
    SpecError,
    checked,
    decimal,
    load_spec,
    parse_spec,
    refuse_marks,
    refuse_missing,
    refuse_ranges,
    refuse_told_as_value,
)
from tests.support import AGE, GENDER, HOUSING, INCOME, KEPT, LACKING, LOANS, RATES, SAVINGS, SEX, changed, spec_of

ROW = {"income": 30000, "housing": "own"}

TOO_LONG = ("1" * 19, "0." + "1" * 41)

DECIMALS = st.builds(
    lambda sign, whole, part: f"{sign}{whole}{'.' + part if part else ''}",
    st.sampled_from(("", "-")),
    st.integers(0, 10**18 - 1),
    st.text("0123456789", max_size=40),
)


def income(**fields):
    """Return the loans spec with other fields of the feature income."""
    return changed(LOANS, features=(changed(INCOME, **fields), HOUSING, SEX))


def sex(**fields):
    """Return the loans spec with other fields of the feature sex."""
    return changed(LOANS, features=(INCOME, HOUSING, changed(SEX, **fields)))


@given(
    value=st.integers(-(10**9), 10**9) | st.decimals(-(10**9), 10**9, places=6),
    mean=st.decimals(-(10**6), 10**6, places=4),
    scale=st.decimals("0.0001", 10**6, places=4),
    bits=st.integers(1, 22),
)
@example(value=Decimal("0.25"), mean=Decimal(0), scale=Decimal(1), bits=1)
@example(value=Decimal("-0.25"), mean=Decimal(0), scale=Decimal(1), bits=1)
def test_rounding_is_half_up_and_exact(value, mean, scale, bits):
    """A number v becomes floor((v - mean) / scale 2^f_x + 1/2), or is refused where that leaves the width."""
    spec = spec_of(changed(INCOME, mean=f"{mean:f}", scale=f"{scale:f}"), SEX, bits=(bits, 40))
    exact = (Fraction(value) - Fraction(mean)) / Fraction(scale) * 2**bits
    if -(2**39) <= math.floor(exact + Fraction(1, 2)) < 2**39:
        (found,) = spec.encode({"income": value})
        assert Fraction(-1, 2) < found - exact <= Fraction(1, 2)
    else:
        with pytest.raises(SpecError, match="bits hold"):
            spec.encode({"income": value})


@given(value=st.floats(-1e6, 1e6).filter(lambda value: value == 0 or abs(value) > 1e-50))
def test_floats_are_read_as_they_print(value):
    """A float stands for the decimal that it prints as, not for its binary fraction."""
    spec = spec_of(INCOME, SEX, bits=(22, 40))
    assert spec.encode({"income": value}) == spec.encode({"income": Decimal(repr(value))})


@pytest.mark.parametrize(("housing", "columns"), [("own", (1024, 0)), ("rent", (0, 1024))])
def test_one_hot_groups_have_one_column_per_value(housing, columns):
    """A one-hot feature gives one indicator per value of its domain, in the domain's order."""
    assert LOANS.encode({"income": 30000, "housing": housing}) == (0, *columns)


@pytest.mark.parametrize(("savings", "column"), [("none", -512), ("low", 0), ("high", 512)])
def test_rank_is_the_index_in_the_domain(savings, column):
    """A ranked feature gives one column: its value's index, scaled like a number."""
    assert RATES.encode({"income": 30000, "savings": savings}) == (0, column)


def test_columns_stand_plain_first_and_sensitive_last():
    """Wherever the spec lists them, non-sensitive columns come first, and each group keeps the spec's order."""
    spec = spec_of(SEX, HOUSING, INCOME)
    assert (spec.plain_columns, spec.sensitive_columns) == (3, 1)
    assert spec.encode(ROW) == (1024, 0, 0)
    assert [feature.name for feature in spec.plain_features] == ["housing", "income"]


def test_domain_table_is_the_full_product():
    """The table has a row for every joint value of the sensitive features, the first feature slowest."""
    assert RATES.domain_values == tuple(itertools.product(("f", "m"), ("25", "40", "60")))
    genders, ages = [(256, 0), (0, 256)], [-384, 0, 512]
    assert RATES.domain_table == tuple((*gender, age) for gender in genders for age in ages)


@pytest.mark.parametrize("count", [2, 3, 53])
def test_domain_table_has_a_row_per_value(count):
    """A sensitive feature of many values gives as many distinct rows, which encode as rows do."""
    spec = spec_of(INCOME, changed(SEX, domain=tuple(f"v{index}" for index in range(count))))
    assert len(set(spec.domain_table)) == count
    assert spec.domain_table == tuple(spec.encode_sensitive({"sex": f"v{index}"}) for index in range(count))


def test_sensitive_values_of_a_row_do_not_enter_the_query():
    """The query is the same whatever the row says about sensitive features, or if it says nothing."""
    assert LOANS.encode(ROW) == LOANS.encode(ROW | {"sex": "m"}) == LOANS.encode(ROW | {"sex": "neither"})


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"housing": "own"}, "feature 'income' is missing"),
        (ROW | {"income": True}, "feature 'income': want a number"),
        (ROW | {"income": None}, "state feature 'income': the spec lets no value of it be missing"),
        (ROW | {"income": "much"}, "feature 'income': 'much' is not a number"),
        (ROW | {"income": ""}, "is not a number"),
        (ROW | {"income": "1e99"}, "is not a number"),
        (ROW | {"income": float("nan")}, "is not a number"),
        (ROW | {"income": float("inf")}, "is not a number"),
        (ROW | {"income": 10**9}, "feature 'income': 1e[+]09 is 83330.8 scales from the mean"),
        (ROW | {"housing": "hotel"}, "feature 'housing': 'hotel' is not one of own, rent"),
        (ROW | {"housing": 0}, "feature 'housing': '0' is not one of own, rent"),
        (ROW | {"housing": ["own"]}, "feature 'housing'"),
    ],
)
def test_rows_that_do_not_fit_are_refused(row, message):
    """A missing feature, a value that is no number or not in the domain, or one too large is refused by name."""
    with pytest.raises(SpecError, match=message):
        LOANS.encode(row)


def test_what_is_not_stated_is_written_as_nothing():
    """A name that is misspelled is not taken for a value that is missing."""
    with pytest.raises(SpecError, match="feature 'income': state it, or write null where it is not stated"):
        LACKING.encode({"housing": "own", "incom": 1})


@pytest.mark.parametrize("sign", [1, -1])
def test_the_width_is_that_of_signed_bits(sign):
    """The last integer that fits is encoded, the next one is refused and never clipped."""
    spec = spec_of(changed(INCOME, mean="0", scale="1"), SEX, bits=(1, 8))
    last = 127 if sign > 0 else -128
    assert spec.encode({"income": Decimal(last) / 2}) == (last,)
    with pytest.raises(SpecError, match="more than 8 bits hold"):
        spec.encode({"income": Decimal(last + sign) / 2})


def test_ranges_hold_for_the_query_with_both_ends():
    """A number at an end of its range is encoded, one beyond it refused."""
    spec = income(range=("0", "60000"))
    for value in (0, 60000):
        assert spec.encode(ROW | {"income": value})
    for value in (-1, 60001, "-0.001"):
        with pytest.raises(SpecError, match=r"feature 'income': .* is outside 0 to 60000"):
            spec.encode(ROW | {"income": value})


def test_huge_integers_are_refused_by_name():
    """An integer beyond every float is refused like any other that does not fit."""
    with pytest.raises(SpecError, match="feature 'income'"):
        LOANS.encode(ROW | {"income": 10**400})


@pytest.mark.parametrize("text", ["NaN", "sNaN", "Infinity"])
def test_decimals_that_are_not_finite_are_refused_by_name(text):
    """A Decimal that is no number is refused as the float of that name is."""
    with pytest.raises(SpecError, match="feature 'income'"):
        LOANS.encode(ROW | {"income": Decimal(text)})


def test_numpy_numbers_are_numbers():
    """Rows out of data frames encode as rows of Python numbers do."""
    for value in (np.int64(30001), np.float64(30001.5), np.float32(30001.5)):
        assert LOANS.encode(ROW | {"income": value}) == LOANS.encode(ROW | {"income": float(value)})


@pytest.mark.parametrize("text", ["1_000", " 12 ", "١٢", "１２"])
def test_numbers_have_plain_digits(text):
    """Text that other readers of the row would read differently, or not at all, is no number."""
    with pytest.raises(SpecError, match="is not a number"):
        LOANS.encode(ROW | {"income": text})


def test_sensitive_numbers_outside_the_domain_are_refused():
    """A sensitive number that is none of the domain's values is refused, as a categorical one is."""
    with pytest.raises(SpecError, match="feature 'age'"):
        RATES.encode_sensitive({"gender": "f", "age": 26})


@given(text=DECIMALS)
def test_decimals_are_exact(text):
    """Decimal text is read as the fraction it stands for."""
    assert decimal(text, "mean") == Fraction(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " 1",
        "1 ",
        "1\n",
        "+1",
        ".5",
        "5.",
        "01",
        "1e3",
        "0x1",
        "nan",
        "inf",
        "1_0",
        "١",
        "1/2",
        "--1",
        *TOO_LONG,
    ],
)
def test_bad_decimals_are_refused(text):
    """Signs, exponents, spaces, leading zeros, other scripts and too many digits are no decimals."""
    with pytest.raises(SpecError, match=r"mean: .* is not a decimal number"):
        decimal(text, "mean")


def test_fields_of_a_spec_are_pinned():
    """Every field is written and hashed: one more would change the digest of every spec, unless it is left out of the
    canonical form where it is not used (docs/adr/0014)."""
    written = json.loads(canonical_bytes(LOANS))
    names = (
        "allow_loss features format input_bits input_fraction_bits labels logits name threshold use_ranges version "
        "weight_bits"
    )
    assert set(written) == set(names.split())
    assert {frozenset(feature) for feature in written["features"]} == {
        frozenset({"domain", "encoding", "kind", "mean", "name", "range", "scale", "sensitive", "unit"})
    }
    whole = json.loads(canonical_bytes(income(whole=True)))["features"]
    assert [feature.get("whole") for feature in whole] == [True, None, None]
    moving = json.loads(canonical_bytes(income(monotone="increasing")))["features"]
    assert [feature.get("monotone") for feature in moving] == ["increasing", None, None]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (changed(LOANS, version=1), "version 1"),
        (changed(LOANS, weight_bits=(7, 16)), "weight_bits must be between 8 and 32"),
        (changed(LOANS, weight_bits=(16, 33)), "weight_bits must be between 8 and 32"),
        (changed(LOANS, format="spec"), "not 'equiproof-spec'"),
        (changed(LOANS, input_fraction_bits=0), "input_fraction_bits"),
        (changed(LOANS, input_fraction_bits=23, input_bits=40), "between 1 and 22"),
        (changed(LOANS, input_bits=10), "input_bits"),
        (changed(LOANS, input_bits=41), "input_bits"),
        (changed(LOANS, features=()), "no feature is named"),
        (changed(LOANS, features=(INCOME, INCOME, SEX)), "feature names are not distinct"),
        (changed(LOANS, features=(INCOME, HOUSING)), "no sensitive feature"),
        (changed(LOANS, features=(SEX,)), "no non-sensitive feature"),
        (changed(LOANS, labels=("yes",)), "label names do not fit"),
        (changed(LOANS, labels=("no", "maybe", "yes")), "label names do not fit"),
        (changed(LOANS, labels=("no", "no")), "label names are not distinct"),
        (changed(LOANS, labels=("no", "")), "1 to 200 characters"),
        (changed(LOANS, labels=("no", "yes\u202e")), r"'yes\\u202e' holds U\+202E"),
        (changed(LOANS, logits=0), "do not fit 0"),
        (changed(LOANS, logits=2, threshold="0.5"), "threshold goes with a single logit"),
        (changed(LOANS, threshold="half"), "threshold"),
        (changed(LOANS, use_ranges=True, features=(changed(INCOME, range=("0", "1000000000")), SEX)), "18 bits"),
        (changed(LOANS, labels=("declined", 'granted" whatever the race: "granted')), "QUOTATION MARK"),
        (changed(LOANS, labels=("granted", "grante\u217e")), r"U\+217E .*; write 'd'"),
        (income(name="\u0455\u0435\u0445"), "scripts Cyrillic and Latin, which look alike"),
        (income(name="se\u2179"), r"U\+2179"),
        (income(name="\uff53\uff45\uff58"), r"U\+FF53 .*; write 's'"),
        (income(name="\ua4e2\ua4f0\ua4eb"), r"U\+A4E2 \(LISU LETTER SA\), which names may not hold"),
        (income(name="sex\u02d0"), r"U\+02D0"),
        (income(name="sex\u2024"), r"U\+2024"),
        (income(name="sex\u0336"), r"U\+0336"),
        (income(name='sex" and "race'), "QUOTATION MARK"),
        (income(name="the \u201csex\u201d"), "QUOTATION MARK"),
        (income(unit="000 EUR"), "a unit is a name"),
        (income(unit="EUR, any value"), "a unit is a name"),
        (sex(domain=("f", 'm" or "x')), "QUOTATION MARK"),
        (income(unit="OOO€"), "look like digits"),
        (changed(LOANS, labels=("Illness", "lllness")), "'lllness' looks like 'Illness' of label names"),
        (sex(domain=("modern", "modem")), "'modem' looks like 'modern'"),
        (
            changed(LOANS, labels=("\u0441\u043e\u0440", "\u0434\u0430"), name="cop"),
            "spec name: rename one: 'cop' looks like",
        ),
        (income(name=""), "1 to 200 characters"),
        (income(name="n" * 201), "1 to 200 characters"),
        (income(name="a\nb"), r"U\+000A"),
        (income(scale="0"), "scale must be above 0"),
        (income(scale="-1"), "scale must be above 0"),
        (income(mean="1e3"), "mean"),
        (income(encoding="rank"), "does not go with kind"),
        (income(domain=("1", "2")), "use range"),
        (income(range=("2", "1")), "range"),
        (income(range=("a", "1")), "range"),
        (income(whole=False), "whole is true of a non-sensitive number, and absent"),
        (sex(whole=True), "whole is true of a non-sensitive number"),
        (changed(LOANS, features=(INCOME, changed(HOUSING, whole=True), SEX)), "whole is true of a non-sensitive"),
        (changed(RATES, features=(INCOME, changed(AGE, whole=True))), "whole is true of a non-sensitive number"),
        (sex(monotone="increasing"), "monotone goes with a non-sensitive number, and is absent"),
        (changed(LOANS, features=(INCOME, changed(HOUSING, monotone="decreasing"), SEX)), "monotone goes with"),
        (changed(RATES, features=(INCOME, changed(AGE, monotone="increasing"))), "monotone goes with"),
        (sex(domain=()), "domain must list every value"),
        (sex(domain=("f",)), "at least two values"),
        (sex(domain=("f", "f")), "not distinct"),
        (sex(domain=tuple(map(str, range(4097)))), "more than 4096 joint values"),
        (sex(encoding="scaled"), "does not go with kind"),
        (sex(scale="1000000"), "coincide after rounding"),
        (sex(scale="0.000001"), "more than 18 bits hold"),
        (changed(RATES, features=(INCOME, GENDER, changed(AGE, domain=("40", "40.0")))), "coincide after rounding"),
        (changed(RATES, features=(INCOME, GENDER, changed(AGE, domain=("40", "forty")))), "domain"),
        (changed(RATES, features=(INCOME, changed(HOUSING, domain=()), AGE)), "domain must list every value"),
        (changed(RATES, features=(INCOME, SAVINGS, changed(AGE, range=("0", "1")))), "range"),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_specs_without_one_meaning_are_refused(spec, message):
    """A spec is refused, by one line that names the part, where it has no meaning or more than one."""
    with pytest.raises(SpecError, match=message):
        checked(spec)
    with pytest.raises(DocumentError, match=f"^spec.json: .*{message}"):
        parse_spec(canonical_bytes(spec), "spec.json")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"colour": "red"}, "want no field 'colour': it is unknown here"),
        ({"features": [{"name": "x"}]}, r"field features\[0\]"),
        ({"features": [msgspec.to_builtins(INCOME) | {"note": ""}]}, r"field features\[0\]: want no field 'note'"),
        ({"features": [msgspec.to_builtins(INCOME) | {"sensitive": 0}]}, r"field features\[0\].sensitive"),
        ({"features": [msgspec.to_builtins(INCOME) | {"mean": 0}]}, r"field features\[0\].mean"),
        ({"use_ranges": "no"}, "field use_ranges"),
        ({"input_bits": 18.5}, "field input_bits"),
        ({"threshold": 0}, "field threshold"),
        ({"labels": "yes"}, "field labels"),
    ],
)
def test_documents_of_other_fields_are_refused(change, message):
    """Unknown fields and fields of another type are refused, naming file and field."""
    document = msgspec.to_builtins(LOANS) | change
    with pytest.raises(DocumentError, match=f"^spec.json: .*{message}"):
        parse_spec(json.dumps(document).encode(), "spec.json")


def test_names_of_one_other_script_are_fine():
    """A spec whose names are all of one script is read, whichever it is; units keep their own."""
    greek = changed(SEX, name="\u03c6\u03cd\u03bb\u03bf", domain=("\u03ac\u03bd\u03b4\u03c1\u03b1\u03c2", "1"))
    age = changed(INCOME, name="\u03b7\u03bb\u03b9\u03ba\u03af\u03b1")
    assert checked(changed(LOANS, features=(age, greek), labels=("\u03cc\u03c7\u03b9", "\u03bd\u03b1\u03b9")))


def test_the_largest_table_is_read_in_time_that_grows_with_it():
    """A sensitive number of 4096 long values, which anybody may publish, takes no work for each pair of values."""
    long = tuple(f"{number}.{'0' * 39}1" for number in range(4096))
    age = Feature("age", "numeric", "scaled", True, domain=long)
    counts = []
    tracer = sys.getprofile()
    sys.setprofile(lambda _frame, event, _arg: counts.append(1) if event == "call" else None)
    try:
        spec_of(INCOME, age, bits=(10, 30))
    finally:
        sys.setprofile(tracer)
    assert len(counts) < 200 * len(long)


def test_a_spec_reads_back_with_its_digest():
    """A spec reads back from its canonical bytes, and from any other spelling, with the same digest."""
    for spec in (LOANS, RATES):
        assert parse_spec(canonical_bytes(spec), "spec.json") == spec
        spelled = json.dumps(msgspec.to_builtins(spec), indent=2).encode()
        assert parse_spec(spelled, "spec.json").digest == spec.digest


@pytest.mark.parametrize("path", [("name",), ("labels", 0), ("features", 0, "unit"), ("features", 2, "domain", 1)])
def test_text_that_is_not_utf8_is_refused(path):
    """Bytes that are not UTF-8 are refused wherever text stands."""
    value = LOANS
    for step in path:
        value = value[step] if isinstance(step, int) else getattr(value, step)
    data = canonical_bytes(LOANS).replace(f'"{value}"'.encode(), b'"\xff\xfe"')
    with pytest.raises(DocumentError, match=r"^spec.json: "):
        parse_spec(data, "spec.json")


@pytest.mark.parametrize(
    "other",
    [
        changed(LOANS, name="other"),
        changed(LOANS, threshold="0.5"),
        changed(LOANS, labels=("granted", "declined")),
        income(unit="USD"),
        income(scale="12000.0"),
        income(range=("0", "1000000")),
        sex(sensitive=True, domain=("m", "f")),
        changed(LOANS, features=(INCOME, SEX, HOUSING)),
    ],
    ids=lambda spec: "",
)
def test_every_part_of_a_spec_enters_its_digest(other):
    """Changing any part of a spec, a unit or a spelling included, changes its digest."""
    assert checked(other).digest != LOANS.digest


@pytest.mark.parametrize(
    "name",
    ["in\u034fcome", "income\u3164", " income", "in  come", "inc\u043eme", "\uff49ncome", "e\u0301t\u00e9", "\u2800"],
    ids=ascii,
)
def test_names_that_look_like_others_are_refused(name):
    """Marks that show nothing, doubled blanks, mixed scripts that look alike and other normal forms are refused."""
    with pytest.raises(SpecError):
        checked(income(name=name))


@pytest.mark.parametrize("name", ["été", "доход", "収入", "income (gross), EUR/a", "Ünïcödé", "عمر"])
def test_names_of_any_one_language_are_names(name):
    """Names in whatever one language are accepted, as long as all features are named in it."""
    assert checked(changed(LOANS, features=(changed(INCOME, name=name), changed(SEX, name=f"{name} 2"))))


def test_hostile_names_are_quoted_in_errors():
    """A control character in a name is shown escaped, so that an error cannot write on a terminal."""
    with pytest.raises(SpecError) as caught:
        checked(income(name="\x1b[2J"))
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("spec", [income(unit="EUR\x1b[2J"), income(unit="\u202e"), changed(LOANS, name="a\nb")])
def test_every_text_that_is_shown_is_printable(spec):
    """Units and the spec's own name are shown to people and hold printable characters only."""
    with pytest.raises(SpecError):
        checked(spec)


@given(data=st.binary(max_size=40) | st.text(max_size=20).map(str.encode))
def test_reading_a_spec_raises_nothing_else(data):
    """Whatever the bytes are, a spec is read or DocumentError is raised."""
    with pytest.raises(DocumentError, match=r"^spec"):
        parse_spec(data, "spec.json")


@given(
    features=st.lists(
        st.builds(
            Feature,
            st.text(max_size=3),
            st.sampled_from(("numeric", "categorical")),
            st.sampled_from(("scaled", "rank", "one-hot")),
            st.booleans(),
            st.sampled_from(("0", "-1.5", "x", "9" * 18)),
            st.sampled_from(("1", "0.5", "0", "0." + "0" * 39 + "1", "9" * 18)),
            st.just("unit"),
            st.lists(st.sampled_from(("0", "1", "1.0", "a")), max_size=3).map(tuple),
            st.none() | st.just(("0", "1")),
        ),
        max_size=4,
    ).map(tuple),
    logits=st.integers(-1, 3),
    bits=st.tuples(st.integers(0, 26), st.integers(0, 42)),
)
def test_checking_a_spec_raises_nothing_else(features, logits, bits):
    """Whatever its fields are, a spec is refused with SpecError or has a table of distinct rows that fit its width."""
    labels = tuple(f"label {index}" for index in range(max(logits, 2)))
    spec = changed(
        LOANS, features=features, logits=logits, labels=labels, input_fraction_bits=bits[0], input_bits=bits[1]
    )
    with suppress(SpecError):
        assert_has_one_meaning(checked(spec))


def assert_has_one_meaning(spec):
    """Hold a checked spec's table to its width and to distinct rows."""
    limit = 1 << (spec.input_bits - 1)
    assert 2 <= len(set(spec.domain_table)) == len(spec.domain_table)
    assert all(-limit <= value < limit for row in spec.domain_table for value in row)
    assert {len(row) for row in spec.domain_table} == {spec.sensitive_columns}


def test_the_box_follows_from_the_spec():
    """Numbers keep to their range or to the width, ranks to first and last value, indicators to 0 and 1."""
    low, high = KEPT.box
    # Income (0 and 60000, mean 30000, scale 12000), savings (ranks 0 and 2, mean 1, scale 0.5), own, rent.
    assert low == (-2560, -2048, 0, 0)
    assert high == (2560, 2048, 1024, 1024)
    assert changed(KEPT, use_ranges=False).box is None
    unbounded = changed(KEPT, features=(INCOME, *KEPT.features[1:])).box
    assert (unbounded[0][0], unbounded[1][0]) == (-(1 << 17), (1 << 17) - 1)


@given(income=st.fractions(0, 60000), savings=st.sampled_from(SAVINGS.domain), housing=st.sampled_from(HOUSING.domain))
def test_every_row_that_has_a_query_is_in_the_box(income, savings, housing):
    """Rounding is monotone: no value in its range leaves the integers of the range's ends."""
    query = KEPT.encode({"income": f"{float(income):.6f}", "savings": savings, "housing": housing})
    assert all(low <= x <= high for x, low, high in zip(query, *KEPT.box, strict=True))


def test_scheme_traversal_does_not_know_ranges():
    """One line names the spec and what to ask for instead."""
    refuse_ranges("branch", KEPT)
    refuse_ranges("trees", KEPT)
    refuse_ranges("traversal", LOANS)
    with pytest.raises(SpecError, match=r"^spec 'kept' restricts neighbors to ranges .*: want --scheme branch$"):
        refuse_ranges("traversal", KEPT)


def test_ends_that_every_verifier_has():
    """A spec beyond them is refused in every program: they are the format's, and no setting."""
    assert (MAX_SLICES, MAX_FEATURES, MAX_TABLE) == (4096, 4096, 16384)
    for values, fits in ((128, True), (129, False)):
        group = changed(SEX, encoding="one-hot", domain=tuple(f"v{value}" for value in range(values)))
        if fits:
            assert sum(map(len, spec_of(INCOME, group).domain_table)) == 16384
        else:
            with pytest.raises(SpecError, match="16384"):
                spec_of(INCOME, group)


def test_what_is_missing_is_read_from_columns():
    """By the integer of a missing value, or by the mark, which stands behind the columns of its feature."""
    marked = spec_of(changed(INCOME, missing=Missing(mark=True)), changed(HOUSING, missing=Missing()), SEX)
    for spec in (LACKING, marked):
        for absent in ((), ("income",), ("housing",), ("income", "housing")):
            row = {"income": 30000, "housing": "own"} | dict.fromkeys(absent)
            assert spec.missing(spec.encode(row)) == set(absent)
    assert LOANS.missing(LOANS.encode({"income": 30000, "housing": "own"})) == set()
    # A mark that is not set is none, whatever the columns say.
    assert marked.missing((marked.absent, 0, 1024, 0)) == set()


def test_words_for_a_missing_value_are_those_of_its_feature():
    """Each once, none where the usual ones are said."""
    words = [feature.missing_words for feature in (INCOME, *LACKING.plain_features)]
    assert words == [(), (), ("nicht angegeben",)]
    assert changed(HOUSING, missing=Missing(en="left blank", de="left blank")).missing_words == ("left blank",)


def test_missing_values_go_with_the_models_that_know_them():
    """Networks need a mark, and models of scheme trees do without: each refusal names the feature and what to write."""
    marked = spec_of(HOUSING, changed(INCOME, missing=Missing(mark=True)), SEX)
    for spec in (LOANS, marked):
        refuse_missing(spec)
    for spec in (LOANS, LACKING):
        refuse_marks(spec)
    with pytest.raises(SpecError, match=r"^feature 'income': write .mark.: true into missing"):
        refuse_missing(LACKING)
    with pytest.raises(SpecError, match=r"^feature 'income': leave mark out of missing"):
        refuse_marks(marked)


@pytest.mark.parametrize(
    ("value", "own", "wrong"),
    [
        ("Not stated", {}, '\'Not stated\'.*"en": "left blank"'),
        ("keine Angabe", {}, '\'keine Angabe\'.*"de": "nicht ausgef\u00fcllt"'),
        ("not stated", {"en": "unknown"}, None),
        ("not stated", {"de": "unbekannt"}, "'not stated'.*left blank"),
        ("none", {}, None),
    ],
)
def test_a_value_that_reads_as_missing_is_refused_by_name(value, own, wrong):
    """In either language, but for words of the spec's own; where nothing may be missing, no value reads so."""
    feature = changed(HOUSING, domain=(value, "rent"))
    spec = spec_of(INCOME, changed(feature, missing=Missing(**own)), SEX)
    refuse_told_as_value(spec_of(INCOME, feature, SEX))
    if wrong is None:
        refuse_told_as_value(spec)
    else:
        with pytest.raises(SpecError, match=f"^feature 'housing': empty the cells that say {wrong}"):
            refuse_told_as_value(spec)


def test_a_file_of_another_kind_is_named_as_what_it_is(tmp_path):
    """With the path that was given; of a spec alone its own mistakes are told."""
    path = tmp_path / "x.json"
    path.write_bytes(canonical_bytes(LOANS))
    assert load_spec(path) == LOANS
    path.write_text('{"format":"equiproof-commitment","version":2}')
    with pytest.raises(DocumentError, match=r"x\.json: .*commitment"):
        load_spec(path)


def test_the_largest_input_is_that_of_the_range_and_no_other():
    """A mark goes with ranges that hold 0, their ends included."""
    for low, high in (("30000", "60000"), ("0", "30000"), ("0", "60000")):
        spec = spec_of(changed(INCOME, range=(low, high), missing=Missing(mark=True)), SEX, use_ranges=True)
        assert spec.encode({"income": None}) == (0, spec.mark)
    for low, high in (("30012", "60000"), ("0", "29988")):
        with pytest.raises(SpecError, match="'income'"):
            checked(spec_of(changed(INCOME, range=(low, high), missing=Missing(mark=True)), SEX, use_ranges=True))
