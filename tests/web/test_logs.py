"""Log proofs, entries and receipts in TypeScript: the verdicts of the vectors, and the tree as the reference has it."""

import json

import pytest

from equiproof.verifier.merkle import MerkleError, check_consistency, check_inclusion
from tests.support import ROOT
from tests.verifier.logs import LOG
from tests.verifier.test_logged import GOOD, changed_terms, named
from tests.verifier.test_merkle import CONSISTENCY, INCLUSION, OTHER, other_paths

VECTORS = json.loads((ROOT / "tests" / "vectors" / "log.json").read_text())


def verdict(answer):
    """Return exception and reason of an answer."""
    return answer.get("exception"), answer.get("reason")


@pytest.mark.parametrize("vector", VECTORS["logged"], ids=named)
def test_log_proofs(package, vector):
    """Every log proof has its verdict, and where it is accepted, what it shows."""
    answer = package.call("logged", vector["pins"], vector["proof"], vector["now"], vector["digest"])
    assert verdict(answer) == (vector["exception"], vector["reason"]), answer
    if "found" in vector:
        assert answer["value"] == vector["found"]


@pytest.mark.parametrize("vector", VECTORS["receipts"], ids=named)
def test_receipts(package, vector):
    """Every receipt has its verdict about a statement, and of its log proof."""
    answer = package.call("receipt", vector["receipt"], vector)
    assert verdict(answer) == (vector["exception"], vector["reason"]), answer


@pytest.mark.parametrize("vector", VECTORS["entries"], ids=named)
def test_entries(package, vector):
    """Every entry has its verdict."""
    answer = package.call("entry", vector["entry"])
    assert verdict(answer) == (vector["exception"], vector["reason"]), answer


@pytest.mark.parametrize("owner", [None, "Example Bank"])
@pytest.mark.parametrize("alone", [False, True])
def test_what_stays_open_is_said_as_in_python(package, alone, owner):
    """But for the names of options."""
    changes = {"owner": owner} | ({"witnesses": [], "least": 0, "max_days": None} if alone else {})
    policy = changed_terms(**changes).policy(GOOD["proof"].encode(), GOOD["now"])
    wanted = [line.replace(" (--log-owner)", "").replace(" (--witnesses)", "") for line in policy.still_open()]
    assert package.call("still_open", GOOD["pins"] | changes, GOOD["proof"], GOOD["now"]) == wanted


@pytest.mark.parametrize(
    "changes",
    [
        {"least": 0}, {"least": 4}, {"least": 1.5}, {"smallest_tree": -1}, {"max_days": -1}, {"key": "x"},
        {"witnesses": [], "least": 0}, {"witnesses": [], "least": 1, "max_days": None},
        {"witnesses": [GOOD["pins"]["witnesses"][0]] * 2}, {"witnesses": [LOG.verifier.text], "least": 1},
    ],
)  # fmt: skip
def test_pins_that_mean_nothing_are_refused(package, changes):
    """The same pins as in Python are no pins."""
    answer = package.call("logged", GOOD["pins"] | changes, GOOD["proof"], GOOD["now"], GOOD["digest"])
    assert answer["exception"] in ("RangeError", "NoteError")


def test_inclusion(package):
    """The reference's proofs hold, and changed ones fail with the words of Python."""
    cases = []
    for leaf, index, size, path, root in INCLUSION[::3] + INCLUSION[-6:]:
        cases += [
            (leaf, index, size, path, root),
            (leaf, index + 1, size, path, root),
            (OTHER, index, size, path, root),
        ]
        cases += [(leaf, index, size, other, root) for other in other_paths(path)[:6]]
    asked = [[leaf.hex(), str(at), str(size), [one.hex() for one in path], root.hex()]
             for leaf, at, size, path, root in cases]  # fmt: skip
    assert package.call("inclusions", asked) == [said(check_inclusion, *case) for case in cases]


def test_consistency(package):
    """The same of trees that follow each other."""
    cases = []
    for old, new, path in CONSISTENCY[::2]:
        cases += [(old, new, path), (new, old, path), (old, (new[0], OTHER), path), ((old[0], OTHER), new, path)]
        cases += [(old, new, other) for other in other_paths(path)[:6]]
    asked = [[str(old[0]), old[1].hex(), str(new[0]), new[1].hex(), [one.hex() for one in path]]
             for old, new, path in cases]  # fmt: skip
    assert package.call("consistencies", asked) == [said(check_consistency, *case) for case in cases]


def said(check, *words):
    """Return what Python says of a proof, None where it holds."""
    try:
        return check(*words)
    except MerkleError as error:
        return str(error)
