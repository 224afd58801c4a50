"""Either program checks proofs: by choice, or the native one where it is there."""

import pytest

from equiproof.ffi import backend
from equiproof.ffi.errors import BackendError
from equiproof.verifier import (
    CertificateFormatError,
    ProofError,
    TrustStore,
    Verifier,
    parse_certificate,
    parse_commitment,
)
from equiproof.verifier.programs import choose
from tests.pins import FOLDER
from tests.support import changed, no_policy

GOLDEN = FOLDER / "loans"


@pytest.fixture
def verifier():
    """Return the maker of verifiers of the published commitment."""
    commitment = parse_commitment((GOLDEN / "commitment.json").read_bytes(), "commitment.json")
    store = TrustStore.open(GOLDEN / "keys")
    return lambda *choice: Verifier(commitment, store, *choice)


@pytest.fixture
def certificate():
    """The published certificate."""
    return parse_certificate((GOLDEN / "certificate.json").read_bytes(), "certificate.json")


@pytest.fixture
def without_library(monkeypatch):
    """Take the native library away."""

    def missing():
        raise BackendError("the native library is not built: run `make build`")

    monkeypatch.setattr(backend, "_library", missing)


def test_the_library_checks_where_it_is_there(verifier, certificate):
    """By default the native library checks, and the result says so."""
    assert verifier().verify(certificate, no_policy()).checker == "native"


def test_plain_python_checks_where_the_library_is_absent(verifier, certificate, without_library):
    """Without the library the same certificate is verified all the same, and the result says by what."""
    verified = verifier().verify(certificate, no_policy())
    assert verified.checker == "python"


def test_both_verify_the_same(verifier, certificate):
    """What is verified does not depend on the program, but for its name."""
    native, python = (verifier(name).verify(certificate, no_policy()) for name in ("native", "python"))
    assert (native.checker, python.checker) == ("native", "python")
    assert (native.statement, native.reading, native.made) == (python.statement, python.reading, python.made)


def test_a_library_that_was_asked_for_is_not_replaced(verifier, certificate, without_library):
    """Whoever names the native library gets its verdict or an error, never another program's word."""
    with pytest.raises(BackendError, match="not built"):
        verifier("native").verify(certificate, no_policy())


@pytest.mark.parametrize("checker", ["native", "python"])
def test_both_raise_the_same_errors(verifier, certificate, checker):
    """A proof of something else is refused, bytes that are no proof are malformed, with either program."""
    proof = certificate.proof
    edited = changed(certificate, statement=changed(certificate.statement, context_digest="0" * 64))
    with pytest.raises(ProofError, match="the proof does not hold"):
        verifier(checker).verify(edited, no_policy())
    with pytest.raises(CertificateFormatError, match=r"^certificate: field proof: proof: "):
        verifier(checker).verify(changed(certificate, proof="AAAA" + proof[4:]), no_policy())


@pytest.mark.parametrize("name", ["", "Native", "go", "py_ecc"])
def test_unknown_programs_are_no_choice(verifier, name):
    """A name that is no program is refused before anything is verified."""
    with pytest.raises(ValueError, match="auto, native, python"):
        verifier(name)


def test_the_choice_is_made_when_it_is_needed(verifier, certificate, monkeypatch):
    """A verifier that was made before the library went away, as in a forked process, still verifies."""
    made = verifier()
    monkeypatch.setattr(backend, "available", lambda: False)
    assert choose("auto") == "python"
    assert made.verify(certificate, no_policy()).checker == "python"
