"""Small random people with rules of change, and every choice that these allow them."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.recourse.asked import Asked
from equiproof.certify.recourse.moves import Number, movers
from equiproof.certify.sets import Sets
from equiproof.circuits.allowed import allowed
from equiproof.circuits.categories import choices_of, with_sets
from equiproof.circuits.changes import Changes, Together
from equiproof.circuits.encodings.missing import Missing
from equiproof.circuits.spec import Feature, Spec
from tests.certify.trees.ensembles import drawn
from tests.support import AGE, GENDER, SEX, changed, spec_of

SCHOOLS = ("hs", "ba", "ma")
GRADES = ("d", "c", "b", "a")
PLACES = ("town", "coast", "hills")


def spec_drawn(rng) -> Spec:
    """A spec of up to five features: numbers, one-hot categories, a ranked one, and two that may change together."""
    missing = Missing() if rng.random() < 0.4 else None
    features = [
        _number(rng, "amount", missing),
        _number(rng, "months", None),
        Feature("place", "categorical", "one-hot", False, domain=PLACES, changes=_of_category(rng, PLACES)),
        Feature(
            "grade", "categorical", "rank", False, mean="1", scale="1", domain=GRADES, changes=_of_category(rng, GRADES)
        ),
    ]
    if missing is not None:
        features[2] = changed(features[2], missing=missing)
    features = rng.sample(features, rng.randint(1, 3))
    together = {}
    if rng.random() < 0.5:
        features += [
            Feature("school", "categorical", "one-hot", False, domain=SCHOOLS, changes=Changes("any")),
            Feature(
                "years", "numeric", "scaled", False, mean="12", scale="2", range=("8", "20"),
                changes=Changes("any", cost="0.75") if rng.random() < 0.5 else Changes("up", step="2"),
            ),
        ]  # fmt: skip
        pairs = rng.sample([(school, str(years)) for school in SCHOOLS for years in range(8, 21, 2)], rng.randint(2, 7))
        together = {"together": (Together(("school", "years"), tuple(pairs)),)}
    sensitive = rng.choice([(SEX,), (GENDER,), (changed(AGE, domain=("25", "40", "60")),), (SEX, GENDER)])
    return spec_of(*features, *sensitive, bits=(3, 10), **together)


def _number(rng, name, missing):
    """A number that may rise, fall or both, by steps."""
    step = rng.choice(("1", "2", "5", None))
    cost = rng.choice((None, "0.3", "7"))
    stated = {field: text for field, text in (("step", step), ("cost", cost)) if text is not None}
    changes = Changes(rng.choice(("up", "down", "any")), **stated)
    feature = Feature(name, "numeric", "scaled", False, mean="10", scale="4", range=("0", "20"), changes=changes)
    if step is None:
        feature = changed(feature, whole=True)
    return feature if missing is None else changed(feature, missing=missing)


def _of_category(rng, domain):
    """Rules of a category: any value, some of them, or an order."""
    order = tuple(rng.sample(domain, len(domain)))
    stated = rng.choice(({}, {"cost": "1.25"}))
    if rng.random() < 0.5:
        return Changes(rng.choice(("up", "down")), order=order, **stated)
    return Changes("any", values=order[: rng.randint(2, len(order))], **stated)


def row_drawn(rng, spec):
    """Somebody's raw row; some values that may be missing are."""
    row = {}
    for feature in spec.plain_features:
        if feature.may_miss and rng.random() < 0.3:
            row[feature.name] = None
        elif feature.kind == "categorical":
            row[feature.name] = rng.choice(feature.domain)
        else:
            least, most = map(int, feature.range)
            row[feature.name] = rng.randint(least, most)
    return row


def ensemble_drawn(rng, spec, *, trees=3, depth=3):
    """An ensemble over the columns of a spec, which asks one-hot categories by sets in half of the cases."""
    counts = {}
    if rng.random() < 0.5:
        counts = {one.first: rng.randint(1, 3) for one in choices_of(spec)}
    sets = tuple(
        Sets(
            category,
            tuple(
                tuple(rng.randint(0, 1) for _ in range(category.members(missing=spec.has_absent)))
                for _ in range(category.sets)
            ),
        )
        for category in with_sets(spec, counts)
    )
    more = sum(len(one.members) for one in sets)
    plain = spec.plain_columns + more
    found = drawn(rng, plain=plain, sensitive=spec.sensitive_columns, predicates=20, trees=trees, depth=depth, reach=20)
    own = found.additive
    by_sets = {column for one in sets for column in one.category.columns}

    def moved(column, threshold):
        """Thresholds of categories lie between two of their values; few columns that are asked are sensitive."""
        if column >= plain and rng.random() < 0.3:
            column = rng.randrange(plain)
        while column in by_sets:
            column = spec.plain_columns
        indicator = column >= spec.plain_columns or any(column in one.columns for one in choices_of(spec))
        return column, (threshold % 8 if column < spec.plain_columns else 0) if indicator else threshold

    pairs = [moved(*pair) for pair in zip(own.columns, own.thresholds, strict=True)]
    kept = sorted(set(pairs))
    additive = AdditiveModel(
        tuple(column for column, _ in kept),
        tuple(threshold for _, threshold in kept),
        tuple(rng.choice((0, 0, rng.randint(-4, 4))) for _ in kept),
        own.bias,
        plain,
        spec.sensitive_columns,
        spec.input_fraction_bits,
        absent=spec.absent if spec.has_absent else None,
        sets=sets,
    )
    nodes = replace(found.nodes, predicates=tuple(kept.index(pairs[place]) for place in found.nodes.predicates))
    if spec.has_absent:
        nodes = replace(nodes, highs=tuple(rng.randint(0, 1) for _ in nodes.predicates))
    return EnsembleModel(additive, nodes)


def asked_drawn(rng, spec, label=1) -> Asked:
    """Somebody under a spec who asks for a label."""
    row = row_drawn(rng, spec)
    may = allowed(spec, row, {})
    return Asked(spec.encode(row), spec.domain_table, label, movers(spec, may), tuple(choices_of(spec)))


def everything(mover):
    """All options of a mover, whatever a model tells apart: every step of a number."""
    if not isinstance(mover, Number):
        return mover.options({})
    steps = [mover.at(way, number) for way in mover.directions for number in range(mover.count(way))]
    return [mover.own, *steps]


def choices(asked):
    """All choices of one option a mover, as (cost, the integers of who takes them)."""
    for taken in product(*map(everything, asked.movers)):
        yield sum(option.cost for option in taken), asked.point(taken)


def least(asked, granted):
    """The least cost of a choice whose point is granted; None where none is."""
    best = None
    for cost, point in choices(asked):
        if (best is None or cost < best) and granted(point):
            best = cost
    return best
