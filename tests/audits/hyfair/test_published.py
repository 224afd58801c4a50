"""The networks of Fairify: what is published of them, and what exact numbers say."""

import csv
import os
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from equiproof import import_model
from equiproof.audits.context import AuditContext
from equiproof.audits.hyfair.branch import Budget, branch
from equiproof.audits.hyfair.clusters import Judge
from equiproof.audits.hyfair.forward import Forward
from equiproof.audits.hyfair.grid import grid_of
from equiproof.audits.hyfair.hybrid import Limits, settle
from equiproof.audits.hyfair.margin import margin_of, margin_of_floats
from equiproof.audits.hyfair.plugin import DiscriminationClusters
from equiproof.audits.hyfair.raw_specs import raw_spec
from equiproof.audits.hyfair.scores import score
from equiproof.audits.hyfair.tree import check
from equiproof.audits.rounding import holds
from equiproof.certify.models.importing.domains import parse_domain, read_domain

FOLDER = Path(os.environ.get("EQUIPROOF_DATA", "")) / "fairify_nets"
DOMAINS = {"AC": "adult", "BM": "bank", "GC": "german"}

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(
        not os.environ.get("EQUIPROOF_DATA"), reason="EQUIPROOF_DATA does not name the public data sets"
    ),
]

REFUTED = {
    "BM-4": ((7, 1, 3, 0, 1, 0, 0, 9, 1, 92, -3, 14, 317, 3, 0), (0.8675, 0.1173)),
    "BM-7": ((9, 0, 5, 0, 1, 1, 1, 4, 2, 30, -1, 9, 219, 1, 2), (0.0735, 0.6448)),
}
"""Counterexamples for two networks published as certified: the codes after age, and the scores at age 0 and 1."""


@lru_cache(maxsize=25)
def imported(name):
    """Import a network with all features that the domains declare as protected, in raw units."""
    path = FOLDER / "input_domains.json"
    _, domain = parse_domain(path.read_bytes(), str(path), DOMAINS[name[:2]])
    spec = raw_spec(DOMAINS[name[:2]], domain, sensitive=dict.fromkeys(domain.protected))
    return import_model(FOLDER / f"{name}.npz", spec, columns=domain.order, units="raw")


def judge_of(name, protected, *, committed=False):
    """Return the judge of a network as it was published, or of its committed integers, under one protected feature."""
    found = imported(name)
    margin = margin_of(found.quantised) if committed else margin_of_floats(found.network, 1)
    return Judge(Forward(margin, grid_of(found.spec, protected=(protected,))))


@pytest.mark.parametrize("name", REFUTED)
def test_networks_that_are_published_as_fair_are_refuted_by_known_counterexamples(name):
    """The label flips and scores are apart, in the exact numbers of the published weights and of committed ones."""
    codes, wanted = REFUTED[name]
    for committed in (False, True):
        judge = judge_of(name, "age", committed=committed)
        grid = judge.forward.grid
        applicant = np.array(
            [
                code if not ordered else values.index(str(code))
                for code, ordered, values in zip(codes, grid.ordered, grid.values, strict=True)
            ]
        )
        assert judge.exactly(applicant)[2:] == (True, True)
        if not committed:
            scores = [float(sum(score(margin)) / 2) for margin in judge.forward.exact(applicant)]
            assert scores == pytest.approx(wanted, abs=5e-5)


@pytest.mark.parametrize("committed", [False, True])
@pytest.mark.parametrize("name", REFUTED)
def test_networks_that_are_published_as_fair_are_refuted_by_search(name, committed):
    """The search finds a counterexample of either property on the declared domain, for both sets of weights."""
    judge = judge_of(name, "age", committed=committed)
    for place, wanted in ((2, "apart"), (3, "flipped")):
        found = settle(judge, wanted, judge.forward.grid.whole, Limits(), np.random.default_rng(0))
        assert (found.verdict, found.by) == ("unfair", "draws")
        assert judge.exactly(found.counterexample)[place]


@pytest.mark.slow
def test_what_was_found_satisfiable_is_never_certified():
    """Each of the 33 pairs of network and feature that Fairify refutes is unfair by a replayed counterexample."""
    with (FOLDER / "fairify_table_v.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["fairify"] == "SAT"]
    assert len(rows) == 33
    for row in rows:
        judge = judge_of(f"{row['model'][:2]}-{row['model'][2:]}", row["protected"])
        limits = Limits(draws=100_000, solver_seconds=0.0, branch=Budget(2000, 20.0))
        found = settle(judge, "flipped", judge.forward.grid.whole, limits, np.random.default_rng(0))
        assert found.verdict == "unfair", row
        assert judge.exactly(found.counterexample)[3]


def partitions(judge, wanted, numbers):
    """Count verdicts of partitions of a hundred credit amounts each: (unfair, fair)."""
    grid, counts = judge.forward.grid, [0, 0]
    for number in numbers:
        box = grid.within(credit_amount=(100 * number, 100 * number + 99))
        found = branch(judge, wanted, box, Budget(20_000, 60.0))
        assert found.reason is None
        if found.counterexample is not None:
            assert judge.exactly(found.counterexample)[3]
        else:
            check(judge, wanted, box, found.tree)
        counts[found.counterexample is None] += 1
    return tuple(counts)


def test_the_partitions_of_a_small_network_that_flip_are_counted():
    """German 4 around the two partitions of 201 that Fairify finds satisfiable."""
    assert partitions(judge_of("GC-4", "sex"), "flipped", range(120, 140)) == (2, 18)


@pytest.mark.slow
@pytest.mark.parametrize("protected", ["sex", "age"])
@pytest.mark.parametrize(("name", "counts"), [("GC-3", (195, 6)), ("GC-4", (2, 199))])
def test_whole_domains_have_the_published_counts(name, protected, counts):
    """All 201 partitions of credit_amount are settled, with exact evidence, as Fairify counts them."""
    assert partitions(judge_of(name, protected), "flipped", range(201)) == counts


@pytest.mark.parametrize("protected", ["age", "sex"])
def test_a_flip_of_a_published_network_survives_its_commitment(protected):
    """German 4 as it is imported under its declared domain is unfair, to an applicant for whom its floats flip as well.

    The flips of age are less than one unit of credit_amount wide: 16-bit weights round them away.
    """
    path = FOLDER / "input_domains.json"
    spec, domain = read_domain(path.read_bytes(), str(path), "german", labels=("bad", "good"), sensitive=(protected,))
    found = import_model(FOLDER / "GC-4.npz", spec, columns=domain.order, units="raw", widen=True)
    context = AuditContext(
        network=found.quantised,
        spec=found.spec,
        commitment="",
        original=found.network,
        options={"search_seconds": "0", "samples": "0"},
    )
    report = DiscriminationClusters().run(context)
    (flips,) = (one for one in report.findings if one.subject == "label flips")
    assert flips.verdict == "unfair"
    assert holds(flips.counterexample, found.network, found.spec)


def test_scores_can_be_certified_where_labels_flip():
    """German 4 and sex: no two scores are apart anywhere on the domain, by checked evidence, though labels flip."""
    judge = judge_of("GC-4", "sex")
    whole = judge.forward.grid.whole
    found = settle(judge, "apart", whole, Limits(solver_seconds=0.0), np.random.default_rng(0))
    assert found.verdict == "fair"
    check(judge, "apart", whole, found.tree)
    flipped = settle(judge, "flipped", whole, Limits(), np.random.default_rng(0))
    assert flipped.verdict == "unfair"
