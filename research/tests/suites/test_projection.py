"""Algorithm 1 on small networks: which facets its queue holds, and its radius beside the walk's and the true one."""

from math import sqrt

import numpy as np
from scipy.optimize import linprog

from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.certify.traversal.exact import exact_search, inwards
from equiproof.certify.traversal.search import Counterexample, begin
from research.suites import projection
from research.suites.projection import CAP, Toy, both, facets, geocert, toy
from tests.certify.tiny import tiny


def started(case, cap=CAP):
    """The start of a search, or a counterexample."""
    return begin(case.network, case.query, case.table, max_radius_squared=cap, max_regions=1 << 12)


def test_on_a_line_both_reach_the_boundary():
    """relu(x + 1) - 4 is below 0 up to x = 3; the facet x = -1 is nearer, and has no boundary behind it."""
    layers = (Layer(((1, 0),), (1,)), Layer(((1,),), (-4,)))
    assert both(Toy(QuantisedNetwork(layers, 0, (0, 0)), (0,), ((0,), (1,)))) == (9, 9)


def test_facets_are_those_that_a_linear_program_finds():
    """On random networks, those of the query's region that have a point with every other row at least 0."""
    left_out = 0
    for seed in range(30):
        start = started(toy(seed, 3, (4, 2)))
        if isinstance(start, Counterexample):
            continue
        region = start.centres[0]
        margins, hidden = start.hyperplanes(region)
        rows, values = inwards(hidden, region.pattern, range(len(hidden)))
        norms = np.array([[sqrt(norm) or 1.0] for _, norm, _ in hidden])
        A, b = np.array(rows, dtype=float) / norms, np.array(values, dtype=float) / norms[:, 0]
        real = []
        for row, norm, value in (*margins, *hidden):
            if norm:
                on = {"A_eq": np.array([row], dtype=float) / sqrt(norm), "b_eq": [-value / sqrt(norm)]}
                found = linprog([0.0] * 3, A_ub=-A, b_ub=b, bounds=(None, None), **on)
                real += [value * value / norm] * (found.status == 0)
                left_out += found.status != 0
        assert sorted(float(squared) for squared, _ in facets(start, region)) == sorted(real)
    assert left_out > 10


def test_neither_radius_passes_the_true_one():
    """Of tiny networks with every degeneracy; each of both is the larger one somewhere."""
    larger = set()
    for seed in range(60):
        case, cap = tiny(seed), 1 << 20
        found = started(case, cap)
        if isinstance(found, Counterexample):
            continue
        true = exact_search(case.network, case.query, case.table, max_radius_squared=cap, max_regions=1 << 12)
        radius = geocert(found, cap)
        assert radius <= true.radius_squared
        if (pair := both(case, cap)) is not None:
            assert pair[0] <= true.radius_squared
            assert pair[1] == radius
            larger.add(np.sign(pair[0] - pair[1]))
    assert larger == {-1, 0, 1}


def test_networks_are_counted_by_which_radius_is_smaller():
    """The first fair ones of a shape, the same every time; the counts of a line add up."""
    one, again = (projection.run(None, shapes=((2, (3, 2)),), applicants=6)["results"] for _ in range(2))
    assert one == again
    assert len(one[0]["radii"]) == 6
    shown = {"results": [{"columns": 2, "hidden": [3, 2], "radii": [(1, 4), (9, 9), (16, 4), (4, 16), (1, 0)]}]}
    assert projection.table(shown).splitlines()[-1] == "| 2 columns, (3, 2) | 5 | 2 (50%) | 1 | 2 (inf%) |"
