"""Boxes that are compared with a refusal: pairs that fit, and every lie about one, for all programs."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec

from equiproof.circuits.allowed import Wish, allowed
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.changes import Changes, Together
from equiproof.circuits.encodings.missing import Missing
from equiproof.circuits.field import to_hex
from equiproof.circuits.spec import Feature, Spec
from equiproof.verifier.documents import QueryDocument
from equiproof.verifier.wishes import WISHES as MARK
from equiproof.verifier.wishes import WishesDocument
from tests.box_cases import BOX, KEY, OPENED, QUERY, REFUSAL, VERIFYING, WISHES, BoxCase, honest
from tests.change_cases import SCHOOL, YEARS, drawn_rules, drawn_wish, may_become, moving, ruled
from tests.support import HOUSING, INCOME, SAVINGS, SEX, changed, spec_of
from tests.vectors.vector import CONTEXT, certificate_base

RULED = spec_of(
    changed(INCOME, range=("0", "60000"), changes=Changes("up", step="500", by="20000", cost="0.001")),
    changed(SAVINGS, changes=Changes("up", order=("none", "low", "high"))),
    changed(HOUSING, changes=Changes("any")),
    Feature(
        "debt", "numeric", "scaled", False, mean="1000", scale="800", range=("0", "9000"),
        missing=Missing(), changes=Changes("down", step="250"),
    ),
    Feature(
        "months", "numeric", "scaled", False, mean="24", scale="12", whole=True,
        changes=Changes("any", step="6", start="6", to="48", by="12"),
    ),
    Feature("school", "categorical", "one-hot", False, domain=("ba", "hs", "ma"), changes=Changes("any")),
    Feature("years", "numeric", "scaled", False, mean="12", scale="3", range=("1", "20"), changes=Changes("up")),
    changed(INCOME, name="tenure", mean="5", scale="4", unit="years"),
    SEX,
    name="ruled",
    together=(Together(("school", "years"), (("hs", "12"), ("ba", "16"), ("ma", "18"))),),
)  # fmt: skip
"""Features that go up, down or anywhere, two that go together, and one that is fixed."""

BY_ONES = changed(
    RULED,
    features=tuple(
        changed(feature, changes=changed(feature.changes, step=msgspec.UNSET)) if feature.name == "months" else feature
        for feature in RULED.features
    ),
)
"""The same, but that the number of months has no step."""

ROW = {
    "income": "30000.25", "savings": "low", "housing": "rent", "debt": 1100, "months": 24, "school": "hs", "years": 12,
    "tenure": 3,
}  # fmt: skip
WANTED = {"housing": Wish(fixed=True), "income": Wish(to="45000"), "savings": Wish(values=("low",))}
"""What somebody of whom these are the values wishes."""

Ends = Mapping[str, tuple[Any, ...]]
OWN: dict[str, tuple[Any, ...]] = {
    name: (value,) if name in ("housing", "school") else (value, value) for name, value in ROW.items()
}
"""The box of them alone."""


def in_wishes(wishes: Mapping[str, Wish]) -> bytes:
    """Return a file of wishes."""
    return canonical_bytes(WishesDocument(*MARK, dict(wishes)))


def all_allowed(wishes: Mapping[str, Wish] | None = None, spec: Spec = RULED, row: Mapping[str, Any] = ROW) -> Ends:
    """Return the box of all that somebody may change."""
    return allowed(spec, row, wishes or {}).box(spec)


def pair(
    ends: Ends, label: int = 1, wishes: Mapping[str, Wish] | None = None, row: Mapping[str, Any] = ROW,
    spec: Spec = RULED,
) -> BoxCase:  # fmt: skip
    """Return a box with the refusal of somebody of this row, which has the first label; the box is not proven."""
    box = honest(spec, ends, label, proven=False)
    query = QueryDocument("equiproof-query", 2, {name: own for name, own in row.items() if own is not None}, to_hex(7))
    refusal = json.loads(certificate_base("loans")["certificate.json"])
    stated = box.document(BOX)["statement"]
    refusal["statement"] |= {
        "model_commitment": stated["model_commitment"], "spec_digest": to_hex(spec.digest), "label": 0,
        "query_commitment": to_hex(query.commitment(spec)), "context_digest": stated["context_digest"],
    }  # fmt: skip
    files = {**box.files, REFUSAL: canonical_bytes(refusal), QUERY: canonical_bytes(query)}
    if wishes is not None:
        files[WISHES] = in_wishes(wishes)
    return BoxCase(files, "paired", opened=True)


def proven(case: BoxCase, *, disclose: bool = False) -> BoxCase:
    """Return a pair whose box is proven."""
    ends = {name: tuple(values) for name, values in case.document(OPENED)["ends"].items()}
    box = honest(RULED, ends, case.document(BOX)["statement"]["label"], disclose=disclose)
    return case.with_file(BOX, box.files[BOX])


ALL_PAIRED = proven(pair(all_allowed(), 0))
"""That nothing helps: the base of all others."""


def way(wishes: Mapping[str, Wish] | None = None, row: Mapping[str, Any] = ROW, **ends: tuple[Any, ...]) -> BoxCase:
    """Return a way with these ends, and everything else as it is."""
    own = {name: OWN[name] if value is not None else () for name, value in row.items()}
    return pair({**own, **ends}, 1, wishes, row)


def none(wishes: Mapping[str, Wish] | None = None, row: Mapping[str, Any] = ROW, **ends: tuple[Any, ...]) -> BoxCase:
    """Return the box of all that is allowed with other ends."""
    return pair({**all_allowed(wishes, row=row), **ends}, 0, wishes, row)


def none_within(
    percent: int, wishes: Mapping[str, Wish] | None = None, row: Mapping[str, Any] = ROW, **ends: tuple[Any, ...]
) -> BoxCase:
    """Return the box of so many percent of what numbers may change, with other ends, compared with that part."""
    part = allowed(RULED, row, wishes or {}).within(percent).box(RULED)
    return replace(pair({**part, **ends}, 0, wishes, row), within=percent)


def write_pair(folder: Path, case: BoxCase) -> None:
    """Write the files of a pair into a folder, its key into a folder of keys there."""
    (folder / "keys" / "key").mkdir(parents=True)
    for name, data in case.files.items():
        at = folder / "keys" / "key" if name in (KEY, VERIFYING) else folder
        (at / name).write_bytes(data)


def fitting_pairs() -> Iterator[tuple[str, BoxCase]]:
    """Yield pairs that are verified."""
    for name, case in _fitting():
        yield f"pair-{name}", proven(case)
    yield "pair-disclosed", replace(proven(ALL_PAIRED, disclose=True), opened=False)
    spaced = json.dumps(json.loads(in_wishes({"income": Wish(to="51000")}))).encode()
    yield "pair-wishes-in-another-spelling", ALL_PAIRED.with_file(WISHES, spaced)


def _fitting() -> Iterator[tuple[str, BoxCase]]:
    """Yield pairs that fit."""
    silent = ROW | {"debt": None}
    yield "none", ALL_PAIRED
    yield "none-of-more", none(income=(29000, 60000), debt=(0, 2000), months=(1, 60))
    yield "none-under-wishes", none(WANTED)
    yield "none-under-no-wishes", none({})
    yield "none-of-more-than-wished", pair(all_allowed(), 0, WANTED)
    yield "none-of-who-does-not-state", none(row=silent)
    for percent in (99, 25, 1):
        yield f"none-within-{percent}", none_within(percent)
    yield "none-within-of-more", replace(ALL_PAIRED, within=40)
    yield "none-within-under-wishes", none_within(50, WANTED)
    yield "none-within-of-who-does-not-state", none_within(50, row=silent)
    yield "way-within", replace(way(months=(30, 30)), within=50)
    yield "way-up", way(income=(39000, "50000.25"))
    yield "way-up-to-less", way(income=(39000, 39000))
    yield "way-down", way(debt=(0, 750))
    yield "way-of-any-up", way(months=(30, 36))
    yield "way-of-any-down", way(months=(12, 18))
    yield "way-of-an-order", way(savings=("high", "high"))
    yield "way-of-a-category", way(housing=("own",))
    yield "way-together", way(school=("ba",), years=(16, 16))
    yield "way-of-several", way(income=(30500, 40000), savings=("high", "high"), debt=(1000, 1000))
    yield "way-under-wishes", way(WANTED, income=(31000, 45000))
    yield "way-of-who-does-not-state", way(row=silent, income=(31000, 45000))


def unfit_boxes() -> Iterator[tuple[str, BoxCase, str]]:
    """Yield pairs whose box the rules or the wishes do not say, and the reason."""
    for name, ends in {
        "income": {"income": ("30000.25", 50000)}, "income-begins-later": {"income": (30001, 51000)},
        "order": {"savings": ("low", "low")}, "category": {"housing": ("rent",)}, "debt": {"debt": (1, 1100)},
        "any": {"months": (13, 36)}, "table": {"school": ("hs", "ba")}, "table-number": {"years": (12, 17)},
    }.items():  # fmt: skip
        yield f"none-without-all-of-{name}", none(**ends), "box-too-small"
    yield "none-of-a-way", pair({**OWN, "income": (39000, "50000.25")}, 0), "box-too-small"
    yield "none-under-other-wishes", pair(all_allowed(WANTED), 0, {}), "box-too-small"
    yield "none-without-its-wishes", pair(all_allowed(WANTED), 0), "box-too-small"
    part = none_within(25)
    yield "none-within-sold-as-all", replace(part, within=None), "box-too-small"
    yield "none-within-sold-as-more", replace(part, within=26), "box-too-small"
    nearer = none_within(25, {"income": Wish(by="19000")})
    yield "none-within-under-other-wishes", nearer.with_file(WISHES, in_wishes({})), "box-too-small"
    for name, ends in {
        "income": {"income": ("30000.25", "35000.24")}, "debt": {"debt": (826, 1100)},
        "any": {"months": (22, 27)}, "order": {"savings": ("low", "low")}, "category": {"housing": ("rent",)},
        "table": {"school": ("hs", "ba")}, "table-number": {"years": (12, "13.4")},
    }.items():  # fmt: skip
        yield f"none-within-without-all-of-{name}", none_within(25, **ends), "box-too-small"
    yield "none-within-fixed-moved", none_within(25, tenure=(3, 4)), "fixed-feature-moved"
    yield "way-beyond-within", replace(way(months=(30, 36)), within=50), "cap-exceeded"
    yield "way-from-beyond-within", replace(way(income=(45000, 45000)), within=50), "cap-exceeded"
    silent = ROW | {"debt": None}
    yield "none-fixed-moved", none(tenure=(3, 4)), "fixed-feature-moved"
    yield "none-of-another-person", pair(all_allowed(row=ROW | {"tenure": 4}), 0), "fixed-feature-moved"
    yield "none-stated", none(row=silent, debt=(0, 1100)), "fixed-feature-moved"
    yield "none-not-stated", none(debt=()), "fixed-feature-moved"
    yield "way-fixed-moved", way(income=(39000, 40000), tenure=(4, 4)), "fixed-feature-moved"
    yield "way-stated", way(row=silent, debt=(0, 0)), "fixed-feature-moved"
    yield "way-not-stated", way(debt=()), "fixed-feature-moved"
    yield "way-of-nothing", way(), "change-not-allowed"
    yield "way-of-a-none", pair(all_allowed(), 1), "change-not-allowed"
    for name, ends in {
        "down": {"income": (20000, 25000)}, "both-ways": {"income": (20000, 40000)},
        "from-today-on": {"income": ("30000.25", 40000)}, "up": {"debt": (1250, 1250)},
        "order-down": {"savings": ("none", "none")}, "order-from-today-on": {"savings": ("low", "high")},
        "category-with-today": {"housing": ("own", "rent")},
    }.items():  # fmt: skip
        yield f"way-{name}", way(**ends), "change-not-allowed"
    yield "way-of-what-is-wished-fixed", way(WANTED, housing=("own",)), "change-not-allowed"
    yield "way-of-what-is-wished-away", way(WANTED, savings=("high", "high")), "change-not-allowed"
    yield "way-beyond-by", way(income=(39000, 50001)), "cap-exceeded"
    yield "way-from-beyond-by", way(income=(50500, 51000)), "cap-exceeded"
    yield "way-any-beyond-by", way(months=(30, 37)), "cap-exceeded"
    yield "way-any-below-by", way(months=(11, 18)), "cap-exceeded"
    yield "way-beyond-a-wish", way(WANTED, income=(39000, 46000)), "cap-exceeded"
    yield "way-off-a-step", way(income=(39250, 40000)), "off-step"
    yield "way-down-off-a-step", way(debt=(0, 900)), "off-step"
    for name, ends in {"of-half-a-month": ("30.5", 36), "down-to-half-a-month": (12, 13.5)}.items():
        yield f"way-{name}", pair({**OWN, "months": ends}, 1, spec=BY_ONES), "off-step"
    yield "way-of-half-a-table", way(school=("ba",)), "not-together"
    yield "way-of-the-other-half", way(years=(16, 16)), "not-together"
    yield "way-of-two-rows", way(school=("ba", "ma"), years=(16, 16)), "not-together"
    yield "way-between-two-rows", way(school=("ba",), years=(16, 17)), "not-together"
    yield "way-of-another-row", way(school=("ba",), years=(18, 18)), "not-together"


def unfit_pairs() -> Iterator[tuple[str, BoxCase]]:
    """Yield pairs that are refused: of other boxes, other refusals, other queries and other wishes."""
    for name, case, reason in unfit_boxes():
        yield f"pair-lie-{name}", replace(case, reason=reason)
    one = way(income=(39000, 40000))
    other = to_hex(5)
    for element in ("model_commitment", "spec_digest", "context_digest"):
        yield f"pair-other-{element}", one.but("other-refusal", REFUSAL, **{f"statement__{element}": other})
    yield "pair-other-query-commitment", one.but("other-query", REFUSAL, statement__query_commitment=other)
    yield "pair-other-query", one.but("other-query", QUERY, features__tenure=4)
    yield "pair-other-query-blinding", one.but("other-query", QUERY, blinding=other)
    yield "pair-query-of-another-spec", one.but("bad-query", QUERY, features=lambda own: own | {"age": 5})
    yield "pair-query-without-a-feature", one.but("bad-query", QUERY, features={"income": 1})
    yield "pair-unknown-label", one.but("unknown-label", REFUSAL, statement__label=2)
    yield "pair-label-of-no-spec", one.but("out-of-range", REFUSAL, statement__label=1 << 14)
    yield "pair-refusal-is-granted", one.but("box-too-small", REFUSAL, statement__label=1)
    yield "pair-refusal-is-a-box", one.with_file(REFUSAL, one.files[BOX], reason="wrong-fields")
    yield "pair-box-is-a-refusal", one.with_file(BOX, one.files[REFUSAL], reason="wrong-fields")
    yield "pair-query-is-a-box", one.with_file(QUERY, one.files[OPENED], reason="wrong-fields")
    fixed = changed(RULED, features=tuple(changed(feature, changes=INCOME.changes) for feature in RULED.features))
    bare = changed(fixed, together=INCOME.changes)
    yield "pair-without-rules", replace(pair(OWN, 1, spec=bare), reason="no-rules")
    yield "pair-without-rules-under-wishes", replace(pair(OWN, 1, WANTED, spec=bare), reason="no-rules")
    yield from _unfit_wishes(one)


def _unfit_wishes(one: BoxCase) -> Iterator[tuple[str, BoxCase]]:
    """Yield pairs with other wishes."""
    for name, reason, wishes in (
        ("wider-end", "wish-widens", {"income": {"to": "60001"}}),
        ("wider-distance", "wish-widens", {"income": {"by": "20001"}}),
        ("lower-end", "wish-widens", {"months": {"from": "5"}}),
        ("new-direction", "wish-widens", {"income": {"from": "1"}}),
        ("wider-values", "wish-widens", {"savings": {"values": ["none"]}}),
        ("change-of-what-is-fixed", "wish-widens", {"tenure": {"to": "9"}}),
        ("change-of-a-number-that-is-fixed", "wish-widens", {"tenure": {"by": "9"}}),
        ("unknown-feature", "bad-wishes", {"age": {"fixed": True}}),
        ("sensitive-feature", "bad-wishes", {"sex": {"fixed": True}}),
        ("not-fixed", "bad-wishes", {"income": {"fixed": False}}),
        ("fixed-and-more", "bad-wishes", {"income": {"fixed": True, "to": "50000"}}),
        ("no-decimal", "bad-wishes", {"income": {"to": "4e4"}}),
        ("no-distance", "bad-wishes", {"income": {"by": "0"}}),
        ("values-of-a-number", "bad-wishes", {"income": {"values": ["low"]}}),
        ("end-of-a-category", "bad-wishes", {"savings": {"to": "5"}}),
        ("unknown-value", "bad-wishes", {"savings": {"values": ["much"]}}),
        ("value-twice", "bad-wishes", {"savings": {"values": ["low", "low"]}}),
        ("number", "wrong-fields", {"income": {"to": 40000}}),
        ("unknown-field", "wrong-fields", {"income": {"start": "4"}}),
        ("word", "wrong-fields", {"income": "fixed"}),
    ):  # fmt: skip
        document = {"format": MARK[0], "version": MARK[1], "wishes": wishes}
        yield f"pair-wish-of-{name}", one.with_file(WISHES, document, reason=reason)
    fields = {"format": MARK[0], "version": MARK[1], "wishes": {}}
    yield "pair-wishes-of-another-version", one.with_file(WISHES, fields | {"version": 3}, reason="other-format")
    yield "pair-wishes-are-a-context", one.with_file(WISHES, one.files[CONTEXT], reason="wrong-fields")
    twice = b'{"format": "equiproof-wishes", "version": 2, "wishes": {"income": {}, "housing": {}, "income": {}}}'
    yield "pair-wishes-name-twice", one.with_file(WISHES, twice, reason="repeated-name")


SMALL = (
    changed(YEARS, range=("0", "20"), mean="10", scale="5", changes=INCOME.changes),
    changed(SCHOOL, changes=INCOME.changes),
    changed(SAVINGS, domain=("c", "a", "b")),
    changed(YEARS, name="debt", range=("0", "20"), mean="10", scale="5", changes=INCOME.changes),
)
"""Features of few values: whole numbers from 0 to 20, and three values of each category."""


def drawn_pair(rng: random.Random) -> tuple[BoxCase, bool]:
    """Return a drawn pair under drawn rules and wishes, and whether it fits by a slow definition of its own."""
    features = [drawn_rules(rng, feature) for feature in SMALL]
    features[0] = moving(features[0], direction=rng.choice(("up", "down", "any")))
    spec = ruled(*features)
    row = {
        "years": rng.randint(0, 20), "school": rng.choice(SCHOOL.domain), "savings": rng.choice("abc"),
        "debt": rng.randint(0, 20),
    }  # fmt: skip
    wishes = {feature.name: drawn_wish(rng, feature, spec, row) for feature in features}
    label = rng.randrange(2)
    ends = dict(all_allowed(wishes, spec, row)) if label == 0 else _alone(row)
    for feature in rng.sample(features, rng.choice((0, 1, 1, 2))):
        ends[feature.name] = _drawn_ends(rng, feature)
    return pair(ends, label, wishes, row, spec), _fits_slowly(spec, row, wishes, ends, label)


def _alone(row: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Return the box of somebody alone."""
    return {name: (value,) if name == "school" else (value, value) for name, value in row.items()}


def _drawn_ends(rng: random.Random, feature: Feature) -> tuple[Any, ...]:
    """Return ends of a feature of few values."""
    if feature.name == "school":
        return tuple(rng.sample(feature.domain, rng.randint(1, 3)))
    every = feature.domain or range(21)
    first, last = sorted(rng.randrange(len(every)) for _ in range(2))
    return (every[first], every[rng.choice((first, last))])


def _fits_slowly(spec: Spec, row: Mapping[str, Any], wishes: Mapping[str, Wish], ends: Ends, label: int) -> bool:
    """Return whether a box is one that rules and wishes say, value by value, numbers in halves."""
    moved = 0
    for feature in spec.plain_features:
        today, given = row[feature.name], ends[feature.name]
        every: Sequence[Any] = feature.domain or [Fraction(half, 2) for half in range(41)]
        first, last = every.index(given[0]), every.index(given[-1])
        boxed = set(given) if feature.name == "school" else set(every[first : last + 1])
        may = {value for value in every if may_become(feature, today, value, wishes[feature.name])}
        if feature.changes is msgspec.UNSET and boxed != {today}:
            return False
        if label == 0 and not may <= boxed:
            return False
        if label == 1 and boxed != {today}:
            moved += 1
            if today in boxed or not boxed <= may:
                return False
    return label == 0 or moved > 0
