"""Incomes that count by their logarithm, by commands: trained, committed, a key made, proven, verified, in a letter."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from equiproof.certify.data import load
from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.spec import Spec
from equiproof.circuits.units import radius_of_any
from equiproof.cli.main import run
from equiproof.prover.model_folder import trained_on
from equiproof.prover.opening import parse_opening
from tests.cli.world import Outcome

Run = Callable[..., Outcome]


@dataclass(frozen=True)
class Trip:
    """The files of one applicant."""

    folder: Path
    row: dict[str, Any]

    @property
    def spec(self) -> Spec:
        """The spec of the committed model."""
        return parse_opening((self.folder / "owner/opening.json").read_bytes(), "opening.json").spec

    @property
    def public(self) -> tuple[object, ...]:
        """What whoever verifies is given."""
        return (
            *(self.folder / "certificate.json", "--commitment", self.folder / "owner/commitment.json"),
            *("--query", self.folder / "query.json"),
        )


@pytest.fixture(scope="module")
def trip(tmp_path_factory: pytest.TempPathFactory) -> Trip:
    """Take the way up to a certificate, in this process."""
    folder = tmp_path_factory.mktemp("logarithms")
    row = dict(load("lending").rows[3])
    (folder / "row.json").write_text(json.dumps(row), encoding="utf-8")
    opening = ("--opening", folder / "owner/opening.json", "--keys", folder / "keys")
    made = ("--out", folder / "certificate.json", "--query-out", folder / "query.json")
    for words in (
        ("train", "--out", folder / "model", "--hidden", "3", "--logarithms", "income,savings=1,loan_amount"),
        ("commit", folder / "model", "--out", folder / "owner"),
        ("setup", *opening, "--capacity", 4),
        ("prove", folder / "row.json", *opening, *made),
    ):
        assert run([*map(str, words)]) == 0, words
    return Trip(folder, row)


def test_the_report_names_the_logarithms_and_loads_the_same_data_again(trip: Trip) -> None:
    """What is measured on later is the same spec."""
    report = trained_on(trip.folder / "model")
    assert report.logarithms == {"income": None, "savings": "1", "loan_amount": None}
    assert load("lending", sensitive=report.sensitive, logs=report.logarithms).spec == trip.spec
    offsets = {one.name: one.offset for one in trip.spec.features if one.encoding == "log"}
    assert offsets == {"income": "0", "savings": "1", "loan_amount": "0"}


def test_the_certificate_verifies_and_says_true_intervals(trip: Trip, cli: Run) -> None:
    """Each interval of `verify` lies inside the ball by the exact logarithm, and a step further does not."""
    found = cli("verify", *trip.public, "--keys", trip.folder / "keys", "--json").document
    radius = radius_of_any(trip.spec, found["radius_squared"])
    assert radius > 0
    for name in ("income", "savings", "loan_amount"):
        feature = next(one for one in trip.spec.features if one.name == name)
        encoding = ENCODINGS[feature.encoding]
        line = re.fullmatch("([0-9,]+): ([0-9,]+) to ([0-9,]+) EUR.*", found["intervals"][name])
        assert line, found["intervals"]
        own, low, high = (Fraction(part.replace(",", "")) for part in line.groups())
        assert own == trip.row[name]
        level = encoding.level(feature, own)
        moved = radius * Fraction(feature.scale)
        least, most = map(Fraction, feature.range or ())
        assert least <= low < own < high <= most
        assert level - encoding.level(feature, low) < moved
        assert encoding.level(feature, high) - level < moved
        assert low == least or level - encoding.level(feature, low - 1) >= moved
        assert high == most or encoding.level(feature, high + 1) - level >= moved
    assert re.fullmatch(r"by a factor of [0-9.]+", found["features"]["income"])
    assert re.fullmatch(r"by a factor of [0-9.]+, counted from -1 EUR", found["features"]["savings"])


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_letter_shows_what_the_certificate_says(trip: Trip, cli: Run, language: str) -> None:
    """The bar of the income has the ends of the exact logarithm."""
    page = trip.folder / f"{language}.html"
    words = ("--lender", "Example Lending", "--language", language, "--out", page)
    assert cli("letter", *trip.public, "--key", trip.folder / "keys", *words).code == 0
    found = cli("verify", *trip.public, "--keys", trip.folder / "keys", "--json").document
    feature = next(one for one in trip.spec.features if one.name == "income")
    radius = radius_of_any(trip.spec, found["radius_squared"])
    reach = ENCODINGS[feature.encoding].reach(trip.spec, feature, radius, trip.row["income"])
    assert reach.moves
    mark, to = (",", "to") if language == "en" else (".", "bis")
    text = re.sub(r"\s+", " ", html.unescape(re.sub("<[^>]*>", " ", page.read_text(encoding="utf-8"))))
    low, high = (f"{int(end):,}".replace(",", mark) for end in (reach.low, reach.high))
    assert f"{low} {to} {high}" in text


def test_logarithms_of_what_has_none_are_refused_in_one_line(tmp_path: Path, cli: Run) -> None:
    """A category, an offset that is too small, and an unknown name."""
    for option, said in (
        ("purpose", "'purpose' is no number"),
        ("savings=-1", "add 1 or more to 'savings'"),
        ("wealth", "'wealth' is no number"),
        ("income,income", "want each column once"),
    ):
        cli("train", "--out", tmp_path / "model", "--logarithms", option).complaint(2, said)
