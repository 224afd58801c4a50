"""Levels of which nobody reaches the first: refused where enough applicants were searched."""

import pytest

from equiproof.certify.leak.candidates import LevelError
from equiproof.certify.leak.reached import refuse_unreached
from equiproof.circuits.arguments import as_options
from equiproof.circuits.units import length
from tests.certify.leak.made import drawn, linear, linear_certificates, spec

COLUMNS = 8


def test_a_first_level_above_all_radii_is_refused():
    """The line says which, of how many, and how far they reach; the largest radius itself is reached."""
    model, rows = linear(COLUMNS), drawn(COLUMNS, 40)
    pool = linear_certificates(COLUMNS, 40)
    largest = f"{length(spec(COLUMNS), max(one.radius_squared for one in pool)):f}"
    refuse_unreached(model, spec(COLUMNS), rows, [largest, "16"])
    with as_options(), pytest.raises(LevelError) as caught:
        refuse_unreached(model, spec(COLUMNS), rows, ["16"])
    assert str(caught.value) == (
        "levels: name a smaller first level, or ask for a draft (--levels draft): none of "
        f"{len(pool)} fair applicants reaches 16, the largest radius is {largest}"
    )


def test_few_applicants_refuse_nothing():
    """Nineteen say nothing about everybody else, nor do rows for which there was no time."""
    rows = [one.query for one in linear_certificates(COLUMNS, 40)]
    refuse_unreached(linear(COLUMNS), spec(COLUMNS), rows[:19], ["16"])
    refuse_unreached(linear(COLUMNS), spec(COLUMNS), rows, ["16"], seconds=0.0)
