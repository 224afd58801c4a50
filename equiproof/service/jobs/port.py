"""What the service needs of durable jobs, whoever keeps them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from sqlalchemy.orm import Session

Work = Callable[[str], None]
"""Does a job, given by its argument: a decision's id, or what recourses.py makes of one; twice is harmless."""


class Jobs(Protocol):
    """The side that submits."""

    def submit(self, session: Session, jobs: Mapping[str, str]) -> None:
        """Have jobs, by name with the ids of their decisions, done once the session's transaction is kept.

        The same job again does nothing.
        """

    def cancel(self, job: str) -> None:
        """Have a job that has not begun not begin."""


class Rescue(Protocol):
    """The side that looks after what was left behind."""

    def begun(self, worker: str) -> list[str]:
        """Return the jobs that a worker has begun and not ended, as far as is written."""

    def put_back(self, jobs: Sequence[str]) -> None:
        """Have jobs that were begun done by whoever is there; one that is still being done is done twice."""

    def revive(self, jobs: Mapping[str, str]) -> int:
        """Of jobs with the ids of their decisions, which all wait, begin anew those that nobody has or will take."""


class Crew(Protocol):
    """The side that works. Use it as a context manager: leaving it lets jobs that have begun end."""

    def __enter__(self) -> Crew:
        """Begin to take jobs, those first that a predecessor of the same name left behind."""

    def __exit__(self, *_: object) -> None:
        """Take no more jobs, and wait for those that have begun."""
