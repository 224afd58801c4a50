"""From a verification to what an answer says of it: which parts the reader brought, and what the policy required."""

from __future__ import annotations

from typing import Literal

from equiproof.circuits.spec import decimal
from equiproof.verifier.answer import Findings, KeyMaking, LogStanding, ModelPin, Pinned
from equiproof.verifier.combined import UnsafeNoPolicy, each
from equiproof.verifier.entries import CommitmentEntry
from equiproof.verifier.facts import ABOUT_RANGES, Policy
from equiproof.verifier.logged import ForReceipt, Logged, standing
from equiproof.verifier.policy import ForContext, ForQuery, KeyIs, LinkKeyIs, MinRadius, ModelIs, NoRanges, RangesWithin
from equiproof.verifier.presented import Presented
from equiproof.verifier.transcripts import LinkTranscriptIs, SignedBy, TranscriptIs
from equiproof.verifier.verify import Verified

_WORDED_POLICIES = (
    ForQuery,
    ForContext,
    MinRadius,
    NoRanges,
    RangesWithin,
    ModelIs,
    KeyIs,
    LinkKeyIs,
    TranscriptIs,
    LinkTranscriptIs,
    SignedBy,
    Logged,
    ForReceipt,
    UnsafeNoPolicy,
)
"""The policies that an answer has words for."""


def findings(verified: Verified, policy: Policy, presented: Presented) -> Findings:
    """Return what was found: `presented` was verified under `policy`, and `verified` is the result.

    Details and context of the policy's are the reader's own. Others came with the certificate, and were checked too.
    """
    policies = list(each(policy))
    log = next((one for one in policies if isinstance(one, Logged)), None)
    own_query = next((one.query for one in policies if isinstance(one, ForQuery) and not one.found), None)
    own_context = next((one.context for one in policies if isinstance(one, ForContext) and not one.found), None)
    query = own_query or presented.query or presented.certificate.query
    return Findings(
        spec=verified.spec,
        label=verified.statement.label,
        radius_squared=verified.statement.radius_squared,
        key=KeyMaking.weaker(verified.key, verified.link_key),
        pins=_pinned(verified, presented),
        query=None if query is None else query.features,
        query_found=query is not None and own_query is None,
        context=own_context or presented.context,
        context_found=presented.context is not None and own_context is None,
        minimum=_minimum(policies),
        ranges=ABOUT_RANGES in policy.covers,
        others=any(not isinstance(one, _WORDED_POLICIES) for one in policies),
        log=presented.log_proof is not None,
        logged=None if log is None else _standing(log),
        receipt=_receipt(presented, policies),
        receipt_logged=log is not None and bool(presented.receipt_proof),
    )


def _standing(log: Logged) -> LogStanding:
    """Return where the commitment stands in the log that was pinned."""
    place = standing(log.proof, log.pins, log.now)
    owner = place.entry.owner if isinstance(place.entry, CommitmentEntry) else ""
    return LogStanding(log.pins.log.name, owner, log.pins.owner is not None, place.shown_time, len(place.witnesses))


def _receipt(presented: Presented, policies: list[Policy]) -> Literal["given", "found"] | None:
    """Return whose receipt was checked."""
    if presented.own_receipt or any(isinstance(one, ForReceipt) and not one.found for one in policies):
        return "given"
    return None if presented.receipt is None else "found"


def _pinned(verified: Verified, presented: Presented) -> Pinned:
    """Return the pins; a commitment that came with the certificate can be pinned by its fingerprint only."""
    pin: ModelPin = "given" if presented.commitment is None else "fingerprint"
    return Pinned(pin if verified.pins.commitment else None, verified.pins.key)


def _minimum(policies: list[Policy]) -> str | None:
    """Return the largest radius that is required, None for none above 0."""
    radii = [one.radius for one in policies if isinstance(one, MinRadius) and decimal(one.radius, "radius") > 0]
    return max(radii, key=lambda radius: decimal(radius, "radius"), default=None)
