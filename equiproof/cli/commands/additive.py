"""Options that say which additive model a key of scheme `trees` is for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equiproof.circuits.schemes import Scheme

if TYPE_CHECKING:
    from equiproof.circuits.shape import Shape
    from equiproof.circuits.spec import Spec

Predicates = Annotated[
    str | None,
    typer.Option(
        "--predicates",
        help="Scheme trees: how many thresholds the model has, such as 40, or 40,2 with 2 of sensitive features.",
        metavar="P[,P_S]",
    ),
]
Slots = Annotated[
    int | None,
    typer.Option(
        "--slots",
        help="Scheme trees: how many thresholds near an applicant a proof can hold, at most P.",
        min=1,
        metavar="V",
    ),
]

Sizes = tuple[tuple[int, int], int]
"""(P_x, P_s) and V."""


def additive_sizes(scheme: Scheme, predicates: str | None, slots: int | None) -> Sizes | None:
    """Return the sizes of an additive model by the options, None for a network; raises typer's own error."""
    if scheme != "trees":
        if (predicates, slots) != (None, None):
            raise typer.BadParameter("--predicates and --slots go with --scheme trees")
        return None
    if predicates is None or slots is None:
        raise typer.BadParameter("--scheme trees needs the sizes of an additive model: --predicates P[,P_S] --slots V")
    counts = predicate_counts(predicates)
    return counts, slots_for(counts[0], slots)


DEFAULT_SLOTS = 40
"""The slots of keys that are made without --slots: nine of ten applicants of a scorecard need no more."""


def slots_for(most: int, slots: int | None) -> int:
    """Return V for a model with so many thresholds of non-sensitive features; raises typer's own error."""
    if slots is not None and slots > most:
        raise typer.BadParameter(f"--slots {slots}: want 1 to {most}, the thresholds of non-sensitive features")
    return min(DEFAULT_SLOTS, most) if slots is None else slots


def predicate_counts(text: str) -> tuple[int, int]:
    """Read "40" or "40,2" as (P_x, P_s); raises typer's own error for anything else."""
    from equiproof.verifier.documents import MAX_PREDICATES

    parts = text.split(",")
    if not 1 <= len(parts) <= 2 or not all(part.isascii() and part.isdigit() and len(part) <= 4 for part in parts):
        raise typer.BadParameter(f"--predicates: {text[:40]!r} is not one or two numbers such as 40 or 40,2")
    plain, sensitive = int(parts[0]), int(parts[1]) if len(parts) == 2 else 0
    if plain < 1 or plain + sensitive > MAX_PREDICATES:
        raise typer.BadParameter(
            f"--predicates {text}: want at least 1 of non-sensitive features, and {MAX_PREDICATES} at most in all"
        )
    return plain, sensitive


def shape_for(spec: Spec, found: Sizes, capacity: int) -> Shape:
    """Return the shape of an additive model under a spec; raises typer's own error for a spec of several logits."""
    from equiproof.circuits.shape import additive_shape

    if spec.logits != 1:
        raise typer.BadParameter(
            f"scheme trees decides between two labels; spec {spec.name!r} has {len(spec.labels)}: want --scheme branch"
        )
    return additive_shape(spec, found[0], found[1], capacity)


def refuse_network(scheme: Scheme, opening: Path) -> None:
    """Raise typer's own error where scheme trees is meant for a network."""
    if scheme == "trees":
        raise typer.BadParameter(f"{opening} holds a network, and scheme trees is for additive models: --scheme branch")
