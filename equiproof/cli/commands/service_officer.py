"""`equiproof service officer`: people who use the console."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from equiproof.cli.commands.common import Json, tell
from equiproof.cli.commands.service_common import USUAL, SettingsFile, note, now, transaction

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from equiproof.service.store.tables import Officer

app = typer.Typer(no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="The name with which they sign in.")]
RoleName = Literal["officer", "auditor", "admin"]


@app.callback()
def _group() -> None:
    """Give people accounts for the console."""


@app.command()
def add(
    name: Name,
    role: Annotated[
        RoleName,
        typer.Option(
            "--role", help="An officer decides; an auditor reads, also the trail; an admin keeps the accounts."
        ),
    ] = "officer",
    settings: SettingsFile = USUAL,
    as_json: Json = False,
) -> None:
    """Add an account, and print its password.

    The password is shown this once. Whoever gets it can change it in the console.
    """
    from equiproof.service.console.officers import Role, add_officer, new_password
    from equiproof.service.trail import Act

    chosen = new_password()
    with transaction(settings) as (_, session):
        officer = add_officer(session, name, Role(role), chosen, now())
        note(session, Act.ACCOUNT, officer.id, f"role={role}")
    _show("OFFICER", name, chosen, as_json=as_json, role=role)


@app.command("role")
def change_role(
    name: Name,
    role: Annotated[RoleName, typer.Argument(help="The new role; `officer add --help` says what each may do.")],
    settings: SettingsFile = USUAL,
    as_json: Json = False,
) -> None:
    """Give an account another role.

    It counts from the account's next request on. The last admin stays one.
    """
    from equiproof.service.console.officers import Role, set_role
    from equiproof.service.trail import Act

    with transaction(settings) as (_, session):
        officer = _found(session, name)
        set_role(session, officer, Role(role))
        note(session, Act.ACCOUNT_ROLE, officer.id, f"role={role}")
    tell(as_json=as_json, document={"name": name, "role": role}, text=f"ROLE of {name}: {role}")


@app.command()
def password(name: Name, settings: SettingsFile = USUAL, as_json: Json = False) -> None:
    """Print a new password for an account.

    Ends its sessions, and opens it again where it was closed.
    """
    from equiproof.service.console.officers import enable, new_password, set_password
    from equiproof.service.trail import Act

    chosen = new_password()
    with transaction(settings) as (_, session):
        officer = _found(session, name)
        set_password(session, officer, chosen)
        was_closed = officer.disabled is not None
        enable(officer)
        note(session, Act.ACCOUNT_PASSWORD, officer.id, f"role={officer.role}")
        if was_closed:
            note(session, Act.ACCOUNT_OPENED, officer.id, f"role={officer.role}")
    _show("PASSWORD", name, chosen, as_json=as_json)


@app.command()
def close(name: Name, settings: SettingsFile = USUAL, as_json: Json = False) -> None:
    """Close an account, and end its sessions."""
    from equiproof.service.console.officers import disable
    from equiproof.service.trail import Act

    with transaction(settings) as (_, session):
        officer = _found(session, name)
        disable(session, officer, now())
        note(session, Act.ACCOUNT_CLOSED, officer.id, f"role={officer.role}")
    tell(as_json=as_json, document={"name": name, "closed": True}, text=f"CLOSED {name}")


@app.command("forget-keys")
def forget_keys(name: Name, settings: SettingsFile = USUAL, as_json: Json = False) -> None:
    """Remove the security keys of an account.

    For somebody who has lost them. Ends its sessions. The password stays, and alone opens the account until a key is
    added; give a new one with it where it may be known.
    """
    from equiproof.service.console.factors import detail_of, forget
    from equiproof.service.trail import Act

    with transaction(settings) as (_, session):
        officer = _found(session, name)
        forgotten = forget(session, officer)
        for one in forgotten:
            note(session, Act.SECURITY_KEY_REMOVED, officer.id, detail_of(one))
    document = {"name": name, "removed": len(forgotten)}
    tell(as_json=as_json, document=document, text=f"REMOVED {len(forgotten)} security keys of {name}")


@app.command("list")
def list_officers(settings: SettingsFile = USUAL, as_json: Json = False) -> None:
    """List the accounts."""
    from equiproof.service.console.officers import officers

    with transaction(settings) as (_, session):
        rows: list[dict[str, Any]] = [
            {"name": one.name, "role": one.role, "closed": one.disabled is not None} for one in officers(session)
        ]
    lines = [f"{row['name']}  {row['role']}{', closed' if row['closed'] else ''}" for row in rows]
    tell(as_json=as_json, document={"officers": rows}, text="\n".join(lines) or "NO OFFICER yet")


def _found(session: Session, name: str) -> Officer:
    """Return the account of a name; raises OfficerError for none."""
    from equiproof.service.console.officers import OfficerError, named

    officer = named(session, name)
    if officer is None:
        raise OfficerError(f"no account {name[:40]!r}; `equiproof service officer list` has them all")
    return officer


def _show(what: str, name: str, chosen: str, *, as_json: bool, **more: str) -> None:
    """Print a password, once it is kept."""
    document = {"name": name, "password": chosen, **more}
    tell(as_json=as_json, document=document, text=f"{what} {name}; the password, shown this once:\n{chosen}")
