"""What vectors of bundles are written with: base bundles, archives that differ from them, and vectors by verdict."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from equiproof.circuits.canonical import canonical_bytes
from equiproof.verifier import parse_certificate
from equiproof.verifier.errors import Reason
from equiproof.verifier.logged import ForReceipt
from equiproof.verifier.policy import ForContext, ForQuery, KeyIs, ModelIs, SetupIs
from equiproof.verifier.transcripts import SignedBy, TranscriptIs
from tests.prover.ceremony.parties import ANNA, BEN, CAROL
from tests.support import changed
from tests.vectors.generate import bundle_recourse
from tests.vectors.generate.archives import Archive, Entry, splices
from tests.vectors.generate.cases import KNOWN, LOANS, edited, restated
from tests.vectors.generate.transcripts import ceremonys_key, note_of
from tests.vectors.vector import (
    CERTIFICATE,
    COMMITMENT,
    CONTEXT,
    KEY,
    QUERY,
    VERIFYING,
    BundleVector,
    Pinned,
    certificate_base,
)

Named = Iterator[tuple[str, BundleVector]]
Files = dict[str, bytes]

OWN, PUBLIC, CEREMONY, FORGED, PLONK = "loans", "loans-public", "ceremony", "forged", "loans-plonk"
RECOURSE = "recourse"
MANIFEST, METADATA, VERIFYING_KEY, NOTE = (
    "manifest.json", "key/metadata.json", "key/verifying.key", "key/signatures.note",
)  # fmt: skip
LOG_PROOF = "certificate.tlog-proof"
ROLES = {
    CERTIFICATE: "certificate",
    COMMITMENT: "commitment",
    METADATA: "key",
    VERIFYING_KEY: "verifying-key",
    NOTE: "signatures",
    QUERY: "query",
    CONTEXT: "context",
    LOG_PROOF: "log-proof",
    "receipt.json": "receipt",
    "receipt.tlog-proof": "receipt-proof",
    "README-LIESMICH.txt": "readme",
    "recourse/key/metadata.json": "box-key",
    "recourse/key/verifying.key": "box-verifying-key",
    "recourse/key/signatures.note": "box-signatures",
    "recourse/wishes.json": "wishes",
    "recourse/none/certificate.json": "none",
    "recourse/none/opened.json": "none-box",
    "recourse/way-1/certificate.json": "way-1",
    "recourse/way-1/opened.json": "way-1-box",
    "recourse/way-2/certificate.json": "way-2",
    "recourse/way-2/opened.json": "way-2-box",
}
"""The names of files in a bundle with their roles, in their order; of ways the first two."""

NOBODYS, BOTH = Pinned(commitment=False, key=False), Pinned(commitment=True, key=True)
SIGNERS = tuple(signer.verifier.text for signer in (ANNA, BEN, CAROL))
REFUSED = {
    Reason.KEY_NOT_TRUSTED: "UntrustedKeyError", Reason.NO_TRANSCRIPT: "UntrustedKeyError",
    **dict.fromkeys((kind.reason for kind in (ForQuery, ForContext, ForReceipt, ModelIs, KeyIs, SetupIs, TranscriptIs,
                                              SignedBy)), "PolicyError"),
}  # fmt: skip
"""The exception of a reason; ProofError of every other."""


def files_of(base: str) -> Files:
    """Return the files of a published certificate by their names in a bundle, but for the applicant's."""
    files = certificate_base(base)
    names = {CERTIFICATE: CERTIFICATE, COMMITMENT: COMMITMENT, KEY: METADATA, VERIFYING: VERIFYING_KEY}
    return {name: files[file] for file, name in names.items()}


@cache
def base_files(base: str) -> Files:
    """Return the files of a base bundle."""
    if base == OWN:
        files = certificate_base(LOANS)
        return files_of(LOANS) | {QUERY: files[QUERY], CONTEXT: canonical_bytes(json.loads(files[CONTEXT]))}
    if base == PUBLIC:
        return files_of(LOANS)
    if base == CEREMONY:
        key = ceremonys_key()
        whole = edited(CERTIFICATE, "key", {"fingerprint": key.fingerprint, "setup": "ceremony"})
        note = note_of(key, BEN, ANNA).encode()
        return files_of(LOANS) | {CERTIFICATE: canonical_bytes(whole), METADATA: canonical_bytes(key), NOTE: note}
    if base == RECOURSE:
        return bundle_recourse.base()
    return forged_files() if base == FORGED else files_of(base)


def forged_files() -> Files:
    """Return what a forger makes alone: a key that names honest people, and four times the squared radius."""
    verifying = KNOWN.key()
    key = changed(ceremonys_key(), verifying_key=hashlib.sha256(verifying).hexdigest())
    stated = restated(radius_squared=4 * edited(CERTIFICATE, "version", 2)["statement"]["radius_squared"])
    stated |= {"key": {"fingerprint": key.fingerprint, "setup": "ceremony"}}
    statement = parse_certificate(canonical_bytes(stated), CERTIFICATE).to_statement()
    proof = KNOWN.forge(statement.digest(key.shape)).data()
    forged = changed(parse_certificate(canonical_bytes(stated), CERTIFICATE), proof=base64.b64encode(proof).decode())
    return {
        CERTIFICATE: forged.to_bytes(),
        COMMITMENT: certificate_base(LOANS)[COMMITMENT],
        METADATA: canonical_bytes(key),
        VERIFYING_KEY: verifying,
    }


def manifest_of(files: Files) -> dict[str, Any]:
    """Return the true manifest of files."""
    listed = [
        {"name": name, "role": ROLES.get(name, "certificate"), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in files.items()
    ]
    return {"files": listed, "format": "equiproof-bundle", "version": 2}


def archive_of(files: Files, manifest: bytes | None = None) -> Archive:
    """Return the archive of files, with their true manifest unless another is given."""
    first = canonical_bytes(manifest_of(files)) if manifest is None else manifest
    return Archive(tuple(Entry(name.encode(), data) for name, data in ({MANIFEST: first} | files).items()))


def with_files(base: str, **files: bytes | None) -> Archive:
    """Return the archive of a base with files replaced, added in their place or, with None, dropped; named by role."""
    names = {role.replace("-", "_"): name for name, role in ROLES.items()}
    whole = base_files(base) | {names[role]: data for role, data in files.items()}
    return archive_of({name: data for name in ROLES if (data := whole.get(name)) is not None})


def bases() -> Files:
    """Return the bytes of every base."""
    names = (OWN, PUBLIC, CEREMONY, FORGED, PLONK, RECOURSE)
    return {name: b"".join(archive_of(base_files(name)).segments()) for name in names}


def case(
    verdict: Any,
    what: str,
    why: str,
    reason: str | None = None,
    field: str | None = None,
    base: str = OWN,
    archive: Archive | None = None,
    **more: Any,
) -> BundleVector:
    """Return a vector of a base, or of the archive that differs from it."""
    exceptions = {"accept": None, "malformed": "CertificateFormatError"}
    old = archive_of(base_files(base)).segments()
    new = old if archive is None else archive.segments()
    if verdict == "accept":
        more = {"pinned": NOBODYS} | more
    return BundleVector(
        what=what,
        why=why,
        verdict=verdict,
        exception=exceptions[verdict] if verdict in exceptions else REFUSED.get(reason or "", "ProofError"),
        reason=None if reason is None else str(reason),
        field=field,
        base=base,
        splices=splices(old, new),
        **more,
    )
