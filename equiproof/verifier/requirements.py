"""A policy from plain values, as a command line, a form or a JSON request has them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, TypeVar, cast, get_args

from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.field import FieldError, from_hex
from equiproof.circuits.proof_systems import PROOF_SYSTEMS
from equiproof.circuits.spec import SpecError, decimal
from equiproof.circuits.tables import say
from equiproof.verifier.combined import AllOf, UnsafeNoPolicy
from equiproof.verifier.documents import QueryDocument, SetupKind
from equiproof.verifier.facts import Policy
from equiproof.verifier.gain_policy import GainOf, MinGain
from equiproof.verifier.logged import Logged, LogTerms
from equiproof.verifier.policy import (
    ForContext,
    ForQuery,
    KeyIs,
    MinRadius,
    ModelIs,
    NoRanges,
    ProofSystemIs,
    RangesWithin,
    SetupIs,
)
from equiproof.verifier.transcripts import SignedBy, TranscriptIs

Value = TypeVar("Value")


class RequirementError(ValueError):
    """A value that is no requirement: `name` is the argument of :func:`policy_of`, `reason` says what is wrong."""

    exit_code: ClassVar[int] = MISUSED

    def __init__(self, name: str, reason: str) -> None:
        """Keep the parts beside the line."""
        super().__init__(f"{name}: {reason}")
        self.name = name
        self.reason = reason

    def __reduce__(self) -> tuple[type[RequirementError], tuple[str, str]]:
        """Support pickling by the parts: the line alone does not make the error again."""
        return RequirementError, (self.name, self.reason)


def policy_of(
    *,
    query: QueryDocument | None = None,
    context: Mapping[str, str] | None = None,
    min_radius: str | None = None,
    no_ranges: bool = False,
    ranges_within: Mapping[str, tuple[str, str]] | None = None,
    setup: str | None = None,
    proof_system: str | None = None,
    model_commitment: str | None = None,
    key_fingerprint: str | None = None,
    transcript: str | None = None,
    signed_by: tuple[Sequence[str], int] | None = None,
    log: tuple[LogTerms, bytes, int] | None = None,
    min_gain: str | None = None,
    gain_of: tuple[str, Mapping[str, str], Mapping[str, str]] | None = None,
) -> Policy:
    """Return one policy that requires everything given; each argument stands for one class of :mod:`.policy`.

    `min_radius` and the ends of `ranges_within` are exact decimal text, `setup` is a kind of set-up, `signed_by` is
    verifier keys and how many of them must have signed; `model_commitment`, `key_fingerprint` and `transcript` are 64
    hexadecimal digits. `log` is what is demanded of a log, a log proof, and the time in POSIX seconds. `min_gain` and
    `gain_of`, a label with two rows of sensitive values, are for gain certificates, and ranges and logs for others.
    Without any argument it is UnsafeNoPolicy, without its warning: a caller that builds a policy from optional values
    shows its user the checks that were not made. Raises RequirementError naming the argument whose value is refused,
    and CertificateFormatError for a context that can be guessed.
    """
    # Policies are checked in this order, so it decides which of several reasons a refused certificate is given.
    policies: list[Policy] = [
        *_if_given(query, ForQuery),
        *_if_given(context, ForContext),
        *_if_given(min_radius, _least_radius),
        *_if_given(no_ranges or None, _no_ranges),
        *_if_given(ranges_within or None, _ranges),
        *_if_given(setup, _kind_of_setup),
        *_if_given(proof_system, _system),
        *_if_given(model_commitment, _model),
        *_if_given(key_fingerprint, _key),
        *_if_given(transcript, _transcript),
        *_if_given(signed_by, _signers),
        *_if_given(min_gain, _least_gain),
        *_if_given(gain_of, _gain),
        *_if_given(log, _logged),
    ]
    if policies:
        return AllOf(*policies)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return UnsafeNoPolicy()


def _if_given(value: Value | None, policy: Callable[[Value], Policy]) -> list[Policy]:
    """Return the policy of a value, or none for an argument that was left out."""
    return [] if value is None else [policy(value)]


def _least_radius(text: str) -> MinRadius:
    """Require a radius that is not below 0."""
    try:
        if decimal(text, "min_radius") < 0:
            raise RequirementError("min_radius", f"{text} is below 0")
    except SpecError:
        raise RequirementError("min_radius", say("value.not_decimal", value=repr(text[:40]))) from None
    return MinRadius(text)


def _no_ranges(_: bool) -> NoRanges:
    """Require that the certificate covers all neighbors."""
    return NoRanges()


def _ranges(ranges: Mapping[str, tuple[str, str]]) -> RangesWithin:
    """Require that the certificate's ranges include these."""
    try:
        return RangesWithin(ranges)
    except SpecError as error:
        raise RequirementError("ranges_within", str(error)) from None


def _kind_of_setup(setup: str) -> SetupIs:
    """Require one of the kinds of set-up."""
    kinds = get_args(SetupKind)
    if setup not in kinds:
        raise RequirementError(
            "setup", say("policy.setup_unknown", setup=repr(setup[:40]), known=", ".join(kinds[:-1]), last=kinds[-1])
        )
    return SetupIs(cast("SetupKind", setup))


def _system(proof_system: str) -> ProofSystemIs:
    """Require one of the proof systems."""
    if proof_system not in PROOF_SYSTEMS:
        raise RequirementError("proof_system", f"{proof_system[:40]!r} is not {' or '.join(PROOF_SYSTEMS)}")
    return ProofSystemIs(proof_system)


def _model(commitment: str) -> ModelIs:
    """Require one model by its commitment, a field element in hexadecimal digits."""
    try:
        from_hex(commitment)
    except FieldError as error:
        raise RequirementError("model_commitment", str(error)) from None
    return ModelIs(commitment)


def _key(fingerprint: str) -> KeyIs:
    """Require one key by its fingerprint."""
    return KeyIs(_sha256("key_fingerprint", fingerprint))


def _transcript(digest: str) -> TranscriptIs:
    """Require a key of others by the digest of its transcript."""
    return TranscriptIs(_sha256("transcript", digest))


def _sha256(name: str, text: str) -> str:
    """Return the hexadecimal digits of a SHA-256."""
    if len(text) != 64 or set(text) - set("0123456789abcdef"):
        raise RequirementError(name, say("format.want_digest"))
    return text


def _signers(accepted: tuple[Sequence[str], int]) -> SignedBy:
    """Require signatures of those who checked the key's transcript."""
    keys, least = accepted
    try:
        return SignedBy(tuple(keys), least)
    except ValueError as error:
        raise RequirementError("signed_by", str(error)) from None


def _least_gain(text: str) -> MinGain:
    """Require a gain that is at least this."""
    try:
        return MinGain(text)
    except SpecError:
        raise RequirementError("min_gain", say("value.not_decimal", value=repr(text[:40]))) from None


def _gain(compared: tuple[str, Mapping[str, str], Mapping[str, str]]) -> GainOf:
    """Require the gain of one label between two rows of sensitive values."""
    label, values, others = compared
    return GainOf(label, values, others)


def _logged(demand: tuple[LogTerms, bytes, int]) -> Logged:
    """Require that a log holds the commitment."""
    terms, proof, now = demand
    try:
        return terms.policy(proof, now)
    except ValueError as error:
        raise RequirementError("log", str(error)) from None
