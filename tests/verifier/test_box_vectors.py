"""Box certificates of tests/vectors/box.json: each is verified, or refused for the reason that the file has."""

import json

from tests.box_cases import judged
from tests.vectors.generate.box_certificates import FILE, cases
from tests.vectors.vector import FOLDER

WRITTEN = {case["name"]: case for case in json.loads((FOLDER / FILE).read_bytes())["cases"]}


def test_every_case():
    """Each has the verdict, the reason and the words that are written; every verdict has many."""
    for name, case in cases().items():
        wanted, found = WRITTEN[name], judged(case)
        said = found.get("value", {})
        for part in ("sentence", "ends", "answer"):
            assert said.get(part) == wanted.get(part), (name, part)
        assert (found.get("exception"), found.get("reason")) == (wanted.get("exception"), wanted.get("reason")), name
    assert list(cases()) == list(WRITTEN)
    verdicts = [case["verdict"] for case in WRITTEN.values()]
    assert min(map(verdicts.count, ("accept", "reject", "malformed"))) > 10


def test_both_programs_agree():
    """A certificate that is verified, and one with another's proof, have the same verdict with the check in Python."""
    for name in ("demanded", "proof-of-another-box"):
        one, other = (judged(cases()[name], checker) for checker in ("native", "python"))
        assert (one.get("value"), one.get("reason")) == (other.get("value"), other.get("reason")), name
