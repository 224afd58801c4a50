"""From settings to the application that answers requests."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from fastapi import FastAPI

from equiproof.service.clock import now
from equiproof.service.decisions import Holders
from equiproof.service.guardrails import Guardrails
from equiproof.service.jobs import durable
from equiproof.service.models import Models
from equiproof.service.reasons import refuse_misfits
from equiproof.service.settings import Settings
from equiproof.service.store import migrations
from equiproof.service.store.database import Database
from equiproof.service.tracing import tracing_of
from equiproof.service.trail import note_settings
from equiproof.service.vault import load_vault
from equiproof.service.web.app import create_app
from equiproof.service.web.state import Shared


def application(settings: Settings, stack: ExitStack) -> FastAPI:
    """Return the application over settings; `stack` closes what it holds.

    Raises DatabaseError, SettingsError for a collector without the extra `otel`, and as `Guardrails.load`; OSError and
    ReasonCodesError for a table of reasons that does not fit its model.
    """
    guardrails = Guardrails.load(settings.policy)
    migrations.refuse_other(settings.database)
    # What a request waits for ends with it, so that its thread is free.
    database = stack.enter_context(
        Database(
            settings.database,
            announcing=bool(settings.webhooks),
            statement_seconds=settings.limits.request_seconds,
        )
    )
    client = durable.Client(settings.database)
    stack.callback(client.close)
    holders = Holders(load_vault(Path(settings.vault)), client)
    models = Models(guardrails)
    with database.transaction() as session:
        refuse_misfits(session, models, settings)
        note_settings(session, settings, holders.vault, now())
    tracing = tracing_of(settings, stack, "web")
    shared = Shared(settings, database, models, holders, now, tracing=tracing)
    stack.enter_context(shared.metrics.numbers.kept(database, now))
    app = create_app(shared)
    stack.callback(app.state.decisions.close)
    return app
