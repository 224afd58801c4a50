"""The TypeScript verifier of certificates of kept models comes to what Python comes to, beside each of their links."""

import re

import pytest

from equiproof.circuits.tables import speaking
from equiproof.verifier import CertificateFormatError, VerificationError, verify_bundle
from tests.linked_cases import (
    KEY,
    LINK_FILE,
    LINK_KEY,
    LINK_VERIFYING,
    VERIFYING,
    asked,
    judged,
    kept_bundles,
    published,
)
from tests.support import no_policy
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


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("name", kept_bundles())
def test_bundles(package, name, language):
    """A bundle with all of a link is verified, and one without it, or with another one's parts, is refused."""
    data = kept_bundles()[name]
    with spoken(package, language), speaking(language):
        wanted, found = in_python(data), package.ask("bundle", data=data.hex(), own={}, policy={})
    for answer in (wanted.get("value", {}), found.get("value", {})):
        answer["notMade"] = [line.partition(" (")[0] for line in answer.get("notMade", ())]
    # Programs call the metadata by other names beside bytes that are not theirs.
    if wanted.get("reason") in (*OWN_WORDS, "key-bytes-differ"):
        found["message"] = wanted["message"]
    assert found == wanted


def in_python(data):
    """Return what Python says of a bundle, as the package answers."""
    try:
        verified = verify_bundle(data, no_policy())
    except (CertificateFormatError, VerificationError) as error:
        message = OPTIONS.sub("", str(error))
        return {"exception": type(error).__name__, "reason": str(error.reason), "message": message}
    pins = {"commitment": verified.pins.commitment, "key": verified.pins.key}
    made, not_made = list(verified.made), list(verified.not_made)
    return {"value": {"identity": verified.identity, "pins": pins, "made": made, "notMade": not_made}}


def test_own_parts_take_the_place_of_those_of_a_bundle(package):
    """Own keys need a key for links among them; an own link is taken in place of the one that came along."""
    files = published().files
    keys = {"keys": [{"document": files[KEY].hex(), "verifying": files[VERIFYING].hex()}]}
    links = {"linkKeys": [{"document": files[LINK_KEY].hex(), "verifying": files[LINK_VERIFYING].hex()}]}
    link = {"link": files[LINK_FILE].hex()}
    for name, own, reason in (
        ("whole", keys, "key-not-trusted"),
        ("whole", keys | links, None),
        ("another-link", keys | links, "key-not-trusted"),
        ("another-link", link, None),
        ("without", link, "key-not-trusted"),
        ("without", link | keys | links, None),
    ):
        found = package.ask("bundle", data=kept_bundles()[name].hex(), own=own, policy={})
        assert found.get("reason") == reason, (name, own.keys())
        if reason is None:
            assert found["value"]["pins"] == {"commitment": False, "key": "keys" in own}
