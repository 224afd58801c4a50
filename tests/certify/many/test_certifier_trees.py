"""Certification of many applicants of an additive model: the same results, tables and files as of networks."""

import random

import msgspec
import pytest

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.errors import RunError
from equiproof.certify.many.certifier import Certifier
from equiproof.certify.many.results import Results
from tests.additive_small import additive
from tests.support import LOANS, applicant, changed, network


def certifier(model=None, spec=LOANS, **parameters):
    """Return a certifier of scheme trees that shows no progress."""
    return Certifier(model or additive(), spec, scheme="trees", progress=False, **parameters)


@pytest.fixture(scope="module")
def rows():
    """Forty random applicants."""
    rng = random.Random(1)
    return [applicant(LOANS, rng) for _ in range(40)]


@pytest.fixture(scope="module")
def results(rows):
    """What is known of them."""
    return certifier(capacity=2, slots=1).certify(rows)


def test_verdicts_are_those_of_the_slices(results, rows):
    """Unfair are those whose slices differ; of the fair, radius, flip and interval agree."""
    model, found = additive(), {"fair": 0, "unfair": 0}
    for point, row in zip(results, rows, strict=True):
        labels = {model.decide((*LOANS.encode(row), *slice_)) for slice_ in LOANS.domain_table}
        assert point.verdict == ("fair" if len(labels) == 1 else "unfair")
        found[point.verdict] += 1
        if point.verdict == "fair":
            assert point.exact.complete
            assert point.exact.upper_squared in (None, str(point.radius_squared))
            assert point.flip is None or point.flip.distance_squared >= point.radius_squared
            assert point.radius_squared_at_capacity <= point.radius_squared
            assert point.needed_capacity >= point.leaves >= 1
    assert min(found.values()) > 0


def test_results_are_tables_words_and_files(results):
    """A frame with the scheme's own columns, a summary, and a document that reads back the same."""
    frame = results.to_frame()
    assert {"leaves", "slots", "flip_distance", "exact_upper", "radius_at_capacity"} <= set(frame.columns)
    assert not {"regions", "programs"} & set(frame.columns)
    assert "are the largest there are" in results.summary()
    assert Results.from_json(results.to_json()) == results


def test_a_run_resumes_and_does_not_depend_on_processes(rows, tmp_path):
    """Several processes find the same, and a journal is of one model."""
    path = tmp_path / "run"
    first = certifier().certify(rows[:6], resume=path)
    again = certifier(jobs=2).certify(rows)
    assert certifier().certify(rows[:6], resume=path) == first
    untimed = [[msgspec.structs.replace(point, seconds=0.0) for point in found] for found in (first, again[:6])]
    assert untimed[0] == untimed[1]
    with pytest.raises(RunError, match="another model"):
        certifier(additive(sex=301)).certify(rows, resume=path)


def test_ranges_restrict_neighbors(rows):
    """A threshold at the end of a range is out of reach inside the ranges, and limits the radius without them."""
    spec = changed(LOANS, use_ranges=True)
    columns = (spec.plain_columns, spec.sensitive_columns)
    model = AdditiveModel((1,), (spec.box[1][1],), (-100,), 50, *columns, spec.input_fraction_bits)
    inside, free = certifier(model, spec).certify(rows), certifier(model).certify(rows)
    assert all(point.capped for point in inside)
    assert not any(point.capped for point in free)


def test_scheme_and_model_must_fit(rows):
    """An additive model has scheme trees alone, a network has the others, and slots belong to scheme trees."""
    with pytest.raises(RunError, match="want trees for an additive model"):
        Certifier(additive(), LOANS, progress=False).certify(rows)
    net = network(LOANS, (2,), seed=1)
    with pytest.raises(RunError, match="want traversal or branch for a network"):
        certifier(net).certify(rows)
    with pytest.raises(RunError, match="slots"):
        Certifier(net, LOANS, slots=3, progress=False).certify(rows)
    with pytest.raises(RunError, match="slots"):
        certifier(slots=-1).certify(rows)
