"""The alarm that no certificate comes: said in the worker's log when it begins, and when certificates come again."""

from __future__ import annotations

from collections.abc import Callable

from equiproof.service.settings import Settings
from equiproof.service.store import queries
from equiproof.service.store.database import Database
from equiproof.service.troubles import Troubles

_MINUTE = 60_000_000


class Alarm:
    """Looks for how long no certificate was made while some wait; call it now and then."""

    def __init__(
        self, database: Database, settings: Settings, clock: Callable[[], int], say: Callable[[str], None]
    ) -> None:
        self._database = database
        self._minutes = settings.alarm_minutes
        self._clock = clock
        self._troubles = Troubles(say)

    def __call__(self) -> None:
        """Look once; raises what the database raises."""
        with self._database.reading() as session:
            silence = queries.without_certificate(session, self._clock(), queries.oldest_waiting(session))
        if silence >= self._minutes * _MINUTE:
            line = f"none for {self._minutes} minutes while some wait: are the provers beside busy programs?"
            self._troubles.tell("certificates", line)
        else:
            self._troubles.over("certificates", "they come again, or none waits")
