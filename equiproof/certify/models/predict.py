"""Decisions and logits of the float model beside those of the quantised one, which certificates speak about."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.data.dataset import column_values
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.models.ensembles.score import Score
from equiproof.certify.models.network import Network
from equiproof.certify.network import QuantisedNetwork, decide
from equiproof.circuits.spec import Spec


def predict(spec: Spec, network: Network, quantised: QuantisedNetwork, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what both models make of a raw row with its sensitive features, as a JSON document.

    The float model takes the row's columns unrounded, as it does where it is used. Logits of both are in its scale, the
    threshold of a single logit subtracted; a tie of the quantised model has the label None. Raises SpecError for a row
    that does not fit the spec.
    """
    integers = (*spec.encode(row), *spec.encode_sensitive(row))
    columns = column_values(spec, [row])
    logits = network.logits(columns)[0] - (float(spec.threshold) if spec.logits == 1 else 0.0)
    exact = quantised.logits(integers)
    label = int(network.decide(columns, float(spec.threshold))[0])
    quantised_label = decide(exact)
    return {
        "float": {"label": spec.labels[label], "logits": [round(float(logit), 6) for logit in logits]},
        "quantised": {
            "label": None if quantised_label is None else spec.labels[quantised_label],
            "logits": [round(logit / (1 << quantised.logit_fraction_bits), 6) for logit in exact],
            "integer_logits": [str(logit) for logit in exact],
        },
    }


def predict_score(
    spec: Spec, score: Score, model: AdditiveModel | EnsembleModel, row: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what a score and its integers make of a raw row, as :func:`predict` does of a network.

    "float" is the exact score of columns that are not rounded.
    """
    integers = (*spec.encode(row), *spec.encode_sensitive(row))
    (total,) = score.totals(spec, [row])
    exact = Fraction(int(total), score.unit) - Fraction(spec.threshold)
    committed = model.score(integers)
    label = model.decide(integers)
    return {
        "float": {"label": spec.labels[exact > 0], "logits": [round(float(exact), 6)]},
        "quantised": {
            "label": None if label is None else spec.labels[label],
            "logits": [round(committed / (1 << model.logit_fraction_bits), 6)],
            "integer_logits": [str(committed)],
        },
    }
