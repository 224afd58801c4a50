"""The static verifier of certificates of kept models says what Python says."""

import pytest

from tests.linked_cases import asked, judged
from tests.vectors.generate.linked import cases

OWN_WORDS = ("wrong-fields", "not-json")
"""The reasons for which each reader of JSON has words of its own."""


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_case(packages, language):
    """Each case is verified, with the same words, or refused for the same reason in the same line."""
    for name, case in cases().items():
        wanted, found = judged(case, language=language), packages.ask("linked", **asked(case, language))
        # In Python the library looks at keys, which speaks English only.
        if case.reason in OWN_WORDS or (language, case.reason) == ("de", "degenerate-key"):
            found["message"] = wanted["message"]
        assert found == wanted, name
