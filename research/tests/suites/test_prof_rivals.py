"""Attackers, baselines and steps apart: what they find and make is judged in integers, and summed up as it is."""

import json
from fractions import Fraction

import numpy as np
import pytest

from bench.parts import Options
from equiproof.audits.hyfair.grid import grid_of
from equiproof.audits.prof.box import prune
from equiproof.audits.prof.metrics import unfair_rows
from equiproof.certify.decisions import decisions
from research.suites.prof import ablation, boxes, losses, rivals, table
from research.suites.prof.attackers import ATTACKERS, Effort, _Attack, attack
from research.suites.prof.baselines import BASELINES, Given, _swarm
from tests.audits.prof.tiny import LOANS, network, queries

GRID = grid_of(LOANS, decimals={"amount": 2})


def starts(count=30):
    """Return applicants that attackers start from."""
    return GRID.draw(np.random.default_rng(5), count)


def fair_starts(net):
    """Return those that the network does not discriminate."""
    return (held := starts(400))[~unfair_rows(net, LOANS, GRID.columns(held))][:30]


@pytest.mark.parametrize("kind", ATTACKERS)
def test_what_attackers_find_is_discriminatory(kind):
    """From fair starts instances are found, each decided differently for some sensitive value, the same each time."""
    net = network(LOANS, seed=2)
    found = attack(kind, net, LOANS, GRID, fair_starts(net), 1)
    assert found == attack(kind, net, LOANS, GRID, fair_starts(net), 1)
    assert len(found) > 30
    assert unfair_rows(net, LOANS, GRID.columns(np.array(sorted(found)))).all()


@pytest.mark.parametrize("kind", ATTACKERS)
def test_attackers_find_nothing_where_nothing_is(kind):
    """A network without weights of sensitive columns has no instance."""
    net = prune(network(LOANS, seed=2), LOANS, Fraction(1))
    assert attack(kind, net, LOANS, GRID, starts(), 1) == set()


@pytest.mark.parametrize("kind", ATTACKERS)
def test_the_local_phase_finds_more(kind):
    """Without local steps fewer instances are found than with them."""
    net = network(LOANS, seed=2)
    few, more = (attack(kind, net, LOANS, GRID, starts(), 1, Effort(local=local)) for local in (0, 100))
    assert few < more


def test_gradients_are_those_of_the_output():
    """The output one level up differs by the gradient's rise, where no neuron changes its sign."""
    net = network(LOANS, seed=2)
    run = _Attack(net, LOANS, GRID, np.random.default_rng(0))
    held = starts(40)
    held[:, 0] = np.minimum(held[:, 0], GRID.sizes[0] - 2)
    outputs, gradients = run.pairs(held)
    exact = np.array([[float(m) for m in _margins(net, row)] for row in held])
    assert outputs == pytest.approx(np.stack([exact.min(axis=1), exact.max(axis=1)]), abs=1e-9)
    rises = run.rises(held, gradients[0])
    slices = exact.argmin(axis=1)
    above = held + np.eye(held.shape[1], dtype=np.int64)[0]
    moved = np.array([float(_margins(net, row)[s]) for row, s in zip(above, slices, strict=True)]) - outputs[0]
    assert np.median(abs(moved - rises[:, 0])) < 1e-9


def _margins(net, row):
    """Return the exact outputs of an applicant under every sensitive value."""
    (query,) = GRID.columns(row[None]).tolist()
    return [Fraction(net.logits((*query, *line))[0], 1 << net.logit_fraction_bits) for line in LOANS.domain_table]


def given(net):
    """Return what baselines see: forty rows labelled by the network, and twelve applicants."""
    rng = np.random.default_rng(3)
    table_of = np.array(LOANS.domain_table)
    inputs = np.concatenate([np.array(queries(LOANS, 40, 7)), table_of[rng.integers(len(table_of), size=40)]], axis=1)
    labels = np.maximum(decisions(net, inputs), 0)
    return Given(LOANS, inputs, labels, np.array(queries(LOANS, 12)), 1)


def unfair(net, seen):
    """Return the share of a baseline's applicants and rows that are discriminated."""
    held = np.concatenate([seen.queries, seen.inputs[:, : LOANS.plain_columns]])
    return float(unfair_rows(net, LOANS, held).mean())


@pytest.mark.parametrize("name", BASELINES)
def test_baselines_make_networks_fairer_and_keep_rows(name):
    """Each returns a network of the same sizes that discriminates fewer of what it saw and keeps most rows."""
    net = network(LOANS, seed=2)
    seen = given(net)
    made = BASELINES[name](net, seen)
    assert made.hidden == net.hidden
    assert unfair(made, seen) < unfair(net, seen)
    assert float(np.mean(decisions(made, seen.inputs) == seen.labels)) >= 0.6


def test_pairs_are_the_extremes_of_every_applicant():
    """Of each applicant the two sides have the least and the largest output over its sensitive values."""
    net = network(LOANS, seed=1)
    low, high = given(net).pairs(net)
    plain = LOANS.plain_columns
    for one, other in list(zip(low, high, strict=True))[:8]:
        assert np.array_equal(one[:plain], other[:plain])
        rows = [tuple(round(v * LOANS.scale_unit) for v in side) for side in (one, other)]
        logits = [net.logits((*rows[0][:plain], *line))[0] for line in LOANS.domain_table]
        assert [net.logits(row)[0] for row in rows] == [min(logits), max(logits)]


def test_a_swarm_is_never_worse_than_its_start():
    """The place of ones is a particle, and the best place ever seen is returned."""
    best = _swarm(lambda place: float(abs(place - 2.5).sum()), 3, np.random.default_rng(0))
    assert best == pytest.approx(np.full(3, 2.5), abs=0.1)
    assert _swarm(lambda place: float(abs(place - 1).sum()), 2, np.random.default_rng(0)) == pytest.approx(np.ones(2))


def record(cur, accuracy, found):
    """Return one method's record."""
    return {"cur": cur, "idi_d": 0.1, "idi_s": 0.2, "accuracy": accuracy, "found": dict.fromkeys(ATTACKERS, found)}


def test_rivals_are_written_beside_the_paper_s():
    """Ratios of instances found, ours and the paper's; accuracy lost; a dash for what was not repaired."""
    methods = {"original": record(0.1, 0.8, 200), "FLIP": record(0.05, 0.79, 50), "CARE": record(0.1, 0.8, 220),
               "GRFT": record(0.0, 0.7, 0), "PROF": None}  # fmt: skip
    results = {"parts": {"German-sex": {"network": "GC-1", "seeds": [{"seed": 1, "methods": methods}]}}}
    line = rivals.attacked(results).splitlines()[2]
    assert line == (
        "| German (GC-1), sex | 200 | 200 | 0.25 (1.07) | 0.25 (0.94) | 1.10 (1.11) | 1.10 (1.04) | "
        "0.00 (1.20) | 0.00 (1.01) | - (0.00) | - (0.00) |"
    )
    assert rivals.attacked(results).splitlines()[3].startswith("| mean of 1 | - | - | 0.25 (1.07) | 0.25 (0.94) |")
    (line,) = rivals.fairness(results).splitlines()[2:]
    assert line == (
        "| German (GC-1), sex | 10.00, 10.00, 20.00; 80.00 | 5.00, 10.00, 20.00; 79.00 | 10.00, 10.00, 20.00; 80.00 | "
        "0.00, 10.00, 20.00; 70.00 | -, -, -; - |"
    )
    lines = rivals.summary(results).splitlines()[2:]
    assert lines[0] == "| one (1) | FLIP | 50.0 % (61.5 %) | 0.0 % (60.9 %) | 0.0 % (60.3 %) | 1.00 (1.81) |"
    assert lines[3] == "| one (1) | PROF | - (100.0 %) | - (95.9 %) | - (93.2 %) | - (2.27) |"


def test_relaxed_lines_have_no_attackers():
    """Their titles name the feature; they stand in the table of fairness and in its summary, not among the attacked."""
    methods = {name: {**record(0.2, 0.8, 0), "found": None} for name in ("original", *rivals.METHODS)}
    part = {"network": "GC-1", "seeds": [{"seed": 1, "methods": methods}]}
    results = {"parts": {"German-sex-month": part}}
    assert rivals.fairness(results).splitlines()[2].startswith("| German (GC-1), sex; month by 1 | 20.00, ")
    assert rivals.summary(results).splitlines()[3] == (
        "| one, another feature by 1 (1) | CARE | 0.0 % (-) | 0.0 % (-) | 0.0 % (-) | 0.00 (-) |"
    )
    both = {"parts": {"German-sex": {**part, "seeds": [{"seed": 1, "methods": {
        name: record(0.2, 0.8, 4) for name in methods}}]}, **results["parts"]}}  # fmt: skip
    assert [line.split(" | ")[0] for line in rivals.attacked(both).splitlines()[2:]] == [
        "| German (GC-1), sex", "| mean of 1",
    ]  # fmt: skip


def test_questions_are_data():
    """Both suites' questions can be kept, use seeds that no setting was chosen by, and have the paper's lines."""
    for plan in (rivals.plan(None, Options()), ablation.plan(None, Options())):
        assert json.loads(json.dumps(plan.question))["training"] == table.FRESH.training
        assert set(plan.question["seeds"]) <= set(table.FRESH.seeds)
    assert losses.plan(None, Options()).question["seeds"] == tuple(range(3101, 3111))
    relaxed = {asking.part for asking in rivals.ASKINGS if asking.relaxed}
    assert set(rivals.plan(None, Options()).parts) - relaxed == set(rivals.PRINTED)
    assert len(relaxed) == 6


def variant(cur, change):
    """Return one variant's record."""
    return {"cur": cur, "idi_d": 0.1, "accuracy": 0.8, "kept": 0.9, "change": change, "cpu_s": 2.0}


def test_variants_are_summed_up():
    """How many seeds end with all points alike, means over those repaired, and the change where there is one."""
    variants = {name: variant(0.0, 0.0) for name in ablation.VARIANTS}
    other = variants | {"both": variant(0.0, 0.5), "step 1 alone": variant(0.2, 0.0), "step 2 alone, box": {
        "reason": "none", "cpu_s": 2.0}}  # fmt: skip
    before = variant(0.3, 0.0)
    seeds = [{"seed": n, "before": before, "variants": held} for n, held in enumerate((variants, other))]
    lines = {line.split(" | ")[0]: line for line in ablation.table({"parts": {"A": {"seeds": seeds}}}).splitlines()}
    assert lines["| no repair"] == "| no repair | 0 of 2 | 30.00 | 10.00 | 80.00 | 90.00 | - | - |"
    assert lines["| both"] == "| both | 2 of 2 | 0.00 | 10.00 | 80.00 | 90.00 | 0.500 (1) | 2.0 |"
    assert lines["| step 1 alone"] == "| step 1 alone | 1 of 2 | 10.00 | 10.00 | 80.00 | 90.00 | 0 | 2.0 |"
    assert lines["| step 2 alone, box"].startswith("| step 2 alone, box | 1 of 2 | 0.00 |")


@pytest.mark.shared
@pytest.mark.slow
def test_methods_and_variants_are_measured(public_data):
    """German by sex with few points: PROF leaves no point unfair, step 2 alone changes the last layer."""
    asking = table.Asking("German", ("sex",))
    found = rivals.measured(asking, rivals.Question(points=30, samples=300, seeds=(3101,), starts=20), public_data)
    (seed,) = found["seeds"]
    assert seed["methods"]["PROF"]["cur"] == 0.0
    assert seed["methods"]["original"]["found"]["ADF"] > 0
    (steps,) = ablation.measured(asking, ablation.Question(points=100, seeds=(3101,)), public_data)["seeds"]
    assert steps["variants"]["step 2 alone, polytope"]["change"] > 0
    assert steps["variants"]["both"]["cur"] == 0.0


@pytest.mark.shared
@pytest.mark.slow
def test_losses_of_step_1_fall(public_data, tmp_path):
    """Every run has both losses, that of fairness ends far below its start, and the figure draws each network."""
    part = losses.measured(table.Asking("German", ("sex",)), losses.Question(seeds=(3101, 3102)), public_data)
    first, second = part["runs"]
    assert len(first) == len(second) == 40
    assert first != second
    assert first[-1][0] < first[0][0] / 2
    losses.plot({"parts": {"German-sex": part, "Adult-sex": part}}, tmp_path / "drawn.svg")
    assert "Adult-sex: steps" in (tmp_path / "drawn.svg").read_text()


def test_boxes_are_written():
    """Accuracies before, for points and over the box; a dash for what was refused."""
    part = {
        "network": "GC-1",
        "box": "month=6..36",
        "applicants": "200000",
        "cpu_s": 4.0,
        "before": 0.7,
        "points": 0.69,
    }
    made = part | {"after": 0.68, "rounds": 3, "leaves": 5, "weights": 2}
    lines = boxes.table({"parts": {"German-sex": made, "German-age": part}}).splitlines()[2:]
    assert lines[0] == "| German (GC-1), sex | month=6..36 | 2.0e+05 | 70.00 | 69.00 | 68.00 | 3 | 2 | 5 | 4.0 |"
    assert lines[1] == "| German (GC-1), age | month=6..36 | 2.0e+05 | 70.00 | 69.00 | - | - | - | - | 4.0 |"
    assert set(boxes.plan(None, Options()).parts) == set(boxes.BOXES)
