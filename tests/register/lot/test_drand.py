"""Quicknet's rounds, as published, and what would change their value if it were accepted."""

import json
import sys
from datetime import UTC, datetime

import pytest

from equiproof.register.lot.drand import randomness, time_of
from equiproof.register.lot.errors import BeaconError
from tests.support import ROOT

VECTORS = json.loads((ROOT / "tests" / "vectors" / "lot.json").read_bytes())


@pytest.mark.parametrize(
    "one",
    [one if one["round"] in (1000, 657413) else pytest.param(one, marks=pytest.mark.slow) for one in VECTORS["rounds"]],
    ids=lambda one: one["round"],
)
def test_a_published_round(one):
    """Its signature holds under the network's key, and its random value is the published one."""
    assert randomness(one["round"], bytes.fromhex(one["signature"])).hex() == one["randomness"]
    assert time_of(one["round"]) == datetime.fromtimestamp(one["time"], UTC)


PAIRED = ("another round's", "its negative", "doubled", "of the first round, which is another")


@pytest.mark.parametrize(
    "one",
    [pytest.param(one, marks=[pytest.mark.slow] if one["what"] in PAIRED[1:] else []) for one in VECTORS["not_rounds"]],
    ids=lambda one: one["what"].replace(" ", "-"),
)
def test_what_is_no_round(one):
    """Other bytes for the same point, points of small order added, other rounds: each is refused."""
    with pytest.raises(BeaconError):
        randomness(one["round"], bytes.fromhex(one["signature"]))


def test_the_limit_of_recursion_stays():
    """py_ecc raises it; nested documents rely on it."""
    assert sys.getrecursionlimit() <= 3_000
