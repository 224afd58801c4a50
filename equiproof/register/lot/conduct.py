"""What each party of a lot does: seal a close, open what was sealed, bring the beacon's round.

A party keeps what it sealed in a folder of its own. It never seals two closes that share an entry of a log: so as long
as one auditor keeps to this, no period is closed again, drawn again, or cut to please.
"""

from __future__ import annotations

import secrets
from datetime import datetime
from pathlib import Path

import msgspec

from equiproof.circuits.canonical import canonical_bytes, read_regular
from equiproof.circuits.files import write_file
from equiproof.register.lot import drand
from equiproof.register.lot.close import unreachable
from equiproof.register.lot.documents import (
    BEACON,
    NONCE,
    OPENING,
    SEAL,
    Beacon,
    NonceDocument,
    Opening,
    PeriodDocument,
    Seal,
    digest_of_seals,
    parse_nonce,
    signed,
    time_text,
)
from equiproof.register.lot.draw import sealed
from equiproof.register.lot.errors import LotError, LotRefusedError
from equiproof.register.lot.folder import PeriodFolder
from equiproof.register.lot.lottery import all_seals
from equiproof.verifier.notes import Signer


def seal(folder: PeriodFolder, signer: Signer, own_folder: Path, now: datetime) -> Path:
    """Seal a period as one of its parties; `own_folder` is the folder of what this party has sealed, for its eyes only.

    Raises LotError for somebody who is no party, FileExistsRefusedError for one who has sealed it already, and
    LotRefusedError where the round is out, where no certificate can have the least radius, or where another close of
    any of its entries was sealed.
    """
    period = folder.period
    place = _place(folder.period, signer)
    if why := unreachable(period, folder.commitment):
        raise LotRefusedError(why)
    if not isinstance(period.round, msgspec.UnsetType) and now >= (out := drand.time_of(period.round)):
        raise LotRefusedError(
            f"close the period again with a later round: round {period.round} is out since {time_text(out)}, and its "
            "value could have been known"
        )
    nonce = _nonce(period, own_folder)
    what: str | msgspec.UnsetType = msgspec.UNSET
    if period.by == "nonces":
        what = sealed(period.digest, signer.verifier.public, nonce).hex()
    return folder.add(signed(Seal(*SEAL, period.digest.hex(), place + 1, time_text(now), "", what), signer))


def open_seal(folder: PeriodFolder, signer: Signer, own_folder: Path, now: datetime) -> Path:
    """Open what this party sealed; raises as :func:`.lottery.draw` unless every party has sealed."""
    period = folder.period
    place = _place(folder.period, signer)
    seals = all_seals(folder)
    nonce = _kept_nonce(period, own_folder)
    if nonce is None or sealed(period.digest, signer.verifier.public, nonce).hex() != seals[place].sealed:
        raise LotError(
            f"{own_folder}: name the folder with which you sealed: it holds no nonce that opens "
            f"{folder.name(Seal, place)}"
        )
    opening = Opening(*OPENING, period.digest.hex(), place + 1, time_text(now), "", digest_of_seals(seals), nonce.hex())
    return folder.add(signed(opening, signer))


def bring_round(folder: PeriodFolder, signature: bytes) -> Path:
    """Write the round that the period names; raises BeaconError unless quicknet signed it."""
    period = folder.period
    if isinstance(period.round, msgspec.UnsetType):
        raise LotError("seal and open nonces instead: this period is drawn by nonces, and by no beacon")
    all_seals(folder)
    drand.randomness(period.round, signature)
    return folder.add(Beacon(*BEACON, period.digest.hex(), signature.hex()))


def next_step(folder: PeriodFolder, signer: Signer) -> str:
    """Return what a party does next: "seal", "open", "wait" for the seals of others, or "done"."""
    place = _place(folder.period, signer)
    seals = folder.seals
    if seals[place] is None:
        return "seal"
    if folder.period.by == "beacon" or folder.openings[place] is not None:
        return "done"
    return "wait" if None in seals else "open"


def _place(period: PeriodDocument, signer: Signer) -> int:
    """Return the place of a signer among the parties."""
    if signer.verifier not in period.keys:
        raise LotError(
            f"sign with a key that the period names: {signer.name} is not its party, or has another key there"
        )
    return period.keys.index(signer.verifier)


def _nonce(period: PeriodDocument, own_folder: Path) -> bytes:
    """Return the nonce for a period, kept before anybody sees its seal; the same one if it is asked for again."""
    old_nonce = _kept_nonce(period, own_folder)
    if old_nonce is not None:
        return old_nonce
    nonce = secrets.token_bytes(32)
    document = NonceDocument(*NONCE, period.digest.hex(), period.log, period.first, period.last, nonce.hex())
    write_file(own_folder / f"{period.digest.hex()}.json", canonical_bytes(document), secret=True)
    return nonce


def _kept_nonce(period: PeriodDocument, own_folder: Path) -> bytes | None:
    """Return the nonce that was kept for a period, None for none; raises LotRefusedError for another close of it."""
    nonce = None
    for path in sorted(own_folder.glob("[!.]*.json")):
        other = parse_nonce(read_regular(path), str(path))
        if other.period == period.digest.hex():
            nonce = bytes.fromhex(other.nonce)
        elif other.log == period.log and other.first <= period.last and period.first <= other.last:
            raise LotRefusedError(
                f"{path}: take part in one close alone: you sealed another of entries "
                f"{max(other.first, period.first)} to "
                f"{min(other.last, period.last)}; an entry is drawn from once"
            )
    return nonce
