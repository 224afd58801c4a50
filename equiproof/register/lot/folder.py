"""A period's folder: which file is where. Every file is written whole, and none is ever written over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from equiproof.circuits.canonical import canonical_bytes, read_regular
from equiproof.circuits.files import write_file, write_folder
from equiproof.circuits.tables import say
from equiproof.register.lot.documents import (
    Answer,
    Beacon,
    Opening,
    PeriodDocument,
    Seal,
    Signed,
    parse_answer,
    parse_beacon,
    parse_opening,
    parse_period,
    parse_seal,
)
from equiproof.register.lot.errors import LotRefusedError
from equiproof.verifier.documents import (
    MAX_KEY_BYTES,
    CommitmentDocument,
    load_commitment,
    parse_key,
    parse_link_key,
)
from equiproof.verifier.entries import commitment_digest
from equiproof.verifier.link import LinkDocument, parse_link
from equiproof.verifier.notes import MAX_NOTE_BYTES
from equiproof.verifier.trust import TrustedKey, TrustedLinkKey, TrustStore

PERIOD_FILE = "period.json"
CHECKPOINT_FILE = "checkpoint"
COMMITMENT_FILE = "commitment.json"
BEACON_FILE = "beacon.json"
ANSWERS_FOLDER = "answers"

T = TypeVar("T")


@dataclass(frozen=True)
class PeriodLink:
    """The link of one of the period's kept keys, and the key that its proof is checked under."""

    document: LinkDocument
    key: TrustedLinkKey

    @property
    def digest(self) -> str:
        """The SHA-256 of the link's file, in hexadecimal."""
        return sha256(self.document.to_bytes()).hexdigest()


class PeriodFolder:
    """The files of one period; each property reads again, and raises as its parser, or OSError."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.period: PeriodDocument = _read(root / PERIOD_FILE, parse_period)

    @classmethod
    def write(
        cls,
        root: Path,
        period: PeriodDocument,
        checkpoint: bytes,
        commitment: CommitmentDocument,
        keys: Sequence[TrustedKey],
        links: Sequence[PeriodLink] = (),
    ) -> PeriodFolder:
        """Write what closing a period fixes; raises FileExistsRefusedError for a folder that is there.

        `links` are those of the kept keys, in their order.
        """
        files = {PERIOD_FILE: canonical_bytes(period), CHECKPOINT_FILE: checkpoint}
        files[COMMITMENT_FILE] = canonical_bytes(commitment)
        for number, key in enumerate(keys, 1):
            files |= {_key_file(number): canonical_bytes(key.document), _verifying_file(number): key.verifying}
        for number, link in enumerate(links, 1):
            files |= {_link_file(number): link.document.to_bytes()}
            files |= {_link_key_file(number): canonical_bytes(link.key.document)}
            files |= {_link_verifying_file(number): link.key.verifying}
        write_folder(root, files)
        return cls(root)

    @property
    def checkpoint(self) -> bytes:
        """The log's signed checkpoint at the close."""
        return read_regular(self.root / CHECKPOINT_FILE, MAX_NOTE_BYTES)

    @property
    def commitment(self) -> CommitmentDocument:
        """The commitment of the period's policy; raises LotRefusedError for another one."""
        commitment = load_commitment(self.root / COMMITMENT_FILE)
        if commitment_digest(commitment) != self.period.policy.commitment:
            raise LotRefusedError(say("lot.commitment_differs", file=str(self.root / COMMITMENT_FILE)))
        return commitment

    @property
    def keys(self) -> TrustStore:
        """The keys of the period's policy, with those of its links; raises LotRefusedError for another one."""
        keys = [self._key(number) for number in range(1, len(self.period.policy.keys) + 1)]
        if tuple(key.document.fingerprint for key in keys) != self.period.policy.keys:
            raise LotRefusedError(say("lot.keys_differ", folder=str(self.root)))
        return TrustStore(keys, [link.key for link in self._links])

    @property
    def links(self) -> tuple[LinkDocument, ...]:
        """The links of the period's kept keys; raises LotRefusedError for another one than its policy names."""
        return tuple(link.document for link in self._links)

    @property
    def _links(self) -> list[PeriodLink]:
        """Read the links with their keys."""
        links = []
        for number, named in enumerate(self.period.policy.own_links, 1):
            links.append(link := self._link(number))
            if link.digest != named:
                raise LotRefusedError(say("lot.keys_differ", folder=str(self.root)))
        return links

    def _link(self, number: int) -> PeriodLink:
        """Read one of the links."""
        document = _read(self.root / _link_file(number), parse_link)
        key = _read(self.root / _link_key_file(number), parse_link_key)
        path = self.root / _link_verifying_file(number)
        verifying = read_regular(path, MAX_KEY_BYTES)
        return PeriodLink(document, TrustedLinkKey.of(key, verifying, b"", str(path), _link_key_file(number)))

    def _key(self, number: int) -> TrustedKey:
        """Read one of the keys."""
        document = _read(self.root / _key_file(number), parse_key)
        path = self.root / _verifying_file(number)
        return TrustedKey.of(document, read_regular(path, MAX_KEY_BYTES), b"", str(path), _key_file(number))

    @property
    def seals(self) -> list[Seal | None]:
        """Each party's seal, None where there is none yet."""
        return self._of_parties(Seal, parse_seal)

    @property
    def openings(self) -> list[Opening | None]:
        """Each party's opening, None where there is none yet."""
        return self._of_parties(Opening, parse_opening)

    @property
    def beacon(self) -> Beacon | None:
        """The round that was drawn, None before."""
        path = self.root / BEACON_FILE
        return _read(path, parse_beacon) if path.exists() else None

    def add(self, document: Seal | Opening | Beacon) -> Path:
        """Write one more file; raises FileExistsRefusedError where it is there."""
        name = BEACON_FILE if isinstance(document, Beacon) else self.name(type(document), document.party - 1)
        path = self.root / name
        write_file(path, canonical_bytes(document))
        return path

    @staticmethod
    def name(kind: type[Signed], place: int) -> str:
        """Return the name of a party's file, by its place among the parties from 0."""
        return f"{'seal' if kind is Seal else 'opening'}-{place + 1}.json"

    @property
    def answered(self) -> bool:
        """Whether the owner has answered."""
        return (self.root / ANSWERS_FOLDER).is_dir()

    def answer(self, entry: int) -> Answer | None:
        """Return the owner's answer about a drawn receipt, None where it is left out."""
        path = self.root / ANSWERS_FOLDER / f"{entry}.json"
        return _read(path, parse_answer) if path.exists() else None

    def write_answers(self, answers: list[Answer]) -> Path:
        """Write all answers at once; raises FileExistsRefusedError where there are some."""
        path = self.root / ANSWERS_FOLDER
        write_folder(path, {f"{answer.entry}.json": canonical_bytes(answer) for answer in answers})
        return path

    def _of_parties(self, kind: type[Signed], parse: Callable[[bytes, str], T]) -> list[T | None]:
        """Read one file of each party."""
        paths = [self.root / self.name(kind, place) for place in range(len(self.period.parties))]
        return [_read(path, parse) if path.exists() else None for path in paths]


def _key_file(number: int) -> str:
    return f"key-{number}.json"


def _verifying_file(number: int) -> str:
    return f"verifying-{number}.key"


def _link_file(number: int) -> str:
    return f"link-{number}.json"


def _link_key_file(number: int) -> str:
    return f"link-key-{number}.json"


def _link_verifying_file(number: int) -> str:
    return f"link-verifying-{number}.key"


def _read(path: Path, parse: Callable[[bytes, str], T]) -> T:
    """Read a file with its parser."""
    return parse(read_regular(path), str(path))
