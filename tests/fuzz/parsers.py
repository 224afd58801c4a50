"""Every parser of bytes from outside: what it reads, the errors it may answer with, and honest inputs to start from."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from equiproof.audits.errors import AuditError
from equiproof.audits.report import AuditReport
from equiproof.audits.runner import AuditRun, Failure
from equiproof.certify.data.rows import RowsError, read_rows
from equiproof.certify.errors import RunError
from equiproof.certify.guardrail import FORMAT, VERSION, Condition, GuardrailError, GuardrailFile, parse_guardrail
from equiproof.certify.many.journal import Entry, Header, Journal
from equiproof.certify.many.point import Limits
from equiproof.certify.many.results import Results
from equiproof.certify.models.ensembles.reading import read_ensemble
from equiproof.certify.models.ensembles.score import Score
from equiproof.certify.models.importing import ModelImportError, read_domain, read_model
from equiproof.certify.models.importing.chain import layers_of
from equiproof.certify.models.network import Network
from equiproof.certify.network import NetworkError
from equiproof.circuits import field
from equiproof.circuits.canonical import DocumentError, canonical_bytes
from equiproof.circuits.shape import traversal_shape
from equiproof.circuits.spec import parse_spec
from equiproof.circuits.subcircuit import subcircuit
from equiproof.cli import inventory
from equiproof.cli.settings import Option, Settings, SettingsError
from equiproof.ffi.errors import MalformedInputError
from equiproof.prover import subcircuits
from equiproof.prover.ceremony.documents import parse_beacon, parse_ceremony, parse_powers
from equiproof.prover.ceremony.errors import TranscriptError, naming
from equiproof.prover.ceremony.rounds import PowersRounds
from equiproof.prover.ceremony.steps import parse_step
from equiproof.prover.many.manifest import MANIFEST
from equiproof.prover.many.manifest import Entry as RunEntry
from equiproof.prover.many.manifest import Header as RunHeader
from equiproof.prover.many.manifest import Manifest as RunManifest
from equiproof.prover.opening import OpeningError, parse_opening
from equiproof.register.monitor import parse_state
from equiproof.register.witness import parse_witness_state
from equiproof.verifier import (
    CertificateFormatError,
    MinRadius,
    PolicyError,
    TrustStore,
    many,
    pairing,
    parse_box,
    parse_bundle,
    parse_certificate,
    parse_commitment,
    parse_context,
    parse_gain,
    parse_opened_box,
    parse_query,
    parse_wishes,
    plonk,
)
from equiproof.verifier.archive import archived, entries
from equiproof.verifier.bundle import MANIFEST_FILE
from equiproof.verifier.documents import parse_key
from equiproof.verifier.entries import parse_entry
from equiproof.verifier.exports import parse_export
from equiproof.verifier.logged import LogPins, standing
from equiproof.verifier.notes import NoteError, parse_keys, parse_note
from equiproof.verifier.package import MANIFEST_FILE as PACKAGE_FILE
from equiproof.verifier.package import parse_package
from equiproof.verifier.parts import read_parts
from equiproof.verifier.presented import of_bundle
from equiproof.verifier.receipt import parse_receipt
from equiproof.verifier.report import parse_report
from tests.audits.made import report
from tests.certify.models.importing.graphs import model, node
from tests.certify.models.importing.graphs import network as graph
from tests.certify.models.importing.samples import weights
from tests.fuzz import ceremonies, ensembles, logs, lots
from tests.prover.ceremony.parties import POWER
from tests.support import LOANS, RATES, ROOT, network
from tests.vectors.generate import log
from tests.vectors.vector import bundle_base, bundle_paths, proof_base, read
from tests.verifier import exported, packages
from tests.verifier.logs import ANNA, BEN, LOG, NOON

GOLDEN = ROOT / "tests" / "golden" / "loans"


@dataclass(frozen=True)
class Parser:
    """One parser: `read` takes bytes and a path that may be written; anything else than `errors` is a fault of ours."""

    read: Callable[[bytes, Path], Any]
    errors: tuple[type[Exception], ...]
    seeds: Callable[[], list[bytes]]


def _named(parse: Callable[[bytes, str], Any]) -> Callable[[bytes, Path], Any]:
    """Give a parser of bytes the name of the file."""
    return lambda data, path: parse(data, str(path))


def _filed(parse: Callable[[Path], Any]) -> Callable[[bytes, Path], Any]:
    """Give a parser of files its bytes."""

    def read(data: bytes, path: Path) -> Any:
        path.write_bytes(data)
        return parse(path)

    return read


def _golden(*names: str) -> Callable[[], list[bytes]]:
    """Take golden files as seeds."""
    return lambda: [path.read_bytes() for name in names for path in sorted(GOLDEN.glob(name))]


def _gains() -> list[bytes]:
    """Take the published gain certificates."""
    return [path.read_bytes() for path in sorted(GOLDEN.parent.glob("*/gain.json"))]


WISHES = b'{"format": "equiproof-wishes", "version": 2, "wishes": {"income": {"to": "4500"}, "job": {"fixed": true}}}'


def _boxes(name: str) -> list[bytes]:
    """Take a file of each honest box certificate among the vectors."""
    bases = json.loads((ROOT / "tests" / "vectors" / "box.json").read_bytes())["bases"]
    return [base["text"][name].encode() for base in bases.values()]


def _openings() -> list[bytes]:
    """Make two openings of fixed blinding, one of a model that was compared."""
    from equiproof.certify.models.comparison import Comparison, LabelCount
    from equiproof.prover import Opening

    compared = Comparison(
        source="column y of rows.csv",
        rows=20,
        differing=1,
        differing_integers=2,
        near=1,
        allowed="1/1000",
        labels=tuple(LabelCount(label, 7, 7, 6) for label in RATES.labels),
    )
    return [
        Opening.of(network(LOANS, (2, 2), 14), LOANS, blinding=5).secret(),
        Opening.of(network(RATES, (2,), 13), RATES, blinding=7, compared=compared).secret(),
    ]


def _guardrails() -> list[bytes]:
    """Make a guardrail with a condition on every feature, and one without rules."""
    rule = tuple(
        Condition(one.name, values=one.domain[:1]) if one.domain else Condition(one.name, least="1", most="2.5")
        for one in LOANS.plain_features
    )
    mark = FORMAT, VERSION, "", field.to_hex(LOANS.digest), "refer"
    return [GuardrailFile(*mark, rules, "5a" * 32).to_bytes() for rules in ((rule,), ())]


def _networks() -> list[bytes]:
    """Make a network file, and a zip archive that holds none."""
    rng = np.random.default_rng(0)
    small = Network((rng.normal(size=(2, 3)), rng.normal(size=(1, 2))), (np.zeros(2), np.zeros(1)))
    other = io.BytesIO()
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("W0.npy", b"\x93NUMPY\x01\x00")
    return [small.to_bytes(), other.getvalue()]


def _foreign(path: Path) -> Any:
    """Read a model that was made elsewhere and put its chain in order."""
    source = read_model(path)
    try:
        return layers_of(source.steps, source.inputs)
    except ModelImportError as error:
        raise ModelImportError(f"{path}: {error}") from None


def _archives() -> list[bytes]:
    """Make foreign networks of either kind of floats, one that names its columns."""
    streams = [io.BytesIO(), io.BytesIO()]
    np.savez(streams[0], **weights((3, 2, 1)))
    np.savez_compressed(streams[1], **weights((3, 1), kind=np.float64), columns=np.array(["a", "b", "c"]))
    return [stream.getvalue() for stream in streams]


def _graphs() -> list[bytes]:
    """Make an ONNX graph of two layers, and one of arithmetic."""
    nodes = [
        node("Sub", ("x", "b0"), "d"), node("MatMul", ("d", "W0"), "z"), node("Relu", ("z",), "h"),
        node("Constant", (), "k", value_float=0.5), node("Mul", ("h", "k"), "m"), node("MatMul", ("m", "W0"), "y"),
    ]  # fmt: skip
    return [graph(weights((5, 3, 1))), model(nodes, weights((5, 5)))]


def _results() -> list[bytes]:
    """Take the pinned results, with a point of every verdict."""
    return [path.read_bytes() for path in sorted((ROOT / "tests" / "golden").glob("results*.json"))]


def _audits() -> list[bytes]:
    """Make a run with a report and an audit without one."""
    one = report()
    failures = (Failure("prof", "not applicable", "needs labels"),)
    return [AuditRun(model=one.model, reports=(one,), failures=failures).to_json().encode()]


def _journal(path: Path) -> Any:
    """Open a file to resume from, as the run of the pinned results would."""
    with Journal(path, Header.of(network(LOANS, (2,), 13), LOANS, Limits())) as journal:
        return journal.points


def _journals() -> list[bytes]:
    """Make a file with three finished points, one of them torn."""
    points = Results.from_json(_results()[0]).points
    lines: list[Any] = [Header.of(network(LOANS, (2,), 13), LOANS, Limits())]
    lines += [Entry((1024, 1, row), point) for row, point in enumerate(points)]
    return [b"\n".join(map(msgspec.json.encode, lines)), b""]


_RUN = RunHeader(
    format=MANIFEST[0], version=MANIFEST[1], model_commitment="00", spec_digest="00", key="00", applicants="00", rows=2,
    context={"policy": "x"}, max_seconds=1.5, disclose=False, bundles=True, letter=None,
)  # fmt: skip


def _proofs(path: Path) -> Any:
    """Open the manifest of a run to go on from."""
    with RunManifest(path, _RUN) as manifest:
        return manifest.entries


def _manifests_of_runs() -> list[bytes]:
    """Make a manifest of a fair row and an unfair one, and an empty one."""
    cases = ({"sensitive": {"sex": "f"}, "label": None, "logits": [0.5], "integer_logits": ["1"]},)
    entries = (
        RunEntry(row=1, name="1", verdict="fair", finished="now", radius="0.5", files={"1.equiproof": "00"}),
        RunEntry(row=2, name="2", verdict="unfair", finished="now", cases=cases),
    )
    return [b"\n".join(map(canonical_bytes, (_RUN, *entries))) + b"\n", b""]


_SETTING = {"jobs": Option("jobs"), "bundles": Option("bundles", switch=True), "out": Option("out", path=True)}
_SETTINGS = (
    b'[paths]\nopening = "a.json"\n[prove]\njobs = 2\nbundles = true\nout = "b"\n',
    b'[audit.run]\noption = ["a.b=1"]\n',
)


def _settings(path: Path) -> Any:
    """Read a file of settings, and take its defaults for one command."""
    several = {"option": Option("option", several=True)}
    settings = Settings.read(path, {"prove": _SETTING, "audit run": several})
    return None if settings is None else settings.defaults("prove", _SETTING, ())


def _domains(data: bytes, path: Path) -> Any:
    """Read declared domains with labels."""
    return read_domain(data, str(path), labels=("no", "yes"))


_DECLARED = [
    json.dumps({"loans": {"order": ["age", "sex"], "ranges": {"age": [18, 60.5], "sex": [0, 1]},
                          "codes": {"sex": ["f", "m"]}, "protected": ["sex"]}}).encode(),
    b'{"a": {"order": ["n", "s"], "ranges": {"n": [-1e2, 1E3], "s": [0, 4]}, "protected": ["s"], "label": "x"}}',
]  # fmt: skip


def _points(read: Callable[[bytes], Any]) -> Callable[[bytes, Path], Any]:
    """Give a reader of points the name of the file: its errors name the point."""

    def named(data: bytes, path: Path) -> Any:
        try:
            return read(data)
        except MalformedInputError as error:
            raise MalformedInputError(f"{path}: {error}", error.reason) from None

    return named


def _bundle(data: bytes, path: Path) -> Any:
    """Read a bundle and everything in it."""
    return of_bundle(parse_bundle(data, str(path)), str(path))


def _bundles() -> list[bytes]:
    """Take two honest bundles, and every archive that is none."""
    hostile = [read(path).data() for path in bundle_paths() if path.parent.name == "malformed"]
    return [bundle_base("loans"), bundle_base("ceremony"), *hostile]


def _bundled() -> list[tuple[str, bytes]]:
    """Take the files of a bundle, but for its manifest."""
    return parse_bundle(bundle_base("loans"), "bundle").files()


def _manifests() -> list[bytes]:
    """Take the manifest of a bundle: mutations of a whole one seldom reach it."""
    return [entries(bundle_base("loans"), "bundle")[0][1]]


def _lines(data: bytes, path: Path) -> Any:
    """Verify a file of certificates up to their proofs: a line that is none is a result, not an error."""
    path.write_bytes(data)
    return [many.before_proof(_demands(), entry) for chunk in many.Source(path).chunks() for entry in chunk.entries]


@cache
def _demands() -> many.Demands:
    """Return what the published certificate is verified with."""
    commitment = parse_commitment((GOLDEN / "commitment.json").read_bytes(), "commitment.json")
    return many.Demands(commitment, TrustStore.open(GOLDEN / "keys"), MinRadius("0.1"))


def _certificates() -> list[bytes]:
    """Join certificates and what is none, line by line."""
    certificate = (GOLDEN / "certificate.json").read_bytes()
    return [b"\n".join([certificate, b"", b"{}", certificate]), b"\n"]


def _note(data: bytes, path: Path) -> Any:
    """Read a signed note, whose errors name no file."""
    try:
        return parse_note(data)
    except NoteError as error:
        raise NoteError(f"{path}: {error}") from None


def _log_proof(data: bytes, path: Path) -> Any:
    """Judge a log proof by pinned keys; empty bytes stand for none, which names no file."""
    pins = LogPins(LOG.verifier, (ANNA.verifier, BEN.verifier), 1)
    return standing(data or b"\n", pins, NOON, str(path))


def _contribution(data: bytes, path: Path) -> Any:
    """Verify bytes as the first step of a small phase 1."""
    with naming(path):
        PowersRounds(POWER).verify(None, data)


def _alone(kind: str) -> Callable[[], list[bytes]]:
    """Make the files of a sub-circuit: a proof with no proof in it, and the values behind its digest."""

    def seeds() -> list[bytes]:
        circuit = subcircuit("minimum", traversal_shape(LOANS, (2, 2), 8))
        wires = {"blinding": [5], "radius_squared": [3], "radii": [3, 4]}
        proof = subcircuits.SubProofDocument(*subcircuits.PROOF, circuit, "0" * 64, "0" * 64, "AAAA")
        return [canonical_bytes({"proof": proof, "instance": subcircuits.instance(circuit, wires)}[kind])]

    return seeds


_ROWS = [
    json.dumps([{"income": 3000, "housing": "own"}, {"income": "1.5", "housing": "rent"}]).encode(),
    b'{"income": 1e3, "housing": "own"}',
]
_TABLE = [b"income,housing\n3000,own\n1.5,rent\n", b'\xef\xbb\xbfincome,housing\r\n"3,000","own"\r\n']
_CONTEXTS = [canonical_bytes({"nonce": "0123456789abcdef", "date": "2026-01-31"}), b"{}"]

_DOCUMENTS = (CertificateFormatError, DocumentError)
PARSERS = {
    "settings": Parser(_filed(_settings), (SettingsError,), lambda: list(_SETTINGS)),
    "counted-manifest": Parser(_filed(inventory.counted), (DocumentError,), _manifests_of_runs),
    "bundle": Parser(_bundle, _DOCUMENTS, _bundles),
    "bundle-manifest": Parser(
        lambda data, path: _bundle(archived([(MANIFEST_FILE, data), *_bundled()]), path), _DOCUMENTS, _manifests
    ),
    "package": Parser(_named(parse_package), _DOCUMENTS, lambda: [packages.package().to_bytes()]),
    "package-manifest": Parser(
        lambda data, path: parse_package(archived([(PACKAGE_FILE, data), *packages.package().files()]), str(path)),
        _DOCUMENTS,
        lambda: [entries(packages.package().to_bytes(), "package")[0][1]],
    ),
    "package-report": Parser(_named(parse_report), _DOCUMENTS, lambda: [packages.reported()]),
    "certificate": Parser(_named(parse_certificate), _DOCUMENTS, _golden("certificate.json")),
    "gain": Parser(_named(parse_gain), _DOCUMENTS, _gains),
    "box": Parser(_named(parse_box), _DOCUMENTS, lambda: _boxes("box.json")),
    "wishes": Parser(_named(parse_wishes), _DOCUMENTS, lambda: [WISHES]),
    "opened-box": Parser(_named(parse_opened_box), _DOCUMENTS, lambda: _boxes("opened.json")),
    "certificates": Parser(_lines, _DOCUMENTS, _certificates),
    "commitment": Parser(_named(parse_commitment), _DOCUMENTS, _golden("commitment.json")),
    "query": Parser(_named(parse_query), _DOCUMENTS, _golden("query.json")),
    "key": Parser(_named(parse_key), _DOCUMENTS, _golden("keys/*/key.json")),
    "proof": Parser(
        _points(lambda data: read_parts(data, pairing._proof_parts(1), "proof")),
        (MalformedInputError,),
        lambda: [bytes.fromhex(proof_base(name)["proof"]) for name in ("published", "known")],
    ),
    "plonk-proof": Parser(
        _points(lambda data: read_parts(data, plonk._PROOF, "proof")),
        (MalformedInputError,),
        lambda: [bytes.fromhex(proof_base("plonk")["proof"])],
    ),
    "plonk-verifying-key": Parser(
        _points(plonk._read_key), (MalformedInputError,), lambda: [bytes.fromhex(proof_base("plonk")["key"])]
    ),
    "verifying-key": Parser(_points(pairing.read_key), (MalformedInputError,), _golden("keys/*/verifying.key")),
    "context": Parser(_named(parse_context), _DOCUMENTS, lambda: _CONTEXTS),
    "export": Parser(_named(parse_export), _DOCUMENTS, lambda: list(exported.EXPORTS.values())),
    "export-statement": Parser(
        lambda data, path: parse_export(exported.envelope(data), str(path)),
        _DOCUMENTS,
        lambda: [exported.spelled(exported.STATEMENT)],
    ),
    "export-credential": Parser(
        lambda data, path: parse_export(exported.token(credential=data), str(path)),
        _DOCUMENTS,
        lambda: [exported.spelled(exported.CREDENTIAL)],
    ),
    "guardrail": Parser(
        lambda data, path: parse_guardrail(data, str(path), LOANS), (DocumentError, GuardrailError), _guardrails
    ),
    "spec": Parser(_named(parse_spec), _DOCUMENTS, lambda: [canonical_bytes(LOANS), canonical_bytes(RATES)]),
    "opening": Parser(_named(parse_opening), (OpeningError,), _openings),
    "circuit-proof": Parser(_named(subcircuits.parse_proof), _DOCUMENTS, _alone("proof")),
    "circuit-instance": Parser(_named(subcircuits.parse_instance), _DOCUMENTS, _alone("instance")),
    "ceremony": Parser(_named(parse_ceremony), _DOCUMENTS, ceremonies.ceremony_files),
    "ceremony-step": Parser(
        lambda data, path: parse_step(data, str(path), ceremonies.LENGTH),
        (CertificateFormatError, TranscriptError),
        ceremonies.steps,
    ),
    "ceremony-contribution": Parser(_contribution, (CertificateFormatError, TranscriptError), ceremonies.contributions),
    "ceremony-beacon": Parser(_named(parse_beacon), _DOCUMENTS, ceremonies.beacons),
    "powers": Parser(_named(parse_powers), _DOCUMENTS, ceremonies.powers_files),
    "note": Parser(_note, (NoteError,), ceremonies.notes),
    "log-proof": Parser(_log_proof, (CertificateFormatError, PolicyError), lambda: [log.GOOD.data]),
    "entry": Parser(_named(parse_entry), _DOCUMENTS, lambda: [entry.data for entry in log.ENTRIES]),
    "receipt": Parser(_named(parse_receipt), _DOCUMENTS, lambda: [canonical_bytes(log.RECEIVED)]),
    "signers": Parser(
        lambda data, path: parse_keys(data.decode("utf-8", "replace"), str(path)), (NoteError,), ceremonies.signer_lists
    ),
    "monitor": Parser(_named(parse_state), _DOCUMENTS, logs.monitor_states),
    "witness": Parser(_named(parse_witness_state), _DOCUMENTS, logs.witness_states),
    **{name: Parser(_named(parse), _DOCUMENTS, seeds) for name, (parse, seeds) in lots.PARSERS.items()},
    "network": Parser(_filed(Network.load), (NetworkError,), _networks),
    "model-npz": Parser(_filed(_foreign), (ModelImportError,), _archives),
    **{name: Parser(_filed(read_ensemble), (ModelImportError,), seeds) for name, (_, seeds) in ensembles.FILES.items()},
    "score": Parser(_named(Score.parse), _DOCUMENTS, ensembles.scores),
    "model-onnx": Parser(_filed(_foreign), (ModelImportError,), _graphs),
    "domains": Parser(_domains, (ModelImportError,), lambda: _DECLARED),
    "results": Parser(_named(Results.from_json), (RunError,), _results),
    "audit": Parser(_named(AuditReport.from_json), (AuditError,), lambda: [report().to_json().encode()]),
    "audits": Parser(_named(AuditRun.from_json), (AuditError,), _audits),
    "run": Parser(_filed(_journal), (RunError,), _journals),
    "proofs": Parser(_filed(_proofs), (RunError,), _manifests_of_runs),
    "rows-json": Parser(_filed(read_rows), (RowsError,), lambda: _ROWS),
    "rows-csv": Parser(_filed(read_rows), (RowsError,), lambda: _TABLE),
}
"""The parsers by the name of their folder under corpus."""

SUFFIX = {"network": ".npz", "model-npz": ".npz", "model-onnx": ".onnx", "rows-csv": ".csv"}
SUFFIX |= {name: suffix for name, (suffix, _) in ensembles.FILES.items()}
"""How a file must be called to be read by the parser; .json otherwise."""
