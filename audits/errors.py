"""Errors of audits: one line each, for people."""

from __future__ import annotations


class AuditError(ValueError):
    """Something that an audit cannot work on, or a document that is none; one line saying where and how to mend it."""


class NotApplicableError(AuditError):
    """This audit has nothing to say of this model or of these rows; one line saying what it would need."""


class WitnessError(AuditError):
    """A witness that the model does not confirm."""
