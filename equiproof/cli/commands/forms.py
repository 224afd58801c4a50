"""Which form of keys `equiproof setup` makes of a shape, and why: of a kept model, or self-contained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from equiproof.circuits.proof_systems import DEFAULT_PROOF_SYSTEM, ProofSystem

if TYPE_CHECKING:
    from equiproof.circuits.shape import Shape
    from equiproof.circuits.spec import Spec

Kept = Annotated[
    bool,
    typer.Option(
        "--kept",
        help="Proofs leave it to a link that the model is the committed one, which `prove` makes once; who verifies "
        "needs it, too. Default where this takes away a fifth of the constraints, but not for standard shapes.",
    ),
]

SelfContained = Annotated[
    bool, typer.Option("--self-contained", help="Every proof opens the model commitment, and no link is needed.")
]

OF_BOXES = "the only form of certificates about boxes"
"""Why keys for boxes have the form that they have."""


@dataclass(frozen=True)
class Chosen:
    """The shape of the keys to make, and in a few words why they have this form."""

    shape: Shape
    why: str

    @property
    def form(self) -> str:
        """The form as people read it."""
        return "kept" if self.shape.kept else "self-contained"


def refuse_kept(system: ProofSystem, *, self_contained: bool, catalogue: bool, box: bool) -> None:
    """Raise typer's own error where --kept stands beside what has no kept form, saying why."""
    reasons = {
        "--self-contained is the other form": self_contained,
        "certificates about boxes open the model commitment themselves": box,
        "--catalogue makes the keys that owners share, which are self-contained": catalogue,
        f"only {DEFAULT_PROOF_SYSTEM} has kept keys, as other proofs show no point that is the same in all": (
            system != DEFAULT_PROOF_SYSTEM
        ),
    }
    for reason, stands in reasons.items():
        if stands:
            raise typer.BadParameter(f"leave out --kept: {reason}")


def chosen(
    shape: Shape, spec: Spec, system: ProofSystem, *, kept: bool, self_contained: bool, passed: int | None = None
) -> Chosen:
    """Choose the form of a shape's keys: as the options say, else the kept one where it takes away a fifth or more.

    `passed` goes with `kept`, for an ensemble that visits nodes. The constraints of both are counted for that. A shape
    without a circuit stays as it is.
    """
    from equiproof.circuits.shape import kept_shape, visiting_shape
    from equiproof.ffi.errors import MalformedInputError
    from equiproof.prover.catalogue import standard_name
    from equiproof.prover.forms import Forms

    if kept:
        kept_form = kept_shape(shape) if passed is None else visiting_shape(shape, passed)
        return Chosen(kept_form, "as --kept says")
    if self_contained:
        return Chosen(shape, "as --self-contained says")
    if system != DEFAULT_PROOF_SYSTEM:
        return Chosen(shape, f"the only form of {system}")
    if standard_name(shape, spec) is not None:
        return Chosen(shape, "as are all keys of standard shapes, which owners share; --kept makes the other form")
    try:
        forms = Forms.of(shape)
    except MalformedInputError:
        return Chosen(shape, "no link is needed")  # making the keys says what is wrong
    if forms.worthwhile:
        return Chosen(kept_shape(shape), f"takes away {forms.taken_away()}; --self-contained makes the other form")
    return Chosen(shape, f"the kept form would take away {forms.taken_away()}, less than a fifth")
