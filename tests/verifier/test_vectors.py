"""Every file of tests/vectors, with both programs that check proofs and on the command line.

A file that is added there is a test. `python -m tests.vectors.generate` writes those that programs of ours make.
"""

import json

import pytest

from equiproof.circuits import tables
from equiproof.cli.main import run
from equiproof.verifier import (
    AllOf,
    CertificateFormatError,
    ForContext,
    ForQuery,
    MinRadius,
    SetupIs,
    SignedBy,
    TranscriptIs,
    TrustStore,
    VerificationError,
    Verifier,
    combined,
    logged,
    parse_certificate,
    parse_commitment,
    parse_context,
    parse_query,
    policy,
    transcripts,
)
from equiproof.verifier.errors import Reason
from tests.support import no_policy
from tests.two_checks import verdict
from tests.vectors.generate import catalogue
from tests.vectors.vector import (
    CERTIFICATE,
    COMMITMENT,
    CONTEXT,
    FOLDER,
    QUERY,
    VERDICTS,
    CircuitVector,
    ProofVector,
    TranscriptVector,
    bundle_paths,
    paths,
    place,
    read,
)

ALL = {path.relative_to(FOLDER).with_suffix("").as_posix(): read(path) for path in paths()}
VECTORS = {name: vector for name, vector in ALL.items() if not isinstance(vector, CircuitVector | TranscriptVector)}
"""Those of a verification: others stand in tests/circuits/test_vectors.py and tests/prover/ceremony/test_vectors.py."""

PROOFS = [name for name, vector in VECTORS.items() if isinstance(vector, ProofVector)]
CERTIFICATES = [name for name in VECTORS if name not in PROOFS]
SAYS = {"accept": "accepted", "reject": "refused", "malformed": "malformed"}
CODES = {"accept": 0, "reject": 1, "malformed": 2}

PAIRED = {"pairings-differ", "commitment-not-opened", None}
"""The reasons of verdicts that take a pairing in Python, about a second each; None is that of what is accepted."""

QUICK = {
    *("accept/groth16-published", "accept/groth16-a-at-infinity", "accept/plonk-proof"),
    *("reject/groth16-digest-next", "reject/groth16-commitment-exchanged", "reject/plonk-value-qcp"),
    *(f"accept/files-published-{name}" for name in ("rates", "loans-plonk")),
    *(f"reject/files-{name}" for name in ("statement-radius-one-larger", "key-of-the-forger")),
}
"""Of those, the ones that Python checks in every run: of each verdict, reason and proof system."""

OFTEN = {
    *(f"accept/groth16-{name}" for name in ("known", "digest-zero", "rerandomised")),
    *(f"reject/groth16-{name}" for name in ("a-and-c-swapped", "b-negated", "key-delta", "nothing")),
    *(f"reject/groth16-{name}" for name in ("key-statement-point", "key-hash-point", "published-a-replaced")),
    *(f"reject/groth16-{name}" for name in ("another-known-commitment", "key-sigma")),
    *(f"reject/plonk-{name}" for name in ("w-another", "key-another-tau")),
    *("accept/files-two-trusted-keys", "reject/files-proof-a"),
}
"""Some of each kind of change, of which Python checks a sample in every run; of all others `make test-slow` has one."""

SOME, MORE = pytest.mark.sampled(4), (pytest.mark.slow, pytest.mark.sampled(8))


def in_python(name):
    """Return whether Python checks a vector in every run."""
    return VECTORS[name].reason not in PAIRED or name in QUICK


def marks(name, checker):
    """Return the marks of a vector for a program."""
    if checker == "native" or in_python(name):
        return ()
    return SOME if name in OFTEN else MORE


def both(names):
    """Parametrise a test by vector and program; the native one checks all of them in every run."""
    return pytest.mark.parametrize(
        ("name", "checker"),
        [pytest.param(name, checker, marks=marks(name, checker)) for checker in ("native", "python") for name in names],
    )


@both(PROOFS)
def test_both_checks_agree_on_proofs(name, checker):
    """Each program accepts, refuses or calls malformed what the file says, for the reason that it says."""
    vector = VECTORS[name]
    assert verdict(checker, *vector.parts(), vector.proof_system) == (SAYS[vector.verdict], vector.reason or "")


def judged(folder, policy, checker):
    """Verify the files of a folder as a relying party does."""
    certificate = parse_certificate((folder / CERTIFICATE).read_bytes(), CERTIFICATE)
    commitment = parse_commitment((folder / COMMITMENT).read_bytes(), COMMITMENT)
    store = TrustStore.open(folder / "keys")
    return Verifier(commitment, store, checker).verify(certificate, policy_of_vector(folder, policy))


def policy_of_vector(folder, policy):
    """Return the policy that a vector states, with the files of its folder."""
    demands = []
    if policy.query:
        demands.append(ForQuery(parse_query((folder / QUERY).read_bytes(), QUERY)))
    if policy.context:
        demands.append(ForContext(parse_context((folder / CONTEXT).read_bytes(), CONTEXT)))
    if policy.min_radius is not None:
        demands.append(MinRadius(policy.min_radius))
    if policy.setup is not None:
        demands.append(SetupIs(policy.setup))
    if policy.transcript is not None:
        demands.append(TranscriptIs(policy.transcript))
    if policy.signed_by is not None:
        demands.append(SignedBy(*policy.signed_by))
    return AllOf(*demands) if demands else no_policy()


@both(CERTIFICATES)
def test_both_verifiers_agree_on_certificates(name, checker, tmp_path):
    """A certificate is verified, or raises the exception that the file names, for its reason, with either program."""
    vector = VECTORS[name]
    vector.write(tmp_path)
    if vector.verdict == "accept":
        assert judged(tmp_path, vector.policy, checker).checker == checker
        return
    with pytest.raises((VerificationError, CertificateFormatError)) as caught:
        judged(tmp_path, vector.policy, checker)
    assert type(caught.value).__name__ == vector.exception
    assert caught.value.reason == vector.reason
    assert (vector.field or "") in str(caught.value)


@pytest.mark.sampled(90)
@pytest.mark.parametrize("name", CERTIFICATES)
def test_no_verdict_depends_on_the_language(name, tmp_path):
    """In German, the verdict, its reason and the field are the same, and so are the words of the certificate."""
    vector = VECTORS[name]
    vector.write(tmp_path)
    with tables.speaking("de"):
        if vector.verdict == "accept":
            verified = judged(tmp_path, vector.policy, "native")
            assert verified.made[0].startswith("der Beweis stimmt unter diesem Schlüssel: ")
            assert verified.reading == parse_certificate((tmp_path / CERTIFICATE).read_bytes(), CERTIFICATE).reading
            return
        with pytest.raises((VerificationError, CertificateFormatError)) as caught:
            judged(tmp_path, vector.policy, "native")
    assert (type(caught.value).__name__, caught.value.reason) == (vector.exception, vector.reason)
    assert place(vector) in str(caught.value)


@pytest.mark.sampled(120)
@pytest.mark.parametrize("language", tables.LANGUAGES)
@pytest.mark.parametrize("name", CERTIFICATES)
def test_the_command_agrees(name, language, tmp_path, capsys):
    """In each language, the command ends with the exit code of the verdict, and with the same reason in one line."""
    vector = VECTORS[name]
    vector.write(tmp_path)
    words = ["verify", CERTIFICATE, "--commitment", COMMITMENT, "--keys", "keys"]
    words = [str(tmp_path / word) if not word.startswith("-") and word != "verify" else word for word in words]
    if vector.policy.query:
        words += ["--query", str(tmp_path / QUERY)]
    if vector.policy.context:
        words += ["--context", str(tmp_path / CONTEXT)]
    if vector.policy.min_radius is not None:
        words += ["--min-radius", vector.policy.min_radius]
    if vector.policy.setup is not None:
        words += ["--setup", vector.policy.setup]
    if vector.policy.transcript is not None:
        words += ["--transcript", vector.policy.transcript]
    if vector.policy.signed_by is not None:
        keys, least = vector.policy.signed_by
        (tmp_path / "signers.txt").write_text("\n".join(keys))
        words += ["--signed-by", str(tmp_path / "signers.txt"), "--least-signers", str(least)]
    code = run([*words, "--checker", "native", "--language", language])
    out, err = capsys.readouterr()
    assert code == CODES[vector.verdict], err
    assert bool(out) == (code == 0)
    assert len(err.splitlines()) == (code != 0)


def test_every_verdict_has_many_vectors():
    """There are at least a hundred, none of the three folders is thin, and no two say the same of the same."""
    counts = {verdict: sum(vector.verdict == verdict for vector in VECTORS.values()) for verdict in VERDICTS}
    assert sum(counts.values()) >= 100
    assert min(counts.values()) >= 20, counts
    parts = [
        (vector.parts() if name in PROOFS else (vector.policy, *sorted(vector.files().items())))
        for name, vector in VECTORS.items()
    ]
    assert len({repr(part) for part in parts}) == len(parts)


def test_every_vector_says_why():
    """Each file has a sentence on what it is and one on why, and names exception and reason where one is raised."""
    for name, vector in ALL.items():
        assert len(vector.what) > 2, name
        assert len(vector.why) > 15, name
        assert (vector.exception is None) == (vector.verdict == "accept"), name
        reason = vector.rule if isinstance(vector, CircuitVector) else vector.reason
        assert (reason is None) == (vector.verdict == "accept"), name


def test_reasons_are_of_the_table():
    """Every reason that a vector names is in the table of reasons, or is a policy's own; most of the table is used."""
    named = {vector.reason for vector in (*VECTORS.values(), *map(read, bundle_paths()))} - {None}
    policies = {
        getattr(kind, "reason", None)
        for kind in {**vars(policy), **vars(combined), **vars(transcripts), **vars(logged)}.values()
    }
    assert named <= set(Reason) | policies
    others = {"unreadable", "circuit-differs", "values-differ", "not-a-log-proof"}  # the last one: in log.json
    others |= {"unknown-values", "gain-too-large"}  # in gain.json
    # Of links, which programs in Python alone read so far: in tests/verifier/test_linked.py.
    others |= {"no-link", "link-fails", "shown-differs", "first-commitment-differs"}
    others |= {f"link-of-another-{what}" for what in ("key", "model", "spec", "architecture")}
    others |= {"link-of-other-input-bits"}
    boxes = {case.get("reason") for case in json.loads((FOLDER / "box.json").read_bytes())["cases"]}
    assert set(Reason) - named - boxes == others


def test_python_checks_each_kind_in_every_run():
    """Of proofs and of certificates, Python checks at least one vector of every verdict and reason in every run."""
    assert set(VECTORS) >= QUICK | OFTEN
    kinds = {name: (type(vector), vector.verdict, vector.reason) for name, vector in VECTORS.items()}
    assert {kinds[name] for name in VECTORS if in_python(name)} == set(kinds.values())
    systems = {name: (vector.verdict, vector.proof_system) for name, vector in VECTORS.items() if name in PROOFS}
    assert {systems[name] for name in QUICK if name in PROOFS} == {
        (verdict, system) for verdict, system in systems.values() if verdict != "malformed"
    }


@pytest.mark.slow
def test_the_generators_make_these_files():
    """What the generators write is what stands there, to the byte; a vector written by hand is left alone."""
    for name, data in catalogue.files().items():
        assert (FOLDER / name).read_bytes() == data, name
