"""Rules of change that a spec can have, and such that it cannot, with what is said of each; all programs are asked."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import msgspec

from equiproof.circuits.allowed import WiderWishError, Wish, allowed
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.changes import Changes, Together
from equiproof.circuits.spec import Feature, Spec
from tests.support import HOUSING, INCOME, LOANS, SAVINGS, SEX, changed, spec_of

RANGED = changed(INCOME, range=("0", "60000"))
ORDER = ("none", "low", "high")
SCHOOL = Feature("school", "categorical", "one-hot", False, domain=("hs", "ba", "ma"), changes=Changes("any"))
YEARS = Feature("years", "numeric", "scaled", False, mean="12", scale="3", range=("1", "20"), changes=Changes("up"))
PAIRS = Together(("school", "years"), (("hs", "12"), ("ba", "16"), ("ma", "18")))


ROW = {"income": 30000, "housing": "own", "savings": "low", "school": "hs", "years": 12}
"""Somebody's values of all of these features."""


def moving(feature, **fields):
    """Return the feature with rules of change."""
    return changed(feature, changes=Changes(**{"direction": "up"} | fields))


def ruled(*features, **fields):
    """Return a checked spec of these features and a sensitive one."""
    return spec_of(*features, SEX, **fields)


RULES = [
    (moving(RANGED), None),
    (moving(INCOME, to="60000", step="50"), None),
    (moving(RANGED, direction="any", by="100"), None),
    (moving(INCOME, direction="any", start="0", to="100"), None),
    (moving(RANGED, to="6e4"), "to: '6e4' is not a decimal number"),
    (moving(INCOME), "state to, or give the feature a range"),
    (moving(INCOME, by="100"), "state to, or give the feature a range"),
    (moving(INCOME, direction="down"), "state to, or give the feature a range"),
    (moving(INCOME, direction="any", to="100"), "state from, or give the feature a range"),
    (moving(RANGED, to="60001"), "60001 is outside 0 to 60000"),
    (moving(RANGED, direction="any", start="-1"), "-1 is outside 0 to 60000"),
    (moving(INCOME, to="9000000"), "bits hold"),
    (moving(RANGED, start="0"), "leave from out of changes: the direction up"),
    (moving(RANGED, order=ORDER), "leave order out of changes"),
    (moving(RANGED, values=ORDER), "leave values out of changes"),
    (moving(RANGED, direction="any", start="50", to="50"), "choose from below to"),
    (moving(RANGED, step="0"), "choose step above 0"),
    (moving(RANGED, by="-5"), "choose by above 0"),
    (moving(RANGED, cost="0"), "choose cost above 0"),
    (moving(RANGED, step="70", to="50000"), "a multiple of the step 70 for to, not 50000"),
    (moving(RANGED, step="70", by="100"), "a multiple of the step 70 for by, not 100"),
    (moving(RANGED, step="70", direction="any", start="1"), "a multiple of the step 70 for from"),
    (moving(changed(RANGED, whole=True), step="0.5"), "a whole number for step"),
    (moving(changed(RANGED, whole=True), to="0.5"), "a whole number for to"),
    (moving(SAVINGS, direction="any"), None),
    (moving(SAVINGS, order=ORDER), None),
    (moving(SAVINGS, direction="down", order=ORDER[::-1], cost="3"), None),
    (moving(HOUSING, order=("rent", "own")), None),
    (moving(SAVINGS), "write out the order of all values as order"),
    (moving(SAVINGS, order=("none", "high")), "name each value of the domain once in order"),
    (moving(SAVINGS, order=(*ORDER, "low")), "name each value of the domain once in order"),
    (moving(SAVINGS, direction="any", order=ORDER), "leave order out of changes"),
    (moving(SAVINGS, order=ORDER, values=ORDER), "leave values out of changes"),
    (moving(SAVINGS, order=ORDER, step="1"), "leave step out of changes"),
    (moving(SAVINGS, direction="any", to="high"), "leave to out of changes"),
    (moving(SAVINGS, direction="any", values=()), "each once"),
    (moving(SAVINGS, direction="any", values=("low", "low")), "each once"),
    (moving(SAVINGS, direction="any", values=("much",)), "choose values of "),
    (moving(changed(SEX, name="gender"), direction="any"), "a sensitive feature never changes"),
]
"""Features, and what of each rule is wrong; None for nothing."""

TABLES = [
    ((PAIRS,), None),
    ((), "name two features or more"),
    ((changed(PAIRS, features=("school",), rows=(("hs",),)),), "name two features or more"),
    ((PAIRS, PAIRS), "each once, not 'school'"),
    ((changed(PAIRS, features=("school", "school")),), "each once, not 'school'"),
    ((changed(PAIRS, features=("school", "sex")),), "with changes, each once, not 'sex'"),
    ((changed(PAIRS, features=("school", "income")),), "with changes, each once, not 'income'"),
    ((changed(PAIRS, features=("school", "zeal")),), "with changes, each once, not 'zeal'"),
    ((changed(PAIRS, rows=()),), "name rows of one value for each of"),
    ((changed(PAIRS, rows=(("hs", "12"), ("hs", "12"))),), "each row once"),
    ((changed(PAIRS, rows=(("hs",),)),), "name rows of one value"),
    ((changed(PAIRS, rows=(("phd", "12"),)),), "is not one of"),
    ((changed(PAIRS, rows=(("hs", "21"),)),), "21 is outside 1 to 20"),
    ((changed(PAIRS, rows=(("hs", "1e1"),)),), "is not a decimal number"),
    ((changed(PAIRS, rows=tuple(("hs", f"1.{place}") for place in range(1 << 13)) + PAIRS.rows),), "fewer rows"),
]
"""Tables of features that change at once, and what of each is wrong."""

WHOLE_YEARS = changed(YEARS, whole=True)
HALF_YEARS = (changed(PAIRS, rows=(("hs", "12.5"),)),)
"""A table that a whole number has no place in."""


def beside(feature: Feature) -> tuple[Feature, ...]:
    """Return the features of a spec that has the feature with rules beside another one."""
    return (HOUSING if feature.name != "housing" else SAVINGS, feature)


def unchecked() -> Iterator[tuple[Spec, str | None]]:
    """Yield a spec for each case, whether it has one meaning or not, and what is wrong of it."""
    for feature, message in RULES:
        yield changed(LOANS, features=(*beside(feature), SEX)), message
    for tables, message in TABLES:
        yield changed(LOANS, features=(SCHOOL, YEARS, INCOME, SEX), together=tables), message
    halved = changed(LOANS, features=(SCHOOL, WHOLE_YEARS, INCOME, SEX), together=HALF_YEARS)
    yield halved, "a whole number for together"


def commitments() -> Iterator[tuple[Spec, bytes]]:
    """Yield a commitment to a model under each of these specs, and its spec."""
    for spec, _ in unchecked():
        document = {"format": "equiproof-commitment", "version": 2, "model_commitment": "0" * 64}
        yield spec, canonical_bytes(document | {"spec": msgspec.to_builtins(spec)})


def drawn_rules(rng, feature):
    """Return the feature with drawn rules, or without any."""
    if rng.random() < 0.2:
        return feature
    direction = rng.choice(("up", "down", "any"))
    if feature.kind == "categorical":
        order = tuple(rng.sample(feature.domain, len(feature.domain)))
        values = tuple(rng.sample(feature.domain, rng.randint(1, len(feature.domain))))
        own = {"order": order} if direction != "any" else rng.choice(({}, {"values": values}))
        return moving(feature, direction=direction, **own)
    low, high = sorted(rng.sample(range(21), 2))
    ends = {"to": str(high if direction != "down" else low)} if rng.random() < 0.6 else {}
    ends |= {"start": str(low)} if direction == "any" and rng.random() < 0.6 else {}
    return moving(
        feature, direction=direction, **ends, **({"by": str(rng.randint(1, 9))} if rng.random() < 0.5 else {})
    )


def drawn_wish(rng, feature, spec, row):
    """Return a drawn wish of the feature that is not wider than the rules; none half of the times."""
    values = feature.domain and tuple(rng.sample(feature.domain, rng.randint(1, len(feature.domain))))
    numbers = {name: str(rng.randint(1, 20)) for name in rng.sample(("to", "by", "start"), rng.randint(1, 3))}
    wish = rng.choice((Wish(), Wish(fixed=True), Wish(values=values) if values else Wish(**numbers)))
    try:
        allowed(spec, row, {feature.name: wish})
    except WiderWishError:
        return Wish()
    return wish


def may_become(feature, today, value, wish):
    """Return whether a feature alone may move from today's value to another one: said once more, rule by rule."""
    rules = feature.changes
    if value == today:
        return True
    if not isinstance(rules, Changes) or wish.fixed is True:
        return False
    if feature.kind == "categorical":
        at = (rules.order or feature.domain).index if rules.direction != "any" else None
        moves = {
            "up": lambda: at(value) > at(today),
            "down": lambda: at(value) < at(today),
            "any": lambda: not rules.values or value in rules.values,
        }
        return moves[rules.direction]() and (not wish.values or value in wish.values)
    if rules.direction != "any" and (value > today) != (rules.direction == "up"):
        return False
    least = "start" if rules.direction == "any" else "to"
    for one in (rules, wish):
        if one.by and abs(value - today) > Fraction(one.by):
            return False
        if value > today and one.to and value > Fraction(one.to):
            return False
        if value < today and getattr(one, least) and value < Fraction(getattr(one, least)):
            return False
    return 0 <= value <= 20
