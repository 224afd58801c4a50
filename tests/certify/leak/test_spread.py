"""The level where nobody's radius is known: a quarter of a scale, or what a coarse grid has of it."""

import msgspec
import pytest

from equiproof.certify.leak.spread import spread_level, spread_note
from equiproof.circuits.levels import complaint
from tests.support import LOANS


@pytest.mark.parametrize(("bits", "level"), [(0, "1"), (1, "0.5"), (2, "0.25"), (10, "0.25")])
def test_the_level_stands_on_every_grid(bits, level):
    """A spec may have it, however coarse its grid."""
    spec = msgspec.structs.replace(LOANS, input_fraction_bits=bits)
    assert spread_level(spec) == level
    assert not complaint(msgspec.structs.replace(spec, levels=(level,)))


def test_the_note_says_what_it_means_and_why():
    """The first number's own unit, and the reason at the end."""
    feature = next(one for one in LOANS.plain_features if one.kind == "numeric")
    note = spread_note(LOANS, "0.25", "nobody asked")
    assert note.startswith(f"levels 0.25, a quarter of each number's spread: {feature.name} +- ")
    assert note.endswith("; not drafted from radii: nobody asked")
    coarse = msgspec.structs.replace(LOANS, input_fraction_bits=1)
    assert spread_note(coarse, "0.5", "x").startswith("levels 0.5, a step of the grid: ")
