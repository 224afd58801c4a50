"""Many certificates and bundles, or box certificates: from a folder or a file of lines to one verdict each.

What comes in is read in chunks, so that memory is bounded. A chunk's certificates are verified together, so that their
proofs are checked at once, and every fault of a file is a verdict about that file: only a fault of the run itself ends
the run.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO, Literal

import msgspec

from equiproof.circuits import workers
from equiproof.circuits.canonical import MAX_DOCUMENT_BYTES, DocumentError, read_regular
from equiproof.circuits.kinds import is_archive, is_context, kind_of
from equiproof.circuits.tables import say, speaking, spoken
from equiproof.verifier.box import BOX, parse_box
from equiproof.verifier.bundle import MAX_BUNDLE_BYTES, SUFFIX, parse_bundle
from equiproof.verifier.certificate import CERTIFICATE, parse_certificate
from equiproof.verifier.documents import CommitmentDocument
from equiproof.verifier.errors import CertificateFormatError, Reason, VerificationError
from equiproof.verifier.facts import Policy, about_a_ball
from equiproof.verifier.link import LinkDocument
from equiproof.verifier.logged import with_log_proof
from equiproof.verifier.presented import Presented, log_proof_of, of_bundle, opened_box_of, receipt_of
from equiproof.verifier.programs import Choice, choose
from equiproof.verifier.trust import TrustStore
from equiproof.verifier.unproven import Refused, Unproven, refusals
from equiproof.verifier.verify_box import BoxVerifier, UnprovenBox

MOST_AT_ONCE = 256
"""How many certificates one chunk has at most."""

MOST_BYTES = 32 << 20
"""How many bytes of files or lines one chunk has at most, unless a single one has more."""

CERTIFICATE_FILE = "certificate.json"
"""The certificate of a folder that one applicant got."""

Verdict = Literal["verified", "refused", "malformed", "other"]
"""`other`: a file of another kind, such as a commitment, which is left out."""


@dataclass(frozen=True)
class Demands:
    """What every certificate is verified with; `threads` are those of the native library, 0 for one per core.

    What the policy requires of a log, it requires of the log proof that came with each certificate, or of `log_proof`
    for all, whatever came with them. What is wrong with one is said in `language`, in other processes too.

    `boxes`: box certificates are verified, and certificates about decisions are files of another kind. Without it, it
    is the other way round: neither is ever counted as the other. `links` are those of kept keys, each for its own.
    """

    commitment: CommitmentDocument
    keys: TrustStore
    policy: Policy
    checker: Choice = "auto"
    threads: int = 0
    log_proof: bytes | None = None
    boxes: bool = False
    links: tuple[LinkDocument, ...] = ()
    language: str = field(default_factory=spoken)


@dataclass(frozen=True)
class Entry:
    """One file of a folder, still to be read, or one line."""

    name: str
    content: Path | bytes

    @property
    def own_folder(self) -> Path | None:
        """The folder that is one applicant's; None for a file among many, and for a line."""
        return self.content.parent if isinstance(self.content, Path) and "/" in self.name else None


@dataclass(frozen=True)
class Chunk:
    """Entries that are verified together; `size` is what they add to the progress."""

    number: int
    entries: tuple[Entry, ...]
    size: int


class Row(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of one file or line, as a line of the results has it.

    A verified one has the certificate's name, its decision, R2 and the key's fingerprint; any other its reason and a
    line that says what is wrong. A box certificate has no R2; `opened` says whether it is about an opened box that is
    there.
    """

    file: str
    verdict: Verdict
    certificate: str | None = None
    label: str | None = None
    radius_squared: int | None = None
    key: str | None = None
    reason: str | None = None
    message: str | None = None
    opened: bool | None = None


@dataclass(frozen=True)
class Judged:
    """The verdicts on a chunk, and how often each check was left open."""

    chunk: int
    size: int
    rows: tuple[Row, ...]
    left_open: Counter[str]


@dataclass
class Source:
    """A folder of certificates and bundles, or a file with one certificate a line.

    Of a folder, the files named *.equiproof and *.json count, and `certificate.json` of the folders in it, but for what
    is hidden. `total` is the size of all: files, or bytes. Raises CertificateFormatError for a folder without such
    files, and for a bundle.
    """

    path: Path
    total: int = field(init=False)

    def __post_init__(self) -> None:
        """Look how much there is."""
        self._files: list[str] = []
        if not self.path.is_dir():
            self.total = self.path.stat().st_size
            return
        names = sorted(path.name for path in self.path.iterdir() if not path.name.startswith("."))
        self._files = [file for name in names if (file := self._counted(name)) is not None]
        self.total = len(self._files)
        if not self._files:
            raise CertificateFormatError(
                say("many.folder_empty", folder=str(self.path), suffix=SUFFIX), Reason.UNREADABLE
            )

    def _counted(self, name: str) -> str | None:
        """Return what counts of an entry of the folder: the file itself, the certificate of a folder, or nothing."""
        if name.endswith((".json", SUFFIX)):
            return name
        inside = f"{name}/{CERTIFICATE_FILE}"
        return inside if (self.path / inside).exists() else None

    def chunks(self) -> Iterator[Chunk]:
        """Yield everything in chunks, in the order of the names or of the lines."""
        items: list[tuple[Entry, int, int]] = []
        number = item_bytes = 0
        for item in self._each():
            if items and (len(items) == MOST_AT_ONCE or item_bytes + item[1] > MOST_BYTES):
                yield _chunk(number, items)
                number += 1
                item_bytes = 0
                items = []
            items.append(item)
            item_bytes += item[1]
        if items:
            yield _chunk(number, items)

    def _each(self) -> Iterator[tuple[Entry, int, int]]:
        """Yield entries, each with its bytes in memory and its share of the total."""
        if self._files:
            for name in self._files:
                path = self.path / name
                yield Entry(_shown(name), path), _length(path), 1
            return
        with self.path.open("rb") as stream:
            for number, line, size in _lines(stream, self.path):
                if line.strip():
                    yield Entry(f"{_shown(self.path.name)}:{number}", line), len(line), size


def _shown(name: str) -> str:
    """Return a file's name as text that can be written, also where its bytes are none."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _length(path: Path) -> int:
    """Return how many bytes of a file are read; what cannot be read is reported when that is tried."""
    try:
        return min(path.stat().st_size, MAX_BUNDLE_BYTES + 1)
    except OSError:
        return 0


def _lines(stream: BinaryIO, path: Path) -> Iterator[tuple[int, bytes, int]]:
    """Yield the number of each line, its bytes and its length with its end; of a longer one than is read, the start."""
    number = 0
    # A byte more for the end of the line, and one by which a longer document shows that it is too long.
    while line := stream.readline(MAX_DOCUMENT_BYTES + 2):
        if not number and is_archive(line):
            raise CertificateFormatError(say("many.bundle_in_lines", path=str(path)), Reason.OTHER_FORMAT)
        number += 1
        size = len(line)
        end = line
        # The rest of a line that is too long is passed over in pieces, never held as a whole.
        while not end.endswith(b"\n") and (end := stream.readline(MAX_DOCUMENT_BYTES)):
            size += len(end)
        yield number, line.removesuffix(b"\n"), size


def _chunk(number: int, items: list[tuple[Entry, int, int]]) -> Chunk:
    """Return gathered entries as a chunk."""
    return Chunk(number, tuple(entry for entry, _, _ in items), sum(size for _, _, size in items))


def verify_all(
    source: Source, demands: Demands, jobs: int = 1, progress: Callable[[int, int], None] | None = None
) -> Generator[Judged, None, None]:
    """Yield the verdicts on all chunks of a source in their order, `jobs` chunks at a time (-1: one per processor).

    `progress` is called with (done, all). Raises BackendError where the native library fails or is missing, WorkerError
    where processes are ended from outside again and again, OSError where a file of lines cannot be read.
    """
    done = 0
    next_number = 0
    finished_chunks = {}
    with closing(_judged(source, demands, jobs)) as results:
        for judged in results:
            done += judged.size
            if progress is not None:
                progress(done, source.total)
            # Processes finish in any order; a chunk waits here for those before it.
            finished_chunks[judged.chunk] = judged
            while next_number in finished_chunks:
                yield finished_chunks.pop(next_number)
                next_number += 1


def _judged(source: Source, demands: Demands, jobs: int) -> Generator[Judged, None, None]:
    """Yield the verdicts on all chunks, as they come."""
    count = workers.processors() if jobs == -1 else jobs
    if count == 1:
        yield from (judge(demands, chunk) for chunk in source.chunks())
    else:
        yield from workers.each(judge, demands, source.chunks(), count)


def judge(demands: Demands, chunk: Chunk) -> Judged:
    """Verify a chunk; raises BackendError where the native library fails or is missing."""
    with speaking(demands.language):
        outcomes = [before_proof(demands, entry) for entry in chunk.entries]
        unproven = [outcome for outcome in outcomes if isinstance(outcome, Unproven | UnprovenBox)]
        found = iter(refusals(unproven, choose(demands.checker), demands.threads))
        rows = []
        left_open = Counter[str]()
        for entry, outcome in zip(chunk.entries, outcomes, strict=True):
            if not isinstance(outcome, Unproven | UnprovenBox):
                rows.append(_row(entry.name, outcome))
            elif (refused := next(found)) is not None:
                rows.append(_row(entry.name, refused))
            else:
                left_open.update(outcome.not_made)
                rows.append(_verified(entry.name, outcome))
        return Judged(chunk.number, chunk.size, tuple(rows), left_open)


def before_proof(demands: Demands, entry: Entry) -> Unproven | UnprovenBox | Refused | None:
    """Take every step but the last for one entry; return None for a file of another kind."""
    try:
        if demands.boxes:
            return _box(demands, entry)
        presented = _presented(entry)
        if presented is None:
            return None
        if demands.log_proof is not None:
            presented = replace(presented, log_proof=demands.log_proof)
        fingerprint = presented.certificate.key.fingerprint
        own = next((link for link in demands.links if link.key == fingerprint), None)
        presented = replace(presented, link=own or presented.link)
        # An empty proof stands for a missing one: what the policy requires of a log is then refused.
        policy = with_log_proof(demands.policy, presented.log_proof or b"")
        return presented.before_proof(policy, demands.commitment, demands.keys)
    except (CertificateFormatError, VerificationError) as error:
        return error.with_traceback(None)
    except DocumentError as error:
        return CertificateFormatError(str(error), error.reason)
    except OSError as error:
        return CertificateFormatError(error.strerror or str(error), Reason.UNREADABLE)


def _box(demands: Demands, entry: Entry) -> UnprovenBox | None:
    """Take every step but the last for a box certificate, with what came with it; None for a file of another kind."""
    opened, proof = None, demands.log_proof
    if isinstance(entry.content, bytes):
        data = entry.content
    else:
        data = read_regular(entry.content, MAX_BUNDLE_BYTES)
        if entry.content.suffix == SUFFIX or is_archive(data) or kind_of(data) not in ("", BOX[0]) or is_context(data):
            return None
    certificate = parse_box(data, "box certificate")
    if isinstance(entry.content, Path):
        proof = log_proof_of(entry.content) if proof is None else proof
        opened = None if entry.own_folder is None else opened_box_of(entry.own_folder)
    policy = with_log_proof(demands.policy, proof or b"")
    return BoxVerifier(demands.commitment, demands.keys).before_proof(certificate, policy, opened=opened)


def _presented(entry: Entry) -> Presented | None:
    """Read a bundle, or a certificate with its log proof and its receipt; None for a file of another kind."""
    if isinstance(entry.content, bytes):
        return Presented(parse_certificate(entry.content, "certificate"))
    data = read_regular(entry.content, MAX_BUNDLE_BYTES)
    if entry.content.suffix == SUFFIX or is_archive(data):
        return of_bundle(parse_bundle(data, "bundle"), "bundle")
    if kind_of(data) not in ("", CERTIFICATE[0]) or is_context(data):
        return None
    certificate = parse_certificate(data, "certificate")
    companions = None if entry.own_folder is None else receipt_of(entry.own_folder)
    receipt, proof = companions or (None, None)
    return Presented(certificate, log_proof=log_proof_of(entry.content), receipt=receipt, receipt_proof=proof)


def _verified(name: str, one: Unproven | UnprovenBox) -> Row:
    """Return the row of a certificate that is verified."""
    box = one if isinstance(one, UnprovenBox) else None
    return Row(
        file=name,
        verdict="verified",
        certificate=one.digest.hex(),
        label=one.reading.label,
        radius_squared=about_a_ball(one.facts).radius_squared if box is None else None,
        key=one.facts.key.fingerprint,
        opened=None if box is None else box.opened is not None,
    )


def _row(name: str, refused: Refused | None) -> Row:
    """Return the row of anything else."""
    if refused is None:
        return Row(file=name, verdict="other")
    verdict: Verdict = "malformed" if isinstance(refused, CertificateFormatError) else "refused"
    return Row(file=name, verdict=verdict, reason=str(refused.reason), message=str(refused))
