"""The witnesses of composed circuits that the Go tests read are those that the lies here make."""

import json

from equiproof.circuits.rules import RULES
from tests.soundness.composed import BROKEN, FALSE
from tests.vectors.generate import composed

FOUND = {path.name: path.read_bytes() for path in composed.FOLDER.iterdir()}
LIES = [witness for data in FOUND.values() for witness in json.loads(data)["witnesses"] if "rule" in witness]


def test_files_are_made_of_these_lies():
    """`python -m tests.vectors.generate.composed` writes what stands there, and nothing else does."""
    made = composed.files()
    assert made.keys() == FOUND.keys()
    for name, data in made.items():
        assert data == FOUND[name], f"{name} differs: python -m tests.vectors.generate.composed"


def test_every_lie_is_there():
    """No lie is left out, and names stand for one each."""
    assert sorted(lie["name"] for lie in LIES) == sorted(lie.__name__.replace("_", "-") for lie in (*FALSE, *BROKEN))


def test_every_rule_of_the_composed_circuit_is_broken():
    """The rules of scheme `branch`, of widths and of the statement; commitments are parts of the statement's digest."""
    own = {rule for rule in RULES if rule.startswith("R-B-")}
    assert {lie["rule"] for lie in LIES} == own | {"R-RANGE", "R-STATEMENT"}
