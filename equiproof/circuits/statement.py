"""The statement: everything public that a proof is about. Its digest is the proof's one public input."""

from __future__ import annotations

from dataclasses import astuple, dataclass, field
from functools import lru_cache
from typing import Protocol

from equiproof.circuits.canonical import document_digest
from equiproof.circuits.commitment import VERSION, PackError, tag
from equiproof.circuits.field import ORDER
from equiproof.circuits.poseidon2 import hash_elements
from equiproof.circuits.shape import Shape, holds_gain


class Stated(Protocol):
    """What every statement has: the model, its spec and table, a label, and what it was made for, as field elements."""

    @property
    def model_commitment(self) -> int:
        """The commitment of the model."""

    @property
    def spec_digest(self) -> int:
        """The digest of the spec."""

    @property
    def domain_digest(self) -> int:
        """The digest of the rows of sensitive columns."""

    @property
    def label(self) -> int:
        """The index of the label."""

    @property
    def context_digest(self) -> int:
        """The digest of what the statement was made for."""

    def digest(self, shape: Shape) -> int:
        """Return the statement's digest under a shape (R-STATEMENT)."""


@dataclass(frozen=True)
class Statement:
    """The parts of a statement as field elements; scheme and shape belong to the key instead.

    `label` is an index, `radius_squared` is R2 = eps^2 4^f_x. Where the shape is of a kept model, `shown` is what the
    owner's link shows of it; a verifier takes it from the link. Otherwise it is None.
    """

    model_commitment: int
    spec_digest: int
    domain_digest: int
    query_commitment: int
    label: int
    radius_squared: int
    context_digest: int
    shown: int | None = field(default=None, kw_only=True)

    def digest(self, shape: Shape) -> int:
        """Return the statement's digest under a shape (R-STATEMENT).

        Raises PackError unless `shown` is there exactly where the shape is of a kept model.
        """
        if shape.kept != (self.shown is not None):
            raise PackError("the statement shows its model" if self.shown is not None else "no link shows the model")
        return hash_elements(self.elements(), start(shape))

    def elements(self) -> list[int]:
        """Return the parts in the order in which the digest takes them."""
        # Their number follows from the shape, which is hashed before them: so no length is needed.
        return [*self._own_elements(), *([] if self.shown is None else [self.shown])]

    def _own_elements(self) -> list[int]:
        """Return all parts but what is shown of the model, which is the last one of every statement that has it."""
        return [
            self.model_commitment,
            self.spec_digest,
            self.domain_digest,
            self.query_commitment,
            self.label,
            self.radius_squared,
            self.context_digest,
        ]


@dataclass(frozen=True)
class GainStatement(Statement):
    """The parts of a statement about a gain: every margin of `label` is larger by at least `least_gain` with one row.

    `domain_digest` is that of the two rows of sensitive columns alone, the one that gains first. `radius_squared` and
    `least_gain` are integers, and one logit is 2^`logit_fraction_bits` of the latter, by the owner's word.
    """

    least_gain: int
    logit_fraction_bits: int

    def digest(self, shape: Shape) -> int:
        """Return the statement's digest under a shape (R-STATEMENT).

        Raises PackError for a least gain outside its width: its residue would be that of a gain that a key can prove.
        """
        if not holds_gain(shape, self.least_gain):
            raise PackError(f"the least gain {self.least_gain} does not fit {shape.sizes.gain_bits} signed bits")
        return super().digest(shape)

    def _own_elements(self) -> list[int]:
        """Return all parts but what is shown of the model."""
        return [*super()._own_elements(), self.least_gain % ORDER, self.logit_fraction_bits]


@dataclass(frozen=True)
class BoxStatement:
    """The parts of a statement about a box as field elements: everybody in it is decided `label`, an index.

    `domain_digest` is that of the spec's table alone. Nobody's query and no radius are in it.
    """

    model_commitment: int
    spec_digest: int
    domain_digest: int
    box_commitment: int
    label: int
    context_digest: int

    def digest(self, shape: Shape) -> int:
        """Return the statement's digest under a shape (R-STATEMENT)."""
        return hash_elements(self.elements(), start(shape))

    def elements(self) -> list[int]:
        """Return the parts in the order in which the digest takes them."""
        return list(astuple(self))


@lru_cache(maxsize=64)
def start(shape: Shape) -> int:
    """Return the hash of what the digest of every statement under a shape begins with; kept for all of a shape."""
    # The tag first, as in every hash of ours, so that no digest is that of another kind. The shape is next: a proof
    # under one key says nothing about the same numbers under another.
    return hash_elements([tag("equiproof.statement"), VERSION, tag(shape.scheme), shape.digest])


def context_digest(context: dict[str, str]) -> int:
    """Digest what a certificate was made for: the applicant's nonce, the policy, the date, as names and texts."""
    return document_digest("equiproof.context.v2", context)
