"""`equiproof service client` and `equiproof service key`: whose programs may call."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equiproof.cli.commands.common import Json, split_names, tell
from equiproof.cli.commands.service_common import USUAL, SettingsFile, day_of, note, now, transaction

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from sqlalchemy.orm import Session

    from equiproof.service.clients import NewKey, Scope

    Make = Callable[[Session, str, Collection[Scope], int, int], NewKey]

USUAL_SCOPES = "submit,read"

clients = typer.Typer(no_args_is_help=True)
keys = typer.Typer(no_args_is_help=True)

Client = Annotated[str, typer.Argument(help="The client's name: small letters, digits and hyphens.")]
Scopes = Annotated[str, typer.Option("--scopes", help="What the key may do, of submit, read and admin.")]
Days = Annotated[int, typer.Option("--days", min=1, max=3660, help="For how many days the key lives.")]


@clients.callback()
def _clients() -> None:
    """Add clients: programs that call, such as a front end."""


@keys.callback()
def _keys() -> None:
    """Make, list and revoke API keys."""


@clients.command("add")
def add_client(
    client: Client,
    scopes: Scopes = USUAL_SCOPES,
    days: Days = 365,
    settings: SettingsFile = USUAL,
    as_json: Json = False,
) -> None:
    """Add a client, and print its first key.

    The key is shown this once: the service keeps its digest alone. A client sees its own decisions only.
    """
    from equiproof.service.clients import add_client as make

    _make(make, client, scopes, days, settings, as_json=as_json)


@keys.command()
def new(
    client: Client,
    scopes: Scopes = USUAL_SCOPES,
    days: Days = 365,
    settings: SettingsFile = USUAL,
    as_json: Json = False,
) -> None:
    """Print a further key of a client.

    Two keys of a client may live at a time: give the new one to the program, then revoke the old one.
    """
    from equiproof.service.clients import another_key as make

    _make(make, client, scopes, days, settings, as_json=as_json)


@keys.command()
def revoke(
    key: Annotated[str, typer.Argument(help="The key's id, the middle of eqp_ID_SECRET.")],
    settings: SettingsFile = USUAL,
    as_json: Json = False,
) -> None:
    """End a key's life now."""
    from equiproof.service.clients import revoke as end
    from equiproof.service.trail import Act

    with transaction(settings) as (_, session):
        end(session, key, now())
        note(session, Act.KEY_REVOKED, key)
    tell(as_json=as_json, document={"id": key, "state": "revoked"}, text=f"REVOKED {key}")


@keys.command("list")
def list_keys(settings: SettingsFile = USUAL, as_json: Json = False) -> None:
    """List the keys of all clients, without their secrets."""
    from equiproof.service.clients import all_keys, state_of

    with transaction(settings) as (_, session):
        at = now()
        rows = [
            {
                "client": key.client,
                "id": key.id,
                "scopes": key.scopes.split(),
                "expires": day_of(key.expires),
                "state": state_of(key, at),
            }
            for key in all_keys(session)
        ]
    lines = [
        f"{row['client']}  {row['id']}  {row['state']}, {'+'.join(row['scopes'])}, until {row['expires']}"
        for row in rows
    ]
    tell(as_json=as_json, document={"keys": rows}, text="\n".join(lines) or "NO KEY yet")


def _make(make: Make, client: str, scopes: str, days: int, settings: Path, *, as_json: bool) -> None:
    """Make a key, and print it once it is kept."""
    from equiproof.service.clients import DAY
    from equiproof.service.trail import Act

    scope_list = _scopes(scopes)
    with transaction(settings) as (_, session):
        at = now()
        made = make(session, client, scope_list, at, at + days * DAY)
        note(session, Act.KEY, made.id, f"client={client} scopes={'+'.join(sorted(scope_list))}")
    document = {"client": client, "id": made.id, "key": made.text}
    tell(as_json=as_json, document=document, text=f"KEY of {client}, shown this once:\n{made.text}")


def _scopes(text: str) -> list[Scope]:
    """Read scopes separated by commas; raises typer's own error for what is none."""
    from equiproof.service.clients import Scope

    names = split_names(text) or ()
    if not names or not set(names) <= set(Scope):
        raise typer.BadParameter(f"--scopes: {text[:60]!r}: want some of {', '.join(Scope)}")
    return [Scope(one) for one in names]
