"""Policies made of policies: all of them, any of them, and none at all."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from equiproof.circuits.tables import say
from equiproof.verifier.errors import PolicyError
from equiproof.verifier.facts import Facts, Policy

__all__ = [
    "AllOf",
    "AnyOf",
    "UnsafeNoPolicy",
]

_NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, init=False)
class AllOf:
    """Require every one of several policies; ValueError for none: use :class:`UnsafeNoPolicy` for that."""

    policies: tuple[Policy, ...]

    def __init__(self, *policies: Policy) -> None:
        if not policies:
            raise ValueError(say("policy.all_of_empty"))
        object.__setattr__(self, "policies", policies)

    @property
    def covers(self) -> frozenset[str]:
        """Return what any of the policies covers, since each of them is checked."""
        return _NOTHING.union(*(policy.covers for policy in self.policies))

    def check(self, facts: Facts) -> tuple[str, ...]:
        """Check the policies in their order; the first that is not met refuses. What one of them pins is pinned."""
        facts = facts.pinned_by(self.covers)
        return tuple(line for policy in self.policies for line in policy.check(facts))


@dataclass(frozen=True, init=False)
class AnyOf:
    """Require at least one of several policies; ValueError for none, since no certificate could meet that."""

    policies: tuple[Policy, ...]
    reason: ClassVar[str] = "no-policy-met"

    def __init__(self, *policies: Policy) -> None:
        if not policies:
            raise ValueError(say("policy.any_of_empty"))
        object.__setattr__(self, "policies", policies)

    @property
    def covers(self) -> frozenset[str]:
        """Return what all of the policies cover: which of them is met is not known beforehand."""
        # A check is made for certain only if every alternative makes it.
        first, *others = (policy.covers for policy in self.policies)
        return first.intersection(*others)

    def check(self, facts: Facts) -> tuple[str, ...]:
        """Check the policies in their order until one is met; a refusal lists what each of them lacked."""
        refusals = []
        for policy in self.policies:
            try:
                met = "; ".join(policy.check(facts)) or say("policy.requires_nothing")
                return (say("policy.alternative_met", count=len(self.policies), met=met),)
            except PolicyError as error:
                refusals.append(str(error))
        listed = "; ".join(f"({number}) {text}" for number, text in enumerate(refusals, 1))
        raise PolicyError(say("policy.no_alternative_met", count=len(refusals), reasons=listed), self.reason)


def each(policy: Policy) -> Iterator[Policy]:
    """Yield the policies that must all be met."""
    if isinstance(policy, AllOf):
        for one in policy.policies:
            yield from each(one)
    else:
        yield policy


class UnsafeNoPolicy:
    """Require nothing: any true certificate passes, of any radius, applicant and context. Warns each time."""

    covers: ClassVar[frozenset[str]] = _NOTHING

    def __init__(self) -> None:
        warnings.warn(say("unproven.no_policy"), stacklevel=2)

    def check(self, facts: Facts) -> tuple[str, ...]:  # noqa: ARG002  # the protocol's
        """Return no check."""
        return ()
