"""A policy as a file: what somebody demands of every certificate, written once and read by every verification.

What differs from applicant to applicant, their data and the context of their decision, is not in the file: it comes
from the verifier's own query and context files. The fields are those of policies.json; docs/policies.md describes them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

import msgspec

from equiproof.circuits.policy_rows import PolicyRow, by_argument
from equiproof.circuits.proof_systems import ProofSystem
from equiproof.circuits.tables import say
from equiproof.verifier.combined import AllOf, AnyOf, UnsafeNoPolicy
from equiproof.verifier.documents import Document, QueryDocument, SetupKind, parse_document
from equiproof.verifier.errors import CertificateFormatError, Reason
from equiproof.verifier.facts import Policy
from equiproof.verifier.logged import LogTerms
from equiproof.verifier.policy import ContextHas, NotOlderThan
from equiproof.verifier.requirements import RequirementError, policy_of

POLICY = ("equiproof-policy", 2)

MAX_DEPTH = 8
"""How deep `any_of` may be nested."""


@dataclass(frozen=True)
class Own:
    """What the verifier has beside the policy: the applicant's query, the context, the log proof, and the time.

    `log_proof` is empty where none came with the certificate; `now` is in POSIX seconds.
    """

    query: QueryDocument | None = None
    context: Mapping[str, str] | None = None
    today: date | None = None
    log_proof: bytes | None = None
    now: int | None = None

    @property
    def seconds(self) -> int:
        """The time, by default that of the clock."""
        return int(time.time()) if self.now is None else self.now


class ContextRequirement(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Names and texts that the context must have, and the most days that its date may lie back."""

    has: dict[str, str] = {}
    max_days: int | None = None


class SignersRequirement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Verifier keys of signers, and how many of them must have checked the key's transcript."""

    keys: tuple[str, ...]
    least: int


class LogRequirement(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The key of a log, and witnesses of whom `least` must have seen it at most `max_days` days ago; by default all."""

    key: str
    witnesses: tuple[str, ...] = ()
    least: int | None = None
    smallest_tree: int = 1
    max_days: int | None = None
    owner: str | None = None

    @property
    def terms(self) -> LogTerms:
        """The same as what a policy is made of."""
        return LogTerms(self.key, self.witnesses, self.least, self.smallest_tree, self.max_days, self.owner)


_FIELDS: Mapping[str, tuple[Any, Any]] = {
    "decimal": (str | None, None),
    "digits": (str | None, None),
    "setup": (SetupKind | None, None),
    "proof_system": (ProofSystem | None, None),
    "flag": (bool, False),
    "query": (bool, False),
    "ranges": (dict[str, tuple[str, str]] | None, None),
    "names": (tuple[str, ...] | None, None),
    "signers": (SignersRequirement | None, None),
    "context": (ContextRequirement | None, None),
    "log": (LogRequirement | None, None),
}
"""The type of a field of each kind, and what it is where it is left out."""


def _field_rows() -> Iterator[PolicyRow]:
    """Yield the policies that are a field each; those about a context's texts and age are part of its one."""
    return (row for row in by_argument().values() if row.field)


if TYPE_CHECKING:

    class _Fields(msgspec.Struct, frozen=True):
        """The fields of policies.json."""

        def __getattr__(self, name: str) -> Any: ...  # a field of the table

else:
    _Fields = msgspec.defstruct("_Fields", [(row.field, *_FIELDS[row.kind]) for row in _field_rows()], frozen=True)


class Requirements(_Fields, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Everything here is required; of `any_of`, at least one. A field that is left out requires nothing."""

    any_of: tuple[Requirements, ...] = ()


class PolicyDocument(Document, frozen=True, forbid_unknown_fields=True):
    """The file of a policy."""

    requires: Requirements


def parse_policy(data: bytes, where: str, own: Own) -> Policy:
    """Read a policy file, in any spelling of JSON, and return the policy for what the verifier has.

    A file that requires nothing gives UnsafeNoPolicy, with its warning. Raises CertificateFormatError naming `where`
    and the field, also where the policy requires a query or a context that the verifier does not have.
    """
    document = parse_document(data, PolicyDocument, POLICY, where)
    if document.requires == Requirements():
        return UnsafeNoPolicy()
    return _policy(document.requires, own, f"{where}: field requires", MAX_DEPTH)


def _policy(required: Requirements, own: Own, where: str, depth: int) -> Policy:
    """Return the policy of one object."""
    if depth == 0:
        raise _malformed(where, say("policy.nested_too_deep", depth=MAX_DEPTH))
    if required == Requirements():
        raise _malformed(where, say("policy.requires_nothing_beside"))
    if required.query and own.query is None:
        raise _malformed(where, say("policy.query_missing"))
    if required.context is not None and own.context is None:
        raise _malformed(where, say("policy.context_missing"))
    if required.log is not None and own.log_proof is None:
        raise _malformed(where, say("policy.log_proof_missing"))
    try:
        plain = policy_of(**{row.argument: _plain(row, getattr(required, row.field), own) for row in _field_rows()})
    except RequirementError as error:
        raise _malformed(f"{where}.{error.name}", error.reason) from None
    # An empty table is no requirement to `policy_of`, and whoever wrote it into a file meant one.
    if required.ranges_within == {}:
        raise _malformed(f"{where}.ranges_within", say("policy.ranges_empty"))
    alternatives = [_policy(one, own, f"{where}.any_of[{at}]", depth - 1) for at, one in enumerate(required.any_of)]
    parts = [*(plain.policies if isinstance(plain, AllOf) else ()), *_of_context(required.context, own, where)]
    return AllOf(*parts, *([AnyOf(*alternatives)] if alternatives else []))


def _plain(row: PolicyRow, value: Any, own: Own) -> Any:
    """Return the value of a field as an argument of policy_of, with what the verifier has itself."""
    if value is None or value is False:
        return None
    match row.kind:
        case "query":
            return own.query
        case "context":
            return own.context
        case "signers":
            return value.keys, value.least
        case "log":
            return value.terms, own.log_proof or b"", own.seconds
        case _:
            return value


def _of_context(required: ContextRequirement | None, own: Own, where: str) -> list[Policy]:
    """Return what is required of the context beyond that the certificate was made for it."""
    if required is None or own.context is None:
        return []
    if required.max_days is not None and required.max_days < 0:
        raise _malformed(f"{where}.context.max_days", f"{required.max_days} is below 0")
    text_policies: list[Policy] = [ContextHas(own.context, required.has)] if required.has else []
    today = own.today or date.today()  # noqa: DTZ011 -- a date is local, as the one in the context
    age_policies = [] if required.max_days is None else [NotOlderThan(own.context, required.max_days, today)]
    return [*text_policies, *age_policies]


def _malformed(where: str, why: str) -> CertificateFormatError:
    """Return the error about a field."""
    return CertificateFormatError(f"{where}: {why}", Reason.WRONG_FIELDS)
