"""`equiproof service`: what an operator does once, or now and then; `equiproof serve` runs what was set up."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equiproof.cli.commands import service_key, service_model, service_officer, service_one, service_trail
from equiproof.cli.commands.common import Json, tell
from equiproof.cli.commands.service_common import USUAL, SettingsFile, note, now, transaction

if TYPE_CHECKING:
    from equiproof.service.settings import LogSettings

app = typer.Typer(no_args_is_help=True)
app.add_typer(service_model.app, name="model")
app.add_typer(service_key.clients, name="client")
app.add_typer(service_key.keys, name="key")
app.add_typer(service_officer.app, name="officer")
app.add_typer(service_trail.app, name="trail")
app.command("erase")(service_one.erase)
app.command("hold")(service_one.hold)


class Priority(StrEnum):
    """How provers share a machine with other programs."""

    IDLE = "idle"
    NORMAL = "normal"


@app.callback()
def _group() -> None:
    """Set up a lending service, and keep it."""


@app.command()
def init(
    folder: Annotated[Path, typer.Argument(help="The folder of the service's settings, vault key and database.")],
    lender: Annotated[str, typer.Option("--lender", help="Your name, as letters show it.")],
    contact: Annotated[str, typer.Option("--contact", help="Where applicants reach you, as their page shows it.")] = "",
    owner: Annotated[str, typer.Option("--owner", help="The name of your entries in the public log.")] = "",
    listen: Annotated[
        str, typer.Option("--listen", help="An address of this machine, where requests are answered.")
    ] = "127.0.0.1:8080",
    database: Annotated[
        str, typer.Option("--database", help="sqlite:///FILE, or postgresql+psycopg://USER@HOST/NAME.")
    ] = "sqlite:///service.db",
    log: Annotated[str | None, typer.Option("--log-url", help="The public log: where it takes entries.")] = None,
    log_key: Annotated[
        Path | None, typer.Option("--log-key", help="The file of the log's verifier key; with --log-url.")
    ] = None,
    witness: Annotated[
        list[Path] | None,
        typer.Option(
            "--witness",
            help="The file of a witness's verifier key; repeat it. All must have signed: least_witnesses says fewer.",
        ),
    ] = None,
    priority: Annotated[
        Priority, typer.Option("--prover-priority", help="Whether provers take what time others leave, or their share.")
    ] = Priority.IDLE,
    as_json: Json = False,
) -> None:
    """Write the first settings, a vault key and a database.

    Keep the vault key with your backups, apart from the database: without it, nothing that is sealed can be read.
    """
    from equiproof.service.initial import SETTINGS_FILE, VAULT_FILE, Choice, make_service
    from equiproof.service.settings import LenderSettings
    from equiproof.service.starting import prepare

    public_log = _log_of(log, log_key, owner, witness or [])
    choice = Choice(LenderSettings(lender, contact, owner), listen, database, public_log, priority.value)
    prepare(make_service(folder, choice))
    document = {"settings": str(folder / SETTINGS_FILE), "vault": str(folder / VAULT_FILE)}
    text = (
        f"SERVICE of {lender}\n  settings {document['settings']}\n  vault key {document['vault']}: keep it\n"
        "  next: `equiproof service model add`, `service client add`, `service officer add` for the console, `serve`"
    )
    tell(as_json=as_json, document=document, text=text)


def _log_of(url: str | None, key: Path | None, owner: str, witnesses: list[Path]) -> LogSettings | None:
    """Return the settings of the public log; raises typer's own error for half of them, and what its key raises."""
    from equiproof.cli.commands.log_watch import read_log_key
    from equiproof.service.settings import LogSettings

    if url is None and key is None and not witnesses:
        return None
    if url is None or key is None or not owner:
        raise typer.BadParameter("--log-url, --log-key and --owner belong together, and --witness needs them")
    read_log_key(str(key))
    for path in witnesses:
        read_log_key(str(path), witness=True)
    return LogSettings(url, str(key.resolve()), tuple(str(path.resolve()) for path in witnesses))


@app.command()
def migrate(settings: SettingsFile = USUAL, as_json: Json = False) -> None:
    """Bring the database's tables up to date.

    Do it once for each new release, before it is started; docs/operations.md says in which order.
    """
    from equiproof.service.settings import load_settings
    from equiproof.service.starting import prepare

    prepare(load_settings(settings))
    tell(as_json=as_json, document={"migrated": True}, text="MIGRATED: the tables are those of this program")


@app.command()
def check(
    settings: SettingsFile = USUAL,
    compare_log: Annotated[
        bool, typer.Option("--compare-log", help="Compare database and public log entry by entry, as after a restore.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Look at all that `equiproof serve` needs.

    Vault, database, models with their keys, and the public log. Exits with 2 where something is not as it must be.
    """
    from equiproof.circuits.exit_codes import MISUSED
    from equiproof.service.checking import check as look
    from equiproof.service.settings import load_settings

    checks = list(look(load_settings(settings), with_log=compare_log))
    good = all(one.good for one in checks)
    lines = [
        f"{'READY' if good else 'NOT READY'}: {settings}",
        *(f"  {'+' if one.good else '-'} {one.text}" for one in checks),
    ]
    document = {"ready": good, "checks": [{"good": one.good, "text": one.text} for one in checks]}
    tell(as_json=as_json, document=document, text="\n".join(lines))
    if not good:
        raise typer.Exit(MISUSED)


@app.command()
def demo(
    context: typer.Context,
    out: Annotated[Path, typer.Option("--out", help="The folder for the demo's files; replaces an earlier demo.")] = (
        Path("serve-demo")
    ),
    form: Annotated[
        Path | None, typer.Option("--form", help="A front end to run beside it, such as examples/lender/lender.py.")
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="End once the three applicants are served.")] = False,
) -> None:
    """Run a whole service on this machine.

    Public log, witness, service, console, and three applicants who ask for a loan. Ctrl-C ends it, and leaves nothing
    running.
    """
    from equiproof.cli.service_demo import run_service_demo

    if code := run_service_demo(context.obj, out, form, once=once):
        raise typer.Exit(code)


@app.command()
def rotate(
    new_key: Annotated[
        str | None, typer.Option("--new-key", metavar="NAME", help="Only write a new key on top of the vault's file.")
    ] = None,
    settings: SettingsFile = USUAL,
    as_json: Json = False,
) -> None:
    """Seal everything anew under the vault's first key.

    First --new-key, then start the service again, so that all processes have the new key, then without the option.
    After that the old key's line can leave the file.
    """
    from equiproof.service.rotation import rotate as seal_anew
    from equiproof.service.store.database import Database
    from equiproof.service.trail import Act
    from equiproof.service.vault import add_key, load_vault

    if new_key is not None:
        with transaction(settings) as (known, session):
            note(session, Act.VAULT_KEY, new_key[:64])
            add_key(Path(known.vault), new_key)
        text = f"KEY {new_key} is the vault's first now; start the service again, then `equiproof service rotate`"
        tell(as_json=as_json, document={"key": new_key, "sealed_anew": 0}, text=text)
        return
    with transaction(settings) as (known, session):
        vault = load_vault(Path(known.vault))
        # Boxes are sealed anew in many transactions; the line stands before the first of them.
        note(session, Act.ROTATE, vault.newest)
    with Database(known.database) as database:
        count = seal_anew(database, vault)
        database.forget()
    document = {"key": vault.newest, "sealed_anew": count}
    tell(as_json=as_json, document=document, text=f"ROTATED {count} boxes, all now under the key {vault.newest}")


@app.command()
def again(
    decisions: Annotated[
        list[str] | None, typer.Argument(help="Ids of decisions that are failed or undecided.")
    ] = None,
    settings: SettingsFile = USUAL,
    as_json: Json = False,
) -> None:
    """Have decisions proven once more.

    All that failed, where none is named. First mend what their history names; workers begin within half a minute.
    """
    from equiproof.service.again import again as try_again
    from equiproof.service.trail import Act

    with transaction(settings) as (_, session):
        count = try_again(session, decisions or [], now())
        for one in dict.fromkeys(decisions or [""]):
            note(session, Act.AGAIN, one, f"decisions={count}")
    tell(as_json=as_json, document={"again": count}, text=f"AGAIN: {count} decisions are proven once more")


@app.command()
def purge(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be erased.")] = False,
    yes: Annotated[
        int | None, typer.Option("--yes", metavar="COUNT", help="Erase so many decisions, however unusual that is.")
    ] = None,
    most: Annotated[
        int, typer.Option("--most", metavar="PERCENT", min=0, max=100, help="How many are erased without --yes.")
    ] = 10,
    settings: SettingsFile = USUAL,
    as_json: Json = False,
) -> None:
    """Erase what is older than the settings' retention.

    Removes personal data, salts and blindings of decisions whose time is over. Receipts and counts stay, and so does
    what is held. Lines of the trail go after their own time. Run it every day. Refused, unless --yes names the number
    of decisions: a clock that is far from the newest decision, decisions that wait for a certificate, and more than
    --most percent.
    """
    from dataclasses import asdict

    from equiproof.service import purging
    from equiproof.service.retention import clear
    from equiproof.service.retention import purge as erase
    from equiproof.service.store.database import Database
    from equiproof.service.trail import Act, Channel, prune, user

    time = now()
    with transaction(settings) as (known, session):
        found = purging.due(session, known.retention, time)
        if dry_run:
            text = (
                f"WOULD PURGE {found.decisions} decisions of {found.kept}: {found.waiting} wait, {found.held} are held"
            )
            tell(as_json=as_json, document=asdict(found), text=text)
            return
        purging.refuse_unusual(found, purging.newest(session, known.log), time, most, yes)
        purged = asdict(erase(session, known.retention, time))
        note(session, Act.PURGE, detail=" ".join(f"{name}={count}" for name, count in purged.items()))
        purged["lines"] = prune(session, known.retention.trail_days, user(Channel.COMMAND), time)
    with Database(known.database) as database:
        purged |= asdict(clear(database, known.retention, time))
        database.forget()
    counts = ", ".join(f"{count} {name}" for name, count in purged.items())
    tell(as_json=as_json, document=purged, text=f"PURGED {counts}")
