"""A table with a column of dates, by commands: drafted, committed, a key made, proven, verified, in a letter."""

from __future__ import annotations

import csv
import html
import json
import re
from collections.abc import Callable
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from equiproof.certify.data.dataset import DataError
from equiproof.certify.data.dates import counted_from
from equiproof.certify.models.importing.domains import read_domain
from equiproof.circuits.spec import Spec, load_spec
from equiproof.circuits.tables import LANGUAGES
from equiproof.circuits.units import radius_of_any
from equiproof.cli.main import run
from equiproof.prover.opening import Opening
from equiproof.verifier.words import NO_BREAK, Words
from tests.cli.world import Outcome
from tests.support import network

Run = Callable[..., Outcome]

OPENED = date(2014, 3, 30)


@pytest.fixture(scope="module")
def trip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Take the way up to a certificate, in this process; the applicant's file has the date."""
    folder = tmp_path_factory.mktemp("dates")
    rows = [
        {
            "opened": (date(2004, 1, 1) + timedelta(days=97 * number)).isoformat(),
            "sex": ("female", "male")[number % 2],
            "decision": ("declined", "approved")[number % 3 > 1],
        }
        for number in range(60)
    ]
    with (folder / "loans.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    table = (folder / "loans.csv", "--label", "decision", "--sensitive", "sex", "--dates", "opened=2000-01-01")
    assert run([*map(str, ("spec", *table, "--out", folder / "spec.json"))]) == 0
    opening = Opening.of(network(load_spec(folder / "spec.json"), (2,), 6), load_spec(folder / "spec.json"), blinding=5)
    (folder / "opening.json").write_bytes(opening.secret())
    (folder / "commitment.json").write_bytes(opening.public())
    (folder / "row.json").write_text(json.dumps({"opened": OPENED.isoformat()}), encoding="utf-8")
    given = ("--opening", folder / "opening.json", "--keys", folder / "keys")
    made = ("--out", folder / "certificate.json", "--query-out", folder / "query.json")
    for words in (("setup", *given, "--capacity", 4), ("prove", folder / "row.json", *given, *made)):
        assert run([*map(str, words)]) == 0, words
    return folder


def public(folder: Path) -> tuple[object, ...]:
    """Return what whoever verifies is given."""
    return folder / "certificate.json", "--commitment", folder / "commitment.json", "--query", folder / "query.json"


def ends(folder: Path, cli: Run) -> tuple[date, date]:
    """Return the first and the last date of the interval that is verified."""
    found = cli("verify", *public(folder), "--keys", folder / "keys", "--json").document
    line = re.fullmatch(f"{OPENED.isoformat()}: ([0-9-]+) to ([0-9-]+)", found["intervals"]["opened"])
    assert line, found["intervals"]
    first, last = map(date.fromisoformat, line.groups())
    spec = load_spec(folder / "spec.json")
    moved = radius_of_any(spec, found["radius_squared"]) * Fraction(spec.plain_features[0].scale)
    assert (last - OPENED).days == (OPENED - first).days < moved <= (last - OPENED).days + 1
    return first, last


def test_the_query_has_days(trip: Path) -> None:
    """Whoever verifies reads a number: the days since the start that the spec states."""
    query = json.loads((trip / "query.json").read_text(encoding="utf-8"))
    assert query["features"] == {"opened": (OPENED - date(2000, 1, 1)).days}


@pytest.mark.parametrize("language", LANGUAGES)
def test_answer_and_letter_have_dates(trip: Path, cli: Run, language: str) -> None:
    """The first and the last date that is closer than the radius, in the words of the language."""
    words = Words(language)
    first, last = map(words.day, ends(trip, cli))
    span = words.say("span.range", low=first, high=last, unit="").replace(NO_BREAK, " ")
    own = words.say("label.yours", value=words.day(OPENED)).replace(NO_BREAK, " ")
    page = trip / f"{language}.html"
    options = ("--lender", "Example Lending", "--language", language, "--out", page)
    assert cli("letter", *public(trip), "--key", trip / "keys", *options).code == 0
    answer = cli("verify", *public(trip), "--keys", trip / "keys", "--language", language).out
    letter = html.unescape(re.sub("<[^>]*>", " ", page.read_text(encoding="utf-8")))
    for shown in (answer, letter):
        text = " ".join(shown.split())
        assert span in text
        assert own in text


def test_another_notation_of_a_date_is_refused_in_one_line(trip: Path, cli: Run) -> None:
    """By every name of the applicant's file, row and feature, with what to write."""
    (trip / "other.json").write_text(json.dumps({"opened": "30.03.2014"}), encoding="utf-8")
    given = ("--opening", trip / "opening.json", "--keys", trip / "keys")
    made = ("--out", trip / "c.json", "--query-out", trip / "q.json")
    cli("prove", trip / "other.json", *given, *made).complaint(
        2, "row 1: feature 'opened': '30.03.2014' is not a number; write a date such as 2024-03-31"
    )


def imported(folder: Path, *more: object) -> tuple[object, ...]:
    """Return the words that import a network on days and sex, whose domain says nothing of dates."""
    domain = {"order": ["opened", "sex"], "ranges": {"opened": [0, 12000], "sex": [0, 1]}}
    declared = domain | {"codes": {"sex": ["female", "male"]}, "protected": ["sex"]}
    (folder / "domains.json").write_text(json.dumps({"loans": declared}), encoding="utf-8")
    arrays = {"W0": [[1e-4, -1e-4], [1e-3, 0.0]], "b0": [0.0, 1.0], "W1": [[1.0], [-1.0]], "b1": [0.0]}
    np.savez(folder / "net.npz", **{name: np.array(values) for name, values in arrays.items()})
    (folder / "rows.json").write_text(
        json.dumps([{"opened": f"20{year:02}-03-01", "sex": "male"} for year in range(1, 30)]), encoding="utf-8"
    )
    bound = ("--domains", folder / "domains.json", "--labels", "declined,approved", "--allow-loss", "--accept-labels")
    return ("import", folder / "net.npz", *bound, "--rows", folder / "rows.json", "--out", folder / "model", *more)


def test_an_import_counts_days_from_a_date(tmp_path: Path, cli: Run) -> None:
    """With --dates the rows have dates, and the spec of the model states the start; without it dates are refused."""
    cli(*imported(tmp_path)).complaint(2, "rows.json", "opened")
    outcome = cli(*imported(tmp_path, "--dates", "opened=2000-01-01"))
    assert outcome.code == 0, outcome.err
    opened = load_spec(tmp_path / "model" / "spec.json").plain_features[0]
    assert (opened.start, opened.unit, opened.whole) == ("2000-01-01", "days", True)


@pytest.mark.parametrize(
    ("dates", "named"),
    [
        ("closed=2000-01-01", "dates: the spec has no feature 'closed'"),
        ("sex=2000-01-01", "dates: leave out 'sex'"),
        ("opened=01/02/2000", "want the date to count from, such as 2000-01-01"),
        ("opened", "--dates"),
    ],
)
def test_dates_of_an_import_that_are_none_are_refused(tmp_path: Path, cli: Run, dates: str, named: str) -> None:
    """A feature that the spec lacks, one that is no number of days, a start that is no date."""
    cli(*imported(tmp_path, "--dates", dates)).complaint(2, named)


def test_a_start_is_not_moved(tmp_path: Path) -> None:
    """Where the spec states another start, its days would be other dates."""
    spec = counted_from(domain_of(tmp_path), {"opened": "2000-01-01"})
    assert counted_from(spec, {"opened": "2000-01-01"}) == spec
    with pytest.raises(DataError, match="leave out 'opened': the spec counts it from 2000-01-01"):
        counted_from(spec, {"opened": "2000-01-02"})


def domain_of(folder: Path) -> Spec:
    """Return the spec of the domain as the import makes it."""
    imported(folder)
    return read_domain((folder / "domains.json").read_bytes(), "domains.json", labels=("declined", "approved"))[0]
