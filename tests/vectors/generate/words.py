"""Answers in words for people: what a verification found, and the answer that every program gives of it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import msgspec

from equiproof.circuits.encodings.missing import Missing
from equiproof.circuits.spec import Feature, Spec, SpokenFeature, SpokenSpec
from equiproof.verifier.answer import Findings, KeyMaking, LogStanding, Pinned, answer
from equiproof.verifier.reasons import REASONS
from equiproof.verifier.refusal import refusal
from tests.support import changed, spec_of

FILE = "words.json"
PINNED, UNPINNED = Pinned("given", key=True), Pinned(None, key=False)
SINGLE, CEREMONY, UNIVERSAL = KeyMaking("single-party"), KeyMaking("ceremony", 3), KeyMaking("universal")
QUARTER = 66_000
"""R2 of a radius just above a quarter of each scale, at ten fractional bits."""


def _number(
    name: str, mean: str, scale: str, unit: str = "", encoding: Literal["scaled", "log"] = "scaled", **fields: Any
) -> Feature:
    return Feature(name, "numeric", encoding, sensitive=False, mean=mean, scale=scale, unit=unit, **fields)


AGE = _number("age", "42", "7", "years", range=("18", "75"), whole=True)
EDUCATION = Feature(
    *("education", "categorical", "rank", False, "2", "1"),
    domain=("none", "secondary", "vocational", "bachelor", "master"),
)
YEARS = _number("years_employed", "8", "4", "years", range=("0", "57"), whole=True)
INCOME = _number("income", "2500", "340.7", "EUR/month", range=("600", "12000"), whole=True)
DEBT = _number("debt", "2000", "1018", "EUR", range=("0", "60000"), whole=True)
PURPOSE = Feature("purpose", "categorical", "one-hot", False, domain=("car", "education", "furniture", "renovation"))
SEX = Feature("sex", "categorical", "one-hot", True, domain=("female", "male"))
LENDING = spec_of(AGE, EDUCATION, YEARS, INCOME, DEBT, PURPOSE, SEX, name="lending", labels=("refused", "granted"))
ROW = {"age": 40, "education": "vocational", "years_employed": 7, "income": 2410, "debt": 100, "purpose": "car"}

SPOKEN = changed(
    LENDING,
    features=(
        changed(AGE, de=SpokenFeature("Alter", "Jahre")),
        changed(EDUCATION, de=SpokenFeature("Ausbildung")),
        changed(YEARS, de=SpokenFeature("Jahre_im_Beruf", "Jahre")),
        changed(INCOME, de=SpokenFeature("Einkommen", "EUR/Monat")),
        changed(DEBT, en=SpokenFeature("debts", "euro"), de=SpokenFeature("Schulden", "Euro")),
        PURPOSE,
        changed(SEX, de=SpokenFeature("Geschlecht")),
    ),
    de=SpokenSpec(("abgelehnt", "bewilligt")),
)

RATE = _number("rate", "0.05", "0.01234567", "%")
BALANCE = _number("account_balance", "0", "1000000000000.5", "CHF")
MOVED = _number("change", "-3", "2.5", range=("-12.5", "7.25"))
PLAIN = spec_of(RATE, BALANCE, MOVED, SEX, name="plain", bits=(10, 30))
NUMBERS = {"rate": 0.0333333, "account_balance": -987654321012.75, "change": "-12.5"}

WEALTH = _number("wealth", "15", "2", "EUR", encoding="log", offset="1", whole=True)
INTEREST = _number("interest", "-5", "0.8", encoding="log", offset="0", range=("0.001", "1"))
CHANGE = _number("change", "2", "0.75", "%", encoding="log", offset="12.5")
SPREAD = _number("spread", "-20", "0.1", encoding="log", offset="-0.5")
FACTORS = spec_of(WEALTH, INTEREST, CHANGE, SPREAD, SEX, name="factors")
WORTH = {"wealth": 48000, "interest": 0.02, "change": "-3.75", "spread": "0.500001"}

OPENED = _number("opened", "8800", "900", "days", whole=True, start="2000-01-01")
MET = _number("first_met", "100", "40", "day", whole=True, start="1899-12-31", range=("0.5", "5000.5"))
LATE = _number("late", "0", "200", "days", whole=True, start="9999-06-30")
EARLY = _number("early", "0", "200", "days", whole=True, start="0001-01-01", range=("-30", "20000"))
DAYS = spec_of(OPENED, MET, LATE, EARLY, SEX, name="days")
MARCH = {"opened": 8839, "first_met": 60, "late": 0, "early": 30}

REGION = Feature("region", "categorical", "rank", True, domain=tuple(f"zone {number}" for number in range(12)))
BORN = Feature("born", "numeric", "scaled", True, mean="1980", scale="10", domain=("1990", "1980", "1970"))
LADDER = changed(EDUCATION, name="ladder", scale="8")
ONLY = Feature("only", "categorical", "rank", False, domain=("one",))
LOOSE = changed(PURPOSE, name="loose", scale="6")


@dataclass(frozen=True)
class Case:
    """One case; `voice` is "letter" where a lender writes."""

    what: str
    found: Findings
    languages: tuple[str, ...] = ("en",)
    voice: Any = "reader"


@dataclass(frozen=True)
class _Of:
    """Makes findings about a spec."""

    spec: Spec
    label: int = 0
    radius_squared: int = QUARTER
    key: KeyMaking = CEREMONY
    pins: Pinned = PINNED
    others: dict[str, Any] = field(default_factory=dict)

    def __call__(self, query: dict[str, Any] | None = None, **others: Any) -> Findings:
        own = {name: others.pop(name) for name in ("label", "radius_squared", "key", "pins") if name in others}
        parts = {name: getattr(self, name) for name in ("label", "radius_squared", "key", "pins")}
        return Findings(self.spec, query=query, **(parts | own | others))


lending = _Of(LENDING)
CONTEXT = {"application": "2026-11-0398", "date": "2026-11-20", "nonce": "6f1e0d8a4c2b7395"}
BOTH = ("en", "de")


def _ordinary() -> list[Case]:
    """Return what readers meet most, in both languages."""
    everything = {"context": CONTEXT, "minimum": "0.1", "others": True}
    found = {"query_found": True, "context": CONTEXT, "context_found": True}
    bundle = lending(ROW, pins=UNPINNED, key=SINGLE, log=True, **found)
    return [
        Case("everything given, key of a ceremony", lending(ROW, **everything), BOTH),
        Case("nothing pinned, single-party key", lending(ROW, pins=UNPINNED, key=SINGLE), BOTH),
        Case("model not pinned, key of a ceremony", lending(ROW, pins=Pinned(None, key=True)), BOTH),
        Case("model pinned by its fingerprint", lending(ROW, pins=Pinned("fingerprint", key=True)), BOTH),
        Case("model pinned, key of a single party", lending(ROW, key=SINGLE, **everything), BOTH),
        Case("model pinned, key not", lending(ROW, pins=Pinned("given", key=False)), BOTH),
        Case("without the applicant's details", lending(), BOTH),
        Case("without any room, details known", lending(ROW, radius_squared=0), BOTH),
        Case("without any room, details unknown", lending(radius_squared=0), BOTH),
        Case("details that came with the certificate", lending(ROW, query_found=True), BOTH),
        Case("all of it in one file, nothing from elsewhere", bundle, BOTH),
        Case("details and context that came with it, the rest pinned", lending(ROW, **found), BOTH),
        Case("a lender's letter", lending(ROW), BOTH, "letter"),
        Case("the other label", lending(ROW, label=1)),
    ]


def _spoken() -> list[Case]:
    """Return labels, names and units that the spec translates, into each language that it has or one of them."""
    spoken, english = _Of(SPOKEN, label=1), _Of(changed(LENDING, en=SpokenSpec(("declined", "approved"))))
    return [
        Case("translations into German", spoken(ROW), BOTH),
        Case("translations, without the applicant's details", spoken(), BOTH),
        Case("translations in a lender's letter", spoken(ROW), BOTH, "letter"),
        Case("a translation into English alone", english(ROW), BOTH),
    ]


def _keys() -> list[Case]:
    """Return what is said of keys."""
    return [
        Case("universal set-up", lending(ROW, key=UNIVERSAL), BOTH),
        Case("universal set-up over imported powers", lending(ROW, key=KeyMaking("universal", 0, imported=True)), BOTH),
        Case("ceremony over imported powers", lending(ROW, key=KeyMaking("ceremony", 2, imported=True))),
        Case("a key of a ceremony that is not pinned", lending(ROW, pins=UNPINNED)),
    ]


def _numbers() -> list[Case]:
    """Return numbers that are large, negative, fractions, at an end of what is possible, or spelled otherwise."""
    plain = _Of(PLAIN)
    texts = {"rate": "0.050", "account_balance": 0, "change": 7}
    ends = ROW | {"age": 18, "income": 12000, "debt": 0}
    kept = _Of(changed(PLAIN, use_ranges=True, input_bits=14))
    kept_row = {"rate": 0.148, "account_balance": 1, "change": "-12.5"}
    still = spec_of(changed(AGE, scale="1"), SEX, name="still")
    whole = _Of(spec_of(changed(AGE, range=None, scale="30"), SEX, name="whole"))
    return [
        Case("fractions, large and negative numbers", plain(NUMBERS), BOTH),
        Case("fractions, large and negative numbers, unknown", plain(), BOTH),
        Case("numbers as text, and with a zero at the end", plain(texts)),
        Case("numbers with an exponent", plain({"rate": 1e-7, "account_balance": 1e12, "change": "0"})),
        Case("values at the ends of what is possible", lending(ends)),
        Case("ranges in use, judged by the policy", kept(kept_row, ranges=True), BOTH),
        Case("ranges in use, not judged", kept(kept_row), BOTH),
        Case("ranges in use, in a letter", kept(kept_row), BOTH, "letter"),
        Case("ranges in use, details unknown", kept()),
        Case("whole numbers whose radius is exactly one step", _Of(still, radius_squared=1025**2)({"age": 40})),
        Case("whole numbers whose radius is above one step", _Of(still, radius_squared=1026**2)({"age": 40})),
        Case("a whole number without a range", whole({"age": 3})),
        Case("a value that is not whole of a whole number", whole({"age": 3.25})),
        Case("a fraction whose radius has few digits", _Of(spec_of(MOVED, SEX), radius_squared=257**2)({"change": 1})),
        Case("the largest radius", lending(ROW, radius_squared=LENDING.max_radius_squared)),
    ]


def _categories() -> list[Case]:
    """Return categories with and without an order, and with one value."""
    spec = spec_of(LADDER, ONLY, LOOSE, SEX, name="categories")
    middle = {"ladder": "vocational", "only": "one", "loose": "car"}
    wide = _Of(spec, radius_squared=1 << 18)
    return [
        Case("categories that may move", _Of(spec)(middle), BOTH),
        Case("categories that may move, unknown", _Of(spec)(), BOTH),
        Case("a rank at the end of its order", _Of(spec)(middle | {"ladder": "master"})),
        Case("categories that may be anything", wide(middle), BOTH),
        Case("categories that may be anything, unknown", wide()),
    ]


def _names() -> list[Case]:
    """Return names that need care: of several words, alike without underscores, from the right, several sensitive."""
    alike = spec_of(changed(AGE, name="a_b"), changed(INCOME, name="a c"), changed(SEX, name="d_e"))
    odd = spec_of(changed(AGE, name="_a"), changed(INCOME, name="b__c"), changed(SEX, name="d_e"))
    remark = spec_of(
        changed(AGE, unit="EUR and any larger amount"),
        changed(SEX, name="anything_at_all", domain=("any value, listed or not", "m-1")),
        labels=("refused", "granted, as for everybody"),
    )
    hebrew = spec_of(
        changed(AGE, name="\u05d2\u05d9\u05dc", unit="\u05e9\u05e0\u05d9\u05dd"),
        changed(SEX, name="\u05de\u05d9\u05df", domain=("\u05e0\u05e7\u05d1\u05d4", "\u05d6\u05db\u05e8")),
        labels=("\u05e0\u05d3\u05d7\u05d4", "\u05d0\u05d5\u05e9\u05e8"),
    )
    german = spec_of(changed(AGE, name="Lebensjahre"), changed(SEX, name="Geschlecht", domain=("weiblich", "männlich")))
    several = spec_of(AGE, changed(SEX, name="marital_status", domain=("single", "married")), REGION, BORN, SEX)
    return [
        Case("names that would be alike without underscores", _Of(alike)({"a_b": 40, "a c": 900})),
        Case("underscores at an end and two in a row", _Of(odd)({"_a": 40, "b__c": 900})),
        Case("words that could go on with the sentence", _Of(remark, label=1)({"age": 40}), BOTH),
        Case("names written from the right", _Of(hebrew)({"\u05d2\u05d9\u05dc": 40}), BOTH),
        Case("names in German", _Of(german)({"Lebensjahre": 40}), BOTH),
        Case("several sensitive features, one of many values", _Of(several)({"age": 40}), BOTH),
        Case("several sensitive features, in a letter", _Of(several)({"age": 40}), BOTH, "letter"),
        Case("several sensitive features, details unknown", _Of(several)(), BOTH),
    ]


def _contexts() -> list[Case]:
    """Return contexts whose texts are shown, or not."""
    odd = {
        "nonce": "6f1e0d8a4c2b7395",
        "note\u202e": "x",
        "policy": "a \u201cquoted\u201d text",
        "day of": "now, or later",
    }
    return [
        Case("a context of a nonce alone", lending(ROW, context={"nonce": "6f1e0d8a4c2b7395"}), BOTH),
        Case("the same, come with it", lending(ROW, context={"nonce": "6f1e0d8a4c2b7395"}, context_found=True), BOTH),
        Case("a context with texts that could mislead", lending(ROW, context=odd)),
        Case("a spec that states a loss", _Of(changed(LENDING, allow_loss=True))(ROW), BOTH),
        Case("a spec that states one direction", _Of(_moving("increasing"))(ROW), BOTH),
        Case("a spec that states both directions", _Of(_moving("increasing", "increasing", "decreasing"))(ROW), BOTH),
        Case("a spec that states a falling score", _Of(_moving("decreasing"))(ROW)),
    ]


def _moving(*ways: str) -> Spec:
    """Return a spec whose numbers years_employed, income and debt have these directions, as many as given."""
    ways_of = dict(zip(("years_employed", "income", "debt"), ways, strict=False))
    features = (changed(one, monotone=ways_of.get(one.name, msgspec.UNSET)) for one in LENDING.features)
    return changed(LENDING, features=tuple(features))


def _registers() -> list[Case]:
    """Return what is said of a public log and of receipts."""
    log = LogStanding("register.example/log", "Example Bank", True, "2026-03-04T12:00:00Z", 2)
    alone = LogStanding("log", "Bank", False, "", 0)
    own = {"receipt": "given", "receipt_logged": True}
    return [
        Case("in a log with witnesses", lending(ROW, log=True, logged=log), BOTH),
        Case("in a log with witnesses, the receipt too", lending(ROW, log=True, logged=log, **own), BOTH),
        Case("in a log without witnesses, of an owner not named", lending(ROW, log=True, logged=alone), BOTH),
        Case("a receipt that came with it, not in the log", lending(ROW, log=True, logged=log, receipt="found"), BOTH),
        Case("a receipt of the reader's, no log", lending(ROW, receipt="given"), BOTH),
    ]


def _factors() -> list[Case]:
    """Return numbers by their logarithms: within a radius they are multiplied or divided."""
    factors = _Of(FACTORS)
    kept = _Of(changed(FACTORS, use_ranges=True, input_bits=14))
    least = {"wealth": 0, "interest": "0.0010", "change": -12.4999, "spread": 1}
    years = changed(BORN, name="years", encoding="log", mean="3", scale="1", offset="0.5", domain=("2.25", "66", "820"))
    return [
        Case("logarithms", factors(WORTH), BOTH),
        Case("logarithms, details unknown", factors(), BOTH),
        Case("logarithms, in a letter", factors(WORTH), ("de",), "letter"),
        Case("logarithms, ranges in use", kept(WORTH), BOTH),
        Case("logarithms as far as the width goes", kept(WORTH, radius_squared=FACTORS.max_radius_squared)),
        Case("logarithms, values at their ends", factors(least)),
        Case("logarithms within a radius too small for a whole number", factors(least, radius_squared=60**2)),
        Case("logarithms without any room", factors(WORTH, radius_squared=0)),
        Case("logarithms without any room, details unknown", factors(radius_squared=0)),
        Case("logarithms within the largest radius", factors(WORTH, radius_squared=FACTORS.max_radius_squared), BOTH),
        Case("logarithms within the largest radius, unknown", factors(radius_squared=FACTORS.max_radius_squared)),
        Case("a sensitive logarithm", _Of(spec_of(INTEREST, years))({"interest": "0.5"})),
    ]


def _days() -> list[Case]:
    """Return numbers of days: dates, and numbers where one of what is shown is no date."""
    days = _Of(DAYS)
    ends = {"opened": "0", "first_met": "60.0", "late": "184", "early": 15000}
    far = {"opened": "8839.5", "first_met": 0.5, "late": -3651600, "early": 0}
    return [
        Case("dates", days(MARCH), BOTH),
        Case("dates, details unknown", days(), BOTH),
        Case("dates, in a letter", days(MARCH), ("de",), "letter"),
        Case("dates, ranges in use", _Of(changed(DAYS, use_ranges=True))(MARCH), BOTH),
        Case("dates at the first and last days", days(ends, radius_squared=50**2), BOTH),
        Case("days that are no dates", days(far), BOTH),
        Case("dates without any room", days(MARCH, radius_squared=0), BOTH),
        Case("dates within the largest radius", days(MARCH, radius_squared=DAYS.max_radius_squared)),
    ]


def cases() -> list[Case]:
    """Return every case of a certificate that was verified."""
    told = [*_ordinary(), *_keys(), *_numbers(), *_categories(), *_names(), *_contexts(), *_registers()]
    return [*told, *_factors(), *_days(), *_missing(), *_spoken()]


def _missing() -> list[Case]:
    """Return applicants who do not state everything."""
    own = {"income": Missing("not known", "unbekannt"), "purpose": Missing(), "education": Missing(en="left open")}
    features = (changed(one, missing=own[one.name]) if one.name in own else one for one in LENDING.features)
    lacking = _Of(changed(LENDING, name="lacking", features=tuple(features)))
    most = {name: value for name, value in ROW.items() if name not in own}
    return [
        Case("some details are missing", lacking(most), BOTH),
        Case("nothing is missing that may be", lacking(ROW), BOTH),
        Case("some details are missing, without any room", lacking(most, radius_squared=0), BOTH),
        Case("some details are missing, in a letter", lacking(most), ("de",), "letter"),
        Case("details that may be missing are unknown", lacking(), BOTH),
    ]


def _verified(case: Case, language: str, names: dict[int, str]) -> dict[str, Any]:
    """Return one case as it is written; its spec stands once in the file, by its name."""
    found = case.found
    return {
        "what": case.what,
        "language": language,
        "voice": case.voice,
        "spec": names[found.spec.digest],
        "label": found.label,
        "radius_squared": found.radius_squared,
        "key": {"setup": found.key.setup, "parties": found.key.parties, "imported": found.key.imported},
        "pins": {"model": found.pins.model, "key": found.pins.key},
        "query": found.query,
        "query_found": found.query_found,
        "context": found.context,
        "context_found": found.context_found,
        "minimum": found.minimum,
        "ranges": found.ranges,
        "others": found.others,
        "log": found.log,
        "logged": None if found.logged is None else asdict(found.logged),
        "receipt": found.receipt,
        "receipt_logged": found.receipt_logged,
        "answer": answer(found, language, case.voice),
    }


def _refused(reason: str, language: str) -> dict[str, Any]:
    """Return the case of one reason as it is written."""
    technical = f"the message of {reason}"
    return {
        "language": language,
        "reason": reason,
        "technical": technical,
        "answer": refusal(reason, technical, language, "policy"),
    }


def written() -> bytes:
    """Return the file: hidden characters stand as escapes."""
    reasons = [*(name for name, row in REASONS.items() if row.shown), "reason-of-another-policy"]
    specs = {case.found.spec.digest: case.found.spec for case in cases()}
    names = {digest: f"{number} {spec.name}" for number, (digest, spec) in enumerate(specs.items())}
    document = {
        "specs": {names[digest]: msgspec.to_builtins(spec) for digest, spec in specs.items()},
        "verified": [_verified(case, language, names) for case in cases() for language in case.languages],
        "refused": [_refused(reason, language) for reason in reasons for language in BOTH],
    }
    return (json.dumps(document, indent=1) + "\n").encode("ascii")
