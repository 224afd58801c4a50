"""What a policy judges, and the checks that a verification makes or leaves open, in words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from equiproof.circuits.names import quoted
from equiproof.circuits.spec import Spec
from equiproof.circuits.statement import BoxStatement, Stated, Statement
from equiproof.circuits.tables import english, say
from equiproof.verifier.documents import KeyDocument, LinkKeyDocument
from equiproof.verifier.trust import TrustedLinkKey

# A check is named by its English sentence, whatever language is spoken; `in_language` says it.
ABOUT_COMMITMENT = english("unproven.commitment_that_came")
ABOUT_KEY = english("unproven.key_that_came")
ABOUT_LINK_KEY = english("unproven.link_key_that_came")
ABOUT_QUERY = english("unproven.query")
ABOUT_FOUND_QUERY = english("unproven.query_that_came")
ABOUT_BOX = english("unproven.box")
ABOUT_BOX_LABEL = english("unproven.box_label")
ABOUT_REFUSAL = english("unproven.refusal")
ABOUT_RECOURSE = english("unproven.recourse")
ABOUT_CONTEXT = english("unproven.context")
ABOUT_FOUND_CONTEXT = english("unproven.context_that_came")
ABOUT_RADIUS = english("unproven.radius_size")
ABOUT_GAIN = english("unproven.gain_size")
ABOUT_GAIN_OF = english("unproven.gain_subject")
ABOUT_UNIT = english("unproven.gain_unit")
ABOUT_RANGES = english("unproven.ranges")
ABOUT_TRANSCRIPT = english("unproven.transcript")
ABOUT_LINK_TRANSCRIPT = english("unproven.link_transcript")
ABOUT_SAME = english("unproven.same_commitment")
ABOUT_LOG = english("unproven.log_proof_unchecked")
ABOUT_USE = english("unproven.owner_decides")
ALWAYS_LEFT_TO_YOU = (
    english("unproven.about_same", sentence=ABOUT_SAME),
    english("unproven.proxies_and_units"),
)
ABOUT_LOSS = english("unproven.rounding_loss")
ABOUT_SETUP = english("unproven.single_party_setup")


def about_monotone(spec: Spec) -> tuple[str, ...]:
    """Return what the owner states of features by `monotone`, which no proof shows: one line for each direction."""
    lines = []
    for way, moves in (("increasing", say("unproven.falls")), ("decreasing", say("unproven.rises"))):
        names = [quoted(feature.name) for feature in spec.features if feature.monotone == way]
        if features := f" {say('word.or')} ".join(names):
            score = say("unproven.monotone_score", label=quoted(spec.labels[1]), direction=moves, features=features)
            lines.append(say("unproven.owner_states_monotone", score=score))
    return tuple(lines)


@dataclass(frozen=True)
class Pins:
    """Which parts the relying party has from elsewhere than from whoever handed over the certificate.

    A part that is not pinned came with the certificate itself. It is used, but nothing else confirms it. `key` is about
    both keys where a link shows that the model is the committed one: one of them does not pin the other.
    """

    commitment: bool = True
    key: bool = True

    def by(self, covers: frozenset[str], *, linked: bool) -> Pins:
        """Return the pins of these and of a policy that makes these checks: by fingerprint, transcript or signers.

        `linked`: there is a link, whose key has to be pinned, too.
        """
        keys = {ABOUT_KEY, ABOUT_LINK_KEY} if linked else {ABOUT_KEY}
        return Pins(self.commitment or ABOUT_COMMITMENT in covers, self.key or keys <= covers)


@dataclass(frozen=True)
class Facts:
    """What a policy judges: a statement whose parts were recomputed, the spec and the key, and which are pinned.

    `signatures` is the unread note of those who checked the key's transcript. `link_key` is the key of the link that a
    certificate of a kept model comes with: whatever is required of a key is required of both. `covered` are the checks
    of all policies that are required together with the one that judges.
    """

    statement: Stated
    spec: Spec
    key: KeyDocument
    signatures: bytes = b""
    pins: Pins = Pins()
    link_key: TrustedLinkKey | None = None
    covered: frozenset[str] = frozenset()

    def pinned_by(self, covers: frozenset[str]) -> Facts:
        """Return the same with what a policy that makes these checks pins and covers."""
        pins = self.pins.by(covers, linked=self.link_key is not None)
        return replace(self, pins=pins, covered=self.covered | covers)

    @property
    def keys(self) -> tuple[tuple[KeyDocument | LinkKeyDocument, bytes], ...]:
        """Every key that the certificate rests on, each with the note of those who checked its transcript."""
        own = (self.key, self.signatures)
        return (own,) if self.link_key is None else (own, (self.link_key.document, self.link_key.signatures))


def about_a_ball(facts: Facts) -> Statement:
    """Return the statement; raises TypeError for one about a box, of which no radius and no query can be required."""
    if not isinstance(facts.statement, Statement):
        raise TypeError(say("policy.ball_policy_elsewhere"))
    return facts.statement


def about_a_box(facts: Facts) -> BoxStatement:
    """Return the statement; raises TypeError for one about a ball."""
    if not isinstance(facts.statement, BoxStatement):
        raise TypeError("want a statement about a box")
    return facts.statement


class Policy(Protocol):
    """A requirement. `covers` names the checks that it makes; a verification lists the others as not made.

    A check is named by its English sentence, in every language.
    """

    @property
    def covers(self) -> frozenset[str]:
        """Return the checks in words."""

    def check(self, facts: Facts) -> tuple[str, ...]:
        """Return what was checked, in words; raises PolicyError unless the requirement is met."""
