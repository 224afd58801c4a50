"""The port over the library of jobs: what it does with jobs of the dead, and with those that it gave up."""

import base64
import pickle
from pathlib import Path
from threading import Event

import pytest
from sqlalchemy import text

from equiproof.service.jobs import durable
from equiproof.service.store.database import Database
from tests.service.databases import BOTH


@pytest.fixture
def jobs(address):
    """A client with two jobs that wait, and a function that reads or changes how the library sees its jobs."""
    durable.migrate(address)
    client = durable.Client(address)
    with Database(address) as database:
        table = "workflow_status" if database.is_sqlite else "dbos.workflow_status"

        def changed(set_to="", **values):
            with database.transaction() as session:
                if set_to:
                    session.execute(text(f"update {table} set {set_to} where workflow_uuid = :job"), values)  # noqa: S608
                rows = session.execute(text(f"select workflow_uuid, status, queue_name from {table}"))  # noqa: S608
                return {job: (status, queue) for job, status, queue in rows}

        with database.transaction() as session:
            client.submit(session, {job: f"decision {job}" for job in ("first", "second")})
        yield client, changed
    client.close()


BEGUN = "status = 'PENDING', executor_id = :worker"
WAITS = ("ENQUEUED", durable.QUEUE)


@BOTH
def test_the_jobs_of_a_dead_worker_are_taken_over(jobs):
    """What it had begun waits again; what another has begun is left to that one."""
    client, changed = jobs
    changed(BEGUN, job="first", worker="dead")
    changed(BEGUN, job="second", worker="alive")
    assert client.begun("dead") == ["first"]
    client.put_back(client.begun("dead"))
    assert changed()["first"] == WAITS
    assert changed()["second"][0] == "PENDING"
    assert client.begun("dead") == []
    client.put_back([])


@pytest.mark.parametrize("state", ["ERROR", "SUCCESS", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"])
def test_a_job_that_was_given_up_is_begun_anew(jobs, state):
    """Its decision still waits, so its job does; one that waits or runs is left alone."""
    client, changed = jobs
    changed("status = :state", job="first", state=state)
    changed(BEGUN, job="second", worker="alive")
    assert client.revive({"first": "decision first", "second": "decision second"}) == 1
    assert changed()["first"] == WAITS
    assert changed()["second"][0] == "PENDING"


@BOTH
def test_a_job_that_is_not_there_is_put_there(jobs):
    """As after a restore of the decisions alone."""
    client, changed = jobs
    assert client.revive({"first": "decision first", "third": "decision third"}) == 1
    assert changed()["third"] == WAITS


def test_the_same_job_twice_is_one(jobs, address):
    """A second submission changes nothing."""
    client, changed = jobs
    with Database(address) as database, database.transaction() as session:
        client.submit(session, {"first": "decision first"})
    assert set(changed()) == {"first", "second"}


class Runs:
    """What writes a file where it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.write_text, (self.path, "ran")


@pytest.mark.slow
def test_a_job_that_somebody_wrote_runs_nothing(jobs, address, tmp_path):
    """The library would unpickle what a row calls pickled, whatever serializer is ours; the other job is done."""
    _, changed = jobs
    changed("serialization = 'py_pickle'", job="first")
    poison = base64.b64encode(pickle.dumps(Runs(tmp_path / "ran"))).decode()
    with Database(address) as database, database.transaction() as session:
        table = "workflow_input" if database.is_sqlite else "dbos.workflow_input"
        written = text(f"update {table} set inputs = :poison where workflow_uuid = 'first'")  # noqa: S608
        assert session.execute(written, {"poison": poison}).rowcount == 1
    done, met = [], Event()

    def work(decision_id):
        done.append(decision_id)
        met.set()

    with durable.Worker(address, "worker", 1, work, set()):
        assert met.wait(20)
    assert done == ["decision second"]
    assert not (tmp_path / "ran").exists()
