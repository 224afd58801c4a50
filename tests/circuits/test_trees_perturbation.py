"""Circuit and reference agree on witnesses about ensembles: honest ones that are changed, refilled or not."""

import random
from copy import deepcopy

import pytest

from tests.circuits.test_additive_perturbation import values
from tests.circuits.tiny_cases import altered, free_checkers, verdict
from tests.soundness.additive_told import Told, stated
from tests.soundness.trees_column_lies import several
from tests.soundness.trees_range_lies import kept
from tests.soundness.trees_told import STAGES, again, ample, honest, nothing_live

TRUTHS = {
    "honest": honest,
    "ample": ample,
    "nothing live": nothing_live,
    "several columns": several,
    "inside ranges": kept,
}
MORE = (pytest.mark.slow, pytest.mark.sampled(4))


@pytest.fixture(scope="module", autouse=True)
def _freed():
    """Free the compiled circuit behind these tests."""
    yield
    free_checkers()


def changed(rng, truth):
    """Return the witness of a truth with one wire or two replaced; half of them with what follows filled anew."""
    told = truth()
    for _ in range(rng.choice([1, 1, 2])):
        segment = rng.choice([run for run, of in told.wires.items() if of and not run.endswith(("blinding", "digest"))])
        place = rng.randrange(len(told.wires[segment]))
        value = values(rng, told.wires[segment][place], told.wires[segment])
        told = Told("", told.shape, altered(told.wires, segment, place, value))
    return _refilled(told, rng.choice(STAGES)) if rng.random() < 0.5 else told


def _refilled(told, stage):
    """Return a stage and all behind it filled anew, or the same: places beyond the end of a list have no content."""
    found = Told("", told.shape, deepcopy(told.wires))
    try:
        again(found, stage)
    except (IndexError, ValueError, OverflowError):
        return told
    return found


@pytest.mark.parametrize("name", TRUTHS)
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=MORE) for seed in range(1, 4))])
def test_changed_witnesses_have_one_verdict(name, seed):
    """One wire or two of an honest witness are replaced, under the digest of what they then state."""
    rng, verdicts = random.Random(f"{name} {seed}"), set()
    for _ in range(12 if seed == 0 else 100):
        told = changed(rng, TRUTHS[name])
        verdicts.add(verdict(told.shape, stated(told.shape, told.wires).digest(told.shape), told.wires))
    assert len(verdicts) > 3
