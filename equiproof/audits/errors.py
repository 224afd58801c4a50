"""Errors of audits: one line each, for people."""

from __future__ import annotations

from typing import ClassVar

from equiproof.circuits.exit_codes import MISUSED


class AuditError(ValueError):
    """Unusable input or an invalid document; one line that names the place and how to mend it."""

    exit_code: ClassVar[int] = MISUSED


class NotApplicableError(AuditError):
    """The audit does not apply to this model or these rows; one line that names what it needs."""


class OptionError(AuditError):
    """An option of an audit that is not written as audit.name=value, or is given twice."""


class CounterexampleError(AuditError):
    """A counterexample that the model does not confirm."""
