"""The audit `leak`: how well can applicants copy the model from their certificates?

Certificates are simulated with the product's search for applicants of the rows and for applications that are made up
of their values. Copies are made by the strongest method known for the model's class, at the levels that certificates
may show, at exact radii, from labels alone and, where the spec has rules of change, from ways and nones, and compared
with the model on other people. It judges nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from equiproof.audits.context import AuditContext
from equiproof.audits.errors import AuditError
from equiproof.audits.leak.measured import Measured, Request, measure
from equiproof.audits.leak.tables import estimates, table
from equiproof.audits.leak.told import said
from equiproof.audits.plugin import Option, settings
from equiproof.audits.records import Cell
from equiproof.audits.report import AuditReport
from equiproof.circuits.spec import Spec, SpecError, checked


class Leak:
    """The plug-in; see the module."""

    name = "leak"
    version = "1"
    about = "What certificates give away: copies of the model from certificates, at levels and from labels alone."
    needs = frozenset({"rows"})
    options: tuple[Option, ...] = (
        Option(
            "counts", "the numbers of certificates that copies are made from, separated by commas", "3,10,30,100,300"
        ),
        Option("draws", "how often certificates are drawn for each number; the middle copy counts", 3),
        Option("people", "the most rows that apply; copies are compared with the model on others", 400),
        Option(
            "levels",
            "the levels that certificates may show, least first, with commas; empty: the spec's, else a draft's",
            "",
        ),
    )

    def run(self, context: AuditContext) -> AuditReport:
        """Make the copies and report how well they agree."""
        chosen = settings(self, context.options)
        measured = measure(_request(context, chosen))
        report = AuditReport(
            audit=self.name,
            audit_version=self.version,
            model=context.model,
            sensitive_features=context.sensitive_features,
            measures="the share of other people on whom a copy decides as the model",
            settings=chosen | {"seed": context.seed, "max_seconds": context.max_seconds},
            estimates=tuple(estimates(measured)),
            tables=(table(measured),),
            notes=tuple(_notes(measured, context)),
        )
        words = said(report)
        return report if words is None else _with_note(report, words.german)


def _with_note(report: AuditReport, note: str) -> AuditReport:
    """Return the report with one note more."""
    return msgspec.structs.replace(report, notes=(note, *report.notes))


def _request(context: AuditContext, chosen: dict[str, Cell]) -> Request:
    """Read the options; raises AuditError naming the option."""
    return Request(
        context,
        tuple(sorted({_whole(text, "counts") for text in str(chosen["counts"]).split(",")})),
        _whole(str(chosen["draws"]), "draws"),
        _whole(str(chosen["people"]), "people"),
        _levels(str(chosen["levels"]), context.spec),
    )


def _whole(text: str, option: str) -> int:
    """Read a whole number of 1 at least."""
    number = text.strip()
    if not number.isdecimal() or int(number) < 1:
        raise AuditError(f"leak: option {option}: want a whole number of 1 at least, not {text[:40]!r}")
    return int(number)


def _levels(text: str, spec: Spec) -> tuple[str, ...]:
    """Read levels, which the spec must be able to list; empty for those of the spec or of a draft."""
    texts = tuple(part.strip() for part in text.split(",")) if text else ()
    if texts:
        try:
            checked(msgspec.structs.replace(spec, levels=texts))
        except SpecError as error:
            raise AuditError(f"leak: option levels: {error}") from None
    return texts


def _notes(measured: Measured, context: AuditContext) -> Iterator[str]:
    """Yield what readers of the numbers must know."""
    yield (
        f"{measured.certified} of {measured.applied} rows that applied have a certificate; copies are compared with "
        f"the model on {measured.held_out} others whose decision does not depend on sensitive values"
    )
    if measured.draft is not None:
        yield from measured.draft.lines(context.spec)
    if measured.why is None:
        yield f"{measured.ways} of the rows that applied have a way, and {measured.nones} a none"
    else:
        yield f"nobody has a way or a none: {measured.why}"
    yield "agreement is that of the middle copy; an attacker with a better method has more"
