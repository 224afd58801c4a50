"""docs/soundness.md quotes what scripts/soundness_error.py derives from degrees counted on compiled circuits."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scripts import soundness_error

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

WORST = f"2^-{int(soundness_error.exponent(soundness_error.worst()))}"
GROUND = f"2^-{int(soundness_error.exponent(soundness_error.worst(), soundness_error.TRIALS))}"


def go_constant(path: str, name: str) -> int:
    """Return a constant of a Go file, a number or a power of two."""
    source = (ROOT / "go-gnark" / path).read_text(encoding="utf-8")
    found = re.search(rf"^(?:const )?\s*{name}\s*= (?:1 << )?(\d+)", source, re.MULTILINE)
    assert found
    number = int(found.group(1))
    return 1 << number if "<<" in found.group() else number


@pytest.mark.parametrize("shape", soundness_error.counted(), ids=str)
def test_formulas_are_what_compiling_counts(shape: soundness_error.Counted) -> None:
    """The formulas that bound shapes too large to compile give the degrees that are counted on those that compile."""
    expected = soundness_error.formulas(shape)
    assert expected == {name: degree for name, degree in shape.degrees.items() if name in expected}


def test_limits_are_those_of_the_circuits() -> None:
    """The largest accepted shape, and the degree beyond which no key is made, are those of the Go code."""
    assert go_constant("shape/shape.go", "maxCapacity") == soundness_error.MAX_CAPACITY
    assert go_constant("shape/shape.go", "maxWide") == soundness_error.MAX_NEURONS
    assert go_constant("shape/shape.go", "maxSlices") == soundness_error.MAX_SLICES
    assert go_constant("internal/lint/judge.go", "maxDegree") == soundness_error.MAX_DEGREE > soundness_error.worst()


def test_the_page_has_the_table() -> None:
    """docs/soundness.md shows the table that the script prints."""
    assert soundness_error.table() in (DOCS / "soundness.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", ["soundness.md", "relation-branch.md", "threat-model.md"])
def test_pages_quote_the_error_of_the_largest_shape(page: str) -> None:
    """The quoted error is that of the largest accepted shape, for one challenge and for 2^100 hashes."""
    text = (DOCS / page).read_text(encoding="utf-8")
    assert f"below {WORST}" in text
    assert f"below {GROUND}" in text
