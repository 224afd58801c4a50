"""The decisions of a fitted scorecard on rows, by its own scores: what its import is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from equiproof.certify.data.frames import Frame
from equiproof.certify.models.importing.bind import label_order
from equiproof.certify.models.own_decisions import DecisionsError, OwnDecisions
from equiproof.circuits.spec import Spec


def card_decisions(
    model: Any, frame: Frame, cutoff: Fraction, spec: Spec, classes: Sequence[str | int] | None
) -> OwnDecisions:
    """Return what a Scorecard of optbinning or a ScoreCard of toad makes of the rows of a table.

    Raises DecisionsError where the object cannot be asked.
    """
    method = "score" if type(model).__name__ == "Scorecard" else "predict"
    where = f"{type(model).__name__}.{method}"
    try:
        scores = [float(score) for score in getattr(model, method)(frame.chosen(frame.columns))]
    except (TypeError, ValueError, AttributeError, KeyError, IndexError) as error:
        said = (str(error).splitlines() or [""])[0]
        raise DecisionsError(
            f"give the table as the card takes it: {where} fails on {frame.name} and cannot be compared: {said[:160]}"
        ) from error
    order = label_order(classes, spec)
    labels = tuple(order[int(Fraction(score) >= cutoff)] for score in scores)
    return OwnDecisions(labels, tuple(f"{score:.10g}" for score in scores), where)
