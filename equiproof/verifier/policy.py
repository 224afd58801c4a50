"""Policies: what a relying party requires beyond a proof that holds. One small class for each requirement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import field as made_anew
from datetime import date
from fractions import Fraction
from types import MappingProxyType
from typing import ClassVar

from equiproof.circuits import field
from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.names import listed, quoted
from equiproof.circuits.proof_systems import ProofSystem
from equiproof.circuits.spec import SpecError, decimal
from equiproof.circuits.statement import context_digest
from equiproof.circuits.tables import say
from equiproof.circuits.text import plain
from equiproof.circuits.units import kept_to, radius_of_any
from equiproof.verifier.documents import QueryDocument, SetupKind, check_context
from equiproof.verifier.errors import PolicyError
from equiproof.verifier.facts import (
    ABOUT_COMMITMENT,
    ABOUT_CONTEXT,
    ABOUT_FOUND_CONTEXT,
    ABOUT_FOUND_QUERY,
    ABOUT_KEY,
    ABOUT_LINK_KEY,
    ABOUT_QUERY,
    ABOUT_RADIUS,
    ABOUT_RANGES,
    ABOUT_SETUP,
    Facts,
    about_a_ball,
)
from equiproof.verifier.reading import Reading

__all__ = [
    "ContextHas",
    "CoversFeatures",
    "ForContext",
    "ForQuery",
    "KeyIs",
    "LinkKeyIs",
    "MinRadius",
    "ModelIs",
    "NoRanges",
    "NotOlderThan",
    "ProofSystemIs",
    "RangesWithin",
    "SetupIs",
]

_NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True)
class MinRadius:
    """Require an eps of at least `radius`, in the spec's units, as exact decimal text; SpecError for other text."""

    radius: str
    reason: ClassVar[str] = "radius-too-small"

    def __post_init__(self) -> None:
        """Refuse text that is not a decimal number."""
        decimal(self.radius, "minimum radius")

    @property
    def covers(self) -> frozenset[str]:
        """Return the check in words; a minimum of 0 leaves open whether the radius is large enough."""
        return frozenset({ABOUT_RADIUS}) if decimal(self.radius, "minimum radius") > 0 else _NOTHING

    def check(self, facts: Facts) -> tuple[str, ...]:
        """Compare exactly with the radius for real values: a rounded radius would mislead on a coarse grid."""
        least = decimal(self.radius, "minimum radius")
        statement = about_a_ball(facts)
        if least < 0 or radius_of_any(facts.spec, statement.radius_squared) < least:
            shown = Reading.of(facts.spec, statement.label, statement.radius_squared).radius_any
            raise PolicyError(say("policy.radius_too_small", stated=shown, required=self.radius), self.reason)
        return (say("checked.radius", radius=self.radius),)


@dataclass(frozen=True)
class CoversFeatures:
    """Require that the spec lists at least these features as sensitive; ValueError for no feature."""

    features: Sequence[str]
    covers: ClassVar[frozenset[str]] = _NOTHING
    reason: ClassVar[str] = "features-not-covered"

    def __post_init__(self) -> None:
        """Keep a copy that cannot be changed."""
        if not self.features:
            raise ValueError(say("policy.features_unnamed"))
        object.__setattr__(self, "features", tuple(self.features))

    def check(self, facts: Facts) -> tuple[str, ...]:
        """Compare names: a certificate covers every combination of the values of all features that its spec lists."""
        sensitive = [feature.name for feature in facts.spec.sensitive_features]
        if missing := [name for name in self.features if name not in sensitive]:
            raise PolicyError(
                say("policy.features_not_covered", missing=repr(missing[0][:40]), sensitive=listed(sensitive)),
                self.reason,
            )
        return (say("checked.features_covered", features=", ".join(map(quoted, self.features))),)


@dataclass(frozen=True)
class NoRanges:
    """Require a certificate about all neighbors: refuse one whose spec restricts them to ranges."""

    covers: ClassVar[frozenset[str]] = frozenset({ABOUT_RANGES})
    reason: ClassVar[str] = "ranges-not-accepted"

    def check(self, facts: Facts) -> tuple[str, ...]:
        """Read the trusted spec; a verification has checked that the key proves statements of the same reach."""
        if facts.spec.use_ranges:
            raise PolicyError(say("policy.ranges_not_accepted"), self.reason)
        return (say("certificate.ranges_unrestricted"),)


@dataclass(frozen=True)
class RangesWithin:
    """Require that `ranges`, the values you have in mind for each number, lie within the certificate's ranges.

    A certificate that is restricted to ranges is silent about neighbors outside them. So the certified range of a
    feature must be as wide as yours or wider: income from 0 to 200,000 satisfies `{"income": ("10000", "90000")}`, and
    income from 20,000 to 200,000 does not. A certificate without ranges includes them all. Under one with ranges, each
    non-sensitive number of the spec must be named, since the certificate restricts each. Categories are never
    restricted. Ends are exact decimal text, the lower one first; SpecError for anything else, ValueError for no range.
    """

    ranges: Mapping[str, tuple[str, str]]
    covers: ClassVar[frozenset[str]] = frozenset({ABOUT_RANGES})
    reason: ClassVar[str] = "ranges-too-narrow"

    def __post_init__(self) -> None:
        """Check the ranges and keep a copy that cannot be changed."""
        if not self.ranges:
            raise ValueError(say("policy.ranges_within_empty"))
        ranges = {name: _range(name, ends) for name, ends in self.ranges.items()}
        object.__setattr__(self, "ranges", MappingProxyType(ranges))

    def __reduce__(self) -> tuple[type[RangesWithin], tuple[dict[str, tuple[str, str]]]]:
        """Support pickling, which a mapping proxy does not."""
        return RangesWithin, (dict(self.ranges),)

    def check(self, facts: Facts) -> tuple[str, ...]:
        """Compare exactly with the ranges that the certificate states."""
        spec = facts.spec
        shown = ((one, ENCODINGS[one.encoding].shown_ends(spec, one)) for one in spec.plain_features)
        stated = {feature.name: (feature, ends) for feature, ends in shown if ends is not None}
        if unknown := sorted(set(self.ranges) - set(stated)):
            raise PolicyError(say("policy.range_of_unknown", feature=repr(unknown[0][:40])), self.reason)
        if not spec.use_ranges:
            return (say("checked.ranges_unrestricted"),)
        to = f" {say('word.to')} "
        for name, (feature, ends) in stated.items():
            coverage = say("policy.range_uncovered", feature=quoted(name), range=kept_to(spec, feature))
            if name not in self.ranges:
                raise PolicyError(say("policy.range_unnamed", stated=coverage), self.reason)
            low, high = map(Fraction, self.ranges[name])
            least, most = map(Fraction, ends)
            if not least <= low <= high <= most:
                raise PolicyError(
                    say("policy.range_required", stated=coverage, required=to.join(self.ranges[name])), self.reason
                )
        included = ", ".join(f"{quoted(name)} {to.join(ends)}" for name, ends in self.ranges.items())
        return (say("checked.ranges", ranges=included),)


def _range(name: str, ends: Sequence[str]) -> tuple[str, str]:
    """Return a range whose ends are decimal text, the lower one first; raises SpecError."""
    what = f"range of {name[:40]!r}"
    if isinstance(ends, str) or len(ends) != 2 or not all(isinstance(end, str) for end in ends):
        raise SpecError(f"{what}: want two decimal numbers as text")
    low, high = ends
    if decimal(low, what) > decimal(high, what):
        raise SpecError(say("policy.range_reversed", range=what, low=low, high=high))
    return low, high


@dataclass(frozen=True)
class ForQuery:
    """Require that the certificate is about these raw features under this blinding.

    `found`: the query came with the certificate itself, so it says whose data they are, and not that they are yours.
    """

    query: QueryDocument
    source: str = made_anew(default_factory=lambda: say("reading.query_file"))
    found: bool = False
    reason: ClassVar[str] = "other-query"

    @property
    def covers(self) -> frozenset[str]:
        """Return the check in words."""
        return frozenset({ABOUT_FOUND_QUERY if self.found else ABOUT_QUERY})

    def check(self, facts: Facts) -> tuple[str, ...]:
        """Recompute the query commitment; raises CertificateFormatError too, for features that do not fit the spec."""
        if self.query.commitment(facts.spec) != about_a_ball(facts).query_commitment:
            raise PolicyError(say("policy.query_differs", source=self.source), self.reason)
        return (say("checked.query", source=self.source),)


@dataclass(frozen=True)
class ForContext:
    """Require that the certificate was made for this context; CertificateFormatError for one that can be guessed.

    `found`: the context came with the certificate itself, so an old certificate would bring its old one.
    """

    context: Mapping[str, str]
    found: bool = False
    reason: ClassVar[str] = "other-context"

    def __post_init__(self) -> None:
        """Keep a copy that cannot be changed.

        A context without a nonce is refused: a certificate that was made without a context would match it.
        """
        context = check_context(dict(self.context), "context")
        object.__setattr__(self, "context", MappingProxyType(context))

    def __reduce__(self) -> tuple[type[ForContext], tuple[dict[str, str], bool]]:
        """Support pickling, which a mapping proxy does not."""
        return ForContext, (dict(self.context), self.found)

    @property
    def covers(self) -> frozenset[str]:
        """Return the check in words."""
        return frozenset({ABOUT_FOUND_CONTEXT if self.found else ABOUT_CONTEXT})

    def check(self, facts: Facts) -> tuple[str, ...]:
        """Recompute the context digest from the verifier's own value."""
        if context_digest(dict(self.context)) != facts.statement.context_digest:
            raise PolicyError(say("policy.context_differs"), self.reason)
        shown = ", ".join(f"{plain(name)[:40]} {plain(value)[:60]}" for name, value in self.context.items())
        which = say("reading.context_that_came") if self.found else say("word.this_context")
        return (say("checked.context", source=which, fields=shown),)


@dataclass(frozen=True)
class ContextHas:
    """Require names and texts of the context that the certificate was made for; goes with :class:`ForContext`."""

    context: Mapping[str, str]
    texts: Mapping[str, str]
    covers: ClassVar[frozenset[str]] = _NOTHING
    reason: ClassVar[str] = "context-lacks"

    def check(self, facts: Facts) -> tuple[str, ...]:  # noqa: ARG002  # the protocol's
        """Compare the texts."""
        for name, text in self.texts.items():
            value = self.context.get(name)
            if value != text:
                shown = say("word.missing") if value is None else repr(plain(value)[:60])
                raise PolicyError(
                    say(
                        "policy.context_field_differs",
                        field=repr(plain(name)[:40]),
                        stated=shown,
                        required=repr(plain(text)[:60]),
                    ),
                    self.reason,
                )
        return tuple(
            say("checked.context_field", field=plain(name)[:40], value=plain(text)[:60])
            for name, text in self.texts.items()
        )


@dataclass(frozen=True)
class NotOlderThan:
    """Require that the `date` of the context (2026-01-31) is at most `days` before today; goes with ForContext.

    A date of tomorrow is accepted, since it may be tomorrow already where the certificate was made.
    """

    context: Mapping[str, str]
    days: int
    today: date
    covers: ClassVar[frozenset[str]] = _NOTHING
    reason: ClassVar[str] = "too-old"

    def check(self, facts: Facts) -> tuple[str, ...]:  # noqa: ARG002  # the protocol's
        """Count the days."""
        made = self._made()
        age = (self.today - made).days
        if not -1 <= age <= self.days:
            raise PolicyError(
                say("policy.context_too_old", date=str(made), age=age, days=self.days),
                self.reason,
            )
        return (say("checked.context_age", date=str(made), days=self.days),)

    def _made(self) -> date:
        """Return the context's date; raises PolicyError for none, or for one in another spelling."""
        text = self.context.get("date", "")
        with suppress(ValueError):
            # Python reads other spellings too, such as 20260131 and weeks; a date has one here.
            if (made := date.fromisoformat(text)).isoformat() == text:
                return made
        shown = plain(text)[:40]
        raise PolicyError(say("policy.context_date_malformed", date=repr(shown)), self.reason)


@dataclass(frozen=True)
class ProofSystemIs:
    """Require a proof system of the trusted key."""

    proof_system: ProofSystem
    covers: ClassVar[frozenset[str]] = _NOTHING
    reason: ClassVar[str] = "other-proof-system"

    def check(self, facts: Facts) -> tuple[str, ...]:
        """Compare with the trusted key's own record; a link's key has always that of the certificate's."""
        if facts.key.proof_system != self.proof_system:
            raise PolicyError(
                say("policy.proof_system_differs", stated=facts.key.proof_system, required=self.proof_system),
                self.reason,
            )
        return (say("checked.proof_system", proof_system=self.proof_system),)


@dataclass(frozen=True)
class SetupIs:
    """Require a kind of set-up, such as a ceremony; refuses a key that is not pinned, whatever it says of itself."""

    setup: SetupKind
    reason: ClassVar[str] = "other-setup"

    @property
    def covers(self) -> frozenset[str]:
        """Return the check in words; requiring a single party does not remove the risk that it brings."""
        return frozenset({ABOUT_SETUP}) if self.setup != "single-party" else _NOTHING

    def check(self, facts: Facts) -> tuple[str, ...]:
        """Compare with the trusted key's own record."""
        if not facts.pins.key:
            raise PolicyError(
                say("policy.setup_of_key_that_came"),
                self.reason,
            )
        for key, _ in facts.keys:
            if key.setup != self.setup:
                raise PolicyError(say("policy.setup_differs", stated=key.setup, required=self.setup), self.reason)
        return (say("checked.setup", setup=self.setup),)


@dataclass(frozen=True)
class KeyIs:
    """Require the certificate's key by its fingerprint, which pins a key that came with the certificate.

    The key of a link is not pinned by it: that is for :class:`LinkKeyIs`.
    """

    fingerprint: str
    covers: ClassVar[frozenset[str]] = frozenset({ABOUT_KEY})
    reason: ClassVar[str] = "other-key"

    def check(self, facts: Facts) -> tuple[str, ...]:
        """Compare fingerprints."""
        if facts.key.fingerprint != self.fingerprint:
            raise PolicyError(
                say("policy.key_differs", stated=facts.key.fingerprint[:16], required=self.fingerprint[:16]),
                self.reason,
            )
        return (say("checked.required_key"),)


@dataclass(frozen=True)
class LinkKeyIs:
    """Require the key of the link that a certificate of a kept model comes with, by its fingerprint, which pins it.

    A certificate without a link is refused: whoever names the key of a link wants one.
    """

    fingerprint: str
    covers: ClassVar[frozenset[str]] = frozenset({ABOUT_LINK_KEY})
    reason: ClassVar[str] = "other-link-key"

    def check(self, facts: Facts) -> tuple[str, ...]:
        """Compare fingerprints."""
        if facts.link_key is None:
            raise PolicyError(say("policy.link_absent"), self.reason)
        stated = facts.link_key.document.fingerprint
        if stated != self.fingerprint:
            raise PolicyError(
                say("policy.link_key_differs", stated=stated[:16], required=self.fingerprint[:16]), self.reason
            )
        return (say("checked.required_link_key"),)


@dataclass(frozen=True)
class ModelIs:
    """Require one model commitment, as 64 hexadecimal digits: what a public registry pins."""

    model_commitment: str
    covers: ClassVar[frozenset[str]] = frozenset({ABOUT_COMMITMENT})
    reason: ClassVar[str] = "other-model"

    def check(self, facts: Facts) -> tuple[str, ...]:
        """Compare commitments."""
        if field.to_hex(facts.statement.model_commitment) != self.model_commitment:
            raise PolicyError(say("policy.model_differs"), self.reason)
        return (say("checked.model_commitment"),)
