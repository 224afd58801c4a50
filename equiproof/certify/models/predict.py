"""Decisions and logits of the float model beside those of the quantised one, which certificates speak about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from equiproof.certify.decisions import TIE
from equiproof.certify.models.decisions_compared import Decided
from equiproof.circuits.spec import Spec

_PLACES = 6
"""The decimal places of logits in documents."""


class Answers(NamedTuple):
    """What both models make of rows, as it is shown: each has an entry a row.

    `labels` and `logits` are those of the float model. Of the quantised one, `committed` is None for a tie, and
    `quantised` are the `integers` in the float model's scale. The threshold of a single logit is subtracted.
    """

    labels: list[str]
    logits: list[list[float]]
    committed: list[str | None]
    quantised: list[list[float]]
    integers: list[list[int]]

    @classmethod
    def of(cls, spec: Spec, made: Decided, fraction_bits: int) -> Answers:
        """Take what both models make of rows; committed logits carry so many fraction bits."""
        names: dict[int, str | None] = {**dict(enumerate(spec.labels)), TIE: None}
        unit = 1 << fraction_bits
        integers = made.integers.tolist()
        return cls(
            list(map(spec.labels.__getitem__, made.labels.tolist())),
            made.logits.tolist(),
            list(map(names.__getitem__, made.committed.tolist())),
            [[logit / unit for logit in some] for some in integers],
            integers,
        )

    def documents(self) -> list[dict[str, Any]]:
        """Return one JSON document for each row."""
        return [
            {
                "float": {"label": label, "logits": _rounded(logits)},
                "quantised": {
                    "label": committed,
                    "logits": _rounded(quantised),
                    "integer_logits": list(map(str, integers)),
                },
            }
            for label, logits, committed, quantised, integers in zip(*self, strict=True)
        ]


def _rounded(logits: Sequence[float]) -> list[float]:
    """Return logits to so many decimal places."""
    return [round(logit, _PLACES) for logit in logits]
