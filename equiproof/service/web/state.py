"""What all requests of a process share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from equiproof.service.decisions import Holders
from equiproof.service.idempotency import Once
from equiproof.service.models import Models
from equiproof.service.origins import Origins
from equiproof.service.settings import Settings
from equiproof.service.store.database import Database
from equiproof.service.tracing import Tracing
from equiproof.service.web.callers import Callers
from equiproof.service.web.limits import Backlog, Rates
from equiproof.service.web.metrics import Metrics

Clock = Callable[[], int]
"""The time in microseconds since 1970."""


@dataclass(frozen=True)
class Shared:
    """Settings, database, models, what holds data and jobs, and clock; and what is counted from them."""

    settings: Settings
    database: Database
    models: Models
    holders: Holders
    clock: Clock
    once: Once = field(default_factory=Once)
    callers: Callers = field(default_factory=Callers)
    metrics: Metrics = field(default_factory=Metrics)
    tracing: Tracing = field(default_factory=Tracing)
    rates: Rates = field(init=False)
    backlog: Backlog = field(init=False)
    origins: Origins = field(init=False)

    def __post_init__(self) -> None:
        """Begin to count."""
        object.__setattr__(self, "rates", Rates(self.settings.limits.requests_per_minute))
        object.__setattr__(self, "backlog", Backlog(lambda: self.settings))
        object.__setattr__(self, "origins", Origins(self.settings.trusted_proxies))
