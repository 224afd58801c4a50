"""Sub-circuits one by one: each set up, proven and verified alone, with the instances that a certificate holds."""

import json
import random
import statistics

import pytest

from bench.harness import BenchError
from bench.paper.cases import Case
from bench.paper.measure import DEFAULT_SEED
from equiproof.certify.data import load
from equiproof.certify.traversal.search import Counterexample, Search, search
from equiproof.circuits.subcircuit import gadgets_of, subcircuit
from equiproof.ffi import backend
from research.suites import subcircuits
from tests.conftest import CAPACITY

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def results(loans):
    """One applicant with a ball that crosses facets, proven alone gadget by gadget."""
    row = next(row for row, found in loans.applicants(seed=1) if isinstance(found, Search) and found.needed == 6)
    return subcircuits.measure(loans.opening, row, CAPACITY, rounds=1)


def test_every_sub_circuit_is_measured(loans, results):
    """Constraints are those that compile, times are above zero, proofs have their length."""
    assert [one["circuit"] for one in results["circuits"]] == list(gadgets_of(loans.shape))
    for one in results["circuits"]:
        document = subcircuit(one["circuit"], loans.shape).document
        assert one["constraints"] == backend.describe(document).constraints
        assert min(one["setup_s"], one["prove_s"], one["verify_ms"]) > 0
        assert one["proof_bytes"] == 196


def test_instances_are_those_of_the_evidence(results):
    """A slice each for inference, a region each for what is of a region, one for what is of the whole."""
    found = {one["circuit"]: one["instances"] for one in results["circuits"]}
    regions = dict.fromkeys(("polytope", "distance", "boundary", "order"), 6)
    whole = dict.fromkeys(("neighbor", "minimum", "commitment", "digest"), 1)
    assert found == {"inference": 2} | regions | whole
    assert results["regions"] == 6


def test_the_composed_constraints_add_up(loans, results):
    """Gadgets and what they share are the certificate's circuit."""
    own = sum(one["composed"] for one in results["circuits"])
    assert own + sum(results["shared"].values()) == results["constraints"] == loans.key.document.constraints


def test_table_and_figure_tell_every_part(loans, results, tmp_path):
    """Results that were read back have a row and a bar for every sub-circuit and every shared part."""
    whole = {"cases": [{"title": "Loans (2,2)", **results}]}
    read = json.loads(json.dumps(whole))
    assert subcircuits.table(read) == subcircuits.table(whole)
    lines = subcircuits.table(read).splitlines()
    subcircuits.plot(read, tmp_path / "figure.svg")
    drawn = (tmp_path / "figure.svg").read_text()
    for name in gadgets_of(loans.shape):
        assert sum(line.startswith(f"| {name} |") for line in lines) == 1
        assert f">{name}<" in drawn
    for name in results["shared"]:
        assert sum(line.startswith(f"| ({name}) |") for line in lines) == 1
        assert f">{name}<" in drawn
    total = sum(one["instances"] * one["prove_s"] for one in results["circuits"])
    assert f"| all | 30 |  |  |  | {total:.2f} |  | {results['constraints']:,} |" in lines


def test_an_applicant_without_a_certificate_is_refused(loans):
    """Where the model is unfair, there is nothing to take apart, and one line says so."""
    row = next(row for row, found in loans.applicants(seed=1) if isinstance(found, Counterexample))
    with pytest.raises(BenchError, match="unfair at this applicant, who has no certificate"):
        subcircuits.measure(loans.opening, row, CAPACITY)


def test_the_median_applicant_is_taken_apart():
    """The applicant of a case has the median of regions among those who are treated fairly, the lower of two."""
    case = Case("lending", "lending", (3,), 16, 0.01)
    opening, row = subcircuits._median(case, 12, None)
    data = load("lending", None)
    spec, counts = opening.spec, []
    for index in random.Random(DEFAULT_SEED).sample(data.test, 12):
        query = spec.encode(data.rows[index])
        found = search(
            opening.network, query, spec.domain_table, max_radius_squared=spec.max_radius_squared, max_regions=4096
        )
        if isinstance(found, Search):
            counts.append(found.needed)
    found = search(
        opening.network,
        spec.encode(row),
        spec.domain_table,
        max_radius_squared=spec.max_radius_squared,
        max_regions=4096,
    )
    assert len(counts) > 2
    assert found.needed == statistics.median_low(counts)
    assert set(row) == {feature.name for feature in spec.plain_features}
