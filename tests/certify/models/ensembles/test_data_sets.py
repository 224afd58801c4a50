"""Every data set by every kind of trained ensemble: integers that decide its rows alike, committed and certified."""

import os
from pathlib import Path

import pytest

from equiproof.certify import single
from equiproof.certify.data import load
from equiproof.certify.data.catalogue import GENERATED_NAME, NAMES
from equiproof.certify.many.point import Limits
from equiproof.certify.models.ensembles.fidelity import measure_score_on
from equiproof.certify.models.ensembles.gaps import gaps
from equiproof.certify.models.ensembles.quantise import quantise_score
from equiproof.certify.models.ensembles.training import train_additive
from equiproof.prover import Opening
from equiproof.prover.opening import parse_opening

pytestmark = pytest.mark.slow

SELDOM = ("ricci", "titanic")
"""Those that are read where their file is at hand, and skipped elsewhere."""

SETS = [name if name == GENERATED_NAME else pytest.param(name, marks=pytest.mark.shared) for name in NAMES]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("kind", ["boosting", "forest", "scorecard"])
@pytest.mark.parametrize("name", SETS)
def test_a_trained_model_is_committed_and_certifies_an_applicant(name, kind):
    """No row is decided otherwise after rounding, no row lies in a gap, and a radius is searched for one of them."""
    if name != GENERATED_NAME and not os.environ.get("EQUIPROOF_DATA"):
        pytest.skip("EQUIPROOF_DATA does not name the directory of the public data sets")
    if name in SELDOM and not (Path(os.environ["EQUIPROOF_DATA"]) / name).exists():
        pytest.skip(f"there is no folder {name} with the raw file")
    data = load(name, None if name == GENERATED_NAME else Path(os.environ["EQUIPROOF_DATA"]))
    depth = {"boosting": 3, "forest": 4, "scorecard": 1}[kind]
    score, card, report = train_additive(data, kind, rounds=30, depth=depth)
    model = quantise_score(score, data.spec)
    changed = measure_score_on(score, model, data)
    assert changed.rows.differing == changed.rows.ties
    assert changed.rows.flips_lost <= changed.rows.ties
    assert (card is not None) == (kind == "scorecard")
    # With few rounds, a scorecard of law_school takes every row for the common label.
    assert 0.5 <= report.balanced_accuracy[0] <= 1
    owned = parse_opening(Opening.of(model, data.spec, 5, gaps(score, model, data.spec)).secret(), "opening.json")
    queries = [owned.encode(data.rows[number]) for number in data.test[:20]]
    fair = [query for query in queries if len({model.decide((*query, *row)) for row in data.spec.domain_table}) == 1]
    found = single.score(model, data.spec, fair[0], Limits(scheme="trees", max_leaves=64, max_seconds=20))
    assert found.radius_squared >= 1
