"""Small models on domains that can be enumerated, and what the models themselves say of everybody there."""

from __future__ import annotations

import itertools
import random

from equiproof.audits.context import AuditContext
from equiproof.certify.additive import AdditiveModel
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.models.ensembles.stepped import as_network
from tests.certify.trees.ensembles import table_of
from tests.support import AGE, HOUSING, INCOME, SAVINGS, SEX, changed, spec_of

SMALL = spec_of(changed(INCOME, range=("0", "24"), mean="12", scale="6"), HOUSING, SAVINGS, SEX, AGE)
"""A domain of 25 x 2 x 3 applicants, under six sensitive assignments."""

ROWS = [
    {"income": income, "housing": housing, "savings": savings, "sex": sex, "age": age}
    for income, housing, savings, sex, age in zip(
        (1, 1, 2, 5, 9, 9, 9, 20), ("own", "rent") * 4, ("none", "low", "low", "high") * 2, "fm" * 4, ("25", "60") * 4,
        strict=True,
    )
]  # fmt: skip


def additive(seed, jumps=400, groups=300):
    """Return a random additive model of SMALL, whose sensitive jumps are up to `groups`."""
    rng = random.Random(seed)
    places = sorted(
        {(0, rng.randrange(-2000, 2000, 100)) for _ in range(6)} | {(1, 300), (3, 0), (3, 1500), (4, 0), (5, -500)}
    )
    sizes = [groups if column >= SMALL.plain_columns else jumps for column, _ in places]
    return AdditiveModel(
        columns=tuple(column for column, _ in places),
        thresholds=tuple(threshold for _, threshold in places),
        jumps=tuple(rng.randint(-size, size) for size in sizes),
        bias=rng.randint(-200, 200),
        plain=SMALL.plain_columns,
        sensitive=SMALL.sensitive_columns,
        input_fraction_bits=SMALL.input_fraction_bits,
        value_fraction_bits=10,
    )


def ensemble(seed, trees=6):
    """Return random trees of depth 2 over the predicates of a random additive model, whose jumps stay small."""
    rng = random.Random(seed)
    own = additive(seed, 40, 20)

    def leaf():
        return rng.randint(-300, 300)

    count = len(own.columns)
    grown = [
        (rng.randrange(count), (rng.randrange(count), leaf(), leaf()), (rng.randrange(count), leaf(), leaf()))
        for _ in range(trees)
    ]
    return EnsembleModel(own, table_of(grown))


def context(model, **changes):
    """Return a context of a network of SMALL, or of a score of it."""
    score = isinstance(model, AdditiveModel | EnsembleModel)
    given = {"network": as_network(model), "score": model} if score else {"network": model}
    return AuditContext(**given | {"spec": SMALL, "commitment": "00"} | changes)


def counted(model, spec=SMALL, weigh=lambda _row: 1):
    """Return the weights of the unfair, of the fair, and of those between, of everybody in a domain, one by one.

    Written for this test alone: rows are encoded by the spec and decided by the model.
    """
    plain = [
        [str(value) for value in range(int(one.range[0]), int(one.range[1]) + 1)]
        if one.kind == "numeric"
        else one.domain
        for one in spec.plain_features
    ]
    names = [one.name for one in spec.plain_features]
    found = {"unfair": 0, "fair": 0, "tied": 0}
    for values in itertools.product(*plain):
        row = dict(zip(names, values, strict=True))
        query = spec.encode(row)
        decided = {model.decide((*query, *sensitive)) for sensitive in spec.domain_table}
        kind = "unfair" if len(decided - {None}) > 1 else "fair" if len(decided) == 1 else "tied"
        found[kind] += weigh(row)
    return found["unfair"], found["fair"], found["tied"]
