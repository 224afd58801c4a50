"""Every file of tests/vectors/bundles, with both programs that check proofs and on the command line."""

import pytest

from equiproof.circuits import tables
from equiproof.cli.main import run
from equiproof.verifier import (
    CertificateFormatError,
    TrustStore,
    VerificationError,
    parse_commitment,
    policy_of,
    verify_bundle,
)
from tests.vectors.vector import BUNDLES, COMMITMENT, GOLDEN, VERDICTS, bundle_paths, place, read

VECTORS = {path.relative_to(BUNDLES).with_suffix("").as_posix(): read(path) for path in bundle_paths()}
CODES = {"accept": 0, "reject": 1, "malformed": 2}
QUICK = {"accept/digits-of-both", "accept/published-loans-plonk", "reject/larger-radius"}
"""Of the vectors that take a pairing in Python, those that it checks in every run."""

PAIRED = {None, "pairings-differ", "commitment-not-opened"}


def both(function):
    """Parametrise a test by vector and program; what is malformed comes to neither."""
    cases = [("native", name) for name in VECTORS]
    cases += [("python", name) for name, vector in VECTORS.items() if vector.verdict != "malformed"]
    slow = {name for name, vector in VECTORS.items() if vector.reason in PAIRED and name not in QUICK}
    more = (pytest.mark.slow, pytest.mark.sampled(4))
    marked = [
        pytest.param(name, checker, marks=more if checker == "python" and name in slow else ())
        for checker, name in cases
    ]
    return pytest.mark.parametrize(("name", "checker"), marked)(function)


def policy(vector):
    """Return the policy of a vector."""
    demands = vector.policy
    return policy_of(
        min_radius=demands.min_radius,
        setup=demands.setup,
        transcript=demands.transcript,
        signed_by=demands.signed_by,
        model_commitment=demands.model,
        key_fingerprint=demands.key,
    )


def judged(vector, checker):
    """Verify a bundle as a relying party does."""
    own, keys = vector.given.commitment, vector.given.keys
    commitment = None if own is None else parse_commitment((GOLDEN / own / COMMITMENT).read_bytes(), COMMITMENT)
    store = None if keys is None else TrustStore.open(GOLDEN / keys / "keys")
    return verify_bundle(vector.data(), policy(vector), commitment, store, checker)


@both
def test_bundles_are_judged_as_the_file_says(name, checker):
    """A bundle is accepted with the pins that the file states, or refused with its exception and its reason."""
    vector = VECTORS[name]
    if vector.verdict == "accept":
        verified = judged(vector, checker)
        assert (verified.pins.commitment, verified.pins.key) == (vector.pinned.commitment, vector.pinned.key)
        return
    with pytest.raises((VerificationError, CertificateFormatError)) as caught:
        judged(vector, checker)
    assert type(caught.value).__name__ == vector.exception, caught.value
    assert caught.value.reason == vector.reason, caught.value
    assert (vector.field or "") in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.sampled(45)
@pytest.mark.parametrize("name", VECTORS)
def test_no_verdict_depends_on_the_language(name):
    """In German, the pins, or the exception, its reason and its file are the same."""
    vector = VECTORS[name]
    with tables.speaking("de"):
        if vector.verdict == "accept":
            verified = judged(vector, "native")
            assert (verified.pins.commitment, verified.pins.key) == (vector.pinned.commitment, vector.pinned.key)
            return
        with pytest.raises((VerificationError, CertificateFormatError)) as caught:
            judged(vector, "native")
    assert (type(caught.value).__name__, caught.value.reason) == (vector.exception, vector.reason)
    assert place(vector) in str(caught.value)


@pytest.mark.sampled(90)
@pytest.mark.parametrize("language", tables.LANGUAGES)
@pytest.mark.parametrize("name", VECTORS)
def test_the_command_agrees(name, language, tmp_path, capsys):
    """In each language, `equiproof verify FILE` ends with the exit code of the verdict, and one line otherwise."""
    vector = VECTORS[name]
    (tmp_path / "mine.equiproof").write_bytes(vector.data())
    words = ["verify", tmp_path / "mine.equiproof", "--checker", "native", "--language", language]
    if vector.given.commitment is not None:
        words += ["--commitment", GOLDEN / vector.given.commitment / COMMITMENT]
    if vector.given.keys is not None:
        words += ["--keys", GOLDEN / vector.given.keys / "keys"]
    for option, value in (
        ("--min-radius", vector.policy.min_radius),
        ("--setup", vector.policy.setup),
        ("--transcript", vector.policy.transcript),
        ("--model-commitment", vector.policy.model),
        ("--key-fingerprint", vector.policy.key),
    ):
        words += [] if value is None else [option, value]
    if vector.policy.signed_by is not None:
        keys, least = vector.policy.signed_by
        (tmp_path / "signers.txt").write_text("\n".join(keys))
        words += ["--signed-by", tmp_path / "signers.txt", "--least-signers", least]
    # No file that is not an archive is a bundle: the command reads a certificate there, with nothing beside it.
    if vector.reason == "not-a-bundle":
        assert run([str(word) for word in words]) == 2
        return
    assert run([str(word) for word in words]) == CODES[vector.verdict]
    out, err = capsys.readouterr()
    assert bool(out) == (vector.verdict == "accept")
    assert len(err.splitlines()) == (vector.verdict != "accept"), err


def test_every_verdict_has_vectors():
    """No folder is thin, no two vectors are the same, and each says why."""
    counts = {verdict: sum(vector.verdict == verdict for vector in VECTORS.values()) for verdict in VERDICTS}
    assert min(counts.values()) >= 10, counts
    assert counts["malformed"] >= 60
    parts = [(vector.data(), vector.policy, vector.given) for vector in VECTORS.values()]
    assert len({repr(part) for part in parts}) == len(parts)
    for name, vector in VECTORS.items():
        assert len(vector.why) > 15, name
        accepted = vector.verdict == "accept"
        assert (vector.exception is None, vector.reason is None, vector.pinned is not None) == (accepted,) * 3, name


def test_a_vectors_bytes_differ_little_from_its_base():
    """Vectors stay small: what differs, not whole files."""
    assert sum(path.stat().st_size for path in bundle_paths()) < 210_000
