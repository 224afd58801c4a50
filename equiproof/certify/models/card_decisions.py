"""The decisions of a fitted scorecard on rows, by its own scores: what its import is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from equiproof.certify.data.frames import Frame
from equiproof.certify.models.importing.bind import label_order
from equiproof.certify.models.objects import first_taken
from equiproof.certify.models.own_decisions import OwnDecisions
from equiproof.circuits.spec import Spec


def card_decisions(
    model: Any, frame: Frame, cutoff: Fraction, spec: Spec, classes: Sequence[str | int] | None
) -> OwnDecisions:
    """Return what a Scorecard of optbinning or a ScoreCard of toad makes of the rows of a table.

    Raises DecisionsError where the object cannot be asked.
    """
    method = "score" if type(model).__name__ == "Scorecard" else "predict"
    where = f"{type(model).__name__}.{method}"
    scores = first_taken(
        frame.chosen(frame.columns),
        lambda taken: [float(score) for score in getattr(model, method)(taken)],
        where,
        frame.name,
    )
    order = label_order(classes, spec)
    labels = tuple(order[int(Fraction(score) >= cutoff)] for score in scores)
    return OwnDecisions(labels, tuple(f"{score:.10g}" for score in scores), where)
