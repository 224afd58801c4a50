"""Recourse of a refused applicant under a committed model, and the box certificates of what is found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from equiproof.certify.boxes import room_without_key
from equiproof.certify.recourse.search import MOST, NotRefusedError, Recourse, search
from equiproof.circuits.allowed import Wish, wanted_label
from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.spec import Spec, SpecError
from equiproof.circuits.tables import say
from equiproof.prover.box import BoxProven, BoxProver, room_of
from equiproof.prover.keys import StoredKey
from equiproof.prover.opening import Opening

SHOWN = 3
"""How many ways are shown to somebody who does not ask for more: they tell the model, as exact radii do."""


class RulesError(SpecError):
    """A spec without rules of change; one line with the way to draft them."""

    exit_code = MISUSED


def recourse(
    opening: Opening,
    row: Mapping[str, Any],
    *,
    label: str | None = None,
    wishes: Mapping[str, Wish] | None = None,
    key: StoredKey | None = None,
    most: int = SHOWN,
    seconds: float | None = None,
) -> Recourse:
    """Return what an applicant with this raw row can do to be decided `label`, by default the last of the spec's.

    With a key of boxes only what it has room for is claimed. `most` ways are kept of those that are found. Raises
    RulesError for a spec without rules, SpecError for an unknown label, NotRefusedError for whom the model does not
    refuse for every listed value, WishError for wishes that do not fit.
    """
    spec = opening.spec
    refuse_without_rules(spec)
    wanted = wanted_label(spec, label)
    query = opening.encode(row)
    decided = {opening.model.decide((*query, *one)) for one in spec.domain_table}
    refused = decided.pop()
    if decided or refused is None:
        raise NotRefusedError(
            "give an applicant who is refused whatever the sensitive values are: this one is decided otherwise for some"
        )
    if refused == wanted:
        raise NotRefusedError(
            f"give an applicant who is refused: this one is decided {spec.labels[wanted]!r} whatever the sensitive "
            f"values are (--label names the label that is wanted)"
        )
    room = room_without_key(opening.model, spec) if key is None else room_of(key.document.shape)
    found = search(opening.model, spec, row, refused, wanted, room, wishes=wishes, most=MOST, seconds=seconds)
    return found.keeping(most)


def refuse_without_rules(spec: Spec) -> None:
    """Raise RulesError for a spec without rules of change."""
    if not spec.has_changes:
        raise RulesError(say("pair.no_rules"))


def proven(
    prover: BoxProver, found: Recourse, wanted: str, context: Mapping[str, str] | None = None
) -> Iterator[BoxProven]:
    """Yield the box certificate of a none, of all or of a part of what is allowed, or of each way to `wanted`."""
    if found.ends is not None:
        yield prover.prove(found.ends, prover.opening.spec.labels[found.refused], context)
    for way in found.ways:
        yield prover.prove(way.ends, wanted, context)
