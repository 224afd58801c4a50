"""Every parser of bytes from outside: what it reads, the errors it may answer with, and honest inputs to start from."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from certify.model import Network
from certify.network import NetworkError
from circuits.canonical import DocumentError, canonical_bytes
from circuits.spec import parse_spec
from equiproof.rows import RowsError, read_rows
from prover.opening import OpeningError, parse_opening
from tests.support import LOANS, RATES, ROOT, network
from verifier import CertificateFormatError, parse_certificate, parse_commitment, parse_context, parse_query
from verifier.documents import parse_key

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
    from prover import Opening

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
    "context": Parser(_named(parse_context), _DOCUMENTS, lambda: _CONTEXTS),
    "spec": Parser(_named(parse_spec), _DOCUMENTS, lambda: [canonical_bytes(LOANS), canonical_bytes(RATES)]),
    "opening": Parser(_named(parse_opening), (OpeningError,), _openings),
    "network": Parser(_filed(Network.load), (NetworkError,), _networks),
    "rows-json": Parser(_filed(read_rows), (RowsError,), lambda: _ROWS),
    "rows-csv": Parser(_filed(read_rows), (RowsError,), lambda: _TABLE),
}
"""The parsers by the name of their folder under corpus."""

SUFFIX = {"network": ".npz", "rows-csv": ".csv"}
"""How a file must be called to be read by the parser; .json otherwise."""
