"""What a decision in review was found to be: the same applicant, decided otherwise for other sensitive values.

For the owner alone: a finding says what the model does with values that it never asked for, and lies sealed beside the
decision. It holds nothing of the applicant's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec
from sqlalchemy.orm import Session

from equiproof.circuits.canonical import canonical_bytes
from equiproof.prover.opening import Opening
from equiproof.service.store.tables import Decision, Finding
from equiproof.service.vault import Vault


class Side(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One choice of sensitive values, as the spec writes them, and the index of the label; None for a tie."""

    values: dict[str, str]
    label: int | None


class CounterexampleDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A "flip": two sides with different labels. A "tie": one side on which no label wins, and no flip."""

    kind: Literal["flip", "tie"]
    sides: tuple[Side, ...]


def found_at(opening: Opening, integers: Sequence[int]) -> CounterexampleDocument | None:
    """Return what disagrees at a query of n_x integers; None where all sensitive values lead to one label."""
    spec = opening.spec
    decide = opening.model.decide
    labels = [decide((*integers, *columns)) for columns in spec.domain_table]
    decided = [(number, label) for number, label in enumerate(labels) if label is not None]
    first = next(iter(decided), None)
    other = next((one for one in decided if first is not None and one[1] != first[1]), None)
    if first is not None and other is not None:
        return sides_of(opening, "flip", [first, other])
    tied = [(number, label) for number, label in enumerate(labels) if label is None]
    return sides_of(opening, "tie", tied[:1]) if tied else None


def sides_of(
    opening: Opening, kind: Literal["flip", "tie"], cases: Sequence[tuple[int, int | None]]
) -> CounterexampleDocument:
    """Return a finding from the numbers of sensitive assignments, counted from 0, and their labels."""
    names = [feature.name for feature in opening.spec.sensitive_features]
    values = opening.spec.domain_values
    sides = tuple(Side(dict(zip(names, values[number], strict=True)), label) for number, label in cases)
    return CounterexampleDocument(kind, sides)


def keep(session: Session, decision_id: str, document: CounterexampleDocument, vault: Vault, now: int) -> None:
    """Seal what was found beside a decision, unless something is there already."""
    if session.get(Finding, decision_id) is None:
        session.add(row(decision_id, document, vault, now))


def row(decision_id: str, document: CounterexampleDocument, vault: Vault, now: int) -> Finding:
    """Return what was found about a decision as its sealed row."""
    sealed = vault.seal(canonical_bytes(document), about(decision_id))
    return Finding(decision_id=decision_id, sealed=sealed, made=now)


def finding_of(session: Session, decision: Decision, vault: Vault) -> CounterexampleDocument | None:
    """Return what was found about a decision; None for nothing, or where it was erased. Raises VaultError."""
    row = session.get(Finding, decision.id)
    if row is None or row.sealed is None:
        return None
    return msgspec.json.decode(vault.open(row.sealed, about(decision.id)), type=CounterexampleDocument)


def about(decision_id: str) -> str:
    """Return what a finding's box is bound to, which is not the decision's own data."""
    return f"finding of {decision_id}"
