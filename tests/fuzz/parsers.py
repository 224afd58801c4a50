"""Every parser of bytes from outside: what it reads, the errors it may answer with, and honest inputs to start from."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from equiproof.audits.errors import AuditError
from equiproof.audits.report import AuditReport
from equiproof.audits.runner import AuditRun, Failure
from equiproof.certify.data.rows import RowsError, read_rows
from equiproof.certify.errors import RunError
from equiproof.certify.many.journal import Entry, Header, Journal
from equiproof.certify.many.point import Limits
from equiproof.certify.many.results import Results
from equiproof.certify.models.importing import ModelImportError, read_domain, read_model
from equiproof.certify.models.importing.chain import layers_of
from equiproof.certify.models.network import Network
from equiproof.certify.network import NetworkError
from equiproof.circuits.canonical import DocumentError, canonical_bytes
from equiproof.circuits.shape import traversal_shape
from equiproof.circuits.spec import parse_spec
from equiproof.circuits.subcircuit import subcircuit
from equiproof.ffi.errors import MalformedInputError
from equiproof.prover import subcircuits
from equiproof.prover.ceremony.documents import parse_beacon, parse_ceremony, parse_powers
from equiproof.prover.ceremony.errors import TranscriptError, naming
from equiproof.prover.ceremony.rounds import PowersRounds
from equiproof.prover.ceremony.steps import parse_step
from equiproof.prover.opening import OpeningError, parse_opening
from equiproof.verifier import (
    CertificateFormatError,
    pairing,
    parse_certificate,
    parse_commitment,
    parse_context,
    parse_query,
    plonk,
)
from equiproof.verifier.documents import parse_key
from equiproof.verifier.notes import NoteError, parse_keys, parse_note
from equiproof.verifier.parts import read_parts
from tests.audits.made import report
from tests.certify.models.importing.graphs import model, node
from tests.certify.models.importing.graphs import network as graph
from tests.certify.models.importing.samples import weights
from tests.fuzz import ceremonies
from tests.prover.ceremony.parties import POWER
from tests.support import LOANS, RATES, ROOT, network
from tests.vectors.vector import proof_base

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


def _openings() -> list[bytes]:
    """Make two openings of fixed blinding."""
    from equiproof.prover import Opening

    return [
        Opening.of(network(LOANS, (2, 2), 14), LOANS, blinding=5).secret(),
        Opening.of(network(RATES, (2,), 13), RATES, blinding=7).secret(),
    ]


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


def _note(data: bytes, path: Path) -> Any:
    """Read a signed note, whose errors name no file."""
    try:
        return parse_note(data)
    except NoteError as error:
        raise NoteError(f"{path}: {error}") from None


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
    "certificate": Parser(_named(parse_certificate), _DOCUMENTS, _golden("certificate.json")),
    "commitment": Parser(_named(parse_commitment), _DOCUMENTS, _golden("commitment.json")),
    "query": Parser(_named(parse_query), _DOCUMENTS, _golden("query.json")),
    "key": Parser(_named(parse_key), _DOCUMENTS, _golden("keys/*/key.json")),
    "proof": Parser(
        _points(lambda data: read_parts(data, pairing._PROOF, "proof")),
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
    "verifying-key": Parser(_points(pairing._read_key), (MalformedInputError,), _golden("keys/*/verifying.key")),
    "context": Parser(_named(parse_context), _DOCUMENTS, lambda: _CONTEXTS),
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
    "signers": Parser(
        lambda data, path: parse_keys(data.decode("utf-8", "replace"), str(path)), (NoteError,), ceremonies.signer_lists
    ),
    "network": Parser(_filed(Network.load), (NetworkError,), _networks),
    "model-npz": Parser(_filed(_foreign), (ModelImportError,), _archives),
    "model-onnx": Parser(_filed(_foreign), (ModelImportError,), _graphs),
    "domains": Parser(_domains, (ModelImportError,), lambda: _DECLARED),
    "results": Parser(_named(Results.from_json), (RunError,), _results),
    "audit": Parser(_named(AuditReport.from_json), (AuditError,), lambda: [report().to_json().encode()]),
    "audits": Parser(_named(AuditRun.from_json), (AuditError,), _audits),
    "run": Parser(_filed(_journal), (RunError,), _journals),
    "rows-json": Parser(_filed(read_rows), (RowsError,), lambda: _ROWS),
    "rows-csv": Parser(_filed(read_rows), (RowsError,), lambda: _TABLE),
}
"""The parsers by the name of their folder under corpus."""

SUFFIX = {"network": ".npz", "model-npz": ".npz", "model-onnx": ".onnx", "rows-csv": ".csv"}
"""How a file must be called to be read by the parser; .json otherwise."""
