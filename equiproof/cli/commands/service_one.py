"""`equiproof service erase` and `hold`: what an operator does about one decision."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from equiproof.cli.commands.common import Json, tell
from equiproof.cli.commands.service_common import USUAL, SettingsFile, note, now, transaction

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from equiproof.service.store.tables import Decision

Identifier = Annotated[str, typer.Argument(metavar="DECISION", help="The decision's id.")]
Reason = Annotated[str, typer.Option("--reason", help="Why; kept with the decision. Name no applicant in it.")]


def erase(
    identifier: Identifier,
    reason: Reason,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be erased.")] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Although it waits for a certificate, and then gets none.")
    ] = False,
    settings: SettingsFile = USUAL,
    as_json: Json = False,
) -> None:
    """Erase one decision's personal data before their time.

    Removes what `purge` removes. The receipt's digest, states and the certificate stay. A decision that is held is
    not erased.
    """
    from equiproof.service.retention import RetentionError
    from equiproof.service.retention import erase as forget
    from equiproof.service.states import WAITING_STATES
    from equiproof.service.store.database import Database
    from equiproof.service.trail import Act

    with transaction(settings) as (known, session):
        decision = _decision(session, identifier)
        if decision.state in WAITING_STATES and not (yes or dry_run):
            raise RetentionError(f"decision {identifier}: wait for its certificate, or give it up with --yes")
        if dry_run:
            text = f"WOULD ERASE the data of {identifier}, which is {decision.state}; its receipt is {decision.receipt}"
            tell(as_json=as_json, document={"decision": identifier, "state": decision.state}, text=text)
            return
        forget(session, decision, reason, now())
        note(session, Act.ERASE, identifier)
        receipt = decision.receipt
    with Database(known.database) as database:
        database.forget()
    document = {"decision": identifier, "receipt": receipt}
    tell(as_json=as_json, document=document, text=f"ERASED the data of {identifier}; its receipt {receipt} stays")


def hold(
    identifier: Identifier,
    until: Annotated[
        datetime, typer.Option("--until", formats=["%Y-%m-%d"], metavar="DATE", help="The first day without the hold.")
    ],
    reason: Reason,
    settings: SettingsFile = USUAL,
    as_json: Json = False,
) -> None:
    """Keep one decision from erasure until a day.

    As a court or an authority may want. The newest hold of a decision stands: one until a past day ends it.
    """
    from equiproof.service.retention import hold as keep
    from equiproof.service.trail import Act

    day = until.replace(tzinfo=UTC)
    with transaction(settings) as (_, session):
        keep(session, _decision(session, identifier), int(day.timestamp()) * 1_000_000, reason, now())
        note(session, Act.HOLD, identifier, f"until={day.date().isoformat()}")
    document = {"decision": identifier, "until": day.date().isoformat()}
    tell(as_json=as_json, document=document, text=f"HELD {identifier} until {document['until']}")


def _decision(session: Session, identifier: str) -> Decision:
    """Return a decision; raises RetentionError."""
    from equiproof.service.retention import RetentionError
    from equiproof.service.store.tables import Decision

    if (decision := session.get(Decision, identifier)) is None:
        raise RetentionError(
            f"no decision {identifier[:40]!r} here; the console's address of its page ends with the id"
        )
    return decision
