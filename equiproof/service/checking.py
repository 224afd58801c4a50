"""What a service needs before it starts: looked at one after the other, with a line about each."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

from sqlalchemy.engine import make_url
from sqlalchemy.orm import Session

from equiproof.circuits.files import naming
from equiproof.circuits.text import plain
from equiproof.prover.keys import KeyStore, StoredKey
from equiproof.prover.linking import OwnLink, checked, standing
from equiproof.prover.opening import Opening
from equiproof.register.errors import LogError
from equiproof.service import recourses
from equiproof.service.clock import now
from equiproof.service.compared import compare, described
from equiproof.service.console.identities import secret_of, secret_of_proxy
from equiproof.service.entrance import line_of
from equiproof.service.guardrails import Guardrails
from equiproof.service.interpreter import holes
from equiproof.service.keys import box_key_of, links_beside
from equiproof.service.models import ModelError, Models, all_models, refuse_missing_key
from equiproof.service.policy import refuse_unreachable
from equiproof.service.public_log import PinsError, public_log
from equiproof.service.reasons import refuse_misfits
from equiproof.service.rotation import refuse_lost_key
from equiproof.service.settings import (
    LogSettings,
    PolicySettings,
    ProxySignOnSettings,
    RecourseSettings,
    Settings,
    SettingsError,
    SignOnSettings,
    WebhookSettings,
)
from equiproof.service.store import migrations, queries
from equiproof.service.store.database import Database
from equiproof.service.store.tables import Model
from equiproof.service.tracing import tracing_of
from equiproof.service.vault import load_vault
from equiproof.service.web.built import refuse_unbuilt
from equiproof.service.webhooks import load_hooks
from equiproof.verifier.errors import CertificateFormatError

LookAtLink: TypeAlias = Callable[[Opening, StoredKey, Path], OwnLink | None]
"""What looks at the link of a key in a folder; None for a key that needs none. Raises KeyStoreError for a wrong one."""


@dataclass(frozen=True)
class CheckResult:
    """One thing that was looked at, in one line, and whether it is as it must be."""

    good: bool
    text: str


def check(settings: Settings, *, with_log: bool = False) -> Iterator[CheckResult]:
    """Look at all that the settings name but the address; yields a line about each, and raises nothing of theirs.

    `with_log` compares database and public log too, unless the database is away or has the tables of another release.
    """
    yield _result("vault", lambda: _vault(settings))
    schema = _result("database", lambda: _database(settings))
    yield schema
    if schema.good:
        with Database(settings.database) as database, database.transaction() as session:
            yield _result("sealed data", partial(_sealed, session, settings))
            if settings.policy.guardrails:
                yield _result("guardrails", partial(_guardrails, session, settings.policy))
            if settings.recourse is not None and settings.recourse.reasons:
                yield _result("recourse.reasons", partial(_reasons, session, settings))
            lines = [*_models(session, settings.policy, checked), *_recourses(session, settings.recourse)]
        yield from lines or [CheckResult(False, "models: none decides; `equiproof service model add` adds one")]
    if settings.log is not None:
        yield _result("log", partial(_log, settings.log))
    yield from (_result(f"webhook {name}", partial(_hook, name, hook)) for name, hook in settings.webhooks.items())
    if settings.console.lots:
        yield _result("console.lots", partial(_lots, Path(settings.console.lots)))
    if settings.sign_on is not None:
        yield _result("sign_on", partial(_sign_on, settings, settings.sign_on))
    if settings.proxy_sign_on is not None:
        yield _result("proxy_sign_on", partial(_proxy_sign_on, settings.proxy_sign_on))
    if settings.telemetry is not None:
        yield _result("telemetry", partial(_telemetry, settings))
    yield _result("applicant's page", _page)
    # No fault of the service: it goes on, and the operator is told.
    yield CheckResult(True, f"python: {holes() or 'no known holes'}")
    if with_log and schema.good:
        yield from compared(settings)


def compared(settings: Settings) -> Iterator[CheckResult]:
    """Compare database and public log entry by entry, as after a restore; yields a line about each that one lacks."""
    if settings.log is None:
        yield CheckResult(False, "log and database: the settings have no section `log`")
        return
    owner = settings.lender.owner or settings.lender.name
    try:
        with Database(settings.database) as database:
            found = compare(database, public_log(settings.log), owner)
    except (OSError, LogError, PinsError, CertificateFormatError) as error:
        yield CheckResult(False, plain(f"log and database: {line_of(error)}"))
        return
    summary = f"{found.size} entries; {found.decisions} receipts and {found.certificates} certificates are of decisions"
    yield CheckResult(True, f"log and database: {summary} here")
    if found.lost:
        lost = f"{len(found.lost)} receipts are of no decision here; one that a lot draws counts as without certificate"
        yield CheckResult(False, f"log and database: {lost}: docs/operations.md says what can be done")
    for number, receipt in found.lost:
        yield CheckResult(False, f"entry {number}: receipt {receipt}: of no decision here")
    for number, entry in found.strange:
        yield CheckResult(False, plain(f"entry {number}: {described(entry)}: not in the database"))
    for decision in found.moved:
        where = "its receipt or certificate is not where the log had it: another log, or an older copy of it?"
        yield CheckResult(False, f"decision {decision}: {where}")


def unready(settings: Settings) -> Iterator[CheckResult]:
    """Look at the models; yields a line about each whose decisions will have no certificates or papers.

    The service can run without them, and others go on deciding. Raises what the database raises.
    """
    with Database(settings.database) as database, database.transaction() as session:
        yield from [line for line in _models(session, settings.policy, standing) if not line.good]


def _models(session: Session, policy: PolicySettings, linked: LookAtLink) -> Iterator[CheckResult]:
    """Look at the models that decide, and at earlier ones with decisions."""
    for row in all_models(session):
        if row.retired is None:
            yield _result(f"model {row.name}", partial(_model, session, row, policy, linked))
        elif queries.has_decided(session, row.id):
            yield _result(f"earlier model {row.name}", partial(_earlier, session, row))


def _recourses(session: Session, limits: RecourseSettings | None) -> Iterator[CheckResult]:
    """Look at what recourse needs, where the settings allow it or some was handed out."""
    for row in all_models(session):
        if row.retired is None and limits is not None:
            yield _result(f"recourse of {row.name}", partial(_recourse, session, row, limits))
        elif recourses.has_boxes(session, row.id):
            yield _result(f"earlier recourse of {row.name}", partial(_earlier_recourse, session, row))


def _recourse(session: Session, row: Model, limits: RecourseSettings) -> str:
    """Check that a model whose spec has rules of change has a key of boxes, the owner's."""
    owned = Models().of(session, row.id).opening
    if not owned.spec.has_changes:
        return "none, since the spec has no rules of change (`equiproof spec --changes` drafts them)"
    key = KeyStore(Path(row.keys)).find_box(owned)
    used = recourses.used_by_model(session, row.id)
    return f"key of boxes {key.folder}; {used} of {limits.model_ways} ways handed out"


def _earlier_recourse(session: Session, row: Model) -> str:
    """Check that the bundles of decisions whose recourse was released still have the key of its boxes."""
    owned = Models().of(session, row.id).opening
    if box_key_of(owned, Path(row.keys)) is None:
        raise ModelError(f"{row.keys}: copy the key of boxes there too: recourse of {row.name} is under it")
    return "its decisions have the key of boxes"


def require(settings: Settings) -> None:
    """Raise what vault, database, address, policy, log's keys, secrets or telemetry raise if they are not ready.

    The log, the endpoints and the provider may be away for a while: nobody asks them here.
    """
    for look in (_vault, _database, _address, _telemetry):
        look(settings)
    Guardrails.load(settings.policy)
    if settings.policy.min_radius is not None:
        _min_radius(settings)
    if settings.log is not None:
        public_log(settings.log)
    load_hooks(settings.webhooks)
    if settings.sign_on is not None:
        secret_of(settings.sign_on)
    if settings.proxy_sign_on is not None:
        secret_of_proxy(settings.proxy_sign_on)


def _result(name: str, look: Callable[[], str]) -> CheckResult:
    """Say what a look has found, or why it failed."""
    try:
        return CheckResult(True, plain(f"{name}: {look()}"))
    except Exception as error:
        if not isinstance(error, OSError) and not hasattr(error, "exit_code"):
            raise
        return CheckResult(False, plain(f"{name}: {line_of(error)}"))


def _vault(settings: Settings) -> str:
    vault = load_vault(Path(settings.vault))
    return f"{settings.vault}: {len(vault.keys)} key(s); {vault.newest!r} seals what is new"


def _sealed(session: Session, settings: Settings) -> str:
    """Check that the vault has the key of every box."""
    refuse_lost_key(session, load_vault(Path(settings.vault)))
    return "the vault has the keys of all of it"


def _guardrails(session: Session, policy: PolicySettings) -> str:
    """Check that each guardrail can be read and fits its model; one whose model is not added yet waits for it."""
    guardrails = Guardrails.load(policy)
    fitting = set()
    for row in all_models(session):
        if guardrails.of(Models().of(session, row.id).opening) is not None:
            fitting.add(row.commitment)
    waiting = [file for commitment, (file, _) in guardrails.by_commitment.items() if commitment not in fitting]
    later = f"; of no model that is added here yet: {', '.join(waiting)}" if waiting else ""
    return f"{len(fitting)} in front of a model{later}"


def _reasons(session: Session, settings: Settings) -> str:
    """Check that each table of reasons can be read and fits its model."""
    fitting, waiting = refuse_misfits(session, Models(), settings)
    later = f"; of no model that is added here yet: {', '.join(waiting)}" if waiting else ""
    return f"{fitting} of a model that decides{later}"


def _min_radius(settings: Settings) -> None:
    """Refuse a least radius that some model which decides never reaches; of an opening that is away others tell."""
    models = Models()
    with Database(settings.database) as database, database.transaction() as session:
        for row in all_models(session):
            if row.retired is None:
                with suppress(ModelError):
                    refuse_unreachable(row.name, models.of(session, row.id).spec, settings.policy)


def _database(settings: Settings) -> str:
    migrations.refuse_other(settings.database)
    return f"{make_url(settings.database)!r}: its tables are those of this program"


def _address(settings: Settings) -> str:
    """Check that nothing listens at the service's own address yet."""
    host, _, port = settings.listen.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with naming(Path(settings.listen)), socket.create_server((host, int(port)), family=family):
            return f"{settings.listen} is free"
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        reason = f"end the program that listens there, or choose another `listen`: {os.strerror(error.errno)}"
        raise SettingsError(f"{settings.listen}: {reason}") from None


def _model(session: Session, row: Model, policy: PolicySettings, linked: LookAtLink) -> str:
    """Check that a model's opening is the row's, its key the owner's, and the policy's least radius in its reach.

    `linked` looks at the link of a kept key: its file, its own key, the commitment and the opening agree.
    """
    owned = Models().of(session, row.id).opening
    refuse_unreachable(row.name, owned.spec, policy)
    links = links_beside(row.opening)
    key = KeyStore(Path(row.keys)).find_for(owned, links=links)
    link = linked(owned, key, links)
    beside = "" if link is None else f", link {link.path} under {link.link_key.folder}"
    return f"commitment {row.commitment[:16]}..., key {key.folder}{beside}"


def _earlier(session: Session, row: Model) -> str:
    """Check that what the decisions of a model are shown with is there: its opening, and keys of their certificates."""
    Models().of(session, row.id)
    refuse_missing_key(session, row, Path(row.keys), links_beside(row.opening))
    return f"commitment {row.commitment[:16]}..., its decisions have its opening and keys"


def _log(log: LogSettings) -> str:
    """Check the log's key and its witnesses', that the log is there, and that its checkpoint is signed by its key."""
    register = public_log(log)
    _, checkpoint = register.newest()
    quorum = f"{register.pins.least} of {len(register.pins.witnesses)} witnesses must have signed"
    return f"{log.url}: {checkpoint.size} entries of {checkpoint.origin}; {quorum}"


def _hook(name: str, hook: WebhookSettings) -> str:
    """Check an endpoint's secret; nothing is sent."""
    load_hooks({name: hook})
    return f"{hook.secret}: signs what goes to {hook.url}"


def _page() -> str:
    """Check that links of applicants have something to open."""
    refuse_unbuilt()
    return "built"


def _lots(folder: Path) -> str:
    """Check that the folder of pages is there."""
    if not folder.is_dir():
        raise SettingsError(f"{folder}: make this folder, or leave the field out: it is not there")
    return f"{folder}: {len(list(folder.glob('*.html')))} page(s)"


def _sign_on(settings: Settings, sign_on: SignOnSettings) -> str:
    """Check the client's secret, and that the provider is there and has keys that may sign."""
    from equiproof.service.console.provider import Provider

    keys = Provider(sign_on, settings.public_url, now).keys()
    return f"{sign_on.issuer}: {keys} key(s) that may sign; roles by {sign_on.roles_claim}"


def _proxy_sign_on(proxy: ProxySignOnSettings) -> str:
    """Check the secret by which the proxy is known."""
    secret_of_proxy(proxy)
    return f"names in {proxy.header}, groups in {proxy.roles_header}, from {', '.join(proxy.proxies)}"


def _telemetry(settings: Settings) -> str:
    """Check that what sends traces is installed; nothing is sent."""
    with ExitStack() as stack:
        tracing_of(settings, stack, "check")
    return f"traces go to {settings.telemetry.endpoint}" if settings.telemetry else "none"
