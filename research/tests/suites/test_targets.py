"""Keys for the models that most lenders use: what is measured, and the sentences on targets that were missed."""

import pytest

pytest.importorskip("sklearn")
pytest.importorskip("scipy")
import bench.headlines
from bench import pages
from bench.harness import BenchError
from bench.parts import Options
from equiproof.certify.additive import AdditiveModel
from equiproof.certify.data import load
from equiproof.certify.ensemble import EnsembleModel
from equiproof.circuits.proof_systems import DEFAULT_PROOF_SYSTEM, PROOF_BYTES
from equiproof.ffi import backend
from research import headlines
from research.suites import target_models, target_tables, targets
from research.suites.target_models import Aims, Model, Room

PART = {
    "dataset": "german", "model": "100x3", "room": [16, 80, 288], "predicates": [112, 0], "nodes": [100, 563],
    "constraints": 200_000, "gadgets": [["rows", 90_000], ["leaf", 50_000]], "points": 10, "certify_s": 0.5,
    "exact_s_all": [0.01] * 10, "radius_all": [0.5] * 10, "share_all": [1.0] * 6 + [0.95] * 3 + [0.5],
    "ended_all": [""] * 6 + ["leaves"] * 3 + ["rows"], "slots_all": [40] * 10, "rows_all": [100] * 9 + [700],
    "setup_s": 40.0, "witness_s": 0.1, "prove_s": 3.5, "prove_cpu_s": 6.9, "peak_mb": 700.0, "check_ms": 2.0,
    "proof_bytes": 196,
}  # fmt: skip
"""A part that reaches every target of its model."""


def results(**changed):
    """Return results of one part with changed figures."""
    return {"parts": {"german-100x3": PART | changed}}


@pytest.fixture
def small(monkeypatch):
    """Two small models, one additive and one of deeper trees."""
    models = (
        Model("card", "a small scorecard", "scorecard", 5, 1, Room(4), Aims(75_000)),
        Model("6x3", "6 trees of depth 3", "boosting", 6, 3, Room(8, 30, 60), Aims(10)),
    )
    monkeypatch.setattr(targets, "MODELS", models)
    return models


def test_a_part_that_reaches_its_targets_has_no_sentence():
    """Shares and figures at or below the targets are no misses, and those that were not measured neither."""
    assert target_tables.misses(results()) == "No target was missed."
    unproven = {name: value for name, value in PART.items() if name not in ("prove_s", "peak_mb", "check_ms")}
    assert target_tables.misses({"parts": {"german-100x3": unproven}}) == "No target was missed."


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"constraints": 210_001}, "210,001 constraints, the target is 210,000; most are for rows 90,000, leaf 50,000"),
        ({"constraints": None, "too_large": "too many"}, "no key is made: too many"),
        ({"prove_s": 4.1}, "4.1 s a proof, the target is 4: 6.9 CPU s for 200,000 constraints"),
        ({"check_ms": 5.1}, "5.1 ms a check, the target is 5"),
        ({"proof_bytes": 197}, "197 bytes a proof, the target is 196"),
        (
            {"share_all": [1.0] * 4 + [0.95] * 5 + [0.5], "ended_all": [""] * 4 + ["leaves"] * 5 + ["rows"]},
            "the exact radius for 4 of 10, the target is 45 %; 5 lack leaves; 1 lack rows, up to 700 for the exact",
        ),
        (
            {"share_all": [1.0] * 6 + [0.89] * 4, "ended_all": [""] * 6 + ["seconds"] * 4},
            "0.9 of it for 6 of 10, the target is 85 %; 4 lack time",
        ),
        ({"exact_s_all": [0.3] * 10}, "the median of exact searches takes 0.3 s, the target is 0.2: 40 live"),
        ({"exact_s_all": [0.1] * 8 + [5.0] * 2}, "nine of ten of exact searches takes 5 s, the target is 4"),
    ],
)  # fmt: skip
def test_a_missed_target_has_a_sentence_with_its_reason(changed, sentence):
    """Each target that is missed gives one sentence, and no other one."""
    (line,) = target_tables.misses(results(**changed)).splitlines()
    assert line.startswith("- German, 100 trees of depth 3: ")
    assert sentence in line


def test_tables_have_a_line_for_each_part():
    """Lines have the columns of the head, also for a part whose key was not made."""
    bare = {name: PART[name] for name in PART if name not in ("setup_s", "witness_s", "prove_s", "prove_cpu_s")}
    found = {"parts": {"german-100x3": PART, "adult-100x3": bare | {"dataset": "adult", "constraints": None}}}
    for table in (target_tables.costs, target_tables.reach):
        lines = table(found).splitlines()
        assert len(lines) == 4
        assert len({line.count("|") for line in lines}) == 1
    assert "| 3.5 (4) |" in target_tables.costs(found)
    assert "| 6 of 10 (45 %) | 9 of 10 (85 %) |" in target_tables.reach(found)


def test_the_overview_has_one_line():
    """The slowest proof of each model, and all applicants together."""
    faster = PART | {"dataset": "adult", "prove_s": 2.0, "points": 1, "share_all": [0.9]}
    line = target_tables.headline({"parts": {"german-100x3": PART, "adult-100x3": faster}})
    assert line == (
        "A proof takes, for so many constraints, 3.5 s for 100 trees of depth 3 (200,000). "
        "10 of 11 applicants get 0.9 of their exact radius or more."
    )
    made = headlines.made({"targets": results(model="100x3"), "race": None, "branch-growth": None})
    shown = bench.headlines.blocks(made)
    assert shown["headline-trees"].startswith("A proof takes")
    assert "headline-trees" in pages.OVERVIEW.read_text(encoding="utf-8")


def test_parts_are_models_and_data_sets_one_by_one():
    """Each model is a part for each data set; several processes would spoil the times."""
    parts = targets.plan(None, Options()).parts
    assert len(parts) == 2 * len(target_models.MODELS)
    assert {"german-scorecard", "adult-300x6"} <= parts.keys()
    with pytest.raises(BenchError, match="one by one"):
        targets.plan(None, Options(jobs=2))


def test_the_key_is_the_models(small):
    """Applicants are searched within the key's room: it is that of the model, or what nine of ten need."""
    question = targets.Question(points=4, datasets=("lending",))
    for model in small:
        reach = targets.reached("lending", model, question, None)
        shape, figures = reach.shape, reach.figures
        assert figures["constraints"] == backend.describe(shape.document).constraints
        assert [shape.capacity, shape.slot_count, shape.row_count] == figures["room"]
        for share, ended, needed in zip(figures["share_all"], figures["ended_all"], figures["slots_all"], strict=True):
            assert (share == 1.0) == (ended == "")
            assert 0 < share <= 1
            assert share < 1 or needed <= shape.slot_count
        assert len(reach.found) == question.proofs
        assert all(len(evidence.leaves) <= shape.capacity for _, evidence in reach.found)


def test_a_radius_short_of_the_exact_one_is_no_full_share(small):
    """A key of one leaf leaves some applicants short; their share is less than one, and says what ended the search."""
    model = Model("6x3", "6 trees of depth 3", "boosting", 6, 3, Room(1, 30, 60), Aims())
    figures = targets.reached("lending", model, targets.Question(points=12), None).figures
    short = [one for one in zip(figures["share_all"], figures["ended_all"], strict=True) if one[0] < 1]
    assert short
    assert {ended for _, ended in short} == {"leaves"}


@pytest.mark.slow
def test_applicants_are_proven(small):
    """The first applicants are proven under the key; a key that is too large for all but the last set is counted."""
    question = targets.Question(points=2, proofs=1, datasets=("lending",))
    figures = targets.measured("lending", small[1], question, None)
    assert (figures["proofs"], figures["proof_bytes"]) == (1, PROOF_BYTES[DEFAULT_PROOF_SYSTEM])
    assert min(figures[cost] for cost in ("prove_s", "prove_cpu_s", "check_ms", "peak_mb")) > 0
    assert "constraints, the target is 10" in "".join(target_tables.missed(figures, small[1]))
    counted = targets.measured(
        "lending", small[1], targets.Question(points=2, datasets=("lending", "x"), largest=9), None
    )
    assert counted["constraints"] == figures["constraints"]
    assert "prove_s" not in counted


@pytest.mark.slow
def test_an_explainable_boosting_machine_is_trained_and_imported():
    """Without pairs it is an additive model, with pairs an ensemble; both decide for both labels."""
    pytest.importorskip("interpret")
    data = load("lending", None)
    few = {"outer_bags": 1, "max_rounds": 20}
    for pairs, kind in ((0, AdditiveModel), (2, EnsembleModel)):
        own = target_models.explainable(data, few | {"interactions": pairs})
        assert type(own) is kind
        row = data.spec.domain_table[0]
        assert {own.decide((*data.spec.encode(data.rows[number]), *row)) for number in data.test[:100]} >= {0, 1}
