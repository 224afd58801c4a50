"""Policies about a public log: that the commitment stands there for everybody to see, and a receipt too.

A log proof holds an entry and a checkpoint with the path between them. The log's key is pinned, and so are witnesses,
who state that they saw the log grow and never change. Without them a log could show each applicant another list of
entries. What happened after the checkpoint is not seen offline: the age of the witnesses' word bounds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from equiproof.circuits import field
from equiproof.circuits.names import quoted
from equiproof.circuits.tables import english, in_language, say, speaking, spoken
from equiproof.verifier.combined import AllOf, AnyOf
from equiproof.verifier.documents import COMMITMENT, CommitmentDocument
from equiproof.verifier.entries import CommitmentEntry, Entry, box_entry, commitment_digest, parse_entry
from equiproof.verifier.errors import CertificateFormatError, PolicyError, Reason
from equiproof.verifier.facts import ABOUT_SAME, Facts, Policy, about_a_ball
from equiproof.verifier.merkle import MAX_PROOF_BYTES, MAX_SIZE, MerkleError, check_inclusion, leaf_hash

if TYPE_CHECKING:
    from equiproof.circuits.spec import Spec
    from equiproof.verifier.notes import VerifierKey
    from equiproof.verifier.receipt import Receipt

SKEW = 300
"""How many seconds a witness's clock may be ahead."""

DAY = 86400

_LATEST_TIME = 253402300799
"""The last second of the year 9999, the last that Python's dates have."""


@dataclass(frozen=True)
class LogPins:
    """What a relying party pins of a log; `least` of the witnesses must have cosigned a tree of `smallest` entries.

    `owner` is the name under which the log must hold a commitment, None for any. Raises ValueError for pins that
    nothing could meet, or that mean nothing: a witness twice, the log as its own witness, witnesses that do not count.
    """

    log: VerifierKey
    witnesses: tuple[VerifierKey, ...] = ()
    least: int = 0
    smallest: int = 1
    owner: str | None = None

    def __post_init__(self) -> None:
        """Refuse such pins."""
        from equiproof.verifier.notes import distinct

        if self.witnesses:
            distinct([self.log, *self.witnesses])
        # Where witnesses are named at least one must count; where none are, none can.
        if not min(len(self.witnesses), 1) <= self.least <= len(self.witnesses):
            raise ValueError(
                say("policy.least_witnesses_out_of_bounds", least=self.least, witnesses=len(self.witnesses))
            )
        if not 0 <= self.smallest <= MAX_SIZE:
            raise ValueError(say("policy.tree_out_of_bounds", size=self.smallest))


@dataclass(frozen=True)
class Standing:
    """Where an entry stands in a log; `time` is the last at which as many witnesses as pinned had seen it, or None.

    `since` is the first time by which as many had: with fewer liars than that among them, it was there by then, though
    liars date their word back. None where no witnesses are pinned.
    """

    entry: Entry
    index: int
    size: int
    witnesses: tuple[str, ...]
    time: int | None
    since: int | None = None

    @property
    def shown_time(self) -> str:
        """The time in UTC, such as 2026-03-04T10:00:00Z; "" for none."""
        return "" if self.time is None else shown_time(self.time)


def shown_time(time: int) -> str:
    """Return a time in POSIX seconds as text in UTC; one past the year 9999 as the last second of it."""
    return datetime.fromtimestamp(min(time, _LATEST_TIME), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def standing(proof: bytes, pins: LogPins, now: int, where: str = "") -> Standing:
    """Return where the entry of a log proof stands in the pinned log; `now` is in POSIX seconds.

    Raises CertificateFormatError naming `where`, by default a log proof, for bytes that are none, and PolicyError for
    one that does not show the entry. Whose entry it is, how large the tree, and how old the witnesses' word: that is
    left to the caller.
    """
    where = where or say("present.log_proof")
    if len(proof) > MAX_PROOF_BYTES:
        return _standing(proof, pins, now, where)
    outcome = _outcome(proof, pins, now, where, spoken())
    if isinstance(outcome, Standing):
        return outcome
    # A new error each time: one that is raised again and again would keep the frames of all its callers alive.
    raise type(outcome)(str(outcome), outcome.reason)


@lru_cache(maxsize=64)
def _outcome(
    proof: bytes, pins: LogPins, now: int, where: str, language: str
) -> Standing | CertificateFormatError | PolicyError:
    """Return what :func:`standing` returns or raises: many certificates have one log proof, which is checked once.

    The bytes of the proof and the pins themselves are what is looked up, never a name of theirs; and the language, for
    an error has its message. What is too long for a proof is not kept.
    """
    with speaking(language):
        try:
            return _standing(proof, pins, now, where)
        except (CertificateFormatError, PolicyError) as error:
            return error.with_traceback(None)


def _standing(proof: bytes, pins: LogPins, now: int, where: str) -> Standing:
    """Check the signatures and the path of a log proof."""
    from equiproof.verifier.checkpoint import CheckpointError, UnsignedError, cosigned, open_checkpoint
    from equiproof.verifier.notes import NoteError
    from equiproof.verifier.tlog_proof import TlogProofError, parse_tlog_proof

    if not proof:
        raise PolicyError(say("log_proof.missing"), NO_PROOF)
    try:
        parts = parse_tlog_proof(proof)
        if not parts.extra:
            raise TlogProofError(say("log_proof.entry_missing"))
        signed = open_checkpoint(parts.checkpoint, pins.log)
        times = {key.name: time for key, time in cosigned(signed, pins.witnesses).items()}
    except (TlogProofError, NoteError, CheckpointError) as error:
        raise CertificateFormatError(f"{where}: {error}", Reason.NOT_A_LOG_PROOF) from None
    except UnsignedError as error:
        raise PolicyError(f"{where}: {error}", OTHER_LOG) from None
    tree = signed.checkpoint
    try:
        check_inclusion(leaf_hash(parts.extra), parts.index, tree.size, parts.path, tree.root)
    except MerkleError as error:
        raise PolicyError(f"{where}: {error}", NOT_IN_LOG) from None
    entry = parse_entry(parts.extra, f"{where}: extra")
    # A cosignature of the future would keep an old proof young until then.
    counted_times = {name: time for name, time in times.items() if time <= now + SKEW}
    if len(counted_times) < pins.least:
        early = len(times) - len(counted_times)
        later = say("log.witnesses_at_future_times", count=early) if early else ""
        raise PolicyError(
            say(
                "log.witnesses_too_few",
                where=where,
                cosigned=len(counted_times),
                accepted=len(pins.witnesses),
                later=later,
                required=pins.least,
            ),
            TOO_FEW,
        )
    ordered_times = sorted(counted_times.values())
    # The least-th time from either end: to move it, as many witnesses as are pinned would have to lie.
    last, first = (ordered_times[-pins.least], ordered_times[pins.least - 1]) if pins.least else (None, None)
    return Standing(entry, parts.index, tree.size, tuple(sorted(counted_times)), last, first)


NO_PROOF = "no-log-proof"
OTHER_LOG = "other-log"
NOT_IN_LOG = "not-in-log"
TOO_FEW = "too-few-witnesses"
TOO_SMALL = "tree-too-small"
TOO_OLD = "log-too-old"
OTHER_ENTRY = "other-entry"
OTHER_OWNER = "other-owner"


@dataclass(frozen=True)
class Logged:
    """Require that a pinned log holds the commitment, as witnesses stated at most `max_age` seconds ago.

    `proof` is unread, empty for none; `now` is the time of the verification in POSIX seconds. Raises ValueError for an
    age where no witnesses are pinned: a log states no time.
    """

    pins: LogPins
    proof: bytes
    now: int
    max_age: int | None = None
    reasons: ClassVar[tuple[str, ...]] = (
        NO_PROOF,
        OTHER_LOG,
        NOT_IN_LOG,
        TOO_FEW,
        TOO_SMALL,
        TOO_OLD,
        OTHER_ENTRY,
        OTHER_OWNER,
    )

    def __post_init__(self) -> None:
        """Refuse an age that nothing can show."""
        if self.max_age is not None and (self.max_age < 0 or not self.pins.least):
            raise ValueError(say("policy.age_without_witnesses"))

    @property
    def covers(self) -> frozenset[str]:
        """Return the check in words; without witnesses the log itself could show everybody something else."""
        return frozenset({ABOUT_SAME}) if self.pins.least else frozenset()

    def check(self, facts: Facts) -> tuple[str, ...]:
        """Judge the log proof for the trusted commitment."""
        place = self.judge(_file_digest(facts.statement.model_commitment, facts.spec))
        return (say("checked.log", place=self._place(place), owner=_owner(place)),)

    def judge(self, digest: str) -> Standing:
        """Return where the entry of a commitment stands, by the digest of its file; raises as :func:`standing`."""
        place = standing(self.proof, self.pins, self.now)
        pins = self.pins
        if not isinstance(place.entry, CommitmentEntry):
            raise PolicyError(say("log_proof.entry_of_other_kind", kind=place.entry.kind), OTHER_ENTRY)
        if place.entry.commitment != digest:
            raise PolicyError(say("log_proof.entry_of_other_commitment"), OTHER_ENTRY)
        if pins.owner is not None and place.entry.owner != pins.owner:
            raise PolicyError(
                say("policy.log_owner_differs", stated=_owner(place), required=quoted(pins.owner)),
                OTHER_OWNER,
            )
        if place.size < pins.smallest:
            raise PolicyError(say("policy.log_too_small", stated=place.size, required=pins.smallest), TOO_SMALL)
        if self.max_age is not None and place.time is not None and self.now - place.time > self.max_age:
            raise PolicyError(
                say(
                    "policy.log_proof_too_old",
                    witnesses=pins.least,
                    time=place.shown_time,
                    age=self.now - place.time,
                    seconds=self.max_age,
                ),
                TOO_OLD,
            )
        return place

    def still_open(self) -> tuple[str, ...]:
        """Return what a proof that was accepted does not show; raises as :func:`standing`."""
        place = standing(self.proof, self.pins, self.now)
        then = place.shown_time if place.time is not None else say("log.signed_without_time")
        retired = say("unproven.not_retired", time=then)
        return (
            *((in_language(ABOUT_FORKS),) if not self.pins.least else ()),
            *((say("unproven.log_owner", owner=_owner(place)),) if self.pins.owner is None else ()),
            say("unproven.retired_in_log", sentence=retired),
        )

    def _place(self, place: Standing) -> str:
        by = (
            say("log.cosigned_by", witnesses=", ".join(place.witnesses), time=place.shown_time)
            if place.time is not None
            else ""
        )
        return say("log.place", log=self.pins.log.name, index=place.index, size=place.size, cosigned=by)


@lru_cache(maxsize=4)
def _file_digest(model_commitment: int, spec: Spec) -> str:
    """Return the digest of the commitment file, which is the same for every certificate of a model."""
    return commitment_digest(CommitmentDocument(*COMMITMENT, field.to_hex(model_commitment), spec))


def with_log_proof(policy: Policy, proof: bytes) -> Policy:
    """Return a policy for another log proof: whatever it requires of a log is then required of this one."""
    if isinstance(policy, Logged):
        return replace(policy, proof=proof)
    if isinstance(policy, AllOf | AnyOf):
        return type(policy)(*(with_log_proof(one, proof) for one in policy.policies))
    return policy


ABOUT_FORKS = english("unproven.log_witnesses")


@dataclass(frozen=True)
class ForReceipt:
    """Require that the certificate is about this receipt, which was given when the decision was made.

    `found`: the receipt came with the certificate itself. With `pins`, its `proof` must show it in the log; without a
    proof that stays open.
    """

    receipt: Receipt
    found: bool = False
    pins: LogPins | None = None
    proof: bytes = b""
    now: int = 0
    covers: ClassVar[frozenset[str]] = frozenset()
    reason: ClassVar[str] = "other-receipt"

    def check(self, facts: Facts) -> tuple[str, ...]:
        """Compare the receipt with the statement, and look for its entry."""
        self.receipt.refuse_other(about_a_ball(facts))
        whose = say("reading.receipt_that_came") if self.found else say("receipt.yours_is")
        made = say("checked.receipt", whose=whose, time=self.receipt.time)
        if self.pins is None or not self.proof:
            return (made,)
        place = self.judge()
        return made, say("checked.receipt_in_log", log=self.pins.log.name, index=place.index, size=place.size)

    def judge(self) -> Standing:
        """Return where the receipt's entry stands; raises as :func:`standing`, ValueError without pins."""
        if self.pins is None:
            raise ValueError("no log is pinned")
        place = standing(self.proof, self.pins, self.now, say("present.log_proof_of_receipt"))
        if place.entry.data != self.receipt.entry().data:
            raise PolicyError(say("log_proof.receipt_differs"), OTHER_ENTRY)
        return place

    def still_open(self) -> tuple[str, ...]:
        """Return what stays open of the receipt."""
        return (in_language(ABOUT_RECEIPT),) if self.pins is not None and not self.proof else ()


@dataclass(frozen=True)
class BoxDated:
    """Require that a pinned log holds the entry of a box certificate's file, and say since when witnesses had seen it.

    `proof` is unread, empty for none; `now` is in POSIX seconds. Raises ValueError where no witnesses are pinned: a log
    states no time. No policy: it judges the file, which no statement holds.
    """

    pins: LogPins
    proof: bytes
    now: int

    def __post_init__(self) -> None:
        """Refuse a date that nothing can show."""
        if not self.pins.least:
            raise ValueError(say("policy.date_without_witnesses"))

    def judge(self, certificate: bytes) -> Standing:
        """Return where the entry of a box certificate's file stands; raises as :func:`standing`.

        An entry of another kind is refused, though it have the digest of this very file.
        """
        place = standing(self.proof, self.pins, self.now, say("present.log_proof_of_box"))
        if place.entry.data != box_entry(certificate).data:
            raise PolicyError(say("log_proof.box_differs"), OTHER_ENTRY)
        return place

    def made(self, place: Standing) -> str:
        """Say that the log holds the file's entry, and since when at the latest."""
        since = "" if place.since is None else shown_time(place.since)
        return say("checked.box_in_log", log=self.pins.log.name, index=place.index, size=place.size, time=since)


ABOUT_RECEIPT = english("unproven.receipt_in_log")


@dataclass(frozen=True)
class LogTerms:
    """What is demanded of a log, in plain values; `least` None stands for all witnesses."""

    key: str
    witnesses: Sequence[str] = ()
    least: int | None = None
    smallest: int = 1
    max_days: int | None = None
    owner: str | None = None

    def pins(self) -> LogPins:
        """Return the pins; raises ValueError naming what is wrong."""
        from equiproof.verifier.notes import VerifierKey

        keys = tuple(VerifierKey.parse(line, witness=True) for line in self.witnesses)
        least = len(keys) if self.least is None else self.least
        return LogPins(VerifierKey.parse(self.key), keys, least, self.smallest, self.owner)

    def policy(self, proof: bytes, now: int) -> Logged:
        """Return the policy for a proof at a time; raises ValueError as :meth:`pins`."""
        return Logged(self.pins(), proof, now, None if self.max_days is None else self.max_days * DAY)


def _owner(place: Standing) -> str:
    """Return the name in a commitment's entry."""
    return quoted(place.entry.owner) if isinstance(place.entry, CommitmentEntry) else ""
