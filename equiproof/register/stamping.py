"""Time stamps from an authority on the web (RFC 3161, section 3.4): it is asked about a digest, and sees no file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rfc3161_client import HashAlgorithm, TimestampRequestBuilder

from equiproof.circuits.tables import say
from equiproof.register.errors import LogError
from equiproof.register.wire import Wire
from equiproof.verifier.stamps import MAX_STAMP_BYTES, Stamp, check_stamp

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

_OK = 200


def _away(name: str, problem: str) -> str:
    return say("source.authority_away", log=name, problem=problem)


def ask_stamp(url: str, content: bytes, trusted: list[Certificate]) -> tuple[bytes, Stamp]:
    """Return an authority's answer about a file's bytes, checked as relying parties do, and what it says.

    Raises LogError for an authority that is away, slow or answers otherwise, and what `check_stamp` raises.
    """
    scheme, _, rest = url.partition("://")
    host, _, path = rest.partition("/")
    request = TimestampRequestBuilder(content, HashAlgorithm.SHA256).build()
    wire = Wire(f"{scheme}://{host}", away=_away)
    try:
        status, data = wire.ask("POST", path, MAX_STAMP_BYTES, request.as_bytes(), kind="application/timestamp-query")
    finally:
        wire.close()
    if status != _OK:
        raise LogError(say("source.server_answers", log=f"{scheme}://{host}", path=path[:100], status=status))
    return data, check_stamp(content, data, trusted, url[:100], request.nonce)
