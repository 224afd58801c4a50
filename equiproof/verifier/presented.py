"""What came together: a certificate and its companions, from a bundle, a folder, or the files beside a certificate.

Companions are found by their kind, never by their name, and never by a guess: two files of one kind are an error that
names both. The key is the one that the certificate names by its fingerprint. Nothing that is found here is anybody's
word, so a verification lists it as not pinned.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import msgspec

from equiproof.circuits.canonical import MAX_DOCUMENT_BYTES, DocumentError, canonical_bytes, read_limited, read_regular
from equiproof.circuits.kinds import is_archive, is_context, kind_of
from equiproof.circuits.tables import in_language, say
from equiproof.verifier.box import BoxCertificate, parse_box
from equiproof.verifier.bundle import MAX_BUNDLE_BYTES, PARTS, README, SUFFIX, Answer, Bundle, parse_bundle
from equiproof.verifier.certificate import CERTIFICATE, Certificate, ProofFile, parse_certificate
from equiproof.verifier.combined import AllOf, each
from equiproof.verifier.documents import (
    COMMITMENT,
    KEY_FILE,
    KEY_TAG,
    LINK_KEY_FILE,
    QUERY,
    CommitmentDocument,
    QueryDocument,
    parse_commitment,
    parse_context,
    parse_key,
    parse_link_key,
    parse_query,
)
from equiproof.verifier.enclosed import Enclosed
from equiproof.verifier.errors import CertificateFormatError, Reason
from equiproof.verifier.facts import ABOUT_LOG, ABOUT_RECOURSE, Pins, Policy
from equiproof.verifier.link import LINK, LinkDocument, parse_link
from equiproof.verifier.logged import ForReceipt, Logged
from equiproof.verifier.opened_box import OPENED_BOX, OpenedBox, parse_opened_box
from equiproof.verifier.policy import ForContext, ForQuery
from equiproof.verifier.programs import Choice, known
from equiproof.verifier.receipt import RECEIPT, Receipt, parse_receipt
from equiproof.verifier.trust import TrustedKey, TrustedLinkKey, TrustStore
from equiproof.verifier.unproven import Unproven
from equiproof.verifier.verify import Verified, Verifier, proven
from equiproof.verifier.wishes import parse_wishes

MAX_FILES = 1000
"""The most documents of one folder that are looked through."""

_CONTEXT = "context"
_LOG_PROOF = ".tlog-proof"
"""What the name of a log proof ends with; before it stands that of the certificate, or of the receipt."""

_NAMES = {part.role: part.name for part in PARTS}
_KEY_NAMES = (KEY_FILE, Path(_NAMES["key"]).name)
_LINK_KEY_NAMES = (LINK_KEY_FILE, Path(_NAMES["link-key"]).name)

T = TypeVar("T")


@dataclass(frozen=True)
class Presented:
    """A certificate and what came with it; `own_receipt`: the receipt is the reader's own.

    `recourse` is what a refused applicant's own bundle has beside the refusal. `link` is that of a kept key, and
    `link_key` the key for links that it names.
    """

    certificate: Certificate
    commitment: CommitmentDocument | None = None
    key: TrustedKey | None = None
    query: QueryDocument | None = None
    context: Mapping[str, str] | None = None
    log_proof: bytes | None = None
    receipt: Receipt | None = None
    receipt_proof: bytes | None = None
    own_receipt: bool = False
    recourse: Enclosed | None = field(default=None, repr=False)
    link: LinkDocument | None = None
    link_key: TrustedLinkKey | None = None

    def verify(
        self,
        policy: Policy,
        commitment: CommitmentDocument | None = None,
        keys: TrustStore | None = None,
        checker: Choice = "auto",
    ) -> Verified:
        """Verify the certificate; `commitment` and `keys` are yours, and take the place of what came with it.

        What came with it of query and context must fit, and so must a recourse, whose proofs are checked too. Raises as
        :meth:`.verify.Verifier.verify`, and CertificateFormatError where neither you nor the sender has a commitment or
        a key.
        """
        (verdict,) = proven([self._before_proof(policy, commitment, keys)], known(checker))
        if not isinstance(verdict, Verified):
            raise verdict
        model = commitment or self.commitment
        if self.recourse is None or model is None:
            return verdict
        boxes = self.recourse.verify(self.certificate, model, verdict.pins, keys, checker)
        return replace(verdict, recourse=boxes)

    def before_proof(
        self, policy: Policy, commitment: CommitmentDocument | None = None, keys: TrustStore | None = None
    ) -> Unproven:
        """Take every step but the last, for :func:`.verify.proven`; raises as :meth:`verify`.

        A recourse is left out, and named among what is not checked.
        """
        unproven = self._before_proof(policy, commitment, keys)
        if self.recourse is None:
            return unproven
        return replace(unproven, not_made=(*unproven.not_made, in_language(ABOUT_RECOURSE)))

    def _before_proof(self, policy: Policy, commitment: CommitmentDocument | None, keys: TrustStore | None) -> Unproven:
        """Take every step but the last of the certificate itself."""
        model_document = commitment or self.commitment
        link_keys = [] if self.link_key is None else [self.link_key]
        store = keys or (TrustStore([self.key], link_keys) if self.key is not None else None)
        if model_document is None:
            raise CertificateFormatError(say("present.commitment_missing"), Reason.UNREADABLE)
        if store is None:
            fingerprint = self.certificate.key.fingerprint
            raise CertificateFormatError(say("present.key_missing", fingerprint=fingerprint[:16]), Reason.NO_KEYS)
        pins = Pins(commitment=commitment is not None, key=keys is not None)
        companions = self._companion_policies(policy)
        # The reader's own policy first, so that a refusal is about what he required if it can be.
        whole_policy = AllOf(policy, *companions) if companions else policy
        verifier = Verifier(model_document, store, pins=pins, link=self.link)
        unproven = verifier.before_proof(self.certificate, whole_policy)
        if self.log_proof is None or any(isinstance(one, Logged) for one in each(policy)):
            return unproven
        return replace(unproven, not_made=(*unproven.not_made, in_language(ABOUT_LOG)))

    def bundle(self) -> Bundle:
        """Return all of it as a bundle with a README; raises CertificateFormatError without a commitment or a key.

        A certificate of a kept key needs its link, with the key of that.
        """
        if self.certificate.statement.shown is not msgspec.UNSET and None in (self.link, self.link_key):
            raise CertificateFormatError(say("present.bundle_without_link"), Reason.WRONG_FILES)
        if self.commitment is None or self.key is None:
            missing_part = "key (--key)" if self.commitment is not None else "commitment (--commitment)"
            raise CertificateFormatError(f"no {missing_part} beside the certificate", Reason.UNREADABLE)
        return Bundle(
            certificate=self.certificate.to_bytes(),
            commitment=canonical_bytes(self.commitment),
            key=canonical_bytes(self.key.document),
            verifying_key=self.key.verifying,
            signatures=self.key.signatures or None,
            query=None if self.query is None else canonical_bytes(self.query),
            context=None if self.context is None else canonical_bytes(self.context),
            log_proof=self.log_proof,
            receipt=None if self.receipt is None else canonical_bytes(self.receipt),
            receipt_proof=self.receipt_proof,
            **self._link_files(),
            readme=README,
            **({} if self.recourse is None else self.recourse.files()),
        )

    def _link_files(self) -> dict[str, bytes | None]:
        """Return the files of a link by their fields of a :class:`.bundle.Bundle`, none without one."""
        if self.link is None or self.link_key is None:
            return {}
        return {
            "link": self.link.to_bytes(),
            "link_key": canonical_bytes(self.link_key.document),
            "link_verifying_key": self.link_key.verifying,
            "link_signatures": self.link_key.signatures or None,
        }

    def public(self) -> Presented:
        """Return it without anything of the applicant's: their files, and what the certificate discloses.

        It is the same certificate: its name is its statement's digest, and the proof does not cover what it discloses.
        """
        certificate = msgspec.structs.replace(self.certificate, query=None)
        public = Presented(certificate, self.commitment, self.key, log_proof=self.log_proof)
        return replace(public, link=self.link, link_key=self.link_key)

    def _companion_policies(self, policy: Policy) -> list[Policy]:
        """Return what must fit the certificate, though it came with it; a receipt also the log that is pinned."""
        policies: list[Policy] = []
        if self.query is not None:
            policies.append(ForQuery(self.query, say("reading.query_that_came"), found=True))
        if self.context is not None:
            policies.append(ForContext(self.context, found=True))
        if self.receipt is not None:
            log = next((one for one in each(policy) if isinstance(one, Logged)), None)
            pins, now = (None, 0) if log is None else (log.pins, log.now)
            policies.append(ForReceipt(self.receipt, not self.own_receipt, pins, self.receipt_proof or b"", now))
        return policies


def verify_bundle(
    data: bytes,
    policy: Policy,
    commitment: CommitmentDocument | None = None,
    keys: TrustStore | None = None,
    checker: Choice = "auto",
) -> Verified:
    """Verify the certificate of a bundle's bytes; `commitment` and `keys` are yours, and pinned. Raises as it."""
    return of_bundle(parse_bundle(data, "bundle"), "bundle").verify(policy, commitment, keys, checker)


def present(
    path: Path, own_fields: Collection[str] = (), *, alone: bool = False, link: LinkDocument | None = None
) -> Presented:
    """Read a bundle, a folder with one certificate, or a certificate with the files beside it.

    `own_fields` names fields of :class:`Presented` that you have yourself, such as `commitment`: they are not looked
    for, and those of a bundle are left out. `alone`: nothing but a log proof, and the link of a kept key, is looked for
    beside a certificate file. `link` is your own copy of the link. Raises OSError, and CertificateFormatError naming
    the file, or two of one kind.
    """
    if path.is_dir():
        return _in_folder(path, own_fields, link)
    data = read_limited(path, MAX_BUNDLE_BYTES)
    if is_archive(data):
        whole = of_bundle(parse_bundle(data, str(path)), str(path))
        whole = replace(whole, **dict.fromkeys(own_fields))  # type: ignore[arg-type]  # never the certificate
        return whole if link is None else replace(whole, link=link)
    certificate = parse_certificate(data, str(path))
    if not alone:
        return beside(path, certificate, own_fields, link)
    log_proof = None if "log_proof" in own_fields else log_proof_of(path)
    return Presented(certificate, log_proof=log_proof, link=link or link_beside(path.parent, certificate))


def link_beside(folder: Path, file: ProofFile) -> LinkDocument | None:
    """Return the link in a folder that a certificate of a kept key needs; None where it needs or has none.

    Raises CertificateFormatError for two, and for a malformed one.
    """
    return None if file.statement.shown is msgspec.UNSET else _Beside(folder).link(file.key.fingerprint)


def link_key_beside(path: Path, link: LinkDocument) -> TrustedLinkKey | None:
    """Return the key that a link names, beside a certificate or in its folder; None where there is none.

    Raises CertificateFormatError for two, and for a malformed one.
    """
    return _Beside(path if path.is_dir() else path.parent).link_key(link.link_key.fingerprint)


def links_in(folder: Path) -> tuple[LinkDocument, ...]:
    """Return all links in a folder; raises CertificateFormatError for a malformed one, and naming two of one key."""
    beside = _Beside(folder)
    return tuple(link for name in sorted(beside.linked_keys()) if (link := beside.link(name)) is not None)


def log_proof_of(path: Path) -> bytes | None:
    """Return the log proof beside a certificate or a receipt, which bears its name; None for none."""
    return _read(path.with_suffix(_LOG_PROOF))


def receipt_of(folder: Path) -> tuple[Receipt, bytes | None] | None:
    """Return the receipt in an applicant's folder with its log proof, None for none; raises as :func:`present`."""
    path = _Beside(folder).one(RECEIPT[0], say("present.kind_receipts"), say("present.keep_matching_one"))
    return None if path is None else (parse_receipt(read_limited(path), "receipt"), log_proof_of(path))


def opened_box_of(folder: Path) -> OpenedBox | None:
    """Return the opened box in a folder of one box certificate, None for none; raises as :func:`present`."""
    found = _Beside(folder).one(OPENED_BOX[0], say("present.kind_opened_boxes"), say("present.keep_matching_one"))
    return None if found is None else parse_opened_box(read_limited(found), "opened box")


def beside(
    path: Path, certificate: Certificate, own_fields: Collection[str] = (), link: LinkDocument | None = None
) -> Presented:
    """Return a certificate that was read from a file, with the files beside that one; as :func:`present`."""
    return _Beside(path.parent).complete(path, certificate, own_fields, link)


def of_bundle(bundle: Bundle, where: str) -> Presented:
    """Read the files of a bundle, all of them; raises CertificateFormatError naming `where` and the file inside."""
    at: dict[str, str] = {role: f"{where}: {name}" for role, name in _NAMES.items()}
    certificate = parse_certificate(bundle.certificate, at["certificate"])
    commitment = parse_commitment(bundle.commitment, at["commitment"])
    document = parse_key(bundle.key, at["key"])
    key = TrustedKey.of(document, bundle.verifying_key, bundle.signatures or b"", at["verifying-key"], _NAMES["key"])
    query = None if bundle.query is None else parse_query(bundle.query, at["query"])
    context = None if bundle.context is None else parse_context(bundle.context, at["context"])
    receipt = None if bundle.receipt is None else parse_receipt(bundle.receipt, at["receipt"])
    link, link_key = _link(bundle, at)
    recourse = None if query is None else _recourse(bundle, query, at)
    found = (certificate, commitment, key, query, context, bundle.log_proof, receipt, bundle.receipt_proof)
    return Presented(*found, recourse=recourse, link=link, link_key=link_key)


def _link(bundle: Bundle, at: Mapping[str, str]) -> tuple[LinkDocument | None, TrustedLinkKey | None]:
    """Read the link of a bundle and its key, which are both there or neither; raises as :func:`of_bundle`."""
    if bundle.link is None or bundle.link_key is None or bundle.link_verifying_key is None:
        return None, None
    link, document = parse_link(bundle.link, at["link"]), parse_link_key(bundle.link_key, at["link-key"])
    note, where = bundle.link_signatures or b"", at["link-verifying-key"]
    return link, TrustedLinkKey.of(document, bundle.link_verifying_key, note, where, _NAMES["link-key"])


def _recourse(bundle: Bundle, query: QueryDocument, at: Mapping[str, str]) -> Enclosed | None:
    """Read the recourse of a bundle, None for none; raises as :func:`of_bundle`."""
    if bundle.box_key is None or bundle.box_verifying_key is None:
        return None
    document = parse_key(bundle.box_key, at["box-key"])
    signatures = bundle.box_signatures or b""
    key = TrustedKey.of(document, bundle.box_verifying_key, signatures, at["box-verifying-key"], _NAMES["box-key"])
    wishes = None if bundle.wishes is None else parse_wishes(bundle.wishes, at["wishes"])
    boxes: list[tuple[Answer, BoxCertificate, OpenedBox]] = []
    for name, certificate, opened in bundle.answers():
        box = parse_box(certificate, at[name]), parse_opened_box(opened, at[f"{name}-box"])
        boxes.append((name, *box))
    return Enclosed(query, key, tuple(boxes), wishes)


def _in_folder(folder: Path, own_fields: Collection[str], link: LinkDocument | None) -> Presented:
    """Read the one certificate of a folder, with the files beside it."""
    beside = _Beside(folder)
    path = beside.one(CERTIFICATE[0], say("present.kind_certificates"), say("present.name_one"))
    if path is None:
        bundles = any(file.suffix == SUFFIX for file in folder.iterdir())
        if bundles:
            why = say("present.folder_of_bundles", folder=str(folder), suffix=SUFFIX)
        else:
            why = say("present.folder_empty", folder=str(folder))
        raise CertificateFormatError(why, Reason.UNREADABLE)
    certificate = parse_certificate(read_limited(path), str(path))
    return beside.complete(path, certificate, own_fields, link)


class _Beside:
    """The documents of a folder by kind; keys are looked for up to two folders below, as a key store has them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._documents: dict[str, list[Path]] = {}
        files = sorted(path for path in folder.glob("*.json") if not path.name.startswith("."))
        if len(files) > MAX_FILES:
            raise CertificateFormatError(
                say("present.too_many_files", folder=str(folder), most=MAX_FILES),
                Reason.WRONG_FILES,
            )
        for path in files:
            self._documents.setdefault(_kind(path), []).append(path)

    def one(self, kind: str, kinds: str, way_out: str) -> Path | None:
        """Return the one file of a kind; None where there is none. Raises CertificateFormatError naming two."""
        return _only(self._documents.get(kind, []), kinds, way_out)

    def _named(self, kind: str, kinds: str, option: str) -> Path | None:
        """Return the one file of a kind as :meth:`one`; of two, the option names the one that is meant."""
        return self.one(kind, kinds, say("present.name_one_by", option=option))

    def link(self, fingerprint: str) -> LinkDocument | None:
        """Return the one link of a key; raises CertificateFormatError naming two, and for a malformed one."""
        links = self._links()
        path = _only(
            [path for path, link in links.items() if link.key == fingerprint],
            say("present.kind_links"),
            say("present.name_one_by", option="--link"),
        )
        return None if path is None else links[path]

    def linked_keys(self) -> set[str]:
        """Return the fingerprints of the keys that the links are of."""
        return {link.key for link in self._links().values()}

    def _links(self) -> dict[Path, LinkDocument]:
        """Read every link; raises CertificateFormatError for a malformed one."""
        return {path: parse_link(read_limited(path), str(path)) for path in self._documents.get(LINK[0], [])}

    def complete(
        self, path: Path, certificate: Certificate, own_fields: Collection[str], own_link: LinkDocument | None
    ) -> Presented:
        """Return a certificate with everything that lies beside it, but for what is given."""
        kept = certificate.statement.shown is not msgspec.UNSET
        link = own_link or (self.link(certificate.key.fingerprint) if kept else None)
        commitment = (
            None
            if "commitment" in own_fields
            else self._named(COMMITMENT[0], say("present.kind_commitments"), "--commitment")
        )
        query = None if "query" in own_fields else self._named(QUERY[0], say("present.kind_queries"), "--query")
        context = None if "context" in own_fields else self._named(_CONTEXT, say("present.kind_contexts"), "--context")
        receipt = (
            None if "receipt" in own_fields else self._named(RECEIPT[0], say("present.kind_receipts"), "--receipt")
        )
        return Presented(
            certificate,
            commitment=None if commitment is None else parse_commitment(read_limited(commitment), str(commitment)),
            key=None if "key" in own_fields else self._key(certificate.key.fingerprint),
            query=None if query is None else parse_query(read_limited(query), str(query)),
            context=None if context is None else parse_context(read_limited(context), str(context)),
            log_proof=None if "log_proof" in own_fields else log_proof_of(path),
            receipt=None if receipt is None else parse_receipt(read_limited(receipt), str(receipt)),
            receipt_proof=None if receipt is None else log_proof_of(receipt),
            link=link,
            link_key=None if link is None or "key" in own_fields else self.link_key(link.link_key.fingerprint),
        )

    def _key(self, fingerprint: str) -> TrustedKey | None:
        """Return the key of a fingerprint, which is a digest of the metadata file; None where there is none."""
        metadata = self._metadata(_KEY_NAMES, fingerprint)
        return None if metadata is None else TrustedKey.read(metadata.parent, metadata.name)

    def link_key(self, fingerprint: str) -> TrustedLinkKey | None:
        """Return the key for links of a fingerprint, as :meth:`_key`."""
        metadata = self._metadata(_LINK_KEY_NAMES, fingerprint)
        return None if metadata is None else TrustedLinkKey.read(metadata.parent, metadata.name)

    def _metadata(self, names: Collection[str], fingerprint: str) -> Path | None:
        """Return the one metadata file of a key, by these names; raises CertificateFormatError naming two."""
        return _only(
            [p for p in self._key_files(names) if sha256(KEY_TAG + (_read(p) or b"")).hexdigest() == fingerprint],
            say("present.key_files", fingerprint=fingerprint[:16]),
            say("present.name_key_folder"),
        )

    def _key_files(self, names: Collection[str]) -> list[Path]:
        """List the metadata files of keys; hidden folders are unfinished keys."""
        candidates = [
            path for name in names for above in ("", "*/", "*/*/") for path in self._folder.glob(above + name)
        ]
        return sorted(
            path
            for path in candidates
            if not any(part.startswith(".") for part in path.relative_to(self._folder).parts)
        )


def _only(paths: list[Path], kinds: str, way_out: str) -> Path | None:
    """Return the one path; None for none. Raises CertificateFormatError naming two of several."""
    if len(paths) > 1:
        raise CertificateFormatError(
            say("present.two_of_kind", first=str(paths[0]), second=paths[1].name, kinds=kinds, remedy=way_out),
            Reason.WRONG_FILES,
        )
    return paths[0] if paths else None


def _kind(path: Path) -> str:
    """Return the kind of a file: a mark, `context`, or "" for anything that is not ours."""
    data = _read(path)
    if data is None:
        return ""
    return kind_of(data) or (_CONTEXT if is_context(data) else "")


def _read(path: Path) -> bytes | None:
    """Return the bytes of a regular file that is no longer than a document; None for anything else."""
    with suppress(OSError, DocumentError):
        data = read_regular(path)
        return data if len(data) <= MAX_DOCUMENT_BYTES else None
    return None
