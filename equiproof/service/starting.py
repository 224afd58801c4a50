"""Before the service runs: the database with its tables. `web.serving` and `worker.running` say what runs then."""

from __future__ import annotations

from equiproof.service.jobs import durable
from equiproof.service.settings import Settings
from equiproof.service.store import migrations
from equiproof.service.store.database import reported


def prepare(settings: Settings) -> None:
    """Make the tables that are missing, and bring those that are there up to date; raises DatabaseError."""
    migrations.upgrade(settings.database)
    with reported():
        durable.migrate(settings.database)
