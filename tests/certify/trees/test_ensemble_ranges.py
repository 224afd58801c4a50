"""Searches around queries of ensembles whose neighbors are kept to a box: against all cells that it reaches into."""

import random
from dataclasses import replace

import pytest

from equiproof.certify.errors import EvidenceError
from equiproof.certify.many.certifier import Certifier
from equiproof.certify.traversal.search import Counterexample
from equiproof.certify.trees.ensemble_check import check
from equiproof.certify.trees.ensemble_search import ensemble_search, search_under
from equiproof.certify.trees.scale import ensemble_scale
from tests.certify.trees.ensembles import drawn
from tests.certify.trees.test_ensemble_search import CAP, case, enumerated
from tests.support import KEPT, changed


def boxed(seed):
    """A small ensemble, a query, a table, and a box around the query, often with an end at the query or a threshold."""
    rng = random.Random(seed)
    model, query, table = case(rng)
    low, high = (tuple(x + side * rng.randint(0, 4) for x in query) for side in (-1, 1))
    return model, query, table, (low, high)


def searched(seed):
    """Search one case and compare with all cells; return search and case, None where no radius is to be found."""
    model, query, table, box = boxed(seed)
    if not model.predicates[0]:
        return None
    wanted = enumerated(model, query, table, box)
    found = ensemble_search(model, query, table, max_radius_squared=CAP, max_leaves=64, box=box)
    if wanted == -1:
        assert isinstance(found, Counterexample)
        return None
    assert not isinstance(found, Counterexample)
    if found.complete:
        assert found.radius_squared == (CAP if wanted is None else wanted), seed
    else:
        assert wanted is None or found.radius_squared <= wanted
    if found.flip is not None:
        assert all(a <= x <= b for a, x, b in zip(box[0], found.flip.point, box[1], strict=True))
        assert model.decide((*found.flip.point, *table[found.flip.slice])) == found.flip.label != found.label
    return found, (model, query, table, box)


def test_radii_are_those_of_the_cells_inside():
    """Most are exact, and many are larger than without the box, whose evidence is then refused without it."""
    found = [one for seed in range(300) if (one := searched(seed)) is not None]
    assert sum(one.complete for one, _ in found) > 0.98 * len(found) > 100
    larger = 0
    for one, (model, query, table, box) in found:
        free = enumerated(model, query, table)
        if free is None or free >= one.radius_squared:
            continue
        larger += 1
        check(one.evidence, ensemble_scale(model), model, query, table, box)
        with pytest.raises(EvidenceError, match="R-T-DEAD"):
            check(one.evidence, ensemble_scale(model), model, query, table)
    assert larger > 40


@pytest.mark.slow
def test_thousands_of_radii_are_those_of_the_cells_inside():
    """As above."""
    found = [one for seed in range(1000, 5000) if (one := searched(seed)) is not None]
    assert sum(one.complete for one, _ in found) > 0.98 * len(found)


def test_a_query_outside_its_box_is_refused():
    """By the search as a mistake, by the checker as a rule that is broken."""
    one, (model, query, table, box) = next(found for seed in range(99) if (found := searched(seed)) is not None)
    outside = (tuple(x + 1 for x in query), tuple(x + 2 for x in query))
    with pytest.raises(ValueError, match="the query lies outside the ranges"):
        ensemble_search(model, query, table, max_radius_squared=CAP, max_leaves=64, box=outside)
    check(one.evidence, ensemble_scale(model), model, query, table, box)
    with pytest.raises(EvidenceError, match="R-B-RANGES"):
        check(one.evidence, ensemble_scale(model), model, query, table, outside)


def test_a_table_of_applicants_is_certified_inside_the_ranges_of_its_spec():
    """Each row like itself alone; the radius inside is never smaller than that without ranges."""
    drawn_from = drawn(random.Random(17), plain=KEPT.plain_columns, sensitive=KEPT.sensitive_columns, predicates=16)
    own = drawn_from.additive
    own = replace(
        own, thresholds=tuple(t << KEPT.input_fraction_bits - 2 for t in own.thresholds),
        input_fraction_bits=KEPT.input_fraction_bits,
    )  # fmt: skip
    model, free = replace(drawn_from, additive=own), changed(KEPT, use_ranges=False)
    rows = [
        {"income": income, "savings": savings, "housing": housing}
        for income in (500, 28000, 59000)
        for savings in ("low", "high")
        for housing in ("own", "rent")
    ]
    found = Certifier(model, KEPT, scheme="trees", progress=False).certify(rows)
    larger = 0
    for point, row in zip(found.points, rows, strict=True):
        alone, wider = (search_under(model, spec, spec.encode(row), max_leaves=256) for spec in (KEPT, free))
        if isinstance(alone, Counterexample):
            assert point.verdict != "fair"
            continue
        assert (point.radius_squared, point.leaves, point.rows) == (alone.radius_squared, alone.leaves, alone.rows)
        assert alone.radius_squared >= wider.radius_squared
        larger += alone.radius_squared > wider.radius_squared
    assert larger > 2
