"""Nodes that a ball passes on its way: counted beside every path, and the largest ball that passes few."""

import random

import pytest

from equiproof.certify.errors import CapacityError
from equiproof.certify.traversal.search import Counterexample
from equiproof.certify.trees.ensemble_search import ensemble_search
from equiproof.certify.trees.problem import Problem, problem_of
from equiproof.certify.trees.rows import children_of, passed_nodes, radius_of_passed
from tests.certify.trees.ensembles import drawn

CAP = 400


def problem(seed):
    """A random ensemble around a query, or None where its slices are decided differently."""
    rng = random.Random(seed)
    model = drawn(rng, plain=3, sensitive=1, predicates=9, trees=4, depth=4, jumps=0)
    found = problem_of(model, [rng.randint(-4, 4) for _ in range(3)], [(0,)], max_radius_squared=CAP)
    return found if isinstance(found, Problem) else None


def walked(model, query, slots):
    """The passed nodes, by all paths that somebody in the ball takes."""
    passed = set()

    def go(child):
        if not child.is_node:
            return
        place = model.nodes.predicates[child.number]
        stay, cross = children_of(model, child.number, query)
        go(stay)
        if place in slots or place >= model.predicates[0]:
            go(cross)
        else:
            passed.add(child.number)

    for root in range(model.nodes.roots):
        go(type(model.nodes.children[0][0])(True, root))
    return passed


def test_passed_nodes_are_those_of_all_paths():
    """They are found from roots and rows; the largest ball that passes so many, and all smaller ones, is exact."""
    tried = falls = 0
    for seed in range(60):
        if (one := problem(seed)) is None:
            continue
        ends = [*sorted({gap for gap in one.gaps if gap is not None and gap < CAP}), CAP]
        counts = []
        for end in ends:
            slots = one.slots(end)
            found = passed_nodes(one.model, one.query, slots)
            assert set(found) == walked(one.model, one.query, slots)
            counts.append(len(found))
        falls += counts != sorted(counts)
        assert [one.most_passed(end) for end in ends] == [max(counts[: place + 1]) for place in range(len(ends))]
        for passed in range(max(counts) + 2):
            fitting = [end for place, end in enumerate(ends) if max(counts[: place + 1]) <= passed]
            radius = radius_of_passed(one.model, one.query, one.gaps, passed, CAP)
            assert radius == (fitting[-1] if fitting else None)
            tried += 1
    assert tried > 300
    assert falls > 5, "larger balls pass fewer nodes somewhere"


def test_a_search_within_a_room_for_passed_nodes():
    """Evidence never passes more nodes than there is room for; without room for the query's own there is none."""
    refused = shorter = 0
    for seed in range(40):
        if (one := problem(seed)) is None:
            continue
        model, query = one.model, one.query[: one.model.plain]
        searched = ensemble_search(model, query, [(0,)], max_radius_squared=CAP, max_leaves=64)
        assert not isinstance(searched, Counterexample)
        for passed in range(1, 1 + len(model.nodes.predicates), 3):
            room = {"max_leaves": 64, "max_passed": passed}
            least = len(passed_nodes(model, one.query, ()))
            if least > passed:
                with pytest.raises(
                    CapacityError, match=f"{least} passed nodes are needed and the capacity is {passed}"
                ):
                    ensemble_search(model, query, [(0,)], max_radius_squared=CAP, **room)
                refused += 1
                continue
            found = ensemble_search(model, query, [(0,)], max_radius_squared=CAP, **room)
            assert len(passed_nodes(model, one.query, found.evidence.slots)) <= passed
            if found.radius_squared < searched.radius_squared:
                shorter += 1
                assert found.ended == "passed"
    assert refused
    assert shorter
