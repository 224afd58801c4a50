"""Repair of a model for a list of applicants: which of them are repair points, which rows to keep, and the outcome."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from equiproof.audits.prof.box import RepairedBox, read_box, repair_box
from equiproof.audits.prof.calibrate import Integers
from equiproof.audits.prof.clock import ENDLESS, Clock
from equiproof.audits.prof.repair import Repaired, Settings, Unrepaired, repair
from equiproof.audits.prof.run import read_relaxed
from equiproof.audits.prof.similar import Similarity
from equiproof.certify.decisions import decisions_under
from equiproof.certify.many.point import PointResult
from equiproof.certify.many.results import Results
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.padding import pad_network, without_columns
from equiproof.circuits.spec import Spec

Query = tuple[int, ...]

NONE_KEPT = Fraction(0)
"""No constraint on the rows to keep."""

MOST_POINTS = 100
"""The most applicants that one repair is made for."""


def repair_points(queries: Sequence[Query], seed: int) -> list[Query]:
    """Return the distinct queries, or a sample of :data:`MOST_POINTS` if there are more."""
    distinct = list(dict.fromkeys(queries))
    if len(distinct) <= MOST_POINTS:
        return distinct
    return random.Random(seed).sample(distinct, MOST_POINTS)  # noqa: S311 - a sample, not a secret


def repair_for(
    network: QuantisedNetwork,
    spec: Spec,
    points: Sequence[Query],
    kept: Sequence[Query],
    relaxed: str,
    settings: Settings,
    least_kept: Fraction = NONE_KEPT,
    clock: Clock = ENDLESS,
) -> Repaired | Unrepaired:
    """Repair a network for some points, and keep the decisions of the rows `kept`, at least this share of them.

    `relaxed` names plain features that may differ, too, such as "age=2,income=500". `clock` ends every step. Columns of
    the padding take no part and have weight 0 in the result. Raises AuditError for a relaxed feature that the spec does
    not have, and RepairError as :func:`equiproof.audits.prof.repair.repair`.
    """
    small_network, small_spec = without_columns(network, spec)
    similarity = Similarity.of(small_spec, read_relaxed(relaxed))
    rows = _labelled_rows(small_network, small_spec, _without_padding(kept, small_spec))
    settings = _with_least_right(settings, least_kept, rows)
    outcome = repair(small_network, similarity, _without_padding(points, small_spec), rows, settings, clock)
    if isinstance(outcome, Unrepaired):
        return outcome
    return replace(outcome, network=pad_network(outcome.network, small_spec, spec.plain_columns, network.hidden))


def repair_box_for(
    network: QuantisedNetwork,
    spec: Spec,
    points: Sequence[Query],
    kept: Sequence[Query],
    box: str,
    settings: Settings,
    least_kept: Fraction = NONE_KEPT,
    clock: Clock = ENDLESS,
) -> RepairedBox | Unrepaired:
    """Repair a network for some points and for a box such as "age=30..40", and keep the decisions of the rows `kept`.

    Clock and padding are treated as by :func:`repair_for`. Raises BoxError for an invalid box.
    """
    small_network, small_spec = without_columns(network, spec)
    applicants = read_box(box, small_spec)
    rows = _labelled_rows(small_network, small_spec, _without_padding(kept, small_spec))
    settings = _with_least_right(settings, least_kept, rows)
    small_points = _without_padding(points, small_spec)
    similarity = Similarity.of(small_spec)
    outcome = repair_box(small_network, similarity, applicants, rows, settings, points=small_points, clock=clock)
    if isinstance(outcome, Unrepaired):
        return outcome
    padded = pad_network(outcome.repaired.network, small_spec, spec.plain_columns, network.hidden)
    return replace(outcome, repaired=replace(outcome.repaired, network=padded))


def _without_padding(queries: Sequence[Query], small_spec: Spec) -> list[Query]:
    """Return queries without the columns of the padding, which come last."""
    return [query[: small_spec.plain_columns] for query in queries]


def _with_least_right(settings: Settings, least_kept: Fraction, rows: tuple[Integers, Integers]) -> Settings:
    """Return settings that keep at least a share of some rows, each counted under every sensitive value."""
    return replace(settings, least_right=math.ceil(least_kept * len(rows[1])))


def _labelled_rows(network: QuantisedNetwork, spec: Spec, queries: Sequence[Query]) -> tuple[Integers, Integers]:
    """Return rows under every value of the sensitive features, labelled by the model's most frequent decision."""
    table = np.array(spec.domain_table, dtype=np.int64)
    labels = decisions_under(network, np.array(queries, dtype=np.int64), table)
    counts = np.array([(labels == label).sum(axis=0) for label in range(len(spec.labels))])
    plain = np.repeat(np.array(queries), len(table), axis=0)
    sensitive = np.tile(table, (len(queries), 1))
    # Of labels that are equally frequent, the lowest.
    return np.concatenate([plain, sensitive], axis=1), np.repeat(counts.argmax(axis=0), len(table))


def repair_document(repaired: Repaired, points: int, before: Results, after: Results) -> dict[str, Any]:
    """Return a repair for `points` applicants, and what certification reports before and after it, as JSON data."""
    return {
        "repair": {
            "points": points,
            "sets": repaired.sets,
            "change": repaired.change.objective,
            "least_change": repaired.change.bound,
            "margin": repaired.margin,
            "steps": 0 if repaired.calibrated is None else repaired.calibrated.steps,
            "constant": repaired.constant,
            "seconds": {name: round(value, 3) for name, value in repaired.seconds.items()},
        },
        "before": [_point_document(point) for point in before],
        "after": [_point_document(point) for point in after],
    }


def box_document(box: str, repaired: RepairedBox) -> dict[str, Any]:
    """Return what was proven for a box, as JSON data; the number of applicants as text, since it may be huge."""
    return {
        "box": box,
        "applicants": str(repaired.applicants),
        "rounds": repaired.rounds,
        "points": repaired.points,
        "leaves": repaired.proof.leaves,
    }


def _point_document(point: PointResult) -> dict[str, Any]:
    """Return the result of one applicant as JSON data."""
    return {
        "row": point.row,
        "verdict": point.verdict,
        "label": point.label,
        "radius": None if point.radius is None else f"{point.radius:.6f}",
        "radius_squared": point.radius_squared,
    }
