"""Small applicants with rules of change, and what a slow definition says of their recourse."""

from fractions import Fraction
from itertools import product

from equiproof.certify.additive import AdditiveModel
from equiproof.circuits.allowed import Span, allowed
from equiproof.circuits.changes import Changes, Together
from equiproof.circuits.shape import box_shape
from equiproof.circuits.spec import Feature
from equiproof.prover import Opening
from tests.kept import kept_keys
from tests.support import SEX, changed, key_of, spec_of

INCOME = Feature("income", "numeric", "scaled", False, mean="30", scale="4", unit="EUR", range=("0", "60"), whole=True)
DEBT = Feature("debt", "numeric", "scaled", False, mean="4", scale="2", unit="EUR", range=("-3", "9"))
HOUSING = Feature("housing", "categorical", "one-hot", False, domain=("own", "rent", "other"))
SCHOOL = Feature("school", "categorical", "rank", False, mean="1", domain=("none", "ba", "ma"))
YEARS = Feature("years", "numeric", "scaled", False, mean="12", scale="2", range=("8", "18"), whole=True)
BRANCH = Feature("branch", "categorical", "rank", False, mean="1", domain=("a", "b"))
AGE = Feature("age", "numeric", "scaled", True, mean="40", scale="10", domain=("25", "60"))

RULED = spec_of(
    changed(INCOME, changes=Changes("up", step="5", to="60", cost="0.2")),
    changed(DEBT, changes=Changes("any", step="0.5")),
    changed(HOUSING, changes=Changes("any", cost="1.5")),
    changed(SCHOOL, changes=Changes("up", order=("none", "ba", "ma"))),
    changed(YEARS, changes=Changes("up", cost="0.1")),
    BRANCH,
    SEX,
    AGE,
    bits=(4, 12),
    together=(Together(("school", "years"), (("none", "12"), ("ba", "15"), ("ba", "16"), ("ma", "18"))),),
)
"""Every kind of rule: up with a step that skips thresholds, either way, a category, an order, two features together."""


def drawn_row(rng):
    """Draw an applicant."""
    school, years = rng.choice((("none", 12), ("ba", 15), ("ba", 16), ("ma", 18), ("none", 13)))
    return {
        "income": rng.randrange(61),
        "debt": rng.randrange(-6, 19) / 2,
        "housing": rng.choice(HOUSING.domain),
        "school": school,
        "years": years,
        "branch": rng.choice(BRANCH.domain),
    }


def drawn_additive(rng, spec=RULED, most=14):
    """Draw an additive model over a spec's columns."""
    n_x, n_s, unit = spec.plain_columns, spec.sensitive_columns, spec.scale_unit
    places = {(rng.randrange(n_x + n_s), rng.randrange(-4 * unit, 8 * unit)) for _ in range(rng.randrange(4, most))}
    columns, thresholds = zip(*sorted(places), strict=True)
    jumps = tuple(rng.randrange(-9, 12) for _ in columns)
    return AdditiveModel(columns, thresholds, jumps, rng.randrange(-14, 3), n_x, n_s, spec.input_fraction_bits)


def becoming(spec, row, wishes=None):
    """Yield everybody whom the rules allow an applicant to become by a choice that is shown, and its cost.

    Every step of every number is gone through, one by one.
    """
    may = allowed(spec, row, wishes or {})
    joined = {name for table, _ in may.together for name in table}
    ways = []
    for feature in spec.plain_features:
        if feature.name in joined:
            continue
        ways.append([({feature.name: value}, cost) for value, cost in _values(spec, feature, may, row)])
    for table, rows in may.together:
        known = {feature.name: feature for feature in spec.plain_features}
        options = [({}, Fraction(0))]
        for one in rows:
            taken = dict(zip(table, one, strict=True))
            options.append((taken, sum(_cost(spec, known[name], row[name], taken[name]) for name in table)))
        ways.append(options)
    for chosen in product(*ways):
        values = dict(row)
        for taken, _ in chosen:
            values |= taken
        yield values, sum((cost for _, cost in chosen), Fraction(0))


def _values(spec, feature, may, row):
    """Yield what one feature may be, with the cost."""
    found = may.features[feature.name]
    yield row[feature.name], Fraction(0)
    if found is None:
        return
    if not isinstance(found, Span):
        yield from ((value, _cost(spec, feature, found.own, value)) for value in found.all if value != found.own)
        return
    step = found.step or Fraction(1)
    value = -(-found.low // step) * step
    while value <= found.high:
        if value != found.own:
            text = str(float(value)) if value.denominator > 1 else str(value)
            yield text, _cost(spec, feature, row[feature.name], text)
        value += step


def _cost(spec, feature, own, value):
    """Return the cost of a change, as the rules' page says it."""
    if str(own) == str(value):
        return Fraction(0)
    stated = feature.changes.cost
    if feature.kind == "categorical":
        return Fraction(stated) if isinstance(stated, str) else Fraction(1)
    if isinstance(stated, str):
        return Fraction(stated) * abs(Fraction(value) - Fraction(own))
    one, other = (spec.columns_of(feature, number)[0] for number in (str(own), str(value)))
    return Fraction(abs(one - other), spec.scale_unit)


ROW = {"income": 30, "debt": 4, "housing": "rent", "school": "none", "years": 13, "branch": "a"}
"""Somebody whom the model below refuses, and whom each of three changes alone helps."""


def simple(bias=7, sex=0):
    """Return a model that asks for income, debt and housing; `sex` is what it adds for the second value of sex."""
    unit = RULED.scale_unit
    # Columns: income, debt, the three of housing, school, years, branch; then sex and age.
    return AdditiveModel((0, 1, 2, 8), (2 * unit, -unit, unit // 2, 0), (9, -8, 8, sex), bias, 8, 2, 4)


def between():
    """Return an opening of a model that grants an income of 42 to 43 alone: between two steps, and far from 30."""
    unit = RULED.scale_unit
    return Opening.of(AdditiveModel((0, 0), (3 * unit - 1, 3 * unit + unit // 4), (9, -9), -1, 8, 2, 4), RULED, 13)


def opening(**model):
    """Return an opening of that model."""
    return Opening.of(simple(**model), RULED, 13)


def key():
    """Return the kept key of its boxes."""
    return key_of(kept_keys(), box_shape(RULED, simple().predicates))
