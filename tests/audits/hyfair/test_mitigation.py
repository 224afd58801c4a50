"""Mitigation gives a guardrail whose file stops the same applicants, and a retrained network with its own figures."""

from dataclasses import replace

import numpy as np
import pytest

from equiproof.audits.context import AuditContext
from equiproof.audits.errors import NotApplicableError
from equiproof.audits.hyfair.mitigation import Effort, Mitigation
from equiproof.audits.hyfair.rules import Guardrail, Rule, conditions
from equiproof.certify.guardrail import GuardrailFile, parse_guardrail
from equiproof.certify.models.network import Network
from equiproof.circuits import field
from tests.audits.hyfair.small import SPEC, everyone, judge_of, network

ROWS = [
    {"income": income, "purpose": purpose, "grade": grade, "group": "abc"[income % 3], "age": "60"}
    for income in range(-30, 60, 7)
    for purpose in ("car", "other")
    for grade in ("low", "high")
]


def started(**changes):
    """Return the mitigation of a small network whose scores are apart for some applicants and not for others."""
    context = AuditContext(network=network(5, (3,)), spec=SPEC, commitment="ab", rows=ROWS)
    return Mitigation(replace(context, **changes), Effort(seconds=0.2, rounds=2, most_stopped=0.5))


def test_the_file_stops_whom_the_rules_stop():
    """Of every applicant of the domain, also at the ends of ranges; the file names model and spec."""
    grid = judge_of(network(16)).forward.grid
    rng = np.random.default_rng(0)
    applicants = everyone(grid)
    for _ in range(20):
        low, high = sorted(rng.integers(0, grid.sizes[0], size=2).tolist())
        inside = np.arange(grid.sizes[0])
        allowed = [(inside >= low) & (inside <= high), None, None]
        if rng.random() < 0.5:
            allowed[1] = np.array([True, False, True])
        rule = Rule(tuple(allowed))
        digest = field.to_hex(SPEC.digest)
        file = GuardrailFile("equiproof-guardrail", 1, "", digest, "refer", (conditions(rule, grid),), "5a" * 32)
        stopped = Guardrail((rule,)).stops(applicants)
        found = [file.stops(grid.row(applicant)) == 1 for applicant in applicants]
        assert found == stopped.tolist()
        assert parse_guardrail(file.to_bytes(), "g", SPEC) == file


@pytest.mark.slow
def test_a_guardrail_keeps_to_the_share_of_rows_and_names_its_model():
    """Its rules stop no more rows than allowed; rows with scores apart do not become more."""
    made = started().guardrail("refuse")
    assert made.file.rules
    assert (made.file.action, made.file.commitment) == ("refuse", "ab")
    assert len(made.rules) == len(made.file.rules)
    stopped = sum(made.file.stops(row) is not None for row in ROWS) / len(ROWS)
    assert stopped == made.stopped <= 0.5
    assert made.after.rows_apart <= made.before.rows_apart
    assert made.before.largest_k >= 2


def test_a_model_of_three_labels_is_refused():
    """Rules and retraining have no meaning there yet, which one line says."""
    from tests.audits.hyfair.test_labels import made, spec_of

    context = AuditContext(network=made(3), spec=spec_of(("no", "ask", "yes")), commitment="")
    with pytest.raises(NotApplicableError, match="networks of two labels"):
        Mitigation(context, Effort(seconds=0.1))


@pytest.mark.slow
def test_retraining_gives_a_network_of_the_same_shape():
    """Weights move, and what searches find is measured on the new network."""
    small = network(16, (4, 3))
    layers = [(np.array(layer.weights) / 16, np.array(layer.biases)) for layer in small.layers]
    floats = Network(
        tuple(weights for weights, _ in layers),
        tuple(biases / 2.0 ** (4 + 4 * n) for n, (_, biases) in enumerate(layers, start=1)),
    )
    work = started(network=small)
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(200, small.inputs))
    moved, before, after = work.retrained(floats, (columns, floats.decide(columns).astype(float)), 1)
    assert [w.shape for w in moved.weights] == [w.shape for w in floats.weights]
    assert any((one != other).any() for one, other in zip(moved.weights, floats.weights, strict=True))
    assert min(before.largest_k, after.largest_k) >= 1
    with pytest.raises(NotApplicableError, match="one logit"):
        work.retrained(Network(floats.weights[:-1], floats.biases[:-1]), (columns, columns[:, 0]), 1)
