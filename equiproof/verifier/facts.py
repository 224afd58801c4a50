"""What a policy judges, and the checks that a verification makes or leaves open, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from equiproof.circuits.names import quoted
from equiproof.circuits.spec import Spec
from equiproof.circuits.statement import Statement
from equiproof.verifier.documents import KeyDocument

ABOUT_COMMITMENT = (
    "that the owner shows this model to everybody: this commitment came with the certificate itself (take it from a "
    "public place: --commitment, or compare its 64 digits: --model-commitment)"
)
ABOUT_KEY = (
    "that nobody forged the proof: this key came with the certificate itself, and whoever made the file may have made "
    "the key, and could forge (name keys that you trust: --keys, or one key's 64 digits: --key-fingerprint)"
)
ABOUT_QUERY = "that the certificate is about your own data (give the query file: --query)"
ABOUT_FOUND_QUERY = "that the data it is about are your own: they came with the certificate itself (compare each value)"
ABOUT_CONTEXT = "that it was made for this application: nonce, policy and date (give the context file: --context)"
ABOUT_FOUND_CONTEXT = (
    "that it was made for this application: the context came with the certificate itself (compare its texts with your "
    "letter, or give your own: --context)"
)
ABOUT_RADIUS = "that the radius is large enough for you (give a minimum: --min-radius)"
ABOUT_GAIN = "that the gain is large enough for you (give a minimum: --min-gain)"
ABOUT_GAIN_OF = (
    "that it is about the label and the values that you have in mind (name them: --label, --first and --second)"
)
ABOUT_UNIT = "that the gain's unit is right: the owner states how the model's numbers become log odds"
ABOUT_RANGES = (
    "that the spec's ranges include everybody you have in mind (name your ranges: --ranges-within, or accept none: "
    "--no-ranges)"
)
ABOUT_TRANSCRIPT = "that the transcript of the key's set-up was checked (--transcript, or --signed-by)"
ABOUT_SAME = "that the owner shows the same commitment to everybody"
ABOUT_LOG = "that the certificate is in a public log: a log proof came with it, and was not checked"
ABOUT_USE = "that the owner decides with this model"
ALWAYS_LEFT_TO_YOU = (
    f"{ABOUT_SAME}, and decides with this model",
    "that the other features are not proxies for the sensitive ones, and that the spec's units are right",
)
ABOUT_LOSS = (
    "that the committed integers decide as the owner's model does: the owner states that rounding the model to "
    "integers may have changed it (allow_loss in the spec)"
)
ABOUT_SETUP = "that proofs under this key cannot be forged: a single party ran its set-up"


def about_monotone(spec: Spec) -> tuple[str, ...]:
    """Return what the owner states of features by `monotone`, which no proof shows: one line for each direction."""
    lines = []
    for way, moves in (("increasing", "falls"), ("decreasing", "rises")):
        if features := " or ".join(quoted(feature.name) for feature in spec.features if feature.monotone == way):
            score = f"that the score for {quoted(spec.labels[1])} never {moves} as {features} grows"
            lines.append(f"{score}: the owner states it (monotone in the spec)")
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
