"""`python -m equiproof.service.webhooks SETTINGS`: tells the configured endpoints of every change.

A change is written in the transaction that makes it, and sent until the endpoint takes it, so at least once: the header
`webhook-id` is the same each time. Messages name a decision and its state, and hold nothing of the applicant's. They
are signed as the Standard Webhooks specification says: HMAC-SHA256 over id, time and body.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Event
from typing import ClassVar

from sqlalchemy import Select, or_, select, update
from sqlalchemy.orm import aliased

from equiproof.circuits.canonical import read_limited
from equiproof.circuits.exit_codes import MISUSED
from equiproof.service.clock import now
from equiproof.service.decisions import CHANGE, CORRECTION, MICROSECONDS, RECOURSE
from equiproof.service.delivery import Deliveries, DeliveryError
from equiproof.service.endpoints import Endpoint, endpoint
from equiproof.service.entrance import enter
from equiproof.service.leaving import announcements, is_announced
from equiproof.service.numbers import Numbers
from equiproof.service.own_files import refuse_shared
from equiproof.service.settings import PolicySettings, Settings, WebhookSettings
from equiproof.service.states import State
from equiproof.service.stopping import run_until_stopped, teller
from equiproof.service.store import migrations
from equiproof.service.store.database import Database, UnavailableError, update_rows
from equiproof.service.store.tables import Decision, Outgoing
from equiproof.service.troubles import Troubles

WEBHOOK = "webhook"
"""The kind of the outbox's rows that wait for one endpoint each."""

BATCH = 160
"""How many changes are spread in one transaction."""

CONNECTIONS = 16
"""How many messages are sent to an endpoint at once, each of another decision: those of one come in their order."""

ROUND = 8 * CONNECTIONS
"""After how many messages to an endpoint it is written what became of them, and looked what is due."""

FIRST_PAUSE = 5
MAX_PAUSE = 3600
"""Seconds until a message is sent again: twice as many each time."""

RETRY_WINDOW = 3 * 24 * 3600 * MICROSECONDS
IDLE_SECONDS = 0.5
MIN_SECRET = 24
PREFIX = "whsec_"

_log = logging.getLogger("equiproof.service.webhooks")

Deliver = Callable[[Endpoint, Mapping[str, str], bytes], None]


class WebhookError(ValueError):
    """An endpoint that cannot be used; one line naming it, without its secret."""

    exit_code: ClassVar[int] = MISUSED


@dataclass(frozen=True)
class Hook:
    """An endpoint with the key of its signatures, and the states of decisions of which it is told."""

    endpoint: Endpoint
    secret: bytes = field(repr=False)
    states: frozenset[str] = frozenset(State)


def load_hooks(settings: Mapping[str, WebhookSettings]) -> dict[str, Hook]:
    """Read the secrets of the configured endpoints; raises OSError, and WebhookError for a file that holds none."""
    return {
        name: Hook(endpoint(hook.url), _secret(Path(hook.secret)), frozenset(hook.states))
        for name, hook in settings.items()
    }


def signed(secret: bytes, identifier: str, seconds: int, body: bytes) -> dict[str, str]:
    """Return the headers of a message: its id, the time in seconds since 1970, and the signature over both and body."""
    mac = hmac.new(secret, f"{identifier}.{seconds}.".encode() + body, hashlib.sha256).digest()
    return {
        "webhook-id": identifier,
        "webhook-timestamp": str(seconds),
        "webhook-signature": f"v1,{base64.b64encode(mac).decode()}",
    }


class Webhooks:
    """Spreads changes to the endpoints, and sends what waits; one process of a service does this.

    Each endpoint has threads of its own: one that is slow or away keeps no message from another. Close it when done.
    """

    def __init__(
        self,
        database: Database,
        hooks: Mapping[str, Hook],
        clock: Callable[[], int],
        send: Deliver,
        policy: PolicySettings = PolicySettings(),  # noqa: B008 -- frozen
        numbers: Numbers | None = None,
    ) -> None:
        """Take where messages wait and go; `policy` says when a change may leave, `numbers` counts what was sent."""
        self._numbers = numbers
        self._database = database
        self._policy = policy
        self._hooks = hooks
        self._clock = clock
        self._send = send
        self._resting = dict[str, int]()
        self._pools = {name: ThreadPoolExecutor(CONNECTIONS, thread_name_prefix=f"webhook {name}") for name in hooks}

    def close(self) -> None:
        """End the threads, once what they send has ended."""
        for pool in self._pools.values():
            pool.shutdown()

    def spread(self) -> int:
        """Turn changes that may leave into one message for each endpoint that is told of their state, or of all.

        Returns how many changes. All of it happens, or none.
        """
        moment = self._clock()
        with self._database.transaction() as session:
            fresh = select(Outgoing).where(Outgoing.kind.in_((CHANGE, CORRECTION, RECOURSE)), Outgoing.done.is_(None))
            fresh = fresh.where(is_announced(self._policy, moment))
            # Two processes at once turn different changes into messages, and neither waits for the other.
            held = fresh.order_by(Outgoing.id).limit(BATCH).with_for_update(skip_locked=True)
            rows = session.scalars(held).all()
            for at, decision_id, body, state in announcements(session, rows, self._policy):
                for name in (name for name, hook in self._hooks.items() if not state or state in hook.states):
                    session.add(Outgoing(kind=WEBHOOK, decision_id=decision_id, target=name, body=body, created=at))
            for row in rows:
                row.done = moment
        return len(rows)

    def send(self, target: str) -> int:
        """Send what is due to an endpoint, as much as at once, of each decision in its order; return what it took.

        One that has failed a moment ago is left alone.
        """
        if self._rests(target):
            return 0
        with self._database.reading() as session:
            due = session.execute(self._due(target)).all()
        failed = Event()
        rows, requests = [row for row, _ in due], [request for _, request in due]
        told = self._pools[target].map(partial(self._told, self._hooks[target], failed), rows, requests)
        taken = {row.id: accepted for row, accepted in zip(rows, told, strict=True) if accepted is not None}
        if taken:
            self._note(taken)
            self._count(target, list(taken.values()))
        if failed.is_set():
            self._resting[target] = self._clock() + FIRST_PAUSE * MICROSECONDS
        return sum(taken.values())

    def _count(self, target: str, taken: Sequence[bool]) -> None:
        """Count messages to an endpoint that were sent, those that it took and those that it did not."""
        if self._numbers is None:
            return
        accepted = sum(taken)
        self._numbers.add("equiproof_webhook_messages", accepted, target, "taken")
        self._numbers.add("equiproof_webhook_messages", len(taken) - accepted, target, "refused")
        if accepted:
            at = self._clock() / MICROSECONDS
            self._numbers.set("equiproof_webhook_success_timestamp_seconds", at, target)

    def drop_others(self) -> None:
        """End what waits for endpoints that the settings no longer name, with a line about each."""
        left = (Outgoing.kind == WEBHOOK, Outgoing.done.is_(None), Outgoing.target.not_in(self._hooks))
        with self._database.transaction() as session:
            targets = session.scalars(select(Outgoing.target).where(*left).distinct()).all()
            ended = update(Outgoing).where(*left).values(done=self._clock())
            session.execute(ended, execution_options={"synchronize_session": False})
        for target in targets:
            _log.warning("no longer configured", extra={"fields": {"webhook": target}})

    def _rests(self, target: str) -> bool:
        """Return whether an endpoint has failed a moment ago: it is asked once in a while, not once a message."""
        # A rest that would last longer was written while the clock was ahead.
        return 0 < self._resting.get(target, 0) - self._clock() <= FIRST_PAUSE * MICROSECONDS

    def _due(self, target: str) -> Select[Outgoing, str | None]:
        """Return a question for messages that wait no more, each the first of its decision's, with its request's id.

        None waits longer than the longest pause: a later time was written while the clock was ahead.
        """
        now = self._clock()
        late = or_(Outgoing.due <= now, Outgoing.due > now + MAX_PAUSE * MICROSECONDS)
        earlier = aliased(Outgoing)
        before = select(earlier.id).where(
            earlier.kind == WEBHOOK,
            earlier.done.is_(None),
            earlier.target == target,
            earlier.decision_id == Outgoing.decision_id,
            earlier.id < Outgoing.id,
        )
        waits = (Outgoing.kind == WEBHOOK, Outgoing.done.is_(None), Outgoing.target == target)
        query = select(Outgoing, Decision.request).join(Decision).where(*waits, late, ~before.exists())
        return query.order_by(Outgoing.id).limit(ROUND)

    def _told(self, hook: Hook, failed: Event, row: Outgoing, request: str | None) -> bool | None:
        """Send one message; tell whether the endpoint took it, None for one that was not sent since another failed.

        Its line in the process's log has the id of the request that asked for the decision.
        """
        if failed.is_set():
            return None
        fields = {"request": request, "webhook": row.target}
        try:
            headers = signed(hook.secret, identifier_of(row), self._clock() // MICROSECONDS, row.body)
            self._send(hook.endpoint, headers, row.body)
        except DeliveryError as error:
            failed.set()
            _log.warning("not taken", extra={"fields": fields | {"why": str(error)}})
            return False
        _log.info("taken", extra={"fields": fields})
        return True

    def _note(self, taken: Mapping[int, bool]) -> None:
        """Keep what became of messages, given by their rows, in one transaction.

        They were sent first and are noted after: cut off in between they are sent again, with the same ids, and never
        lost.
        """
        moment = self._clock()
        with self._database.transaction() as session:
            sent = select(Outgoing.id, Outgoing.attempts, Outgoing.created).where(Outgoing.id.in_(taken))
            values = []
            for row in session.execute(sent.order_by(Outgoing.id).with_for_update()).all():
                over = taken[row.id] or moment - row.created > RETRY_WINDOW
                # The shift is bounded, since attempts are not.
                pause = min(FIRST_PAUSE << min(row.attempts, 20), MAX_PAUSE)
                values.append(
                    {
                        "id": row.id,
                        "attempts": row.attempts + 1,
                        "done": moment if over else None,
                        "due": moment + pause * MICROSECONDS,
                    }
                )
            update_rows(session, Outgoing, values)


def identifier_of(row: Outgoing) -> str:
    """Return a message's id: that of the change, so that sending it again is known as the same."""
    message = json.loads(row.body)
    if "correction" in message:
        return f"{message['decision']}-correction-{message['correction']}"
    if "recourse" in message:
        # Of recourse that failed, and was asked for again, there is more than one.
        return f"{message['decision']}-recourse-{message['recourse']}-{message['at']}"
    if "override" in message:
        return f"{message['decision']}-override-{message['override']}"
    return f"{message['decision']}-{message['number']}"


def main(path: str) -> int:
    """Send until SIGTERM or Ctrl-C; returns an exit code. Raises what beginning raises, each one line."""
    return run_until_stopped(path, _run)


def _run(settings: Settings, stack: ExitStack, stopped: Event) -> None:
    """Spread changes, and send to each endpoint in a thread of its own, until it is enough."""
    migrations.refuse_other(settings.database)
    database = stack.enter_context(Database(settings.database))
    deliveries = Deliveries()
    stack.callback(deliveries.close)
    numbers = Numbers("webhooks", now())
    stack.enter_context(numbers.kept(database, now))
    webhooks = Webhooks(database, load_hooks(settings.webhooks), now, deliveries, settings.policy, numbers)
    stack.callback(webhooks.close)
    webhooks.drop_others()
    works = {"changes": webhooks.spread} | {name: partial(webhooks.send, name) for name in settings.webhooks}
    with ThreadPoolExecutor(len(works)) as pool:
        threads = [pool.submit(_repeated, work, name, stopped) for name, work in works.items()]
        try:
            # A thread that ends before it is told to has a fault, and the process ends with it.
            wait(threads, return_when=FIRST_COMPLETED)
        finally:
            stopped.set()
    for thread in threads:
        thread.result()


def _repeated(work: Callable[[], int], name: str, stopped: Event) -> None:
    """Work, and look again soon where nothing was to be done; a database that is away is waited for."""
    troubles = Troubles(teller("webhooks"))
    while not stopped.is_set():
        try:
            done = work()
        except UnavailableError as error:
            troubles.tell(name, str(error))
            done = 0
        else:
            troubles.over(name, "goes on")
        if not done:
            stopped.wait(IDLE_SECONDS)


def _secret(path: Path) -> bytes:
    """Read the key of an endpoint's signatures; raises OSError and WebhookError."""
    refuse_shared(path, WebhookError)
    text = read_limited(path).decode("ascii", "replace").strip().removeprefix(PREFIX)
    try:
        key = base64.b64decode(text, validate=True)
    except binascii.Error:
        key = b""
    if len(key) < MIN_SECRET:
        raise WebhookError(f"{path}: want {PREFIX} and at least {MIN_SECRET} random bytes in base64")
    return key


if __name__ == "__main__":
    sys.exit(enter("webhooks", main))
