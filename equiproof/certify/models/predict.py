"""Decisions and logits of the float model beside those of the quantised one, which certificates speak about."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.data.dataset import Row, column_values, encode_rows
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.models.ensembles.score import Score
from equiproof.certify.models.ensembles.scoring import committed_scores
from equiproof.certify.models.network import Network
from equiproof.certify.network import QuantisedNetwork, decide
from equiproof.circuits.spec import Spec


def predict(spec: Spec, network: Network, quantised: QuantisedNetwork, rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return what both models make of raw rows with their sensitive features, one JSON document for each.

    The float model takes a row's columns unrounded, as it does where it is used. Logits of both are in its scale, the
    threshold of a single logit subtracted; a tie of the quantised model has the label None. Raises DataError naming a
    row (counted from 1) that does not fit the spec.
    """
    columns = column_values(spec, rows)
    shift = float(spec.threshold) if spec.logits == 1 else 0.0
    labels = network.decide(columns, float(spec.threshold))
    unit = 1 << quantised.logit_fraction_bits
    documents = []
    for label, logits, inputs in zip(
        labels.tolist(), network.logits(columns) - shift, encode_rows(spec, rows).tolist(), strict=True
    ):
        exact = quantised.logits(inputs)
        documents.append(_document(spec, label, logits.tolist(), exact, unit))
    return documents


def predict_scores(
    spec: Spec, score: Score, model: AdditiveModel | EnsembleModel, rows: Sequence[Row]
) -> list[dict[str, Any]]:
    """Return what a score and its integers make of raw rows, as :func:`predict` does of a network.

    "float" is the exact score of columns that are not rounded.
    """
    totals = score.totals(spec, rows).tolist()
    committed = committed_scores(model, encode_rows(spec, rows)).tolist()
    cut = Fraction(spec.threshold)
    unit = 1 << model.logit_fraction_bits
    documents = []
    for total, whole in zip(totals, committed, strict=True):
        exact = Fraction(total, score.unit) - cut
        documents.append(_document(spec, int(exact > 0), [float(exact)], (whole,), unit))
    return documents


def _document(spec: Spec, label: int, logits: Sequence[float], committed: Sequence[int], unit: int) -> dict[str, Any]:
    """Return what is said of one row; `committed` are the quantised model's logits in multiples of 1 / unit."""
    decided = decide(committed)
    return {
        "float": {"label": spec.labels[label], "logits": [round(logit, 6) for logit in logits]},
        "quantised": {
            "label": None if decided is None else spec.labels[decided],
            "logits": [round(logit / unit, 6) for logit in committed],
            "integer_logits": [str(logit) for logit in committed],
        },
    }
