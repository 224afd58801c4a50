"""What a policy judges, and the checks that a verification makes or leaves open, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from equiproof.circuits.names import quoted
from equiproof.circuits.spec import Spec
from equiproof.circuits.statement import Statement
from equiproof.circuits.tables import say
from equiproof.verifier.documents import KeyDocument

ABOUT_COMMITMENT = say("unproven.commitment_that_came")
ABOUT_KEY = say("unproven.key_that_came")
ABOUT_QUERY = say("unproven.query")
ABOUT_FOUND_QUERY = say("unproven.query_that_came")
ABOUT_CONTEXT = say("unproven.context")
ABOUT_FOUND_CONTEXT = say("unproven.context_that_came")
ABOUT_RADIUS = say("unproven.radius_size")
ABOUT_GAIN = say("unproven.gain_size")
ABOUT_GAIN_OF = say("unproven.gain_subject")
ABOUT_UNIT = say("unproven.gain_unit")
ABOUT_RANGES = say("unproven.ranges")
ABOUT_TRANSCRIPT = say("unproven.transcript")
ABOUT_SAME = say("unproven.same_commitment")
ABOUT_LOG = say("unproven.log_proof_unchecked")
ABOUT_USE = say("unproven.owner_decides")
ALWAYS_LEFT_TO_YOU = (
    say("unproven.about_same", sentence=ABOUT_SAME),
    say("unproven.proxies_and_units"),
)
ABOUT_LOSS = say("unproven.rounding_loss")
ABOUT_SETUP = say("unproven.single_party_setup")


def about_monotone(spec: Spec) -> tuple[str, ...]:
    """Return what the owner states of features by `monotone`, which no proof shows: one line for each direction."""
    lines = []
    for way, moves in (("increasing", "falls"), ("decreasing", "rises")):
        if features := " or ".join(quoted(feature.name) for feature in spec.features if feature.monotone == way):
            score = say("unproven.monotone_score", label=quoted(spec.labels[1]), direction=moves, features=features)
            lines.append(say("unproven.owner_states_monotone", score=score))
    return tuple(lines)


@dataclass(frozen=True)
class Pins:
    """Which parts the relying party has from elsewhere than from whoever handed over the certificate.

    A part that is not pinned came with the certificate itself. It is used, and nobody's word stands behind it.
    """

    commitment: bool = True
    key: bool = True

    def by(self, covers: frozenset[str]) -> Pins:
        """Return the pins of these and of a policy that makes these checks: by fingerprint, transcript or signers."""
        return Pins(self.commitment or ABOUT_COMMITMENT in covers, self.key or ABOUT_KEY in covers)


@dataclass(frozen=True)
class Facts:
    """What a policy judges: a statement whose parts were recomputed, the spec and the key, and which are pinned.

    `signatures` is the unread note of those who checked the key's transcript.
    """

    statement: Statement
    spec: Spec
    key: KeyDocument
    signatures: bytes = b""
    pins: Pins = Pins()


class Policy(Protocol):
    """A requirement. `covers` names the checks that it makes; a verification lists the others as not made."""

    @property
    def covers(self) -> frozenset[str]:
        """Return the checks in words."""

    def check(self, facts: Facts) -> tuple[str, ...]:
        """Return what was checked, in words; raises PolicyError unless the requirement is met."""
