"""What logarithms and days become: columns, words and refusals, the same integers and dates in every program."""

from __future__ import annotations

import json
from fractions import Fraction
from math import isqrt
from typing import Any

import msgspec

from equiproof.circuits.encodings.log import logarithm
from equiproof.circuits.encodings.missing import Missing
from equiproof.circuits.spec import Feature, Spec, SpecError, SpokenFeature, SpokenSpec, checked
from equiproof.circuits.units import interval, radius_of_any
from equiproof.verifier.reading import Reading
from equiproof.verifier.words import decimal_text
from tests.support import SEX, changed, spec_of

FILE = "encodings.json"


def _log(name: str, mean: str, scale: str, offset: str, unit: str = "", **fields: Any) -> Feature:
    return Feature(name, "numeric", "log", False, mean=mean, scale=scale, offset=offset, unit=unit, **fields)


WEALTH = _log("wealth", "15", "2", "1", "EUR", whole=True)
RATE = _log("rate", "-5", "0.8", "0", range=("0.0010", "1"))
CHANGE = _log("change", "2", "0.75", "12.5", "%")
SPREAD = _log("spread", "-20", "0.01", "-0.5", "EUR or more")
YEARS = changed(_log("years", "3", "1", "0.25", "years"), sensitive=True, domain=("0", "1.5", "40", "2.25"))
INCOME = Feature("income", "numeric", "scaled", False, mean="2500", scale="340.7")
OPENED = Feature(*("opened", "numeric", "scaled", False, "8800", "900"), unit="days", whole=True, start="2000-01-01")
DUE = changed(OPENED, name="due", unit="day", start="9998-02-28", range=("-0.5", "400.5"))
FOUNDED = changed(OPENED, name="founded", mean="-730000", scale="90")
SAVINGS = Feature("savings", "categorical", "rank", False, domain=("none", "low", "high"), missing=Missing())
PURPOSE = Feature("purpose", "categorical", "one-hot", False, domain=("car", "home"), missing=Missing(de="offen"))
LACKING = (
    changed(WEALTH, missing=Missing()),
    changed(INCOME, missing=Missing("not known", "unbekannt")),
    SAVINGS,
    PURPOSE,
)
MARKED = tuple(changed(one, missing=msgspec.structs.replace(one.missing, mark=True)) for one in LACKING)
"""The same features, each with a column that says whether it is missing."""

SPECS = {
    "factors": spec_of(WEALTH, RATE, CHANGE, SPREAD, INCOME, YEARS, SEX, name="factors", bits=(12, 22)),
    "kept": spec_of(WEALTH, RATE, CHANGE, SPREAD, INCOME, SEX, name="kept", bits=(10, 15), use_ranges=True),
    "wide": spec_of(WEALTH, changed(RATE, range=None), SEX, name="wide", bits=(10, 30), use_ranges=True),
    "dates": spec_of(OPENED, DUE, FOUNDED, INCOME, SEX, name="dates", bits=(10, 18)),
    "kept dates": spec_of(OPENED, DUE, FOUNDED, INCOME, SEX, name="kept dates", bits=(10, 15), use_ranges=True),
    "missing": spec_of(*LACKING, SEX, name="missing", bits=(12, 22)),
    "kept missing": spec_of(*LACKING, SEX, name="kept missing", bits=(10, 15), use_ranges=True),
    "marked": spec_of(*MARKED, SEX, name="marked", bits=(12, 22)),
    "kept marked": spec_of(*MARKED, SEX, name="kept marked", bits=(10, 16), use_ranges=True),
    "partly marked": spec_of(MARKED[0], INCOME, SAVINGS, MARKED[3], SEX, name="partly marked", bits=(12, 22)),
    "kept beside": spec_of(INCOME, SAVINGS, SEX, name="kept beside", bits=(10, 15), use_ranges=True),
    "spoken": changed(
        spec_of(
            changed(WEALTH, en=SpokenFeature(unit="euro"), de=SpokenFeature("Verm\u00f6gen", "Euro")),
            changed(INCOME, de=SpokenFeature("Einkommen")),
            changed(SEX, de=SpokenFeature("Geschlecht")),
            name="spoken",
            bits=(12, 22),
            labels=("no", "yes"),
        ),
        de=SpokenSpec(("abgelehnt", "bewilligt")),
    ),
}

ROWS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("factors", {"wealth": 48000, "rate": 0.02, "change": "-3.75", "spread": "0.500001", "income": 2410}),
    ("factors", {"wealth": 0, "rate": "0.001", "change": -12.4999, "spread": "0.50000095", "income": "2410.50"}),
    ("factors", {"wealth": 7, "rate": "1.0", "change": 3.5, "spread": 0.5000009, "income": -3}),
    ("kept", {"wealth": 48000, "rate": 0.02, "change": "-3.75", "spread": "0.500001", "income": 2410}),
    ("kept", {"wealth": 999999999, "rate": 0.5, "change": 10000, "spread": "0.50000101", "income": 0}),
    ("wide", {"wealth": "18446744073709551615", "rate": "0.0000000000000000000542101086242752218"}),
    ("wide", {"wealth": "1e18", "rate": "1e19"}),
    ("wide", {"wealth": 0.1, "rate": "1e-7"}),
    ("dates", {"opened": 8839, "due": "0", "founded": -730000, "income": 2410}),
    ("dates", {"opened": "8839.0", "due": 305.5, "founded": "-730119", "income": 2410}),
    ("dates", {"opened": 59, "due": "306.0", "founded": -730120, "income": 2410}),
    ("kept dates", {"opened": 8839, "due": 1, "founded": -730000, "income": 2410}),
    ("missing", {"wealth": 48000, "income": 2410, "savings": "low", "purpose": "car"}),
    ("missing", {"income": 2410, "purpose": "home"}),
    ("missing", {}),
    ("kept missing", {"wealth": 1000, "savings": "none"}),
    ("kept missing", {"income": 7950, "purpose": "car"}),
    ("marked", {"wealth": 48000, "income": 2410, "savings": "low", "purpose": "car"}),
    ("marked", {"income": 2410, "purpose": "home"}),
    ("marked", {}),
    ("kept marked", {"wealth": 1000, "savings": "none"}),
    ("partly marked", {"income": 7950}),
    ("partly marked", {"income": 7950, "savings": "high", "purpose": "car"}),
    ("partly marked", {"income": "176938.2"}),
    ("kept beside", {"income": 7950}),
)

BAD_ROWS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("wide", {"wealth": -1, "rate": 1}),
    ("wide", {"wealth": "-1.5", "rate": 1}),
    ("wide", {"wealth": "18446744073709551615.5", "rate": 1}),
    ("wide", {"wealth": 1, "rate": 0}),
    ("wide", {"wealth": 1, "rate": "0.00000000000000000005421"}),
    ("wide", {"wealth": 1, "rate": "much"}),
    ("wide", {"wealth": "-1." + "12345" * 9, "rate": 1}),
    ("factors", {"wealth": 1, "rate": "1." + "12345" * 9, "change": 1, "spread": 1, "income": 1}),
    ("factors", {"wealth": 1, "rate": 1.5, "change": 1, "spread": 1, "income": 1}),
    ("kept", {"wealth": 1, "rate": "0.5", "change": 1, "spread": 1, "income": 1}),
    ("dates", {"opened": "2024-03-14", "due": 1, "founded": -730000, "income": 1}),
    ("kept missing", {"income": "7951.05"}),
    ("missing", {"income": "not known"}),
    ("missing", {"purpose": "offen"}),
    ("marked", {"income": "not known"}),
    ("partly marked", {"wealth": 1}),
    # The integer of a missing value is none of a stated one, also where a value is never missing.
    ("partly marked", {"income": "176938.3"}),
    ("kept beside", {"income": "7950.8"}),
)

BAD_FEATURES: tuple[tuple[str, Any], ...] = (
    ("no offset", changed(WEALTH, offset=msgspec.UNSET)),
    ("an offset of a scaled number", changed(INCOME, offset="0")),
    ("an offset of ranks", Feature("savings", "categorical", "rank", False, domain=("none", "low"), offset="1")),
    ("an offset of indicators", Feature("purpose", "categorical", "one-hot", False, domain=("a", "b"), offset="0")),
    ("an offset with an exponent", changed(WEALTH, offset="1e3")),
    ("an offset that is empty", changed(WEALTH, offset="")),
    ("an end without a logarithm", changed(RATE, range=("0", "1"))),
    ("an offset that is too small", changed(RATE, offset="-0.5")),
    ("an offset and an end of many digits", changed(RATE, offset="-9." + "6" * 40, range=("1." + "3" * 40, "20"))),
    ("a value of a domain without a logarithm", changed(YEARS, domain=("1.5", "-0.25"))),
    ("a mean that no logarithm is near", changed(WEALTH, mean="1000", scale="0.001")),
    ("a mean below all logarithms", changed(WEALTH, mean="-1000", scale="0.001")),
    ("a scale too small for six digits", changed(WEALTH, mean="15.1", scale="0.0000000000001")),
    ("a category", Feature("savings", "categorical", "log", False, domain=("none", "low"), offset="1")),
    ("a start that no month has", changed(OPENED, start="2023-02-29")),
    ("a start before the first year", changed(OPENED, start="0000-01-01")),
    ("a start in another notation", changed(OPENED, start="31.01.2000")),
    ("a start in letters", changed(OPENED, start="1 January 2000, in the morning and no later")),
    ("a start in other digits", changed(OPENED, start="\u0662\u0660\u0660\u0660-01-01")),
    ("a start with a time", changed(OPENED, start="2000-01-01T00:00:00")),
    ("a start without hyphens", changed(OPENED, start="20000101")),
    ("a start that is empty", changed(OPENED, start="")),
    ("a start of months", changed(OPENED, unit="months")),
    ("a start without a unit", changed(OPENED, unit="")),
    ("a start of a number that has a fraction", changed(OPENED, whole=msgspec.UNSET)),
    ("a start of a logarithm", changed(WEALTH, unit="days", start="2000-01-01")),
    ("a start of a sensitive number", changed(YEARS, encoding="scaled", offset=msgspec.UNSET, start="2000-01-01")),
    ("a sensitive feature that may be missing", changed(YEARS, missing=Missing())),
    ("a missing value that is called by a number", changed(INCOME, missing=Missing("0 EUR"))),
    ("a missing value that is called by a value", changed(PURPOSE, missing=Missing(de="car"))),
    ("a missing value that is called by nothing", changed(PURPOSE, missing=Missing(""))),
    (
        "a missing value that looks like a value",
        changed(PURPOSE, domain=("coop", "home"), missing=Missing("\u0441\u043e\u043e\u0440")),
    ),
    ("a mark that is false", changed(PURPOSE, missing=Missing(mark=False))),
    ("a mark of a sensitive feature", changed(YEARS, missing=Missing(mark=True))),
    ("a mark beside a range without the mean", changed(DUE, range=("9000", "9400"), missing=Missing(mark=True))),
    ("a mark beside ranges below the mean", changed(DUE, range=("1", "8799"), missing=Missing(mark=True))),
    ("a translation that is another feature's name", changed(WEALTH, de=SpokenFeature("income"))),
    ("a translation with two blanks in a row", changed(WEALTH, en=SpokenFeature("net  wealth"))),
    ("a translation of nothing", changed(WEALTH, de=SpokenFeature(""))),
    ("a translated unit of a number without one", changed(RATE, de=SpokenFeature(unit="Euro"))),
    ("a unit that is translated as none", changed(WEALTH, de=SpokenFeature(unit=""))),
    ("a translated unit with digits", changed(WEALTH, en=SpokenFeature(unit="1000 EUR"))),
    ("a start of ranks", Feature("day", "categorical", "rank", False, domain=("a", "b"), start="2000-01-01")),
)

_GERMAN = SpokenSpec(("abgelehnt", "bewilligt"))
BAD_SPECS = (
    ("a mark wider than the columns", changed(SPECS["marked"], input_bits=17)),
    ("translations of more labels", changed(SPECS["spoken"], de=SpokenSpec((*_GERMAN.labels, "offen")))),
    ("translations of fewer labels", changed(SPECS["spoken"], en=SpokenSpec(("refused",)))),
    ("two labels of one translation", changed(SPECS["spoken"], de=SpokenSpec(("bewilligt", "bewilligt")))),
    ("a label that is translated as another one", changed(SPECS["spoken"], de=SpokenSpec(("yes", "no")))),
    ("a label that another language calls another", changed(SPECS["spoken"], en=SpokenSpec(("bewilligt", "refused")))),
    ("a translation of a label of blanks", changed(SPECS["spoken"], de=SpokenSpec(("abgelehnt ", "bewilligt")))),
    ("a label in look-alike letters", changed(SPECS["spoken"], de=SpokenSpec(("abgelehnt", "\u0430bgelehnt")))),
)

ROOTS = (-1234, -97, -60, 0, 100, 350, 1200)
"""R2 of readings are squares of 2048 and these together, or the largest one."""


def _levels() -> list[dict[str, str]]:
    """Return numbers, and how many steps of 2^-40 their logarithms are."""
    numbers = [Fraction(2) ** power for power in (-64, -63, -20, -1, 0, 1, 2, 10, 63, 64)]
    numbers += [power * (1 + sign * Fraction(1, 10**30)) for power in numbers[2:8] for sign in (-1, 1)]
    numbers += map(Fraction, ("3", "0.1", "0.02", "1e-19", "41001", "18446744073709551615", "123456789.000000001"))
    for bits in (60, 140, 300):
        root = Fraction(isqrt(2 << 2 * bits), 1 << bits)
        numbers += [root, root + Fraction(1, 1 << bits)]
    return [{"number": decimal_text(one), "steps": str(logarithm(one) * 2**40)} for one in numbers]


def _row(name: str, row: dict[str, Any]) -> dict[str, Any]:
    """Return a row's columns."""
    return {"spec": name, "row": row, "columns": SPECS[name].encode(stated(SPECS[name], row))}


def stated(spec: Spec, row: dict[str, Any]) -> dict[str, Any]:
    """Return a row of the file as the prover's side has it: None where a value is missing."""
    return {one.name: None for one in spec.plain_features if one.may_miss} | row


def _refusal(spec: Spec, row: dict[str, Any]) -> str:
    """Return why a row is refused."""
    try:
        spec.encode(stated(spec, row))
    except SpecError as error:
        return str(error)
    raise AssertionError(row)


def _reading(name: str, squared: int) -> dict[str, Any]:
    """Return the words of a squared radius."""
    found = Reading.of(SPECS[name], 0, squared)
    ranges = None if isinstance(found.ranges, msgspec.UnsetType) else found.ranges
    return {"spec": name, "radius_squared": squared, "features": found.features, "ranges": ranges}


def _intervals(name: str, row: dict[str, Any], squared: int) -> dict[str, Any]:
    """Return the intervals of a row's values in words."""
    spec = SPECS[name]
    radius = radius_of_any(spec, squared)
    said = {one.name: interval(spec, one, radius, row.get(one.name)) for one in spec.plain_features}
    return {"spec": name, "row": row, "radius_squared": squared, "intervals": said}


def _with(feature: Feature) -> Spec:
    """Return a wide spec with a feature."""
    others = (SEX,) if feature.name == INCOME.name else (INCOME, SEX)
    return changed(SPECS["wide"], features=(feature, *others))


def _bad_spec(what: str, spec: Spec) -> dict[str, Any]:
    """Return why a spec is refused."""
    try:
        checked(spec)
    except SpecError as error:
        return {"what": what, "spec": msgspec.to_builtins(spec), "message": str(error)}
    raise AssertionError(what)


def squares(spec: Spec) -> list[int]:
    """Return the squared radii of a spec's cases."""
    return [0, *((2048 + root) ** 2 for root in ROOTS), spec.max_radius_squared]


def written() -> bytes:
    """Return the file."""
    bad_features = [(what, _with(feature)) for what, feature in BAD_FEATURES]
    document = {
        "specs": {name: msgspec.to_builtins(spec) for name, spec in SPECS.items()},
        "logarithms": _levels(),
        "rows": [_row(name, row) for name, row in ROWS],
        "domains": [{"spec": name, "table": spec.domain_table} for name, spec in SPECS.items()],
        "refused_rows": [{"spec": name, "row": row, "message": _refusal(SPECS[name], row)} for name, row in BAD_ROWS],
        "readings": [_reading(name, squared) for name, spec in SPECS.items() for squared in squares(spec)],
        "intervals": [_intervals(name, row, squared) for name, row in ROWS for squared in squares(SPECS[name])],
        "refused_specs": [_bad_spec(what, spec) for what, spec in (*bad_features, *BAD_SPECS)],
    }
    return (json.dumps(document, indent=1) + "\n").encode("ascii")
