"""What the entries of a log say of each owner: commitments and keys, valid or retired."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from equiproof.circuits.names import quoted
from equiproof.circuits.text import ends, plain
from equiproof.register.errors import LogError
from equiproof.verifier.entries import (
    BoxEntry,
    CertificateEntry,
    CommitmentEntry,
    DecisionEntry,
    KeyEntry,
    LinkEntry,
    RetireEntry,
    TrailEntry,
    parse_entry,
)
from equiproof.verifier.errors import CertificateFormatError

MOST = 10_000
"""The most valid commitments and keys, and links, that a monitor keeps of all its owners: a state is one small file."""

_MOST_LISTED = 5


class Held(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What is valid of an owner: digests of commitments with the day from which they hold, and keys with theirs.

    Of a key the transcript digest is kept, None where it has none. `links` are the first links of commitments under
    keys, by :func:`pair_of`; they stay when commitment or key is retired, so that a second one is noticed then, too.
    """

    commitments: dict[str, str]
    keys: dict[str, str | None]
    links: dict[str, str] = {}


def pair_of(commitment: str, key: str) -> str:
    """Return what names a commitment under a key, by the digest of the one and the fingerprint of the other."""
    return f"{commitment} {key}"


class Event(msgspec.Struct, frozen=True):
    """One thing to tell: `what` it is, the line for people, and the same as data."""

    what: str
    text: str
    data: dict[str, Any]

    def document(self) -> dict[str, Any]:
        """Return the event as JSON data."""
        return {"event": self.what, **self.data}


class Holdings:
    """What owners hold, as the entries say that were taken so far; with `only`, of that owner alone."""

    def __init__(self, owners: dict[str, Held], only: str | None) -> None:
        self.owners = owners
        self.decisions = 0
        self._only = only
        self._touched: dict[str, None] = {}

    def take(self, index: int, data: bytes) -> Event | None:
        """Take the next entry; return what there is to tell of it, if anything.

        Nothing is told of decisions, certificates, heads of trails and other owners; with `only` nothing of box
        certificates either, which name no owner.

        Raises LogError where more is valid than a monitor keeps.
        """
        try:
            entry = parse_entry(data, f"entry {index}")
        except CertificateFormatError as error:
            return Event("unknown", f"no entry of a known kind: {plain(str(error))}", {"index": index})
        if isinstance(entry, DecisionEntry):
            self.decisions += 1
            return None
        if isinstance(entry, CertificateEntry | TrailEntry):
            return None
        if isinstance(entry, BoxEntry):
            return None if self._only is not None else _box(index, entry)
        if self._only not in (None, entry.owner):
            return None
        holding = self.owners.setdefault(entry.owner, Held({}, {}))
        if isinstance(entry, RetireEntry):
            event = _retired(index, entry, holding)
        elif isinstance(entry, CommitmentEntry):
            event = _commitment(index, entry, holding)
            self._touched[entry.owner] = None
        elif isinstance(entry, LinkEntry):
            event = self._link(index, entry, holding)
        else:
            event = _key(index, entry, holding)
        if not holding.commitments and not holding.keys and not holding.links:
            del self.owners[entry.owner]
        if sum(len(one.commitments) + len(one.keys) + len(one.links) for one in self.owners.values()) > MOST:
            raise LogError(f"more than {MOST} commitments, keys and links are valid; follow one owner: --owner")
        return event

    def _link(self, index: int, entry: LinkEntry, holding: Held) -> Event:
        """Take a link; a second one of a commitment under a key, whoever's, could tell applicants apart."""
        pair = pair_of(entry.commitment, entry.key)
        known = ((owner, held.links[pair]) for owner, held in self.owners.items() if pair in held.links)
        other = next(((owner, link) for owner, link in known if link != entry.link), None)
        holding.links.setdefault(pair, entry.link)
        of = f"of {quoted(entry.owner)}, of the commitment {entry.commitment} under the key {entry.key}: {entry.link}"
        facts = {"owner": entry.owner, "link": entry.link, "commitment": entry.commitment, "key": entry.key}
        if other is None:
            return Event("link", f"entry {index}: new link {of}", {"index": index} | facts)
        text = f"entry {index}: second link {of}; the first is {other[1]} of {quoted(other[0])}"
        return Event("link-twice", text, {"index": index} | facts | {"first": other[1], "first_owner": other[0]})

    def several(self) -> Iterable[Event]:
        """Yield what to tell of owners with a new commitment beside one that was not retired."""
        for owner in self._touched:
            valid = self.owners[owner].commitments if owner in self.owners else {}
            if len(valid) > 1:
                digests = ends([f"{digest} (from {day})" for digest, day in valid.items()], _MOST_LISTED)
                text = f"{quoted(owner)} has {len(valid)} commitments at one time: {', '.join(digests)}"
                yield Event("several", text, {"owner": owner, "commitments": dict(valid)})
        self._touched.clear()


def _commitment(index: int, entry: CommitmentEntry, holding: Held) -> Event:
    """Take a commitment."""
    # The first entry counts: a repeated one must not move the day from which it holds.
    holding.commitments.setdefault(entry.commitment, entry.valid_from)
    text = f"entry {index}: new commitment of {quoted(entry.owner)}, from {entry.valid_from}: {entry.commitment}"
    facts = {"owner": entry.owner, "commitment": entry.commitment, "valid_from": entry.valid_from}
    return Event("commitment", text, {"index": index} | facts)


def _box(index: int, entry: BoxEntry) -> Event:
    """Tell of a box certificate, which nobody holds."""
    text = f"entry {index}: new box certificate: {entry.box}"
    return Event("box", text, {"index": index, "box": entry.box})


def _key(index: int, entry: KeyEntry, holding: Held) -> Event:
    """Take a key."""
    holding.keys.setdefault(entry.key, entry.transcript)
    made = "without a transcript" if entry.transcript is None else f"with the transcript {entry.transcript}"
    text = f"entry {index}: new key of {quoted(entry.owner)}, {made}: {entry.key}"
    return Event("key", text, {"index": index, "owner": entry.owner, "key": entry.key, "transcript": entry.transcript})


def _retired(index: int, entry: RetireEntry, holding: Held) -> Event:
    """Take what an owner uses no more: only an owner's own commitments and keys end by it."""
    valid: dict[str, Any] = holding.commitments if entry.what == "commitment" else holding.keys
    known = entry.digest in valid
    valid.pop(entry.digest, None)
    never = "" if known else ", which was not valid before"
    after = "no successor" if entry.successor is None else f"successor {entry.successor}"
    why = plain(entry.why) or "no reason given"
    owner = quoted(entry.owner)
    text = f"entry {index}: {entry.what} of {owner} retired{never}: {entry.digest}: {why}; {after}"
    facts = {"owner": entry.owner, "what": entry.what, "digest": entry.digest, "why": entry.why}
    return Event("retired", text, {"index": index} | facts | {"successor": entry.successor, "was_valid": known})
