"""The two forms of a shape's keys, self-contained and kept (docs/relation-kept.md), and which of them pays.

Certificates of self-contained keys open the model commitment, those of kept keys leave that to a link. What the kept
form takes away follows from the shape alone: the constraints of both are counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from equiproof.circuits.branch_parameters import WidthError
from equiproof.circuits.link_shape import link_shape
from equiproof.circuits.shape import Shape, kept_shape
from equiproof.ffi.errors import MalformedInputError
from equiproof.prover.catalogue import cost_document
from equiproof.prover.estimate import TooLargeError, compiled, estimate, estimate_link

if TYPE_CHECKING:
    from equiproof.certify.documents import Document


@dataclass(frozen=True)
class Forms:
    """The constraints of certificates of a shape in both forms."""

    self_contained: int
    kept: int

    @classmethod
    def of(cls, shape: Shape) -> Forms:
        """Count the constraints of a shape, of either form.

        Raises MalformedInputError for a shape without a circuit, SpecError for one of boxes, which have one form.
        """
        own, kept = (compiled(one.document).constraints for one in (shape.self_contained, kept_shape(shape)))
        return cls(own, kept)

    @property
    def share(self) -> float:
        """The constraints of the kept form beside those of the other."""
        return round(self.kept / self.self_contained, 3)

    @property
    def worthwhile(self) -> bool:
        """Whether the kept form takes away a fifth or more: less is not worth a link, which all who verify need."""
        return 5 * self.kept <= 4 * self.self_contained

    def taken_away(self) -> str:
        """Return what the kept form takes away, such as "55.7 % of 241,746 constraints"."""
        # Rounded down, so that a fifth is said only where it is one.
        permille = 1000 * (self.self_contained - self.kept) // self.self_contained
        return f"{permille / 10:.1f} % of {self.self_contained:,} constraints"


def forms_document(shape: Shape) -> Document | None:
    """Return what the kept form of a shape's keys and its links cost beside the other; None where nothing compiles."""
    try:
        forms, link = Forms.of(shape), estimate_link(link_shape(shape))
        cost = estimate(kept_shape(shape))
    except (TooLargeError, MalformedInputError, WidthError):
        return None
    return {
        "self_contained": forms.self_contained,
        "share": forms.share,
        "worthwhile": forms.worthwhile,
        "cost": cost_document(cost),
        "link": cost_document(link),
    }
