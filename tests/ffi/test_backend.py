"""The foreign boundary: statuses become exceptions, handles end, and no bytes make the library crash."""

import random
import re
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equiproof.circuits.shape import traversal_shape
from equiproof.ffi import _build, backend
from equiproof.ffi.errors import BackendError, MalformedInputError, RefusedError, UnsatisfiedError
from equiproof.prover.witness.relation import Secrets, generate
from tests.support import LOANS, ROOT

HEADER = (ROOT / "equiproof" / "ffi" / "equiproof.h").read_text()


@pytest.fixture(scope="module")
def native():
    """The compiled extension."""
    return pytest.importorskip("equiproof.ffi._native")


@pytest.fixture(scope="module")
def prover(loans):
    """A loaded proving key."""
    with loans.key.load() as loaded:
        yield loaded


@pytest.fixture(scope="module")
def verifier(loans):
    """A loaded verifying key."""
    with backend.VerifyingKey(loans.key.verifying) as loaded:
        yield loaded


@pytest.fixture(scope="module")
def digest(loans, proven):
    """The statement digest of the honest certificate, as bytes."""
    return proven.certificate.to_statement().digest(loans.shape).to_bytes(32, "big")


@pytest.fixture(scope="module")
def witness(loans, proven):
    """The witness of the honest certificate."""
    query = loans.spec.encode(proven.query.features)
    secrets = Secrets.of(loans.opening, query, int(proven.query.blinding, 16))
    return generate(loans.shape, proven.certificate.to_statement(), secrets, proven.evidence)


# -- the ABI


def test_library_and_header_have_one_version(native):
    """The library answers with the version of the header that the extension was compiled from."""
    assert native.lib.ep_abi_version() == native.lib.EP_ABI_VERSION == 10


def test_statuses_are_those_of_the_header(native):
    """The compiler supplies the header's constants."""
    values = dict(re.findall(r"^#define (EP_\w+) (\d+)$", HEADER, re.MULTILINE))
    assert values["EP_OK"] == "0"
    del values["EP_ABI_VERSION"]
    assert len(set(values.values())) == len(values)
    assert {name: getattr(native.lib, name) for name in values} == {name: int(text) for name, text in values.items()}


def test_declarations_are_the_headers():
    """What cffi reads is the header without its values, so that none is stated twice."""
    declared = _build.declarations(HEADER)
    assert "#define EP_OK ..." in declared
    assert not re.search(r"#(ifndef|include|endif)", declared)
    for name in re.findall(r"\b(ep_\w+)\(", HEADER):
        assert name in declared


def test_the_library_is_available():
    """Where these tests run, the library can be loaded."""
    assert backend.available()


def test_another_abi_version_is_refused(native, monkeypatch):
    """A library of another version than the binding's is refused with the way out."""

    class Library:
        EP_ABI_VERSION = 99

        def ep_abi_version(self):
            return 98

    monkeypatch.setattr(native, "lib", Library())
    with pytest.raises(BackendError, match=r"ABI 98, want 99: run `make build`"):
        backend._library.__wrapped__()


# -- statuses


def of_another_statement(witness):
    """Return a witness whose statement digest, behind the magic and the shape's digest, is another one."""
    last = 6 + 32 + 31
    return witness[:last] + bytes([witness[last] ^ 1]) + witness[last + 1 :]


def test_a_proof_that_holds_is_no_exception(prover, verifier, witness, digest):
    """A good witness is proven, and its proof verifies for its digest."""
    proof = prover.prove(witness)
    assert len(proof) == 196
    assert verifier.verify(digest, proof) is None


def test_a_proof_of_another_statement_is_refused(verifier, proven, digest):
    """A well-formed proof that does not hold raises RefusedError, which is no BackendError."""
    other = digest[:-1] + bytes([digest[-1] ^ 1])
    with pytest.raises(RefusedError, match="does not hold") as caught:
        verifier.verify(other, proven.certificate.proof_bytes)
    assert not isinstance(caught.value, BackendError)


def test_a_witness_that_breaks_a_rule_is_unsatisfied(prover, witness):
    """A witness that breaks a rule raises UnsatisfiedError."""
    with pytest.raises(UnsatisfiedError, match="does not satisfy the relation"):
        prover.prove(of_another_statement(witness))


@pytest.mark.parametrize(
    ("at", "claimed"),
    [(0, b"\0\0\1\0\0\0\0\0"), (0, b"\xff" * 8), (8, b"\0" * 32), (361, b"\xff" * 4), (361, b"\0" * 4), (365, b"\x40")],
)
def test_proving_keys_of_other_sizes_are_malformed(loans, at, claimed):
    """A key whose domain, lists or points are not laid out as its circuit's is refused, whatever it claims."""
    key = (loans.key.folder / "proving.key").read_bytes()
    for data in (key[:at] + claimed + key[at + len(claimed) :], key[: at + 1], key + claimed):
        with pytest.raises(MalformedInputError, match=r"^proving key: [^\n]*$"):
            backend.ProvingKey(loans.shape.document, data)


def test_a_checker_judges_witnesses_without_a_key(loans, prover, witness):
    """A checker accepts the witness that a prover proves, refuses the one it cannot prove, and wants no key."""
    with backend.Checker(loans.shape.document) as checker:
        checker.check(witness)
        with pytest.raises(UnsatisfiedError, match="does not satisfy the relation"):
            checker.check(of_another_statement(witness))
        with pytest.raises(MalformedInputError, match="witness: "):
            checker.check(witness[:-1])
        with pytest.raises(MalformedInputError, match="no such handle"):
            backend._call("ep_check", prover._handle, *backend._buffer(witness))
    with pytest.raises(MalformedInputError, match="no such handle, or it was freed"):
        checker.check(witness)
    backend.check(loans.shape.document, witness)
    with pytest.raises(UnsatisfiedError):
        backend.check(loans.shape.document, of_another_statement(witness))


def test_errors_are_one_line(prover, witness):
    """Messages of the library are one line that says what is wrong."""
    with pytest.raises(UnsatisfiedError) as caught:
        prover.prove(of_another_statement(witness))
    assert len(str(caught.value).splitlines()) == 1


def test_errors_tell_no_secrets(prover, witness):
    """The message of a broken rule shows no value of a wire: it may end in a log."""
    with pytest.raises(UnsatisfiedError) as caught:
        prover.prove(of_another_statement(witness))
    assert not re.search(r"\d{20}", str(caught.value))


# -- handles


def test_closing_twice_is_harmless(loans, digest, proven):
    """A closed handle stays closed, and a second close does nothing."""
    loaded = backend.VerifyingKey(loans.key.verifying)
    loaded.close()
    loaded.close()
    with pytest.raises(MalformedInputError, match="no such handle"):
        loaded.verify(digest, proven.certificate.proof_bytes)


def test_use_after_free_is_refused(loans, witness):
    """A prover that was closed proves nothing."""
    with loans.key.load() as loaded:
        pass
    with pytest.raises(MalformedInputError, match="no such handle, or it was freed"):
        loaded.prove(witness)


def test_handles_are_never_reused(loans):
    """A freed number is not given out again, so a stale handle never means another key."""
    with backend.VerifyingKey(loans.key.verifying) as first:
        number = first._handle
    with backend.VerifyingKey(loans.key.verifying) as second:
        assert second._handle > number


def test_handles_of_another_kind_are_refused(prover, verifier, witness, digest, proven):
    """A verifier's number is no prover, and no number at all is neither."""
    for number in (verifier._handle, 0, 1 << 60):
        with pytest.raises(MalformedInputError, match="no such handle"):
            backend._call("ep_prove", number, *backend._buffer(witness))
    for number in (prover._handle, 0, 1 << 60):
        with pytest.raises(MalformedInputError, match="no such handle"):
            backend._call(
                "ep_verify", number, *backend._buffer(digest), *backend._buffer(proven.certificate.proof_bytes)
            )
    with pytest.raises(MalformedInputError, match="no such handle"):
        backend._call("ep_free", 1 << 60)


# -- hostile bytes

SHAPE = traversal_shape(LOANS, (2, 2), 8).document

HOSTILE_SHAPES = [
    b"",
    b"{",
    b"null",
    b"[]",
    b"{}",
    b"\x00" * 100,
    b"\xff" * 100,
    b" " * (1 << 17),
    SHAPE + b" ",
    SHAPE + SHAPE,
    SHAPE.replace(b'"capacity":8', b'"capacity":-8'),
    SHAPE.replace(b'"capacity":8', b'"capacity":7'),
    SHAPE.replace(b'"capacity":8', b'"capacity":1'),
    SHAPE.replace(b'"capacity":8', b'"capacity":131072'),
    SHAPE.replace(b'"capacity":8', b'"capacity":99999999999999999999'),
    SHAPE.replace(b'"capacity":8', b'"capacity":8.0'),
    SHAPE.replace(b'"capacity":8', b'"capacity":"8"'),
    SHAPE.replace(b'"capacity":8', b'"capacity":8,"capacity":8'),
    SHAPE.replace(b'"capacity":8', b'"Capacity":8'),
    SHAPE.replace(b'"capacity":8', b'"capacity":8,"tolerance":1'),
    SHAPE.replace(b'"hidden":[2,2]', b'"hidden":[]'),
    SHAPE.replace(b'"hidden":[2,2]', b'"hidden":null'),
    SHAPE.replace(b'"hidden":[2,2]', b'"hidden":[2,0]'),
    SHAPE.replace(b'"hidden":[2,2]', b'"hidden":[2,-2]'),
    SHAPE.replace(b'"hidden":[2,2]', b'"hidden":[2,2,2]'),
    SHAPE.replace(b'"hidden":[2,2]', b'"hidden":[240,240]'),
    SHAPE.replace(b'"logits":1', b'"logits":0'),
    SHAPE.replace(b'"plain":3', b'"plain":0'),
    SHAPE.replace(b'"plain":3', b'"plain":1000000'),
    SHAPE.replace(b'"sensitive":1', b'"sensitive":0'),
    SHAPE.replace(b'"slices":2', b'"slices":1'),
    SHAPE.replace(b'"slices":2', b'"slices":9'),
    SHAPE.replace(b'"weight_bits":[16,16,16]', b'"weight_bits":[16,16,1]'),
    SHAPE.replace(b'"weight_bits":[16,16,16]', b'"weight_bits":[65,16,16]'),
    SHAPE.replace(b'"weight_bits":[16,16,16]', b'"weight_bits":[16,16]'),
    SHAPE.replace(b'"input_bits":18', b'"input_bits":250'),
    SHAPE.replace(b'"radius_bits":29', b'"radius_bits":0'),
    SHAPE.replace(b'"radius_bits":29', b'"radius_bits":253'),
    SHAPE.replace(b'"bias_bits":[36,53,70]', b'"bias_bits":[36,53]'),
    SHAPE.replace(b'"bias_bits":[36,53,70]', b'"bias_bits":[36,53,251]'),
    SHAPE.replace(b'"bias_bits":[36,53,70]', b'"bias_bits":[0,0,0]'),
    SHAPE.replace(b'"scheme":"traversal"', b'"scheme":"walk"'),
    SHAPE.replace(b'"version":2', b'"version":1'),
    SHAPE.replace(b'"format":"equiproof-shape"', b'"format":""'),
]


@pytest.mark.parametrize("document", HOSTILE_SHAPES, ids=lambda document: document[:24].decode("ascii", "replace"))
def test_hostile_shapes_are_malformed(document):
    """A shape in any but its one form, or without a circuit, raises MalformedInputError naming the shape."""
    assert document != SHAPE
    for call in (backend.describe, backend.setup):
        with pytest.raises(MalformedInputError, match="shape"):
            call(document)


@given(data=st.binary(max_size=300))
def test_random_bytes_are_no_shape(data):
    """Random bytes raise MalformedInputError wherever a shape is read."""
    with pytest.raises(MalformedInputError, match="shape"):
        backend.describe(data)


def mangled(rng, data):
    """Return data that was cut, extended, or changed in a few bytes."""
    kind = rng.randrange(4)
    if kind == 0:
        return data[: rng.randrange(len(data))]
    if kind == 1:
        return data + rng.randbytes(rng.randint(1, 40))
    changed = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        changed[rng.randrange(len(data))] = rng.choice((0, 0xFF, 0x7F, 0x80, rng.randrange(256)))
    return bytes(changed)


# Where a verifying key holds beta and delta of G1, which verification does not use, and counts of points.
UNUSED = (*range(32, 64), *range(192, 224))
COUNTS = (*range(288, 292), *range(388, 400))


def test_mangled_verifying_keys_never_crash(loans, digest, proven):
    """A cut, extended or changed verifying key is refused on loading, or refuses the proof."""
    rng = random.Random(1)
    good = loans.key.verifying
    for _ in range(150):
        key = bytearray(mangled(rng, good))
        for place in (*UNUSED, *COUNTS):
            key[place : place + 1] = good[place : place + 1] if place < len(key) else b""
        if bytes(key) != good:
            assert not verifies(bytes(key), digest, proven.certificate.proof_bytes)


def verifies(key, digest, proof):
    """Tell whether a proof verifies under a key that may not even load."""
    try:
        with backend.VerifyingKey(key) as loaded:
            loaded.verify(digest, proof)
    except (MalformedInputError, RefusedError):
        return False
    return True


def test_mangled_proofs_never_crash(verifier, digest, proven):
    """A cut, extended or changed proof is malformed or refused."""
    rng = random.Random(2)
    proof = proven.certificate.proof_bytes
    for _ in range(300):
        lie = mangled(rng, proof)
        if lie != proof:
            with pytest.raises((MalformedInputError, RefusedError)):
                verifier.verify(digest, lie)


def test_mangled_witnesses_never_crash(prover, witness):
    """A cut, extended or changed witness is malformed or unsatisfied."""
    rng = random.Random(3)
    for _ in range(150):
        lie = mangled(rng, witness)
        if lie != witness:
            with pytest.raises((MalformedInputError, UnsatisfiedError)):
                prover.prove(lie)


@pytest.mark.parametrize("cut", [0, 1, 4, 100, 5000, -1, -32])
def test_cut_proving_keys_are_malformed(loans, cut):
    """A proving key that ends early is refused on loading, one that goes on too."""
    proving = (loans.key.folder / "proving.key").read_bytes()
    for key in (proving[:cut], proving + b"\0"):
        with pytest.raises(MalformedInputError, match="proving key"):
            backend.ProvingKey(loans.shape.document, key)


@settings(max_examples=30)
@given(data=st.binary(max_size=600))
def test_random_bytes_are_no_key(data):
    """Random bytes are neither a proving nor a verifying key."""
    with pytest.raises(MalformedInputError):
        backend.VerifyingKey(data)
    with pytest.raises(MalformedInputError):
        backend.ProvingKey(SHAPE, data)


@pytest.mark.parametrize("length", [0, 1, 195, 197, 100_000])
def test_proofs_of_another_length_are_malformed(verifier, digest, length):
    """Every proof has 196 bytes."""
    with pytest.raises(MalformedInputError, match=f"proof: {length} bytes, want 196"):
        verifier.verify(digest, bytes(length))


@pytest.mark.parametrize("data", ["text", None, 5, [1]], ids=repr)
def test_what_is_no_bytes_is_a_type_error(verifier, data):
    """Only bytes cross the boundary."""
    with pytest.raises(TypeError):
        verifier.verify(data, data)


# -- threads and memory


def test_threads_prove_in_parallel(prover, verifier, witness, digest):
    """Several threads prove with one key and verify with another at the same time."""
    proofs, failures = [], []

    def work():
        try:
            proof = prover.prove(witness)
            verifier.verify(digest, proof)
            proofs.append(proof)
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(set(proofs)) == 4, "every proof is blinded anew"


def test_closing_under_a_running_proof_is_safe(loans, witness):
    """A key that is closed while it proves either finishes that proof or refuses it."""
    for _ in range(3):
        outcome = []
        with loans.key.load() as loaded:

            def work(loaded=loaded, outcome=outcome):
                try:
                    outcome.append(len(loaded.prove(witness)))
                except MalformedInputError:
                    outcome.append(196)

            thread = threading.Thread(target=work)
            thread.start()
        thread.join()
        assert outcome == [196]


def resident_kilobytes():
    """Return this process's resident memory."""
    text = Path("/proc/self/status").read_text()
    return int(re.search(r"^VmRSS:\s+(\d+) kB", text, re.MULTILINE).group(1))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc")
@pytest.mark.slow
def test_memory_is_returned(loans, verifier, digest, proven):
    """Many loads and calls do not let the process grow without bound."""
    proof = proven.certificate.proof_bytes

    def work(times):
        for _ in range(times):
            with loans.key.load():
                pass
            with backend.VerifyingKey(loans.key.verifying) as loaded:
                loaded.verify(digest, proof)
            with pytest.raises(RefusedError):
                verifier.verify(bytes(32), proof)
            backend.describe(loans.shape.document)

    work(5)
    before = resident_kilobytes()
    work(30)
    assert resident_kilobytes() - before < 100_000


def test_memory_of_large_inputs_is_returned(verifier, digest):
    """Refused inputs of megabytes leave nothing behind."""
    large = bytes(8 << 20)
    for _ in range(3):
        with pytest.raises(MalformedInputError):
            verifier.verify(digest, large)
    before = resident_kilobytes() if Path("/proc/self/status").exists() else 0
    for _ in range(30):
        with pytest.raises(MalformedInputError):
            verifier.verify(digest, large)
    after = resident_kilobytes() if before else 0
    assert after - before < 100_000
