"""Whoever collects certificates of a linear model under drafted levels has bounds, and no equation that solves it."""

import csv
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from equiproof import import_model
from equiproof.certify.leak.certificates import Certificate, simulated
from equiproof.certify.leak.curve import LABELS_ALONE, Target, aimed_at
from equiproof.certify.leak.draft import MOST_GAIN
from equiproof.certify.leak.linear import linear_copy
from equiproof.circuits.levels import squares
from equiproof.prover import Opening
from equiproof.verifier import parse_certificate, parse_query
from tests.cli.world import command
from tests.kept import kept_keys
from tests.support import key_for

pytestmark = pytest.mark.slow

COLUMNS = 6
SHOWN = 3 * COLUMNS
"""So many people apply: with exact radii, two more than there are columns would do."""


def people(count=600, seed=11):
    """Return applicants of six numbers and a sex, and their codes of decisions."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({f"c{place}": rng.normal(0, 1, count).round(3) for place in range(COLUMNS)})
    weights = np.array([1.1, -0.7, 0.5, 0.9, -1.3, 0.3])
    table["sex"] = rng.integers(0, 2, count)
    return table, (table.iloc[:, :COLUMNS] @ weights + rng.normal(0, 0.5, count) > 0).astype(int)


@dataclass(frozen=True)
class Lender:
    """A committed logistic regression under drafted levels, people who have not applied, and those who do."""

    opening: Opening
    target: Target
    rows: list[dict]


@cache
def lender():
    table, codes = people()
    regression = LogisticRegression(C=0.5).fit(table.to_numpy(), codes)
    given = {"sensitive": ["sex"], "labels": ["refused", "granted"], "columns": list(table.columns)}
    model = import_model(regression, table, levels="draft", **given)
    opening = Opening.of(model.quantised, model.spec, 7)
    plain = table.drop(columns="sex").to_dict("records")
    others = [model.spec.encode(row) for row in plain[300:]]
    found = [row for row in plain[:100] if simulated(opening.network, model.spec, [model.spec.encode(row)])]
    return Lender(opening, aimed_at(opening.network, model.spec, others), found[:SHOWN])


@pytest.fixture
def common(tmp_path):
    """The options that name opening and key."""
    path = tmp_path / "opening.json"
    path.write_bytes(lender().opening.secret())
    key = key_for(kept_keys(), lender().opening.spec, lender().opening.network.hidden, 4, "branch")
    return ["--opening", path, "--keys", key.folder.parent]


def one_by_one(common, folder):
    """Return the folder of each applicant for whom `prove` was run."""
    for number, row in enumerate(lender().rows):
        place = folder / f"{number}"
        place.mkdir()
        (place / "row.json").write_text(json.dumps(row))
        files = ["--out", place / "certificate.json", "--query-out", place / "query.json"]
        outcome = command("prove", place / "row.json", *common, *files)
        assert outcome.code == 0, outcome.err
        yield place


def together(common, folder):
    """Return the folder of each applicant of one run of `prove --out-dir`."""
    table = folder / "rows.csv"
    with table.open("w", newline="") as file:
        write = csv.DictWriter(file, list(lender().rows[0]))
        write.writeheader()
        write.writerows(lender().rows)
    outcome = command("prove", table, *common, "--out-dir", folder / "out", "--jobs", "1")
    assert outcome.code == 0, outcome.err
    return sorted((folder / "out" / "applicants").iterdir())


def seen(place: Path) -> Certificate:
    """Return what an applicant reads in their own files."""
    statement = parse_certificate((place / "certificate.json").read_bytes(), "certificate").statement
    query = parse_query((place / "query.json").read_bytes(), "query")
    return Certificate(lender().opening.spec.encode(query.features), statement.label, statement.radius_squared)


@pytest.mark.parametrize("way", [one_by_one, together])
def test_certificates_at_drafted_levels_do_not_solve_the_model(common, tmp_path, way):
    """No radius is that of an equation; the audit's strongest fit does as well on the files as on its simulation."""
    spec, network, target = lender().opening.spec, lender().opening.network, lender().target
    levels = squares(spec.levels, spec.input_fraction_bits)
    files = [seen(place) for place in way(common, tmp_path)]
    assert len(files) == SHOWN
    exact = {one.query: one.radius_squared for one in simulated(network, spec, [one.query for one in files])}
    assert {one.radius_squared for one in files} <= {0, *levels}
    assert all(one.radius_squared < exact[one.query] for one in files)
    assert any(one.radius_squared for one in files)
    pool = [Certificate(one.query, one.label, exact[one.query]) for one in files]
    solved = target.attacked(pool, None).agreement
    copied = target.attacked(files, levels).agreement
    taken_as_equations = float(np.mean(linear_copy(files, spec, None).decide(target.points) == target.labels))
    labels = target.attacked(files, LABELS_ALONE).agreement
    assert solved > 0.995
    assert copied == target.attacked(pool, levels).agreement
    assert max(copied, taken_as_equations) < solved
    assert 100 * (copied - labels) <= MOST_GAIN["linear"]
