"""Features that move a score one way only, as their jumps and trees show: what training with such a constraint leaves.

The condition is enough and easy to read off, not necessary: every jump of the column has the same sign, and below every
split that asks it no leaf on one side exceeds any leaf on the other. Training by constraint makes such trees.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from equiproof.certify.ensemble import Child, EnsembleModel, ScoredModel
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.spec import Feature, Spec


class MonotoneError(ValueError):
    """A spec that states of a feature what its model does not show; one line naming the feature."""

    exit_code: ClassVar[int] = MISUSED


def directions(model: ScoredModel) -> dict[int, int]:
    """Return 1 for each plain column whose rise never lowers the score, -1 where it never raises it.

    Columns that the model does not read are left out, and those of which this condition does not show either.
    """
    signs = {column: _sign(some) for column, some in _steps(model).items() if column < model.plain}
    return {column: sign for column, sign in signs.items() if sign}


def refuse_false_directions(model: ScoredModel | QuantisedNetwork, spec: Spec) -> None:
    """Raise MonotoneError where the model's integers do not show each `monotone` that its spec states.

    A column that the model does not read moves no score, so it shows either direction. Of networks nothing is shown.
    """
    stated = [
        (column, feature)
        for column, feature in _one_column_features(spec)
        if feature.monotone in ("increasing", "decreasing")
    ]
    if not stated:
        return
    if isinstance(model, QuantisedNetwork):
        raise MonotoneError(
            f"feature {stated[0][1].name!r}: take monotone out of spec.json: it is for additive models and trees, not "
            "for networks"
        )
    steps = _steps(model)
    for column, feature in stated:
        sign = 1 if feature.monotone == "increasing" else -1
        if any(sign * step < 0 for step in steps.get(column, ())):
            way = f"{feature.name}={'+' if sign > 0 else '-'}"
            raise MonotoneError(
                f"feature {feature.name!r}: take monotone out of spec.json, or train with --monotone {way}: the spec "
                f"says monotone {feature.monotone}, and the model's integers do not show it"
            )


def _steps(model: ScoredModel) -> dict[int, list[int]]:
    """Return by column what crossing each of its predicates upwards adds: each jump, and the ends of each split."""
    own = model.additive if isinstance(model, EnsembleModel) else model
    steps: dict[int, list[int]] = {}
    for column, jump in zip(own.columns, own.jumps, strict=True):
        steps.setdefault(column, []).append(jump)
    if isinstance(model, EnsembleModel):
        spans = _spans(model)
        for place, (low, high) in zip(model.nodes.predicates, model.nodes.children, strict=True):
            low_least, low_most = _span(low, spans)
            high_least, high_most = _span(high, spans)
            # What crossing adds lies between these two, in every context.
            steps[own.columns[place]] += [high_least - low_most, high_most - low_least]
    return steps


def monotone_features(model: ScoredModel, spec: Spec) -> dict[str, str]:
    """Return "+" or "-" by the name of each non-sensitive feature of one column that moves the score one way only."""
    signs = directions(model)
    return {
        feature.name: "+" if signs[column] > 0 else "-"
        for column, feature in _one_column_features(spec)
        if column in signs
    }


def _one_column_features(spec: Spec) -> Iterator[tuple[int, Feature]]:
    """Yield the column and the feature of each non-sensitive feature of one column."""
    column = 0
    for feature in spec.plain_features:
        if feature.width == 1:
            yield column, feature
        column += feature.width


def _spans(model: EnsembleModel) -> list[tuple[int, int]]:
    """Return the least and the largest leaf below each node; children come after their nodes."""
    spans: list[tuple[int, int]] = [(0, 0)] * model.nodes.sizes[1]
    for number in reversed(range(len(spans))):
        below = [_span(child, spans) for child in model.nodes.children[number]]
        spans[number] = min(least for least, _ in below), max(most for _, most in below)
    return spans


def _span(child: Child, spans: list[tuple[int, int]]) -> tuple[int, int]:
    """Return the least and the largest leaf of a child."""
    return spans[child.number] if child.is_node else (child.number, child.number)


def _sign(steps: Iterable[int]) -> int:
    """Return the sign that no step goes against, 0 where steps go both ways or nowhere."""
    signs = {(step > 0) - (step < 0) for step in steps} - {0}
    return signs.pop() if len(signs) == 1 else 0
