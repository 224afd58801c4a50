"""The TypeScript package draws an audit by lot, bounds it, and checks a beacon's round, as the vectors say."""

import json

import pytest

from equiproof.register.lot.drand import BeaconError, randomness, time_of
from tests.support import ROOT

VECTORS = json.loads((ROOT / "tests" / "vectors" / "lot.json").read_bytes())


def test_bounds(package):
    """Every bound of the vectors."""
    for one in VECTORS["bounds"]:
        words = [one[name] for name in ("receipts", "drawn", "bad", "confidence")]
        assert package.call("lot_at_least", *words) == str(one["at_least"]), one


def test_draws(package):
    """Every draw of the vectors, past 2^53 receipts too."""
    for one in VECTORS["draws"]:
        assert package.call("lot_places", one["seed"], one["receipts"], one["drawn"]) == one["places"], one


@pytest.mark.parametrize(
    "words",
    [(5, 6, 0, "0.95"), (5, 0, 0, "0.95"), (0, 1, 0, "0.95"), (5, 5, 6, "0.95"), (20_000, 10_001, 10_001, "0.95")],
)
def test_numbers_that_no_lot_has(package, words):
    """More are drawn than there are, or than can be, or none, or more are bad than were drawn."""
    receipts, drawn, bad, _ = words
    answer = package.ask("call", name="lot_at_least", words=words)
    assert (answer["exception"], answer["message"]) == ("RangeError", f"{bad} bad of {drawn} drawn of {receipts}")


@pytest.mark.parametrize(("receipts", "drawn"), [("5", 6), ("5", 0), (str(1 << 64), 1)])
def test_draws_that_no_lot_has(package, receipts, drawn):
    """Of five there are no six places, and a word of 64 bits has no more."""
    answer = package.ask("call", name="lot_places", words=["07" * 32, receipts, drawn])
    assert answer["message"] == f"{drawn} drawn of {receipts} by a seed of 32 bytes"


def test_seeds(package):
    """What a party seals, and the seeds of numbers and of a round; parts of other lengths would run together."""
    for one in VECTORS["sealed"]:
        assert package.call("lot_sealed", *(one[name] for name in ("period", "party", "nonce"))) == one["sealed"]
    for one in VECTORS["seeds"]:
        how = "nonces" if "nonces" in one else "randomness"
        name = {"nonces": "lot_seed_of_nonces", "randomness": "lot_seed_of_beacon"}[how]
        assert package.call(name, one["period"], one[how]) == one["seed"], one
    with pytest.raises(AssertionError, match="RangeError"):
        package.call("lot_seed_of_nonces", "00" * 32, ["00" * 31, "00" * 33])


def test_rounds(package):
    """The published rounds of quicknet, and when they came out."""
    for one in VECTORS["rounds"]:
        assert package.call("lot_randomness", one["round"], one["signature"]) == one["randomness"], one
        assert package.call("lot_time", one["round"]) == str(one["time"])


def test_rounds_that_no_beacon_has(package):
    """The first is 1, and the last is said."""
    last = (1 << 36) - 1
    assert package.call("lot_time", last) == str(int(time_of(last).timestamp()))
    for number in (0, last + 1):
        answer = package.ask("call", name="lot_time", words=[number])
        with pytest.raises(BeaconError) as caught:
            time_of(number)
        assert (answer["exception"], answer["message"]) == ("BeaconError", str(caught.value))
        assert str(last) in answer["message"]


@pytest.mark.parametrize("one", VECTORS["not_rounds"], ids=lambda one: one["what"].replace(" ", "-"))
def test_what_is_no_round(package, one):
    """Whatever would give a round another random value is refused; all but points in the words of Python."""
    with pytest.raises(BeaconError) as caught:
        randomness(one["round"], bytes.fromhex(one["signature"]))
    answer = package.ask("call", name="lot_randomness", words=[one["round"], one["signature"]])
    assert answer["exception"] == "BeaconError"
    if "point" not in one["what"]:
        assert answer["message"] == str(caught.value)
