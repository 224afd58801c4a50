"""Closing a period: its receipts are counted under a signed checkpoint, and whatever could be chosen is fixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.numbers import exact
from equiproof.circuits.tables import say
from equiproof.circuits.units import cut, largest_shown
from equiproof.register.log import Log
from equiproof.register.lot.counted import Counted, Standing, count
from equiproof.register.lot.documents import PERIOD, Demanded, PeriodDocument, parse_period
from equiproof.register.lot.errors import LotError
from equiproof.register.lot.folder import PeriodFolder, PeriodLink
from equiproof.verifier.documents import CommitmentDocument
from equiproof.verifier.entries import commitment_digest
from equiproof.verifier.notes import VerifierKey
from equiproof.verifier.trust import TrustedKey


@dataclass(frozen=True)
class Terms:
    """What the owner fixes when it closes a period; `parties` are the owner and its auditors.

    `first` is the period's first entry; `round` is a beacon's, None for a draw by nonces. `due` is the day by which the
    owner will answer.
    """

    name: str
    owner: str
    parties: Sequence[VerifierKey]
    drawn: int
    min_radius: str
    share: str
    confidence: str = "0.95"
    first: int = 0
    round: int | None = None
    groups: str | None = None
    due: str | None = None


def close(
    root: Path,
    log: Log,
    terms: Terms,
    commitment: CommitmentDocument,
    keys: Sequence[TrustedKey],
    links: Sequence[PeriodLink] = (),
) -> PeriodFolder:
    """Close a period at the log's newest checkpoint and write its folder.

    `links` are those of the kept keys among `keys`, with their own keys. Raises LotError for terms that no period can
    have and for a kept key without its link, LogError for the log, LotRefusedError for what it holds.
    """
    by_key = {link.document.key: link for link in links}
    needed = [one.document for one in keys if one.document.shape.kept]
    for one in needed:
        if one.fingerprint not in by_key:
            raise LotError(
                f"bring the link of the kept key {one.fingerprint[:16]}... and the key for links that it names: "
                "without it no certificate of the period could be checked"
            )
    own_links = [by_key[one.fingerprint] for one in needed]
    policy = Demanded(
        commitment_digest(commitment),
        tuple(key.document.fingerprint for key in keys),
        terms.min_radius,
        terms.share,
        terms.confidence,
        msgspec.UNSET if terms.due is None else terms.due,
        tuple(link.digest for link in own_links) or msgspec.UNSET,
    )
    data, signed = log.newest()
    checkpoint = signed.checkpoint
    last = checkpoint.size - 1
    if not 0 <= terms.first <= last:
        raise LotError(f"begin at an entry of the log: it has {checkpoint.size}, and entry {terms.first} is none")
    entries = log.tiles(checkpoint).entries(0, checkpoint.size)
    counted = count(entries, checkpoint, terms.first, last, demanded(terms.owner, policy))
    if not len(counted):
        raise LotError(f"name a period with receipts: entries {terms.first} to {last} have none to draw from")
    period = PeriodDocument(
        *PERIOD,
        name=terms.name,
        owner=terms.owner,
        log=log.key.text,
        size=checkpoint.size,
        root=checkpoint.root.hex(),
        first=terms.first,
        last=last,
        receipts=len(counted),
        policy=policy,
        drawn=min(terms.drawn, len(counted)),
        by="nonces" if terms.round is None else "beacon",
        parties=tuple(key.text for key in terms.parties),
        round=msgspec.UNSET if terms.round is None else terms.round,
        groups=msgspec.UNSET if terms.groups is None else terms.groups,
    )
    period = parse_period(canonical_bytes(period), "period")
    if why := unreachable(period, commitment):
        raise LotError(why)
    refuse_unshown(period, counted)
    return PeriodFolder.write(root, period, data, commitment, keys, own_links)


def unreachable(period: PeriodDocument, commitment: CommitmentDocument) -> str:
    """Return why no certificate of the period's model can have its least radius, in one line; empty where some can."""
    required, most = period.policy.min_radius, largest_shown(commitment.spec)
    if exact(required) <= most:
        return ""
    return say("lot.radius_unreachable", most=f"{cut(most):.6f}", required=required)


def refuse_unshown(period: PeriodDocument, counted: Counted) -> None:
    """Raise LotError unless the log shows the period's commitment, keys and links as the owner's, none retired."""
    for owner, what, digest in demanded(period.owner, period.policy):
        if (owner, what, digest) not in counted.shown:
            raise LotError(say("lot.not_in_log", kind=what, digest=digest[:16], owner=owner))


def demanded(owner: str, policy: Demanded) -> list[Standing]:
    """Return what the log must show of a policy: the commitment, then the keys, and then the links of kept ones."""
    return [
        (owner, "commitment", policy.commitment),
        *((owner, "key", key) for key in policy.keys),
        *((owner, "link", link) for link in policy.own_links),
    ]
