"""The encodings in TypeScript: what bars promise of any of them, and logarithms that are Python's to the bit.

Every run draws the same; `EQUIPROOF_FUZZ=n` draws n times as many from a fresh seed.
"""

import json
import os
import re
from datetime import date
from decimal import Decimal, localcontext
from fractions import Fraction

import msgspec
import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.encodings.log import logarithm
from equiproof.circuits.field import to_hex
from equiproof.circuits.spec import Feature, SpecError, checked
from equiproof.circuits.tables import LANGUAGES
from equiproof.verifier import parse_query
from equiproof.verifier.bars import bars
from equiproof.verifier.documents import QueryDocument
from equiproof.verifier.words import Words
from tests.support import INCOME, LOANS, ROOT, SEX, changed, spec_of
from tests.web.logarithms import drawn_logarithms
from tests.web.test_agreement import expected, generator, written

VECTORS = json.loads((ROOT / "tests" / "vectors" / "encodings.json").read_text(encoding="ascii"))
SPECS = {name: json.dumps(document) for name, document in VECTORS["specs"].items()}
TIMES = int(os.environ.get("EQUIPROOF_FUZZ", "0")) or 1
LEAST, MOST = Decimal("1e-19"), Decimal(1 << 63)
"""The ends of what is drawn: nearer to those of all logarithms, a bar may have no end behind the value."""

OFFSETS = ("0", "0", "1", "-7.25", "0.5", "1000", "123456789012345678", "-0.0000000001")

RATE = Feature("rate", "numeric", "log", False, mean="-5", scale="0.8", range=("0.001", "1"), offset="0")
"""A rate of interest, whose logarithm a model was trained on."""

RATES_RADIUS = 400**2
"""A squared radius under which a rate of 0.02 moves by less than a quarter."""


def drawn(rng, least, most):
    """Return a decimal above 0, of a few digits, whose last place is between two places."""
    return Decimal(rng.randrange(1, 10 ** rng.choice((1, 3, 9)))).scaleb(rng.randint(least, most))


def ends(rng, own, *others):
    """Return a range that holds a value, or none."""
    return None if rng.random() < 0.5 else (f"{min(own, *others):f}", f"{max(own, *others):f}")


def scaled(rng):
    """Return the fields of a scaled feature, and a value of it."""
    own = drawn(rng, -12, 6) * rng.choice((1, -1))
    between = ends(rng, own, own - drawn(rng, -12, 5), own + drawn(rng, -12, 5))
    return {"mean": f"{drawn(rng, -3, 5):f}", "scale": f"{drawn(rng, -12, 7):f}", "range": between}, f"{own:f}"


def log(rng):
    """Return the fields of a log feature, and a value of it: of any size, and behind any offset."""
    offset = Decimal(rng.choice(OFFSETS))
    first, *others = (
        min(max(number, LEAST), MOST)
        for number in (
            rng.choice((drawn(rng, -20, 18), drawn(rng, -3, 6), Decimal(2) ** rng.randint(-20, 63))),
            drawn(rng, -20, 18),
            drawn(rng, -3, 6),
        )
    )
    level = logarithm(Fraction(first))
    mean = rng.choice((str(rng.randint(-60, 60)), f"{float(level):.6f}"))
    with localcontext(prec=200):
        between = ends(rng, *(number - offset for number in (first, *others)))
        own = first - offset
    scale = drawn(rng, *rng.choice(((-3, 0), (-20, 8), (-40, -20))))
    return {"mean": mean, "scale": f"{scale:f}", "range": between, "offset": f"{offset:f}"}, f"{own:f}"


def category(rng):
    """Return the fields of a category, and a value of it."""
    domain = tuple(f"value {number}" for number in range(rng.randint(1, 6)))
    return {"mean": "0", "scale": f"{drawn(rng, -3, 1):f}", "domain": domain}, rng.choice(domain)


DRAWN = {"scaled": scaled, "log": log, "rank": category, "one-hot": category}
"""How fields and a value are drawn, by the name of the encoding."""


def case(rng, names):
    """Return a spec with a feature of each of these encodings, a row that it accepts, and a squared radius."""
    fraction = rng.randint(1, 22)
    fields = {"bits": (fraction, rng.randint(fraction + 2, 40)), "use_ranges": rng.random() < 0.4}
    features, row = [], {}
    while len(features) < len(names):
        encoding = names[len(features)]
        own, value = DRAWN[encoding](rng)
        name, kind = f"feature {len(features)}", ENCODINGS[encoding].kind
        numeric = {"unit": "EUR", "whole": True} if kind == "numeric" and rng.random() < 0.3 else {}
        feature = Feature(name, kind, encoding, False, **own, **numeric)
        try:
            spec_of(feature, SEX, **fields).encode({name: value})
        except SpecError:
            continue
        features.append(feature)
        row[name] = value
    spec = spec_of(*features, SEX, **fields)
    largest = spec.max_radius_squared
    return spec, row, rng.choice((0, rng.randrange(largest) >> rng.randint(0, largest.bit_length()), largest))


def test_a_case_is_drawn_for_every_encoding(package):
    """The table is Python's, in its order, and none of its encodings is left out below."""
    assert package.call("encodings") == list(ENCODINGS)
    assert set(DRAWN) == set(ENCODINGS)


@pytest.mark.parametrize("name", ENCODINGS)
def test_bars_keep_their_promises(package, name):
    """What a bar shows lies inside its ends, these inside the radius, and a little behind them nothing does."""
    rng, moving = generator(f"promises of {name}"), 0
    for _ in range(60 * TIMES):
        spec, row, radius = case(rng, [name] * 3)
        assert package.call("broken", written(spec), str(radius), json.dumps(row)) == [], (written(spec), row, radius)
        moving += any(bar["kind"] != "none" for bar in bars(spec, radius, row, Words("en")))
    assert moving > 10


@pytest.mark.parametrize("question", ["all", "span", "interval", "movedAlone"])
def test_an_encoding_that_forgets_its_reach_breaks_them(package, question):
    """The promises refuse logarithms that answer this question, or all but that of columns, as numbers do."""
    spec = spec_of(RATE, SEX, bits=(10, 18))
    asked = [written(spec), str(RATES_RADIUS), json.dumps({"rate": "0.02"})]
    assert package.call("broken", *asked) == []
    assert package.call("broken_by_forgetting", question, *asked) != []
    assert package.call("broken", *asked) == []


def answers(package, spec, row, radius):
    """Compare all that follows from a spec and a row that Python accepts."""
    document, made = written(spec), canonical_bytes(QueryDocument("equiproof-query", 2, row, "0" * 64))
    asked = [document, 1, str(radius), made.decode()]
    assert package.call("facts", *asked) == expected(spec, 1, radius, parse_query(made, "query")), asked
    for language in LANGUAGES:
        for values in (row, None):
            given = None if values is None else json.dumps(values)
            wanted = bars(spec, radius, values, Words(language))
            assert package.call("bars_of", document, str(radius), given, language) == wanted, asked
    ends = {one.name: ENCODINGS[one.encoding].shown_ends(spec, one) for one in spec.plain_features}
    wanted = {name: both and [f"{end:,f}" for end in both] for name, both in ends.items()}
    assert package.call("shown_ends", document) == wanted, asked


def test_what_is_said_is_what_python_says(package):
    """Columns, words of certificates and bars of features of every encoding are equal."""
    rng = generator("reaches")
    for _ in range(30 * TIMES):
        answers(package, *case(rng, rng.choices(list(ENCODINGS), k=6)))


def test_fields_that_are_left_out(package):
    """A spec without the fields that may be absent says what it says with what stands for them."""
    spec = spec_of(changed(INCOME, mean="0", scale="1", unit=""), SEX, bits=(4, 16))
    document = json.loads(written(spec))
    absent = {"mean": "0", "scale": "1", "unit": "", "domain": [], "range": None}
    own, *others = document["features"]
    assert own.items() >= absent.items()
    least = document | {"features": [{name: own[name] for name in own.keys() - absent.keys()}, *others]}
    for name, value in (("threshold", "0"), ("weight_bits", [16, 16]), ("allow_loss", False)):
        assert least.pop(name) == value, name
    asked = [str((3 * spec.scale_unit) ** 2), json.dumps({"income": "5"})]
    for question in ("intervals_of", "lengths_of", "columns_of", "table_of", "shown_ends"):
        words = {"intervals_of": asked, "lengths_of": asked[:1], "columns_of": asked[1:]}.get(question, [])
        with_all = package.call(question, json.dumps(document), *words)
        assert package.call(question, json.dumps(least), *words) == with_all, question
    made = canonical_bytes(QueryDocument("equiproof-query", 2, {"income": "5"}, "0" * 64)).decode()
    assert package.call("facts", json.dumps(least), 1, asked[0], made)["spec_digest"] == to_hex(spec.digest)


@pytest.mark.parametrize("count", range(1, 5))
def test_ranks_at_each_whole_step(package, count):
    """Radii on a whole number of ranks, a little below and a little above, from none of them to more than all."""
    feature = Feature("grade", "categorical", "rank", False, mean="0", scale="1", domain=tuple("abcd"[:count]))
    spec = spec_of(feature, SEX)
    unit = spec.scale_unit
    for steps in range(count + 2):
        for radius in (steps * unit - 1, steps * unit, steps * unit + 1):
            lost = radius + 2  # what real values lose to rounding
            answers(package, spec, {"grade": "abcd"[count // 2]}, lost**2)


def days(rng, name):
    """Return a number of days with a start in any year, and a value of it: of any year, or beside all of them."""
    start = date.fromordinal(rng.randint(1, date.max.toordinal())).isoformat()
    own = rng.choice((rng.randint(-2000, 2000), rng.randint(-(4 * 10**6), 4 * 10**6)))
    value = f"{own}{rng.choice(('', '', '.0', '.5'))}"
    between = ends(
        rng, *(Decimal(value) + Decimal(rng.randint(-(10**7), 10**7)) / 10 for _ in range(2)), Decimal(value)
    )
    scale = f"{drawn(rng, -3, 4):f}"
    feature = Feature(name, "numeric", "scaled", False, mean=str(own), scale=scale, range=between, unit="days")
    return changed(feature, whole=True, start=start), value


def test_dates_are_those_that_python_says(package):
    """From any start, in any year, and numbers where one of those of a bar is no date."""
    rng, dates = generator("days"), [0, 0]
    for _ in range(20 * TIMES):
        names = ("opened", "due", "met")
        features, values = zip(*(days(rng, name) for name in names), strict=True)
        spec = spec_of(*features, SEX, bits=(10, 40), use_ranges=rng.random() < 0.4)
        row = dict(zip(names, values, strict=True))
        radius = rng.choice((0, rng.randrange(10**4), rng.randrange(10**8)))
        if refusal(spec, row) is not None:
            continue
        answers(package, spec, row, radius)
        for bar in bars(spec, radius, row, Words("en")):
            dates[" " in bar["own"]] += 1
    assert min(dates) > 5


STARTS = (
    *("2023-02-29", "1900-02-29", "2024-02-29", "2000-13-01", "2000-00-10", "0000-01-01", "0001-01-01", "9999-12-31"),
    *("10000-01-01", "+2000-01-01", "2000-1-01", " 2000-01-01"),
)


@pytest.mark.parametrize("start", STARTS)
def test_a_start_is_a_date_for_both(package, start):
    """Days that a month does not have are those of no other."""
    feature = Feature("opened", "numeric", "scaled", False, unit="days", whole=True)
    spec = spec_of(feature, SEX)
    document = written(changed(spec, features=(changed(feature, start=start), SEX)))
    wanted = refusal(changed(spec, features=(changed(feature, start=start), SEX)), {"opened": "5"})
    answer = package.ask("call", name="columns_of", words=[document, json.dumps({"opened": "5"})])
    assert said(answer.get("message", "")) == said(wanted or "")


def test_the_ends_of_what_specs_may_have(package):
    """Whatever offsets, scales and values are, what Python accepts has its answers, and all else its refusals."""
    rng, refused = generator("ends"), [0, 0]
    for _ in range(150 * TIMES):
        spec, drawn_row = drawn_logarithms(rng)
        # Programs write a float that is a whole number in ways of their own.
        row = {
            name: str(one) if isinstance(one, float) and one.is_integer() else one for name, one in drawn_row.items()
        }
        largest = spec.max_radius_squared
        radius = rng.choice((0, rng.randrange(10**5), rng.randrange(largest), largest))
        wanted = refusal(spec, row)
        if wanted is None:
            answers(package, spec, row, radius)
        else:
            answer = package.ask("call", name="columns_of", words=[written(spec), json.dumps(row)])
            assert (answer.get("exception"), said(answer.get("message", ""))) == ("SpecError", said(wanted)), (
                spec,
                row,
            )
        refused[wanted is not None] += 1
    assert min(refused) > 20 * TIMES, refused


def refusal(spec, row):
    """Return why Python refuses a spec or a row under it, None where it accepts both."""
    try:
        checked(spec).encode(row)
    except SpecError as error:
        return str(error)
    return None


def said(message):
    """Return a refusal without what programs word in their own way: by how much a column is too large."""
    return re.sub(": .* from the mean.*", ": too large", message)


@pytest.mark.parametrize(
    "value", ["18446744073709551616", "18446744073709551615", "1e-19", "0.00000000000000000006", "1"]
)
def test_at_the_ends_of_logarithms(package, value):
    """Where no further number has a logarithm, bars end as in Python."""
    spec = spec_of(changed(RATE, range=None, mean="0", scale="3"), SEX, bits=(10, 30))
    for radius in (50, 200**2, 3000**2, spec.max_radius_squared):
        wanted = bars(spec, radius, {"rate": value}, Words("en"))
        assert package.call("bars_of", written(spec), str(radius), json.dumps({"rate": value}), "en") == wanted


def test_logarithms_are_those_of_python(package):
    """Numbers of any size, next to powers of two and on them, have the same logarithm to the last of its steps."""
    rng, numbers = generator("logarithms"), ["1", "2", "0.5", "3", "0.1", str(1 << 64), str((1 << 64) - 1)]
    for _ in range(500 * TIMES):
        number = drawn(rng, -20, 18)
        with localcontext(prec=200):
            near = Decimal(2) ** rng.randint(-20, 64) + drawn(rng, -40, -12) * rng.choice((1, -1))
        numbers += [f"{one:f}" for one in (number, near) if LEAST <= one <= MOST]
    wanted = [str(logarithm(Fraction(number)) * (1 << 40)) for number in numbers]
    assert package.call("levels", numbers) == wanted


def test_the_published_logarithms_and_columns(package):
    """Numbers, rows and joint values of the vectors have the columns that stand there."""
    cases = VECTORS["logarithms"]
    assert package.call("levels", [case["number"] for case in cases]) == [case["steps"] for case in cases]
    for case in VECTORS["rows"]:
        wanted = [str(column) for column in case["columns"]]
        assert package.call("columns_of", SPECS[case["spec"]], json.dumps(case["row"])) == wanted, case
    for case in VECTORS["domains"]:
        wanted = [[str(column) for column in row] for row in case["table"]]
        assert package.call("table_of", SPECS[case["spec"]]) == wanted, case["spec"]


def test_the_published_words(package):
    """Words of certificates and intervals are those of the vectors."""
    for case in VECTORS["readings"]:
        wanted = {"features": case["features"], "ranges": case["ranges"]}
        assert package.call("lengths_of", SPECS[case["spec"]], str(case["radius_squared"])) == wanted, case["spec"]
    for case in VECTORS["intervals"]:
        asked = [SPECS[case["spec"]], str(case["radius_squared"]), json.dumps(case["row"])]
        assert package.call("intervals_of", *asked) == case["intervals"], case


def test_the_published_refusals(package):
    """Rows and specs of the vectors are refused with the line that stands there."""
    for case in VECTORS["refused_rows"]:
        answer = package.ask("call", name="columns_of", words=[SPECS[case["spec"]], json.dumps(case["row"])])
        assert (answer["exception"], said(answer["message"])) == ("SpecError", said(case["message"])), case
    for case in VECTORS["refused_specs"]:
        answer = package.ask("call", name="table_of", words=[json.dumps(case["spec"])])
        assert (answer["exception"], answer["message"]) == ("SpecError", case["message"]), case["what"]


BAD_SPECS = {
    "no offset": {"offset": msgspec.UNSET},
    "no decimal": {"offset": "1e3"},
    "an end at minus the offset": {"offset": "-0.001"},
    "an end below minus the offset": {"offset": "-0.5"},
    "an end above": {"range": ("1", "18446744073709551617")},
    "too far from the mean": {"range": None, "mean": "999999999", "scale": "0.000001"},
    "an offset of another encoding": {"encoding": "scaled"},
    "an unknown value of a domain": {"sensitive": True, "range": None, "domain": ("0", "1")},
}


@pytest.mark.parametrize("what", BAD_SPECS)
def test_what_a_spec_with_logarithms_cannot_say(package, what):
    """A spec that Python refuses is refused with the same line."""
    fields = spec_of(RATE, LOANS.plain_features[0], SEX, bits=(10, 18))
    with pytest.raises(SpecError) as error:
        checked(changed(fields, features=(changed(RATE, **BAD_SPECS[what]), *fields.features[1:])))
    wrong = changed(fields, features=(changed(RATE, **BAD_SPECS[what]), *fields.features[1:]))
    answer = package.ask("call", name="shown_ends", words=[written(wrong)])
    assert (answer["exception"], answer["message"]) == ("SpecError", str(error.value))
    assert len(answer["message"]) <= 400
    assert "\n" not in answer["message"]


@pytest.mark.parametrize("value", ["-1", "-1.5", "18446744073709551616", 0.0, "one", "-0.99999999999999999999999"])
def test_values_without_a_logarithm(package, value):
    """A value that has no logarithm, and one that is no number, is refused by name, with Python's line."""
    spec = spec_of(changed(RATE, range=None, offset="1", mean="0", scale="9"), SEX, bits=(10, 18))
    answer = package.ask("call", name="columns_of", words=[written(spec), json.dumps({"rate": value})])
    try:
        wanted = {"value": [str(column) for column in spec.encode({"rate": value})]}
    except SpecError as error:
        wanted = {"exception": "SpecError", "reason": None, "message": str(error)}
    assert answer == wanted
    assert (value == 0.0) == ("value" in wanted)


@pytest.mark.parametrize("value", ["-1e9", "123456.7", 1234567, 999999.5, "1e30", "-100", 99.5, 250000, "50.00001"])
@pytest.mark.parametrize("feature", [INCOME, changed(INCOME, scale="0.0000001"), changed(RATE, range=None)])
def test_values_too_far_from_the_mean(package, feature, value):
    """A value that the columns do not hold is refused with the value that was given, with Python's line."""
    spec = spec_of(changed(feature, name="own", mean="50"), SEX, bits=(10, 12))
    answer = package.ask("call", name="columns_of", words=[written(spec), json.dumps({"own": value})])
    try:
        wanted = {"value": [str(column) for column in spec.encode({"own": value})]}
    except SpecError as error:
        wanted = {"exception": "SpecError", "reason": None, "message": str(error)}
    assert answer == wanted
