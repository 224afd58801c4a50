"""Traces for OpenTelemetry, where the settings name a collector: what took how long, and nothing of anybody's data.

What a span may hold is decided here: attributes of `ATTRIBUTES` alone, whose values are templates, numbers and names of
classes. An error is named by its class; its words stay out, since they may repeat what an applicant gave. Nothing that
a client sends names a trace.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from equiproof.service.settings import Settings, SettingsError

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import SpanProcessor
    from opentelemetry.trace import Tracer

ROUTE = "http.route"
METHOD = "http.request.method"
STATUS = "http.response.status_code"
REQUEST_ID = "equiproof.request"
ERROR = "error.type"

ATTRIBUTES = frozenset({ROUTE, METHOD, STATUS, REQUEST_ID, ERROR})
"""All attributes that spans have."""

_NAME = re.compile(r"00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})")

EXPORT_SECONDS = 5
"""How long a collector may take; spans that it does not take are lost, and nothing waits for them."""

Noted = dict[str, str | int]

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Tracing:
    """Measures blocks; without a tracer it does nothing."""

    def __init__(self, tracer: Tracer | None = None) -> None:
        self._tracer = tracer

    @contextmanager
    def span(self, name: str) -> Iterator[Noted]:
        """Measure a block, which may note attributes of `ATTRIBUTES`; raises KeyError for another one."""
        noted: Noted = {}
        if self._tracer is None:
            yield noted
            return
        # Both would write an error's words into the span.
        with self._tracer.start_as_current_span(name, record_exception=False, set_status_on_exception=False) as span:
            try:
                yield noted
            except BaseException as error:
                noted[ERROR] = type(error).__qualname__
                raise
            finally:
                if unknown := noted.keys() - ATTRIBUTES:
                    raise KeyError(min(unknown))
                span.set_attributes(noted)

    @property
    def here(self) -> str | None:
        """The name of the block that is measured now, as W3C Trace Context writes it; None where none is."""
        if self._tracer is None:
            return None
        from opentelemetry.trace import get_current_span

        context = get_current_span().get_span_context()
        if not context.is_valid:
            return None
        return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"

    def link(self, named: str | None) -> None:
        """Link the block that is measured now to another one by its name; a name that is none links nothing."""
        if self._tracer is None or named is None or not (match := _NAME.fullmatch(named)):
            return
        from opentelemetry.trace import SpanContext, TraceFlags, get_current_span

        trace, span, flags = (int(part, 16) for part in match.groups())
        get_current_span().add_link(SpanContext(trace, span, is_remote=True, trace_flags=TraceFlags(flags)))

    def wrapped(
        self,
        name: str,
        work: Callable[Arguments, Result],
        note: Callable[Arguments, None] | None = None,
    ) -> Callable[Arguments, Result]:
        """Return a function as it is, with each of its calls measured; `note` is called first, in the block."""
        if self._tracer is None:
            return work

        def measured(*arguments: Arguments.args, **named: Arguments.kwargs) -> Result:
            with self.span(name):
                if note is not None:
                    note(*arguments, **named)
                return work(*arguments, **named)

        return measured


def tracing_of(settings: Settings, stack: ExitStack, process: str) -> Tracing:
    """Return what measures in a process, by the settings; `stack` sends what is left when it is closed.

    Raises SettingsError where the settings name a collector and the extra `otel` is not installed.
    """
    if settings.telemetry is None:
        return Tracing()
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise SettingsError("field telemetry: the extra is missing; pip install 'equiproof[otel]'") from None
    exporter = OTLPSpanExporter(endpoint=settings.telemetry.endpoint, timeout=EXPORT_SECONDS)
    return tracing_to(BatchSpanProcessor(exporter), stack, process)


def tracing_to(processor: SpanProcessor, stack: ExitStack, process: str) -> Tracing:
    """Return what measures in a process, and gives its spans to a processor, which `stack` closes."""
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider

    named = Resource({"service.name": f"equiproof-{process}"})
    provider = TracerProvider(resource=named, shutdown_on_exit=False)
    provider.add_span_processor(processor)
    stack.callback(provider.shutdown)
    return Tracing(provider.get_tracer("equiproof.service"))
