"""The port over DBOS: jobs are rows beside the decisions, written in their transaction (docs/adr).

Arguments are ids and travel as JSON: a database that somebody writes to must not run code here. DBOS would also read
what a row calls pickled, whatever serializer it was given, so that its own one is put out of use. The application's
version is pinned, since DBOS takes a changed program for another one and leaves its jobs alone. On SQLite DBOS has a
connection of its own to the same file, because it begins transactions by itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, Self
from uuid import uuid4

from dbos import DBOS, DBOSClient, DBOSConfig, EnqueueOptions, Serializer, _serialization
from sqlalchemy import TextClause, text
from sqlalchemy.orm import Session

from equiproof.service.jobs.port import Work

NAME = "equiproof"
QUEUE = "proofs"
WORKFLOW = "certify"

VERSION = "1"
"""Of the workflow, not of the program: raised when jobs that wait cannot be done by the new program."""

POLLING_SECONDS = 0.25

DRAIN_SECONDS = 60

_LIVE_STATUSES = ("ENQUEUED", "PENDING", "DELAYED")


class Texts(Serializer):
    """Arguments and results as JSON."""

    def serialize(self, data: Any) -> str:
        """Return JSON; errors that a job raised are kept as their words."""
        return json.dumps(data, default=str)

    def deserialize(self, serialized_data: str) -> Any:
        """Return what was serialized."""
        return json.loads(serialized_data)

    def name(self) -> str:
        """Return the name that DBOS keeps beside the data."""
        return "equiproof-json"


def _refuse_pickled(*_: object) -> NoReturn:
    raise TypeError("a row that is pickled: nothing here writes such rows")


# Each row names its own serializer, and DBOS compares the name with that of this one before it looks at ours.
_serialization.DefaultSerializer.deserialize = _refuse_pickled  # type: ignore[assignment, method-assign]


def _submit(schema: str) -> tuple[TextClause, TextClause]:
    """Return the statements that put a job into the queue as DBOS does; `schema` is that of its tables."""
    status = text(
        f"insert into {schema}workflow_status (workflow_uuid, status, name, application_version, recovery_attempts, "  # noqa: S608
        "queue_name, priority, serialization, attributes, is_debounced, creator_xid) "
        f"values (:job, 'ENQUEUED', '{WORKFLOW}', '{VERSION}', 0, '{QUEUE}', 0, '{Texts().name()}', 'null', false, "
        ":creator) on conflict (workflow_uuid) do nothing"
    )
    inputs = text(
        f"insert into {schema}workflow_input (workflow_uuid, inputs) values (:job, :given) "  # noqa: S608
        "on conflict (workflow_uuid) do nothing"
    )
    return status, inputs


_SUBMIT_STATEMENTS = {True: _submit(""), False: _submit("dbos.")}
"""By whether the database is SQLite."""


class Client:
    """The side that submits."""

    def __init__(self, address: str) -> None:
        self._texts = Texts()
        self._client = DBOSClient(system_database_url=address, serializer=self._texts)

    def submit(self, session: Session, jobs: Mapping[str, str]) -> None:
        """Write jobs into the session's transaction, all by two statements: DBOS itself writes one after the other.

        A test compares the rows with those that DBOS writes.
        """
        if not jobs:
            return
        rows = [
            {"job": job, "creator": str(uuid4()), "given": self._texts.serialize({"args": [argument], "kwargs": {}})}
            for job, argument in jobs.items()
        ]
        connection = session.connection()
        for statement in _SUBMIT_STATEMENTS[connection.dialect.name == "sqlite"]:
            connection.execute(statement, rows if len(rows) > 1 else rows[0])

    def cancel(self, job: str) -> None:
        """Cancel a job."""
        self._client.cancel_workflow(job)

    def begun(self, worker: str) -> list[str]:
        """Return the jobs that a worker has begun and not ended, as far as is written."""
        workflows = self._client.list_workflows(
            status="PENDING", executor_id=worker, load_input=False, load_output=False
        )
        return [one.workflow_id for one in workflows]

    def put_back(self, jobs: Sequence[str]) -> None:
        """Put jobs that were begun back into the queue; two who do so at once have them done twice, without harm.

        DBOS itself goes on with the jobs of its own name alone, and only when it begins.
        """
        if jobs:
            self._client.resume_workflows(list(jobs), queue_name=QUEUE)

    def revive(self, jobs: Mapping[str, str]) -> int:
        """Begin those anew that have ended, were given up, or are not there at all."""
        workflows = self._client.list_workflows(workflow_ids=list(jobs), load_input=False, load_output=False)
        states = {one.workflow_id: one.status for one in workflows}
        revived = 0
        for job, decision_id in jobs.items():
            if (state := states.get(job)) in _LIVE_STATUSES:
                continue
            if state is None:
                self._client.enqueue(_options(job), decision_id)
            else:
                self._client.rewind_workflow(job, queue_name=QUEUE, application_version=VERSION)
            revived += 1
        return revived

    def close(self) -> None:
        """Let the database go."""
        self._client.destroy()


def _options(job: str) -> EnqueueOptions:
    """Return how a job is put into the queue."""
    return {"workflow_name": WORKFLOW, "queue_name": QUEUE, "workflow_id": job, "app_version": VERSION}


class Worker:
    """The side that works: one for each machine, under a name that stays the same when it is started again."""

    def __init__(self, address: str, name: str, provers: int, work: Work, running: set[str]) -> None:
        """Take where jobs are, the worker's name, how many it does at once, what does one, and who wants to know.

        `running` has the jobs that this process does at any moment.
        """
        self._provers = provers
        self._config = DBOSConfig(
            name=NAME,
            system_database_url=address,
            application_version=VERSION,
            executor_id=name,
            serializer=Texts(),
            log_level="ERROR",
        )

        # No limit of attempts: a worker that is killed says nothing about the job; what a prover dies of, we count.
        @DBOS.workflow(name=WORKFLOW, max_recovery_attempts=None)
        def certify(decision_id: str) -> None:
            job = DBOS.workflow_id or ""
            running.add(job)
            try:
                work(decision_id)
            finally:
                running.discard(job)

        self._workflow = certify

    def __enter__(self) -> Self:
        DBOS(config=self._config)
        DBOS.launch()
        DBOS.register_queue(QUEUE, worker_concurrency=self._provers, polling_interval_sec=POLLING_SECONDS)
        return self

    def __exit__(self, *_: object) -> None:
        DBOS.destroy(workflow_completion_timeout_sec=DRAIN_SECONDS)


def migrate(address: str) -> None:
    """Make the tables of DBOS, or bring them up to date."""
    DBOS.migrate(address)
