"""From seals and openings, or a beacon's round, to the drawn receipts: what anybody checks, and who is missing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

import msgspec

from equiproof.circuits.tables import say
from equiproof.register.lot import drand
from equiproof.register.lot.counted import Counted
from equiproof.register.lot.documents import Opening, PeriodDocument, Seal, Signed, digest_of_seals, time_text
from equiproof.register.lot.draw import drawn_places, sealed, seed_of_beacon, seed_of_nonces
from equiproof.register.lot.errors import LotRefusedError, NotDrawnError
from equiproof.register.lot.folder import PeriodFolder

T = TypeVar("T", bound=Signed)


@dataclass(frozen=True)
class Drawn:
    """The draw of a period: its seed, and the entries of the drawn receipts in the order of the draw."""

    seed: bytes
    entries: tuple[int, ...]


def draw(folder: PeriodFolder, counted: Counted) -> Drawn:
    """Draw again; raises NotDrawnError naming who has not sealed or opened, LotRefusedError for a rule that is broken.

    `counted` are the receipts that the log has.
    """
    period = folder.period
    if len(counted) != period.receipts:
        raise LotRefusedError(say("lot.receipts_differ", actual=len(counted), stated=period.receipts))
    seed = seed_of(folder)
    places = drawn_places(seed, period.receipts, period.drawn)
    return Drawn(seed, tuple(counted.receipts[place] for place in places))


def seed_of(folder: PeriodFolder) -> bytes:
    """Return the seed of a period; raises as :func:`draw`."""
    seals = all_seals(folder)
    if folder.period.by == "beacon":
        return _by_beacon(folder, seals)
    return _by_nonces(folder, seals)


def all_seals(folder: PeriodFolder) -> list[Seal]:
    """Return every party's seal, each checked; raises as :func:`draw`."""
    seals = folder.seals
    for place, seal in enumerate(seals):
        if seal is not None:
            check_signed(seal, folder.period, place)
            if (seal.sealed is msgspec.UNSET) != (folder.period.by == "beacon"):
                raise LotRefusedError(say("lot.nonce_where_nonces", file=folder.name(Seal, place)))
    missing = [folder.period.keys[place].name for place, seal in enumerate(seals) if seal is None]
    if missing:
        raise NotDrawnError(say("lot.parties_unsealed", names=_names(missing)))
    return [seal for seal in seals if seal is not None]


def check_signed(document: T, period: PeriodDocument, place: int) -> None:
    """Raise LotRefusedError unless a seal or an opening is of this period and of the party at this place."""
    name = PeriodFolder.name(type(document), place)
    if document.period != period.digest.hex():
        raise LotRefusedError(say("lot.document_of_other_period", file=name))
    if document.party != place + 1:
        raise LotRefusedError(say("lot.document_of_other_party", file=name, stated=document.party, required=place + 1))
    if not document.holds(period.keys[place]):
        raise LotRefusedError(say("lot.signature_wrong", file=name, signer=period.keys[place].name))


def _by_nonces(folder: PeriodFolder, seals: list[Seal]) -> bytes:
    """Return the seed where every party has opened what it sealed, having seen every seal."""
    period = folder.period
    openings = folder.openings
    names = [key.name for key, opening in zip(period.keys, openings, strict=True) if opening is None]
    if names:
        raise NotDrawnError(say("lot.seals_unopened", names=_names(names)))
    all_openings = [opening for opening in openings if opening is not None]
    seals_digest = digest_of_seals(seals)
    latest = max(seal.time for seal in seals)
    for place, (opening, seal, key) in enumerate(zip(all_openings, seals, period.keys, strict=True)):
        check_signed(opening, period, place)
        name = folder.name(Opening, place)
        if opening.seals != seals_digest:
            # Whoever opened first had seen other seals: somebody sealed again when a nonce was known.
            raise LotRefusedError(say("lot.other_seals", file=name, name=key.name))
        if opening.time < latest:
            raise LotRefusedError(say("lot.opened_too_early", file=name, time=opening.time, seal=latest))
        if sealed(period.digest, key.public, bytes.fromhex(opening.nonce)).hex() != seal.sealed:
            raise LotRefusedError(say("lot.nonce_differs", file=name, name=key.name))
    return seed_of_nonces(period.digest, [bytes.fromhex(opening.nonce) for opening in all_openings])


def _by_beacon(folder: PeriodFolder, seals: list[Seal]) -> bytes:
    """Return the seed where every party had sealed the period before the round that it names came out."""
    period = folder.period
    beacon = folder.beacon
    number = period.round_number
    out = drand.time_of(number)
    for place, seal in enumerate(seals):
        if datetime.fromisoformat(seal.time) >= out:
            raise LotRefusedError(
                say("lot.sealed_too_late", file=folder.name(Seal, place), time=seal.time, round=number)
            )
    if beacon is None:
        raise NotDrawnError(say("lot.round_not_in_folder", round=number, time=time_text(out)))
    if beacon.period != period.digest.hex():
        raise LotRefusedError(say("lot.document_of_other_period", file="beacon.json"))
    return seed_of_beacon(period.digest, drand.randomness(number, bytes.fromhex(beacon.signature)))


def _names(names: list[str]) -> str:
    if len(names) == 1:
        return say("lot.one_has", name=names[0])
    return say("lot.several_have", names=f" {say('word.and')} ".join(names))
