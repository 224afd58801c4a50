"""Policies: what a relying party demands beyond a proof that holds. One small class, one demand."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from circuits import field
from circuits.spec import Spec, decimal
from circuits.statement import Statement, context_digest
from circuits.text import plain
from circuits.units import radius_of_any
from verifier.documents import KeyDocument, QueryDocument, SetupKind, check_context
from verifier.errors import PolicyError
from verifier.reading import Reading

ABOUT_QUERY = "that the certificate is about your own data (give the query file: --query)"
ABOUT_CONTEXT = "that it was made for this application: nonce, policy and date (give the context file: --context)"
ABOUT_RADIUS = "that the radius is large enough for you (give a minimum: --min-radius)"
ABOUT_RANGES = "that the spec's ranges leave nobody out whom you ask about"
ABOUT_SETUP = "that nobody could forge proofs under this key: its set-up was run by a single party"


@dataclass(frozen=True)
class Facts:
    """What a policy judges: a statement whose parts were recomputed, the trusted spec and the trusted key."""

    statement: Statement
    spec: Spec
    key: KeyDocument


class Policy(Protocol):
    """A demand on a statement. `covers` names the check that is not made without it."""

    @property
    def covers(self) -> str:
        """Return the check in words."""

    def check(self, facts: Facts) -> str:
        """Return what was found, in words; raises PolicyError where the demand is not met."""


@dataclass(frozen=True)
class MinRadius:
    """Demand an eps of at least `radius`, in the spec's units, as exact decimal text; SpecError for other text."""

    radius: str

    @property
    def covers(self) -> str:
        """Return the check in words; a minimum of 0 leaves open whether the radius is large enough."""
        return ABOUT_RADIUS if decimal(self.radius, "minimum radius") > 0 else "that there is a radius"

    def __post_init__(self) -> None:
        """Refuse text that is no decimal number."""
        decimal(self.radius, "minimum radius")

    def check(self, facts: Facts) -> str:
        """Compare exactly with the radius for real values: on a coarse grid the rounded one says nothing."""
        demanded = decimal(self.radius, "minimum radius")
        if demanded < 0 or radius_of_any(facts.spec, facts.statement.radius_squared) < demanded:
            shown = Reading.of(facts.spec, facts.statement.label, facts.statement.radius_squared).radius_any
            raise PolicyError(f"the radius is {shown}, the policy demands {self.radius}")
        return f"the radius is at least {self.radius}"


@dataclass(frozen=True)
class ForQuery:
    """Demand that the certificate is about these raw features under this blinding."""

    query: QueryDocument
    source: str = "the query file"
    covers: str = ABOUT_QUERY

    def check(self, facts: Facts) -> str:
        """Recompute the query commitment from the raw features."""
        if self.query.commitment(facts.spec) != facts.statement.query_commitment:
            raise PolicyError(f"the certificate is about other data than {self.source}")
        return f"it is about the data in {self.source}"


@dataclass(frozen=True)
class ForContext:
    """Demand that the certificate was made for this context; CertificateFormatError for one that can be guessed."""

    context: Mapping[str, str]
    covers: str = ABOUT_CONTEXT

    def __post_init__(self) -> None:
        """Keep a copy that nobody changes later.

        A context without a nonce is refused: what was proven without a context would pass as made for it.
        """
        context = check_context(dict(self.context), "context")
        object.__setattr__(self, "context", MappingProxyType(context))

    def __reduce__(self) -> tuple[type[ForContext], tuple[dict[str, str], str]]:
        """Travel to another process: what is kept does not, by itself."""
        return ForContext, (dict(self.context), self.covers)

    def check(self, facts: Facts) -> str:
        """Recompute the context digest from the verifier's own value."""
        if context_digest(dict(self.context)) != facts.statement.context_digest:
            raise PolicyError("the certificate was made for another context")
        told = ", ".join(f"{plain(name)[:40]} {plain(value)[:60]}" for name, value in self.context.items())
        return f"it was made for this context: {told}"


@dataclass(frozen=True)
class SetupIs:
    """Demand a kind of set-up, such as a ceremony."""

    setup: SetupKind

    @property
    def covers(self) -> str:
        """Return the check in words; demanding a single party leaves the risk where it was."""
        return ABOUT_SETUP if self.setup != "single-party" else "that the set-up is of the demanded kind"

    def check(self, facts: Facts) -> str:
        """Compare with the trusted key's own record."""
        if facts.key.setup != self.setup:
            raise PolicyError(f"the key's set-up is {facts.key.setup}, the policy demands {self.setup}")
        return f"the key's set-up is {facts.key.setup}"


@dataclass(frozen=True)
class KeyIs:
    """Demand one key by its fingerprint."""

    fingerprint: str
    covers: str = "that the proof was made under one particular key"

    def check(self, facts: Facts) -> str:
        """Compare fingerprints."""
        if facts.key.fingerprint != self.fingerprint:
            raise PolicyError(
                f"the key is {facts.key.fingerprint[:16]}..., the policy demands {self.fingerprint[:16]}..."
            )
        return "the proof was made under the demanded key"


@dataclass(frozen=True)
class ModelIs:
    """Demand one model commitment, as 64 hexadecimal digits: what a public registry pins."""

    model_commitment: str
    covers: str = "that the committed model is the registered one"

    def check(self, facts: Facts) -> str:
        """Compare commitments."""
        if field.to_hex(facts.statement.model_commitment) != self.model_commitment:
            raise PolicyError("the certificate is about another model")
        return "it is about the demanded model commitment"


class AllOf:
    """Demand several policies at once; policies may nest. ValueError for none: say :class:`UnsafeNoPolicy` for that."""

    def __init__(self, *policies: Policy | AllOf) -> None:
        if not policies:
            raise ValueError("AllOf() demands nothing: name a policy, or say UnsafeNoPolicy()")
        self.policies: tuple[Policy, ...] = tuple(part for policy in policies for part in demands(policy))


def demands(policy: Policy | AllOf) -> tuple[Policy, ...]:
    """Return the single demands of a policy."""
    return policy.policies if isinstance(policy, AllOf) else (policy,)


def asked(policies: Iterable[Policy]) -> AllOf:
    """Return the demands of a command's options, which may be none: the command lists the checks not made."""
    policy = AllOf.__new__(AllOf)
    policy.policies = tuple(policies)
    return policy


class UnsafeNoPolicy(AllOf):
    """Demand nothing: any true certificate of any radius, applicant and context passes. Warns."""

    def __init__(self) -> None:
        warnings.warn("no policy: any true certificate passes, whoever and whatever it is about", stacklevel=2)
        self.policies = ()
