"""Decisions and logits of the float model beside those of the quantised one, which certificates speak about."""

from __future__ import annotations

from typing import Any

from equiproof.certify.decisions import TIE
from equiproof.certify.models.decisions_compared import Decided
from equiproof.circuits.spec import Spec


def documents(spec: Spec, made: Decided, fraction_bits: int) -> list[dict[str, Any]]:
    """Return what both models make of rows, one JSON document for each; committed logits carry so many fraction bits.

    Logits of both are in the float model's scale, the threshold of a single logit subtracted; a tie of the quantised
    model has the label None.
    """
    unit = 1 << fraction_bits
    columns = (made.labels, made.logits, made.committed, made.integers)
    return [
        {
            "float": {"label": spec.labels[label], "logits": [round(logit, 6) for logit in logits]},
            "quantised": {
                "label": None if committed == TIE else spec.labels[committed],
                "logits": [round(logit / unit, 6) for logit in integers],
                "integer_logits": [str(logit) for logit in integers],
            },
        }
        for label, logits, committed, integers in zip(*(column.tolist() for column in columns), strict=True)
    ]
