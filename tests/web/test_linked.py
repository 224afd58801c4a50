"""The TypeScript verifier of certificates of kept models comes to what Python comes to, beside each of their links."""

import re

import pytest

from tests.linked_cases import asked, judged
from tests.vectors.generate.linked import cases
from tests.verifier.test_linked_vectors import PAIRED, QUICK
from tests.web.test_said import OPTIONS
from tests.web.web import spoken

OWN_WORDS = (
    *("not-json", "bad-element", "wrong-fields", "off-curve", "point-not-canonical", "coordinate-too-large"),
    *("pairings-differ", "link-fails", "commitment-not-opened", "no-transcript"),
)
"""The reasons for which each program has words of its own: of values, points and proofs, of what is no JSON, and where
a sentence of commands has options."""

IN_ENGLISH = ("degenerate-key", "wrong-count")
"""The reasons that the library says in English, whatever is spoken."""

ITSELF = " (compare its 64 digits with those in a public place)"
"""What is said beside a commitment that came with the certificate, where no option names one."""

FOLDER = re.compile("^(link )?key/|^link-(?=verifying.key: )")
"""The name of a key's folder, or of its file in a case."""


def same(signing, chosen, language="en"):
    """Assert that cases are verified, with the same words, or refused for the same reason in the same line."""
    with spoken(signing, language):
        for name, case in chosen.items():
            wanted, found = judged(case, language=language), signing.ask("linked", **asked(case))
            judgement = (found.get("exception"), found.get("reason"))
            assert judgement == (wanted.get("exception"), wanted.get("reason")), (name, found)
            assert found.get("reason") == case.reason, name
            if case.reason is None:
                open_ones = [OPTIONS.sub("", line) for line in wanted["value"]["notMade"]]
                found["value"]["notMade"] = [line.replace(ITSELF, "") for line in found["value"]["notMade"]]
                assert found["value"] == wanted["value"] | {"notMade": open_ones}, name
            elif case.reason not in (*OWN_WORDS, *(IN_ENGLISH if language != "en" else ())):
                line = OPTIONS.sub("", wanted["message"])
                assert FOLDER.sub("", found["message"]) == FOLDER.sub("", line), name


@pytest.mark.parametrize("language", ["en", "de"])
def test_cases(signing, language):
    """Every case that is refused before a proof is checked, and some whose proofs are."""
    chosen = {name: case for name, case in cases().items() if case.reason not in PAIRED or name in QUICK}
    same(signing, chosen, language)
    assert len(chosen) > 60


@pytest.mark.slow
def test_cases_with_a_pairing(signing):
    """Every case whose proofs are checked."""
    same(signing, {name: case for name, case in cases().items() if case.reason in PAIRED})
