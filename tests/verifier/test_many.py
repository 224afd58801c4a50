"""Many certificates at once: each has the verdict, the reason and the message that it has alone."""

import os
from dataclasses import replace
from types import SimpleNamespace

import pytest

from equiproof.circuits.canonical import MAX_DOCUMENT_BYTES
from equiproof.ffi import backend
from equiproof.ffi.errors import BackendError, MalformedInputError, RefusedError
from equiproof.verifier import (
    CertificateFormatError,
    MinRadius,
    TrustStore,
    UntrustedKeyError,
    VerificationError,
    Verified,
    Verifier,
    many,
    parse_certificate,
    parse_commitment,
)
from equiproof.verifier.many import Demands, Entry, Row, Source, verify_all
from equiproof.verifier.presented import Presented
from equiproof.verifier.programs import load
from equiproof.verifier.unproven import refusals
from tests.pins import FOLDER
from tests.support import changed, no_policy
from tests.vectors.vector import CERTIFICATE, COMMITMENT, proof_base
from tests.verifier.test_logged import GOOD, terms
from tests.verifier.test_vectors import CERTIFICATES, PAIRED, PROOFS, VECTORS, policy_of_vector

GOLDEN = FOLDER / "loans"
DATA = (GOLDEN / CERTIFICATE).read_bytes()
OTHER = (FOLDER / "rates" / CERTIFICATE).read_bytes()


def told(found):
    """Return kind, reason and message of an error; None for what is verified."""
    return None if found is None or isinstance(found, Verified) else (type(found), found.reason, str(found))


def alone(call, *arguments):
    """Return the error of a call about one certificate or proof, or None."""
    try:
        call(*arguments)
    except (VerificationError, CertificateFormatError, RefusedError, MalformedInputError) as error:
        return error
    return None


@pytest.fixture
def demands():
    """What the published certificate is verified with."""
    commitment = parse_commitment((GOLDEN / COMMITMENT).read_bytes(), COMMITMENT)
    return Demands(commitment, TrustStore.open(GOLDEN / "keys"), no_policy())


@pytest.fixture
def verifier(demands):
    """The verifier of the published certificate."""
    return Verifier(demands.commitment, demands.keys)


def paired(name):
    """Return whether a vector takes a pairing, and with plain Python so long that few of them are checked here."""
    return VECTORS[name].reason in PAIRED and name not in ("accept/groth16-known", "reject/groth16-b-negated")


LOADED = [name for name in PROOFS if VECTORS[name].verdict != "malformed" or "-key-" not in name]
"""Those with a key that can be loaded: without one, no proof is judged."""


@pytest.mark.parametrize(
    ("name", "checker"),
    [(name, checker) for checker in ("native", "python") for name in LOADED if checker == "native" or not paired(name)],
)
def test_one_proof_of_many_is_judged_as_one_alone(name, checker):
    """Every vector of a proof has the same verdict, reason and message in a list of one as by itself."""
    vector = VECTORS[name]
    key, digest, proof = vector.parts()
    with load(checker, vector.proof_system, key) as loaded:
        (found,) = loaded.verify_many([digest], [proof])
        assert told(found) == told(alone(loaded.verify, digest, proof))
    assert (found is None) == (vector.verdict == "accept")
    assert (found.reason if found else None) == vector.reason


@pytest.mark.parametrize("checker", ["native", "python"])
def test_every_certificate_is_judged_as_alone(tmp_path, checker):
    """Every vector of a certificate has the same verdict, reason and message among others as by itself."""
    for name in CERTIFICATES:
        if checker == "python" and paired(name):
            continue
        folder = tmp_path / name
        VECTORS[name].write(folder)
        try:
            commitment = parse_commitment((folder / COMMITMENT).read_bytes(), COMMITMENT)
            store = TrustStore.open(folder / "keys")
            policy = policy_of_vector(folder, VECTORS[name].policy)
            data = (folder / CERTIFICATE).read_bytes()
        except (CertificateFormatError, FileNotFoundError):
            continue
        judge = Verifier(commitment, store, checker)
        expected = told(alone(judge.verify, data, policy))
        assert (expected is None) == (VECTORS[name].verdict == "accept"), name
        assert [told(found) for found in judge.verify_many([data, b"{}", data], policy)][::2] == 2 * [expected], name


def test_results_are_in_order_and_whole(verifier, demands):
    """Verified certificates carry what they carry alone, each in its place among refused and malformed ones."""
    certificate = parse_certificate(DATA, CERTIFICATE)
    other = changed(certificate, statement=changed(certificate.statement, context_digest="0" * 64))
    found = verifier.verify_many([DATA, b"x", other, certificate, DATA[:-1]], demands.policy)
    whole = verifier.verify(DATA, demands.policy)
    assert (found[0], found[3]) == (whole, whole)
    assert [told(one) for one in found[1:3]] == [
        told(alone(verifier.verify, one, demands.policy)) for one in (b"x", other)
    ]
    assert type(found[4]).__name__ == "CertificateFormatError"
    assert all(one.__traceback__ is None for one in found if isinstance(one, Exception))


def test_each_key_checks_its_own(loans, cramped, owner, proven, sceptic):
    """Certificates under different keys in one list are each checked under their own; a foreign proof is refused."""
    from equiproof.prover import Prover

    row = next(row for row, found in loans.applicants(seed=1) if hasattr(found, "needed"))
    with Prover(loans.opening, cramped.key) as prover:
        small = prover.prove(row).certificate
    moved = changed(small, proof=proven.certificate.proof)
    found = sceptic.verify_many([small, proven.certificate, moved, small], no_policy())
    assert [isinstance(one, Verified) for one in found] == [True, True, False, True]
    assert [found[place].key for place in (0, 1, 3)] == [
        cramped.key.document,
        loans.key.document,
        cramped.key.document,
    ]
    assert found[2].reason == "pairings-differ" or found[2].reason == "commitment-not-opened"


@pytest.mark.parametrize("proof_system", ["groth16-bn254", "plonk-bn254"])
def test_a_degenerate_key_is_said_of_each_of_its_certificates(proof_system):
    """In the words of the key's check, for as many certificates as there are, in their places among others."""
    with pytest.raises(MalformedInputError) as caught:
        load("python", proof_system, b"x")
    bad = SimpleNamespace(document=SimpleNamespace(proof_system=proof_system), verifying=b"x")
    base = {name: bytes.fromhex(proof_base("published")[name]) for name in ("key", "digest", "proof")}
    good = SimpleNamespace(document=SimpleNamespace(proof_system="groth16-bn254"), verifying=base["key"])
    claims = [SimpleNamespace(key=key, digest=base["digest"], proof=b"", link=None) for key in (bad, good, bad)]
    found = refusals(claims, "python")
    assert [told(found[at]) for at in (0, 2)] == 2 * [
        (UntrustedKeyError, caught.value.reason, told(UntrustedKeyError(str(caught.value), caught.value.reason))[2])
    ]
    assert (type(found[1]), str(found[1])) == (CertificateFormatError, f"certificate: field proof: {LENGTH}")


LENGTH = "proof: 0 bytes, want 196"


def test_nothing_is_nothing(verifier, demands):
    """No certificates have no results."""
    assert verifier.verify_many([], demands.policy) == []


def test_other_types_are_a_fault(verifier, demands):
    """What is neither bytes nor a certificate is the caller's fault, as alone."""
    with pytest.raises(TypeError, match="want its bytes or a parsed Certificate"):
        verifier.verify_many([DATA, "text"], demands.policy)


def test_without_the_library_nothing_is_verified(verifier, demands, monkeypatch):
    """Where the library that was named is missing, the call raises, whatever was found before."""

    def missing():
        raise BackendError("the native library is not built: run `make build`")

    monkeypatch.setattr(backend, "_library", missing)
    with pytest.raises(BackendError):
        Verifier(demands.commitment, demands.keys, "native").verify_many([b"x", DATA], demands.policy)
    (found,) = verifier.verify_many([DATA], demands.policy)
    assert found.checker == "python"


# -- folders and files


def rows_of(source, demands, **options):
    """Return every row of a source."""
    return [row for judged in verify_all(Source(source), demands, **options) for row in judged.rows]


@pytest.fixture
def folder(tmp_path):
    """A folder with certificates, a bundle, files of other kinds and broken ones."""
    path = tmp_path / "folder"
    path.mkdir()
    for name in ("commitment.json", "query.json", "context.json"):
        (path / name).write_bytes((GOLDEN / name).read_bytes())
    for name in ("a.json", "b.json", ".hidden.json", "other.txt"):
        (path / name).write_bytes(DATA)
    parts = Presented(
        parse_certificate(DATA, CERTIFICATE),
        parse_commitment((GOLDEN / COMMITMENT).read_bytes(), COMMITMENT),
        TrustStore.open(GOLDEN / "keys").find(parse_certificate(DATA, CERTIFICATE).key.fingerprint),
    )
    (path / "c.equiproof").write_bytes(parts.bundle().to_bytes())
    (path / "d.json").write_bytes(DATA[:50])
    (path / "e.equiproof").write_bytes(DATA)
    (path / "f.json").mkdir()
    (path / "g.json").write_bytes(b" " * (MAX_DOCUMENT_BYTES + 1))
    for name in ("k", ".hidden", "nothing"):
        (path / name).mkdir()
        (path / name / ("other.json" if name == "nothing" else "certificate.json")).write_bytes(DATA)
    (path / "h.json").symlink_to("nowhere")
    os.mkfifo(path / "i.json")
    certificate = parse_certificate(DATA, CERTIFICATE)
    (path / "j.json").write_bytes(changed(certificate, key=changed(certificate.key, setup="ceremony")).to_bytes())
    return path


WANTED = {
    "a.json": ("verified", None),
    "b.json": ("verified", None),
    "c.equiproof": ("verified", None),
    "commitment.json": ("other", None),
    "context.json": ("other", None),
    "d.json": ("malformed", "not-json"),
    "e.equiproof": ("malformed", "not-a-bundle"),
    "f.json": ("malformed", "unreadable"),
    "g.json": ("malformed", "too-long"),
    "h.json": ("malformed", "unreadable"),
    "i.json": ("malformed", "unreadable"),
    "j.json": ("refused", "setup-differs"),
    "k/certificate.json": ("verified", None),
    "query.json": ("other", None),
}


@pytest.mark.parametrize("jobs", [1, 3])
def test_every_file_of_a_folder_has_its_row(folder, demands, jobs, monkeypatch):
    """Certificates and bundles are verified, a broken file is a row of its own, and other kinds are left out."""
    monkeypatch.setattr(many, "MOST_AT_ONCE", 4)
    rows = rows_of(folder, demands, jobs=jobs)
    assert {row.file: (row.verdict, row.reason) for row in rows} == WANTED
    assert [row.file for row in rows] == sorted(WANTED)
    first = rows[0]
    verified = Verifier(demands.commitment, demands.keys).verify(DATA, demands.policy)
    assert first == Row(
        "a.json", "verified", verified.identity, verified.reading.label, verified.statement.radius_squared,
        verified.key.fingerprint,
    )  # fmt: skip


@pytest.mark.parametrize(("jobs", "used"), [(-1, [5]), (1, []), (3, [3])])
def test_jobs_are_processes(folder, demands, jobs, used, monkeypatch):
    """-1 stands for one of each processor, and one alone needs no process beside this one."""
    asked = []

    def each(call, first, rest, count):
        asked.append(count)
        return (call(first, one) for one in rest)

    monkeypatch.setattr(many.workers, "processors", lambda: 5)
    monkeypatch.setattr(many.workers, "each", each)
    assert len(rows_of(folder, demands, jobs=jobs)) == len(WANTED)
    assert asked == used


def test_a_proof_that_does_not_hold_has_its_row(tmp_path, demands):
    """Beside one that does, which has its own."""
    forged = changed(parse_certificate(DATA, CERTIFICATE), proof=parse_certificate(OTHER, CERTIFICATE).proof)
    path = tmp_path / "all.jsonl"
    path.write_bytes(b"\n".join([forged.to_bytes(), DATA]))
    rows = rows_of(path, replace(demands, checker="native"))
    assert [(row.verdict, row.reason) for row in rows] == [("refused", "commitment-not-opened"), ("verified", None)]
    assert "proof" in rows[0].message


def test_lines_are_certificates(tmp_path, demands):
    """Each line of a file is a certificate, with or without an end of the last line; blank lines do not count."""
    path = tmp_path / "all.jsonl"
    path.write_bytes(b"\n".join([DATA, b"", b"junk", DATA + b"\r", b"x" * (MAX_DOCUMENT_BYTES + 5), b"  ", DATA]))
    rows = rows_of(path, demands)
    assert [(row.file, row.verdict, row.reason) for row in rows] == [
        ("all.jsonl:1", "verified", None),
        ("all.jsonl:3", "malformed", "not-json"),
        ("all.jsonl:4", "malformed", "not-canonical"),
        ("all.jsonl:5", "malformed", "too-long"),
        ("all.jsonl:7", "verified", None),
    ]


def test_a_document_of_another_kind_is_malformed_in_a_line(tmp_path, demands):
    """In a file of lines nothing is left out: a line that is no certificate is malformed."""
    path = tmp_path / "all.jsonl"
    path.write_bytes((GOLDEN / "commitment.json").read_bytes())
    assert [(row.verdict, row.reason) for row in rows_of(path, demands)] == [("malformed", "wrong-fields")]


def test_a_bundle_is_no_file_of_lines(folder, demands):
    """A bundle in place of a file of lines is refused with the way out."""
    with pytest.raises(CertificateFormatError, match="put bundles into a folder"):
        rows_of(folder / "c.equiproof", demands)


def test_a_folder_without_files_is_refused(tmp_path):
    """Nothing verified is no success: a folder without certificates is an error."""
    with pytest.raises(CertificateFormatError, match="no certificate") as caught:
        Source(tmp_path)
    assert str(tmp_path) in str(caught.value)


def test_chunks_are_bounded(folder, demands, monkeypatch):
    """A chunk has no more entries and bytes than its bounds, and all chunks together have everything."""
    monkeypatch.setattr(many, "MOST_AT_ONCE", 2)
    chunks = list(Source(folder).chunks())
    assert [len(chunk.entries) for chunk in chunks] == [2] * 7
    assert [chunk.number for chunk in chunks] == list(range(7))
    monkeypatch.setattr(many, "MOST_BYTES", len(DATA) + 1)
    assert max(len(chunk.entries) for chunk in Source(folder).chunks() if chunk.entries[0].name == "a.json") == 1
    assert sum(chunk.size for chunk in Source(folder).chunks()) == len(WANTED)


def test_names_that_are_no_text_are_shown(folder, demands):
    """A file whose name is no text has a row that can be written."""
    (folder / "a.json").rename(folder / os.fsdecode(b"\xff.json"))
    assert rows_of(folder, demands)[-1].file == "\\xff.json"


def test_the_policy_is_that_of_every_certificate(folder, demands):
    """Every certificate must meet the policy."""
    rows = rows_of(folder, replace(demands, policy=MinRadius("1000")))
    assert {row.reason for row in rows if row.file in ("a.json", "c.equiproof")} == {"radius-too-small"}
    with pytest.raises(VerificationError):
        Verifier(demands.commitment, demands.keys).verify(DATA, MinRadius("1000"))


def test_progress_reaches_the_end(folder, demands):
    """Progress is told after each chunk, up to all files."""
    told_of = []
    rows_of(folder, demands, progress=lambda done, total: told_of.append((done, total)))
    assert told_of == [(len(WANTED), len(WANTED))]


def test_a_certificate_without_a_log_proof_is_told_from_one_with_another(folder, demands):
    """Nothing beside it is a missing proof, and not a proof that cannot be read."""
    policy = terms(GOOD["pins"]).policy(b"", GOOD["now"])
    rows = rows_of(folder, replace(demands, policy=policy))
    assert {row.reason for row in rows if row.file in ("a.json", "c.equiproof")} == {"no-log-proof"}


def test_a_receipt_beside_a_file_is_one_applicants():
    """In a folder below the one that was named; beside files of several applicants, it would be anybody's."""
    assert Entry("a/c.json", FOLDER / "a" / "c.json").own_folder == FOLDER / "a"
    assert Entry("c.json", FOLDER / "c.json").own_folder is None
    assert Entry("a/line 1", b"{}").own_folder is None
