"""Certificates of kept models with their links, honest and changed ones, and what Python says of each.

The proofs are made under set-ups whose secrets are known, so that what a verifier recomputes decides and not the proof;
but for those of the base `published`, which a real set-up made.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import msgspec

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.field import ORDER, to_hex
from equiproof.circuits.kept import key_element, link_statement
from equiproof.circuits.link_shape import LinkShape, link_shape
from equiproof.circuits.shape import Shape, kept_shape
from equiproof.circuits.tables import speaking
from equiproof.verifier import (
    AllOf,
    CertificateFormatError,
    ForContext,
    ForQuery,
    GainVerifier,
    KeyIs,
    LinkKeyIs,
    LinkTranscriptIs,
    MinRadius,
    SetupIs,
    SignedBy,
    TranscriptIs,
    TrustStore,
    VerificationError,
    Verifier,
    parse_commitment,
    parse_context,
    parse_gain,
    parse_query,
)
from equiproof.verifier.archive import archived
from equiproof.verifier.bundle import PARTS, Bundle, FileReference, Manifest
from equiproof.verifier.certificate import parse_certificate
from equiproof.verifier.documents import KEY_TAG, parse_key, parse_link_key
from equiproof.verifier.facts import Pins
from equiproof.verifier.link import LINK, parse_link
from equiproof.verifier.presented import present
from equiproof.verifier.programs import Choice
from equiproof.verifier.trust import TrustedKey, TrustedLinkKey
from tests.support import no_policy
from tests.trapdoor import KeptTrapdoor, g1, hashed
from tests.vectors.generate.cases import KNOWN
from tests.vectors.vector import CERTIFICATE, COMMITMENT, CONTEXT, GAIN, GOLDEN, QUERY, Policy
from tests.vectors.vector import KEY as GOLDEN_KEY

KEY, VERIFYING, SIGNATURES = "key.json", "verifying.key", "signatures.note"
LINK_FILE, LINK_KEY, LINK_VERIFYING, LINK_SIGNATURES = (
    "link.json", "link-key.json", "link-verifying.key", "link-signatures.note",
)  # fmt: skip
"""The names of the files of a case, beside those of certificate, commitment, query and context."""

BINARY = (VERIFYING, LINK_VERIFYING)
KEPT = KeptTrapdoor()
SHOWN, FIRST = 5, 13
"""What the honest link shows, and the logarithm of its point."""


@dataclass(frozen=True)
class LinkedCase:
    """Files of a verification by name, what the relying party demands, and whether commitment and keys are theirs."""

    files: dict[str, bytes] = field(repr=False)
    base: str
    policy: Policy = field(default_factory=Policy)
    pinned: tuple[bool, bool] = (True, True)
    reason: str | None = None

    def but(self, reason: str | None = None, **changes: Any) -> LinkedCase:
        """Return the case with other fields; it is refused for a reason, or accepted without one."""
        return replace(self, reason=reason, **changes)

    def with_files(self, reason: str | None, files: dict[str, bytes | None]) -> LinkedCase:
        """Return the case with other files; None drops one."""
        whole = {name: data for name, data in (self.files | files).items() if data is not None}
        return self.but(reason, files=whole)


@dataclass(frozen=True)
class Made:
    """How files are made: of each document, the fields that are not the honest one's, put in before the proofs.

    `golden` is the published certificate that is restated, `first` and `second` are logarithms of a proof's
    commitments, `proves` is what the certificate's digest is taken with, where this is not `shown`. `about` are the
    parts of the link's digest that are not those of its file.
    """

    golden: str = "loans-branch"
    stated: dict[str, Any] = field(default_factory=dict)
    shown: int | None = SHOWN
    proves: int | None = None
    first: int = FIRST
    second: int = 14
    kept: KeptTrapdoor = KEPT
    verifying: bytes | None = None
    shape: Shape | None = None
    key: dict[str, Any] = field(default_factory=dict)
    link: dict[str, Any] = field(default_factory=dict)
    link_first: int = FIRST
    link_shown: int = SHOWN
    about: dict[str, int] = field(default_factory=dict)
    link_shape: LinkShape | None = None
    link_key: dict[str, Any] = field(default_factory=dict)
    link_verifying: bytes | None = None

    @property
    def own_shape(self) -> Shape:
        """The shape of the key for certificates, which the statement's digest is taken with."""
        if self.shape is not None:
            return self.shape
        return kept_shape(parse_key((GOLDEN / self.golden / GOLDEN_KEY).read_bytes(), KEY).shape)

    def files(self) -> dict[str, bytes]:
        """Return all files by name."""
        folder, shape = GOLDEN / self.golden, self.own_shape
        name = GAIN if shape.gains else CERTIFICATE
        verifying = self.kept.key() if self.verifying is None else self.verifying
        key = _metadata(shape, verifying) | self.key
        whole = json.loads((folder / name).read_bytes())
        whole["statement"] |= self.stated | ({} if self.shown is None else {"shown": to_hex(self.shown)})
        whole["key"] = {"fingerprint": fingerprint_of(key), "setup": key["setup"]}
        digest = _digest(name, whole, shape, self.shown if self.proves is None else self.proves)
        whole["proof"] = base64.b64encode(self.kept.forge(digest, self.first, self.second)).decode()
        return {
            name: canonical_bytes(whole),
            **{other: (folder / other).read_bytes() for other in (COMMITMENT, QUERY, CONTEXT)},
            KEY: canonical_bytes(key),
            VERIFYING: verifying,
            **self.of_link(whole["statement"], shape, fingerprint_of(key)),
        }

    def of_link(self, stated: dict[str, Any], shape: Shape, certificate_key: str) -> dict[str, bytes]:
        """Return the link and its key."""
        links = link_shape(shape) if self.link_shape is None else self.link_shape
        verifying = KNOWN.key() if self.link_verifying is None else self.link_verifying
        key = _metadata(links, verifying) | self.link_key
        link = {
            "format": LINK[0],
            "version": LINK[1],
            "model_commitment": stated["model_commitment"],
            "spec_digest": stated["spec_digest"],
            "key": certificate_key,
            "point": g1(self.link_first).hex(),
            "shown": to_hex(self.link_shown),
            "link_key": {"fingerprint": fingerprint_of(key), "setup": key["setup"]},
            "proof_system": "groth16-bn254",
        } | self.link
        about = {
            "commitment": int(link["model_commitment"], 16),
            "spec_digest": int(link["spec_digest"], 16),
            "key": key_element(link["key"]),
            "r": hashed(self.link_first),
            "shown": int(link["shown"], 16) % ORDER,
        } | self.about
        proof = KNOWN.forge(link_statement(links, **about)).data()
        return {
            LINK_FILE: canonical_bytes({"proof": base64.b64encode(proof).decode()} | link),
            LINK_KEY: canonical_bytes(key),
            LINK_VERIFYING: verifying,
        }


def _metadata(shape: Shape | LinkShape, verifying: bytes) -> dict[str, Any]:
    """Return the metadata of a key of a shape."""
    return {
        "constraints": 4000,
        "format": "equiproof-key",
        "proof_system": "groth16-bn254",
        "proving_key": "1" * 64,
        "setup": "single-party",
        "shape": json.loads(shape.document),
        "system_digest": "2" * 64,
        "tools": {"equiproof": "0.1.0"},
        "verifying_key": hashlib.sha256(verifying).hexdigest(),
        "version": 2,
    }


def fingerprint_of(metadata: dict[str, Any]) -> str:
    """Return the fingerprint of metadata, right or wrong."""
    return hashlib.sha256(KEY_TAG + canonical_bytes(metadata)).hexdigest()


def _digest(name: str, whole: dict[str, Any], shape: Shape, shown: int | None) -> int:
    """Return the digest of what a certificate states, taken with what is shown; without it, of the other form."""
    stated = {field: value for field, value in whole["statement"].items() if field != "shown"}
    # A parser compares the length of the proof with the form, so that what is parsed is the ordinary form.
    plain = canonical_bytes(whole | {"statement": stated, "proof": base64.b64encode(bytes(196)).decode()})
    statement = (parse_gain if name == GAIN else parse_certificate)(plain, name).to_statement()
    if shown is None:
        return statement.digest(shape.self_contained)
    return replace(statement, shown=shown % ORDER).digest(shape)


@cache
def honest(golden: str = "loans-branch") -> LinkedCase:
    """Return the kept form of a published certificate with its link."""
    return LinkedCase(Made(golden).files(), golden)


def made(reason: str | None = None, **changes: Any) -> LinkedCase:
    """Return a case with files that are made otherwise."""
    how = Made(**changes)
    return LinkedCase(how.files(), how.golden, reason=reason)


@cache
def published() -> LinkedCase:
    """Return the kept certificate that was published, with keys of a real set-up."""
    folder = GOLDEN / "loans-kept"
    files = {name: (folder / name).read_bytes() for name in (CERTIFICATE, COMMITMENT, QUERY, CONTEXT, LINK_FILE)}
    files |= {name: (folder / "keys" / "key" / name).read_bytes() for name in (KEY, VERIFYING)}
    files |= {LINK_KEY: (folder / "keys" / "link" / LINK_KEY).read_bytes()}
    return LinkedCase(files | {LINK_VERIFYING: (folder / "keys" / "link" / VERIFYING).read_bytes()}, "published")


@cache
def ordinary() -> LinkedCase:
    """Return a published certificate whose model is not kept, and which comes without a link."""
    folder = GOLDEN / "loans-branch"
    files = {name: (folder / name).read_bytes() for name in (CERTIFICATE, COMMITMENT, QUERY, CONTEXT)}
    key = (folder / GOLDEN_KEY).parent
    return LinkedCase(files | {name: (key / name).read_bytes() for name in (KEY, VERIFYING)}, "loans-branch")


def edited(case: LinkedCase, file: str, **fields: Any) -> bytes:
    """Return a document of a case with other fields; of None, without it. `a__b` is field b of a."""
    whole = json.loads(case.files[file])
    for path, value in fields.items():
        *way, last = path.split("__")
        place = whole
        for step in way:
            place = place[step]
        if value is None:
            del place[last]
        else:
            place[last] = value
    return canonical_bytes(whole)


def policy_of(case: LinkedCase) -> Any:
    """Return the policy of a case."""
    said, files = case.policy, case.files
    demands = [
        *([ForQuery(parse_query(files[QUERY], QUERY))] if said.query else []),
        *([ForContext(parse_context(files[CONTEXT], CONTEXT))] if said.context else []),
        *([MinRadius(said.min_radius)] if said.min_radius else []),
        *([SetupIs(said.setup)] if said.setup else []),
        *([KeyIs(said.key)] if said.key else []),
        *([LinkKeyIs(said.link_key)] if said.link_key else []),
        *([TranscriptIs(said.transcript)] if said.transcript else []),
        *([LinkTranscriptIs(said.link_transcript)] if said.link_transcript else []),
        *([SignedBy(*said.signed_by)] if said.signed_by else []),
    ]
    return AllOf(*demands) if demands else no_policy()


def judged(case: LinkedCase, checker: Choice = "native", language: str = "en") -> dict[str, Any]:
    """Return what Python says of a case: what was verified, or the exception, its reason and its line."""
    try:
        with speaking(language):
            found = _verified(case, checker)
            sentence = found.document()["statement"]
    except (CertificateFormatError, VerificationError) as error:
        return {"exception": type(error).__name__, "reason": str(error.reason), "message": str(error)}
    said = {"identity": found.identity, "sentence": sentence}
    return {"value": said | {"made": list(found.made), "notMade": list(found.not_made)}}


def _verified(case: LinkedCase, checker: Choice) -> Any:
    """Verify a case."""
    files, gain = case.files, GAIN in case.files
    certificate = (parse_gain if gain else parse_certificate)(files[GAIN if gain else CERTIFICATE], "certificate")
    commitment = parse_commitment(files[COMMITMENT], COMMITMENT)
    link = parse_link(files[LINK_FILE], LINK_FILE) if LINK_FILE in files else None
    key = TrustedKey.of(parse_key(files[KEY], KEY), files[VERIFYING], files.get(SIGNATURES, b""), VERIFYING, KEY)
    links = []
    if LINK_KEY in files:
        metadata = parse_link_key(files[LINK_KEY], LINK_KEY)
        note = files.get(LINK_SIGNATURES, b"")
        links = [TrustedLinkKey.of(metadata, files[LINK_VERIFYING], note, LINK_VERIFYING, LINK_KEY)]
    keys = TrustStore([key], links)
    if gain:
        return GainVerifier(commitment, keys, checker, link).verify(certificate, policy_of(case))
    return Verifier(commitment, keys, checker, Pins(*case.pinned), link).verify(certificate, policy_of(case))


def asked(case: LinkedCase, language: str = "en") -> dict[str, Any]:
    """Return a case as other programs are asked: its files in hexadecimal, what is demanded, and what is pinned."""
    files = {name: data.hex() for name, data in case.files.items()}
    policy = msgspec.to_builtins(case.policy)
    return {"files": files, "policy": policy, "pinned": list(case.pinned), "language": language}


@cache
def kept_bundles() -> dict[str, bytes]:
    """Return bundles of the published certificate: with all of its link, without, and with another one's parts."""
    whole, gain = present(GOLDEN / "loans-kept").bundle(), honest("gain").files
    without: dict[str, Any] = dict.fromkeys(("link", "link_key", "link_verifying_key"))
    changes: dict[str, dict[str, Any]] = {
        "whole": {},
        "public": {"query": None, "context": None},
        "without": without,
        "without-key": {"link_key": None},
        "without-bytes": {"link_verifying_key": None},
        "signatures-alone": without | {"link_signatures": b"x"},
        "another-link": {"link": gain[LINK_FILE]},
        "another-key": {"link_key": gain[LINK_KEY], "link_verifying_key": gain[LINK_VERIFYING]},
        "other-bytes": {"link_verifying_key": whole.verifying_key},
        "malformed-link": {"link": b"{}"},
    }
    return {name: _bundled(replace(whole, **fields).files()) for name, fields in changes.items()}


def bundle_of(case: LinkedCase) -> bytes:
    """Return the files of a case as a public bundle."""
    files = case.files
    return Bundle(
        certificate=files[CERTIFICATE],
        commitment=files[COMMITMENT],
        key=files[KEY],
        verifying_key=files[VERIFYING],
        link=files[LINK_FILE],
        link_key=files[LINK_KEY],
        link_verifying_key=files[LINK_VERIFYING],
    ).to_bytes()


def _bundled(files: Sequence[tuple[str, bytes]]) -> bytes:
    """Return these files with a true manifest of theirs as one file."""
    roles = {part.name: part.role for part in PARTS}
    listed = [FileReference(roles[name], name, hashlib.sha256(data).hexdigest()) for name, data in files]
    return archived([("manifest.json", canonical_bytes(Manifest("equiproof-bundle", 2, tuple(listed)))), *files])
