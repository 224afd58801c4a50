"""A search for false statements about ensembles whose cells can all be listed.

Radius and plaintext checker are held to the enumeration of cells, for some cases the reference over the field and the
real circuit, too.
"""

import random
from itertools import product

import pytest

from equiproof.certify.errors import EvidenceError
from equiproof.certify.traversal.search import Counterexample
from equiproof.certify.trees.ensemble_check import check
from equiproof.certify.trees.ensemble_search import ensemble_search
from tests.circuits.tiny_cases import broken_rule, free_checkers, verdict
from tests.soundness.tiny_ensembles import CAP, Liar, kept, lacking, tiny

QUICK = range(12)
MORE = (pytest.mark.slow, pytest.mark.sampled(1))
MANY = [
    *(pytest.param(tiny, range(start, start + 300), marks=MORE, id=str(start)) for start in range(100, 3100, 300)),
    pytest.param(kept, range(100, 400), marks=MORE, id="kept"),
    pytest.param(lacking, range(100, 700), marks=MORE, id="lacking"),
]


@pytest.fixture(scope="module", autouse=True)
def _freed():
    """Free the compiled circuits behind these tests."""
    yield
    free_checkers()


def rule_of(case, evidence):
    """Return the rule by which the plaintext checker refuses evidence, None where it accepts it."""
    try:
        check(evidence, case.scale, case.model, case.query, case.table, case.box)
    except EvidenceError as error:
        return error.rule
    return None


def judged(case, evidence, seed):
    """Return the one verdict of the checker, and for some seeds of reference and circuit."""
    rule = rule_of(case, evidence)
    if seed % 6 == 0:
        told = case.told(evidence)
        judge = verdict if seed % 60 == 0 and evidence.size <= 16 else broken_rule
        assert judge(told.shape, told.public, told.wires) == rule
    return rule


def proven(case, seed, found):
    """Hold a fair case's search to the cells; return the least squared distance of a wrong one."""
    (label,) = case.labels
    exact = case.exact(label)
    assert found.complete
    assert found.radius_squared == (CAP if exact is None else exact)
    for evidence in (found.evidence, Liar(random.Random(seed), case, label, found.radius_squared).evidence(1)):
        assert judged(case, evidence, seed) is None
    return exact


@pytest.mark.parametrize(("drawn", "seeds"), [(tiny, QUICK), (kept, QUICK), (lacking, QUICK), *MANY])
def test_what_is_proven_is_what_all_cells_say(drawn, seeds):
    """The search's evidence, and the partition into cells, prove the exact radius; nothing proves one more.

    What is false is stated of both labels, of tied and of unfair queries, too; with ranges, nobody outside counts.
    """
    fair = false = 0
    for seed in seeds:
        case, rng = drawn(seed), random.Random(seed)
        found = ensemble_search(
            case.model, case.query, case.table, max_radius_squared=CAP, max_leaves=256, box=case.box
        )
        assert isinstance(found, Counterexample) == (len(case.labels) > 1 or None in case.labels)
        lies = dict.fromkeys((0, 1), (0, 1, 9))
        if not isinstance(found, Counterexample):
            exact = proven(case, seed, found)
            lies[found.label] = () if exact is None else (exact + 1, exact + 3)
            fair += 1
        for label, fine in product(lies, (0, 0.6, 0.9, 1)):
            for radius in lies[label]:
                assert judged(case, Liar(rng, case, label, radius).evidence(fine), seed) == "R-T-CLOSE"
                false += 1
    assert fair > len(seeds) // 4
    assert false > len(seeds)
