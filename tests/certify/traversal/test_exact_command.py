"""`equiproof certify --exact`: the exact interval beside the radius that the evidence proves."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from equiproof.certify.traversal.exact import exact_search
from equiproof.cli.main import run
from equiproof.prover.opening import parse_opening

APPLICANT = {
    "age": 44, "education": "bachelor", "years_employed": 13, "income": 3540, "savings": 8000, "debt": 4900,
    "loan_amount": 12300, "term": 48, "purpose": "education",
}  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return the words of a `certify` command on a small model and one applicant."""
    folder = tmp_path_factory.mktemp("exact")
    row, opening = folder / "row.json", folder / "owner" / "opening.json"
    row.write_text(json.dumps(APPLICANT))
    assert run(["train", "--dataset", "lending", "--hidden", "4,2", "--out", str(folder / "model")]) == 0
    assert run(["commit", str(folder / "model"), "--out", str(folder / "owner")]) == 0
    return ["certify", str(row), "--opening", str(opening), "--scheme", "traversal"]


def document(capsys, words):
    """Run a command with --json and return what it printed."""
    capsys.readouterr()
    assert run([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_interval_is_that_of_the_exact_search(files, capsys):
    """The JSON holds the exact search's rationals, and radii that enclose their roots."""
    shown = document(capsys, [*files, "--exact"])
    owned = parse_opening(Path(files[3]).read_bytes(), files[3])
    found = exact_search(
        owned.network,
        owned.spec.encode({name: str(value) for name, value in APPLICANT.items()}),
        owned.spec.domain_table,
        max_radius_squared=owned.spec.max_radius_squared,
        max_regions=4096,
    )
    exact = shown["exact"]
    assert Fraction(exact["lower"]["squared"]) == Fraction(exact["upper"]["squared"]) == found.lower
    assert exact["radius_squared"] == found.radius_squared >= shown["radius_squared"]
    unit = owned.spec.scale_unit
    lower, upper = (Fraction(exact[end]["radius"]) * unit for end in ("lower", "upper"))
    assert lower**2 <= found.lower <= upper**2
    assert upper - lower <= Fraction(unit, 10**6)
    assert tuple(map(Fraction, exact["witness"]["point"])) == found.boundary_point.point
    assert (exact["complete"], exact["at_least"]) == (True, False)


def test_nothing_else_changes(files, capsys):
    """Without the option the command says what it said, and with it the same and a line on the boundary."""
    plain, more = document(capsys, files), document(capsys, [*files, "--exact"])
    assert more.pop("exact")
    assert plain == more
    assert run(files) == 0
    before = capsys.readouterr().out
    assert run([*files, "--exact"]) == 0
    after = capsys.readouterr().out
    assert after.startswith(before)
    labels = ["certified ", "the boundary of the decision ", "first point seen that flips "]
    places = [after[len(before) :].find(label) for label in labels]
    assert -1 < places[0] < places[1] < places[2]


def test_a_budget_that_ends_leaves_the_certified_radius(files, capsys, monkeypatch):
    """Where the exact search runs out of time its interval is shown as such, and the command still succeeds."""

    def exhausted(*args, **limits):
        return exact_search(*args, **{**limits, "max_seconds": 0.0})

    monkeypatch.setattr("equiproof.certify.traversal.exact.exact_search", exhausted)
    shown = document(capsys, [*files, "--exact"])
    assert shown["verdict"] == "fair"
    assert not shown["exact"]["complete"]
    assert Fraction(shown["exact"]["lower"]["squared"]) < Fraction(shown["exact"]["upper"]["squared"])
    assert run([*files, "--exact"]) == 0
    text = capsys.readouterr().out
    assert "  between " in text
    assert "the budget ended" in text
