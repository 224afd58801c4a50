"""Audits of networks that have columns for what is missing: rows are audited, or refused in one line."""

import random

import pytest

from equiproof.audits.context import AuditContext
from equiproof.audits.errors import NotApplicableError
from equiproof.audits.fvgm.plugin import GraphicalModel
from equiproof.audits.groups.plugin import Groups
from equiproof.audits.hyfair.plugin import DiscriminationClusters
from equiproof.audits.leak.plugin import Leak
from equiproof.audits.pba.plugin import PersistentBias
from equiproof.audits.prof.plugin import ProvableRepair
from equiproof.audits.runner import run_all
from tests.prover.test_marks import MARKED
from tests.support import LOANS, applicant, network


@pytest.fixture(scope="module")
def context():
    """A context of applicants of whom some do not state income, or how they live."""
    rng = random.Random(3)
    rows = [applicant(LOANS, rng) | {"sex": rng.choice("fm")} for _ in range(150)]
    for row in rows:
        row |= {name: None for name in ("income", "housing") if rng.random() < 0.3}
    labels = [rng.randint(0, 1) for _ in rows]
    return AuditContext(network=network(MARKED, (3,), 4), spec=MARKED, commitment="", rows=rows, labels=labels)


@pytest.mark.parametrize("audit", [PersistentBias, ProvableRepair, DiscriminationClusters])
def test_searches_name_the_column(audit, context):
    """A search would take the mark for a number that people have."""
    with pytest.raises(NotApplicableError, match="the model has a column for missing values of 'income', which this"):
        audit().run(context)


def test_audits_of_rows_run(context):
    """Decisions are counted, not stated is a value of its own, and copies are made of all columns."""
    audits = {one.name: one for one in (Groups(), GraphicalModel(), Leak())}
    options = {
        "groups": {"people": "2", "draws": "20"},
        "leak": {"counts": "3,10", "draws": "1", "people": "30", "levels": "0.25"},
    }
    found = run_all(context, audits, list(audits), options=options)
    assert [one.audit for one in found.reports] == list(audits), found.failures
    assert [one for one in found.reports[0].estimates if one.n == 150]
