"""Rows that do not state everything are audited, or refused in one line."""

import json
import random
from dataclasses import replace

import numpy as np
import pytest

from equiproof.audits.context import AuditContext
from equiproof.audits.data import AuditRows, fit_linear
from equiproof.audits.errors import AuditError, NotApplicableError
from equiproof.audits.fvgm import plugin
from equiproof.audits.fvgm.clauses import Clauses
from equiproof.audits.fvgm.committed import Committed
from equiproof.audits.fvgm.metrics import shares
from equiproof.audits.fvgm.pipeline import Settings
from equiproof.audits.fvgm.plugin import GraphicalModel
from equiproof.audits.fvgm.population import prepare_committed
from equiproof.audits.fvgm.trees import accepted
from equiproof.audits.groups.plugin import Groups
from equiproof.audits.html.applicants import certification
from equiproof.audits.hyfair.plugin import DiscriminationClusters
from equiproof.audits.leak.plugin import Leak
from equiproof.audits.runner import run_all
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.many.point import PointResult
from equiproof.certify.models.ensembles.stepped import as_network
from tests.audits.fvgm.test_population import CUTS, TREE
from tests.certify.trees.ensembles import ensemble
from tests.support import LACKING, applicant

OTHER = (0, 3, (2, -1, 2))
"""One more tree over the same predicates."""


def model(trees, highs):
    """Return trees over the predicates, whose nodes send what is missing high where `highs` draws a 1."""
    found = ensemble(LACKING, CUTS, trees, 0)
    rng = random.Random(highs)
    nodes = replace(found.nodes, highs=tuple(rng.randint(0, 1) for _ in found.nodes.predicates))
    return EnsembleModel(replace(found.additive, absent=LACKING.absent), nodes)


def context(score, rows=600, **known):
    """Return a context of applicants of whom some do not state income, or how they live."""
    rng = random.Random(3)
    found = [applicant(LACKING, rng) | {"sex": rng.choice("fm")} for _ in range(rows)]
    for row in found:
        row["income"] = round(row["income"] / 1000) * 1000 - (6000 if row["sex"] == "f" else 0)
        row |= {name: None for name in ("income", "housing") if rng.random() < 0.3}
    return AuditContext(
        network=as_network(score), spec=LACKING, commitment="", rows=found, score=score,
        labels=[rng.randint(0, 1) for _ in found], **known,
    )  # fmt: skip


@pytest.mark.parametrize("highs", range(4))
@pytest.mark.parametrize("trees", [[TREE], [TREE, OTHER]], ids=["clauses", "added-up"])
def test_what_is_not_stated_is_a_value_of_its_own(trees, highs):
    """A tree's clauses decide every row as the model does; of more trees shares are near those of the rows."""
    score = model(trees, highs)
    rows = plugin._encoded(context(score, rows=1500))
    found = prepare_committed(rows, Settings(conditioned=True), draws=500, least=30, labelled=True)
    for name in ("income", "housing"):
        assert name not in found.coded.values or found.coded.values[name].count("(not stated)") == 1
    assert (rows.accepted == [score.decide(row) == 1 for row in rows.matrix.tolist()]).all()
    assert isinstance(found.classifier, Clauses if len(trees) == 1 else Committed)
    if len(trees) == 1:
        assert (accepted(found.classifier, found.coded) == rows.accepted).all()
    for group in found.groups():
        own = rows.accepted[found.rows_of(group)].mean()
        assert shares(found.classifier, found.network, [group]).accepted[0].middle == pytest.approx(own, abs=0.05)


def test_a_model_tells_what_is_missing_from_large_values():
    """The bin of the largest incomes and that of none are two members, though both pass every threshold."""
    rows = plugin._encoded(context(model([TREE], 0)))
    lacking = np.array([row["income"] is None for row in context(model([TREE], 0)).rows])
    told = rows.told["income"]
    assert np.isnan(rows.columns["income"]).tolist() == lacking.tolist()
    assert not {tuple(one) for one in told[lacking].tolist()} & {tuple(one) for one in told[~lacking].tolist()}


def test_audits_of_rows_run():
    """Groups, clusters and leaks; clusters are searched for among stated values, and the report says so."""
    audits = {one.name: one for one in (Groups(), DiscriminationClusters(), Leak(), GraphicalModel())}
    options = {
        "hyfair": {
            "search_seconds": "0.2", "solver_seconds": "0.5", "branch_seconds": "0.5", "ceiling_seconds": "0.5",
            "samples": "0",
        },
        "leak": {"counts": "3,10", "draws": "1", "people": "30", "levels": "0.25"},
    }  # fmt: skip
    where = context(model([TREE, OTHER], 1), rows=120)
    names = ["groups", "hyfair", "fvgm", "leak"]
    found = run_all(where, audits, names, options={name: options[name] for name in names if name in options})
    assert [one.audit for one in found.reports] == names, found.failures
    notes = found.reports[1].notes
    assert any(one.startswith("nothing is said of applicants who do not state income or housing") for one in notes)
    stated = sum(None not in row.values() for row in where.rows)
    assert any(f"{120 - stated} of 120 rows lie outside that domain" in one for one in notes)
    rates = [one for one in found.reports[0].estimates if one.n == 120]
    assert rates
    assert json.loads(found.to_json())["reports"]


def test_a_linear_model_is_not_fitted_to_such_rows():
    """Neither when it is asked for nor when somebody brings one."""
    where = context(model([TREE], 0))
    with pytest.raises(AuditError, match=r"^rows\.csv: leave --linear out: some rows do not state 'income'"):
        fit_linear(AuditRows(where.rows, where.labels, "rows.csv"), LACKING)
    with pytest.raises(NotApplicableError, match=r"^leave --linear out: some rows do not state 'income'"):
        GraphicalModel().run(replace(where, linear=object()))


def test_the_page_says_what_is_not_stated():
    """In the place of how far it may move, without a picture."""
    row = {"income": None, "housing": "own", "sex": "f"}
    point = PointResult(row=1, verdict="fair", label="granted", radius_squared=1 << 18, seconds=0.1)
    moves = {one.name: one for one in certification(point, LACKING, row).moves}
    assert (moves["income"].text, moves["income"].bar) == ("not stated, and only as long as it is not", None)
    assert moves["housing"].bar is not None
