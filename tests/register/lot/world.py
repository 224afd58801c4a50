"""A period in a test: a log of receipts, an owner who can certify whatever it likes, two parties, and their folders.

The key is one whose secrets are known, so that a certificate of any statement is made at once. What honest proofs look
like, test_whole.py shows.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.statement import Statement
from equiproof.register.log import Log
from equiproof.register.lot import check, conduct
from equiproof.register.lot.answering import answer
from equiproof.register.lot.close import Terms, close
from equiproof.register.lot.folder import PeriodFolder
from equiproof.register.lot.lottery import draw
from equiproof.verifier.certificate import Certificate, KeyReference, make_certificate
from equiproof.verifier.documents import CommitmentDocument, parse_commitment, parse_key
from equiproof.verifier.entries import ENTRY, CommitmentEntry, KeyEntry, commitment_digest
from equiproof.verifier.notes import Signer
from equiproof.verifier.receipt import RECEIPT, Receipt
from equiproof.verifier.trust import TrustedKey
from tests.pins import FOLDER
from tests.register.log_folder import LogFolder
from tests.support import changed
from tests.trapdoor import Trapdoor

OWNER = "Example Lending"
WHOLE = 1 << 20
"""R2 of a radius of 1 at ten fractional bits."""

START = datetime(2026, 4, 1, 9, tzinfo=UTC)


def signer(name: str) -> Signer:
    """Return the same signer each time."""
    return Signer(name, sha256(name.encode()).digest())


LENDER, AUDITOR, LOG = signer("lender"), signer("auditor"), signer("log.example/2026")


@cache
def commitment() -> CommitmentDocument:
    """The published commitment of the loans model."""
    return parse_commitment((FOLDER / "loans" / "commitment.json").read_bytes(), "commitment.json")


def levelled(*levels: str) -> CommitmentDocument:
    """A commitment of the same model under a spec with levels."""
    return changed(commitment(), spec=changed(commitment().spec, levels=levels))


@cache
def key(secret: int = 1001) -> TrustedKey:
    """A key for its shape, whose secrets are known."""
    document = json.loads(next((FOLDER / "loans" / "keys").glob("*/key.json")).read_bytes())
    verifying = Trapdoor(alpha=secret).key()
    document["verifying_key"] = sha256(verifying).hexdigest()
    return TrustedKey(parse_key(canonical_bytes(document), "key.json"), verifying)


@cache
def certificate(number: int, radius_squared: int = WHOLE, model: int | None = None, secret: int = 1001) -> Certificate:
    """Return a certificate about the applicant of a number whose proof holds."""
    base = json.loads((FOLDER / "loans" / "certificate.json").read_bytes())["statement"]
    fields = {name: int(base[name], 16) for name in ("spec_digest", "domain_digest")}
    statement = Statement(
        model_commitment=int(commitment().model_commitment, 16) if model is None else model,
        query_commitment=1000 + number,
        label=number % 2,
        radius_squared=radius_squared,
        context_digest=2000 + number,
        **fields,
    )
    document = key(secret).document
    proof = Trapdoor(alpha=secret).forge(statement.digest(document.shape)).data()
    reference = KeyReference(document.fingerprint, document.setup)
    tools = {"equiproof": "0.1.0", "gnark": "v0.16.1"}
    return make_certificate(statement, commitment().spec, reference, document.proof_system, proof, tools, None)


def receipt(number: int, salt: int = 0, **fields: Any) -> Receipt:
    """Return the receipt of the decision about the applicant of a number."""
    known = {
        "model_commitment": commitment().model_commitment,
        "query_commitment": f"{1000 + number:064x}",
        "context_digest": f"{2000 + number:064x}",
        "label": number % 2,
        "time": "2026-03-04T10:00:00Z",
        "salt": sha256(f"{number} {salt}".encode()).hexdigest(),
    }
    return Receipt(*RECEIPT, **(known | fields))


@dataclass
class Period:
    """A period on its way; `receipts` are those of the log, `certificates` what the owner has of them,
    `published` is its commitment."""

    base: Path
    receipts: list[Receipt] = field(default_factory=lambda: [receipt(number) for number in range(20)])
    certificates: dict[str, Certificate] = field(default_factory=dict)
    terms: dict[str, Any] = field(default_factory=dict)
    published: CommitmentDocument = field(default_factory=commitment)
    log: LogFolder = field(init=False)
    time: datetime = START

    def __post_init__(self) -> None:
        """Write the log: the owner's commitment and key, then the receipts."""
        self.log = LogFolder(self.base / "log", LOG)
        shown = (
            CommitmentEntry(*ENTRY, "commitment", OWNER, commitment_digest(self.published), "2026-01-01"),
            KeyEntry(*ENTRY, "key", OWNER, key().document.fingerprint, None),
        )
        self.log.entries += [entry.data for entry in shown] + [one.entry().data for one in self.receipts]
        self.log.publish()

    @property
    def opened(self) -> Log:
        """The log as readers have it."""
        return Log(str(self.log.root), LOG.verifier)

    def close(self, folder: str = "march", **terms: Any) -> PeriodFolder:
        """Close the period into a folder of this name."""
        known = {
            "name": "March 2026",
            "owner": OWNER,
            "parties": (LENDER.verifier, AUDITOR.verifier),
            "drawn": 8,
            "min_radius": "0.1",
            "share": "0.5",
        }
        whole = Terms(**(known | self.terms | terms))
        return close(self.base / folder, self.opened, whole, self.published, [key()])

    def now(self) -> datetime:
        """Return the next minute."""
        self.time += timedelta(minutes=1)
        return self.time

    def seal(self, folder: PeriodFolder, who: Signer) -> Path:
        """Seal as one of the parties."""
        return conduct.seal(folder, who, self.base / f"kept-{who.name}", self.now())

    def open(self, folder: PeriodFolder, who: Signer) -> Path:
        """Open as one of the parties."""
        return conduct.open_seal(folder, who, self.base / f"kept-{who.name}", self.now())

    def drawn(self, folder: str = "march", **terms: Any) -> PeriodFolder:
        """Close, seal and open as all should."""
        closed = self.close(folder, **terms)
        for step in (self.seal, self.open):
            for who in (AUDITOR, LENDER):
                step(closed, who)
        return closed

    def entries(self, folder: PeriodFolder) -> tuple[int, ...]:
        """Return the entries of the drawn receipts."""
        return draw(folder, self.closed(folder).counted).entries

    def closed(self, folder: PeriodFolder, **pins: Any) -> check.Counting:
        """Check the close."""
        return check.read_close(folder, self.opened, check.Pins(**pins))

    def answered(self, folder: PeriodFolder, groups: dict[str, str] | None = None) -> PeriodFolder:
        """Answer with the owner's certificates; one for each receipt that has none of its own."""
        owned = self.base / "owned"
        owned.mkdir(exist_ok=True)
        counted = self.closed(folder).counted
        wanted = set(counted.of(self.entries(folder)).values())
        for one in self.receipts:
            if one.digest not in wanted:
                continue
            (owned / f"{one.digest}.json").write_bytes(canonical_bytes(one))
            number = int(one.query_commitment, 16) - 1000
            found = self.certificates.get(one.digest, certificate(number))
            if found is not None:
                (owned / f"{one.digest}-certificate.json").write_bytes(found.to_bytes())
        receipts = counted.of(counted.receipts)
        folder.write_answers(answer(folder, receipts, draw(folder, counted), owned, groups or {}, LENDER, self.now()))
        return folder

    def found(self, folder: PeriodFolder) -> check.Found:
        """Check everything."""
        return check.check(self.closed(folder), checker="native")
