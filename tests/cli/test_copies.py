"""Certificates as the commands write them, in the hands of applicants who want a copy of the model."""

import csv
import json
import random

import numpy as np
import pytest

from equiproof.certify.leak.certificates import Certificate
from equiproof.certify.leak.draft import draft_for
from equiproof.certify.leak.linear import linear_copy
from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.circuits.exit_codes import OK, UNFAIR
from equiproof.circuits.levels import squares
from equiproof.circuits.shape import shape_of
from equiproof.circuits.spec import Feature
from equiproof.prover import Opening
from tests.cli.world import CONTEXT
from tests.kept import kept_keys
from tests.support import INCOME, SEX, changed, key_of, spec_of

SPEC = spec_of(
    INCOME,
    Feature("savings", "numeric", "scaled", False, mean="5000", scale="4000", unit="EUR"),
    Feature("debt", "numeric", "scaled", False, mean="8000", scale="6000", unit="EUR"),
    SEX,
)
WEIGHTS = (900, 400, -700, 5)
OFFSET = 150 << 10
SOLVES, MISSES = 1e-3, 1e-2
"""Errors of a copy's direction, whose length is 1: below the first the model is known, above the second it is not."""


def regression():
    """Return a logistic regression as the two neurons that an import makes of it."""
    first = Layer((WEIGHTS, tuple(-weight for weight in WEIGHTS)), (OFFSET, -OFFSET))
    return QuantisedNetwork((first, Layer(((1, -1),), (0,))), 10, (10, 0))


def people(seed, count):
    """Return rows of people."""
    rng = random.Random(seed)
    means = {feature.name: (float(feature.mean), float(feature.scale)) for feature in SPEC.plain_features}
    return [{name: round(rng.gauss(*of)) for name, of in means.items()} for _ in range(count)]


def table_of(rows, path):
    """Write a table of applicants."""
    with path.open("w", newline="") as file:
        write = csv.DictWriter(file, rows[0].keys())
        write.writeheader()
        write.writerows(rows)
    return path


def held(folder):
    """Return what an applicant reads from their own two files."""
    statement = json.loads((folder / "certificate.json").read_bytes())["statement"]
    query = SPEC.encode(json.loads((folder / "query.json").read_bytes())["features"])
    return Certificate(query, int(statement["label"]), int(statement["radius_squared"]))


def error(certificates, levels):
    """Return how far the direction of a copy from certificates is from the model's."""
    copy = linear_copy(certificates, SPEC, levels)
    true = np.array(WEIGHTS[:-1]) / np.linalg.norm(WEIGHTS[:-1])
    return float(np.abs(copy.direction - true).max())


@pytest.mark.slow
def test_drafted_levels_leave_no_equation_to_solve(cli, tmp_path):
    """Certificates of exact radii give the model; those of `prove` and `prove --out-dir` at drafted levels do not."""
    draft = draft_for(regression(), SPEC, [SPEC.encode(row) for row in people(1, 400)])
    levels = squares(draft.levels, SPEC.input_fraction_bits)
    key = key_of(kept_keys(), shape_of("branch", SPEC, (2,), 4))
    rows = people(2, 9)
    table = table_of(rows[1:], tmp_path / "rows.csv")
    (tmp_path / "row.json").write_text(json.dumps(rows[0]))
    (tmp_path / "own.json").write_text(json.dumps(CONTEXT))
    (tmp_path / "common.json").write_text('{"date": "2026-01-31"}')
    found = {}
    for name, spec in (("exact", SPEC), ("drafted", changed(SPEC, levels=draft.levels))):
        opening = tmp_path / f"{name}.json"
        opening.write_bytes(Opening.of(regression(), spec, 5).secret())
        at = ("--opening", opening, "--keys", key.folder.parent)
        many = cli("prove", table, *at, "--context", tmp_path / "common.json", "--out-dir", tmp_path / name)
        assert many.code in {OK, UNFAIR}, many.err
        alone = tmp_path / name / "applicants" / "alone"
        alone.mkdir()
        to = ("--out", alone / "certificate.json", "--query-out", alone / "query.json")
        assert cli("prove", tmp_path / "row.json", *at, "--context", tmp_path / "own.json", *to).code == OK
        found[name] = [held(folder) for folder in sorted((tmp_path / name / "applicants").iterdir())]
    assert len(found["exact"]) >= SPEC.plain_columns + 3
    assert error(found["exact"], None) < SOLVES
    assert [one.query for one in found["drafted"]] == [one.query for one in found["exact"]]
    assert {one.radius_squared for one in found["drafted"]} <= {0, *levels}
    assert error(found["drafted"], levels) > MISSES
    assert error(found["drafted"], None) > MISSES
