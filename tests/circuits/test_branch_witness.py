"""The circuit of scheme `branch` accepts exactly the evidence that the plaintext checker accepts."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest

from certify.branch import BranchSearch, check
from certify.branch.backward import margin_start
from certify.polytope import margin_signs
from circuits.branch_witness import fill, padded
from circuits.statement import Statement
from circuits.witness import Secrets, WitnessError, opened_wires
from tests.certify.branch.cases import edited, parameters_of, places, run, verdict, wide
from tests.certify.tiny import tiny

ROOT = Path(__file__).resolve().parents[2]
GO = Path(sys.prefix) / "toolchain" / "go"
MAX_CAPACITY = 16
DEEP = ((2, 2, 2, 2), (2, 1, 2, 2), (3, 2, 2))


def capacity_of(evidence, slices):
    """Return the least power of two with room for the leaves and one split."""
    return 1 << (max(len(evidence.leaves), slices + 1) - 1).bit_length()


def statement_wires(case, evidence):
    """Return the wires of the statement; blindings and digests are any."""
    secrets = Secrets(case.network, 7, case.query, 9, case.table)
    statement = Statement(0, 8, 0, 0, evidence.label, evidence.radius_squared, 10)
    return opened_wires(statement, secrets, evidence.label, evidence.radius_squared)


def derived(case, evidence):
    """Return evidence whose Q at the top of passes follow from P, as in the circuit, which has no wires for them."""
    splits = tuple(
        replace(split, negative=tuple(_less(p, w) for p, w in zip(split.positive, layer.weights, strict=True)))
        for split, layer in zip(evidence.weight_splits, case.network.layers[1:-1], strict=True)
    )
    over, leaves = margin_signs(case.network.logit_count, evidence.label), []
    for leaf in evidence.leaves:
        margins = []
        for margin, logits in zip(leaf.margins, over, strict=True):
            start, _ = margin_start(case.network, logits, margin.multiplier)
            descent = margin.descent
            negative = (_less(descent.positive[0], start), *descent.negative[1:])
            margins.append(replace(margin, descent=replace(descent, negative=negative)))
        leaves.append(replace(leaf, margins=tuple(margins)))
    return replace(evidence, weight_splits=splits, leaves=tuple(leaves))


def _less(left, right):
    return tuple(a - b for a, b in zip(left, right, strict=True))


def editable(path):
    """Tell whether a place of the evidence is a wire of its own."""
    derived_top = "negative" in path and (path[0] == "weight_splits" or path[path.index("negative") + 1] == 0)
    return path != ("label",) and path[-1] != "remainder_radius" and not (derived_top and path[0] != "bounds")


def cases_of(name, case, rng, edits):
    """Return the honest witness of a case and some of edited evidence, each with the checker's verdict."""
    parameters = parameters_of(case)
    found = run(case, parameters)
    if not isinstance(found, BranchSearch) or found.evidence is None:
        return []
    slices = len(case.table)
    capacity = capacity_of(found.evidence, slices)
    if capacity > MAX_CAPACITY:
        return []
    honest = padded(found.evidence, capacity, slices)
    check(honest, parameters, case.network, case.query, case.table)
    changed = [("honest", honest)]
    by_kind = defaultdict(list)
    for path in filter(editable, places(honest)):
        by_kind[tuple(step for step in path if isinstance(step, str))].append(path)
    for group in by_kind.values():
        for path in rng.sample(group, min(edits, len(group))):
            step = rng.choice((1, -1, 1, -1, 3, -7, 1 << 20))
            changed.append((f"{path} {step:+}", derived(case, edited(honest, path, lambda v, step=step: v + step))))
    sizes = {
        "plain": case.columns,
        "sensitive": len(case.table[0]),
        "logits": case.network.logit_count,
        "slices": slices,
        "inputBits": parameters.sizes.input_bits,
        "radiusBits": parameters.sizes.radius_bits,
        "weightBits": parameters.sizes.weight_bits,
        "capacity": capacity,
        "hidden": case.network.hidden,
    }
    return [
        sizes
        | {
            "name": f"{name}, {what}",
            "accepted": verdict(check, evidence, parameters, case) is None,
            "wires": _texts(statement_wires(case, evidence) | _filled(parameters, capacity, case, evidence)),
        }
        for what, evidence in changed
    ]


def _filled(parameters, capacity, case, evidence):
    return fill(parameters, capacity, case.network, case.query, case.table, evidence)


def _texts(wires):
    """Return integers as decimal text: they outgrow what JSON readers hold."""
    return {name: [str(value) for value in values] for name, values in wires.items()}


def judged(cases, tmp_path):
    """Let the Go circuit judge the cases."""
    path = tmp_path / "cases.json"
    path.write_text(json.dumps(cases))
    command = [
        str(GO),
        "test",
        "-vet=off",
        "-count=1",
        "-run",
        "^TestBranchAcceptsWhatTheCheckerAccepts$",
        "-v",
        "./relation",
    ]
    settings = {"EQUIPROOF_BRANCH_CASES": str(path), "GOTOOLCHAIN": "local", "GOWORK": "off"}
    settings |= {"GOFLAGS": "-mod=readonly -buildvcs=false"}
    done = subprocess.run(
        command, cwd=ROOT / "go-gnark", env=os.environ | settings, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    assert "--- PASS: TestBranchAcceptsWhatTheCheckerAccepts" in done.stdout


def collected(seeds, edits):
    """Return the cases of tiny, wide and deep nets."""
    rng, found = random.Random(11), []
    for seed in seeds:
        found += cases_of(f"tiny {seed}", tiny(seed), rng, edits)
        found += cases_of(f"wide {seed}", wide(seed), rng, edits)
        found += cases_of(f"deep {seed}", wide(seed, shapes=DEEP, logits=(1, 2)), rng, edits)
    return found


def test_the_circuit_accepts_what_the_checker_accepts(tmp_path):
    """Honest evidence of tiny, wide and deep nets has a witness; edited evidence has one iff the checker passes it."""
    cases = collected(range(5), edits=1)
    verdicts = [case["accepted"] for case in cases]
    assert sum(verdicts) > 20
    assert verdicts.count(False) > 60
    judged(cases, tmp_path)


@pytest.mark.slow
def test_the_circuit_accepts_what_the_checker_accepts_of_many_nets(tmp_path):
    """The same of more nets and more edits."""
    cases = collected(range(5, 60), edits=2)
    verdicts = [case["accepted"] for case in cases]
    assert sum(verdicts) > 300
    assert verdicts.count(False) > 1500
    judged(cases, tmp_path)


def test_evidence_that_does_not_fit_is_refused():
    """Rows beyond the capacity, and a tree without a split row to repeat, are no witness."""
    found = next(f for f in map(run, map(tiny, range(20))) if isinstance(f, BranchSearch) and f.evidence.splits)
    with pytest.raises(WitnessError, match="do not fit capacity 1"):
        padded(found.evidence, 1, 2)
    with pytest.raises(WitnessError, match="0 splits"):
        padded(replace(found.evidence, splits=()), 8, 2)
