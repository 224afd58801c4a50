"""A database that is away for a while, under the service's real processes: none ends, nothing is lost, all is done."""

import json
import time

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")

from bench.log import PROGRAM
from bench.postgres import programs
from bench.service_checks import wrong
from bench.service_kills import _settle
from bench.service_place import MODEL, OURS, SETTINGS, placed
from equiproof.service.asking import send

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PROGRAM.is_file(), reason="no equiproof-log: `make log` builds it"),
    pytest.mark.skipif(programs() is None, reason="no PostgreSQL server: `make postgres` installs one"),
]

PATIENCE = 600.0
SAID = {"worker": "watchdog: UnavailableError", "log": "sending: UnavailableError"}


def until(holds):
    """Wait for something; an assertion fails where it does not come."""
    end = time.monotonic() + PATIENCE
    while not (found := holds()):
        assert time.monotonic() < end
        time.sleep(0.1)
    return found


def test_processes_outlive_a_database_that_is_away(tmp_path):
    """Each says once that it is away, and once that it is back; what was refused meanwhile is decided once."""
    with placed(tmp_path, "postgresql") as place:
        answered = {}

        def ask(number):
            headers = {
                "Authorization": f"Bearer {place.key}",
                "Idempotency-Key": f"gone-{number:04}",
                "Content-Type": "application/json",
            }
            body = json.dumps({"model": MODEL, "features": place.rows[0], "reference": f"{number}"}).encode()
            try:
                status, said = send(place.settings.listen, "POST", "/v1/decisions", headers, body)
            except OSError:  # it does not listen yet
                return False
            if status == 201:
                made = json.loads(said)
                answered[made["id"]] = made["history"][0]["state"]
            else:
                assert status == 503
            return status == 201

        def told(name, words):
            return (tmp_path / f"{name}.txt").read_text().count(words)

        # Provers that wait until nothing else runs would take minutes beside other tests.
        settings = place.folder / SETTINGS
        settings.write_text(f'prover_priority = "normal"\n{settings.read_text()}')
        for name in ("writer", *OURS):
            place.start(name)
        for number in range(3):
            until(lambda number=number: ask(number))
        place.server.stop()
        try:
            assert not ask(3)
            until(lambda: all(told(name, words) for name, words in SAID.items()))
        finally:
            place.server.start()
        until(lambda: ask(3))
        _settle(place)
        assert not place.revive()
        assert not wrong(place, answered)[0]
        assert len(answered) == 4
        assert [told(name, words) for name, words in SAID.items()] == [1, 1]
        until(lambda: told("worker", "watchdog: goes on") and told("log", "sending: goes on"))
