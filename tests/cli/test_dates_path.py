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

import pytest

from equiproof.circuits.spec import load_spec
from equiproof.circuits.units import radius_of_any
from equiproof.cli.main import run
from equiproof.prover.opening import Opening
from equiproof.verifier.words import LANGUAGES, NO_BREAK, Words
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
