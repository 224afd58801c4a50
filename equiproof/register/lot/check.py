"""Checking a period: from the log and the period's folder alone, whoever made them.

In this order, and nothing later counts unless everything before it holds:
1. the folder's documents are of one period, and the log's key signed its checkpoint;
2. the log's entries hash to that checkpoint; the receipts among them are counted, none twice;
3. the log shows the period's model, keys and links as the owner's, and certificates of that model can have the least
   radius;
4. every party sealed this close; nonces were opened after all had sealed, or the beacon's round came out later;
5. the draw follows from all of that;
6. each answer is signed by the owner, and is the drawn receipt and a certificate about it under the period's policy, or
   "none";
7. what that shows of all receipts: the bound. Whatever is not certified counts as bad, whyever.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from math import ceil
from typing import Literal

import msgspec

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.numbers import exact
from equiproof.circuits.tables import in_language, say
from equiproof.register.log import Log
from equiproof.register.lot.bound import at_least
from equiproof.register.lot.close import demanded, refuse_unshown, unreachable
from equiproof.register.lot.counted import Counted, count
from equiproof.register.lot.documents import Answer, PeriodDocument
from equiproof.register.lot.errors import LotError, LotRefusedError
from equiproof.register.lot.folder import PeriodFolder
from equiproof.register.lot.lottery import Drawn, draw
from equiproof.verifier.certificate import Certificate, parse_certificate
from equiproof.verifier.checkpoint import SignedCheckpoint, cosigned
from equiproof.verifier.documents import CommitmentDocument
from equiproof.verifier.errors import CertificateFormatError, PolicyError
from equiproof.verifier.facts import ABOUT_SETUP
from equiproof.verifier.many import MOST_AT_ONCE, MOST_BYTES, Chunk, Demands, Entry, Row, judge
from equiproof.verifier.notes import VerifierKey
from equiproof.verifier.policy import MinRadius
from equiproof.verifier.programs import Choice

Verdict = Literal["certified", "none", "left-out", "refused"]
"""What became of a drawn receipt: the owner may say "none" itself, leave out the answer, or give one that fails."""


@dataclass(frozen=True)
class Pins:
    """What the reader knows from elsewhere: the log's key, witnesses and how many of them count, auditors."""

    log: VerifierKey | None = None
    witnesses: Collection[VerifierKey] = ()
    least: int = 0
    auditors: Collection[VerifierKey] = ()


@dataclass(frozen=True)
class Judgement:
    """One drawn receipt: its entry in the log, its digest, what became of it, and why where it is refused."""

    entry: int
    receipt: str
    verdict: Verdict
    why: str = ""
    label: str = ""
    group: str = ""


@dataclass(frozen=True)
class Found:
    """A period that holds together, and what its lot shows; `at_least` of all its receipts are certified.

    `forgeable`: proofs under a key of the certificates could be forged, since a single party ran its set-up.
    """

    period: PeriodDocument
    commitment: CommitmentDocument
    drawn: Drawn
    judgements: tuple[Judgement, ...]
    at_least: int
    witnessed: dict[str, int]
    times: dict[str, tuple[str, ...]]
    forgeable: bool

    @property
    def certified(self) -> int:
        """How many of the drawn have a certificate that counts."""
        return sum(one.verdict == "certified" for one in self.judgements)

    @property
    def kept(self) -> bool:
        """Whether the share that the owner promised is shown."""
        return self.at_least >= ceil(exact(self.period.policy.share) * self.period.receipts)

    @property
    def answered(self) -> str | None:
        """When the owner signed its last answer, by its own word; None where it signed none."""
        return max(self.times["answered"], default=None)

    @property
    def late(self) -> bool:
        """Whether that was after the day by which the period's policy wants answers."""
        due = self.period.policy.due
        return isinstance(due, str) and self.answered is not None and self.answered[: len(due)] > due

    @property
    def honest(self) -> bool:
        """Whether every answer is there, and is what it says it is."""
        return all(one.verdict in ("certified", "none") for one in self.judgements)


@dataclass(frozen=True)
class Counting:
    """A period whose close holds: what it says, its signed checkpoint, and its receipts as the log has them."""

    folder: PeriodFolder
    signed: SignedCheckpoint
    counted: Counted
    witnessed: dict[str, int]

    def entry_of(self, receipt: str) -> int | None:
        """Return the entry of a receipt in this period, by its digest; None where it is not counted."""
        return self.counted.entry_of(receipt)


def read_close(folder: PeriodFolder, log: Log, pins: Pins) -> Counting:
    """Check what closing fixed, steps 1 to 3; raises LotRefusedError, LogError, or what is wrong with a file."""
    period = folder.period
    if pins.log is not None and pins.log.text != period.log:
        raise LotRefusedError(say("lot.log_key_differs", log=VerifierKey.parse(period.log).name))
    for auditor in pins.auditors:
        if auditor not in period.keys[1:]:
            raise LotRefusedError(say("lot.not_an_auditor", name=auditor.name))
    signed = log.opened(folder.checkpoint, str(folder.root / "checkpoint"))
    checkpoint = signed.checkpoint
    if (checkpoint.size, checkpoint.root.hex()) != (period.size, period.root):
        raise LotRefusedError(say("lot.checkpoint_differs"))
    witnessed = cosigned(signed, pins.witnesses)
    if len(witnessed) < pins.least:
        raise LotRefusedError(say("lot.witnesses_too_few", witnesses=len(witnessed), required=pins.least))
    entries = log.tiles(checkpoint).entries(0, checkpoint.size)
    wanted = demanded(period.owner, period.policy)
    counted = count(entries, checkpoint, period.first, period.last, wanted)
    try:
        refuse_unshown(period, counted)
    except LotRefusedError:
        raise
    except LotError as error:
        raise LotRefusedError(str(error)) from None
    if why := unreachable(period, folder.commitment):
        raise LotRefusedError(why)
    return Counting(folder, signed, counted, {key.name: time for key, time in witnessed.items()})


def check(
    closed: Counting, checker: Choice = "auto", threads: int = 0, progress: Callable[[int, int], None] | None = None
) -> Found:
    """Check draw and answers, steps 4 to 7; raises as :func:`read_close`, and NotDrawnError naming who is missing."""
    folder = closed.folder
    period = closed.folder.period
    drawn = draw(folder, closed.counted)
    if not folder.answered:
        day = period.policy.due
        due = "" if isinstance(day, msgspec.UnsetType) else say("lot.answers_due", day=day)
        raise LotRefusedError(
            say("lot.answer_missing", owner=period.owner, file=str(folder.root / "answers"), time=due)
        )
    demands = Demands(
        folder.commitment, folder.keys, MinRadius(period.policy.min_radius), checker, threads, links=folder.links
    )
    answers = _Answers(folder, closed.counted.of(drawn.entries), demands)
    answers.judge(progress)
    judgements = tuple(answers.judgements[entry] for entry in drawn.entries)
    # Whatever is not certified is bad, also a missing answer: otherwise the owner could leave out what does not suit.
    bad = sum(one.verdict != "certified" for one in judgements)
    return Found(
        period,
        demands.commitment,
        drawn,
        judgements,
        at_least(period.receipts, period.drawn, bad, period.confidence),
        closed.witnessed,
        {
            "sealed": tuple(seal.time for seal in folder.seals if seal),
            "opened": () if period.by == "beacon" else tuple(one.time for one in folder.openings if one),
            "answered": tuple(answers.times),
        },
        answers.forgeable,
    )


class _Answers:
    """The owner's answers about the drawn receipts, by entry; what is wrong with one is a judgement about it.

    Certificates wait for each other, so that many proofs are checked at once, and not longer than memory allows: the
    owner chooses how long each is.
    """

    def __init__(self, folder: PeriodFolder, drawn: dict[int, str], demands: Demands) -> None:
        self.judgements: dict[int, Judgement] = {}
        self.forgeable = False
        self.times: list[str] = []
        self._folder = folder
        self._drawn = drawn
        self._demands = demands
        self._owner = folder.period.keys[0]
        self._disclosed = folder.period.groups is not msgspec.UNSET
        self._waiting: dict[int, bytes] = {}
        self._about: dict[tuple[str, str], int] = {}
        self._groups: dict[int, str] = {}

    def judge(self, progress: Callable[[int, int], None] | None) -> None:
        """Read and verify all of them; `progress` is called with (done, all)."""
        period = self._folder.period.digest.hex()
        for done, entry in enumerate(self._drawn, 1):
            try:
                self._read(entry, self._folder.answer(entry), period)
            except (CertificateFormatError, PolicyError) as error:
                self._judge(entry, "refused", str(error))
            waiting_bytes = sum(map(len, self._waiting.values()))
            if len(self._waiting) == MOST_AT_ONCE or waiting_bytes > MOST_BYTES or done == len(self._drawn):
                self._verify()
            if progress is not None:
                progress(done, len(self._drawn))

    def _read(self, entry: int, answer: Answer | None, period: str) -> None:
        """Read one answer; raises what is wrong with it."""
        if answer is None:
            self._judge(entry, "left-out", say("lot.no_answer"))
            return
        if (answer.period, answer.entry) != (period, entry):
            self._judge(entry, "refused", say("lot.answer_of_other_receipt"))
            return
        if answer.party != 1 or not answer.holds(self._owner):
            self._judge(entry, "refused", say("lot.answer_signature_wrong", signer=self._owner.name))
            return
        self.times.append(answer.time)
        if self._disclosed and answer.group is not msgspec.UNSET:
            self._groups[entry] = answer.group
        if isinstance(answer.receipt, msgspec.UnsetType) or isinstance(answer.certificate, msgspec.UnsetType):
            self._judge(entry, "none")
            return
        if answer.receipt.digest != self._drawn[entry]:
            self._judge(entry, "refused", say("lot.receipt_not_drawn"))
            return
        where = say("lot.certificate_of_entry", entry=entry)
        certificate = parse_certificate(canonical_bytes(answer.certificate), where)
        answer.receipt.refuse_other(certificate.to_statement())
        if (other := self._about.setdefault(_decision(certificate), entry)) != entry:
            self._judge(entry, "refused", say("lot.same_decision", entry=other))
            return
        self._waiting[entry] = certificate.to_bytes()

    def _verify(self) -> None:
        """Verify the certificates that wait, under the period's policy; without any, no program is loaded for it."""
        if not self._waiting:
            return
        entries = tuple(Entry(str(entry), data) for entry, data in self._waiting.items())
        judged = judge(self._demands, Chunk(0, entries, len(entries)))
        self.forgeable |= in_language(ABOUT_SETUP) in judged.left_open
        for row in judged.rows:
            self._take(row)
        self._waiting.clear()

    def _take(self, row: Row) -> None:
        """Take the verdict on one certificate."""
        if row.verdict == "verified":
            self._judge(int(row.file), "certified", label=row.label or "")
        else:
            self._judge(int(row.file), "refused", row.message or "")

    def _judge(self, entry: int, verdict: Verdict, why: str = "", label: str = "") -> None:
        group = self._groups.get(entry, "")
        self.judgements[entry] = Judgement(entry, self._drawn[entry], verdict, why, label, group)


def _decision(certificate: Certificate) -> tuple[str, str]:
    """Return what tells one decision from another, whatever its receipts say: data under their blinding, context."""
    return certificate.statement.query_commitment, certificate.statement.context_digest
